// The starting page's check of the microphone: which one, by its name, and whether anything is heard from it.

import { howHeard } from "./hearing.js";
import { Sound, shownLevel } from "./sound.js";
import { SoundError, wordsFor } from "./sound-causes.js";
import { chosenOf, microphones, offer, remember } from "./sound-choice.js";

const $ = (id) => document.getElementById(id);
const button = $("sound-try");
const VOICE = 0.01; // of full scale, -40 dB: louder than a room's noise, quieter than speech before a laptop

let sound = null;
let wasHeard = false;
let state = null; // as the sound tells it

const text = (element, words) => {
  if (element.textContent !== words) element.textContent = words;
};

async function turn() {
  if (sound !== null) return end("");
  wasHeard = false;
  state = null;
  const opened = (sound = new Sound(take, tell));
  show();
  try {
    await opened.open();
  } catch (error) {
    if (opened === sound) end(error instanceof SoundError ? error.words : wordsFor("failed", undefined, error.name));
  }
}

function take({ level }) {
  $("sound-level").value = shownLevel(level);
  if (wasHeard || level < VOICE) return;
  wasHeard = true;
  show();
}

function tell(told) {
  if (told.name !== state?.name) wasHeard = false; // another microphone
  state = told;
  offer($("sound-choice"), told.known, told.id);
  show();
}

function end(words) {
  sound?.close();
  sound = null;
  $("sound-level").value = 0;
  show();
  text($("sound-words"), words);
}

function show() {
  button.setAttribute("aria-pressed", String(sound !== null));
  text(button, sound === null ? "Try the microphone" : "Stop");
  $("sound-level").hidden = sound === null;
  $("sound-words").classList.toggle("refused", Boolean(state?.cause));
  if (sound === null) return;
  const heard = wasHeard ? `I hear you, by “${state?.name}”.` : "Say something.";
  text($("sound-words"), state?.words || (state === null ? "The microphone is being opened." : heard));
}

button.addEventListener("click", turn);
$("sound-choice").addEventListener("change", () => {
  remember($("sound-choice"));
  sound?.change();
});
addEventListener("pagehide", () => end("")); // the room opens its own; a page that comes back by Back has none open
howHeard().then(async (found) => {
  button.hidden = found.by !== "server"; // the browser's recognition takes its own choice
  text($("sound-words"), found.words);
  const known = button.hidden ? [] : await microphones();
  if (sound === null) offer($("sound-choice"), known, chosenOf(known)?.id ?? null); // those that were allowed before
});
