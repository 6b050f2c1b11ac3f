"""Speakers named by `Name:` in front of their words, told apart from other colons."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from orchestrator.model.segment import LiveSegment
from orchestrator.speech.text import label
from orchestrator.speech.word_lists import word_list

# At most forty characters without a mark of punctuation: "What we learned: …" is a sentence as often as a
# name, and `split_label` looks further. ">>" begins a speaker in broadcast captions; the wide colon needs no
# space.
_PREFIX = re.compile(r"(?:>>+\s*)?([^\W\d_][^:：?!;,\"“”\n]{0,39})(?::\s+|：\s*)(\S.*)", re.DOTALL)
_NUMBER = re.compile(r"[ _#]*[0-9a-z]{0,3}", re.IGNORECASE)  # behind a role
_RECURS = 2  # once is a heading or a turn of phrase
_LEAST_SHARE = 0.05  # a label on fewer of the pieces than this is a turn of phrase


def split_label(text: str) -> tuple[str | None, str]:
    """The label that *text* may begin with, and the words after it; (None, *text*) without one.

    A label is short, begins with a capital (or a letter of a script without capitals), holds
    only capitalised words, numbers and particles of names, and is none of the common words that
    begin a note or a list.
    """
    match = _PREFIX.fullmatch(text)
    if match is None:
        return None, text
    words = match[1].split()
    # Names with titles have up to five words.
    if len(words) > 5 or words[0].casefold().strip(".") in word_list("not names"):
        return None, text
    if not _capital(words[0]) or not all(_fits(word) for word in words[1:]):
        return None, text
    return label(match[1]), match[2]


def is_role(name: str) -> bool:
    """Whether the label says what somebody does in the recording: `Speaker 2`, `Operator`."""
    folded = name.casefold()
    roles = (role for role in word_list("roles") if folded.startswith(role))
    return any(_NUMBER.fullmatch(name, len(role)) for role in roles)


def speakers_among(texts: Sequence[str]) -> frozenset[str]:
    """The labels that clearly are speakers: roles, and labels that recur.

    Where these and the once-used labels together stand before at least half of *texts*, the
    once-used ones are speakers too.
    """
    found = Counter(name for text in texts if (name := split_label(text)[0]) is not None)
    if sum(found.values()) < _LEAST_SHARE * len(texts):
        return frozenset()
    sure = frozenset(name for name, count in found.items() if count >= _RECURS or is_role(name))
    consistent = sure and 2 * sum(found.values()) >= len(texts)
    return frozenset(found) if consistent else sure


def with_speakers(pieces: Iterable[LiveSegment]) -> list[LiveSegment]:
    """Move `Name:` from the text to the speaker where it clearly is one.

    As in a script, a piece without a label belongs to whoever was named last. Where the source
    names speakers itself, nothing changes: the text stays as it is.
    """
    pieces = list(pieces)
    if any(piece.speaker is not None for piece in pieces):
        return pieces
    speakers = speakers_among([piece.text for piece in pieces])
    current: str | None = None
    named = []
    for piece in pieces:
        name, words = split_label(piece.text)
        if name in speakers:
            current, piece = name, replace(piece, text=words)
        named.append(replace(piece, speaker=current))
    return named


def _capital(word: str) -> bool:
    return word[0].isalpha() and not word[0].islower()


def _fits(word: str) -> bool:
    bare = word.strip("()[]#.-&")
    return not bare or _capital(bare) or bare.isdigit() or bare.casefold() in word_list("particles")
