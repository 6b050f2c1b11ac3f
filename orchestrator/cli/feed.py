"""Commands that take the presentation in: feed, slide, pause."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import Speed, flag
from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import Name, check_engine, opened, pacer, recorded_speech
from orchestrator.cli.stopping import (
    StoppedError,
    how_to_go_on,
    stoppable,
    told_if_ended,
    told_if_stopped,
)
from orchestrator.core.errors import SessionFrozenError

if TYPE_CHECKING:
    from orchestrator.rehearsal.session import Session


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


def _take(session: Session, source: str, *, is_live: bool, speed: str) -> None:
    """Everything that *source* gives, in the way that fits it and whoever drives the session."""
    from orchestrator.panel.loop.driver_lock import is_driven

    screen = Screen.current
    if not is_driven(session.path):
        check_engine(session)
    _tell_open(session, is_live=is_live)
    if is_live:
        with stoppable() as stop:
            session.listen(source, stop=stop, say=screen.note)
    else:
        _take_recording(session, Path(source), speed)


def _tell_open(session: Session, *, is_live: bool) -> None:
    """Say what becomes of words that come while a question is open."""
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


def _take_recording(session: Session, path: Path, speed: str) -> None:
    from orchestrator.cli.dialogue import Dialogue
    from orchestrator.material.speech.presenter import UNCLEAR
    from orchestrator.panel.loop.driver_lock import is_driven

    screen = Screen.current
    recording = recorded_speech(path, screen.open_home().config, lambda: session.rehearsal.scene().deck)
    finished = True
    if is_driven(session.path):
        screen.note("note: another process drives this session; this feed only appends")
        session.add_recording(recording)
    else:
        session.load(recording, kind="feed")
        dialogue = Dialogue(session, is_known=True)
        is_shown = not (screen.quiet or screen.json)
        with stoppable() as stop:
            finished = session.play(
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
    """The presenter moved to slide N."""
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
