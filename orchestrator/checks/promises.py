"""Promises that a later slide, or a later deck, drops or replaces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.checks.amounts import amounts
from orchestrator.checks.events import stem
from orchestrator.checks.model import Figure
from orchestrator.checks.moments import apart, moments
from orchestrator.checks.passages import Passage, hypothetical, shown, slide_passages
from orchestrator.claims.cues import DONE
from orchestrator.claims.model import Claim, Place, Tension
from orchestrator.claims.words import word_set
from orchestrator.deck.model import Deck, Slide
from orchestrator.speech.model import Segment

KIND: Final = "dropped-promise"

_SUMMARY = re.compile(
    r"\b(?:next steps?|summary|to sum up|in summary|roadmap|what (?:comes )?next|action (?:items|plan)|our "
    r"(?:commitments|promises)|commitments|"
    r"what (?:we|you) (?:promise|commit|will get)|conclusions?|recap|takeaways|milestones|to-?do|"
    r"decisions?)\b",
    re.IGNORECASE,
)
_PROMISE = re.compile(
    r"\b(?:will|shall|promise|commit(?:ted)?|guarantee|deliver|by (?:the end of |mid-|early |late "
    r")?(?:[A-Z]|Q\d|20\d\d))\b"
)
_STOP: Final = word_set(
    "a an the this that our your their its we it i you is are was were be been will shall would of in on "
    "at to for from with without and or "
    "but by as per than up new all each every more most also only then there not no have has had do does "
    "plan plans planned promise commit "
    "committed deliver delivered delivery complete completed finish start launch end next step first "
    "second third year quarter month week"
)
_WORD = re.compile(r"[^\W\d_][\w’'-]+")
_ALIKE: Final = 0.5  # of the words of the shorter of two lines that speak of one promise
_FEWEST_KEPT: Final = 2


def promise_tensions(
    deck: Deck, figures: Sequence[Figure] = (), speech: Sequence[Segment] = ()
) -> Iterator[Tension]:
    """Promises with a date or a number that a later list of the same promises leaves out.

    Strong evidence only: the later slide is a summary or a list of next steps, it repeats at
    least two of an earlier list of promises, as many as it repeats it names no others, and the
    one that is missing has a date or a number and turns up on no slide in between or after.
    A promise whose date or number changed is a date or a number that differs: other checks say so.
    """
    slides = list(shown(deck))
    for index, later in enumerate(slides):
        if not _SUMMARY.search(later.title):
            continue
        for earlier in slides[:index]:
            yield from _left_out(earlier, later, slides)


def _left_out(earlier: Slide, later: Slide, slides: Sequence[Slide]) -> Iterator[Tension]:
    promised = [p for p in slide_passages(earlier) if p.origin == "line" and _is_promise(p)]
    repeated = [p for p in slide_passages(later) if p.origin == "line"]
    if len(promised) < _FEWEST_KEPT + 1 or len(repeated) < _FEWEST_KEPT:
        return
    kept = [p for p in promised if any(_alike(p.text, other.text) for other in repeated)]
    missing = [p for p in promised if p not in kept]
    answered = [r for r in repeated if any(_alike(p.text, r.text) for p in kept)]
    if len(missing) != 1 or len(kept) < _FEWEST_KEPT or len(answered) < len(repeated):
        return
    elsewhere = [p for s in slides if s.number not in (earlier.number,) for p in slide_passages(s)]
    if any(_words(missing[0].text) & _words(p.text) and _touches(missing[0].text, p.text) for p in elsewhere):
        return
    note = (
        f"{len(kept)} of the {len(promised)} promises of slide {earlier.number} are repeated; this one is "
        f"left "
        f"out."
    )
    yield Tension(KIND, missing[0].place, repeated[-1].place, note)


def _is_promise(passage: Passage) -> bool:
    text = passage.text
    if hypothetical(text) or not (moments(text) or amounts(text)):
        return False
    return bool(_PROMISE.search(text)) and not DONE.search(text)


def replaced_promises(earlier: Sequence[Claim], later: Sequence[Claim]) -> Iterator[Tension]:
    """Promises of an earlier session that a later one makes with another date or another amount.

    *a* is the earlier promise, *b* the later one. Both speak of the same things in the same
    words, each with one date or one amount of one unit; all else is silence.
    """
    for old in (claim for claim in earlier if "promise" in claim.kinds):
        for new in (claim for claim in later if {"promise", "future", "date"} & set(claim.kinds)):
            if _alike(old.text, new.text) and (note := _changed(old.text, new.text)):
                yield Tension(KIND, _place(old), _place(new), note)
                break


def left_out(earlier: Sequence[Claim], later: Sequence[Claim]) -> tuple[Claim, ...]:
    """Promises with a date or a number of an earlier session of which the later one says nothing at all.

    Not one of the words that make the promise its own stands in any later claim; so this can be
    asked about ("what became of …"), but it is no contradiction by itself.
    """
    said = frozenset(word for claim in later for word in _words(claim.text))
    return tuple(
        claim
        for claim in earlier
        if "promise" in claim.kinds
        and (moments(claim.text) or claim.quantities)
        and (own := _words(claim.text))
        and len(own & said) <= len(own) // 4
    )


def _changed(old: str, new: str) -> str | None:
    before, after = moments(old), moments(new)
    if len(before) == len(after) == 1:
        if apart(before[0], after[0]):
            return f"Promised for {before[0].text}, now for {after[0].text}."
        return None
    a = [x for x in amounts(old) if not x.vague]
    b = [x for x in amounts(new) if not x.vague]
    same = len(a) == len(b) == 1 and a[0].unit == b[0].unit and a[0].noun == b[0].noun
    if same and abs(a[0].value - b[0].value) > a[0].half + b[0].half:
        return f"Promised {a[0].text}, now {b[0].text}."
    return None


def _alike(a: str, b: str) -> bool:
    """The two lines speak of the same thing: most words of the shorter one stand in the other."""
    first, second = _words(a), _words(b)
    small = min(len(first), len(second))
    return small > 0 and len(first & second) >= max(1, _ALIKE * small)


def _touches(a: str, b: str) -> bool:
    """Enough of the promise's words are there for a reader to think of it."""
    first, second = _words(a), _words(b)
    return len(first & second) >= max(1, len(first) / 2)


def _words(text: str) -> frozenset[str]:
    dates = moments(text)
    kept = [m[0] for m in _WORD.finditer(text) if not any(d.start <= m.start() < d.end for d in dates)]
    return frozenset(stem(word) for word in kept if word.lower() not in _STOP and len(word) > 2)


def _place(claim: Claim) -> Place:
    return Place(claim.slide, claim.said_at_s, claim.text)
