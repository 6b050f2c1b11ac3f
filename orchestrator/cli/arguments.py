"""Parts that several commands share: a session argument, addresses, a working engine, pacing."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import Parameter, signature
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from orchestrator.cli.screen import Screen
from orchestrator.cli.waiting import waiting
from orchestrator.core.clock import MAX_GAP_S
from orchestrator.core.errors import ConfigurationError, GreenroomError, UsageError
from orchestrator.panel.config.engine_names import BANK, SERVICES, engine_names, is_engine_name, listed

if TYPE_CHECKING:
    from orchestrator.documents.opening import AnySession
    from orchestrator.material.speech.read import Recording
    from orchestrator.material.values import Deck
    from orchestrator.panel.config.config import Config
    from orchestrator.panel.home import Home
    from orchestrator.panel.records.projection import PartFailure
    from orchestrator.rehearsal.rehearsal import Rehearsal


# ---------------------------------------------------------------------- options
# The options with which a session is begun, declared once for `run` and `start`.


C = TypeVar("C", bound=Callable[..., Any])
Text = str | None


def option(metavar: str, help_: str, *names: str, least: int | None = None) -> typer.models.OptionInfo:
    """Return an option with a value; *least* is the smallest number that it accepts."""
    made: typer.models.OptionInfo = typer.Option(*names, metavar=metavar, help=help_, min=least)
    return made


def flag(name: str, help_: str) -> typer.models.OptionInfo:
    """Return an option without a value."""
    made: typer.models.OptionInfo = typer.Option(name, help=help_)
    return made


ENGINE_HELP: Final = (
    f"{listed((f'{BANK} (the default)', *SERVICES))}, or one that is installed (see help engines)."
)
BOARD_HELP: Final = "Who sits on the board: a YAML or JSON list of name, role, background, interests."
INTENSITY_HELP: Final = (
    "friendly, moderate (the default) or adversarial: at most 2, 3 or 4 turns a question. Without a model "
    "only what is certainly no answer is asked again."
)
QUESTIONS_HELP: Final = (
    "Questions of your own that the panel puts: one a line, or a YAML or JSON list of text, slide, agent."
)
INTEL_HELP: Final = "News and facts from outside: Markdown, text, or a YAML or JSON list; may be repeated."

SPEAKER_HELP: Final = "The speaker who is judged, as labelled; default: who clearly speaks most."
DeckFile = Annotated[Path, typer.Argument(metavar="DECK", help="The deck: .pptx, .pdf or .md.")]
Speech = Annotated[Path | None, option("FILE", "The recorded speech: a transcript, or sound.")]
Archive = Annotated[
    Text, option("URL", "Where the ended session goes: a folder or s3://…; default: archives/ of the home.")
]
Speed = Annotated[str, option("N|max", "The pace of the recording; 1 is its own.")]

_AS_GIVEN: Final = (
    *("presenter", "speaker", "date", "kind", "engine", "layout", "intensity", "mode"),
    *("minutes", "exchanges", "remember", "board", "questions"),
)
"""The options that `Rehearsal.start` has under the same name and takes unchanged."""


def _session_options(
    id_: Annotated[
        Text, option("ID", "The new session's id; default: the moment, and six characters.", "--id")
    ] = None,
    presenter: Annotated[Text, option("NAME", 'Who presents; default: nobody is named, "Presenter".')] = None,
    speaker: Annotated[Text, option("LABEL", SPEAKER_HELP)] = None,
    panel: Annotated[
        Text, option("A,B,C", "The panelists that sit, besides the moderator; default: all of this home.")
    ] = None,
    date: Annotated[Text, option("DAY", "The rehearsal's date, YYYY-MM-DD; default: none.")] = None,
    intel: Annotated[list[Path] | None, option("FILE", INTEL_HELP)] = None,
    board: Annotated[Path | None, option("FILE", BOARD_HELP)] = None,
    questions: Annotated[Path | None, option("FILE", QUESTIONS_HELP)] = None,
    kind: Annotated[
        Text,
        option("KIND", 'Of deck, where it is read as another: "request for money", …; default: as read.'),
    ] = None,
    engine: Annotated[
        Text,
        option("NAME", ENGINE_HELP),
    ] = None,
    layout: Annotated[Text, option("NAME", "Of requests: watermark (the default) or strict.")] = None,
    intensity: Annotated[
        Text,
        option("LEVEL", INTENSITY_HELP),
    ] = None,
    mode: Annotated[Text, option("MODE", "section-breaks (the default), hand-raise or free-flow.")] = None,
    minutes: Annotated[int | None, option("N", "The time you will have; default: 20.", least=1)] = None,
    exchanges: Annotated[
        int | None, option("N", "How many questions, with their follow-ups, at most; default: 8.", least=0)
    ] = None,
    focus: Annotated[
        list[str] | None, option("TEXT", "A matter that the panel should look at; may be repeated.")
    ] = None,
    remember: Annotated[
        bool, flag("--remember", "Let the panel keep what it learns of you; needs --presenter.")
    ] = False,
    no_source: Annotated[
        bool, flag("--no-source", "Keep no copy of the deck file; default: one is kept.")
    ] = False,
) -> None:
    """Declare the options for starting a session, for typer, which reads the signature; nobody calls this."""


def begins_a_session(command: C) -> C:
    """Add the options for starting a session to *command*, as `**given`, before its own keyword-only
    options."""
    own = signature(command, eval_str=True)
    shared = [
        one.replace(kind=Parameter.KEYWORD_ONLY)
        for one in signature(_session_options, eval_str=True).parameters.values()
    ]
    others = [one for one in own.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    parameters = sorted([*shared, *others], key=attrgetter("kind"))
    command.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]  # functions have it
    return command


def options_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for starting a session in the form of `Rehearsal.start`, checked.

    Raises:
        UsageError: An option has a value that does not exist.
    """
    from orchestrator.panel.config.config import checked

    check_engine_name(given["engine"])
    for key in ("layout", "intensity", "mode"):
        if given[key] is not None:
            checked(key, given[key], f"--{key}")
    return {
        **{name: given[name] for name in _AS_GIVEN},
        "id": given["id_"],
        "panel": names_in(given["panel"]),
        "intel": tuple(given["intel"] or ()),
        "focus": tuple(given["focus"] or ()),
        "keep_source": not given["no_source"],
    }


def names_in(listed: str | None) -> tuple[str, ...] | None:
    """Return the names of `--panel`, or None if it was not given."""
    return tuple(name.strip() for name in listed.split(",")) if listed else None


def check_engine_name(name: str | None) -> None:
    """Refuse an engine that does not exist.

    Raises:
        UsageError: There is no such engine; the message lists those that exist.
    """
    if name is not None and not is_engine_name(name):
        raise UsageError(f"--engine {name!r}: use {listed(engine_names())}")


# ---------------------------------------------------------------------- shared


Name = Annotated[str, typer.Argument(metavar="SESSION", help="The session.")]
Endpoint = Annotated[
    str | None,
    option("URL", "An S3-compatible server; default: GREENROOM_S3_ENDPOINT, else AWS."),
]


@contextmanager
def opened(name: str) -> Iterator[Rehearsal]:
    """Open the rehearsal that a command names, for reading and writing.

    Raises:
        OtherCrewError: The session belongs to another crew.
    """
    from orchestrator.documents.opening import rehearsal_of

    with opened_any(name) as session:
        yield rehearsal_of(session)


@contextmanager
def opened_any(name: str) -> Iterator[AnySession]:
    """Open the session of any crew that a command names, for reading and writing."""
    from orchestrator.documents.opening import is_rehearsal, open_any, store_of

    screen = Screen.current
    home = screen.open_home()
    with (
        waiting() as wait,
        open_any(home, name, on_repair=screen.repaired, say=screen.warn, calls=wait.calls) as session,
    ):
        was_degraded = store_of(session).is_degraded
        before = len(session.rehearsal.projection.failures) if is_rehearsal(session) else 0
        yield session
        # In a part that stops no command (facts, trace): the command did its work, and the next one cannot.
        if store_of(session).is_degraded and not was_degraded:
            screen.warn(
                f"{session.name} is degraded: a sync failed, so the disk is not to be trusted: check it, "
                f"then run `greenroom resume {session.name}`"
            )
        if is_rehearsal(session):
            refuse(memory_failure(session.failures[before:]))


def refuse(*failures: GreenroomError | None) -> None:
    """End the command with the last of these errors; the others are printed as warnings before."""
    found = [one for one in failures if one is not None]
    for one in found[:-1]:
        Screen.current.warn(str(one))
    if found:
        raise found[-1]


def memory_failure(failures: Sequence[PartFailure]) -> GreenroomError | None:
    """Report which parts of memory failed; return the error if `--remember` asked for one of them."""
    if not failures:
        return None
    from orchestrator.memory.model import KEPT_BY, not_remembered

    for part, reason in dict.fromkeys(failures):
        if part not in KEPT_BY:
            Screen.current.warn(f"{part}: {reason}: the rehearsal went on without it")
    return not_remembered(failures)


@contextmanager
def looked_at(name: str) -> Iterator[Rehearsal]:
    """Open the rehearsal that a read-only command names; `URL/ID` names one in an archive.

    Raises:
        OtherCrewError: The session belongs to another crew.
    """
    from orchestrator.documents.opening import rehearsal_of

    with looked_at_any(name) as session:
        yield rehearsal_of(session)


@contextmanager
def looked_at_any(name: str) -> Iterator[AnySession]:
    """Open the session of any crew that a read-only command names; `URL/ID` names one in an archive."""
    if "://" not in name:
        path = Path(name)
        if not (path.is_dir() and (path / "tagmanifest-sha256.txt").is_file()):
            with opened_any(name) as session:
                yield session
            return
    from orchestrator.documents.listing import fetched

    url, _, session_id = name.rstrip("/").rpartition("/")
    with fetched(url, session_id, s3_options(), Screen.current.known_home()) as session:
        yield session


@contextmanager
def guarded(home: Home | None) -> Iterator[None]:
    """Undo and report, in the block, manual changes in the home's live sessions."""
    if home is None:
        yield
        return
    from orchestrator.core.guard import Guard
    from orchestrator.panel.application import BOARD

    watched = {"sessions": home.sessions, "templates": home.templates}
    with Guard(**watched, say=Screen.current.warn, application=BOARD):
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
    """Return the address of S3, from the option or the environment, as keyword arguments."""
    return {"endpoint_url": endpoint_url or os.environ.get("GREENROOM_S3_ENDPOINT")}


def check_address(engine: str) -> None:
    """Refuse an invalid address of the model's service before anything is sent to it.

    Raises:
        ConfigurationError: The address does not begin with http:// or https://. The message does not contain
            the address.
    """
    address = os.environ.get("ANTHROPIC_BASE_URL", "")
    if engine == "claude" and address and not address.lower().startswith(("http://", "https://")):
        raise ConfigurationError("ANTHROPIC_BASE_URL must begin with http:// or https://: put it before")


def check_engine(session: Rehearsal) -> None:
    """Report at the start, and not in the middle, that the engine cannot work; also say what its settings
    cost."""
    check_address(session.rehearsal.options.engine)
    session.check_engine()
    for notice in session.notices:
        Screen.current.note(f"note: {notice}")


def recorded_speech(path: Path, config: Config, deck: Callable[[], Deck]) -> Recording:
    """Read the recording at *path*; before sound is recognised, say that this takes a while.

    Args:
        deck: Returns the deck whose names the recognition of sound listens for.

    Raises:
        SpeechError: The file cannot be read as speech, or its sound cannot be recognised here.
    """
    from orchestrator.material.speech.read import read_speech
    from orchestrator.material.speech.sound import is_sound
    from orchestrator.memory.english import names_in

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
    """Return who presents, as *given*; if that is not clear, ask at the terminal, and elsewhere note it.

    Args:
        presenter: The presenter's name, by which a label in the recording may be theirs.
        notes: Whether to print the doubt here; if not, the caller does.

    Returns:
        A label, or None for the person who clearly speaks most, or nobody.

    Raises:
        UsageError: The speaker that was given does not speak in the recording.
    """
    from orchestrator.material.speech.speakers import presenter_of

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
    """Return a function that waits for each moment of a recording, played at *speed* times its pace.

    Return None if *speed* is `max`.

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
