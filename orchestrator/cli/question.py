"""Commands of one question or sentence: ask, answer, …, park, judge, dismiss, correct."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from orchestrator.cli.options import flag, option
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Name, opened
from orchestrator.core.errors import SessionStateError, UsageError
from orchestrator.panel.model.exchange import PERSON_VERDICTS

if TYPE_CHECKING:  # so that `--help` is quick
    from orchestrator.panel.model.exchange import Exchange, Judgement
    from orchestrator.rehearsal.session import Session


NONE: Final = "none"
"""In the place of a person's verdict: what was said before is taken back."""


def ask(
    session: Name,
    agent: Annotated[str | None, option("A", "Call on this panelist.")] = None,
    parked: Annotated[bool, flag("--parked", "Come back to a question that was parked.")] = False,
) -> None:
    """Let the moderator call on a panelist."""
    from orchestrator.panel.loop.moderator_lines import question_lines

    with opened(session) as opened_session:
        exchange = opened_session.ask(agent, parked=parked)
        if exchange is None and parked:
            raise SessionStateError("no parked question is left to come back to")
        if exchange is None:
            raise SessionStateError("nobody has a question now: feed some speech, or move on to other slides")
        plain = {
            "exchange": exchange.id,
            "agent": exchange.agent,
            "question": exchange.turns[0].question,
            "quote": exchange.quote,
            "claim": exchange.claim,
            "slide": exchange.slide,
            "said_at_s": exchange.said_at_s,
            "why_this_agent": exchange.why_this_agent,
            "comes_back_to": exchange.comes_back_to,
            "written_by": exchange.written_by,
        }
        Screen.current.result(plain, "\n".join(question_lines(opened_session.rehearsal, exchange)))


def answer(
    session: Name,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT|-", help="The answer; - or nothing reads stdin.")
    ] = None,
) -> None:
    """Answer the open question; the answer is judged."""
    spoken = sys.stdin.read() if text in (None, "-") else text
    with opened(session) as opened_session:
        asked = opened_session.projection.opened  # another process may ask as soon as this one is closed
        judgement = opened_session.answer(spoken)
        _tell(opened_session, opened_session.projection.asked[asked - 1], judgement)


def done(session: Name) -> None:
    """Have the answer that was heard judged: it is complete.

    An answer is what was begun after the question was put. By itself it ends with a silence.
    """
    with opened(session) as opened_session:
        asked = opened_session.projection.opened
        judgement = opened_session.answer_done()
        _tell(opened_session, opened_session.projection.asked[asked - 1], judgement)


def _tell(opened_session: Session, exchange: Exchange, judgement: Judgement) -> None:
    """Print what came of an answer: the verdict, and the next question or how the exchange was closed."""
    from orchestrator.panel import render
    from orchestrator.panel.debrief.phrasing import outcome
    from orchestrator.panel.loop.moderator_lines import question_lines

    is_closed = exchange.outcome is not None
    plain = {
        "exchange": exchange.id,
        "verdict": judgement.verdict,
        "reason": judgement.reason,
        "quote": judgement.quote,
        "follow_up": None if is_closed else exchange.turns[-1].question,
        "outcome": exchange.outcome,
    }
    if exchange.outcome == "parked":
        lines = [judgement.reason]
    else:
        lines = [render.verdict(exchange.turns[-1 if is_closed else -2], is_last=is_closed)]
    if is_closed:
        lines.append(f"The exchange is closed: {outcome(exchange)}.")
    else:
        lines += ["", *question_lines(opened_session.rehearsal, exchange)]
    Screen.current.result(plain, "\n".join(lines))


def back(session: Name) -> None:
    """Take the last answer back: its question is open again.

    The verdict and the follow-up fall with it. It can be done until the next question is being answered.
    """
    from orchestrator.panel.loop.moderator_lines import question_lines

    with opened(session) as opened_session:
        exchange = opened_session.answer_back()
        plain = {"exchange": exchange.id, "question": exchange.turns[-1].question}
        Screen.current.result(plain, "\n".join(question_lines(opened_session.rehearsal, exchange)))


def talk(session: Name) -> None:
    """Count what was taken for the last answer as the talk.

    The question waits until the presenter has gone on and paused; `ask` puts it again. It can be done as long
    as the answer can be taken back.
    """
    with opened(session) as opened_session:
        waiting = opened_session.answer_was_talk()
        plain = {"exchange": waiting.id, "question": waiting.turns[-1].question}
        Screen.current.result(plain, f"it was the talk; the question {waiting.id} waits")


def questions(session: Name) -> None:
    """Have a live panel ask a question now.

    Another process drives the session, and puts it. `ask` puts one by itself.
    """
    from orchestrator.panel.loop.driver_lock import is_driven

    with opened(session) as opened_session:
        if not is_driven(opened_session.path):
            command = f"`{Screen.current.command} ask {opened_session.name}`"
            raise SessionStateError(
                f"{opened_session.id}: nobody drives the session, so nobody would put a question: {command} "
                "does"
            )
        opened_session.questions_now()
        Screen.current.result({"asked_for": True}, "The panel is asked for a question.")


def park(session: Name) -> None:
    """Come back to the open question later."""
    with opened(session) as opened_session:
        done = opened_session.park()
        Screen.current.result({"exchange": done.id, "outcome": done.outcome}, f"{done.id} is parked")


def judge(
    session: Name,
    exchange: Annotated[str, typer.Argument(metavar="EXCHANGE", help="Its id: x1, x2, …")],
    verdict: Annotated[
        str,
        typer.Argument(
            metavar="given|partly|not|none", help="Whether the answer gave it; none takes that back."
        ),
    ],
    turn: Annotated[
        int | None, option("N", "The answer to the Nth question of it. Default: the last answer.", least=1)
    ] = None,
    note: Annotated[str, option("TEXT", "Why, in a sentence.")] = "",
    by: Annotated[str | None, option("NAME", "Who says so. Default: the presenter.")] = None,
) -> None:
    """Say of an answer that it gave what was asked, partly, or not.

    The panel's verdict stays beside it. The last one said counts, in debrief, progress, comparison and
    memory, and for the panel of a session that goes on: given as answered, partly and not as unresolved.
    After the end it is kept beside the session, never in it.
    """
    from orchestrator.panel.debrief.exchange_json import person_json
    from orchestrator.panel.render import said_by

    if verdict not in (*PERSON_VERDICTS, NONE):
        raise UsageError(f"{verdict[:40]!r}: use {', '.join(PERSON_VERDICTS)} or {NONE}")
    with opened(session) as opened_session:
        said = opened_session.judge_as_person(
            exchange, None if verdict == NONE else verdict, turn=turn, note=note, by=by
        )
        lines = [f"{said.exchange}, answer {said.turn}: {said_by(said)}"]
        if opened_session.projection.ended:
            name, command = opened_session.name, Screen.current.command
            lines.append(
                "debrief.md in the session's folder is of its end and stays so; the debrief as it stands "
                f"now: `{command} debrief {name} --format md`"
            )
        Screen.current.result(person_json(said), "\n".join(lines))


def dismiss(
    session: Name,
    finding: Annotated[str, typer.Argument(metavar="FINDING", help="Its id: c1, c2, …")],
) -> None:
    """Say that a contradiction is none.

    It leaves every page and is not asked about. `show` and `debrief` name the ids. Where the presenter
    agreed to be remembered, later rehearsals do not raise it again.
    """
    from orchestrator.panel.debrief.phrasing import noted

    with opened(session) as opened_session:
        gone = opened_session.dismiss(finding)
        plain = {"state": opened_session.state, "finding": gone.id}
        Screen.current.result(plain, f"{gone.id} is dismissed: {noted(gone)}")


def correct(
    session: Name,
    number: Annotated[
        int, typer.Argument(metavar="NUMBER", help="Of the segment in the transcript: 1 is the first.")
    ],
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT|-", help="What was really said; - or nothing reads stdin.")
    ] = None,
) -> None:
    """Correct a sentence that was misheard.

    The transcript shows both; the panel, the judgement of an answer that is not judged yet, and the debrief
    go by the new words. An empty text says that nothing was said; the same words say that they were heard
    right.
    """
    words = sys.stdin.read() if text in (None, "-") else text
    with opened(session) as opened_session:
        segment = opened_session.correct(number, words)
        plain = {"segment": number, "text": segment.text, "misheard": segment.misheard}
        heard = f', not "{segment.misheard}"' if segment.misheard is not None else ""
        Screen.current.result(plain, f'segment {number}: "{segment.text}"{heard}')
