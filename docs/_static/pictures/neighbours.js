// The law of a noisy count, with one person and without: no outcome is more than e^epsilon times likelier.
"use strict";

Live.pictures.neighbours = (place) => {
  const drawing = Live.canvas(place, 220, "two laws of noisy counts, one step apart");
  const epsilon = Live.slider(place, "Epsilon", 0.1, 3, 0.7, 0.05, (x) => Live.text(x));
  const say = Live.words(place);

  const show = () => {
    const e = epsilon.value();
    const q = Math.exp(-e);
    const chance = (k, centre) => ((1 - q) / (1 + q)) * q ** Math.abs(k - centre);
    const top = chance(0, 0);
    drawing.clear();
    for (let k = 30; k <= 55; k += 1) {
      const x = 14 + (k - 30) * 24;
      const [without, withBob] = [chance(k, 42), chance(k, 43)];
      drawing.draw("rect", { x, y: 190 - (170 * without) / top, width: 9, height: (170 * without) / top, class: "truth" });
      drawing.draw("rect", { x: x + 10, y: 190 - (170 * withBob) / top, width: 9, height: (170 * withBob) / top, class: "answer" });
      if (k % 3 === 0) drawing.draw("text", { x: x + 9, y: 208, "text-anchor": "middle" }, k);
    }
    drawing.draw("rect", { x: 20, y: 8, width: 10, height: 10, class: "truth" });
    drawing.draw("text", { x: 36, y: 17 }, "42 ill people");
    drawing.draw("rect", { x: 150, y: 8, width: 10, height: 10, class: "answer" });
    drawing.draw("text", { x: 166, y: 17 }, "43, with Bob");
    say(
      `Whatever number is shown, it is at most ${Live.text(Math.exp(e))} times as likely with Bob as without him, ` +
        `or the other way round. The noise is within ±${Math.ceil(Math.log(20) / e)} in 95 of 100 answers.`,
    );
  };
  epsilon.then(show);
  show();
};
