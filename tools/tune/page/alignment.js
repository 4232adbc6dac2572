/* gst-stereomatching: stereo-tune's page, the alignment of the views
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a matcher has measured, in sentences and numbers, and a switch for the
 * correction of the views; updated twice a second.
 */

import {$, make, short} from './dom.js';

const STATUS = {
  ok: 'Rows match',
  off: 'Rows are off',
  swapped: 'Swapped views',
  'same-view': 'The same view twice',
  'not-in-step': 'Not in step',
  unknown: 'Unknown',
  none: 'Not measured',
};

const ADVICE = {
  off: 'Correct the views here, or calibrate the cameras.',
  swapped: 'Exchange the left and the right view.',
  'same-view': 'Check the inputs: one camera is used twice.',
  'not-in-step': 'Synchronize the cameras.',
  unknown: 'Show a scene with texture in both views.',
};

/* Matchers are fast with a multiple of this number of disparities. */
const STEP = 16;

const AGAINST = 'Against the left view';

const ratio = (value) => (typeof value === 'number' ? `${short(value)}×` : '–');
const minus = (text) => text.replace('-', '−');
const levels = (value) => (typeof value === 'number' ? minus(`${Math.round(value) > 0 ? '+' : ''}${Math.round(value) || 0} levels`) : '–');

const FACTS = [
  {name: 'Rows, median', of: ({rows_median: rows}) => `${short(rows)} px`},
  {name: 'in 95 %', of: ({rows_95: rows}) => `${short(rows)} px`},
  {name: 'known to', of: ({rows_sigma: rows}) => `±${short(rows, 2)} px`},
  {name: 'Right view: contrast', of: ({contrast}) => ratio(contrast), title: AGAINST},
  {name: 'brightness', of: ({brightness}) => levels(brightness), title: AGAINST},
  {name: 'sharpness', of: ({sharpness}) => ratio(sharpness), title: AGAINST},
  {name: 'Points', of: ({fitting, matches}) => `${fitting} of ${matches} fit`},
  {
    name: 'Disparities',
    of: ({min_disparity: least, max_disparity: most}) => (typeof most === 'number'
      ? minus(`${short(least)} to ${short(most)} px`) : '–'),
  },
];

/* The next larger number of disparities that most matchers accept. */
const round = (most) => (Math.floor(Math.ceil(most) / STEP) + 1) * STEP;

const limit = (value, {min, max}) => Math.min(Math.max(value, min), max);

/* min-disparity and num-disparities that suit the scene better than the current
 * ones: these search too few, or needlessly many; otherwise null. As
 * stereo-check: disparities of at least -1 may be those of distant points whose
 * calibration is not exact. */
function suggest({status, min_disparity: least, max_disparity: most}, first, count) {
  if (!['ok', 'off'].includes(status) || typeof most !== 'number' || !first || !count)
    return null;
  const from = first.value;
  const low = limit(least < -1 ? -round(-least) : 0, first.property);
  const start = least < from - 1 || low >= from + STEP ? low : from;
  const number = limit(round(Math.max(most, 0)) - start, count.property);
  const more = start < from || most > from + count.value - 1;

  return more || start > from || number + STEP <= count.value ? {start, number, more} : null;
}

/* Of one side. */
class Verdict {
  #side;
  #status = null;
  #said;
  #text = make('p', {className: 'verdict-text'});
  #badge = make('strong', {className: 'verdict-status'});
  #advice = make('p', {className: 'note'});
  #facts = FACTS.map(() => make('dd'));
  #apply;
  #range = {};      /* that the button sets */
  #switch;

  constructor(name, side, tell, said) {
    const id = `correct-${name}`;
    const upper = name.toUpperCase();

    this.#side = side;
    this.#said = said;
    this.#switch = make('input', {
      type: 'checkbox', role: 'switch', id, 'aria-describedby': `${id}-note`,
      onchange: () => tell({
        type: 'set', side: name, element: 'matcher', property: 'alignment',
        value: this.#switch.checked ? 'correct' : 'measure',
      }),
    });
    this.#advice.id = `${id}-note`;
    this.#apply = make('button', {
      type: 'button', className: 'apply', hidden: true,
      onclick: () => Object.entries(this.#range).forEach(([property, value]) =>
        tell({type: 'set', side: name, element: 'matcher', property, value})),
    });
    this.element = make('article', {className: `verdict ${name}`, 'aria-label': `Alignment of side ${upper}`},
      make('div', {className: 'verdict-head'}, make('abbr', {className: 'of', title: `Side ${upper}`}, upper), this.#badge,
        make('label', {className: 'check', for: id}, this.#switch, make('span', {}, 'Correct'))),
      this.#text,
      make('dl', {className: 'facts'}, ...FACTS.map((fact, i) =>
        make('div', {title: fact.title ?? ''}, make('dt', {}, fact.name), this.#facts[i]))),
      this.#apply, this.#advice);
  }

  show(report, {corrects, still}) {
    const mode = this.#side.control('matcher', 'alignment')?.value ?? 'off';
    const status = mode === 'off' || !report.measured ? 'none' : report.status;
    const corrected = mode === 'correct' && report.serial > 0;

    this.#switch.checked = mode === 'correct';
    this.element.dataset.status = status;
    this.#badge.textContent = STATUS[status] + (corrected ? ', corrected' : '');
    this.#text.textContent = mode === 'off' ? 'Set alignment to measure or correct.'
      : status === 'none' ? 'No pair has been measured. Views need at least 64 rows and columns.' : report.text;
    this.#facts.forEach((fact, i) => { fact.textContent = status === 'none' ? '–' : FACTS[i].of(report); });
    this.#advice.textContent = mode === 'correct' ? this.#aboutCorrection(report, corrects, still)
      : ADVICE[status] ?? '';
    this.#suggest(status === 'none' ? {} : report);
    if (status !== this.#status && this.#status !== null)
      this.#said(`${this.#badge.textContent}. ${this.#text.textContent}`);
    this.#status = status;
  }

  #aboutCorrection({correction, disparity_sigma: sigma}, corrects, still) {
    const notes = [];

    if (!correction)
      notes.push('There is no correction: rows match, or cannot be measured yet.');
    else if (still)
      notes.push('Download the correction: the launch line reads that file.');
    if (!still)
      notes.push(corrects ? 'In the launch line, the stereorectify of the source corrects.'
        : 'The source has no stereorectify: the launch line adds one for each view.');
    if (correction && typeof sigma === 'number')
      notes.push(`Rows are corrected, metric depth is not: all disparities may be off by ${short(sigma, 2)} px in common.`);
    return notes.join(' ');
  }

  #suggest(report) {
    const first = this.#side.control('matcher', 'min-disparity');
    const found = suggest(report, first, this.#side.control('matcher', 'num-disparities'));

    this.#apply.hidden = found === null;
    if (found === null)
      return;
    this.#range = {
      ...found.start !== first.value && {'min-disparity': found.start},
      'num-disparities': found.number,
    };
    this.#apply.textContent = `Set ${Object.entries(this.#range).map((pair) => pair.join(' to ')).join(', ')}`;
    this.#apply.title = found.more ? 'The scene has more than are searched'
      : 'The scene has less than are searched';
  }
}

export class Alignment {
  #verdicts;
  #correction = {};
  #onCorrection;

  /* sides: by name; onCorrection () is called when a side has a correction now,
   * or has none any more. */
  constructor(sides, tell, onCorrection) {
    this.#onCorrection = onCorrection;
    this.#verdicts = Object.fromEntries(Object.entries(sides).map(([name, side]) =>
      [name, new Verdict(name, side, tell, (text) => {
        $('verdict-spoken').textContent = document.body.classList.contains('comparing')
          ? `${name.toUpperCase()}: ${text}` : text;
      })]));
    $('verdicts').append(...Object.values(this.#verdicts).map(({element}) => element));
  }

  hasCorrection(side) {
    return this.#correction[side] ?? false;
  }

  /* A message of statistics. */
  show(stats, corrects) {
    let changed = false;

    for (const [name, verdict] of Object.entries(this.#verdicts)) {
      const report = stats[name]?.alignment;

      verdict.element.hidden = !report;
      if (report)
        verdict.show(report, {corrects, still: stats.still});
      changed ||= this.hasCorrection(name) !== (report?.correction ?? false);
      this.#correction[name] = report?.correction ?? false;
    }
    if (changed)
      this.#onCorrection();
  }
}
