"""Which words of a sentence tell what it is about, and which measures of a business they name.

Two texts are about the same thing where they share a telling word or a measure; they are
about different things where each names measures and none is common to both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.words import word_set

_WORD = re.compile(r"[A-Za-z][A-Za-z&]{2,}")
_SHORTEST: Final = 3

_COMMON: Final = word_set(
    "a about above actual actually after again against ago ahead all almost also although always amount and "
    "another answer any anybody anything are around ask asked back bad base based basically because been "
    "before begin behind being believe below best better between bit both but call came can cannot certain "
    "change clear clearly come comes coming comment compare compared comparison could course current "
    "currently date day days did different does doing done down during each earlier early either else end "
    "enough ever every everybody exact exactly far few figure figures find first five follow for four from "
    "full further gave get give given gives giving going gone good got great group had happen happened "
    "happens hard has have having hear heard help her here high him his how however idea important indeed "
    "into its itself just keep kind know known large last late later least left less let like line little "
    "long longer look looking lot low made main make makes many matter may maybe mean means measure "
    "measured might mind minute moment month months more most much must name near need never new next nice "
    "nobody none not note nothing now number numbers obviously off often okay old once one ones only onto "
    "open other others our out over own part particular past people per percent period place please point "
    "pretty probably put quarter quarters question quite quoted rather read real really reason record right "
    "said same saw say saying says second see seen sense set several shall she should show shows since six "
    "slide slides small some somebody something soon sort source speak stand start started state still "
    "stuff such sure take taken talk tell ten than thank thanks that the their them then there these they "
    "thing things think this those though thousand three through thus time times today together told too "
    "total toward towards true try two under until upon use used using very want was way week weeks well "
    "went were what when where whether which while who whole whom whose why will wish with within without "
    "word words work worked would wrong year years yes yet you your yours million billion euro euros dollar "
    "dollars pounds hundred thing mentioned saying guys gonna kinda gotta sir color colour wondering "
    "understand hope appreciate morning terms little bring brings happy pleased team "
    "seven eight nine eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty "
    "thirty forty fifty sixty seventy eighty ninety dozen trillion zero percentage sorry think honest "
    "frankly question somewhere roughly approximately nearly altogether mainly mostly"
)
"""Words that any question or answer may hold, whatever it is about."""

_MEASURES: Final = {
    "revenue": "revenue revenues sales turnover income billing billings bookings arr mrr topline",
    "cost": "cost costs spend spending spent expense expenses opex capex outlay budget price prices fee fees",
    "profit": "profit profits ebitda ebit earnings margin margins profitability loss losses",
    "cash": "cash liquidity runway reserve reserves bank",
    "debt": "debt debts loan loans borrowing leverage",
    "customers": "customer customers client clients buyer buyers subscriber subscribers user users",
    "churn": "churn churned attrition retention renewal renewals renewed cancelled canceled cancellation",
    "people": "employee employees headcount staff hires personnel fte ftes workforce employ employs employed",
    "defects": "defect defects bug bugs complaint complaints incident incidents outage outages claims",
    "delivery": "delivery deliveries delivered punctual punctuality ontime",
    "stores": "store stores shop shops branch branches outlet outlets site sites office offices",
    "output": "output volume volumes capacity throughput production tonnes",
    "members": "member members membership donor donors sponsor sponsors",
    "satisfaction": "nps satisfaction csat recommend respondents survey",
    "share": "marketshare",
}

_OF_EACH_OTHER: Final = (
    {"churn", "customers"},
    {"churn", "members"},
    {"churn", "revenue"},
    {"satisfaction", "customers"},
    {"satisfaction", "members"},
    {"share", "revenue"},
    {"share", "customers"},
    {"delivery", "output"},
    {"defects", "output"},
)
"""A rate and what it is a rate of: to answer with the one for the other changes no subject."""

_SUFFIXES: Final = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "ies",
    "ied",
    "ers",
    "ed",
    "es",
    "s",
    "e",
)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a text is about."""

    words: frozenset[str]  # stems of its telling words
    measures: frozenset[str]  # names of what a business counts: "revenue", "churn"

    def __or__(self, other: Topic) -> Topic:
        return Topic(self.words | other.words, self.measures | other.measures)

    def meets(self, other: Topic) -> bool:
        """The two share a telling word or a measure."""
        return bool(self.words & other.words or self.measures & other.measures)

    def shares(self, other: Topic) -> int:
        """How many telling words the two have in common."""
        return len(self.words & other.words)

    def clashes(self, other: Topic) -> bool:
        """Each names measures, and the two have nothing in common, nor is one a rate of the other."""
        if not (self.measures and other.measures) or self.meets(other):
            return False
        return not any({one, two} in _OF_EACH_OTHER for one in self.measures for two in other.measures)


def topic_of(text: str) -> Topic:
    """The telling words and the measures of *text*."""
    told = [word.lower() for word in _WORD.findall(text)]
    stems = frozenset(stem(word) for word in told if word not in _COMMON)
    return Topic(stems, frozenset(name for word in told if (name := _MEASURE_OF.get(word))))


def stem(word: str) -> str:
    """The word without its ending, so that "signing", "signed" and "signs" are one; no dictionary."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST:
            word = word[: -len(suffix)]
            break
    return word[:-1] if len(word) > _SHORTEST + 1 and word[-1] == word[-2] and word[-1] not in "sl" else word


_MEASURE_OF: Final = {word: name for name, words in _MEASURES.items() for word in words.split()}
