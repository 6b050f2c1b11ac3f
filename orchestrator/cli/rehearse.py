"""Commands that rehearse: demo, run, start, feed, slide, ask, answer, park, pause, resume, end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.screen import Screen
from orchestrator.cli.shared import (
    StoppedError,
    check_address,
    how_to_go_on,
    opened,
    pacer,
    s3_options,
    stoppable,
    told_if_stopped,
)
from orchestrator.errors import ArchiveError, EngineError, GreenroomError, SessionStateError, UsageError
from orchestrator.home.config import CHOICES

if TYPE_CHECKING:
    from orchestrator.home.folder import Home
    from orchestrator.loop.rehearsal import Rehearsal
    from orchestrator.session import Session

Deck = Annotated[Path, typer.Argument(metavar="DECK", help="The deck: .pptx, .pdf or .md.")]
Name = Annotated[str, typer.Argument(metavar="SESSION", help="The session.")]
Id = Annotated[str | None, typer.Option("--id", metavar="ID", help="The new session's id.")]
Presenter = Annotated[str | None, typer.Option(metavar="NAME", help="Who presents.")]
Speaker = Annotated[str | None, typer.Option(metavar="LABEL", help="Whose words are judged, as labelled.")]
Panel = Annotated[
    str | None, typer.Option(metavar="A,B,C", help="The panelists that sit, besides the moderator.")
]
Date = Annotated[str | None, typer.Option(metavar="DAY", help="The rehearsal's date, YYYY-MM-DD.")]
Intel = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="News and facts from outside: Markdown, text, or a YAML or JSON list; may be repeated.",
    ),
]
Board = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Who sits on the board: a YAML or JSON list of name, role, background, interests.",
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="offline (the default), claude, or model: a server of your own, see greenroom.yaml.",
    ),
]
Kind = Annotated[
    str | None,
    typer.Option(metavar="KIND", help='Of deck, where it is read as another: "request for money", …'),
]
LayoutName = Annotated[str | None, typer.Option("--layout", metavar="NAME", help="watermark or strict.")]
Intensity = Annotated[str | None, typer.Option(metavar="LEVEL", help="friendly, moderate or adversarial.")]
Mode = Annotated[str | None, typer.Option(metavar="MODE", help="section-breaks, hand-raise or free-flow.")]
Minutes = Annotated[int | None, typer.Option(min=1, help="The time you will have.")]
Exchanges = Annotated[
    int | None, typer.Option(min=0, help="How many questions, with their follow-ups, at most.")
]
Focus = Annotated[
    list[str] | None, typer.Option(metavar="TEXT", help="What the panel should look at; may be repeated.")
]
Remember = Annotated[
    bool,
    typer.Option("--remember", help="Let the panel keep what it learns of you; needs --presenter."),
]
NoSource = Annotated[bool, typer.Option("--no-source", help="Keep no copy of the deck file.")]
Archive = Annotated[
    str | None, typer.Option(metavar="URL", help="Where the ended session goes: a folder or s3://…")
]
Speed = Annotated[str, typer.Option(metavar="N|max", help="The pace of the recording; 1 is its own.")]


ENGINES = CHOICES["engine"]

SAME_NAMES = (
    "presenter",
    "speaker",
    "date",
    "kind",
    "engine",
    "layout",
    "intensity",
    "mode",
    "minutes",
    "exchanges",
    "remember",
)


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    for command in (demo, run, start, feed, slide, ask, answer, park, pause, resume, end):
        app.command()(command)


def demo() -> None:
    """A whole rehearsal on a bundled deck, recorded speech and answers. Needs no key and no network."""
    sample = Path(__file__).resolve().parents[1] / "demo"
    screen = Screen.current
    screen.note(
        "A rehearsal on the bundled deck: speech and answers are recorded, the panel works offline.\n"
    )
    plain = _rehearse(
        sample / "deck.md",
        speech=sample / "speech.vtt",
        answers=sample / "answers.yaml",
        speed="max",
        archive=None,
        options={"presenter": "Dana Whitfield"},
    )
    if not screen.json:
        from orchestrator.cli.summary import next_steps

        print(next_steps(plain, screen.command))


def run(
    context: typer.Context,
    deck: Deck,
    speech: Annotated[Path | None, typer.Option(metavar="FILE", help="The recorded speech.")] = None,
    answers: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", help="A YAML list of your answers; - asks you at the terminal."),
    ] = None,
    id_: Id = None,
    presenter: Presenter = None,
    speaker: Speaker = None,
    panel: Panel = None,
    date: Date = None,
    intel: Intel = None,
    board: Board = None,
    kind: Kind = None,
    engine: Engine = None,
    layout: LayoutName = None,
    intensity: Intensity = None,
    mode: Mode = None,
    minutes: Minutes = None,
    exchanges: Exchanges = None,
    focus: Focus = None,
    remember: Remember = False,
    no_source: NoSource = False,
    archive: Archive = None,
    speed: Speed = "max",
) -> None:
    """A whole rehearsal from recordings: start, speech, questions, answers, end, archive, verify."""
    options = _options(context.params)
    typed = answers == "-"
    _rehearse(
        deck,
        speech=speech,
        answers=None if answers is None or typed else Path(answers),
        typed=typed,
        speed=speed,
        archive=archive,
        options=options,
    )


def _options(params: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `run` and `start` as `Session.start` takes them, checked."""
    from orchestrator.home.config import checked

    if params["engine"] is not None and params["engine"] not in ENGINES:
        raise UsageError(f"--engine {params['engine']!r}: use {', '.join(ENGINES[:-1])} or {ENGINES[-1]}")
    for key in ("layout", "intensity", "mode"):
        if params[key] is not None:
            checked(key, params[key], f"--{key}")
    return {
        **{name: params[name] for name in SAME_NAMES},
        "id": params["id_"],
        "panel": tuple(name.strip() for name in params["panel"].split(",")) if params["panel"] else None,
        "intel": tuple(params["intel"] or ()),
        "board": params["board"],
        "focus": tuple(params["focus"] or ()),
        "keep_source": not params["no_source"],
    }


def _rehearse(
    deck: Path,
    *,
    speech: Path | None,
    answers: Path | None,
    speed: str,
    archive: str | None,
    options: dict[str, Any],
    typed: bool = False,
) -> dict[str, Any]:
    began = perf_counter()
    screen = Screen.current
    home = screen.open_home()
    with told_of_new(home, options):
        from orchestrator.archive.stores import open_store
        from orchestrator.loop.recorded import Loading
        from orchestrator.session import Session
        from orchestrator.speech.answers import read_answers
        from orchestrator.speech.read import Recording, read_speech

        check_address(options.get("engine") or home.config.engine)
        pacer(speed, lambda: False)  # refuses a bad --speed before anything is made
        if archive is not None:
            open_store(archive, endpoint_url=s3_options()["endpoint_url"])  # and a bad address
        recording = read_speech(speech) if speech is not None else Recording.silent()
        prepared = read_answers(answers) if answers is not None else ()
        loading = Loading(recording, "run", prepared, archive, typed)
        with Session.start(home, deck, loading=loading, say=screen.warn, **options) as session:
            for notice in (*session.notices, *session.rehearsal.scene().deck.notices, *recording.notices):
                screen.note(f"note: {notice}")
            return play_to_the_end(session, speed=speed, began=began)


@contextmanager
def told_of_new(home: Home, options: dict[str, Any]) -> Iterator[None]:
    """Ctrl-C in the block, which makes a session, says what there is of it; gives it its id before.

    Says first who is left out of the panel because the seat is still a draft.
    """
    for name in home.drafts() if options.get("panel") is None else ():
        Screen.current.note(
            f"note: {name} does not sit: its files are still a draft; "
            f"{Screen.current.command} panel check {name} says what to write"
        )
    if options.get("id") is None:
        options["id"] = home.new_id()
    root = home.sessions / options["id"]
    was_there = root.exists()  # then the block refuses; what is there is not its own
    with told_if_stopped(lambda: "nothing was made" if was_there else how_to_go_on(home, root)):
        yield


def play_to_the_end(
    session: Session, *, speed: str, began: float, repaired: Sequence[str] = ()
) -> dict[str, Any]:
    """Play what is loaded; a run also ends, archives and verifies. Prints the result and returns it."""
    from orchestrator.cli.progress import progress
    from orchestrator.cli.prompt import prompt_of

    screen = Screen.current
    loaded = session.room.playback
    typed = loaded is not None and loaded.typed
    with stoppable() as stop, progress(session, screen.shows_progress and not typed) as on_step:
        finished = session.play(
            stop=stop,
            wait_until=pacer(speed, stop),
            on_step=on_step if typed or screen.json else _telling(session, on_step),
            prompt=prompt_of(session) if typed else None,
        )
    if stop() or not finished:
        raise StoppedError(f"stopped; go on with `{screen.command} resume {session.id}`")
    return finish_run(session, began=began, repaired=repaired)


def _telling(session: Session, then: Callable[[Rehearsal], None] | None) -> Callable[[Rehearsal], None]:
    """A callback for every step that shows what the moderator has said, the questions, and what fails."""
    from orchestrator.loop.moderator_lines import Teller

    teller = Teller(session.rehearsal, shows_questions=True)

    def tell(rehearsal: Rehearsal) -> None:
        for line in teller.lines():
            Screen.current.note(line)
        if then is not None:
            then(rehearsal)

    return tell


def finish_run(session: Session, *, began: float, repaired: Sequence[str]) -> dict[str, Any]:
    """End, archive and verify a run that was played; prints the result and returns it."""
    from orchestrator.cli.finish import archive, close
    from orchestrator.cli.summary import run_json, run_text

    screen = Screen.current
    loaded = session.room.playback
    typed = loaded is not None and loaded.typed
    close(session)
    refused: GreenroomError | OSError | None = None
    archived: str | None = None
    try:
        archived = archive(session)
    except (GreenroomError, OSError) as error:
        refused = error
    plain = run_json(session, archived, seconds=perf_counter() - began)
    plain["repaired"] = list(repaired)
    plain["took_over"] = session.room.took_over
    screen.result(plain, run_text(session, plain, brief=typed))
    if refused is not None:
        raise ArchiveError(
            f"not archived: {refused}; the session has ended and is kept at {session.path}: "
            f"archive it with `{screen.command} archive {session.id} --to URL`"
        ) from refused
    if session.room.took_over is not None:
        raise EngineError(
            "no call to the model succeeded, and the offline panel sat in its place: "
            f"{session.room.took_over}; `{screen.command} doctor` tries it with one call"
        )
    return plain


def start(
    context: typer.Context,
    deck: Deck,
    id_: Id = None,
    presenter: Presenter = None,
    speaker: Speaker = None,
    panel: Panel = None,
    date: Date = None,
    intel: Intel = None,
    board: Board = None,
    kind: Kind = None,
    engine: Engine = None,
    layout: LayoutName = None,
    intensity: Intensity = None,
    mode: Mode = None,
    minutes: Minutes = None,
    exchanges: Exchanges = None,
    focus: Focus = None,
    remember: Remember = False,
    no_source: NoSource = False,
) -> None:
    """Begin a session and leave it active."""
    options = _options(context.params)
    screen = Screen.current
    home = screen.open_home()
    with told_of_new(home, options):
        from orchestrator.session import Session

        check_address(options["engine"] or home.config.engine)
        with Session.start(home, deck, say=screen.warn, **options) as session:
            _tell_of_start(session)


def _tell_of_start(session: Session) -> None:
    screen = Screen.current
    room = session.room
    focus_counts = {agent: len(room.targets.get(agent, ())) for agent in session.rehearsal.options.panel}
    deck_read = session.rehearsal.scene().deck
    plain = {
        "session": session.id,
        "path": str(session.path),
        "state": session.state,
        "slides": len(deck_read.slides),
        "claims": len(room.deck_claims),
        "focus": focus_counts,
    }
    for notice in (*session.notices, *deck_read.notices):
        screen.note(f"note: {notice}")
    targets = ", ".join(f"{agent} {count}" for agent, count in focus_counts.items())
    screen.result(
        plain,
        f"{session.id} is active: {plain['slides']} slides, {plain['claims']} claims; "
        f"targets: {targets}.\nNext: {screen.command} feed {session.id} SPEECH, then ask, answer, end",
    )


def feed(
    session: Name,
    source: Annotated[str, typer.Argument(metavar="FILE|-", help="Speech; - reads JSON lines from stdin.")],
    follow: Annotated[bool, typer.Option("--follow", help="Go on as the file grows.")] = False,
    speed: Speed = "max",
) -> None:
    """Take speech in."""
    from orchestrator import render
    from orchestrator.cli.summary import counted
    from orchestrator.live import feed_live
    from orchestrator.loop.driver import is_driven
    from orchestrator.speech.read import read_speech

    screen = Screen.current
    with opened(session) as opened_session:
        if opened_session.state == "ended":
            from orchestrator.errors import SessionFrozenError

            raise SessionFrozenError(f"{opened_session.id} has ended and is frozen: start a new session")
        if not is_driven(opened_session.path):
            _check_engine(opened_session)
        before = len(opened_session.room.segments)
        if source == "-" or follow:
            with stoppable() as stop:
                feed_live(opened_session, source, stop=stop, say=screen.note)
        else:
            recording = read_speech(Path(source))
            if is_driven(opened_session.path):
                screen.note("note: another process drives this session; this feed only appends")
                opened_session.add_recording(recording)
                finished = True
            else:
                opened_session.load(recording, kind="feed")
                tell = None if screen.json else _telling(opened_session, None)
                with stoppable() as stop:
                    finished = opened_session.play(stop=stop, wait_until=pacer(speed, stop), on_step=tell)
            for notice in recording.notices:
                screen.note(f"note: {notice}")
            if not finished:
                name = opened_session.id
                raise StoppedError(f"stopped; go on with `{screen.command} resume {name}`")
        new = opened_session.room.segments[before:]
        plain = {
            "segments": len(new),
            "from_s": new[0].start_s if new else None,
            "to_s": new[-1].end_s if new else None,
        }
        span = f", {render.clock(new[0].start_s)} to {render.clock(new[-1].end_s)}" if new else ""
        screen.result(plain, f"{counted(len(new), 'segment')}{span}")


def _check_engine(session: Session) -> None:
    """Say now, and not in the middle, that the engine cannot work; and what its settings cost."""
    check_address(session.rehearsal.options.engine)
    session.check_engine()
    for notice in session.notices:
        Screen.current.note(f"note: {notice}")


def slide(
    session: Name, number: Annotated[int, typer.Argument(metavar="N", help="The slide's number.")]
) -> None:
    """The presenter moved to slide N."""
    with opened(session) as opened_session:
        opened_session.slide(number)
        Screen.current.result({"slide": number}, f"slide {number}")


def ask(
    session: Name,
    agent: Annotated[str | None, typer.Option(metavar="A", help="Call on this panelist.")] = None,
    parked: Annotated[
        bool, typer.Option("--parked", help="Come back to a question that was parked.")
    ] = False,
) -> None:
    """Let the moderator call on a panelist."""
    from orchestrator.loop.moderator_lines import question_lines

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
        }
        lines = question_lines(opened_session.rehearsal, exchange)
        Screen.current.result(plain, "\n".join(line.strip() for line in lines))


def answer(
    session: Name,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT|-", help="The answer; - or nothing reads stdin.")
    ] = None,
) -> None:
    """Answer the open question; the answer is judged."""
    from orchestrator import render

    spoken = sys.stdin.read() if text in (None, "-") else text
    with opened(session) as opened_session:
        judgement = opened_session.answer(spoken)
        room = opened_session.room
        follow_up = room.open.turns[-1].question if room.open is not None else None
        outcome = room.exchanges[-1].outcome if room.open is None else None
        plain = {
            "verdict": judgement.verdict,
            "reason": judgement.reason,
            "quote": judgement.quote,
            "follow_up": follow_up,
            "outcome": outcome,
        }
        turns = room.open.turns[:-1] if room.open is not None else room.exchanges[-1].turns
        said = judgement.reason
        if outcome != "parked":
            said = render.verdict(turns[-1], is_last=room.open is None)
        then = f"\n{follow_up}" if follow_up else f"\nThe exchange is closed: {outcome}."
        Screen.current.result(plain, f"{said}{then}")


def park(session: Name) -> None:
    """Come back to the open question later."""
    with opened(session) as opened_session:
        done = opened_session.park()
        Screen.current.result({"exchange": done.id, "outcome": done.outcome}, f"{done.id} is parked")


def pause(session: Name) -> None:
    """Stop the session's clock; the next live feed lets it run on."""
    with opened(session) as opened_session:
        opened_session.pause()
        Screen.current.result(
            {"state": opened_session.state}, "paused: the clock stands until the next live feed"
        )


def resume(
    session: Name,
    repair_only: Annotated[bool, typer.Option("--repair-only", help="Repair, and leave it at that.")] = False,
    speed: Speed = "max",
) -> None:
    """Repair a session that was cut off, then go on with what was being played."""
    began = perf_counter()
    screen = Screen.current
    home = screen.open_home()
    found = home.find(session)
    with told_if_stopped(lambda: how_to_go_on(home, found)), opened(session) as opened_session:
        if opened_session.state == "ended":
            if repair_only or not opened_session.is_to_be_archived:
                raise SessionStateError(f"{opened_session.id} has ended: there is nothing to go on with")
            finish_run(opened_session, began=began, repaired=())
            return
        repaired = [f"{repair.path}: {repair.what}" for repair in opened_session.repair()]
        if opened_session.has_more_to_play and not repair_only:
            _check_engine(opened_session)
            if opened_session.room.playback is not None and opened_session.room.playback.kind == "run":
                play_to_the_end(opened_session, speed=speed, began=began, repaired=repaired)
                return
            with stoppable() as stop:
                opened_session.play(stop=stop, wait_until=pacer(speed, stop))
        elif opened_session.state == "interrupted":
            opened_session.settle()
        plain = {"state": opened_session.state, "repaired": repaired}
        words = "\n".join(repaired) or "nothing had to be repaired"
        screen.result(plain, f"{opened_session.id} is {plain['state']}\n{words}")


def end(
    session: Name,
    without_debrief: Annotated[
        bool, typer.Option("--without-debrief", help="Freeze without a debrief.")
    ] = False,
) -> None:
    """Write the debrief and freeze the session."""
    with opened(session) as opened_session:
        head = opened_session.end(without_debrief=without_debrief)
        path = None if without_debrief else str(opened_session.path / "debrief.md")
        plain = {"state": "ended", "debrief": path, "ledger_head": head}
        Screen.current.result(
            plain,
            f"{opened_session.id} has ended.\n"
            + (f"Debrief: {path}\n" if path else "")
            + f"Ledger head (keep it elsewhere; it shows any later change): {head}",
        )
