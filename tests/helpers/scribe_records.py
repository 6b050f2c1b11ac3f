"""Ledger records as a rehearsal makes them, in memory; for tests of what is folded from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from orchestrator.core.store.ledger import Record, Value, held
from orchestrator.core.table import TRANSCRIPT
from orchestrator.material.values import Segment
from orchestrator.panel.model.exchange import Judgement
from orchestrator.panel.records.exchanges import ExchangeClosed, ExchangeOpened, VerdictGiven
from orchestrator.panel.records.memory import GoalsKept, Kept, KeptKind
from orchestrator.panel.records.setup import Options
from orchestrator.panel.records.speech import AnswerGiven, SlideShown, SpeechHeard
from orchestrator.panel.records.start import DeckName, SessionStarted
from tests.helpers.exchanges import exchange

AT = "2026-11-22T08:00:00.000000Z"
HISTORY = "shared/exchange-history.md"


def started(presenter: str = "Ines", title: str = "Harbour ferries", **changed: Any) -> SessionStarted:
    """The value of a first record; *changed*: of the options, and the date."""
    date = changed.pop("date", None)
    plain: dict[str, Any] = {
        "id": "s1",
        "presenter": presenter,
        "panel": ("skeptic", "analyst"),
        "engine": "offline",
        "layout": "1",
        "mode": "breaks",
        "intensity": "medium",
        "minutes": 20,
        "exchanges": 6,
        **changed,
    }
    return SessionStarted(
        ledger_version=1,
        panel=plain["panel"],
        frames_version=1,
        layouts_version=1,
        greenroom="0.1.0",
        id=plain["id"],
        deck=DeckName("deck.md", title, "md", "0" * 64),
        presenter=presenter,
        date=date,
        options=Options(**plain),
        templates={},
        max_revisions=5,
        budget_tokens=100_000,
    )


@dataclass
class Tape:
    """Records one after the other; each method adds one and gives its number."""

    records: list[Record] = field(default_factory=list)

    def add(self, value: Value | None, *, by: str = "moderator", **more: Any) -> int:
        seq = len(self.records) + 1
        op = more.pop("op", "append" if "file" in more else "note")
        self.records.append(Record(seq, op, by, float(seq), AT, held=held(value), **more))
        return seq

    def opened(self, title: str = "Harbour ferries", **options: Any) -> int:
        return self.add(started(title=title, **options), op="open", by="start")

    def say(self, text: str, speaker: str | None = "Ines") -> int:
        said = Segment(text, 1.0, 2.0, speaker, 1, confidence=0.9)
        return self.add(SpeechHeard(said), by="transcript", file=TRANSCRIPT, text=text)

    def answer(self, text: str, exchange: str) -> int:
        value = AnswerGiven(exchange, 1, Segment(text, 1.0, 2.0, "Ines"))
        return self.add(value, by="transcript", file=TRANSCRIPT, text=text)

    def remember(self, kind: KeptKind, text: str, seq: int, speaker: str | None = "Ines") -> int:
        """A goal, decision or blocker that a model read in the record *seq*."""
        return self.add(GoalsKept(1, (Kept(kind, text, text, seq, speaker),)), by="summariser")

    def slide(self, number: int) -> int:
        value = SlideShown(number, 1.0, estimated=False, ends_section=False)
        return self.add(value, by="transcript", file=TRANSCRIPT, text="")

    def ask(self, id: str, question: str, quote: str | None = None, agent: str = "skeptic") -> int:
        return self.add(ExchangeOpened(exchange(id, agent, question, quote=quote)))

    def judge(self, exchange: str, verdict: str, reason: str, agent: str = "skeptic") -> int:
        return self.add(VerdictGiven(exchange, Judgement(verdict, reason)), by=agent)

    def close(
        self,
        id: str,
        outcome: str,
        question: str,
        quote: str | None = None,
        agent: str = "skeptic",
        comes_back_to: str | None = None,
    ) -> int:
        more = {"quote": quote, "outcome": outcome, "comes_back_to": comes_back_to}
        return self.add(ExchangeClosed(exchange(id, agent, question, **more)), file=HISTORY, text="")
