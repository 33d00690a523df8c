// One budget, many questions: what is left for each of them.
"use strict";

Live.pictures.questions = (place) => {
  const drawing = Live.canvas(place, 230, "error of each of k counts under one budget");
  const epsilon = Live.slider(place, "Budget, epsilon", 0.5, 5, 1, 0.1, (x) => Live.text(x));
  const many = Live.slider(place, "Questions", 0, 4, 2, 0.05, (k) => Live.text(k, 0), (x) => Math.round(10 ** x));
  const say = Live.words(place);
  const delta = 1e-6;

  // Laplace noise adds up by epsilon; Gaussian noise by rho, the largest for which epsilon and delta still hold.
  const laplace = (k, e) => (Math.log(20) * k) / e;
  const gaussian = (k, e) => {
    const rho = (Math.sqrt(e + Math.log(1 / delta)) - Math.sqrt(Math.log(1 / delta))) ** 2;
    return 1.96 * Math.sqrt(k / (2 * rho));
  };
  const show = () => {
    const [e, k] = [epsilon.value(), many.value()];
    const at = (x, y) => [40 + 145 * Math.log10(x), 205 - 34 * Math.log10(y)];
    drawing.clear();
    drawing.draw("line", { x1: 40, x2: 625, y1: 205, y2: 205, class: "axis" });
    drawing.draw("line", { x1: 40, x2: 40, y1: 10, y2: 205, class: "axis" });
    for (const x of [1, 10, 100, 1000, 10000]) drawing.draw("text", { x: at(x, 1)[0], y: 222, "text-anchor": "middle" }, Live.text(x));
    for (const y of [10, 1000, 100000]) drawing.draw("text", { x: 36, y: at(1, y)[1] + 5, "text-anchor": "end" }, y === 100000 ? "100k" : Live.text(y));
    const curve = (error) => Array.from({ length: 41 }, (_, i) => at(10 ** (i / 10), error(10 ** (i / 10), e)).join(",")).join(" ");
    drawing.draw("polyline", { points: curve(laplace), class: "line truth-line" });
    drawing.draw("polyline", { points: curve(gaussian), class: "line answer-line" });
    const [x, y] = at(k, laplace(k, e));
    const [, z] = at(k, gaussian(k, e));
    drawing.draw("circle", { cx: x, cy: y, r: 5, class: "truth" });
    drawing.draw("circle", { cx: x, cy: z, r: 5, class: "answer" });
    drawing.draw("text", { x: 60, y: 22 }, "error of each count, ±");
    const label = (error, words) => drawing.draw("text", { x: 560, y: at(1, error(4000, e))[1] - 8, "text-anchor": "end" }, words);
    label(laplace, "Laplace");
    label(gaussian, "Gaussian");
    say(
      `${Live.text(k, 0)} counts under epsilon ${Live.text(e)}: ±${Live.text(laplace(k, e), 0)} each with Laplace noise, ` +
        `±${Live.text(gaussian(k, e), 0)} with Gaussian noise and delta one in a million. The first grows with the number of ` +
        `questions, the second with its square root.`,
    );
  };
  epsilon.then(show);
  many.then(show);
  show();
};
