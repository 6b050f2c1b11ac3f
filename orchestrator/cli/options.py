"""The options with which a session is begun, as `run` and `start` take them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from orchestrator.errors import UsageError
from orchestrator.home.config import CHOICES

DEFAULTS: Final = "Each default may be another in greenroom.yaml, or in a variable GREENROOM_…."


def _option(metavar: str, help_: str, *names: str, least: int | None = None) -> typer.models.OptionInfo:
    """An option with a value; *least*: the smallest number that it takes."""
    made: typer.models.OptionInfo = typer.Option(*names, metavar=metavar, help=help_, min=least)
    return made


Text = str | None
Deck = Annotated[Path, typer.Argument(metavar="DECK", help="The deck: .pptx, .pdf or .md.")]
Id = Annotated[Text, _option("ID", "The new session's id; default: the moment, and six characters.", "--id")]
Presenter = Annotated[Text, _option("NAME", 'Who presents; default: nobody is named, "Presenter".')]
Speaker = Annotated[Text, _option("LABEL", "Whose words are judged, as labelled; default: who speaks most.")]
Panel = Annotated[
    Text, _option("A,B,C", "The panelists that sit, besides the moderator; default: all of this home.")
]
Date = Annotated[Text, _option("DAY", "The rehearsal's date, YYYY-MM-DD; default: none.")]
Intel = Annotated[
    list[Path] | None,
    _option("FILE", "News and facts from outside: Markdown, text, or a YAML or JSON list; may be repeated."),
]
Board = Annotated[
    Path | None,
    _option("FILE", "Who sits on the board: a YAML or JSON list of name, role, background, interests."),
]
Engine = Annotated[
    Text,
    _option("NAME", "offline (the default), claude, or model: a server of your own, see greenroom.yaml."),
]
Kind = Annotated[
    Text, _option("KIND", 'Of deck, where it is read as another: "request for money", …; default: as read.')
]
LayoutName = Annotated[Text, _option("NAME", "Of requests: watermark (the default) or strict.", "--layout")]
Intensity = Annotated[Text, _option("LEVEL", "friendly, moderate (the default) or adversarial.")]
Mode = Annotated[Text, _option("MODE", "section-breaks (the default), hand-raise or free-flow.")]
Minutes = Annotated[int | None, _option("N", "The time you will have; default: 20.", least=1)]
Exchanges = Annotated[
    int | None, _option("N", "How many questions, with their follow-ups, at most; default: 8.", least=0)
]
Focus = Annotated[list[str] | None, _option("TEXT", "What the panel should look at; may be repeated.")]
Remember = Annotated[
    bool, typer.Option("--remember", help="Let the panel keep what it learns of you; needs --presenter.")
]
NoSource = Annotated[
    bool, typer.Option("--no-source", help="Keep no copy of the deck file; default: one is kept.")
]
Archive = Annotated[
    Text,
    _option("URL", "Where the ended session goes: a folder or s3://…; default: archives/ of the home."),
]
Speed = Annotated[str, _option("N|max", "The pace of the recording; 1 is its own.")]

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
