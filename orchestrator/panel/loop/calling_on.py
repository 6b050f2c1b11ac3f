"""Choosing whom the moderator calls on: never the same claim twice, and everybody at least once.

Source: DESIGN.md, section 7; orchestration.md, "Who speaks next".
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from orchestrator.core.legible import one_line
from orchestrator.material.values import DOSSIER, PRESENTER, BroughtQuestion
from orchestrator.panel.loop.state import State
from orchestrator.panel.model.exchange import Candidate, Exchange, still_to_come_back
from orchestrator.panel.personas.orchestration import FREE_FLOW, HAND_RAISE
from orchestrator.panel.records.projection import Projection, Waiting

# ---------------------------------------------------------------------- digests
# Digests by which a candidate question's inputs are known again: compared with each other, and shown.
#
# They are no proof of anything (the files' own SHA-256 are), so a record holds the first digits of each.


DIGEST_CHARS: Final = 16
"""Hex digits of a digest, 64 bits.

A session compares some thousand digests, so two are equal by chance once in 10^13 sessions.
`candidate-question.md` shows as many digits.
"""


def digest(parts: Iterable[str]) -> str:
    """Return the first digits of the SHA-256 of the joined texts."""
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:DIGEST_CHARS]


def is_same_digest(one: str | None, other: str | None) -> bool:
    """Return whether two digests are of the same texts; a missing or empty one matches none.

    Only as many digits as the shorter one has are compared. Sessions that were begun with release 0.1.0 can
    go on, and their records contain all 64 digits, as does a record's own SHA-256.
    """
    if not one or not other:
        return False
    chars = min(len(one), len(other))
    return one[:chars] == other[:chars]


# ---------------------------------------------------------------------- staleness
# Whether a candidate question may still be asked.
#
# Source: DESIGN.md, section 7.


Side = tuple[int | None, float | None, str]
"""One quote: its slide, the time when it was said, and its words."""


def why_stale(state: State, waiting: Waiting, *, confirmed_at_s: float | None = None) -> str | None:
    """Return why this candidate must not be asked any more, or None if it may be asked.

    Code does not read whether the presenter has since answered it; its author says so when next asked for a
    question.

    *confirmed_at_s* is the session clock when the candidate was last confirmed; if None, the projection's.
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
    """Return why this candidate can never be asked again, whatever its age, or None if it can."""
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
    """Return why the question counts as already asked, or None.

    It is compared by both its quotes if it has two, else by its claim or its quote, else by its words.
    """
    if question.beside is not None:
        pair = _sides(question)
        return "its two quotes have been asked about" if pair in map(_sides, projection.asked) else None
    if question.claim is not None and question.claim in projection.asked_claims:
        return "its claim has been asked about"
    if question.quote is None or question.is_missing:
        return "it has been asked" if question.question in projection.asked_questions else None
    return "its words have been asked about" if _sides(question) & _asked_sides(projection) else None


def _asked_sides(projection: Projection) -> frozenset[Side]:
    """Return all quotes shown above the questions asked, except titles of slides that leave something out."""
    return frozenset(side for one in projection.asked if not one.is_missing for side in _sides(one))


def _sides(asked: Candidate | Exchange) -> frozenset[Side]:
    """Return the quotes of a question, each with slide, time and words, normalised in spacing and case."""
    sides = [(asked.slide, asked.said_at_s, asked.quote or "")]
    if asked.beside is not None:
        sides.append((asked.beside.slide, asked.beside.said_at_s, asked.beside.quote))
    return frozenset((slide, at_s, " ".join(quote.casefold().split())) for slide, at_s, quote in sides)


# ---------------------------------------------------------------------- calling on


FOCUS_WEIGHT: Final = 0.5
SILENCE_WEIGHT: Final = 0.5
"""Weight of a panelist's silence, added to a relevance of 0 to 1.

A panelist who has not spoken for long comes before a slightly better question. What the presenter asked the
panel to look at has the same effect; with more weight, a weak question in focus would come before a strong
one beside it. The weight was not measured.
"""

AHEAD: Final = {HAND_RAISE: 1, FREE_FLOW: 3}
"""How many exchanges the panel may be ahead of an even share of the time (orchestration.md, "Modes").

This keeps the panel from spending all its questions on the first slides. With section breaks the sections set
the pace.
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """The panelist whom the moderator calls on, with the question and the reason."""

    agent: str
    candidate: Candidate
    why: str


def choose(
    state: State,
    agent: str | None = None,
    *,
    holds_back: bool = False,
    only: Callable[[Candidate], bool] = lambda candidate: True,
    how: str | None = None,
) -> Choice | None:
    """Choose the panelist to call on now, or return None if nobody has a question.

    If *agent* is given, only that panelist is considered. A question that the presenter brought comes first,
    where it is due.

    Args:
        holds_back: More will be presented, so the remaining exchanges are reserved for panelists who have not
            asked yet, even if none of them has a question now.
        only: Returns whether a candidate takes part.
        how: How the panelist got the floor, in words, listed with the reasons.
    """
    if (own := brought_choice(state, agent)) is not None:
        return own
    if state.left <= len(state.projection.still_brought):
        return None  # what is left is kept for what the presenter brought
    ready = [pair for pair in _ready(state) if agent in (None, pair[0]) and only(pair[1])]
    unheard = not_heard(state)
    if agent is None and state.left <= len(unheard):
        theirs = [pair for pair in ready if pair[0] in unheard]
        ready = theirs if theirs or holds_back else ready
    if not ready:
        return None
    seat, candidate = max(ready, key=lambda pair: _score(state, *pair))
    reasons = [how] if how is not None else ["was asked for by name"] if agent is not None else []
    return Choice(seat, candidate, "; ".join([*reasons, *_why(state, seat, candidate)]))


def brought_choice(state: State, agent: str | None = None, *, everywhere: bool = False) -> Choice | None:
    """Return the presenter's own question that is due, or None.

    Questions of this slide come first, then those of slides that are over, then those that name no slide.
    Questions of later slides wait until the end, or until the presenter asks for a question.

    Args:
        agent: The panelist that is called on. If None, the seat that the question names, else the seats in
            turn.
        everywhere: Whether the presenter asks for a question, so that questions of all slides are due.
    """
    projection = state.projection
    if state.is_full:
        return None
    shown = {one.slide for one in projection.slides}
    due: list[tuple[int, int, BroughtQuestion]] = []
    for number, one in projection.still_brought:
        if agent is not None and one.agent not in (None, agent):
            continue
        if one.slide is None:
            rank = 2
        else:
            rank = 0 if one.slide == projection.slide else 1 if one.slide in shown else 3
        if rank < 3 or everywhere or projection.is_played_out or projection.is_question_wanted:
            due.append((rank, number, one))
    if not due:
        return None
    _, number, one = min(due, key=lambda each: each[:2])
    seat = one.agent or agent or max(state.options.panel, key=partial(_silence, state))
    whose = "the question names this seat" if one.agent is not None else "in turn"
    return Choice(seat, brought_candidate(seat, number, one), f"{WRITTEN_BY[one.written_by]}; {whose}")


WRITTEN_BY: Final = {PRESENTER: "the presenter brought this question", DOSSIER: "a question of the dossier"}


def brought_candidate(seat: str, number: int, one: BroughtQuestion) -> Candidate:
    """Make a candidate of a presenter's question, in its own words.

    It has a quote only if the dossier gives one.
    """
    return Candidate(
        agent=seat,
        question=one.text,
        claim=None,
        slide=one.slide,
        said_at_s=None,
        quote=one.quote,
        grounded=one.quote is not None,
        needs=(),
        relevance=1.0,
        lead_in="",
        angle=WRITTEN_BY[one.written_by],
        good_answer=one.good_answer,
        is_missing=one.is_missing,
        bare=one.text,
        written_by=one.written_by,
        brought=number,
    )


def _ready(state: State) -> list[tuple[str, Candidate]]:
    waiting = [(seat, state.projection.waiting.get(seat)) for seat in state.options.panel]
    return [
        (seat, one.candidate) for seat, one in waiting if one is not None and why_stale(state, one) is None
    ]


def not_heard(state: State) -> list[str]:
    """Return the panelists that have not spoken yet."""
    spoken = {exchange.agent for exchange in state.projection.exchanges}
    return [seat for seat in state.options.panel if seat not in spoken]


def may_ask_at_pause(state: State) -> bool:
    """Return whether somebody who has a question may come in at this pause.

    The presenter's own question for this slide may come whatever the pace, since later it would be out of
    place.
    """
    projection, mode = state.projection, state.options.mode
    if state.is_full or projection.asked_here:
        return False
    if any(one.slide == projection.slide for _, one in projection.still_brought if one.slide is not None):
        return True
    if not _in_pace(state, AHEAD[mode]):
        return False
    last_s = projection.quiet_from_s or 0.0
    if mode == FREE_FLOW and projection.said:  # a hand is seen while the moderator speaks
        last_s = max(last_s, projection.said[-1].at_s)
    return state.now_s - last_s >= state.rules.timers_s.free_flow_gap


def choose_at_pause(state: State) -> Choice | None:
    """Choose who speaks at a pause: a panelist with a hand up, or in free flow one who cuts in."""
    if not may_ask_at_pause(state):
        return None
    if state.options.mode == HAND_RAISE:
        return choose(state, holds_back=True, how="raised a hand")
    return choose(state, holds_back=True, only=partial(_is_on_the_table, state), how="cut in") or choose(
        state, holds_back=True, how="cut in"
    )


def to_come_back(state: State) -> Exchange | None:
    """Return the parked question that comes back by itself, or None.

    A parked question comes back live if nobody has another to ask, after another question or slide, and new
    words. In a recording, parked questions come back at the end.
    """
    projection = state.projection
    parked = next(iter(still_to_come_back(projection.exchanges)), None)
    if parked is None or projection.playback is not None or projection.asked_here:
        return None
    parked_at_s = parked.asked_at_s + projection.open_s.get(parked.id, 0.0)
    has_moved_on = bool(projection.slides) and projection.slides[-1].at_s > parked_at_s
    return parked if has_moved_on or projection.exchanges[-1].id != parked.id else None


def _in_pace(state: State, ahead: int) -> bool:
    share = min(1.0, state.used_s / (state.options.minutes * 60))
    return len(state.projection.exchanges) + 1 <= ahead + state.options.exchanges * share


def _is_on_the_table(state: State, candidate: Candidate) -> bool:
    """Return whether the question is about the slide that is shown, or about words of the last minute."""
    projection = state.projection
    if candidate.said_at_s is not None:
        offset_s = projection.playback.offset_s if projection.playback is not None else 0.0
        return state.now_s - offset_s - candidate.said_at_s <= state.rules.timers_s.stale
    return candidate.grounded and projection.slide in (None, candidate.slide)


def _score(state: State, agent: str, candidate: Candidate) -> tuple[bool, bool, float]:
    """Return the rank of a candidate: a contradiction with both its quotes first, a general question last."""
    focus = FOCUS_WEIGHT if _in_focus(state, candidate) else 0.0
    weight = candidate.relevance + focus + SILENCE_WEIGHT * _silence(state, agent)
    return candidate.beside is not None, candidate.grounded or candidate.is_missing, weight


def _silence(state: State, agent: str) -> float:
    """Return how long *agent* has been silent: 0 if it spoke last, up to 1 if it has not spoken."""
    spoken = [exchange.agent for exchange in state.projection.exchanges]
    if agent not in spoken:
        return 1.0
    since = spoken[::-1].index(agent)
    return min(since / len(state.options.panel), 1.0)


def _in_focus(state: State, candidate: Candidate) -> bool:
    words = {word for text in state.options.focus for word in text.lower().split() if len(word) > 3}
    about = f"{candidate.quote or ''} {candidate.question}".lower()
    return any(word in about for word in words)


def _why(state: State, agent: str, candidate: Candidate) -> list[str]:
    spoken = [exchange.agent for exchange in state.projection.exchanges]
    reasons = []
    if agent not in spoken:
        reasons.append("has not spoken yet")
    elif _silence(state, agent) > 0:
        reasons.append(f"last spoke {spoken[::-1].index(agent)} exchanges ago")
    if _in_focus(state, candidate):
        reasons.append("the presenter's focus")
    reasons.append(f"relevance {candidate.relevance:.2f} ({one_line(candidate.angle)})")
    return reasons
