// Why no sound comes from a microphone, each cause in its own words.

/** A cause's sentence; `name` is the microphone's, as the browser has it. */
const CAUSES = {
  insecure: () => "Browsers give the microphone only to this machine's own pages, or over https. Type what you say.",
  unsupported: () => "This browser cannot hand the sound of a microphone to a page. Type what you say, or take another browser.",
  none: () => "No microphone is connected to this machine. Plug one in, or type what you say.",
  refused: () => "The microphone is not allowed for this page: you refused it, or this browser's settings do. Allow it beside the page's address, then try again.",
  dismissed: () => "The browser asked whether this page may use the microphone and got no answer. Try again, and allow it.",
  policy: () => "A policy of this browser or of the page's server keeps the microphone from this page. Type what you say.",
  system: () => "This machine's settings keep the microphone from the browser. Allow it there, then try again.",
  busy: (name) => `${upper(name)} cannot be opened: another program uses it, or its driver failed. Close that program, or choose another microphone.`,
  asking: () => "The browser asks whether this page may use the microphone: allow it.",
  unanswered: (name) => `The browser has not opened ${name}. Plug it in anew or choose another microphone, then try again.`,
  unloaded: () => "The server cannot be reached, so the page cannot open the microphone. Try again once it is connected.",
  failed: (name, detail) => `The browser could not open ${name} (${detail}). Choose another microphone, or type what you say.`,
  unplugged: (name) => `${upper(name)} was unplugged, and there is no other microphone. It is taken again as soon as it is back.`,
  muted: (name) => `${upper(name)} is muted, by its own switch or in this machine's settings.`,
  suspended: () => "The browser holds the sound back until you press a key or click on the page.",
  stalled: (name) => `No sound comes from ${name} any more. Plug it in anew, or choose another microphone.`,
  thinking: () => "I hear nothing: still thinking?",
  silent: (name) => `I hear nothing from ${name}. Speak; if this stays, turn it up or choose another microphone.`,
};

/** A failure to open a microphone. `words` say why and what to do. */
export class SoundError extends Error {
  constructor(cause, name = ANY, detail = "") {
    super(cause);
    this.cause = cause;
    this.words = wordsFor(cause, name, detail);
  }
}

export const ANY = "the microphone"; // one whose name the browser does not tell

/** The sentence for a cause; "" for none. */
export const wordsFor = (cause, name = ANY, detail = "") => (cause === null ? "" : CAUSES[cause](name === ANY ? name : `“${name}”`, detail));

const upper = (name) => name[0].toUpperCase() + name.slice(1);

/** Whether the browser lets this page have a microphone: "granted", "denied", or "prompt", also where it does not say. */
export async function permission() {
  const status = await navigator.permissions?.query({ name: "microphone" }).catch(() => null);
  return status?.state ?? "prompt";
}

/** The cause behind what `getUserMedia` threw for the microphone of this name (W3C Media Capture and Streams, 10.2). */
export async function errorOf(error, name = ANY) {
  if (error instanceof SoundError) return error;
  if (error.name === "NotFoundError" || error.name === "OverconstrainedError") return new SoundError("none");
  if (error.name === "NotReadableError" || error.name === "AbortError") return new SoundError("busy", name);
  if (error.name === "SecurityError" || isKeptByPolicy()) return new SoundError("policy");
  if (error.name !== "NotAllowedError") return new SoundError("failed", name, error.name);
  // The page is allowed it and got none: it is the machine that refuses.
  return new SoundError({ granted: "system", denied: "refused", prompt: "dismissed" }[await permission()]);
}

/** Only Chromium tells. */
const isKeptByPolicy = () => document.featurePolicy?.allowsFeature?.("microphone") === false;
