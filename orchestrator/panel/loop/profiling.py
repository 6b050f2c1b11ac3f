"""The presenter's profile after an exchange: the question, and how it was answered.

No answer, or so many words with the figures that they name, and the verdict's reason where there is a
verdict. All else that a panelist makes of an answer is in its own words (`panelist.add_noted`).

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from typing import Final

from orchestrator.core import legible
from orchestrator.core.legible import one_line
from orchestrator.core.store.transaction import Draft
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.model.exchange import NO_ANSWER, Exchange, Turn
from orchestrator.panel.records.exchanges import ProfileAdded

LONGEST_READ: Final = 4000
"""Characters of an answer in which figures are looked for, five minutes of speech; the first are named."""
MOST_FIGURES: Final = 6
"""Figures of one answer that are named: more are a table read aloud."""


def add_profile(rehearsal: Rehearsal, tx: Draft, done: Exchange) -> None:
    """Put how a closed exchange was answered into its panelist's file."""
    lines = [
        f'{number}. "{one_line(turn.question)}": {answered(turn)}.'
        for number, turn in enumerate(done.turns, start=1)
    ]
    if done.outcome == "parked":
        lines.append("\nThe presenter asked to come back to it.")
    text = f"\n## {done.id}, at {legible.clock(rehearsal.now_s())}: how it was answered\n\n"
    tx.append(
        f"{done.agent}/presenter-profile.md",
        text + "\n".join(lines) + "\n",
        by=done.agent,
        value=ProfileAdded(done.id),
    )


def answered(turn: Turn) -> str:
    """How a question was answered: `an answer of 14 words, with "31.2 million"; gives a source`."""
    answer = one_line(turn.answer or "")
    if not answer:
        return NO_ANSWER
    said = f"an answer of {legible.counted(len(answer.split()), 'word')}"
    figures = dict.fromkeys(
        f"{one.text} {one.noun}" if one.noun else one.text for one in numbers_in(answer[:LONGEST_READ])
    )
    named = [f'"{one}"' for one in figures][:MOST_FIGURES]
    more = f" and {len(figures) - len(named)} more" if len(figures) > len(named) else ""
    said += f", with {', '.join(named)}{more}" if named else ", without a figure"
    is_judged = turn.reason and turn.verdict not in (None, "unjudged")
    return f"{said}; {(turn.reason or '').rstrip('.')}" if is_judged else said
