"""Whether a candidate question may still be asked.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from orchestrator.panel.loop.digests import is_same_digest
from orchestrator.panel.loop.state import State
from orchestrator.panel.model.exchange import Candidate, Exchange
from orchestrator.panel.records.projection import Projection, Waiting

Side = tuple[int | None, float | None, str]
"""One quote: its slide, when it was said, and its words."""


def why_stale(state: State, waiting: Waiting, *, confirmed_at_s: float | None = None) -> str | None:
    """Why this candidate must not be asked any more; None: it may.

    Whether the presenter has spoken to it since is not for code to read: who made the question
    says so when it is next asked for one.

    *confirmed_at_s*: when it was last confirmed; None: as the projection has it.
    """
    if (spent := why_spent(state.projection, waiting)) is not None:
        return spent
    projection, stale_s = state.projection, state.rules.timers_s.stale
    confirmed_s = (
        projection.confirmed_s.get(waiting.candidate.agent, 0.0) if confirmed_at_s is None else confirmed_at_s
    )
    is_old = state.now_s - max(waiting.made_at_s, confirmed_s) > stale_s
    return f"it is older than {stale_s:g} s" if is_old else None


def why_spent(projection: Projection, waiting: Waiting) -> str | None:
    """Why this candidate cannot be asked any more, however young it is; None: it can."""
    question = waiting.candidate
    if waiting.status != "ready":
        return f"its status is {waiting.status}"
    if (asked := was_asked(projection, question)) is not None:
        return asked
    if projection.puts_dismissed(question):
        return "the presenter says that this is no contradiction"
    if projection.quotes_misheard(question):
        return "the words that it quotes were misheard"
    if not is_same_digest(waiting.intel_sha256, projection.intel_sha256):
        return "the intel has changed"
    return None


def was_asked(projection: Projection, question: Candidate) -> str | None:
    """Why somebody has asked this already: its claim or quote, or both its quotes; without one, its words."""
    if question.beside is not None:
        pair = _sides(question)
        return "its two quotes have been asked about" if pair in map(_sides, projection.asked) else None
    if question.claim is not None and question.claim in projection.asked_claims:
        return "its claim has been asked about"
    if question.quote is None or question.is_missing:
        return "it has been asked" if question.question in projection.asked_questions else None
    return "its words have been asked about" if _sides(question) & _asked_sides(projection) else None


def _asked_sides(projection: Projection) -> frozenset[Side]:
    """All that was quoted above a question; the title of a slide that leaves something out is not."""
    return frozenset(side for one in projection.asked if not one.is_missing for side in _sides(one))


def _sides(asked: Candidate | Exchange) -> frozenset[Side]:
    """What is quoted: on which slide, when it was said, and the words, whatever their spacing and case."""
    sides = [(asked.slide, asked.said_at_s, asked.quote or "")]
    if asked.beside is not None:
        sides.append((asked.beside.slide, asked.beside.said_at_s, asked.beside.quote))
    return frozenset((slide, at_s, " ".join(quote.casefold().split())) for slide, at_s, quote in sides)
