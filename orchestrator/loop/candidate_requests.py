"""The request for a panelist's candidate question, and what its choice of one rests on.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.context.receipt import Receipt
from orchestrator.engines.protocol import CandidateRequest, Scene
from orchestrator.loop.calling_on import brought_candidate
from orchestrator.loop.digests import digest
from orchestrator.loop.open_contradictions import whose
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.loop.staleness import was_asked, why_stale
from orchestrator.model.brought import PRESENTER
from orchestrator.model.exchange import Candidate, Exchange


def request_of(rehearsal: Rehearsal, agent: str, occasion: str, scene: Scene) -> CandidateRequest:
    """All that *agent* is told beside its files."""
    projection, options = rehearsal.projection, rehearsal.options
    current = _current(rehearsal, agent)
    standing = _standing(rehearsal, agent, current)
    quoted = _quotes(projection.asked) | _quotes(standing)
    questions = [turn.question for exchange in projection.asked for turn in exchange.turns]
    left_s = options.minutes * 60 - sum(projection.times(scene.clock_s))
    return CandidateRequest(
        rehearsal.seats[agent],
        scene,
        targets=projection.targets.get(agent, ()),
        taken=projection.asked_claims,
        standing=tuple(rehearsal.on_record(standing, lambda one: (one.question, one.quote or ""))),
        asked=tuple(rehearsal.on_record(questions, lambda text: (text,))),
        taken_lines=frozenset(rehearsal.on_record(sorted(quoted), lambda text: (text,))),
        occasion=occasion,
        exchanges_left=max(0, options.exchanges - projection.opened),
        minutes_left=round(max(0.0, left_s) / 60, 1),
        may_look_ahead=projection.is_played_out or projection.slide is None,
        current=current,
        whose=tuple(whose(projection, options.panel, scene.tensions)),
    )


def candidate_path(agent: str) -> str:
    """The file in which an agent's candidate question stands."""
    return f"{agent}/candidate-question.md"


def made_from(receipt: Receipt) -> Iterator[str]:
    """Digests of the files that a candidate question is made from: all but the one that it stands in."""
    own = candidate_path(receipt.agent)
    return (sha256 for path, _, sha256 in receipt.files if path != own)


def _standing(rehearsal: Rehearsal, agent: str, current: Candidate | None) -> list[Candidate]:
    """What the presenter brought, and the others' questions that may be asked.

    Of two on one line the panelist seated first keeps its own.

    Both are asked at once: if each saw the other's, each would give way, and nobody would ask.
    """
    state, place = rehearsal.state(), rehearsal.options.panel.index
    ready = [one.candidate for one in state.projection.waiting.values() if why_stale(state, one) is None]
    own = _quotes([current] if current is not None else [])
    brought = [brought_candidate(PRESENTER, *each) for each in state.projection.still_brought]
    return brought + [
        one
        for one in ready
        if one.agent != agent and (place(one.agent) < place(agent) or _quotes([one]).isdisjoint(own))
    ]


def _quotes(questions: Sequence[Candidate | Exchange]) -> frozenset[str]:
    """The lines that questions are about."""
    first = [one.quote for one in questions if one.quote is not None and not one.is_missing]
    return frozenset([*first, *(one.beside.quote for one in questions if one.beside is not None)])


def _current(rehearsal: Rehearsal, agent: str) -> Candidate | None:
    """The panelist's own question that was not put yet."""
    last = rehearsal.projection.waiting.get(agent)
    if last is None or last.status == "empty" or was_asked(rehearsal.projection, last.candidate):
        return None
    projection = rehearsal.projection
    if projection.puts_dismissed(last.candidate) or projection.quotes_misheard(last.candidate):
        return None
    own = rehearsal.on_record([last.candidate], lambda one: (one.question, one.quote or ""))
    return own[0] if own else None


def bearing(rehearsal: Rehearsal, agent: str) -> str:
    """The digest of what a panelist's choice of a question rests on: words, slides, its contradictions.

    An exchange that got no answer is none of it: what was asked there stood among the others' questions.
    """
    projection, tensions = rehearsal.projection, rehearsal.scene().tensions
    seats = zip(tensions, whose(projection, rehearsal.options.panel, tensions), strict=True)
    to_ask = [(one.note, one.sides) for one, seat in seats if seat == agent]
    current = _current(rehearsal, agent)
    own = _quotes([current] if current is not None else [])
    standing = _standing(rehearsal, agent, current)
    gives_way_to = [one.question for one in standing if not _quotes([one]).isdisjoint(own)]
    values = (
        len(projection.segments),
        projection.unsaid,
        len(projection.slides),
        projection.is_played_out,
        projection.intel_sha256,
        to_ask,
    )
    return digest([repr(values), repr(gives_way_to)])
