/* gst-stereomatching: stereo-tune's page, the connection to the server
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One WebSocket, opened again whenever it ends. `heard.state` gets
 * "connecting", "open", "lost" or "refused", the seconds until the next try, and
 * what the server said of its reason.
 */

const WAITS = [0.5, 1, 2, 3, 5];

export class Link {
  #heard;
  #socket = null;
  #tries = 0;
  #timer = 0;

  constructor(heard) {
    this.#heard = heard;
    this.#open();
  }

  get isOpen() {
    return this.#socket !== null && this.#socket.readyState === WebSocket.OPEN;
  }

  /* What is said while there is no connection is lost: the server tells all
   * there is when there is one again. */
  send(message) {
    if (this.isOpen)
      this.#socket.send(JSON.stringify(message));
  }

  retry() {
    this.#tries = 0;
    clearTimeout(this.#timer);
    if (!this.isOpen)
      this.#open();
  }

  #open() {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(`${scheme}//${location.host}/live`, 'stereo-tune-1');

    if (this.#socket)
      this.#socket.onclose = null;
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    this.#heard.state('connecting', 0);
    socket.onopen = () => {
      this.#tries = 0;
      this.#heard.state('open', 0);
    };
    socket.onmessage = ({data}) => {
      if (typeof data === 'string')
        this.#heard.text(JSON.parse(data));
      else
        this.#heard.picture(data);
    };
    socket.onclose = ({reason}) => this.#lost(reason);
  }

  async #lost(reason) {
    const wait = WAITS[Math.min(this.#tries++, WAITS.length - 1)];

    this.#timer = setTimeout(() => this.#open(), wait * 1000);
    this.#heard.state('lost', wait, reason);
    // A WebSocket does not tell why it was refused; the page itself does.
    try {
      const {status} = await fetch('/', {cache: 'no-store'});
      if ((status === 401 || status === 403) && !this.isOpen)
        this.#heard.state('refused', wait);
    } catch {
      // The server is away.
    }
  }
}
