"""What a presenter undertakes in an answer, in their own words, and when it falls due."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.claims.periods import find_periods
from orchestrator.engines import number_cues

_I: Final = re.IGNORECASE

_LONGEST: Final = 240
_WHO: Final = (
    r"(?:(?i:i|we|she|he|they|you)|[A-Z][a-zé]+ [A-Z][a-zé’'-]+(?:, (?:our|the) [\w ]{2,25},)?|"
    r"[A-Z][a-zé]+(?= will (?:send|bring|show|present|circulate)\b)|"
    r"(?i:our|the) (?:[\w-]+ ){0,2}(?i:c[efot]o|director|controller|treasurer|manager|auditors?|chair|lead|"
    r"team|office|department|bank|agency))"
)
_BRINGS: Final = (
    r"(?:have|get|send|bring|show|publish|report|share|provide|give|circulate|present|put|deliver|finish|"
    r"complete|know|measure|commit|make sure|ensure|add|correct|change|remove|take|sign|resolve|fix|close|"
    r"hire|appoint|write|file|come back|get back|follow up|update|check|find out|look into|answer|confirm|"
    r"include|set up|start|stop|repay|pay|cut|reduce|reach|decide)"
)
PROMISE = re.compile(
    rf"\b{_WHO}(?i:['’]ll| will| shall| am going to| are going to|['’]m going to|"
    rf"['’]re going to)(?i:(?: (?:also|then|certainly|definitely|personally|gladly|happily|be happy to|"
    rf"be able to|do|be))* {_BRINGS})\b|"
    r"\b(?i:(?:i|we) (?:promise|commit|undertake|guarantee)|you (?:have|get) (?:it|that|them) (?:by|on|"
    r"before)|you (?:can|will) (?:have|expect) (?:it|that|them))\b"
)
"""Somebody undertakes to do something; a forecast ("revenue will reach") has no doer of these."""
_LOOSE = re.compile(
    r"\b(?:we|i)(?:['’]ll| will) (?:have to|need to|see|be (?:fine|ok))\b|\b(?:if|when|unless|where|that|"
    r"which|whether|what|how) (?:i|we|they|you)(?:['’]ll| will)\b|\bgive you (?:an? |some |more |just |"
    r"quick |brief |better |little |bit |of )*(?:colou?r|flavou?r|sense|example|context|details?|overview|"
    r"idea|background|answer)\b|\bhave more (?:colou?r|detail)\b",
    _I,
)
_STOP = re.compile(r"[.!?…][\"'”’)]*(?=\s|$)|;\s|\n")


def promises_in(text: str) -> tuple[str, ...]:
    """The undertakings of an answer, each verbatim: who does what, with its date where one is said."""
    found: list[str] = []
    last = -1
    for match in PROMISE.finditer(text):
        if match.start() < last or _LOOSE.search(text[max(0, match.start() - 8) : match.end() + 40]):
            continue
        stop = _STOP.search(text, match.end())
        last = min(stop.start() if stop else len(text), match.start() + _LONGEST)
        words = text[match.start() : last].strip(" ,")
        if words and words not in found:
            found.append(words)
    return tuple(found)


def due(promise: str) -> str | None:
    """The words that say when a promise falls due: a day, a month, a quarter, an event; else None."""
    if event := number_cues.DAY_OR_EVENT.search(promise):
        return event[0].strip()
    for period in find_periods(promise):
        vague = number_cues.NOT_A_TIME.match(period.text) and period.text.lower() not in ("today", "tonight")
        if period.kind != "recurring" and not vague and not number_cues.PAST.match(period.text):
            return period.text
    return None


def dated_promises(text: str) -> Iterator[tuple[str, str]]:
    """Each promise that has a date, with the words of the date."""
    for promise in promises_in(text):
        if date := due(promise):
            yield promise, date
