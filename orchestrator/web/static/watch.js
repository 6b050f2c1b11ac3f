// A rehearsal that has ended, as it went: one step after the other, each for as long as it takes to read.

import { $ } from "./elements.js";
import { fitSheets } from "./fit.js";
import { ready } from "./ready.js";

const MS_A_WORD = 200; // 300 words a minute: what is skimmed, since nobody must answer it
const [MIN_MS, MAX_MS] = [900, 6000];

const steps = [...document.querySelectorAll("[data-step]")];
const figures = [...document.querySelectorAll("[data-slide]")];
let timer = null;
let at = 0; // the next step

/** The words of a step that are new with it: a question's card holds its answers, which come later. */
const wordsOf = (step) => [...step.querySelectorAll("[data-step]")]
  .reduce((words, inner) => words.replace(inner.textContent, ""), step.textContent).split(/\s+/).length;

function reveal(step) {
  step.hidden = false;
  if (!step.dataset.shows) return;
  for (const figure of figures) figure.hidden = figure.dataset.slide !== step.dataset.shows;
}

function next() {
  const step = steps[at++];
  reveal(step);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  step.scrollIntoView({ block: "nearest", behavior: isStill ? "auto" : "smooth" });
  if (at === steps.length) return over();
  timer = setTimeout(next, Math.min(MAX_MS, Math.max(MIN_MS, wordsOf(step) * MS_A_WORD)));
}

function over() {
  timer = null;
  $("hold").hidden = $("all").hidden = true;
}

$("hold").addEventListener("click", () => {
  const holds = timer !== null;
  clearTimeout(timer);
  timer = null;
  $("hold").setAttribute("aria-pressed", String(holds));
  $("hold").textContent = holds ? "Go on" : "Hold";
  if (!holds) next();
});
$("all").addEventListener("click", () => {
  clearTimeout(timer);
  for (const step of steps.slice(at)) reveal(step);
  at = steps.length;
  over();
  $("over").querySelector("a").focus();
});
fitSheets($("slides"));
for (const step of steps) step.hidden = true;
ready();
next();
