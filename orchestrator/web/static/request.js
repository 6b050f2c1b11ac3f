// Requests with a limit of time, and what a page says of one that failed.

import { pathTo } from "./place.js";
import { sentence } from "./words.js";

export const TIMEOUT_S = 15; // a write takes milliseconds, or waits 5 s for another program's lock
export const START_TIMEOUT_S = 1200; // a start with a slow model: each of its calls may take three minutes
export const LONG_TIMEOUT_S = 180; // what may ask a model, or read a deck of 50 MB
const RETRY_MS = 500;

/** An id of our own for a request; `crypto.randomUUID` is not there where the page comes without TLS. */
export const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Send one request and read what comes, which `parse` takes apart. Never throws.
 *
 * Returns `{ status, isOk, body, words }`; `status` is 0 where no whole answer came, and `words` says in a sentence why it failed.
 */
export async function request(address, options = {}, timeoutS = TIMEOUT_S, parse = JSON.parse) {
  const failed = (words) => ({ status: 0, isOk: false, body: {}, words });
  let answer, read;
  try {
    answer = await fetch(address, { ...options, signal: AbortSignal.timeout(timeoutS * 1000) });
    read = await answer.text(); // within the limit, too
  } catch (error) {
    return failed(error.name === "TimeoutError" ? `The server has not answered for ${timeoutS} s.` : "The server cannot be reached.");
  }
  const { status, ok: isOk } = answer;
  try {
    const body = parse(read);
    return { status, isOk, body, words: isOk ? "" : sentence(body.detail ?? `the server answered ${status}`) };
  } catch {
    return isOk ? failed("Something between here and the server answered in its place.") : { status, isOk, body: {}, words: `The server answered ${status}.` };
  }
}

/**
 * Send one write as JSON; once more by the same id where no answer came, so that it counts once.
 *
 * `isHeld(answer)` says of an answer whether the write is to be sent again until it is another.
 */
export async function write(address, body, { method = "POST", id = newId(), timeoutS = TIMEOUT_S, isHeld = () => false } = {}) {
  const headers = { "content-type": "application/json", "idempotency-key": id };
  for (let tries = 1; ; ) {
    const answer = await request(address, { method, headers, body: JSON.stringify(body ?? {}) }, timeoutS);
    if (!isHeld(answer)) {
      if (answer.status !== 0 || tries > 1) return answer;
      tries += 1;
    }
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
}

/** Send one write about a session; `path` is below its address. As `write`, with the body among the options. */
export const change = (session, path, { body, ...options } = {}) => write(pathTo(`api/v1/sessions/${encodeURIComponent(session)}/${path}`), body, options);
