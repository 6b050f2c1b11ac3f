"""Segments as speech-to-text programs write them in JSON, whole or one to a line."""

from __future__ import annotations

import json
from types import UnionType
from typing import Any

from orchestrator.errors import SpeechError
from orchestrator.legible import one_line
from orchestrator.model.segment import LiveSegment
from orchestrator.speech.stamps import seconds
from orchestrator.speech.text import LINE_END, label

LIST_KEYS = ("segments", "meeting_transcripts")
"""Where an object keeps its segments: speech-to-text programs, and the QMSum meetings."""
_MOST_SLIDES = 100_000  # our own limit: beyond any deck, and an int of any size would go into the ledger


def read_json(text: str) -> list[LiveSegment]:
    """The final pieces of speech in a JSON document: a list of segments, or an object that holds one.

    Raises:
        SpeechError: It is not JSON, holds no list of segments, or one of them is not usable.
    """
    plain = load(text)
    if isinstance(plain, dict):
        listed = next((plain[key] for key in LIST_KEYS if isinstance(plain.get(key), list)), None)
        plain = [plain] if listed is None and "text" in plain else listed
    if not isinstance(plain, list):
        raise SpeechError('holds no segments: give a list, or {"segments": [{"start", "end", "text"}]}')
    read = [piece_of(item, f"segment {number}") for number, item in enumerate(plain, start=1)]
    return [piece for piece in read if piece is not None]


def read_json_lines(text: str) -> list[LiveSegment]:
    """The final pieces of speech in JSON lines; blank lines are passed over.

    Raises:
        SpeechError: A line is not a usable segment; the message names its number.
    """
    read = [parse_line(line, number) for number, line in enumerate(LINE_END.split(text), start=1)]
    return [piece for piece in read if piece is not None]


def parse_line(line: str, number: int) -> LiveSegment | None:
    """The segment on one JSON line; None for a blank line, an interim segment or one without words.

    Only `text` is required. *number* is the line's, for the message.

    Raises:
        SpeechError: The line is not a usable segment.
    """
    if not line.strip("\ufeff \t\r\n"):
        return None
    where = f"line {number}"
    try:
        plain = load(line.strip("\ufeff"))
    except SpeechError as error:
        raise SpeechError(f"{where} {error}") from None
    return piece_of(plain, where)


def load(text: str) -> Any:
    """The JSON value of *text*.

    Raises:
        SpeechError: It is not JSON, or nested beyond reason.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise SpeechError(f"is not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except (ValueError, RecursionError):  # a number of thousands of digits; thousands of brackets
        raise SpeechError(
            "is not JSON that can be read: numbers too long or brackets too deep; give a list of segments"
        ) from None


def piece_of(plain: Any, where: str) -> LiveSegment | None:
    """One segment of JSON; None where it is interim (`"final": false`) or has no words.

    Times may be numbers or strings (`"1:02.5"`); impossible ones stay for the caller to judge.
    Keys that are not known are passed over, as is a confidence outside 0 to 1.

    Raises:
        SpeechError: *plain* is no object, or a value is of the wrong kind; names *where*.
    """
    if not isinstance(plain, dict):
        raise SpeechError(f'{where} is not an object: give {{"text": "…"}}')
    text = plain.get("text", plain.get("content"))
    if not isinstance(text, str):
        raise SpeechError(f"{where} has no text: give its words as a string under the key text")
    if not isinstance(plain.get("final", True), bool):
        raise SpeechError(f"{where}: final must be true or false")
    text = one_line(text)
    if plain.get("final") is False or not text:
        return None
    start_s, end_s = _time(plain, "start", where), _time(plain, "end", where)
    speaker, slide = plain.get("speaker"), plain.get("slide")
    confidence: Any = plain.get("confidence")
    if speaker is not None and not _is(speaker, str | int):
        raise SpeechError(f"{where}: speaker is not a label: give a string")
    if slide is not None and not (_is(slide, int) and 1 <= slide <= _MOST_SLIDES):
        raise SpeechError(f"{where}: slide must be a whole number from 1")
    own = plain.get("id")
    own_id = own if isinstance(own, str) and own else None  # a number counts a document's pieces, from 0
    sure = float(confidence) if _is(confidence, int | float) and 0 <= confidence <= 1 else None
    name = None if speaker is None else label(str(speaker))
    return LiveSegment(text, start_s, end_s, name, slide, sure, own_id)


def _is(value: Any, kinds: type | UnionType) -> bool:
    """Whether the value is of one of these kinds; JSON's true and false are no numbers."""
    return isinstance(value, kinds) and not isinstance(value, bool)


def _time(plain: dict[str, Any], key: str, where: str) -> float | None:
    value = plain.get(f"{key}_s", plain.get(key))
    if value is None:
        return None
    if isinstance(value, str) and (read := seconds(value)) is not None:
        return read
    if not _is(value, int | float):
        raise SpeechError(f"{where}: {key} is not a time: give seconds as a number")
    try:
        return float(value)
    except OverflowError:  # a whole number of hundreds of digits; `possible` then drops it
        return float("inf")
