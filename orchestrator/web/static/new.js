// The starting page: a deck is sent, what was understood is shown and corrected, then a session begins.

import { addMember, bringAll, bringAgain, broughtNow, forgetMembers, isTalk, membersNow, takeTalk } from "./brought.js";
import { fitSheets } from "./fit.js";
import { NO_CONTRADICTION, sayParts } from "./parts.js";
import { pathTo } from "./place.js";
import { bindTo, brought } from "./questions.js";
import { ready } from "./ready.js";
import { LONG_TIMEOUT_S, START_TIMEOUT_S, request, write } from "./request.js";
import { loadPictures } from "./slides.js";
import { counted, sentence } from "./words.js";

const $ = (id) => document.getElementById(id);
const SETTINGS = "greenroom.settings"; // kept by this browser alone, for the next rehearsal
// Who is signed in presents: no name is typed, kept or sent.
const IS_SIGNED_IN = "account" in document.body.dataset;
const KEPT = [...(IS_SIGNED_IN ? [] : ["presenter"]), "minutes", "exchanges", "intensity", "mode", "focus"];
const UNDER_WAY = "greenroom.starting"; // kept by this tab: what was chosen is there after F5 and Back

const LOOK_MS = 2000; // what a model is asked is looked up so often

let deck = null; // as /api/v1/decks understood it; {sample: true} of the bundled one

function made(tag, words, className) {
  const element = document.createElement(tag);
  if (words !== undefined) element.textContent = words;
  if (className) element.className = className;
  return element;
}

const asked = (address, options) => request(address, options, LONG_TIMEOUT_S);

/** The body of an answer. Throws an error with a sentence where it was refused or none came. */
function answerOf({ isOk, status, body, words }) {
  if (isOk) return body;
  throw new Error(status === 0 ? `${words} Start greenroom serve again where it has ended, then try once more.` : words);
}

// ------------------------------------------------------------------ the deck

let newest = 0; // of the decks that were asked for: what comes of an older one is not shown any more

/** Show the deck that `ask` brings, unless a newer one was asked for meanwhile; whether it is shown. */
async function bring(words, ask) {
  const own = ++newest;
  $("unread").textContent = "";
  forget();
  $("reading").textContent = words;
  try {
    const read = await ask();
    const shown = await slidesOf(read);
    if (own !== newest) return false;
    understood(read, shown);
    bindTo(read);
    return true;
  } catch (error) {
    if (own === newest) $("unread").textContent = sentence(error.message);
    return false;
  } finally {
    if (own === newest) $("reading").textContent = "";
  }
}

function read(files) {
  const [file, ...others] = files;
  const form = new FormData();
  form.append("deck", file);
  $("passed-over").textContent = others.length
    ? `One deck at a time: ${file.name} is read, ${others.map((one) => one.name).join(", ")} not.`
    : "";
  return bring(`Reading ${file.name} …`, async () =>
    answerOf(await asked(pathTo("api/v1/decks"), { method: "POST", body: form })));
}

/** The deck before is gone from the page, so that nobody begins with it by mistake. */
function forget() {
  deck = null;
  $("understood").hidden = $("choices").hidden = true;
}

function sample() {
  $("passed-over").textContent = "";
  return bring("Reading the bundled deck …", async () => ({ ...(await answerOf(await asked(pathTo("api/v1/decks/sample")))), sample: true }));
}

/** Have the recorded rehearsals of the bundled deck played, unless they are there, and watch the first. */
async function watch() {
  $("unread").textContent = "";
  $("watch").disabled = true;
  $("reading").textContent = "Two recorded rehearsals are made ready, one a week after the other: at most twenty seconds, the first time …";
  try {
    const { sessions } = answerOf(await asked(pathTo("api/v1/demo"), { method: "POST" }));
    location.assign(pathTo(`watch/${encodeURIComponent(sessions[0])}`));
  } catch (error) {
    $("unread").textContent = error.message;
  }
  $("reading").textContent = "";
  $("watch").disabled = false;
}

function understood(read, shown) {
  deck = read;
  $("understood").hidden = $("choices").hidden = false;
  $("counts").textContent = [
    `“${read.title}”`,
    counted(read.slides.length, "slide"),
    counted(read.claims.length, "claim") + " with figures or dates",
    read.tensions.length ? counted(read.tensions.length, "contradiction") : NO_CONTRADICTION,
  ].join(" · ");
  $("prepare").href = pathTo(`dossier/${read.deck}`);
  $("kind").replaceChildren(
    ...read.kinds.map((name) => {
      const option = made("option", name);
      option.selected = name === read.kind;
      return option;
    }),
  );
  $("slides").replaceChildren(...shown);
  fitSheets($("slides"));
  for (const button of $("slides").querySelectorAll("button")) button.addEventListener("click", () => enlarge(button));
  $("drawn").textContent = drawn(read);
  if (read.has_pictures) loadPictures($("slides").querySelectorAll(".slide-shown"), (number) => pathTo(`api/v1/decks/${read.deck}/slides/${number}.png`));
  showTensions(read.tensions);
  const notes = [...read.notices, ...read.gaps.map((gap) => `Slide ${gap.slide}: ${gap.note}`)];
  $("gaps").replaceChildren(...(notes.length ? [made("h3", "What could not be read, or is missing"), list(notes)] : []));
  sayParts();
}

/** A deck that was just chosen: what is to be said of the rehearsal comes next. One that came back leaves the page at its top. */
function toChoices(isShown) {
  keep();
  if (isShown) $("choices-title").focus();
}

/** Show the slide of a button of the preview as large as the window lets it be. */
function enlarge(button) {
  $("large-title").textContent = button.querySelector(".slide-title").textContent;
  $("large-slide").replaceChildren(button.querySelector(".slide-shown").firstElementChild.cloneNode(true));
  fitSheets($("large-slide"));
  $("large").showModal();
}

function list(lines) {
  const items = made("ul");
  items.append(...lines.map((words) => made("li", words)));
  return items;
}

const OWN_DATA = "The room draws each slide from the deck’s own text, tables and charts.";
const DRAWN = {
  pdf: "The room shows the pages of the PDF as they are.",
  pptx: "The room shows the slides as LibreOffice draws them on this machine.",
};
const NO_OFFICE = " With LibreOffice on this machine it would show pictures.";

/** Where the room's slides come from. */
function drawn({ has_pictures: has, deck_kind: kind }) {
  return has ? DRAWN[kind] : `${OWN_DATA}${kind === "pptx" ? NO_OFFICE : ""}`;
}

/** The slides as the room will show them: the server draws them from the deck's own data. */
async function slidesOf(read) {
  const answer = await request(pathTo(`new/slides/${read.deck}`), {}, LONG_TIMEOUT_S, String);
  if (!answer.isOk) throw new Error("its slides cannot be shown: drop it once more");
  return new DOMParser().parseFromString(`<ol>${answer.body}</ol>`, "text/html").querySelector("ol").children;
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

// ------------------------------------------------------------------ what is refused, beside its field

const SHOWN_AT = { intel: "intel-file", board: "board-file", deck: "file", dismissed: "tensions" }; // else its own id

/** Say beside a field why it is refused, and go there; false where the page has no such field. */
function refuseField(field, words) {
  const near = document.getElementById(SHOWN_AT[field] ?? field);
  if (!near || near.closest("[hidden]")) return false;
  const part = near.closest("details");
  if (part) part.open = true;
  const place = made("p", words, "refused");
  place.id = `${near.id}-refused`;
  place.setAttribute("role", "alert");
  near.matches("fieldset") ? near.append(place) : near.after(place);
  near.setAttribute("aria-invalid", "true");
  near.setAttribute("aria-errormessage", place.id);
  place.scrollIntoView({ block: "center" });
  (near.matches("input, select, textarea") ? near : near.querySelector("input:checked, input"))?.focus({ preventScroll: true });
  return true;
}

function unrefuse() {
  $("refused").textContent = "";
  for (const near of document.querySelectorAll("[aria-invalid]")) {
    document.getElementById(near.getAttribute("aria-errormessage"))?.remove();
    near.removeAttribute("aria-invalid");
    near.removeAttribute("aria-errormessage");
  }
}

/** The server's words name options as the command line does; here each has the words of its label. */
const inWords = (words) => sentence(words.replaceAll(/--([a-z]+)/g, (option, id) => {
  const label = document.querySelector(`label[for="${id}"]`)?.firstChild.textContent.trim();
  return label ? `“${label}”` : option;
}));

// ------------------------------------------------------------------ beginning

function chosen() {
  const value = (name) => $(name).value.trim();
  const ticked = (name) => [...document.querySelectorAll(`[name=${name}]:checked`)].map((one) => one.value);
  const options = {
    presenter: IS_SIGNED_IN ? null : value("presenter") || null,
    minutes: Number(value("minutes")) || null,
    exchanges: value("exchanges") === "" ? null : Number(value("exchanges")),
    intensity: value("intensity"),
    mode: value("mode"),
    focus: value("focus").split(",").map((one) => one.trim()).filter(Boolean),
    panel: ticked("panel"),
    engine: ticked("engine")[0] ?? null,
    questions: brought(),
    keep_source: $("keep_source").checked,
    keep_sound: $("keep_sound").checked,
    remember: $("remember").checked,
    dismissed: [...document.querySelectorAll("#tensions input:checked")].map((one) => Number(one.dataset.number)),
  };
  if ($("kind").value !== deck.kind) options.kind = $("kind").value;
  Object.assign(options, broughtNow());
  return { ...options, ...(deck.sample ? { sample: true } : { deck: deck.deck }) };
}

/** Say what a model is asked while the start waits for it; what is returned ends that. */
function sayAsking() {
  const look = async () => {
    const answer = await request(pathTo("api/v1/asking"));
    if (timer !== null && answer.isOk) $("preparing").textContent = answer.body.asking ? `The rehearsal is being prepared: ${answer.body.asking}.` : "";
  };
  let timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    timer = null;
    $("preparing").textContent = "";
  };
}

async function begin(event) {
  event.preventDefault();
  if (!deck) return;
  unrefuse();
  if ($("remember").checked && !$("presenter").value.trim()) return refuseField("presenter", "To be remembered you need a name: give it here.");
  if ($("talk-recorded").checked && !broughtNow().speech) return refuseField("speech", "Choose the recording, or give the talk now; of sound, wait until it is recognised.");
  $("begin").disabled = true;
  const endAsking = sayAsking();
  try {
    localStorage.setItem(SETTINGS, JSON.stringify(Object.fromEntries(KEPT.map((name) => [name, $(name).value]))));
    const answer = await write(pathTo("api/v1/sessions"), chosen(), { timeoutS: START_TIMEOUT_S });
    const field = answer.body.value?.split(".")[0];
    if (!answer.isOk && field && refuseField(field, inWords(answer.words))) {
      $("begin").disabled = false;
      return;
    }
    const started = answerOf(answer);
    location.assign(pathTo(`room/${encodeURIComponent(started.session)}`));
  } catch (error) {
    $("refused").textContent = inWords(error.message);
    $("begin").disabled = false;
  } finally {
    endAsking();
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

/** What is chosen in the form, by id; the boxes of contradictions come with the deck, and so do its questions. */
function keep() {
  sayParts();
  if (deck === null) return sessionStorage.removeItem(UNDER_WAY);
  const fields = [...$("starting").querySelectorAll("input:not([type=file]), select, textarea")].filter((one) => one.id && one.id !== "questions");
  const values = fields.map((one) => [one.id, ["checkbox", "radio"].includes(one.type) ? one.checked : one.value]);
  const kept = { deck: deck.deck, name: deck.name, sample: Boolean(deck.sample), values: Object.fromEntries(values), members: membersNow(), brought: broughtNow() };
  sessionStorage.setItem(UNDER_WAY, JSON.stringify(kept));
}

/** The deck and the choices of an earlier session, by its id in the address; F5 then has what is chosen since. */
async function goOnFrom(session) {
  history.replaceState(null, "", pathTo("new"));
  let options = {};
  const isThere = await bring("Reading the deck of that rehearsal …", async () => {
    const before = answerOf(await asked(pathTo(`api/v1/sessions/${encodeURIComponent(session)}/again`)));
    ({ options } = before);
    return before.deck;
  });
  if (!isThere) return;
  for (const name of KEPT) if (options[name] != null) $(name).value = Array.isArray(options[name]) ? options[name].join(", ") : options[name];
  if (options.kind) $("kind").value = options.kind;
  for (const box of document.querySelectorAll("[name=panel]")) box.checked = options.panel.includes(box.value);
  const engine = document.getElementById(`engine-${options.engine}`);
  if (engine) engine.checked = true;
  for (const name of ["keep_source", "remember"]) $(name).checked = options[name];
  keep();
}

/** After F5, or Back out of the room: the same deck and the same choices, or the file that the browser gives back. */
async function goOn() {
  const again = new URLSearchParams(location.search).get("again");
  if (again) return goOnFrom(again);
  const kept = JSON.parse(sessionStorage.getItem(UNDER_WAY) ?? "null");
  if (kept === null) return $("file").files[0] && read([...$("file").files]).then(keep);
  const isThere = kept.sample
    ? await sample()
    : await bring(`Reading ${kept.name} …`, async () => answerOf(await asked(pathTo(`api/v1/decks/${kept.deck}`))));
  if (!isThere) return; // another deck was dropped meanwhile: these choices are not its own
  forgetMembers();
  for (const member of kept.members ?? []) addMember(member);
  for (const [id, value] of Object.entries(kept.values)) {
    const field = document.getElementById(id);
    if (field === null || field.disabled || id === "questions") continue;
    if (typeof value === "boolean") field.checked = value;
    else field.value = value;
  }
  await bringAgain(kept.brought ?? {});
  keep();
}

/** Files that were chosen or dropped: one of them may be the recorded talk. */
function readAll(files) {
  const talk = files.find((file) => isTalk(file.name));
  if (talk) takeTalk(talk, deck?.deck).then(keep);
  const decks = files.filter((file) => file !== talk);
  if (decks.length) return read(decks).then(toChoices);
  if (deck === null) $("passed-over").textContent = `${talk.name} is your recorded talk. Now the deck.`;
}

const drop = $("drop");
$("file").addEventListener("change", () => $("file").files[0] && read([...$("file").files]).then(toChoices));
bringAll(() => deck?.deck, keep);
$("sample").addEventListener("click", () => sample().then(toChoices));
$("watch").addEventListener("click", watch);
if (location.hash === "#watch") watch(); // as the first page offers it
$("starting").addEventListener("submit", begin);
$("starting").addEventListener("input", keep);
$("starting").addEventListener("change", sayParts);
$("starting").addEventListener("invalid", ({ target }) => { // a browser can point at nothing that is folded away
  const part = target.closest("details");
  if (part) part.open = true;
}, true);
// Wherever on the page it is dropped: the field of the form is the one place that it can be meant for.
addEventListener("dragover", () => drop.classList.add("is-over"));
addEventListener("dragleave", () => drop.classList.remove("is-over"));
addEventListener("drop", (event) => {
  drop.classList.remove("is-over");
  if (event.target.type !== "file" && event.dataTransfer.files.length) readAll([...event.dataTransfer.files]);
});
history.scrollRestoration = "manual"; // what is shown by then is another page: it begins at its heading
recall();
ready();
goOn();
