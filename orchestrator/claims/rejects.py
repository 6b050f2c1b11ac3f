"""Numbers that are no quantities: what they are instead, and where they stand.

A reader of slides knows at a glance that "2.0" in "Apache License 2.0" measures nothing.
Each kind of such number has its own pattern here, so that a wrong rejection can be traced
to one line. Dates and years are rejected as quantities; `periods.py` reads them as times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.calendar import DATE, TIME_OF_DAY

_I: Final = re.IGNORECASE

_STANDARDS = (
    r"ISO|IEC|IEEE|ANSI|DIN|EN|NIST(?:IR)?|FIPS|RFC|PEP|IFRS|IAS|ASC|FAS|SSAE|ISAE|SOC|PCI(?:[ -]DSS)?|GDPR|"
    r"HIPAA|CCPA|CVE|CWE|SP|EO|MiFID|CRD|CRR|SMPTE|ITU|ETSI|OWASP|SLSA|SPDX|CIS"
)
_LICENCES = (
    r"[AL]?GPL|MPL|EPL|EUPL|BSD|CDDL|OFL|Apache(?:\s+Licen[cs]e)?(?:,?\s+Version)?|"
    r"CC[ -]?(?:BY|0)(?:[ -](?:SA|NC|ND))*|Creative Commons(?:\s+CC0?)?"
)
# Words after which a number is a name: "Phase 2", "page 7", "Python 3.12".
_DESIGNATORS = (
    r"phase|tier|stage|step|level|layer|grade|section|article|chapter|clause|annex|appendix|figure|fig\.?|"
    r"table|exhibit|slides?|pages?|pg\.?|pp?\.|version|ver\.?|release|rev\.?|revision|trl|crl|mrl|"
    r"tickets?|issues|pull request|bug|milestone|pillar|use case|gen|generation|basel|horizon|"
    r"windows|python|java|node|php|ruby|unreal engine|android|ios|macos|ubuntu|debian|angular|react|vue|"
    r"django|rails|kubernetes|openapi|swagger|html|css|usb|hdmi|bluetooth|pixel|iphone|galaxy|boeing|airbus"
)
# The same for words that are verbs or plain nouns unless they are written as a name: "Order 881".
_NAMED = (
    r"Order|Rule|Regulation|Directive|Act|Bill|Title|Form|Issue|Case|Room|Floor|Suite|Gate|Platform|Track|"
    r"Option|Scenario|Model|Mark|Mk|Wave|Batch|Cohort|Zone|Unit|Team|Group|Objective|Goal|Question|Answer|"
    r"Note|Lesson|Principle|Priority|Build|Draft|Item|Part|Type|Class|Category|Round|Series|Scope|Industry|"
    r"Web|Agenda|Plan|Chart|PR|No\.?|Nr\.?|Number"
)
_NAME_TAIL = (
    r"[ -]?#?\d+(?:\.\d+)*[a-z]?(?:\s?(?:,|-|–|/|&|and|to|of)\s?\d+(?:\.\d+)*)*\b"
    r"(?![%\d]|\s?(?:percent|per cent|million|billion|thousand|bn|[kKMB]\b))"
)

_RULES: Final[tuple[tuple[str, str, re.RegexFlag | int], ...]] = (
    ("url", r"\b(?:https?|ftp)://\S+|\bwww\.\S+|\b[a-z][\w-]*(?:\.[\w-]+)*\.[a-z]{2,10}/\S*", _I),
    ("email", r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}", 0),
    (
        "code",
        r"(?<![\w.])[\w.]{1,64}\([^()]{0,200}[=,_][^()]{0,200}\)|>>>.*|\b[a-z]\w*_\w*(?:\s*=\s*\S+)?|\[[\d.,\s]+\]",
        0,
    ),
    ("licence", rf"\b(?:{_LICENCES})[- ]?v?\d+(?:\.\d+)*(?:-only|-or-later)?", 0),
    ("standard", rf"\b(?:{_STANDARDS})(?:/[A-Z]+)*[- :]*[A-Z]*[- ]?\d+(?:[-.:/]\w+)*", 0),
    ("version", r"\b[vV]\.?\s?\d+(?:\.\w+)*|\b\d+\.\d+\.\d+(?:[.-]\w+)*|\b\d+\.x\b", 0),
    ("designator", rf"\b(?:{_DESIGNATORS}){_NAME_TAIL}", _I),
    ("designator", rf"\b(?:{_NAMED}){_NAME_TAIL}", 0),
    ("form", r"\b(?:10|8|6|20|40)-[KQF]\b", 0),
    ("index", r"\b(?:Fortune|S&P|FTSE|Nasdaq|DAX|CAC|Stoxx|Nikkei|Russell|Global|Inc\.?)[ -]?\d+\b", _I),
    ("identifier", r"#\d+|\b[A-Z][A-Z0-9]+-\d[\w-]*", 0),
    ("phone", r"\+\d{1,3}[ .()/-]*\d(?:[ .()/-]*\d){6,}", 0),
    ("phone", r"\(\d{2,5}\)[ .-]?\d{3,}(?:[ .-]?\d{2,})*|\b\d{3}[.-]\d{3}[.-]\d{4}\b", 0),
    ("phone", r"\b(?:tel|phone|fax|mobile|call|dial)\b\.?:?\s*[+(]?\d[\d ()./-]{5,}", _I),
    ("date", DATE, 0),
    ("time", TIME_OF_DAY, _I),
    ("idiom", r"\b24\s?[/x×]\s?7(?:\s?[/x×]\s?365)?\b|\b9\s?/\s?11\b|\b50[/-]50\b|\b80[/-]20\b", _I),
    ("idiom", r"\b360[- ]degrees?\b|\bone[- ](?:on|by)[- ]one\b|\bone of\b", _I),
    ("idiom", r"\bzero[- ](?:trust|day|knowledge|copy|sum|touch|config\w*|waste|click)\b", _I),
    ("dimension", r"\b\d+\s?[x×]\s?\d+(?:\s?[x×]\s?\d+)?\b", _I),
    ("dimension", r"\b[48]K\s+(?:video|display|resolution|hdr|tv|screen|content)", _I),
    ("fraction", r"(?<![\d.])\d{1,3}\s?[:/]\s?\d{1,3}(?![\d.%])", 0),
    ("numbering", r"^\W{0,3}\d{1,2}(?:\.\d{1,2})*[.)](?=\s)|[(\[]\d{1,2}[)\]]|(?<=\s)\d{1,2}\)(?=\s)", re.M),
    ("decade", r"(?:\b(?:19|20)|['’‘])\d0s\b", 0),
    ("ordinal", r"\b\d+(?:st|nd|rd|th)\b", _I),
    ("page", r"^[\s|·•–-]*(?:page|slide|p\.)?\s*\d+(?:\s*(?:of|/|\|)\s*\d+)?[\s|·•.–-]*$", _I),
)
_PATTERNS: Final = tuple((kind, re.compile(pattern, flags)) for kind, pattern, flags in _RULES)

_LETTERS_AND_DIGITS = re.compile(r"(?<![\w$€£¥])(?=[\w+#-]*[^\W\d_])(?=[\w+#-]*\d)\w[\w+#]*(?:-\w+)*")
"""Words made of both; those that are a number with a unit are let through by `_is_measure`."""
_MEASURE = re.compile(
    r"(?:USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|US)?\d+"
    r"(?:k|K|M|MM|m|mn|mln|bn|B|b|T|tn|x|X|pp|bps|bp|ms|s|secs?|mins?|h|hrs?|yrs?|kg|g|t|km|cm|mm|nm|"
    r"W|kW|MW|GW|TW|Wh|kWh|MWh|GWh|TWh|V|kV|A|Hz|kHz|MHz|GHz|KB|MB|GB|TB|PB|px|USD|EUR|GBP|fold|FTEs?)?\+?"
    r"(?:-\d+\w*)?(?:-(?:day|week|month|quarter|year|hour|minute|second|person|member|fold|to|"
    r"point)s?(?:-\w+)*)?"
)
"""A number with a unit, or with what it counts, joined without a space."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A stretch of text whose numbers are no quantities."""

    kind: str  # "url", "version", "licence", "date", …: which rule said so
    start: int
    end: int


def rejected(text: str) -> tuple[Rejected, ...]:
    """Every stretch of *text* whose digits are no quantity, with the kind of thing it is."""
    found = [
        Rejected(kind, match.start(), match.end())
        for kind, pattern in _PATTERNS
        for match in pattern.finditer(text)
    ]
    found += [
        Rejected("name", match.start(), match.end())
        for match in _LETTERS_AND_DIGITS.finditer(text)
        if not _is_measure(match[0])
    ]
    return tuple(found)


def _is_measure(word: str) -> bool:
    return _MEASURE.fullmatch(word) is not None
