// Whether the server is there, as a page can know it: its stream says something at least every 5 s.

export const MAX_SILENCE_S = 12; // two heartbeats that were missed; one may be late on a busy machine
const LOOK_MS = 1000;
const ASLEEP_MS = 5 * LOOK_MS; // a page that has not looked for so long was asleep, and has not read what came

let heardAt = performance.now();
let lookedAt = heardAt;
let wasHeard = false;
let isBroken = false; // the browser says so, and looks for the server by itself
let told = null;

/** Something came from the server. */
export function beat() {
  heardAt = performance.now();
  wasHeard = true;
  isBroken = false;
  tell();
}

/** The stream broke. */
export function lose() {
  isBroken = true;
  tell();
}

/** Whether the server was heard from lately. */
export const isConnected = () => !isBroken && silentS() < MAX_SILENCE_S; // also of a page that has just come

/** The moment up to which the server is known to have been there, as `performance.now()` counts. */
export const knownUntil = () => (isConnected() ? performance.now() : heardAt);

/** What is so, in words; null while the server is there. Read aloud by some: so it changes every 10 s at most. */
export function silence() {
  if (isConnected()) return null;
  const whole = Math.floor(silentS());
  if (whole < 10) return "The connection to the server is lost.";
  return `No word from the server for ${whole < 60 ? `${whole - (whole % 10)} s` : `${Math.floor(whole / 60)} min`}.`;
}

const silentS = () => (performance.now() - heardAt) / 1000;

function tell() {
  const words = silence();
  if ((words ?? "") === told || (words === null && !wasHeard)) return;
  told = words ?? "";
  document.dispatchEvent(new CustomEvent("connection", { detail: { isConnected: words === null, words } }));
}

setInterval(() => {
  const now = performance.now();
  if (now - lookedAt > ASLEEP_MS && !isBroken) heardAt = now;
  lookedAt = now;
  tell();
}, LOOK_MS);
