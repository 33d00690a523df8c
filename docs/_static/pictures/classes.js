// k-anonymity: ages become ranges until every range has k people; their diseases stand beside them.
"use strict";

Live.pictures.classes = (place) => {
  const people = [
    [21, "flu"], [23, "flu"], [24, "cold"], [28, "ulcer"], [31, "cancer"], [34, "cancer"],
    [36, "cancer"], [39, "cancer"], [41, "flu"], [45, "cold"], [47, "cold"], [52, "ulcer"],
  ];
  const drawing = Live.canvas(place, 190, "ages in ranges, and the diseases in each");
  const k = Live.slider(place, "k", 1, 6, 4, 1);
  const say = Live.words(place);

  const show = () => {
    const classes = [];
    for (let i = 0; i < people.length; i += k.value()) classes.push(people.slice(i, i + k.value()));
    if (classes.length > 1 && classes.at(-1).length < k.value()) classes.at(-2).push(...classes.pop());
    drawing.clear();
    const told = [];
    let y = 14;
    for (const rows of classes) {
      const diseases = [...new Set(rows.map(([, disease]) => disease))];
      const range = rows.length > 1 ? `${rows[0][0]} to ${rows.at(-1)[0]}` : `${rows[0][0]}`;
      const same = diseases.length === 1;
      if (same) told.push(`${range}: ${diseases[0]}`);
      drawing.draw("text", { x: 10, y, class: same ? "told" : "" }, range);
      drawing.draw("text", { x: 120, y, class: same ? "told" : "" }, rows.map(([, disease]) => disease).join(", "));
      y += 15;
    }
    say(
      told.length
        ? `Whoever knows that Bob is 36 and in the table looks up his line. Everybody in the marked lines has the same disease: ${told.join("; ")}.`
        : "No line has one disease only; but each still says what Bob does not have, and a second table cuts it down further.",
    );
  };
  k.then(show);
  show();
};
