// What the moving pictures share: a place to draw, sliders, a button, and numbers for people.
// A page asks for a picture by <div class="live" data-picture="name">; each other file here makes one.
// The noise of the pictures comes from Math.random: good enough to look at, and not what the product uses.
"use strict";

const Live = {
  pictures: {},

  text(value, digits = 2) {
    return Number(value).toLocaleString("en", { maximumFractionDigits: digits });
  },

  laplace(scale) {
    const u = Math.random() - 0.5;
    return -scale * Math.sign(u) * Math.log(1 - 2 * Math.abs(u));
  },

  normal() {
    return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  },

  // A drawing of 640 by `height` units, cleared before each drawing.
  canvas(place, height, label) {
    const svg = Live.node("svg", { viewBox: `0 0 640 ${height}`, role: "img", "aria-label": label });
    const frame = document.createElement("div");
    frame.className = "drawing";
    frame.append(svg);
    place.append(frame);
    const draw = (kind, attributes, words) => {
      const made = Live.node(kind, attributes);
      if (words !== undefined) made.textContent = words;
      svg.append(made);
      return made;
    };
    return { draw, clear: () => svg.replaceChildren() };
  },

  node(kind, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  },

  // A slider with its name and value; `show` turns its position into words, `read` into a number.
  slider(place, name, from, to, start, step, show = String, read = Number) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    const output = document.createElement("output");
    Object.assign(input, { type: "range", min: from, max: to, step, value: start });
    const tell = () => (output.textContent = show(read(input.value)));
    input.addEventListener("input", tell);
    label.append(`${name} `, input, output);
    place.append(label);
    tell();
    return { value: () => read(input.value), then: (act) => input.addEventListener("input", act) };
  },

  button(place, name, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = name;
    made.addEventListener("click", act);
    place.append(made);
  },

  words(place) {
    const made = document.createElement("p");
    made.setAttribute("aria-live", "polite");
    place.append(made);
    return (text) => (made.textContent = text);
  },
};

document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".live[data-picture]")) {
    const make = Live.pictures[place.dataset.picture];
    if (!make) continue;
    place.replaceChildren();
    make(place);
  }
});
