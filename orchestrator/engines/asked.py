"""What an answer is held against: what was asked, about which words, and what was known before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.model import Claim, Quantity
from orchestrator.claims.periods import find_periods
from orchestrator.claims.quantities import find_quantities
from orchestrator.engines.needs import asking_sentences, needs_of
from orchestrator.engines.protocol import Scene
from orchestrator.engines.reading import BARE, COUNT, MONEY, SHARE, TIME
from orchestrator.engines.topics import Topic, topic_of
from orchestrator.exchange import Exchange

_I: Final = re.IGNORECASE
_TIME_ASKED = re.compile(
    r"\bhow (?:many (?:more )?(?:days|weeks|months|quarters|years|hours|minutes)|long|soon)\b|\bpayback\b|"
    r"\bduration\b|\blongest\b|\bhow (?:late|old)\b",
    _I,
)
_SHARE_ASKED = re.compile(
    r"\b(?:what|which) (?:percent(?:age)?|share|proportion|fraction)\b|"
    r"\bhow (?:large|big|high|small|great) (?:is|was|are|were) (?:that|the|this|its|their|your|our) "
    r"(?:\w+ )?(?:percentage|share|proportion|fraction)\b",
    _I,
)
_COUNT_ASKED = re.compile(
    r"\bhow many\b(?! (?:more )?(?:days|weeks|months|quarters|years|hours|minutes))|\bwhat is the (?:count|"
    r"headcount)\b",
    _I,
)
_PART_ASKED = re.compile(r"\bhow much (?:of (?:it|that|this|the)|more|less)\b", _I)
_MONEY_ASKED = re.compile(
    r"\bhow much (?:does|do|did|will|would) (?:it|that|this) cost\b|\bfull cost\b|\bwhat does (?:it|"
    r"that) cost\b|\bin money\b|\bhow much (?:money|cash)\b|\bwhat is (?:it|that) worth a year\b",
    _I,
)
_AS_OF = re.compile(
    r"\bas of (?:which|what)\b|\bwhen (?:was|were|did|have)\b|\blast (?:checked|measured|counted)\b|"
    r"\bsince (?:when|which)\b|\bwhich date (?:was|is it from)\b",
    _I,
)
_DEADLINE = re.compile(
    r"\bby (?:which|what|when)\b|\bon (?:which|what) (?:date|day)\b|\bwhen (?:will|would|can|"
    r"do you (?:expect|plan|think)|should)\b|\bhow soon\b|\bfall(?:s)? due\b|\bwhat date will\b|"
    r"\bwhich date may\b|\buntil (?:when|which)\b",
    _I,
)
_TIME_TOO = re.compile(r"\bin (?:time|days|paid days|months)\b", _I)
"""Beside money: "in money or in time"."""
_A_STRETCH = re.compile(
    r"(?<!half )\b(?:in|over|for|of|per|an?|each|every) (?:whole |full |single )?(year|"
    r"month|week|day)\b(?! (?:late|later|more|less|longer|earlier|early|ago|ahead|before|after)\b)",
    _I,
)
_SORTS: Final = (
    (_TIME_TOO, frozenset({TIME})),
    (_TIME_ASKED, frozenset({TIME})),
    (_SHARE_ASKED, frozenset({SHARE, COUNT})),
    (_MONEY_ASKED, frozenset({MONEY, SHARE})),
    (_COUNT_ASKED, frozenset({COUNT, SHARE})),
    (_PART_ASKED, frozenset({MONEY, SHARE, COUNT})),
)
_WORTH = re.compile(r"\b(?:costs?|worth|brings?|spen[dt]|earns?|pays?|saves?)\b", _I)
_CHOICE = re.compile(
    r"\bwhich (?:one|of (?:the two|them|these|those|the inputs|these figures))\b|\bboth (?:be|would be) "
    r"(?:true|"
    r"right)\b|\bless flattering one\b|\bis it a rounding\b",
    _I,
)
_INSTEAD = re.compile(
    r"\bhappens instead\b|\bdo instead\b|\bwhat (?:would|do) you do\b|"
    r"\bwhat happens if\b",
    _I,
)
_ALTERNATIVE = re.compile(
    r"\binstead\b|\bwhat (?:would|do) you do\b|\bwhat happens if\b|\b(?:who|what) else\b|\b(?:which|"
    r"what|other) (?:\w+ )?(?:options?|alternatives?|way)\b|"
    r"\bwhat (?:waits|will we not)\b",
    _I,
)
_CONDITION = re.compile(
    r"\bchange your mind\b|\bwhat (?:would|could)(?: still)? (?:make|force|lead|cause|persuade|convince)\b|"
    r"\bwhat would have to (?:be|go|happen|change)\b|\bwhat would you have to find out\b",
    _I,
)
_CONSEQUENCE = re.compile(r"\bwhat happens if\b", _I)
_BODY = re.compile(
    r"\bwho (?:besides us |else |besides you )?(?:has|have|must|needs?|had) to agree\b|\bwith whom\b|"
    r"\bwho decides\b|\bwho has (?:set|agreed|told|checked)\b|\bwho (?:chose|checks|looks|keeps|said|pays)\b",
    _I,
)
_ARGUMENT = re.compile(
    r"\bargument\b|\bargued\b|\bfrom whom\b|\bobject(?:ed|ion)\b|\bwho (?:has )?said\b|\bdisagreed?\b", _I
)
_NEW_MEASURE = re.compile(
    r"\bwhich (?:figure|number|measure|result)s? (?:will|would|do|should|could|can) (?:you|we)\b|"
    r"\bat which figure\b|\bwhat result would\b|\bwhich figure has to\b",
    _I,
)
_EACH_OF = re.compile(
    r"\b(?:in )?each of the (?:last|past|next) (?:two|three|four|five|six|\d) (?:years|quarters|months)\b", _I
)
_COUNTS_UNNAMED = re.compile(
    r"\bhow many (?:more |others? |of (?:those|them|these) )?(?:are|is|were|was|in|have|has|do|does|did|"
    r"will|on|can|would|came|come|went|stayed|left|tried)\b",
    _I,
)
_YES_NO = re.compile(
    r"(?:^|[.?!,;:]\s*|\band )(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|"
    r"should) (?:it|that|this|there|you|we|they|the|any|your|our|those|these)\b",
    _I,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, for the rules that look for its answer."""

    text: str  # the question without the words that it quotes
    quote: str  # the words of slide or speech that it is about; may be empty
    topic: Topic  # of the question and the claim
    known: tuple[Quantity, ...]  # numbers that were on the table: to say them again gives none
    known_periods: frozenset[str]  # lower case
    sorts: frozenset[str]  # of number that would answer; empty where any would

    @property
    def is_as_of(self) -> bool:
        return bool(_AS_OF.search(self.text)) and not self.is_deadline

    @property
    def is_deadline(self) -> bool:
        return bool(_DEADLINE.search(self.text))

    @property
    def stretch(self) -> str | None:
        """The stretch of time that an amount is asked for: "what does that cost a year" asks for a year's."""
        found = _A_STRETCH.search(self.text)
        return found[1].lower() if found and (MONEY in self.sorts or _WORTH.search(self.text)) else None

    @property
    def is_choice(self) -> bool:
        """It asks which of two figures is right: to say one of them again is the answer."""
        return bool(_CHOICE.search(self.text))

    @property
    def wants_alternative(self) -> bool:
        """It asks what else there is, which any plain sentence may say."""
        return bool(_ALTERNATIVE.search(self.text))

    @property
    def wants_instead(self) -> bool:
        """It asks what would be done if the thing does not come about."""
        return bool(_INSTEAD.search(self.text))

    @property
    def is_condition(self) -> bool:
        """It asks under which condition something would be otherwise: "what would change your mind"."""
        return bool(_CONDITION.search(self.text))

    @property
    def may_be_body(self) -> bool:
        """It asks who has to agree or decides, which may be a council and need not be one person."""
        return bool(_BODY.search(self.text))

    @property
    def is_of_argument(self) -> bool:
        """It asks who has argued something."""
        return bool(_ARGUMENT.search(self.text))

    @property
    def leaves_measure_open(self) -> bool:
        """It leaves to the presenter what is measured: "which figure will you bring back to us"."""
        return bool(_NEW_MEASURE.search(self.text))

    @property
    def wants_share(self) -> bool:
        """It asks for a share by that name: a count without its whole is none."""
        return bool(_SHARE_ASKED.search(self.text))

    @property
    def wants_several_times(self) -> bool:
        """It asks for each of several years, for which one year is too little."""
        return bool(_EACH_OF.search(self.text))

    def called(self, need: str) -> str:
        """What the question asks for under *need*, in its own terms: "what would change your mind"
        looks for a cause, and what is missing is a condition."""
        if need == "cause" and self.is_condition:
            return "condition"
        if need == "comparison" and _CONSEQUENCE.search(self.text):
            return "consequence"
        return "share" if need == "number" and self.wants_share else need

    @property
    def counts_unnamed(self) -> bool:
        """It asks how many without saying what: "how many of those", "how many more in the pipeline"."""
        return bool(_COUNTS_UNNAMED.search(self.text))

    @property
    def asks_base(self) -> bool:
        """It asks for a whole or a starting figure by name, so that a bare number answers it."""
        return "base" in needs_of(self.text)

    @property
    def is_yes_no(self) -> bool:
        return bool(_YES_NO.search(self.text))


def asked_of(exchange: Exchange, scene: Scene) -> Asked:
    """What the last turn of *exchange* asks, with what its claim and earlier questions said."""
    claim = claim_of(exchange, scene)
    quote = exchange.quote or ""
    first, last = exchange.turns[0].question, exchange.turns[-1].question
    words = " ".join(asking_sentences(first) + (asking_sentences(last) if last != first else []))
    known = list(claim.quantities) if claim else []
    for text in (quote, *(turn.question for turn in exchange.turns)):
        known += find_quantities(text)
    periods = frozenset(period.text.lower() for period in find_periods(quote))
    topic = topic_of(" ".join((words, quote, claim.text if claim else "")))
    last_words = " ".join(asking_sentences(last))
    return Asked(last_words, quote, topic, tuple(known), periods, _sorts(last_words))


def claim_of(exchange: Exchange, scene: Scene) -> Claim | None:
    """The claim that an exchange is about, where it is about one."""
    spoken = (exchange.claim or "").startswith("s")
    claims: Sequence[Claim] = scene.speech_claims if spoken else scene.deck_claims
    return next((claim for claim in claims if claim.id == exchange.claim), None)


def _sorts(words: str) -> frozenset[str]:
    """Every sort of number that one of the question's parts asks for; empty where any would do."""
    asked = [sorts for cue, sorts in _SORTS if cue.search(words)]
    return frozenset().union(*asked, {BARE}) if asked else frozenset()
