"""How an exchange is closed, and the last words of a session.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from dataclasses import replace

from orchestrator.core.legible import one_line
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MODERATOR
from orchestrator.panel import render
from orchestrator.panel.loop import phrases
from orchestrator.panel.loop.new_figures import new_numbers
from orchestrator.panel.loop.panelist import NO_ANSWER_CAME, add_note
from orchestrator.panel.loop.person_judging import shown_in_files
from orchestrator.panel.loop.phrases import say
from orchestrator.panel.loop.profiling import add_profile
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.state_page import show_state
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.records.exchanges import ExchangeClosed
from orchestrator.panel.records.turns import with_persons


def resolve(
    rehearsal: Rehearsal, tx: Draft, exchange: Exchange, outcome: str, *, is_ending: bool = False
) -> Exchange:
    """Write an exchange down and give the floor back.

    *is_ending*: the session ends with it, so there is no floor to give back.
    """
    done = replace(exchange, outcome=outcome)  # without what a person says of it, which is laid over
    judged = {place: shown_in_files(rehearsal, one) for place, one in rehearsal.projection.judged.items()}
    told = with_persons(done, judged)
    surfaced = new_numbers(done, rehearsal.scene(), rehearsal.known_numbers)
    show_state(rehearsal, tx, "resolving", done)
    tx.append(
        "shared/exchange-history.md",
        render.exchange(told, rehearsal.name_of(done.agent), surfaced),
        by=MODERATOR,
        value=ExchangeClosed(done, tuple(surfaced)),
    )
    tx.append("moderator/debrief-notes.md", _debrief_note(rehearsal, told), by=MODERATOR)
    add_profile(rehearsal, tx, done)
    if (unjudged := _note_without_verdict(done)) is not None:
        add_note(rehearsal, tx, done, unjudged)
    if not is_ending:
        _round_off(rehearsal, tx, done)
    show_state(rehearsal, tx, "presenting")
    return done


def _note_without_verdict(done: Exchange) -> str | None:
    """What a panelist notes of a last turn that nobody judged; None: its verdict has made a note."""
    last = done.turns[-1]
    if last.verdict is not None:
        return None
    if done.outcome == "parked":
        return "- Parked: the presenter asked to come back to it."
    return "- The session ended before the answer was judged." if last.answer else NO_ANSWER_CAME


def _round_off(rehearsal: Rehearsal, tx: Draft, done: Exchange) -> None:
    """One phrase behind an exchange: parked, back to the presentation, or the answer is noted."""
    projection = rehearsal.projection
    if done.outcome == "parked":
        occasion = phrases.PARKING
    elif projection.segments and not projection.is_played_out:
        occasion = phrases.TRANSITION
    elif any(turn.answer for turn in done.turns):
        occasion = phrases.ACKNOWLEDGING
    else:
        return
    say(rehearsal, tx, occasion, exchange=done.id, agent=done.agent, slide=projection.slide)


def close(rehearsal: Rehearsal, tx: Draft) -> None:
    """Say the last words, once."""
    projection = rehearsal.projection
    if all(said.occasion != phrases.CLOSING for said in projection.said):
        say(rehearsal, tx, phrases.CLOSING)
    show_state(rehearsal, tx, "closing")


def _debrief_note(rehearsal: Rehearsal, done: Exchange) -> str:
    last = done.turns[-1]
    about = f"on {render.place(done.slide, done.said_at_s)}" if done.grounded else "on the whole"
    why = f": {one_line(last.reason)}" if last.reason else ""
    if done.person is not None:
        why += f"; {render.said_by(done.person)}"
    left = f". Still open: {one_line('; '.join(done.left_open))}" if done.left_open else ""
    if done.was_left_open:
        left += f". Left open on the way: {one_line('; '.join(done.was_left_open))}"
    return f"- {done.id}, {rehearsal.name_of(done.agent)}, {about}: {done.outcome}{why}{left}\n"
