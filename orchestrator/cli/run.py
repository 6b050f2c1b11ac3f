"""Commands for a whole rehearsal: run, resume."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from orchestrator.cli import arguments
from orchestrator.cli.arguments import (
    Name,
    asked_speaker,
    check_address,
    check_engine,
    flag,
    memory_failure,
    opened_any,
    option,
    options_of,
    pacer,
    recorded_speech,
    refuse,
    s3_options,
)
from orchestrator.cli.screen import Screen
from orchestrator.cli.stopping import StoppedError, how_to_go_on, stoppable, told_if_stopped, told_of_new
from orchestrator.cli.waiting import muted, waiting
from orchestrator.core.errors import ArchiveError, EngineError, SessionStateError

if TYPE_CHECKING:
    from orchestrator.cli.dialogue import Dialogue
    from orchestrator.documents.opening import AnySession
    from orchestrator.panel.loop.rehearsal import OpenRehearsal
    from orchestrator.rehearsal.rehearsal import Rehearsal


@arguments.begins_a_session
def run(
    deck: arguments.DeckFile,
    speech: arguments.Speech = None,
    answers: Annotated[
        str | None,
        option(
            "FILE|-",
            "A YAML list of your answers, one for each question asked, follow-ups included: in order, "
            "but for those that name their question; - asks you at the terminal.",
        ),
    ] = None,
    *,
    archive: arguments.Archive = None,
    speed: arguments.Speed = "max",
    **given: Any,
) -> None:
    """Run a whole rehearsal: speech, questions, answers, debrief.

    Speech and answers come from recordings, or the answers from you at the terminal. The session is
    archived and verified at its end.

    An answer in the file that names its question is for that one alone: by words of it, its slide or its
    panelist, as in `- {question: which bank, text: Nordbank.}` or `- {slide: 4, agent: skeptic, text: Two.}`.
    At the end it says which of these no question was asked for.
    """
    typed = answers == "-"
    rehearse(
        deck,
        speech=speech,
        answers=None if answers is None or typed else Path(answers),
        typed=typed,
        speed=speed,
        archive=archive,
        given=options_of(given),
    )


def rehearse(
    deck: Path,
    *,
    speech: Path | None,
    answers: Path | None,
    speed: str,
    archive: str | None,
    given: dict[str, Any],
    typed: bool = False,
) -> dict[str, Any]:
    """Play a rehearsal from start to end; print the result and return it."""
    began = perf_counter()
    screen = Screen.current
    home = screen.open_home()
    with told_of_new(home, given):
        from orchestrator.core.archive.places import check_takes_archives
        from orchestrator.core.archive.stores import open_store
        from orchestrator.material.deck.read import read_deck
        from orchestrator.material.speech.read import Recording
        from orchestrator.panel.answers import read_answers
        from orchestrator.panel.loop.recorded import Loading
        from orchestrator.rehearsal.rehearsal import Rehearsal

        check_address(given.get("engine") or home.config.engine)
        pacer(speed, lambda: False)  # refuses a bad --speed before anything is made
        if archive is not None:
            # And a bad address, and a place that takes no archive.
            check_takes_archives(open_store(archive, endpoint_url=s3_options()["endpoint_url"]))
        recording = Recording.silent()
        if speech is not None:
            recording = recorded_speech(speech, home.config, partial(read_deck, deck))
            given["speaker"] = asked_speaker(
                recording, given.get("speaker"), presenter=given.get("presenter")
            )
        prepared = read_answers(answers) if answers is not None else ()
        loading = Loading(recording, "run", prepared, archive, typed)
        with (
            waiting() as wait,
            Rehearsal.start(
                home,
                deck,
                loading=loading,
                on_repair=screen.repaired,
                say=screen.warn,
                calls=wait.calls,
                **given,
            ) as session,
            session.guard(screen.warn),
        ):
            for notice in (*session.notices, *session.rehearsal.scene().deck.notices, *recording.notices):
                screen.note(f"note: {notice}")
            if typed or speed != "max":  # else the end, which says it again, is here in no time
                for part, reason in session.failures:
                    screen.warn(f"{part}: {reason}")
            return play_to_the_end(session, speed=speed, began=began)


def resume(
    session: Name,
    repair_only: Annotated[bool, flag("--repair-only", "Repair, and leave it at that.")] = False,
    speed: arguments.Speed = "max",
) -> None:
    """Repair a session that was cut off, and go on with it.

    A session of another crew is repaired, and that is all.
    """
    from orchestrator.documents.opening import is_rehearsal

    began = perf_counter()
    screen = Screen.current
    home = screen.open_home()
    found = home.find(session)
    with told_if_stopped(lambda: how_to_go_on(home, found)), opened_any(session) as any_session:
        if not is_rehearsal(any_session):
            _repair(any_session)
            return
        opened_session = any_session
        if opened_session.state == "ended":
            if repair_only or not opened_session.is_to_be_archived:
                raise SessionStateError(f"{opened_session.id} has ended: there is nothing to go on with")
            end_run(opened_session, began=began)
            return
        repaired = _repaired(opened_session)
        if opened_session.has_more_to_play and not repair_only:
            check_engine(opened_session)
            playback = opened_session.projection.playback
            if playback is not None and playback.kind == "run":
                with opened_session.guard(screen.warn):
                    play_to_the_end(opened_session, speed=speed, began=began, repaired=repaired)
                return
            with opened_session.guard(screen.warn), stoppable() as stop:
                finished = opened_session.play(stop=stop, wait_until=pacer(speed, stop))
            if not finished:
                raise StoppedError(f"stopped; go on with `{screen.command} resume {opened_session.name}`")
        elif opened_session.state == "interrupted":
            opened_session.settle()
        _show_repaired(opened_session, repaired)


def _repair(session: AnySession) -> None:
    """Repair a session of another crew, which has no recording to play.

    Raises:
        SessionStateError: The session has ended.
    """
    if session.state == "ended":
        raise SessionStateError(f"{session.id} has ended: there is nothing to go on with")
    _show_repaired(session, _repaired(session))


def _repaired(session: AnySession) -> list[str]:
    return [f"{repair.path}: {repair.what}" for repair in session.repair()]


def _show_repaired(session: AnySession, repaired: Sequence[str]) -> None:
    plain = {"state": session.state, "repaired": list(repaired)}
    words = "\n".join(repaired) or "nothing had to be repaired"
    Screen.current.result(plain, f"{session.name} is {plain['state']}\n{words}")


def play_to_the_end(
    session: Rehearsal, *, speed: str, began: float, repaired: Sequence[str] = ()
) -> dict[str, Any]:
    """Play the stored recording to its end, then end, archive and verify; print the result and return it."""
    from orchestrator.cli.dialogue import KEYS, Dialogue, prompt_of, verdict_prompt_of
    from orchestrator.cli.waiting import progress
    from orchestrator.panel.answers import unasked

    screen = Screen.current
    loaded = session.projection.playback
    is_typed = loaded is not None and loaded.typed
    dialogue = Dialogue(session, is_typed=is_typed)
    is_shown = is_typed or not (screen.quiet or screen.json)
    if is_typed:
        # A question that is open brings its own blank line along.
        print(KEYS if session.projection.open is None else KEYS.rstrip(), file=sys.stderr)
    is_slow = speed != "max" or session.rehearsal.has_model  # else it is over before a bar is seen
    shows_bar = is_slow and screen.is_watched and not is_typed
    # What is typed, and a bar, have the terminal's last line to themselves.
    shut = muted() if is_typed or shows_bar else nullcontext()
    with stoppable() as stop, shut, progress(session, shows_bar) as count:
        tell_when_out = _tells_when_out()

        def on_step(rehearsal: OpenRehearsal) -> None:
            if is_shown:
                dialogue.show()
            tell_when_out(rehearsal)
            count(rehearsal)

        finished = session.play(
            stop=stop,
            wait_until=pacer(speed, stop),
            on_step=on_step,
            prompt=prompt_of(dialogue) if is_typed else None,
            ask_person=verdict_prompt_of(dialogue) if is_typed and sys.stdin.isatty() else None,
        )
    if stop() or not finished:
        raise StoppedError(f"stopped; go on with `{screen.command} resume {session.name}`")
    if loaded is not None:
        for left in unasked(loaded.answers, frozenset(session.projection.answers_used)):
            screen.note(f"note: {left} was not used: no such question was asked")
    return end_run(session, began=began, repaired=repaired, dialogue=dialogue if is_shown else None)


def _tells_when_out() -> Callable[[OpenRehearsal], None]:
    """Return a callback that reports once that the prepared answers are used up."""
    is_told = False

    def tell(rehearsal: OpenRehearsal) -> None:
        nonlocal is_told
        projection = rehearsal.projection
        count = len(projection.playback.answers) if projection.playback is not None else 0
        open_ = projection.open
        is_out = 0 < count <= len(projection.answers_used)
        if not is_told and is_out and open_ is not None and open_.turns[-1].answer is None:
            is_told = True
            Screen.current.note(
                f"note: {'the one answer is' if count == 1 else f'all {count} answers are'} used, "
                f"follow-ups took one each; none is left for {open_.id}"
            )

    return tell


def end_run(
    session: Rehearsal, *, began: float, repaired: Sequence[str] = (), dialogue: Dialogue | None = None
) -> dict[str, Any]:
    """End, archive and verify a run whose recording was played; print the result and return it.

    Args:
        began: The value of `perf_counter` when the command began.
        dialogue: The dialogue on the screen so far. None if it was not shown.

    Raises:
        ArchiveError: The session could not be archived; it has ended and is safe.
        EngineError: The offline panel replaced the engine that was asked for, or that engine gave no usable
            reply at all.
        NotRememberedError: The rehearsal should be remembered, but is not.
    """
    from orchestrator.cli.dialogue import run_json, run_text, say
    from orchestrator.documents.session import warnings_json
    from orchestrator.panel.debrief.build import why_without_replies

    screen = Screen.current
    refused: ArchiveError | None = None
    try:
        if session.projection.ended:
            session.archive()
        else:
            session.end()
    except ArchiveError as error:
        refused = error
    if dialogue is not None:
        say("")
        dialogue.show()
        say("")
    plain = run_json(session, session.archived_at, seconds=perf_counter() - began)
    plain["repaired"] = list(repaired)
    plain["took_over"] = session.projection.took_over
    plain["warnings"] = warnings_json(session)
    is_known = dialogue is not None and (dialogue.is_typed or screen.is_watched)
    screen.result(plain, run_text(session, plain, brief=is_known), is_styled=True)
    why = why_without_replies(session.rehearsal)
    took_over = None if why is None else EngineError(f"{why}: mend it, or rehearse with another engine")
    if plain["took_over"] is not None:
        took_over = EngineError(
            f"the offline panel sat in the model's place: {plain['took_over']}; "
            f"`{screen.command} doctor` tries it with one call"
        )
    refuse(memory_failure(session.failures), took_over, refused)
    return plain
