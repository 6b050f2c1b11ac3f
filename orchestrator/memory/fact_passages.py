"""What a ledger record says that facts may be taken from: speech, an answer, an exchange that closed.

A ledger may hold records of other programs. One that is not in the shape of its type is refused here,
before anything is made of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, TypeVar

from orchestrator.model.fact import ANSWER, EXCHANGE, SPEECH, Passage
from orchestrator.render import one_line
from orchestrator.store.ledger import Record

TRANSCRIPT: Final = "shared/presenter-transcript.md"
NUMBER: Final = (int, float)
Plain = Mapping[str, Any]
T = TypeVar("T")


def of_kind(plain: Plain, name: str, kind: type[T] | tuple[type[T], ...]) -> T:
    """What *plain* holds under *name*.

    Raises:
        KeyError, TypeError: Nothing, or something of another kind; true and false are no numbers.
        ValueError: Text that is no Unicode, or a number that is not finite.
    """
    found = plain[name]
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
        raise TypeError(f"{name} is of another kind")
    if isinstance(found, str):
        found.encode()
    elif isinstance(found, float) and not isfinite(found):
        raise ValueError(f"{name} is no number")
    return found


def maybe(plain: Plain, name: str, kind: type[T] | tuple[type[T], ...]) -> T | None:
    """The same; None where there is nothing."""
    return None if plain.get(name) is None else of_kind(plain, name, kind)


def passage_of(record: Record, date: str | None = None) -> Passage | None:
    """What a record says that facts may be taken from; None: nothing.

    Args:
        date: The rehearsal's, where one was given; else the day on which the record was written.

    Raises:
        LookupError, TypeError, ValueError, AttributeError: It is not in the shape of its type.
    """
    day = date or record.at[:10]
    value = record.value
    kind = value.get("type") if value is not None else None
    if value is not None and kind == "exchange_closed":
        return _exchange(value["exchange"], record.seq, day)
    if record.op != "append" or record.file != TRANSCRIPT:
        return None
    if value is None:  # text of another program, without a value
        text = one_line(record.text or "")
        return Passage(record.seq, SPEECH, text, day, said_at_s=record.clock_s) if text else None
    if kind not in ("segment", "answer"):
        return None
    said = value["segment"]
    return Passage(
        record.seq,
        SPEECH if kind == "segment" else ANSWER,
        one_line(of_kind(said, "text", str)),
        day,
        speaker=maybe(said, "speaker", str),
        said_at_s=maybe(said, "start_s", NUMBER),
        slide=maybe(said, "slide", int),
        exchange=maybe(value, "exchange", str),
        heard=maybe(said, "confidence", NUMBER),
    )


def _exchange(plain: Plain, seq: int, day: str) -> Passage:
    questions = [
        one_line(of_kind(turn, "question", str).removeprefix(maybe(turn, "lead_in", str) or ""))
        for turn in plain.get("turns", ())
    ]
    return Passage(
        seq,
        EXCHANGE,
        "\n".join(questions),
        day,
        speaker=maybe(plain, "agent", str),
        said_at_s=maybe(plain, "asked_at_s", NUMBER),
        slide=maybe(plain, "slide", int),
        exchange=maybe(plain, "id", str),
        outcome=maybe(plain, "outcome", str),
        comes_back_to=maybe(plain, "comes_back_to", str),
    )
