"""Parse segments in the JSON of speech-to-text programs, by the forms in `forms.yaml`.

The JSON is one document, or one document on each line.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import pairwise
from math import log
from types import UnionType
from typing import Any, Final

from orchestrator.core.errors import SpeechError
from orchestrator.core.legible import one_line
from orchestrator.material.speech.text import LINE_END, label, written
from orchestrator.material.speech.times import on_clock, seconds, words_in
from orchestrator.material.values import LiveSegment

# ---------------------------------------------------------------------- json times
# Times in the JSON of speech-to-text programs, and the unit in which they can be times of the words.


UNITS_S: Final = {"seconds": 1.0, "milliseconds": 0.001, "hundredths of a second": 0.01, "ticks": 1e-7}
"""Seconds in each unit of time. Whisper and most programs write seconds, AssemblyAI, Rev and their kin
milliseconds, whisper.cpp's own times are hundredths, and Azure's are 100 nanoseconds."""
MIN_WORDS_A_SECOND: Final = 0.1
MAX_WORDS_A_SECOND: Final = 5.0
"""Maximum average speed over a whole file; the fastest speakers reach 4 words a second, and a file of many
pauses has half a word."""
_USUAL: Final = 2.5  # words a second, 150 a minute
_IS_A_DATE_S: Final = 1e8  # a time beyond it is counted from 1970
_TELLS_UNIT: Final = re.compile(r"(?:PT)?(\d{1,12}(?:\.\d{1,12})?)[sS]")
_LONG_FRACTION: Final = re.compile(r"(\d+:\d+:\d+[.,]\d{3})\d+")


def json_time(value: Any, unit_s: float) -> float | None:
    """Return the seconds of a JSON value, or None if the value is not a time.

    A number is in *unit_s*; "1.4s", "PT1.4S", "1:02.5" and dates say their unit themselves.
    """
    if isinstance(value, str):
        if match := _TELLS_UNIT.fullmatch(value):
            return float(match[1])
        found = seconds(_LONG_FRACTION.sub(r"\1", value))
        if found is not None:
            return found if ":" in value else found * unit_s
        try:
            return datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(value, dict) and value.keys() <= {"seconds", "nanos"}:  # Google's durations
        try:
            return int(value.get("seconds", 0)) + int(value.get("nanos", 0)) / 1e9
        except (ValueError, TypeError):
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) * unit_s
    except OverflowError:  # a whole number of hundreds of digits; `possible` then drops it
        return float("inf")


def on_a_possible_clock(
    pieces: Sequence[LiveSegment], *, is_assumed: bool
) -> tuple[list[LiveSegment], list[str]]:
    """Return the pieces with times that are possible for their words, and notices for the user.

    Args:
        is_assumed: Whether no key stated the unit. If the times cannot be seconds, another unit is then
            tried.
    """
    starts_s = [one.start_s for one in pieces if one.start_s is not None and one.start_s > _IS_A_DATE_S]
    if starts_s and len(starts_s) == sum(one.start_s is not None for one in pieces):
        pieces = [on_clock(one, from_s=min(starts_s)) for one in pieces]
    rate = _words_a_second(pieces)
    if not is_assumed or rate is None or MIN_WORDS_A_SECOND <= rate <= MAX_WORDS_A_SECOND:
        return list(pieces), []
    by_unit = {unit: rate / factor for unit, factor in UNITS_S.items()}
    fitting = [unit for unit, one in by_unit.items() if MIN_WORDS_A_SECOND <= one <= MAX_WORDS_A_SECOND]
    if not fitting:
        told = f"{rate:.3g} words a second"
        return [replace(one, start_s=None, end_s=None) for one in pieces], [
            f"its times cannot be right ({told} in seconds); counted from the words instead"
        ]
    unit = min(fitting, key=lambda one: abs(log(by_unit[one] / _USUAL)))
    return [on_clock(one, factor=UNITS_S[unit]) for one in pieces], [
        f"its times are read as {unit}, for as seconds they cannot be right"
    ]


def _words_a_second(pieces: Sequence[LiveSegment]) -> float | None:
    """Return the speed of all pieces that have times, in words a second, or None if it is unknown."""
    lengths = [
        (words_in(one.text), one.end_s - one.start_s)
        for one in pieces
        if one.start_s is not None and one.end_s is not None and 0 <= one.start_s < one.end_s < float("inf")
    ] or [
        (words_in(one.text), after.start_s - one.start_s)
        for one, after in pairwise([one for one in pieces if one.start_s is not None])
        if one.start_s is not None and after.start_s is not None and 0 <= one.start_s < after.start_s
    ]
    spoken_s = sum(length_s for _, length_s in lengths)
    return sum(words for words, _ in lengths) / spoken_s if spoken_s else None


# ---------------------------------------------------------------------- segment json


_MAX_SLIDES = 100_000  # our own limit: beyond any deck, and an int of any size would go into the ledger
_PAUSE_S: Final = 1.5  # behind it words begin a piece of their own: a breath is shorter
_MAX_WORDS: Final = 60  # of a piece made of words that have no marks: what is said in half a minute
_ENDS: Final = re.compile(r"[.!?…。！？][\"'”’)]*$")
_JOINED: Final = re.compile(r"\s+(?=[,.;:!?…%)\]，。！？](?:\s|$))")  # a mark that is an item of its own
_LEFT_WORDS: Final = 5  # of a document's whole text beside its pieces: a program's own line


def read_json(text: str) -> tuple[list[LiveSegment], list[str]]:
    """Return the final pieces of speech in a JSON document, and notices for the user.

    A document is a list of segments, or has one of the forms in `forms.yaml`. Times that cannot be seconds
    are read in a unit in which they are possible for these words. If there is no such unit, times are
    estimated from the words.

    Raises:
        SpeechError: The document is not JSON, has no known form, or has a segment that is not usable.
    """
    plain = load(text)
    notices: list[str] = []
    found = _listed(plain)
    if found is not None:
        form, items = found
    elif isinstance(plain, list):
        form, items = {"at": "list"}, plain
    elif isinstance(plain, dict) and _first(plain, "text") is not None:
        form, items = {"at": "text"}, [plain]
        lists = [key for key, value in plain.items() if isinstance(value, list) and value and key != "text"]
        if lists:
            notices.append(
                f"read as one piece without times: {', '.join(lists[:3])} is of no form that is read"
            )
    else:
        raise SpeechError(
            'holds no segments: give a list, or {"segments": [{"start", "end", "text"}]}; '
            f"the JSON of these is read as well: {written('forms')['programs']}"
        )
    read = [_read(item, f"segment {number}", form) for number, item in enumerate(items, start=1)]
    told = [piece for piece, _ in read if piece is not None]
    if form.get("repeats") and any(one.speaker for one in told):
        told = [one for one in told if one.speaker]
    pieces = _of_words(told) if form.get("words") else told
    pieces, clock_notices = on_a_possible_clock(pieces, is_assumed=any(is_assumed for _, is_assumed in read))
    notices += clock_notices
    whole = plain.get("text", plain.get("transcript")) if isinstance(plain, dict) else None
    if isinstance(whole, str) and form["at"] != "text":
        left = words_in(whole) - sum(words_in(one.text) for one in pieces)
        if left > _LEFT_WORDS and left > 0.1 * words_in(whole):
            notices.append(
                f'{round(left)} words of "text" stand in none of the pieces in "{form["at"]}"; left out'
            )
    return pieces, notices


def read_json_lines(text: str) -> tuple[list[LiveSegment], list[str]]:
    """Return the final pieces of speech in JSON lines, and notices for the user; skip blank lines.

    Raises:
        SpeechError: A line is not a usable segment; the message names its number.
    """
    read = [_parse(line, number) for number, line in enumerate(LINE_END.split(text), start=1)]
    pieces = [piece for piece, _ in read if piece is not None]
    return on_a_possible_clock(pieces, is_assumed=any(is_assumed for _, is_assumed in read))


def parse_line(line: str, number: int) -> LiveSegment | None:
    """Return the segment on one line of JSON, or None if it is blank, interim or without words.

    Only the key `text` is required. *number* is the line's number, for the message.

    Raises:
        SpeechError: The line is not a usable segment.
    """
    return _parse(line, number)[0]


def _parse(line: str, number: int) -> tuple[LiveSegment | None, bool]:
    if not line.strip("\ufeff \t\r\n"):
        return None, False
    where = f"line {number}"
    try:
        plain = load(line.strip("\ufeff"))
    except SpeechError as error:
        raise SpeechError(f"{where} {error}") from None
    return _read(plain, where, {})


def load(text: str) -> Any:
    """Parse *text* as JSON.

    Raises:
        SpeechError: *text* is not JSON, or is nested too deep.
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
    """Return the segment in a JSON value, or None if it is interim (`"final": false`) or has no words.

    Times may be numbers or strings (`"1:02.5"`, `"1.4s"`). Impossible times are returned as they are, for the
    caller to judge. Unknown keys are ignored, as is a confidence outside 0 to 1.

    Raises:
        SpeechError: *plain* is not an object, or a value is of the wrong kind. The message names *where*.
    """
    return _read(plain, where, {})[0]


def _read(plain: Any, where: str, form: Mapping[str, str]) -> tuple[LiveSegment | None, bool]:
    """Return one segment, and whether its times are only assumed to be in seconds."""
    if not isinstance(plain, dict):
        raise SpeechError(f'{where} is not an object: give {{"text": "…"}}')
    if form.get("words") and plain.get("type") in ("spacing", "audio_event"):  # what ElevenLabs puts between
        return None, False
    found = _first(plain, "text")
    text = found[1] if found else None
    if not isinstance(text, str):
        raise SpeechError(f"{where} has no text: give its words as a string under the key text")
    if not isinstance(plain.get("final", True), bool):
        raise SpeechError(f"{where}: final must be true or false")
    text = one_line(text)
    if plain.get("final") is False or not text:
        return None, False
    start_s, is_assumed = _time(plain, "start", where, form)
    end_s, _ = _time(plain, "end", where, form)
    length_s, _ = _time(plain, "length", where, form)
    if end_s is None and start_s is not None and length_s is not None:
        end_s = start_s + length_s
    slide, own = plain.get("slide"), plain.get("id")
    if slide is not None and not (_is(slide, int) and 1 <= slide <= _MAX_SLIDES):
        raise SpeechError(f"{where}: slide must be a whole number from 1")
    own_id = own if isinstance(own, str) and own else None  # a number counts a document's pieces, from 0
    sure: Any = (_first(plain, "confidence") or ("", None))[1]
    confidence = float(sure) if _is(sure, int | float) and 0 <= sure <= 1 else None
    return LiveSegment(text, start_s, end_s, _speaker(plain, where), slide, confidence, own_id), is_assumed


def _speaker(plain: dict[str, Any], where: str) -> str | None:
    key, name = _first(plain, "speaker") or ("", None)
    if isinstance(name, dict):  # of Recall, Fathom, Read
        name = next((name[part] for part in ("name", "display_name", "label") if name.get(part)), None)
    if name is not None and not _is(name, str | int):
        raise SpeechError(f"{where}: speaker is not a label: give a string")
    if name is None or (key in ("speakerTag", "speaker_tag") and name == 0):  # of Google: nobody
        return None
    return label(str(name))


def _time(plain: dict[str, Any], what: str, where: str, form: Mapping[str, str]) -> tuple[float | None, bool]:
    """Return the time *what* in seconds, and whether the unit of the time is only assumed."""
    found = _first(plain, what)
    if found is None:
        return None, False
    key, value = found
    units = written("forms")["units"]
    told = [float(units[part]) for part in units if key.startswith(part) or key.endswith(part)]
    time_s = json_time(value, told[0] if told else float(form.get("unit", 1)))
    if time_s is None:
        raise SpeechError(f"{where}: {key.removesuffix('_s')} is not a time: give seconds as a number")
    return time_s, not told and not key.endswith("_s") and _is(value, int | float)


def _first(plain: Any, what: str) -> tuple[str, Any] | None:
    """Return the key and the value that an item has for *what* (text, start, …), or None if it has none."""
    for key, parts in _keys(what):
        value = plain
        for part in parts:
            if isinstance(value, dict):
                value = value.get(part)
            else:
                value = value[int(part)] if isinstance(value, list) and part.isdigit() and value else None
        if value is not None and not (isinstance(value, list) and what in ("start", "end")):
            return key, value
    return None


@cache
def _keys(what: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((key, tuple(key.split("."))) for key in written("forms")["keys"][what].split())


def _listed(plain: Any) -> tuple[dict[str, str], list[Any]] | None:
    """Return a document's form and its items, or None if it has no known form."""
    for form in written("forms")["lists"]:
        path = form["at"].replace("[]", ".[]").removesuffix(".[]").strip(".").split(".")
        inherit = form.get("inherit", "").replace(",", " ").split()
        items = list(_at(plain, path, inherit, {}))
        needed = form.get("has")
        if not items or (needed and not (isinstance(items[0], dict) and needed in items[0])):
            continue
        if form["of"] == "kin" and not (isinstance(items[0], dict) and _first(items[0], "text")):
            continue
        if "speakers" in form:  # a list beside, with the times of those who speak
            names = {one.get("start_time"): one for one in _at(plain, form["speakers"].split("."), [], {})}
            items = [{**names.get(one.get("start_time"), {}), **one} for one in items]
        return form, _by_turns(items, form["turn"]) if "turn" in form else items
    return None


def _by_turns(items: list[Any], mark: str) -> list[Any]:
    """Name each turn by its number ("turn 2") if a document only marks where the speaker changes."""
    ends = [isinstance(item, dict) and item.get(mark) is True for item in items]
    if not any(ends):
        return items
    turns = itertools.accumulate(ends[:-1], initial=1)
    return [
        {"speaker": f"turn {turn}", **item} if isinstance(item, dict) else item
        for turn, item in zip(turns, items, strict=True)
    ]


def _at(value: Any, path: Sequence[str], inherit: Sequence[str], held: dict[str, Any]) -> Iterator[Any]:
    """Yield the items of the lists at *path*, with the keys inherited from the objects around them."""
    if isinstance(value, dict):
        held = held | {key: value[key] for key in inherit if key in value}
    if not path:
        for item in value if isinstance(value, list) else ():
            yield {**held, **item} if isinstance(item, dict) else item
    elif path[0] == "[]":
        for one in value if isinstance(value, list) else ():
            yield from _at(one, path[1:], inherit, held)
    elif isinstance(value, dict):
        yield from _at(value.get(path[0]), path[1:], inherit, held)
    elif isinstance(value, list) and path[0].isdigit():
        yield from _at(value[0] if value else None, path[1:], inherit, held)


def _of_words(words: Sequence[LiveSegment]) -> list[LiveSegment]:
    """Join single words into pieces, each of which ends with a sentence or at a pause."""
    pieces: list[list[LiveSegment]] = []
    for word in words:
        last = pieces[-1][-1] if pieces else None
        is_mark = not any(char.isalnum() for char in word.text)
        if last is None or (
            not is_mark
            and (
                word.speaker != pieces[-1][0].speaker  # a mark may name none
                or _ENDS.search(last.text)
                or len(pieces[-1]) >= _MAX_WORDS
                or (word.start_s or 0.0) - (last.end_s or word.start_s or 0.0) > _PAUSE_S
            )
        ):
            pieces.append([word])
        else:
            pieces[-1].append(word)
    return [_joined(piece) for piece in pieces]


def _joined(words: Sequence[LiveSegment]) -> LiveSegment:
    ends = [one.end_s for one in words if one.end_s is not None]
    text = _JOINED.sub("", " ".join(one.text for one in words))
    return LiveSegment(text, words[0].start_s, ends[-1] if ends else None, words[0].speaker)


def _is(value: Any, kinds: type | UnionType) -> bool:
    """Return whether the value is of one of *kinds*; JSON's true and false do not count as numbers."""
    return isinstance(value, kinds) and not isinstance(value, bool)
