"""The facts as they stand, what is still to be read, and the runs: a fold over the ledger's records.

A run leaves two records. `fact-run` claims a window: everything behind the last window that was
read, up to a record. `facts` holds what was found in it, and only then has the window been read.
So a run that was killed between them is made up by the next one, and a `facts` record counts only
for the run that was claimed last: no window is read into the files twice, and none is lost.

Values, by `type`:

========  ======================================================================================
fact-run  note, state "began": run, from_seq, to_seq, why; state "failed": run, reason
facts     note: run, to_seq, the facts, how many were known already, how many were refused
========  ======================================================================================

None of them holds a time: when a fact was said and kept is told by the records' own.

What was marked sensitive, and what quotes it, is never waiting, so nobody is asked about it;
addresses and numbers of people are masked in what is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from orchestrator.ledger import Record
from orchestrator.memory.facts import ANSWER, EXCHANGE, SPEECH, Fact, Passage, key_of
from orchestrator.memory.sensitive import Withheld, is_clean, masked
from orchestrator.render import one_line

TRANSCRIPT: Final = "shared/presenter-transcript.md"
WRITER: Final = "summariser"
MOST_WINDOW_CHARS: Final = 60_000
"""What one engine call reads: over an hour of speech (150 words a minute, 6 characters a word)."""
_MOVES_ON: Final = frozenset({"slide", "exchange_opened", "exchange_closed"})
"""Behind these nobody is off the record any more; the Scribe has the same."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A window that a run has taken."""

    run: int
    from_seq: int  # the first record of the window
    to_seq: int  # the last
    passages: tuple[Passage, ...] = ()


@dataclass(slots=True)
class FactLog:
    """The fold itself; `take` is given every record once, in order."""

    facts: list[Fact] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)  # `key_of` every fact's content
    waiting: dict[int, Passage] = field(default_factory=dict)  # behind the last window that was read
    read_seq: int = 0  # the last window that was read ends here
    run: int = 0  # runs that were claimed
    open: Claim | None = None  # claimed, and neither read nor failed
    ran_at_s: float = 0.0  # session clock of the last claim
    exchanges: int = 0  # closed since the last claim
    failed: str | None = None  # why the last run came to nothing
    date: str | None = None  # of the rehearsal, where one was given
    _withheld: Withheld = field(default_factory=Withheld)

    def take(self, record: Record) -> None:
        """Fold in the next record."""
        value = record.value or {}
        match value.get("type"):
            case "session":
                self.date = value.get("date")
            case "fact-run":
                self._run(value, record)
            case "facts":
                self._facts(value, record)
            case kind:
                if kind in _MOVES_ON:
                    self._withheld.over()
                passage = passage_of(record, self.date)
                if passage is not None:
                    self._wait(passage, value)

    def stays(self, text: str) -> bool:
        """Whether *text* holds, or quotes, what is to stay in the session's transcript."""
        return not is_clean(text) or self._withheld.touches(text)

    def _wait(self, passage: Passage, value: Mapping[str, Any]) -> None:
        is_exchange = passage.kind == EXCHANGE
        if not self._withheld.takes(passage.text, value, is_speech=not is_exchange):
            self.waiting[passage.seq] = replace(passage, text=masked(passage.text))
        if is_exchange:
            self._closed(passage)

    def window(self, upto: int) -> Claim | None:
        """The next window, up to record *upto* or what one call can read; None: nothing is waiting."""
        taken: list[Passage] = []
        chars = 0
        for seq, passage in self.waiting.items():
            if seq > upto:
                break
            chars += len(passage.text)
            if taken and chars > MOST_WINDOW_CHARS:
                upto = taken[-1].seq
                break
            taken.append(passage)
        return Claim(self.run + 1, self.read_seq + 1, upto, tuple(taken)) if taken else None

    def _run(self, value: Mapping[str, Any], record: Record) -> None:
        if value["state"] == "failed":
            if self.open is not None and value["run"] == self.open.run:
                self.open, self.failed = None, value["reason"]
            return
        self.run = value["run"]
        self.open = Claim(self.run, value["from_seq"], value["to_seq"])
        self.ran_at_s, self.exchanges, self.failed = record.clock_s, 0, None

    def _facts(self, value: Mapping[str, Any], record: Record) -> None:
        if self.open is None or value["run"] != self.open.run:
            return  # of a run that was taken over
        for plain in value["facts"]:
            passage = self.waiting.get(plain["source"])
            if passage is not None and not self.stays(f"{plain['content']}\n{plain['quote']}"):
                self.facts.append(self._fact(plain, passage, record))
                self.keys.add(key_of(plain["content"]))
        self.read_seq, self.open = value["to_seq"], None
        for seq in [seq for seq in self.waiting if seq <= self.read_seq]:
            del self.waiting[seq]

    def _fact(self, plain: Mapping[str, Any], passage: Passage, record: Record) -> Fact:
        return Fact(
            id=f"f{len(self.facts) + 1}",
            type=plain["type"],
            content=plain["content"],
            confidence=plain["confidence"],
            source_date=passage.day,
            extracted_at=record.at,
            source=passage.seq,
            quote=plain["quote"],
            speaker=passage.speaker,
            said_at_s=passage.said_at_s,
            slide=passage.slide,
            exchange=passage.exchange,
        )

    def _closed(self, exchange: Passage) -> None:
        """A parked question that was put again and answered is an open thread no more."""
        self.exchanges += 1
        if exchange.comes_back_to is None or exchange.outcome != "satisfied":
            return
        for index, fact in enumerate(self.facts):
            if fact.type == "open_thread" and fact.exchange == exchange.comes_back_to:
                self.facts[index] = replace(fact, settled_by=exchange.exchange)


def passage_of(record: Record, date: str | None = None) -> Passage | None:
    """What a record says that facts may be taken from; None: nothing.

    Args:
        date: The rehearsal's, where one was given; else the day on which the record was written.
    """
    value = record.value or {}
    day = date or record.at[:10]
    kind = value.get("type")
    if kind == "exchange_closed":
        return _exchange(value["exchange"], record.seq, day)
    if record.op != "append" or record.file != TRANSCRIPT:
        return None
    if record.value is None:  # text of another program, without a value
        text = one_line(record.text or "")
        return Passage(record.seq, SPEECH, text, day, said_at_s=record.clock_s) if text else None
    if kind not in ("segment", "answer"):
        return None
    said = value["segment"]
    return Passage(
        record.seq,
        SPEECH if kind == "segment" else ANSWER,
        one_line(said["text"]),
        day,
        speaker=said.get("speaker"),
        said_at_s=said.get("start_s"),
        slide=said.get("slide"),
        exchange=value.get("exchange"),
        heard=said.get("confidence"),
    )


def _exchange(plain: Mapping[str, Any], seq: int, day: str) -> Passage:
    questions = [
        one_line(turn["question"].removeprefix(turn.get("lead_in", ""))) for turn in plain.get("turns", ())
    ]
    return Passage(
        seq,
        EXCHANGE,
        "\n".join(questions),
        day,
        speaker=plain.get("agent"),
        said_at_s=plain.get("asked_at_s"),
        slide=plain.get("slide"),
        exchange=plain.get("id"),
        outcome=plain.get("outcome"),
        comes_back_to=plain.get("comes_back_to"),
    )
