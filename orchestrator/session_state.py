"""What session-state.md shows: where the moderator stands, now."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator import render
from orchestrator.exchange import Exchange
from orchestrator.layout import MODERATOR
from orchestrator.orchestration import HAND_RAISE
from orchestrator.rehearsal import Rehearsal

PATH = "moderator/session-state.md"


def show_state(
    rehearsal: Rehearsal,
    state: str,
    exchange: Exchange | None = None,
    *,
    done: int | None = None,
    hands: Sequence[str] | None = None,
) -> None:
    """Write session-state.md.

    Args:
        exchange: The one that is going on, if any.
        done: How many exchanges are closed, where the room does not know it yet.
        hands: Who has a hand up, where the room does not know it yet.
    """
    options, room = rehearsal.options, rehearsal.room
    now_s = rehearsal.now_s()
    used_s = now_s + room.spent_s
    count = len(room.exchanges) if done is None else done
    times = f"{render.clock(now_s)} presenting, {render.clock(room.spent_s)} answering"
    lines = [
        "# Session state",
        "",
        f"- State: {state}",
        f"- Slide: {room.slide if room.slide is not None else 'none yet'}",
        f"- Time: {render.clock(used_s)} of {options.minutes}:00 ({times})",
        f"- Exchanges: {count} of {options.exchanges}",
    ]
    if options.mode == HAND_RAISE:
        lines.append(f"- Hands up: {_names(rehearsal, room.hands if hands is None else hands)}")
    if exchange is not None:
        lines += [
            f"- Exchange: {exchange.id}, turn {len(exchange.turns)} of {rehearsal.turn_limit}",
            f"- Asking: {rehearsal.name_of(exchange.agent)} ({exchange.agent})",
            f"- Question: {render.one_line(exchange.turns[-1].question)}",
        ]
    rehearsal.store.write(
        PATH, "\n".join(lines) + "\n", by=MODERATOR, value={"type": "state", "state": state}
    )


def _names(rehearsal: Rehearsal, hands: Sequence[str]) -> str:
    return ", ".join(f"{rehearsal.name_of(agent)} ({agent})" for agent in hands) or "none"
