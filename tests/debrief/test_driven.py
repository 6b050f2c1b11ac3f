"""Which workers of a cluster drove a session stands in its debrief; without a cluster nothing does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.panel.debrief import page, phrasing, terminal
from orchestrator.panel.debrief.json_form import as_json
from orchestrator.panel.home import Home
from orchestrator.panel.loop.driver_lock import driving
from orchestrator.rehearsal.session import Session

DECK = "# Plan\n\nRevenue grows by 40 % to 2 million euros.\n"


def driven_by(session: Session, *workers: str) -> None:
    """Drive the session by each worker in turn; one with a † is gone without a closing record."""
    for worker in workers:
        with driving(session.rehearsal, "serve", worker.removesuffix("†")) as driven:
            if worker.endswith("†"):
                driven.cut_short()


@pytest.mark.parametrize(
    ("workers", "told"),
    [
        (("a†", "b"), "Driven by a, then by b after a was gone."),
        (("a", "b"), "Driven by a, then by b."),
        (
            ("a", "a†", "b†", "c", "a"),
            "Driven by a, then by b after a was gone, then by c after b was gone, then by a.",
        ),
        (("a†", "a"), None),
        (("a",), None),
    ],
)
def test_each_takeover_is_told_in_plain_words(home: Path, workers: tuple[str, ...], told: str | None) -> None:
    with Session.start(Home.open(home), deck_text=DECK, id="s1", presenter="Ines") as session:
        driven_by(session, *workers)
        debrief = session.debrief()
        assert phrasing.driven(debrief) == told
        forms = (page.as_html(debrief), page.as_markdown(debrief), terminal.as_text(debrief, width=100))
        for form in forms:
            assert ((told or "Driven by") in " ".join(form.split())) is (told is not None)
        assert as_json(debrief)["driven"] == told
        assert as_json(debrief)["workers"][0] == {"worker": "a", "after_gone": False}


def test_it_is_read_back_from_the_ledger(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, id="s1", presenter="Ines") as session:
        driven_by(session, "a†", "b")
    with Session.open(Home.open(home), "s1") as again:
        assert [(one.worker, one.is_left) for one in again.projection.workers] == [("a", False), ("b", True)]


def test_without_a_cluster_no_byte_is_new(home: Path) -> None:
    with Session.start(Home.open(home), deck_text=DECK, id="s1", presenter="Ines") as session:
        with driving(session.rehearsal, "serve"):
            pass
        lines = (session.path / "ledger/ledger.jsonl").read_text("utf-8").splitlines()
        values = [json.loads(line)["value"] for line in lines if '"type":"driver"' in line]
        assert values == [{"type": "driver", "state": one, "what": "serve"} for one in ("started", "stopped")]
        assert not {"workers", "driven"} & as_json(session.debrief()).keys()
