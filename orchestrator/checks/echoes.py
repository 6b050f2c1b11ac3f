"""The same words around two different numbers: a sentence that was repeated and not brought up to date.

Neither lexicon nor likeness is needed where the words themselves come back: "release £4.1m of our
own capital" on one slide, "approve £4.6m of our own capital" on another. It holds for what is asked
for and planned as well as for what is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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


def deck_echoes(sayings: Sequence[Saying]) -> Iterator[Tension]:
    """Pairs of different slides that say the same words of two numbers; silent where there are three."""
    usable = [saying for saying in sayings if _is_usable(saying)]
    for position, a in enumerate(usable):
        for b in usable[position + 1 :]:
            if a.slide != b.slide and _is_echo(a, b) and _values(a, usable) == _values(b, usable) == 2:
                yield _tension(a, b)


def speech_echoes(spoken: Sequence[Saying], sayings: Sequence[Saying]) -> Iterator[Tension]:
    """The same for what is said aloud; silent where the deck has the words with more than one number."""
    usable = [saying for saying in sayings if _is_usable(saying)]
    for b in spoken:
        if _is_usable(b):
            matching = [a for a in usable if _is_alike(a, b)]
            if matching and all(meets(one, matching[0]) for one in matching) and _is_echo(matching[0], b):
                yield _tension(matching[0], b)


def _is_usable(saying: Saying) -> bool:
    return (
        saying.status not in _NOT_OURS
        and saying.row is None
        and not saying.amount.is_range
        and saying.place.quote.count(saying.amount.text) == 1
        and len(_beside(saying)[0]) + len(_beside(saying)[1]) >= _FEWEST
    )


def _is_echo(a: Saying, b: Saying) -> bool:
    return _is_alike(a, b) and not meets(a, b)


def _is_alike(a: Saying, b: Saying) -> bool:
    if not fits(a, b) or a.traits != b.traits or {w.words for w in a.fixed} != {w.words for w in b.fixed}:
        return False
    if _apart(a) != _apart(b) or a.names != b.names or _plain(a.head) != _plain(b.head):
        return False
    (left_a, right_a), (left_b, right_b) = _beside(a), _beside(b)
    behind, before = _shared(right_a, right_b), _shared(left_a[::-1], left_b[::-1])
    if len(right_a) > behind < len(right_b):
        return False  # what comes next differs: of hospitals, of pharmacies
    leading = {*left_a[: len(left_a) - before], *left_b[: len(left_b) - before]}
    return behind + before >= _FEWEST and leading <= _ASKING


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


def _apart(saying: Saying) -> frozenset[str]:
    """The words of its clause that may set one number apart from another."""
    start, end = _clause(saying)
    return frozenset(word.lower() for word in _SETS_APART.findall(saying.place.quote[start:end]))


def _clause(saying: Saying) -> tuple[int, int]:
    quote = saying.place.quote
    at = quote.find(saying.amount.text)
    ends = [match.start() for match in re.finditer(r"[;:!?()–—|]|[.,](?!\d)", quote)]
    start = max((end + 1 for end in ends if end < at), default=0)
    end = min((end for end in ends if end >= at + len(saying.amount.text)), default=len(quote))
    return start, end


def _beside(saying: Saying) -> tuple[list[str], list[str]]:
    """The telling words of the clause before and behind the number."""
    quote = saying.place.quote
    at = quote.find(saying.amount.text)
    start, end = _clause(saying)
    return _telling(quote[start:at])[-_REACH:], _telling(quote[at:end])[:_REACH]


def _telling(text: str) -> list[str]:
    words = (word.lower() for word in _WORD.findall(text) if not _STOP.match(word))
    return [
        word.removesuffix("s")
        for word in words
        if word not in _SMALL_WORDS and word not in _SAYS_NUMBER and not _NUMBER.search(word)
    ]


def _values(saying: Saying, usable: Sequence[Saying]) -> int:
    """How many different numbers the deck gives in these words."""
    found = [saying]
    for other in usable:
        if other is not saying and _is_alike(saying, other) and not any(meets(other, one) for one in found):
            found.append(other)
    return len(found)


def _tension(a: Saying, b: Saying) -> Tension:
    spoken = a.place.said_at_s is not None or b.place.said_at_s is not None
    note = (
        f'"{a.amount.text}" {place_words(a.place)} and "{b.amount.text}" {place_words(b.place)} '
        "are said in the same words: only one can be right."
    )
    return Tension("speech-vs-deck" if spoken else "deck-vs-deck", a.place, b.place, note)
