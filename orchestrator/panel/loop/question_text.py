"""The question itself, without the lead-in and the quote, which stand above it wherever it is shown.

Whoever words a question says it (`Turn.bare`). Of a model's words, and of a question that somebody
puts by hand, nobody does: they are read once, when the question is put. Ledgers of before 0.2 hold
no such value, and there alone it is read when the question is shown.
"""

from __future__ import annotations

import re
from typing import Final

from orchestrator.panel.model.exchange import Turn

_LEAD: Final = re.compile(r'(?:[^"“”?]*[.!:] +)?[^"“”.?!]*["“]')
"""Before a quote: a sentence perhaps, and "On slide 3 you say"; not a question, not a quote."""
_END_OF_LEAD: Final = re.compile(r'(?:[.!]["”][.!]?|["”][.!]) +(?=[^\W_a-z]|["“])')
"""The quote's end is the sentence's end, and another sentence begins."""


def bare_question(turn: Turn, quote: str | None) -> str:
    """The question itself, without the lead-in and the quote before or behind it, which stands above it."""
    question = turn.question.removeprefix(turn.lead_in).lstrip() or turn.question
    bare = turn.bare if turn.bare is not None else bare_of(question, quote)
    return bare or question


def bare_of(question: str, quote: str | None) -> str:
    """Words that nobody has told the bare question of, without the quote; "" where they stay whole.

    That is so where cutting would leave half a sentence, or take words of the question along.
    """
    if (bare := _beside_quote(question, quote)) is not None:
        return bare
    lead, _, rest = question.partition(quote) if quote else (question, "", "")
    end = _END_OF_LEAD.match(rest)
    is_cut = end is not None and _LEAD.fullmatch(lead) and "?" in rest
    return rest[end.end() :] if is_cut and end is not None else ""


def _beside_quote(question: str, quote: str | None) -> str | None:
    """ "How many: “We grew”?" is "How many?"; "“We grew”: how many?" is "How many?"; None: it is neither."""
    shown = (quote or "").rstrip(" .")
    for marked in (f"“{shown}”", f'"{shown}"') if shown else ():
        head, colon, rest = question.partition(marked)
        if head.endswith(": ") and rest == "?" and colon:
            return f"{head[:-2]}?"
        if not head and rest.startswith(": ") and rest.endswith("?") and colon:
            return f"{rest[2:3].upper()}{rest[3:]}"
    return None
