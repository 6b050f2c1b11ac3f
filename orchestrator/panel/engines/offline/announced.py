"""What a sentence announces in so many words: "We have decided to …", "Our goal is …". Nothing else is read.

The phrases are a closed list (`announcements.yaml`), compared word by word. A sentence counts where it begins
with one, or with a short opener ("So,") or a clause of the speaker's own before it; it is no question, and
holds no word that may make it a condition, a hedge, somebody else's words or a "not". In doubt it is left
out: a goal that is missing does less harm than one that nobody has.

Source: the seeds of the Scribe (000) and of the summariser (002), which have goals, decisions, blockers and
the types of facts; READING.md, "Rules that stay".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from orchestrator.core.packaged import packaged_yaml
from orchestrator.panel.engines.offline.wording import sentences
from orchestrator.panel.engines.protocol import ScribeRequest
from orchestrator.panel.model.fact import MAX_CONTENT_CHARS, key_of
from orchestrator.panel.model.reply import Remembered

FEWEST_BEHIND: Final = 2
"""Words behind a phrase: "Our goal is clear." says none."""
REMEMBERED: Final = ("goal", "decision", "blocker")
"""What the Scribe keeps of them."""

_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[^\w\s]")  # words, and each mark by itself
_WHOLE = re.compile(r"[A-ZÀ-ÖØ-Þ].*[.!]", re.DOTALL)  # begins with a capital letter, and has come to its end

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _List:
    """`announcements.yaml`, its texts cut into words."""

    phrases: Mapping[Words, str]  # with what each announces
    openers: frozenset[Words]
    own: frozenset[str]
    joins: frozenset[str]
    ends: frozenset[str]
    names: frozenset[str]
    spoils: frozenset[str]
    spoils_before: frozenset[str]


def announces(sentence: str) -> str | None:
    """What a sentence announces: goal, blocker or a type of fact; None: nothing that is sure."""
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
    says_little = sum(word[0].isalnum() for word in behind) < FEWEST_BEHIND
    if says_little or not known.spoils.isdisjoint(behind) or not _may_precede(before):
        return None
    kind = known.phrases[phrase]
    if phrase[-1] in known.ends and not _names_something(kind, behind[0]):
        return None
    return kind


def _names_something(kind: str, first: str) -> bool:
    """Whether the first word behind "is" begins a name of what it is, and not what is said of it."""
    return first[0].isupper() if kind == "person" else first.casefold() in _list().names


def _may_precede(before: Words) -> bool:
    """Whether what stands before a phrase leaves it the speaker's own, and unconditional."""
    known = _list()
    if not before or before in known.openers or (before[-1] == "," and before[:-1] in known.openers):
        return True
    is_own = before[0] in known.own and before[-1] in known.joins
    return is_own and (known.spoils | known.spoils_before).isdisjoint(before)


def remembered(request: ScribeRequest) -> tuple[Remembered, ...]:
    """The goals, decisions and blockers that the passages announce, word for word; none that is known."""
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
    """The longest first: "we have decided not to" before "we have decided"."""
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
