"""`greenroom demo`: a panel at work, from recorded replies; with --offline, what works without a model."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Final

from orchestrator.cli.arguments import flag
from orchestrator.cli.screen import Screen, columns, wrapped
from orchestrator.cli.stopping import StoppedError, stoppable, told_of_new
from orchestrator.core.legible import shown
from orchestrator.panel.loop.moderator import about
from orchestrator.panel.render import GENERAL, VERDICT_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orchestrator.panel.debrief.parts import Debrief
    from orchestrator.panel.engines.recorded import Recording, Replies
    from orchestrator.panel.model.exchange import Exchange
    from orchestrator.rehearsal.demo.rehearsals import Act
    from orchestrator.rehearsal.rehearsal import Rehearsal

TIMES: Final = {2: ", 2nd try", 3: ", 3rd try"}

HEADINGS: Final = (
    "FIRST REHEARSAL. Dana Whitfield asks her board for a second hub: ten slides, six minutes.",
    "A WEEK LATER. The deck is corrected, the talk is shorter, and the panel remembers.",
)


def demo(
    offline: Annotated[
        bool, flag("--offline", "What there is without a model: a bank of questions, and arithmetic.")
    ] = False,
) -> None:
    """Play two rehearsals on a bundled deck; no key, no network.

    They are a week apart. Speech, answers and the panel's replies are recorded. Code verifies each reply as
    it does a model's.
    """
    from orchestrator.panel.engines.recorded import Replies, read_recording, recorded_engine
    from orchestrator.rehearsal.demo.rehearsals import ACTS, begin_act, memory_begun_anew

    if offline:
        _offline()
        return
    began, screen = perf_counter(), Screen.current
    home, recording = screen.open_home(), read_recording()
    replies, ended = Replies(recording.replies), list[_Ended]()
    screen.note(wrapped(_opening(recording), columns(sys.stderr), hang=0))
    with memory_begun_anew(home), closing(recorded_engine(replies)) as engine:
        for act, heading in zip(ACTS, HEADINGS, strict=True):
            options: dict[str, Any] = {}
            with (
                told_of_new(home, options),
                begin_act(home, act, engine, on_repair=screen.repaired, **options) as session,
                session.guard(screen.warn),
            ):
                screen.note(f"\n{heading}")
                ended.append(_played(session, act, began))
    first, second = ended
    plain = {**first.plain, "a_week_later": second.plain, "recorded": _recorded_json(recording, replies)}
    screen.result(plain, _conclusion(first, second, screen.command), is_styled=True)


@dataclass(frozen=True, slots=True)
class _Ended:
    """A rehearsal that has ended, and has been archived and verified."""

    plain: dict[str, Any]
    debrief: Debrief


def _opening(recording: Recording) -> str:
    day = f"{date.fromisoformat(recording.on):%d %B %Y}".lstrip("0")
    return (
        f"No key, no network: {recording.by} gave the panel's replies on {day}, and the program verifies "
        "them here anew. Speech and answers are recorded too."
    )


def _recorded_json(recording: Recording, replies: Replies) -> dict[str, Any]:
    played, stale = len(replies.played), len(replies.stale)
    return {"by": recording.by, "on": recording.on, "replies": played, "stale": stale}


def _played(session: Rehearsal, act: Act, began: float) -> _Ended:
    """Play, end, archive and verify one of the two rehearsals; show each exchange once it is over."""
    from orchestrator.cli.dialogue import run_json

    screen, projection = Screen.current, session.projection
    count = 0

    def show(_: object = None) -> None:
        nonlocal count
        for exchange in projection.exchanges[count:]:
            count += 1
            for line in _lines(session, exchange, is_whole=exchange.id in act.in_full):
                screen.note(line)

    with stoppable() as stop:
        finished = session.play(stop=stop, on_step=show)
    if stop() or not finished:
        raise StoppedError(f"stopped; go on with `{screen.command} resume {session.name}`")
    session.end()
    for part, reason in session.failures:
        screen.warn(f"{part}: {reason}")
    return _Ended(run_json(session, session.archived_at, seconds=perf_counter() - began), session.debrief())


def _lines(session: Rehearsal, exchange: Exchange, *, is_whole: bool) -> Iterator[str]:
    """Yield the lines of an exchange: its subject, and each question with its answer and verdict, or a
    summary."""
    rehearsal = session.rehearsal
    name, width = rehearsal.name_of(exchange.agent), columns(sys.stderr)
    first_name = rehearsal.options.presenter.split()[0]

    def line(text: str, hang: int = 4) -> str:
        return wrapped(shown(text), width, hang=hang)

    if not is_whole:
        tries = TIMES.get(len(exchange.turns), "")
        came = f"({VERDICT_WORDS[exchange.turns[-1].verdict or '']}{tries})"
        yield line(f"{name}: {exchange.turns[0].question} {came}", hang=2)
        return
    if exchange.id != "x1":
        yield ""
    yield line(f"{name}, on {'; '.join(about(rehearsal, exchange)) or GENERAL}")
    for turn in exchange.turns:
        yield line(f"  {turn.question}", hang=0)
        yield line(f"  {first_name}: {turn.answer}", hang=0)
        yield line(f"  = {VERDICT_WORDS[turn.verdict or '']}: {turn.reason}", hang=2)
    yield ""


def _conclusion(first: _Ended, second: _Ended, command: str) -> str:
    """Return the result of both rehearsals, where they are stored, and where to look next."""
    from orchestrator.panel.debrief import phrasing

    names = f"both sessions: {first.plain['session']} and {second.plain['session']}"
    is_valid = first.plain["valid"] and second.plain["valid"]
    told = [
        ("Asked", f"{phrasing.asked(first.debrief)} A week later: {phrasing.asked(second.debrief)}"),
        *([("Fix next", second.debrief.fix.what)] if second.debrief.fix is not None else []),
        ("Verified", f"yes, {names}" if is_valid else f"NO: run {command} verify {first.plain['session']}"),
    ]
    steps = [
        (f"debrief {first.plain['session'][:15]}", "how each answer held, and what to mend"),
        (f"context {second.plain['session'][:15]} skeptic", "every byte that this panelist was given"),
        ("serve", "your own deck in a browser, spoken or typed"),
        ("run YOUR-DECK.pptx --answers -", "the same at the terminal, without a model"),
    ]
    width, wide = max(len(step) for step, _ in steps), columns(sys.stdout)
    rows = [wrapped(f"{label:12}{text}", wide, hang=12) for label, text in told]
    nexts = [f"  {command} {step:{width}}  {what}" for step, what in steps]
    return "\n".join(["", *rows, "Look next:", *nexts])


def _offline() -> None:
    from orchestrator.cli.dialogue import next_steps
    from orchestrator.cli.run import rehearse
    from orchestrator.rehearsal.demo.rehearsals import FOLDER, PRESENTER

    screen = Screen.current
    screen.note("The bundled deck: speech and answers are recorded, the panel works offline.\n")
    plain = rehearse(
        FOLDER / "deck.md",
        speech=FOLDER / "speech.vtt",
        answers=FOLDER / "answers.yaml",
        speed="max",
        archive=None,
        given={"presenter": PRESENTER, "engine": "offline"},
    )
    if not screen.json:
        print(next_steps(plain, screen.command))
