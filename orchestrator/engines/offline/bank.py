"""The question bank: data that people who sit on boards have written, one file a kind of deck.

Read once in a process. `tests/test_bank.py` holds the schema; here a broken file is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

from orchestrator.persona import ASKS

FOLDER: Final = Path(__file__).parent / "bank"
ANY: Final = "any"
"""The kind whose questions suit every deck."""

ABOUT: Final = ("ask", "cost", "date", "promise", "reliance", "admission", "missing", "whole")
SEATS: Final = ASKS
MOODS: Final = ("soft", "firm")
FIGURES: Final = ("money", "percent", "count", "duration", "date")
"""What one figure a question can ask for: the kinds of claims, as `claims` names them."""

QUOTE: Final = "{quote}"

Condition = tuple[str, ...]
"""Patterns that are needed together."""


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
    on: tuple[Condition, ...] = ()  # any one of them in the title of the slide whose line is quoted
    unless: tuple[Condition, ...] = ()  # any one of them in deck, notes or speech: it is answered there
    topic: str = ""  # asked once a session, whichever entry asks it
    mood: str | None = None  # of MOODS: firm is for hard boards only, soft for friendly ones
    asks_for: str | None = None  # of FIGURES: exactly one figure of this kind, and nothing else
    firm: tuple[str, ...] = ()  # wordings in place of `ask` for a hard board
    soft: tuple[str, ...] = ()  # and for a friendly one
    place: int = 0  # in its file: what boards ask most stands first

    @property
    def has_quote(self) -> bool:
        """Whether it is about one line of the deck."""
        return any(QUOTE in ask for ask in self.ask)

    def wordings(self, intensity: str) -> tuple[str, ...]:
        """As it is said at this intensity."""
        return {"adversarial": self.firm, "friendly": self.soft}.get(intensity) or self.ask


@dataclass(frozen=True, slots=True)
class DeckKind:
    """A kind of deck and what shows it."""

    id: str
    name: str
    cover: tuple[str, ...]  # patterns that decide nearly alone where the first slide holds them
    titles: tuple[str, ...]  # that weigh more in a heading than in a text
    texts: tuple[str, ...]
    needs: tuple[Condition, ...] = ()  # any one of them in the deck, or it is not of this kind; none: nothing


@dataclass(frozen=True, slots=True)
class Phrases:
    """What the engine says or listens for beside questions."""

    contradictions: Mapping[str, tuple[str, ...]]  # by sort: two, sum, read
    seats: Mapping[str, tuple[str, ...]]  # patterns in a panelist's title and role that give it a seat
    why: Mapping[str, str]  # by `about`: why a question is asked, a few words
    placeholders: re.Pattern[str]
    estimates: re.Pattern[str]  # before a figure: it is an estimate, and the line says so
    abbreviations: re.Pattern[str]  # their full stop ends no sentence
    bounds: tuple[str, ...]  # beside them a number counts nothing
    courtesies: tuple[str, ...]  # a question in whose line or title they stand is none to the board
    hesitations: tuple[str, ...]  # nobody is quoted with them
    put_off: tuple[str, ...]  # whole sentences, plain
    do_not_know: tuple[str, ...]
    fillers: tuple[str, ...]  # words before a sentence that change nothing
    lead_to_figure: tuple[str, ...]  # all that may stand before the figure of a bare answer
    after_figure: tuple[str, ...]
    undertakes: tuple[str, ...]
    follow_ups: Mapping[str, tuple[str, ...]]  # by sort: put_off, do_not_know


@dataclass(frozen=True, slots=True)
class Bank:
    """All of it."""

    kinds: tuple[DeckKind, ...]
    entries: tuple[Entry, ...]
    phrases: Phrases


@lru_cache(maxsize=1)
def bank() -> Bank:
    """The bank as it is shipped."""
    kinds: list[DeckKind] = []
    entries: list[Entry] = []
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.stem == "phrases":
            continue
        data = _load(path)
        kind = data["kind"]
        if kind != ANY:
            signs = data["signs"]
            cover, titles, texts = (tuple(signs[where]) for where in ("cover", "titles", "texts"))
            needs = _conditions(signs.get("needs", ()))
            kinds.append(DeckKind(kind, data["name"], cover, titles, texts, needs))
        entries += [_entry(kind, item, place) for place, item in enumerate(data["questions"])]
    return Bank(tuple(kinds), tuple(entries), _phrases(_load(FOLDER / "phrases.yaml")))


def _load(path: Path) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml reads it ten times faster
    loaded: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=loader)  # noqa: S506  # both are safe
    return loaded


def _entry(kind: str, item: Mapping[str, Any], place: int) -> Entry:
    known = dict(item)
    ask = known.pop("ask")
    return Entry(
        kind=kind,
        ask=_texts(ask),
        firm=_texts(known.pop("firm", ())),
        soft=_texts(known.pop("soft", ())),
        when=_conditions(known.pop("when", ())),
        on=_conditions(known.pop("on", ())),
        unless=_conditions(known.pop("unless", ())),
        topic=known.pop("topic", "") or known["id"],
        place=place,
        **known,
    )


def _texts(items: Any) -> tuple[str, ...]:
    return (items,) if isinstance(items, str) else tuple(items)


def _conditions(items: Any) -> tuple[Condition, ...]:
    return tuple((item,) if isinstance(item, str) else tuple(item) for item in items)


def _phrases(data: Mapping[str, Any]) -> Phrases:
    return Phrases(
        contradictions=_lists(data["contradictions"]),
        seats=_lists(data["seats"]),
        why=data["why"],
        placeholders=re.compile("|".join(data["placeholders"])),
        estimates=re.compile("|".join(data["estimates"])),
        abbreviations=re.compile("|".join(data["abbreviations"])),
        bounds=tuple(data["bounds"]),
        courtesies=tuple(data["courtesies"]),
        hesitations=tuple(data["hesitations"]),
        put_off=tuple(data["put_off"]),
        do_not_know=tuple(data["do_not_know"]),
        fillers=tuple(data["fillers"]),
        lead_to_figure=tuple(data["lead_to_figure"]),
        after_figure=tuple(data["after_figure"]),
        undertakes=tuple(data["undertakes"]),
        follow_ups=_lists(data["follow_ups"]),
    )


def _lists(data: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(values) for key, values in data.items()}
