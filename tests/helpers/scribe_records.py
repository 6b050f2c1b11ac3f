"""Ledger records as a rehearsal makes them, in memory; for tests of what is folded from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestrator.layout import TRANSCRIPT
from orchestrator.store.ledger import Record
from orchestrator.store.value import held

AT = "2026-11-22T08:00:00.000000Z"
HISTORY = "shared/exchange-history.md"


@dataclass
class Tape:
    """Records one after the other; each method adds one and gives its number."""

    records: list[Record] = field(default_factory=list)

    def add(self, value: Mapping[str, Any] | None, *, by: str = "moderator", **more: Any) -> int:
        seq = len(self.records) + 1
        op = more.pop("op", "append" if "file" in more else "note")
        self.records.append(Record(seq, op, by, float(seq), AT, held=held(value), **more))
        return seq

    def opened(self, title: str = "Harbour ferries", **options: Any) -> int:
        value = {"type": "session", "presenter": "Ines", "deck": {"title": title}, "options": options}
        return self.add(value, op="open", by="start")

    def say(self, text: str, speaker: str | None = "Ines", **value: Any) -> int:
        said = {"text": text, "start_s": 1.0, "end_s": 2.0, "speaker": speaker, "slide": 1, "confidence": 0.9}
        plain = {"type": "segment", "segment": said, **value}
        return self.add(plain, by="transcript", file=TRANSCRIPT, text=text)

    def answer(self, text: str, exchange: str) -> int:
        said = {"text": text, "start_s": 1.0, "end_s": 2.0, "speaker": "Ines"}
        plain = {"type": "answer", "exchange": exchange, "segment": said}
        return self.add(plain, by="transcript", file=TRANSCRIPT, text=text)

    def remember(self, kind: str, text: str, seq: int, speaker: str | None = "Ines") -> int:
        """A goal, decision or blocker that a model read in the record *seq*."""
        item = {"kind": kind, "text": text, "quote": text, "seq": seq, "speaker": speaker}
        return self.add({"type": "remembered", "run": 1, "items": [item]}, by="summariser")

    def slide(self, number: int) -> int:
        plain = {"type": "slide", "slide": number, "at_s": 1.0}
        return self.add(plain, by="transcript", file=TRANSCRIPT, text="")

    def ask(self, exchange: str, question: str, quote: str | None = None, agent: str = "skeptic") -> int:
        plain = {"id": exchange, "agent": agent, "quote": quote, "turns": [{"question": question}]}
        return self.add({"type": "exchange_opened", "exchange": plain})

    def judge(self, exchange: str, verdict: str, reason: str, agent: str = "skeptic") -> int:
        judged = {"verdict": verdict, "reason": reason}
        return self.add({"type": "verdict", "exchange": exchange, "judgement": judged}, by=agent)

    def close(
        self,
        exchange: str,
        outcome: str,
        question: str,
        quote: str | None = None,
        agent: str = "skeptic",
        comes_back_to: str | None = None,
    ) -> int:
        plain = {"id": exchange, "agent": agent, "quote": quote, "turns": [{"question": question}]}
        more = {"comes_back_to": comes_back_to} if comes_back_to else {}
        value = {"type": "exchange_closed", "exchange": {**plain, **more, "outcome": outcome}}
        return self.add(value, file=HISTORY, text="")
