// Sends a comment; the page that comes back has it.

import { pathTo } from "./place.js";
import { sentence } from "./words.js";

const form = document.getElementById("commenting");
const refused = document.getElementById("refused");
const author = form.elements.author;
author.value = sessionStorage.getItem("author") ?? "";

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  refused.textContent = "";
  const button = form.querySelector("button");
  button.disabled = true;
  const sent = { author: author.value, about: form.elements.about.value, text: form.elements.text.value };
  try {
    const answer = await fetch(pathTo(`api/v1/sessions/${encodeURIComponent(form.dataset.session)}/comments`), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(sent),
    });
    if (!answer.ok) throw new Error((await answer.json()).detail);
    sessionStorage.setItem("author", sent.author);
    form.elements.text.value = "";
    location.reload();
  } catch (error) {
    refused.textContent = error.message ? sentence(error.message) : "The server did not answer: try again.";
    button.disabled = false;
  }
});
