"""The options with which a session is begun, declared once for `run` and `start`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from orchestrator.core.errors import UsageError
from orchestrator.panel.config.engine_names import (
    BANK,
    SERVICES,
    engine_names,
    is_engine_name,
    listed,
)

C = TypeVar("C", bound=Callable[..., Any])
Text = str | None


def option(metavar: str, help_: str, *names: str, least: int | None = None) -> typer.models.OptionInfo:
    """An option with a value; *least*: the smallest number that it takes."""
    made: typer.models.OptionInfo = typer.Option(*names, metavar=metavar, help=help_, min=least)
    return made


def flag(name: str, help_: str) -> typer.models.OptionInfo:
    """An option without a value."""
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
"""Options that `Session.start` takes by the same name and as they are."""


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
    """The declaration itself: typer reads it, and nobody calls it."""


def begins_a_session(command: C) -> C:
    """*command* takes the options of a beginning as `**given`: before its own keyword-only ones."""
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
    """The options of a beginning as `Session.start` takes them, checked.

    Raises:
        UsageError: One is none of those that there are.
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
    """The names of `--panel`; None where it was not given."""
    return tuple(name.strip() for name in listed.split(",")) if listed else None


def check_engine_name(name: str | None) -> None:
    """Refuse an engine that there is not.

    Raises:
        UsageError: Names those that there are.
    """
    if name is not None and not is_engine_name(name):
        raise UsageError(f"--engine {name!r}: use {listed(engine_names())}")
