"""Figures that name something and measure nothing: slides, versions, standards, ids, phones, times of day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_NUMBERED: Final = (
    "slide|page|section|chapter|figure|fig\\.|table|appendix|annex|phase|step|stage|tier|level|option|version|"
    "release|item|priority|series|article|clause|paragraph|rule|room|gate|sprint|wave|lot|batch|case|question|"
    "scenario|scope|horizon|milestone|pillar|workstream|track|class|type|zone|grade|block|building|site|unit|"
    "year|month|week|day|quarter|order|issue|ticket|ref\\.?|id|no\\.|nr\\.|number|code|licen[cs]e|web|industry|"
    "point|chart|exhibit|note|footnote|line|round|act|bill|form|windows|python"
)
"""Nouns that are numbered. "Slide 7" and "slides 3 and 4" count nothing, whatever the slides are about."""
_STANDARDS: Final = "ISO|IEC|EN|DIN|IEEE|RFC|SOC|NIST|IFRS|IAS|ANSI|ASTM|FIPS|CVE|SDG|COP|BS|FERC"
_MORE: Final = r"(?:, | ?[-–&/] ?| and | or | to | of )\d{1,4}(?![\d.,]*\d?\s?[%€$£]|[.,]?\d)"
_LIST: Final = rf"(?:\.\d{{1,2}}){{0,3}}[a-d]?(?:{_MORE})*"
# "Year 5" is numbered, and "site 5 %" is not: a figure with a unit measures.
_NO_UNIT: Final = (
    r"(?![\w%€$£°]|[.,]\d|\s?[%€$£]|\s(?:k|m|bn|mio|million|billion|thousand|EUR|USD|GBP|CHF|percent|per)\b)"
)

_PATTERNS: Final = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"\b(?:Q[1-4]|H[12]) [12]\d(?= [a-z])",  # "in Q3 25 sales": a year or a count, which nobody can tell
        r"(?i)\b(?:https?://|www\.)\S+",
        r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}",
        rf"(?i)(?<!\bper )(?<!\beach )(?<!\ba )\b(?:{_NUMBERED})s?\s#?\d{{1,5}}{_LIST}{_NO_UNIT}",
        rf"\b(?:{_STANDARDS})(?:[ /-](?:{_STANDARDS})){{0,2}}[ -][A-Z]?\d[\d.:-]*",
        r"\w\+\+\d+|#\d[\w-]*|№\s?\d+|§+\s?\d+[a-z]?",
        r"(?i)\bv\.?\s?\d+(?:\.\d+)*\b",
        r"(?<![\w.,])\d+(?:\.\d+){2,}(?![\d,])(?<!\.\d{3})",  # 1.0.4, and not 1.234.567
        r"(?<![\w.,])\d+\.\d+\.x\b",
        r"\+\d{1,3}(?! \d{3}(?: \d{3})*(?!\d))(?=[\d ()/-]{9,})(?:[ ()/-]{1,2}\d+){2,}",
        r"\(\d{3}\) ?\d{3}-\d{4}|(?<![\w-])\d{3}-\d{3}-\d{4}",
        r"(?i)\b(?:tel|phone|fax|mobile|call)\b[.:]?\s?[+(]{0,2}(?:\d[ ()/-]{0,2}){8,}",
        r"(?<![\w.,'’])(?<!\d[ \u00a0\u2009\u202f])0\d[\d/ -]*\d",  # 030 1234567, 007
        r"(?<![\w.,])\d{12,}(?![\d.,])",
        r"(?i)(?<![\w:])\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?|(?<![\w.,])\d{1,2}(?:[.:]\d\d)?\s?[ap]\.?m\b\.?",
        r"(?i)(?<![\w.,])\d{1,2}(?:\.\d\d)?\s(?:o'clock|uhr)\b",
        r"(?<![\w.,])\d+:\d+(?![\d.])",
        r"(?<![\w.,/])(?:24/7|9/11|360°|365/24/7)(?![\d/])",
        rf"(?<![\w.,/])(?:{'|'.join(f'{n}/{100 - n}' for n in range(5, 100, 5))})(?![\d/])",  # 80/20
        r"\b(?:480|720|1080|1440|2160)[pi]\b|\bx(?:86|64)\b",
        r"(?<=\S)\s?\[\d{1,3}(?:[,–-] ?\d{1,3}){0,9}\]",  # a footnote
        r"(?i)\btwenty[- ]four[- /]seven\b|\bfifty[- ]fifty\b",
        r"(?:S&P|FTSE|DAX|MDAX|SMI|CAC|[Ff]ortune|Nasdaq|Formula)[ -]\d+",
        r"\b[A-Za-z]+_\w+==?-?\d[\d.]*",  # n_epochs=10: code
        r"(?<![\w.,])\d{3,5}[x×]\d{3,5}(?![\w.,]\d)",  # 1920x1080
        r"(?<![\w.,])(?:1st|2nd|3rd|\d+(?:st|nd|rd|th))\b",
        r"(?<![\w.,])(?:18|19|20)\d0s\b",
        r"(?:['’]|(?i:\b(?:the|early|late|mid|his|her|their|my|our))[ -])\d0s\b",
        r"(?m)^[ \t]*[(\[]?\d{1,2}[.)\]][ \t]+(?=\S)",  # numbering of a line
        r"(?m)^\d{1,2}[ \t](?=https?://)",  # a footnote
        r"(?m)^[ \t]*\d{1,3} ?/ ?\d{1,3}[ \t]*$",  # 3 / 12: a page
        r"(?i)\bCC[- ]BY(?:-\w\w)* \d\.\d|\b(?:GPL|LGPL|AGPL|MPL|EPL) ?v?\d(?:\.\d)?",
    )
)
_JOINED = re.compile(r"(?<![\w.,-])(?P<word>[A-Za-z][A-Za-z&]*)-\d[\w.-]*", re.ASCII)
"""COVID-19, GPT-4, F-35."""
_SPELLED_MAGNITUDES: Final = frozenset(
    {"hundred", "thousand", "million", "billion", "trillion", "mio", "mrd"}
)


def identifiers_in(text: str) -> Iterator[tuple[int, int]]:
    """Where figures stand that are no numbers, in no particular order."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match.span()
    for match in _JOINED.finditer(text):
        if match["word"].lower() not in _SPELLED_MAGNITUDES:
            yield match.span()
