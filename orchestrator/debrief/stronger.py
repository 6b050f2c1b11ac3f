"""A stronger answer, put together from what deck and presenter said elsewhere; no word of it is new."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from orchestrator.claims.sentences import sentences
from orchestrator.debrief.model import Part, Source, Stronger
from orchestrator.engines.asked import asked_of
from orchestrator.engines.evidence import Found, evidence_for
from orchestrator.engines.judging import MAX_ANSWER_CHARS
from orchestrator.engines.protocol import Scene
from orchestrator.engines.reading import read_answer
from orchestrator.engines.topics import Topic, topic_of
from orchestrator.engines.wording import cut, cut_at_clauses
from orchestrator.exchange import Exchange

LONGEST: Final = 30
"""Words of a quote in the debrief."""
LONGEST_LATE: Final = 20
"""Words to say at the first asking: one breath."""
_FEWEST_SHARED: Final = 2
_FIGURES: Final = ("number", "base", "comparison")
_RARE: Final = 6
_RARE_SHARE: Final = 0.02
"""A word in more sentences than these says what the deck is about, and not what the sentence is about."""
_SAYS_THE_SAME: Final = 0.6
"""Of a sentence's telling words, when they stand in the quote: then it only says the claim again."""
_FIGURE = re.compile(r"\d|\b(?:\w+ty|\w+teen|hundred|thousand|million|billion|percent)\b", re.IGNORECASE)
_RECORD = re.compile(
    r"\b(?:audit\w*|accounts|reports?|surveys?|stud(?:y|ies)|statements?|invoic\w+|contracts?|ledger|register|"
    r"databases?|exports?|filings?|minutes|census|logs?|crm|erp|billing|books|records?)\b",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(r'(?:[^"“”?]*[.!:] +)?[^"“”.?!]*["“]')
"""What stands before a quote: a lead-in perhaps, and "On slide 3 you say"; not a question, not a quote."""
_END_OF_LEAD: Final = re.compile(r'(?:[.!]["”][.!]?|["”][.!]) +(?=[^\W_a-z]|["“])')
"""The quote's end is the sentence's end, and another sentence begins."""
_READABLE_CHARS: Final = 1_000
_MOST_TRIED: Final = 40


class Stock:
    """The material, read once: its topics, and how common each of its words is."""

    def __init__(self, sources: Sequence[Source], scene: Scene) -> None:
        self.scene = scene
        self.sources = [(one, topic_of(one.quote)) for one in sources if len(one.quote) <= _READABLE_CHARS]
        self.count = Counter(word for _, topic in self.sources for word in topic.words)
        self.rare = max(_RARE, _RARE_SHARE * len(self.sources))

    def find(self, need: str, exchange: Exchange) -> Source | None:
        """The words that give what was asked for about the same thing, or None."""
        asked = asked_of(exchange, self.scene)
        quote = topic_of(exchange.quote or "")
        close = [
            (closeness, number)
            for number, (source, about) in enumerate(self.sources)
            if source.exchange != exchange.id and not _same(source.quote, exchange.quote or "")
            if not _says_again(about, quote)
            if (closeness := self._closeness(asked.topic, about, fewest=_fewest(need, source, exchange))) > 0
        ]
        for _, number in sorted(close, key=lambda pair: (-pair[0], pair[1]))[:_MOST_TRIED]:
            source = self.sources[number][0]
            found = evidence_for(need, read_answer(source.quote), asked)
            if found.found is Found.GIVEN and _is_plain(need, found.words or ""):
                return source
        return None

    def _closeness(self, topic: Topic, about: Topic, *, fewest: int) -> float:
        """0 where the two may be about different things; else higher the rarer the words they share."""
        shared = topic.words & about.words
        if len(shared) < fewest or topic.clashes(about):
            return 0.0
        if topic.measures and about.measures and not topic.measures & about.measures:
            return 0.0
        if min(self.count[word] for word in shared) > self.rare:
            return 0.0
        return sum(1 / self.count[word] for word in shared) + len(shared)


def stronger(exchange: Exchange, stock: Stock) -> Stronger | None:
    """What would have answered better; None where the answer gave at once what was asked."""
    if exchange.outcome == "satisfied":
        late = _late(exchange) if len(exchange.turns) > 1 else None
        return Stronger(first=late) if late is not None else None
    gaps = gaps_of(exchange, stock.scene)
    if not gaps:
        return None
    elsewhere = {need: stock.find(need, exchange) for need in gaps}
    parts: list[Part] = []
    for need, source in elsewhere.items():
        if source is not None and source not in [part.source for part in parts]:
            parts.append(Part(need, source))
    left = [need for need, source in elsewhere.items() if source is None]
    return Stronger(
        parts=tuple(Part(one.need, short(one.source)) for one in parts),
        bring=tuple(need for need in left if gaps[need] is Found.MISSING),
        outright=tuple(need for need in left if gaps[need] is Found.UNCLEAR),
    )


def gaps_of(exchange: Exchange, scene: Scene) -> dict[str, Found]:
    """What was asked for in any turn and was given in none, in the order of asking.

    UNCLEAR where an answer may have given it in words that rules do not know; who admits that
    there is nothing of the kind has not given it.
    """
    needs = dict.fromkeys(need for turn in exchange.turns for need in turn.needs)
    asked = asked_of(exchange, scene)
    texts = [turn.answer for turn in exchange.turns if turn.answer and len(turn.answer) <= MAX_ANSWER_CHARS]
    answers = [read_answer(text) for text in texts]
    gaps = {}
    for need in needs:
        tried = [evidence_for(need, answer, asked) for answer in answers]
        if any(one.found is Found.GIVEN for one in tried):
            continue
        unclear = any(one.found is Found.UNCLEAR and not one.admits for one in tried)
        gaps[need] = Found.UNCLEAR if unclear else Found.MISSING
    return gaps


def bare_question(question: str, quote: str | None) -> str:
    """The question itself, without the lead-in and the quote before it.

    Whole where cutting would leave half a sentence, or take words of the question along.
    """
    lead, _, rest = question.partition(quote) if quote else (question, "", "")
    end = _END_OF_LEAD.match(rest)
    if end is None or not _LEAD.fullmatch(lead) or "?" not in rest:
        return question
    return rest[end.end() :]


def short(source: Source) -> Source:
    """The same with its words cut, verbatim, to what is read at a glance."""
    return Source(
        cut(source.quote, 0, 0, LONGEST), source.slide, source.said_at_s, source.origin, source.exchange
    )


def deciding_words(answer: str, quote: str | None, most_words: int = LONGEST) -> str:
    """The sentence of an answer that its verdict rests on, verbatim; its beginning where none is named."""
    text = " ".join(answer.split())
    words = " ".join((quote or "").split())
    at = text.find(words) if words else -1
    if at < 0:
        return cut(text, 0, 0, most_words)
    for start, end in sentences(text):
        if start <= at and at + len(words) <= end:
            if len(text[start:end].split()) <= most_words:
                return text[start:end]
            return cut_at_clauses(text[start:end], at - start, at - start + len(words), most_words)
    return cut(text, at, at + len(words), most_words)


def _late(exchange: Exchange) -> Source | None:
    """The presenter's words that settled it, when they came only after the first asking."""
    last = exchange.turns[-1]
    if not last.answer or not last.quote:
        return None
    words = deciding_words(last.answer, last.quote, LONGEST_LATE)
    return Source(words, origin="answer", exchange=exchange.id)


def _says_again(one: Topic, quote: Topic) -> bool:
    """Hardly anything in the one that is not in the quote."""
    return len(one.words & quote.words) >= _SAYS_THE_SAME * len(one.words)


def _fewest(need: str, source: Source, exchange: Exchange) -> int:
    """How many telling words must be shared. Figures stand everywhere, so theirs must be one more.

    On the question's own slide, or in an answer to another question, two are enough.
    """
    near = source.origin == "answer" or (exchange.slide is not None and source.slide == exchange.slide)
    return _FEWEST_SHARED + (need in _FIGURES and not near)


def _is_plain(need: str, words: str) -> bool:
    """Whether the words give it for all to see: what helps an answer's judgement is not enough here."""
    if need in ("number", "base"):
        return _FIGURE.search(words) is not None
    return need != "source" or _RECORD.search(words) is not None


def _same(words: str, quote: str) -> bool:
    one, other = words.casefold().strip(" ."), quote.casefold().strip(" .")
    return bool(other) and (one in other or other in one)
