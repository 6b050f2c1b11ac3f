"""The end of a session: what is worth keeping of it goes to long-term memory, if the presenter agreed.

Each decision becomes a memory of whoever it was told to. Each question that was not answered to
anybody's satisfaction becomes a memory of who asked it, `Left open: "…"`; when the same words are
asked about again and answered, or left open again, the newer memory takes the older one's place.
Goals that were stated are proposed. All of it happens in one transaction, and each thing once: a
second flush adds nothing, nor does it bring back what was forgotten in between.

Source: the seed of the Scribe (000), "Integration with Hippocampus"; DESIGN.md, section 9.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from orchestrator.claims.words import word_set
from orchestrator.deck.model import Deck
from orchestrator.exchange import Exchange, each_once
from orchestrator.layout import MODERATOR
from orchestrator.memory.consent import is_given, name_in
from orchestrator.memory.database import MemoryDatabase, note
from orchestrator.memory.errors import MemoryRefusedError
from orchestrator.memory.goals import add_goal, goals, move_goal
from orchestrator.memory.masking import masked
from orchestrator.memory.memories import memories, write_memory
from orchestrator.memory.model import MAX_CONTENT_CHARS, MAX_GOAL_CHARS, Goal, Memory
from orchestrator.memory.past_sessions import deck_tag
from orchestrator.memory.rules import checked_time
from orchestrator.memory.scribe_notes import Noted, SessionContext
from orchestrator.render import one_line

OPEN_TAG: Final = "open"
ANSWERED_TAG: Final = "answered"
DECISION_TAG: Final = "decision"
_OPEN: Final = "Left open: "
_ANSWERED: Final = "Answered: "
_DECIDED: Final = "Decided: "
_ASKED: Final = ", asked: "
_QUOTED = re.compile(
    r'(?:Left open|Answered): "(?P<words>.+)"(?P<cut> …)?(?P<about> \([^"]+\)|, asked: [^"]+)?'
)
_FEWEST_WORDS: Final = 2
"""Of a quotation that says by itself what it is about: a cell of a table often has fewer."""
_SURE: Final = {"unresolved": 0.8, "parked": 0.7, "unjudged": 0.8}
"""How sure it is that the question is still open; of those that nobody judged, only silence is kept."""
_SURE_ANSWERED: Final = 0.8
_SURE_DECIDED: Final = 0.8
_FLUSHED: Final = "flushed"

_WORD = re.compile(r"[^\W_]{4,}")
_COMMON: Final = word_set(
    "about after again also answer approval approve been before being board chart could deck decks does each "
    "every figure figures from goal "
    "have into more most much number numbers only over page pages panel question session should show slide "
    "slides some such table than that their them "
    "then there these they this today want were what when where which will with would your"
)
_SHARED_STEMS: Final = 2


@dataclass(frozen=True, slots=True)
class Flushed:
    """What a flush wrote."""

    memories: tuple[Memory, ...] = ()
    goals: tuple[Goal, ...] = ()
    left_out: int = 0  # things that are to stay in the session


@dataclass(slots=True)
class _Flush:
    """One flush under way."""

    db: MemoryDatabase
    presenter: str
    session: str
    deck: Deck
    tag: str
    now: str
    stays: Callable[[str], bool]
    written: list[Memory] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    left_out: int = 0


def flush(
    context: SessionContext,
    db: MemoryDatabase,
    presenter: str,
    *,
    session: str,
    deck: Deck,
    exchanges: Sequence[Exchange],
    stays: Callable[[str], bool] = lambda text: False,
    now: str,
) -> Flushed:
    """Write what is worth keeping of a session; nothing without the presenter's consent.

    Args:
        session: Its id; sources are "<session>/<record>" and "<session>/<exchange>".
        exchanges: All that were closed in it, in order.
        stays: Whether a text quotes what was marked sensitive (`Scribe.stays`).
        now: RFC 3339, UTC.

    Raises:
        MemoryRefusedError: Nobody is named as the presenter.
        MemoryDatabaseError: The disk refused; nothing was written.
    """
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction() as connection:
        if not is_given(connection, name):
            return Flushed()
        done = _done(connection, name, session)
        under_way = _Flush(db, name, session, deck, deck_tag(deck), at, stays)
        for source, keep in _things(under_way, context, exchanges):
            if source not in done:
                keep()
                note(connection, at, _FLUSHED, name, source, None)
    return Flushed(tuple(under_way.written), tuple(under_way.goals), under_way.left_out)


def _things(
    under_way: _Flush, context: SessionContext, exchanges: Sequence[Exchange]
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Everything that may be worth keeping: its stable source, and what keeps it."""
    session = under_way.session
    for source, noted in _sources(session, context.decisions):
        yield source, partial(_keep_decision, under_way, noted, source)
    for exchange in each_once(exchanges):
        if is_for_the_presenter(exchange):
            continue
        yield f"{session}/{exchange.id}", partial(_keep_exchange, under_way, exchange)
    for source, noted in _sources(session, context.goals):
        yield f"{source}/goal", partial(_propose, under_way, noted, source)
    for exchange in exchanges:
        if exchange.outcome == "satisfied":
            yield f"{session}/{exchange.id}/goals", partial(_move_goals, under_way, exchange)


def is_for_the_presenter(exchange: Exchange) -> bool:
    """Whether an answer was given that nobody judged: it is neither open nor answered."""
    return exchange.outcome == "unjudged" and any(turn.answer for turn in exchange.turns)


def _sources(session: str, noted: Sequence[Noted]) -> Iterator[tuple[str, Noted]]:
    """Each with its source, "<session>/<record>"; a second one of the same record is ".2"."""
    for number, one in enumerate(noted):
        before = sum(other.seq == one.seq for other in noted[:number])
        yield f"{session}/{one.seq}" + (f".{before + 1}" if before else ""), one


def left_open(memory: Memory) -> str | None:
    """The quotation that a memory says was left open, as far as it is kept; None: it says no such thing."""
    match = _QUOTED.fullmatch(memory.content)
    is_open = OPEN_TAG in memory.tags and memory.content.startswith(_OPEN)
    return match["words"] if match and is_open else None


def _done(connection: sqlite3.Connection, presenter: str, session: str) -> set[str]:
    """The sources that were looked at before."""
    found = connection.execute(
        "SELECT item FROM history WHERE presenter = ? AND act = ? AND substr(item, 1, ?) = ?",
        (presenter, _FLUSHED, len(session) + 1, f"{session}/"),
    )
    return {str(item) for (item,) in found}


def _keep_decision(under_way: _Flush, noted: Noted, source: str) -> None:
    if under_way.stays(noted.text):
        under_way.left_out += 1
        return
    _write(
        under_way,
        agent=noted.agent or MODERATOR,
        type_="insight",
        content=_saying(_DECIDED, noted.text),
        confidence=_SURE_DECIDED,
        tag=DECISION_TAG,
        source=source,
    )


def _keep_exchange(under_way: _Flush, exchange: Exchange) -> None:
    words, question = exchange.quote, exchange.turns[0].question
    if under_way.stays(f"{words or ''}\n{question}"):
        under_way.left_out += 1
        return
    source = f"{under_way.session}/{exchange.id}"
    said = one_line(words or question)
    about = _about(under_way.deck, exchange)
    if exchange.outcome == "satisfied":
        for memory in _saying_same(under_way, _OPEN, said, about):
            content = _saying(_ANSWERED, said, about)
            _write(
                under_way, memory.agent, "pattern", content, _SURE_ANSWERED, ANSWERED_TAG, source, memory.id
            )
        return
    answered = [one for one in _saying_same(under_way, _ANSWERED, said, about) if one.agent == exchange.agent]
    _write(
        under_way,
        agent=exchange.agent,
        type_="pattern",
        content=_saying(_OPEN, said, about)
        if words
        else f"{_OPEN}{_shortened(masked(said), MAX_CONTENT_CHARS - 11)}",
        confidence=_SURE.get(exchange.outcome or "", 0.5),
        tag=OPEN_TAG,
        source=source,
        supersedes=answered[0].id if answered else None,
    )


def _saying_same(under_way: _Flush, how: str, words: str, about: str = "") -> list[Memory]:
    """The memories of any agent that say this of the same words of this deck.

    A question is worded anew each time, so of a cell without a label the words alone count.
    """
    content = _saying(how, words, about)
    start = content.removesuffix(about) + _ASKED if about.startswith(_ASKED) else None
    kept = memories(under_way.db, presenter=under_way.presenter)
    return [
        one
        for one in kept
        if under_way.tag in one.tags
        and (one.content == content or (start is not None and one.content.startswith(start)))
    ]


def _about(deck: Deck, exchange: Exchange) -> str:
    """What a quotation of less than two words is about: its row and column, else the question."""
    words = one_line(exchange.quote or "")
    if not words or len(words.split()) >= _FEWEST_WORDS:
        return ""
    turn = exchange.turns[0]
    question = one_line(turn.question.removeprefix(turn.lead_in))
    labels = {
        ", ".join(label for label in (row[0], table.rows[0][column]) if label.strip())
        for slide in deck.slides
        if slide.number == exchange.slide and exchange.said_at_s is None
        for table in slide.tables
        for row in table.rows[1:]
        for column, cell in enumerate(row[: len(table.rows[0])])
        if column and one_line(cell) == words
    } - {""}
    told = [one for one in labels if one.partition(", ")[0].casefold() in question.casefold()]
    found = list(labels) if len(labels) == 1 else told
    room = MAX_CONTENT_CHARS - len(_OPEN) - len(words) - len(_ASKED) - 4
    if len(found) == 1:
        return f" ({_shortened(masked(_plain(found[0])), room)})"
    return f"{_ASKED}{_shortened(masked(_plain(question)), room)}" if room > 0 else ""


def _plain(text: str) -> str:
    """Without quotation marks, by which a memory's own quotation ends."""
    return one_line(text.replace('"', "'"))


def _write(
    under_way: _Flush,
    agent: str,
    type_: str,
    content: str,
    confidence: float,
    tag: str,
    source: str,
    supersedes: str | None = None,
) -> None:
    written = write_memory(
        under_way.db,
        agent=agent,
        presenter=under_way.presenter,
        type=type_,
        content=content,
        confidence=confidence,
        tags=(tag, under_way.tag),
        source=source,
        now=under_way.now,
        supersedes=supersedes,
        confirms=True,
    )
    if written.is_new:
        under_way.written.append(written.memory)


def _saying(how: str, words: str, about: str = "") -> str:
    """'Left open: "…"', in what a memory may hold; what is quoted is whole words, and masked."""
    shown = masked(one_line(words))
    kept = _shortened(shown, MAX_CONTENT_CHARS - len(how) - len(about) - 4)
    return f'{how}"{kept}"{"" if kept == shown else " …"}{about}'


def _shortened(text: str, most_chars: int) -> str:
    if len(text) <= most_chars:
        return text
    kept, _, rest = text[: most_chars + 1].rpartition(" ")
    return kept.rstrip() if kept and len(rest) < 40 else text[:most_chars]


def _propose(under_way: _Flush, noted: Noted, source: str) -> None:
    """A goal that was stated is proposed; one that is too long to be kept whole is not."""
    if under_way.stays(noted.text):
        under_way.left_out += 1
        return
    if len(noted.text) > MAX_GOAL_CHARS:
        return
    try:
        goal = add_goal(
            under_way.db, under_way.presenter, noted.text, under_way.now, state="proposed", source=source
        )
    except MemoryRefusedError:  # there are enough of them
        return
    if goal.source == source:
        under_way.goals.append(goal)


def _move_goals(under_way: _Flush, exchange: Exchange) -> None:
    """Note which goals an answered question was about: those that share two telling words with it."""
    asked = _stems(f"{exchange.quote or ''} {exchange.turns[0].question}")
    for goal in goals(under_way.db, under_way.presenter, include_done=False):
        own = _stems(goal.text)
        if len(own & asked) >= min(_SHARED_STEMS, len(own)) > 0:
            move_goal(under_way.db, goal.id, f"{under_way.session}/{exchange.id}", under_way.now)


def _stems(text: str) -> set[str]:
    return {word[:6] for word in _WORD.findall(text.casefold()) if word not in _COMMON}
