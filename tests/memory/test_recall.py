"""Three by relevance, two by recency, none twice, each with its reason; nobody else's, ever."""

from __future__ import annotations

import random
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.embedding import Embedder, HttpEmbedder
from orchestrator.memory.english import words_of
from orchestrator.memory.memories import edit_memory, embed_missing, memory, recall, search_memories
from orchestrator.memory.model import EmbeddingError
from tests.helpers.embeddings_server import EmbeddingsServer
from tests.helpers.memories import INES, NOW, at, keep, opened, write_memory

CONTENTS = (
    "Churn is quoted per month when speaking and per year on the slide.",
    "Cash lasts to August only if the grant arrives.",
    "Growth was measured from a strike year.",
    "The yard builds every hull; no second bidder.",
    "Speeds up on the finance slides.",
    "The permit slipped from June to September.",
    "Jokes when there is no answer.",
    "Charts begin at 80 instead of zero.",
)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[MemoryDatabase]:
    """Ines's panel has eight memories, the last the newest; Omar's has others of the same words."""
    with opened(tmp_path, "Omar") as database:
        for day, content in enumerate(CONTENTS):
            keep(database, content, now=at(day))
            keep(database, f"Omar too: {content}", presenter="Omar", now=at(day))
            keep(database, f"The analyst says: {content}", agent="analyst", now=at(day))
        yield database


def recalled(db: MemoryDatabase, topic: str, embed: Embedder | None = None) -> list[tuple[int, str]]:
    """Which of CONTENTS, and why."""
    found = recall(db, agent="skeptic", presenter=INES, topic=topic, embed=embed, now=at(30))
    return [(CONTENTS.index(one.memory.content), one.reason) for one in found]


class Broken:
    model = "broken"

    def embed(self, texts: Sequence[str]) -> list[array[float]]:
        raise EmbeddingError("not now")


# ---------------------------------------------------------------------- by words


def test_three_by_relevance_then_two_by_recency_and_none_twice(db: MemoryDatabase) -> None:
    assert recalled(db, "Slide 3: churn per year, and its growth; the charts") == [
        (0, "words in common: churn, per, year"),  # the rarest first, and no slide: every talk has slides
        (2, "words in common: growth, year"),
        (7, "words in common: charts"),
        (6, "recent: 2026-11-28"),
        (5, "recent: 2026-11-27"),
    ]


def test_words_are_found_in_other_forms_and_in_tags(db: MemoryDatabase) -> None:
    assert recalled(db, "building")[0] == (3, "words in common: building")
    tagged = keep(db, "Nothing in it.", tags=("runway",), now=at(-9))
    found = recall(db, agent="skeptic", presenter=INES, topic="How long is the runway?", now=at(30))
    assert (found[0].memory.id, found[0].reason) == (tagged.id, "words in common: runway")


def test_a_rare_word_weighs_more_than_a_common_one(db: MemoryDatabase) -> None:
    for n in range(20):
        keep(db, f"The slide again, number {n}, and slides.", now=at(-n - 1))
    found = search_memories(db, agent="skeptic", presenter=INES, query="slide about the hull", now=NOW)
    assert found[0].memory.content == CONTENTS[3]
    assert len(found) == 5


def test_without_a_word_in_common_recency_is_all_there_is(db: MemoryDatabase) -> None:
    recent = [(7, "29"), (6, "28"), (5, "27"), (4, "26"), (3, "25")]
    expected = [(number, f"recent: 2026-11-{day}") for number, day in recent]
    for topic in ("", "   ", "xylophone", "the and of", "?!*"):
        assert recalled(db, topic) == expected
    assert search_memories(db, agent="skeptic", presenter=INES, query="xylophone", now=NOW) == ()


def test_fewer_memories_are_fewer_recalled(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        assert recall(db, agent="skeptic", presenter=INES, topic="churn", now=NOW) == ()
        keep(db, "Churn.")
        keep(db, "Anything else.")
        found = recall(db, agent="skeptic", presenter=INES, topic="churn", now=NOW)
        assert [one.memory.content for one in found] == ["Churn.", "Anything else."]


def test_what_one_panel_recalls_does_not_depend_on_anothers(db: MemoryDatabase) -> None:
    topic = "growth of cash per year on the slide"
    before = recall(db, agent="skeptic", presenter=INES, topic=topic, now=NOW)
    for n in range(150):
        keep(db, f"Growth {n} of cash, cash, cash.", presenter="Omar")
        keep(db, f"Year {n} on a slide.", agent="analyst")
    after = recall(db, agent="skeptic", presenter=INES, topic=topic, now=NOW)
    assert [(one.memory.id, one.reason) for one in after] == [(one.memory.id, one.reason) for one in before]


@given(topic=st.text(max_size=300))
@example(topic='" OR 1 NEAR(a b) content: -x ^y * AND NOT (')
@example(topic="scope:1 OR scope : 2")
@example(topic="'; DROP TABLE memories; --")
@example(topic="churn\0churn \ud800 {content tags} : x")
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_a_topic_and_none_is_a_query(db: MemoryDatabase, topic: str) -> None:
    found = recall(db, agent="skeptic", presenter=INES, topic=topic, now=at(30))
    assert 2 <= len(found) <= 5
    assert len({one.memory.id for one in found}) == len(found)
    assert {(one.memory.agent, one.memory.presenter) for one in found} == {("skeptic", INES)}


def test_each_line_of_a_topic_is_a_subject_of_its_own(tmp_path: Path) -> None:
    topic = "Boats\nHulls\nTowns\nPorts\nThe tariff of May"
    with opened(tmp_path) as db:
        for content in ("Knows boats, hulls, towns and ports.", "The tariff rises in May, it was said."):
            keep(db, content)
        by_line, in_one = (
            [one.reason for one in search_memories(db, agent="skeptic", presenter=INES, query=query, now=NOW)]
            for query in (topic, topic.replace("\n", " "))
        )
    assert by_line == ["words in common: tariff, may", "words in common: boats"]
    assert in_one == ["words in common: boats, hulls, towns, ports", "words in common: tariff, may"]


def test_a_topic_is_its_telling_words() -> None:
    assert words_of("Is the CHURN of 4.2% why we're leaving? Churn!") == ("churn", "4", "2", "re", "leaving")
    assert len(words_of(" ".join(f"word{n}" for n in range(500)))) == 64


def test_what_was_of_use_is_counted_and_what_is_only_recent_is_not(db: MemoryDatabase) -> None:
    found = recall(db, agent="skeptic", presenter=INES, topic="hull", now=at(30))
    assert [(one.memory.recalled, one.memory.recalled_at) for one in found] == [(0, None)] * 3
    uses = [(memory(db, one.memory.id).recalled, memory(db, one.memory.id).recalled_at) for one in found]
    assert uses == [(1, at(30)), (0, None), (0, None)]
    search_memories(db, agent="skeptic", presenter=INES, query="hull", now=at(31))
    used = memory(db, found[0].memory.id)
    assert (used.recalled, used.recalled_at) == (2, at(31))


@pytest.mark.parametrize("limit", [0, 1, 4, 200])
def test_a_search_gives_at_most_its_limit(db: MemoryDatabase, limit: int) -> None:
    found = search_memories(
        db, agent="skeptic", presenter=INES, query="slide year charts hull cash", limit=limit, now=NOW
    )
    assert len(found) == min(limit, 6)


# ---------------------------------------------------------------------- by meaning


def test_vectors_find_what_shares_no_word(db: MemoryDatabase) -> None:
    with EmbeddingsServer() as server:
        found = recalled(db, "people who cancel and depart", HttpEmbedder(server.url, "small"))
    assert found[0][0] == 0
    assert found[0][1] == "close in meaning: 1.00"
    assert [reason.partition(":")[0] for _, reason in found] == ["close in meaning"] * 3 + ["recent"] * 2
    assert len({number for number, _ in found}) == 5


def test_vectors_are_made_once_beside_each_memory(db: MemoryDatabase) -> None:
    with EmbeddingsServer() as server:
        embed = HttpEmbedder(server.url, "small")
        assert embed_missing(db, agent="skeptic", presenter=INES, embed=embed) == 8
        assert embed_missing(db, agent="skeptic", presenter=INES, embed=embed) == 0
        assert [one["input"] for one in server.requests] == [list(CONTENTS)]  # nobody else's were sent
        recalled(db, "churn", embed)
        assert server.requests[1:] == [{"model": "small", "input": ["churn"]}]


def test_an_edited_memory_gets_a_new_vector(db: MemoryDatabase) -> None:
    with EmbeddingsServer() as server:
        embed = HttpEmbedder(server.url, "small")
        found = recall(db, agent="skeptic", presenter=INES, topic="cancel", embed=embed, now=NOW)
        edit_memory(db, found[0].memory.id, content="Rising more and more.", now=NOW)
        again = recall(db, agent="skeptic", presenter=INES, topic="increase", embed=embed, now=NOW)
        assert "Rising more and more." in {one.memory.content for one in again[:2]}
        assert ["Rising more and more."] in [one["input"] for one in server.requests]


def test_vectors_of_another_model_are_not_compared(db: MemoryDatabase) -> None:
    with EmbeddingsServer() as server:
        old, new = HttpEmbedder(server.url, "old"), HttpEmbedder(server.url, "new")
        embed_missing(db, agent="skeptic", presenter=INES, embed=old)
        server.requests.clear()
        recalled(db, "churn", new)
        assert server.requests[0] == {"model": "new", "input": list(CONTENTS)}  # made anew
        with db.transaction() as connection:  # as if those of the new model were made of other sizes
            connection.execute("UPDATE embeddings SET vector = x'0000803f' WHERE model = 'new'")
        assert [reason for _, reason in recalled(db, "churn", new)][:1] == ["recent: 2026-11-29"]
        assert recalled(db, "cancel", old)[0][0] == 0  # theirs are still there


@pytest.mark.parametrize("embed", [Broken(), HttpEmbedder("http://127.0.0.1:9", "none", timeout_s=0.2)])
def test_where_vectors_fail_words_do(db: MemoryDatabase, embed: Embedder) -> None:
    assert recalled(db, "hull", embed) == recalled(db, "hull")


def test_who_did_not_agree_is_sent_nowhere(db: MemoryDatabase) -> None:
    from orchestrator.memory.presenter import set_consent

    set_consent(db, INES, False, NOW)
    with EmbeddingsServer() as server:
        embed = HttpEmbedder(server.url, "small")
        assert recalled(db, "churn", embed) == []
        assert embed_missing(db, agent="skeptic", presenter=INES, embed=embed) == 0
    assert server.requests == []


def test_a_superseded_memory_is_not_found_by_meaning_either(db: MemoryDatabase) -> None:
    with EmbeddingsServer() as server:
        embed = HttpEmbedder(server.url, "small")
        old = recall(db, agent="skeptic", presenter=INES, topic="cancel", embed=embed, now=NOW)[0].memory
        write_memory(
            db,
            agent="skeptic",
            presenter=INES,
            type="lesson",
            content="Per month on both, since March.",
            confidence=0.9,
            now=NOW,
            supersedes=old.id,
        )
        found = recall(db, agent="skeptic", presenter=INES, topic="cancel", embed=embed, now=NOW)
    assert old.id not in {one.memory.id for one in found}


def test_recall_is_the_same_whatever_was_written_in_between(db: MemoryDatabase) -> None:
    draw = random.Random(3)
    topics = ["slide year", "cash grant hull", "zero charts jokes"]
    before = [recalled(db, topic) for topic in topics]
    for _ in range(30):
        recalled(db, draw.choice(topics))
    assert [recalled(db, topic) for topic in topics] == before
