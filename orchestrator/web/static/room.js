// The room. Everything shown comes from the server's view of the session, sent anew at each change:
// so a page that was reloaded, cut off or opened twice shows the same moment.

const room = document.getElementById("room");
const session = room.dataset.session;
const watches = "watches" in room.dataset;
const api = (path) => `/api/sessions/${encodeURIComponent(session)}/${path}`;
const $ = (id) => document.getElementById(id);

let view = null;
let seenAt = 0; // performance.now() when `view` came: the clock runs on from there
let pictured = null;
let wanted = null; // the slide that was asked for and is not shown yet
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

function stateLine() {
  if (view.state === "ended") return "The rehearsal has ended.";
  if (view.state === "degraded") return "The disk failed, so nothing more is written. Run greenroom resume.";
  if (!view.is_running && view.moment !== "closing") return "Paused. The clock stands still.";
  return MOMENTS[view.moment] ?? view.moment;
}

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
  showQuestion(open);
  $("said").replaceChildren(...view.said.map((words) => line("p", words)));
  $("captions").replaceChildren(
    ...view.captions.map((one) => {
      const item = line("li", "");
      item.append(line("time", clock(one.at_s), "soft"), " ", one.speaker ? `${one.speaker}: ` : "", one.text);
      return item;
    }),
  );
  if (!watches) showControls(open);
}

function showTime() {
  if (!view) return;
  const since = view.is_running ? (performance.now() - seenAt) / 1000 : 0;
  const used = view.used_s + since;
  const share = used / (view.minutes * 60);
  text($("used"), clock(used));
  $("budget-bar").value = Math.min(1, share);
  room.dataset.time = share >= 1 ? "over" : share >= 0.8 ? "short" : "";
}

function showSlide() {
  const number = view.slide ?? view.slides[0]?.[0];
  const named = view.slides.find(([one]) => one === number);
  const count = view.slides.length;
  text($("slide-name"), view.slide === null ? `${count} slides` : `${number} of ${count}: ${named?.[1] ?? ""}`);
  if (number === pictured) return;
  pictured = number;
  for (const card of document.querySelectorAll(".slide-card")) card.hidden = Number(card.dataset.slide) !== number;
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
  }
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
  $("question-judging").hidden = open.is_judged;
}

function placeComposer(open) {
  const composer = $("composer");
  const before = open ? $("question") : document.querySelector(".captions");
  if (before.nextElementSibling === composer) return;
  const hadFocus = document.activeElement === $("words");
  before.after(composer); // an answer is typed right under its question
  if (hadFocus) $("words").focus();
}

function showControls(open) {
  placeComposer(open);
  const runs = view.is_running && view.state === "active";
  $("go").hidden = runs;
  text($("go"), view.captions.length || view.slide !== null ? "Go on" : "Begin");
  $("pause").hidden = !runs;
  $("park").hidden = open === null;
  $("call").hidden = open !== null || view.left === 0;
  text($("words-label"), open ? `Your answer to ${open.name}` : "What you say");
  text($("send"), open ? "Answer" : "Say it");
  $("send").disabled = open !== null && !open.is_judged;
}

// ------------------------------------------------------------------ doing

async function send(path, body, method = "POST") {
  $("refused").textContent = "";
  const answer = await fetch(api(path), {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body ?? {}),
  }).catch(() => null);
  if (answer?.ok) return answer.json();
  const why = answer ? (await answer.json().catch(() => ({}))).detail : null;
  $("refused").textContent = why ?? "The server cannot be reached. What you typed is still here; try again.";
  return null;
}

async function say() {
  const words = $("words").value.trim();
  if (!words) return;
  $("send").disabled = true;
  const done = view?.question ? await send("answer", { text: words }) : await send("segments", { text: words });
  $("send").disabled = false;
  if (done !== null) $("words").value = "";
  $("words").focus();
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

const go = () => send("drive");
const pause = () => send("pause");

function finish() {
  $("ending").returnValue = "";
  $("ending").showModal();
}

async function end() {
  $("finish").disabled = true;
  text($("state"), MOMENTS.closing);
  const done = await send("end", {});
  $("finish").disabled = false;
  if (done) location.assign(`/debrief/${encodeURIComponent(session)}`);
}

const KEYS = {
  ArrowRight: () => turn(1),
  PageDown: () => turn(1),
  ArrowLeft: () => turn(-1),
  PageUp: () => turn(-1),
  a: () => $("words").focus(),
  q: () => view.question || send("ask", {}),
  l: () => view.question && send("park"),
  e: finish,
  m: () => $("microphone").click(),
  " ": () => (view.is_running ? pause() : go()),
  "?": () => $("keys").showModal(),
};

function pressed(event) {
  if (event.target === $("words")) {
    if (event.key === "Escape") $("words").blur();
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      say();
    }
    return;
  }
  const onControl = event.target.closest("button, a, dialog, input, select");
  if (event.ctrlKey || event.metaKey || event.altKey || !view) return;
  if (onControl && (event.key === " " || event.target.closest("dialog"))) return;
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
  $("call").addEventListener("click", () => send("ask", {}));
  $("park").addEventListener("click", () => send("park"));
  $("finish").addEventListener("click", finish);
  $("keys-open").addEventListener("click", () => $("keys").showModal());
  $("ending").addEventListener("close", () => $("ending").returnValue === "end" && end());
  document.addEventListener("keydown", pressed);
}
$("slide-picture").addEventListener("load", () => {
  $("slide-picture").hidden = false;
  for (const card of document.querySelectorAll(".slide-card")) card.hidden = true;
});
for (const item of $("panel").children) item.style.setProperty("--voice", item.dataset.color);

// ------------------------------------------------------------------ listening to the server

const events = new EventSource(api("room/events"));
events.addEventListener("room", (event) => {
  view = JSON.parse(event.data);
  seenAt = performance.now();
  room.dataset.connected = "yes";
  show();
  document.dispatchEvent(new CustomEvent("room", { detail: view }));
  // The server that drove this session is gone without a word, and another has taken its place.
  if (view.state === "interrupted" && !watches) go();
  if (view.state === "ended") location.assign(`/debrief/${encodeURIComponent(session)}`);
});
events.addEventListener("partial", (event) => text($("partial"), JSON.parse(event.data)));
events.addEventListener("gone", () => location.assign("/"));
events.addEventListener("error", () => {
  room.dataset.connected = "no";
  text($("state"), "The connection is lost. It is looked for; nothing that was said is lost.");
});
setInterval(showTime, 250);
