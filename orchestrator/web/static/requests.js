// Requests to the server about one session. What got no answer is sent once more, by the same id: it counts once.

import { pathTo } from "./place.js";

const RETRY_MS = 500;

/** An id of our own for a request; `crypto.randomUUID` is not there where the page comes without TLS. */
export const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * The answer, or null where none came. Words that the server cannot write now, since another program holds the
 * session, are sent until it can; `held` is called each time.
 */
export async function request(session, path, { method = "POST", body = {}, id = newId(), held } = {}) {
  const address = pathTo(`api/v1/sessions/${encodeURIComponent(session)}/${path}`);
  const headers = { "content-type": "application/json", "idempotency-key": id };
  for (let isAgain = false; ; ) {
    const answer = await fetch(address, { method, headers, body: JSON.stringify(body) }).catch(() => null);
    const isHeld = answer?.status === 503 && held !== undefined;
    if (isHeld) held();
    else if (answer || isAgain) return answer;
    isAgain = !isHeld;
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
}
