"""The labelled set of recall is what it says, and recall by words beats what needs no words.

`scripts/bench memory labelled` prints the figures of all ways side by side.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from orchestrator.memory.english import words_of
from orchestrator.memory.model import MAX_CONTENT_CHARS, MIN_CONFIDENCE, TYPES
from tests.helpers.recall_measure import FOLDER, measure, read_memories, read_topics

SUBJECTS = re.findall(r"^(\d+)\. (.+)$", (FOLDER / "subjects.md").read_text("utf-8"), re.MULTILINE)
NO_TOPICS = "tests/memory/topics.yaml has not been written yet"


def test_there_are_60_memories_of_all_types_each_within_the_limits() -> None:
    found = read_memories()
    assert [one["n"] for one in found] == list(range(1, 61))
    assert set(Counter(one["type"] for one in found)) == set(TYPES)
    assert len({one["content"] for one in found}) == len({one["created_at"] for one in found}) == 60
    assert all(len(one["content"]) <= MAX_CONTENT_CHARS for one in found)
    assert all(MIN_CONFIDENCE <= one["confidence"] <= 1 for one in found)


def test_a_subject_tells_no_word_of_its_memory() -> None:
    assert [int(number) for number, _ in SUBJECTS] == list(range(1, 61))
    for (_, subject), one in zip(SUBJECTS, read_memories(), strict=True):
        told = set(words_of(subject)) & set(words_of(f"{one['content']} {' '.join(one['tags'])}"))
        assert told == set(), (one["n"], told)


@pytest.mark.skipif(not read_topics(), reason=NO_TOPICS)
def test_words_find_more_than_dates_do(tmp_path: Path) -> None:
    topics = read_topics()
    assert len(topics) == 40
    assert all(one.subjects and one.subjects <= set(range(1, 61)) for one in topics)
    assert len({one.topic for one in topics}) == 40
    by_words, by_date, by_chance = measure(tmp_path, topics, {"full text": None})
    assert by_words.any_right > max(by_date.any_right, by_chance.any_right)
