// What is done with a session from a list or from its page: a name of one's own, and deleting it.

import { $, line } from "./elements.js";
import { pathTo } from "./place.js";
import { ready } from "./ready.js";
import { LONG_TIMEOUT_S, request } from "./request.js";
import { counted, sentence } from "./words.js";

const api = (session, path) => pathTo(`api/v1/sessions/${encodeURIComponent(session)}${path}`);

let chosen = null; // the data of the session that a dialog is about
let asked = 0; // what was asked for an earlier dialog is not shown in a later one
let holds = null; // what the chosen session holds, as /erasure told it
let isGone = false; // the session is deleted; the dialog tells of its archive

// ------------------------------------------------------------------ its name

function openNaming() {
  $("naming-words").value = chosen.title;
  $("naming-refused").textContent = "";
  $("naming").showModal();
  $("naming-words").select();
}

async function name(event) {
  event.preventDefault();
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ title: $("naming-words").value });
  const answer = await request(api(chosen.session, "/title"), { method: "PUT", headers, body });
  if (answer.isOk) location.reload();
  else $("naming-refused").textContent = sentence(answer.words);
}

// ------------------------------------------------------------------ deleting it

const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** What goes and what stays, each a line; of what there is none, nothing is said. */
function told({ files, bytes, comments, memories, memories_that_stay: left, archives }, takesArchives) {
  const goes = files ? [`The session’s folder: what was said and asked, the debrief, the deck’s copy (${counted(files, "file")}, ${size(bytes)}); its name`] : [];
  if (comments) goes.push(counted(comments, "comment"));
  if (memories) goes.push(`${memories} of what the panel remembers of it`);
  const copies = archives.map((one) => `Its archive, ${one}`);
  const stays = left ? [`${left} that the panel remembers from elsewhere too, or that you edited or took up as a goal`] : [];
  stays.push("The panel’s scratchpads, the deck’s own file, and whatever was exported, restored, downloaded or printed");
  return takesArchives ? { goes: [...goes, ...copies], stays } : { goes, stays: [...copies, ...stays] };
}

function showTold() {
  const { goes, stays } = told(holds, $("deleting-archives").checked);
  $("deleting-goes").replaceChildren(...goes.map((words) => line("li", words)));
  $("deleting-stays").replaceChildren(...stays.map((words) => line("li", words)));
  $("deleting-kept").hidden = $("deleting-archives").checked;
}

async function openDeleting() {
  const own = ++asked;
  [holds, isGone] = [null, false];
  $("deleting-name").textContent = chosen.name;
  $("deleting-asked").textContent = "Looking at what it holds …";
  $("deleting-refused").textContent = "";
  $("deleting-known").hidden = true;
  $("deleting-yes").disabled = true;
  $("deleting-archives").checked = false;
  $("deleting").showModal();
  const answer = await request(api(chosen.session, "/erasure"));
  if (own !== asked) return;
  $("deleting-asked").textContent = "";
  $("deleting-yes").disabled = false;
  if (!answer.isOk) { // a damaged one can be deleted all the same
    $("deleting-asked").textContent = `What it holds cannot be told: ${answer.words}`;
    return;
  }
  holds = answer.body;
  const { files, archives, archives_here: here } = holds;
  // Whoever deletes a rehearsal means all of it; what lies elsewhere is deleted by nobody's default.
  $("deleting-archives").checked = archives.every((one) => here.includes(one));
  $("deleting-archived").hidden = archives.length === 0 || files === 0;
  showTold();
  $("deleting-known").hidden = false;
}

/** Say once that the archive is left, and offer to delete it too where the home knows how. */
function tellOfArchives(left) {
  isGone = true;
  const own = left.filter((one) => holds === null || holds.archives_here.includes(one));
  const alone = own.length === left.length ? "" : " What lies elsewhere is not known to this home any more: delete it there yourself.";
  $("deleting-title").textContent = "Deleted here";
  $("deleting-known").hidden = true;
  $("deleting-asked").textContent = `Its archive stays at ${left.join(", ")}.${alone}`;
  $("deleting-no").textContent = "Leave it there";
  $("deleting-yes").textContent = "Delete the archive too";
  $("deleting-yes").disabled = own.length === 0;
}

async function erase() {
  $("deleting-yes").disabled = true;
  $("deleting-refused").textContent = "";
  const takes = isGone || $("deleting-archives").checked;
  const answer = await request(api(chosen.session, takes ? "?archives=true" : ""), { method: "DELETE" }, LONG_TIMEOUT_S, JSON.parse);
  if (answer.isOk && !takes && answer.body.archives.length) return tellOfArchives(answer.body.archives);
  if (answer.isOk) return location.replace(pathTo(""));
  $("deleting-yes").disabled = false;
  $("deleting-refused").textContent = sentence(answer.words);
}

const OPEN = { name: openNaming, delete: openDeleting };
for (const button of document.querySelectorAll("[data-do]")) {
  button.addEventListener("click", () => {
    chosen = button.closest("[data-session]").dataset;
    OPEN[button.dataset.do]();
  });
}
$("naming-form").addEventListener("submit", name);
for (const button of document.querySelectorAll("[data-close]")) button.addEventListener("click", () => button.closest("dialog").close());
$("deleting-yes").addEventListener("click", erase);
$("deleting-archives").addEventListener("change", showTold);
$("deleting").addEventListener("close", () => isGone && location.replace(pathTo("")));
ready();
