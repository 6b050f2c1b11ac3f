"""The one question at the end: all that the debrief says and that no count gives.

The reply is a record, so the debrief can be made again from the ledger; a failure is one too.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from orchestrator.core.errors import EngineError
from orchestrator.core.table import MODERATOR
from orchestrator.material.checks.grounding import material
from orchestrator.material.model.claim import Tension
from orchestrator.panel.debrief.rubric import CHECKS
from orchestrator.panel.debrief.verified import better_answers
from orchestrator.panel.engines.protocol import DebriefRequest
from orchestrator.panel.engines.together import ask
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.staleness import was_asked
from orchestrator.panel.model.exchange import Candidate
from orchestrator.panel.records.moderator import DebriefAnswered
from orchestrator.panel.records.projection import Projection

UNSHOWN = "unshown"
"""Among the reasons of `DebriefWords.refused`: a stronger answer that the page would not show."""


def still_to_ask(projection: Projection, without: Set[str] = frozenset()) -> tuple[Candidate, ...]:
    """What nobody asked, each question once: the panel's candidates, the dossier's, then the briefs' targets.

    A target is why its panelist goes after it, in one sentence. Nothing about a contradiction that was
    dismissed, or whose digest is in *without*, is wanted any more.
    """
    likely = (
        Candidate(
            agent=one.agent or "",
            question=one.question,
            claim=None,
            slide=one.about.slide if one.about is not None else None,
            said_at_s=None,
            quote=(one.about.quote or None) if one.about is not None else None,
            grounded=one.about is not None,
            needs=(),
            relevance=0.0,
            lead_in="",
            angle=one.why,
            is_missing=one.is_missing,
        )
        for one in projection.likely
    )
    aimed = (
        Candidate(
            agent=agent,
            question=one.angle,
            claim=one.claim,
            slide=one.slide,
            said_at_s=one.said_at_s,
            quote=one.quote or None,
            grounded=bool(one.quote),
            needs=(),
            relevance=0.0,
            lead_in="",
            angle=one.angle,
            is_missing=one.is_missing,
        )
        for agent, targets in projection.targets.items()
        for one in targets
    )
    found: dict[str, Candidate] = {}
    about: set[tuple[int | None, str]] = set()
    never = projection.never_asked
    gone = [one for one in projection.found if projection.is_dismissed(one) or one.digest in without]
    for one in (*never, *likely, *aimed):
        where = (one.slide, one.quote or one.question)
        is_known = one.question in found or (where in about and not one.is_missing)
        is_gone = one not in never and _quotes_side(gone, one)
        if one.question and not (is_known or is_gone) and was_asked(projection, one) is None:
            found[one.question] = one
            about.add(where)
    return tuple(found.values())


def _quotes_side(gone: Sequence[Tension], one: Candidate) -> bool:
    """Whether a question quotes a side of one of these contradictions."""
    quote = one.quote or ""
    sides = (side for each in gone for side in each.sides if side.slide == one.slide)
    return bool(quote) and any(quote in side.quote or side.quote in quote for side in sides)


def ask_for_debrief(rehearsal: Rehearsal) -> None:
    """Ask the engine, in the moderator's seat, and wait; once in a session, after its last exchange.

    `dismissed` in the record counts the contradictions as the projection has them.
    """
    projection = rehearsal.projection
    tensions = tuple(rehearsal.on_record(projection.tensions, lambda one: [side.quote for side in one.sides]))
    never_asked = rehearsal.on_record(still_to_ask(projection), lambda one: (one.question, one.quote or ""))
    request = DebriefRequest(
        rehearsal.seats[MODERATOR], rehearsal.scene(), tensions, tuple(never_asked), tuple(CHECKS)
    )
    context = rehearsal.context(MODERATOR, purpose="debrief", request=request)
    try:
        words = ask(rehearsal.engine, request, context)
    except EngineError as error:
        rehearsal.note_calls()
        rehearsal.store.note(DebriefAnswered(failed=str(error)), by=MODERATOR)
        return
    rehearsal.note_calls()
    # Places among those that were shown become places among all: what is off the record was not shown.
    places = [projection.found.index(tensions[one]) for one in words.dismissed if 0 <= one < len(tensions)]
    scene = request.scene
    shown = better_answers(words, scene.exchanges, material(scene.deck, scene.segments))
    unshown = sum(one.exchange not in shown for one in words.better)
    refused = (*words.refused, *([(UNSHOWN, unshown)] if unshown else []))
    words = replace(words, dismissed=tuple(places), refused=refused)
    rehearsal.store.note(DebriefAnswered(words), by=MODERATOR)
