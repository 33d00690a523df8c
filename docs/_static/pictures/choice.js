// Noise in the choice: how likely each answer is, by how good it is.
"use strict";

Live.pictures.choice = (place) => {
  const votes = { brown: 46, blue: 41, green: 9, grey: 3, amber: 1 };
  const drawing = Live.canvas(place, 190, "votes, and the chance to be chosen");
  const epsilon = Live.slider(place, "Epsilon", 0.02, 2, 0.3, 0.02, (x) => Live.text(x));
  const say = Live.words(place);

  const show = () => {
    const e = epsilon.value();
    const weights = Object.values(votes).map((count) => Math.exp((e * (count - 46)) / 2));
    const all = weights.reduce((a, b) => a + b, 0);
    drawing.clear();
    Object.entries(votes).forEach(([colour, count], i) => {
      const y = 8 + 36 * i;
      const chance = weights[i] / all;
      drawing.draw("text", { x: 0, y: y + 18, class: "name" }, `${colour} (${count})`);
      drawing.draw("rect", { x: 120, y, width: 4 * count, height: 11, class: "truth" });
      drawing.draw("rect", { x: 120, y: y + 13, width: 400 * chance, height: 11, class: "answer" });
      drawing.draw("text", { x: 128 + 400 * chance, y: y + 23 }, `${Live.text(100 * chance, 1)}%`);
    });
    say(
      `"What is the most common eye colour?" is answered by a draw. With probability 95% the winner has at most ` +
        `${Live.text((2 / e) * (Math.log(5) + 3), 1)} people fewer than the best, however many people there are.`,
    );
  };
  epsilon.then(show);
  show();
};
