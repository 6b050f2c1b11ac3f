"""The dossier as it is read in the terminal: one to two screens, the likeliest question first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from orchestrator.core.legible import one_line
from orchestrator.panel.dossier.page import (
    NO_BOARD,
    STANCES,
    about,
    at,
    by_class,
    dated,
    noted,
    notices,
    opening,
    profile,
    sides,
    support,
    titled,
)
from orchestrator.panel.model.dossier import Dossier
from orchestrator.panel.model.reply import Attack

WIDTH: Final = 100  # as the debrief's widest
# So many that the page is two screens long at most; --json has all.
MOST_INTEL: Final = 4
MOST_TENSIONS: Final = 6
MOST_SUPPORTS: Final = 2
_LABEL: Final = 10  # columns: "Answer", the longest label, behind four of indent
_SHORT_QUOTE: Final = 20  # words: a line and a half


def dossier_text(dossier: Dossier) -> str:
    """The dossier for people at a terminal."""
    lines = _wrapped(opening(dossier))
    for notice in notices(dossier):
        more = " With --board FILE the dossier names who on your board asks what."
        lines += ["", *_wrapped(notice + more if notice == NO_BOARD else notice)]
    for heading, found in by_class(dossier):
        lines += ["", heading.upper()]
        for one in found[:MOST_TENSIONS]:
            lines += [*_wrapped(noted(one), "  * ", 4), *_wrapped(" / ".join(sides(one)), "    ", 4)]
        lines += _more(len(found) - MOST_TENSIONS)
    if dossier.attacks:
        lines += ["", "LIKELY QUESTIONS, AND HOW TO PREPARE"]
        for number, attack in enumerate(dossier.attacks, start=1):
            lines += ["", *_attack(number, attack)]
    if dossier.profiles and dossier.has_board:
        lines += ["", "YOUR BOARD"]
        lines += [line for one in dossier.profiles for line in _wrapped(profile(one), "  * ", 4)]
    if dossier.intel:
        lines += ["", "FROM OUTSIDE"]
        for item in dossier.intel[:MOST_INTEL]:
            text = f'{at(item.slide)}: "{_shortened(item.quote or "")}". '
            text += f'{STANCES[item.stance]}: "{one_line(item.finding)}"'
            lines += _wrapped(f"{text} ({one_line(item.source)}, {dated(item.date)})", "  * ", 4)
        lines += _more(len(dossier.intel) - MOST_INTEL)
    if dossier.gaps:
        lines += ["", "MISSING IN THE WHOLE DECK"]
        lines += [line for gap in dossier.gaps for line in _wrapped(one_line(gap.note), "  * ", 4)]
    return "\n".join(lines)


def _attack(number: int, attack: Attack) -> Iterator[str]:
    yield from _wrapped(one_line(attack.question), f"{number:2}  ", 4)
    words = about(attack)
    yield from _labelled("Asks", f'{titled(attack)}: "{_shortened(words)}"' if words else titled(attack))
    if attack.why:
        yield from _labelled("Why", one_line(attack.why))
    if attack.good_answer:
        yield from _labelled("Answer", one_line(attack.good_answer))
    if attack.bring:
        yield from _labelled("Bring", "; ".join(one_line(one) for one in attack.bring))
    for place in attack.have[:MOST_SUPPORTS]:
        yield from _labelled("Have", support(place))


def _shortened(quote: str) -> str:
    words = one_line(quote).split()
    return " ".join(words) if len(words) <= _SHORT_QUOTE else " ".join(words[:_SHORT_QUOTE]) + " …"


def _more(number: int) -> list[str]:
    return [f"    and {number} more (--json has all)"] if number > 0 else []


def _labelled(label: str, text: str) -> list[str]:
    return _wrapped(text, f"    {label:{_LABEL - 4}}  ", _LABEL + 2)


def _wrapped(text: str, first: str = "", rest: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
