// What was said: in doubt, corrected, or as it stands. A click on a caption corrects what was heard.

import { $, line, text, wordsButton } from "./elements.js";
import { clock } from "./words.js";

const DOUBTS = {
  repetition: "It repeats itself: was that said?",
  language: "It may be another language.",
  confidence: "Heard with doubt.",
};

const COUNTS = "The panel goes by your text; what was heard stays beside it.";
const JUDGED = "This answer is judged: its verdict stays on what was heard. All that comes after goes by your text.";

/** A caption: with what was heard where it was corrected, and marked where it is in doubt. */
export function caption(one, isCorrectable) {
  const item = line("li", "");
  item.append(line("time", clock(one.at_s), "soft"), " ", one.speaker ? `${one.speaker}: ` : "");
  item.append(isCorrectable
    ? wordsButton(one.text, "caption-words", "Correct what was heard", () => correct(one))
    : line("span", one.text, "caption-words"));
  if (one.doubt) {
    item.classList.add("is-doubtful");
    item.append(" ", line("em", DOUBTS[one.doubt] ?? "Heard with doubt."));
  }
  if (one.misheard) item.append(" ", line("span", "heard as ", "soft"), line("del", one.misheard));
  return item;
}

const LINE_CHARS = 45;

function correct(one) {
  $("correcting").dataset.number = one.number;
  text($("correcting-heard"), one.misheard || one.text);
  $("correcting-words").value = one.text;
  text($("correcting-refused"), "");
  text($("correcting-counts"), one.is_judged ? JUDGED : COUNTS);
  $("correcting-words").rows = Math.max(3, Math.ceil(one.text.length / LINE_CHARS)); // where a browser does not size it by itself
  $("correcting").showModal();
  $("correcting-words").setSelectionRange(one.text.length, one.text.length); // behind the last word: one key too many deletes nothing
}

/** The dialog of a correction; `send(number, words)` sends it, where it is not left, and brings the answer. */
export function listenToCorrections(send) {
  $("correcting-no").addEventListener("click", () => $("correcting").close());
  $("correcting-words").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!event.repeat) $("correcting-yes").click();
  });
  $("correcting-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    $("correcting-yes").disabled = true;
    const { isOk, words } = await send(Number($("correcting").dataset.number), $("correcting-words").value.trim().split(/\s+/).join(" "));
    $("correcting-yes").disabled = false;
    if (isOk) $("correcting").close();
    else text($("correcting-refused"), words); // it can be sent again
  });
}
