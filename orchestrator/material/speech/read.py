"""A recording's file, sound or transcript → its segments."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from orchestrator.core.errors import SpeechError, names_its_file
from orchestrator.core.home.user_list import shown_name
from orchestrator.core.legible import clock, one_line
from orchestrator.material.model.segment import LiveSegment, Segment
from orchestrator.material.speech.captions import read_captions
from orchestrator.material.speech.cut_figures import with_whole_figures
from orchestrator.material.speech.labels import joined_asides, with_speakers
from orchestrator.material.speech.loops import without_loops
from orchestrator.material.speech.plain_text import read_plain
from orchestrator.material.speech.recognition import Recogniser, recogniser_of
from orchestrator.material.speech.segment_json import load, read_json, read_json_lines
from orchestrator.material.speech.sound import is_sound, read_sound
from orchestrator.material.speech.source import open_recording
from orchestrator.material.speech.times import lay_out

MAX_SEGMENT_CHARS = 100_000
"""Two hours of talk in one piece; the transcript takes a megabyte at once, and a recording that was taken in
but cannot be played would keep its session from going on."""
MAX_SEGMENTS = 10_000
"""Captions of a three-hour talk are 3,000 to 5,000; each takes about 1 ms to be understood."""
MAX_CHARS = 500_000
"""Three hours of talk are about 170,000."""
MAX_SIZE_BYTES = 50 * 1024 * 1024
"""A larger file is no transcript of a rehearsal; our own limit (a two-hour one has about 0.2 MB)."""
SHORTER = "give the part that is rehearsed"

SUFFIXES = {
    ".vtt": "vtt", ".srt": "srt", ".sbv": "sbv", ".txt": "txt", ".text": "txt", ".md": "txt",
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip
"""The kind of a file by its name, where its first characters do not say it."""

# Windows programs save text as UTF-16 with a mark; without one it is taken for UTF-8.
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_SRT_HEAD = re.compile(r"\s*\d+[ \t]*(?:\r\n|\r|\n)[ \t]*\d+:\d+(?::\d+)?(?:[,.:]\d+)?[ \t]*-->")
_SBV_TIMES = re.compile(r"^(\d+:\d\d:\d\d\.\d{3}),(\d+:\d\d:\d\d\.\d{3})[ \t]*\r?$", re.MULTILINE)
# A brace and a quote, or a bracket and a brace: "[1:20] Good morning" is plain text.
_JSON_HEAD = re.compile(r'\s*(?:\{\s*"|\[\s*\{)')


@dataclass(frozen=True, slots=True)
class Recording:
    """Speech as it was recorded: `segments` by their start, and what a user should know about it."""

    segments: tuple[Segment, ...]
    times_estimated: bool  # some segment's times were counted from its words, not told
    notices: tuple[str, ...]  # in words for the user; never what was said
    sha256: str  # hex digest of the file's bytes
    name: str  # the file's own name, without folders

    @classmethod
    def silent(cls) -> Recording:
        """No speech at all: a rehearsal of the deck alone."""
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

    Sound is known by its suffix and recognised on this machine; of the others, the kind is what the
    first characters say, else what the suffix says. There is at least one segment; texts are clean
    and those of a transcript otherwise verbatim; starts never decrease and no segment ends before it
    starts.

    Args:
        stt_model: A model for sound, its folder or its name; None: the one that the extra `stt` brings.
        stt_language: What is spoken in sound; None: as a model of many languages finds it.
        names: Gives those that may be spoken in sound (`Recogniser.recognise`); asked for sound alone.

    Raises:
        SpeechError: The file is missing, no file, too large, not text, of another kind, has no
            speech in it, or is sound and the extra is missing. One line, with *path* and what to do.
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
    """Which pieces no label fits, in a recording that names its speakers."""
    numbered = [(number, one) for number, one in enumerate(segments, start=1) if one.speaker is None]
    if not numbered or len(numbered) == len(segments):
        return []
    shown = [f"{number} ({clock(one.start_s)})" for number, one in numbered[:3]]
    more = f" and {len(numbered) - 3} more" if len(numbered) > 3 else ""
    which = "piece" if len(numbered) == 1 else "pieces"
    return [f"{which} {', '.join(shown)}{more}: it is not said who speaks, so the words are nobody's"]


def kind_of(text: str, suffix: str) -> str:
    """The kind of a text: "vtt", "srt", "sbv", "txt", "json" or "jsonl".

    Raises:
        SpeechError: Neither its first characters nor its suffix say it.
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
    """A sound file's SHA-256 and what is said in it."""
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
