// The SQL editor: completes the policy's names, underlines what is refused, and keeps the form's own field up to date.
import { autocompletion, closeBrackets, closeCompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { SQLDialect, sql } from "@codemirror/lang-sql";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "sql-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "sql-text" },
  { tag: [tags.number, tags.bool, tags.null], class: "sql-number" },
  { tag: [tags.lineComment, tags.blockComment], class: "sql-comment" },
  { tag: [tags.typeName, tags.standard(tags.name)], class: "sql-function" },
]);

// The words that questions are made of: no others are completed or coloured.
const dialect = SQLDialect.define({
  keywords:
    "all and as asc between by case cross desc distinct else end except exists false filter from full group having " +
    "ilike in inner intersect interval is join left like limit natural not null nulls offset on or order outer over " +
    "partition qualify right rollup select then true union using when where with cube",
  builtin:
    "abs approx_count_distinct approx_top_k avg cast ceil coalesce concat contains corr count count_if covar_pop " +
    "covar_samp current_date date_trunc ends_with exp extract floor greatest least length ln log lower max median min " +
    "mode nullif percentile_cont power quantile_cont regr_intercept regr_slope replace round sign split_part sqrt " +
    "starts_with stddev_pop stddev_samp substring sum trim trunc upper var_pop var_samp",
  types: "bigint boolean date double integer numeric text time timestamp varchar",
  doubleQuotedStrings: false,
});

// The editor that stands in for a textarea; without scripts, the textarea itself is used.
export function editorOf(field) {
  const view = new EditorView({
    parent: field.parentElement,
    state: EditorState.create({ doc: field.value, extensions: parts(field) }),
  });
  field.hidden = true;
  field.form.addEventListener("reset", () => write(view, field.defaultValue));
  return view;
}

function parts(field) {
  return [
    EditorView.cspNonce.of(document.body.dataset.nonce),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "Question in SQL", "aria-describedby": "sql-help", tabindex: "0" }),
    EditorView.updateListener.of((update) => update.docChanged && told(field, update.state.doc.toString())),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false }),
    EditorView.domEventHandlers({ blur: (_, view) => void setTimeout(() => view.hasFocus || closeCompletion(view), 10) }),
    placeholder("SELECT COUNT(*) FROM ..."),
    sql({ dialect, schema: JSON.parse(field.dataset.schema || "{}"), upperCaseKeywords: true }),
    syntaxHighlighting(colours),
    keymap.of([
      { key: "Mod-Enter", run: () => pressed("ask") },
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
  ];
}

function told(field, text) {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function pressed(name) {
  const button = document.getElementById(name);
  button?.click();
  return Boolean(button);
}

export function write(view, text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

// What is refused is underlined where it stands. Places are counted in characters, as the server counts them.
export function underline(view, refusal) {
  const text = view.state.doc.toString();
  const found = [];
  if (refusal && refusal.dataset.from !== undefined) {
    const from = Math.min(units(text, Number(refusal.dataset.from)), text.length);
    const to = Math.min(Math.max(from + 1, units(text, Number(refusal.dataset.to))), text.length);
    found.push({ from, to, severity: "error", message: refusal.dataset.reason });
  }
  view.dispatch(setDiagnostics(view.state, found));
}

// Characters of a text are one or two of a browser's units.
function units(text, characters) {
  return Array.from(text).slice(0, characters).join("").length;
}
