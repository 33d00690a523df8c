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

document.body.addEventListener("htmx:afterSettle", (event) => {
  const written = event.target.querySelector?.("[data-write-sql]");
  if (written && editor) write(editor, written.dataset.writeSql);
  if (event.target.id === "price" && editor) underline(editor, event.target.querySelector("[data-refusal]"));
});

for (const lost of ["htmx:sendError", "htmx:timeout"]) {
  document.body.addEventListener(lost, () => {
    const place = document.getElementById("price");
    if (place) place.textContent = "The server does not answer. Nothing was charged; what you wrote is still here.";
  });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.replace !== undefined && editor) {
    event.preventDefault();
    write(editor, button.dataset.replace);
    editor.focus();
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

// The slider says how much to spend on a scale of powers; the number beside it is what is sent.
const slider = document.getElementById("level");
const amount = document.getElementById("amount");
if (slider && amount) {
  slider.hidden = false;
  const place = () => {
    const spend = Number(amount.value);
    if (spend > 0) slider.value = String(Math.log10(spend));
  };
  place();
  amount.addEventListener("input", place);
  slider.addEventListener("input", () => {
    amount.value = String(Number((10 ** Number(slider.value)).toPrecision(2)));
  });
}

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
