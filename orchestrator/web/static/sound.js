// One microphone, open and watched: its sound, whether any comes, and the next one where it is unplugged.

import { pathTo } from "./place.js";
import { chosen, chosenOf, microphones } from "./sound-choice.js";
import { ANY, SoundError, errorOf, permission, wordsFor } from "./sound-causes.js";

const RATE = 16_000; // Hz, as the server takes it
const LOOK_MS = 500;
const ASLEEP_MS = 4 * LOOK_MS; // a page that has not looked for so long was asleep, and so was the sound
const LISTED_WITHIN_S = 5;
const LIST_MS = 2000; // not every browser tells of a change: Chromium says nothing of a PulseAudio source that is gone
const OPENED_WITHIN_S = 10; // a microphone that is allowed; Bluetooth takes two or three
const ALLOWED_WITHIN_S = 60; // somebody reads what the browser asks
const ASKED_AFTER_S = 1;
const LOADED_WITHIN_S = 10;
const STALLED_AFTER_S = 3;
const BEGINS_WITHIN_S = 1; // contexts begin suspended, and Firefox's tracks muted
const SILENT_AFTER_S = 5; // before the first sound
const THINKING_S = 20; // after it: who thinks before an answer is silent, and some headsets let no noise through
const SILENT_AGAIN_S = 90; // longer than anybody thinks
const GESTURES = ["pointerdown", "keydown"]; // upon which a browser lets sound through
const DEFAULT = { id: null, name: "" }; // the machine's
const OF_ONE = ["none", "busy", "failed"]; // causes for which another microphone may open
const NOTHING = 1e-4; // of full scale, -80 dB: a microphone that is on has more noise

/** The level as a meter shows it, 0 to 1: from -60 dB, a quiet room, to full scale. */
export const shownLevel = (level) => Math.max(0, Math.min(1, 1 + Math.log10(Math.max(level, 1e-6)) / 3));

export class Sound {
  #take; // given each tenth of a second: { sound: ArrayBuffer, level: 0 to 1 }
  #tell; // given { cause, words, name, id, known } whenever one of them has changed
  #isOpen = true;
  #work = Promise.resolve(); // one change of microphones after the other
  #used = null; // { stream, track, context, name, id }
  #first = null; // the name of the one that was opened first: where none was chosen, it is used again once it is back
  #gone = null; // { name, id } of one that was unplugged, until another is used
  #known = [];
  #note = ""; // about an exchange of microphones
  #told = "";
  #frameAt = 0;
  #soundAt = 0;
  #wasHeard = false;
  #mutedAt = null;
  #suspendedAt = null;
  #lookedAt = 0;
  #timer = null;
  #listing = null;

  constructor(take, tell) {
    this.#take = take;
    this.#tell = tell;
  }

  /** Open the chosen microphone, or another where it is not there. Throws a SoundError that says why there is none. */
  async open() {
    if (!navigator.mediaDevices?.getUserMedia) throw new SoundError(window.isSecureContext ? "unsupported" : "insecure");
    if (!window.AudioWorkletNode) throw new SoundError("unsupported");
    try {
      await this.#connect();
    } catch (error) {
      this.close();
      throw error;
    }
    if (!this.#isOpen) return;
    navigator.mediaDevices.addEventListener("devicechange", this.#changed);
    for (const event of GESTURES) document.addEventListener(event, this.#resume, true);
    this.#timer = setInterval(this.#look, LOOK_MS);
    this.#listing = setInterval(this.#list, LIST_MS);
  }

  /** Use the microphone that has been chosen since, or another where it does not open. */
  change() {
    this.#note = "";
    return this.#then(() => this.#replace());
  }

  close() {
    this.#isOpen = false;
    clearInterval(this.#timer);
    clearInterval(this.#listing);
    navigator.mediaDevices?.removeEventListener("devicechange", this.#changed);
    for (const event of GESTURES) document.removeEventListener(event, this.#resume, true);
    this.#release();
  }

  // ---------------------------------------------------------------- opening

  #then(step) {
    this.#work = this.#work.then(() => this.#isOpen && step());
    return this.#work;
  }

  #release() {
    if (this.#used !== null) stop(this.#used);
    this.#used = null;
  }

  /** The chosen one, else the one that was opened first: what stands in for it may hear nobody, as the monitor of an output that Firefox lists on Linux. */
  #wanted(known) {
    return chosenOf(known) ?? known.find(({ name }) => name === this.#first) ?? null;
  }

  /** Open the wanted one, else the machine's default, else the first of the others that opens. */
  async #connect() {
    this.#release(); // some browsers open one at a time
    const known = await within(LISTED_WITHIN_S, microphones(), () => new SoundError("unanswered")).catch(async (error) => {
      throw await errorOf(error);
    });
    this.#known = known;
    if (known.length === 0) throw new SoundError("none");
    const wanted = this.#wanted(known);
    const others = known.filter(({ id }) => id !== "" && id !== wanted?.id && id !== this.#gone?.id);
    let failure = null;
    for (const one of [...(wanted ? [wanted] : []), DEFAULT, ...others]) {
      if (!this.#isOpen) return;
      try {
        const stream = await this.#stream(one);
        const used = await this.#graph(stream, one);
        const named = await microphones().catch(() => known); // the browser tells names from now on
        const isOther = wanted === null && (chosenOf(named)?.id ?? used.id) !== used.id; // the chosen one had no name yet
        if (isOther || !this.#isOpen) stop(used);
        if (isOther) return this.#connect();
        return this.#isOpen && this.#use(used, named);
      } catch (error) {
        const found = await errorOf(error, one.name || ANY);
        failure ??= found;
        if (!OF_ONE.includes(found.cause)) break;
      }
    }
    throw failure;
  }

  async #stream({ id, name }) {
    const isAllowed = (await permission()) === "granted";
    const asking = setTimeout(() => this.#isOpen && !isAllowed && this.#say("asking"), ASKED_AFTER_S * 1000);
    try {
      // No noise suppression: it takes from the voice too, and Whisper was trained with noise.
      const audio = { channelCount: 1, echoCancellation: true, noiseSuppression: false, ...(id ? { deviceId: { exact: id } } : {}) };
      const late = (stream) => stream.getTracks().forEach((track) => track.stop());
      const limit_s = isAllowed ? OPENED_WITHIN_S : ALLOWED_WITHIN_S;
      return await within(limit_s, navigator.mediaDevices.getUserMedia({ audio }), () => new SoundError(isAllowed ? "unanswered" : "dismissed", name || ANY), late);
    } finally {
      clearTimeout(asking);
    }
  }

  async #graph(stream, { id, name }) {
    const [track] = stream.getAudioTracks();
    const build = async (options) => {
      const context = new AudioContext(options);
      try {
        await loaded(context);
        const frames = new AudioWorkletNode(context, "frames", { numberOfOutputs: 0 });
        context.createMediaStreamSource(stream).connect(frames); // refused by some browsers at another rate
        frames.port.addEventListener("message", ({ data }) => this.#used?.context === context && this.#frame(data));
        frames.port.start();
        context.resume().catch(() => {}); // not awaited: without a gesture it may never come, which is said
        return context;
      } catch (error) {
        context.close();
        throw error;
      }
    };
    try {
      const context = await build({ sampleRate: RATE }).catch((error) => (error instanceof SoundError ? Promise.reject(error) : build()));
      return { stream, track, context, name: track.label || name || ANY, id: track.getSettings().deviceId ?? id };
    } catch (error) {
      track.stop();
      throw error;
    }
  }

  #use(used, known) {
    this.#used = used;
    this.#first ??= used.name;
    this.#known = known;
    this.#frameAt = this.#soundAt = performance.now();
    this.#wasHeard = false;
    this.#mutedAt = this.#suspendedAt = null;
    const wanted = chosen();
    if (this.#gone?.name === used.name) this.#note = `“${used.name}” is back, and used again.`;
    else if (this.#gone !== null) this.#note = `“${this.#gone.name}” was unplugged. “${used.name}” is used now.`;
    else if (wanted !== null && chosenOf(known) === null) this.#note = `“${wanted.name}” is not connected. “${used.name}” is used.`;
    this.#gone = null;
    used.track.addEventListener("ended", () => this.#then(() => this.#used === used && this.#lose()));
    this.#say(null);
  }

  // ---------------------------------------------------------------- watching

  /** The microphone was unplugged, or the browser took it away: the next one is used. */
  #lose() {
    this.#gone = { name: this.#used.name, id: this.#used.id };
    return this.#replace();
  }

  async #replace() {
    try {
      await this.#connect();
    } catch (error) {
      if (!this.#isOpen) return;
      if (error.cause === "none" && this.#gone) this.#say("unplugged", this.#gone.name);
      else this.#say(error.cause, undefined, error.words);
    }
  }

  /** One was plugged in or unplugged. */
  #changed = () =>
    this.#then(async () => {
      const known = await microphones().catch(() => this.#known);
      const has = (id) => known.some((one) => one.id === id);
      this.#known = known;
      const [used, wanted] = [this.#used, this.#wanted(known)];
      if (used === null) return known.length > 0 && this.#replace();
      if (used.id !== null && !has(used.id)) return this.#lose(); // not every browser ends its track
      if (wanted === null || wanted.id === used.id) return this.#look();
      this.#gone = { name: wanted.name, id: null };
      return this.#replace();
    });

  #list = async () => {
    const known = await microphones().catch(() => this.#known);
    if (this.#isOpen && JSON.stringify(known) !== JSON.stringify(this.#known)) this.#changed();
  };

  #resume = () => {
    if (this.#used?.context.state !== "running") this.#used?.context.resume().catch(() => {});
  };

  #frame(data) {
    this.#frameAt = performance.now();
    if (data.level > NOTHING) {
      this.#soundAt = this.#frameAt;
      this.#wasHeard = true;
    }
    this.#take(data);
  }

  #look = () => {
    const now = performance.now();
    const wasAsleep = now - this.#lookedAt > ASLEEP_MS;
    this.#lookedAt = now;
    if (this.#used === null) return;
    if (wasAsleep) this.#frameAt = this.#soundAt = now;
    const { track, context, name } = this.#used;
    this.#mutedAt = track.muted ? (this.#mutedAt ?? now) : null;
    this.#suspendedAt = context.state === "running" ? null : (this.#suspendedAt ?? now);
    const lasts = (since, seconds) => since !== null && now - since > seconds * 1000;
    if (lasts(this.#suspendedAt, BEGINS_WITHIN_S)) this.#say("suspended", name);
    else if (lasts(this.#mutedAt, BEGINS_WITHIN_S)) this.#say("muted", name);
    else if (lasts(this.#frameAt, STALLED_AFTER_S)) this.#say("stalled", name);
    else if (lasts(this.#soundAt, this.#wasHeard ? SILENT_AGAIN_S : SILENT_AFTER_S)) this.#say("silent", name);
    else if (lasts(this.#soundAt, THINKING_S)) this.#say("thinking");
    else this.#say(null);
  };

  #say(cause, name = ANY, words = wordsFor(cause, name)) {
    const state = { cause, words: words || this.#note, name: this.#used?.name ?? "", id: this.#used?.id ?? null, known: this.#known };
    const key = JSON.stringify(state);
    if (key === this.#told) return;
    this.#told = key;
    this.#tell(state);
  }
}

function stop({ stream, context }) {
  for (const track of stream.getTracks()) track.stop();
  context.close().catch(() => {}); // closed already
}

async function loaded(context) {
  const late = () => new SoundError("unloaded");
  try {
    await within(LOADED_WITHIN_S, context.audioWorklet.addModule(pathTo("static/microphone-worklet.js")), late);
  } catch {
    throw late();
  }
}

/** What a promise brings within so many seconds; else `error()` is thrown, and what comes later is given to `late`. */
function within(seconds, promise, error, late = () => {}) {
  let isOver = false;
  promise.then((value) => isOver && late(value), () => {});
  return new Promise((done, failed) => {
    const timer = setTimeout(() => {
      isOver = true;
      failed(error());
    }, seconds * 1000);
    promise.then(done, failed).finally(() => clearTimeout(timer));
  });
}
