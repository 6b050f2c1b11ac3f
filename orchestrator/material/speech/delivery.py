"""Measure how the presenter spoke: pace, fillers and hedges, pauses, time without another voice.

Every measure is counted from segments; nothing is guessed. Pace and pauses are not measured if times were
estimated from words, nor for typed words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import Any, Final

from orchestrator.material.claims.dates import dates_in
from orchestrator.material.claims.language import reads_as_english
from orchestrator.material.claims.numbers import numbers_in
from orchestrator.material.speech.text import written
from orchestrator.material.speech.times import Stretch, pace_of, stretches, windows, words_in
from orchestrator.material.values import Segment

# ---------------------------------------------------------------------- fillers
# Fillers and hedges in running speech: words counted whole, and only where they are one.
#
# "Like", "so", "well" and "right" have honest work to do in most sentences. Each counts only where its
# neighbours show that it does none: set off by pauses, or where grammar has no place for it
# (`fillers.yaml` says where). English only.


FILLER: Final = "filler"
HEDGE: Final = "hedge"

WORD = re.compile(r"\w+(?:[.'’&-]\w+)*")  # "y'all", "R&D", "3.5" and "so-so" are one word each
# "um", "umm", "uh", "erm", "uhm"; "er" and "ah" are words of other languages and names.
_HESITATION = re.compile(r"u+m+|u+h+|erm+|uhm+")
# Where speech-to-text programs write down a pause, or an editor did.
_PAUSE: Final = frozenset(",.;:!?…–—-()[]{}")
_STOPS: Final = frozenset(".!?…")


@dataclass(frozen=True, slots=True)
class Mark:
    """One filler or hedge: `text[start:end]` is its wording, `word` the same in lower case, except "I"."""

    kind: str  # FILLER or HEDGE
    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Token:
    text: str  # in lower case, apostrophes straight
    start: int
    end: int
    mark_before: bool  # punctuation stands before it, or it is the first word
    mark_after: bool  # punctuation stands after it, or it is the last word
    opens: bool  # a sentence begins with it


Conditions = tuple[tuple[str, frozenset[str]], ...]
"""Conditions that must all hold: each a fact of `_facts` and the words of which the fact must have one.
Without words, the fact alone is enough."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """The conditions under which a phrase is a filler or hedge."""

    kind: str
    words: tuple[str, ...]
    never: Conditions
    where: tuple[Conditions, ...]


def marks(text: str) -> tuple[Mark, ...]:
    """Return every filler and hedge of *text*, in order and without overlaps.

    Letter case and typographic apostrophes make no difference. A part of a longer word does not count.
    """
    tokens = _tokens(text)
    found: list[Mark] = []
    index = 0
    while index < len(tokens):
        if (hit := _mark_at(tokens, index)) is None:
            index += 1
            continue
        kind, after = hit
        start, end = tokens[index].start, tokens[after - 1].end
        word = " ".join("I" if token.text == "i" else token.text for token in tokens[index:after])
        found.append(Mark(kind, word, start, end))
        index = after
    return tuple(found)


def is_countable(text: str) -> bool:
    """Return whether the text seems English; hesitations are ignored, since they are words elsewhere."""
    return reads_as_english(WORD.sub(lambda word: " " if hesitates(word[0].lower()) else word[0], text))


def _tokens(text: str) -> list[_Token]:
    tokens = []
    matches = list(WORD.finditer(text))
    for number, match in enumerate(matches):
        before = text[matches[number - 1].end() : match.start()] if number else "."
        after = text[match.end() : matches[number + 1].start()] if number + 1 < len(matches) else "."
        tokens.append(
            _Token(
                match[0].lower().replace("’", "'"),
                match.start(),
                match.end(),
                mark_before=not _PAUSE.isdisjoint(before),
                mark_after=not _PAUSE.isdisjoint(after),
                opens=not _STOPS.isdisjoint(before),
            )
        )
    return tokens


def _mark_at(tokens: Sequence[_Token], index: int) -> tuple[str, int] | None:
    """Return the kind of the mark that begins at *index* and the index behind the mark, or None."""
    first = tokens[index].text
    if hesitates(first):
        return FILLER, index + 1
    for rule in _rules().get(first, ()):
        after = index + len(rule.words)
        phrase = tokens[index:after]
        if tuple(token.text for token in phrase) != rule.words or any(one.mark_after for one in phrase[:-1]):
            continue
        facts = _facts(tokens, index, after)
        if not any(_holds(one, facts) for one in rule.never) and any(
            all(_holds(one, facts) for one in conditions) for conditions in rule.where
        ):
            return rule.kind, after
    return None


def _facts(tokens: Sequence[_Token], first: int, after: int) -> dict[str, frozenset[str]]:
    """Return the facts that hold for the words from *first* to *after*, each with the words it concerns."""
    before, following = tokens[max(0, first - 4) : first], tokens[after : after + 1]
    mark_before, mark_after = tokens[first].mark_before, tokens[after - 1].mark_after
    um_before, um_after = (any(hesitates(one.text) for one in near) for near in (before[-1:], following))
    holds = {
        "mark before": mark_before,
        "mark after": mark_after,
        "um before": um_before,
        "um after": um_after,
        "pause before": mark_before or um_before,
        "pause after": mark_after or um_after,
        "first": not before,
        "last": bool(before) and not following,
        "alone": len(tokens) == 1,
        "opens": tokens[first].opens,
    }
    neighbours = {
        "before": before[-1:],
        "after": following,
        "joined before": () if mark_before else before[-1:],
        "joined after": () if mark_after else following,
        "meant after": [one for one in following if not one.mark_after],
        "shortly before": before,
    }
    return {fact: frozenset() for fact, told in holds.items() if told} | {
        fact: frozenset(form for token in near for form in _forms(token.text))
        for fact, near in neighbours.items()
    }


def _holds(condition: tuple[str, frozenset[str]], facts: Mapping[str, frozenset[str]]) -> bool:
    fact, words = condition
    return fact in facts and (not words or not words.isdisjoint(facts[fact]))


def _forms(word: str) -> tuple[str, ...]:
    return word, "-n't" if word.endswith("n't") else word, "0" if word[:1].isdigit() else word


def hesitates(word: str) -> bool:
    """Return whether *word*, in lower case, is a hesitation such as "um"."""
    return _HESITATION.fullmatch(word) is not None


@lru_cache(maxsize=1)
def _rules() -> dict[str, list[_Rule]]:
    """Return the rules of `fillers.yaml`, in order, by the first word of their phrase."""
    rules: dict[str, list[_Rule]] = {}
    for kind, phrases in written("fillers").items():
        for phrase, rule in phrases.items():
            words = tuple(phrase.split())
            where = tuple(_conditions(one) for one in rule.get("where", [[]]))
            rules.setdefault(words[0], []).append(
                _Rule(kind, words, _conditions(rule.get("never", [])), where)
            )
    return rules


def _conditions(written: Sequence[Any]) -> Conditions:
    """Parse conditions, each of which is a fact alone or a fact with the words to which it applies."""
    pairs = [next(iter(one.items())) if isinstance(one, dict) else (one, "") for one in written]
    return tuple((fact, frozenset(words.split())) for fact, words in pairs)


# ---------------------------------------------------------------------- delivery


LONG_PAUSE_S: Final = 4.0
"""Seconds of silence from which a pause is long; a shorter one is breath, a slide change, or a pause for
effect."""
_NEVER_A_PAUSE_S: Final = 60.0
"""Seconds of silence that are not a pause in speaking any more: the recording was cut, or the meeting stood
still."""
# Enough words to tell a language; all of two hours would be read at each debrief.
_SAMPLE_SEGMENTS: Final = 200


@dataclass(frozen=True, slots=True)
class Said:
    """A filler or hedge, with the segment in which it was said."""

    mark: Mark
    segment: Segment


@dataclass(frozen=True, slots=True)
class Pause:
    """A silence of the presenter while nobody else speaks."""

    at_s: float
    length_s: float
    before: Segment  # what was said before it


@dataclass(frozen=True, slots=True)
class Delivery:
    """The measures of one presentation; a measure that cannot be taken is None."""

    words: int
    spoken_s: float
    words_per_minute: int | None
    minutes: tuple[Stretch, ...]
    slow: tuple[Stretch, ...]
    fast: tuple[Stretch, ...]
    said: tuple[Said, ...] | None  # fillers and hedges, in order; None where the speech is not English
    pauses: tuple[Pause, ...] | None  # of LONG_PAUSE_S and more
    monologue: tuple[float, float] | None  # start and end of the longest time without another voice
    talk_share: float | None  # of all time in which somebody spoke
    others_s: float = 0.0  # how long anybody else spoke
    is_recognised: bool = False  # words are as a speech-to-text program heard them: without most hesitations

    def common(self, kind: str) -> list[tuple[str, int]]:
        """Return the fillers or hedges with their counts, the commonest first."""
        counted = Counter(one.mark.word for one in self.said or () if one.mark.kind == kind)
        return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))

    def count(self, kind: str) -> int:
        """Count the fillers or hedges (*kind*)."""
        return sum(one.mark.kind == kind for one in self.said or ())


def delivery_of(
    segments: Sequence[Segment], judged: Collection[str | None], *, asked_at_s: Sequence[float] = ()
) -> Delivery:
    """Measure all *segments* of a session, given in the order in which they were said.

    Args:
        judged: The labels whose segments count. If None is among them, segments without a label count.
        asked_at_s: The times when questions were put. The presenter's silence around a question is listening,
            and the panel is another voice.

    A segment whose words were withdrawn, or never said, is not counted, and its time is not silence.
    """
    said_at_all = [one for one in segments if one.text]
    own = [one for one in said_at_all if one.speaker in judged]
    told = [one for one in segments if not one.times_estimated]
    own_s = sum(one.end_s - one.start_s for one in own)
    all_s = sum(one.end_s - one.start_s for one in said_at_all)
    minutes = windows(own)
    said = said_in(own)
    rated = () if said is None else minutes  # what is slow and fast is known for English
    return Delivery(
        words=round(sum(words_in(one.text) for one in own)),
        spoken_s=round(own_s, 3),
        words_per_minute=pace_of(own),
        minutes=minutes,
        slow=stretches(rated, fast=False),
        fast=stretches(rated, fast=True),
        said=said,
        pauses=pauses_in(told, judged, asked_at_s) if any(one.is_length_told for one in told) else None,
        monologue=_longest_alone(told, judged, asked_at_s),
        talk_share=round(own_s / all_s, 3) if all_s else None,
        others_s=round(all_s - own_s, 3),
        is_recognised=is_recognised(own),
    )


def is_recognised(segments: Sequence[Segment]) -> bool:
    """Return whether any segment comes from speech to text: only those have a confidence."""
    return any(one.confidence is not None for one in segments)


def said_in(segments: Sequence[Segment]) -> tuple[Said, ...] | None:
    """Return every filler and hedge in these segments, or None if the segments are not in English.

    Marks are counted segment by segment, so that the whole is the sum of its parts.
    """
    if not is_countable(" ".join(one.text for one in segments[:_SAMPLE_SEGMENTS])):
        return None
    return tuple(Said(mark, one) for one in segments for mark in marks(one.text))


def pauses_in(
    segments: Sequence[Segment], judged: Collection[str | None], asked_at_s: Sequence[float] = ()
) -> tuple[Pause, ...]:
    """Return the presenter's long silences between two of their segments with nobody else in between."""
    found = []
    for before, after in pairwise(segments):
        if before.speaker not in judged or after.speaker not in judged:
            continue
        gap_s = round(after.start_s - before.end_s, 3)
        asked = any(before.end_s <= at_s <= after.start_s for at_s in asked_at_s)
        if before.is_length_told and LONG_PAUSE_S <= gap_s < _NEVER_A_PAUSE_S and not asked:
            found.append(Pause(before.end_s, gap_s, before))
    return tuple(found)


def _longest_alone(
    segments: Sequence[Segment], judged: Collection[str | None], asked_at_s: Sequence[float]
) -> tuple[float, float] | None:
    alone: list[tuple[float, float]] = []
    before: Segment | None = None
    for one in segments:
        if one.speaker in judged:
            goes_on = before is not None and before.speaker in judged
            asked = before and any(before.end_s <= at_s <= one.start_s for at_s in asked_at_s)
            begin_s = alone[-1][0] if goes_on and not asked else one.start_s
            alone.append((begin_s, one.end_s))
        before = one
    return max(alone, key=lambda time: time[1] - time[0], default=None)


# ---------------------------------------------------------------------- repeated
# Strings of words that a presenter says again and again, found by the words alone and in any language.
#
# A string ends where a sentence does, and at a figure or a date. Left out are those that stand on a slide:
# a subject is named as often as it must be.


MIN_WORDS: Final = 3
"""Minimum number of words of a repeated string. Shorter strings are grammar: in the five talks of
`tests/debrief/test_five_talks.py`, the demo's and five more, 2 to 14 pairs of words a talk came often enough
("of the", "in the"), and 0 to 4 longer strings."""
MIN_SPOKEN: Final = 2
"""Minimum number of words of more than one letter in a string; a string with fewer is an abbreviation that is
spelled."""
MAX_WORDS: Final = 8
MIN_TIMES: Final = 4
WORDS_A_TIME: Final = 400
"""Number of words of a long talk for each time that a string must be said: two and a half minutes, after
which a listener begins to wait for it."""

_SENTENCE_ENDS: Final = re.compile(r"[.!?…](?=\W|$)")


@dataclass(frozen=True, slots=True)
class Repeated:
    """A string of words in the wording in which it was first said, with every time when it was said."""

    words: str
    at_s: tuple[float, ...]  # the beginning of the piece of speech

    @property
    def times(self) -> int:
        """The number of times that the string was said."""
        return len(self.at_s)


@dataclass(frozen=True, slots=True)
class _Word:
    plain: str  # in lower case
    said: str
    at_s: float


def repeated_in(segments: Sequence[Segment], shown: Sequence[str] = ()) -> tuple[Repeated, ...]:
    """Return the strings said at least MIN_TIMES and once in WORDS_A_TIME words, the commonest first.

    No word counts for two strings: a longer string is preferred to the strings within it.

    Args:
        segments: The segments of one person, in order.
        shown: The lines of the slides; a string that is on a slide is left out.
    """
    sentences = _sentences(segments)
    least = max(MIN_TIMES, ceil(sum(map(len, sentences)) / WORDS_A_TIME))
    lines = [" ".join(one.plain for one in _words(line, 0.0)) for line in shown]
    on_slides = f" {' | '.join(lines)} "
    taken: set[tuple[int, int]] = set()  # sentence and place of words that count already
    found = []
    for length in range(MAX_WORDS, MIN_WORDS - 1, -1):
        for string, all_places in _strings(sentences, length).items():
            places = [one for one in all_places if taken.isdisjoint(_covered(*one, length))]
            is_spelled = sum(len(word) > 1 for word in string) < MIN_SPOKEN
            if len(places) < least or is_spelled or f" {' '.join(string)} " in on_slides:
                continue
            first, at = places[0]
            words = " ".join(one.said for one in sentences[first][at : at + length])
            taken.update(pair for one in places for pair in _covered(*one, length))
            found.append(Repeated(words, tuple(sentences[number][at].at_s for number, at in places)))
    return tuple(sorted(found, key=lambda one: -one.times))


def _covered(number: int, at: int, length: int) -> list[tuple[int, int]]:
    """Return sentence and position of each word of a string."""
    return [(number, at + more) for more in range(length)]


def _strings(
    sentences: Sequence[Sequence[_Word]], length: int
) -> dict[tuple[str, ...], list[tuple[int, int]]]:
    """Return every string of *length* words with its places, which do not overlap, commonest first."""
    found: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for number, words in enumerate(sentences):
        for at in range(len(words) - length + 1):
            places = found.setdefault(tuple(one.plain for one in words[at : at + length]), [])
            if not places or places[-1][0] != number or places[-1][1] + length <= at:
                places.append((number, at))
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))


def _sentences(segments: Sequence[Segment]) -> list[list[_Word]]:
    """Return the words by sentence, leaving out um and uh, and joining sentences that captions cut in two.

    A figure or a date separates words as the end of a sentence does.
    """
    sentences: list[list[_Word]] = [[]]
    for one in segments:
        ends = [match.span() for match in _SENTENCE_ENDS.finditer(one.text)]
        ends += [(number.start, number.end) for number in numbers_in(one.text)]
        ends += [(date.start, date.end) for date in dates_in(one.text)]
        at = 0
        for start, end in sorted(ends):
            sentences[-1] += _words(one.text[at:start], one.start_s)
            sentences.append([])
            at = max(at, end)
        sentences[-1] += _words(one.text[at:], one.start_s)
    return sentences


def _words(text: str, at_s: float) -> Iterator[_Word]:
    for match in WORD.finditer(text):
        plain = match[0].lower().replace("’", "'")
        if not hesitates(plain):
            yield _Word(plain, match[0], at_s)
