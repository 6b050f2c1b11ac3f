"""The verdicts that are certain: no answer, put off, not known, or exactly the one figure asked for.

Everything else is "yours to judge": rules that read answers were wrong too often to be shown. A question that
certainly got no answer is asked again. After a refusal, or an answer that names no figure of an open
contradiction, that happens up to the intensity's turns; after an answer without the fact that was asked for,
once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from orchestrator.material.claim import COMPUTED, Tension
from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.extract import kinds_of, quantities_of
from orchestrator.panel.bank.bank import Entry, bank, plain
from orchestrator.panel.engines.offline.wording import (
    entry_of,
    pick,
    sentences,
    wants_fact,
)
from orchestrator.panel.engines.protocol import JudgementRequest
from orchestrator.panel.model.exchange import (
    NO_ANSWER,
    YOURS,
    Exchange,
    Judgement,
    Observation,
)
from orchestrator.panel.records.projection import is_about

PUT_OFF: Final = "put_off"
DO_NOT_KNOW: Final = "do_not_know"
NEITHER_FIGURE: Final = "neither_figure"
NO_FACT: Final = "no_fact"
NOT_GIVEN: Final = "not_given"
REASONS: Final = {
    PUT_OFF: "the answer was put off",
    DO_NOT_KNOW: "the presenter does not know it, and says so",
    NEITHER_FIGURE: "the answer names no figure of the contradiction",
    NO_FACT: "the answer holds no figure, no date and no name",
}

_NAME: Final = re.compile(r"(?<=[\w,;:] )(?!I\b)[A-Z]\w+")
"""Matches a capitalised word within a sentence; at its beginning every word is capitalised."""

MAX_READ: Final = 4000
"""Maximum number of characters of an answer that are examined, five minutes of speech: all that is certain is
short.
"""


def judge(request: JudgementRequest) -> Judgement:
    """Return the verdict on the exchange's last answer, with a quote from that answer."""
    exchange = request.exchange
    answer = (exchange.turns[-1].answer or "").strip()
    if not answer:
        return Judgement("unjudged", NO_ANSWER)
    said = sentences(answer[:MAX_READ])
    promises = tuple(sentence for sentence in said if undertakes(sentence))
    sort = sort_of(said)
    if sort is not None:
        return _refused(request, sort, said, promises)
    tension = _contradiction(request)
    is_open = tension is not None and not names_figure(tension, answer)
    # At the last turn a figure of the presenter's own may be the right one: nobody but the reader can tell.
    if tension is not None and is_open and not (request.is_last and has_figure(answer)):
        return _pressed(request, NEITHER_FIGURE, said[0], promises, still_open=tension.note)
    last, first = exchange.turns[-1].question, exchange.turns[0].question
    asked = last if entry_of(last) is not None else first
    entry = entry_of(asked)
    if entry is not None and gives_figure(entry, said):
        note = f'- Answered: "{said[0]}"'
        return Judgement("satisfied", f"the {entry.asks_for} that was asked for", said[0], note=note)
    is_first = len(exchange.turns) == 1 and not request.is_last
    if is_first and entry is not None and wants_fact(entry, asked) and not has_fact(said):
        return _pressed(request, NO_FACT, said[0], promises, still_open=said[0])
    noticed = Observation("undertook something with a date", promises[0]) if promises else None
    note = f'- Not judged: "{said[0]}"'
    return Judgement("unjudged", YOURS, promises=promises, note=note, noticed=noticed)


def question_again(exchange: Exchange) -> str | None:
    """Return the question to ask next if the presenter judges "not given", or None if none is left."""
    return _next_question(exchange, NOT_GIVEN)


def _next_question(exchange: Exchange, sort: str) -> str | None:
    asked = {turn.question for turn in exchange.turns}
    left = [one for one in bank().phrases.follow_ups[sort] if one not in asked]
    # The last of the list is the sharpest, and comes last.
    return pick(left[:-1] or left, exchange.turns[0].question) if left else None


def sort_of(said: list[str]) -> str | None:
    """Return PUT_OFF or DO_NOT_KNOW if every sentence says only that, or None if any says more."""
    phrases = bank().phrases
    known = {PUT_OFF: phrases.put_off, DO_NOT_KNOW: phrases.do_not_know}
    bare = [words for words in map(_bare, said) if words]
    sorts = [next((sort for sort, forms in known.items() if words in forms), None) for words in bare]
    if not sorts or None in sorts:
        return None
    return DO_NOT_KNOW if DO_NOT_KNOW in sorts else PUT_OFF


def _bare(sentence: str) -> str:
    """Return the sentence in plain words without the fillers at its beginning."""
    return _after(plain(sentence).strip(), bank().phrases.fillers)


def _after(words: str, known: tuple[str, ...]) -> str:
    """Return *words* without the known forms at their beginning; the longest form is removed first."""
    forms = sorted((plain(one).strip() for one in known), key=len, reverse=True)
    while True:
        form = next((one for one in forms if words == one or words.startswith(f"{one} ")), None)
        if form is None:
            return words
        words = words[len(form) :].strip()


def _refused(request: JudgementRequest, sort: str, said: list[str], promises: tuple[str, ...]) -> Judgement:
    """Judge a refusal: ask again while a turn is left, then leave the exchange unresolved."""
    quote = said[0] if len(said) == 1 else next(one for one in said if _bare(one))
    noticed = Observation("did not know it, and said so" if sort == DO_NOT_KNOW else "put it off", quote)
    return replace(_pressed(request, sort, quote, promises, still_open=quote), noticed=noticed)


def _pressed(
    request: JudgementRequest, sort: str, quote: str, promises: tuple[str, ...], *, still_open: str
) -> Judgement:
    """Return the verdict on a certain non-answer, with the next question if one is possible."""
    return Judgement(
        "follow_up",
        REASONS[sort],
        quote,
        follow_up=None if request.is_last else _next_question(request.exchange, sort),
        promises=promises,
        still_open=(still_open,),
        note=f'- No answer yet: "{quote}"',
    )


def _contradiction(request: JudgementRequest) -> Tension | None:
    """Return the computed contradiction that the exchange is about, or None."""
    computed = (one for one in request.scene.tensions if one.class_ == COMPUTED)
    return next((one for one in computed if is_about(request.exchange, one)), None)


def names_figure(tension: Tension, answer: str) -> bool:
    """Return whether an answer names a figure of a contradiction, or the number of one of its two slides."""
    quotes = [one.quote for one in tension.sides]
    known = {figure for text in (*quotes, tension.sum) for figure in _figures(text)}
    slides = {one.slide for one in tension.sides}
    places = {str(one) for one in slides} if len(slides) > 1 else set()
    return bool(known & set(_figures(answer)) or places & set(re.findall(r"\d+", answer)))


def _figures(text: str) -> Iterator[object]:
    """Yield every number of a text by its value, and every date by its days.

    Thousands, millions and billions are compared alike, since a table says 6.2 under "EUR million", and a
    speaker says "6.2 million".
    """
    quantities, dates = quantities_of(text)
    for one in quantities:
        value = one.value
        while abs(value) >= 1000:
            value /= 1000
        yield round(value, 6)
    yield from ((one.first, one.last) for one in dates)


def has_figure(answer: str) -> bool:
    """Return whether the answer contains a number or a date."""
    return any(True for _ in _figures(answer))


def has_fact(said: list[str]) -> bool:
    """Return whether any sentence contains a figure, a date, a name, or a yes or no."""
    words = {word for sentence in said for word in plain(sentence).split()}
    is_told = bool(words & set(bank().phrases.yes_or_no))
    return is_told or any(has_figure(one) or _NAME.search(one) for one in said)


def gives_figure(entry: Entry, said: list[str]) -> bool:
    """Return whether the answer is only the one figure of the kind for which the question asks."""
    if entry.asks_for is None or len(said) != 1:
        return False
    quantities, dates = quantities_of(said[0])
    figures = [*(one.text for one in quantities), *(one.text for one in dates)]
    if len(figures) != 1 or kinds_of(quantities, has_date=bool(dates)) != (entry.asks_for,):
        return False
    phrases = bank().phrases
    lead, _, tail = said[0].partition(figures[0])
    is_led_to = not _after(_bare(lead), phrases.lead_to_figure)
    return is_led_to and not _after(plain(tail).strip(), phrases.after_figure)


def undertakes(sentence: str) -> bool:
    """Return whether the presenter explicitly promises something by a date."""
    words = plain(sentence)
    forms = (f" {plain(form).strip()} " for form in bank().phrases.undertakes)
    return bool(dates_in(sentence)) and not sentence.endswith("?") and any(form in words for form in forms)
