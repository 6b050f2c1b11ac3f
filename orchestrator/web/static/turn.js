// Whose turn it is, in the room and in the presenter's window, as the server says.

import { $, text } from "./elements.js";
import { isConnected } from "./heartbeat.js";

const WAITS = {
  sentence: "A question is ready: it waits for the end of your sentence.",
  slide: "A question is ready: it waits until you have begun this slide and paused.",
  pause: "A question is ready: it waits for your next pause.",
};
const UNDO = { // the button's words for the answer that is being given, and for the one before
  back: ["Take it back", "Take back the last answer"],
  talk: ["That was my talk", "The last answer was my talk"],
};

/** Show what ends the answer and when, what waits, and why the clock stands; `acts`: with the buttons of the turn. */
export function showTurn(view, acts) {
  const turn = view.turn ?? {};
  const counts = turn.ends_in_s != null && isConnected(); // nobody knows whether a server that is silent counts on
  const left = counts ? Math.max(0, turn.ends_in_s - (performance.now() - view.seenAt) / 1000) : null;
  const words = left !== null ? `Your answer ends in ${Math.ceil(left)} s, unless you go on.` : turn.held || turn.stopped || WAITS[turn.waits] || "";
  text($("turn-words"), words.replace(/([^.!?])$/, "$1."));
  $("turn-words").classList.toggle("is-counting", left !== null);
  if (!acts) return;
  $("done").hidden = !["asked", "answering", "pausing"].includes(turn.phase); // the answer may be a sentence that is still being recognised
  $("park").hidden = view.question === null;
  const isBefore = ["talk", "asked"].includes(turn.phase); // nothing was said to the question that stands there, if any
  for (const [id, forms] of Object.entries(UNDO)) {
    if (!$(id)) continue; // the presenter's window has none
    $(id).hidden = !turn.back;
    text($(id), forms[Number(isBefore)]);
    $(id).classList.toggle("is-before", isBefore);
  }
}
