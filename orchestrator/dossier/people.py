"""Who goes after which claim: interests, role and background against a claim's words and kinds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.model import Claim, Gap
from orchestrator.claims.words import word_set
from orchestrator.deck.model import Deck, Slide
from orchestrator.deck.texts import slide_texts
from orchestrator.dossier.families import Family, families_of
from orchestrator.dossier.model import BoardMember
from orchestrator.intel.vocabulary import stem_of, stems

MOST_MISSING: Final = 3
_INTEREST: Final = 3.0
_INTEREST_OF_SLIDE: Final = 1.4
_FAMILY_INTEREST: Final = 1.6
_ROLE: Final = 1.4
_BACKGROUND: Final = 0.9
_KIND: Final = 0.6
"""What a kind of claim counts beside a word of the calling."""
LEAST: Final = 0.8
"""Below it a member is not named: a chance word of a long background."""
_SHORTEST: Final = 3
_LONGEST_BACKGROUND: Final = 8  # words that are repeated


@dataclass(frozen=True, slots=True)
class Match:
    """How much a claim is somebody's business, and by what."""

    weight: float
    why: str


def match_of(member: BoardMember, claim: Claim, slide: Slide | None) -> Match:
    """How likely the member goes after the claim; weight 0 where nothing ties the two."""
    best = max(_ties(member, claim, slide), key=lambda match: match.weight, default=None)
    return best or Match(0.0, "")


def _ties(member: BoardMember, claim: Claim, slide: Slide | None) -> Iterator[Match]:
    own, around = _terms(claim.text), _terms(slide.title) if slide is not None else frozenset()
    for interest in member.interests:
        wanted = _wanted(interest)
        why = f'interest in "{interest}"'
        if wanted and len(wanted & own) > 0.5 * len(wanted):
            yield Match(_INTEREST, why)
        elif wanted and len(wanted & (own | around)) > 0.5 * len(wanted):
            yield Match(_INTEREST_OF_SLIDE, f"{why}, which the slide is about")
        for family in families_of(interest):
            if family.words.search(claim.text):
                yield Match(_FAMILY_INTEREST * _of_family(family, claim), why)
    for family in families_of(member.role):
        if weight := _of_family(family, claim):
            yield Match(_ROLE * weight, f"looks at {family.looks_at}")
    for family in families_of(member.background):
        if family.words.search(claim.text):
            why = f"background ({_short(member.background)}): {family.looks_at}"
            yield Match(_BACKGROUND * _of_family(family, claim), why)


def _wanted(interest: str) -> frozenset[str]:
    """The words of an interest that tell; all of them where none does."""
    terms = _terms(interest)
    return terms - _VAGUE or terms


def _of_family(family: Family, claim: Claim) -> float:
    """1 where the claim speaks the calling's words, less where only its kind is theirs."""
    first = claim.kinds[0] if claim.kinds else ""
    kinds = 1.0 if first in family.kinds else _KIND if family.kinds & set(claim.kinds) else 0.0
    words = len({match[0].lower() for match in family.words.finditer(claim.text)})
    if words:
        return 1.0 + 0.1 * min(words - 1, 3) + 0.3 * kinds
    return _KIND * kinds


def missed_by(member: BoardMember, deck: Deck, gaps: Sequence[Gap]) -> tuple[str, ...]:
    """What the member will not find: an interest that no slide names, a gap of the whole deck."""
    shown = _terms(" ".join(_shown(deck)))
    found = [
        f'No slide speaks of "{interest}".'
        for interest in member.interests
        if (wanted := _wanted(interest)) and not wanted & shown
    ]
    for family in families_of(f"{member.role}; {member.background}; {'; '.join(member.interests)}"):
        found += [gap.note for gap in gaps if gap.slide is None and family.misses.search(gap.note)]
    return tuple(dict.fromkeys(found))[:MOST_MISSING]


def _shown(deck: Deck) -> Iterable[str]:
    for slide in deck.slides:
        if not slide.hidden:
            yield from (text for origin, text in slide_texts(slide) if origin not in ("notes", "alt"))


def _terms(text: str) -> frozenset[str]:
    """The telling words of a few; an interest such as "tax" or "AI" is one too."""
    long = stems(text)
    short = {
        stem_of(word)
        for word in text.replace("/", " ").split()
        if word.isalpha() and (word.isupper() or len(word) == _SHORTEST) and len(word) >= 2
    }
    return long | (short - _SMALL)


_SMALL: Final = word_set(
    "the and for our all its are was has had not but you who how why can may new any out off one two per via"
)
_VAGUE: Final = word_set(
    "record report data management strategy customer company project quality performance issue topic matter "
    "question development policy process system"
)
"""Words of an interest that say little of what it is about."""


def _short(background: str) -> str:
    words = background.split()
    return background if len(words) <= _LONGEST_BACKGROUND else " ".join(words[:_LONGEST_BACKGROUND]) + " …"
