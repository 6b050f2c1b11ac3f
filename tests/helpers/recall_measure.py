"""How often recall brings up the right memory: a labelled set, measured in each way of recalling.

`tests/memory/memories.yaml` holds 60 memories; `topics.yaml` the topics, written by somebody who saw
`subjects.md` and not the memories, each with the numbers of the memories that are right for it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.embedding import Embedder
from orchestrator.memory.memories import recall
from orchestrator.memory.presenter import set_consent
from tests.helpers.memories import write_memory

FOLDER = Path(__file__).resolve().parents[1] / "memory"
PRESENTER, AGENT = "Ines", "skeptic"
NOW = "2026-11-22T08:00:00Z"


@dataclass(frozen=True, slots=True)
class Topic:
    """What a session asks recall for, and the numbers of the memories that are right for it."""

    topic: str
    subjects: frozenset[int]


@dataclass(frozen=True, slots=True)
class Found:
    """What one way of recalling brought up, over all topics."""

    way: str
    topics: int
    any_right: int  # topics with at least one right memory among the five
    first_right: int  # topics whose first memory is right
    right: int  # right memories among the five, over all topics
    wanted: int  # right memories there are (five a topic at most)

    def line(self) -> str:
        any_share, first_share = self.any_right / self.topics, self.first_right / self.topics
        return (
            f"{self.way:14} a right memory among the five: {self.any_right:2} of {self.topics} topics "
            f"({any_share:4.0%})   the first is right: {first_share:4.0%}   "
            f"of all right ones: {self.right / self.wanted:4.0%}"
        )


def read_memories() -> list[dict[str, Any]]:
    """The labelled memories, by number."""
    plain: list[dict[str, Any]] = yaml.safe_load((FOLDER / "memories.yaml").read_text("utf-8"))
    return plain


def read_topics(path: Path | None = None) -> list[Topic]:
    """The topics, where somebody has written them."""
    path = path or FOLDER / "topics.yaml"
    if not path.is_file():
        return []
    plain = yaml.safe_load(path.read_text("utf-8"))
    return [Topic(one["topic"], frozenset(one["subjects"])) for one in plain]


def fill(db: MemoryDatabase) -> dict[str, int]:
    """Write the labelled memories, oldest first; their numbers by id."""
    set_consent(db, PRESENTER, True, NOW)
    numbers = {}
    with db.transaction():
        for one in sorted(read_memories(), key=lambda one: str(one["created_at"])):
            written = write_memory(
                db,
                agent=AGENT,
                presenter=PRESENTER,
                type=one["type"],
                content=one["content"],
                confidence=one["confidence"],
                tags=one["tags"],
                source=f"labelled/{one['n']}",
                now=one["created_at"],
            )
            numbers[written.memory.id] = int(one["n"])
    return numbers


def measure(folder: Path, topics: Sequence[Topic], ways: dict[str, Embedder | None]) -> list[Found]:
    """Recall every topic in each way: by these embedders (None: by words), by date alone, and by chance."""
    with MemoryDatabase.open(folder) as db:
        numbers = fill(db)
        found = [
            _score(way, topics, [_recalled(db, numbers, one.topic, embed) for one in topics])
            for way, embed in ways.items()
        ]
        by_date = _recalled(db, numbers, "", None)
        found.append(_score("recency alone", topics, [by_date] * len(topics)))
    draw = random.Random(5)
    by_chance = [draw.sample(sorted(numbers.values()), 5) for _ in topics]
    found.append(_score("chance", topics, by_chance))
    return found


def _recalled(
    db: MemoryDatabase, numbers: dict[str, int], topic: str, embed: Embedder | None
) -> Sequence[int]:
    picked = recall(db, agent=AGENT, presenter=PRESENTER, topic=topic, embed=embed, now=NOW)
    return [numbers[one.memory.id] for one in picked]


def _score(way: str, topics: Sequence[Topic], picked: Sequence[Sequence[int]]) -> Found:
    pairs = list(zip(topics, picked, strict=True))
    return Found(
        way,
        len(topics),
        sum(not one.subjects.isdisjoint(numbers) for one, numbers in pairs),
        sum(numbers[0] in one.subjects for one, numbers in pairs),
        sum(len(one.subjects.intersection(numbers)) for one, numbers in pairs),
        sum(min(5, len(one.subjects)) for one, _ in pairs),
    )
