// A curator's noise is added once; in the local model everybody adds some.
"use strict";

Live.pictures.trust = (place) => {
  const drawing = Live.canvas(place, 230, "error of a share by the number of people, local and central");
  const epsilon = Live.slider(place, "Epsilon", 0.1, 4, 1, 0.1, (x) => Live.text(x));
  const people = Live.slider(place, "People", 2, 7, 4, 0.1, (n) => Live.text(n, 0), (x) => Math.round(10 ** x));
  const say = Live.words(place);

  const central = (n, e) => Math.log(20) / (n * e);
  const local = (n, e) => {
    const p = Math.exp(e) / (1 + Math.exp(e));
    return (1.96 * 0.5) / ((2 * p - 1) * Math.sqrt(n));
  };
  const show = () => {
    const [e, n] = [epsilon.value(), people.value()];
    const at = (x, y) => [60 + 112 * (Math.log10(x) - 2), 20 + 28 * -Math.log10(Math.min(y, 1))];
    drawing.clear();
    drawing.draw("line", { x1: 60, x2: 625, y1: 205, y2: 205, class: "axis" });
    drawing.draw("line", { x1: 60, x2: 60, y1: 10, y2: 205, class: "axis" });
    for (const x of [100, 10000, 1000000]) drawing.draw("text", { x: at(x, 1)[0], y: 222, "text-anchor": "middle" }, Live.text(x));
    for (const y of [1, 0.01, 0.0001]) drawing.draw("text", { x: 54, y: at(100, y)[1] + 5, "text-anchor": "end" }, `${100 * y}%`);
    const curve = (error) => Array.from({ length: 51 }, (_, i) => at(10 ** (2 + i / 10), error(10 ** (2 + i / 10), e)).join(",")).join(" ");
    drawing.draw("polyline", { points: curve(local), class: "line noise-line" });
    drawing.draw("polyline", { points: curve(central), class: "line answer-line" });
    drawing.draw("circle", { cx: at(n, 1)[0], cy: at(n, local(n, e))[1], r: 5, class: "noise" });
    drawing.draw("circle", { cx: at(n, 1)[0], cy: at(n, central(n, e))[1], r: 5, class: "answer" });
    const label = (error, words) => drawing.draw("text", { x: 480, y: at(1, error(400000, e))[1] - 10 }, words);
    label(local, "everybody adds noise");
    label(central, "a curator does");
    say(
      `The share of ${Live.text(n, 0)} people at epsilon ${Live.text(e)}: ±${Live.text(100 * local(n, e), 2)} points if each of ` +
        `them adds noise, ±${Live.text(100 * central(n, e), 4)} points if a curator does.`,
    );
  };
  epsilon.then(show);
  people.then(show);
  show();
};
