// The microphone, and the panel's voices. Sound goes to this server alone, where it recognises speech;
// else the browser's own recognition is used, where it has one; else the presenter types.

import { pathTo } from "./place.js";

const room = document.getElementById("room");
const session = encodeURIComponent(room.dataset.session);
const $ = (id) => document.getElementById(id);
const button = $("microphone");
const synthesis = window.speechSynthesis;

const MOST_WAITING = 160_000; // bytes, five seconds: beyond it the server is too slow, and words would come too late
const RETRY_MS = 1000;
const SILENCE = new Int16Array(16_000 * 0.8); // longer than the pause that ends a sentence

let view = null;
let open = null; // what hears: { mute(is), close() }
let isMuted = false;
let asked = ""; // the question that was spoken last

const text = (element, words) => {
  if (element.textContent !== words) element.textContent = words;
};
const hint = (words) => text($("hearing"), words);

// ------------------------------------------------------------------ this server hears

async function overServer() {
  // No noise suppression: it takes from the voice too, and Whisper was trained with noise.
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { channelCount: 1, echoCancellation: true, noiseSuppression: false },
  });
  let socket = null;
  let isOpen = true;
  let muted = false;

  const connect = () => {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${pathTo(`api/v1/sessions/${session}/microphone`)}`);
    socket.addEventListener("message", (event) => {
      const { refused } = JSON.parse(event.data); // captions come with the room, as to every page that shows it
      if (refused) {
        turnOff();
        text($("refused"), refused);
      }
    });
    socket.addEventListener("close", () => isOpen && setTimeout(() => isOpen && connect(), RETRY_MS));
  };
  const send = (sound) => {
    if (socket.readyState !== WebSocket.OPEN) return hint("The connection is lost, and what you say is not heard.");
    if (socket.bufferedAmount > MOST_WAITING) return hint("This machine cannot keep up: pause for a moment.");
    hint(LINES.server);
    socket.send(sound);
  };
  const context = await graph(stream, ({ data }) => {
    if (!isOpen) return;
    button.style.setProperty("--level", muted ? 0 : Math.min(1, data.level * 6).toFixed(2));
    if (!muted) send(data.sound);
  });
  connect();
  return {
    mute(is) {
      if (is && !muted && socket.readyState === WebSocket.OPEN) socket.send(SILENCE); // what was begun is a sentence
      muted = is;
    },
    close() {
      isOpen = false;
      for (const track of stream.getTracks()) track.stop();
      context.close();
      socket.close(1000);
    },
  };
}

async function graph(stream, take) {
  const build = async (options) => {
    const context = new AudioContext(options);
    await context.audioWorklet.addModule(pathTo("static/microphone-worklet.js"));
    const frames = new AudioWorkletNode(context, "frames", { numberOfOutputs: 0 });
    context.createMediaStreamSource(stream).connect(frames); // refused by some browsers at another rate
    frames.port.addEventListener("message", take);
    frames.port.start();
    await context.resume();
    return context;
  };
  return build({ sampleRate: 16_000 }).catch(() => build());
}

// ------------------------------------------------------------------ the browser hears

async function overBrowser() {
  const recognition = new window.webkitSpeechRecognition();
  let isOpen = true;
  let muted = false;
  recognition.continuous = true;
  recognition.interimResults = true;
  recognition.lang = "en-US";
  recognition.addEventListener("result", (event) => {
    let partial = "";
    for (const result of [...event.results].slice(event.resultIndex)) {
      if (result.isFinal) post(result[0]);
      else partial += result[0].transcript;
    }
    text($("partial"), partial);
  });
  recognition.addEventListener("error", ({ error }) => {
    if (error === "no-speech" || error === "aborted") return;
    turnOff();
    text($("refused"), `The browser's recognition failed (${error}). Type what you say.`);
  });
  recognition.addEventListener("end", () => isOpen && !muted && recognition.start()); // it ends by itself at times
  recognition.start();
  return {
    mute(is) {
      if (is === muted) return;
      muted = is;
      if (is) recognition.stop(); // and its end finds it muted
      else recognition.start();
    },
    close() {
      isOpen = false;
      recognition.stop();
      text($("partial"), "");
    },
  };
}

const post = ({ transcript, confidence }) =>
  fetch(pathTo(`api/v1/sessions/${session}/segments`), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: transcript, ...(confidence > 0 ? { confidence } : {}) }),
  }).then((answer) => answer.ok || text($("refused"), "What you said was not taken. Say or type it again."))
    .catch(() => text($("refused"), "The server cannot be reached. Say or type it again."));

// ------------------------------------------------------------------ on and off

const LINES = {
  server: "Your words are recognised on this machine. No sound is kept.",
  browser: "Your browser recognises your words; its maker may do so elsewhere.",
};
let hears = null;
let isTurning = false;

function turnOff() {
  open?.close();
  open = null;
  show();
}

async function turn() {
  if (hears === null || isTurning) return;
  text($("refused"), "");
  if (open !== null) return turnOff();
  isTurning = true;
  try {
    open = await (hears === "server" ? overServer() : overBrowser());
  } catch {
    text($("refused"), "The browser gives no microphone. Allow it for this page, or type what you say.");
  }
  isTurning = false;
  show();
}

function show() {
  button.setAttribute("aria-pressed", String(open !== null));
  const waits = view !== null && !view.is_running;
  isMuted = waits || Boolean(synthesis?.speaking);
  open?.mute(isMuted);
  const state = open === null ? "Microphone off" : waits ? "Microphone waits" : isMuted ? "Microphone muted" : "Microphone on";
  text($("microphone-state"), state);
  if (open === null || isMuted) button.style.setProperty("--level", 0);
  if (open === null && hears !== null) hint(LINES[hears]);
}

// ------------------------------------------------------------------ the panel's voices

const isVoiced = () => $("voices").getAttribute("aria-pressed") === "true";
// Voices that are not of this machine would send the question elsewhere.
const voices = () => synthesis.getVoices().filter((voice) => voice.localService && voice.lang.startsWith("en"));

function speak(question) {
  const key = question === null ? "" : `${question.exchange} ${question.turn}`;
  if (key === asked) return;
  asked = key;
  synthesis?.cancel();
  if (question === null || !isVoiced()) return;
  const seat = [...$("panel").children].findIndex((item) => item.dataset.agent === question.agent);
  const words = new SpeechSynthesisUtterance([question.remark, question.text].filter(Boolean).join(" "));
  const own = voices();
  words.voice = own[seat % own.length] ?? null;
  words.pitch = [1, 0.85, 1.1, 0.95, 1.2][seat % 5]; // so that they differ where there is one voice alone
  for (const event of ["start", "end", "error"]) words.addEventListener(event, show);
  synthesis.speak(words);
}

function offerVoices() {
  const has = synthesis !== undefined && voices().length > 0;
  $("voices").hidden = !has;
}

// ------------------------------------------------------------------ beginning

async function begin() {
  const { recognises, detail } = await fetch(pathTo("api/v1/speech")).then((answer) => answer.json()).catch(() => ({ detail: "the server cannot be reached" }));
  const hasSound = navigator.mediaDevices?.getUserMedia && window.AudioWorkletNode;
  if (recognises && hasSound) hears = "server";
  else if (window.webkitSpeechRecognition && window.isSecureContext) hears = "browser";
  button.hidden = hears === null;
  if (hears === null) hint(recognises ? "Type what you say: browsers give the microphone only to this machine's own pages, or over https." : `Type what you say: ${detail}.`);
  show();
}

button.addEventListener("click", turn);
$("voices").addEventListener("click", () => {
  $("voices").setAttribute("aria-pressed", String(!isVoiced()));
  if (!isVoiced()) synthesis.cancel();
});
synthesis?.addEventListener?.("voiceschanged", offerVoices);
document.addEventListener("room", ({ detail }) => {
  view = detail;
  speak(view.question);
  show();
});
offerVoices();
begin();
