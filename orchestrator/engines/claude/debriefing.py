"""The debrief's words, verified: a stronger answer is made of sentences, each on words that were said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.grounding import figures, place_in
from orchestrator.checks.passages import deck_passages
from orchestrator.engines.claude.outcomes import Fault, Outcome
from orchestrator.engines.claude.quotes import said
from orchestrator.engines.claude.replies import BetterPart, CheckPart, DebriefPart, SentencePart
from orchestrator.engines.protocol import DebriefRequest
from orchestrator.model.claim import Place
from orchestrator.model.exchange import Exchange
from orchestrator.model.proposal import Passage
from orchestrator.model.reply import BetterAnswer, DebriefWords, RubricCheck
from orchestrator.render import one_line

JUDGED = ("yes", "partly")
"""States that nothing but words of the deck or the presenter can show."""

QUOTE, FIGURE, EXCHANGE, EMPTY, PROMISE, CHECK = "quote", "figure", "exchange", "empty", "promise", "check"
_WHY: Final = {
    QUOTE: "the quote of a sentence stands nowhere, word for word, in deck or speech",
    FIGURE: "a sentence holds a figure or date that its quote does not have",
    EXCHANGE: "there is no such exchange",
    EMPTY: "it has no sentence that holds",
    PROMISE: "a promise was not said, word for word, by the presenter",
    CHECK: "a check is none that was asked for",
}
"""Reasons for which a part is left out, as the ledger counts them, and as the model is told them."""


@dataclass(frozen=True, slots=True)
class _Refused:
    """A part that does not hold."""

    reason: str  # of _WHY
    about: str  # the exchange or the words, for the model alone


def debrief(request: DebriefRequest, part: DebriefPart) -> Outcome:
    """What of the part holds; what does not is counted, by its reason, and sent back once."""
    sources, refused = _sources(request), list[_Refused]()
    better = [_better(request, one, sources, refused) for one in part.better]
    named = {one.name: one for one in part.checks}
    refused += [_Refused(CHECK, one.name) for one in part.checks if one.name not in request.checks]
    known = {one.id for one in request.scene.exchanges}
    words = DebriefWords(
        fix=one_line(part.fix),
        why=one_line(part.why),
        fix_exchange=part.fix_exchange if part.fix_exchange in known else None,
        better=tuple(one for one in better if one is not None),
        checks=tuple(_check(named[name], sources) for name in request.checks if name in named),
        dismissed=tuple(sorted({one for one in part.dismissed if 0 <= one < len(request.tensions)})),
        still_wanted=tuple(
            request.never_asked[one].question
            for one in dict.fromkeys(part.still_wanted)
            if 0 <= one < len(request.never_asked)
        ),
        promises=tuple(_promises(request, part.promises, refused)),
        refused=tuple(sorted(Counter(one.reason for one in refused).items())),
    )
    return Outcome(words, _fault(refused))


def _fault(refused: Sequence[_Refused]) -> Fault | None:
    """Every part that does not hold, with the reason; for the model alone, which part it is."""
    if not refused:
        return None
    told = "; ".join(f"{one.about}: {_WHY[one.reason]}" for one in refused)
    return Fault(
        f"{len(refused)} of its parts do not hold",
        f"{told}. Say each of them from words that stand there, put what nobody said into `bring`, or leave "
        "it out; give the whole reply again",
    )


def _sources(request: DebriefRequest) -> list[Passage]:
    """All that the presenter showed, noted or said. It is for the presenter alone, so notes count."""
    answers = (
        Passage(f"{one.id}.{number}", turn.answer, None, one.asked_at_s, "speech")
        for one in request.scene.exchanges
        for number, turn in enumerate(one.turns)
        if turn.answer
    )
    return [*deck_passages(request.scene.deck), *said(request.scene), *answers]


def _better(
    request: DebriefRequest, part: BetterPart, sources: Sequence[Passage], refused: list[_Refused]
) -> BetterAnswer | None:
    """The answer in those of its sentences that hold; None: in none of them."""
    exchange = next((one for one in request.scene.exchanges if one.id == part.exchange), None)
    if exchange is None:
        refused.append(_Refused(EXCHANGE, part.exchange))
        return None
    held: list[tuple[str, Place]] = []
    for number, sentence in enumerate(part.sentences, 1):
        place = _place(sentence, sources)
        if place is not None and _is_said(sentence.text, place, exchange):
            held.append((one_line(sentence.text), place))
        else:
            reason = QUOTE if place is None else FIGURE
            refused.append(_Refused(reason, f"{exchange.id}, sentence {number}"))
    if not held:
        refused.append(_Refused(EMPTY, exchange.id))
        return None
    places = tuple(dict.fromkeys(place for _, place in held))
    return BetterAnswer(
        exchange.id, " ".join(text for text, _ in held), places, tuple(map(one_line, part.bring))
    )


def _place(sentence: SentencePart, sources: Sequence[Passage]) -> Place | None:
    """Where the sentence's quote stands, on its slide, or in what was said, before all else."""
    named = [one for one in sources if one.said_at_s is None and one.slide == sentence.slide]
    spoken = [one for one in sources if one.said_at_s is not None]
    return place_in(sentence.quote, [*(named or spoken), *sources], notes=True)


def _is_said(text: str, place: Place, exchange: Exchange) -> bool:
    """Whether every figure and date of a sentence is one of its quote's, or of its exchange's."""
    texts = [place.quote, exchange.quote or "", exchange.beside.quote if exchange.beside else ""]
    texts += [words for turn in exchange.turns for words in (turn.question, turn.answer or "")]
    return figures(text) <= {figure for words in texts for figure in figures(words)}


def _promises(request: DebriefRequest, quotes: Sequence[str], refused: list[_Refused]) -> list[Place]:
    found = []
    for quote in quotes:
        place = place_in(quote, said(request.scene))
        if place is None:
            refused.append(_Refused(PROMISE, one_line(quote)))
        elif place not in found:
            found.append(place)
    return found


def _check(part: CheckPart, sources: list[Passage]) -> RubricCheck:
    place = place_in(part.quote, sources, notes=True) if part.quote else None
    state = "not judged" if place is None and part.state in JUDGED else part.state
    return RubricCheck(part.name, state, one_line(part.why), place)
