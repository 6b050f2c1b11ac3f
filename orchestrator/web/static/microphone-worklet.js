// Sound from the microphone as the server takes it: 16 kHz, 16 bits, one channel, a tenth of a second a frame.

const RATE = 16000;
const FRAME = RATE / 10;

class Frames extends AudioWorkletProcessor {
  constructor() {
    super();
    this.step = sampleRate / RATE; // samples of the context for one of ours; 1 where it could be made with our rate
    this.until = this.step; // how much of the sample being made is still to come
    this.sum = 0;
    this.count = 0;
    this.frame = new Int16Array(FRAME);
    this.energy = 0;
  }

  // Each sample is the mean of those it stands for, which also takes off most of what lies above 8 kHz.
  process([channels]) {
    for (const sample of channels[0] ?? []) {
      const part = Math.min(1, this.until);
      this.sum += sample * part;
      this.until -= part;
      if (this.until > 1e-9) continue;
      this.put(this.sum / this.step);
      this.sum = sample * (1 - part);
      this.until = this.step - (1 - part);
    }
    return true;
  }

  put(value) {
    const sample = Math.max(-1, Math.min(1, value));
    this.frame[this.count] = sample * 32767;
    this.energy += sample * sample;
    this.count += 1;
    if (this.count < FRAME) return;
    this.port.postMessage({ sound: this.frame.buffer, level: Math.sqrt(this.energy / FRAME) }, [this.frame.buffer]);
    this.frame = new Int16Array(FRAME);
    this.count = 0;
    this.energy = 0;
  }
}

registerProcessor("frames", Frames);
