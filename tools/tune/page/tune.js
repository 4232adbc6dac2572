/* gst-stereomatching: stereo-tune's page, main script
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Passes messages of the server to the parts of the page, and user input to the
 * server. The server holds all state, so that all open pages show the same.
 */

import {$, afterwards, make} from './dom.js';
import {Alignment} from './alignment.js';
import {Figures} from './stats.js';
import {Link} from './link.js';
import {Overlay} from './overlay.js';
import {Side} from './side.js';
import {Stage} from './stage.js';

const MESSAGE_MS = 8000;
const MESSAGES = 4;

let version = null;
let paused = false;
let corrects = false;
let comparing = false;
let errors = {};
let lost = null;
/* Draws over the pictures of the stage. */
let overlay = null;
/* Whether no message has arrived on this connection. */
let fresh = true;

const tell = (message) => link.send(message);
const figures = new Figures();
const press = (key) => (key === 'overlay' ? overlay.chooseNext() : $(key).hidden || $(key).click());
const stage = new Stage(tell, press, (side, frame) => overlay?.painted(side, frame));
const sides = {a: new Side('a', tell), b: new Side('b', tell)};
const alignment = new Alignment(sides, tell, () => showCorrection());
overlay = new Overlay(tell, stage);

const shownSide = () => document.querySelector('input[name=which]:checked').value;
const links = [...$('download').querySelectorAll('a')];

/* ------------------------------------------------------------------ messages */

function say(level, text) {
  const note = make('div', {className: `message ${level}`},
    make('p', {}, level === 'info' ? '' : make('strong', {}, level === 'error' ? 'Error: ' : 'Warning: '), text),
    make('button', {type: 'button', 'aria-label': 'Dismiss', onclick: () => note.remove()}, '×'));

  // A repeated message replaces the earlier one.
  [...$('messages').children].filter(({textContent}) => textContent === note.textContent)
    .forEach((same) => same.remove());
  $('messages').append(note);
  while ($('messages').children.length > MESSAGES)
    $('messages').firstChild.remove();
  if (level !== 'error')
    setTimeout(() => note.remove(), MESSAGE_MS);
}

/* -------------------------------------------------------------------- state */

const askLine = afterwards(300, () => tell({type: 'line', side: comparing ? shownSide() : 'a'}));

const look = () => {
  const words = $('find').value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = Object.values(sides).filter(({element}) => !element.hidden)
    .reduce((sum, side) => sum + side.find(words, $('changed').checked), 0);

  $('none').hidden = found > 0 || $('sides').querySelector('.property') === null;
  if (!$('none').hidden)
    $('none').textContent = words.length ? 'No property matches.' : 'All properties have their defaults.';
};

/* Errors of the source and of the sides, until they are gone. */
function showErrors(given) {
  errors = given;
  const failed = ['source', 'a', 'b'].filter((name) => errors[name]);
  const waits = ['a', 'b'].find((name) => comparing && !errors[name]);
  const lines = failed.map((name) => (comparing && name !== 'source'
    ? `${name.toUpperCase()}: ${errors[name]}` : errors[name]));

  if (waits && (errors.a || errors.b))
    lines.push(`${waits.toUpperCase()} waits for ${waits === 'a' ? 'B' : 'A'}.`);
  $('failed').replaceChildren(...lines.map((line) => make('span', {}, line)));
  $('failed').hidden = failed.length === 0;
  ['a', 'b'].forEach((name) => document.body.classList.toggle(`failed-${name}`, Boolean(errors[name])));
  $('state').dataset.state = failed.length ? 'failed' : paused ? 'paused' : 'live';
  $('state').textContent = failed.length ? 'Error' : paused ? 'Paused' : 'Live';
}

function showState(state) {
  paused = state.paused;
  $('pause').setAttribute('aria-pressed', String(paused));
  $('pause').textContent = paused ? 'Resume' : 'Pause';
  if (state.compare !== comparing) {
    comparing = state.compare;
    stage.setCompare(comparing);
    overlay.setCompare(comparing);
    figures.clear();
  }
  $('compare').setAttribute('aria-pressed', String(comparing));
  $('which').hidden = !comparing;
  document.body.classList.toggle('comparing', comparing);
  sides.b.element.hidden = !comparing;
  showErrors(state.errors ?? errors);
  if (!comparing)
    document.querySelector('input[name=which][value=a]').checked = true;
  chooseSide();
}

function chooseSide() {
  for (const [name, side] of Object.entries(sides))
    side.element.classList.toggle('other', comparing && name !== shownSide());
  look();
  showCorrection();
}

/* The file and the launch line depend on it. */
function showCorrection() {
  links.filter(({className}) => className === 'correction')
    .forEach((link) => { link.hidden = !alignment.hasCorrection(comparing ? shownSide() : 'a'); });
  askLine();
}

function setEnabled(on) {
  for (const id of ['pause', 'step', 'compare', 'save', 'load', 'open', 'reset', 'copy'])
    $(id).disabled = !on;
  $('sides').inert = !on;
  $('verdicts').inert = !on;
}

const heard = {
  hello(message) {
    // Another version of the server may have another page.
    if (version !== null && version !== message.version)
      location.reload();
    version = message.version;
    corrects = message.corrects;
    $('source').textContent = message.source ?? '';
    $('source').title = message.source ?? '';
    document.title = message.source ? `${message.source} – stereo-tune` : 'stereo-tune';
    stage.setViews(message.views);
    links.filter(({className}) => className === 'metric')
      .forEach((link) => { link.hidden = !message.views.some(({id}) => id === 'depth'); });
    Object.values(sides).forEach((side) => side.setMatchers(message.matchers));
    showState({paused: message.paused, compare: message.sides.includes('b')});
    setEnabled(true);
    if (fresh) {
      figures.clear();
      stage.renew();
      overlay.renew();
    }
    fresh = false;
  },

  elements({side, elements}) {
    sides[side]?.setElements(elements);
    look();
    askLine();
  },

  value({side, element, property, value}) {
    // Both sides share the scene.
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
    alignment.show(message, corrects);
    $('state').title = message.viewers > 1 ? `${message.viewers} open pages` : '';
    stage.askAgain();
  },

  probe: (message) => stage.showProbe(message),

  matches: (message) => overlay.show(message),

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
      ? 'The server rejects this page. Open the address that stereo-tune printed at its start.'
      : `${reason ? `The server closed the connection: ${reason}` : 'Cannot reach the server'}. Retrying ${seconds < 1 ? 'now' : `in ${seconds} s`}.`;
    // A restarting server is back within this time.
    lost = setTimeout(() => { $('lost').hidden = false; }, 300);
  },
});

/* ---------------------------------------------------------------- user input */

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

$('open').addEventListener('click', () => $('images').click());

/* The left view is the first by name. */
$('images').addEventListener('change', async () => {
  const files = [...$('images').files].sort((one, other) =>
    one.name.localeCompare(other.name, 'en', {numeric: true}));
  const body = new FormData();

  $('images').value = '';
  if (files.length !== 2) {
    say('error', 'Choose two images, the left and the right view.');
    return;
  }
  files.forEach((file) => body.append('view', file));
  try {
    const answer = await fetch('scene', {method: 'POST', body});
    if (!answer.ok)
      say('error', await answer.text());
  } catch {
    say('error', 'Cannot send the images.');
  }
});

$('copy').addEventListener('click', async () => {
  const text = $('line').textContent;

  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The clipboard requires TLS or localhost.
    getSelection().selectAllChildren($('line'));
    document.execCommand('copy');
  }
  $('copy').textContent = 'Copied';
  setTimeout(() => { $('copy').textContent = 'Copy'; }, 2000);
});

// Of the newest map, or of the one that is paused.
links.forEach((link) => link.addEventListener('click', () => {
  link.href = `export/${comparing ? shownSide() : 'a'}/${link.dataset.file || `${stage.large}.png`}`;
}));

$('sides').append(sides.a.element, sides.b.element);
sides.b.element.hidden = true;
