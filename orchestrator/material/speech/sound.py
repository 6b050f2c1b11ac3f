"""Recognise a sound file as words with times, in the same sentences as from a microphone."""

from __future__ import annotations

import io
import os
import re
import shutil
import wave
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from orchestrator.core.errors import SpeechError
from orchestrator.core.store import files
from orchestrator.core.table import check_session_id
from orchestrator.material.speech.recognition import Heard, Recogniser
from orchestrator.material.speech.voice import RATE_HZ, SAMPLE_BYTES, Stretch, Voice
from orchestrator.material.values import LiveSegment

# ---------------------------------------------------------------------- sound


FORMATS: Final = {
    ".wav": "wav",
    ".flac": "flac",
    ".mp3": "mp3",
    ".m4a": "mov",
    ".ogg": "ogg",
    ".opus": "ogg",
}
"""The decoder for a file of each suffix. The decoder is never guessed: some of the kinds that PyAV knows are
lists of other files and addresses, which it would open."""


def is_sound(path: Path) -> bool:
    """Return whether the file's suffix says that it is sound."""
    return path.suffix.lower() in FORMATS


def read_sound(
    file: BinaryIO, suffix: str, recogniser: Recogniser, names: Sequence[str] = ()
) -> list[LiveSegment]:
    """Return the speech in a sound file, one piece for each sentence.

    *names* are as for `Recogniser.recognise`.

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
    """Convert a recognised stretch to a piece of speech; its stream began at *offset_s* on the clock."""
    return LiveSegment(
        heard.text,
        start_s=round(offset_s + stretch.start_s, 3),
        end_s=round(offset_s + stretch.end_s, 3),
        confidence=heard.confidence,
        doubt=heard.doubt,
    )


def decoded_sound(file: BinaryIO, kind: str) -> Iterator[bytes]:
    """Yield the sound of a file in chunks, at 16 kHz, 16 bits and one channel."""
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


# ---------------------------------------------------------------------- kept sound
# The sound of one's own answers, kept only where the presenter said so at the start.
#
#     <home>/sessions/.sound/<session>/segment-12.wav
#
# It lies beside the session's folder, not in it: so it is in no ledger, no archive and no export. The
# folder itself says that sound is to be kept. A file is a piece of an answer, by its number in the
# transcript: which question it answers the session knows, also where an answer is taken back.


MAX_SESSION_BYTES: Final = 120_000_000
"""Maximum size of a session's sound: an hour of answers at 32 kB a second. A rehearsal of twenty minutes has
a fraction of it."""
_PIECE: Final = re.compile(r"segment-([1-9]\d{0,8})\.wav")
_HEAD_BYTES: Final = 44  # of a WAV file, before its samples


def sound_folder(sessions: Path, session: str) -> Path:
    """Return the folder in which a session's sound is stored."""
    return sessions / ".sound" / check_session_id(session)


def allow_sound(sessions: Path, session: str) -> None:
    """Allow, as the presenter wishes, that the sound of answers is stored from now on."""
    sound_folder(sessions, session).mkdir(files.FOLDER_MODE, parents=True, exist_ok=True)


def keeps_sound(sessions: Path, session: str) -> bool:
    """Return whether the presenter allowed that a session's sound is stored."""
    return sound_folder(sessions, session).is_dir()


def keep_sound(sessions: Path, session: str, segment: int, samples: bytes) -> None:
    """Save the sound of a piece of an answer, which is at 16 kHz, 16 bits and one channel.

    Raises:
        SpeechError: The session has too much sound already, or the disk refused; nothing of the piece was
            stored.
    """
    folder = sound_folder(sessions, session)
    try:
        used = sum(one.stat().st_size for one in folder.iterdir())
        if used + len(samples) > MAX_SESSION_BYTES:
            raise SpeechError("the sound of an hour of answers is kept, and this goes beyond: delete some")
        fd = os.open(folder, files.FOLDER)
        try:
            files.replace_file(fd, f"segment-{segment}.wav", wav(samples), mode=0o600)
        finally:
            os.close(fd)
    except OSError as error:
        raise SpeechError(f"the sound of this answer was not kept: {files.reason(error)}") from error


def kept_pieces(sessions: Path, session: str) -> dict[int, Path]:
    """Return the files of a session's stored sound, by segment."""
    folder = sound_folder(sessions, session)
    if not folder.is_dir():
        return {}
    named = ((one, _PIECE.fullmatch(one.name)) for one in folder.iterdir())
    return {int(match[1]): one for one, match in sorted(named) if match is not None}


def joined(pieces: Iterable[Path]) -> bytes:
    """Join the sound of several pieces into one WAV file."""
    samples = []
    for piece in pieces:
        with wave.open(str(piece), "rb") as sound:
            samples.append(sound.readframes(sound.getnframes()))
    return wav(b"".join(samples))


def seconds_of(pieces: Iterable[Path]) -> float:
    """Return the total length in seconds of several pieces of sound."""
    samples = sum(max(0, one.stat().st_size - _HEAD_BYTES) for one in pieces)
    return round(samples / (RATE_HZ * SAMPLE_BYTES), 1)


def delete_sound(sessions: Path, session: str) -> None:
    """Delete all sound of a session; no more is stored from then on."""
    folder = sound_folder(sessions, session)
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)


def wav(samples: bytes) -> bytes:
    """Return *samples* with the header of a WAV file."""
    made = io.BytesIO()
    with wave.open(made, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(SAMPLE_BYTES)
        sound.setframerate(RATE_HZ)
        sound.writeframes(samples)
    return made.getvalue()
