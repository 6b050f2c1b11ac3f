"""The page board-dossier.md, and the dossier as plain data."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterator
from typing import Any, Final

from orchestrator.core.legible import counted, one_line
from orchestrator.material.claim import READ, Place, Tension
from orchestrator.material.intel.findings import NO_DATE
from orchestrator.material.values import CONTRADICTS, NEUTRAL, SUPPORTS
from orchestrator.panel.config.engine_names import is_bank
from orchestrator.panel.model.reply import BOARD, Attack, Dossier, Profile
from orchestrator.panel.render import GENERAL, headed

# ---------------------------------------------------------------------- page


NO_BOARD: Final = "No board was described, so the panel takes its place."
_BY_BANK: Final = "From a bank of questions that boards ask, chosen by the words of the deck"
STANCES: Final = {CONTRADICTS: "Against it", SUPPORTS: "For it", NEUTRAL: "On it"}


def dossier_page(dossier: Dossier) -> str:
    """Return the page's text, equal for equal arguments.

    The deck's words are in quotation marks or after ">".
    """
    lines = ["# Board dossier", "", opening(dossier), ""]
    lines += [line for notice in notices(dossier) for line in (notice, "")]
    if dossier.attacks:
        lines += ["## Likely questions", ""]
        for number, attack in enumerate(dossier.attacks, start=1):
            lines += [*_attack(number, attack), ""]
    for heading, found in by_class(dossier):
        lines += [f"## {heading}", "", *(line for one in found for line in _tension(one)), ""]
    if dossier.profiles:
        lines += [f"## {'The board' if dossier.has_board else 'The panel'}", ""]
        lines += [*(f"- {profile(one)}" for one in dossier.profiles), ""]
    if dossier.intel:
        lines += ["## From outside", ""]
        for item in dossier.intel:
            lines.append(f'- {at(item.slide)}: "{one_line(item.quote or "")}"')
            source = f"{one_line(item.source)}, {dated(item.date)}"
            lines.append(f'  - {STANCES[item.stance]}: "{one_line(item.finding)}" ({source})')
        lines.append("")
    if dossier.gaps:
        lines += ["## Missing in the whole deck", "", *(f"- {one_line(gap.note)}" for gap in dossier.gaps)]
    return "\n".join(lines).rstrip("\n") + "\n"


def dossier_json(dossier: Dossier) -> dict[str, Any]:
    """Return the dossier as plain data, with every field, even if it is empty."""
    plain: dict[str, Any] = dataclasses.asdict(dossier)
    for one in plain["tensions"]:
        one["class"] = one.pop("class_")
    return plain


def opening(dossier: Dossier) -> str:
    """Return one line that describes the deck and says who wrote the dossier."""
    slides, claims = counted(dossier.slides, "slide"), counted(dossier.claims, "claim")
    by = _BY_BANK if is_bank(dossier.engine) else f"Written by the {dossier.engine} engine"
    return headed(dossier.deck, f"{slides}, {claims}. {by}: a reason to prepare, not a forecast.")


def notices(dossier: Dossier) -> Iterator[str]:
    """Yield the dossier's limits, each in a sentence or two."""
    if dossier.failed is not None:
        yield one_line(f"The engine asked for failed, so the offline one wrote this: {dossier.failed}")
    if not dossier.has_board:
        yield NO_BOARD
    if dossier.left_out:
        which = counted(dossier.left_out, "question was", "questions were")
        yield f"{which} left out, because their quotes do not stand in the deck or they were asked twice."
    if not dossier.attacks:
        yield (
            "No question was found. That is no sign of strength: a board asks about what a deck leaves out."
        )


def by_class(dossier: Dossier) -> Iterator[tuple[str, list[Tension]]]:
    """Yield the contradictions under their headings: those that fail as sums, then those to ask about."""
    computed = [one for one in dossier.tensions if one.class_ != READ]
    read = [one for one in dossier.tensions if one.class_ == READ]
    if computed:
        yield "Where the deck contradicts itself", computed
    if read:
        yield "Do these agree?", read


def titled(attack: Attack) -> str:
    """Return who asks, about which slide: "Ruth Alvarez, slide 3", "The board (general)"."""
    if (lacks := missing(attack)) != "":
        where = f", {lacks[0].lower()}{lacks[1:]}"
    else:
        where = f" ({GENERAL})" if attack.about is None else f", {at(attack.about.slide).lower()}"
    return one_line(f"{attack.asked_by or 'The board'}{where}")


def about(attack: Attack) -> str:
    """Return the deck's words that the question is about, or "" if there are none."""
    return "" if attack.about is None or attack.is_missing else one_line(attack.about.quote)


def missing(attack: Attack) -> str:
    """Return "Slide 1 does not say" or "The deck does not say" if the question is about something missing,
    else "".
    """
    return f"{at(attack.about.slide if attack.about else None)} does not say" if attack.is_missing else ""


def profile(one: Profile) -> str:
    """Return a person's name and role, with the numbers of their questions."""
    role = one.role if one.kind == BOARD else f"{one.agent}, {one.role}"
    name = one_line(f"{one.name}, {role}" if role else one.name)
    if not one.asks:
        return f"{name}: no question here is theirs"
    numbers = ", ".join(str(number) for number in one.asks)
    return f"{name}: question{'s' * (len(one.asks) != 1)} {numbers}"


def at(slide: int | None) -> str:
    """Return "Slide 3", or "The deck" if no slide is named."""
    return "The deck" if slide is None else f"Slide {slide}"


def sides(tension: Tension) -> list[str]:
    """Return every place of a contradiction with its words, each once."""
    where = ((", ".join(filter(None, (at(one.slide), one.under))), one.quote) for one in tension.sides)
    return list(dict.fromkeys(f'{place}: "{one_line(quote)}"' for place, quote in where))


def noted(tension: Tension) -> str:
    """Return the contradiction's sentence, with the sum that does not work out."""
    is_told = not tension.sum or tension.sum in tension.note
    return one_line(tension.note if is_told else f"{tension.note} ({tension.sum})")


def dated(date: str | None) -> str:
    """Return a finding's date as text, or a text that says that it has none."""
    return one_line(date) if date else NO_DATE


def support(place: Place) -> str:
    """Return words of the deck that an answer can be based on, with their place."""
    return f'{at(place.slide).lower()}: "{one_line(place.quote)}"'


def _attack(number: int, attack: Attack) -> Iterator[str]:
    yield f"### {number}. {titled(attack)}"
    yield ""
    if words := about(attack):
        yield f"> {words}"
        yield ""
    yield f"- Asked: {one_line(attack.question)}"
    if attack.why:
        yield f"- Why: {one_line(attack.why)}"
    if attack.good_answer:
        yield f"- A good answer: {one_line(attack.good_answer)}"
    if attack.bring:
        yield f"- Bring: {'; '.join(one_line(one) for one in attack.bring)}"
    for place in attack.have:
        yield f"- The deck has: {support(place)}"


def _tension(tension: Tension) -> Iterator[str]:
    yield f"- {noted(tension)}"
    yield from (f"  - {side}" for side in sides(tension))


# ---------------------------------------------------------------------- terminal
# The dossier as it is read in the terminal: one to two screens, the likeliest question first.


WIDTH: Final = 100  # as the debrief's widest
# So many that the page is two screens long at most; --json has all.
MAX_INTEL: Final = 4
MAX_TENSIONS: Final = 6
MAX_SUPPORTS: Final = 2
_LABEL: Final = 10  # columns: "Answer", the longest label, behind four of indent
_SHORT_QUOTE: Final = 20  # words: a line and a half


def dossier_text(dossier: Dossier) -> str:
    """Return the dossier's text for people at a terminal."""
    lines = _wrapped(opening(dossier))
    for notice in notices(dossier):
        more = " With --board FILE the dossier names who on your board asks what."
        lines += ["", *_wrapped(notice + more if notice == NO_BOARD else notice)]
    for heading, found in by_class(dossier):
        lines += ["", heading.upper()]
        for one in found[:MAX_TENSIONS]:
            lines += [*_wrapped(noted(one), "  * ", 4), *_wrapped(" / ".join(sides(one)), "    ", 4)]
        lines += _more(len(found) - MAX_TENSIONS)
    if dossier.attacks:
        lines += ["", "LIKELY QUESTIONS, AND HOW TO PREPARE"]
        for number, attack in enumerate(dossier.attacks, start=1):
            lines += ["", *_attack_lines(number, attack)]
    if dossier.profiles and dossier.has_board:
        lines += ["", "YOUR BOARD"]
        lines += [line for one in dossier.profiles for line in _wrapped(profile(one), "  * ", 4)]
    if dossier.intel:
        lines += ["", "FROM OUTSIDE"]
        for item in dossier.intel[:MAX_INTEL]:
            text = f'{at(item.slide)}: "{_shortened(item.quote or "")}". '
            text += f'{STANCES[item.stance]}: "{one_line(item.finding)}"'
            lines += _wrapped(f"{text} ({one_line(item.source)}, {dated(item.date)})", "  * ", 4)
        lines += _more(len(dossier.intel) - MAX_INTEL)
    if dossier.gaps:
        lines += ["", "MISSING IN THE WHOLE DECK"]
        lines += [line for gap in dossier.gaps for line in _wrapped(one_line(gap.note), "  * ", 4)]
    return "\n".join(lines)


def _attack_lines(number: int, attack: Attack) -> Iterator[str]:
    yield from _wrapped(one_line(attack.question), f"{number:2}  ", 4)
    words = about(attack)
    yield from _labelled("Asks", f'{titled(attack)}: "{_shortened(words)}"' if words else titled(attack))
    if attack.why:
        yield from _labelled("Why", one_line(attack.why))
    if attack.good_answer:
        yield from _labelled("Answer", one_line(attack.good_answer))
    if attack.bring:
        yield from _labelled("Bring", "; ".join(one_line(one) for one in attack.bring))
    for place in attack.have[:MAX_SUPPORTS]:
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
