// gst-stereomatching: shows what a matcher sees
// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";
const at = (id) => document.getElementById(id);
const socket = new WebSocket("ws://" + location.host + "/live", "stereo-tune-1");
const pictures = {};
let hello = null;

function send(type, more) {
  socket.send(JSON.stringify({type, ...more}));
}

function control(side, element, property) {
  const label = document.createElement("label");
  const input = document.createElement(property.choices ? "select" : "input");
  for (const choice of property.choices || []) input.add(new Option(choice.nick, choice.nick));
  input.id = side + element + property.name;
  input.title = property.blurb;
  if (property.kind === "bool") input.type = "checkbox";
  input.onchange = () => send("set", {side, element, property: property.name,
    value: property.kind === "bool" ? input.checked
      : /int|double/.test(property.kind) ? Number(input.value) : input.value});
  show(input, property.value);
  label.append(element + " " + property.name + " ", input, document.createElement("br"));
  return label;
}

function show(input, value) {
  if (!input) return;
  if (input.type === "checkbox") input.checked = value;
  else input.value = value;
}

const receive = {
  hello(m) {
    hello = m;
    at("message").textContent = m.source;
    send("want", {views: m.views.map((view) => view.id), width: 384});
  },
  elements(m) {
    at("controls").replaceChildren(...m.elements.flatMap((e) =>
      e.properties.map((p) => control(m.side, e.id, p))));
  },
  value(m) { show(at(m.side + m.element + m.property), m.value); },
  stats(m) { at("stats").textContent = JSON.stringify(m, null, 1); },
  message(m) { at("message").textContent = m.text; },
};

async function picture(data) {
  const head = new DataView(data);
  const view = hello.views[head.getUint8(1)].id;
  const canvas = pictures[view] = pictures[view]
    || at("pictures").appendChild(document.createElement("canvas"));
  const bitmap = await createImageBitmap(new Blob([data.slice(12)]));
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  send("ack", {frame: head.getUint32(4, true)});
}

socket.binaryType = "arraybuffer";
socket.onclose = () => { at("message").textContent = "The connection has ended."; };
socket.onmessage = (event) => {
  if (typeof event.data !== "string") return picture(event.data);
  const message = JSON.parse(event.data);
  if (receive[message.type]) receive[message.type](message);
};
