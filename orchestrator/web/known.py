"""What a panelist knew when it asked: the files of that receipt, and what in them was new to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.core.context.assemble import Context
from orchestrator.core.context.frames import CARRIED_FOOTER, CARRIED_HEADER, unescape
from orchestrator.core.context.receipt import Receipt
from orchestrator.core.errors import UsageError
from orchestrator.core.table import Mutability
from orchestrator.panel.debrief.shares import is_of_bank
from orchestrator.panel.loop.candidate_requests import made_from
from orchestrator.panel.loop.digests import digest, is_same_digest
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.records.candidates import CandidateWritten
from orchestrator.panel.records.exchanges import ExchangeOpened
from orchestrator.panel.records.kinds import value_of
from orchestrator.rehearsal.session import Session


@dataclass(frozen=True, slots=True)
class KnownFile:
    """One file as the panelist was given it."""

    index: int
    path: str
    mutability: str
    size_bytes: int
    sha256: str
    before: str  # what it had read already
    new: str  # what had come since its receipt before; all of a file that was rewritten
    is_new: bool
    is_private: bool  # nobody else on the panel is given it


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that one panelist was given for one question."""

    exchange: Exchange
    name: str
    color: str
    is_of_bank: bool  # the offline panel asked it: nobody has read the files for it
    receipt: Receipt | None  # None: it was not asked for this question; then as of the record before it
    seq: int
    at_s: float  # session clock
    asked_seq: int
    sha256: str
    size_bytes: int
    files: tuple[KnownFile, ...]
    carried: str  # from earlier sessions; "": nothing
    before: Receipt | None  # its receipt before


def knowledge(session: Session, exchange_id: str) -> Knowledge:
    """What the panelist knew when it asked this question, rebuilt and compared with its receipt.

    Raises:
        UsageError: There is no such exchange.
        ReceiptError: A file is not what the receipt says.
    """
    rehearsal = session.rehearsal
    exchange = next((one for one in session.projection.asked if one.id == exchange_id), None)
    if exchange is None:
        raise UsageError(f"there is no question {exchange_id!r} in {session.id}", value=exchange_id)
    asked_seq, made_from = _asked(session, exchange)
    own = [one for one in session.receipts() if one.agent == exchange.agent and one.seq < asked_seq]
    receipt = next((one for one in reversed(own) if is_same_digest(_inputs(one), made_from)), None)
    if receipt is not None:
        context = session.context_at(receipt)
    else:
        context = session.context_at(asked_seq - 1, exchange.agent)
    earlier = [one for one in own if one.seq < context.seq and one != receipt]
    before = earlier[-1] if earlier else None
    persona = rehearsal.seats[exchange.agent].persona
    text = context.text
    return Knowledge(
        exchange=exchange,
        name=persona.name,
        color=persona.color,
        is_of_bank=is_of_bank(rehearsal, exchange.id),
        receipt=receipt,
        seq=context.seq,
        at_s=rehearsal.store.record(context.seq).clock_s,
        asked_seq=asked_seq,
        sha256=context.sha256,
        size_bytes=len(text.encode()),
        files=_files(context, before),
        carried=unescape(context.carried.removeprefix(CARRIED_HEADER).removesuffix(CARRIED_FOOTER)),
        before=before,
    )


def _asked(session: Session, exchange: Exchange) -> tuple[int, str | None]:
    """The record that opened the exchange, and the digest of the files that its question was made from.

    None: the question is not the panelist's own candidate: somebody put it for it, or it came back.
    """
    store = session.rehearsal.store
    made_from: str | None = None
    for entry in store.entries():
        if entry.op not in ("note", "replace"):
            continue
        record = store.record(entry.seq)
        match value_of(record):
            case CandidateWritten(waiting) if record.by == exchange.agent:
                is_it = waiting.candidate.question in exchange.turns[0].question and waiting.status == "ready"
                made_from = waiting.input_sha256 if is_it and exchange.brought is None else None
            case ExchangeOpened(opened) if opened.id == exchange.id:
                return entry.seq, made_from
    raise UsageError(f"no record opens {exchange.id}", value=exchange.id)


def _inputs(receipt: Receipt) -> str:
    """As a candidate's record names what it was made from (`loop.refreshing`)."""
    return digest(made_from(receipt))


def _files(context: Context, before: Receipt | None) -> tuple[KnownFile, ...]:
    known = {path: (size, sha256) for path, size, sha256 in before.files} if before is not None else {}
    return tuple(
        KnownFile(
            index=block.index,
            path=block.path,
            mutability=block.mutability,
            size_bytes=block.size_bytes,
            sha256=block.sha256,
            before=parts[0],
            new=parts[1],
            is_new=known.get(block.path, (0, ""))[1] != block.sha256,
            is_private=block.path.startswith((f"{context.agent}/", f"templates/{context.agent}/")),
        )
        for block in context.blocks
        for parts in [_split(unescape(block.inner), block.mutability, known.get(block.path), block.sha256)]
    )


def _split(text: str, mutability: str, known: tuple[int, str] | None, sha256: str) -> Sequence[str]:
    """What of a file's text was there at the receipt before, and what is new."""
    if known is None:
        return "", text
    if known[1] == sha256:
        return text, ""
    if mutability != Mutability.APPEND_ONLY:
        return "", text
    raw = text.encode()
    return raw[: known[0]].decode(errors="ignore"), raw[known[0] :].decode(errors="ignore")
