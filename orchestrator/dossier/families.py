"""What people of one calling look at first: which words of a role tell the calling, which claims it tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_I: Final = re.IGNORECASE


@dataclass(frozen=True, slots=True)
class Family:
    """A calling: how it shows in a role, background or interest, and what it goes after."""

    name: str
    looks_at: str  # in a sentence: "looks at money"
    callings: re.Pattern[str]  # words of a role
    words: re.Pattern[str]  # words of a claim
    kinds: frozenset[str]  # of CLAIM_KINDS
    misses: re.Pattern[str]  # words of a gap of the deck that this calling minds


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})", _I)


_NEVER: Final = re.compile(r"(?!)")

FAMILIES: Final = (
    Family(
        "finance",
        "money",
        _words(
            r"financ|cfo\b|treasur|audit|account(?:an|s\b|ing\b)|invest|bank|fund|budget|econom|tax\b|"
            r"actuar|controll"
        ),
        _words(
            r"revenue|sales\b|turnover|costs?\b|saving|budget|ebitda|margin|pric|cash|profit|loss(?:es)?\b|"
            r"fund|spend|"
            r"invest|paid\b|pays?\b|fees?\b|debt|tranche|grants?\b|sponsor|valuation|dividend|"
            r"free of charge"
        ),
        frozenset({"money", "growth"}),
        _words(r"amount of money|names no source"),
    ),
    Family(
        "operations",
        "dates and delivery",
        _words(
            r"operat|coo\b|logistic|suppl|manufactur|production|plant\b|deliver|project|programme|"
            r"program\b|procure|"
            r"facilit|construct|infrastruct"
        ),
        _words(
            r"schedul|timeline|launch|migrat|deploy|capacity|deadline|roll-?out|install|on time|hub\b|"
            r"warehouse|suppl|"
            r"deliver|complete|by (?:january|february|march|april|may|june|july|august|september|october|"
            r"november|"
            r"december|the end|q[1-4]|20\d\d)|maintenance|downtime|milestone|trucks?\b|fleet|plant\b"
        ),
        frozenset({"date", "duration"}),
        _words(r"year, quarter or date"),
    ),
    Family(
        "law and compliance",
        "promises and what was signed",
        _words(
            r"legal|law(?:yer)?\b|counsel\b|solicitor|barrister|attorney|complian|regulat|risk|governance|"
            r"ethic|"
            r"privacy|judge|notary|company secretary"
        ),
        _words(
            r"guarante|contract|licen[cs]|regulat|complian|liab|option\b|agreement|terms\b|privacy|"
            r"polic(?:y|ies)|legal|"
            r"patent|consent|safety|audit|certif|zero risk|no risk|risk-free|never\b|always\b|fully\b|"
            r"100 ?%|standards?\b|"
            r"ends on|expires"
        ),
        frozenset({"promise"}),
        _NEVER,
    ),
    Family(
        "technology",
        "how it was measured",
        _words(
            r"technolog|technical|cto\b|cio\b|ciso\b|software|engineer|architect|develop(?:er|ment)|data|"
            r"secur|cyber|"
            r"digital|scien|research|it\b|informat|machine learning|artificial|ai\b|product"
        ),
        _words(
            r"faster|slower|accura|model|platform|system|software|secur|vulnerab|cloud|api\b|"
            r"open[- ]source|automat|"
            r"uptime|latency|availab|tool|integrat|algorithm|predict|implement|standard|patch|sensor|"
            r"code\b|interop|"
            r"scal(?:e|ing|ability)"
        ),
        frozenset({"comparison"}),
        _words(r"names no source"),
    ),
    Family(
        "customers and market",
        "customers and rivals",
        _words(r"sales\b|marketing|customer|commerc|brand|growth\b|retail|communicat|user|client"),
        _words(
            r"customer|client|users?\b|market|churn|competit|demand|brand|adopt|pilot|subscri|recommend|"
            r"satisf|members?\b|"
            r"unique|leading|nothing else like|interested|organi[sz]ations"
        ),
        frozenset({"superlative", "share", "count"}),
        _NEVER,
    ),
    Family(
        "people",
        "the people it takes",
        _words(
            r"people|human resources|hr\b|talent|culture|union|staff|employee|labou?r|workforce|educat|"
            r"training|"
            r"communit|volunteer"
        ),
        _words(
            r"employee|staff|hir(?:e|ing)|recruit|teams?\b|training|volunteer|people|contributor|"
            r"maintainer|headcount|"
            r"skills?|salar|turnover of|working group|communit"
        ),
        frozenset(),
        _NEVER,
    ),
    Family(
        "strategy",
        "the choice and its alternatives",
        _words(
            r"strateg|founder|chair|ceo\b|chief executive|managing director|president|consult|venture|"
            r"entrepreneur|"
            r"director general"
        ),
        _words(
            r"plan\b|goal|partner|expan|competit|market|cannot afford to wait|opportunit|second\b|future|"
            r"decision|approve|"
            r"leading|first\b"
        ),
        frozenset({"future", "superlative", "comparison", "causal"}),
        _words(r"asks for anything"),
    ),
    Family(
        "safety and the public",
        "what happens when it goes wrong",
        _words(
            r"health|patient|clinic|medic|doctor|nurs|pharma|safety|quality|environment|sustainab|climat|"
            r"charit|public|"
            r"social|consumer"
        ),
        _words(
            r"patient|safe|quality|emission|carbon|energy|public|accident|spoil|waste|health|medicin|"
            r"hospital|temperature|"
            r"pollut|reliab|outage|incident"
        ),
        frozenset(),
        _NEVER,
    ),
)


def families_of(text: str) -> tuple[Family, ...]:
    """The callings that a role, a background or an interest tells."""
    return tuple(family for family in FAMILIES if family.callings.search(text))
