"""Verdicts that are certain, and no others: no answer, put off, not known, the one figure that was asked for.

All else is "yours to judge": rules that read answers were wrong too often to be shown.
"""

from __future__ import annotations

from typing import Final

from orchestrator.claims.dates import dates_in
from orchestrator.claims.measured import kinds_of, quantities_of
from orchestrator.engines.offline.bank import Entry, bank
from orchestrator.engines.offline.wording import entry_of, pick, sentences
from orchestrator.engines.offline.words import plain
from orchestrator.engines.protocol import JudgementRequest
from orchestrator.model.exchange import NO_ANSWER, YOURS, Judgement, Observation

PUT_OFF: Final = "put_off"
DO_NOT_KNOW: Final = "do_not_know"
REASONS: Final = {
    PUT_OFF: "the answer was put off",
    DO_NOT_KNOW: "the presenter does not know it, and says so",
}

LONGEST_READ: Final = 4000
"""Characters of an answer that are looked at, five minutes of speech: all that is certain is short."""


def judge(request: JudgementRequest) -> Judgement:
    """The verdict on the exchange's last answer, with its own words."""
    exchange = request.exchange
    answer = (exchange.turns[-1].answer or "").strip()
    if not answer:
        return Judgement("unjudged", NO_ANSWER)
    said = sentences(answer[:LONGEST_READ])
    promises = tuple(sentence for sentence in said if undertakes(sentence))
    sort = sort_of(said)
    if sort is not None:
        return _without_answer(request, sort, said, promises)
    entry = entry_of(exchange.turns[-1].question)
    note = f'- Answered: "{said[0]}"'
    if entry is not None and gives_figure(entry, said):
        return Judgement("satisfied", f"the {entry.asks_for} that was asked for", said[0], note=note)
    noticed = Observation("undertook something with a date", promises[0]) if promises else None
    return Judgement("unjudged", YOURS, promises=promises, note=note, noticed=noticed)


def sort_of(said: list[str]) -> str | None:
    """PUT_OFF or DO_NOT_KNOW where every sentence says so and nothing else; None: there is more in it."""
    phrases = bank().phrases
    known = {PUT_OFF: phrases.put_off, DO_NOT_KNOW: phrases.do_not_know}
    bare = [words for words in map(_bare, said) if words]
    sorts = [next((sort for sort, forms in known.items() if words in forms), None) for words in bare]
    if not sorts or None in sorts:
        return None
    return DO_NOT_KNOW if DO_NOT_KNOW in sorts else PUT_OFF


def _bare(sentence: str) -> str:
    """The sentence in plain words without the fillers before it."""
    return _after(plain(sentence).strip(), bank().phrases.fillers)


def _after(words: str, known: tuple[str, ...]) -> str:
    """The rest of *words* when known forms are taken from its beginning, the longest first."""
    forms = sorted((plain(one).strip() for one in known), key=len, reverse=True)
    while True:
        form = next((one for one in forms if words == one or words.startswith(f"{one} ")), None)
        if form is None:
            return words
        words = words[len(form) :].strip()


def _without_answer(
    request: JudgementRequest, sort: str, said: list[str], promises: tuple[str, ...]
) -> Judgement:
    """One more asking where there may be one; after it the exchange stays unresolved."""
    first = len(request.exchange.turns) == 1 and not request.is_last
    question = request.exchange.turns[0].question
    follow_up = pick(bank().phrases.follow_ups[sort], question) if first else None
    quote = said[0] if len(said) == 1 else next(one for one in said if _bare(one))
    return Judgement(
        "follow_up",
        REASONS[sort],
        quote,
        follow_up=follow_up,
        promises=promises,
        still_open=(quote,),
        note=f'- No answer yet: "{quote}"',
        noticed=Observation("did not know it, and said so" if sort == DO_NOT_KNOW else "put it off", quote),
    )


def gives_figure(entry: Entry, said: list[str]) -> bool:
    """The whole answer is the one figure, of the kind that the question asks for, and nothing beside it."""
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
    """Whether the presenter undertakes something by a date in so many words."""
    words = plain(sentence)
    forms = (f" {plain(form).strip()} " for form in bank().phrases.undertakes)
    return bool(dates_in(sentence)) and not sentence.endswith("?") and any(form in words for form in forms)
