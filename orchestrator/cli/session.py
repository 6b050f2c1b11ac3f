"""Commands for one question or sentence: ask, answer, …, park, judge, dismiss, correct."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from orchestrator.cli import arguments
from orchestrator.cli.arguments import (
    Name,
    Speed,
    check_address,
    check_engine,
    flag,
    memory_failure,
    opened,
    opened_any,
    option,
    options_of,
    pacer,
    recorded_speech,
    refuse,
    s3_options,
)
from orchestrator.cli.screen import Screen, columns, wrapped
from orchestrator.cli.stopping import (
    StoppedError,
    how_to_go_on,
    stoppable,
    told_if_ended,
    told_if_stopped,
    told_of_new,
)
from orchestrator.cli.waiting import waiting
from orchestrator.core.errors import ArchiveError, SessionFrozenError, SessionStateError, UsageError
from orchestrator.panel.model.exchange import PERSON_VERDICTS

if TYPE_CHECKING:
    from orchestrator.panel.model.exchange import Exchange, Judgement
    from orchestrator.rehearsal.rehearsal import Rehearsal


# ---------------------------------------------------------------------- start
# Commands that begin and end a session: start, end.


@arguments.begins_a_session
def start(deck: arguments.DeckFile, **given: Any) -> None:
    """Begin a session and leave it active.

    A file of --questions has one question a line ("slide 4: Who pays?" is put at that slide), or is a list in
    YAML or JSON; of an entry only the text must be there:

    \b
        - text: Who pays if the harbour freezes?
          slide: 4
          agent: skeptic
        - What does it cost in the second year?

    Each is put once, as it stands, before the panel's own.
    """
    begun = options_of(given)
    screen = Screen.current
    home = screen.open_home()
    with told_of_new(home, begun):
        from orchestrator.rehearsal.rehearsal import Rehearsal

        check_address(begun["engine"] or home.config.engine)
        with (
            waiting() as wait,
            Rehearsal.start(home, deck, say=screen.warn, calls=wait.calls, **begun) as session,
        ):
            _tell_of_start(session)
            refuse(memory_failure(session.failures))


def _tell_of_start(session: Rehearsal) -> None:
    from orchestrator.core.legible import counted
    from orchestrator.documents.session import warnings_json

    screen = Screen.current
    projection = session.projection
    focus_counts = {
        agent: len(projection.targets.get(agent, ())) for agent in session.rehearsal.options.panel
    }
    deck_read = session.rehearsal.scene().deck
    plain = {
        "session": session.id,
        "path": str(session.path),
        "state": session.state,
        "slides": len(deck_read.slides),
        "claims": len(projection.deck_claims),
        "focus": focus_counts,
        "warnings": warnings_json(session),
    }
    for notice in (*session.notices, *deck_read.notices):
        screen.note(f"note: {notice}")
    targets = ", ".join(f"{agent} {count}" for agent, count in focus_counts.items())
    counts = f"{counted(len(deck_read.slides), 'slide')}, {counted(len(projection.deck_claims), 'claim')}"
    active = wrapped(f"{session.id} is active: {counts}; targets: {targets}.", columns(sys.stdout))
    following = f"Next: {screen.command} feed {session.id} SPEECH, then ask, answer, end"
    screen.result(plain, f"{active}\n{following}")


def end(
    session: Name,
    without_debrief: Annotated[bool, flag("--without-debrief", "Freeze without a debrief.")] = False,
    archive: arguments.Archive = None,
) -> None:
    """Write the debrief, freeze the session, archive it and verify.

    A session of another crew has no debrief; all else is the same.
    """
    from orchestrator.documents.opening import archived_at, end_any, is_rehearsal
    from orchestrator.documents.session import warnings_json
    from orchestrator.panel.loop.moderator import Teller

    screen = Screen.current
    refused: ArchiveError | None = None
    home = screen.open_home()
    found = home.find(session)
    with told_if_stopped(lambda: how_to_go_on(home, found)), opened_any(session) as opened_session:
        teller = Teller(opened_session.rehearsal) if is_rehearsal(opened_session) else None
        try:
            end_any(opened_session, without_debrief=without_debrief, archive=archive, **s3_options())
        except ArchiveError as error:
            refused = error
        for line in teller.lines() if teller is not None else ():
            screen.note(line)
        debrief = opened_session.path / "debrief.md"
        path = str(debrief) if debrief.exists() else None
        plain = {
            "state": opened_session.state,
            "debrief": path,
            "ledger_head": opened_session.ledger_head,
            "archive": archived_at(opened_session),
            "valid": opened_session.verify().valid,
            "warnings": warnings_json(opened_session),
        }
        proof = "yes" if plain["valid"] else f"NO: run {screen.command} verify {opened_session.id}"
        lines = [
            f"{opened_session.id} has ended.",
            *([f"Debrief   {path}"] if path else []),
            f"Archive   {plain['archive'] or 'none'}",
            f"Verified  {proof}",
            f"Ledger head (keep it elsewhere; it shows any later change): {plain['ledger_head']}",
        ]
        screen.result(plain, "\n".join(lines))
        failures = opened_session.failures if is_rehearsal(opened_session) else ()
        refuse(memory_failure(failures), refused)


# ---------------------------------------------------------------------- feed
# Commands that take the presentation in: feed, slide, pause.


def feed(
    session: Name,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|-", help="Speech: .vtt, .srt, .sbv, .txt, .json, .jsonl or sound; - is stdin."
        ),
    ],
    follow: Annotated[bool, flag("--follow", "Go on as the file grows; default: it is read once.")] = False,
    speed: Speed = "max",
) -> None:
    """Take speech in, recorded or live.

    Sound (.wav, .flac, .mp3, .m4a, .ogg) is recognised on this machine, which needs the extra `stt`.

    Live on stdin come JSON lines, one piece of speech each:

    {"text": "Revenue grew 18%.", "speaker": "Ines", "slide": 2, "start_s": 12.4, "end_s": 15.0}

    Only "text" is needed. Without "start_s" and "end_s", in seconds, the words have just been said,
    by a clock that runs while a live feed does; a time that goes back is moved to the one before.
    "speaker" is a label, "slide" the slide that is shown, "confidence" is from 0 to 1, and a line
    with "final": false is passed over. A line with an "id" of its own, a text, counts once.
    """
    from orchestrator.core import legible

    screen = Screen.current
    home = screen.open_home()
    found = home.find(session)
    with told_if_stopped(lambda: how_to_go_on(home, found)), opened(session) as opened_session:
        if opened_session.state == "ended":
            raise SessionFrozenError(f"{opened_session.id} has ended and is frozen: start a new session")
        before = len(opened_session.projection.segments)
        with opened_session.guard(screen.warn):
            _take(opened_session, source, is_live=source == "-" or follow, speed=speed)
        new = opened_session.projection.segments[before:]
        plain = {
            "segments": len(new),
            "from_s": new[0].start_s if new else None,
            "to_s": new[-1].end_s if new else None,
        }
        span = f", {legible.clock(new[0].start_s)} to {legible.clock(new[-1].end_s)}" if new else ""
        screen.result(plain, f"{legible.counted(len(new), 'segment')}{span}")
    told_if_ended(lambda: how_to_go_on(home, found))


def _take(session: Rehearsal, source: str, *, is_live: bool, speed: str) -> None:
    """Read everything that *source* provides, in the way that fits it and the process that drives the
    session."""
    from orchestrator.panel.loop import live
    from orchestrator.panel.loop.driver_lock import is_driven

    screen = Screen.current
    if not is_driven(session.path):
        check_engine(session)
    _tell_open(session, is_live=is_live)
    if is_live:
        with stoppable() as stop:
            live.feed_live(
                session.rehearsal, source, stop=stop, say=screen.note, on_step=session.watch.after_step
            )
    else:
        _take_recording(session, Path(source), speed)


def _tell_open(session: Rehearsal, *, is_live: bool) -> None:
    """Say what happens to words that come while a question is open."""
    open_, screen = session.projection.open, Screen.current
    if open_ is None:
        return
    name = session.rehearsal.name_of(open_.agent)
    aside = f"`{screen.command} park {session.name}` sets it aside"
    if is_live:
        screen.note(f"note: {open_.id} of {name} is open: what is said now is its answer; {aside}")
    else:
        answer = f"`{screen.command} answer {session.name}` answers it"
        screen.note(f"note: {open_.id} of {name} is open, and a recording is no answer: {answer}, {aside}")


def _take_recording(session: Rehearsal, path: Path, speed: str) -> None:
    from orchestrator.cli.dialogue import Dialogue
    from orchestrator.material.speech.speakers import UNCLEAR
    from orchestrator.panel.loop.driver_lock import is_driven

    screen = Screen.current
    recording = recorded_speech(path, screen.open_home().config, lambda: session.rehearsal.scene().deck)
    finished = True
    if is_driven(session.path):
        screen.note("note: another process drives this session; this feed only appends")
        session.hear(recording)
    else:
        dialogue = Dialogue(session, is_known=True)
        is_shown = not (screen.quiet or screen.json)
        with stoppable() as stop:
            finished = session.play(
                recording,
                kind="feed",
                stop=stop,
                wait_until=pacer(speed, stop),
                on_step=lambda _: dialogue.show() if is_shown else None,
            )
    for notice in recording.notices:
        screen.note(f"note: {notice}")
    if session.projection.presenter_how == UNCLEAR:
        screen.note(
            "note: who presents is not clear, so nobody is judged: begin with `start --speaker LABEL`"
        )
    if not finished:
        raise StoppedError(f"stopped; go on with `{screen.command} resume {session.name}`")


def slide(
    session: Name, number: Annotated[int, typer.Argument(metavar="N", help="The slide's number.")]
) -> None:
    """Move to slide N, as the presenter did."""
    with opened(session) as opened_session:
        opened_session.slide(number)
        Screen.current.result({"slide": number}, f"slide {number}")


def pause(session: Name) -> None:
    """Stop the session's clock; the next live feed lets it run on."""
    with opened(session) as opened_session:
        opened_session.pause()
        Screen.current.result(
            {"state": opened_session.state}, "paused: the clock stands until the next live feed"
        )


# ---------------------------------------------------------------------- question


NONE: Final = "none"
"""The word in place of a person's verdict that takes an earlier verdict back."""


def ask(
    session: Name,
    agent: Annotated[str | None, option("A", "Call on this panelist.")] = None,
    parked: Annotated[bool, flag("--parked", "Come back to a question that was parked.")] = False,
) -> None:
    """Let the moderator call on a panelist."""
    from orchestrator.panel.loop.moderator import question_lines

    with opened(session) as opened_session:
        exchange = opened_session.call_on(agent, parked=parked)
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
        judgement = opened_session.answer_and_judge(spoken)
        _tell(opened_session, opened_session.projection.asked[asked - 1], judgement)


def done(session: Name) -> None:
    """Have the answer that was heard judged: it is complete.

    An answer is what was begun after the question was put. By itself it ends with a silence.
    """
    with opened(session) as opened_session:
        asked = opened_session.projection.opened
        judgement = opened_session.answer_done()
        _tell(opened_session, opened_session.projection.asked[asked - 1], judgement)


def _tell(opened_session: Rehearsal, exchange: Exchange, judgement: Judgement) -> None:
    """Print the outcome of an answer: the verdict, and the next question or why the exchange was closed."""
    from orchestrator.panel import render
    from orchestrator.panel.debrief.phrasing import outcome
    from orchestrator.panel.loop.moderator import question_lines

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
    from orchestrator.panel.loop.moderator import question_lines

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
    """Say whether an answer gave what was asked, partly or not.

    The panel's verdict stays beside it. The last verdict said counts, in debrief, progress, comparison
    and memory. It counts for the panel of a session that goes on, too: given as answered, partly and not as
    unresolved. After the session's end, the verdict is kept beside the session, never in it.
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
