// The debrief: pictures in the place of the slides' text, what a person
// says of an answer, "no contradiction", and a drill of one question.

import { fitSheets } from "./fit.js";
import { takeVerdicts } from "./judging.js";
import { pathTo } from "./place.js";
import { ready } from "./ready.js";
import { LONG_TIMEOUT_S, request } from "./request.js";

const session = document.getElementById("debrief").dataset.session;
const api = (path) => pathTo(`api/v1/sessions/${encodeURIComponent(session)}/${path}`);
const refused = document.getElementById("refused");

async function send(button, path, body) {
  refused.textContent = "";
  button.disabled = true;
  const headers = { "content-type": "application/json" };
  const answer = await request(api(path), { method: "POST", headers, body: JSON.stringify(body) }, LONG_TIMEOUT_S);
  if (answer.isOk) return answer.body;
  refused.textContent = answer.status === 0 ? `${answer.words} Whether it was done is not known: load this page again before you try again.` : answer.words;
  refused.scrollIntoView({ block: "center" });
  button.disabled = false;
  return null;
}

fitSheets(document);

takeVerdicts(session, () => "");

for (const picture of document.querySelectorAll("img[data-slide]")) {
  picture.addEventListener("load", () => {
    picture.hidden = false; // the text stands until the picture is there, and where there is none
    picture.nextElementSibling.hidden = true;
  });
  picture.src = api(`slides/${picture.dataset.slide}.png`);
}

for (const button of document.querySelectorAll("[data-dismiss]")) {
  button.addEventListener("click", async () => {
    const done = await send(button, "dismiss", { finding: button.dataset.dismiss });
    if (done) location.reload(); // the fix, the checks and every count may be others now
  });
}

for (const button of document.querySelectorAll("[data-drill]")) {
  button.addEventListener("click", async () => {
    button.textContent = "The room is being opened…";
    const drill = await send(button, "drill", { exchange: button.dataset.drill });
    button.textContent = "Ask me that again";
    if (drill) location.assign(pathTo(`room/${encodeURIComponent(drill.session)}`));
  });
}

for (const button of document.querySelectorAll("[data-unkeep]")) {
  button.addEventListener("click", async () => {
    const { unkeep } = button.dataset;
    if (!confirm(unkeep ? "Delete the sound of this answer?" : "Delete the sound of all answers?")) return;
    const answer = await request(api(unkeep ? `sound/${unkeep}` : "sound"), { method: "DELETE" }, undefined, String);
    if (answer.isOk) location.reload();
    else refused.textContent = answer.words;
  });
}
ready();
