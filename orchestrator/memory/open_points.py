"""What earlier rehearsals of a deck left open, for the next one.

Long-term memory says what is still open, so what the presenter edited or forgot, and what was
answered since, is none; the earlier session's own ledger has the question as it was put.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from orchestrator.carried import OpenPoint
from orchestrator.deck.model import Deck
from orchestrator.exchange import Exchange
from orchestrator.layout import SESSION_ID
from orchestrator.memory.consent import consented, same_name
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.flushing import OPEN_TAG, left_open
from orchestrator.memory.masking import masked
from orchestrator.memory.memories import memories
from orchestrator.memory.model import Memory
from orchestrator.memory.past_sessions import begun, deck_tag, exchanges_of
from orchestrator.render import one_line

MAX_OPEN_POINTS: Final = 20
"""More than a rehearsal has exchanges for; the newest."""
MAX_QUESTION_CHARS: Final = 400


def open_points(db: MemoryDatabase, presenter: str, deck: Deck) -> tuple[OpenPoint, ...]:
    """Every question about words of this deck that is still open, the newest first; each words once.

    Nothing without the presenter's consent. Where the earlier session is gone, the quotation is as
    long as the memory kept it, and there is no question.

    Raises:
        MemoryRefusedError: Nobody is named as the presenter.
        MemoryDatabaseError: The database cannot be read.
    """
    return tuple(point for point, _ in points_and_memories(db, presenter, deck))


def points_and_memories(
    db: MemoryDatabase, presenter: str, deck: Deck
) -> tuple[tuple[OpenPoint, Memory], ...]:
    """The same, each with the memory that says so."""
    if not consented(db, presenter):
        return ()
    tag = deck_tag(deck)
    kept = [one for one in memories(db, presenter=presenter) if {OPEN_TAG, tag} <= set(one.tags)]
    asked: dict[str, Sequence[Exchange]] = {}
    dates: dict[str, str | None] = {}
    found: dict[str, tuple[OpenPoint, Memory]] = {}
    for memory in kept:
        words = left_open(memory)
        session, _, exchange_id = (memory.source or "").partition("/")
        if words is None or memory.content in found or not exchange_id:
            continue
        if session not in asked:
            asked[session], dates[session] = _looked_up(db, session, presenter)
        exchange = next((one for one in asked[session] if one.id == exchange_id), None)
        found[memory.content] = (
            _point(memory, words, exchange, asked_on=dates[session] or memory.created_at[:10]),
            memory,
        )
        if len(found) == MAX_OPEN_POINTS:
            break
    return tuple(found.values())


def _outcome(exchange: Exchange | None) -> str:
    """What came of it; silence is no answer, whether or not anybody judged it."""
    if exchange is None or exchange.outcome is None:
        return "unresolved"
    is_silent = not any(turn.answer for turn in exchange.turns)
    return "unresolved" if is_silent and exchange.outcome == "unjudged" else exchange.outcome


def _looked_up(db: MemoryDatabase, session: str, presenter: str) -> tuple[Sequence[Exchange], str | None]:
    """The exchanges of a session of this presenter, and its day; a source may name anything."""
    if not SESSION_ID.fullmatch(session):
        return (), None
    root = db.path.parent / "sessions" / session
    earlier = begun(root)
    if earlier is None or not same_name(earlier.presenter, presenter):
        return (), None
    return exchanges_of(root), earlier.date


def _point(memory: Memory, words: str, exchange: Exchange | None, *, asked_on: str) -> OpenPoint:
    session, _, exchange_id = (memory.source or "").partition("/")
    whole = masked(one_line(exchange.quote)) if exchange is not None and exchange.quote else ""
    question = masked(one_line(exchange.turns[0].question)) if exchange is not None else ""
    return OpenPoint(
        session=session,
        exchange=exchange_id,
        agent=memory.agent,
        quote=whole if whole.startswith(words) else words,
        question=question[:MAX_QUESTION_CHARS],
        outcome=_outcome(exchange),
        asked_on=asked_on,
    )
