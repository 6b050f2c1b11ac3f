"""A sound file → the words in it, with their times: the same sentences as a microphone gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from orchestrator.core.errors import SpeechError
from orchestrator.material.model.segment import LiveSegment
from orchestrator.material.speech.recognition import Heard, Recogniser
from orchestrator.material.speech.voice import RATE_HZ, Stretch, Voice

FORMATS: Final = {
    ".wav": "wav",
    ".flac": "flac",
    ".mp3": "mp3",
    ".m4a": "mov",
    ".ogg": "ogg",
    ".opus": "ogg",
}
"""The decoder for a file of each suffix. It is never left to guess: some of the kinds that it knows are
lists of other files and addresses, which it would open."""


def is_sound(path: Path) -> bool:
    """Whether the file's name says that it is sound."""
    return path.suffix.lower() in FORMATS


def read_sound(
    file: BinaryIO, suffix: str, recogniser: Recogniser, names: Sequence[str] = ()
) -> list[LiveSegment]:
    """What is said in a sound file, a piece for each sentence; *names* as `Recogniser.recognise`.

    Raises:
        SpeechError: The file cannot be decoded.
    """
    voice = Voice(recogniser.detector())
    pieces: list[LiveSegment] = []
    for samples in decoded_sound(file, FORMATS[suffix.lower()]):
        pieces += _recognised(voice.take(samples), recogniser, names)
    return pieces + _recognised(voice.close(), recogniser, names)


def _recognised(stretches: list[Stretch], recogniser: Recogniser, names: Sequence[str]) -> list[LiveSegment]:
    pieces = []
    for stretch in stretches:
        heard = recogniser.recognise(stretch.sound, names).result()
        if heard.text:
            pieces.append(said(stretch, heard))
    return pieces


def said(stretch: Stretch, heard: Heard, *, offset_s: float = 0.0) -> LiveSegment:
    """A recognised stretch as a piece of speech; the stream began at *offset_s* of the clock."""
    return LiveSegment(
        heard.text,
        start_s=round(offset_s + stretch.start_s, 3),
        end_s=round(offset_s + stretch.end_s, 3),
        confidence=heard.confidence,
        doubt=heard.doubt,
    )


def decoded_sound(file: BinaryIO, kind: str) -> Iterator[bytes]:
    """The sound at 16 kHz, 16 bits, one channel, some of it at a time."""
    import av
    from av.audio.resampler import AudioResampler

    resampler = AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
    try:
        with av.open(file, "r", format=kind, metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise SpeechError("holds no sound")
            for frame in container.decode(audio=0):
                for one in resampler.resample(frame):
                    yield one.to_ndarray().tobytes()
            for one in resampler.resample(None):
                yield one.to_ndarray().tobytes()
    except (av.FFmpegError, ValueError) as error:
        raise SpeechError(f"cannot be read as {kind} sound: save it anew, or give a transcript") from error
