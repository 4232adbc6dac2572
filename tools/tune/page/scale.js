/* gst-stereomatching: stereo-tune's page, from slider positions to values
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The useful values of ranges such as 1 to 16384 or -100000 to 100000 are close
 * to their centre. Sliders are finer there: positions are
 * asinh ((value - centre) / unit), linear near the centre and logarithmic far
 * from it.
 */

const POSITIONS = 1000;

/* A finite number, or null. */
export function number(value) {
  const found = typeof value === 'string' ? Number(value) : value;

  return Number.isFinite(found) ? found : null;
}

/* Whether JavaScript's numbers hold all of the property's. */
export function isExact({kind, min, max}) {
  return kind === 'double' || (Number.isSafeInteger(min) && Number.isSafeInteger(max));
}

export class Scale {
  #from;
  #to;
  #whole;
  #centre;
  #unit;

  constructor({kind, min, max, default: usual}) {
    const span = max - min;
    const inside = Math.abs(usual) < Math.max(Math.abs(min), Math.abs(max)) ? Math.abs(usual) : 0;

    this.min = min;
    this.max = max;
    this.#whole = kind !== 'double';
    this.#centre = Math.min(Math.max(0, min), max);
    this.#unit = this.#whole ? Math.max(4, inside / 4) : inside || Math.min(span / 50, 10);
    this.even = this.#whole ? span <= 300 : span <= 25 * (inside || span);
    this.#from = this.#at(min);
    this.#to = this.#at(max);
  }

  /* The attributes of the range input. */
  get input() {
    return this.even && this.#whole ? {min: this.min, max: this.max, step: 1}
      : {min: 0, max: POSITIONS, step: 1};
  }

  position(value) {
    if (this.even && this.#whole)
      return value;
    return POSITIONS * this.fraction(value);
  }

  /* The position as a fraction of the slider. */
  fraction(value) {
    return this.#to > this.#from
      ? Math.min(Math.max((this.#at(value) - this.#from) / (this.#to - this.#from), 0), 1) : 0;
  }

  value(position) {
    if (this.even && this.#whole)
      return position;
    const at = this.#from + (position / POSITIONS) * (this.#to - this.#from);
    const found = this.even ? at : this.#centre + this.#unit * Math.sinh(at);
    // Ends are exact, other values are rounded to the resolution.
    if (position <= 0 || position >= POSITIONS)
      return position <= 0 ? this.min : this.max;
    if (this.#whole)
      return Math.min(Math.max(Math.round(found), this.min), this.max);
    return Number(found.toPrecision(Math.abs(found) < 1 ? 2 : 3));
  }

  /* The next value after `from` in the direction of `to`, for arrow keys. */
  next(from, to) {
    const step = Math.sign(to - this.position(from));
    let found = from;

    for (let i = 1; i <= POSITIONS && found === from; i++) {
      const position = Math.min(Math.max(this.position(from) + i * step, 0), POSITIONS);
      found = this.value(Math.round(position));
    }
    return this.#whole && step && Math.abs(found - from) < 1 ? from + step : found;
  }

  #at(value) {
    return this.even ? value : Math.asinh((value - this.#centre) / this.#unit);
  }
}
