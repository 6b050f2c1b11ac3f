"""The application: global options at any place, and one line for every error."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import takewhile
from typing import Final

import typer

from orchestrator import __version__
from orchestrator.cli import signals
from orchestrator.cli.screen import ReaderGoneError, Screen, document, show
from orchestrator.core.errors import GreenroomError, OutputError, UsageError

HELP = """Rehearse before you face the board: deck in, speech in, and a panel asks what the board will ask.

Start with `greenroom demo`, then `greenroom run DECK --speech FILE`.

What is not listed here stands in a group: `greenroom session`, `greenroom memory`, `greenroom panel`,
`greenroom cluster`.

SESSION is an id, the beginning of one, `last`, a path, or an archive's URL/ID.
"""

COMMANDS: Final = {
    "demo": "demo",
    "run": "run",
    "start": "session",
    "check": "prepare",
    "dossier": "prepare",
    "list": "look",
    "show": "look",
    "debrief": "look",
    "verify": "look",
    "archive": "keep",
    "serve": "serve",
    "help": "topics",
}
"""The module of each command outside of a group, in the order of `--help`. Only the module of the command
that is called is loaded: loading all of them takes as long as everything else that a small command does."""

GROUPS: Final = {
    "session": {
        "start": "record",
        "append": "record",
        "write": "record",
        "note": "record",
        "feed": "session",
        "slide": "session",
        "pause": "session",
        "resume": "run",
        "ask": "session",
        "answer": "session",
        "done": "session",
        "back": "session",
        "talk": "session",
        "questions": "session",
        "park": "session",
        "judge": "session",
        "dismiss": "session",
        "correct": "session",
        "intel": "prepare",
        "end": "session",
        "context": "look",
        "title": "keep",
        "progress": "look",
        "review": "serve",
        "restore": "keep",
        "erase": "keep",
    },
    "memory": {
        "list": "memory",
        "show": "memory",
        "edit": "memory",
        "forget": "memory",
        "export": "memory",
        "off": "memory",
        "on": "memory",
        "goal": "memory",
        "briefing": "look",
        "recap": "look",
        "summarise": "memory",
        "mcp": "mcp",
    },
    "panel": {
        "check": "setup",
        "add": "setup",
        "doctor": "look",
        "fetch": "setup",
    },
    "cluster": {
        "worker": "cluster",
        "front": "cluster",
        "status": "cluster",
        "drain": "cluster",
        "demo": "cluster",
        "put-back": "cluster",
    },
}
"""The module of each command in a group, by group."""

GROUP_HELP: Final = {
    "session": """Drive a session, write its record, end it, keep it.

    A rehearsal begins with `greenroom start DECK`. A crew of your own begins with `session start`; `append`,
    `write`, `note` and `end` serve both, by the classes and writers of the session's own table.
    """,
    "memory": """What is remembered of a presenter, and their control over it.

    Nothing is remembered about anybody who did not agree: with `--remember` at a start, or `memory on`.
    """,
    "panel": "Check or add the panel's seats, and what this machine lends them.",
    "cluster": """Rehearse on several machines: workers, fronts, servers.

    For more than about 30 rooms at once; `greenroom help cluster` says how it is set up.
    """,
}

ALIASES: Final = {
    name: group
    for group, names in {
        "session": "feed slide pause resume ask answer done back talk questions park judge dismiss correct "
        "intel end context title progress review restore erase",
        "memory": "goal briefing recap summarise mcp",
        "panel": "doctor fetch",
    }.items()
    for name in names.split()
}
"""The group of each command that was once outside of a group: `greenroom feed` still works as `greenroom
session feed`, but `--help` does not show it."""

TAKE_DEFAULTS: Final = ("run", "start")
DEFAULTS: Final = "Each default may be another in greenroom.yaml, or in a variable GREENROOM_…."

_ROOM: Final = ": make room, then try again"
_FILES: Final = ": close other programs or allow more open files (`ulimit -n`), then try again"
ADVICE: Final = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.EIO: ": check the disk, then try again",
    errno.EROFS: ": this disk may only be read: mount it for writing, or use another --home",
}
"""By error code of the system: what the user can do, for errors about which no command knows anything
better."""

INTERRUPTED = 130
"""Typer's exit code, 128 + SIGINT, for a Ctrl-C that no command has reported; no command of ours returns
it."""


def build(words: Sequence[str] | None = None) -> typer.Typer:
    """Make the application, with the commands that a call needs.

    Args:
        words: The names in the call: a command, or a group and one of its commands. If empty, only what the
            first page needs, with the groups' names. If None, every command.
    """
    app = typer.Typer(
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def options(
        home: str = typer.Option(None, metavar="DIR", help="The home: templates, blueprints and sessions."),
        json: bool = typer.Option(False, "--json", help="Print one JSON document."),
        quiet: bool = typer.Option(False, "--quiet", help="Print nothing but results and errors."),
        version: bool = typer.Option(False, "--version", help="Print the version."),
    ) -> None:
        """Take the global options; they may stand before or after the command's name."""

    command, part = (*(words or ()), "", "")[:2]
    if command in GROUPS:
        _add_group(app, command, [part] if part in GROUPS[command] else GROUPS[command])
    elif command in ALIASES:
        _add(app, command, GROUPS[ALIASES[command]][command], is_hidden=True)
    elif command in COMMANDS and command != "help":
        _add(app, command, COMMANDS[command])
    else:
        is_whole = words is None or command != ""  # `help` shows all; of an unknown one the nearest is named
        for name, module in COMMANDS.items():
            _add(app, name, module)
        for group, names in GROUPS.items():
            _add_group(app, group, names if is_whole else ())
        for name, group in ALIASES.items() if is_whole else ():
            _add(app, name, GROUPS[group][name], is_hidden=True)
    return app


def _add_group(app: typer.Typer, group: str, names: Iterable[str]) -> None:
    made = typer.Typer(no_args_is_help=True, help=GROUP_HELP[group])
    for name in names:
        _add(made, name, GROUPS[group][name])
    app.add_typer(made, name=group)


def _add(app: typer.Typer, name: str, module: str, *, is_hidden: bool = False) -> None:
    """Load the module of a command, and add the command."""
    loaded = import_module(f"orchestrator.cli.{module}")
    named = name.replace("-", "_")
    one = getattr(loaded, named, None) or getattr(loaded, f"{named}_")  # `list` and `help` are Python's
    if isinstance(one, typer.Typer):
        app.add_typer(one, name=name, hidden=is_hidden)
    else:
        takes_defaults = name in TAKE_DEFAULTS and module == COMMANDS[name]
        app.command(name, epilog=DEFAULTS if takes_defaults else None, hidden=is_hidden)(one)


def _words(arguments: Sequence[str]) -> list[str]:
    """Return the names in a call: a command, or a group and one of its commands; nothing after an option."""
    named = list(takewhile(lambda one: not one.startswith("-"), (one for one in arguments if one != "--")))
    return named[: 2 if named and named[0] in GROUPS else 1]


def _is_command(words: Sequence[str]) -> bool:
    """Whether these are the names of a command, and not words that somebody mistyped."""
    first, *rest = words or [""]
    return rest[0] in GROUPS[first] if rest else first in COMMANDS or first in ALIASES


def _check_grouped(words: Sequence[str]) -> None:
    """Refuse a command that is looked for where it does not stand: typer names the nearest word there alone.

    Raises:
        UsageError: Says where it stands.
    """
    if not words or _is_command(words) or (len(words) < 2 and words[0] in GROUPS):
        return
    name = words[-1]
    group = "" if name in COMMANDS else next((one for one, names in GROUPS.items() if name in names), None)
    if group is not None:
        full = " ".join(filter(None, (Screen.current.command, group, name)))
        raise UsageError(f"there is no command {' '.join(words)!r}: use `{full}`", value=name)


def split_globals(arguments: list[str]) -> tuple[dict[str, str | bool], list[str]]:
    """Separate the global options, which may be anywhere before a `--`, from the other arguments.

    Raises:
        UsageError: `--home` has no folder after it.
    """
    found: dict[str, str | bool] = {}
    rest: list[str] = []
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            rest += [argument, *waiting]
        elif argument in ("--json", "--quiet", "--version"):
            found[argument[2:]] = True
        elif argument == "--home":
            value = next(waiting, None)
            if value is None:
                raise UsageError("--home needs a folder")
            found["home"] = value
        elif argument.startswith("--home="):
            found["home"] = argument.removeprefix("--home=")
        else:
            rest.append(argument)
    return found, rest


def run(arguments: list[str]) -> int:
    """Run one command; return its exit code."""
    Screen.has_result = False
    Screen.current = Screen(json="--json" in arguments)  # until the arguments are read: for their own errors
    try:
        found, rest = split_globals(arguments)
        if sys.stdout is None:
            raise OutputError("stdout is closed, so no result can be shown: leave it open, or use >/dev/null")
        if found.get("version"):
            show(__version__)
            return 0
        home = found.get("home")
        Screen.current = Screen(
            home=home if isinstance(home, str) else None,
            json=bool(found.get("json")),
            quiet=bool(found.get("quiet")),
        )
        words = _words(rest)
        _check_grouped(words)
        if os.environ.get("GREENROOM_LOG"):
            import_module("orchestrator.cli.log").begin(" ".join(words) if _is_command(words) else "")
        outcome = build(words)(rest, standalone_mode=False)
        if outcome == INTERRUPTED:
            return _refused("stopped", signals.exit_code(), code="stopped")
        show()
        return outcome if isinstance(outcome, int) else 0
    except GreenroomError as error:
        exit_code = 2 if isinstance(error, UsageError) else 1
        if error.code == "stopped":
            exit_code = signals.exit_code()
        return _refused(str(error), exit_code, code=error.code, file=error.file, value=error.value)
    except typer.Exit as left:
        return left.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return _refused("stopped", signals.exit_code(), code="stopped")
    except ReaderGoneError:
        return 128 + signal.SIGPIPE
    except OSError as error:
        return _refused(_refusal(error), 1, code="system", file=error.filename)
    except typer.TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # its message is the whole help
            print(error.format_message(), file=sys.stderr)
            return 2
        message, value = _in_our_words(error)
        return _refused(message, error.exit_code, code="usage", value=value)


def _refusal(error: OSError) -> str:
    """Return what the system refused, for which file, and what to do."""
    if error.errno == errno.ENOENT and not error.filename:
        if not _is_somewhere():
            return "the current folder is not there any more: change to one that is, then try again"
        if "temporary directory" in str(error):  # of `tempfile`: full, or not there, all that it knows of
            return "no folder takes temporary files: make room in one, or name another in TMPDIR"
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{(error.strerror or str(error)).lower()}{ADVICE.get(error.errno or 0, '')}"


def _is_somewhere() -> bool:
    """Return whether the current folder still exists."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _in_our_words(error: typer.TyperException) -> tuple[str, str | None]:
    """Return the error's message in our own words, and the value that it is about.

    For an invalid number, typer's message is that of the library that parses it, which names types.
    """
    told = getattr(error.__cause__, "errors", None)
    if not isinstance(error, typer.BadParameter) or error.param is None or told is None:
        return error.format_message(), None
    [fault, *_] = told()
    low, high = (getattr(error.param, name, None) for name in ("min", "max"))
    kind = "a number" if "float" in fault["type"] else "a whole number"
    span = "" if low is None else f" from {low} on" if high is None else f" from {low} to {high}"
    name = error.param.opts[-1] if error.param.param_type_name == "option" else error.param.metavar
    return f"{name} {fault['input']!r}: give {kind}{span}", str(fault["input"])


def _refused(
    message: str, exit_code: int, *, code: str, file: object = None, value: str | None = None
) -> int:
    """Report what was wrong, in one line on stderr or with `--json` as a document on stdout; return
    *exit_code*.

    If the result's document has already been printed, no second one is.
    """
    line = " ".join(message.split())
    if Screen.current.json and not Screen.has_result:
        about = {"file": None if file is None else str(file), "value": value}
        known = {name: one for name, one in about.items() if one is not None}
        try:
            show(document({"error": {"code": code, "message": line, **known}}))
        except ReaderGoneError:
            pass
        except OutputError as error:
            Screen.current.warn(line)
            Screen.current.warn(str(error))
    else:
        Screen.current.warn(line)
    return exit_code
