// A person's verdict on an answer: the page that comes back counts it. What is pressed already is taken back.

import { pathTo } from "./place.js";
import { request } from "./request.js";

const HEADERS = { "content-type": "application/json" };

// `who` gives the name, "" for the presenter, or null where it is to be said first; `refuse` shows words.
export function takeVerdicts(session, who, refuse) {
  const path = pathTo(`api/v1/sessions/${encodeURIComponent(session)}/judge`);
  for (const button of document.querySelectorAll("[data-verdict]")) {
    button.addEventListener("click", async () => {
      const by = who();
      if (by === null) return;
      const { exchange, turn } = button.parentElement.dataset;
      const verdict = button.getAttribute("aria-pressed") === "true" ? null : button.dataset.verdict;
      refuse("");
      button.disabled = true;
      const sent = { exchange, turn: Number(turn), verdict, ...(by && { by }) };
      const answer = await request(path, { method: "POST", headers: HEADERS, body: JSON.stringify(sent) });
      if (answer.isOk) return location.reload(); // the fix, the checks and every count may be others now
      refuse(answer.status === 0 ? `${answer.words} Whether your verdict was kept is not known: load this page again before you try again.` : answer.words);
      button.disabled = false;
    });
  }
}
