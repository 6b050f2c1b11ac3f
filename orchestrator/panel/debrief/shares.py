"""Who asked and who judged: the model, or the offline panel that stands in for it.

Read from the ledger: what the model made has a `call` record of its own before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from orchestrator.material.model.brought import PANEL
from orchestrator.panel.config.engine_names import has_stand_in, is_bank
from orchestrator.panel.model.exchange import PUT_AGAIN, Exchange, each_once
from orchestrator.panel.records.candidates import CallTaken, RoundMade
from orchestrator.panel.records.exchanges import ExchangeOpened, VerdictGiven
from orchestrator.panel.records.kinds import value_of
from orchestrator.panel.records.moderator import Called

if TYPE_CHECKING:
    from orchestrator.panel.loop.rehearsal import Rehearsal


@dataclass(frozen=True, slots=True)
class Shares:
    """How many of the questions and of the judged answers are a model's."""

    asked: int
    questions: int
    judged: int
    answers: int  # that were judged, by whomever

    @property
    def is_whole(self) -> bool:
        """Whether the model did it all."""
        return self.asked == self.questions and self.judged == self.answers


def shares_of(rehearsal: Rehearsal) -> Shares | None:
    """The model's shares of a session; None: its engine has no stand-in."""
    if not has_stand_in(rehearsal.options.engine):
        return None
    count = _counted(rehearsal)
    asked = [count.asked[one.id] for one in each_once(rehearsal.projection.asked) if one.id in count.asked]
    return Shares(sum(asked), len(asked), sum(count.judged), len(count.judged))


def is_of_bank(rehearsal: Rehearsal, exchange: str) -> bool:
    """Whether the offline panel asked this question: no model has read anything for it."""
    if not has_stand_in(rehearsal.options.engine):
        return is_bank(rehearsal.options.engine)
    return not _counted(rehearsal).asked.get(exchange, True)


def _counted(rehearsal: Rehearsal) -> _Count:
    store, count = rehearsal.store, _Count()
    withdrawn = rehearsal.projection.withdrawn_records
    for entry in store.entries():
        if entry.op != "receipt" and entry.seq not in withdrawn:
            record = store.record(entry.seq)
            count.take(record.by, value_of(record))
    return count


@dataclass(slots=True)
class _Count:
    called: set[tuple[str, str]] = field(default_factory=set)  # task and agent, until it is made use of
    waiting: set[str] = field(default_factory=set)  # whose waiting question is a model's
    asked: dict[str, bool] = field(default_factory=dict)  # by exchange: whether a model's
    judged: list[bool] = field(default_factory=list)

    def take(self, by: str, value: object) -> None:
        match value:
            case Called(usage):
                self.called.add((usage.kind, usage.agent))
            case RoundMade(made=made, inputs=inputs, failed=failed):
                for agent in made:
                    self._made(agent)
                # A call counts for the refresh that it was made for; one that came too late counts for none.
                for agent in (*inputs, *(failed or ())):
                    self.called.discard(("candidate_question", agent))
            case CallTaken(agent, made=made):
                if made:
                    self._made(agent)
                self.called.discard(("candidate_question", agent))
            case ExchangeOpened(exchange):
                self._opened(exchange)
            case VerdictGiven(judgement=judgement):
                if judgement.verdict != "unjudged":
                    self.judged.append(("judgement", by) in self.called)
                self.called.discard(("judgement", by))

    def _made(self, agent: str) -> None:
        if ("candidate_question", agent) in self.called:
            self.waiting.add(agent)
        else:
            self.waiting.discard(agent)

    def _opened(self, exchange: Exchange) -> None:
        before = exchange.comes_back_to
        if exchange.written_by != PANEL:  # neither asked it of its own
            return
        if exchange.why_this_agent == PUT_AGAIN:  # of a drill: no stand-in made it
            self.asked[exchange.id] = True
            return
        self.asked[exchange.id] = self.asked.get(before, False) if before else exchange.agent in self.waiting
