"""What the deck and the speech say happens on a date, in whatever words: kind, thing, marks, context."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.checks.amounts import amounts
from orchestrator.checks.happening_words import ASPECTS, HELD, KINDS, MOVED
from orchestrator.checks.moments import Moment, moments
from orchestrator.checks.moved_dates import moved, speaks_of_moving
from orchestrator.checks.passages import (
    Passage,
    hypothetical,
    note_passages,
    shown,
    slide_passages,
    speech_passages,
)
from orchestrator.checks.thing_words import RECIPIENT_WORDS, Thing, thing_of
from orchestrator.claims.model import Place
from orchestrator.deck.model import Deck, Slide, Table
from orchestrator.speech.model import Segment

_OTHERS: Final = re.compile(
    r"\b(?:competitors?|rivals?|competing|peers?|industry|similar|elsewhere|neighbou?r(?:ing|s)?|benchmark|"
    r"last year['’]s|each year|every (?:year|month|week|quarter|day)|annually|monthly|weekly)\b",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"\s*[;,:]\s+|\s+[–—|]\s+|\s\(|\)\s?|\b(?:and then|but|while|whereas|before|after|once|(?:and )?when|"
    r"which|where|"
    r"because|so that|unless|since (?=the|we|it|our))\b|\b(?:until|till|by the time)\b(?=\s+(?!"
    r"(?:the |early |late |mid|end|about |at least |around |on )*(?:\d|[A-Z][a-z]{2,8}\b\s?\d|Q[1-4]|"
    r"January|February|"
    r"March|April|May|June|July|August|September|October|November|December|spring|summer|autumn|winter|"
    r"twenty|then|now|further|first|second|third|fourth))(?:[\w’'-]+\s+){2})",
)
_FOOTER = re.compile(r"·.*·|\bpage \d", re.IGNORECASE)
_ADJUNCT = re.compile(
    r"\b(?:together |along )?with\b[^,;]*$|\b(?:because of|due to|owing to|thanks to|despite) (?:the |an? "
    r")?[\w-]+",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"^\W*(?:and |so |then |now |er |um )*(?:it|he|she|they|this|that|these|there|the latter|both)\b", re.I
)
_CONSOLIDATED = re.compile(
    r"\b(?:plan(?:ned)?|actual|forecast|status|baseline|original|revised|new|old)\b", re.I
)
_LONGEST_LABEL: Final = 9
_LONG_DAYS: Final = 45  # a date wider than that may be the period of a figure
_MIN_CELLS: Final = 2


@dataclass(frozen=True, slots=True)
class Context:
    """The stems of what stands around a sentence: title, the heading above, "Berlin:" in front of it."""

    title: frozenset[str] = frozenset()
    heading: frozenset[str] = frozenset()
    label: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        return self.title | self.heading | self.label


@dataclass(frozen=True, slots=True)
class Happening:
    """One dated event as one place tells it."""

    kind: str
    words: frozenset[str]  # of its kind, as said: "release", "handover"
    thing: Thing
    aspects: frozenset[str]
    context: Context
    moment: Moment
    place: Place
    past: bool
    ahead: bool
    old: bool = False  # the date is said to hold no longer


def happenings(deck: Deck) -> tuple[Happening, ...]:
    """The dated events of the slides that are shown, in order."""
    found: list[Happening] = []
    for slide in shown(deck):
        found += _on_slide(slide)
        for table in slide.tables:
            found += _in_table(slide, table)
    return tuple(found)


def spoken_happenings(speech: Sequence[Segment]) -> tuple[Happening, ...]:
    """The dated events of what was said."""
    found: list[Happening] = []
    before = Thing()
    for passage in speech_passages(speech):
        made, before = _in_passage(passage, Context(), before)
        found += made
    return tuple(found)


def _on_slide(slide: Slide) -> Iterator[Happening]:
    title = thing_of(slide.title, title=True).all
    heading: frozenset[str] = frozenset()
    before, line = Thing(), -2
    for passage in (*slide_passages(slide), *note_passages(slide)):
        if passage.line != line:
            before, line = Thing(), passage.line
            if _is_heading(passage):
                heading = thing_of(passage.text).all
        context = Context(title, heading) if passage.line >= 0 else Context()
        made, before = _in_passage(passage, context, before)
        yield from made


def _is_heading(passage: Passage) -> bool:
    """A short line without a date: it may name what the lines below are about."""
    return passage.line >= 0 and len(passage.text.split()) <= 5 and not re.search(r"\d{2}|[:;]", passage.text)


def _in_passage(passage: Passage, context: Context, before: Thing) -> tuple[list[Happening], Thing]:
    """The events of one sentence, and the thing that a pronoun in the next one may mean."""
    text = passage.text
    dated = moments(text)
    if not dated:
        thing = thing_of(text)
        return [], (thing if thing.words or thing.marks else before)
    if _FOOTER.search(text) or hypothetical(re.split(r",?\s+unless\b", text)[0]) or _OTHERS.search(text):
        return [], before
    if speaks_of_moving(re.split(r",?\s+unless\b", text)[0]):
        found = _moved(passage, dated, context, before)
        return found, (found[0].thing if found else before)
    made: list[Happening] = []
    for start, end in _stretches(text):
        inside = [m for m in dated if start <= m.start and m.end <= end]
        if len(inside) == 1 and (one := _happening(passage, start, end, context, before)):
            made.append(one)
    return made, (made[0].thing if made and made[0].thing.words else before)


def _stretches(text: str) -> list[tuple[int, int]]:
    """The clauses of a sentence, each date with the words that say what happens on it."""
    cuts, start = [], 0
    for match in _CUT.finditer(text):
        cuts.append((start, match.start()))
        start = match.end()
    cuts.append((start, len(text)))
    merged: list[tuple[int, int]] = []
    for at, (begin, end) in enumerate(cuts):
        clause = text[begin:end]
        dates = moments(clause)
        if dates and not _kinds(clause) and at and merged:
            last = merged[-1]
            if not moments(text[last[0] : last[1]]):  # "Handover, 4 May": the words stand in front
                merged[-1] = (last[0], end)
                continue
        if merged and not dates and _follows(text, merged[-1], begin):
            merged[-1] = (merged[-1][0], end)
            continue
        merged.append((begin, end))
    return merged


def _follows(text: str, last: tuple[int, int], begin: int) -> bool:
    """ "On 3 May: opening of the hall": the words stand behind a date that has none of its own."""
    clause = text[last[0] : last[1]]
    rest = moments(clause)
    return (
        bool(rest)
        and not _kinds(clause)
        and not thing_of(_blank(clause, rest[0])).all
        and begin - last[1] < 4
    )


def _blank(text: str, moment: Moment) -> str:
    """*text* without the date; the words in front of it are left: "handed in on 3 March"."""
    lead = re.match(
        r"(?:(?!the\b|early\b|late\b|mid\b|first\b|second\b|third\b|fourth\b|spring\b|summer\b|autumn\b|"
        r"fall\b)[a-z]+\s+)*",
        moment.text,
    )
    start = moment.start + (lead.end() if lead else 0)
    return text[:start] + " " * (moment.end - start) + text[moment.end :]


def _happening(passage: Passage, start: int, end: int, context: Context, before: Thing) -> Happening | None:
    clause = passage.text[start:end]
    dated = moments(clause)
    if len(dated) != 1:
        return None
    moment = dated[0]
    blanked = _blank(clause, moment)
    if _wide(moment) and any(
        a.is_money or a.unit == "%" or (not a.is_time and a.value > 1) for a in amounts(passage.text)
    ):
        return None  # a figure and its period
    hit = _nearest(blanked, moment)
    blanked = _ADJUNCT.sub(" ", blanked)
    thing = thing_of(blanked, without=hit)
    if not thing.all:
        if _PRONOUN.match(clause) or passage.origin == "speech":
            thing = before
        if not thing.all:
            thing = _in_front(passage.text[:start])
    label = _label(passage.text, start)
    thing = replace(thing, marks=thing.marks | label.marks)
    context = replace(context, label=label.all - thing.all)
    kind, words = hit if hit else (HELD, frozenset[str]())
    if kind in ("submit", "decide"):
        thing = replace(thing, words=thing.words - RECIPIENT_WORDS)
    if hit is None and not _is_label(clause, blanked, moment):
        return None
    return Happening(
        kind, words, thing, _aspects(blanked, words), context, _settled(clause, moment, kind), passage.place,
        bool(_PAST.search(blanked)), bool(_AHEAD.search(blanked)),
    )  # fmt: skip


def _label(text: str, start: int) -> Thing:
    """ "Berlin: the lease ends …": what stands in front of the clause, marked off by a colon."""
    label, colon, _ = text[:start].partition(":")
    if not colon or len(label.split()) > _LONGEST_LABEL - 3 or moments(label):
        return Thing()
    return thing_of(label)


def _in_front(text: str) -> Thing:
    """The thing of the clauses in front of this one, as far as they hold no date of their own."""
    clauses = [text[a:b] for a, b in _stretches(text) if text[a:b].strip()]
    words: list[str] = []
    for clause in reversed(clauses):
        if moments(clause):
            break
        words.insert(0, clause)
    return thing_of(" , ".join(words))


def _wide(moment: Moment) -> bool:
    return (moment.last - moment.first).days > _LONG_DAYS


def _is_label(clause: str, blanked: str, moment: Moment) -> bool:
    """ "Summer fete: 12 June", "12 June – summer fete": a name and a day."""
    return not _wide(moment) and len(blanked.split()) <= 5 and len(clause) - len(moment.text) < 48


def _settled(clause: str, moment: Moment, kind: str) -> Moment:
    """ "Valid until 30 June" names the end itself."""
    until = r"\b(?:until|till|to|through)\s+(?:the\s+)?$"
    if kind == "end" and (
        re.search(until, clause[: moment.start], re.I) or moment.text.lower().startswith("until")
    ):
        return replace(moment, by=False)
    if (
        kind == "begin"
        and moment.since
        and re.search(r"\b(?:from|as of|since)\s+$", clause[: moment.start], re.I)
    ):
        return replace(moment, since=False)
    return moment


def _kinds(text: str) -> list[tuple[int, int, str]]:
    return sorted((m.start(), m.end(), name) for name, pattern in KINDS for m in pattern.finditer(text))


def _nearest(text: str, moment: Moment) -> tuple[str, frozenset[str]] | None:
    """The kind of event whose words stand nearest to the date; "takes place" only where no other does."""
    hits = _kinds(text)
    hits = [
        h for h in hits if not any(o[0] <= h[0] and h[1] <= o[1] and o[1] - o[0] > h[1] - h[0] for o in hits)
    ]
    strong = [h for h in hits if h[2] != HELD] or hits
    if not strong:
        return None
    strong.sort(key=lambda h: min(abs(h[0] - moment.end), abs(moment.start - h[1])))
    kind = strong[0][2]
    said = frozenset(text[a:b].lower() for a, b, name in hits if name == kind)
    return kind, said


def _aspects(text: str, said: frozenset[str] = frozenset()) -> frozenset[str]:
    for words in said:
        text = re.sub(re.escape(words), " ", text, flags=re.IGNORECASE)
    return frozenset(name for name, pattern in ASPECTS if pattern.search(text))


_PAST: Final = re.compile(
    r"\b(?:was|were|has|have|had|went|began|opened|launched|released|completed|finished|delivered|started|"
    r"closed|signed|certified|approved|expired|shipped|joined|submitted|filed|broke|took|left|got)\b",
    re.IGNORECASE,
)
_AHEAD: Final = re.compile(
    r"\b(?:will|to be|plan|planned|expect\w*|target\w*|due|scheduled|shall|going to|aim\w*|forecast\w*|goes|"
    r"(?:have|has) (?:set|fixed|scheduled|booked)|"
    r"opens|starts|launches|begins|by|ends|expires|is set|takes|returns|follows?)\b",
    re.IGNORECASE,
)


def _moved(passage: Passage, dated: Sequence[Moment], context: Context, before: Thing) -> list[Happening]:
    """The date that now holds, and those that no longer do; none where the words leave it open."""
    new = moved(passage.text, dated)
    if new is None:
        return []
    blanked = passage.text
    for moment in dated:
        blanked = _blank(blanked, moment)
    cut = _ADJUNCT.sub(" ", re.split(r"[;.:]", blanked)[0])
    kinds = [h for h in _kinds(cut) if h[2] not in ("move", HELD)]
    kind = kinds[0][2] if kinds else MOVED
    said = frozenset(cut[a:b].lower() for a, b, name in kinds if name == kind)
    thing = thing_of(cut, without=(kind, said), moved=True)
    if not thing.all and not said:
        thing = before
    year = next((m.first.year for m in dated if not m.yearless), None)
    return [
        Happening(
            kind, said, thing, _aspects(cut, said), context,
            replace(_with_year(moment, year), by=False, since=False), passage.place,
            past=False, ahead=True, old=moment not in new,
        )
        for moment in dated
    ]  # fmt: skip


def _with_year(moment: Moment, year: int | None) -> Moment:
    """ "From 12 May to 9 September 2026": the year holds for both."""
    if not moment.yearless or year is None:
        return moment
    try:
        first, last = moment.first.replace(year=year), moment.last.replace(year=year)
    except ValueError:
        return moment
    return replace(moment, first=first, last=last, yearless=False)


def _in_table(slide: Slide, table: Table) -> Iterator[Happening]:
    """Cells with a date: the row names the thing, the column (or the row) what happens to it."""
    if len(table.rows) < _MIN_CELLS:
        return
    header = table.rows[0]
    title = Context(thing_of(slide.title, title=True).all)
    dated_columns = {i for row in table.rows[1:] for i, cell in enumerate(row) if i and _date_in(cell)}
    if any(i < len(header) and _CONSOLIDATED.search(header[i]) for i in dated_columns):
        return
    for row in table.rows[1:]:
        label = row[0].strip()
        for i in range(1, len(row)):
            moment = _date_in(row[i])
            if moment is None or not label or moments(label):
                continue
            if speaks_of_moving(" ".join(row)):
                continue
            head = header[i] if i < len(header) else ""
            if made := _of_cell(slide, (label, header[0], head, row[i]), moment, title):
                yield made


def _date_in(cell: str) -> Moment | None:
    """The one date of a short cell."""
    found = moments(cell) if len(cell.split()) <= 6 else ()
    return found[0] if len(found) == 1 else None


def _of_cell(
    slide: Slide, texts: tuple[str, str, str, str], moment: Moment, title: Context
) -> Happening | None:
    label, corner, head, cell = texts
    hits = [h for h in _kinds(head) if h[2] not in ("pay", HELD)]
    source = head
    if not hits and (hits := _kinds(label)):
        source = label
    if not hits and (hits := _kinds(_blank(cell, moment))):
        source = _blank(cell, moment)
    if not hits:
        return None
    strong = [h for h in hits if h[2] != HELD] or hits
    kind = strong[-1][2]
    said = frozenset(source[a:b].lower() for a, b, name in hits if name == kind)
    named = label if re.search(r"[A-Za-z]{3}", label) else f"{corner} {label}"
    thing = thing_of(named, without=(kind, said))
    if kind in ("submit", "decide"):
        thing = replace(thing, words=thing.words - RECIPIENT_WORDS)
    quote = label if re.search(r"[A-Za-z]{3}", label) else cell.strip()
    place = Place(slide.number, None, quote)
    past = bool(_PAST.search(cell))
    return Happening(
        kind,
        said,
        thing,
        _aspects(f"{label} {head}", said),
        title,
        _settled(cell, moment, kind),
        place,
        past,
        not past,
    )
