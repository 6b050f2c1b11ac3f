"""The request for a panelist's candidate question, and what its choice of one rests on.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.context.receipt import Receipt
from orchestrator.material.model.brought import PRESENTER
from orchestrator.panel.engines.protocol import CandidateRequest, Scene
from orchestrator.panel.loop.calling_on import brought_candidate
from orchestrator.panel.loop.digests import digest
from orchestrator.panel.loop.open_contradictions import whose
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.staleness import was_asked, why_spent
from orchestrator.panel.model.exchange import Candidate, Exchange


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
    place = rehearsal.options.panel.index
    own = _quotes([current] if current is not None else [])
    return [
        one
        for one in _others(rehearsal, agent)
        if one.brought is not None or place(one.agent) < place(agent) or _quotes([one]).isdisjoint(own)
    ]


def _others(rehearsal: Rehearsal, agent: str) -> list[Candidate]:
    """What the presenter brought, and the questions of the others that can be asked, or will be confirmed."""
    projection = rehearsal.projection
    brought = [brought_candidate(PRESENTER, *each) for each in projection.still_brought]
    waiting = [one for one in projection.waiting.values() if why_spent(projection, one) is None]
    return brought + [one.candidate for one in waiting if one.candidate.agent != agent]


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


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a panelist's choice of a question can rest on, as of one moment."""

    common: tuple[object, ...]  # for every question: news, corrections, its contradictions, the talk's end
    others: tuple[Candidate, ...]  # the questions of the others and the presenter that stand
    asked: tuple[Exchange, ...]
    said_on: Mapping[int | None, int]  # how many segments were said on each slide
    places: Mapping[str, int]  # of the seats
    agent: str

    def digest_for(self, question: Candidate | None) -> str:
        """The digest of what bears on *question*: it stands for as long as this stays the same.

        Beside what is common: another's question on its line, to which it would give way, and what was
        said on its slide, in the talk and in answers. On a question about no slide in particular every
        answer bears. An exchange that got none is nothing: what was asked there stood among the others'
        questions.
        """
        own = _quotes([question] if question is not None else [])
        gives_way_to = [
            one.question
            for one in self.others
            if not _quotes([one]).isdisjoint(own)
            and (one.agent not in self.places or self.places[one.agent] < self.places[self.agent])
        ]
        slides = _slides(question)
        answers = [
            (one.id, number, turn.answer)
            for one in self.asked
            if not slides or not slides.isdisjoint(_slides(one))
            for number, turn in enumerate(one.turns)
            if turn.answer
        ]
        said = [(slide, self.said_on.get(slide, 0)) for slide in sorted(slides)]
        return digest([repr(self.common), repr(gives_way_to), repr(answers), repr(said)])


def grounds_of(rehearsal: Rehearsal, agent: str) -> Grounds:
    """What *agent*'s choice can rest on now."""
    projection, tensions = rehearsal.projection, rehearsal.scene().tensions
    seats = zip(tensions, whose(projection, rehearsal.options.panel, tensions), strict=True)
    to_ask = [(one.note, one.sides) for one, seat in seats if seat == agent]
    common = (projection.unsaid, projection.is_played_out, projection.intel_sha256, to_ask)
    places = {seat: place for place, seat in enumerate(rehearsal.options.panel)}
    said_on = Counter(segment.slide for segment in projection.segments)
    others = tuple(_others(rehearsal, agent))
    return Grounds(common, others, tuple(projection.asked), said_on, places, agent)


def _slides(about: Candidate | Exchange | None) -> frozenset[int]:
    """The slides that a question is about; none where it is about the whole, or about words of no slide."""
    if about is None:
        return frozenset()
    numbers = (about.slide, about.beside.slide if about.beside is not None else None)
    return frozenset(number for number in numbers if number is not None)
