"""Who asked and who judged: the model, or the offline panel that stands in for it.

Read from the ledger: what the model made has a `call` record of its own before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orchestrator.engines.by_name import MODELS
from orchestrator.model.exchange import PUT_AGAIN

if TYPE_CHECKING:
    from orchestrator.loop.rehearsal import Rehearsal


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
    if rehearsal.options.engine not in MODELS:
        return None
    store, count = rehearsal.store, _Count()
    for entry in store.entries():
        if entry.op != "receipt":
            record = store.record(entry.seq)
            count.take(record.by, record.value or {})
    return Shares(sum(count.asked.values()), len(count.asked), sum(count.judged), len(count.judged))


@dataclass(slots=True)
class _Count:
    called: set[tuple[str, str]] = field(default_factory=set)  # task and agent, until it is made use of
    waiting: set[str] = field(default_factory=set)  # whose waiting question is a model's
    asked: dict[str, bool] = field(default_factory=dict)  # by exchange: whether a model's
    judged: list[bool] = field(default_factory=list)

    def take(self, by: str, value: Mapping[str, Any]) -> None:
        kind = value.get("type")
        if kind == "call":
            self.called.add((value["kind"], value["agent"]))
        elif kind == "refresh":
            for agent in value["made"]:
                self._made(agent)
            # A call counts for the refresh that it was made for; one that came too late counts for none.
            for agent in (*value["inputs"], *value.get("failed", ())):
                self.called.discard(("candidate_question", agent))
        elif kind == "refreshed":
            if value.get("made"):
                self._made(value["agent"])
            self.called.discard(("candidate_question", value["agent"]))
        elif kind == "exchange_opened":
            self._opened(value["exchange"])
        elif kind == "verdict":
            if value["judgement"]["verdict"] != "unjudged":
                self.judged.append(("judgement", by) in self.called)
            self.called.discard(("judgement", by))

    def _made(self, agent: str) -> None:
        if ("candidate_question", agent) in self.called:
            self.waiting.add(agent)
        else:
            self.waiting.discard(agent)

    def _opened(self, exchange: Mapping[str, Any]) -> None:
        before = exchange.get("comes_back_to")
        if exchange["why_this_agent"] == PUT_AGAIN:  # of a drill: no stand-in made it
            self.asked[exchange["id"]] = True
            return
        self.asked[exchange["id"]] = (
            self.asked.get(before, False) if before else exchange["agent"] in self.waiting
        )
