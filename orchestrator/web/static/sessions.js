// What is done with a session from a list or from its page: a name of one's own, and deleting it.

import { $, line } from "./elements.js";
import { pathTo } from "./place.js";
import { ready } from "./ready.js";
import { LONG_TIMEOUT_S, request } from "./request.js";
import { counted, sentence } from "./words.js";

const api = (session, path) => pathTo(`api/v1/sessions/${encodeURIComponent(session)}${path}`);

let chosen = null; // the data of the session that a dialog is about
let asked = 0; // what was asked for an earlier dialog is not shown in a later one

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
function told({ files, bytes, comments, memories, memories_that_stay: left, archives }) {
  const goes = [`The session’s folder: what was said and asked, the debrief, the deck’s copy (${counted(files, "file")}, ${size(bytes)}); its name`];
  if (comments) goes.push(counted(comments, "comment"));
  if (memories) goes.push(`${memories} of what the panel remembers of it`);
  const stays = archives.map((one) => `Its archive, ${one}`);
  if (left) stays.push(`${left} that the panel remembers from elsewhere too, or that you edited or took up as a goal`);
  stays.push("The panel’s scratchpads, the deck’s own file, and whatever was exported, restored, downloaded or printed");
  return { goes, stays };
}

async function openDeleting() {
  const own = ++asked;
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
  const { goes, stays } = told(answer.body);
  $("deleting-goes").replaceChildren(...goes.map((words) => line("li", words)));
  $("deleting-stays").replaceChildren(...stays.map((words) => line("li", words)));
  $("deleting-archived").hidden = answer.body.archives.length === 0;
  $("deleting-known").hidden = false;
}

async function erase() {
  $("deleting-yes").disabled = true;
  $("deleting-refused").textContent = "";
  const archives = $("deleting-archives").checked ? "?archives=true" : "";
  const answer = await request(api(chosen.session, archives), { method: "DELETE" }, LONG_TIMEOUT_S);
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
ready();
