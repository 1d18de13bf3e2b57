"use strict";
// Lets sources be reduced to the lines that count something. The page does without.
for (const table of document.querySelectorAll("table.source")) {
  if (!table.querySelector(".still, .gap")) continue;
  const button = document.createElement("button");
  button.type = "button";
  const show = (only) => {
    table.classList.toggle("only", only);
    button.setAttribute("aria-pressed", String(only));
  };
  button.textContent = "only lines that count";
  button.addEventListener("click", () => show(!table.classList.contains("only")));
  show(false);
  table.parentElement.before(button);
}
