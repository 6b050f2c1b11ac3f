"""session-state.md: the moderator's current state."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core import legible
from orchestrator.core.legible import one_line
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MODERATOR
from orchestrator.panel import render
from orchestrator.panel.config.engine_names import is_bank
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.personas.orchestration import HAND_RAISE
from orchestrator.panel.records.moderator import StateShown

PATH = "moderator/session-state.md"
BUDGET_SHOWN_FROM = 0.8
"""The share of a session's budget from which session-state.md shows it.

The panel's engine warns at the same share.
"""


def show_state(
    rehearsal: OpenRehearsal, tx: Draft, state: str, exchange: Exchange | None = None, *, again: bool = False
) -> None:
    """Write session-state.md if anything but the seconds of its time has changed.

    While a question is open, a change of the seconds counts as well, since only they show how long an answer
    takes.

    *exchange* is the exchange that is going on, if any. If *again*, the page is written in any case, so that
    it counts as shown.
    """
    options, projection = rehearsal.options, rehearsal.projection
    now_s = rehearsal.now_s()
    presenting_s, answering_s = projection.times(now_s)
    times = f"{legible.clock(presenting_s)} presenting, {legible.clock(answering_s)} answering"
    lines = [
        "# Session state",
        "",
        f"- State: {state}",
        f"- Slide: {projection.slide if projection.slide is not None else 'none yet'}",
        f"- Time: {legible.clock(presenting_s + answering_s)} of {options.minutes}:00 ({times})",
        f"- Exchanges: {len(projection.exchanges)} of {options.exchanges}",
    ]
    if options.mode == HAND_RAISE:
        asks = exchange.agent if exchange is not None else None  # whoever has the word waits for it no more
        lines.append(f"- Hands up: {_names(rehearsal, [one for one in projection.hands if one != asks])}")
    if exchange is not None:
        lines += [
            f"- Exchange: {exchange.id}, turn {len(exchange.turns)} of {rehearsal.turn_limit}",
            f"- Asking: {rehearsal.name_of(exchange.agent)} ({exchange.agent})",
            *(f"- About: {words}" for words in render.quoted(exchange)),
            f"- Question: {one_line(exchange.turns[-1].question)}",
        ]
    lines += _degraded(rehearsal)
    text = "\n".join(lines) + "\n"
    before = tx.read(PATH)
    # Else every round would add a page that says nothing new.
    is_new = text != before if exchange is not None else _but_seconds(text) != _but_seconds(before)
    if is_new or again:
        tx.write(PATH, text, by=MODERATOR, value=StateShown(state, now_s))


def show_state_again(rehearsal: OpenRehearsal) -> None:
    """Write session-state.md again, even if only its seconds have changed."""
    with rehearsal.store.transaction() as tx:
        projection = rehearsal.projection
        show_state(rehearsal, tx, projection.state, projection.asking, again=True)


def _but_seconds(page: str) -> list[str]:
    """Return the page's lines, with its time in whole minutes."""
    return [
        line.partition(" of ")[0].rpartition(":")[0] if line.startswith("- Time: ") else line
        for line in page.splitlines()
    ]


def _degraded(rehearsal: OpenRehearsal) -> list[str]:
    """Return one line for each thing that a failing engine impairs; none if nothing fails."""
    projection = rehearsal.projection
    lines = [f"- Offline panel: {one_line(projection.took_over)}"] if projection.took_over is not None else []
    lines += [
        f"- Not refreshed: {_names(rehearsal, [agent])}: {one_line(projection.failed[agent])}"
        for agent in rehearsal.options.panel
        if agent in projection.failed
    ]
    closed = projection.exchanges[-1] if projection.exchanges else None
    unjudged_is_failure = not is_bank(rehearsal.options.engine) and projection.took_over is None
    if unjudged_is_failure and closed is not None and closed.outcome == "unjudged":
        lines.append(f"- Unjudged: {closed.id}: {one_line(closed.turns[-1].reason or 'no verdict')}")
    share = projection.calls[-1].budget_share if projection.calls else None
    if share is not None and share >= BUDGET_SHOWN_FROM:
        rules = "; the panel works offline from here on" if share >= 1 else ""
        lines.append(f"- Budget: {share:.0%} used up{rules}")
    return lines


def budget_step(rehearsal: OpenRehearsal) -> int:
    """Return how much of the session's budget is used: 0 below the warning, 1 above it, 2 if all is used."""
    calls = rehearsal.projection.calls
    share = (calls[-1].budget_share if calls else None) or 0.0
    return (share >= BUDGET_SHOWN_FROM) + (share >= 1)


def _names(rehearsal: OpenRehearsal, hands: Sequence[str]) -> str:
    return ", ".join(f"{rehearsal.name_of(agent)} ({agent})" for agent in hands) or "none"
