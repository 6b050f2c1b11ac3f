"""The same words around two different numbers: a sentence that was repeated and not brought up to date.

Neither lexicon nor likeness is needed where the words themselves come back: "release £4.1m of our
own capital" on one slide, "approve £4.6m of our own capital" on another. It holds for what is asked
for and planned as well as for what is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.alike_read import Saying
from orchestrator.checks.alike_rules import fits, meets
from orchestrator.checks.alike_status import CHANGED, OTHER, PARTIAL, RANGE
from orchestrator.checks.compare import place_words
from orchestrator.checks.reading.terms import Term
from orchestrator.claims.model import Tension
from orchestrator.claims.words import word_set

_FEWEST: Final = 2
"""Telling words in a row that both must have beside their number."""
_REACH: Final = 4
"""Telling words on either side that are looked at."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.,;:!?()–—/|]")
_STOP = re.compile(r"[.,;:!?()–—/|]")
_NUMBER = re.compile(r"\d")
_CLAUSE_END = re.compile(r"[;:!?()–—|]|[.,](?!\d)")
_SAYS_NUMBER: Final = word_set(
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty "
    "seventy eighty ninety hundred thousand million billion half third quarter fifth tenth m k bn mn "
    "percent per cent point usd eur gbp chf euro euros dollar dollars pound pounds pence cents about "
    "around nearly almost some roughly just over under"
)
_SMALL_WORDS: Final = word_set(
    "a an the of in on at to for with by and or as is are was were be been being has have had we our us "
    "it its this that these those their they there now today currently so far still all"
)
_ASKING: Final = word_set(
    "ask asked you please let propose proposed request requested seek need want plan approve approval "
    "release reserve allocate grant fund provide invest spend commit hire train buy order build open "
    "board council trustee committee member decide decision today therefore recommend mandate authorise "
    "authorize would like so then here"
)
"""What may stand before the number on one side alone: anything else may be another owner of it."""
_SETS_APART: Final = re.compile(
    r"\b(?:from|against|versus|vs|than|by|instead|originally|previously|formerly|not|if|scenario|option|case|phase|"
    r"first|second|third|fourth|each|per|another|further|additional|extra|more|least|most|up|down|last|previous|prior|"
    r"next|before|after|until|since|between|including|excluding|without|target|goal)\b",
    re.IGNORECASE,
)
_NOT_OURS: Final = frozenset({OTHER, RANGE, CHANGED, PARTIAL})


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """A saying whose words may come back, with what they are compared by, read once."""

    saying: Saying
    left: tuple[str, ...]  # the telling words of the clause before the number
    right: tuple[str, ...]
    apart: frozenset[str]  # the words of the clause that may set one number apart from another
    times: frozenset[str]
    head: frozenset[str]


def wordings_of(sayings: Iterable[Saying], crowded: frozenset[str] = frozenset()) -> tuple[Wording, ...]:
    """The wordings of those sayings that can be repeated.

    Args:
        crowded: Kinds of which a text gives so many that only those with a time are told apart.
    """
    found = (_wording(saying) for saying in sayings)
    return tuple(w for w in found if w is not None and (w.times or w.saying.amount.kind not in crowded))


def deck_echoes(deck: Sequence[Wording]) -> Iterator[Tension]:
    """Pairs of different slides that say the same words of two numbers; silent where there are three."""
    for position, a in enumerate(deck):
        for b in deck[position + 1 :]:
            if (
                a.saying.slide != b.saying.slide
                and _is_echo(a, b)
                and _values(a, deck) == _values(b, deck) == 2
            ):
                yield _tension(a.saying, b.saying)


def speech_echoes(spoken: Sequence[Saying], deck: Sequence[Wording]) -> Iterator[Tension]:
    """The same for what is said aloud; silent where the deck has the words with more than one number."""
    for b in wordings_of(spoken):
        matching = [a for a in deck if _is_alike(a, b)]
        if (
            matching
            and all(meets(one.saying, matching[0].saying) for one in matching)
            and _is_echo(matching[0], b)
        ):
            yield _tension(matching[0].saying, b.saying)


def _wording(saying: Saying) -> Wording | None:
    quote, number = saying.place.quote, saying.amount.text
    if (
        saying.status in _NOT_OURS
        or saying.row is not None
        or saying.amount.is_range
        or quote.count(number) != 1
    ):
        return None
    at = quote.find(number)
    start, end = _clause(quote, at, number)
    left, right = _telling(quote[start:at])[-_REACH:], _telling(quote[at:end])[:_REACH]
    if len(left) + len(right) < _FEWEST:
        return None
    return Wording(
        saying,
        tuple(left),
        tuple(right),
        frozenset(word.lower() for word in _SETS_APART.findall(quote[start:end])),
        frozenset(when.words for when in saying.fixed),
        _plain(saying.head),
    )


def _is_echo(a: Wording, b: Wording) -> bool:
    return _is_alike(a, b) and not meets(a.saying, b.saying)


def _is_alike(a: Wording, b: Wording) -> bool:
    if a.times != b.times or a.apart != b.apart or a.head != b.head:
        return False
    if a.saying.traits != b.saying.traits or a.saying.names != b.saying.names:
        return False
    behind, before = _shared(a.right, b.right), _shared(a.left[::-1], b.left[::-1])
    if behind + before < _FEWEST or len(a.right) > behind < len(b.right):
        return False  # what comes next differs: of hospitals, of pharmacies
    leading = {*a.left[: len(a.left) - before], *b.left[: len(b.left) - before]}
    return leading <= _ASKING and fits(a.saying, b.saying)


def _plain(terms: Sequence[Term]) -> frozenset[str]:
    return frozenset(term.plain for term in terms)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words in a row, counted from the number outwards, are the same."""
    count = 0
    for word, second in zip(one, other, strict=False):
        if word != second:
            break
        count += 1
    return count


def _clause(quote: str, at: int, number: str) -> tuple[int, int]:
    """The stretch of *quote* between the stops around *number*, which stands at *at*."""
    ends = [match.start() for match in _CLAUSE_END.finditer(quote)]
    start = max((end + 1 for end in ends if end < at), default=0)
    end = min((end for end in ends if end >= at + len(number)), default=len(quote))
    return start, end


def _telling(text: str) -> list[str]:
    words = (word.lower() for word in _WORD.findall(text) if not _STOP.match(word))
    return [
        word.removesuffix("s")
        for word in words
        if word not in _SMALL_WORDS and word not in _SAYS_NUMBER and not _NUMBER.search(word)
    ]


def _values(wording: Wording, deck: Sequence[Wording]) -> int:
    """How many different numbers the deck gives in these words."""
    found = [wording.saying]
    for other in deck:
        if (
            other is not wording
            and _is_alike(wording, other)
            and not any(meets(other.saying, one) for one in found)
        ):
            found.append(other.saying)
    return len(found)


def _tension(a: Saying, b: Saying) -> Tension:
    spoken = a.place.said_at_s is not None or b.place.said_at_s is not None
    note = (
        f'"{a.amount.text}" {place_words(a.place)} and "{b.amount.text}" {place_words(b.place)} '
        "are said in the same words: only one can be right."
    )
    return Tension("speech-vs-deck" if spoken else "deck-vs-deck", a.place, b.place, note)
