// The dossier to prepare with: it is made in the background, ticked and answered, and what is left is rehearsed.

import { pathTo } from "./place.js";
import { ready } from "./ready.js";
import { LONG_TIMEOUT_S, request, write } from "./request.js";
import { counted } from "./words.js";

const $ = (id) => document.getElementById(id);
const { deck, state } = $("dossier").dataset;
const api = pathTo(`api/v1/decks/${deck}/dossier`);
const LOOK_MS = 1000;
const KEEP_MS = 300; // after the last letter

function refuse(words) {
  const place = $("refused") ?? $("dossier").appendChild(Object.assign(document.createElement("p"), { className: "refused" }));
  place.textContent = words;
  place.scrollIntoView({ block: "center" });
}

/** Look until it is ready; whoever comes back to the page finds it as it stands. */
async function wait() {
  const answer = await request(api);
  if (answer.isOk && answer.body.state !== "making") return location.reload();
  $("seconds").textContent = answer.isOk ? `${answer.body.seconds} s so far${answer.body.asking ? ` (${answer.body.asking})` : ""}.` : answer.words;
  setTimeout(wait, LOOK_MS);
}

function showLeft() {
  const boxes = [...document.querySelectorAll("[data-question] input")];
  const left = boxes.filter((box) => !box.checked).length;
  $("left").textContent = left ? `${left} of ${counted(boxes.length, "question")} left.` : "All are prepared: untick what you want to rehearse.";
  $("rehearse").disabled = left === 0;
}

const DRAFTS = `greenroom.dossier.${deck}`; // what the server has not confirmed yet, by question: F5 or a crash loses no letter

function drafts() {
  try {
    return JSON.parse(localStorage.getItem(DRAFTS) ?? "{}");
  } catch {
    return {}; // not ours, or of another release
  }
}

function putDraft(question, body) {
  const { [question]: before, ...others } = drafts();
  const now = body === null ? others : { ...others, [question]: body };
  if (Object.keys(now).length) localStorage.setItem(DRAFTS, JSON.stringify(now));
  else localStorage.removeItem(DRAFTS);
}

function listen(card) {
  const [box, field, kept] = [card.querySelector("input"), card.querySelector("textarea"), card.querySelector("[data-kept]")];
  const question = card.querySelector("h2").textContent;
  const address = `${api}/questions/${card.dataset.question}`;
  const now = () => ({ is_prepared: box.checked, answer: field.value });
  let timer = null, last = Promise.resolve();
  const keep = () => {
    clearTimeout(timer);
    timer = null;
    last = last.then(async () => { // one after the other: the last that was written is what stays
      const body = now();
      const answer = await write(address, body, { method: "PUT" });
      const isLast = JSON.stringify(body) === JSON.stringify(now());
      if (answer.isOk && isLast) putDraft(question, null);
      kept.textContent = answer.isOk ? (isLast ? "Kept." : "") : `Kept in this browser alone: ${answer.words}`;
    });
    return last;
  };
  const change = (waitMs) => {
    putDraft(question, now());
    kept.textContent = "";
    clearTimeout(timer);
    timer = setTimeout(keep, waitMs);
  };
  const draft = drafts()[question];
  if (draft) {
    [box.checked, field.value] = [draft.is_prepared, draft.answer];
    keep();
  }
  box.addEventListener("change", () => (showLeft(), change(0)));
  field.addEventListener("input", () => change(KEEP_MS));
  field.addEventListener("blur", () => timer !== null && keep());
  addEventListener("pagehide", () => { // the page may be gone before an answer: the draft stays until one has come
    if (timer !== null) fetch(address, { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(now()), keepalive: true });
  });
  return () => (timer === null ? last : keep());
}

/** What was chosen for the last rehearsal on the starting page. */
function settings() {
  try {
    const { presenter, minutes, intensity, mode } = JSON.parse(localStorage.getItem("greenroom.settings") ?? "{}");
    return { presenter: "account" in document.body.dataset ? null : presenter || null, minutes: Number(minutes) || null, intensity: intensity || null, mode: mode || null };
  } catch {
    return {};
  }
}

const settled = [...document.querySelectorAll("[data-question]")].map(listen);
if (state === "making") wait();
if ($("rehearse")) {
  showLeft();
  $("print").addEventListener("click", () => print());
  $("rehearse").addEventListener("click", async () => {
    $("rehearse").disabled = true;
    await Promise.all(settled.map((keep) => keep()));
    const engine = document.querySelector("[name=engine]:checked")?.value ?? null;
    const answer = await write(`${api}/rehearse`, { ...settings(), engine }, { timeoutS: LONG_TIMEOUT_S });
    if (answer.isOk) return location.assign(pathTo(`room/${encodeURIComponent(answer.body.session)}`));
    refuse(answer.words);
    showLeft();
  });
}
$("making-form")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const engine = document.querySelector("[name=engine]:checked")?.value ?? null;
  const answer = await write(api, { engine });
  if (answer.isOk) location.reload();
  else refuse(answer.words);
});
$("forget")?.addEventListener("click", async () => {
  if (!confirm("Delete this dossier, your answers and the copy of the deck?")) return;
  const answer = await request(api, { method: "DELETE" }, undefined, String);
  if (answer.isOk) {
    localStorage.removeItem(DRAFTS);
    location.assign(pathTo("new"));
  }
  else refuse(answer.words);
});
ready();
if ($("rehearse")) showLeft();
