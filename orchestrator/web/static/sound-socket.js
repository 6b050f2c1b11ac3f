// Sound on its way to this server, and what comes back: words under way, sentences, refusals.

import { pathTo } from "./place.js";

const MAX_WAITING_BYTES = 160_000; // five seconds: beyond it the server is too slow, and words would come too late
const RETRY_MS = 1000;
const DRAINED_WITHIN_MS = 1000;
const PAUSE = new Int16Array(16_000 * 0.8); // longer than the pause that ends a sentence

export class SoundSocket {
  #session;
  #tell; // { refused(words), closed(words), heard(sentence), broke(words that were under way, as far as they were told) }
  #socket = null;
  #isOpen = true;
  #isFinished = false; // the server closes it, as the session is being ended
  #isVoiced = false; // a voice was sent since the last sentence that came back
  #underWay = ""; // of a sentence that is not in the transcript yet, as far as it was recognised

  constructor(session, tell) {
    this.#session = session;
    this.#tell = tell;
    this.#connect();
  }

  get isConnected() {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  get isBehind() {
    return this.#socket.bufferedAmount > MAX_WAITING_BYTES;
  }

  /** Send a frame; whether it was sent. */
  send(sound, isVoiced) {
    if (!this.isConnected || this.isBehind) return false;
    this.#socket.send(sound);
    this.#isVoiced ||= isVoiced;
    return true;
  }

  /** What was begun is a sentence. */
  endSentence() {
    this.send(PAUSE, false);
  }

  /** Wait until all sound has left this page, for a second at most; "" since what is lost of it is said elsewhere. */
  async drained() {
    for (let waited = 0; this.isConnected && this.#socket.bufferedAmount > 0 && waited < DRAINED_WITHIN_MS; waited += 20) {
      await new Promise((done) => setTimeout(done, 20));
    }
    return "";
  }

  /** Connect again where the server closed it: the session was not ended after all. */
  resume() {
    if (!this.#isFinished) return;
    this.#isFinished = false;
    this.#connect();
  }

  /** Close; the server takes in what was said before. */
  close() {
    this.#isOpen = false;
    this.#socket.close(1000);
  }

  #connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.#socket = new WebSocket(`${scheme}://${location.host}${pathTo(`api/v1/sessions/${this.#session}/microphone`)}`);
    this.#socket.addEventListener("message", ({ data }) => this.#read(JSON.parse(data)));
    this.#socket.addEventListener("close", () => {
      if (!this.#isOpen || this.#isFinished) return;
      if (this.#isVoiced || this.#underWay) this.#tell.broke(this.#underWay);
      this.#forget();
      setTimeout(() => this.#isOpen && this.#connect(), RETRY_MS);
    });
  }

  /** Nothing is under way. */
  #forget() {
    this.#isVoiced = false;
    this.#underWay = "";
  }

  #read({ partial, final, doubt = null, segment = null, refused, closed }) {
    if (partial !== undefined) this.#underWay = partial; // shown with the room, as on every page
    if (final !== undefined) {
      this.#forget();
      this.#tell.heard({ text: final, doubt, segment });
    }
    if (closed !== undefined) {
      this.#isFinished = true;
      this.#forget();
      this.#tell.closed(closed);
    }
    if (refused !== undefined) {
      this.#forget();
      this.#tell.refused(refused);
    }
  }
}
