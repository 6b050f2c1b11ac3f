"""An agent's context, now or at an earlier time, and its receipt."""

from __future__ import annotations

from typing import Any, Literal

from orchestrator.core.context.assemble import Context
from orchestrator.core.errors import UsageError
from orchestrator.core.legible import one_line
from orchestrator.documents.opening import AnySession, is_rehearsal, store_of

Form = Literal["text", "messages", "receipt"]


def check_seat(session: AnySession, agent: str) -> None:
    """Refuse an agent that has no seat in the session.

    People know a panelist by name and commands by id, so the message gives both.

    Raises:
        UsageError: The agent has no seat; the message says who has one.
    """
    agents = store_of(session).layout.agents
    if agent not in agents:
        seats = session.rehearsal.seats if is_rehearsal(session) else {}
        personas = {one: seat.persona for one, seat in seats.items()}
        told = [
            f"{one} ({one_line(f'{personas[one].name}, {personas[one].title}')})" if one in personas else one
            for one in agents
        ]
        raise UsageError(f"{agent!r} has no seat in this session: its agents are {'; '.join(told)}")


def messages_json(session: AnySession, found: Context, layout: str | None) -> dict[str, Any]:
    """Return `system` and `messages` in *layout*.

    If it is None, they have the layout in which they were sent, or else the session's.
    """
    own = session.rehearsal.options.layout if is_rehearsal(session) else None
    return found.messages(layout or found.receipt.layout or own)


def receipt_json(found: Context, *, is_recorded: bool) -> dict[str, Any]:
    """Return the receipt; its id is null if it is not recorded in the ledger and will not be."""
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
