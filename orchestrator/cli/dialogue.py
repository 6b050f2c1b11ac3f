"""A rehearsal at the terminal while it runs: the chair, the questions, the answers and the verdicts."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from orchestrator.cli.screen import Screen, columns, wrapped
from orchestrator.core import legible
from orchestrator.core.legible import counted, shown
from orchestrator.core.values import to_json
from orchestrator.material.speech.speakers import UNCLEAR
from orchestrator.material.values import PRESENTER
from orchestrator.panel import render
from orchestrator.panel.debrief import phrasing as words
from orchestrator.panel.debrief.exchange_json import exchange_json
from orchestrator.panel.debrief.parts import bill_json, bill_of
from orchestrator.panel.debrief.phrasing import is_unjudged
from orchestrator.panel.debrief.terminal import as_text
from orchestrator.panel.loop.moderator import Teller, question_lines
from orchestrator.panel.model.exchange import NOT, PERSON_VERDICTS, each_once, still_to_come_back
from orchestrator.panel.records.projection import with_verdict

if TYPE_CHECKING:
    from orchestrator.panel.debrief.parts import Debrief
    from orchestrator.panel.model.exchange import Exchange, Judgement
    from orchestrator.rehearsal.rehearsal import Rehearsal


# ---------------------------------------------------------------------- dialogue


Part = tuple[int, int, str]
"""A part of a dialogue: the number of an exchange, the number of its turn, and which of question, answer
and verdict it is."""


class Dialogue:
    """The words of a session that are not on the screen yet.

    Words that exist at the beginning count as shown, except an open question: it is shown once more, below
    the words that it is about.
    """

    def __init__(self, session: Rehearsal, *, is_typed: bool = False, is_known: bool = False) -> None:
        """Count the words that exist at the beginning as shown.

        Args:
            is_typed: Whether answers are typed at this terminal, so that they are not repeated.
            is_known: Whether an open question counts as shown, too.
        """
        self.session = session
        self.is_typed = is_typed
        self._teller = Teller(session.rehearsal)
        self._told = set(self._parts())
        if not is_known:
            self.repeat()

    def repeat(self) -> None:
        """Show the open question, if there is one, again with the next words."""
        projection = self.session.projection
        if projection.open is not None:
            self._told.discard((len(projection.asked), len(projection.open.turns), "question"))

    def show(self) -> None:
        """Print everything new on stderr, in the order in which it was said."""
        new = [part for part in self._parts() if part not in self._told]
        self._told.update(new)
        lines = [line for part in new if part[2] != "question" for line in self._came(part)]
        questions = [line for part in new if part[2] == "question" for line in self._question(part)]
        chair = self._teller.lines()
        for line in (*lines, *([""] if questions else []), *chair, *questions):
            say(line)

    def show_verdict(self, judgement: Judgement) -> None:
        """Print the verdict on the last answer before it is recorded."""
        projection = self.session.projection
        if projection.open is None:
            return
        turn = with_verdict(projection.open, judgement).turns[-1]
        self._told.add((len(projection.asked), len(projection.open.turns), "verdict"))
        say(f"  {render.verdict(turn, is_last=True)}")

    def _parts(self) -> Iterator[Part]:
        projection = self.session.projection
        is_answered = self.is_typed or (projection.playback is not None and bool(projection.playback.answers))
        for count, exchange in enumerate(projection.asked, start=1):
            for number, turn in enumerate(exchange.turns, start=1):
                yield count, number, "question"
                if turn.answer and not self.is_typed:
                    yield count, number, "answer"
                if turn.verdict is not None and (turn.answer or is_answered):
                    yield count, number, "verdict"

    def _question(self, part: Part) -> list[str]:
        count, number, _ = part
        rehearsal = self.session.rehearsal
        exchange = rehearsal.projection.asked[count - 1]
        again = ", again" if number > 1 else ""
        put = replace(exchange, turns=exchange.turns[:number])
        head = f"{exchange.id} of at most {rehearsal.options.exchanges}{again}"
        return [head, *question_lines(rehearsal, put)]

    def _came(self, part: Part) -> list[str]:
        """Return the lines for an answer, or for the verdict on it."""
        count, number, kind = part
        rehearsal = self.session.rehearsal
        exchange = rehearsal.projection.asked[count - 1]
        turn = exchange.turns[number - 1]
        if kind == "answer":
            name = rehearsal.projection.presenter or rehearsal.options.presenter
            return [f"{name}: {turn.answer}"]
        remark = [f"{rehearsal.name_of(exchange.agent)}: {turn.remark}"] if turn.remark else []
        is_last = number == len(exchange.turns)
        came_of_it = render.verdict(turn, is_last=is_last) if turn.answer else "no answer"
        return [*remark, f"  {came_of_it}"]


def say(text: str) -> None:
    """Print a line on stderr, wrapped to its width; a deck's words cannot control the terminal."""
    print(wrapped(shown(text), columns(sys.stderr)), file=sys.stderr)


# ---------------------------------------------------------------------- prompt
# Asking the presenter at the terminal.


PASTE_S: Final = 0.05
"""Seconds within which further lines count as pasted together with the first, since nobody types so fast.
After its last line every answer waits for so long, which nobody notices."""

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
    """Return a function that reads the answer to the open question from stdin, and returns None for no
    answer.

    Lines that begin with "?" ask this program, not the panel. At a terminal, an empty line has to be
    confirmed once. Ctrl-C raises KeyboardInterrupt, and text that was not entered counts as not said.
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
    """Return a function that asks a person for the verdict that the panel did not give, at a terminal.

    If the answer was worth nothing and a question is left, it also asks whether to put that. Lines that begin
    with "?" ask this program here as well. Ctrl-C raises KeyboardInterrupt: the verdict is asked for again by
    `resume`.
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
    """Ask whether the question is to be put once more, until the reply is yes or no."""
    while (word := _entered(AGAIN).lower()) not in ("", "a", "again"):
        say("Nothing is answered here: a puts the question once more, Enter goes on.")
    return bool(word)


def _judge_last(dialogue: Dialogue, verdict: str | None) -> None:
    """Record what the presenter says of the answer that was given last."""
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
        session.call_on(parked=True)
    elif line[1:] in (*PERSON_VERDICTS, "none"):
        _judge_last(dialogue, None if line == "?none" else line[1:])
    else:
        print(KEYS.rstrip(), file=sys.stderr)
        dialogue.repeat()


def _entered(mark: str = "> ") -> str:
    """Read one line, or all lines that were pasted at once, as one; "" at the end of the input."""
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
    """Read the next line, edited as in a shell where that can be, or None at the end of the input."""
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


# ---------------------------------------------------------------------- summary
# The result of a finished run: the contract's JSON, and a page for people.


def run_json(session: Rehearsal, archive: str | None, *, seconds: float) -> dict[str, Any]:
    """Return the result of `run` as interfaces.md promises it."""
    projection = session.projection
    grounded = [one.grounded for one in each_once(projection.exchanges) if one.written_by != PRESENTER]
    receipts = session.receipts()
    return {
        "session": session.name,
        "path": str(session.path),
        "state": session.state,
        "slides": len(session.rehearsal.scene().deck.slides),
        "segments": len(projection.playback.segments) if projection.playback is not None else 0,
        "claims": len(projection.deck_claims) + len(projection.speech_claims),
        "speaker": projection.presenter,
        "speaker_how": projection.presenter_how,
        "exchanges": [exchange_json(one) for one in session.asked if one.outcome is not None],
        "said": [to_json(said) for said in projection.said],
        "grounded_share": round(sum(grounded) / len(grounded), 3) if grounded else None,
        "debrief": str(session.path / "debrief.md"),
        "receipts": len(receipts),
        "ledger_head": session.ledger_head,
        "archive": archive,
        "valid": session.verify().valid,
        "usage": {"engine": session.rehearsal.options.engine, **bill_json(bill_of(projection.calls))},
        "seconds": round(seconds, 3),
        "sync_s": round(session.rehearsal.store.sync_s, 3),
    }


def run_text(session: Rehearsal, plain: dict[str, Any], *, brief: bool = False) -> str:
    """Return the page for people: what to fix first, the questions, what stays open, and where it all is.

    *brief* leaves out the exchanges, which somebody at the terminal has just had.
    """
    debrief, command = session.debrief(), Screen.current.command
    head = wrapped(_head(session, plain), columns(sys.stdout))
    lines = [head, "", page_text(debrief, reviews=not brief), ""]
    if not debrief.was_answered and debrief.reviews:
        lines += ["These are the questions. To answer them, run it again with --answers -", ""]
    lines += [
        f"Debrief         {plain['debrief']}",
        f"Archive         {plain['archive'] or 'none'}",
        f"Verified        {'yes' if plain['valid'] else f'NO: run {command} verify {session.name}'}",
    ]
    unjudged = [review.exchange.id for review in debrief.reviews if is_unjudged(review)]
    if unjudged:
        lines.append(f"Judge yourself  {command} judge {session.name} {unjudged[0]} given|partly|not")
    return "\n".join(lines)


def page_text(debrief: Debrief, *, reviews: bool = True) -> str:
    """Return the debrief as it fits the terminal, in colour; elsewhere plain, 100 columns wide."""
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return as_text(debrief, width=columns(sys.stdout), colour=colour, reviews=reviews).rstrip("\n")


def _head(session: Rehearsal, plain: dict[str, Any]) -> str:
    deck = session.rehearsal.scene().deck
    most = ", who speaks most" if plain["speaker_how"] == "speaks most" else ""
    who = f"; judging {plain['speaker']}{most}" if plain["speaker"] and plain["segments"] else ""
    if plain["speaker_how"] == UNCLEAR:
        who = "; judging nobody, as it is not clear who presents"
    counts = f"{legible.counted(plain['slides'], 'slide')}, {legible.counted(plain['claims'], 'claim')}"
    return render.headed(deck.title or deck.name, f"{counts}{who}")


def next_steps(plain: dict[str, Any], command: str) -> str:
    """Return where to look after the demo; *command* is how the user called this program."""
    agent = plain["exchanges"][0]["agent"] if plain["exchanges"] else "skeptic"
    steps = [
        ("debrief last", "the page to keep"),
        (f"context last {agent}", "what that panelist knew"),
        ("verify last", "that nothing was changed since"),
        ("run YOUR-DECK.pptx --answers -", "your own deck; you answer at the terminal"),
    ]
    width = max(len(step) for step, _ in steps)
    return "\n".join(["", "Look next:", *(f"  {command} {step:{width}}  {what}" for step, what in steps)])
