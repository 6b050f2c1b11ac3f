"""What is sent for a request: the context's messages with the task behind them, as its receipt says.

The bytes are a pure function of the ledger and the request: the receipt names layout, watermark
and the task's text, so they can be built again from it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from orchestrator.context import Context
from orchestrator.engines.claude.rounds import allowed
from orchestrator.engines.claude.tasks import guide, kind_of, task_text
from orchestrator.messages import watermarks

if TYPE_CHECKING:
    from orchestrator.engines.protocol import SeatRequest


def addressed(context: Context, request: SeatRequest[Any], layout: str) -> Context:
    """The same context, its receipt saying what will be sent for *request*.

    Raises:
        EngineError: The request is of a kind that this engine does not know.
    """
    watermark = {"ends": list(watermarks(context.parts_of))} if layout == "watermark" else None
    tools = context.tooling is not None
    task = task_text(request, allowed(kind_of(request)) if tools else "")
    receipt = replace(
        context.receipt, layout=layout, watermark=watermark, extra=(*guide(request), task), tools=tools
    )
    return replace(context, receipt=receipt)


def is_addressed(context: Context) -> bool:
    """Whether the context's receipt says what is sent."""
    return context.receipt.layout is not None and bool(context.receipt.extra)
