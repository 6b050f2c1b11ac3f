// Sends a comment, or a verdict on an answer; the page that comes back has it.

import { takeVerdicts } from "./judging.js";
import { pathTo } from "./place.js";
import { ready } from "./ready.js";
import { request } from "./request.js";

const form = document.getElementById("commenting");
const refused = document.getElementById("refused");
const author = form.elements.author;
if (!author.readOnly) author.value = sessionStorage.getItem("author") ?? ""; // else who is signed in writes

function whose() {
  if (author.value.trim()) {
    if (!author.readOnly) sessionStorage.setItem("author", author.value);
    return author.value;
  }
  return "own" in form.dataset ? "" : null; // on one's own machine the presenter judges
}
takeVerdicts(form.dataset.session, whose);

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  refused.textContent = "";
  const button = form.querySelector("button");
  button.disabled = true;
  const sent = { author: author.value, about: form.elements.about.value, text: form.elements.text.value };
  const answer = await request(pathTo(`api/v1/sessions/${encodeURIComponent(form.dataset.session)}/comments`), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(sent),
  });
  if (answer.isOk) {
    if (!author.readOnly) sessionStorage.setItem("author", sent.author);
    form.elements.text.value = "";
    location.reload();
  } else {
    refused.textContent = answer.status === 0 ? `${answer.words} Whether your comment was kept is not known: look for it in a new tab before you send it again.` : answer.words;
    button.disabled = false;
  }
});
ready();
