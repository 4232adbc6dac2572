/* gst-stereomatching: stereo-tune's page, elements of the document
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

export const $ = (id) => document.getElementById(id);

/* Creates an element. Names with a dash, `role` and `for` are attributes, names
 * that begin with `on` are listeners, others are properties. */
export function make(tag, given = {}, ...inside) {
  const made = document.createElement(tag);

  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null)
      continue;
    if (name.startsWith('on'))
      made.addEventListener(name.slice(2), value);
    else if (name.includes('-') || name === 'role' || name === 'for')
      made.setAttribute(name, value);
    else
      made[name] = value;
  }
  made.append(...inside.filter((child) => child !== null && child !== undefined));
  return made;
}

/* Calls `work` at most once in `ms`, and once more after the last call. */
export function seldom(ms, work) {
  let timer = 0;
  let last = -Infinity;
  let args = null;
  const run = () => {
    timer = 0;
    last = performance.now();
    work(...args);
  };

  return (...given) => {
    args = given;
    if (!timer)
      timer = setTimeout(run, Math.max(0, last + ms - performance.now()));
  };
}

/* Calls `work` once there was no call for `ms`. */
export function afterwards(ms, work) {
  let timer = 0;

  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), ms);
  };
}

/* A number with at most `digits` significant digits. */
export function short(value, digits = 3) {
  if (typeof value !== 'number' || !Number.isFinite(value))
    return '–';
  const whole = Math.trunc(Math.abs(value)).toString().length;
  return value.toFixed(Math.max(0, Math.min(digits - whole, digits)));
}
