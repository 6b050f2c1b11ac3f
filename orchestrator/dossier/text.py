"""The dossier as it is read in the terminal: one to two screens, the likeliest attack first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from orchestrator.dossier.model import BOARD, Attack, Dossier, Profile
from orchestrator.dossier.page import (
    NO_BOARD,
    RULES,
    at,
    dated,
    notices,
    opening,
    sides,
    support,
    titled,
    who,
)
from orchestrator.entries import one_line
from orchestrator.intel.model import CONTRADICTS, NEUTRAL, SUPPORTS

WIDTH: Final = 100
MOST_ATTACKS: Final = 5
"""Shown whole; the others in a line each."""
MOST_WEAKNESSES: Final = 3
MOST_WEAK_SLIDES: Final = 3
_STANCES: Final = {CONTRADICTS: "Against it", SUPPORTS: "For it", NEUTRAL: "On it"}
MOST_INTEL: Final = 4
MOST_TENSIONS: Final = 6
_LABEL: Final = 10  # columns
_SHORT_QUOTE: Final = 14  # words


def dossier_text(dossier: Dossier) -> str:
    """The dossier for people at a terminal."""
    lines = [opening(dossier), *_wrapped(RULES)]
    for notice in notices(dossier):
        lines += ["", *_wrapped(notice)]
    if dossier.tensions:
        lines += ["", "THE DECK CONTRADICTS ITSELF"]
        for tension in dossier.tensions[:MOST_TENSIONS]:
            lines += [*_wrapped(one_line(tension.note), "  * ", 4), *_wrapped(sides(tension), "    ", 4)]
        lines += _more(len(dossier.tensions) - MOST_TENSIONS)
    if dossier.attacks:
        lines += ["", "LIKELY ATTACKS, AND HOW TO PREPARE"]
        for number, attack in enumerate(dossier.attacks[:MOST_ATTACKS], start=1):
            lines += ["", *_attack(number, attack)]
        others = dossier.attacks[MOST_ATTACKS:]
        if others:
            lines += ["", "    Then:"]
        for attack in others:
            note = one_line(attack.weaknesses[0].note)
            lines += _wrapped(f'{at(attack.slide)}: "{_shortened(attack.quote)}": {note}', "    * ", 6)
    lines += _people(dossier)
    if dossier.intel:
        lines += ["", "FROM OUTSIDE"]
        for item in dossier.intel[:MOST_INTEL]:
            text = f'{at(item.slide)}: "{_shortened(item.quote or "")}". '
            text += f'{_STANCES[item.stance]}: "{one_line(item.finding)}"'
            lines += _wrapped(f"{text} ({one_line(item.source)}, {dated(item.date)})", "  * ", 4)
        lines += _more(len(dossier.intel) - MOST_INTEL)
    if dossier.weak_slides:
        lines += ["", "WEAK SLIDES"]
        for weak in dossier.weak_slides[:MOST_WEAK_SLIDES]:
            lines += _wrapped(f"Slide {weak.slide}{titled(weak.title)}: {'; '.join(weak.reasons)}", "  * ", 4)
    if dossier.gaps:
        lines += ["", "MISSING IN THE WHOLE DECK"]
        for gap in dossier.gaps:
            lines += _wrapped(one_line(gap.note), "  * ", 4)
    return "\n".join(lines)


def _attack(number: int, attack: Attack) -> Iterator[str]:
    yield from _wrapped(f'{at(attack.slide)}: "{one_line(attack.quote)}"', f"{number:2}  ", 4)
    notes = "; ".join(one_line(weakness.note) for weakness in attack.weaknesses[:MOST_WEAKNESSES])
    yield from _labelled("Weak", notes)
    people = "; ".join(
        _who(challenger.kind, who(challenger), challenger.why) for challenger in attack.challengers[:2]
    )
    if people:
        yield from _labelled("Who", people)
    if attack.question:
        yield from _labelled("Asked", one_line(attack.question))
    if attack.answer:
        yield from _labelled("Answer", "; ".join(attack.answer))
    yield from _labelled("Bring", "; ".join(attack.bring))
    for found in attack.have[:2]:
        yield from _labelled("Have", support(found, "your notes"))


def _who(kind: str, name: str, why: str) -> str:
    """A member with the reason; of a panelist's reason only the name, since it stands under "Weak"."""
    return f"{name}, {one_line(why)}" if kind == BOARD else name


def _people(dossier: Dossier) -> Iterator[str]:
    if not dossier.has_board:
        if dossier.attacks:
            yield ""
            yield from _wrapped(
                f"{NO_BOARD} With --board FILE the dossier names who on your board goes after what."
            )
        return
    yield ""
    yield "YOUR BOARD"
    for profile in dossier.profiles:
        yield from _profile(profile)


def _profile(profile: Profile) -> Iterator[str]:
    yield f"  {one_line(f'{profile.name}, {profile.role}' if profile.role else profile.name)}"
    for aim in profile.aims:
        yield from _wrapped(f'{at(aim.slide)}: "{_shortened(aim.quote)}" ({one_line(aim.why)})', "    * ", 6)
    for missing in profile.missing:
        yield from _wrapped(f"will miss: {one_line(missing)}", "    * ", 6)
    if not profile.aims and not profile.missing:
        yield "    * nothing in the deck meets what is known of this person"


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
