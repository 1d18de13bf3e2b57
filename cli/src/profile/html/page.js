"use strict";
// Lets sources be reduced to the lines that count something, and all instructions be opened at once.
// The page does without.
const addToggle = (table, label, apply) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  const show = (on) => {
    apply(on);
    button.setAttribute("aria-pressed", String(on));
  };
  button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
  button.setAttribute("aria-pressed", "false");
  table.parentElement.before(button, " ");
};
for (const table of document.querySelectorAll("table.source")) {
  if (table.querySelector(".still, .gap")) {
    addToggle(table, "only lines that count", (on) => table.classList.toggle("only", on));
  }
  const lines = table.querySelectorAll("details.line");
  if (lines.length) {
    addToggle(table, "all instructions", (on) => lines.forEach((line) => { line.open = on; }));
  }
}
