"""Asking the presenter at the terminal."""

from __future__ import annotations

import signal
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from orchestrator import render
from orchestrator.loop.moderator_lines import asked, spoken

if TYPE_CHECKING:
    from orchestrator.loop.state import Said
    from orchestrator.model.exchange import Exchange
    from orchestrator.session import Session

WIDTH = 88
KEYS = (
    'Enter gives the answer; an empty line gives none; "park" asks to come back to it later; '
    "Ctrl-C stops and keeps everything.\n"
)


def prompt_of(session: Session) -> Callable[[Exchange], str | None]:
    """A function that shows a question on stderr and reads the answer from stdin, one line.

    It shows what came of the answer before. Ctrl-C at the prompt raises KeyboardInterrupt: what
    was not entered was not said.
    """
    shown = {"turns": 0, "said": 0}

    def ask(exchange: Exchange) -> str | None:
        if not shown["turns"]:
            _say(KEYS)
        _last_verdict(session, exchange)
        shown["turns"] += 1
        said = session.room.said
        _moderator(session, said[shown["said"] :])
        shown["said"] = len(said)
        number = len(session.room.exchanges) + 1
        name = session.rehearsal.name_of(exchange.agent)
        again = "" if len(exchange.turns) == 1 else ", again"
        count = f"{number} of at most {session.rehearsal.options.exchanges}"
        _say(f"{count} - {name} ({exchange.agent}){again}")
        for words in render.quoted(exchange):
            _say(textwrap.fill(words, WIDTH, initial_indent="  ", subsequent_indent="  "))
        _say(textwrap.fill(asked(exchange), WIDTH, break_on_hyphens=False))
        print("> ", end="", file=sys.stderr, flush=True)
        return _line()

    return ask


def _moderator(session: Session, said: Sequence[Said]) -> None:
    """What the moderator has said since the last question, sparingly."""
    lines = [line for one in said if (line := spoken(session.rehearsal, one)) is not None]
    for line in lines:
        _say(textwrap.fill(line, WIDTH, break_on_hyphens=False))
    if lines:
        _say("")


def _last_verdict(session: Session, exchange: Exchange) -> None:
    """What came of the answer that was given last, if one was."""
    if len(exchange.turns) > 1:
        turn, is_last = exchange.turns[-2], False
    elif session.room.exchanges:
        turn, is_last = session.room.exchanges[-1].turns[-1], True
    else:
        return
    if turn.answer and turn.verdict:
        _say(textwrap.indent(textwrap.fill(render.verdict(turn, is_last=is_last), WIDTH - 2), "  "))
        if turn.remark:
            _say(textwrap.indent(textwrap.fill(f'"{render.one_line(turn.remark)}"', WIDTH - 2), "  "))
        _say("")


def _line() -> str | None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return sys.stdin.readline().strip() or None
    except KeyboardInterrupt:
        _say("")  # the prompt's line ends here
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def _say(text: str) -> None:
    print(text, file=sys.stderr)
