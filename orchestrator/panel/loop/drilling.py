"""A drill: one question of an earlier session, put again in a session of its own.

Only the question comes along, where it was put before, and how it went, which the debrief alone shows. What
the panel may press, remember or compare is that session's own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from orchestrator.core.errors import InputError
from orchestrator.material.model.claim import Place
from orchestrator.panel.loop.asking import open_exchange
from orchestrator.panel.loop.calling_on import Choice
from orchestrator.panel.loop.plan import Source
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.transcript import move_to
from orchestrator.panel.model.drill import Drilled
from orchestrator.panel.model.exchange import PUT_AGAIN, Candidate, Exchange
from orchestrator.panel.records.options import UNNAMED, Options
from orchestrator.panel.records.projection import Projection
from orchestrator.panel.records.turns import bare_first

MINUTES: Final = 5
"""An adversarial panelist asks up to four times (orchestration.md): a minute for each answer. Fewer would
warn of the time during a full answer; with more, the share that was used would say nothing."""


def earlier_question(projection: Projection, exchange: str) -> Exchange:
    """The exchange with this id.

    Raises:
        InputError: There is none; the message names those there are.
    """
    for one in projection.asked:
        if one.id == exchange:
            return one
    there = ", ".join(one.id for one in projection.asked)
    raise InputError(
        f"there is no question {exchange[:40]!r}: " + (f"there are {there}" if there else "none was asked"),
        value=exchange[:40],
    )


def source_of(rehearsal: Rehearsal) -> Source:
    """The session's deck as it was read, with its file where that was kept: nothing is read anew."""
    deck = rehearsal.scene().deck
    kept = rehearsal.store.root / "source"
    return Source(deck, next(iter(sorted(kept.glob(f"{deck.sha256}.*"))), None))


def source_of_drill(rehearsal: Rehearsal, earlier: Exchange) -> Source:
    """The same, with the question that is put again: the new session's first record names it.

    How it went is kept there for the debrief alone, to stand beside the answer of now.
    """
    drilled = Drilled(rehearsal.options.id, earlier.id, rehearsal.exchange_on_record(earlier))
    return replace(source_of(rehearsal), drilled=drilled)


def options_of_drill(options: Options) -> dict[str, Any]:
    """What a drill begins with: as its session did, with one exchange.

    It is not remembered: what a panel remembers of a presenter should come from whole rehearsals.
    """
    return {
        "presenter": None if options.presenter == UNNAMED else options.presenter,
        "panel": options.panel,
        "date": options.date,
        "layout": options.layout,
        "mode": options.mode,
        "intensity": options.intensity,
        "kind": options.kind,
        "keep_source": options.keep_source,
        "minutes": MINUTES,
        "exchanges": 1,
        "remember": False,  # said, not left to the default, so that nobody's own default changes it
    }


def put_again(rehearsal: Rehearsal, earlier: Exchange) -> Exchange:
    """Put the question of an earlier session on the same deck, to be judged by the same measure.

    Its words on slides stand above it as before. Words that were said stand in no speech here, so they
    are said with the question.
    """
    on_deck, said = _places(earlier)
    question = bare_first(earlier)
    before = [f"You said “{one.quote}”." for one in said if one.quote not in question]
    first, beside = (*on_deck, None, None)[:2]
    claims = rehearsal.projection.claims_by_id
    candidate = Candidate(
        agent=earlier.agent,
        question=" ".join([*before, question]),
        claim=earlier.claim if first is not None and earlier.claim in claims else None,
        slide=None if first is None else first.slide,
        said_at_s=None,
        quote=None if first is None else first.quote,
        grounded=first is not None,
        needs=earlier.turns[0].needs,
        relevance=0.0,
        lead_in="",
        angle=earlier.angle or PUT_AGAIN,
        beside=beside,
        good_answer=earlier.good_answer,
        is_missing=earlier.is_missing and first is not None,
        under="" if first is None else first.under,
    )
    if first is not None and first.slide is not None:
        move_to(rehearsal, first.slide)  # what the room shows is what the question is about
    return open_exchange(rehearsal, Choice(earlier.agent, candidate, PUT_AGAIN))


def _places(earlier: Exchange) -> tuple[list[Place], list[Place]]:
    """The words that the question is about: those on slides, and those that were said."""
    if earlier.quote is None:
        return [], []
    own = Place(earlier.slide, earlier.said_at_s, earlier.quote, earlier.under)
    both = [own, *([earlier.beside] if earlier.beside is not None else [])]
    on_deck = [one for one in both if one.said_at_s is None]
    return on_deck, [one for one in both if one.said_at_s is not None]
