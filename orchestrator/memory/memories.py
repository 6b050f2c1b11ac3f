"""Memories: written once each, listed, edited, superseded; the least valuable of too many are evicted.

Every write checks the presenter's consent, the source, the content and the number of memories in the
transaction that adds the row, so any number of processes may write at once. A function that takes a memory's
id raises `UnknownMemoryError` if no memory has that id, or if the memory was evicted.

Source: DESIGN.md, section 9; interfaces.md, "Tools".
"""

from __future__ import annotations

import json
import re
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from datetime import datetime
from math import log, log2
from pathlib import Path
from typing import Any, Final

from orchestrator.core.legible import one_line
from orchestrator.core.table import SESSION_ID
from orchestrator.memory.database import (
    MemoryDatabase,
    existing,
    made_scope,
    new_id,
    note,
    scope_of,
    session_of,
)
from orchestrator.memory.embedding import Embedder, from_blob, similarity, to_blob
from orchestrator.memory.english import subjects_of, words_of
from orchestrator.memory.model import (
    BY_RECENCY,
    BY_RELEVANCE,
    MAX_MEMORIES,
    Act,
    EmbeddingError,
    Forgotten,
    Left,
    Memory,
    MemoryRefusedError,
    Recalled,
    UnknownMemoryError,
    Written,
)
from orchestrator.memory.presenter import consented, is_given, name_in, require
from orchestrator.memory.validation import checked_agent, checked_memory, checked_time, normalised

# ---------------------------------------------------------------------- memories


HALF_LIFE_DAYS: Final = 90.0
"""Days after which an unused memory is worth half: a quarter, since boards meet about that often. Our own."""
KEPT_LEFT: Final = 200
"""Maximum number of evicted memories that can still be listed, for each agent and presenter; older ones are
deleted."""
MEMORY: Final = "SELECT memories.*, agent, presenter FROM memories JOIN scopes ON scopes.n = scope "
"""The beginning of every query of memories; `memory_of` turns a row that it reads into a value."""
_THERE: Final = "left_at IS NULL"
_STANDS: Final = f"{_THERE} AND superseded_by IS NULL"
_OF_SOURCE: Final = "(source = ?2 OR memories.n IN (SELECT memory FROM rests WHERE rests.source = ?2))"
_RESTS: Final = "INSERT OR IGNORE INTO rests VALUES (?, ?, ?)"


def keep(
    db: MemoryDatabase, memory: Memory, *, supersedes: str | None = None, confirms: bool = False
) -> Written:
    """Store a memory about a presenter, or return the memory that says the same already.

    A memory says the same if it has the same source, or if it is not superseded and has the same content
    (spacing, letter case and a last stop aside). If the agent then has more than 200 memories, the least
    valuable are evicted. *supersedes* is the id of one of the agent's memories that the new one corrects.
    That memory stays in the database, is marked, and is no longer recalled.

    Args:
        memory: The memory to store. Its `id` is ignored, and a new id is given.
        confirms: If the same content came from another source before, the memory then rests on both sources,
            and its source and date are the new ones.

    Raises:
        NotConsentedError: The presenter did not agree to be remembered.
        MemoryRefusedError: A value may not be stored; the message says which.
    """
    agent, presenter = checked_agent(memory.agent), name_in(db, memory.presenter)
    at = checked_time(memory.created_at)
    new = replace(checked_memory(memory), id=new_id("m"), agent=agent, presenter=presenter, created_at=at)
    with db.transaction():
        require(db, presenter)
        scope = made_scope(db, presenter, agent)
        row = db.row(f"{MEMORY} WHERE scope = ?1 AND {_THERE} AND {_OF_SOURCE}", scope, new.source)
        row = row or _twin(db, scope, new)
        if row is not None:
            known = memory_of(row)
            return Written(_confirm(db, row["n"], known, new) if confirms else known, is_new=False)
        if supersedes is not None:
            _supersede(db, scope, supersedes, new)
        values = {"id": new.id, "scope": scope, **_columns(new)}
        number = db.write(
            f"INSERT INTO memories ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",  # noqa: S608 (our own names)
            *values.values(),
        ).lastrowid
        assert number is not None  # noqa: S101 (an INSERT has one)
        if new.source is not None:
            db.write(_RESTS, number, new.source, at)
        _index(db, number)
        note(db, at, "written", presenter, new.id, agent)
        return Written(new, True, _evict(db, scope, at, newest=number))


def memories(
    db: MemoryDatabase, *, presenter: str, agent: str | None = None, include_superseded: bool = False
) -> tuple[Memory, ...]:
    """Return the memories about a presenter, of all agents or of *agent* alone, newest first."""
    which = _THERE if include_superseded else _STANDS
    return tuple(map(memory_of, _listed(db, which, "created_at", presenter, agent)))


def left(db: MemoryDatabase, *, presenter: str, agent: str | None = None) -> tuple[Left, ...]:
    """Return the memories that were evicted because an agent had too many, the last evicted first.

    At most 200 are returned for each agent.
    """
    rows = _listed(db, "left_at IS NOT NULL", "left_at", presenter, agent)
    return tuple(Left(memory_of(row), row["left_at"]) for row in rows)


def memory(db: MemoryDatabase, memory_id: str) -> Memory:
    """Return the memory with this id, even if it is superseded."""
    return memory_of(row_of(db, memory_id))


def edit_memory(
    db: MemoryDatabase,
    memory_id: str,
    *,
    type: str | None = None,
    content: str | None = None,
    confidence: float | None = None,
    tags: Iterable[str] | None = None,
    now: str,
) -> Memory:
    """Change the given values of one memory, as the presenter wishes; the earlier words are wiped.

    The memory's vectors are deleted with the old words, and made again when memories are next searched.

    Raises:
        MemoryRefusedError: A value may not be stored, or another memory says the same already.
    """
    given: dict[str, Any] = {"type": type, "content": content, "confidence": confidence, "tags": tags}
    given = {name: value for name, value in given.items() if value is not None}
    with db.transaction():
        row = row_of(db, memory_id)
        before, number = memory_of(row), row["n"]
        changed = checked_memory(replace(before, **given))
        if changed == before:
            return before
        twin = _twin(db, row["scope"], changed)
        if twin is not None and changed.superseded_by is None and twin["n"] != number:
            raise MemoryRefusedError(f"{twin['id']} says the same already: edit or forget one of them")
        unindex(db, number)
        values = _columns(changed)
        assigned = ", ".join(f"{name} = ?" for name in values)
        db.write(f"UPDATE memories SET {assigned} WHERE n = ?", *values.values(), number)  # noqa: S608 (our own names)
        db.write("DELETE FROM embeddings WHERE memory = ?", number)
        _index(db, number)
        note(db, checked_time(now), "edited", changed.presenter, changed.id, changed.agent)
    if changed.words != before.words:
        db.wipe()
    return changed


def carried_into(home_root: Path | None, session_id: str, memory_ids: Iterable[str]) -> None:
    """Record that a session's ledger contains these memories, so that `forget` can name that session."""
    ids = tuple(memory_ids)
    carried = "INSERT OR IGNORE INTO carried (memory, session) SELECT n, ? FROM memories WHERE id = ?"
    with existing(home_root if ids else None) as db:
        if db is not None:
            with db.transaction():
                for one in ids:
                    db.write(carried, session_id, one)


def rehearsals_of(db: MemoryDatabase, presenter: str) -> dict[str, int]:
    """Count the sessions in which each memory about a presenter was found, by id; leave out counts of 1."""
    rows = db.rows(
        "SELECT memories.id, count(DISTINCT session_of(rests.source)) AS often FROM rests "
        "JOIN memories ON memories.n = rests.memory JOIN scopes ON scopes.n = scope "
        "WHERE presenter = ? AND instr(rests.source, '/') > 1 GROUP BY memories.n HAVING often > 1",
        name_in(db, presenter),
    )
    return {row["id"]: row["often"] for row in rows}


def history(db: MemoryDatabase, presenter: str) -> tuple[Act, ...]:
    """Return every write about a presenter, oldest first, without the content that was written."""
    acts = "SELECT at, act, item, agent FROM history WHERE presenter = ? ORDER BY n"
    return tuple(Act(*row) for row in db.rows(acts, name_in(db, presenter)))


def last_change(db: MemoryDatabase, presenter: str) -> int:
    """Return a number that grows with any change of what is stored about a presenter.

    A briefing made with a smaller number is outdated.
    """
    newest = "SELECT coalesce(max(n), 0) FROM history WHERE presenter = ?"
    return int(db.rows(newest, name_in(db, presenter))[0][0])


def worth(memory: Memory, now: str) -> float:
    """Return the value of keeping a memory: its confidence, decreasing with age and increasing with use.

    Age counts from the memory's last use, else from when it was written. A superseded memory is worth
    nothing.
    """
    if memory.superseded_by is not None:
        return 0.0
    since = datetime.fromisoformat(memory.recalled_at or memory.created_at)
    days = max(0.0, (datetime.fromisoformat(now) - since).total_seconds() / 86_400)
    fresh: float = 0.5 ** (days / HALF_LIFE_DAYS)
    # One use adds half as much again, and each doubling of 1 + uses another half.
    return memory.confidence * fresh * (1 + log2(1 + memory.recalled) / 2)


def memory_of(row: sqlite3.Row) -> Memory:
    """Return the memory in a row that a query beginning with `MEMORY` read."""
    values = {field.name: row[field.name] for field in fields(Memory)}
    return Memory(**{**values, "tags": tuple(json.loads(row["tags"]))})


def row_of(db: MemoryDatabase, memory_id: str, *, also_left: bool = False) -> sqlite3.Row:
    """Return the row of one memory; *also_left* includes evicted ones."""
    row = db.row(f"{MEMORY} WHERE memories.id = ? AND {'TRUE' if also_left else _THERE}", memory_id)
    if row is None:
        shown = one_line(memory_id)[:40]
        raise UnknownMemoryError(f"there is no memory {shown!r}: `greenroom memory list` shows their ids")
    return row


def stand_again(db: MemoryDatabase, memory_id: str) -> None:
    """Restore a memory whose successor is gone, unless it was evicted or another memory says the same now."""
    row = db.row(f"{MEMORY} WHERE memories.id = ? AND {_THERE}", memory_id)
    if row is not None and _twin(db, row["scope"], memory_of(row)) is None:
        db.write("UPDATE memories SET superseded_by = NULL WHERE n = ?", row["n"])
        _index(db, row["n"])


def unindex(db: MemoryDatabase, number: int) -> None:
    """Remove a memory's words from the index, if present; call it before the row is changed or deleted."""
    db.write(
        "INSERT INTO words (words, rowid, scope, content, tags) "
        "SELECT 'delete', n, scope, content, tags FROM recallable WHERE n = ?",
        number,
    )


def _index(db: MemoryDatabase, number: int) -> None:
    """Index one memory's words, unless it is superseded."""
    db.write(
        "INSERT INTO words (rowid, scope, content, tags) "
        "SELECT n, scope, content, tags FROM recallable WHERE n = ?",
        number,
    )


def _listed(db: MemoryDatabase, which: str, by: str, presenter: str, agent: str | None) -> list[sqlite3.Row]:
    return db.rows(
        f"{MEMORY} WHERE {which} AND presenter = ?1 AND (?2 IS NULL OR agent = ?2) "
        f"ORDER BY {by} DESC, memories.n DESC",
        name_in(db, presenter),
        agent,
    )


def _twin(db: MemoryDatabase, scope: int, memory: Memory) -> sqlite3.Row | None:
    """Return the row of the memory that says the same as *memory*, or None if there is none."""
    words = normalised(memory.content)
    return db.row(f"{MEMORY} WHERE scope = ? AND {_STANDS} AND normalised = ?", scope, words)


def _confirm(db: MemoryDatabase, number: int, known: Memory, again: Memory) -> Memory:
    """Record that *known* was found again, as *again*; the newer of the two gives the source and date."""
    source, at = again.source, again.created_at
    rests_on_it = "SELECT 1 FROM rests WHERE memory = ? AND source = ?"
    if source is None or db.rows(rests_on_it, number, source):
        return known
    db.write(_RESTS, number, known.source or "", known.created_at)  # "": it was said without a source
    db.write(_RESTS, number, source, at)
    if at >= known.created_at:
        known = replace(known, source=source, created_at=at)
        db.write("UPDATE memories SET source = ?, created_at = ? WHERE n = ?", source, at, number)
    note(db, at, "confirmed", known.presenter, known.id, known.agent)
    return known


def _supersede(db: MemoryDatabase, scope: int, old: str, new: Memory) -> None:
    row = row_of(db, old)
    if row["scope"] != scope:
        raise UnknownMemoryError(f"{old[:40]} is no memory of {new.agent} about {new.presenter}")
    if row["superseded_by"] is not None:
        raise MemoryRefusedError(f"{old} was superseded by {row['superseded_by']} already: supersede that")
    unindex(db, row["n"])
    db.write("UPDATE memories SET superseded_by = ? WHERE n = ?", new.id, row["n"])
    note(db, new.created_at, "superseded", new.presenter, old, new.agent)


def _columns(memory: Memory) -> dict[str, Any]:
    """Return the columns that are written for a memory; the database fills in the other columns."""
    same = ("type", "content", "confidence", "source", "created_at")
    return {
        **{name: getattr(memory, name) for name in same},
        "normalised": normalised(memory.content),
        "tags": json.dumps(memory.tags, ensure_ascii=False),
    }


def _evict(db: MemoryDatabase, scope: int, now: str, *, newest: int) -> tuple[Memory, ...]:
    """Evict the least valuable memories until 200 are left; return those evicted.

    The memory *newest*, which was just written, is not evicted, because its writer is told that it is stored.
    """
    rows = db.rows(f"{MEMORY} WHERE scope = ? AND {_THERE}", scope)
    excess = len(rows) - MAX_MEMORIES
    if excess <= 0:
        return ()
    others = [(row["n"], memory_of(row)) for row in rows if row["n"] != newest]
    leaving = sorted(others, key=lambda one: (worth(one[1], now), one[1].created_at, one[0]))[:excess]
    for number, memory in leaving:
        unindex(db, number)
        db.write("DELETE FROM embeddings WHERE memory = ?", number)
        db.write("UPDATE memories SET left_at = ? WHERE n = ?", now, number)
        note(db, now, "left", memory.presenter, memory.id, memory.agent)
    db.write(
        "DELETE FROM memories WHERE scope = ?1 AND left_at IS NOT NULL AND n NOT IN (SELECT n FROM memories "
        "WHERE scope = ?1 AND left_at IS NOT NULL ORDER BY left_at DESC, n DESC LIMIT ?2)",
        scope,
        KEPT_LEFT,
    )
    return tuple(memory for _, memory in leaving)


# ---------------------------------------------------------------------- recall
# Recall: the memories of an agent to bring to mind for a topic.
#
# Three by relevance, then the two most recent of the others, each with the reason it was picked. Each line
# of a topic is a subject of its own, as lines of slides are: a memory is as relevant as it is to the line
# that it fits best, however many others it has nothing to do with. Relevance is nearness of vectors where
# there is an embedder, else words in common; where neither finds anything, the five most recent are all
# there is to go by. Superseded memories are not recalled.
#
# Words are found by the full-text index, by stem. Their weights are those of BM25, taken over the agent's
# own memories about this presenter and no others: FTS5's own `bm25` weighs a word by all rows of the
# table, so what one presenter's panel recalls would change with what is kept about another.
#
# Source: DESIGN.md, section 9; the seed 001 for three and two; Robertson and Zaragoza, "The Probabilistic
# Relevance Framework: BM25 and Beyond", 2009.


MAX_TOPIC_CHARS: Final = 2_000
"""Maximum number of characters of a topic's line that is embedded; small models ignore all but some 250
words."""
TOLD_WORDS: Final = 6
"""Maximum number of shared words that a reason names: the rarest of them."""
_K1: Final = 1.2
_B: Final = 0.75
"""The constant b of BM25: how much a text is held to say by its length alone.

It is in the middle of what the source names as good for most texts, as is the other constant (`_K1`): how
soon a word that is repeated counts no more.
"""


def recall(
    db: MemoryDatabase,
    *,
    agent: str,
    presenter: str,
    topic: str,
    embed: Embedder | None = None,
    now: str,
) -> tuple[Recalled, ...]:
    """Recall at most five memories for *topic*: three by relevance and two by recency, without repetition.

    If there are no vectors, words that occur in every talk ("slide", "number") do not make a memory relevant.

    Nothing is recalled for a presenter who did not agree to be remembered. Being picked for relevance counts
    as use, so the memory stays longer; being picked for its date does not. An embedder that fails counts as a
    missing one.
    """
    relevant = search_memories(
        db,
        agent=agent,
        presenter=presenter,
        query=topic,
        limit=BY_RELEVANCE,
        embed=embed,
        now=now,
        telling=subjects_of,
    )
    taken = {one.memory.id for one in relevant}
    with db.reading():
        agreed = consented(db, presenter)
        kept = memories(db, presenter=presenter, agent=agent) if agreed else ()
    others = [one for one in kept if one.id not in taken]
    count = BY_RECENCY if taken else BY_RELEVANCE + BY_RECENCY
    return (*relevant, *map(recent, others[:count]))


def recent(memory: Memory) -> Recalled:
    """Return *memory* as one that was recalled for its date."""
    return Recalled(memory, f"recent: {memory.created_at[:10]}")


def search_memories(
    db: MemoryDatabase,
    *,
    agent: str,
    presenter: str,
    query: str,
    limit: int = 5,
    embed: Embedder | None = None,
    now: str,
    telling: Callable[[str], tuple[str, ...]] = words_of,
) -> tuple[Recalled, ...]:
    """Return the memories most relevant to *query*, best first; each one returned counts as used.

    Args:
        telling: Returns the words of a line that count if there are no vectors.
    """
    agent, presenter, at = checked_agent(agent), name_in(db, presenter), checked_time(now)
    wanted: list[array[float]] = []
    lines = [line[:MAX_TOPIC_CHARS] for line in query.splitlines() if line.strip()]
    if embed is not None and lines and _scope(db, presenter, agent) is not None:
        with suppress(EmbeddingError):  # words will do
            embed_missing(db, agent=agent, presenter=presenter, embed=embed)
            wanted = embed.embed(lines)
    with db.reading():
        scope = _scope(db, presenter, agent)
        if scope is None:
            return ()
        if embed is not None and wanted:
            near = _by_meaning(db, scope, wanted, embed.model)
        else:
            near = _by_words(db, scope, [telling(line) for line in query.splitlines()])
        rows = [(db.rows(f"{MEMORY} WHERE memories.n = ?", number), why) for number, why in near[:limit]]
        found = tuple(Recalled(memory_of(row), why) for (row,), why in rows)
    if found:
        # A use that a power cut undoes costs nothing, so that no recall waits for the disk.
        with db.transaction(durable=False):
            for one in found:
                used = "UPDATE memories SET recalled = recalled + 1, recalled_at = ? WHERE id = ?"
                db.write(used, at, one.memory.id)
    return found


def embed_missing(db: MemoryDatabase, *, agent: str, presenter: str, embed: Embedder) -> int:
    """Make the vectors of this model that are missing, holding no lock meanwhile; return their number.

    Raises:
        EmbeddingError: No vectors can be made now.
    """
    with db.reading():
        missing = db.rows(
            "SELECT n, content, tags FROM recallable WHERE scope = ? AND NOT EXISTS "
            "(SELECT 1 FROM embeddings WHERE memory = n AND model = ?) ORDER BY n",
            _scope(db, name_in(db, presenter), agent),
            embed.model,
        )
    if not missing:
        return 0
    vectors = embed.embed([" ".join([row["content"], *json.loads(row["tags"])]) for row in missing])
    with db.transaction():
        for row, vector in zip(missing, vectors, strict=True):
            db.write(  # only where it still says what was embedded
                "INSERT OR REPLACE INTO embeddings "
                "SELECT n, ?, ? FROM recallable WHERE n = ? AND content = ? AND tags = ?",
                embed.model,
                to_blob(vector),
                *row,
            )
    return len(missing)


def _by_meaning(
    db: MemoryDatabase, scope: int, wanted: Sequence[array[float]], model: str
) -> list[tuple[int, str]]:
    """Return row numbers and reasons of memories, those first that are nearest to any of the lines."""
    vectors = db.rows(
        "SELECT memory, vector FROM embeddings JOIN recallable ON n = memory "
        "WHERE scope = ? AND model = ? ORDER BY memory DESC",
        scope,
        model,
    )
    scored = [
        (max(similarity(line, vector) for line in wanted), number)
        for number, blob in vectors
        if len(vector := from_blob(blob)) == len(wanted[0])  # two models may have one name
    ]
    scored.sort(key=lambda one: -one[0])  # of equals the newer stays first
    return [(number, f"close in meaning: {score:.2f}") for score, number in scored]


def _by_words(db: MemoryDatabase, scope: int, lines: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
    """Return row numbers and reasons of memories that share words with a line, best first.

    A line may contain any words: none of them is read as query syntax. Of equally good memories the newer
    comes first.
    """
    ((total,),) = db.rows("SELECT count(*) FROM recallable WHERE scope = ?", scope)
    weights: dict[str, float] = {}
    having: dict[str, set[int]] = {}  # the memories in which a word stands
    lengths: dict[int, int] = {}
    for word in dict.fromkeys(word for line in lines for word in line):
        rows = db.rows(
            "SELECT n, length(memories.content) FROM words JOIN memories ON n = words.rowid "
            "WHERE words MATCH ?",
            f'scope : "{scope}" AND {{content tags}} : "{word}"',
        )
        weights[word] = log(1 + (total - len(rows) + 0.5) / (len(rows) + 0.5))
        having[word] = {number for number, _ in rows}
        lengths.update((number, length) for number, length in rows)
    scored = []
    for number, length in lengths.items():
        relative = length * len(lengths) / sum(lengths.values())  # 1: as long as most
        share = (_K1 + 1) / (1 + _K1 * (1 - _B + _B * relative))
        shared = ([word for word in line if number in having[word]] for line in lines)
        best = max(shared, key=lambda words: sum(weights[word] for word in words))
        words = sorted(best, key=lambda word: -weights[word])[:TOLD_WORDS]
        reason = f"words in common: {', '.join(words)}"
        scored.append((share * sum(weights[word] for word in best), number, reason))
    return [(number, reason) for _, number, reason in sorted(scored, reverse=True)]


def _scope(db: MemoryDatabase, presenter: str, agent: str) -> int | None:
    """Return the number of the scope to search, or None.

    None means that the scope does not exist or that the presenter did not agree.
    """
    with db.reading():
        return scope_of(db, presenter, agent) if is_given(db, presenter) else None


# ---------------------------------------------------------------------- forgetting
# Forgetting: memories go from the database, its index, its vectors and its log.
#
# Memories that left, or are superseded, can be forgotten as well. Forgetting touches no session: those
# whose ledgers quote what went are named.


_QUOTED: Final = re.compile(r'"(.{4,})"')  # shorter words stand on many a page by chance
_RESTING: Final = "memories.n IN (SELECT memory FROM rests WHERE session_of(rests.source) = ?)"
"""The condition for memories that a session supports, alone or beside other sessions."""
_OF_FORGOTTEN_SOURCE: Final = "memories.n IN (SELECT memory FROM rests WHERE rests.source = ?)"
_KEPT_OF: Final = (
    ("scratchpads", "(SELECT presenter FROM scopes WHERE n = scope)"),
    ("scopes", "presenter"),
    ("goals", "presenter"),
    ("consents", "presenter"),
    ("dismissed", "presenter"),
    ("history", "presenter"),
)
"""Each table, besides that of memories, that stores something about a presenter, with its column for the
presenter."""


def forget(db: MemoryDatabase, *memory_ids: str, now: str) -> Forgotten:
    """Remove these memories for good; if one is unknown, remove none.

    Raises:
        UnknownMemoryError: No memory has one of these ids; then none is removed.
    """
    with db.transaction():
        rows = [row_of(db, one, also_left=True) for one in dict.fromkeys(memory_ids)]
        gone = _remove(db, rows, checked_time(now))
    return replace(gone, is_wiped=db.wipe())


def forget_session(db: MemoryDatabase, session_id: str, *, now: str, title: str = "") -> Forgotten:
    """Remove each memory that rests on a session alone: its only source is the session or within it.

    A memory that another session supports as well stays, with that session's source and date. A memory that
    the presenter edited stays too, and so does a goal that the presenter took up. The result names everything
    that stays, including the scratchpad pages that contain the deck's *title*, under which agents write down
    what they asked.
    """
    at = checked_time(now)
    with db.transaction():
        found = db.rows(f"{MEMORY} WHERE {_RESTING}", session_id)
        db.write("DELETE FROM rests WHERE session_of(source) = ?", session_id)
        staying = [row for row in found if _stays(db, row)]
        gone = _remove(db, [row for row in found if row not in staying], at)
        goals = db.write(
            "DELETE FROM goals WHERE session_of(source) = ? AND state = 'proposed' RETURNING id, presenter",
            session_id,
        ).fetchall()
        taken_up = db.rows("SELECT id FROM goals WHERE session_of(source) = ?", session_id)
        db.write("DELETE FROM goal_moves WHERE session_of(exchange) = ?", session_id)
        for goal, presenter in goals:
            note(db, at, "forgotten", presenter, goal, None)
        db.write("DELETE FROM carried WHERE session = ?", session_id)
        db.write("DELETE FROM dismissed WHERE session = ?", session_id)
    return replace(
        gone,
        ids=(*gone.ids, *(row["id"] for row in goals)),
        sessions=tuple(one for one in gone.sessions if one != session_id),
        pages=tuple(dict.fromkeys([*gone.pages, *_pages_that_hold(db, [(None, normalised(title))])])),
        is_wiped=db.wipe(),
        memories=tuple(row["id"] for row in staying),
        goals=tuple(row["id"] for row in taken_up),
    )


def resting_on(db: MemoryDatabase, session_id: str) -> tuple[int, int]:
    """Count the memories and goals that `forget_session` would remove, and those that it would leave."""
    with db.reading():
        found = db.rows(f"{MEMORY} WHERE {_RESTING}", session_id)
        elsewhere = "SELECT 1 FROM rests WHERE memory = ? AND session_of(source) IS NOT ?"
        staying = [row for row in found if db.rows(elsewhere, row["n"], session_id) or _is_edited(db, row)]
        goals = db.rows("SELECT state FROM goals WHERE session_of(source) = ?", session_id)
    proposed = sum(state == "proposed" for (state,) in goals)
    return len(found) - len(staying) + proposed, len(staying) + len(goals) - proposed


def forget_agent(db: MemoryDatabase, presenter: str, agent: str, *, now: str) -> Forgotten:
    """Remove everything that an agent has stored about a presenter: its memories and its scratchpad."""
    name, at = name_in(db, presenter), checked_time(now)
    with db.transaction():
        scope = scope_of(db, name, agent)
        gone = _remove(db, db.rows(f"{MEMORY} WHERE scope = ?", scope), at)
        if db.write("DELETE FROM scratchpads WHERE scope = ?", scope).rowcount:
            note(db, at, "forgotten", name, agent, agent)
    return replace(gone, is_wiped=db.wipe(), pages=())


def forget_presenter(db: MemoryDatabase, presenter: str) -> Forgotten:
    """Remove everything about a presenter: memories, pages, goals, consent, dismissals and history."""
    name = name_in(db, presenter)
    with db.transaction():
        gone = _remove(db, db.rows(f"{MEMORY} WHERE presenter = ?", name), None)
        goals = db.rows("SELECT id, source FROM goals WHERE presenter = ?", name)
        for table, presenter_of in _KEPT_OF:
            db.write(f"DELETE FROM {table} WHERE {presenter_of} = ?", name)  # noqa: S608 (our own names)
    sessions = {*gone.sessions, *_sessions_of(source for _, source in goals)}
    ids = (*gone.ids, *(goal for goal, _ in goals))
    return replace(gone, ids=ids, sessions=tuple(sorted(sessions)), is_wiped=db.wipe(), pages=())


def withdraw(db: MemoryDatabase, source: str, *, now: str) -> None:
    """Withdraw the memories that rest on *source* alone, and restore the memories that they had superseded.

    A memory that another source supports as well, or that the presenter edited, stays.
    """
    found = db.rows(f"{MEMORY} WHERE {_OF_FORGOTTEN_SOURCE}", source)
    db.write("DELETE FROM rests WHERE source = ?", source)
    for row in found:
        if _stays(db, row):
            continue
        _remove(db, [row], None)
        note(db, now, "withdrawn", row["presenter"], row["id"], row["agent"])
        for (old,) in db.rows("SELECT id FROM memories WHERE superseded_by = ?", row["id"]):
            stand_again(db, old)


def _stays(db: MemoryDatabase, row: sqlite3.Row) -> bool:
    """Return whether a memory rests on another source, which it now names, or on the presenter's word."""
    newest = "SELECT source, at FROM rests WHERE memory = ? ORDER BY at DESC, rowid DESC LIMIT 1"
    if (left := db.row(newest, row["n"])) is not None:
        changed = (left["source"] or None, left["at"], row["n"])
        db.write("UPDATE memories SET source = ?, created_at = ? WHERE n = ?", *changed)
        return True
    return _is_edited(db, row)


def _is_edited(db: MemoryDatabase, row: sqlite3.Row) -> bool:
    """Return whether the presenter edited a memory, so that it rests on the presenter's own word."""
    edited = "SELECT 1 FROM history WHERE act = 'edited' AND presenter = ? AND item = ?"
    return bool(db.rows(edited, row["presenter"], row["id"]))


def _remove(db: MemoryDatabase, rows: Sequence[sqlite3.Row], at: str | None) -> Forgotten:
    """Delete the memories in *rows*, and find the sessions and pages that still quote them.

    If *at* is None, the deletion is not added to the history.
    """
    sessions = _sessions_of(row["source"] for row in rows)
    for row in rows:
        number = row["n"]
        rests = db.rows("SELECT source FROM rests WHERE memory = ?", number)
        sessions |= _sessions_of(source for (source,) in rests)
        carried = db.rows("SELECT session FROM carried WHERE memory = ?", number)
        sessions |= {str(session) for (session,) in carried}
        unindex(db, number)
        db.write("DELETE FROM memories WHERE n = ?", number)  # vectors go with it
        if at is not None:
            note(db, at, "forgotten", row["presenter"], row["id"], row["agent"])
    pages = _pages_that_quote(db, map(memory_of, rows))
    return Forgotten(tuple(row["id"] for row in rows), tuple(sorted(sessions)), False, pages)


def _pages_that_quote(db: MemoryDatabase, gone: Iterable[Memory]) -> tuple[tuple[str, str], ...]:
    """Return presenter and agent of each scratchpad, replaced pages included, that quotes one of *gone*."""
    return _pages_that_hold(db, [(one.presenter, _told_words(one.content)) for one in gone])


def _pages_that_hold(
    db: MemoryDatabase, words: Sequence[tuple[str | None, str]]
) -> tuple[tuple[str, str], ...]:
    """Return the pages that contain one of these texts.

    Each text comes with the presenter whose pages are searched, or with None to search everybody's.
    """
    pages = db.rows(
        "SELECT presenter, agent, content FROM scratchpads JOIN scopes ON n = scope "
        "ORDER BY presenter, agent, revision"
    )
    holding = [
        (page["presenter"], page["agent"])
        for page in pages
        if any(
            told and name in (None, page["presenter"]) and told in normalised(page["content"])
            for name, told in words
        )
    ]
    return tuple(dict.fromkeys(holding))


def _told_words(content: str) -> str:
    """Return the quotation in a memory, perhaps shortened, or the whole content if it quotes nothing."""
    quoted = _QUOTED.search(content)
    return normalised(quoted[1] if quoted else content)


def _sessions_of(sources: Iterable[str | None]) -> set[str]:
    """Return the sessions of those *sources* that name a record or an exchange."""
    found = {session_of(source) or "" for source in sources if source is not None and "/" in source}
    return {one for one in found if SESSION_ID.fullmatch(one)}
