"""The presenter's profile after an exchange: what was asked, and how it was answered by what is certain.

No answer, put off, not known, or so many words with the figures that they name. Whether an answer was
good stands here only where its panelist has said so (`panelist.add_noted`).

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from typing import Final

from orchestrator import render
from orchestrator.claims.numbers import numbers_in
from orchestrator.engines.offline.judging import LONGEST_READ, NO_ANSWER, REASONS, sort_of
from orchestrator.engines.offline.wording import sentences
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.model.exchange import Exchange, Turn

MOST_FIGURES: Final = 6
"""Figures of one answer that are named: more are a table read aloud."""


def add_profile(rehearsal: Rehearsal, done: Exchange) -> None:
    """Put how a closed exchange was answered into its panelist's file. Call inside a transaction."""
    lines = [
        f'{number}. "{render.one_line(turn.question)}": {answered(turn)}.'
        for number, turn in enumerate(done.turns, start=1)
    ]
    if done.outcome == "parked":
        lines.append("\nThe presenter asked to come back to it.")
    text = f"\n## {done.id}, at {render.clock(rehearsal.now_s())}: how it was answered\n\n"
    rehearsal.store.append(
        f"{done.agent}/presenter-profile.md",
        text + "\n".join(lines) + "\n",
        by=done.agent,
        value={"type": "profile", "exchange": done.id},
    )


def answered(turn: Turn) -> str:
    """How a question was answered, by what is certain: `an answer of 14 words, with "31.2 million"`."""
    answer = render.one_line(turn.answer or "")
    if not answer:
        return NO_ANSWER
    if (sort := sort_of(sentences(answer[:LONGEST_READ]))) is not None:
        return REASONS[sort]
    said = f"an answer of {render.counted(len(answer.split()), 'word')}"
    figures = dict.fromkeys(
        f"{one.text} {one.noun}" if one.noun else one.text for one in numbers_in(answer[:LONGEST_READ])
    )
    named = [f'"{one}"' for one in figures][:MOST_FIGURES]
    more = f" and {len(figures) - len(named)} more" if len(figures) > len(named) else ""
    return f"{said}, with {', '.join(named)}{more}" if named else f"{said}, without a figure"
