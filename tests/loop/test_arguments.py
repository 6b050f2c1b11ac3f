"""Whatever is given as an argument: it is taken, or refused by its name, and the session goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from orchestrator import Home, Segment, Session
from orchestrator.core.errors import GreenroomError, InvalidTextError, UsageError
from orchestrator.material.values import LiveSegment

DECK = "# Plan\n\n- Revenue grew 18% in 2026\n"
TRANSCRIPT = "shared/presenter-transcript.md"
ODD: Final[dict[str, Any]] = {
    "NaN": float("nan"),
    "infinity": float("inf"),
    "half a character": "\ud800",
    "NUL": "a\0b",
    "bytes": b"words",
    "a number": 5,
    "true": True,
    "None": None,
    "a list": ["words"],
    "an object": object(),
    "very long": "x" * 3_000_000,
    "empty": "",
}
SEGMENT = Segment("Revenue grew 18%.", 1.0, 2.0)
PIECE = LiveSegment("Revenue grew 18%.")
Door = Callable[[Session, Any], object]
DOORS: Final[dict[str, Door]] = {
    "append path": lambda session, odd: session.append(odd, "words", by="transcript"),
    "append text": lambda session, odd: session.append(TRANSCRIPT, odd, by="transcript"),
    "append by": lambda session, odd: session.append(TRANSCRIPT, "words", by=odd),
    "write path": lambda session, odd: session.write(odd, "words", by="skeptic"),
    "write text": lambda session, odd: session.write("skeptic/candidate-question.md", odd, by="skeptic"),
    "write by": lambda session, odd: session.write("skeptic/candidate-question.md", "words", by=odd),
    "read path": lambda session, odd: session.read(odd),
    "context agent": lambda session, odd: session.context(odd),
    "context purpose": lambda session, odd: session.context("skeptic", purpose=odd),
    "context_at receipt": lambda session, odd: session.context_at(odd),
    "context_at agent": lambda session, odd: session.context_at(3, odd),
    "receipt receipt_id": lambda session, odd: session.receipt(odd),
    "add_segment text": lambda session, odd: session.add_segment(replace(SEGMENT, text=odd)),
    "add_segment start_s": lambda session, odd: session.add_segment(replace(SEGMENT, start_s=odd)),
    "add_segment end_s": lambda session, odd: session.add_segment(replace(SEGMENT, end_s=odd)),
    "add_segment speaker": lambda session, odd: session.add_segment(replace(SEGMENT, speaker=odd)),
    "add_segment slide": lambda session, odd: session.add_segment(replace(SEGMENT, slide=odd)),
    "add_segment confidence": lambda session, odd: session.add_segment(replace(SEGMENT, confidence=odd)),
    "hear text": lambda session, odd: session.hear(replace(PIECE, text=odd)),
    "hear start_s": lambda session, odd: session.hear(replace(PIECE, start_s=odd)),
    "hear end_s": lambda session, odd: session.hear(replace(PIECE, end_s=odd)),
    "hear speaker": lambda session, odd: session.hear(replace(PIECE, speaker=odd)),
    "hear slide": lambda session, odd: session.hear(replace(PIECE, slide=odd)),
    "hear confidence": lambda session, odd: session.hear(replace(PIECE, confidence=odd)),
    "slide number": lambda session, odd: session.slide(odd),
    "ask agent": lambda session, odd: session.ask(odd, question="Why?"),
    "ask question": lambda session, odd: session.ask("skeptic", question=odd),
    "ask quote": lambda session, odd: session.ask("skeptic", question="Why?", quote=odd),
    "ask receipt": lambda session, odd: session.ask("skeptic", question="Why?", receipt=odd),
    "judge verdict": lambda session, odd: session.judge(odd, reason="no"),
    "judge reason": lambda session, odd: session.judge("satisfied", reason=odd),
    "judge quote": lambda session, odd: session.judge("satisfied", reason="no", quote=odd),
    "judge follow_up": lambda session, odd: session.judge("follow_up", reason="no", follow_up=odd),
    "drill exchange": lambda session, odd: session.drill(odd),
    "dismiss finding": lambda session, odd: session.dismiss(odd),
    "archive url": lambda session, odd: session.archive(odd),
}


@pytest.fixture
def session(home: Path) -> Any:
    with Session.start(Home.open(home), deck_text=DECK, id="s1") as made:
        yield made


def _refuses(call: Callable[[], object], name: str) -> None:
    """Whatever is raised is an error that names its argument, or one of ours."""
    try:
        call()
    except GreenroomError as error:
        assert "\n" not in str(error)  # noqa: PT017  # most calls are taken
        assert len(str(error)) < 4_000_000  # noqa: PT017
    except (TypeError, ValueError) as error:
        assert name in str(error)  # noqa: PT017


@pytest.mark.parametrize("door", DOORS)
def test_no_argument_breaks_a_session(session: Session, door: str) -> None:
    name = door.split()[1]
    known = {"text": "text", "path": "path", "by": "by"}
    for odd in ODD.values():
        if door.startswith("judge") and session.projection.open is None:
            session.ask("skeptic", question="Why is that?")
            session.take_answer("Because of the timetable.")
        if door.startswith("ask") and session.projection.open is not None:
            session.park()
        _refuses(lambda odd=odd: DOORS[door](session, odd), known.get(name, name))  # type: ignore[misc]
        session.append(TRANSCRIPT, "Still here.", by="transcript")
    assert session.verify().valid
    with Session.open(None, session.path) as again:
        assert again.read(TRANSCRIPT).count("Still here.") == len(ODD)
        again.context("skeptic")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"text": " "}, "a piece of speech needs words"),
        ({"start_s": 9.0, "end_s": 8.0}, "it ends at 8.0 s, before it begins at 9.0 s"),
        ({"slide": 99}, "there is no slide 99"),
    ],
)
def test_a_piece_of_speech_that_cannot_be_is_refused(
    session: Session, wrong: dict[str, Any], why: str
) -> None:
    before = session.ledger_head
    with pytest.raises(UsageError, match=f"^{why}"):
        session.add_segment(replace(SEGMENT, **wrong))
    assert session.ledger_head == before


@pytest.mark.parametrize("odd", ODD)
def test_an_answer_is_text_or_nothing(session: Session, odd: str) -> None:
    session.ask("skeptic", question="Why is that?")
    for give in (session.take_answer, session.answer):
        if session.projection.open is None:
            session.ask("skeptic", question="And why is that?")
        _refuses(lambda give=give: give(ODD[odd]), "text")  # type: ignore[misc]
    session.append(TRANSCRIPT, "Still here.", by="transcript")
    assert session.verify().valid


def test_what_is_no_text_is_named(session: Session) -> None:
    session.ask("skeptic", question="Why is that?")
    with pytest.raises(TypeError, match=r"^text is int, not str: give text$"):
        session.answer(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^purpose is float, not str: give text$"):
        session.context("skeptic", purpose=float("nan"))  # type: ignore[arg-type]
    with pytest.raises(InvalidTextError, match=r"^purpose is not valid Unicode text"):
        session.context("skeptic", purpose="\ud800")
    with pytest.raises(ValueError, match=r"^purpose has 201 characters; at most 200 are taken"):
        session.context("skeptic", purpose="x" * 201)
    assert session.context("skeptic", purpose="x" * 200).receipt.purpose == "x" * 200


@pytest.mark.parametrize(
    "name", ["id", "presenter", "speaker", "date", "kind", "minutes", "exchanges", "focus", "panel"]
)
@pytest.mark.own_memory  # the modes remember each presenter, and these are no names
def test_no_option_of_a_start_leaves_a_session_that_breaks(home: Path, name: str) -> None:
    for odd in ODD.values():
        given: dict[str, Any] = {name: (odd,) if name in ("focus", "panel") else odd}
        try:
            with Session.start(Home.open(home), deck_text=DECK, **given) as session:
                session.append(TRANSCRIPT, "Still here.", by="transcript")
                assert session.verify().valid
        except GreenroomError as error:
            assert "\n" not in str(error)  # noqa: PT017
        except (TypeError, ValueError) as error:
            assert name in str(error)  # noqa: PT017
