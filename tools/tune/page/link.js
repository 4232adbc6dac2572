/* gst-stereomatching: stereo-tune's page, the connection to the server
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One WebSocket, which reconnects. `handlers.state` gets "connecting", "open",
 * "lost" or "refused", the seconds until the next attempt, and the reason of the
 * server.
 */

const WAITS = [0.5, 1, 2, 3, 5];

export class Link {
  #handlers;
  #socket = null;
  #tries = 0;
  #timer = 0;

  constructor(handlers) {
    this.#handlers = handlers;
    this.#open();
  }

  get isOpen() {
    return this.#socket !== null && this.#socket.readyState === WebSocket.OPEN;
  }

  /* Drops messages without a connection: the server sends its state to new
   * ones. Returns whether it was sent. */
  send(message) {
    if (this.isOpen)
      this.#socket.send(JSON.stringify(message));
    return this.isOpen;
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
    this.#handlers.state('connecting', 0);
    socket.onopen = () => {
      this.#tries = 0;
      this.#handlers.state('open', 0);
    };
    socket.onmessage = ({data}) => {
      if (typeof data === 'string')
        this.#handlers.text(JSON.parse(data));
      else
        this.#handlers.picture(data);
    };
    socket.onclose = ({reason}) => this.#lost(reason);
  }

  async #lost(reason) {
    const wait = WAITS[Math.min(this.#tries++, WAITS.length - 1)];

    this.#timer = setTimeout(() => this.#open(), wait * 1000);
    this.#handlers.state('lost', wait, reason);
    // A WebSocket does not report its HTTP status.
    try {
      const {status} = await fetch('/', {cache: 'no-store'});
      if ((status === 401 || status === 403) && !this.isOpen)
        this.#handlers.state('refused', wait);
    } catch {
      // The server is not reachable.
    }
  }
}
