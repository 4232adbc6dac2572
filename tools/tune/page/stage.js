/* gst-stereomatching: stereo-tune's page, the pictures
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One view is large, the others are thumbnails. With two sides the large view
 * shows A left and B right of a movable divider, both of the same frame. The
 * cursor is in pixels of the frame, whatever the size of the pictures.
 */

import {$, afterwards, make, seldom, short} from './dom.js';

const HEAD = 12;
const TYPES = ['image/jpeg', 'image/webp'];
const SMALL = 176;
const ZOOMS = [1, 1.5, 2, 3, 4, 6, 8];
/* Between the left and the right view, in milliseconds: slow enough not to
 * flash. */
const BLINK = 700;
/* The views that blink. */
const EYES = ['left', 'right'];
/* Maximum wait for the picture of the other side, in milliseconds. */
const PAIR_TIMEOUT = 200;
const SIDES = ['a', 'b'];

/* The header of a binary message. */
function headOf(buffer) {
  const head = new DataView(buffer);

  return {
    version: head.getUint8(0), view: head.getUint8(1), side: head.getUint8(2),
    type: TYPES[head.getUint8(3)], frame: head.getUint32(4, true),
    width: head.getUint16(8, true), height: head.getUint16(10, true),
  };
}

export class Stage {
  #tell;
  #onPaint;
  #views = [];
  #small = [];
  #large = null;
  #size = {width: 0, height: 0};
  #zoom = 0;
  #split = 0.5;
  #compare = false;
  #cursor = null;
  #found = {};
  #waiting = [null, null];
  #pairTimer = 0;
  #number = 0;
  #decoding = 0;
  #newest = 0;
  #acknowledged = 0;
  #shown = new Map();
  #blinking = 0;
  #other = false;

  #want = seldom(120, () => this.#sayWant());
  #probe = seldom(120, () => this.#sayProbe());
  #speak = afterwards(400, () => { $('spoken').textContent = this.#words(); });

  /* tell (message) sends a message; onKey (name) clicks a button; onPaint (side,
   * frame) is called when a picture is shown, and without a side when another
   * view is. */
  constructor(tell, onKey, onPaint) {
    this.#tell = tell;
    this.#onPaint = onPaint;
    this.#listen(onKey);
    new ResizeObserver(() => this.#fit()).observe($('stage'));
    document.addEventListener('visibilitychange', () => this.#want());
  }

  setViews(views) {
    const large = this.large ?? 'disparity';

    if (JSON.stringify(views) === JSON.stringify(this.#views))
      return;
    this.#views = views;
    this.#shown.clear();
    this.#small = views.map(({id, title}, index) => make('button', {
      type: 'button', className: 'view', 'aria-pressed': 'false', title: `${title} (${index + 1})`,
      onclick: () => this.choose(index),
    }, make('canvas', {width: 16, height: 12, 'aria-hidden': 'true'}), make('span', {}, title)));
    $('views').replaceChildren(...this.#small);
    this.#small.forEach((button, index) => { button.dataset.view = views[index].id; });
    this.choose(Math.max(0, views.findIndex(({id}) => id === large)));
  }

  /* The id of the large view. */
  get large() {
    return this.#views[this.#large]?.id;
  }

  /* The view that is seen: while it blinks, not always the large one. */
  get seen() {
    return this.#views[this.#front]?.id;
  }

  get size() {
    return this.#size;
  }

  get #front() {
    return this.#blinks ? this.#views.findIndex(({id}) => id === EYES[Number(this.#other)]) : this.#large;
  }

  /* Whether the left and the right view alternate now. */
  get #blinks() {
    return this.#blinking !== 0 && EYES.includes(this.large);
  }

  choose(index) {
    if (!this.#views[index])
      return;
    this.#large = index;
    this.#other = this.large === EYES[1];
    this.#small.forEach((button, i) => button.setAttribute('aria-pressed', String(i === index)));
    $('look').setAttribute('aria-label', this.#views[index].title);
    this.#see();
    this.#want();
  }

  chooseView(view) {
    this.choose(this.#views.findIndex(({id}) => id === view));
  }

  /* Starts or stops to alternate between the left and the right view. */
  blink(on) {
    if (on === (this.#blinking !== 0))
      return;
    clearInterval(this.#blinking);
    this.#blinking = on ? setInterval(() => {
      if (!this.#blinks || document.hidden)
        return;
      this.#other = !this.#other;
      this.#see();
    }, BLINK) : 0;
    this.#see();
    this.#want();
  }

  /* Shows the newest pictures of a view; thumbnails stand in until large ones
   * arrive. */
  #see() {
    this.#waiting = [null, null];
    SIDES.forEach((side, i) => {
      const picture = this.#shown.get(`${this.#front} ${i}`);
      if (picture)
        this.#paint(picture);
      else
        this.#clear(i);
    });
    this.#onPaint();
  }

  setCompare(on) {
    this.#compare = on;
    this.#waiting = [null, null];
    if (!on) {
      this.#clear(1);
      for (const key of [...this.#shown.keys()].filter((name) => name.endsWith(' 1')))
        this.#shown.delete(key);
    }
    delete this.#found.b;
    $('split').hidden = !on;
    $('picture-b').hidden = !on;
    this.#border();
    this.#read();
    this.#probe();
  }

  /* After a reconnection: requests the views again. */
  renew() {
    this.#newest = 0;
    this.#acknowledged = 0;
    this.#want();
    this.#probe();
  }

  /* A binary message. */
  async receive(buffer) {
    if (buffer.byteLength <= HEAD)
      return;
    const picture = {...headOf(buffer), number: ++this.#number};
    const blob = new Blob([new Uint8Array(buffer, HEAD)], {type: picture.type});
    const views = this.#views;

    if (picture.version !== 1 || !this.#views[picture.view] || picture.side > 1)
      return;
    this.#decoding++;
    try {
      picture.bitmap = await createImageBitmap(blob);
    } catch {
      picture.bitmap = null;
    }
    this.#decoding--;
    // The views may have changed meanwhile.
    if (picture.bitmap && views === this.#views)
      this.#take(picture);
    else
      picture.bitmap?.close();
    this.#acknowledge(picture.frame);
  }

  /* Acknowledges a frame once its pictures are shown: the server keeps only a
   * few frames in flight. */
  #acknowledge(frame) {
    this.#newest = Math.max(this.#newest, frame);
    if (this.#decoding > 0 || this.#newest === this.#acknowledged)
      return;
    this.#acknowledged = this.#newest;
    this.#tell({type: 'ack', frame: this.#newest});
  }

  showProbe(found) {
    if (!this.#cursor || found.x !== this.#cursor.x || found.y !== this.#cursor.y)
      return;
    this.#found[found.side] = found;
    this.#read();
  }

  /* Updates the values at the cursor. */
  askAgain() {
    if (this.#cursor && !document.hidden)
      this.#sayProbe();
  }

  /* --------------------------------------------------------------- pictures */

  #take(picture) {
    const key = `${picture.view} ${picture.side}`;
    const before = this.#shown.get(key);

    // Decoding may reorder pictures.
    if (before && before.number > picture.number) {
      picture.bitmap.close();
      return;
    }
    before?.bitmap.close();
    this.#shown.set(key, picture);
    this.#paintSmall(picture);
    if (picture.view !== this.#front)
      return;
    this.#grow(picture);
    if (this.#compare)
      this.#pair(picture);
    else if (picture.side === 0)
      this.#paint(picture);
  }

  /* Shows both sides at once, unless the other one takes too long or has dropped
   * the frame. */
  #pair(picture) {
    const mine = this.#waiting[picture.side];
    const other = this.#waiting[1 - picture.side];

    this.#waiting[picture.side] = picture;
    if (mine || (other && other.frame === picture.frame))
      this.#paintWaiting();
    else if (!this.#pairTimer)
      this.#pairTimer = setTimeout(() => this.#paintWaiting(), PAIR_TIMEOUT);
  }

  #paintWaiting() {
    clearTimeout(this.#pairTimer);
    this.#pairTimer = 0;
    for (const picture of this.#waiting) {
      // A replaced bitmap is closed: its width is 0.
      if (picture && picture.bitmap.width && picture.view === this.#front)
        this.#paint(picture);
    }
    this.#waiting = [null, null];
  }

  #paint({side, bitmap, frame}) {
    const canvas = $(`picture-${SIDES[side]}`);

    if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
    }
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    $('nothing').hidden = true;
    this.#onPaint(SIDES[side], frame);
  }

  #clear(side) {
    const canvas = $(`picture-${SIDES[side]}`);

    canvas.getContext('2d').clearRect(0, 0, canvas.width, canvas.height);
  }

  /* With two sides, the left half shows A and the right half B. */
  #paintSmall({view, side, bitmap}) {
    const canvas = this.#small[view].firstChild;
    const width = SMALL * 2;
    const height = Math.round((width * bitmap.height) / bitmap.width);
    const from = this.#compare && side === 1 ? 0.5 : 0;
    const to = this.#compare && side === 0 ? 0.5 : 1;

    if (side === 1 && !this.#compare)
      return;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    canvas.getContext('2d').drawImage(bitmap, from * bitmap.width, 0, (to - from) * bitmap.width,
      bitmap.height, from * width, 0, (to - from) * width, height);
  }

  /* ----------------------------------------------------------------- layout */

  #grow({width, height}) {
    if (width === this.#size.width && height === this.#size.height)
      return;
    this.#size = {width, height};
    if (this.#cursor && (this.#cursor.x >= width || this.#cursor.y >= height))
      this.moveCursor(null);
    $('stage').style.aspectRatio = `${width} / ${height}`;
    this.#fit();
  }

  #fit() {
    const stage = $('stage');
    const {width, height} = this.#size;

    if (!width)
      return;
    // Inside of the border, but with the scrollbars of a zoomed picture.
    const border = 2 * stage.clientLeft;
    const fitting = Math.min(stage.offsetWidth - border, ((stage.offsetHeight - border) * width) / height);
    const shown = fitting * ZOOMS[this.#zoom];
    $('frame').style.width = `${shown}px`;
    $('frame').style.aspectRatio = `${width} / ${height}`;
    stage.classList.toggle('zoomed', this.#zoom > 0);
    stage.classList.toggle('coarse', shown * devicePixelRatio >= 2.5 * width);
    this.#want();
  }

  zoom(step) {
    const stage = $('stage');
    const frame = $('frame');
    const before = ZOOMS[this.#zoom];
    const centre = this.#cursor
      ? [(this.#cursor.x + 0.5) / this.#size.width, (this.#cursor.y + 0.5) / this.#size.height]
      : [(stage.scrollLeft + stage.clientWidth / 2) / frame.offsetWidth,
        (stage.scrollTop + stage.clientHeight / 2) / frame.offsetHeight];

    this.#zoom = step ? Math.min(Math.max(this.#zoom + step, 0), ZOOMS.length - 1) : 0;
    if (ZOOMS[this.#zoom] === before)
      return;
    $('zoom').textContent = `${ZOOMS[this.#zoom]}×`;
    $('smaller').disabled = this.#zoom === 0;
    $('larger').disabled = this.#zoom === ZOOMS.length - 1;
    this.#fit();
    stage.scrollTo(centre[0] * frame.offsetWidth - stage.clientWidth / 2,
      centre[1] * frame.offsetHeight - stage.clientHeight / 2);
  }

  #border() {
    const percent = Math.round(this.#split * 100);
    const split = $('split');

    split.style.left = `${this.#split * 100}%`;
    split.setAttribute('aria-valuenow', String(percent));
    split.setAttribute('aria-valuetext', `A ${percent} %, B ${100 - percent} %`);
    $('picture-b').style.clipPath = `inset(0 0 0 ${this.#split * 100}%)`;
    $('frame').style.setProperty('--split', `${this.#split * 100}%`);
  }

  #moveSplit(to) {
    this.#split = Math.min(Math.max(to, 0), 1);
    this.#border();
  }

  /* ----------------------------------------------------------------- cursor */

  moveCursor(to) {
    const {width, height} = this.#size;
    const cross = $('cross');

    if (to && !width)
      return;
    this.#cursor = to && {
      x: Math.min(Math.max(to.x, 0), width - 1), y: Math.min(Math.max(to.y, 0), height - 1),
    };
    this.#found = {};
    cross.hidden = !this.#cursor;
    if (this.#cursor) {
      cross.style.setProperty('--x', `${((this.#cursor.x + 0.5) / width) * 100}%`);
      cross.style.setProperty('--y', `${((this.#cursor.y + 0.5) / height) * 100}%`);
      this.#follow();
      this.#probe();
      this.#speak();
    } else {
      $('spoken').textContent = 'No cursor';
    }
    this.#read();
  }

  /* Scrolls a zoomed picture to the cursor. */
  #follow() {
    const stage = $('stage');
    const frame = $('frame');
    const x = ((this.#cursor.x + 0.5) / this.#size.width) * frame.offsetWidth;
    const y = ((this.#cursor.y + 0.5) / this.#size.height) * frame.offsetHeight;

    if (x < stage.scrollLeft || x > stage.scrollLeft + stage.clientWidth)
      stage.scrollLeft = x - stage.clientWidth / 2;
    if (y < stage.scrollTop || y > stage.scrollTop + stage.clientHeight)
      stage.scrollTop = y - stage.clientHeight / 2;
  }

  #sides() {
    return this.#compare ? SIDES : SIDES.slice(0, 1);
  }

  #read() {
    const body = $('readout').tBodies[0];

    if (!this.#cursor) {
      body.replaceChildren(make('tr', {}, make('td', {className: 'hint'},
        'Click on the picture to see its values')));
      return;
    }
    const {x, y} = this.#cursor;
    body.replaceChildren(...this.#sides().map((side, i) => {
      const parts = this.#parts(side);
      return make('tr', {className: side},
        make('th', {scope: 'row'}, this.#compare ? side.toUpperCase() : `${x}, ${y}`),
        ...parts.map(([name, text]) => make('td', {title: name}, text)),
        this.#compare && i === 0 ? make('td', {className: 'at', rowSpan: 2}, `${x}, ${y}`) : null);
    }));
  }

  /* The values at the cursor, as [name, text]. */
  #parts(side) {
    const found = this.#found[side];
    const parts = [];

    if (!found)
      return [['', '…']];
    parts.push(['Disparity', typeof found.disparity === 'number'
      ? `${found.disparity.toFixed(2)} px` : 'no disparity']);
    if (typeof found.depth === 'number')
      parts.push(['Depth', `${short(found.depth, 4)} ${found.depth_unit ?? ''}`]);
    if (typeof found.confidence === 'number')
      parts.push(['Confidence', `confidence ${Math.round(found.confidence * 100)} %`]);
    return parts;
  }

  #words() {
    if (!this.#cursor)
      return '';
    return [`x ${this.#cursor.x}, y ${this.#cursor.y}`, ...this.#sides().map((side) =>
      (this.#compare ? `${side.toUpperCase()} ` : '') + this.#parts(side).map(([, text]) => text).join(', '))]
      .join('; ');
  }

  /* ------------------------------------------------------- to the server */

  #sayWant() {
    const {large} = this;
    const dots = Math.min(devicePixelRatio, 2);

    if (!large)
      return;
    if (document.hidden) {
      this.#tell({type: 'want', views: [], width: 0, small: [], small_width: 0});
      return;
    }
    const shown = $('frame').offsetWidth || $('stage').offsetWidth;
    const views = this.#blinks ? EYES : [large];
    const small = document.body.classList.contains('alone') ? []
      : this.#views.map(({id}) => id).filter((id) => !views.includes(id));
    this.#tell({
      type: 'want', views, width: Math.round(Math.min(shown * dots, this.#size.width || 4096)),
      small, small_width: Math.round(SMALL * dots),
    });
  }

  #sayProbe() {
    if (this.#cursor)
      this.#sides().forEach((side) => this.#tell({type: 'probe', side, ...this.#cursor}));
  }

  /* --------------------------------------------------------------- listeners */

  #listen(onKey) {
    const look = $('look');

    look.addEventListener('click', (event) => {
      const box = look.getBoundingClientRect();
      this.moveCursor({
        x: Math.floor(((event.clientX - box.left) / box.width) * this.#size.width),
        y: Math.floor(((event.clientY - box.top) / box.height) * this.#size.height),
      });
    });
    look.addEventListener('keydown', (event) => this.#key(event, onKey));
    $('smaller').addEventListener('click', () => this.zoom(-1));
    $('larger').addEventListener('click', () => this.zoom(1));
    $('wide').addEventListener('click', () => {
      const alone = document.body.classList.toggle('alone');
      $('wide').setAttribute('aria-pressed', String(alone));
      this.#fit();
    });
    this.#listenToSplit($('split'));
    this.#read();
  }

  #key(event, onKey) {
    const far = event.shiftKey ? 10 : 1;
    const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    const others = {
      Escape: () => this.moveCursor(null), '+': () => this.zoom(1), '=': () => this.zoom(1),
      '-': () => this.zoom(-1), '0': () => this.zoom(0), ' ': () => onKey('pause'), '.': () => onKey('step'),
      o: () => onKey('overlay'), b: () => onKey('blink'),
    };

    if (event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (steps[event.key]) {
      const [x, y] = steps[event.key];
      const from = this.#cursor ?? {x: this.#size.width >> 1, y: this.#size.height >> 1};
      this.moveCursor(this.#cursor ? {x: from.x + x * far, y: from.y + y * far} : from);
    } else if (others[event.key]) {
      others[event.key]();
    } else if (event.key >= '1' && event.key <= '9') {
      this.choose(Number(event.key) - 1);
    } else {
      return;
    }
    event.preventDefault();
  }

  #listenToSplit(split) {
    split.addEventListener('keydown', (event) => {
      const steps = {
        ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01,
        PageDown: -0.1, PageUp: 0.1, Home: -1, End: 1,
      };
      if (!steps[event.key])
        return;
      this.#moveSplit(this.#split + steps[event.key]);
      event.preventDefault();
    });
    split.addEventListener('pointerdown', (event) => split.setPointerCapture(event.pointerId));
    split.addEventListener('pointermove', (event) => {
      const box = $('frame').getBoundingClientRect();
      if (split.hasPointerCapture(event.pointerId))
        this.#moveSplit((event.clientX - box.left) / box.width);
    });
  }
}
