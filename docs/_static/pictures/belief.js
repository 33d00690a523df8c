// What an answer can do to a belief: odds move by at most a factor e^epsilon.
"use strict";

Live.pictures.belief = (place) => {
  const drawing = Live.canvas(place, 110, "belief before and after");
  const before = Live.slider(place, "Belief before, percent", 1, 99, 10, 1);
  const epsilon = Live.slider(place, "Epsilon", 0.01, 5, 1, 0.01, (x) => Live.text(x));
  const say = Live.words(place);

  const show = () => {
    const [p, e] = [before.value() / 100, epsilon.value()];
    const after = (factor) => (p * factor) / (p * factor + 1 - p);
    const [low, high] = [after(Math.exp(-e)), after(Math.exp(e))];
    const at = (x) => 20 + 600 * x;
    drawing.clear();
    drawing.draw("line", { x1: 20, x2: 620, y1: 60, y2: 60, class: "axis" });
    drawing.draw("rect", { x: at(low), y: 45, width: at(high) - at(low), height: 30, class: "answer" });
    drawing.draw("line", { x1: at(p), x2: at(p), y1: 36, y2: 84, class: "mark" });
    drawing.draw("text", { x: at(p), y: 28, "text-anchor": "middle" }, `before: ${Live.text(100 * p, 0)}%`);
    drawing.draw("text", { x: Math.max(at(low), 40), y: 100, "text-anchor": "end" }, `${Live.text(100 * low, 1)}%`);
    drawing.draw("text", { x: Math.min(at(high), 590), y: 100 }, `${Live.text(100 * high, 1)}%`);
    say(
      `Somebody who thinks with ${Live.text(100 * p, 0)}% that Bob is ill thinks so with ${Live.text(100 * low, 1)}% to ` +
        `${Live.text(100 * high, 1)}% after seeing everything that the budget pays for: ` +
        `compared with the same data without Bob.`,
    );
  };
  before.then(show);
  epsilon.then(show);
  show();
};
