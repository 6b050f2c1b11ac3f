"""`dismiss`: what the presenter says is no contradiction leaves every page, and does not come back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator import Home, Session
from orchestrator.core.errors import InputError, SessionStateError
from orchestrator.documents.memories import export
from orchestrator.material.claim import Place, Tension
from orchestrator.material.values import Segment
from orchestrator.memory.database import MemoryDatabase
from orchestrator.memory.memories import forget_presenter
from orchestrator.memory.presenter import dismissals
from orchestrator.panel.debrief.json_form import as_json
from orchestrator.panel.debrief.page import as_html, as_markdown
from orchestrator.panel.debrief.terminal import as_text
from orchestrator.panel.loop.refreshing import refresh
from orchestrator.panel.model.exchange import Candidate
from orchestrator.panel.records.projection import Projection
from orchestrator.rehearsal.erasing import erase_session
from tests.helpers.rehearsals import greenroom, greenroom_json
from tests.helpers.stores import fields_of

DECK = """# Ferries

---
# Costs

| Use | EUR |
|---|---|
| Boats | 100 |
| Piers | 200 |
| Total | 350 |

---
# Passengers

| Line | Number |
|---|---|
| North | 4100 |
| South | 5200 |
| Total | 9900 |
"""
WRONG = "That is 3 million for boats, 4 million for piers and 5 million for staff, 14 million in total."
COSTS, PASSENGERS = "100 + 200 = 300, not 350", "4100 + 5200 = 9300, not 9900"


def started(home: Path, id: str = "s1", deck: str = DECK, *, remember: bool = False) -> Session:
    at = Home.open(home)
    session = Session.start(at, deck_text=deck, id=id, engine="offline", presenter="Ines", remember=remember)
    session.slide(2)
    return session


def ids(session: Session) -> list[str]:
    return [one.id for one in session.contradictions]


def pages(session: Session) -> list[str]:
    """The debrief in each of its forms."""
    found = session.debrief()
    return [as_markdown(found), as_html(found), as_text(found), json.dumps(as_json(found))]


def test_every_contradiction_has_an_id_in_its_order_and_every_page_shows_it(home: Path) -> None:
    with started(home) as session:
        session.add_segment(Segment(WRONG, 1.0, 9.0, "Ines", 2))
        assert ids(session) == ["c1", "c2", "c3"]
        for page in pages(session)[:3]:
            assert all(f"{one}: " in page for one in ("c1", "c2", "c3"))
        assert [one["id"] for one in as_json(session.debrief())["tensions"]] == ["c1", "c2", "c3"]
        with Session.open(None, session.path) as again:
            assert again.projection.found == session.projection.found
            assert ids(again) == ids(session)


def test_a_question_that_quotes_a_part_of_a_dismissed_one_puts_it_as_well() -> None:
    grew, ask = Place(1, None, "Revenue grew 18% to EUR 4.2M in 2026"), Place(4, None, "We ask for EUR 1.8M")
    projection = Projection()
    projection.find([Tension("deck-vs-deck", grew, ask, "Not both.")])
    put = Candidate(
        "skeptic", "Which is it?", None, 1, None, "grew 18% to EUR 4.2M", True, (), 0.9, "", "", beside=ask
    )
    assert not projection.puts_dismissed(put)
    projection.dismissed.add(projection.found[0].digest)
    assert projection.puts_dismissed(put)
    assert not projection.puts_dismissed(replace(put, beside=Place(3, None, "We will double the fleet")))
    assert not projection.puts_dismissed(replace(put, beside=None))  # of that line alone


def test_a_dismissed_one_is_not_asked_about_and_no_page_says_a_word_of_it(home: Path) -> None:
    with started(home) as session:
        assert session.dismiss("c1").note.endswith(COSTS)
        assert session.dismiss("c1").id == "c1"  # again changes nothing
        assert ids(session) == ["c2"]  # the others keep theirs
        session.slide(3)
        asked = session.ask()
        assert asked is not None
        assert asked.beside is not None
        assert asked.slide == 3
        session.answer(None)
        session.dismiss("c2")
        while session.ask() is not None:
            session.answer(None)
            if len(session.projection.exchanges) == 5:
                break
        assert COSTS.split("=")[0] not in "".join(
            one.turns[0].question for one in session.projection.exchanges
        )
        rubric = next(one for one in session.debrief().rubric if "consistent" in one.name)
        assert rubric.state == "not judged"
        assert not any(COSTS in page for page in pages(session))
        notes = session.read("skeptic/exchange-notes.md")
        assert notes.count("- No contradiction, the presenter says (sum): slide 2") == 1
        session.end()
        assert "Contradictions" not in (session.path / "debrief.md").read_text("utf-8")
        assert session.verify().valid


@pytest.mark.parametrize("is_ended", [False, True])
def test_one_that_was_asked_about_stays_as_it_happened_and_is_held_against_nobody(
    home: Path, is_ended: bool
) -> None:
    with started(home) as session:
        asked = session.ask()
        assert asked is not None
        session.take_answer("It is as it is.")
        session.judge("escalate", reason="no figure")
        assert session.debrief().fix is not None
        assert [one.exchange for one in session.debrief().homework] == ["x1"]
        if is_ended:
            session.end()
        session.dismiss("c1")
        found = session.debrief()
        assert (found.homework, found.reviews[0].is_dismissed) == ((), True)
        assert found.fix is None or found.fix.exchange is None
        assert as_json(found)["reviews"][0]["dismissed"] is True
        told = "not answered, you say it is no contradiction"
        assert all(told in page for page in pages(session)[:3])
        assert (
            f"x1  {session.rehearsal.name_of(asked.agent)}: {told}\n" in greenroom(home, "show", "s1").stdout
        )


def test_a_question_that_was_ready_is_neither_put_nor_wanted_any_more(home: Path) -> None:
    with started(home) as session:
        refresh(session.rehearsal, "slide")
        ready = session.projection.waiting["skeptic"].candidate
        assert "100 + 200" in ready.question
        assert ready.question in session.debrief().still_wanted
        session.dismiss("c1")
        assert ready.question not in session.debrief().still_wanted
        asked = session.ask("skeptic")
        assert asked is None or asked.turns[0].question != ready.question


def test_an_unknown_one_is_refused_in_one_line_that_names_those_there_are(home: Path) -> None:
    with started(home) as session:
        session.dismiss("c1")
        with pytest.raises(InputError, match=r"^there is no contradiction 'c9': there are c2$"):
            session.dismiss("c9")
        session.dismiss("c2")
        with pytest.raises(InputError, match=r"^there is no contradiction '': none stands in this session$"):
            session.dismiss("")


def test_of_an_ended_session_nothing_changes_but_what_lies_beside_it(home: Path, tmp_path: Path) -> None:
    with started(home) as session:
        session.end()
        before = {path: path.read_bytes() for path in session.path.rglob("*") if path.is_file()}
        session.dismiss("c2")
        assert ids(session) == ["c1"]
        assert not any("c2: " in page or "4100" in page for page in pages(session)[:3])
        assert {path: path.read_bytes() for path in session.path.rglob("*") if path.is_file()} == before
        beside = home / "sessions" / ".records" / "s1" / "dismissed.jsonl"
        assert json.loads(beside.read_text("utf-8"))["finding"] == "c2"
        assert "4100" not in beside.read_text("utf-8")
        assert session.verify().valid
        path = session.path
    with Session.open(Home.open(home), "s1") as again:
        assert ids(again) == ["c1"]
    with Session.open(None, path) as elsewhere, pytest.raises(SessionStateError, match="outside of a home"):
        elsewhere.dismiss("c1")


def test_the_command_says_the_state_and_show_and_debrief_name_what_is_left(
    home: Path, tmp_path: Path
) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text(DECK, "utf-8")
    greenroom(home, "start", deck, "--id", "s1")
    assert greenroom_json(home, "dismiss", "s1", "c1") == {"state": "active", "finding": "c1"}
    refused = greenroom(home, "dismiss", "s1", "c7", check=False)
    assert (refused.returncode, refused.stderr) == (
        1,
        "greenroom: there is no contradiction 'c7': there are c2\n",
    )
    shown = greenroom(home, "show", "s1").stdout
    assert "c2: " in shown
    assert "c1: " not in shown
    assert [one["id"] for one in greenroom_json(home, "show", "s1")["tensions"]] == ["c2"]
    greenroom(home, "end", "s1")
    assert greenroom_json(home, "dismiss", "s1", "c2")["state"] == "ended"
    assert greenroom_json(home, "debrief", "s1")["tensions"] == []
    assert greenroom_json(home, "verify", "s1")["valid"]


# ---------------------------------------------------------------------- in the next rehearsal


@pytest.mark.own_memory
def test_the_next_remembered_rehearsal_does_not_raise_it(home: Path) -> None:
    with started(home, "s1", remember=True) as first:
        first.dismiss("c1")
        first.end()
        first.dismiss("c2")  # after the end as well
    with started(home, "s2", remember=True) as second:
        assert ids(second) == []
        assert second.projection.found  # looked at, so that nobody proposes it again
        brief = second.read("skeptic/focus-brief.md") + second.read("shared/board-dossier.md")
        assert COSTS not in brief
        carried = fields_of(second.rehearsal.store.opened)["carried"]["dismissed"]
        assert carried == sorted(one.digest for one in second.projection.found)
        with Session.open(None, second.path) as again:  # from its own ledger alone
            assert ids(again) == []


@pytest.mark.own_memory
def test_in_it_another_figure_is_another_contradiction_and_gets_the_first_id(home: Path) -> None:
    with started(home, "s1", remember=True) as first:
        first.dismiss("c1")
    with started(home, "s2", DECK.replace("350", "360"), remember=True) as second:
        assert ids(second) == ["c1", "c2"]
    with started(home, "s3", remember=True) as third:
        assert [(one.id, one.a.slide) for one in third.contradictions] == [("c1", 3)]


@pytest.mark.own_memory
@pytest.mark.parametrize("remembered", [(True, False), (False, True)])
def test_it_comes_back_where_one_of_the_two_is_not_remembered(
    home: Path, remembered: tuple[bool, bool]
) -> None:
    with started(home, "s1", remember=remembered[0]) as first:
        first.dismiss("c1")
    with started(home, "s2", remember=remembered[1]) as second:
        assert ids(second) == ["c1", "c2"]


@pytest.mark.own_memory
def test_what_is_kept_is_a_digest_exported_and_gone_with_forget_all_or_erase(home: Path) -> None:
    at = Home.open(home)
    for id in ("s1", "s2"):
        with started(home, id, remember=True) as session:
            for finding in ids(session)[:1]:
                session.dismiss(finding)
                digest = session.projection.found[0 if id == "s1" else 1].digest
    with MemoryDatabase.open(home) as db:
        assert digest in dismissals(db, "Ines")
        kept = export(db, "Ines")["dismissed"]
        assert [one["session"] for one in kept] == ["s1", "s2"]
    assert b"100 + 200" not in (home / "memory.db").read_bytes()
    erase_session(at, home / "sessions" / "s1", archives=True)
    with MemoryDatabase.open(home) as db:
        assert dismissals(db, "Ines") == (digest,)
        forget_presenter(db, "Ines")
        assert dismissals(db, "Ines") == ()
    with started(home, "s3", remember=True) as session:
        assert ids(session) == ["c1", "c2"]
