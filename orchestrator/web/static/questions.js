// The presenter's own questions on the starting page: typed, one a line, or from a file.

import { pathTo } from "./place.js";
import { write } from "./request.js";
import { counted, sentence } from "./words.js";

const $ = (id) => document.getElementById(id);
let fromFile = []; // as the server read them

const typed = () => $("questions").value.split("\n").map((line) => line.trim()).filter(Boolean);

/** All that were brought, as the server takes them. */
export const brought = () => [...typed(), ...fromFile];

/** At least as many questions as were brought; what the presenter chose stays, and is said. */
function tell() {
  const [number, most] = [brought().length, Number($("exchanges").value)];
  const left = number > most ? ` Of these, ${number - most} cannot be put: there are ${counted(most, "question")} at most.` : "";
  $("questions-words").textContent = number ? `${counted(number, "question")} of your own.${left}` : "";
}

function shown(one) {
  const item = document.createElement("li");
  const at = [one.slide && `slide ${one.slide}`, one.agent].filter(Boolean).join(", ");
  item.textContent = at ? `${one.text} (${at})` : one.text;
  const remove = document.createElement("button");
  remove.type = "button";
  remove.className = "quiet small";
  remove.textContent = "Leave out";
  remove.setAttribute("aria-label", `Leave out: ${one.text}`);
  remove.addEventListener("click", () => show(fromFile.filter((other) => other !== one)));
  item.append(" ", remove);
  return item;
}

function show(questions) {
  fromFile = questions;
  $("questions-read").replaceChildren(...fromFile.map(shown));
  tell();
}

async function read() {
  const [file] = $("questions-file").files;
  $("questions-refused").textContent = "";
  if (!file) return show([]);
  const answer = await write(pathTo("api/v1/questions"), { name: file.name, text: await file.text() });
  if (!answer.isOk) $("questions-refused").textContent = sentence(answer.words);
  show(answer.isOk ? answer.body.questions : []);
}

$("questions-file").addEventListener("change", read);
$("questions").addEventListener("input", tell);
$("exchanges").addEventListener("input", tell);
