// The room. Everything shown comes from the server's view of the session, sent anew at each change:
// so a page that was reloaded, cut off or opened twice shows the same moment.

import { beat, isConnected, knownUntil, lose, silence } from "./heartbeat.js";
import { pathTo } from "./place.js";
import { LONG_TIMEOUT_S, newId, write } from "./request.js";
import { counted, sentence } from "./words.js";

const room = document.getElementById("room");
const session = room.dataset.session;
const watches = "watches" in room.dataset;
const api = (path) => pathTo(`api/v1/sessions/${encodeURIComponent(session)}/${path}`);
const $ = (id) => document.getElementById(id);

let view = null;
let seenAt = 0; // performance.now() when `view` came: the clock runs on from there
let pictured = null;
let sent = null; // words on their way: an answer can be lost on its way back, and the words be there
let saying = Promise.resolve(); // until they have come, or have not
let lost = null; // words that were sent, with no word back
let lostAs = null; // where to, and by which id: sent there again they count once
let triedAt = -Infinity; // when this page last began to drive by itself
let wanted = null; // the slide that was asked for and is not shown yet
let isLeaving = false; // for the debrief
let isEnding = false; // by this page
let turning = Promise.resolve(); // slides are changed one after the other, in the order of the keys

const clock = (seconds) => {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

const MOMENTS = {
  presenting: "You have the floor.",
  question: "A question for you.",
  answering: "The panel is listening to your answer.",
  judging: "The panel considers your answer.",
  resolving: "The panel considers your answer.",
  closing: "The debrief is being written.",
};

/** Of a server that is silent: that, and what is kept. What was said last may not be, and nobody here knows. */
const silenceLine = () => `${silence()} What stands in the captions is kept${watches ? "" : ", what you typed stays here, and what you say now is not heard"}.`;

function stateLine() {
  if (!isConnected()) return silenceLine();
  if (view.state === "ended") return "The rehearsal has ended.";
  if (view.state === "degraded") return "The disk failed, so nothing more is written. Run greenroom resume.";
  if (isEnding && view.moment !== "closing") return "What you said last is taken in; then the debrief is written.";
  if (view.moment === "closing") return MOMENTS.closing;
  if (view.broke_off) return `It broke off: ${view.broke_off}. Then go on.`;
  if (view.is_driven_elsewhere) return `${view.is_running ? MOMENTS[view.moment] ?? view.moment : "Paused."} Another program runs this session; here you can speak, answer and change slides.`;
  if (!view.is_running && !hasBegun()) return watches ? "It has not begun yet." : "You have not begun yet. Press Begin when you are ready: the clock starts then.";
  if (!view.is_running) return "Paused. The clock stands still.";
  return MOMENTS[view.moment] ?? view.moment;
}

const hasBegun = () => view.now_s > 0; // not by its slide, since a drill opens on one, nor by words: they may come before

// ------------------------------------------------------------------ showing

function text(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

function line(tag, words, className) {
  const made = document.createElement(tag);
  made.textContent = words;
  if (className) made.className = className;
  return made;
}

function show() {
  const open = view.question;
  text($("state"), stateLine());
  text($("budget"), `${view.minutes}:00`);
  showTime();
  showSlide();
  showPanel();
  showLeft();
  showQuestion(open);
  room.classList.toggle("is-asked", open !== null);
  room.classList.toggle("is-broken", view.state === "degraded" || Boolean(view.broke_off));
  renew($("said"), view.said, (words) => line("p", words));
  renew($("captions"), view.captions, (one) => {
    const item = line("li", "");
    item.append(line("time", clock(one.at_s), "soft"), " ", one.speaker ? `${one.speaker}: ` : "", one.text);
    return item;
  });
  showAsked();
  if (!watches) showControls(open);
}

/** Make a list anew where it has changed: a reader of screens is told what is new, and no more. */
function renew(element, values, made) {
  const key = JSON.stringify(values);
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  element.replaceChildren(...values.map(made));
  element.scrollTop = element.scrollHeight;
}

function showAsked() {
  $("asked").hidden = view.closed.length === 0;
  text($("asked-count"), `${counted(view.closed.length, "question")} so far`);
  renew($("asked-list"), view.closed, (one) => {
    const item = line("li", "");
    item.append(line("strong", one.name), ` ${one.outcome}`, line("q", one.question));
    if (one.remark) item.append(line("em", one.remark));
    return item;
  });
}

function showTime() {
  if (!view) return;
  const since = view.is_running ? Math.max(0, knownUntil() - seenAt) / 1000 : 0; // the clock stands while the server is gone
  const used = view.used_s + since;
  const share = used / (view.minutes * 60);
  text($("used"), clock(used));
  $("budget-bar").value = Math.min(1, share);
  const passed = view.warnings.filter((one) => share >= one).length;
  room.dataset.time = share >= 1 ? "over" : ["", "short", "late"][Math.min(passed, 2)];
  const left = view.minutes * 60 - used;
  text($("left"), share >= 1 ? `${clock(-left)} over` : passed ? `${clock(left)} left` : "");
}

function showSlide() {
  const number = view.slide ?? view.slides[0]?.[0];
  const named = view.slides.find(([one]) => one === number);
  const count = view.slides.length;
  text($("slide-name"), view.slide === null ? `${count} slides` : `${number} of ${count}: ${named?.[1] ?? ""}`);
  if (number === pictured) return;
  pictured = number;
  for (const card of document.querySelectorAll(".slide-card")) card.hidden = Number(card.dataset.slide) !== number;
  if (!("pictures" in room.dataset)) return;
  const picture = $("slide-picture");
  picture.hidden = true; // the text card stands until the picture is there, and where there is none
  picture.src = api(`slides/${number}.png`);
  picture.alt = `Slide ${number}: ${named?.[1] ?? ""}`;
}

function showPanel() {
  for (const item of $("panel").children) {
    const member = view.panel.find((one) => one.agent === item.dataset.agent);
    if (!member) continue;
    item.classList.toggle("is-speaking", member.is_speaking);
    const mark = member.is_speaking ? "asking" : member.has_hand_up ? "hand up" : member.failed ? "no new question" : "";
    text(item.querySelector(".panel-mark"), mark);
    item.title = member.failed ?? "";
    const call = item.querySelector(".panel-call");
    if (call) call.hidden = !(member.has_hand_up || member.has_question) || view.question !== null || view.left === 0;
  }
}

function showLeft() {
  text($("questions-left"), view.left ? `${counted(view.left, "question")} left` : "All questions have been asked.");
}

function showQuestion(open) {
  const card = $("question");
  card.hidden = open === null;
  if (open === null) return;
  card.style.setProperty("--voice", open.color);
  text($("question-name"), open.name);
  text($("question-turn"), open.turn > 1 ? `follow-up ${open.turn - 1}` : "");
  $("question-remark").hidden = !open.remark;
  text($("question-remark"), open.remark);
  const quotes = open.quotes.length ? open.quotes : ["A general question."];
  const key = JSON.stringify(quotes);
  if ($("question-quotes").dataset.key !== key) {
    $("question-quotes").dataset.key = key;
    $("question-quotes").replaceChildren(...quotes.map((words) => line("blockquote", words)));
  }
  text($("question-text"), open.text);
  const put = `${open.exchange} ${open.turn}`;
  if (card.dataset.put !== put) scrollTo(0, 0); // wherever the page stood, a new question is seen
  card.dataset.put = put;
  $("question-judging").hidden = open.is_judged;
}

function showControls(open) {
  const runs = view.is_running && view.state === "active";
  $("go").hidden = runs || view.is_driven_elsewhere;
  text($("go"), hasBegun() ? "Go on" : "Begin");
  $("pause").hidden = !runs;
  $("park").hidden = open === null;
  $("call").hidden = open !== null || view.left === 0;
  text($("words-label"), open ? `Your answer to ${open.name}` : "What you say");
  text($("send"), open ? "Answer" : "Say it");
  $("send").disabled = sent !== null || (open !== null && !open.is_judged);
  if (open !== null) text($("notice"), "");
  const last = view.captions.at(-1)?.text;
  if (sent === null && lost !== null && last === lost) clearWords(); // it had arrived, though nobody told us
}

// ------------------------------------------------------------------ doing

const TIMEOUTS_S = { ask: LONG_TIMEOUT_S, answer: LONG_TIMEOUT_S, drive: LONG_TIMEOUT_S, end: 600 }; // a model may be asked, at the end for minutes
const isWords = (path) => path === "segments" || path === "answer";

/** Send a write; null where it was refused or got no answer, which the page then says. */
async function send(path, body, method = "POST", id = newId()) {
  text($("refused"), "");
  text($("notice"), "");
  const answer = await write(api(path), body, { method, id, timeoutS: TIMEOUTS_S[path], isHeld: (one) => isHeld(one, path) });
  if (answer.isOk) return answer.body;
  const kept = isWords(path) ? "What you typed is still here; it can be sent again, and counts once." : "Whether it was done is not known: look at the page once it is connected again.";
  text($("refused"), answer.status === 0 ? `${answer.words} ${kept}` : answer.words);
  return null;
}

/** Words that the server cannot write now, since another program holds the session, are sent until it can. */
function isHeld(answer, path) {
  const is = answer.status === 503 && isWords(path);
  if (is) text($("notice"), "Another program holds the session. Your words are sent again by themselves.");
  return is;
}

const plain = (words) => words.trim().split(/\s+/).join(" "); // as the transcript has them

function say() {
  if (sent === null) saying = sayWords();
  return saying;
}

async function sayWords() {
  const words = plain($("words").value);
  if (!words) return;
  // Whoever pressed Enter is in the field, or has left it by Escape since: keys that follow are not for it.
  const byButton = document.activeElement === $("send");
  const path = view?.question ? "answer" : "segments";
  const isAgain = words === lost && path === lostAs.path;
  lostAs = isAgain ? lostAs : { path, id: newId() };
  sent = words;
  lost = null;
  $("send").disabled = true;
  const done = await send(path, { text: words }, "POST", lostAs.id);
  sent = null;
  if (done === null) lost = words;
  else if (plain($("words").value) === words) clearWords(); // else somebody has typed on meanwhile
  else $("words").value = $("words").value.trimStart().slice(words.length).trimStart();
  if (view) showControls(view.question);
  if (byButton) $("words").focus();
}

// What was typed and not sent stays with this tab, whatever happens to the page or the server.
const DRAFT = `greenroom.draft.${session}`;

function keepDraft() {
  sessionStorage.setItem(DRAFT, $("words").value);
}

function clearWords() {
  $("words").value = "";
  lost = null;
  text($("refused"), "");
  keepDraft();
}

async function call(agent) {
  const now = await send("ask", agent ? { agent } : {});
  if (now && now.question === null) text($("notice"), "Nobody has a question now. Go on speaking, or to other slides.");
}

function turn(by) {
  const numbers = view.slides.map(([number]) => number);
  const shown = wanted ?? view.slide; // a second press may come before the first has come back
  const at = shown === null ? (by > 0 ? -1 : 0) : numbers.indexOf(shown);
  const next = numbers[at + by];
  if (next === undefined) return;
  wanted = next;
  turning = turning.then(() => send("slide", { slide: next }, "PUT")).then(() => {
    if (wanted === next) wanted = null;
  });
}

async function go() {
  const slow = setTimeout(() => text($("notice"), "The panel’s model is being asked whether it is there."), 800);
  const done = await send("drive");
  clearTimeout(slow);
  if (done) text($("notice"), "");
}

const pause = () => send("pause");

function finish() {
  const draft = plain($("words").value);
  $("ending-draft").hidden = $("ending-send").hidden = draft === "";
  text($("ending-words"), draft);
  text($("ending-yes"), draft === "" ? "End it" : "End without it");
  $("ending").returnValue = "";
  $("ending").showModal();
}

/** What was said is taken in first: a draft that is to be sent, and what the microphone has heard up to now. */
async function end(isDraftSent) {
  if (isEnding) return;
  if (isDraftSent) await say();
  if (isDraftSent && plain($("words").value)) return; // it was refused, which is said
  isEnding = true;
  $("finish").disabled = true;
  text($("state"), stateLine());
  const heard = [];
  document.dispatchEvent(new CustomEvent("ending", { detail: heard }));
  await Promise.all(heard);
  const done = await send("end", {});
  isEnding = false;
  if (done?.warnings.length) return offerDebrief(done.warnings.map(sentence).join(" "));
  if (done || view.state === "ended") return goToDebrief(true);
  $("finish").disabled = false;
  document.dispatchEvent(new CustomEvent("ending", { detail: null }));
  text($("state"), stateLine());
}

/** Once: the answer to our own request, which may have more to say, and the server's word both say that it has ended. */
function goToDebrief(isOwn = false) {
  if (isLeaving || isEnding) return;
  if (!watches && !isOwn && plain($("words").value)) {
    return offerDebrief("It was ended elsewhere, and what you typed here was not sent: copy it, if you need it.");
  }
  isLeaving = true;
  location.assign(pathTo(`debrief/${encodeURIComponent(session)}`));
}

/** It has ended, and there is something to read before this page is left. */
function offerDebrief(words) {
  isLeaving = true; // by the link alone
  const link = line("a", "Go to the debrief");
  link.href = pathTo(`debrief/${encodeURIComponent(session)}`);
  $("notice").replaceChildren(`${words} `, link);
  text($("state"), "The rehearsal has ended.");
}

const KEYS = {
  ArrowRight: () => turn(1),
  PageDown: () => turn(1),
  ArrowLeft: () => turn(-1),
  PageUp: () => turn(-1),
  a: () => $("words").focus(),
  q: () => view.question || view.left === 0 || call(),
  l: () => view.question && send("park"),
  e: finish,
  m: () => $("microphone").click(),
  " ": () => (!$("go").hidden ? go() : !$("pause").hidden && pause()),
  "?": () => $("keys").showModal(),
};

function pressed(event) {
  if (event.target === $("words")) {
    if (event.key === "Escape") $("words").blur();
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      say();
    }
    return;
  }
  const onControl = event.target.closest("button, a, input, select, summary");
  if (event.ctrlKey || event.metaKey || event.altKey || !view) return;
  // A dialog that was closed keeps the focus until the page is drawn again: only an open one takes the keys.
  if (event.target.closest("dialog[open]") || (onControl && event.key === " ")) return;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (act) {
    event.preventDefault();
    act();
  }
}

if (!watches) {
  $("composer").addEventListener("submit", (event) => { event.preventDefault(); say(); });
  $("next").addEventListener("click", () => turn(1));
  $("previous").addEventListener("click", () => turn(-1));
  $("go").addEventListener("click", go);
  $("pause").addEventListener("click", pause);
  $("call").addEventListener("click", () => call());
  $("park").addEventListener("click", () => send("park"));
  $("finish").addEventListener("click", finish);
  $("keys-open").addEventListener("click", () => $("keys").showModal());
  $("ending").addEventListener("close", () => {
    const { returnValue } = $("ending");
    if (returnValue === "end" || returnValue === "send") end(returnValue === "send");
  });
  document.addEventListener("keydown", pressed);
  $("words").value = sessionStorage.getItem(DRAFT) ?? "";
  $("words").addEventListener("input", keepDraft);
  for (const button of document.querySelectorAll(".panel-call")) {
    button.addEventListener("click", () => call(button.closest("li").dataset.agent));
  }
}
$("slide-picture").addEventListener("load", () => {
  $("slide-picture").hidden = false;
  for (const card of document.querySelectorAll(".slide-card")) card.hidden = true;
});
for (const item of $("panel").children) item.style.setProperty("--voice", item.dataset.color);

// ------------------------------------------------------------------ listening to the server

function listen() {
  const events = new EventSource(api("room/events"));
  events.addEventListener("room", (event) => {
    view = JSON.parse(event.data);
    seenAt = performance.now();
    beat();
    show();
    document.dispatchEvent(new CustomEvent("room", { detail: view }));
    if (view.state === "ended") goToDebrief();
    else goOnByItself();
  });
  events.addEventListener("heartbeat", beat);
  events.addEventListener("partial", (event) => text($("partial"), JSON.parse(event.data)));
  events.addEventListener("gone", () => location.assign(pathTo("")));
  events.addEventListener("error", () => {
    lose();
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, AGAIN_MS); // the browser gives up at a refusal
  });
}

/** The server that drove this session is gone without a word, and another has taken its place. */
function goOnByItself() {
  if (view.state !== "interrupted" || watches || view.broke_off) return;
  const now = performance.now();
  if (now - triedAt < AGAIN_MS) return; // each try that fails is a change, which would bring the next try
  triedAt = now;
  go();
}

document.addEventListener("connection", ({ detail }) => {
  room.dataset.connected = detail.isConnected ? "yes" : "no";
  text($("state"), view ? stateLine() : silenceLine());
});

const AGAIN_MS = 2000;
listen();
setInterval(showTime, 250);
