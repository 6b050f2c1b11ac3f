"""Asking the presenter at the terminal."""

from __future__ import annotations

import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from orchestrator.cli.dialogue import Dialogue, say
from orchestrator.core.legible import counted
from orchestrator.panel import render
from orchestrator.panel.debrief import phrasing as words
from orchestrator.panel.model.exchange import NOT, PERSON_VERDICTS, still_to_come_back

if TYPE_CHECKING:
    from orchestrator.panel.model.exchange import Exchange, Judgement

PASTE_S: Final = 0.05
"""Lines that are there within this time after another were pasted with it: nobody types so fast. After the
last line of every answer it is waited for, which nobody notices."""

KEYS: Final = """\
Type an answer, then Enter. Pasted lines are one answer. Ctrl-C stops and keeps all.
  park     come back to this question later
  ?        this question once more, and this list
  ?time    the time that is used
  ?parked  what was set aside
  ?back    set this question aside, and take up the one that was parked first
  ?given, ?partly, ?not   what your last answer was worth; ?none takes that back
"""
WORTH: Final = "  Did that answer it? g it did, p partly, n not, Enter leaves it open: "
AGAIN: Final = "  Be asked once more? a asks, Enter goes on: "
EMPTY: Final = "Nothing was entered. Enter once more leaves the question without an answer."


def prompt_of(dialogue: Dialogue) -> Callable[[Exchange], str | None]:
    """A function that reads the answer to the open question from stdin; None: it gets none.

    Lines that begin with "?" ask this program, not the panel. At a terminal an empty line is
    asked about once. Ctrl-C raises KeyboardInterrupt: what was not entered was not said.
    """

    def ask(_exchange: Exchange) -> str | None:
        was_empty = False
        while True:
            dialogue.show()
            line = _entered()
            if line.startswith("?"):
                _aside(dialogue, line)
            elif line or was_empty or not sys.stdin.isatty():
                return line or None
            else:
                was_empty = True
                say(EMPTY)

    return ask


def verdict_prompt_of(dialogue: Dialogue) -> Callable[[Exchange, Judgement, str | None], bool]:
    """A function that asks what an answer was worth that the panel did not judge, for a terminal alone.

    Where it was worth nothing and a question is left, whether that is put. Lines that begin with "?" ask
    this program here as well. Ctrl-C raises KeyboardInterrupt: the verdict is asked for again by `resume`.
    """

    def ask(exchange: Exchange, judgement: Judgement, again: str | None) -> bool:
        number = len(exchange.turns)
        dialogue.show()
        dialogue.show_verdict(judgement)
        while line := _entered(WORTH).lower():
            word = line.removeprefix("?")
            verdict = next((one for one in PERSON_VERDICTS if word and one.startswith(word)), None)
            if verdict is not None and (word == verdict or not line.startswith("?")):
                dialogue.session.judge_as_person(exchange.id, verdict, turn=number)
                return verdict == NOT and again is not None and _wants_again()
            if line == "?none":
                break
            if line == "?back":
                say("First this answer: judge it, or press Enter.")
            elif line in ("?time", "?parked"):
                _aside(dialogue, line)
            else:
                print(KEYS.rstrip(), file=sys.stderr)
        return False

    return ask


def _wants_again() -> bool:
    """Whether the question is to be put once more; what is neither yes nor no is never dropped unsaid."""
    while (word := _entered(AGAIN).lower()) not in ("", "a", "again"):
        say("Nothing is answered here: a puts the question once more, Enter goes on.")
    return bool(word)


def _judge_last(dialogue: Dialogue, verdict: str | None) -> None:
    """What the presenter says of the answer that was given last."""
    answered = [one for one in dialogue.session.projection.asked if one.answered]
    if not answered:
        say("Nothing is answered yet.")
        return
    said = dialogue.session.judge_as_person(answered[-1].id, verdict)
    say(f"{said.exchange}: {render.said_by(said)}")


def _aside(dialogue: Dialogue, line: str) -> None:
    """Do what a line that begins with "?" asks for."""
    session = dialogue.session
    projection, options = session.projection, session.rehearsal.options
    waiting = still_to_come_back(projection.asked)
    if line == "?time":
        say(words.time_used(*projection.times(session.rehearsal.now_s()), options.minutes * 60))
    elif line == "?parked":
        for one in waiting:
            say(f"  {one.id} {session.rehearsal.name_of(one.agent)}: {one.turns[0].question}")
        say("They come back at the end, while questions are left." if waiting else "Nothing is set aside.")
    elif line == "?back" and not waiting:
        say("Nothing is set aside that could come back.")
    elif line == "?back" and len(projection.asked) >= options.exchanges:
        say(f"This is the last of {counted(options.exchanges, 'question')}: answer it, or park it.")
    elif line == "?back":
        session.park()
        session.ask(parked=True)
    elif line[1:] in (*PERSON_VERDICTS, "none"):
        _judge_last(dialogue, None if line == "?none" else line[1:])
    else:
        print(KEYS.rstrip(), file=sys.stderr)
        dialogue.repeat()


def _entered(mark: str = "> ") -> str:
    """One line, or all lines that were pasted at once, as one; "" at the end of the input."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        lines = [line := _line(mark)]
        while line is not None and sys.stdin.isatty() and select.select([sys.stdin], [], [], PASTE_S)[0]:
            lines.append(line := _line(""))
        return " ".join(" ".join(line or "" for line in lines).split())
    except KeyboardInterrupt:
        with suppress(OSError):  # the terminal was closed
            print(file=sys.stderr)  # the prompt's line ends here
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def _line(mark: str) -> str | None:
    """The next line entered, edited as in a shell where that can be; None at the end of the input."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and find_spec("readline")):
        print(mark, end="", file=sys.stderr, flush=True)
        return sys.stdin.readline() or None
    import readline

    readline.set_auto_history(False)  # an answer is no command to be given again
    try:
        return input(mark)
    except EOFError:
        print(file=sys.stderr)  # Ctrl-D leaves the cursor behind the prompt
        return None
