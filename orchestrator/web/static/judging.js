// A person's verdict on an answer: the page that comes back counts it. What is pressed already is taken back.

import { line } from "./elements.js";
import { pathTo } from "./place.js";
import { request } from "./request.js";

const HEADERS = { "content-type": "application/json" };

/** Say beside the buttons what keeps a verdict from being kept. */
function refuse(group, words) {
  const place = group.nextElementSibling?.matches(".judging-refused") ? group.nextElementSibling : line("p", "", "refused judging-refused");
  place.setAttribute("role", "alert");
  group.after(place);
  place.textContent = words;
}

/** Take verdicts; `who` gives the judge's name, "" for the presenter, or null where it is not known yet. */
export function takeVerdicts(session, who) {
  const path = pathTo(`api/v1/sessions/${encodeURIComponent(session)}/judge`);

  async function keep(group, verdict) {
    const by = who();
    if (by === null) return refuse(group, "A verdict says whose it is: write your name below, under Comments, then press again.");
    const { exchange, turn } = group.dataset;
    const note = group.querySelector("input").value.trim();
    const parts = [...group.querySelectorAll("button, input")];
    refuse(group, "");
    for (const one of parts) one.disabled = true;
    const sent = { exchange, turn: Number(turn), verdict, ...(verdict && note && { note }), ...(by && { by }) };
    const answer = await request(path, { method: "POST", headers: HEADERS, body: JSON.stringify(sent) });
    if (answer.isOk) return location.reload(); // the fix, the checks and every count may be others now
    refuse(group, answer.status === 0 ? `${answer.words} Whether your verdict was kept is not known: load this page again before you try again.` : answer.words);
    for (const one of parts) one.disabled = false;
  }

  for (const group of document.querySelectorAll(".judging")) {
    const pressed = group.querySelector('[aria-pressed="true"]');
    for (const button of group.querySelectorAll("[data-verdict]")) {
      button.addEventListener("click", () => keep(group, button === pressed ? null : button.dataset.verdict));
    }
    group.querySelector("input").addEventListener("keydown", (event) => { // a note is of the verdict that is pressed
      if (event.key !== "Enter") return;
      if (pressed) keep(group, pressed.dataset.verdict);
      else refuse(group, "Now press one of the three: the note goes with it.");
    });
  }
}
