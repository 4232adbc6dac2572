/* gst-stereomatching: stereo-tune's page, statistics
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frame rate, time of a frame and its stages, valid pixels and, with ground
 * truth, errors; updated twice a second.
 */

import {$, make, short} from './dom.js';

const PAST = 60;

const percent = (value) => (typeof value === 'number' ? `${short(value)} %` : '–');

/* The percentage of wrong pixels. */
const wrong = (limit) => ({
  name: `wrong > ${limit} px`,
  of: ({truth}) => percent(truth?.[`bad${limit}`]),
  has: ({truth}) => typeof truth?.[`bad${limit}`] === 'number',
});

/* The tiles, from the statistics of a side; omitted if has () is false for all
 * sides. */
const TILES = [
  {name: 'frames/s', of: ({fps}) => short(fps)},
  {name: 'ms/frame', of: ({frame_ms: ms}) => short(ms), past: true},
  {name: 'valid', of: ({valid}) => percent(typeof valid === 'number' ? 100 * valid : null)},
  {name: 'dropped', of: ({dropped}) => (typeof dropped === 'number' ? String(dropped) : '–')},
  ...[1, 2, 3, 4].map(wrong),
  {
    name: 'mean error, px',
    of: ({truth}) => short(truth?.average),
    has: ({truth}) => typeof truth?.average === 'number',
  },
];

const SVG = 'http://www.w3.org/2000/svg';

/* The last 30 seconds of a value. */
function line(values) {
  const most = Math.max(...values, 1e-9);
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'polyline');

  svg.setAttribute('viewBox', `0 0 ${PAST - 1} 20`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('points', values.map((value, i) =>
    `${PAST - values.length + i},${(19 - (18 * value) / most).toFixed(1)}`).join(' '));
  svg.append(path);
  return svg;
}

export class Figures {
  #past = {a: [], b: []};

  clear() {
    this.#past = {a: [], b: []};
  }

  /* A message of statistics. */
  show(stats) {
    const sides = ['a', 'b'].filter((side) => stats[side]);

    sides.forEach((side) => {
      this.#past[side] = [...this.#past[side], stats[side].frame_ms ?? 0].slice(-PAST);
    });
    $('tiles').replaceChildren(...TILES
      .filter(({has}) => !has || sides.some((side) => has(stats[side])))
      .map((tile) => make('div', {className: 'tile'}, make('dt', {}, tile.name),
        ...sides.map((side) => make('dd', {className: side},
          sides.length > 1 ? make('abbr', {className: 'of', title: `Side ${side.toUpperCase()}`},
            side.toUpperCase()) : null,
          tile.of(stats[side]), tile.past ? line(this.#past[side]) : null)))));
    this.#showStages(stats, sides);
  }

  #showStages(stats, sides) {
    const longest = Math.max(...sides.map((side) => this.#sum(stats[side])), 1e-9);

    $('stages').replaceChildren(...sides.map((side) => {
      const {stages = [], device} = stats[side];
      const bar = make('div', {className: 'bar-of-stages', 'aria-hidden': 'true'});

      bar.append(...stages.map(({ms}) => {
        const part = make('span');
        part.style.width = `${(100 * ms) / longest}%`;
        return part;
      }));
      return make('div', {className: `stages-of ${side}`},
        make('p', {className: 'device'},
          sides.length > 1 ? `${side.toUpperCase()}: ` : '', device ?? ''),
        bar,
        make('ul', {'aria-label': 'Stages'}, ...stages.map(({name, ms}) =>
          make('li', {}, make('span', {className: 'stage-name'}, name), ` ${short(ms)} ms`))));
    }));
  }

  #sum({stages = []}) {
    return stages.reduce((sum, {ms}) => sum + ms, 0);
  }
}
