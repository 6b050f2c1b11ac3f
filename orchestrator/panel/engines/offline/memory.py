"""An agent's notes page, updated when a session ends, with one section for each deck.

A panelist's page covers its own questions, the moderator's page the panel as a whole.

The newest section is first. If the page would exceed its limit, whole sections are removed, the oldest first,
then whole lines of the newest. No line is cut in the middle. Source: DESIGN.md, section 9 (Scratchpad).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from orchestrator.core.legible import counted
from orchestrator.core.packaged import packaged_yaml
from orchestrator.core.table import MODERATOR
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.panel.engines.offline.judging import undertakes
from orchestrator.panel.engines.offline.wording import sentences
from orchestrator.panel.engines.protocol import FactsRequest, ScratchpadRequest, ScribeRequest
from orchestrator.panel.model.exchange import Exchange, each_once
from orchestrator.panel.model.reply import (
    ANSWER,
    EXCHANGE,
    FACT_TYPES,
    MAX_CONTENT_CHARS,
    FactDraft,
    Passage,
    Remembered,
    key_of,
)
from orchestrator.panel.render import COUNTED_WORDS, SILENT

# ---------------------------------------------------------------------- announced
# What a sentence announces in so many words: "We have decided to …", "Our goal is …". Nothing else is
# read.
#
# The phrases are a closed list (`announcements.yaml`), compared word by word. A sentence counts where it
# begins with one, or with a short opener ("So,") or a clause of the speaker's own before it; it is no
# question, and holds no word that may make it a condition, a hedge, somebody else's words or a "not". In
# doubt it is left out: a goal that is missing does less harm than one that nobody has.
#
# Source: the seeds of the Scribe (000) and of the summariser (002), which have goals, decisions, blockers
# and the types of facts; READING.md, "Rules that stay".


MIN_BEHIND: Final = 2
"""Minimum number of words that must follow a phrase: "Our goal is clear." states no goal."""
REMEMBERED: Final = ("goal", "decision", "blocker")
"""The kinds of announcements that the Scribe stores."""

_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[^\w\s]")  # words, and each mark by itself
_WHOLE = re.compile(r"[A-ZÀ-ÖØ-Þ].*[.!]", re.DOTALL)  # begins with a capital letter, and has come to its end

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _List:
    """The contents of `announcements.yaml`, with its texts split into words."""

    phrases: Mapping[Words, str]  # with what each announces
    openers: frozenset[Words]
    own: frozenset[str]
    joins: frozenset[str]
    ends: frozenset[str]
    names: frozenset[str]
    spoils: frozenset[str]
    spoils_before: frozenset[str]


def announces(sentence: str) -> str | None:
    """Return what a sentence announces (goal, blocker or a type of fact), or None if that is not certain."""
    if not _WHOLE.fullmatch(sentence):
        return None
    said, known = _words(sentence), _list()
    words = tuple(word.casefold() for word in said)
    found = next(
        (
            (start, phrase)
            for start in range(len(words))
            for phrase in _phrases_by_length()
            if words[start : start + len(phrase)] == phrase
        ),
        None,
    )
    if found is None:
        return None
    start, phrase = found
    before, behind = words[:start], said[start + len(phrase) :]
    says_little = sum(word[0].isalnum() for word in behind) < MIN_BEHIND
    if says_little or not known.spoils.isdisjoint(behind) or not _may_precede(before):
        return None
    kind = known.phrases[phrase]
    if phrase[-1] in known.ends and not _names_something(kind, behind[0]):
        return None
    return kind


def _names_something(kind: str, first: str) -> bool:
    """Return whether the first word after "is" begins a name, rather than a description."""
    return first[0].isupper() if kind == "person" else first.casefold() in _list().names


def _may_precede(before: Words) -> bool:
    """Return whether the words before a phrase leave it the speaker's own, unconditional statement."""
    known = _list()
    if not before or before in known.openers or (before[-1] == "," and before[:-1] in known.openers):
        return True
    is_own = before[0] in known.own and before[-1] in known.joins
    return is_own and (known.spoils | known.spoils_before).isdisjoint(before)


def remembered(request: ScribeRequest) -> tuple[Remembered, ...]:
    """Return the new goals, decisions and blockers that the passages announce, word for word."""
    told = {key_of(text) for text in request.known}
    found: list[Remembered] = []
    for passage in request.passages:
        for sentence in sentences(passage.text):
            kind = announces(sentence) if len(sentence) <= MAX_CONTENT_CHARS else None
            if kind in REMEMBERED and key_of(sentence) not in told:
                told.add(key_of(sentence))
                found.append(Remembered(kind, sentence, sentence, passage.seq))
    return tuple(found)


def _words(text: str) -> Words:
    return tuple(_TOKEN.findall(text.replace("’", "'")))


@cache
def _phrases_by_length() -> Sequence[Words]:
    """Return the phrases, longest first: "we have decided not to" before "we have decided"."""
    return sorted(_list().phrases, key=len, reverse=True)


@cache
def _list() -> _List:
    plain = packaged_yaml("panel/engines/offline/announcements.yaml")
    return _List(
        phrases={_words(text): kind for kind, texts in plain["phrases"].items() for text in texts},
        openers=frozenset(map(_words, plain["openers"])),
        own=frozenset(plain["own"]),
        joins=frozenset(plain["joins"]),
        ends=frozenset(plain["ends"]),
        names=frozenset(plain["names"]),
        spoils=frozenset(plain["spoils"].split()),
        spoils_before=frozenset(plain["spoils_before"].split()),
    )


# ---------------------------------------------------------------------- facts
# Facts that were said in so many words: announcements, sentences with a figure, promises, open threads.


MIN_WORDS: Final = 6
"""Minimum number of words of a sentence with a figure: nobody can tell what a shorter one ("It was 18 %
then.") means.
"""

UNSURE_HEARING: Final = 0.7
"""If the speech-to-text program's confidence is below this, a fact's confidence is one step lower; our own
choice.
"""

_WHOLE_FACT = re.compile(r"[A-Z“\"'‘€$£\d].*[.!]$", re.DOTALL)
_LEFT_OPEN: Final = {"unresolved": "Left unresolved", "parked": "Parked"}


def facts(request: FactsRequest) -> tuple[FactDraft, ...]:
    """Return the new facts that the passages state, in their order."""
    known = {key_of(content) for content in request.known}
    come_back = {one.comes_back_to for one in request.passages if one.comes_back_to is not None}
    found: list[FactDraft] = []
    for passage in request.passages:
        if passage.kind == EXCHANGE:
            drafts = iter(()) if passage.exchange in come_back else _left_open(passage)
        elif passage.kind == ANSWER or passage.speaker in request.presenter_labels:
            drafts = _stated(passage)
        else:
            continue
        for draft in drafts:
            if key_of(draft.content) not in known:
                known.add(key_of(draft.content))
                found.append(draft)
    return tuple(found)


def _stated(passage: Passage) -> Iterator[FactDraft]:
    for sentence in sentences(passage.text):
        if len(sentence) > MAX_CONTENT_CHARS or not _WHOLE_FACT.fullmatch(sentence):
            continue
        sort = _sort_of(sentence)
        if sort is not None:
            is_clear = passage.heard is None or passage.heard >= UNSURE_HEARING
            yield FactDraft(sort, sentence, "high" if is_clear else "medium", passage.seq, sentence)


def _sort_of(sentence: str) -> str | None:
    if (announced := announces(sentence)) in FACT_TYPES:
        return announced
    if undertakes(sentence):
        return "commitment"
    is_figure = any(number.unit is not None for number in numbers_in(sentence))
    return "number" if is_figure and len(sentence.split()) >= MIN_WORDS else None


def _left_open(passage: Passage) -> Iterator[FactDraft]:
    how, question = _LEFT_OPEN.get(passage.outcome or ""), passage.text.rpartition("\n")[2].strip()
    if how is not None and question and len(question) + len(how) + 2 <= MAX_CONTENT_CHARS:
        yield FactDraft("open_thread", f"{how}: {question}", "high", passage.seq, question)


# ---------------------------------------------------------------------- scratchpad


_SECTION = re.compile(r"^(?=## )", re.MULTILINE)


def scratchpad(request: ScratchpadRequest) -> str:
    """Return the new page: what was asked about this deck, with what outcome, and how it was answered."""
    title = " ".join((request.scene.deck.title or request.scene.deck.name).split())
    heading = f"## {title}"
    newest = [f"{heading} ({request.day})", "", *_lines(request)]
    older = [one for one in _sections(request.before) if not one.startswith(f"{heading} (")]
    while newest and len(_page([newest])) > request.limit:
        newest = newest[:-1]
    kept = [newest]
    for section in older:
        if len(_page([*kept, section.splitlines()])) > request.limit:
            break
        kept.append(section.splitlines())
    return _page(kept)


def _lines(request: ScratchpadRequest) -> Iterator[str]:
    asked = each_once(request.scene.exchanges)
    if request.seat.persona.id == MODERATOR:
        yield from _panels_lines(asked)
    else:
        own = [one for one in asked if one.agent == request.seat.persona.id]
        for exchange in sorted(own, key=lambda one: one.result == "satisfied"):
            yield f"- {_line(exchange)}"
        if not own:
            yield "- I was not called on."
    for seen in request.scene.observed:
        yield f"- The presenter {seen.text}."


def _panels_lines(asked: Sequence[Exchange]) -> Iterator[str]:
    """Yield lines on how the questions of all panelists went, and on what is left open of each."""
    if not asked:
        yield "- No question was put."
        return
    results = Counter(
        SILENT if one.result == "unjudged" and not (one.turns[-1].answer or "").strip() else one.result
        for one in asked
    )
    came = [f"{results[key]} {word}" for key, word in COUNTED_WORDS.items() if results[key]]
    yield f"- {counted(len(asked), 'question')}{': ' if came else ''}{', '.join(came)}."
    by = Counter(one.agent for one in asked)
    yield f"- Asked by {', '.join(f'{agent}: {many}' for agent, many in by.items())}."
    for exchange in asked:
        if exchange.result != "satisfied":
            yield f"- {exchange.agent}: {_line(exchange)}"


def _line(exchange: Exchange) -> str:
    about = f'"{exchange.quote}"' if exchange.quote else "the deck as a whole"
    last = exchange.turns[-1]
    says = _says(exchange)
    if exchange.result == "satisfied":
        quoted = last.quote if exchange.outcome == "satisfied" else None  # else it is behind another verdict
        return f"Settled{says}: {about}" + (f'; the answer was "{quoted}".' if quoted else ".")
    if exchange.result == "unjudged":
        came = "the answer was not judged" if (last.answer or "").strip() else "no answer was given"
        return f"Asked about {about}; {came}."
    missing = f" Asked for: {', '.join(last.needs)}." if last.needs else ""
    return f"Open ({exchange.result}{says}): {about}.{missing}"


def _says(exchange: Exchange) -> str:
    """Return ", says Dana; the panel: satisfied" for a person's verdict, with the panel's if that differs.

    Return "" if no person judged the exchange.
    """
    said = exchange.person
    if said is None:
        return ""
    differs = exchange.outcome not in (exchange.result, "unjudged")
    return f", says {said.by}{f'; the panel: {exchange.outcome}' if differs else ''}"


def _sections(page: str) -> list[str]:
    return [part.strip() for part in _SECTION.split(page) if part.startswith("## ")]


def _page(sections: list[list[str]]) -> str:
    return "\n\n".join("\n".join(lines).strip() for lines in sections if lines) + "\n"
