// A button on every block of code that copies what to type: prompts and what the computer prints are left out.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll(".bd-article div.highlight")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(typed(block.querySelector("pre").textContent));
      button.textContent = "copied";
      setTimeout(() => (button.textContent = "copy"), 1500);
    });
    block.append(button);
  }
});

function typed(text) {
  const lines = text.split("\n");
  const prompted = lines.filter((line) => /^(\$|>>>|\.\.\.)( |$)/.test(line));
  if (!/^(\$|>>>) /.test(lines[0])) return text.trimEnd();
  return prompted.map((line) => line.replace(/^(\$|>>>|\.\.\.) ?/, "")).join("\n");
}
