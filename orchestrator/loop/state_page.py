"""What session-state.md shows: where the moderator stands, now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator import render
from orchestrator.layout import MODERATOR
from orchestrator.legible import one_line
from orchestrator.loop.rehearsal import OFFLINE, Rehearsal
from orchestrator.model.exchange import Exchange
from orchestrator.records.moderator import StateShown
from orchestrator.store.transaction import Draft
from orchestrator.templates.orchestration import HAND_RAISE

PATH = "moderator/session-state.md"
BUDGET_SHOWN_FROM = 0.8
"""The share of a session's budget at which the panel's engine warns of it."""


def show_state(
    rehearsal: Rehearsal,
    tx: Draft,
    state: str,
    exchange: Exchange | None = None,
    *,
    done: int | None = None,
    hands: Sequence[str] | None = None,
    failed: Mapping[str, str] | None = None,
    last: Exchange | None = None,
    slide: int | None = None,
) -> None:
    """Write session-state.md.

    Args:
        exchange: The one that is going on, if any.
        done: How many exchanges are closed, where the projection does not know it yet.
        hands: Who has a hand up, where the projection does not know it yet.
        failed: Whose candidate could not be refreshed, and why, where the projection does not know it yet.
        last: The exchange that has just been closed, where the projection does not know it yet.
        slide: The one that is shown, where the projection does not know it yet.
    """
    options, projection = rehearsal.options, rehearsal.projection
    now_s = rehearsal.now_s()
    presenting_s, answering_s = projection.times(now_s)
    shown = projection.slide if slide is None else slide
    count = len(projection.exchanges) if done is None else done
    times = f"{render.clock(presenting_s)} presenting, {render.clock(answering_s)} answering"
    lines = [
        "# Session state",
        "",
        f"- State: {state}",
        f"- Slide: {shown if shown is not None else 'none yet'}",
        f"- Time: {render.clock(presenting_s + answering_s)} of {options.minutes}:00 ({times})",
        f"- Exchanges: {count} of {options.exchanges}",
    ]
    if options.mode == HAND_RAISE:
        lines.append(f"- Hands up: {_names(rehearsal, projection.hands if hands is None else hands)}")
    if exchange is not None:
        lines += [
            f"- Exchange: {exchange.id}, turn {len(exchange.turns)} of {rehearsal.turn_limit}",
            f"- Asking: {rehearsal.name_of(exchange.agent)} ({exchange.agent})",
            *(f"- About: {words}" for words in render.quoted(exchange)),
            f"- Question: {one_line(exchange.turns[-1].question)}",
        ]
    lines += _degraded(rehearsal, projection.failed if failed is None else failed, last)
    tx.write(PATH, "\n".join(lines) + "\n", by=MODERATOR, value=StateShown(state))


def _degraded(rehearsal: Rehearsal, failed: Mapping[str, str], last: Exchange | None) -> list[str]:
    """What a failing engine keeps from being as it should; nothing while all is well."""
    projection = rehearsal.projection
    lines = [f"- Offline panel: {one_line(projection.took_over)}"] if projection.took_over is not None else []
    lines += [
        f"- Not refreshed: {_names(rehearsal, [agent])}: {one_line(failed[agent])}"
        for agent in rehearsal.options.panel
        if agent in failed
    ]
    closed = last or (projection.exchanges[-1] if projection.exchanges else None)
    unjudged_is_failure = rehearsal.options.engine != OFFLINE and projection.took_over is None
    if unjudged_is_failure and closed is not None and closed.outcome == "unjudged":
        lines.append(f"- Unjudged: {closed.id}: {one_line(closed.turns[-1].reason or 'no verdict')}")
    share = projection.calls[-1].budget_share if projection.calls else None
    if share is not None and share >= BUDGET_SHOWN_FROM:
        rules = "; the panel works offline from here on" if share >= 1 else ""
        lines.append(f"- Budget: {share:.0%} used up{rules}")
    return lines


def budget_step(rehearsal: Rehearsal) -> int:
    """How far the session's budget is used up: 0 not much, 1 it is warned of, 2 all of it."""
    calls = rehearsal.projection.calls
    share = (calls[-1].budget_share if calls else None) or 0.0
    return (share >= BUDGET_SHOWN_FROM) + (share >= 1)


def _names(rehearsal: Rehearsal, hands: Sequence[str]) -> str:
    return ", ".join(f"{rehearsal.name_of(agent)} ({agent})" for agent in hands) or "none"
