// What one person can do to a sum: everything, or as much as the bound allows.
"use strict";

Live.pictures.bounds = (place) => {
  const others = [21, 25, 28, 33, 36, 41, 47, 52, 58];
  const drawing = Live.canvas(place, 150, "incomes, and the sum of them");
  const income = Live.slider(place, "One person's income, thousands", 0, 4, 2.5, 0.05, (x) => Live.text(x, 0), (x) => 10 ** x);
  const bound = Live.slider(place, "Upper bound, thousands", 20, 300, 100, 5);
  const say = Live.words(place);

  const show = () => {
    const [one, most] = [income.value(), bound.value()];
    const clamped = others.map((x) => Math.min(x, most));
    const sum = (values) => values.reduce((a, b) => a + b, 0);
    const at = (x) => 20 + (600 * Math.log10(1 + x)) / 4.05;
    drawing.clear();
    drawing.draw("line", { x1: 20, x2: 620, y1: 60, y2: 60, class: "axis" });
    for (const x of [1, 10, 100, 1000, 10000]) drawing.draw("text", { x: at(x), y: 80, "text-anchor": "middle" }, Live.text(x));
    for (const x of others) drawing.draw("circle", { cx: at(Math.min(x, most)), cy: 60, r: 6, class: "truth" });
    drawing.draw("circle", { cx: at(one), cy: 34, r: 6, class: "noise" });
    drawing.draw("circle", { cx: at(Math.min(one, most)), cy: 60, r: 7, class: "answer" });
    drawing.draw("line", { x1: at(most), x2: at(most), y1: 15, y2: 68, class: "mark" });
    drawing.draw("text", { x: 20, y: 115 }, `Sum without bounds: ${Live.text(sum(others) + one, 0)}; this person moves it by ${Live.text(one, 0)}.`);
    drawing.draw("text", { x: 20, y: 138 }, `Sum within bounds: ${Live.text(sum(clamped) + Math.min(one, most), 0)}; nobody ever moves it by more than ${most}.`);
    say(
      `The noise is made for ${most}, so it is the same whoever takes part: about ±${Live.text(3 * most, 0)} at epsilon 1. ` +
        `A lower bound means less noise, and cuts ${others.filter((x) => x > most).length} of the nine others.`,
    );
  };
  income.then(show);
  bound.then(show);
  show();
};
