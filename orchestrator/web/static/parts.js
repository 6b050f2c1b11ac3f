// The folded parts of the starting page: each says in a line what is set in it.

import { broughtNow } from "./brought.js";
import { $ } from "./elements.js";
import { brought } from "./questions.js";
import { counted } from "./words.js";

const labelOf = (box) => document.querySelector(`label[for="${box.id}"]`).firstChild.textContent.trim().replace(/[,:].*$/s, "");
const ticked = (within) => [...$(within).querySelectorAll("input:checked")].map(labelOf);
const listed = (words, none) => words.filter(Boolean).join(", ") || none;

export const NO_CONTRADICTION = "no sum that fails"; // words are compared by a model alone, and none was asked yet

function contradictions() {
  const found = $("tensions").querySelectorAll("input").length;
  return found ? counted(found, "contradiction") : NO_CONTRADICTION;
}

const SAYS = {
  engine: () => listed(ticked("engine"), "nobody is chosen"),
  deck: () => listed([$("kind").value, counted($("slides").children.length, "slide"), contradictions()], ""),
  talk: () => (!$("talk-recorded").checked ? "given now" : broughtNow().speech ? "recorded" : "recorded; no recording yet"),
  asked: () => listed([`up to ${counted(Number($("exchanges").value), "question")}`, $("intensity").selectedOptions[0].text.split(":")[0].toLowerCase(), $("focus").value.trim() && `about ${$("focus").value.trim()}`], ""),
  own: () => listed([brought().length && counted(brought().length, "question")], "none"),
  panel: () => listed(ticked("panel"), "nobody"),
  board: () => {
    const { board, members = [] } = broughtNow();
    return listed([board && "from a file", members.length && counted(members.length, "member")], "nobody is named");
  },
  intel: () => listed([$("news").value.trim() && "what you wrote", broughtNow().intel && counted(broughtNow().intel.length, "file")], "none"),
  sound: () => ($("sound-choice").selectedOptions[0]?.text ?? "not tried"),
  kept: () => listed(["what is said, as text", $("keep_source").checked && "the deck", $("remember").checked && "what the panel learns of you", $("keep_sound").checked && "the sound of your answers"], ""),
};

/** Say in each folded part's line what is set in it now. */
export function sayParts() {
  for (const place of document.querySelectorAll("[data-says]")) place.textContent = SAYS[place.dataset.says]();
}
