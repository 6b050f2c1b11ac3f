// Somebody speaks or types, and the words are not there yet: the server is told, so that no silence ends an answer.

import { pathTo } from "./place.js";
import { request } from "./request.js";

const TELL_MS = 2000; // less than any silence that ends an answer
const TIMEOUT_S = 5;

let toldAt = -Infinity;

export function tellSpeaking(session) {
  const now = performance.now();
  if (now - toldAt < TELL_MS) return;
  toldAt = now;
  const address = pathTo(`api/v1/sessions/${encodeURIComponent(session)}/speaking`);
  request(address, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }, TIMEOUT_S, String); // what fails is said of the words themselves
}
