"""Contradictions: proposed by an engine, verified by code, and doubted once before they are shown.

Nothing here knows of a session: `contradiction_looks` asks for a rehearsal, and commands ask without one.

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
"""Beside the verifier's reasons: there is a reading under which both places hold."""
KNOWN: Final = "known"
"""The verifier's reason for what was found before: nothing about it can be mended."""
SAME_MEASURE: Final = ("deck-vs-deck", "speech-vs-deck")
"""Kinds whose figures code cannot tell to be of one thing (READING.md: 77 of 102 senseless pairs passed)."""
KINDS: Final = (*SAME_MEASURE, "sum", "growth", "chart-vs-text")
NEAR_SEGMENTS: Final = 3
"""Segments of speech on either side that go with a quote to be doubted: about half a minute."""


@dataclass(frozen=True, slots=True)
class Looked:
    """The result of one look; code has verified everything in `tensions`."""

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
    """Ask *engine* what contradicts what in *passages*, and wait; an engine's error is not raised.

    What the verifier refuses goes back once, with the reason. A second call doubts what no figure decides,
    and figures that may be of two things: they are kept only if no reading reconciles them, and dropped if
    that call fails.

    Args:
        new: Ids of passages not looked at before; empty: all of them.
        known: Contradictions found before, which are not returned again.
        suspected: Contradictions with both their quotes that a verdict named: verified like the others.
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
    """Return the refusals that no new proposal replaces: match by subject, else the first in order."""
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
    """Return the findings without a reconciling reading, the number of others, and why nobody could look, if
    so.

    A finding that the reply omits was not doubted, and is dropped.
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
    """Return whether a finding needs a second look before it is shown.

    It does if no figure decides it, if figures of two places do, or if words accompany the figures.
    """
    return tension.class_ == READ or tension.kind in (*SAME_MEASURE, "speech-vs-speech")


def _around(tensions: Sequence[Tension], passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the quoted slides, whole, and the speech around what is quoted of it."""
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
    """Return a suspicion as a proposal that no figure decides, or None if a quote is in no passage."""
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
