// A long line of which parts can be looked at closely: drag along it, or press a button. Until this is loaded, and
// without scripts, the server's own picture of all of it stands there.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

for (const place of document.querySelectorAll("[data-closely]")) drawn(place, JSON.parse(place.dataset.closely));

function drawn(place, said) {
  const { along, names, series } = said;
  const [first, last] = [along[0], along[along.length - 1]];
  const colour = (name) => getComputedStyle(place).getPropertyValue(name).trim();
  const line = (number) => () => colour(`--s${number}`);
  const axis = { stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false } };
  const lines = series.flatMap((one, number) => [
    { label: names[number], stroke: line(number), width: 2, points: { show: false }, spanGaps: true },
    { stroke: "transparent", width: 0, points: { show: false }, spanGaps: true },
    { stroke: "transparent", width: 0, points: { show: false }, spanGaps: true },
  ]);
  const bands = series.map((_, number) => ({ series: [3 * number + 2, 3 * number + 3], fill: () => `${colour(`--s${number}`)}38` }));
  const read = place.querySelector("[data-read]");
  const options = {
    ...size(place),
    series: [{}, ...lines],
    bands,
    axes: [{ ...axis, space: 76, values: (_, numbers, __, ___, step) => numbers.map((one) => tick(one, step)) }, { ...axis, size: 64, values: (_, numbers) => numbers.map((one) => one.toLocaleString("en")) }],
    scales: { x: { time: said.time }, y: { range: (_, low, high) => uPlot.rangeNum(Math.min(0, low), Math.max(0, high), 0.05, true) } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), "Etc/UTC"),
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false } },
    hooks: {
      setCursor: [(chart) => tell(chart.cursor.idx)],
      setScale: [(chart, key) => key === "x" && tell(null)],
    },
  };
  const data = [along, ...series.flatMap((one) => [one.value, one.high, one.low])];
  for (const picture of place.querySelectorAll("svg")) picture.remove();
  const chart = new uPlot(options, data, (self, ready) => {
    self.root.setAttribute("role", "img");
    self.root.setAttribute("aria-label", place.dataset.words);
    place.prepend(self.root);
    ready();
  });

  function shown() {
    const { min, max } = chart.scales.x;
    return [min ?? first, max ?? last];
  }

  function show(from, to) {
    const wide = Math.min(to - from, last - first);
    const start = Math.min(Math.max(from, first), last - wide);
    if (along.filter((one) => one >= start && one <= start + wide).length > 2) chart.setScale("x", { min: start, max: start + wide });
  }

  const moves = {
    closer: (from, wide) => show(from + wide / 4, from + (3 * wide) / 4),
    wider: (from, wide) => show(from - wide / 2, from + 1.5 * wide),
    earlier: (from, wide) => show(from - wide / 2, from + wide / 2),
    later: (from, wide) => show(from + wide / 2, from + 1.5 * wide),
    all: () => show(first, last),
  };
  place.querySelector("[data-moves]").hidden = false;
  for (const button of place.querySelectorAll("[data-move]")) {
    button.addEventListener("click", () => {
      const [from, to] = shown();
      moves[button.dataset.move](from, to - from);
    });
  }

  // What is below the pointer, in words; or else which part is shown.
  function tell(index) {
    if (index === null || index === undefined) {
      const [from, to] = chart ? shown() : [first, last];
      read.textContent = `${named(from)} to ${named(to)}`;
      return;
    }
    const each = series.map((one, number) =>
      one.value[index] === null ? "" : `${names[number]} ${told(one.value[index])}, between ${told(one.low[index])} and ${told(one.high[index])}`,
    );
    read.textContent = `${named(along[index])}: ${each.filter(Boolean).join("; ")}`;
  }

  function tick(number, step) {
    if (!said.time) return told(number);
    const [moment, day] = [new Date(number * 1e3).toISOString(), 86400];
    return step >= 28 * day ? moment.slice(0, 7) : step >= day ? moment.slice(5, 10) : moment.slice(11, 16);
  }

  function named(number) {
    if (!said.time) return told(number);
    return new Date(number * 1e3).toISOString().slice(0, 16).replace("T00:00", "").replace("T", " ");
  }

  new ResizeObserver(() => chart.setSize(size(place))).observe(place);
  for (const change of [matchMedia("(prefers-color-scheme: dark)")]) change.addEventListener("change", () => chart.redraw());
  new MutationObserver(() => chart.redraw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  tell(null);
}

function size(place) {
  const width = Math.min(place.clientWidth, 800);
  return { width, height: Math.round(Math.min(320, Math.max(220, width * 0.44))) };
}

function told(number) {
  return Number(number.toPrecision(4)).toLocaleString("en", { maximumFractionDigits: 6 });
}
