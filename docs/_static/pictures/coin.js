// Randomized response: people who lie with a known chance, and what their reports add up to.
"use strict";

Live.pictures.coin = (place) => {
  const truth = 0.2;
  const drawing = Live.canvas(place, 150, "true share, share of yes among the reports, estimate");
  const honest = Live.slider(place, "Chance to tell the truth", 0.55, 0.99, 0.75, 0.01, (x) => Live.text(x));
  const people = Live.slider(place, "People asked", 1, 6, 3, 0.1, (n) => Live.text(n, 0), (x) => Math.round(10 ** x));
  const say = Live.words(place);

  const bar = (y, name, share, colour) => {
    const width = Math.max(0, Math.min(1, share)) * 400;
    drawing.draw("text", { x: 0, y: y + 18, class: "name" }, name);
    drawing.draw("rect", { x: 190, y, width, height: 26, class: colour });
    drawing.draw("text", { x: 198 + width, y: y + 18 }, `${Live.text(100 * share, 1)}%`);
  };
  const show = () => {
    const [p, n] = [honest.value(), people.value()];
    const yes = truth * p + (1 - truth) * (1 - p);
    const said = Math.max(0, Math.min(1, yes + Live.normal() * Math.sqrt((yes * (1 - yes)) / n)));
    const estimate = (said - (1 - p)) / (2 * p - 1);
    const error = (1.96 * Math.sqrt((said * (1 - said)) / n)) / (2 * p - 1);
    drawing.clear();
    bar(5, "truly yes", truth, "truth");
    bar(50, "reported yes", said, "noise");
    bar(95, "estimate", estimate, "answer");
    say(
      `Epsilon is ${Live.text(Math.log(p / (1 - p)))}: a yes is ${Live.text(p / (1 - p), 1)} times as likely from someone ` +
        `who means it. The estimate is off by at most about ${Live.text(100 * error, 1)} points.`,
    );
  };
  honest.then(show);
  people.then(show);
  Live.button(place, "Ask again", show);
  show();
};
