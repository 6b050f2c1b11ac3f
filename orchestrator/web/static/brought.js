// What is brought beside the deck: a recorded talk, the board, news. Each file is read as soon as it is chosen, and
// what was understood, or is wrong with it, stands beside its field.

import { $, line } from "./elements.js";
import { pathTo } from "./place.js";
import { LONG_TIMEOUT_S, request } from "./request.js";
import { sentence } from "./words.js";

const TALKS = /\.(vtt|srt|txt|text|json|jsonl|ndjson|wav|flac|mp3|m4a|ogg|opus)$/i;
const LOOK_MS = 1000; // recognising takes minutes

/** By kind, what was brought: as /api/v1/materials understood it. */
const brought = { speech: [], board: [], intel: [] };
const newest = { speech: 0, board: 0, intel: 0 }; // what comes of an older choice is not shown any more

export const isTalk = (name) => TALKS.test(name);

/** Wait until a recording is recognised. */
async function whole(kind, own, answer) {
  while (answer.isOk && answer.body.state === "reading" && own === newest[kind]) {
    $(`${kind}-says`).textContent = `${answer.body.name} is being recognised; this takes some minutes. You can go on choosing.`;
    await new Promise((done) => setTimeout(done, LOOK_MS));
    answer = await request(pathTo(`api/v1/materials/kept/${answer.body.material}`));
  }
  return answer;
}

/** Show what these requests bring; each is asked for one after the other. */
async function show(kind, asks) {
  const own = ++newest[kind];
  const [says, found, refused] = [$(`${kind}-says`), [], []];
  brought[kind] = [];
  says.classList.remove("refused");
  for (const { name, ask } of asks) {
    says.textContent = `Reading ${name} …`;
    const answer = await whole(kind, own, await ask());
    if (own !== newest[kind]) return;
    if (answer.isOk && answer.body.state === "read") found.push(answer.body);
    else refused.push(sentence(answer.isOk ? answer.body.says : answer.words));
  }
  brought[kind] = found;
  says.classList.toggle("refused", refused.length > 0);
  says.textContent = [...refused, ...found.map((one) => sentence(`${one.name}: ${one.says}`))].join(" ");
  if ($(`${kind}-drop`)) $(`${kind}-drop`).hidden = found.length + refused.length === 0;
  if (kind === "speech") showSpeakers(found[0]?.speakers ?? []);
}

function send(kind, files, deck) {
  const about = kind === "speech" && deck ? `?deck=${encodeURIComponent(deck)}` : "";
  return show(kind, files.map((file) => ({
    name: file.name,
    ask() {
      const form = new FormData();
      form.append("file", file);
      return request(pathTo(`api/v1/materials/${kind}${about}`), { method: "POST", body: form }, LONG_TIMEOUT_S);
    },
  })));
}

function showSpeakers(labels) {
  const most = line("option", "whoever clearly speaks most");
  most.value = "";
  $("speaker").replaceChildren(most, ...labels.map((label) => line("option", label)));
  $("speaker-line").hidden = labels.length < 2;
}

const showTalk = () => ($("recorded").hidden = !$("talk-recorded").checked);

/** A recording that was dropped somewhere on the page. */
export function takeTalk(file, deck) {
  $("talk-recorded").checked = true;
  showTalk();
  return send("speech", [file], deck);
}

// ------------------------------------------------------------------ the board, typed

export function addMember(told = {}) {
  const row = $("member-row").content.firstElementChild.cloneNode(true);
  for (const field of row.querySelectorAll("input")) field.value = told[field.dataset.key] ?? "";
  row.querySelector("[data-remove]").addEventListener("click", () => {
    row.remove();
    $("member").focus();
    $("member").dispatchEvent(new Event("input", { bubbles: true })); // what is kept for F5 knows it
  });
  $("members").append(row);
  return row;
}

export const forgetMembers = () => $("members").replaceChildren();

/** What stands in the rows, as it was typed. */
export const membersNow = () => [...$("members").children].map((row) =>
  Object.fromEntries([...row.querySelectorAll("input")].map((field) => [field.dataset.key, field.value])));

const list = (words) => words.split(",").map((one) => one.trim()).filter(Boolean);

// ------------------------------------------------------------------ what a session begins with

/** What is brought, by the names that beginning a session takes. */
export function broughtNow() {
  const [speech, board] = [brought.speech[0], brought.board[0]];
  const members = membersNow().filter((one) => Object.values(one).some((words) => words.trim()));
  return {
    ...(speech && $("talk-recorded").checked ? { speech: speech.material, speaker: $("speaker").value || null } : {}),
    ...(board ? { board: board.material } : {}),
    ...(members.length ? { members: members.map((one) => ({ ...one, interests: list(one.interests) })) } : {}),
    ...(brought.intel.length ? { intel: brought.intel.map((one) => one.material) } : {}),
    ...($("news").value.trim() ? { news: $("news").value } : {}),
  };
}

/** After F5, or Back out of the room: the same files, as long as the server has them. */
export async function bringAgain({ speech, speaker, board, intel = [] }) {
  showTalk();
  const asks = (ids) => ids.filter(Boolean).map((id) => ({ name: "the file again", ask: () => request(pathTo(`api/v1/materials/kept/${id}`)) }));
  await Promise.all([show("speech", asks([speech])), show("board", asks([board])), show("intel", asks(intel))]);
  if (speaker) $("speaker").value = speaker;
}

/** Listen to the fields; `deckNow` gives the deck whose names are listened for, `keep` keeps what is chosen for F5. */
export function bringAll(deckNow, keep) {
  for (const [kind, field] of [["speech", "speech"], ["board", "board-file"], ["intel", "intel-file"]]) {
    $(field).addEventListener("change", () => send(kind, [...$(field).files], deckNow()).then(keep));
  }
  for (const kind of ["board", "intel"]) {
    $(`${kind}-drop`).addEventListener("click", () => {
      $(`${kind}-file`).value = "";
      show(kind, []).then(keep);
    });
  }
  for (const id of ["talk-live", "talk-recorded"]) $(id).addEventListener("change", showTalk);
  $("member").addEventListener("click", () => addMember().querySelector("input").focus());
}
