// How speech is heard: by this server, by the browser, or not at all.

import { pathTo } from "./place.js";
import { request } from "./request.js";

const RETRY_MS = 2000;

/** What becomes of the sound; the starting page says so beside its own choice. */
function kept() {
  if (document.getElementById("keep_sound")) return "";
  const isKept = document.querySelector("[data-keeps-sound]") !== null;
  return isKept ? " The sound of your answers is kept on this machine, as you chose; no other sound is." : " No sound is kept.";
}

/** Ask the server until it answers. Returns `{ by: "server" | "browser" | null, words }`. */
export async function howHeard() {
  let answer = await request(pathTo("api/v1/speech"));
  while (!answer.isOk) { // also a proxy whose server is being started
    await new Promise((done) => setTimeout(done, RETRY_MS));
    answer = await request(pathTo("api/v1/speech"));
  }
  const { recognises, detail, language, warning } = answer.body;
  const hasSound = navigator.mediaDevices?.getUserMedia && window.AudioWorkletNode;
  if (recognises && hasSound) return { by: "server", words: `Your words are recognised on this machine (${language}).${kept()}${warning ? ` But: ${warning}.` : ""}` };
  if (window.webkitSpeechRecognition && window.isSecureContext) return { by: "browser", words: "Your browser recognises your words; its maker may do so elsewhere." };
  if (!recognises) return { by: null, words: `Type what you say: ${detail ?? answer.words}.` };
  const why = window.isSecureContext ? "this browser cannot hand the sound of a microphone to a page" : "browsers give the microphone only to this machine's own pages, or over https";
  return { by: null, words: `Type what you say: ${why}.` };
}
