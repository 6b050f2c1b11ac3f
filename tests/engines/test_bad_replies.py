"""Nothing of an engine's reply is taken on trust: a bad field costs a call, a bad quote its place."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.engines import OfflineEngine, protocol, together
from orchestrator.engines.offers import OnText
from orchestrator.engines.protocol import CandidateRequest, JudgementRequest, Request
from orchestrator.errors import EngineError, UsageError
from orchestrator.home.folder import Home
from orchestrator.model.claim import Place, Tension
from orchestrator.model.exchange import Candidate, Judgement, Observation, Target
from orchestrator.model.reply import Attack, DebriefWords, RubricCheck
from orchestrator.session import Session
from orchestrator.speech.answers import read_answers
from orchestrator.speech.read import read_speech
from tests.helpers.rehearsals import write_rehearsal
from tests.helpers.stores import values_of

if TYPE_CHECKING:
    from orchestrator.context.assemble import Context

R = TypeVar("R")
Made = Callable[[Request[Any]], object]
QUOTE = "Revenue grew 18% to EUR 4.2M in 2026"
HALF = "\ud800"


def candidate(request: CandidateRequest, **changes: Any) -> Candidate:
    """A question about the first slide's first line."""
    agent, question = request.seat.persona.id, f"Who says so, {len(request.scene.exchanges)}?"
    plain = Candidate(agent, question, None, 1, None, QUOTE, True, (), 0.5, "", "why")
    return replace(plain, **changes)


class Theirs:
    """Somebody's engine: *made* for requests of one kind, and a plain reply to all others."""

    name = "theirs"

    def __init__(self, kind: type[Request[Any]], made: Made) -> None:
        self.kind, self.made, self.bank = kind, made, OfflineEngine()

    def reply(self, request: Request[R], context: Context | None = None) -> R:
        if isinstance(request, self.kind):
            return cast(R, self.made(request))
        match request:
            case CandidateRequest():
                return cast(R, candidate(request))
            case JudgementRequest():
                return cast(R, Judgement("satisfied", "there was an answer"))
        return self.bank.reply(request)


class Begun(Theirs):
    """The same, in calls that are not waited for."""

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        future: Future[R] = Future()
        try:
            future.set_result(self.reply(request, context))
        except Exception as error:
            future.set_exception(error)
        return future


def rehearsed(home: Path, folder: Path, engine: Theirs) -> Session:
    """A rehearsal to its end and into the archive, with a question asked by hand; not closed."""
    files = write_rehearsal(folder)
    session = Session.start(Home.open(home), files.deck, id="ferries", presenter="Ines", engine=engine)
    session.load(read_speech(files.speech), kind="run", answers=read_answers(files.answers))
    assert session.play()
    if session.projection.open is None:
        session.ask("skeptic", question="Who pays?")
    while session.projection.open is not None:
        session.answer("The city pays.")
    session.end()
    assert session.verify().valid
    assert session.archived_at is not None
    return session


def _asks(**changes: Any) -> tuple[type[Request[Any]], Made]:
    return CandidateRequest, lambda request: candidate(cast(CandidateRequest, request), **changes)


def _judges(**changes: Any) -> tuple[type[Request[Any]], Made]:
    return JudgementRequest, lambda _: replace(Judgement("satisfied", "as told"), **changes)


def _targets(*items: object) -> tuple[type[Request[Any]], Made]:
    return protocol.FocusBriefRequest, lambda _: items


def _attacks(*items: object) -> tuple[type[Request[Any]], Made]:
    return protocol.DossierRequest, lambda _: items


def _debriefs(**changes: Any) -> tuple[type[Request[Any]], Made]:
    return protocol.DebriefRequest, lambda _: replace(DebriefWords("fix", "why"), **changes)


TARGET = Target(None, 1, None, QUOTE, "angle", "good")
ATTACK = Attack("Who pays?", "", "why", None, "good")
FIELDS: dict[str, tuple[tuple[type[Request[Any]], Made], str]] = {
    "another's agent": (_asks(agent="nobody"), "Candidate.agent is not request.seat.persona.id"),
    "the moderator's": (_asks(agent="moderator"), "Candidate.agent is not request.seat.persona.id"),
    "slide as text": (_asks(slide="3"), "Expected `int | null`, got `str` - at `$.slide`"),
    "slide as fraction": (_asks(slide=1.5), "Expected `int | null`, got `float` - at `$.slide`"),
    "slide too large": (_asks(slide=10**30), "Candidate.slide is no number that a record holds"),
    "relevance in words": (_asks(relevance="high"), "Expected `float`, got `str` - at `$.relevance`"),
    "relevance NaN": (_asks(relevance=float("nan")), "Candidate.relevance is no number that a record holds"),
    "relevance infinite": (_asks(relevance=float("inf")), "Candidate.relevance is no number that a rec"),
    "relevance 7": (_asks(relevance=7), "Candidate.relevance must be from 0 to 1"),
    "time as text": (_asks(said_at_s="1:20"), "Expected `float | null`, got `str` - at `$.said_at_s`"),
    "no question": (_asks(question=None), "Expected `str`, got `null` - at `$.question`"),
    "empty question": (_asks(question=" "), "Candidate.question is empty"),
    "endless question": (_asks(question="x" * 500_000), "Candidate.question has 500,000 characters"),
    "half a character": (_asks(question=HALF), "Candidate.question holds NUL or half a character"),
    "NUL": (_asks(angle="a\0b"), "Candidate.angle holds NUL or half a character"),
    "grounded in words": (_asks(grounded="yes"), "Expected `bool`, got `str` - at `$.grounded`"),
    "needs of numbers": (_asks(needs=(1,)), "Expected `str`, got `int` - at `$.needs[0]`"),
    "needs unknown": (_asks(needs=("money",)), "Candidate.needs must be of number, period"),
    "beside as text": (_asks(beside="x"), "Expected `object | null`, got `str` - at `$.beside`"),
    "verdict unknown": (_judges(verdict="splendid"), "Judgement.verdict must be of satisfied, follow_up"),
    "verdict None": (_judges(verdict=None), "Expected `str`, got `null` - at `$.verdict`"),
    "missing unknown": (_judges(missing=("money",)), "Judgement.missing must be of number"),
    "open of numbers": (_judges(still_open=(1, 2)), "Expected `str`, got `int` - at `$.still_open[0]`"),
    "open without end": (_judges(still_open=("x",) * 61), "Judgement.still_open has 61 items"),
    "note None": (_judges(note=None), "Expected `str`, got `null` - at `$.note`"),
    "noticed as text": (_judges(noticed="x"), "Expected `object | null`, got `str` - at `$.noticed`"),
    "noticed of numbers": (_judges(noticed=Observation(cast(str, 1), None)), "got `int` - at `$.noticed.text`"),
    "a kind of its own": (
        _judges(contradicts=Tension("mood", Place(1, None, QUOTE), Place(1, None, QUOTE), "no")),
        "Tension.kind must be of",
    ),
    "targets of pairs": (_targets((1, 2)), "Expected `object`, got `array` - at `$[0]`"),
    "targets of words": (_targets("x"), "Expected `object`, got `str` - at `$[0]`"),
    "a target's angle": (_targets(replace(TARGET, angle=cast(str, 3))), "got `int` - at `$[0].angle`"),
    "attacks of words": (_attacks("x"), "Expected `object`, got `str` - at `$[0]`"),
    "an attack's bring": (_attacks(replace(ATTACK, bring=cast(Any, "x"))), "got `str` - at `$[0].bring`"),
    "a fix in numbers": (_debriefs(fix=5), "Expected `str`, got `int` - at `$.fix`"),
    "a state unknown": (_debriefs(checks=(RubricCheck("x", "fine", "y"),)), "RubricCheck.state must be of yes"),
    "a set": ((CandidateRequest, lambda _: {"x"}), "the engine gave set for a CandidateRequest"),
    "itself": ((protocol.FocusBriefRequest, lambda _: _endless()), "by a mistake of its own (RecursionError)"),
    "another's error": ((CandidateRequest, lambda _: _raises(UsageError("x"))), "its own (UsageError)"),
    "an error's half": ((CandidateRequest, lambda _: _raises(EngineError(f"no\n{HALF}"))), "no \ufffd"),
}
"""One bad field each: what gives it, and the line that tells of the call that failed."""


def _endless() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


def _raises(error: Exception) -> object:
    raise error


def _failures(value: object, *, is_told: bool = False) -> Iterator[str]:
    """Why calls failed, in all that records hold."""
    if isinstance(value, str) and is_told:
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from _failures(one, is_told=is_told or name in ("failed", "reason"))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _failures(one, is_told=is_told)


@pytest.mark.parametrize("engine", [Theirs, Begun])
@pytest.mark.parametrize("field", FIELDS)
def test_a_bad_field_costs_its_call_and_no_session(
    home: Path, tmp_path: Path, field: str, engine: type[Theirs]
) -> None:
    (kind, made), says = FIELDS[field]
    with rehearsed(home, tmp_path, engine(kind, made)) as session:
        failures = [*_failures(values_of(session.rehearsal.store))]
        assert any(says in one for one in failures), failures
        assert not any(len(one) > 800 or "\n" in one for one in failures)
