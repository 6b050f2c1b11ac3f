"""An exchange and a contradiction as JSON: the same for `run`, `show`, `check` and the debrief."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from orchestrator.material.claim import Tension
from orchestrator.panel.model.exchange import Exchange, PersonVerdict
from orchestrator.panel.records.value import known

_TURN: Final = ("question", "answer", "verdict", "reason", "quote")
_EXCHANGE: Final = (
    "id", "agent", "claim", "slide", "said_at_s", "quote", "grounded", "why_this_agent", "outcome",
    "comes_back_to", "written_by",
)  # fmt: skip


def exchange_json(exchange: Exchange) -> dict[str, Any]:
    """Return an exchange in the form of interfaces.md."""
    turns = []
    for turn in exchange.turns:
        said = turn.person and person_json(turn.person)
        turns.append({**picked(turn, _TURN), **known(misheard=turn.misheard, person=said)})
    counted = {"result": exchange.result} if exchange.person is not None else {}
    return {**picked(exchange, _EXCHANGE), **counted, "turns": turns}


def person_json(said: PersonVerdict) -> dict[str, Any]:
    """Return a person's verdict in the form of interfaces.md; its `verdict` is null if it was taken back."""
    return {**picked(said, ("exchange", "turn", "verdict", "by", "at")), **known(note=said.note or None)}


def tension_json(one: Tension) -> dict[str, Any]:
    """Return a contradiction in the form of interfaces.md."""
    return {**picked(one, ("kind", "a", "b", "note", "sum", "subject", "by")), "class": one.class_}


def picked(value: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the fields *names* of a value, as plain JSON."""
    return {name: plain(getattr(value, name)) for name in names}


def plain(value: Any) -> Any:
    """Return a value, with everything in it, as plain JSON."""
    if is_dataclass(value):
        known = [field.name for field in fields(value) if field.name != "is_missing"]
        return picked(value, [name for name in known if name != "under" or getattr(value, name)])
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value
