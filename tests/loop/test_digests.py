"""Digests that are compared: 16 digits in new records, 64 in those of release 0.1.0, and both count alike."""

from __future__ import annotations

import hashlib
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from orchestrator.material.values import Segment
from orchestrator.panel.engines.protocol import CandidateRequest, Request
from orchestrator.panel.home import Home
from orchestrator.panel.loop import calling_on
from orchestrator.panel.loop.calling_on import digest, is_same_digest, why_stale
from orchestrator.panel.loop.refreshing import SLIDE, TIMER, refresh
from orchestrator.panel.records.exchanges import CandidateWritten, RoundMade
from orchestrator.rehearsal.session import Session
from orchestrator.web.pages.review_session import knowledge
from tests.helpers.steady import SteadyEngine
from tests.helpers.stores import values_of

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context
    from orchestrator.panel.model.exchange import Candidate

R = TypeVar("R")

WHOLE = hashlib.sha256(b"words").hexdigest()
OTHER = hashlib.sha256(b"other words").hexdigest()


def test_a_digest_is_the_first_digits_of_the_sha256_of_its_texts() -> None:
    assert digest(["wo", "rds"]) == WHOLE[:16]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (WHOLE, WHOLE, True),
        (WHOLE, WHOLE[:16], True),
        (WHOLE[:16], WHOLE, True),
        (WHOLE[:16], WHOLE[:16], True),
        (WHOLE, OTHER, False),
        (WHOLE[:16], OTHER, False),
        (WHOLE, WHOLE[:16] + OTHER[16:], False),
        (WHOLE, "", False),
        ("", WHOLE[:16], False),
        ("", "", False),
        (WHOLE, None, False),
        (None, None, False),
    ],
)
def test_the_shorter_says_how_many_digits_are_compared(
    one: str | None, other: str | None, is_same: bool
) -> None:
    assert is_same_digest(one, other) is is_same


class Model(SteadyEngine):
    """A panel that is asked as a model is, keeps its questions, and counts how often it was asked."""

    name = "model"
    times = 0

    def begin(self, request: Request[R], context: Context | None, on_text: Any = None) -> Future[R]:
        future: Future[R] = Future()
        future.set_result(self.reply(request, context))
        return future

    def _candidate(self, request: CandidateRequest) -> Candidate | None:
        self.times += 1
        return request.current or super()._candidate(request)


@pytest.mark.parametrize("kind", [SteadyEngine, Model])
@pytest.mark.parametrize("chars", [16, 64], ids=["begun now", "begun by release 0.1.0"])
def test_a_session_goes_on_with_the_digests_that_it_began_with(
    home: Path, monkeypatch: pytest.MonkeyPatch, kind: type[SteadyEngine], chars: int
) -> None:
    monkeypatch.setattr(calling_on, "DIGEST_CHARS", chars)
    with Session.start(Home.open(home), deck_text="# Ferries\n\nPlain words.\n", engine=kind()) as session:
        session.slide(1)
        session.add_segment(Segment("Good morning.", 0.0, 2.0, "Ines"))
        refresh(session.rehearsal, SLIDE)
    monkeypatch.undo()
    assert calling_on.DIGEST_CHARS == 16
    engine = kind()
    with Session.open(Home.open(home), session.id) as again:
        again.rehearsal.engine = engine
        store, waiting = again.rehearsal.store, again.projection.waiting["skeptic"]
        (written, *_), rounds = values_of(store, CandidateWritten.TYPE), values_of(store, RoundMade.TYPE)
        held = [written["waiting"][name] for name in ("input_sha256", "intel_sha256")]
        held += rounds[-1]["inputs"].values()
        assert {len(one) for one in held} == {chars}
        assert why_stale(again.rehearsal.state(), waiting) is None  # the intel is what it was
        before = dict(again.projection.inputs)
        refresh(again.rehearsal, TIMER)  # nothing has come: nobody is asked again
        if isinstance(engine, Model):
            assert again.rehearsal.has_model
            refresh(again.rehearsal, SLIDE)  # and nothing that bears on a model's question
            assert len(waiting.bears_sha256) == chars
            assert engine.times == 0
        assert all(value["made"] == [] for value in values_of(store, RoundMade.TYPE)[len(rounds) :])
        assert {agent: one[:16] for agent, one in before.items()} == again.projection.inputs
        asked = again.ask("skeptic")
        assert asked is not None
        assert knowledge(again, asked.id).receipt is not None  # found by what the question was made from
