/* gst-stereomatching: stereo-tune's page, who does what
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Takes what the server says to the parts of the page, and what a person does
 * to the server. Nothing is kept here that the server does not know: whatever
 * is shown comes from it, so that all pages that are open show the same.
 */

import {$, afterwards, make} from './dom.js';
import {Figures} from './stats.js';
import {Link} from './link.js';
import {Side} from './side.js';
import {Stage} from './stage.js';

const MESSAGE_MS = 8000;
const MESSAGES = 4;

let version = null;
let paused = false;
let comparing = false;
let lost = null;
/* Whether this connection has said nothing yet. */
let fresh = true;

const tell = (message) => link.send(message);
const figures = new Figures();
const stage = new Stage(tell, (key) => $(key).click());
const sides = {a: new Side('a', tell), b: new Side('b', tell)};

const shownSide = () => document.querySelector('input[name=which]:checked').value;

/* ------------------------------------------------------------------ messages */

function say(level, text) {
  const note = make('div', {className: `message ${level}`},
    make('p', {}, level === 'info' ? '' : make('strong', {}, level === 'error' ? 'Error: ' : 'Warning: '), text),
    make('button', {type: 'button', 'aria-label': 'Dismiss', onclick: () => note.remove()}, '×'));

  $('messages').append(note);
  while ($('messages').children.length > MESSAGES)
    $('messages').firstChild.remove();
  if (level !== 'error')
    setTimeout(() => note.remove(), MESSAGE_MS);
}

/* -------------------------------------------------------------- what is shown */

const askLine = afterwards(300, () => tell({type: 'line', side: comparing ? shownSide() : 'a'}));

const look = () => {
  const words = $('find').value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = Object.values(sides).filter(({element}) => !element.hidden)
    .reduce((sum, side) => sum + side.find(words, $('changed').checked), 0);

  $('none').hidden = found > 0 || $('sides').querySelector('.property') === null;
  if (!$('none').hidden)
    $('none').textContent = words.length ? 'No property is like that.' : 'Everything has its default.';
};

function showState(state) {
  paused = state.paused;
  $('pause').setAttribute('aria-pressed', String(paused));
  $('pause').textContent = paused ? 'Go on' : 'Pause';
  $('state').dataset.state = paused ? 'paused' : 'live';
  $('state').textContent = paused ? 'Paused' : 'Live';
  if (state.compare !== comparing) {
    comparing = state.compare;
    stage.setCompare(comparing);
    figures.clear();
  }
  $('compare').setAttribute('aria-pressed', String(comparing));
  $('which').hidden = !comparing;
  document.body.classList.toggle('comparing', comparing);
  sides.b.element.hidden = !comparing;
  if (!comparing)
    document.querySelector('input[name=which][value=a]').checked = true;
  chooseSide();
}

function chooseSide() {
  for (const [name, side] of Object.entries(sides))
    side.element.classList.toggle('other', comparing && name !== shownSide());
  look();
  askLine();
}

function setEnabled(on) {
  for (const id of ['pause', 'step', 'compare', 'save', 'load', 'reset', 'copy'])
    $(id).disabled = !on;
  $('sides').inert = !on;
}

const heard = {
  hello(message) {
    // Another server has another page, perhaps.
    if (version !== null && version !== message.version)
      location.reload();
    version = message.version;
    $('source').textContent = message.source ?? '';
    $('source').title = message.source ?? '';
    document.title = message.source ? `${message.source} – stereo-tune` : 'stereo-tune';
    stage.setViews(message.views);
    Object.values(sides).forEach((side) => side.setMatchers(message.matchers));
    showState({paused: message.paused, compare: message.sides.includes('b')});
    setEnabled(true);
    if (fresh) {
      figures.clear();
      stage.renew();
    }
    fresh = false;
  },

  elements({side, elements}) {
    sides[side]?.setElements(elements);
    look();
    askLine();
  },

  value({side, element, property, value}) {
    // The scene is of both sides.
    for (const [name, one] of Object.entries(sides)) {
      if (name === side || element === 'scene')
        one.setValue(element, property, value);
    }
    if ($('changed').checked)
      look();
    askLine();
  },

  stats(message) {
    figures.show(message);
    $('state').title = message.viewers > 1 ? `${message.viewers} pages are open` : '';
    stage.askAgain();
  },

  probe: (message) => stage.showProbe(message),

  line({text}) {
    $('line').textContent = text;
  },

  settings({text}) {
    const address = URL.createObjectURL(new Blob([text], {type: 'application/json'}));
    make('a', {href: address, download: 'stereo-tune.json'}).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  },

  state: showState,

  message({level, text}) {
    say(level, text);
  },
};

const link = new Link({
  text: (message) => (Object.hasOwn(heard, message.type) ? heard[message.type](message) : undefined),
  picture: (buffer) => stage.receive(buffer),

  state(state, seconds, reason) {
    const away = state === 'lost' || state === 'refused';

    clearTimeout(lost);
    if (state === 'open') {
      $('lost').hidden = true;
      return;
    }
    setEnabled(false);
    fresh = true;
    $('state').dataset.state = state;
    $('state').textContent = state === 'connecting' ? 'Connecting' : 'Not connected';
    if (!away)
      return;
    $('lost-text').textContent = state === 'refused'
      ? 'The server does not take this page any more. Open the address that stereo-tune printed when it started.'
      : `${reason ? `The server says: ${reason}` : 'The server is away'}. Trying again ${seconds < 1 ? 'now' : `in ${seconds} s`}.`;
    // Not for the blink of an eye that a server needs to begin again.
    lost = setTimeout(() => { $('lost').hidden = false; }, 300);
  },
});

/* ------------------------------------------------------------- what people do */

$('retry').addEventListener('click', () => link.retry());
$('pause').addEventListener('click', () => tell({type: 'pause', on: !paused}));
$('step').addEventListener('click', () => {
  if (!paused)
    tell({type: 'pause', on: true});
  tell({type: 'step'});
});
$('compare').addEventListener('click', () => tell({type: 'compare', on: !comparing}));
$('find').addEventListener('input', look);
$('changed').addEventListener('change', look);
$('which').addEventListener('change', chooseSide);
$('save').addEventListener('click', () => tell({type: 'save'}));
$('load').addEventListener('click', () => $('file').click());
$('reset').addEventListener('click', () => sides[comparing ? shownSide() : 'a'].reset());

$('file').addEventListener('change', async () => {
  const [file] = $('file').files;

  if (file)
    tell({type: 'load', text: await file.text()});
  $('file').value = '';
});

$('copy').addEventListener('click', async () => {
  const text = $('line').textContent;

  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without TLS, from another machine, there is no clipboard.
    getSelection().selectAllChildren($('line'));
    document.execCommand('copy');
  }
  $('copy').textContent = 'Copied';
  setTimeout(() => { $('copy').textContent = 'Copy'; }, 2000);
});

$('sides').append(sides.a.element, sides.b.element);
sides.b.element.hidden = true;
