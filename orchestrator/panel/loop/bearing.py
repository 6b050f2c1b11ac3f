"""Comparing findings from outside with the deck: which of its words each finding concerns, and how.

An engine decides that, and each of its quotes is checked. A place or stance that the findings' file names
takes precedence. A finding that no engine compared with the deck is neutral, and the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from orchestrator.core.errors import EngineError
from orchestrator.core.legible import one_line
from orchestrator.material.checks.grounding import deck_passages, grounded
from orchestrator.material.claim import Claim, Place
from orchestrator.material.values import NEUTRAL, STANCES, Deck, Intel, IntelItem, Reported
from orchestrator.panel.engines.protocol import Engine, NewsRequest, understands
from orchestrator.panel.engines.together import ask
from orchestrator.panel.model.reply import Bearing

MAX_BEARINGS: Final = 3
"""Maximum number of bearings of one finding: a paragraph about more places of the deck is a report, not a
finding.
"""
_MAX_TOPIC_WORDS: Final = 6  # of the finding itself, where nobody names a topic: a heading of one line
_BY_FILE: Final = "as the file says"


@dataclass(frozen=True, slots=True)
class Held:
    """The engine's reading of the findings: their bearings by position, or the reason why there are none."""

    bearings: Mapping[int, tuple[Bearing, ...]] = field(default_factory=dict)
    is_read: bool = False  # a model has read them beside the deck
    failed: str | None = None


def held_against(engine: Engine, reported: Sequence[Reported], deck: Deck) -> Held:
    """Ask the engine once which words of the deck each finding concerns.

    Call this outside of any lock. If the engine fails, `failed` of the result says why. A bearing whose words
    are not in the deck, or whose stance is unknown, is dropped.
    """
    if not reported:
        return Held()
    passages = deck_passages(deck)
    try:
        said = ask(engine, NewsRequest(tuple(reported), passages))
    except EngineError as error:
        return Held(failed=one_line(str(error)))
    found: dict[int, list[Bearing]] = {}
    for one in said:
        about = None if one.about is None else grounded(one.about, passages)
        known = found.setdefault(one.reported, [])
        is_new = about is not None and all(other.about != about for other in known)
        if is_new and one.stance in STANCES and len(known) < MAX_BEARINGS:
            known.append(replace(one, about=about))
    return Held({place: tuple(ones) for place, ones in found.items()}, understands(engine))


def intel_of(
    held: Held,
    reported: Sequence[Reported],
    deck: Deck,
    claims: Sequence[Claim],
    *,
    before: Intel | None = None,
) -> Intel:
    """Return the next revision of the intel: what *before* contains, with the findings *reported*.

    A file that is passed in again under the same name replaces its earlier findings. A finding that bears on
    several places is listed once for each.
    """
    files = {item.file for item in reported}
    revision = before.revision + 1 if before is not None else 1
    kept = [item for item in before.items if item.file not in files] if before is not None else []
    found = [
        item
        for place, one in enumerate(reported)
        for item in _items(one, held, place, deck, claims, revision)
    ]
    since = {(item.file, item.finding): item.revision for item in before.items} if before is not None else {}
    numbered = (
        replace(item, id=f"i{number}", revision=since.get((item.file, item.finding), item.revision))
        for number, item in enumerate([*kept, *found], start=1)
    )
    return Intel(tuple(numbered), revision, failed=held.failed)


def _items(
    one: Reported, held: Held, place: int, deck: Deck, claims: Sequence[Claim], revision: int
) -> list[IntelItem]:
    plain = IntelItem(
        id="",
        finding=one.finding,
        topic=one.topic or " ".join(one.finding.split()[:_MAX_TOPIC_WORDS]).rstrip(".,;:"),
        source=one.source,
        date=one.date,
        stance=one.stance or NEUTRAL,
        why=_BY_FILE if one.stance is not None else "",
        file=one.file,
        revision=revision,
        is_read=held.is_read,
    )
    claim = next((claim for claim in claims if claim.id == one.claim), None)
    if claim is not None:
        said = next((b for b in held.bearings.get(place, ()) if _is_of(claim, b.about)), None)
        return [_beside(plain, Place(claim.slide, None, claim.text), claim, one, said)]
    slide = one.slide if one.slide in {slide.number for slide in deck.slides} else None
    found = [
        _beside(plain, said.about, _claim_at(said.about, claims), one, said)
        for said in held.bearings.get(place, ())
        if said.about is not None and slide in (None, said.about.slide)
    ]
    return found or [replace(plain, slide=slide)]


def _beside(
    plain: IntelItem, about: Place, claim: Claim | None, one: Reported, said: Bearing | None
) -> IntelItem:
    """Return the item with the words that it concerns; the stance in the file precedes the engine's."""
    item = replace(plain, claim=claim.id if claim is not None else None, slide=about.slide, quote=about.quote)
    if said is None or one.stance is not None:
        return item
    return replace(item, stance=said.stance, why=one_line(said.why))


def _claim_at(about: Place, claims: Sequence[Claim]) -> Claim | None:
    return next((claim for claim in claims if _is_of(claim, about)), None)


def _is_of(claim: Claim, about: Place | None) -> bool:
    """Return whether claim and place are on one slide, and the text of one contains that of the other."""
    if about is None or claim.slide != about.slide or claim.said_at_s is not None:
        return False
    return claim.text in about.quote or about.quote in claim.text
