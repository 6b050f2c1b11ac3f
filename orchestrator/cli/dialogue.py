"""A rehearsal at the terminal as it goes: the chair, the questions, the answers, and what came of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.cli.screen import columns, wrapped
from orchestrator.core.legible import shown
from orchestrator.panel import render
from orchestrator.panel.loop.moderator_lines import Teller, question_lines
from orchestrator.panel.records.turns import with_verdict

if TYPE_CHECKING:
    from orchestrator.panel.model.exchange import Judgement
    from orchestrator.rehearsal.session import Session

Part = tuple[int, int, str]
"""Of a dialogue: the number of an exchange and of its turn, and which of question, answer and verdict."""


class Dialogue:
    """The words of a session that are not on the screen yet.

    Those that stand at the beginning are taken as known, but for a question that is open: it is
    put once more, with the words that it is about above it.
    """

    def __init__(self, session: Session, *, is_typed: bool = False, is_known: bool = False) -> None:
        """Begin with what stands.

        Args:
            is_typed: Answers are typed at this terminal, so they are not repeated.
            is_known: An open question is known as well.
        """
        self.session = session
        self.is_typed = is_typed
        self._teller = Teller(session.rehearsal)
        self._told = set(self._parts())
        if not is_known:
            self.repeat()

    def repeat(self) -> None:
        """Let the open question, if there is one, be shown with the next words."""
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
        """Print the verdict on the last answer before it is written down."""
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
        """The answer, or the verdict on it."""
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
    """Print a line on stderr, as wide as it may be; a deck's words cannot steer the terminal."""
    print(wrapped(shown(text), columns(sys.stderr)), file=sys.stderr)
