// The presenter's window: this slide and the next, the notes, and the time against the plan.

import { $, line, renew, text } from "./elements.js";
import { listenToKeys } from "./keys.js";
import { beat, lose, silence } from "./heartbeat.js";
import { pathTo } from "./place.js";
import { ready } from "./ready.js";
import { LONG_TIMEOUT_S, change, request } from "./request.js";
import { fillScreen, keepAwake, offerFullScreen } from "./screen.js";
import { Moves, beside, shownIn, stage } from "./slides.js";
import { follow } from "./stream.js";
import { showTime, usedNow, viewOf } from "./time.js";
import { showTurn } from "./turn.js";
import { clock, counted, sentence } from "./words.js";

const FILLERS = "greenroom.fillers"; // whether this browser's user wants them counted
const LONG = ["drive", "answer/done", "park"]; // a model may be asked
const MANY = 6; // kinds of fillers that are named
const room = document.getElementById("room");
const session = room.dataset.session;
const now = stage("stage-slide", room);
const coming = stage("next-slide", room);
let view = null;
let typed = "";
let refusedAt; // the record that the room had reached
let isCounting = false; // fillers
let isStale = false; // something was said since that count was asked for

// ------------------------------------------------------------------ showing

function show() {
  const number = shownIn(view, now.cards);
  const next = beside(now.cards, number, 1);
  const title = (one) => view.slides.find(([other]) => other === one)?.[1] ?? "";
  now.show(number);
  coming.show(next ?? null);
  text($("slide-name"), typed ? `Slide ${typed}, then Enter` : `${number} of ${view.slides.length}: ${title(number)}`);
  text($("next-name"), next === undefined ? "" : `${next}: ${title(next)}`);
  for (const note of document.querySelectorAll(".note")) note.hidden = Number(note.dataset.slide) !== number;
  showQuestion(view.question);
  const focused = document.activeElement;
  const runs = view.is_running && view.state === "active";
  $("go").hidden = runs || view.is_driven_elsewhere || view.state === "ended";
  text($("go"), view.now_s > 0 ? "Go on" : "Begin");
  $("pause").hidden = !runs;
  if (focused === $("go") && runs) $("pause").focus();
  if (focused === $("pause") && !runs) $("go").focus();
  const hasEnded = view.state === "ended";
  for (const id of ["previous", "next", "blank"]) $(id).hidden = hasEnded;
  $("debrief").hidden = !hasEnded;
  $("previous").setAttribute("aria-disabled", String(beside(now.cards, number, -1) === undefined));
  $("next").setAttribute("aria-disabled", String(next === undefined));
  text($("blank"), view.is_blank ? "Show the slide" : "Dark screen");
  showState();
  keepAwake(view.is_running);
  showPace();
}

function showQuestion(open) {
  room.classList.toggle("is-asked", open !== null);
  $("question").hidden = open === null;
  showTurn(view, true);
  if (open === null) return;
  $("question-judging").hidden = open.is_judged;
  text($("question-name"), open.name);
  $("question-remark").hidden = !open.remark;
  text($("question-remark"), open.remark);
  const above = [...open.quotes.map((words) => [words, "blockquote"]), ...(open.origin ? [[sentence(open.origin), "p"]] : [])];
  renew($("question-quotes"), above, ([words, tag]) => line(tag, words));
  text($("question-text"), open.text);
}

function showState() {
  const stands = view?.is_running && view.state === "active" ? "" : "The clock stands still.";
  const dark = isOpen() && view.is_blank ? "The audience sees a dark screen." : ""; // this window's slide is the presenter's own, and stays
  room.classList.toggle("is-dark", dark !== "");
  text($("state"), silence() ?? (view?.state === "ended" ? "The rehearsal has ended." : [dark, stands].filter(Boolean).join(" ")));
}

/** The time against the plan: each slide has a share of the minutes, half in equal parts, half by its words. */
function showPace() {
  if (!view) return;
  showTime(room, view);
  const at = view.slides.findIndex(([one]) => one === shownIn(view, now.cards));
  const begins = view.plan.slice(0, at).reduce((sum, one) => sum + one, 0);
  const ends = begins + (view.plan[at] ?? 0);
  const used = usedNow(view);
  const [is, words] = used > ends ? ["late", `${clock(used - ends)} behind the plan`]
    : used < begins ? ["early", `${clock(begins - used)} ahead of the plan`] : ["even", "On the plan"];
  $("pace").dataset.is = is;
  text($("pace"), words);
  text($("plan"), `By the plan this slide lasts from ${clock(begins)} to ${clock(ends)}.`);
}

/** One request at a time: what is said meanwhile is counted by one more. */
async function countFillers() {
  isStale = isCounting;
  if (isCounting) return;
  isCounting = true;
  await askForFillers();
  isCounting = false;
  if (isStale) countFillers();
}

async function askForFillers() {
  const { isOk, body: told } = await request(pathTo(`api/v1/sessions/${encodeURIComponent(session)}/delivery`));
  if (!isOk || !wantsFillers()) return;
  const found = told.fillers === null ? null : Object.entries(told.fillers);
  const listed = found?.slice(0, MANY).map(([word, times]) => `“${word}” ${times}`).join(", ");
  const pace = told.words_per_minute === null ? "" : ` ${told.words_per_minute} words a minute.`;
  const said = found === null ? "They are counted in English alone." : found.length ? `${listed}.` : "None so far.";
  const unheard = told.is_recognised ? " Speech recognition leaves out most of um and uh." : "";
  text($("fillers"), `${said}${unheard} ${counted(told.words, "word")}.${pace}`);
}

const wantsFillers = () => $("fillers-on").getAttribute("aria-pressed") === "true";

function wantFillers(is) {
  $("fillers-on").setAttribute("aria-pressed", String(is));
  localStorage.setItem(FILLERS, is ? "yes" : "");
  if (is) countFillers();
  else text($("fillers"), "");
}

// ------------------------------------------------------------------ doing

async function send(path, method = "POST", body = {}) {
  refuse("");
  const answer = await change(session, path, { method, body, timeoutS: LONG.includes(path) ? LONG_TIMEOUT_S : undefined });
  if (!answer.isOk) refuse(answer.words);
  return answer.isOk;
}

/** Say why a press failed, until the room is another one. */
function refuse(words) {
  text($("refused"), words);
  refusedAt = view?.seq;
}

const moves = new Moves(now.cards, (number) => send("slide", "PUT", { slide: number }));
const isOpen = () => view !== null && view.state !== "ended";
const jump = (number) => isOpen() && view.slides.some(([one]) => one === number) && moves.jump(view, number);
const turn = (by) => isOpen() && moves.turn(view, by);
const darken = () => isOpen() && send("blank", "PUT", { is_blank: !view.is_blank });
const toggle = () => (!$("go").hidden ? send("drive") : !$("pause").hidden && send("pause"));

document.addEventListener("connection", ({ detail }) => {
  room.dataset.connected = detail.isConnected && view ? "yes" : "no";
  if (detail.isConnected) refuse("");
  showState();
});
follow(session, (told) => {
  const { name } = told;
  if (name === "lost") lose();
  else beat();
  if (name === "gone") location.replace(pathTo(""));
  else if (name === "room") {
    if (view === null) ready();
    view = viewOf(told);
    moves.see(view);
    room.dataset.connected = "yes";
    if (view.seq !== refusedAt) refuse("");
    show();
    if (wantsFillers()) countFillers();
  }
});
$("next").addEventListener("click", () => turn(1));
$("previous").addEventListener("click", () => turn(-1));
$("blank").addEventListener("click", darken);
$("done").addEventListener("click", () => send("answer/done"));
$("park").addEventListener("click", () => send("park"));
$("go").addEventListener("click", () => send("drive"));
$("pause").addEventListener("click", () => send("pause"));
$("fillers-on").addEventListener("click", () => wantFillers(!wantsFillers()));
wantFillers(localStorage.getItem(FILLERS) === "yes");
offerFullScreen($("full"));
listenToKeys({
  acts: {
    next: () => turn(1),
    previous: () => turn(-1),
    blank: darken,
    start: () => document.fullscreenElement || fillScreen(),
    leave: () => view?.is_blank && darken(),
    done: () => $("done").hidden || $("done").click(),
    park: () => $("park").hidden || $("park").click(),
    toggle,
    full: fillScreen,
  },
  letters: { KeyD: "done", KeyF: "full", KeyL: "park", Space: "toggle" },
  jump,
  counting(number) {
    typed = number;
    if (view) show();
  },
});
setInterval(() => {
  showPace();
  if (view) showTurn(view, true);
}, 250);
