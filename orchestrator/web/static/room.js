// The room. Everything shown comes from the server's view of the session, sent anew at each change:
// so a page that was reloaded, cut off or opened twice shows the same moment.

import { caption, listenToCorrections } from "./captions.js";
import { $, line, renew, showLast, text, wordsButton } from "./elements.js";
import { beat, isConnected, lose, silence } from "./heartbeat.js";
import { listenToKeys, nameKeys } from "./keys.js";
import { openOverview } from "./overview.js";
import { pathTo } from "./place.js";
import { ready } from "./ready.js";
import { LONG_TIMEOUT_S, change, newId } from "./request.js";
import { fillScreen, keepAwake, offerFullScreen } from "./screen.js";
import { Moves, shownIn, stage } from "./slides.js";
import { tellSpeaking } from "./speaking.js";
import { follow } from "./stream.js";
import { nowOf, showTime, viewOf } from "./time.js";
import { showTurn } from "./turn.js";
import { behind, counted, sentence } from "./words.js";

const room = document.getElementById("room");
const session = room.dataset.session;
const watches = "watches" in room.dataset;
const slides = stage("stage-slide", room);

let view = null;
let unsure = null; // words that were sent and may not have come: { path, id, words, start_s, draft, after }; so again they count once
let isSaying = false; // they are on their way
let saying = Promise.resolve(); // until they have come, or have not
let triedAt = -Infinity; // when this page last began to drive by itself
let typed = ""; // the number of a slide, before Enter
let isLeaving = false; // for the debrief
let isEnding = false; // by this page
let refusal = ""; // what was said last of a write: the microphone speaks in the same place
let put = ""; // the question that was told last
let inSightAt = -Infinity; // by `performance.now()`, when this page showed it; one that was there when the page came was seen before
let draft = null; // how what stands in the field was begun: { at, to }, by the session's clock, and the question that was in sight

let hasShown = false; // a room, since this page came

const MOMENT_MS = 1000; // nobody has read a question so soon: words that are begun within it were on their way
const MOMENTS = {
  presenting: "You have the floor.",
  question: "A question for you.",
  answering: "The panel is listening to your answer.",
  judging: "The panel considers your answer.",
  resolving: "The panel considers your answer.",
  closing: "The debrief is being written.",
};

/** Of a server that is silent: that, and what it means for whoever speaks. It fits into the head's two lines. */
const silenceLine = () => `${silence()} This page tries again by itself${watches ? "" : "; what you say now is not heard"}.`;

function stateLine() {
  if (!isConnected()) return silenceLine();
  if (view.state === "ended") return "The rehearsal has ended.";
  if (view.state === "degraded") return "The disk failed, so nothing more is written. Run greenroom resume.";
  if (isEnding && view.moment !== "closing") return "What you said last is taken in; then the debrief is written.";
  if (view.moment === "closing") return MOMENTS.closing;
  if (view.broke_off) return `It broke off: ${view.broke_off}. Then go on.`;
  if (view.is_driven_elsewhere) return `${view.is_running ? MOMENTS[view.moment] ?? view.moment : "Paused."} Another program runs this session; here you can speak, answer and change slides.`;
  if (view.recording !== null) return recordedLine();
  if (!view.is_running && !hasBegun()) return watches ? "It has not begun yet." : "You have not begun yet. Press Begin when you are ready: the clock starts then.";
  if (!view.is_running) return "Paused. The clock stands still.";
  return MOMENTS[view.moment] ?? view.moment;
}

/** What there is to say of the model: that nobody hears from it, or what is waited for. */
function modelLine() {
  if (!isConnected() || view.state === "ended") return "";
  if (view.took_over) return `The offline panel sits in the model's place: ${view.took_over}.`;
  return view.asking ? `The model is asked: ${view.asking}.` : "";
}

/** Of a recorded talk: its clock is the recording's, which stands while somebody answers. */
function recordedLine() {
  if (view.is_playing) return view.question === null ? "Your recorded talk is played up to the next question." : MOMENTS[view.question.is_judged ? "question" : "judging"];
  if (view.is_played) return watches ? "The recording and its questions are over." : "The recording and its questions are over. Press End for the debrief.";
  if (hasBegun()) return "Paused. The recording stands still.";
  return watches ? "It has not begun yet." : "Press Begin: your recorded talk is played at once, up to the first question, which you answer here.";
}

const hasBegun = () => view.now_s > 0; // not by its slide, since a drill opens on one, nor by words: they may come before

// ------------------------------------------------------------------ showing

function show() {
  const open = view.question;
  const focused = document.activeElement;
  text($("state"), [stateLine(), modelLine()].filter(Boolean).join(" "));
  showTime(room, view);
  showSlide();
  showPanel();
  showLeft();
  showQuestion(open);
  showTurn(view, !watches);
  room.classList.toggle("is-asked", open !== null);
  room.classList.toggle("is-broken", view.state === "degraded" || Boolean(view.broke_off));
  renew($("said"), view.said, (words) => line("p", words));
  renew($("captions"), view.captions, (one) => caption(one, !watches && one.number > 0));
  showAsked();
  if (!watches) showControls(open);
  if (open !== null) fitQuestion();
  hasShown = true;
  keepFocus(focused);
  keepAwake(view.is_running);
}

/** What had the focus is gone from the page: whoever goes by keys stays near it, and not at the page's top. */
function keepFocus(focused) {
  if (watches || focused === document.body || focused.offsetParent !== null || focused.closest("dialog")) return;
  [$("pause"), $("go"), $("call")].find((one) => !one.hidden)?.focus();
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

function showSlide() {
  const number = shownIn(view, slides.cards);
  const title = view.slides.find(([one]) => one === number)?.[1] ?? "";
  text($("slide-name"), typed ? `Slide ${typed}, then Enter` : `${number} of ${view.slides.length}: ${title}`);
  slides.show(number);
  slides.darken(Boolean(view.is_blank));
}

function showPanel() {
  for (const item of $("panel").children) {
    const member = view.panel.find((one) => one.agent === item.dataset.agent);
    if (!member) continue;
    item.classList.toggle("is-speaking", member.is_speaking);
    item.classList.toggle("has-hand-up", member.has_hand_up);
    const mark = member.is_speaking ? "asking" : member.has_hand_up ? "hand up" : member.failed ? "no new question" : "";
    text(item.querySelector(".panel-mark"), mark);
    item.title = member.failed ?? "";
    const call = item.querySelector(".panel-call");
    if (call) call.hidden = !(member.has_hand_up || member.has_question) || view.question !== null || view.left === 0;
  }
}

function showLeft() {
  text($("questions-left"), view.left ? `${counted(view.left, "question")} left.` : "All questions have been asked.");
}

function showQuestion(open) {
  const card = $("question");
  $("no-question").hidden = open !== null;
  card.hidden = open === null;
  $("question-judging").hidden = open === null || open.is_judged;
  if (open === null) {
    put = ""; // taken back, the same question is put anew
    text($("told"), "");
    return;
  }
  card.style.setProperty("--voice", open.color);
  text($("question-name"), open.name);
  text($("question-turn"), open.turn > 1 ? `follow-up ${open.turn - 1}` : "");
  $("question-remark").hidden = !open.remark;
  text($("question-remark"), open.remark);
  const above = aboveOf(open).map((words, at) => [words, open.slides?.[at] ?? null, !open.origin || at < open.quotes.length]);
  renew($("question-quotes"), above, quoted);
  text($("question-text"), open.text);
  const now = keyOf(open);
  if (put === now) return;
  put = now;
  if (hasShown) {
    inSightAt = performance.now();
    setTimeout(() => view && !watches && showControls(view.question), MOMENT_MS);
  }
  text($("notice"), "");
  card.parentElement.parentElement.classList.remove("is-tight");
  card.parentElement.scrollTop = 0; // wherever it stood, a new question is seen from its beginning
  // Read out whole and once: the card itself is no live region, or each of its parts were read by itself.
  text($("told"), [`${open.name} asks:`, open.remark, open.text].filter(Boolean).join(" "));
}

/** Set a question that has not room enough, with its quote, in smaller type, until the next one. */
function fitQuestion() {
  const box = $("question").parentElement;
  if (box.scrollHeight > box.clientHeight) box.parentElement.classList.add("is-tight");
}

/** What stands above a question: the words that it is about, and whose it is where no panelist made it. */
function aboveOf({ quotes, origin }) {
  const above = origin ? [...quotes, sentence(origin)] : quotes;
  return above.length ? above : ["A general question."];
}

/** A quote, or what stands in its place; of a slide, a click shows that slide. */
function quoted([words, slide, isQuote]) {
  const quote = line(isQuote ? "blockquote" : "p", "");
  if (!isQuote) quote.className = "soft";
  if (slide === null || watches) quote.append(words);
  else quote.append(wordsButton(words, "quote-words", `Show slide ${slide}`, () => jump(slide)));
  return quote;
}

function showControls(open) {
  text($("correcting-clock"), view.is_running ? "The clock runs on meanwhile." : "The clock stands still.");
  const runs = (view.is_running || view.is_playing) && view.state === "active";
  $("go").hidden = runs || view.is_driven_elsewhere || view.is_played;
  const isRecorded = view.recording !== null; // its slides and its words are the recording's; yours are the answers
  $("previous").hidden = $("next").hidden = $("call").hidden = isRecorded;
  $("composer").hidden = isRecorded && open === null;
  text($("go"), hasBegun() ? "Go on" : "Begin");
  $("pause").hidden = !runs;
  $("call").setAttribute("aria-disabled", String(!canCall()));
  text($("call"), view.turn?.waits ? "Questions now" : "Take a question now");
  const isAnswer = open !== null && !isOfTalk(open);
  text($("words-label"), isAnswer ? `Your answer to ${open.name}` : open && hasWords() ? "Begun before the question" : "What you say");
  text($("send"), isAnswer ? "Answer" : "Say it");
  $("words").placeholder = isAnswer ? `Answer ${open.name} here` : "A line of your talk";
  $("composer").classList.toggle("is-answer", isAnswer);
  if (isAnswer) $("composer").style.setProperty("--voice", open.color);
  $("mine").hidden = open === null || isAnswer || !hasWords();
  $("send").setAttribute("aria-disabled", String(!canSend()));
  const hasCome = ({ number, text: words }) => number > unsure.after && words === unsure.words;
  if (!isSaying && unsure !== null && view.captions.some(hasCome)) isTaken(); // though nobody told us
}

const keyOf = ({ exchange, turn }) => `${exchange} ${turn}`;
const hasWords = () => $("words").value !== "";

/** The question that words which are begun now are said to: one that has been in sight for a moment; "": the talk. */
const saidTo = (open) => (open !== null && performance.now() - inSightAt >= MOMENT_MS ? keyOf(open) : "");

/** Whether what stands in the field, or would be begun there now, is no answer to this question: it belongs to the talk. */
function isOfTalk(open) {
  if (view.recording !== null || open.put_at_s === 0) return false; // there is no talk: the recording's, or none yet
  return (hasWords() ? draft?.to : saidTo(open)) !== keyOf(open);
}

/** When words were begun, as the server is told: before the question where they are the talk's, else not before it. */
function startOf(begun, open) {
  const at = begun?.at ?? null;
  if (open === null) return at;
  if (isOfTalk(open)) return Math.min(at ?? Infinity, Math.max(0, open.put_at_s - 0.001));
  return at === null ? null : Math.max(at, open.put_at_s);
}

const canCall = () => view.question === null && view.left > 0 && view.recording === null;
const canSend = () => !isSaying && (view?.question == null || view.question.is_judged);

// ------------------------------------------------------------------ doing

const TIMEOUTS_S = { end: 600 }; // a model may be asked, at the end for minutes
for (const path of ["ask", "answer", "answer/done", "answer/back", "answer/talk", "park", "drive"]) TIMEOUTS_S[path] = LONG_TIMEOUT_S;
const SOON_MS = 300;
const isWords = (path) => path.split("/")[0] === "segments" || path === "answer";

/** Send a write; null where it was refused or got no answer, which the page then says. */
async function send(path, body, method) {
  const answer = await attempt(path, body, method);
  return answer.isOk ? answer.body : null;
}

/** Send what is done once the last words are recognised, and say so where that lasts. */
async function sendOnceHeard(path, words) {
  const slow = setTimeout(() => text($("notice"), words), SOON_MS);
  const now = await send(path);
  clearTimeout(slow);
  if (now && $("notice").textContent === words) text($("notice"), "");
  return now;
}

/** What was typed to the question and not sent is part of the answer that ends. */
function done() {
  const isTyped = view.question !== null && !isOfTalk(view.question) && plain($("words").value) !== "";
  return isTyped ? say() : sendOnceHeard("answer/done", "Your answer ends as soon as your last words are in.");
}

const park = () => sendOnceHeard("park", "It is set aside as soon as your last words are in.");

async function takeBack() {
  const before = view.captions;
  const now = await sendOnceHeard("answer/back", "It is taken back as soon as your last words are in.");
  if (!now) return;
  await shown(now.seq);
  const gone = before.filter(({ number }) => !now.captions.some((one) => one.number === number)).map((one) => one.text);
  text($("notice"), `“${gone.join(" ")}” is taken back: the question is open again.`);
}

async function giveToTalk() {
  const now = await sendOnceHeard("answer/talk", "It is the talk’s as soon as your last words are in.");
  if (!now) return;
  await shown(now.seq);
  text($("notice"), "It counts as your talk. The question comes again once you have gone on and paused.");
}

/** Wait until the page shows this record: a question that is put anew clears what is said of the one before. */
function shown(seq) {
  if (view.seq >= seq) return Promise.resolve();
  return new Promise((done) => {
    document.addEventListener("room", function look({ detail }) {
      if (detail.seq < seq) return;
      document.removeEventListener("room", look);
      done();
    });
  });
}

/** Send a write, and say why it failed. */
async function attempt(path, body, method = "POST", id = newId()) {
  refuse("");
  text($("notice"), "");
  const answer = await change(session, path, { method, body, id, timeoutS: TIMEOUTS_S[path], isHeld: (one) => isHeld(one, path) });
  if (answer.isOk) return answer;
  const kept = isWords(path) ? "What you typed is still here; it can be sent again, and counts once." : "Whether it was done is not known: look at the page once it is connected again.";
  refuse(answer.status === 0 ? `${answer.words} ${kept}` : answer.words);
  return answer;
}

/** Say why a write failed, or take that back; what the microphone said there since stays. */
function refuse(words) {
  if (words === "" && $("refused").textContent !== refusal) return;
  refusal = words;
  text($("refused"), words);
}

/** Words that the server cannot write now, since another program holds the session, are sent until it can. */
function isHeld(answer, path) {
  const is = answer.status === 503 && isWords(path);
  if (is) text($("notice"), "Another program holds the session. Your words are sent again by themselves.");
  return is;
}

/** Words that are typed: they were begun with the first key, and no silence ends an answer meanwhile. */
function typing() {
  if (!hasWords()) {
    draft = null;
    if (!isSaying) unsure = null;
  } else draft ??= begunNow();
  keepDraft();
  if (view) showControls(view.question);
  if (view?.is_running && hasWords()) tellSpeaking(session);
}

/** How words are begun at this moment; while the clock stands, no time tells one word from another. */
const begunNow = () => ({ at: view?.is_running ? nowOf(view) : null, to: view ? saidTo(view.question) : "" });

const plain = (words) => words.trim().split(/\s+/).join(" "); // as the transcript has them

/** Send what was typed; where words are on their way, what was typed behind them follows once they have come. */
function say() {
  saying = isSaying ? saying.then((hasCome) => hasCome && sayWords()) : sayWords();
  return saying;
}

/** Whether the words have come. */
async function sayWords() {
  const words = plain($("words").value);
  if (!words || !canSend()) return false;
  const isAgain = unsure !== null && behind(unsure.words, words) !== null; // first what may have come, as it was sent
  if (!isAgain) {
    draft = unsure?.draft ?? draft;
    const open = view?.question ?? null;
    const after = Math.max(0, ...(view?.captions ?? []).map((one) => one.number));
    unsure = { path: open ? "answer" : "segments", id: newId(), words, start_s: startOf(draft, open), draft, after };
    draft = null; // what is typed from here on is begun anew
  }
  const { path, id, words: text, start_s, draft: begun } = unsure;
  isSaying = true;
  keepDraft();
  if (view) showControls(view.question);
  const { isOk, status } = await attempt(path, start_s === null ? { text } : { text, start_s }, "POST", id);
  isSaying = false;
  if (isOk) isTaken();
  else if (status !== 0 && status < 500) { // refused: it has not come
    unsure = null;
    draft = begun;
    keepDraft();
  }
  if (view) showControls(view.question);
  if (isOk && !hasBegun() && !$("go").hidden) await begin();
  if (isOk && isAgain) await sayWords(); // what was typed behind it
  return isOk;
}

/** Who types the first words has begun. */
async function begin() {
  await go();
  if (!$("refused").textContent) text($("notice"), "Your words have begun the rehearsal: the clock runs.");
}

/** What was begun before the question answers it all the same, says the presenter. */
function countAsAnswer() {
  draft = { at: view.is_running ? nowOf(view) : null, to: keyOf(view.question) };
  keepDraft();
  showControls(view.question);
  $("words").focus();
}

/** What was sent has come, and leaves the field; what was typed meanwhile stays. */
function isTaken() {
  const typed = $("words").value;
  $("words").value = (behind(unsure.words, typed) ?? typed).trimStart();
  if (!hasWords()) draft = null;
  unsure = null;
  refuse("");
  keepDraft();
}

// What was typed and not sent stays with this tab, whatever happens to the page or the server.
const DRAFT = `greenroom.draft.${session}`;

function keepDraft() {
  sessionStorage.setItem(DRAFT, JSON.stringify({ words: $("words").value, draft, unsure, hasFocus: document.activeElement === $("words") }));
}

function recallDraft() {
  const kept = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
  if (kept === null) return;
  ({ words: $("words").value, draft = null, unsure } = kept);
  if (kept.hasFocus) $("words").focus();
}

async function call(agent) {
  if (!agent && view.turn?.waits) return send("questions");
  const now = await send("ask", agent ? { agent } : {});
  if (now && now.question === null) text($("notice"), "Nobody has a question now. Go on speaking, or to other slides.");
}

const moves = new Moves(slides.cards, async (number) => (await attempt("slide", { slide: number }, "PUT")).isOk);

function turn(by) {
  if (view.recording !== null) return;
  if (!moves.turn(view, by) && by > 0) finish(); // behind the last slide, as a clicker's user expects
}

function jump(number) {
  if (view.recording !== null) return text($("notice"), "The slides are the recording’s.");
  if (!view.slides.some(([one]) => one === number)) {
    return text($("notice"), `There is no slide ${number}: the deck has ${view.slides.length}.`);
  }
  moves.jump(view, number);
}

const overview = () => openOverview(slides, shownIn(view, slides.cards), "pictures" in room.dataset, jump);
const darken = () => send("blank", { is_blank: !view.is_blank }, "PUT");

let isGoing = false;

async function go() {
  if (isGoing) return;
  isGoing = true;
  const slow = setTimeout(() => text($("notice"), "The panel’s model is being asked whether it is there."), 800);
  const done = await send("drive");
  clearTimeout(slow);
  isGoing = false;
  if (done) text($("notice"), "");
}

const pause = () => send("pause");

/** What becomes of a question that is open at the end. */
const ENDS = {
  asked: (name) => `${name}’s question is open: it stays without an answer.`,
  answered: (name) => `${name}’s question is open: what you answered is kept, and nobody judges it.`,
};

function finish() {
  const draft = plain($("words").value);
  $("ending-draft").hidden = $("ending-send").hidden = draft === "";
  text($("ending-words"), draft);
  $("ending-question").hidden = view.question === null;
  text($("ending-question"), view.question && ENDS[view.turn?.phase === "asked" ? "asked" : "answered"](view.question.name));
  const parked = view.closed.filter((one) => view.parked.includes(one.exchange));
  $("ending-parked").hidden = parked.length === 0;
  $("ending-take").hidden = parked.length === 0 || view.question !== null || view.recording !== null;
  text($("ending-parked-words"), `You asked to come back to ${parked.length > 1 ? `${counted(parked.length, "question")}: they go` : "this question: it goes"} home with you as open.`);
  renew($("ending-parked-list"), parked, (one) => line("li", `${one.name}: ${one.question}`));
  text($("ending-take"), parked.length > 1 ? "Take the first now" : "Take it now");
  text($("ending-yes"), draft === "" ? "End it" : "End without it");
  $("ending").returnValue = "";
  $("ending").showModal();
  $("ending-no").focus(); // a key too many ends nothing
}

/** What was said is taken in first: a draft that is to be sent, and what the microphone has heard up to now. */
async function end(isDraftSent) {
  if (isEnding) return;
  if (isDraftSent) await say();
  if (isDraftSent && plain($("words").value)) {
    if (!$("refused").textContent) text($("notice"), "Your answer before is still being judged. End once more when it is.");
    return;
  }
  isEnding = true;
  $("finish").disabled = true;
  text($("state"), stateLine());
  const heard = [];
  document.dispatchEvent(new CustomEvent("ending", { detail: heard }));
  const lost = (await Promise.all(heard)).filter(Boolean);
  const done = await send("end", {});
  isEnding = false;
  if (done?.warnings.length || (done && lost.length)) return offerDebrief([...lost, ...done.warnings.map(sentence)].join(" "));
  if (done || view.state === "ended") return goToDebrief(true);
  $("finish").disabled = false;
  document.dispatchEvent(new CustomEvent("ending", { detail: null }));
  text($("state"), stateLine());
}

/** Once: the answer to our own request, which may have more to say, and the server's word both say that it has ended. */
function goToDebrief(isOwn = false) {
  if (isLeaving || isEnding) return;
  if (!watches && ((!isOwn && plain($("words").value)) || $("correcting").open)) {
    return offerDebrief("It was ended, and what you typed here was not sent: copy it, if you need it.");
  }
  isLeaving = true;
  // In the room's place: the room of a session that has ended is its debrief, so Back would only come to it again.
  location.replace(pathTo(`debrief/${encodeURIComponent(session)}`));
}

/** It has ended, and there is something to read before this page is left. */
function offerDebrief(words) {
  isLeaving = true; // by the link alone
  const link = line("a", "Go to the debrief");
  link.href = pathTo(`debrief/${encodeURIComponent(session)}`);
  $("ended").replaceChildren(`${words} `, link);
  for (const button of room.querySelectorAll("button:not(dialog *)")) button.disabled = true;
  text($("state"), "The rehearsal has ended.");
}

/** Whether there is a room to act in. */
const isOpen = () => view !== null && !isLeaving;

const toggle = () => (!$("go").hidden ? go() : !$("pause").hidden && pause());

const ACTS = {
  next: () => turn(1),
  previous: () => turn(-1),
  blank: darken,
  start() {
    if (!document.fullscreenElement) fillScreen();
    if (!hasBegun() && !$("go").hidden) go();
  },
  leave() {
    if (document.activeElement === $("words")) $("words").blur();
    else if (view.is_blank) darken();
  },
  words: () => $("words").focus(),
  done: () => $("done").hidden || $("done").click(),
  back: () => $("back").hidden || $("back").click(),
  call: () => canCall() && call(),
  talk: () => $("talk").hidden || $("talk").click(),
  park: () => view.question && park(),
  finish,
  microphone: () => $("microphone").click(),
  toggle,
  overview,
  full: fillScreen,
  keys: () => $("keys").showModal(),
};
const LETTERS = {
  KeyA: "words", KeyD: "done", KeyE: "finish", KeyF: "full", KeyG: "talk", KeyL: "park", KeyM: "microphone", KeyO: "overview",
  KeyQ: "call", KeyT: "back", Space: "toggle", " ": "toggle", "?": "keys",
};

function listenToControls() {
  const press = (id, act) => $(id).addEventListener("click", act);
  $("composer").addEventListener("submit", (event) => { event.preventDefault(); say(); });
  // A press with the pointer leaves the cursor in the field: who types goes on typing, and no letter is a key.
  document.addEventListener("mousedown", (event) => {
    if (document.activeElement === $("words") && event.target.closest("button, summary")) event.preventDefault();
  });
  press("next", () => turn(1));
  press("previous", () => turn(-1));
  press("go", go);
  press("pause", pause);
  press("call", () => canCall() && call());
  press("done", done);
  press("back", takeBack);
  press("talk", giveToTalk);
  press("mine", countAsAnswer);
  press("park", park);
  press("finish", finish);
  press("all-slides", overview);
  press("more", () => $("keys").showModal());
  listenToCorrections((number, words) => attempt(`segments/${number}`, { text: words }, "PUT"));
  $("ending").addEventListener("close", () => {
    const { returnValue } = $("ending");
    if (returnValue === "take") send("ask", { parked: true });
    else if (returnValue === "end" || returnValue === "send") end(returnValue === "send");
  });
  $("words").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!event.repeat) say();
  });
  recallDraft();
  $("words").addEventListener("input", typing);
  addEventListener("pagehide", keepDraft); // with the cursor's place
  for (const button of document.querySelectorAll(".panel-call")) {
    button.addEventListener("click", () => call(button.closest("li").dataset.agent));
  }
  for (const link of document.querySelectorAll("a[data-window]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      open(link.href, link.target, "popup,width=1024,height=680");
    });
  }
  offerFullScreen($("full"));
  nameKeys($("keys"));
  listenToKeys({
    acts: Object.fromEntries(Object.entries(ACTS).map(([name, act]) => [name, () => isOpen() && act()])),
    letters: LETTERS,
    field: $("words"),
    jump: (number) => isOpen() && jump(number),
    counting(number) {
      typed = number;
      if (view) showSlide();
    },
  });
}

if (!watches) listenToControls();
new ResizeObserver(() => showLast($("captions"))).observe($("captions"));
for (const item of $("panel").children) item.style.setProperty("--voice", item.dataset.color);

// ------------------------------------------------------------------ listening to the server

function take(told) {
  const { name, data } = told;
  if (name === "lost") lose();
  else beat();
  if (name === "room") {
    if (view === null) ready(); // before, there is no room to act in
    view = viewOf(told);
    moves.see(view);
    room.dataset.connected = "yes"; // a heartbeat may have come before, on a busy server
    show();
    document.dispatchEvent(new CustomEvent("room", { detail: view }));
    if (view.state === "ended") goToDebrief();
    else goOnByItself();
  } else if (name === "partial") text($("partial"), JSON.parse(data));
  else if (name === "gone") location.replace(pathTo(""));
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
  room.dataset.connected = detail.isConnected && view ? "yes" : "no";
  if (view) text($("state"), stateLine());
  else if (!detail.isConnected) text($("state"), silenceLine());
});

const AGAIN_MS = 2000;
follow(session, take);
setInterval(() => {
  if (!view) return;
  showTime(room, view);
  showTurn(view, !watches);
  if (view.is_running && $("correcting")?.open) tellSpeaking(session); // what is being corrected is not judged meanwhile
}, 250);
