"""Recall: the memories of an agent to bring to mind for a topic.

Three by relevance, then the two most recent of the others, each with the reason it was picked.
Each line of a topic is a subject of its own, as lines of slides are: a memory is as relevant as it is to
the line that it fits best, however many others it has nothing to do with.
Relevance is nearness of vectors where there is an embedder, else words in common; where neither
finds anything, the five most recent are all there is to go by. Superseded memories are not recalled.

Words are found by the full-text index, by stem. Their weights are those of BM25, taken over the agent's own
memories about this presenter and no others: FTS5's own `bm25` weighs a word by all rows of the table, so
what one presenter's panel recalls would change with what is kept about another.

Source: DESIGN.md, section 9; the seed 001 for three and two; Robertson and Zaragoza, "The Probabilistic
Relevance Framework: BM25 and Beyond", 2009.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import log
from typing import Final

from orchestrator.memory.consent import consented, is_given, name_in
from orchestrator.memory.database import MemoryDatabase, scope_of
from orchestrator.memory.embedding import Embedder, from_blob, similarity, to_blob
from orchestrator.memory.english import subjects_of, words_of
from orchestrator.memory.errors import EmbeddingError
from orchestrator.memory.memories import MEMORY, memories, memory_of
from orchestrator.memory.model import BY_RECENCY, BY_RELEVANCE, Memory, Recalled
from orchestrator.memory.validation import checked_agent, checked_time

MAX_TOPIC_CHARS: Final = 2_000
"""Of a topic's line that is embedded: small models read some 250 words, and ignore the rest."""
TOLD_WORDS: Final = 6
"""Of those in common, the rarest: as many as a reason names."""
_K1: Final = 1.2
_B: Final = 0.75
"""In the middle of what the source names as good for most texts: how soon a word that is repeated counts
no more, and how much a long text is held to say by its length alone."""


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

    Where there are no vectors, words that stand in every talk ("slide", "number") make nothing relevant.

    Nothing for a presenter who did not agree to be remembered. Being picked for relevance counts as
    use, which keeps a memory longer; being picked for its date does not. An embedder that fails is
    as good as none.
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
    telling: Callable[[str], tuple[str, ...]] = words_of,
) -> tuple[Recalled, ...]:
    """The memories most relevant to *query*, best first, by relevance alone; it counts as use.

    Args:
        telling: Which words of a line count, where there are no vectors.
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
    """Make the vectors that this model has not made yet; how many. No lock is held while it works.

    Raises:
        EmbeddingError: None can be made now.
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
    """The row numbers of memories, those nearest to any of the lines first, each with the reason."""
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
    """The row numbers of memories that share words with a line, best first, each with the reason.

    Any words are a line: nothing in them is read as a query. Of equals the newer comes first.
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
    """Where to look; None where there is nothing, or the presenter does not want it."""
    with db.reading():
        return scope_of(db, presenter, agent) if is_given(db, presenter) else None
