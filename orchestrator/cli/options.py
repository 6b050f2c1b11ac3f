"""The options with which a session is begun, as `run` and `start` take them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from orchestrator.errors import UsageError
from orchestrator.home.config import CHOICES

DEFAULTS: Final = "Each default may be another in greenroom.yaml, or in a variable GREENROOM_…."

Deck = Annotated[Path, typer.Argument(metavar="DECK", help="The deck: .pptx, .pdf or .md.")]
Id = Annotated[
    str | None,
    typer.Option("--id", metavar="ID", help="The new session's id; default: the moment, and six characters."),
]
Presenter = Annotated[
    str | None, typer.Option(metavar="NAME", help='Who presents; default: nobody is named, "Presenter".')
]
Speaker = Annotated[
    str | None,
    typer.Option(metavar="LABEL", help="Whose words are judged, as labelled; default: who speaks most."),
]
Panel = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,C", help="The panelists that sit, besides the moderator; default: all of this home."
    ),
]
Date = Annotated[
    str | None, typer.Option(metavar="DAY", help="The rehearsal's date, YYYY-MM-DD; default: none.")
]
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
    typer.Option(
        metavar="KIND", help='Of deck, where it is read as another: "request for money", …; default: as read.'
    ),
]
LayoutName = Annotated[
    str | None,
    typer.Option("--layout", metavar="NAME", help="Of requests: watermark (the default) or strict."),
]
Intensity = Annotated[
    str | None, typer.Option(metavar="LEVEL", help="friendly, moderate (the default) or adversarial.")
]
Mode = Annotated[
    str | None,
    typer.Option(metavar="MODE", help="section-breaks (the default), hand-raise or free-flow."),
]
Minutes = Annotated[int | None, typer.Option(metavar="N", min=1, help="The time you will have; default: 20.")]
Exchanges = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="How many questions, with their follow-ups, at most; default: 8."),
]
Focus = Annotated[
    list[str] | None, typer.Option(metavar="TEXT", help="What the panel should look at; may be repeated.")
]
Remember = Annotated[
    bool,
    typer.Option("--remember", help="Let the panel keep what it learns of you; needs --presenter."),
]
NoSource = Annotated[
    bool, typer.Option("--no-source", help="Keep no copy of the deck file; default: one is kept.")
]
Archive = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Where the ended session goes: a folder or s3://…; default: archives/ of the home.",
    ),
]
Speed = Annotated[str, typer.Option(metavar="N|max", help="The pace of the recording; 1 is its own.")]

SAME_NAMES: Final = (
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


def options_of(params: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a command as `Session.start` takes them, checked.

    Raises:
        UsageError: One is none of those that there are.
    """
    from orchestrator.home.config import checked

    engines = CHOICES["engine"]
    if params["engine"] is not None and params["engine"] not in engines:
        raise UsageError(f"--engine {params['engine']!r}: use {', '.join(engines[:-1])} or {engines[-1]}")
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
