"""The topic pages, `greenroom help TOPIC`, and the page of commands, which is made from `--help`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import resources
from typing import Annotated, Any, Final

import typer

from orchestrator.cli.screen import Screen
from orchestrator.core.errors import UsageError

COMMANDS: Final = "commands"
"""The name of the generated page: it is made from the commands themselves, so it always agrees with
`--help`."""
TOPICS: Final = {
    COMMANDS: "every command with its arguments and options",
    "room": "the room in a browser: opening it, its windows and keys, what is kept, voice, the token",
    "models": "Claude, or a model of your own: what is asked when, what goes out, costs, failures",
    "engines": "an engine of your own: its requests, what it may offer, and how to install it",
    "memory": "what is kept of whom, your control over it, and the tools of other programs",
    "archives": "where ended sessions go, what is proven, and how to bring one back",
    "http": "the HTTP API of `greenroom serve`, for loops and programs of your own",
    "cluster": "several machines: when, how, what is promised, and what is seen when one fails",
    "organisation": "several people on one server: sign-in, who sees what, the log of who did what",
    "core": "a crew of your own: its home, table, sessions and proof, from nothing",
    "contexts": "what an agent is given, and the folder of a session",
    "trust": "what you may rely on, what you may not, privacy, and how each promise is tried",
    "personas": "who sits on the panel, and how to add a seat",
    "measured": "how well it finds and asks: every figure, and how it was taken",
    "peers": "the same work through the session stores of other agent frameworks",
}
INTRODUCTION: Final = """# Commands

Global options stand before or after a command's name: `--home DIR` (else `GREENROOM_HOME`, else `./agents` where that is a home, else a folder of your own that is set up at first use), `--json` (one JSON document on stdout), `--quiet`, `--version`.

Twelve commands stand alone; what drives a session, what is remembered and what the panel needs stand in the groups `session`, `memory`, `panel` and `cluster`, below the twelve.

SESSION is an id, the beginning of one, `last`, a path to a session or to an unpacked archive, or `URL/ID` of an archived one for commands that only read.

`GREENROOM_LOG=FILE` (or `-` for stderr) keeps a log, one JSON document a line: commands, records, calls of a model, with ids, sizes and times, never what was said or written. Without it there is none.

Exit codes: 0 done; 1 refused or failed, with one line on stderr that says what is wrong and what to do; 2 wrong usage. Ctrl-C, SIGTERM and SIGHUP (a terminal that was closed) stop a command with one line that says how to go on: exit code 1, 143 and 129, also in the first process of a container; a model's call that hangs is given up after 3 seconds. With `--json` an error is a JSON document with `code`, `message` and, where there is one, `file` or `value`. `verify` and `panel check` exit 1 where something is not valid; what `check` and `doctor` find is a result, and exits 0.

What a terminal's encoding has no sign for is printed as an escape; HTML and a context in a pipe are UTF-8 always. A stderr that takes nothing costs no result. A stdout that takes nothing is exit code 1 and one line on stderr: what the command had to do is done. `… | head` ends without a word. A log on a full disk says so once.
"""  # noqa: E501  # one line a paragraph, as on the other pages


def help_(
    context: typer.Context,
    topics: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TOPIC]", help=f"One of: {', '.join(TOPICS)}; or a command."),
    ] = None,
) -> None:
    """Show a page: the room, models, memory and more, or one command."""
    screen = Screen.current
    if not topics:
        lines = [f"{screen.command} help {name:<8}  {about}" for name, about in TOPICS.items()]
        screen.result({"topics": list(TOPICS)}, "\n".join(lines))
        return
    topic = " ".join(topics)
    text = page_of(topic, context)
    if text is None:
        near = get_close_matches(topic, [*TOPICS, *_commands(context)], 1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise UsageError(
            f"there is no topic {topic!r}: take one of {', '.join(TOPICS)}, or a command.{meant}"
        )
    if screen.json or not sys.stdout.isatty():
        screen.result({"topic": topic, "text": text}, text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))


def page_of(topic: str, context: typer.Context) -> str | None:
    """Return the Markdown of a topic, or of a command by its name, or None if it is neither."""
    commands = _commands(context)
    if topic == COMMANDS:
        return commands_page(commands)
    if topic in TOPICS:
        return (resources.files("orchestrator") / "docs" / f"{topic}.md").read_text("utf-8")
    full, one = _found(commands, topic.split())
    if one is None:
        return None
    if full in commands and _parts(one):
        return _group_page(commands, full)
    return "\n".join(_section(name, part) for name, part in _with_parts(full, one))


def _commands(context: typer.Context) -> dict[str, Any]:
    return getattr(context.find_root().command, "commands", {})


def _found(commands: dict[str, Any], words: Sequence[str]) -> tuple[str, Any]:
    """Return the full name of a command and the command, found by that name or by its name without the
    group."""
    if len(words) == 1 and words[0] in commands and commands[words[0]].hidden:
        words = next([group, words[0]] for group, one in commands.items() if words[0] in _parts(one))
    one = commands.get(words[0]) if words else None
    for word in words[1:]:
        one = _parts(one).get(word)
    return " ".join(words), one


def commands_page(commands: dict[str, Any]) -> str:
    """Return a page with every command, its arguments and options, as `--help` has them; the groups come
    last."""
    visible = {name: command for name, command in commands.items() if not command.hidden}
    sections = [INTRODUCTION]
    sections += [_section(name, command) for name, command in visible.items() if not _parts(command)]
    sections += [_group_page(commands, name) for name, command in visible.items() if _parts(command)]
    return "\n".join(sections)


def _group_page(commands: dict[str, Any], group: str) -> str:
    """Return a page with every command of a group, and which of them can also be called without it."""
    one = commands[group]
    short = [f"`{name}`" for name in _parts(one) if name in commands and commands[name].hidden]
    sections = [f"# {group}", _text(one)]
    sections += [f"Also called without `{group}`: {', '.join(short)}."] if short else []
    return (
        "\n\n".join(sections)
        + "\n\n"
        + "\n".join(_section(full, part) for full, part in _with_parts(group, one))
    )


def _parts(command: Any) -> dict[str, Any]:
    """Return the commands of a group; none if *command* is not a group."""
    return getattr(command, "commands", {})


def _with_parts(name: str, command: Any) -> list[tuple[str, Any]]:
    parts = _parts(command)
    if not parts:
        return [(name, command)]
    return [found for part, one in parts.items() for found in _with_parts(f"{name} {part}", one)]


def _text(command: Any) -> str:
    return (command.help or "").replace("\b\n", "").strip()  # which keeps a terminal from filling lines


def _section(name: str, command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    usage = " ".join([name, *(one.metavar or one.name.upper() for one in arguments)])
    lines = [f"## {usage}", "", _text(command), ""]
    rows = [f"| `{_cell(one.metavar or one.name.upper())}` | {_help(one)} |" for one in arguments]
    rows += [f"| `{_flags(one)}` | {_help(one)} |" for one in options]
    return "\n".join([*lines, "| | |", "|---|---|", *rows, ""] if rows else lines)


def _flags(option: Any) -> str:
    flags = ", ".join([*option.opts, *option.secondary_opts])
    return flags if option.is_flag else _cell(f"{flags} {option.metavar or 'N'}")


def _help(parameter: Any) -> str:
    shown = "" if parameter.default in (None, False, (), []) or parameter.required else parameter.default
    default = f" Default: {shown}." if shown != "" else ""
    return _cell(f"{parameter.help or ''}{default}")


def _cell(text: str) -> str:
    """Return *text* for a cell of a table, with bars escaped, which would end the cell even in code."""
    return text.replace("|", "\\|")
