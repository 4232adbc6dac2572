/* gst-stereomatching: stereo-tune's page, what is drawn over the views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * "matches": points of the left view with a line to their position in the right
 * one, coloured by the difference of their rows. "rows": lines along rows, over
 * the left and the right view, which blink.
 */

import {$, make, seldom} from './dom.js';

const SVG = 'http://www.w3.org/2000/svg';
const ASK = 100;
const ROWS = 18;
/* Differences of rows in pixels, up to which a match belongs to a class. */
const LIMITS = [0.5, 1, 2, Infinity];
const NAMES = ['up to 0.5 px', 'up to 1 px', 'up to 2 px', 'more'];
/* The class of points that agree with no two cameras. */
const WRONG = LIMITS.length;

function addPath(svg, name, d) {
  const path = document.createElementNS(SVG, 'path');

  path.setAttribute('class', name);
  path.setAttribute('d', d);
  svg.append(path);
}

/* The class of a point [x, y, dx, dy, fits]. */
const classOf = ([, , , dy, fits]) => (fits ? LIMITS.findIndex((limit) => Math.abs(dy) <= limit) : WRONG);

export class Overlay {
  #tell;
  #stage;
  #mode = 'none';
  #sides = ['a'];
  #points = {};
  #painted = {};
  #waiting = {};

  constructor(tell, stage) {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;

    this.#tell = tell;
    this.#stage = stage;
    $('overlay').addEventListener('change', ({target}) => this.choose(target.value));
    $('blink').setAttribute('aria-pressed', String(!still));
    $('blink').addEventListener('click', () => {
      $('blink').setAttribute('aria-pressed', String(!this.#blinks));
      this.#update();
    });
  }

  get #blinks() {
    return $('blink').getAttribute('aria-pressed') === 'true';
  }

  choose(mode) {
    this.#mode = mode;
    $('overlay').querySelector(`[value=${mode}]`).checked = true;
    if (mode !== 'none' && !['left', 'right'].includes(this.#stage.large))
      this.#stage.chooseView('left');
    this.#update();
  }

  chooseNext() {
    const modes = [...$('overlay').querySelectorAll('input')].map(({value}) => value);

    this.choose(modes[(modes.indexOf(this.#mode) + 1) % modes.length]);
  }

  setCompare(on) {
    this.#sides = on ? ['a', 'b'] : ['a'];
    this.#update();
  }

  /* After a reconnection: answers to earlier questions do not come. */
  renew() {
    this.#waiting = {};
    this.#points = {};
    this.#painted = {};
    this.#update();
  }

  /* A picture of a frame is shown, or another view is. */
  painted(side, frame) {
    if (side) {
      this.#painted[side] = frame;
      this.#ask();
    } else {
      this.#draw();
    }
  }

  /* A message "matches". */
  show({side, frame, points}) {
    this.#waiting[side] = false;
    this.#points[side] = {frame, points};
    this.#draw();
    this.#ask();
  }

  #update() {
    $('blink').hidden = this.#mode !== 'rows';
    this.#stage.blink(this.#mode === 'rows' && this.#blinks);
    this.#draw();
    this.#ask();
  }

  /* Asks for points that are not those of the picture. */
  #ask = seldom(ASK, () => {
    for (const side of this.#isSeen ? this.#sides : []) {
      if (this.#mode !== 'matches' || this.#waiting[side] || this.#points[side]?.frame >= (this.#painted[side] ?? 0))
        continue;
      this.#waiting[side] = this.#tell({type: 'matches', side});
    }
  });

  get #isSeen() {
    const {seen} = this.#stage;

    return seen === 'left' || (seen === 'right' && this.#mode === 'rows');
  }

  #draw() {
    for (const side of ['a', 'b']) {
      const svg = $(`overlay-${side}`);
      const {width, height} = this.#stage.size;

      svg.toggleAttribute('hidden', this.#mode === 'none' || !width || !this.#isSeen || !this.#sides.includes(side));
      svg.replaceChildren();
      svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
      if (svg.hasAttribute('hidden'))
        continue;
      if (this.#mode === 'rows')
        this.#drawRows(svg, width, height);
      else
        this.#drawPoints(svg, this.#points[side]?.points ?? []);
    }
    $('seen-view').hidden = this.#mode !== 'rows' || !this.#isSeen;
    $('seen-view').textContent = this.#stage.seen === 'right' ? 'Right view' : 'Left view';
    this.#describe();
  }

  #drawRows(svg, width, height) {
    const lines = Array.from({length: ROWS}, (_, i) => `M0 ${((i + 0.5) * height) / ROWS}H${width}`).join('');

    addPath(svg, 'under-line', lines);
    addPath(svg, 'row', lines);
  }

  #drawPoints(svg, points) {
    const classes = points.map(classOf);

    // wrong ones first, so that the others are above them
    for (let i = WRONG; i >= 0; i--) {
      const found = points.filter((_, k) => classes[k] === i);
      const lines = found.map(([x, y, dx, dy]) => `M${x} ${y}l${dx} ${dy}`).join('');
      if (i < WRONG)
        addPath(svg, 'under-line', lines);
      addPath(svg, `match match-${i}`, lines);
      addPath(svg, `point match-${i}`, found.map(([x, y]) => `M${x} ${y}h0`).join(''));
    }
  }

  #describe() {
    const text = $('overlay-text');

    text.hidden = this.#mode === 'none' || !this.#isSeen;
    if (text.hidden)
      text.replaceChildren();
    else if (this.#mode === 'rows')
      text.replaceChildren(make('p', {}, 'A point of the scene is on the same line in the left and the right view if rows match.'));
    else
      text.replaceChildren(...this.#sides.map((side) => this.#legend(side)));
  }

  #legend(side) {
    const points = this.#points[side]?.points ?? [];
    const counts = new Array(WRONG + 1).fill(0);

    points.forEach((point) => { counts[classOf(point)]++; });
    return make('ul', {className: 'legend', 'aria-label': 'Points by the difference of their rows'},
      make('li', {className: 'legend-title'}, this.#sides.length > 1 ? `${side.toUpperCase()}: rows differ by` : 'Rows differ by'),
      ...counts.map((n, i) => make('li', {className: `match-${i}`}, `${i === WRONG ? 'wrong match' : NAMES[i]}: ${n}`)));
  }
}
