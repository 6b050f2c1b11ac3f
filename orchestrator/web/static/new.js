// The starting page: a deck is sent, what was understood is shown and corrected, then a session begins.

import { pathTo } from "./place.js";
import { counted, sentence } from "./words.js";

const $ = (id) => document.getElementById(id);
const SETTINGS = "greenroom.settings"; // kept by this browser alone, for the next rehearsal
const KEPT = ["presenter", "minutes", "exchanges", "intensity", "mode", "focus"];

let deck = null; // as /api/v1/decks understood it; {sample: true} of the bundled one

function made(tag, words, className) {
  const element = document.createElement(tag);
  if (words !== undefined) element.textContent = words;
  if (className) element.className = className;
  return element;
}


async function asked(address, options) {
  const answer = await fetch(address, options).catch(() => null);
  if (answer === null) throw new Error("the server cannot be reached: start greenroom serve again, then try once more");
  return answer;
}

async function answerOf(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.detail ?? `the server answered ${response.status}`);
  return body;
}

// ------------------------------------------------------------------ the deck

async function read(file) {
  $("unread").textContent = "";
  forget();
  $("reading").textContent = `Reading ${file.name} …`;
  const form = new FormData();
  form.append("deck", file);
  try {
    understood(await answerOf(await asked(pathTo("api/v1/decks"), { method: "POST", body: form })));
  } catch (error) {
    $("unread").textContent = sentence(error.message);
  } finally {
    $("reading").textContent = "";
  }
}

/** The deck before is gone from the page, so that nobody begins with it by mistake. */
function forget() {
  deck = null;
  $("understood").hidden = $("choices").hidden = true;
}

async function sample() {
  $("unread").textContent = "";
  forget();
  try {
    const read = await answerOf(await asked(pathTo("api/v1/decks/sample")));
    understood({ ...read, sample: true });
  } catch (error) {
    $("unread").textContent = sentence(error.message);
  }
}

function understood(read) {
  deck = read;
  $("understood").hidden = $("choices").hidden = false;
  $("counts").textContent = [
    `“${read.title}”`,
    counted(read.slides.length, "slide"),
    counted(read.claims.length, "claim") + " with figures or dates",
    counted(read.tensions.length, "contradiction"),
  ].join(" · ");
  $("kind").replaceChildren(
    ...read.kinds.map((name) => {
      const option = made("option", name);
      option.selected = name === read.kind;
      return option;
    }),
  );
  $("slides").replaceChildren(...read.slides.map(slideItem));
  if (read.has_pictures) load([...$("slides").querySelectorAll(".slide-words")]);
  showTensions(read.tensions);
  const notes = [...read.notices, ...read.gaps.map((gap) => `Slide ${gap.slide}: ${gap.note}`)];
  $("gaps").replaceChildren(...(notes.length ? [made("h3", "What could not be read, or is missing"), list(notes)] : []));
  $("understood").scrollIntoView({ block: "start" });
  $("kind").focus({ preventScroll: true });
}

function list(lines) {
  const items = made("ul");
  items.append(...lines.map((words) => made("li", words)));
  return items;
}

function slideItem(slide) {
  const item = made("li");
  const words = made("span", undefined, "slide-words");
  words.append(made("strong", slide.title), ` ${slide.lines.slice(0, 3).join(" · ")}`);
  words.ariaHidden = "true"; // the title below says which slide it is
  words.dataset.slide = slide.slide;
  const number = made("span", `${slide.slide}. ${slide.title || "no title"}${slide.hidden ? " (hidden)" : ""}`, "slide-title");
  item.append(words, number);
  return item;
}

/** Pictures take the place of words, two at a time: a browser has six connections, and the form needs one. */
function load(places) {
  const of = deck.deck;
  const next = () => {
    const words = places.shift();
    if (!words || deck?.deck !== of) return;
    const picture = made("img");
    picture.alt = "";
    picture.addEventListener("load", () => { words.replaceWith(picture); next(); });
    picture.addEventListener("error", next);
    picture.src = pathTo(`api/v1/decks/${of}/slides/${words.dataset.slide}.png`);
  };
  next();
  next();
}

function showTensions(tensions) {
  if (!tensions.length) return $("tensions").replaceChildren();
  const items = made("ul", undefined, "tension-list");
  tensions.forEach((tension, number) => {
    const item = made("li");
    const tick = made("input");
    tick.type = "checkbox";
    tick.id = `dismiss-${number + 1}`;
    tick.dataset.number = number + 1;
    const label = made("label", "This is no contradiction: do not ask about it", "hint");
    label.htmlFor = tick.id;
    const places = [tension.a, tension.b].map((one) => one?.slide).filter(Boolean);
    const where = [...new Set(places)].map((slide) => `slide ${slide}`).join(" and ");
    const [note, tickLine] = [made("p", sentence(tension.note)), made("p", undefined, "tick")];
    if (where) note.append(" ", made("span", `(${where})`, "soft"));
    tickLine.append(tick, " ", label);
    item.append(note, tickLine);
    items.append(item);
  });
  $("tensions").replaceChildren(made("h3", "Where it contradicts itself"), items);
}

// ------------------------------------------------------------------ beginning

function chosen() {
  const value = (name) => $(name).value.trim();
  const ticked = (name) => [...document.querySelectorAll(`[name=${name}]:checked`)].map((one) => one.value);
  const options = {
    presenter: value("presenter") || null,
    minutes: Number(value("minutes")) || null,
    exchanges: value("exchanges") === "" ? null : Number(value("exchanges")),
    intensity: value("intensity"),
    mode: value("mode"),
    focus: value("focus").split(",").map((one) => one.trim()).filter(Boolean),
    panel: ticked("panel"),
    engine: ticked("engine")[0] ?? null,
    keep_source: $("keep_source").checked,
    remember: $("remember").checked,
    dismissed: [...document.querySelectorAll("#tensions input:checked")].map((one) => Number(one.dataset.number)),
  };
  if ($("kind").value !== deck.kind) options.kind = $("kind").value;
  return { ...options, ...(deck.sample ? { sample: true } : { deck: deck.deck }) };
}

async function begin(event) {
  event.preventDefault();
  if (!deck) return;
  $("refused").textContent = "";
  $("begin").disabled = true;
  try {
    localStorage.setItem(SETTINGS, JSON.stringify(Object.fromEntries(KEPT.map((name) => [name, $(name).value]))));
    const headers = { "content-type": "application/json" };
    const answer = await asked(pathTo("api/v1/sessions"), { method: "POST", headers, body: JSON.stringify(chosen()) });
    const started = await answerOf(answer);
    location.assign(pathTo(`room/${encodeURIComponent(started.session)}`));
  } catch (error) {
    $("refused").textContent = sentence(error.message);
    $("begin").disabled = false;
  }
}

function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(SETTINGS) ?? "{}");
    for (const name of KEPT) if (kept[name]) $(name).value = kept[name];
  } catch {
    localStorage.removeItem(SETTINGS); // not ours, or of another release
  }
}

const drop = $("drop");
$("file").addEventListener("change", () => $("file").files[0] && read($("file").files[0]));
$("sample").addEventListener("click", sample);
$("starting").addEventListener("submit", begin);
drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("is-over"); });
drop.addEventListener("dragleave", () => drop.classList.remove("is-over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("is-over");
  if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
});
recall();
// Until here nobody listens: what was chosen or pressed before would have been lost without a word.
$("file").disabled = $("sample").disabled = false;
if ($("file").files[0]) read($("file").files[0]); // a browser gives back what was chosen before a reload
