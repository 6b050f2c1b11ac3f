"""Where the words of a spoken rehearsal came to stand: each by the time at which it was spoken.

The script knows what was spoken, when, and in whose turn; the session's records say what was recognised,
when it was begun, and in whose turn it stands. Times alone join the two: a recognised word is one of what was
spoken at its time, whatever it says. Only within that are words compared, to tell those that were misheard
from stretches that nobody heard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from orchestrator.panel.records.kinds import fold
from orchestrator.panel.records.projection import Projection
from orchestrator.rehearsal.session import Session

TALK: Final = "talk"
TAKEN_BACK: Final = "taken back"
NEAR_S: Final = 3.0
"""A recognised word further from everything that was spoken is an addition of the recogniser's."""
STRETCH_WORDS: Final = 3
"""Words in a row without any in their place: not misheard, but not heard."""

Pair = tuple[str | None, str | None]
"""A word that was spoken and what was heard for it; None: it was left out, or added."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was spoken in one breath."""

    text: str
    turn: str  # TALK, TAKEN_BACK, or an exchange and its turn, as "x2.1"
    exchange: str  # in whose course: the talk before a question belongs to that question's
    start_s: float  # session clock
    end_s: float


@dataclass(frozen=True, slots=True)
class Landed:
    """A piece of speech as it stands in the transcript."""

    text: str
    turn: str  # as Spoken.turn
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the words of one exchange."""

    exchange: str
    right: int = 0  # words as they were spoken, in their turn
    misheard: int = 0  # others, or left out or added here and there, in their turn
    wrong: tuple[str, ...] = ()  # words that stand in another turn, with it
    lost: tuple[str, ...] = ()  # stretches that nobody heard

    @property
    def is_good(self) -> bool:
        return not self.wrong and not self.lost


def landed_in(session: Session) -> list[Landed]:
    """Return every piece of a session's transcript with the turn in which it stands at the end."""
    turns: dict[int, str] = {}  # by the piece's place
    projection = Projection()
    store = session.rehearsal.store
    for entry in store.entries():
        if entry.op == "receipt":
            continue
        fold(projection, store.record(entry.seq))
        turns |= {
            projection.segments.index(one): f"{exchange}.{turn}"
            for (exchange, turn), pieces in projection.answered_in.items()
            for one in pieces
        }
    turns |= {number - 1: TAKEN_BACK for number in projection.withdrawn}
    return [
        Landed(one.text, turns.get(at, TALK), one.start_s, one.end_s)
        for at, one in enumerate(projection.segments)
    ]


def outcomes(spoken: Sequence[Spoken], landed: Sequence[Landed]) -> list[Outcome]:
    """Return for each exchange, in their order, what became of the words that were spoken in its course."""
    found: dict[int, list[tuple[str, str]]] = {at: [] for at in range(len(spoken))}  # words with their turns
    for piece in landed:
        words = words_of(piece.text)
        for number, word in enumerate(words):
            at_s = piece.start_s + (number + 0.5) / len(words) * (piece.end_s - piece.start_s)
            at = min(found, key=lambda one: _distance_s(spoken[one], at_s))
            if _distance_s(spoken[at], at_s) <= NEAR_S:
                found[at].append((word, piece.turn))
    exchanges = dict.fromkeys(one.exchange for one in spoken)
    return [
        _sum(
            exchange, [_compare(one, found[at]) for at, one in enumerate(spoken) if one.exchange == exchange]
        )
        for exchange in exchanges
    ]


def words_of(text: str) -> list[str]:
    """Return words in lower case, without punctuation."""
    return re.findall(r"[^\W_]+", text.lower().replace("'", ""))


def _distance_s(spoken: Spoken, at_s: float) -> float:
    return max(spoken.start_s - at_s, at_s - spoken.end_s, 0.0)


def _compare(spoken: Spoken, found: Sequence[tuple[str, str]]) -> Outcome:
    """Compare what was spoken in one breath with the words of that time."""
    said, heard = words_of(spoken.text), [word for word, _ in found]
    right = misheard = 0
    lost = []
    for is_left_out, pairs in groupby(_align(said, heard), lambda pair: pair[1] is None):
        words = list(pairs)
        if is_left_out and len(words) >= STRETCH_WORDS:
            lost.append(" ".join(str(one) for one, _ in words))
        else:
            right += sum(one == other for one, other in words)
            misheard += sum(one != other for one, other in words)
    wrong = tuple(f"{word} ({turn}, not {spoken.turn})" for word, turn in found if turn != spoken.turn)
    return Outcome(spoken.exchange, right, misheard, wrong, tuple(lost))


def _align(said: Sequence[str], heard: Sequence[str]) -> list[Pair]:
    """Pair words with the least number of other words, of words left out and of words added."""
    rows: list[list[tuple[int, list[Pair]]]] = []  # by how many of each are paired
    for at in range(len(said) + 1):
        rows.append([])
        for there in range(len(heard) + 1):
            ways: list[tuple[int, list[Pair]]] = [] if at or there else [(0, [])]
            if at and there:
                cost, pairs = rows[at - 1][there - 1]
                pair = said[at - 1], heard[there - 1]
                ways.append((cost + (pair[0] != pair[1]), [*pairs, pair]))
            if at:
                cost, pairs = rows[at - 1][there]
                ways.append((cost + 1, [*pairs, (said[at - 1], None)]))
            if there:
                cost, pairs = rows[at][there - 1]
                ways.append((cost + 1, [*pairs, (None, heard[there - 1])]))
            rows[at].append(min(ways, key=lambda way: way[0]))
    return rows[-1][-1][1]


def _sum(exchange: str, parts: Sequence[Outcome]) -> Outcome:
    return Outcome(
        exchange,
        sum(one.right for one in parts),
        sum(one.misheard for one in parts),
        tuple(word for one in parts for word in one.wrong),
        tuple(stretch for one in parts for stretch in one.lost),
    )
