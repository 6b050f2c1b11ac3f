// The dossier to prepare with: it is made in the background, ticked and answered, and what is left is rehearsed.

import { pathTo } from "./place.js";
import { ready } from "./ready.js";
import { LONG_TIMEOUT_S, request, write } from "./request.js";
import { counted } from "./words.js";

const $ = (id) => document.getElementById(id);
const { deck, state } = $("dossier").dataset;
const api = pathTo(`api/v1/decks/${deck}/dossier`);
const LOOK_MS = 1000;
const KEEP_MS = 600; // after the last letter

function refuse(words) {
  const place = $("refused") ?? $("dossier").appendChild(Object.assign(document.createElement("p"), { className: "refused" }));
  place.textContent = words;
  place.scrollIntoView({ block: "center" });
}

/** Look until it is ready; whoever comes back to the page finds it as it stands. */
async function wait() {
  const answer = await request(api);
  if (answer.isOk && answer.body.state !== "making") return location.reload();
  $("seconds").textContent = answer.isOk ? `${answer.body.seconds} s so far.` : answer.words;
  setTimeout(wait, LOOK_MS);
}

function showLeft() {
  const boxes = [...document.querySelectorAll("[data-question] input")];
  const left = boxes.filter((box) => !box.checked).length;
  $("left").textContent = left ? `${left} of ${counted(boxes.length, "question")} left.` : "All are prepared: untick what you want to rehearse.";
  $("rehearse").disabled = left === 0;
}

function listen(card) {
  const [box, field, kept] = [card.querySelector("input"), card.querySelector("textarea"), card.querySelector("[data-kept]")];
  let timer = null, last = Promise.resolve();
  const keep = () => {
    clearTimeout(timer);
    timer = null;
    last = last.then(async () => { // one after the other: the last that was written is what stays
      const body = { is_prepared: box.checked, answer: field.value };
      const answer = await write(`${api}/questions/${card.dataset.question}`, body, { method: "PUT" });
      kept.textContent = answer.isOk ? "Kept." : `Not kept: ${answer.words}`;
    });
    return last;
  };
  box.addEventListener("change", () => (showLeft(), keep()));
  field.addEventListener("input", () => {
    kept.textContent = "";
    clearTimeout(timer);
    timer = setTimeout(keep, KEEP_MS);
  });
  field.addEventListener("blur", () => timer !== null && keep());
  return () => (timer === null ? last : keep());
}

/** What was chosen for the last rehearsal on the starting page. */
function settings() {
  try {
    const { presenter, minutes, intensity, mode } = JSON.parse(localStorage.getItem("greenroom.settings") ?? "{}");
    return { presenter: presenter || null, minutes: Number(minutes) || null, intensity: intensity || null, mode: mode || null };
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
  if (answer.isOk) location.assign(pathTo("new"));
  else refuse(answer.words);
});
ready();
if ($("rehearse")) showLeft();
