/* gst-stereomatching: stereo-tune's page, a control for each property
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A control is made of what the server tells of a property and knows nothing
 * of what it does. What a person enters goes to the server at once; what is
 * shown in the end is what the server says that the element took.
 */

import {make, seldom} from './dom.js';
import {Scale, isExact, number} from './scale.js';

const DRAG = 90;
/* More choices than this are in a list that folds. */
const ROW_OF_CHOICES = 4;
const ARGB = 4294967295;
/* Those that have short names; the help has all of them. */
const UNITS = {pixels: 'px', nanoseconds: 'ns', milliseconds: 'ms', metres: 'm', percent: '%', degrees: '°'};
let ids = 0;

function text(value) {
  if (typeof value === 'number')
    return String(Number(value.toPrecision(7)));
  if (typeof value === 'boolean')
    return value ? 'on' : 'off';
  return Array.isArray(value) ? value.join(' + ') : String(value);
}

function same(a, b) {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((value) => b.includes(value));
  return typeof a === 'number' && typeof b === 'number'
    ? Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b)) : a === b;
}

function isColour({kind, name, max}) {
  return kind === 'uint' && max === ARGB && name.endsWith('color');
}

/* Each makes { element, focus, show (value) }; `enter (value)` is called with
 * what a person chose. `ids` name the label and the help of it. */

function makeSwitch(property, named, enter) {
  const input = make('input', {
    type: 'checkbox', role: 'switch', id: named.id, 'aria-describedby': named.help,
    onchange: () => enter(input.checked),
  });

  return {element: input, beside: true, show: (value) => { input.checked = value; }};
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

function makeFlags(property, named, enter) {
  const inputs = property.choices.map((choice) => make('input', {
    type: 'checkbox', value: choice.nick,
    onchange: () => enter(inputs.filter((input) => input.checked).map((input) => input.value)),
  }));

  return {
    element: make('div', {
      className: 'choices', role: 'group', 'aria-labelledby': named.label, 'aria-describedby': named.help,
    }, ...inputs.map((input, i) => make('label', {title: property.choices[i].title ?? ''}, input,
      make('span', {}, property.choices[i].nick)))),
    show: (value) => inputs.forEach((input) => { input.checked = value.includes(input.value); }),
  };
}

function makeText(property, named, enter) {
  const input = make('input', {
    type: 'text', id: named.id, 'aria-describedby': named.help, spellcheck: false, autocomplete: 'off',
    inputMode: property.kind === 'string' ? 'text' : 'numeric', className: 'long',
    onchange: () => {
      if (property.kind === 'string' || /^-?\d+$/.test(input.value.trim()))
        enter(property.kind === 'string' ? input.value : input.value.trim());
      else
        enter(undefined);
    },
  });

  return {element: input, show: (value) => { input.value = value ?? ''; }};
}

/* 0xAARRGGBB: its colour, and how opaque that is. */
function makeColour(property, named, enter) {
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
  const {kind, min, max, unit, live} = property;
  const scale = new Scale(property);
  let value = property.value;
  let held = false;
  const whole = kind !== 'double';
  const box = make('input', {
    type: 'number', id: named.id, min, max, step: whole ? 1 : 'any', 'aria-describedby': named.help,
    inputMode: min < 0 ? 'text' : whole ? 'numeric' : 'decimal',
    onchange: () => {
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
    onpointerdown: () => { held = true; },
    onpointerup: () => { held = false; },
    onpointercancel: () => { held = false; },
  });
  const mark = make('span', {className: 'mark', 'aria-hidden': 'true'});
  const name = () => slide.setAttribute('aria-valuetext', unit ? `${text(value)} ${unit}` : text(value));

  mark.style.setProperty('--at', String(scale.fraction(property.default)));
  return {
    element: make('div', {className: 'number'}, make('span', {className: 'slide'}, mark, slide), box,
      make('span', {className: 'unit', 'aria-hidden': 'true'}, UNITS[unit] ?? '')),
    show(found) {
      // Who drags is not to be interrupted by what was true a moment ago.
      if (held)
        return;
      value = found;
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
  if (property.kind === 'flags')
    return makeFlags;
  if (property.kind === 'string' || !isExact(property))
    return makeText;
  return isColour(property) ? makeColour : makeNumber;
}

/* A property: its name, control, help, and what it was by default. */
export class Control {
  constructor(side, property, {set, reset}) {
    const id = `p${++ids}`;
    const named = {id, label: `${id}-label`, help: `${id}-help`};
    const {name, blurb, live} = property;

    this.property = property;
    this.value = property.value;
    this.part = makerOf(property)(property, named, (value) => {
      // Nothing that could be sent: what was there comes back.
      if (value === undefined)
        this.show(this.value);
      else
        set(value);
    });
    const grouped = this.part.element.querySelector('[role=radiogroup], [role=group]') ||
      this.part.element.role === 'group';
    this.reset = make('button', {
      type: 'button', className: 'reset', onclick: reset, title: 'The default',
      'aria-label': `Reset ${name} to its default, ${text(property.default)}`,
    });
    this.element = make('div', {className: `property ${property.kind}`},
      make('div', {className: 'head'},
        make(grouped ? 'span' : 'label', {id: named.label, ...(grouped ? {} : {for: id}), className: 'name'}, name),
        live ? null : make('span', {className: 'restarts'}, 'restarts'),
        this.part.beside ? this.part.element : null, this.reset),
      this.part.beside ? null : this.part.element,
      make('p', {className: 'help', id: named.help},
        live ? blurb : `${blurb}. A change restarts the element.`));
    this.element.dataset.name = name;
    this.element.dataset.side = side;
    this.show(property.value);
  }

  get isDefault() {
    return same(this.value, this.property.default);
  }

  /* What the element has. */
  show(value) {
    this.value = value;
    this.part.show(value);
    this.element.classList.toggle('changed', !this.isDefault);
    this.reset.disabled = this.isDefault;
    this.reset.textContent = this.isDefault ? 'default' : text(this.property.default);
  }

  /* Whether it is one of those that a person looks for. */
  matches(words, changedOnly) {
    const {name, nick, blurb} = this.property;
    const said = `${name} ${nick ?? ''} ${blurb ?? ''}`.toLowerCase();

    return words.every((word) => said.includes(word)) && !(changedOnly && this.isDefault);
  }
}
