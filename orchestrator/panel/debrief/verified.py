"""An engine's words for the debrief, looked up again: quotes that stand, figures that were said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.material.checks.grounding import figures, grounded
from orchestrator.material.claims.sentences import sentences
from orchestrator.material.model.claim import Place
from orchestrator.material.model.proposal import Passage
from orchestrator.panel.debrief.excerpts import short
from orchestrator.panel.debrief.parts import (
    STATES,
    Check,
    Source,
    Stronger,
)
from orchestrator.panel.engines.offline.judging import sort_of
from orchestrator.panel.model.exchange import Exchange, answered_with
from orchestrator.panel.model.reply import BetterAnswer, DebriefWords, RubricCheck

NOT_JUDGED = "not judged"


def better_answers(
    words: DebriefWords, exchanges: Sequence[Exchange], passages: Sequence[Passage]
) -> Mapping[str, Stronger]:
    """By exchange: those that rest on words which stand where they are said to.

    A figure in one must stand in those words, or in its exchange: nothing is made up for the presenter.
    """
    by_id = {exchange.id: exchange for exchange in exchanges}
    found = {}
    for better in words.better:
        exchange = by_id.get(better.exchange)
        places = [place for one in better.rests_on if (place := grounded(one, passages)) is not None]
        if exchange is None or not places or not _was_said(better, exchange, places):
            continue
        sources = [source_of(place, exchanges) for place in places]
        if _says_more(better, exchange, sources):
            found[exchange.id] = Stronger(
                text=better.text, rests_on=tuple(map(short, sources)), bring=better.bring
            )
        elif better.bring:
            found[exchange.id] = Stronger(bring=better.bring)
    return found


def read_checks(
    words: DebriefWords, names: Iterable[str], exchanges: Sequence[Exchange], passages: Sequence[Passage]
) -> Mapping[str, Check]:
    """By name: a "yes" or "partly" is worth the words that it rests on, and without them is no verdict."""
    by_name: dict[str, RubricCheck] = {check.name: check for check in words.checks}
    found = {}
    for name in names:
        said = by_name.get(name)
        if said is None or said.state not in STATES:
            continue
        place = None if said.rests_on is None else grounded(said.rests_on, passages)
        source = None if place is None else short(source_of(place, exchanges))
        if source is None and said.state in ("yes", "partly"):
            found[name] = Check(name, NOT_JUDGED, "the words that it was to rest on stand nowhere")
        else:
            found[name] = Check(name, said.state, said.why.rstrip("."), source)
    return found


def source_of(place: Place, exchanges: Sequence[Exchange]) -> Source:
    """A place as the debrief names it: words of an answer by their exchange."""
    if place.said_at_s is not None or place.slide is None:
        answered = answered_with(place.quote, exchanges)
        if answered is not None:
            return Source(" ".join(place.quote.split()), origin="answer", exchange=answered)
    return Source(place.quote, place.slide, place.said_at_s, "line" if place.said_at_s is None else "speech")


def _says_more(better: BetterAnswer, exchange: Exchange, sources: Sequence[Source]) -> bool:
    """Whether it gives more than the answer that was found wanting, and more than that nothing is known."""
    wanting = [one.answer or "" for one in exchange.turns if one.verdict in ("follow_up", "escalate")]
    said = " ".join(" ".join(wanting).split())
    is_again = all(one.origin == "answer" and " ".join(one.quote.split()) in said for one in sources)
    text = better.text
    return not is_again and sort_of([text[start:end] for start, end in sentences(text)]) is None


def _was_said(better: BetterAnswer, exchange: Exchange, places: Sequence[Place]) -> bool:
    """Whether every figure and date of the answer is one of its sources', or of its exchange's."""
    texts = [place.quote for place in places]
    texts += [exchange.quote or "", exchange.beside.quote if exchange.beside is not None else ""]
    texts += [text for turn in exchange.turns for text in (turn.question, turn.answer or "")]
    return figures(better.text) <= {figure for text in texts for figure in figures(text)}
