"""Contradictions: an engine proposes them, code verifies them, and they are doubted once before being shown.

Nothing here depends on a session. `contradiction_looks` calls this for a rehearsal, and commands call it
without one.

Source: READING.md, "Contradictions".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from orchestrator.core.errors import EngineError
from orchestrator.material.checks.proposals import verify
from orchestrator.material.claim import NOT_BOTH, READ, Operand, Passage, Place, Proposal, Refusal, Tension
from orchestrator.panel.engines.protocol import DoubtRequest, Engine, TensionsRequest
from orchestrator.panel.engines.together import ask

DOUBTED: Final = "reading"
"""A reason for a refusal, besides the verifier's: under some reading of the words, both places are true."""
KNOWN: Final = "known"
"""The verifier's reason for refusing a contradiction found before: a new proposal of it cannot help."""
SAME_MEASURE: Final = ("deck-vs-deck", "speech-vs-deck")
"""Kinds whose numbers may be of different things, which code cannot tell (READING.md: 77 of 102 senseless
pairs passed).
"""
KINDS: Final = (*SAME_MEASURE, "sum", "growth", "chart-vs-text")
NEAR_SEGMENTS: Final = 3
"""Segments of speech, on either side of a quote, that are sent along when it is doubted: about half a
minute.
"""


@dataclass(frozen=True, slots=True)
class Looked:
    """The result of one look; code has verified every contradiction in `tensions`."""

    tensions: tuple[Tension, ...] = ()
    proposed: int = 0  # at first; a repair proposes nothing new
    refused: Mapping[str, int] = field(default_factory=dict)  # by the verifier's reason, or DOUBTED
    failed: str | None = None  # why some of it was not done


def propose(
    engine: Engine,
    passages: Sequence[Passage],
    *,
    new: frozenset[str] = frozenset(),
    known: Sequence[Tension] = (),
    suspected: Sequence[Tension] = (),
) -> Looked:
    """Ask *engine* for the contradictions in *passages*, and wait; an engine's error is not raised.

    Proposals that the verifier refuses go back to the engine once, with the reason. A second call doubts the
    contradictions that numbers cannot decide, and those whose numbers may be of two things. They stay only if
    no reading reconciles their quotes; if that call fails, they are dropped.

    Args:
        new: Ids of the passages that no look has examined before. If empty, all of them count as new.
        known: Contradictions found before, which are not returned again.
        suspected: Contradictions that a verdict named, with both quotes. They are verified like the others.
    """
    if not passages:
        return Looked()
    by_id = {one.id: one for one in passages}
    own = [one for tension in suspected if (one := _proposal_of(tension, passages)) is not None]
    try:
        first = ask(engine, TensionsRequest(tuple(passages), new, tuple(known)))
    except EngineError as error:
        return Looked(failed=str(error))
    # A verdict names both quotes and no formula, so the reader's own proposal of the same comes first:
    # what can be computed is counted, and the other is then known already.
    found, refused = _verified([*first, *own], by_id, known, engine.name)
    failed = None
    mendable = tuple(one for one in refused if one.reason != KNOWN)
    if mendable:
        request = TensionsRequest(tuple(passages), new, (*known, *found), mendable)
        try:
            second = ask(engine, request)
        except EngineError as error:
            failed, second = str(error), ()
        mended, again = _verified(second[: len(mendable)], by_id, [*known, *found], engine.name)
        found += mended
        refused = [*_given_up(refused, second), *again]
    reasons = Counter(one.reason for one in refused)
    kept, doubted, why = _undoubted(engine, found, passages)
    if doubted:
        reasons[DOUBTED] = doubted
    proposed = len(own) + len(first)
    return Looked(tuple(kept), proposed, dict(sorted(reasons.items())), failed or why)


def _verified(
    proposals: Sequence[Proposal], passages: Mapping[str, Passage], known: Sequence[Tension], by: str
) -> tuple[list[Tension], list[Refusal]]:
    found: list[Tension] = []
    refused: list[Refusal] = []
    for proposal in proposals:
        one = verify(proposal, passages, [*known, *found], by)
        if isinstance(one, Refusal):
            refused.append(one)
        else:
            found.append(one)
    return found, refused


def _given_up(refused: Sequence[Refusal], again: Sequence[Proposal]) -> list[Refusal]:
    """Return the refusals that no proposal in *again* replaces.

    A proposal replaces the refusal with the same subject, else the first refusal in order.
    """
    left = list(refused)
    for proposal in again:
        same = (one for one in left if one.proposal.subject == proposal.subject)
        mended = next(same, next((one for one in left if one.reason != KNOWN), None))
        if mended is not None:
            left.remove(mended)
    return left


def _undoubted(
    engine: Engine, found: Sequence[Tension], passages: Sequence[Passage]
) -> tuple[list[Tension], int, str | None]:
    """Return the findings that no reading reconciles, the number of the others, and the call's error.

    The error is None if the call succeeded. A finding that the reply omits was not doubted, and is dropped.
    """
    doubtful = [one for one in found if is_doubted(one)]
    if not doubtful:
        return list(found), 0, None
    request = DoubtRequest(tuple(doubtful), _around(doubtful, passages))
    try:
        readings = ask(engine, request)
    except EngineError as error:
        return [one for one in found if one not in doubtful], len(doubtful), str(error)
    unlooked = doubtful[len(readings) :]
    dropped = [one for one, reading in zip(doubtful, readings, strict=False) if reading] + unlooked
    return [one for one in found if one not in dropped], len(dropped), None


def is_doubted(tension: Tension) -> bool:
    """Return whether a finding must be doubted before it is shown.

    That is so if no number decides it, if numbers of two places do, or if words accompany the numbers.
    """
    return tension.class_ == READ or tension.kind in (*SAME_MEASURE, "speech-vs-speech")


def _around(tensions: Sequence[Tension], passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the slides that the contradictions quote, whole, and the speech around the quoted speech."""
    places = [place for tension in tensions for place in tension.sides]
    slides = {place.slide for place in places if place.said_at_s is None}
    times = {place.said_at_s for place in places if place.said_at_s is not None}
    spoken = [one for one in passages if one.said_at_s is not None]
    near = {
        one.id
        for at, heard in enumerate(spoken)
        if heard.said_at_s in times
        for one in spoken[max(0, at - NEAR_SEGMENTS) : at + NEAR_SEGMENTS + 1]
    }
    return tuple(one for one in passages if (one.said_at_s is None and one.slide in slides) or one.id in near)


def _proposal_of(tension: Tension, passages: Sequence[Passage]) -> Proposal | None:
    """Return *tension* as a proposal that numbers cannot decide; None if a quote of it is in no passage."""
    operands = []
    for place in tension.sides:
        where = next((one.id for one in passages if _holds(one, place)), None)
        if where is None:
            return None
        operands.append(Operand(where, place.quote))
    kind = tension.kind if tension.kind in KINDS else "speech-vs-deck"
    return Proposal(kind, NOT_BOTH, tuple(operands), tension.subject or tension.note, tension.note)


def _holds(passage: Passage, place: Place) -> bool:
    is_there = place.quote in passage.text
    if place.said_at_s is None:
        return is_there and passage.said_at_s is None and passage.slide == place.slide
    return is_there and passage.said_at_s == place.said_at_s
