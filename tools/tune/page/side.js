/* gst-stereomatching: stereo-tune's page, the settings of a side
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The choice of the matcher, and the presets and properties of every element.
 */

import {make} from './dom.js';
import {Control} from './controls.js';

/* Whether the elements differ in values only, so that the controls can stay. */
function isLike(one, other) {
  const shape = ({id, factory, presets, properties}) => [id, factory, presets,
    properties.map(({value, ...rest}) => rest)];

  return JSON.stringify(one.map(shape)) === JSON.stringify(other.map(shape));
}

export class Side {
  #tell;
  #name;
  #matchers = [];
  #elements = [];
  #controls = new Map();
  #choice;
  #list;

  constructor(name, tell) {
    const id = `matcher-${name}`;

    this.#name = name;
    this.#tell = (message) => tell({...message, side: name});
    this.#choice = make('select', {
      id, onchange: () => this.#tell({type: 'matcher', factory: this.#choice.value}),
    });
    this.#list = make('div', {className: 'elements'});
    this.element = make('section', {className: `side ${name}`, 'aria-label': `Settings of ${name.toUpperCase()}`},
      make('h2', {className: 'side-name'}, name.toUpperCase()),
      make('div', {className: 'matcher'}, make('label', {for: id}, 'Matcher'), this.#choice),
      this.#list);
    this.element.dataset.side = name;
  }

  get controls() {
    return [...this.#controls.values()];
  }

  get changed() {
    return this.controls.filter((control) => !control.isDefault).length;
  }

  setMatchers(matchers) {
    if (JSON.stringify(matchers) === JSON.stringify(this.#matchers))
      return;
    this.#matchers = matchers;
    this.#choice.replaceChildren(...matchers.map(({factory, title}) =>
      make('option', {value: factory, title: title ?? ''}, factory)));
    this.#chooseMatcher();
  }

  /* Sets all elements of the side. */
  setElements(elements) {
    if (isLike(elements, this.#elements)) {
      for (const {id, properties} of elements)
        properties.forEach(({name, value}) => this.setValue(id, name, value));
      return;
    }
    const open = new Map([...this.#list.children].map((part) => [part.dataset.element, part.open]));
    this.#elements = elements;
    this.#controls.clear();
    this.#list.replaceChildren(...elements.map((element, i) =>
      this.#section(element, open.get(element.id) ?? i === 0)));
    this.#chooseMatcher();
    this.#count();
  }

  setValue(element, property, value) {
    this.#controls.get(`${element} ${property}`)?.show(value);
    this.#count();
  }

  /* The control of a property, or undefined. */
  control(element, property) {
    return this.#controls.get(`${element} ${property}`);
  }

  /* All but the scene, which both sides share. */
  reset() {
    this.#elements.filter(({id}) => id !== 'scene').forEach(({id}) => this.#tell({type: 'reset', element: id}));
  }

  /* Shows the properties that match; returns their number. */
  find(words, changedOnly) {
    let shown = 0;

    for (const control of this.controls) {
      const found = control.matches(words, changedOnly);
      control.element.hidden = !found;
      shown += found;
    }
    for (const part of this.#list.children) {
      const any = part.querySelector('.property:not([hidden])') !== null;
      part.hidden = (words.length > 0 || changedOnly) && !any;
      if (words.length > 0 && any)
        part.open = true;
    }
    return shown;
  }

  #chooseMatcher() {
    const matcher = this.#elements.find(({id}) => id === 'matcher');

    if (matcher)
      this.#choice.value = matcher.factory;
    this.#choice.title = this.#matchers.find(({factory}) => factory === this.#choice.value)?.title ?? '';
  }

  #section({id, factory, title, presets, properties}, open) {
    // Rarely changed properties come last.
    const rank = (property) => (property.live ? 0 : 2) + (typeof property.max === 'string' ? 1 : 0);
    const ordered = [...properties].sort((one, other) => rank(one) - rank(other));
    const rows = ordered.map((property) => {
      const {name} = property;
      const control = new Control(this.#name, property, {
        set: (value) => this.#tell({type: 'set', element: id, property: name, value}),
        reset: () => this.#tell({type: 'reset', element: id, property: name}),
      });
      control.element.dataset.element = id;
      this.#controls.set(`${id} ${name}`, control);
      return control.element;
    });
    const part = make('details', {className: 'element', open},
      make('summary', {}, make('h3', {}, factory), make('span', {className: 'title'}, title ?? ''),
        make('span', {className: 'count'})),
      this.#presets(id, presets ?? []),
      ...rows);

    part.dataset.element = id;
    return part;
  }

  #presets(element, presets) {
    return presets.length === 0 ? null
      : make('div', {className: 'presets', role: 'group', 'aria-label': 'Presets'},
        make('span', {className: 'presets-name', 'aria-hidden': 'true'}, 'Presets'),
        ...presets.map((name) => make('button', {
          type: 'button', 'data-preset': name, onclick: () => this.#tell({type: 'preset', element, name}),
        }, name)));
  }

  /* Counts the properties of each element that differ from their defaults. */
  #count() {
    for (const part of this.#list.children) {
      const n = part.querySelectorAll('.property.changed').length;
      part.querySelector('.count').textContent = n ? `${n} changed` : '';
    }
  }
}
