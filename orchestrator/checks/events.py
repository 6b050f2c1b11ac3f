"""Things that happen once, with their date: a launch, a closing, a certificate, a break-even."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.amounts import amounts
from orchestrator.checks.event_words import (
    AHEAD,
    ALIASES,
    BEFORE_DATE,
    CLAUSE,
    MOVED,
    NUMBERED,
    ORDER,
    OTHERS,
    PAST,
    PATTERNS,
    PLURAL_END,
    PROCESS,
    QUALIFIERS,
    SET_FOR,
    STOP,
    WORD,
)
from orchestrator.checks.moments import Moment, moments
from orchestrator.checks.passages import Passage, deck_passages, hypothetical, shown, speech_passages
from orchestrator.claims.model import Place
from orchestrator.deck.model import Deck, Slide, Table
from orchestrator.speech.model import Segment

LABEL: Final = "label"
"""The class of an event that only its own label names: "First patient in: March 2027"."""

_LONGEST_LABEL: Final = 8
_HEADING = re.compile(r"(?P<words>[A-Za-z]\S*(?:\s\S+){0,3}?):\s")
"""What a list in one line is about: "New aviary: decision in June, opening in spring"."""
_LEVEL = re.compile(r"\s*:\s*[€$£]?\d")
"""Behind a date, a figure of that day: "Open on 31 December: 875"."""
_LONGEST_HEAD: Final = 3


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens once, when, and what sets it apart from other things of its class."""

    name: str  # its class, of CLASSES, or LABEL
    words: frozenset[str]  # what it happens to, stemmed
    proper: frozenset[str]  # those of `words` that are names
    marks: frozenset[str]  # what tells it from its like: "beta", "phase 2", "north", numbers
    moment: Moment
    place: Place
    past: bool
    ahead: bool
    many: bool  # a plural without a name: it happens more than once


def events(deck: Deck, speech: Sequence[Segment] = ()) -> tuple[Event, ...]:
    """The dated events of deck and speech, in order, without dates that are said to have moved."""
    return (*deck_events(deck), *spoken_events(speech))


def deck_events(deck: Deck) -> tuple[Event, ...]:
    """The dated events of the slides that are shown, in order, without dates that are said to have moved."""
    found = [event for passage in deck_passages(deck) for event in _in_sentence(passage)]
    for slide in shown(deck):
        found += [event for table in slide.tables for event in _in_table(slide, table)]
    return tuple(found)


def spoken_events(speech: Sequence[Segment]) -> tuple[Event, ...]:
    """The dated events of what was said."""
    return tuple(event for passage in speech_passages(speech) for event in _in_sentence(passage))


def _in_sentence(passage: Passage) -> Iterator[Event]:
    text = passage.text
    if MOVED.search(text) or OTHERS.search(text) or hypothetical(text):
        return
    found = [m for m in moments(text) if not _LEVEL.match(text[m.end :])]
    if len(found) == 1:
        if event := _event(text, found[0], passage.place):
            yield event
        return
    for start, end in _clauses(text):
        inside = [m for m in found if start <= m.start and m.end <= end]
        if len(inside) == 1 and (event := _event(text, inside[0], passage.place, start, end)):
            yield event


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in CLAUSE.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _event(text: str, moment: Moment, place: Place, start: int = 0, end: int | None = None) -> Event | None:
    """The one event of a stretch that holds one date; None where there is none, or more than one."""
    end = len(text) if end is None else end
    blank = " " * (moment.end - moment.start)
    stretch = (text[: moment.start] + blank + text[moment.end :])[start:end]
    stretch = BEFORE_DATE.sub(_blanked, stretch)
    label = _label(stretch)
    hits = sorted((m.start(), m.end(), name) for name, pattern in PATTERNS for m in pattern.finditer(stretch))
    if not hits and (given := SET_FOR.match(stretch.strip())):
        return _made(LABEL, given["object"] or given["behind"], text, moment, place)
    names = {ALIASES.get(name, name) for _, _, name in hits}
    if not hits:
        return _made(LABEL, label, text, moment, place) if label else None
    if len(names) > 1 and not label:
        nearest = min(hits, key=lambda hit: _distance(hit, moment.start - start))
        hits = [hit for hit in hits if hit[2] == nearest[2]]
    hit = min(hits, key=lambda hit: _distance(hit, moment.start - start))
    heading = _HEADING.match(text) if start else None
    core = label if label else _core(stretch, hit[0], hit[1], heading["words"] if heading else "")
    core = core if label is None else _without(core)
    return _made(ALIASES.get(hit[2], hit[2]), core, stretch, moment, place)


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _distance(hit: tuple[int, int, str], at: int) -> int:
    return min(abs(hit[0] - at), abs(hit[1] - at))


def _label(stretch: str) -> str | None:
    """The words of "Label: <date>" or "<date>: label", where nothing else stands."""
    words = re.sub(r"\b(?:in|on|by|from|until|since)\s*$", "", stretch.strip(" \u00a0:–—-|,.()"), flags=re.I)
    marked = re.search(r"[:|(]|\s[–—-]\s", stretch)
    return (
        words
        if marked and words and len(words.split()) <= _LONGEST_LABEL and not re.search(r"[:;]", words)
        else None
    )


def _core(stretch: str, start: int, end: int, label: str = "") -> str:
    """The words that say what happens to what: those before the event word, and its object behind it."""
    head, colon, _ = stretch[:start].partition(":")
    head = head if colon and len(head.split()) <= _LONGEST_HEAD else ""  # "Berlin: the lease ends"
    before = (head or label) + " " + re.split(r"[,;:]|\b(?:and|but|that|which|where)\b", stretch[:start])[-1]
    behind = re.match(
        r"\s*(?:(?:of|for|to|on|at|in|with)\b)?[^,;:()]*?(?=\b(?:in|on|by|at|from|until|with|and|as|is|are|"
        r"was|will|after|before)\b|[,;:()]|$)",
        stretch[end:],
        re.IGNORECASE,
    )
    place = re.findall(r"\b(?:in|at)\s+(?:the\s+)?[A-Z]\w+", stretch)
    return " ".join((before, behind[0] if behind else "", *place))


def _without(words: str) -> str:
    for _, pattern in PATTERNS:
        words = pattern.sub(" ", words)
    return words


def _made(name: str, core: str, stretch: str, moment: Moment, place: Place) -> Event | None:
    core = NUMBERED.sub(lambda m: " " + ORDER.get((m[1] or m[2]).lower(), m[1] or m[2]) + " ", core)
    tokens = [m[0] for m in WORD.finditer(_without(core) if name != LABEL else core)]
    kept = [t for t in tokens if t.lower() not in STOP and not (t.isdigit() and len(t) == 4)]
    marks = {t.lower() for t in kept if t.lower() in QUALIFIERS or any(c.isdigit() for c in t)}
    if any(a.unit == "%" or a.is_money for a in amounts(stretch)):
        return None  # a figure that has a date, and no event
    marks |= {a.text for a in amounts(core) if not a.is_time}
    if name in ("founding", "held"):
        return Event(name, frozenset(), frozenset(), frozenset(), moment, place, False, False, False)
    words = [t for t in kept if t.lower() not in QUALIFIERS and not any(c.isdigit() for c in t)]
    opening = tokens[0] if tokens else ""
    titled = sum(w[0].isupper() for w in words) > 0.6 * len(words) and len(words) > 2
    proper = {
        stem(w) for w in words if w[0].isupper() and (w != opening or w[1:].lower() != w[1:]) and not titled
    }
    if name == LABEL and (len(words) + len(marks) < 2 or len(words) > 6):
        return None
    if name == "start" and not proper and not any(stem(w) in PROCESS for w in words):
        name = "launch"  # a shop that starts has opened; a project that starts is not live
    many = bool(words) and not proper and len(words[-1]) > 3 and bool(PLURAL_END.search(words[-1].lower()))
    planned = re.sub(
        r"\b(?:has|have|had)(?: been)? (?:set|planned|fixed|scheduled|agreed|booked|pencilled)\b",
        "planned",
        stretch,
        flags=re.I,
    )
    return Event(
        name, frozenset(stem(w) for w in words), frozenset(proper), frozenset(marks), moment, place,
        bool(PAST.search(planned)), bool(AHEAD.search(planned)), many and name != LABEL,
    )  # fmt: skip


def _in_table(slide: Slide, table: Table) -> Iterator[Event]:
    """Rows with a label and one date; two columns of dates are plan and actual, or start and end."""
    header = table.rows[0] if table.rows else ()
    if any(
        MOVED.search(head) or re.search(r"\b(?:plan(?:ned)?|actual|forecast|status)\b", head, re.I)
        for head in header
    ):
        return
    for row in table.rows[1:]:
        dated = [i for i, cell in enumerate(row) if i and _only_date(cell)]
        label = row[0].strip()
        if len(dated) != 1 or not label or moments(label) or MOVED.search(" ".join(row)):
            if len(row) > 1 and _only_date(row[0]) and len(row[1].split()) <= _LONGEST_LABEL:
                dated, label = [0], row[1].strip()
            else:
                continue
        cell = row[dated[0]]
        head = header[dated[0]] if dated[0] < len(header) else ""
        moment = moments(cell)[0]
        names = {name for name, pattern in PATTERNS if pattern.search(label)}
        headed = [name for name, pattern in PATTERNS if pattern.search(head)]
        if not names and headed:
            name = headed[0]
        elif len(names) == 1:
            name = next(iter(names))
        else:
            name = LABEL
        if event := _made(ALIASES.get(name, name), label, label, moment, Place(slide.number, None, label)):
            yield event


def _only_date(text: str) -> bool:
    found = moments(text)
    if len(found) != 1:
        return False
    rest = text[: found[0].start] + text[found[0].end :]
    return not re.sub(r"\b(?:by|end|of|late|early|mid|from|the|in|start|until)\b|\W", "", rest, flags=re.I)


def stem(word: str) -> str:
    """The word as it is compared: lower case, without plural and possessive."""
    low = re.sub(r"['’]s$", "", word.lower()).replace("-", "")
    return PLURAL_END.sub("", low) if len(low) > 3 else low
