// The presenter's own questions on the starting page: typed, one a line, or from a file.

import { pathTo } from "./place.js";
import { write } from "./request.js";
import { counted, sentence } from "./words.js";

const $ = (id) => document.getElementById(id);
const KEPT = "greenroom.questions"; // by deck, in this tab: each deck has its own, and F5 loses none
let about = null; // the deck that they are for
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

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
  } catch {
    return {}; // not ours, or of another release
  }
}

function keep() {
  if (about === null) return;
  const own = { title: about.title, typed: $("questions").value, fromFile };
  sessionStorage.setItem(KEPT, JSON.stringify({ ...kept(), [about.deck]: own }));
}

/** Show the questions that were written for this deck; those of another stay with it, and the page says so. */
export function bindTo(deck) {
  if (about?.deck === deck.deck) return;
  about = deck;
  const { [deck.deck]: own, ...others } = kept();
  $("questions").value = own?.typed ?? "";
  $("questions-file").value = "";
  $("questions-refused").textContent = "";
  show(own?.fromFile ?? []);
  const waiting = Object.values(others).filter((one) => one.typed.trim() || one.fromFile.length).map((one) => `“${one.title}”`);
  $("questions-elsewhere").textContent = waiting.length ? `What you brought for ${waiting.join(", ")} waits with that deck: choose it again in this tab, and it stands here.` : "";
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
  keep();
  $("questions").dispatchEvent(new Event("change", { bubbles: true })); // the line of the folded part counts them
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
$("questions").addEventListener("input", () => (tell(), keep()));
$("exchanges").addEventListener("input", tell);
