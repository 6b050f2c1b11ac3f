// The room's microphone. Sound goes to this server alone, where it recognises speech;
// else the browser's own recognition is used, where it has one; else the presenter types.
//
// Dispatched on the document: `microphone` with { state, words } whenever one has changed, and `heard` with
// { text, doubt, segment } for each sentence that stands in the transcript. `ending` is listened to: its detail is a
// list to which a promise is added, kept once what was said is with the server: what was not taken in, "" for nothing.

import { isConnected } from "./heartbeat.js";
import { howHeard } from "./hearing.js";
import { pathTo } from "./place.js";
import { write } from "./request.js";
import { Sound, shownLevel } from "./sound.js";
import { SoundError, permission, wordsFor } from "./sound-causes.js";
import { offer, remember } from "./sound-choice.js";
import { SoundSocket } from "./sound-socket.js";
import { tellSpeaking } from "./speaking.js";
import { nowOf } from "./time.js";
import { isVoiceHeard } from "./voices.js";

const room = document.getElementById("room");
const session = encodeURIComponent(room.dataset.session);
const $ = (id) => document.getElementById(id);
const button = $("microphone");
const BEHIND = "This machine cannot keep up: pause for a moment.";
const UNHEARD = "The connection is lost, and what you say is not heard.";
const UNSURE = "No word from the server: what you say now may not be heard.";
const VOICE = 0.003; // of full scale, -50 dB: what is quieter is no loss
const LEFT = "The microphone is off, since the page was loaded anew. Its button, or M, turns it on.";
const KEPT = `greenroom.microphone.${session}`; // in this tab: whether it is on
const FRAME_S = 0.1;
const A_WORD_S = 0.5;
const TAKEN_WITHIN_MS = 10_000; // a browser's last words come within two seconds, and a write takes milliseconds
const STATES = {
  off: "Microphone off",
  opening: "Microphone opens",
  waits: "Microphone waits", // before the clock runs, and while it stands
  muted: "Microphone muted", // while a voice speaks
  silent: "No sound", // for a cause that is said
  unheard: "Not heard",
  ending: "Microphone ends",
  on: "Microphone on",
};

let way = null; // how speech is heard: { by: "server" | "browser" | null, words }
let view = null;

/** Whether anybody listens: the clock runs, or a recorded talk waits for the answer to a question. */
const isListened = () => view !== null && (view.is_running || (view.is_playing && view.question !== null));

let open = null; // what hears: { sound, problem, mute(is), drained(), close() }
let isOpening = false;
let isEnding = false;
let wasOn = false; // before the page was loaded anew, and nobody has turned it on since
let told = "";
const underWay = new Set(); // promises: of words that are not with the server yet what was lost of them, "" for nothing

const text = (element, words) => {
  if (element.textContent !== words) element.textContent = words;
};
const refuse = (words) => text($("refused"), words);

// ------------------------------------------------------------------ this server hears

function overServer() {
  const heard = { problem: null, note: "", name: "", mute, resume: () => socket?.resume(), close, start, change: () => sound.change() };
  let socket = null;
  let muted = true;
  let lost_s = 0; // of sound, while nobody took it
  const sound = new Sound(take, tell);

  async function start() {
    await sound.open();
    socket = new SoundSocket(session, { refused, closed: refused, heard: (sentence) => dispatch("heard", sentence), broke });
  }

  function take({ sound: frame, level }) {
    const shown = isVoiceHeard() ? 0 : shownLevel(level);
    button.style.setProperty("--level", shown.toFixed(2));
    $("microphone-level").value = shown;
    if (muted || socket === null) return;
    if (socket.send(frame, level > VOICE)) found();
    else if (level > VOICE) lost_s += FRAME_S;
    const problem = !socket.isConnected ? UNHEARD : !isConnected() ? UNSURE : socket.isBehind ? BEHIND : null;
    if (problem === heard.problem) return;
    heard.problem = problem;
    show();
  }

  function tell({ cause, words, name, id, known }) {
    Object.assign(heard, { cause, note: words, name });
    offer($("microphone-choice"), known, id);
    show();
  }

  function mute(is) {
    if (is && !muted && socket !== null) {
      socket.endSentence();
      wait(socket.drained());
    }
    muted = is;
  }

  /** Sound is taken again. */
  function found() {
    if (lost_s >= A_WORD_S) refuse(`${Math.ceil(lost_s)} s of what you said were not heard: say that again.`);
    lost_s = 0;
  }

  function broke(words) {
    if (!isEnding) refuse(`The connection broke while you spoke, and ${words ? `this may be lost: “${words}”` : "what you said last may be lost"}. Say it again once the page is connected.`);
  }

  function refused(words) {
    if (isEnding) return;
    turnOff();
    refuse(words);
  }

  function close() {
    sound.close();
    socket?.close();
  }

  return heard;
}

// ------------------------------------------------------------------ the browser hears

/** What its recognition says, in our causes (Web Speech API, SpeechRecognitionErrorEvent). */
const ERRORS = { "not-allowed": "refused", "service-not-allowed": "policy", "audio-capture": "none" };

function overBrowser() {
  const recognition = new window.webkitSpeechRecognition();
  let isOpen = true;
  let muted = true;
  let ended = null; // called at its end, which comes after its last words; null: it does not listen
  let begunAt = null; // by the session's clock, when what is under way was begun
  let partial = "";
  recognition.continuous = true;
  recognition.interimResults = true;
  recognition.lang = "en-US";
  recognition.addEventListener("result", (event) => {
    partial = "";
    for (const result of [...event.results].slice(event.resultIndex)) {
      if (result.isFinal) {
        wait(post(result[0], begunAt));
        begunAt = null;
      } else {
        begunAt ??= nowOf(view);
        partial += result[0].transcript;
        tellSpeaking(room.dataset.session);
      }
    }
    text($("partial"), partial);
  });
  recognition.addEventListener("error", ({ error }) => {
    if (error === "no-speech" || error === "aborted") return;
    turnOff();
    refuse(ERRORS[error] ? wordsFor(ERRORS[error]) : `The browser's recognition failed (${error}). Type what you say.`);
  });
  recognition.addEventListener("end", () => {
    const lost = partial && lostWords(partial); // it broke off, and brings no more of it
    if (lost) refuse(lost);
    begunAt = null;
    text($("partial"), (partial = ""));
    ended(lost);
    ended = null;
    if (isOpen && !muted) listen(); // it ends by itself at times
  });

  function listen() {
    if (ended !== null) return; // it is ending, and begins anew then
    recognition.start();
    wait(new Promise((done) => { ended = done; }));
  }

  return {
    problem: null,
    cause: null,
    note: "",
    name: "",
    start: async () => {},
    change: async () => {},
    resume() {},
    mute(is) {
      if (is === muted) return;
      muted = is;
      if (is) recognition.stop(); // and its end finds it muted
      else listen();
    },
    close() {
      isOpen = false;
      recognition.stop(); // its last words come yet
    },
  };
}

const lostWords = (words) => `What you said may be lost: “${words.trim()}”. Say or type it again.`;

/** Write what was recognised; what was lost of it, in a sentence. */
async function post({ transcript, confidence }, begunAt) {
  const piece = { text: transcript, start_s: begunAt, ...(confidence > 0 ? { confidence } : {}) };
  const answer = await write(pathTo(`api/v1/sessions/${session}/segments`), piece);
  if (answer.isOk) {
    dispatch("heard", { text: transcript, doubt: null, segment: answer.body.segments ?? null });
    return "";
  }
  const words = `${answer.words} ${lostWords(transcript)}`;
  refuse(words);
  return words;
}

// ------------------------------------------------------------------ words under way

function wait(promise) {
  underWay.add(promise);
  promise.finally(() => underWay.delete(promise));
}

/** Wait until what was said is with the server, within a limit; what was not taken in, in a sentence. */
async function allTaken() {
  const lost = [];
  const all = async () => {
    while (underWay.size > 0) lost.push(...(await Promise.all(underWay)));
  };
  const late = new Promise((done) => setTimeout(done, TAKEN_WITHIN_MS, true));
  if (await Promise.race([all(), late])) lost.push("What you said last may not have been taken in.");
  return lost.filter(Boolean).join(" ");
}

// ------------------------------------------------------------------ on and off

function turnOff() {
  open?.close();
  open = null;
  isOpening = false;
  show();
}

async function turn() {
  if (way?.by == null) return;
  refuse("");
  wasOn = false;
  sessionStorage.setItem(KEPT, open === null ? "on" : "off");
  if (open !== null) return turnOff(); // also while it opens, which may take for ever
  const heard = (open = way.by === "server" ? overServer() : overBrowser());
  isOpening = true;
  show();
  try {
    await heard.start();
  } catch (error) {
    if (heard !== open) return;
    turnOff();
    return refuse(error instanceof SoundError ? error.words : wordsFor("failed", undefined, error.name));
  }
  if (heard !== open) return heard.close();
  isOpening = false;
  show();
}

function stateNow() {
  if (open === null) return "off";
  if (isEnding) return "ending";
  if (isOpening) return "opening";
  if (open.cause && open.cause !== "thinking") return "silent";
  if (!isListened()) return "waits";
  if (isVoiceHeard()) return "muted";
  return open.problem || !isConnected() ? "unheard" : "on";
}

function show() {
  const state = stateNow();
  button.setAttribute("aria-pressed", String(open !== null));
  open?.mute(isEnding || isOpening || !isListened() || isVoiceHeard());
  text($("microphone-state"), STATES[state]);
  if (open === null) {
    button.style.setProperty("--level", 0);
    $("microphone-level").value = 0;
    $("microphone-choice").closest("[data-choice]").hidden = true;
  }
  $("microphone-level").hidden = open === null || way.by !== "server";
  const problem = open === null ? null : state === "ending" ? "What you said last is taken in." : open.note || open.problem || (state === "unheard" ? UNSURE : null);
  const words = way === null ? "" : (problem ?? (wasOn ? LEFT : way.words));
  text($("hearing"), words);
  $("hearing").classList.toggle("refused", state === "silent" || state === "unheard" || wasOn);
  const key = `${state} ${words}`;
  if (key === told) return;
  told = key;
  dispatch("microphone", { state, words });
}

const dispatch = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

// ------------------------------------------------------------------ beginning

button.addEventListener("click", turn);
$("microphone-choice").addEventListener("change", () => {
  remember($("microphone-choice"));
  $("microphone-choice").blur(); // the next key is for the room
  open?.change();
});
document.addEventListener("room", ({ detail }) => {
  view = detail;
  show();
});
document.addEventListener("voice", show);
document.addEventListener("connection", show);
document.addEventListener("ending", ({ detail }) => {
  isEnding = detail !== null; // null: it did not end
  if (!isEnding) open?.resume();
  show(); // which ends the sentence
  if (isEnding) detail.push(allTaken());
});
howHeard().then(async (found) => {
  way = found;
  button.hidden = way.by === null;
  wasOn = way.by !== null && sessionStorage.getItem(KEPT) === "on";
  show();
  if (wasOn && (await permission()) === "granted" && open === null) turn(); // as it was before the page was loaded anew
});
