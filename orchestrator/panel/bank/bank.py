"""The question bank: data by people who sit on boards, in one file for each kind of deck.

The bank is read once in a process. `tests/engines/test_bank.py` checks its schema; here a broken file is an
error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from orchestrator.core.packaged import PACKAGE, packaged_yaml
from orchestrator.panel.personas.persona import ASKS

# ---------------------------------------------------------------------- words
# Words of the bank and the texts that they stand in: whole words, capitals folded, nothing cleverer.
#
# A text is made `plain` once; a pattern is a word, several in a row, or the beginning of one ("migrat*").
# Tags such as "#money" stand among a text's words, so they are patterns too.


_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|%")


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Return the text's words, each between single spaces, with one space at either end."""
    return f" {' '.join(_WORD.findall(text.casefold().replace('’', chr(39))))} "


@lru_cache(maxsize=8192)
def _needle(pattern: str) -> str:
    if pattern.startswith("#"):
        return f" {pattern} "
    words = plain(pattern.rstrip("*"))
    return words.rstrip() if pattern.endswith("*") else words


def holds(text: str, pattern: str) -> bool:
    """Return whether *pattern* is found in *text*, which must be `plain`."""
    return _needle(pattern) in text


@lru_cache(maxsize=8192)
def _needles(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_needle, patterns))


def holds_all(text: str, patterns: tuple[str, ...]) -> bool:
    """Return whether every pattern is found in *text*, which must be `plain`."""
    for needle in _needles(patterns):  # noqa: SIM110 (a generator takes twice as long, and a deck asks often)
        if needle not in text:
            return False
    return True


# ---------------------------------------------------------------------- bank


FOLDER: Final = PACKAGE / "panel" / "bank" / "entries"
ANY: Final = "any"
"""The kind of deck whose questions suit every deck."""

ABOUT: Final = ("ask", "cost", "date", "promise", "reliance", "admission", "missing", "whole")
SEATS: Final = ASKS
FIGURES: Final = ("money", "percent", "count", "duration", "date")
"""The kinds of figure, in the words of `claims`, for which a question can ask."""

WORDINGS: Final = ("ask", "firm", "soft")
OF_TEXTS: Final = (*WORDINGS, "but", "heads", "kinds", "wants_fact")
OF_CONDITIONS: Final = ("when", "on", "unless")
OF_PATTERNS: Final = ("placeholders", "estimates", "abbreviations")
"""Fields with regular expressions; other fields contain texts or conditions."""

HEADING: Final = "#heading"
"""The tag of a slide's title that may be quoted for the lines under it."""

PLACEHOLDER: Final = "#placeholder"
"""The tag of a line with a gap that was meant to be filled in."""

QUOTE: Final = "{quote}"
SUBJECT: Final = "{it}"
"""Stands in a wording for the deck's own name for its subject, or for its kind's noun."""

Condition = tuple[str, ...]
"""Patterns that must all be found."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One question of the bank."""

    id: str
    kind: str  # of deck; ANY
    ask: tuple[str, ...]  # wordings, with or without the slot QUOTE
    seat: str  # of SEATS: what its asker cares about
    about: str  # of ABOUT
    good: str  # what a good answer gives
    when: tuple[Condition, ...] = ()  # any one of them; none: always
    but: tuple[str, ...] = ()  # none of them in that line, or on the slide whose title is quoted
    on: tuple[Condition, ...] = ()  # any one of them in the title of the slide whose line is quoted
    kinds: tuple[str, ...] = ()  # of deck beside its own; of an entry of ANY, the only ones
    unless: tuple[Condition, ...] = ()  # any one of them in deck, notes or speech: it may be answered there
    topic: str = ""  # asked once a session, whichever entry asks it
    asks_for: str | None = None  # of FIGURES: exactly one figure of this kind, and nothing else
    wants_fact: tuple[str, ...] = ()
    """Those of `WORDINGS` to which an answer must contain a figure, a date, a name, or a yes or no."""
    firm: tuple[str, ...] = ()  # wordings in place of `ask` for a hard board
    soft: tuple[str, ...] = ()  # and for a friendly one
    place: int = 0  # in its file: what boards ask most stands first

    @property
    def has_quote(self) -> bool:
        """Return whether the entry is about one line of the deck."""
        return any(QUOTE in ask for ask in self.ask)

    @property
    def is_first(self) -> bool:
        """Return whether the entry asks for what a well prepared deck states.

        If so, it suits only decks that leave its topic out.
        """
        return self.about in ("missing", "ask") and not self.has_quote

    def wordings(self, intensity: str) -> tuple[str, ...]:
        """Return the wordings at this intensity."""
        return {"adversarial": self.firm, "friendly": self.soft}.get(intensity) or self.ask


@dataclass(frozen=True, slots=True)
class DeckKind:
    """A kind of deck and the signs by which it is detected."""

    id: str
    name: str
    noun: str  # for its matter where the deck gives it no name
    is_named: bool  # whether the deck's title may be the name of its matter
    cover: tuple[str, ...]  # patterns that decide nearly alone where the first slide holds them
    titles: tuple[str, ...]  # that weigh more in a heading than in a text
    texts: tuple[str, ...]
    council: int = 0  # added to its score where a deck is one for a technical council
    needs: tuple[Condition, ...] = ()  # any one of them in the deck, or it is not of this kind; none: nothing


@dataclass(frozen=True, slots=True)
class Phrases:
    """The words that the engine says or listens for, besides questions."""

    contradictions: Mapping[str, tuple[str, ...]]  # by sort: two, sum, read
    seats: Mapping[str, tuple[str, ...]]  # patterns in a panelist's title and role that give it a seat
    why: Mapping[str, str]  # by `about`: why a question is asked, a few words
    placeholders: re.Pattern[str]
    estimates: re.Pattern[str]  # before a figure: it is an estimate, and the line says so
    abbreviations: re.Pattern[str]  # their full stop ends no sentence
    bounds: tuple[str, ...]  # beside them a number counts nothing
    council: tuple[tuple[str, ...], ...]  # words of technical councils, and of software work anywhere
    english: tuple[str, ...]  # words that make up a good part of any English text
    agendas: tuple[str, ...]  # titles of slides that only list what is to come
    courtesies: tuple[str, ...]  # a question in whose line or title they stand is none to the board
    hesitations: tuple[str, ...]  # nobody is quoted with them
    put_off: tuple[str, ...]  # whole sentences, plain
    do_not_know: tuple[str, ...]
    fillers: tuple[str, ...]  # words before a sentence that change nothing
    lead_to_figure: tuple[str, ...]  # all that may stand before the figure of a bare answer
    after_figure: tuple[str, ...]
    undertakes: tuple[str, ...]
    yes_or_no: tuple[str, ...]  # whole words
    follow_ups: Mapping[
        str, tuple[str, ...]
    ]  # by sort: put_off, do_not_know, neither_figure, no_fact, not_given
    topics: Mapping[str, tuple[str, ...]]  # by topic: words that show that the deck speaks of it at all
    told: Mapping[str, tuple[str, ...]]  # by topic: titles of slides that tell what a plain question asks


@dataclass(frozen=True, slots=True)
class Bank:
    """The whole bank: kinds, entries and phrases."""

    kinds: tuple[DeckKind, ...]
    entries: tuple[Entry, ...]
    phrases: Phrases
    noun: str  # for the matter of any deck


@lru_cache(maxsize=1)
def bank() -> Bank:
    """Return the bank that the package contains."""
    phrases = _phrases(packaged_yaml(FOLDER / "phrases.yaml"))
    files = [packaged_yaml(path) for path in sorted(FOLDER.glob("*.yaml")) if path.stem != "phrases"]
    made = [_entry(one["kind"], item, at) for one in files for at, item in enumerate(one["questions"])]
    entries = (_of_absent_topic(one, phrases.topics) if one.is_first else one for one in made)
    kinds = tuple(_kind(one) for one in files if one["kind"] != ANY)
    return Bank(kinds, tuple(entries), phrases, next(one["noun"] for one in files if one["kind"] == ANY))


def _kind(data: Mapping[str, Any]) -> DeckKind:
    signs = {**data["signs"], "needs": _conditions(data["signs"].get("needs", ()))}
    return DeckKind(data["kind"], data["name"], data["noun"], data.get("named", False), **signs)


def _of_absent_topic(entry: Entry, topics: Mapping[str, tuple[str, ...]]) -> Entry:
    """Return the entry, limited to decks that do not mention its topic at all."""
    return replace(entry, unless=(*entry.unless, *_conditions(topics.get(entry.topic, ()))))


def _entry(kind: str, item: Mapping[str, Any], place: int) -> Entry:
    """Make an entry from its YAML.

    An entry with `heads` is about a slide's heading, and each head is a condition.
    """
    known: dict[str, Any] = {"topic": item["id"]}
    for name, value in item.items():
        if name == "wants_fact" and value is True:  # however it is worded
            value = WORDINGS
        read = _texts if name in OF_TEXTS else _conditions if name in OF_CONDITIONS else None
        known[name] = value if read is None else read(value)
    heads = known.pop("heads", ())
    if heads:
        known["when"] = tuple((head, HEADING, *when) for head in heads for when in known.get("when", ((),)))
    return Entry(kind=kind, place=place, **known)


def _texts(items: Any) -> tuple[str, ...]:
    return (items,) if isinstance(items, str) else tuple(items)


def _conditions(items: Any) -> tuple[Condition, ...]:
    return tuple((item,) if isinstance(item, str) else tuple(item) for item in items)


def _phrases(data: Mapping[str, Any]) -> Phrases:
    compiled = {name: re.compile("|".join(data[name])) for name in OF_PATTERNS}
    return Phrases(**{**data, **compiled})
