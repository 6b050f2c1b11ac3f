"""How the moderator's lines read at a terminal: sparingly, so that the questions stand out."""

from __future__ import annotations

from orchestrator.core import legible
from orchestrator.core.legible import one_line
from orchestrator.core.table import MODERATOR
from orchestrator.panel import render
from orchestrator.panel.loop import phrases
from orchestrator.panel.loop.question_text import bare_question
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.time_rules import OF_TIME
from orchestrator.panel.model.exchange import Exchange, answer_quoted
from orchestrator.panel.records.projection import Said

SHOWN = OF_TIME | {
    phrases.OPENING,
    phrases.CALLING,
    phrases.PARKING,
    phrases.COMING_BACK,
    phrases.STALLING,
    phrases.CLOSING,
}
"""Follow-ups, thanks and transitions are left out: the question or the silence behind them says it."""


def spoken(rehearsal: Rehearsal, said: Said) -> str | None:
    """The line as it is shown; None for one that is not."""
    if said.occasion not in SHOWN:
        return None
    return f"{rehearsal.name_of(MODERATOR)} ({legible.clock(said.at_s)}): {said.text}"


def question_lines(rehearsal: Rehearsal, exchange: Exchange) -> list[str]:
    """The last question as it is put: the words that it is about above it, and not in it once more.

    A question about the whole says so in their place, and one that the presenter brought beside them.
    """
    name = rehearsal.name_of(exchange.agent)
    origin = render.origin(exchange)
    words = [*about(rehearsal, exchange), *([f"({origin})"] if origin else [])]
    return [*(f"  {one}" for one in words), f"{name}: {asked(exchange)}"]


def about(rehearsal: Rehearsal, exchange: Exchange) -> list[str]:
    """The words that a question is about with their places, those of an answer with its exchange."""
    return render.quoted(exchange, answer_quoted(exchange, rehearsal.projection.exchanges))


def asked(exchange: Exchange) -> str:
    """The last question, without the quote that stands above it; a follow-up as it is."""
    turn = exchange.turns[-1]
    return one_line(bare_question(turn, exchange.quote) if len(exchange.turns) == 1 else turn.question)


class Teller:
    """What a terminal is still to be told: the moderator's lines, and what a failing engine keeps back."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        self._rehearsal = rehearsal
        self._told = len(rehearsal.projection.said)
        self._failing = set(rehearsal.projection.failed)

    def lines(self) -> list[str]:
        """What has come up since last time; a failure is told when it begins and when it is over."""
        rehearsal, projection = self._rehearsal, self._rehearsal.projection
        news = [words for line in projection.said[self._told :] if (words := spoken(rehearsal, line))]
        self._told = len(projection.said)
        for agent in rehearsal.options.panel:
            name = rehearsal.name_of(agent)
            if agent in projection.failed and agent not in self._failing:
                why = one_line(projection.failed[agent])
                news.append(f"note: {name} has no new question, and the last one is stale: {why}")
            elif agent in self._failing and agent not in projection.failed:
                news.append(f"note: {name} has questions again")
        self._failing = set(projection.failed)
        return news
