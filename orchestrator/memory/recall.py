"""Recall: what of an agent's memories to bring to mind for a topic.

Three by relevance, then the two most recent of the others, each with the reason it was picked.
Relevance is nearness of vectors where there is an embedder, else words in common; where neither
finds anything, the five most recent are all there is to go by. Superseded memories are not recalled.

Source: DESIGN.md, section 9.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from typing import Final

from orchestrator.memory.consent import is_given, name_in
from orchestrator.memory.database import MemoryDatabase, scope_of
from orchestrator.memory.embedding import Embedder, from_blob, similarity, to_blob
from orchestrator.memory.errors import EmbeddingError
from orchestrator.memory.memories import MEMORY, memories, memory_of
from orchestrator.memory.model import BY_RECENCY, BY_RELEVANCE, Memory, Recalled
from orchestrator.memory.telling_words import scored_by_words
from orchestrator.memory.validation import checked_agent, checked_time

MAX_TOPIC_CHARS: Final = 2_000
"""Of a topic that is embedded: small models read some 250 words, and ignore the rest."""


def recall(
    db: MemoryDatabase,
    *,
    agent: str,
    presenter: str,
    topic: str,
    embed: Embedder | None = None,
    now: str,
) -> tuple[Recalled, ...]:
    """At most five memories for *topic*: three by relevance, two by recency, none twice.

    Nothing for a presenter who did not agree to be remembered. Being picked for relevance counts as
    use, which keeps a memory longer; being picked for its date does not. An embedder that fails is
    as good as none.

    Raises:
        MemoryDatabaseError: The database cannot be read.
    """
    relevant = search_memories(
        db, agent=agent, presenter=presenter, query=topic, limit=BY_RELEVANCE, embed=embed, now=now
    )
    taken = {one.memory.id for one in relevant}
    with db.reading() as connection:
        agreed = is_given(connection, name_in(db, presenter))
        kept = memories(db, presenter=presenter, agent=agent) if agreed else ()
    others = [one for one in kept if one.id not in taken]
    count = BY_RECENCY if taken else BY_RELEVANCE + BY_RECENCY
    return (*relevant, *map(recent, others[:count]))


def recent(memory: Memory) -> Recalled:
    """A memory that was picked for its date."""
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
) -> tuple[Recalled, ...]:
    """The memories most relevant to *query*, best first, by relevance alone; it counts as use."""
    agent, presenter, at = checked_agent(agent), name_in(db, presenter), checked_time(now)
    found = _relevant(db, agent, presenter, query, embed, max(0, limit))
    if found:
        with db.transaction(durable=False) as connection:
            connection.executemany(
                "UPDATE memories SET recalled = recalled + 1, recalled_at = ? WHERE id = ?",
                [(at, one.memory.id) for one in found],
            )
    return found


def embed_missing(db: MemoryDatabase, *, agent: str, presenter: str, embed: Embedder) -> int:
    """Make the vectors that this model has not made yet; how many. No lock is held while it works.

    Raises:
        EmbeddingError: None can be made now.
    """
    presenter = name_in(db, presenter)
    with db.reading() as connection:
        missing = connection.execute(
            "SELECT n, content, tags FROM recallable WHERE scope = ? AND NOT EXISTS "
            "(SELECT 1 FROM embeddings WHERE memory = n AND model = ?) ORDER BY n",
            (_scope(connection, presenter, agent), embed.model),
        ).fetchall()
    if not missing:
        return 0
    vectors = embed.embed([_told(content, tags) for _, content, tags in missing])
    with db.transaction() as connection:
        for (number, content, tags), vector in zip(missing, vectors, strict=True):
            connection.execute(  # only where it still says what was embedded
                "INSERT OR REPLACE INTO embeddings "
                "SELECT n, ?, ? FROM recallable WHERE n = ? AND content = ? AND tags = ?",
                (embed.model, to_blob(vector), number, content, tags),
            )
    return len(missing)


def _told(content: str, tags: str) -> str:
    """What of a memory is made a vector: its content, and its tags behind it."""
    return " ".join([content, *json.loads(tags)])


def _relevant(
    db: MemoryDatabase, agent: str, presenter: str, topic: str, embed: Embedder | None, count: int
) -> tuple[Recalled, ...]:
    if embed is not None and topic.strip():
        with suppress(EmbeddingError):  # words will do
            return _by_meaning(db, agent, presenter, topic, embed, count)
    with db.reading() as connection:
        scope = _scope(connection, presenter, agent)
        scored = [] if scope is None else scored_by_words(connection, scope, topic)[:count]
        return tuple(_picked(connection, number, reason) for number, _, reason in scored)


def _by_meaning(
    db: MemoryDatabase, agent: str, presenter: str, topic: str, embed: Embedder, count: int
) -> tuple[Recalled, ...]:
    with db.reading() as connection:
        if _scope(connection, presenter, agent) is None:
            return ()
    embed_missing(db, agent=agent, presenter=presenter, embed=embed)
    (wanted,) = embed.embed([topic[:MAX_TOPIC_CHARS]])
    with db.reading() as connection:
        vectors = connection.execute(
            "SELECT memory, vector FROM embeddings JOIN recallable ON n = memory "
            "WHERE scope = ? AND model = ? ORDER BY memory DESC",
            (_scope(connection, presenter, agent), embed.model),
        ).fetchall()
        scored = [
            (similarity(wanted, vector), number)
            for number, blob in vectors
            if len(vector := from_blob(blob)) == len(wanted)
        ]
        scored.sort(key=lambda one: one[0], reverse=True)
        return tuple(
            _picked(connection, number, f"close in meaning: {score:.2f}") for score, number in scored[:count]
        )


def _picked(connection: sqlite3.Connection, number: int, reason: str) -> Recalled:
    row = connection.execute(f"{MEMORY} WHERE memories.n = ?", (number,)).fetchone()
    return Recalled(memory_of(row), reason)


def _scope(connection: sqlite3.Connection, presenter: str, agent: str) -> int | None:
    """Where to look; None where there is nothing, or the presenter does not want it."""
    return scope_of(connection, presenter, agent) if is_given(connection, presenter) else None
