"""An agent's context, now or at an earlier time, and its receipt."""

from __future__ import annotations

from typing import Any, Literal

from orchestrator.core.context.assemble import Context
from orchestrator.core.errors import UsageError
from orchestrator.core.legible import one_line
from orchestrator.rehearsal.session import Session

Form = Literal["text", "messages", "receipt"]


def check_seat(session: Session, agent: str) -> None:
    """Refuse an agent without a seat; people know a panelist by name, and a command by id.

    Raises:
        UsageError: It has none; the message says who sits here.
    """
    agents = session.rehearsal.store.layout.agents
    if agent not in agents:
        personas = {one: seat.persona for one, seat in session.rehearsal.seats.items()}
        told = [
            f"{one} ({one_line(f'{personas[one].name}, {personas[one].title}')})" if one in personas else one
            for one in agents
        ]
        raise UsageError(f"{agent!r} has no seat in this session: its agents are {'; '.join(told)}")


def context_then(session: Session, at: str, agent: str) -> Context:
    """Return the earlier context of *agent*, by a receipt's id or a record's number.

    Raises:
        ReceiptError: There is no such receipt or record, or a file is not what the receipt says.
    """
    return session.context_at(int(at) if at.isdecimal() else at, agent)


def messages_json(session: Session, found: Context, layout: str | None) -> dict[str, Any]:
    """Return `system` and `messages` in *layout*, else as sent, else as the session is set."""
    return found.messages(layout or found.receipt.layout or session.rehearsal.options.layout)


def receipt_json(found: Context, *, is_recorded: bool) -> dict[str, Any]:
    """Return the receipt; its id is null if it is neither in the ledger nor about to be."""
    return {
        "receipt": found.receipt.id if is_recorded else None,
        "agent": found.agent,
        "seq": found.seq,
        "sha256": found.sha256,
        "bytes": len(found.text.encode()),
        "left_out": found.receipt.left_out,
        "files": [
            {
                "index": block.index,
                "path": block.path,
                "mutability": block.mutability,
                "bytes": block.size_bytes,
                "sha256": block.sha256,
            }
            for block in found.blocks
        ],
    }
