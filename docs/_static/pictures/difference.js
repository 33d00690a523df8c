// Two averages, one with Bob and one without, give Bob's value: unless both are noisy.
"use strict";

Live.pictures.difference = (place) => {
  const others = [4.2, 5.2, 6.9, 5.7];
  const bob = 5.9;
  const drawing = Live.canvas(place, 130, "what two averages say about Bob");
  const epsilon = Live.slider(place, "Epsilon of each question (far right: exact)", -2, 3, 3, 0.1,
    (e) => (e === Infinity ? "exact" : Live.text(e)), (x) => (Number(x) >= 3 ? Infinity : 10 ** x));
  const say = Live.words(place);

  const show = () => {
    const e = epsilon.value();
    const noise = () => (e === Infinity ? 0 : Live.laplace(10 / e));
    const sum = others.reduce((a, b) => a + b, 0);
    const found = Array.from({ length: 40 }, () => sum + bob + noise() - (sum + noise()));
    const at = (x) => 320 + Math.max(-310, Math.min(310, (x - bob) * 12));
    drawing.clear();
    drawing.draw("line", { x1: 10, x2: 630, y1: 80, y2: 80, class: "axis" });
    for (const x of found) drawing.draw("circle", { cx: at(x), cy: 80 - Math.random() * 50, r: 4, class: "noise" });
    drawing.draw("line", { x1: 320, x2: 320, y1: 20, y2: 92, class: "mark" });
    drawing.draw("text", { x: 320, y: 112, "text-anchor": "middle" }, "Bob's blood sugar: 5.9");
    say(
      e === Infinity
        ? "Exact: five times the average of five, minus four times the average of four, is Bob's value. Every time."
        : `With noise made for values from 0 to 10, forty attackers read forty different values. One of them: ${Live.text(found[0], 1)}.`,
    );
  };
  epsilon.then(show);
  Live.button(place, "Attack again", show);
  show();
};
