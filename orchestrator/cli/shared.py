"""Parts of several commands: a session by its argument, addresses, an engine that works, pacing."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import option
from orchestrator.cli.screen import Screen
from orchestrator.cli.waiting import waiting
from orchestrator.core.clock import MAX_GAP_S
from orchestrator.core.errors import ConfigurationError, GreenroomError

if TYPE_CHECKING:
    from orchestrator.material.model.slide import Deck
    from orchestrator.material.speech.read import Recording
    from orchestrator.panel.config.config import Config
    from orchestrator.panel.home import Home
    from orchestrator.panel.records.projection import PartFailure
    from orchestrator.rehearsal.session import Session


Name = Annotated[str, typer.Argument(metavar="SESSION", help="The session.")]
Endpoint = Annotated[
    str | None,
    option("URL", "An S3-compatible server; default: GREENROOM_S3_ENDPOINT, else AWS."),
]


@contextmanager
def opened(name: str) -> Iterator[Session]:
    """The session that a command names, for reading and writing."""
    from orchestrator.rehearsal.session import Session

    screen = Screen.current
    home = screen.open_home()
    with (
        waiting() as wait,
        Session.open(home, name, on_repair=screen.repaired, say=screen.warn, calls=wait.calls) as session,
    ):
        was_degraded = session.rehearsal.store.is_degraded
        before = len(session.rehearsal.projection.failures)
        yield session
        # In a part that stops no command (facts, trace): the command did its work, and the next one cannot.
        if session.rehearsal.store.is_degraded and not was_degraded:
            screen.warn(
                f"{session.name} is degraded: a sync failed, so the disk is not to be trusted: check it, "
                f"then run `greenroom resume {session.name}`"
            )
        refuse(memory_failure(session.failures[before:]))


def refuse(*failures: GreenroomError | None) -> None:
    """End the command with the last of these errors; the others are warned of before."""
    found = [one for one in failures if one is not None]
    for one in found[:-1]:
        Screen.current.warn(str(one))
    if found:
        raise found[-1]


def memory_failure(failures: Sequence[PartFailure]) -> GreenroomError | None:
    """Say which parts of memory failed; returns the error where `--remember` asked for one of them."""
    if not failures:
        return None
    from orchestrator.memory.errors import KEPT_BY, not_remembered

    for part, reason in dict.fromkeys(failures):
        if part not in KEPT_BY:
            Screen.current.warn(f"{part}: {reason}: the rehearsal went on without it")
    return not_remembered(failures)


@contextmanager
def looked_at(name: str) -> Iterator[Session]:
    """The session that a read-only command names; also one in an archive, by `URL/ID`."""
    if "://" not in name:
        path = Path(name)
        if not (path.is_dir() and (path / "tagmanifest-sha256.txt").is_file()):
            with opened(name) as session:
                yield session
            return
    from orchestrator.documents.listing import fetched

    url, _, session_id = name.rstrip("/").rpartition("/")
    with fetched(url, session_id, s3_options(), Screen.current.known_home()) as session:
        yield session


@contextmanager
def guarded(home: Home | None) -> Iterator[None]:
    """In the block, what is changed by hand in the home's live sessions is put back, and told."""
    if home is None:
        yield
        return
    from orchestrator.core.guard.guard import Guard

    with Guard(sessions=home.sessions, templates=home.templates, say=Screen.current.warn):
        yield


def confirm(question: str) -> None:
    """Ask at the terminal whether to go on.

    Raises:
        typer.Abort: The answer is no, or Ctrl-C.
    """
    try:
        is_meant = typer.confirm(question, err=True)
    except typer.Abort:
        print(file=sys.stderr)  # the question's line ends here
        raise
    if not is_meant:
        raise typer.Abort


def s3_options(endpoint_url: str | None = None) -> dict[str, str | None]:
    """Where S3 is, by option or environment."""
    return {"endpoint_url": endpoint_url or os.environ.get("GREENROOM_S3_ENDPOINT")}


def check_address(engine: str) -> None:
    """Refuse an address of the service that is none, before anything is asked of it.

    Raises:
        ConfigurationError: It has no http:// or https:// before it. The address itself is not said.
    """
    address = os.environ.get("ANTHROPIC_BASE_URL", "")
    if engine == "claude" and address and not address.lower().startswith(("http://", "https://")):
        raise ConfigurationError("ANTHROPIC_BASE_URL must begin with http:// or https://: put it before")


def check_engine(session: Session) -> None:
    """Say now, and not in the middle, that the engine cannot work; and what its settings cost."""
    check_address(session.rehearsal.options.engine)
    session.check_engine()
    for notice in session.notices:
        Screen.current.note(f"note: {notice}")


def recorded_speech(path: Path, config: Config, deck: Callable[[], Deck]) -> Recording:
    """The recording at *path*; of sound it is said before that it takes a while.

    Args:
        deck: Gives the deck whose names are listened for in sound.

    Raises:
        SpeechError: The file cannot be read as speech, or its sound cannot be recognised here.
    """
    from orchestrator.material.speech.read import read_speech
    from orchestrator.material.speech.sound import is_sound
    from orchestrator.memory.deck_names import names_in

    if is_sound(path):
        Screen.current.note("note: the sound is recognised first, two to six minutes for ten minutes of talk")
    return read_speech(
        path,
        stt_model=config.stt_model,
        stt_language=config.stt_language,
        names=lambda: names_in(deck()),
    )


def asked_speaker(
    recording: Recording, given: str | None, *, presenter: str | None = None, notes: bool = True
) -> str | None:
    """Who presents, as *given*; where that is not clear it is asked at the terminal, and elsewhere noted.

    Args:
        presenter: The presenter's name, by which a label in the recording may be theirs.
        notes: Else somebody else says what is not clear.

    Returns:
        A label; None: whoever clearly speaks most, or nobody.

    Raises:
        UsageError: The speaker that was given does not speak in it.
    """
    from orchestrator.material.speech.presenter import presenter_of

    screen, found = Screen.current, presenter_of(recording.segments, given, name=presenter or "")
    if found.notice is None:
        return given
    labels = [label for label, _ in found.choice if label is not None]
    if screen.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        if notes:
            screen.note(f"note: {found.notice}")
        return None
    shown = [f"{number} {label}" for number, label in enumerate(labels, start=1)]
    print(f"Who presents is not clear: {found.question}", *shown, sep="\n  ", file=sys.stderr)
    answer = typer.prompt("Your number, or Enter: nobody is judged", default="", show_default=False, err=True)
    return labels[int(answer) - 1] if answer.isdecimal() and 0 < int(answer) <= len(labels) else None


def pacer(speed: str, stop: Callable[[], bool]) -> Callable[[float], None] | None:
    """Waits until a recording's moment comes, at *speed* times its own pace; None at `max`.

    Raises:
        UsageError: *speed* is neither a positive number nor `max`.
    """
    from orchestrator.core.errors import UsageError

    if speed == "max":
        return None
    try:
        factor = float(speed)
    except ValueError:
        factor = 0.0
    if not 0 < factor < float("inf"):
        raise UsageError(f"--speed {speed!r}: give a number above 0, or max")
    began: float | None = None

    def wait(at_s: float) -> None:
        nonlocal began
        late_s = 0.0 if began is None else time.monotonic() - (began + at_s / factor)
        if began is None or late_s > MAX_GAP_S:  # an answer was typed, or this process was stopped
            began = time.monotonic() - at_s / factor
        while not stop() and (left := began + at_s / factor - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))  # so soon is Ctrl-C heard

    return wait
