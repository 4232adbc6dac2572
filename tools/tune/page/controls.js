/* gst-stereomatching: stereo-tune's page, a control for each property
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A control is built from the description of a property. Input goes to the
 * server immediately; the control then shows the value of the element.
 */

import {make, seldom} from './dom.js';
import {Scale, isExact, number} from './scale.js';

const DRAG = 90;
/* More choices than this are in a drop-down list. */
const ROW_OF_CHOICES = 4;
const ARGB = 4294967295;
/* Units with short names. */
const UNITS = {pixels: 'px', nanoseconds: 'ns', milliseconds: 'ms', metres: 'm', percent: '%', degrees: '°'};
/* In a description: ", in pixels" or "in metres (...)". */
const UNIT = /\bin (pixels|metres|nanoseconds|grey levels|disparities|percent)\b/;
let ids = 0;

function text(value) {
  if (typeof value === 'number')
    return String(Number(value.toPrecision(7)));
  if (typeof value === 'boolean')
    return value ? 'on' : 'off';
  return String(value);
}

function same(a, b) {
  return typeof a === 'number' && typeof b === 'number'
    ? Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b)) : a === b;
}

function isColor({kind, name, max}) {
  return kind === 'uint' && max === ARGB && name.endsWith('color');
}

/* Each returns {element, show (value)} and calls `enter (value)` on input. `named`
 * has the ids of the label and the help. */

function makeSwitch(property, named, enter) {
  const input = make('input', {
    type: 'checkbox', role: 'switch', id: named.id, 'aria-describedby': named.help,
    onchange: () => enter(input.checked),
  });

  return {element: input, inline: true, show: (value) => { input.checked = value; }};
}

function makeChoices(property, named, enter) {
  const chosen = make('p', {className: 'chosen'});
  const about = ({title, blurb}) => blurb || title || '';
  let element;
  let show;

  if (property.choices.length <= ROW_OF_CHOICES) {
    const inputs = property.choices.map((choice) => make('input', {
      type: 'radio', name: named.id, value: choice.nick, onchange: () => enter(choice.nick),
    }));
    element = make('div', {
      className: 'choices', role: 'radiogroup', 'aria-labelledby': named.label, 'aria-describedby': named.help,
    }, ...inputs.map((input, i) => make('label', {title: about(property.choices[i])}, input,
      make('span', {}, property.choices[i].nick))));
    show = (value) => inputs.forEach((input) => { input.checked = input.value === value; });
  } else {
    element = make('select', {
      id: named.id, 'aria-describedby': named.help, onchange: () => enter(element.value),
    }, ...property.choices.map((choice) => make('option', {value: choice.nick}, choice.nick)));
    show = (value) => { element.value = value; };
  }
  return {
    element: make('div', {}, element, chosen),
    show(value) {
      const choice = property.choices.find(({nick}) => nick === value);
      show(value);
      chosen.textContent = choice ? about(choice) : '';
    },
  };
}

/* A number that JavaScript does not hold exactly. */
function makeText(property, named, enter) {
  const input = make('input', {
    type: 'text', id: named.id, 'aria-describedby': named.help, spellcheck: false, autocomplete: 'off',
    inputMode: 'numeric', className: 'long',
    onchange: () => enter(/^-?\d+$/.test(input.value.trim()) ? input.value.trim() : undefined),
  });

  return {element: input, show: (value) => { input.value = value ?? ''; }};
}

/* 0xAARRGGBB: colour and opacity. */
function makeColor(property, named, enter) {
  const picker = make('input', {
    type: 'color', id: named.id, 'aria-describedby': named.help, oninput: seldom(DRAG, () => send()),
  });
  const opaque = make('input', {
    type: 'number', min: 0, max: 255, step: 1, 'aria-label': `${property.name}, opacity`, onchange: () => send(),
  });
  const send = () => enter(
    Math.min(Math.max(Math.round(Number(opaque.value)) || 0, 0), 255) * 0x1000000 + parseInt(picker.value.slice(1), 16));

  return {
    element: make('div', {className: 'colour'}, picker, opaque, make('span', {className: 'unit'}, 'opacity of 255')),
    show(value) {
      picker.value = `#${(value % 0x1000000).toString(16).padStart(6, '0')}`;
      opaque.value = Math.floor(value / 0x1000000);
    },
  };
}

function makeNumber(property, named, enter) {
  const {kind, min, max, live} = property;
  const unit = UNIT.exec(property.blurb)?.[1];
  const scale = new Scale(property);
  let value = property.value;
  let dragging = false;
  let typing = false;
  const whole = kind !== 'double';
  const box = make('input', {
    type: 'number', id: named.id, min, max, step: whole ? 1 : 'any', 'aria-describedby': named.help,
    inputMode: min < 0 ? 'text' : whole ? 'numeric' : 'decimal',
    oninput: () => { typing = true; },
    onblur: () => {
      if (typing)
        box.value = text(value);
      typing = false;
    },
    onchange: () => {
      typing = false;
      const found = box.value === '' ? null : number(box.value);
      enter(found === null ? undefined : Math.min(Math.max(whole ? Math.round(found) : found, min), max));
    },
  });
  const drag = seldom(DRAG, (found) => enter(found));
  const slide = make('input', {
    type: 'range', ...scale.input, 'aria-label': `${property.name}, slider`,
    oninput: () => {
      let found = scale.value(Number(slide.value));
      if (same(found, value))
        found = scale.next(value, Number(slide.value));
      value = found;
      box.value = text(found);
      name();
      if (live)
        drag(found);
    },
    onchange: () => {
      if (!live)
        enter(value);
    },
    onpointerdown: () => { dragging = true; },
    onpointerup: () => { dragging = false; },
    onpointercancel: () => { dragging = false; },
  });
  const mark = make('span', {className: 'mark', 'aria-hidden': 'true'});
  const name = () => slide.setAttribute('aria-valuetext', unit ? `${text(value)} ${unit}` : text(value));

  mark.style.setProperty('--at', String(scale.fraction(property.default)));
  return {
    element: make('div', {className: 'number'}, make('span', {className: 'slide'}, mark, slide), box,
      make('span', {className: 'unit', 'aria-hidden': 'true'}, UNITS[unit] ?? '')),
    show(found) {
      // Values that arrive during a drag are outdated.
      if (dragging)
        return;
      value = found;
      // Nor do they replace what is being typed.
      if (!typing)
        box.value = text(found);
      slide.value = scale.position(found);
      name();
    },
  };
}

function makerOf(property) {
  if (property.kind === 'bool')
    return makeSwitch;
  if (property.kind === 'enum')
    return makeChoices;
  if (!isExact(property))
    return makeText;
  return isColor(property) ? makeColor : makeNumber;
}

/* A property: its name, control, help and default. */
export class Control {
  constructor(side, property, {set, reset}) {
    const id = `p${++ids}`;
    const named = {id, label: `${id}-label`, help: `${id}-help`};
    const {name, blurb, live} = property;

    this.property = property;
    this.value = property.value;
    this.part = makerOf(property)(property, named, (value) => {
      // Invalid input: restore the value.
      if (value === undefined)
        this.show(this.value);
      else
        set(value);
    });
    const grouped = this.part.element.querySelector('[role=radiogroup]');
    this.reset = make('button', {
      type: 'button', className: 'reset', onclick: reset, title: 'The default',
      'aria-label': `Reset ${name} to its default, ${text(property.default)}`,
    });
    this.element = make('div', {className: `property ${property.kind}`},
      make('div', {className: 'head'},
        make(grouped ? 'span' : 'label', {id: named.label, ...(grouped ? {} : {for: id}), className: 'name'}, name),
        live ? null : make('span', {className: 'restarts'}, 'restarts'),
        this.part.inline ? this.part.element : null, this.reset),
      this.part.inline ? null : this.part.element,
      make('p', {className: 'help', id: named.help},
        live ? blurb : `${blurb}. A change restarts the element.`));
    this.element.dataset.name = name;
    this.element.dataset.side = side;
    this.show(property.value);
  }

  get isDefault() {
    return same(this.value, this.property.default);
  }

  /* Shows the value of the element. */
  show(value) {
    this.value = value;
    this.part.show(value);
    this.element.classList.toggle('changed', !this.isDefault);
    this.reset.disabled = this.isDefault;
    this.reset.textContent = this.isDefault ? 'default' : text(this.property.default);
  }

  /* Whether it matches a search. */
  matches(words, changedOnly) {
    const {name, nick, blurb} = this.property;
    const said = `${name} ${nick ?? ''} ${blurb ?? ''}`.toLowerCase();

    return words.every((word) => said.includes(word)) && !(changedOnly && this.isDefault);
  }
}
