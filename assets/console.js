// What pages do beyond being read. Everything here also works, more slowly, without it.
import htmx from "htmx.org";
import { editorOf, underline, write } from "./editor.js";

htmx.config.allowEval = false;
htmx.config.allowScriptTags = false;
htmx.config.includeIndicatorStyles = false;
htmx.config.historyCacheSize = 0;
htmx.config.selfRequestsOnly = true;
htmx.config.timeout = 20000;
htmx.config.responseHandling = [{ code: ".*", swap: true }];

const field = document.getElementById("sql");
const editor = field ? editorOf(field) : null;

document.getElementById("answer")?.scrollIntoView();

// A price is of the question as it stood when the price was asked for: until that of the newest one is here, the
// button that pays cannot be pressed.
// A field that is left as it was has changed nothing: whoever writes an amount presses the button next.
const question = document.getElementById("question");
let edits = 0;
let asked = 0;
question?.addEventListener("input", () => {
  edits += 1;
  outdated();
});
document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id === "price") asked = edits;
});
document.body.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id === "price" && asked !== edits) outdated();
});
function outdated() {
  const button = document.getElementById("ask");
  if (button) button.disabled = true;
}


// What is chosen with buttons has no price until it is written as SQL: that of the question before is not asked for.
const builder = document.getElementById("builder");
builder?.addEventListener("input", (event) => {
  event.stopPropagation();
  outdated();
});

document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.target === builder && editor) wrote(builder.querySelector("[data-write-sql]")?.dataset.writeSql ?? field.value);
  if (event.target.id === "price" && editor) underline(editor, event.target.querySelector("[data-refusal]"));
});

const sayings = document.getElementById("price") ?? document.getElementById("considered");
for (const lost of ["htmx:sendError", "htmx:timeout"]) {
  document.body.addEventListener(lost, () => {
    if (sayings) sayings.textContent = "The server does not answer. Nothing was charged; what you wrote is still here.";
  });
}

// What went wrong is said where prices stand, and takes the place of nothing else; what is no page is said in words.
document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.xhr.status < 400 || !sayings) return;
  detail.target = sayings;
  if (detail.xhr.getResponseHeader("Content-Type")?.startsWith("text/html")) return;
  detail.shouldSwap = false;
  const large = "That is too much at once for the server. Nothing was charged; what you wrote is still here.";
  sayings.textContent = detail.xhr.status === 413 ? large : "The server could not answer. Nothing was charged.";
});

// Whoever has to sign in again finds the question that they were writing; nobody else does, and it is kept no longer.
const who = document.querySelector(".who b")?.textContent;
const draft = "deniable-draft";
if (who) {
  const kept = JSON.parse(sessionStorage.getItem(draft) ?? "{}");
  sessionStorage.removeItem(draft);
  if (kept.who === who && editor && !field.value) write(editor, kept.sql);
}
const keep = () => field && sessionStorage.setItem(draft, JSON.stringify({ who, sql: field.value }));
document.getElementById("question")?.addEventListener("submit", keep);
document.querySelector("form[action$='/sign-out']")?.addEventListener("submit", () => sessionStorage.removeItem(draft));
document.body.addEventListener("htmx:beforeOnLoad", ({ detail }) => {
  if (detail.xhr.getResponseHeader("HX-Redirect")?.includes("/sign-in")) keep();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.fill !== undefined && editor) {
    event.preventDefault();
    filled(button.name, button.value);
  }
  if (button.dataset.copy !== undefined) copied(button);
  if (button.dataset.theme !== undefined) turned();
});

// A name in the list of tables is written where the cursor is.
document.addEventListener("click", (event) => {
  const name = event.target.closest("[data-insert]");
  if (!name || !editor) return;
  event.preventDefault();
  editor.dispatch(editor.state.replaceSelection(name.dataset.insert));
  editor.focus();
});

// Of many columns, those are left whose name or words have what is looked for.
const finder = document.querySelector("[data-find]");
if (finder) {
  finder.closest("[hidden]").hidden = false;
  finder.addEventListener("input", looked);
  finder.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  document.body.addEventListener("htmx:afterSettle", looked);
}
function looked() {
  const wanted = finder.value.trim().toLowerCase();
  const found = [...document.querySelectorAll(finder.dataset.find)];
  for (const one of found) one.hidden = !one.textContent.toLowerCase().includes(wanted);
  for (const table of new Set(found.map((one) => one.closest("details")).filter(Boolean))) {
    table.hidden = found.every((one) => one.hidden || !table.contains(one));
    if (wanted && !table.hidden) table.open = true;
  }
}

// The slider says how much to spend on a scale of powers; the number beside it is what is sent.
const slider = document.getElementById("level");
const amount = document.getElementById("amount");
const pay = document.querySelector("#question [name=pay]");
const powers = { epsilon: [-4, 1], rho: [-7, 0], accuracy: [0, 7] };
if (slider && amount && pay) {
  slider.hidden = false;
  // An empty field stands for the usual spend, which is an epsilon.
  const written = (form) => Number(amount.value || (form === "epsilon" && amount.dataset.usual) || 0);
  const place = () => {
    [slider.min, slider.max] = powers[pay.value];
    const spend = written(pay.value);
    if (spend > 0) slider.value = String(Math.log10(spend));
  };
  place();
  amount.addEventListener("input", place);
  slider.addEventListener("input", () => {
    amount.value = String(Number((10 ** Number(slider.value)).toPrecision(2)));
  });
  let paid = pay.value;
  pay.addEventListener("change", () => {
    amount.value = about(paid, pay.value, written(paid));
    paid = pay.value;
    place();
  });
}

// What buys about as much in another form: between a number and what it costs, the price that is shown says it.
function about(from, to, spend) {
  const known = { "epsilon rho": spend ** 2 / 2, "rho epsilon": Math.sqrt(2 * spend) }[`${from} ${to}`];
  const number = known ?? Number(document.getElementById("noise")?.dataset[to]);
  return number > 0 && Number.isFinite(number) ? String(Number(number.toPrecision(2))) : "";
}

// What a button writes into a field, as if it was typed there.
function filled(name, value) {
  if (name === "sql") {
    write(editor, value);
    editor.focus();
    return;
  }
  const place = document.querySelector(`#question [name=${name}]:not(button)`);
  const folded = place.closest("details");
  if (folded) folded.open = true;
  place.value = value;
  place.dispatchEvent(new Event("input", { bubbles: true }));
  place.focus();
}

// Buttons and SQL say the same until the SQL is changed by hand; then the buttons say so.
const byHand = document.getElementById("by-hand");
let byButtons = false;
function wrote(sql) {
  byButtons = true;
  write(editor, sql);
  byButtons = false;
  byHand.hidden = true;
}
field?.addEventListener("input", () => {
  const chosen = document.querySelector("#builder [name=what]")?.value;
  if (!byButtons && chosen) byHand.hidden = false;
});

// A demonstration brings its token behind the #, which no server is sent; it does not stay in the address.
const token = document.getElementById("token");
if (token && location.hash.startsWith("#deniable_")) {
  token.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname + location.search);
}

// A button that was pressed is not pressed twice: what it pays for is on its way.
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (!button || button.dataset.once === undefined) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
  button.setAttribute("aria-busy", "true");
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

async function copied(button) {
  const text = document.getElementById(button.dataset.copy).textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select it and copy";
  }
}

function turned() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("deniable-theme", root.dataset.theme);
}
