"""Read a recording, sound or transcript, into segments."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path
from typing import Final

from orchestrator.core.errors import SpeechError, names_its_file
from orchestrator.core.home.plain_yaml import shown_name
from orchestrator.core.legible import clock, one_line
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.speech.captions import read_captions
from orchestrator.material.speech.plain_text import read_plain
from orchestrator.material.speech.readings import MAX_COMPRESSED
from orchestrator.material.speech.recognition import Recogniser, recogniser_of
from orchestrator.material.speech.segment_json import load, read_json, read_json_lines
from orchestrator.material.speech.sound import is_sound, read_sound
from orchestrator.material.speech.speakers import joined_asides, with_speakers
from orchestrator.material.speech.times import lay_out
from orchestrator.material.values import LiveSegment, Segment

# ---------------------------------------------------------------------- source
# The file that a recording comes from.


_NO_FILE = "is not a file: give a recording's file"


def open_recording(
    path: Path, *, missing: str, no_file: str = _NO_FILE, folder: str = _NO_FILE
) -> BufferedReader:
    """Open the file at *path* for reading; refuse a pipe or device instead of waiting for it.

    Args:
        missing: The message's advice if there is no file.
        no_file, folder: The message's words if *path* is something other than a file, or a folder.

    Raises:
        SpeechError: The file cannot be opened, or is not a regular file.
    """
    name = shown_name(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise SpeechError(f"{name} does not exist: {missing}") from None
    except (OSError, ValueError) as error:  # ValueError: NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "no path that can be"
        raise SpeechError(f"{name} cannot be read: {reason}") from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise SpeechError(f"{name} {folder if stat.S_ISDIR(mode) else no_file}")
    return os.fdopen(descriptor, "rb")


# ---------------------------------------------------------------------- cut figures
# Figures that the end of a caption cuts in two: "4.2 | million", "twenty | two percent", "two | years".


_EDGE_CHARS: Final = 60  # on either side of a cut: longer than any figure with its unit
_MAX_GAP_S: Final = 2.0  # a longer silence ends a sentence


def with_whole_figures(pieces: Sequence[LiveSegment]) -> list[LiveSegment]:
    """Move the rest of a figure that was cut in two to the piece in which the figure begins.

    "… to 4.2 | million in 2025" becomes "… to 4.2 million | in 2025": the words stay in their order, and each
    piece keeps its times. If nothing is left of a piece, its end becomes the end of the piece before it.
    """
    whole: list[LiveSegment] = []
    for piece in pieces:
        last = whole[-1] if whole else None
        length = _cut_off(last, piece) if last is not None else 0
        if last is not None and length:
            rest = piece.text[length:].lstrip()
            whole[-1] = replace(
                last, text=f"{last.text} {piece.text[:length]}", end_s=last.end_s if rest else piece.end_s
            )
            piece = replace(piece, text=rest)
        if piece.text:
            whole.append(piece)
    return whole


def _cut_off(last: LiveSegment, piece: LiveSegment) -> int:
    """Count the characters of *piece* that belong to a figure which begins in *last*.

    Between two digits the count is 0: "we hired 12 | 300 of them left" has two figures.
    """
    if (last.speaker, last.slide) != (piece.speaker, piece.slide):
        return 0
    if last.text[-1:].isdigit() and piece.text[:1].isdigit():
        return 0
    if last.end_s is not None and piece.start_s is not None and piece.start_s - last.end_s > _MAX_GAP_S:
        return 0
    before, after = last.text[-_EDGE_CHARS:], piece.text[:_EDGE_CHARS]
    cut = len(before)
    end = next((one.end for one in numbers_in(f"{before} {after}") if one.start < cut < one.end - 1), None)
    if end is None:
        return 0
    behind = piece.text[end - cut - 1 :]
    return end - cut - 1 + len(behind) - len(behind.lstrip(".,;:!?%)"))


# ---------------------------------------------------------------------- loops
# Words that a recogniser is caught in and writes again and again: said once, as far as anybody knows.


MIN_TIMES: Final = 4
"""Number of repetitions that make a loop. People say a sentence twice, and three times for effect; Whisper's
loops go on to the end of its window."""
MIN_TIMES_OF_FEW_WORDS: Final = 10
"""Number of repetitions that make a loop of one or two words: "No. No. No. No." is said by people, and "Thank
you." throughout a silence is not."""
_FEW_WORDS: Final = 2
_MAX_PIECES: Final = 4  # of a loop that goes through several sentences
_MAX_WORDS: Final = 40  # of one within a piece
_WORD: Final = re.compile(r"\S+")


def without_loops(pieces: Sequence[LiveSegment]) -> tuple[list[LiveSegment], list[str]]:
    """Return the pieces with each loop once, at its own time, and a notice for each loop."""
    kept: list[LiveSegment] = []
    notices: list[str] = []
    said = [(one.speaker, " ".join(one.text.casefold().split())) for one in pieces]
    at = 0
    while at < len(pieces):
        size, times = _loop(said, at)
        until = at + size * times
        for piece in pieces[at : at + size]:
            text, inner = _once(piece.text)
            kept.append(replace(piece, text=text))
            times = max(times, inner)
        if times > 1:
            kept[-1] = replace(kept[-1], end_s=pieces[until - 1].end_s)
            which = f"piece {at + 1}" if until - at == 1 else f"pieces {at + 1} to {until}"
            when = "" if pieces[at].start_s is None else f" ({clock(pieces[at].start_s or 0.0)})"
            notices.append(
                f"{which}{when}: the same words {times} times in a row, "
                "as a recogniser that loops writes them; counted once"
            )
        at = until
    return kept, notices


def _loop(said: Sequence[tuple[str | None, str]], at: int) -> tuple[int, int]:
    """Return how many pieces from *at* on form a loop, and how often the loop repeats; (1, 1) if none."""
    for size in range(1, min(_MAX_PIECES, (len(said) - at) // MIN_TIMES) + 1):
        times = 1
        while said[at + times * size : at + (times + 1) * size] == said[at : at + size]:
            times += 1
        words = sum(len(text.split()) for _, text in said[at : at + size])
        if times >= (MIN_TIMES if words > _FEW_WORDS else MIN_TIMES_OF_FEW_WORDS):
            return size, times
    return 1, 1


def _once(text: str) -> tuple[str, int]:
    """Return the text with its loop once, and how often the loop repeats."""
    plain = text.encode()
    if len(plain) <= MAX_COMPRESSED * len(zlib.compress(plain)):
        return text, 1
    spans = [match.span() for match in _WORD.finditer(text)]
    words = [text[start:end].casefold().strip(".,;:!?…") for start, end in spans]
    for at in range(len(words)):
        for size in range(_FEW_WORDS + 1, min(_MAX_WORDS, (len(words) - at) // MIN_TIMES) + 1):
            times = 1
            while words[at + times * size : at + (times + 1) * size] == words[at : at + size]:
                times += 1
            if times >= MIN_TIMES:
                end = at + times * size
                rest = text[spans[end][0] :] if end < len(words) else ""
                return f"{text[: spans[at + size - 1][1]]} {rest}".strip(), times
    return text, 1


# ---------------------------------------------------------------------- read


MAX_SEGMENT_CHARS = 100_000
"""Maximum number of characters of one segment: two hours of talk. The transcript accepts a megabyte at once,
and a recording that was accepted but cannot be played would keep its session from going on."""
MAX_SEGMENTS = 10_000
"""Maximum number of segments: captions of a three-hour talk are 3,000 to 5,000, and each takes about 1 ms to
process."""
MAX_CHARS = 500_000
"""Maximum number of characters of a recording: three hours of talk have about 170,000."""
MAX_SIZE_BYTES = 50 * 1024 * 1024
"""Maximum size of a transcript's file. A larger file is not the transcript of a rehearsal; our own limit (a
two-hour one has about 0.2 MB)."""
SHORTER = "give the part that is rehearsed"

SUFFIXES = {
    ".vtt": "vtt", ".srt": "srt", ".sbv": "sbv", ".txt": "txt", ".text": "txt", ".md": "txt",
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip
"""The kind of a file by its suffix, used if the file's first characters do not show the kind."""

# Windows programs save text as UTF-16 with a mark; without one it is taken for UTF-8.
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_SRT_HEAD = re.compile(r"\s*\d+[ \t]*(?:\r\n|\r|\n)[ \t]*\d+:\d+(?::\d+)?(?:[,.:]\d+)?[ \t]*-->")
_SBV_TIMES = re.compile(r"^(\d+:\d\d:\d\d\.\d{3}),(\d+:\d\d:\d\d\.\d{3})[ \t]*\r?$", re.MULTILINE)
# A brace and a quote, or a bracket and a brace: "[1:20] Good morning" is plain text.
_JSON_HEAD = re.compile(r'\s*(?:\{\s*"|\[\s*\{)')


@dataclass(frozen=True, slots=True)
class Recording:
    """Recorded speech: its segments, sorted by their start, and notices for the user."""

    segments: tuple[Segment, ...]
    times_estimated: bool  # some segment's times were counted from its words, not told
    notices: tuple[str, ...]  # in words for the user; never what was said
    sha256: str  # hex digest of the file's bytes
    name: str  # the file's own name, without folders

    @classmethod
    def silent(cls) -> Recording:
        """Return a recording without speech, for a rehearsal of the deck alone."""
        return cls((), False, (), hashlib.sha256().hexdigest(), "no recording")


@names_its_file
def read_speech(
    path: Path,
    *,
    stt_model: str | None = None,
    stt_language: str | None = None,
    names: Callable[[], Sequence[str]] = tuple,
) -> Recording:
    """Read a recording of any kind that `feed` takes: sound, VTT, SRT, text, segment JSON, JSON lines.

    Sound is identified by its suffix and recognised on this machine. For other files, the first characters
    show the kind, or else the suffix does. The result has at least one segment. Texts are clean, and those of
    a transcript are otherwise verbatim. Starts never decrease, and no segment ends before it starts.

    Args:
        stt_model: The folder or name of a model for sound. If it is None, the model of the extra `stt` is
            used.
        stt_language: The language that is spoken in sound. If it is None, a model of many languages finds it.
        names: Returns the names that may be spoken in sound (`Recogniser.recognise`). It is called only for
            sound.

    Raises:
        SpeechError: The file is missing, is not a regular file, is too large, is not text, is of another
            kind, has no speech, or is sound while the extra is missing. The message is one line, with *path*
            and what to do.
    """
    with open_recording(
        path,
        missing="give the path of a recording",
        no_file="is not a file: give a recording's file, or pipe JSON lines to `feed SESSION -`",
        folder="is a folder: give a recording's file",
    ) as file:
        try:
            if is_sound(path):
                recogniser = recogniser_of(stt_model, stt_language)
                sha256, pieces = _heard(file, path.suffix, recogniser, names())
                notices: list[str] = []
            else:
                raw = _bytes(file)
                sha256 = hashlib.sha256(raw).hexdigest()
                pieces, notices = _pieces(_text(raw), path.suffix.lower())
        except SpeechError as error:
            link = " " if str(error).startswith(("is ", "holds ")) else ": "
            raise SpeechError(f"{shown_name(path)}{link}{error}") from None
    if not pieces:
        raise SpeechError(
            f"{shown_name(path)}: no speech found; give a recording with at least one spoken line"
        )
    if len(pieces) > MAX_SEGMENTS:
        raise SpeechError(
            f"{shown_name(path)}: has {len(pieces):,} segments (limit {MAX_SEGMENTS:,}): {SHORTER}"
        )
    for number, piece in enumerate(pieces, start=1):
        if len(piece.text) > MAX_SEGMENT_CHARS:
            raise SpeechError(
                f"{shown_name(path)}: segment {number} has {len(piece.text):,} characters "
                f"(limit {MAX_SEGMENT_CHARS:,}): split it into paragraphs"
            )
    if (chars := sum(len(piece.text) for piece in pieces)) > MAX_CHARS:
        raise SpeechError(f"{shown_name(path)}: has {chars:,} characters (limit {MAX_CHARS:,}): {SHORTER}")
    if not is_sound(path):  # of sound, the recogniser's own doubt says so
        pieces, loops = without_loops(pieces)
        pieces, notices = joined_asides(with_whole_figures(pieces)), [*notices, *loops]
    segments, clock_notices = lay_out(pieces)
    notices += _unnamed(segments)
    return Recording(
        segments=segments,
        times_estimated=any(segment.times_estimated for segment in segments),
        notices=(*notices, *clock_notices),
        sha256=sha256,
        name=one_line(path.name),  # it goes into the ledger, and a file's name need not be text
    )


def _unnamed(segments: Sequence[Segment]) -> list[str]:
    """Return a notice about the pieces that no label fits, if the recording names its speakers."""
    numbered = [(number, one) for number, one in enumerate(segments, start=1) if one.speaker is None]
    if not numbered or len(numbered) == len(segments):
        return []
    shown = [f"{number} ({clock(one.start_s)})" for number, one in numbered[:3]]
    more = f" and {len(numbered) - 3} more" if len(numbered) > 3 else ""
    which = "piece" if len(numbered) == 1 else "pieces"
    return [f"{which} {', '.join(shown)}{more}: it is not said who speaks, so the words are nobody's"]


def kind_of(text: str, suffix: str) -> str:
    """Return the kind of a transcript: "vtt", "srt", "sbv", "txt", "json" or "jsonl".

    Raises:
        SpeechError: Neither the first characters nor the suffix show the kind.
    """
    if text.startswith("WEBVTT"):
        return "vtt"
    if _SRT_HEAD.match(text):
        return "srt"
    if _SBV_TIMES.match(text.lstrip()):
        return "sbv"
    kind = SUFFIXES.get(suffix)
    if kind != "jsonl" and _JSON_HEAD.match(text):
        return "jsonl" if _has_object_a_line(text) else "json"
    if kind is None and suffix:
        raise SpeechError("is of a kind that is not read: give .vtt, .srt, .sbv, .txt, .json or .jsonl")
    return kind or "txt"


def _has_object_a_line(text: str) -> bool:
    first, _, rest = text.lstrip().partition("\n")
    try:
        return isinstance(load(first), dict) and bool(rest.strip())
    except SpeechError:
        return False


def _pieces(text: str, suffix: str) -> tuple[list[LiveSegment], list[str]]:
    kind = kind_of(text, suffix)
    if kind == "sbv":  # YouTube's: SRT but for the sign between the times, and without numbers
        kind, text = "srt", _SBV_TIMES.sub(r"\1 --> \2", text)
    if kind in ("vtt", "srt"):
        pieces, notices = read_captions(text, kind)
        return with_speakers(pieces), notices
    return {"txt": read_plain, "json": read_json, "jsonl": read_json_lines}[kind](text)


def _heard(
    file: BufferedReader, suffix: str, recogniser: Recogniser, names: Sequence[str]
) -> tuple[str, list[LiveSegment]]:
    """Return a sound file's SHA-256 and the speech in it."""
    try:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        return sha256, read_sound(file, suffix, recogniser, names)
    finally:
        recogniser.close()


def _bytes(file: BufferedReader) -> bytes:
    raw = file.read(MAX_SIZE_BYTES + 1)
    if len(raw) > MAX_SIZE_BYTES:
        most = MAX_SIZE_BYTES // 1024**2
        raise SpeechError(f"is larger than {most} MB: give the transcript, not the sound")
    return raw


def _text(raw: bytes) -> str:
    encoding, start = next(((name, len(bom)) for bom, name in _BOMS if raw.startswith(bom)), ("utf-8", 0))
    try:
        text = raw[start:].decode(encoding)
    except UnicodeDecodeError:
        raise SpeechError("is not UTF-8 text: save it as UTF-8, or give a transcript") from None
    if "\x00" in text:
        raise SpeechError("is not text (it holds NUL): give a transcript")
    if not text.strip():
        raise SpeechError("is empty: no speech found in it")
    return text
