"""Nothing of an engine's reply is taken on trust: a bad field costs a call, a bad quote its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.errors import EngineError, GreenroomError, UsageError
from orchestrator.material.claim import Place, Tension
from orchestrator.material.speech.read import read_speech
from orchestrator.panel.answers import read_answers
from orchestrator.panel.engines import OfflineEngine, protocol, together
from orchestrator.panel.engines.protocol import CandidateRequest, JudgementRequest, OnText, Request
from orchestrator.panel.home import Home
from orchestrator.panel.model.exchange import (
    Candidate,
    Judgement,
    Observation,
    Target,
)
from orchestrator.panel.model.reply import (
    Attack,
    BetterAnswer,
    DebriefWords,
    RubricCheck,
)
from orchestrator.rehearsal.session import Session
from tests.helpers.homes import new_home
from tests.helpers.rehearsals import write_rehearsal
from tests.helpers.stores import values_of

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context

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
        except GreenroomError as error:
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
    "noticed of numbers": (
        _judges(noticed=Observation(cast(str, 1), None)),
        "got `int` - at `$.noticed.text`",
    ),
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
    "a state unknown": (
        _debriefs(checks=(RubricCheck("x", "fine", "y"),)),
        "RubricCheck.state must be of yes",
    ),
    "a set": ((CandidateRequest, lambda _: {"x"}), "the engine gave set for a CandidateRequest"),
    "itself": (
        (protocol.FocusBriefRequest, lambda _: _endless()),
        "by a mistake of its own (RecursionError)",
    ),
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


# ---------------------------------------------------------------------- quotes and places


HEARD = "altogether 1.8 million euros"
GENERAL: dict[str, Any] = {"slide": None, "quote": None, "grounded": False}
PLACES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "as it stands": ({}, {}),
    "words not there": ({"quote": "words not there"}, GENERAL),
    "no such slide": ({"slide": 99}, GENERAL),
    "another slide": ({"slide": 2}, GENERAL),
    "no quote, no such slide": ({"slide": 99, "quote": None, "grounded": False}, GENERAL),
    "no quote": ({"quote": None}, {"quote": None, "grounded": False}),
    "the deck's words as speech": ({"slide": None, "said_at_s": 3.0}, GENERAL),
    "never said": ({"slide": None, "said_at_s": 3.0, "quote": "never said so"}, GENERAL),
    "said, at another slide": ({"slide": 99, "said_at_s": 98.0, "quote": HEARD}, GENERAL),
    "said": ({"slide": None, "said_at_s": 98.0, "quote": HEARD}, {"slide": None, "quote": HEARD}),
    "said, no place": ({"slide": None, "quote": HEARD}, {"slide": None, "quote": HEARD}),
    "shown, no place": ({"slide": None}, {"slide": 1}),
    "no such claim": ({"claim": "d9.9"}, {"claim": None}),
    "another slide's claim": ({"claim": "d2.1"}, {"claim": None}),
    "beside no words": ({"beside": Place(2, None, "not there")}, {"beside": None}),
    "missing on no slide": (
        {"slide": 99, "quote": None, "is_missing": True},
        {**GENERAL, "is_missing": False},
    ),
    "the presenter's own": (
        {"written_by": "presenter", "brought": 3},
        {"written_by": "panel", "brought": None},
    ),
}
"""What a question says of its place, and what is left of it."""


@pytest.fixture
def asked(home: Path, tmp_path: Path) -> Iterator[list[Request[Any]]]:
    """Requests of a rehearsal that is under way, its whole talk heard, one answer given."""
    requests: list[Request[Any]] = []

    def note(request: Request[Any]) -> object:
        requests.append(request)
        return OfflineEngine().reply(request)

    files = write_rehearsal(tmp_path)
    session = Session.start(Home.open(home), files.deck, presenter="Ines", engine=Theirs(Request, note))
    with session:
        session.load(read_speech(files.speech), kind="run", answers=read_answers(files.answers))
        session.play()
        session.ask("skeptic", question="Who pays?")
        session.answer("The city pays.")
        session.end()
        yield requests


def _last(asked: list[Request[Any]], kind: type[Request[Any]]) -> Any:
    return next(one for one in reversed(asked) if isinstance(one, kind))


def _through_the_door(request: Request[Any], reply: object) -> Any:
    return together.ask(Theirs(type(request), lambda _: reply), request)


def test_what_does_not_stand_costs_a_question_its_place(asked: list[Request[Any]]) -> None:
    request = _last(asked, CandidateRequest)
    for name, (given_, left) in PLACES.items():
        one = candidate(request, **given_)
        got = _through_the_door(request, one)
        assert {field: getattr(got, field) for field in left} == left, name
        assert (got.agent, got.question) == (one.agent, one.question)


def test_what_does_not_stand_costs_a_target_its_place(asked: list[Request[Any]]) -> None:
    request = _last(asked, protocol.FocusBriefRequest)
    given_ = (TARGET, replace(TARGET, quote="not there"), replace(TARGET, slide=99))
    general = replace(TARGET, slide=None, quote="")
    assert _through_the_door(request, [*given_]) == (TARGET, general, general)


def test_a_verdict_stays_without_the_words_that_were_not_said(asked: list[Request[Any]]) -> None:
    request = _last(asked, JudgementRequest)
    beside, pays = Place(1, None, QUOTE), Place(None, None, "The city pays.")
    held = Judgement(
        "satisfied",
        "as told",
        "The city pays",
        promises=("The city pays.",),
        contradicts=Tension("speech-vs-deck", beside, pays, "no", class_="read"),
        noticed=Observation("brief", "city pays"),
    )
    assert _through_the_door(request, held) == held
    made_up = Judgement(
        "satisfied",
        "as told",
        "never said so",
        promises=("We double it.",),
        contradicts=replace(cast(Tension, held.contradicts), a=Place(99, None, QUOTE)),
        noticed=Observation("brief", "never said so"),
    )
    assert _through_the_door(request, made_up) == Judgement("satisfied", "as told")


def test_a_debrief_is_about_what_was_asked_and_said(asked: list[Request[Any]]) -> None:
    request = _last(asked, protocol.DebriefRequest)
    said = Place(None, 83.0, "We will double the fleet by 2028.")
    held = DebriefWords(
        "fix", "why", "x1", promises=(said,), checks=(RubricCheck(request.checks[0], "no", "y"),)
    )
    assert _through_the_door(request, held) == held
    other = DebriefWords(
        "fix",
        "why",
        "x99",
        better=(BetterAnswer("x99", "Say so.", (said,)),),
        promises=(replace(said, quote="We treble it."),),
        checks=(RubricCheck("none of ours", "no", "y"),),
    )
    assert _through_the_door(request, other) == DebriefWords("fix", "why")


def test_what_the_bank_replies_stands_and_comes_through_the_door_as_it_is(asked: list[Request[Any]]) -> None:
    bank = OfflineEngine()
    assert {type(one) for one in asked} >= {CandidateRequest, JudgementRequest, protocol.DossierRequest}
    for request in asked:
        reply: Any = bank.reply(request)
        assert _through_the_door(request, reply) == reply


# ---------------------------------------------------------------------- calls that are under way


class Held(Theirs):
    """An engine whose one call is under way until the test says what comes of it."""

    def __init__(self) -> None:
        super().__init__(Request, lambda _: None)
        self.call: Future[Any] = Future()

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        return self.call


def test_a_reply_that_comes_later_is_looked_at_when_it_comes(asked: list[Request[Any]]) -> None:
    engine, request = Held(), _last(asked, CandidateRequest)
    begun = together.begun(engine, request, None)
    assert not begun.done()
    engine.call.set_result(candidate(request, slide=99))
    together.wait([begun])
    assert together.outcome(begun) == candidate(request, **GENERAL)


def test_a_call_that_is_given_up_is_given_up_in_the_engine_and_keeps_nobody_waiting(
    asked: list[Request[Any]],
) -> None:
    for is_by_engine in (False, True):
        engine = Held()
        begun = together.begun(engine, _last(asked, CandidateRequest), None)
        (engine.call if is_by_engine else begun).cancel()
        together.wait([begun])
        assert engine.call.cancelled()
        assert str(together.outcome(begun)) == "the call was given up"
    engine = Held()  # one that runs on, whoever gives it up
    engine.call.set_running_or_notify_cancel()
    begun = together.begun(engine, _last(asked, CandidateRequest), None)
    begun.cancel()
    engine.call.set_result(5)
    assert str(together.outcome(begun)) == "the call was given up"


def test_what_is_no_call_is_a_failed_one(asked: list[Request[Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    engine, request = Held(), _last(asked, CandidateRequest)
    engine.call = cast(Any, "soon")
    told = "the engine's begin gave str: it must be concurrent.futures.Future"
    assert str(together.outcome(together.begun(engine, request, None))) == told
    monkeypatch.setattr(engine, "begin", lambda *_: _raises(KeyError("x")))
    told = "the engine failed by a mistake of its own (KeyError): tell its authors"
    assert str(together.outcome(together.begun(engine, request, None))) == told


# ---------------------------------------------------------------------- any values at all


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.sampled_from([HALF, "x\0", "satisfied", "follow_up", "number", "skeptic", QUOTE, "# x\n- y"]),
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)


@st.composite
def results(draw: st.DrawFn) -> dict[type[Any], object]:
    """For each kind of request a reply whose fields hold anything, some of them the right thing."""

    def made(kind: Any, /, **known: object) -> object:
        wrong = draw(st.sets(st.sampled_from([one.name for one in fields(kind)]), max_size=2))
        return kind(**{**known, **{name: draw(VALUES) for name in wrong}})

    plain = fields(Candidate)[:12]
    question = {one.name: getattr(candidate(cast(Any, _seat())), one.name) for one in plain}
    place = made(Place, slide=1, said_at_s=None, quote=QUOTE)
    tension = made(Tension, kind="deck-vs-deck", a=place, b=place, note="no")
    return {
        CandidateRequest: made(Candidate, **{**question, "beside": place}),
        JudgementRequest: made(
            Judgement, verdict="follow_up", reason="x", follow_up="y?", contradicts=tension
        ),
        protocol.FocusBriefRequest: (
            made(Target, **{one.name: getattr(TARGET, one.name) for one in fields(Target)}),
        ),
        protocol.DossierRequest: [
            made(Attack, **{one.name: getattr(ATTACK, one.name) for one in fields(Attack)})
        ],
        protocol.DebriefRequest: made(DebriefWords, promises=(place,)),
        protocol.ScratchpadRequest: draw(VALUES),
        protocol.FactsRequest: draw(VALUES),
        protocol.TensionsRequest: draw(VALUES),
        protocol.ScribeRequest: draw(VALUES),
        protocol.DoubtRequest: draw(VALUES),
    }


def _seat() -> object:
    """As much of a request as `candidate` reads."""
    seat = SimpleNamespace(persona=SimpleNamespace(id="skeptic"))
    return SimpleNamespace(seat=seat, scene=SimpleNamespace(exchanges=()))


@settings(max_examples=25, deadline=None)
@given(made=results())
def test_no_values_of_a_reply_break_a_session(
    tmp_path_factory: pytest.TempPathFactory, made: dict[type[Any], object]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    home = new_home(folder / "home")
    engine = Theirs(Request, lambda request: made[type(request)])
    with rehearsed(home, folder, engine) as session:
        assert session.projection.ended
    with Session.open(Home.open(home), "ferries") as again:
        assert again.verify().valid
