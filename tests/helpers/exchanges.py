"""An exchange, whole, as records hold it; for tests that care about little of it."""

from __future__ import annotations

from typing import Any

from orchestrator.panel.model.exchange import Exchange, Turn


def exchange(id: str, agent: str, question: str, **changed: Any) -> Exchange:
    """An exchange of one question about nothing in particular."""
    plain: dict[str, Any] = {
        "claim": None,
        "slide": None,
        "said_at_s": None,
        "quote": None,
        "grounded": False,
        "why_this_agent": "its turn",
        "asked_at_s": 0.0,
        "turns": (Turn(question),),
        **changed,
    }
    return Exchange(id, agent, **plain)
