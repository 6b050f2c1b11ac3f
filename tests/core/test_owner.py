"""A session says whose it is in its first record, for good; one without an owner is read as ever."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.core.archive.stores import open_store
from orchestrator.core.errors import UsageError
from orchestrator.core.owner import MAX_GROUPS, MAX_IDENTITY_CHARS, Owner, identity_of
from orchestrator.core.store.application import opening_of
from orchestrator.core.store.store import LEDGER_NAME
from orchestrator.memory.past_sessions import first_record
from orchestrator.panel.home import Home
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.review.catalogue import of_home, update
from tests.helpers.homes import new_home

DANA = Owner("dana@acme.example", ("sales", "board"))
DECK = "# Plan\n\n- Revenue grows 10 % in 2027.\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(new_home(tmp_path / "home"))


def _first(home: Home, session: str) -> dict[str, object]:
    line = (home.sessions / session / LEDGER_NAME).read_bytes().split(b"\n")[0]
    value: dict[str, object] = json.loads(line)["value"]
    return value


def test_the_first_record_names_the_owner_and_the_groups_and_the_session_is_valid(home: Home) -> None:
    with Rehearsal.start(home, deck_text=DECK, id="s1", presenter=DANA.identity, owner=DANA) as session:
        assert session.verify().valid
    assert _first(home, "s1")["owner"] == {"identity": "dana@acme.example", "groups": ["sales", "board"]}
    opening = opening_of(first_record(home.sessions / "s1"))
    assert (opening.owner, opening.groups, opening.presenter) == (DANA.identity, DANA.groups, DANA.identity)


def test_a_session_without_an_owner_says_nothing_of_one(home: Home) -> None:
    with Rehearsal.start(home, deck_text=DECK, id="s1", presenter="Dana"):
        pass
    assert "owner" not in _first(home, "s1")
    opening = opening_of(first_record(home.sessions / "s1"))
    assert (opening.owner, opening.groups) == ("", ())


def test_another_presenter_than_the_owner_is_refused(home: Home) -> None:
    with pytest.raises(UsageError, match=r"must be the owner, dana@acme\.example"):
        Rehearsal.start(home, deck_text=DECK, presenter="Ben", owner=DANA)
    assert list(home.session_ids()) == []


@pytest.mark.parametrize("owner", [Owner(""), Owner("Dana"), Owner("a\nb"), Owner("a", ("g",) * 51)])
def test_an_owner_that_cannot_be_named_for_good_is_refused(home: Home, owner: Owner) -> None:
    with pytest.raises(UsageError):
        Rehearsal.start(home, deck_text=DECK, presenter=owner.identity or "x", owner=owner)


def test_a_drill_is_of_whoever_begins_it(home: Home) -> None:
    text = DECK
    start = {"id": "s1", "presenter": DANA.identity, "owner": DANA, "questions": ["Why does it grow?"]}
    with Rehearsal.start(home, deck_text=text, **start) as session:  # type: ignore[arg-type]
        session.call_on()
        session.answer("It grows because of the new line.")
        session.judge()
        exchange = "x1"
        ben = Owner("ben@acme.example")
        with session.drill(exchange, owner=ben) as drill:
            assert opening_of(first_record(drill.path)).owner == ben.identity
            assert drill.rehearsal.options.presenter == ben.identity


@pytest.mark.parametrize(
    ("text", "identity"),
    [
        ("Dana@Acme.example ", "dana@acme.example"),
        ("E\u0301va@acme.example", "éva@acme.example"),  # the same letter, written in two ways
        ("ＤＡＮＡ", ""),
        ("dana\u200b", ""),
        ("da\u00adna", ""),
        ("straße@acme.example", ""),  # memory would take it for strasse@…
        ("\u212aim", ""),  # the sign of Kelvin
        ("dana\0", ""),
        (" ", ""),
        ("x" * MAX_IDENTITY_CHARS, "x" * MAX_IDENTITY_CHARS),
        ("x" * (MAX_IDENTITY_CHARS + 1), ""),
    ],
)
def test_an_identity_has_one_spelling(text: str, identity: str) -> None:
    assert identity_of(text) == identity
    assert identity_of(identity) == identity
    assert MAX_GROUPS == 50


def test_a_catalogue_shows_only_what_may_be_seen(home: Home) -> None:
    """Whatever it is asked: a page, a search, one session, runs of a deck, names, what cannot be searched."""
    for number, owner in enumerate((DANA, Owner("ben@acme.example", ("research",)), None)):
        presenter = owner.identity if owner else "Cleo"
        with Rehearsal.start(home, deck_text=DECK, id=f"s{number}", presenter=presenter, owner=owner):
            pass
    everything = of_home(home)
    update(everything, home.sessions, open_store(str(home.archives)))
    assert {row.entry.session for row in everything.page()} == {"s0", "s1", "s2"}
    row = everything.get("s0")
    assert row is not None
    own = everything.seen_by(lambda owner, groups: owner == DANA.identity)
    assert [one.entry.session for one in own.page()] == ["s0"]
    assert [one.entry.session for one, _ in own.search("revenue")] == ["s0"]
    assert own.get("s1") is None
    assert own.get("s2") is None
    assert own.runs_beside(row) == []
    assert [one.entry.session for one in own.runs_of(row.entry.deck_sha256)] == ["s0"]
    assert own.presenters() == [(DANA.identity, 1)]
    grouped = everything.seen_by(lambda owner, groups: "research" in groups)
    assert [one.entry.session for one in grouped.page()] == ["s1"]
