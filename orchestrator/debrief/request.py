"""The one question at the end: all that the debrief says and that no count gives.

The reply is a record, so the debrief can be made again from the ledger; a failure is one too.
"""

from __future__ import annotations

from dataclasses import replace

from orchestrator.checks.grounding import material
from orchestrator.debrief.rubric import CHECKS
from orchestrator.debrief.verified import better_answers
from orchestrator.engines.protocol import DebriefRequest
from orchestrator.errors import EngineError
from orchestrator.layout import MODERATOR
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.records.moderator import DebriefAnswered

UNSHOWN = "unshown"
"""Among the reasons of `DebriefWords.refused`: a stronger answer that the page would not show."""


def ask_for_debrief(rehearsal: Rehearsal) -> None:
    """Ask the engine, in the moderator's seat, and wait; once in a session, after its last exchange.

    `dismissed` in the record counts the contradictions as the projection has them.
    """
    projection = rehearsal.projection
    tensions = tuple(rehearsal.on_record(projection.tensions, lambda one: [side.quote for side in one.sides]))
    never_asked = rehearsal.on_record(projection.never_asked, lambda one: (one.question, one.quote or ""))
    request = DebriefRequest(
        rehearsal.seats[MODERATOR], rehearsal.scene(), tensions, tuple(never_asked), tuple(CHECKS)
    )
    context = rehearsal.context(MODERATOR, purpose="debrief", request=request)
    try:
        words = rehearsal.engine.reply(request, context)
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
