// The panel's voices: a question is spoken by a voice of this machine, where the presenter has asked for it.
// `voice` is dispatched on the document as one begins and ends.

const $ = (id) => document.getElementById(id);
const synthesis = window.speechSynthesis;
const STARTS_WITHIN_MS = 5000; // a voice that has not begun by then says nothing
const MS_A_CHARACTER = 120; // slow speech: 100 words a minute of 5 letters
const PITCHES = [1, 0.85, 1.1, 0.95, 1.2]; // so that they differ where there is one voice alone

let asked = ""; // the question that was spoken last
let spoken = null; // what is being spoken

/** Whether a voice is heard. Not the browser's word for it, which can stay so for ever. */
export const isVoiceHeard = () => spoken !== null;

const isWanted = () => $("voices").getAttribute("aria-pressed") === "true";
// Voices that are not of this machine would send the question elsewhere.
const voices = () => synthesis.getVoices().filter((voice) => voice.localService && voice.lang.startsWith("en"));

function show(question) {
  const key = question === null ? "" : `${question.exchange} ${question.turn}`;
  if (key === asked) return;
  asked = key;
  hush();
  if (question === null || !isWanted()) return;
  const seat = [...$("panel").children].findIndex((item) => item.dataset.agent === question.agent);
  speak([question.remark, question.text].filter(Boolean).join(" "), seat);
}

function speak(words, seat) {
  const said = new SpeechSynthesisUtterance(words);
  const own = voices();
  said.voice = own[seat % own.length] ?? null;
  said.pitch = PITCHES[seat % PITCHES.length];
  const end = () => said === spoken && hush();
  let limit = setTimeout(end, STARTS_WITHIN_MS);
  said.addEventListener("start", () => {
    clearTimeout(limit);
    limit = setTimeout(end, STARTS_WITHIN_MS + words.length * MS_A_CHARACTER);
  });
  for (const event of ["end", "error"]) said.addEventListener(event, end);
  spoken = said; // a variable of ours: Chromium forgets what nobody holds, and its end with it
  synthesis.speak(said);
  tell();
}

function hush() {
  spoken = null;
  synthesis?.cancel();
  tell();
}

const tell = () => document.dispatchEvent(new CustomEvent("voice"));

function offer() {
  $("voices").hidden = synthesis === undefined || voices().length === 0;
}

$("voices").addEventListener("click", () => {
  $("voices").setAttribute("aria-pressed", String(!isWanted()));
  if (!isWanted()) hush();
});
synthesis?.addEventListener?.("voiceschanged", offer);
document.addEventListener("room", ({ detail }) => show(detail.question));
offer();
