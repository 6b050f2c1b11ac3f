"""The catalogue: what is listed, what is found, and that nothing of an erased session is left."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrator.core.archive.stores import open_store
from orchestrator.core.errors import HomeError
from orchestrator.panel.debrief.phrasing import outcomes
from orchestrator.panel.home import Home
from orchestrator.rehearsal.erasing import erase_archived, erase_session
from orchestrator.review.catalogue import Catalogue, Known, of_archives, of_home, update
from orchestrator.review.reading import Entry, Passage
from orchestrator.review.shared import Verified
from tests.helpers.homes import new_home
from tests.helpers.reviewed import begun, ended


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return Catalogue(tmp_path / "review.db")


def put(catalogue: Catalogue, session: str, minute: int, *texts: str, presenter: str = "") -> None:
    entry = Entry(
        session, started_at=f"2026-11-20T10:{minute:02}:00.000000Z", deck="Ferries", presenter=presenter
    )
    passages = [Passage("speech", str(number), float(number), text) for number, text in enumerate(texts)]
    assert catalogue.put([(entry, passages, Known(None, f"archives/{session}"))])


def found(catalogue: Catalogue, text: str) -> list[str]:
    return [row.entry.session for row, _ in catalogue.search(text)]


def test_sessions_are_listed_newest_first_page_by_page(catalogue: Catalogue) -> None:
    for minute in (3, 1, 2, 1):
        put(catalogue, f"s{minute}", minute)
    put(catalogue, "same-moment", 3)
    first = catalogue.page(most=2)
    assert [row.entry.session for row in first] == ["same-moment", "s3"]
    assert [row.entry.session for row in catalogue.page(before=first[-1].n)] == ["s2", "s1"]


def test_a_search_shows_every_hit_in_its_place(catalogue: Catalogue) -> None:
    put(catalogue, "a", 1, "the estuary is wide", "a licence for the estuary ends")
    put(catalogue, "b", 2, "nothing of it")
    ((row, hits),) = catalogue.search("estuary licence")
    assert row.entry.session == "a"
    assert [(hit.kind, hit.place, hit.at_s) for hit in hits] == [("speech", "1", 1.0)]
    assert [text for text, is_hit in hits[0].parts if is_hit] == ["licence", "estuary"]
    assert "".join(text for text, _ in hits[0].parts) == "a licence for the estuary ends"


@pytest.mark.parametrize(
    ("text", "sessions"),
    [
        ("café", ["a"]),
        ("CAFE", ["a"]),
        ('"harbour cafe"', ["a"]),
        ('"cafe harbour"', []),
        ('"harbour', ["a"]),
        ("harb*", ["a"]),
        ("harb", []),
        ('* " AND ( NEAR :', []),
        ("harbour AND", []),
        ("-", []),
        ("", []),
        ("harbour'); DROP TABLE sessions", []),
    ],
)
def test_whatever_is_typed_is_words_and_no_command(
    catalogue: Catalogue, text: str, sessions: list[str]
) -> None:
    put(catalogue, "a", 1, "the harbour café")
    assert found(catalogue, text) == sessions


def test_only_its_owner_can_read_it(catalogue: Catalogue) -> None:
    put(catalogue, "a", 1, "words")
    assert stat.S_IMODE(catalogue.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be one" * 30, b""])
def test_a_file_that_is_no_catalogue_is_made_anew(catalogue: Catalogue, content: bytes) -> None:
    catalogue.path.write_bytes(content)
    put(catalogue, "a", 1, "words")
    assert found(catalogue, "words") == ["a"]


def test_one_that_breaks_while_it_is_used_is_removed_and_made_anew(catalogue: Catalogue) -> None:
    put(catalogue, "a", 1, "words " * 20_000)
    content = bytearray(catalogue.path.read_bytes())
    content[4096 * 2 :] = bytes(len(content) - 4096 * 2)
    catalogue.path.write_bytes(content)
    with pytest.raises(HomeError, match="made anew"):
        catalogue.search("words")
    put(catalogue, "b", 1, "words")
    assert found(catalogue, "words") == ["b"]


def test_many_may_open_a_new_one_at_once(catalogue: Catalogue) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: Catalogue(catalogue.path).page(), range(40))) == [[]] * 40


def test_forgetting_leaves_no_word_in_any_byte(catalogue: Catalogue) -> None:
    put(catalogue, "kept", 1, "ordinary words", presenter="Ines Kroll")
    put(catalogue, "gone", 2, "zanzibarium " * 50, presenter="Quillon Vexley")
    catalogue.forget("gone")
    assert found(catalogue, "ordinary") == ["kept"]
    assert [row.entry.session for row in catalogue.page()] == ["kept"]
    for path in catalogue.path.parent.glob("review.db*"):
        content = path.read_bytes().lower()
        assert b"zanzibar" not in content
        assert b"quillon" not in content


def test_what_was_read_before_an_erasure_is_not_put_back(catalogue: Catalogue) -> None:
    put(catalogue, "gone", 1, "words")
    before = catalogue.erasures()
    catalogue.forget("gone")
    assert not catalogue.put([(Entry("gone"), [], Known(1, None))], erasures=before)
    assert catalogue.page() == []


def test_a_verification_is_remembered_by_session_and_place_with_the_head(catalogue: Catalogue) -> None:
    here = catalogue.note_verified("talk", "", "a" * 64, is_valid=True)
    there = catalogue.note_verified("talk", "https://r2.example s3://b/p", "b" * 64, is_valid=False)
    catalogue.note_verified("talk-backup", "", "a" * 64, is_valid=False)
    assert catalogue.verified(["talk", "nowhere"]) == {
        ("talk", ""): Verified("a" * 64, True, here),
        ("talk", "https://r2.example s3://b/p"): Verified("b" * 64, False, there),
    }


# ------------------------------------------------------------------ with real sessions


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(new_home(tmp_path / "home"))


def brought_up(home: Home) -> Catalogue:
    catalogue = of_home(home)
    update(catalogue, home.sessions, open_store(str(home.archives)))
    return catalogue


def test_a_live_session_is_read_again_when_it_has_grown(home: Home) -> None:
    with begun(home, "live") as session:
        catalogue = brought_up(home)
        (row,) = catalogue.page()
        assert (row.is_here, row.archive, row.entry.is_ended) == (True, None, False)
        session.ask("analyst", question="Is the tide considered?")
        assert found(brought_up(home), "tide") == ["live"]
        session.take_answer("The pilots know the moonlight.")
        assert found(brought_up(home), "moonlight") == ["live"]


def test_live_and_archived_are_one_row_and_what_is_gone_goes(home: Home) -> None:
    ended(home, "one", "satisfied")
    (row,) = brought_up(home).page()
    assert row.is_here
    assert row.archive == str(home.archives / "one")
    assert row.entry.is_ended
    assert row.entry.presenter == "Ines Kroll"
    assert row.entry.outcomes["satisfied"] >= 1
    alone = of_archives(str(home.archives))
    update(alone, None, open_store(str(home.archives)))
    (archived,) = alone.page()
    assert archived.entry == row.entry
    assert not archived.is_here


@pytest.mark.parametrize(
    "text", ["estuary", "licence", "morning", "measure", "harbour", '"names the count"', "Kroll"]
)
def test_slides_notes_speech_questions_answers_and_reasons_are_found(home: Home, text: str) -> None:
    ended(home, "one", "satisfied")
    assert found(brought_up(home), text) == ["one"]


def test_what_is_off_the_record_is_not_found(home: Home) -> None:
    ended(home, "one", "satisfied", speech="Off the record, Borrowdale will be closed.")
    assert found(brought_up(home), "Borrowdale") == []
    assert found(brought_up(home), "estuary") == ["one"]


def test_a_question_without_an_answer_is_counted_as_in_the_debrief(home: Home) -> None:
    with begun(home, "one") as session:
        session.ask("analyst", question="Who counts the passengers?")
        session.take_answer("The harbour authority.")
        session.judge("unjudged", reason="yours to judge")
        session.ask("skeptic", question="Who pays?")
        session.end()
        told = session.debrief()
    (row,) = brought_up(home).page()
    assert row.entry.outcomes == {"silent": 1, "unjudged": 1}
    assert outcomes(told) == "2 questions: 1 no answer, 1 not judged."


def test_an_archive_without_its_mark_is_none(home: Home) -> None:
    ended(home, "one", "satisfied")
    mark = home.archives / "one" / "tagmanifest-sha256.txt"
    mark.unlink()
    catalogue = of_archives(str(home.archives))
    update(catalogue, None, open_store(str(home.archives)))
    assert catalogue.page() == []


def test_records_that_cannot_be_read_are_listed_as_damaged(home: Home) -> None:
    ledger = home.sessions / "broken" / "ledger" / "ledger.jsonl"
    ledger.parent.mkdir(parents=True)
    ledger.write_bytes(b'{"seq":1,"op":"open","by":"start"\n')
    (row,) = brought_up(home).page()
    assert row.entry.is_damaged


def test_erasing_a_session_leaves_no_word_in_any_catalogue(home: Home) -> None:
    root = ended(home, "one", "satisfied", presenter="Quillon Vexley", speech="The zanzibarium is new.")
    catalogue, alone = brought_up(home), of_archives(str(home.archives))
    update(alone, None, open_store(str(home.archives)))
    assert found(catalogue, "zanzibarium") == found(alone, "zanzibarium") == ["one"]
    erase_session(home, root, archives=False)
    for one in (catalogue, alone):
        assert not any(b"zanzibar" in path.read_bytes() for path in one.path.parent.glob("*.db*"))
    assert [row.is_here for row in brought_up(home).page()] == [False]  # its archive is still there
    erase_archived(home, "one")
    assert brought_up(home).page() == []
    assert b"quillon" not in catalogue.path.read_bytes().lower()


def test_many_sessions_are_read_in_processes_of_their_own(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.review.catalogue.MANY", 1)
    ended(home, "one", "satisfied")
    assert found(brought_up(home), "estuary") == ["one"]
