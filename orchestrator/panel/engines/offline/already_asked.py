"""Questions that cannot be asked any more: put already, standing with another, or on a line that is taken."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.material.model.claim import Tension
from orchestrator.panel.engines.offline.askable import Option
from orchestrator.panel.engines.offline.wording import entry_of
from orchestrator.panel.engines.protocol import CandidateRequest
from orchestrator.panel.model.exchange import Candidate, Exchange


@dataclass(frozen=True, slots=True)
class Asked:
    """Topics, whole questions, lines and claims."""

    topics: frozenset[str]
    questions: frozenset[str]
    quotes: frozenset[str]
    claims: frozenset[str]

    def has(self, option: Option) -> bool:
        """Whether this option was asked in substance."""
        line = option.line
        return (
            option.entry.topic in self.topics
            or option.question in self.questions
            or (line is not None and (line.text in self.quotes or line.claim in self.claims))
        )

    def has_put(self, tension: Tension) -> bool:
        """Whether both places of the contradiction were quoted."""
        return tension.a.quote in self.quotes and tension.b.quote in self.quotes


def asked_of(request: CandidateRequest) -> Asked:
    """The questions asked so far, and those that the others mean to ask."""
    exchanges, agent = request.scene.exchanges, request.seat.persona.id
    standing = [one for one in request.standing if one.agent != agent]
    first = (exchange.turns[0].question for exchange in exchanges if exchange.turns)
    questions = frozenset({*first, *request.asked, *(one.question for one in standing)})
    entries = (entry_of(question) for question in questions)
    put: list[Exchange | Candidate] = [*exchanges, *standing]
    quotes = {one.quote for one in put if one.quote is not None and not one.is_missing}
    return Asked(
        frozenset(entry.topic for entry in entries if entry is not None),
        questions,
        frozenset({*quotes, *(one.beside.quote for one in put if one.beside), *request.taken_lines}),
        request.taken | {one.claim for one in standing if one.claim is not None},
    )
