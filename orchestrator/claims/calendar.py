"""How English text writes dates, years, quarters and stretches of time: the patterns."""

from __future__ import annotations

from typing import Final

MONTH_NAMES: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
MONTHS: Final = tuple(name[:3] for name in MONTH_NAMES)
"""As they are abbreviated, in order."""

MONTH: Final = (
    r"(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|"
    r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
"""Month names; callers match them with their capital, since "may" and "march" are also verbs."""

YEAR: Final = r"(?:19|20)\d\d"
SHORT_YEAR: Final = r"['’‘]\d\d"
SPOKEN_YEAR: Final = (
    r"(?:twenty (?:(?:twenty|thirty|forty)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?|"
    r"ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)|"
    r"nineteen (?:ninety|eighty|seventy)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)\b"
)
ANY_YEAR: Final = rf"(?:{YEAR}|{SHORT_YEAR}|{SPOKEN_YEAR})"
YEARS: Final = rf"{YEAR}(?:\s?(?:[-–/]|\bto\b)\s?{YEAR}|[-–/]\d\d)\b"

DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?\b"

DATE: Final = (
    rf"\b{YEAR}-\d\d?-\d\d?\b"  # 2026-05-12
    rf"|\b\d{{1,2}}[./]\d{{1,2}}[./](?:{YEAR}|\d\d)\b"  # 14.04.2026, 1/26/2023
    rf"|\b{MONTH}\s+{DAY}(?:\s?[-–]\s?{DAY})?(?:,?\s+{YEAR}\b)?"  # June 29, 2023
    rf"|\b{DAY}\s+(?:of\s+)?{MONTH}(?:,?\s+(?:{YEAR}|{SHORT_YEAR}))?"  # 29 June 2023
    rf"|\b{MONTH},?\s*(?:{YEAR}|{SHORT_YEAR})\b"  # June 2023, Dec '22
)
TIME_OF_DAY: Final = (
    r"\b\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?|\b\d{1,2}\s?[ap]\.?m\b\.?|\b\d{1,2}\s?o'clock"
)

QUARTER: Final = (
    r"(?:Q[1-4]|[1-4]Q|H[12]|[12]H|[Qq] (?:one|two|three|four)|"
    r"(?:first|second|third|fourth|1st|2nd|3rd|4th) (?:quarter|half)(?: of(?: the)?(?: fiscal)?(?: year)?)?)"
)
FISCAL_YEAR: Final = (
    rf"(?:(?:FY|CY|fiscal(?: year)?|financial year|calendar year)\s?(?:{YEAR}(?:\s?[-/–]\s?\d\d)?|"
    r"['’]?\d\d(?:\s?[-/–]\s?\d\d)?))"
)

SPAN_UNIT: Final = r"(?:day|week|month|quarter|year|decade)s?"
COUNT_WORD: Final = (
    r"(?:\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|"
    r"twenty(?:[- ]four)?|"
    r"thirty(?:[- ]six)?|forty|fifty|sixty|ninety|few|couple of|several)"
)
