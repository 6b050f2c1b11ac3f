"""board-dossier.md, and the dossier as plain data."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Final

from orchestrator.claims.language import ENGLISH, UNKNOWN
from orchestrator.claims.model import Place, Tension
from orchestrator.dossier.model import BOARD, Attack, Challenger, Dossier, Profile, Support
from orchestrator.entries import one_line
from orchestrator.intel.page import NO_DATE
from orchestrator.values import to_json

LANGUAGES: Final = {
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}
"""The languages that `claims.language` tells, by their code."""
NO_BOARD: Final = "No board was described, so the panel takes its place."
RULES: Final = "Made by rules from the deck's words, figures and charts: a reason to prepare, not a forecast."


def dossier_page(dossier: Dossier) -> str:
    """The file's text: equal for equal arguments; the deck's words stand in quotation marks or behind ">"."""
    lines = ["# Board dossier", "", f"{opening(dossier)} {RULES}"]
    lines += [f"\n{NO_BOARD}"] if not dossier.has_board else []
    for notice in notices(dossier):
        lines += ["", notice]
    if dossier.attacks:
        lines += ["", "## Likely attacks", ""]
        for number, attack in enumerate(dossier.attacks, start=1):
            lines += [*_attack(number, attack), ""]
    if dossier.tensions:
        lines += ["", "## Where the deck contradicts itself", ""]
        lines += [line for tension in dossier.tensions for line in _tension(tension)]
    if dossier.profiles:
        lines += ["", f"## {'The board' if dossier.has_board else 'The panel'}", ""]
        for profile in dossier.profiles:
            lines += [*_profile(profile), ""]
    if dossier.weak_slides:
        lines += ["", "## Weak slides", ""]
        lines += [
            f"- Slide {weak.slide}{titled(weak.title)}: {one_line('; '.join(weak.reasons))}"
            for weak in dossier.weak_slides
        ]
    if dossier.gaps:
        lines += [
            "",
            "## Missing in the whole deck",
            "",
            *(f"- {one_line(gap.note)}" for gap in dossier.gaps),
        ]
    return _joined(lines)


def dossier_json(dossier: Dossier) -> dict[str, Any]:
    """The dossier as data; every field is there, whatever it holds."""
    plain: dict[str, Any] = dataclasses.asdict(dossier)
    for attack in plain["attacks"]:
        attack["weaknesses"] = [{"kind": one["kind"], "note": one["note"]} for one in attack["weaknesses"]]
    return plain


def dossier_value(dossier: Dossier, members: tuple[Any, ...]) -> dict[str, Any]:
    """The typed value that the ledger keeps beside the page."""
    return {"type": "dossier", "dossier": to_json(dossier), "board": to_json(members)}


def opening(dossier: Dossier) -> str:
    """The deck in one line."""
    slides = f"{dossier.slides} slide{'s' * (dossier.slides != 1)}"
    claims = f"{dossier.claims} claim{'s' * (dossier.claims != 1)}"
    return f"{one_line(dossier.deck)}: {slides}, {claims}."


def notices(dossier: Dossier) -> Iterator[str]:
    """What the reader must know about how far this goes."""
    foreign = dossier.language not in (ENGLISH, UNKNOWN)
    if foreign:
        name = LANGUAGES.get(dossier.language, dossier.language)
        yield (
            f"The deck reads as {name}. The rules are English, so only its digits, tables and charts were "
            "read; promises, rankings and reasons in its words were not looked for."
        )
    if not dossier.attacks:
        if dossier.claims and foreign:
            yield "In what could be read, nothing specific was found to attack."
        elif dossier.claims:
            yield "Nothing specific was found to attack: the deck claims little, or says where it comes from."
        else:
            yield (
                "No claim was found that rules can read, so nothing specific can be prepared here. That is "
                "no sign of strength: a board asks about what a deck leaves out."
            )


def titled(title: str) -> str:
    """A slide's title behind its number."""
    return f' ("{one_line(title)}")' if title else ""


def who(challenger: Challenger) -> str:
    """A person with role or seat: "Ruth Alvarez (treasurer)", "Marcus Webb (skeptic)"."""
    role = challenger.role if challenger.kind == BOARD else challenger.agent
    return one_line(f"{challenger.name} ({role})" if role else challenger.name)


def at(slide: int | None) -> str:
    return "The deck" if slide is None else f"Slide {slide}"


def support(found: Support, notes: str = "notes") -> str:
    """Where in the deck it stands, and its words."""
    place = f"{notes} to slide {found.slide}" if found.origin == "notes" else f"slide {found.slide}"
    return f'{place}: "{one_line(found.quote)}"'


def sides(tension: Tension) -> str:
    """The two places of a contradiction, each with its words."""
    return " / ".join(f'{_place(side)}: "{one_line(side.quote)}"' for side in (tension.a, tension.b))


def _place(place: Place) -> str:
    return "speech" if place.said_at_s is not None else f"slide {place.slide}"


def _attack(number: int, attack: Attack) -> Iterator[str]:
    yield f"### {number}. {at(attack.slide)}, claim {attack.claim}"
    yield ""
    yield f"> {one_line(attack.quote)}"
    yield ""
    yield f"- Vulnerable: {'; '.join(one_line(weakness.note) for weakness in attack.weaknesses)}"
    for challenger in attack.challengers:
        yield f"- Likely from {who(challenger)}: {one_line(challenger.why)}"
    if attack.question:
        yield f"- As a question: {one_line(attack.question)}"
    if attack.answer:
        yield f"- A good answer: {'; '.join(one_line(part) for part in attack.answer)}"
    yield f"- Bring: {'; '.join(attack.bring)}"
    for found in attack.have:
        yield f"- The deck has: {support(found)}"


def _tension(tension: Tension) -> Iterator[str]:
    yield f"- {one_line(tension.note)}"
    for side in (tension.a, tension.b):
        yield f'  - {_place(side).capitalize()}: "{one_line(side.quote)}"'


def _profile(profile: Profile) -> Iterator[str]:
    role = profile.role if profile.kind == BOARD else f"{profile.agent}, {profile.role}"
    yield f"### {one_line(f'{profile.name}, {role}' if role else profile.name)}"
    yield ""
    for aim in profile.aims:
        yield f'- {at(aim.slide)}, claim {aim.claim}: "{one_line(aim.quote)}"'
        yield f"  - Because: {one_line(aim.why)}"
        if aim.open:
            yield f"  - Open: {one_line(aim.open)}"
    if not profile.aims:
        yield "- No claim of the deck meets what is known of this person."
    for missing in profile.missing:
        yield f"- Will miss: {one_line(missing)}"


def _joined(lines: list[str]) -> str:
    """The lines with single empty ones between."""
    text = "\n".join(lines)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.rstrip("\n") + "\n"


def dated(date: str | None) -> str:
    """A finding's date as it is read."""
    return one_line(date) if date else NO_DATE
