"""Names of ratios, and the words for the part that each of them measures."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.checks.roots import roots

_NAMES: Final = (
    (r"take[- ]?up|uptake", "connected subscribed joined signed customers taken using"),
    (r"turnout|voter participation", "voted vote votes cast ballots"),
    (r"response|reply|return rate", "answered replied responded returned answers replies sent"),
    (r"occupancy|occupied", "occupied let filled taken rented sold"),
    (r"conversion", "ordered bought converted signed purchased orders booked customers"),
    (r"retention", "retained stayed renewed remained"),
    (r"churn|attrition|turnover rate|cancellation", "left cancelled lost quit gone"),
    (r"win rate|success rate|hit rate", "won successful succeeded hits"),
    (r"pass rate", "passed"),
    (r"drop-?out", "left dropped quit"),
    (r"vacancy|void rate", "empty vacant unlet unfilled"),
    (
        r"scrap|reject|defect|error|failure",
        "scrapped rejected defective faulty failed errors defects wrong scrap",
    ),
    (r"no-?show", "absent missed"),
    (r"utili[sz]ation", "used busy rented booked"),
    (r"adoption|activation", "use used active adopted activated"),
    (r"mortality|death rate", "died deaths"),
    (r"sickness|absence|absenteeism", "sick ill absent"),
    (r"punctuality|on[- ]time", "punctual time"),
    (r"attendance", "attended came present"),
    (r"recycling|recovery", "recycled recovered"),
    (r"acceptance|admission|approval", "accepted admitted approved"),
    (r"completion|graduation", "completed finished graduated"),
    (r"renewal", "renewed"),
    (r"vaccination|coverage", "vaccinated covered"),
    (r"complaint", "complained complaints"),
    (r"repeat", "again returned"),
    (r"membership|participation", "members take joined participated part"),
    (r"lending|loan", "lent loans borrowed"),
    (r"default", "defaulted"),
    (r"(?<!\w)click[- ]?(?:through)?", "clicked clicks"),
    (r"open rate", "opened"),
    (r"cure|recovery", "cured recovered"),
    (r"(?:re)?employment", "employed found jobs work"),
)
_COMPILED: Final = tuple(
    (re.compile(rf"\b(?:{name})\b", re.IGNORECASE), roots(words)) for name, words in _NAMES
)
_RATE = re.compile(r"\b(?P<name>[a-z][a-z-]+) (?:rate|ratio|quota)\b", re.IGNORECASE)


def part_words(text: str) -> frozenset[str]:
    """Roots of the words that say of a part what the ratio named in *text* measures; empty: it names none."""
    found: frozenset[str] = frozenset()
    for pattern, words in _COMPILED:
        if pattern.search(text):
            found |= words
    for match in _RATE.finditer(text):
        found |= roots(match["name"])
    return found


def without_name(text: str) -> str:
    """*text* without the name of the ratio, and without "rate", "ratio" and "quota"."""
    for pattern, _ in _COMPILED:
        text = pattern.sub(" ", text)
    return re.sub(r"\brates?\b|\bratio\b|\bquota\b", " ", _RATE.sub(" ", text), flags=re.IGNORECASE)
