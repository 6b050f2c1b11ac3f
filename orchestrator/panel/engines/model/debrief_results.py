"""The debrief's words, verified: a stronger answer is made of sentences, each on words that were said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from orchestrator.core.legible import one_line
from orchestrator.material.checks.grounding import figures, place_in
from orchestrator.material.checks.passages import deck_passages
from orchestrator.material.model.claim import Place
from orchestrator.material.model.proposal import Passage
from orchestrator.panel.engines.model.outcomes import Fault, Outcome
from orchestrator.panel.engines.model.quoting import said
from orchestrator.panel.engines.model.schemas import (
    BetterPart,
    CheckPart,
    DebriefPart,
    SentencePart,
)
from orchestrator.panel.engines.protocol import DebriefRequest
from orchestrator.panel.model.exchange import Exchange
from orchestrator.panel.model.reply import BetterAnswer, DebriefWords, RubricCheck

JUDGED = ("yes", "partly")
"""States that nothing but words of the deck or the presenter can show."""

FEWEST_SAID: Final = 0.6
"""Share of a sentence's longer words that its quote and its exchange must have, one of them the quote itself.
Of one rehearsal, 29 honest sentences and 13 with a deed made up: 1 and 9 are dropped; at half of the words 1
and 7, at two thirds 2 and 11. A sentence that is dropped goes back once, to be said in words that stand."""
FEWEST_WORDS: Final = 3
"""Of fewer longer words nothing can be told, nor of a language that puts no blanks between words."""

_WHY: Final = {
    "quote": "the quote of a sentence stands nowhere, word for word, in deck or speech",
    "figure": "a sentence holds a figure or date that its quote does not have",
    "words": "a sentence says what its quote does not: most of its words were not said there",
    "exchange": "there is no such exchange",
    "empty": "it has no sentence that holds",
    "promise": "a promise was not said, word for word, by the presenter",
    "check": "a check is none that was asked for",
}
"""Reasons for which a part is left out, as the ledger counts them, and as the model is told them."""


def debrief(request: DebriefRequest, part: DebriefPart) -> Outcome:
    """What of the part holds; what does not is counted, by its reason, and sent back once.

    A refused part is a Fault: a reason of _WHY, and as `told` its exchange or its words, for the model alone.
    """
    sources, refused = _sources(request), list[Fault]()
    exchanges = {one.id: one for one in request.scene.exchanges}
    better = [_better(exchanges.get(one.exchange), one, sources, refused) for one in part.better]
    named = {one.name: one for one in part.checks}
    refused += [Fault("check", one.name) for one in part.checks if one.name not in request.checks]
    words = DebriefWords(
        fix=one_line(part.fix),
        why=one_line(part.why),
        fix_exchange=part.fix_exchange if part.fix_exchange in exchanges else None,
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


def _fault(refused: Sequence[Fault]) -> Fault | None:
    """Every part that does not hold, with the reason; for the model alone, which part it is."""
    if not refused:
        return None
    told = "; ".join(f"{one.told}: {_WHY[one.reason]}" for one in refused)
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
    exchange: Exchange | None, part: BetterPart, sources: Sequence[Passage], refused: list[Fault]
) -> BetterAnswer | None:
    """The answer in those of its sentences that hold; None: in none of them."""
    if exchange is None:
        refused.append(Fault("exchange", part.exchange))
        return None
    held: list[tuple[str, Place]] = []
    for number, sentence in enumerate(part.sentences, 1):
        place = _place(sentence, sources)
        reason = "quote" if place is None else _added(sentence.text, place, exchange)
        if place is not None and reason is None:
            held.append((one_line(sentence.text), place))
        else:
            refused.append(Fault(reason or "quote", f"{exchange.id}, sentence {number}"))
    if not held:
        refused.append(Fault("empty", exchange.id))
        return None
    places = tuple(dict.fromkeys(place for _, place in held))
    return BetterAnswer(
        exchange.id, " ".join(text for text, _ in held), places, tuple(map(one_line, part.bring))
    )


def _place(sentence: SentencePart, sources: Sequence[Passage]) -> Place | None:
    """Where the sentence's quote stands: before all else on its slide, or where it has none in speech."""

    def is_elsewhere(one: Passage) -> bool:
        return (one.slide if one.said_at_s is None else None) != sentence.slide

    return place_in(sentence.quote, sorted(sources, key=is_elsewhere), notes=True)


def _added(text: str, place: Place, exchange: Exchange) -> str | None:
    """Why a sentence says more than its quote and its exchange; None: as far as words tell it does not."""
    texts = [place.quote, exchange.quote or "", exchange.beside.quote if exchange.beside else ""]
    texts += [words for turn in exchange.turns for words in (turn.question, turn.answer or "")]
    if not figures(text) <= {figure for words in texts for figure in figures(words)}:
        return "figure"
    words, known = _stems(text), _stems(" ".join(texts))
    is_said = len(words & known) >= FEWEST_SAID * len(words) and words & _stems(place.quote)
    return None if is_said or min(len(words), len(text.split())) < FEWEST_WORDS else "words"


def _stems(text: str) -> set[str]:
    """How the longer words of a text begin, so that "reads" is "reading"; the short ones say little."""
    return {word[:5] for word in re.findall(r"[^\W_]{4,}", text.casefold())}


def _promises(request: DebriefRequest, quotes: Sequence[str], refused: list[Fault]) -> list[Place]:
    found = []
    for quote in quotes:
        place = place_in(quote, said(request.scene))
        if place is None:
            refused.append(Fault("promise", one_line(quote)))
        elif place not in found:
            found.append(place)
    return found


def _check(part: CheckPart, sources: list[Passage]) -> RubricCheck:
    place = place_in(part.quote, sources, notes=True) if part.quote else None
    state = "not judged" if place is None and part.state in JUDGED else part.state
    return RubricCheck(part.name, state, one_line(part.why), place)
