"""Where a word that may be a filler or hedge is one: a rule of its neighbours for each.

A rule that cannot tell says no. English only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.claims.words import ONES, TEENS, TENS, word_set

FILLER: Final = "filler"
HEDGE: Final = "hedge"
HESITATION = re.compile(r"u+m+|u+h+|erm+|uhm+")


@dataclass(frozen=True, slots=True)
class Token:
    text: str  # in lower case, apostrophes straight
    start: int
    end: int
    pause_before: bool  # a mark of punctuation stands before it, or it is the first word
    pause_after: bool  # a mark of punctuation stands after it, or it is the last word
    opens: bool  # a sentence begins with it


_JOINS: Final = word_set(
    "and but so or because cause well then um uh erm like that is are was were we i it to"
)
"""After these, "you know" with a pause behind it is no question and no clause."""
_KNOWN: Final = word_set(
    "as do did does don't let lets let's if what how when until before once should would will may might can "
    "must all than that's who where why to which whether i'll we'll i'd already never"
)
"""Before "you know": "as you know", "if you know", "let you know" mean what they say."""
_AFTER_I_MEAN: Final = word_set(
    "we we're we've we'd i i'm i've you you're they they're there there's he she our your it's this today"
)
_BEFORE_LIKE_NUMBER: Final = word_set(
    "is are was were be been it's that's there's have has had got took takes cost costs need needs "
    "for in with"
)
_BEFORE_LIKE_ARTICLE: Final = word_set("have has had got needs need for with in of at")
_ARTICLES: Final = word_set("a an the")
_NUMBERS: Final = frozenset((*ONES[1:], *TEENS, *TENS, "hundred", "half"))
_BEFORE_KIND: Final = word_set(
    "i we you they he she it i'm we're you're they're he's she's it's that's i've we've they've there's "
    "just really still also now is are was were be been can could may might will would gonna to have has "
    "had do does did"
)
_NOT_AFTER_KIND: Final = word_set("you him her them me us")
_AFTER_KIND_APART: Final = word_set("to like where what how we just a the think feel")
_SAME: Final = word_set("the same no zero nothing all equal equivalent identical flat unchanged")
_NOT_THINK: Final = word_set("what how when where why way as than do did who before if which things thing")
_THINK_ABOUT: Final = word_set("about of through back ahead over twice")
_HOPES_TO_SEE: Final = word_set("see meet talk speak hear welcome answer join be continue")

Rule = Callable[[Sequence[Token], int, int], bool]
"""Whether the words from the one index to the other, which are the right ones, are a filler or hedge."""


# Neighbours. `first` is the index of the first word of the phrase, `after` the index behind its last.


def _before(tokens: Sequence[Token], first: int) -> str:
    """The word before, whatever stands between; "" at the beginning."""
    return tokens[first - 1].text if first else ""


def _next(tokens: Sequence[Token], after: int) -> str:
    return tokens[after].text if after < len(tokens) else ""


def _joined_before(tokens: Sequence[Token], first: int) -> str:
    """The word before where no pause stands between, else ""."""
    return "" if tokens[first].pause_before else _before(tokens, first)


def _pause_after(tokens: Sequence[Token], after: int) -> bool:
    return tokens[after - 1].pause_after or hesitates(_next(tokens, after))


def _pause_before(tokens: Sequence[Token], first: int) -> bool:
    return tokens[first].pause_before or hesitates(_before(tokens, first))


def hesitates(word: str) -> bool:
    """Whether the word, in lower case, is "um" or the like."""
    return HESITATION.fullmatch(word) is not None


def _set_off(tokens: Sequence[Token], first: int, after: int) -> bool:
    """Pauses on both sides: the sentence goes on without it."""
    return _pause_before(tokens, first) and _pause_after(tokens, after)


def _anywhere(tokens: Sequence[Token], first: int, after: int) -> bool:
    return True


def _you_know(tokens: Sequence[Token], first: int, after: int) -> bool:
    if not _pause_after(tokens, after) or _before(tokens, first) in _KNOWN:
        return False
    return _pause_before(tokens, first) or _before(tokens, first) in _JOINS


def _i_mean(tokens: Sequence[Token], first: int, after: int) -> bool:
    explains = any(token.text == "by" for token in tokens[max(0, first - 4) : first])
    if explains or _before(tokens, first) == "what":
        return False
    if not _pause_before(tokens, first) and _before(tokens, first) not in _JOINS:
        return False
    following = _next(tokens, after)
    goes_on = following == "it" and not tokens[after].pause_after  # "I mean it." is meant
    return _pause_after(tokens, after) or following in _AFTER_I_MEAN or goes_on


def _like(tokens: Sequence[Token], first: int, after: int) -> bool:
    before, following = _joined_before(tokens, first), _next(tokens, after)
    if _set_off(tokens, first, after):
        return True
    if tokens[after - 1].pause_after:
        return False
    number = following[:1].isdigit() or following in _NUMBERS
    return (number and before in _BEFORE_LIKE_NUMBER) or (
        following in _ARTICLES and before in _BEFORE_LIKE_ARTICLE
    )


def _so(tokens: Sequence[Token], first: int, after: int) -> bool:
    """Beside a hesitation or another "so", or left hanging at the end."""
    before, following = _before(tokens, first), _next(tokens, after)
    if hesitates(following) and tokens[first].pause_before:
        return True
    if hesitates(before) and tokens[after - 1].pause_after:
        return True
    hangs = first > 0 and not following and tokens[first].pause_before
    return hangs or (following == "so" and tokens[after - 1].pause_after and tokens[first].pause_before)


def _well(tokens: Sequence[Token], first: int, after: int) -> bool:
    return _set_off(tokens, first, after) and len(tokens) > 1


def _right(tokens: Sequence[Token], first: int, after: int) -> bool:
    """The tag at the end of a clause: ", right?"; an agreement of one word is none."""
    if _before(tokens, first) in ("left", "okay", "ok", "oh", "all", "yes", "yeah", "ah", "right", "um"):
        return False
    return not tokens[first].opens and _next(tokens, after) != "left" and _set_off(tokens, first, after)


def _basically(tokens: Sequence[Token], first: int, after: int) -> bool:
    if _next(tokens, after) in _SAME and not tokens[after - 1].pause_after:
        return False
    opens = _joined_before(tokens, first) in ("so", "and", "but")
    return opens or _pause_before(tokens, first) or tokens[after - 1].pause_after


def _apart(tokens: Sequence[Token], first: int, after: int) -> bool:
    return tokens[first].pause_before or tokens[after - 1].pause_after


def _kind_of(tokens: Sequence[Token], first: int, after: int) -> bool:
    following = _next(tokens, after)
    if following in _NOT_AFTER_KIND:
        return False
    if tokens[first].pause_before:
        return first > 0 and (tokens[after - 1].pause_after or following in _AFTER_KIND_APART)
    return _before(tokens, first) in _BEFORE_KIND


def _possibly(tokens: Sequence[Token], first: int, after: int) -> bool:
    return not _before(tokens, first).endswith(("not", "n't", "as"))


def _perhaps(tokens: Sequence[Token], first: int, after: int) -> bool:
    return _next(tokens, after) not in ("most", "the", "more")


def _i_think(tokens: Sequence[Token], first: int, after: int) -> bool:
    return _before(tokens, first) not in _NOT_THINK and _next(tokens, after) not in _THINK_ABOUT


def _i_guess(tokens: Sequence[Token], first: int, after: int) -> bool:
    return _before(tokens, first) not in ("what", "as", "when", "can", "could")


def _aside(tokens: Sequence[Token], first: int, after: int) -> bool:
    """ "…, I believe, …": as an aside it takes back what was said; "I believe that" may be conviction."""
    return first > 0 and _set_off(tokens, first, after)


def _in_a_way(tokens: Sequence[Token], first: int, after: int) -> bool:
    return tokens[after - 1].pause_after


def _hope_to(tokens: Sequence[Token], first: int, after: int) -> bool:
    return _next(tokens, after) not in _HOPES_TO_SEE


def _more_or_less(tokens: Sequence[Token], first: int, after: int) -> bool:
    return _joined_before(tokens, first) not in ("no", "neither", "either", "any")


_TABLE: Final[tuple[tuple[str, str, Rule], ...]] = (
    (FILLER, "you know", _you_know),
    (FILLER, "i mean", _i_mean),
    (FILLER, "like", _like),
    (FILLER, "so", _so),
    (FILLER, "well", _well),
    (FILLER, "right", _right),
    (FILLER, "basically", _basically),
    (FILLER, "literally", _set_off),
    (FILLER, "to be honest", _apart),
    (FILLER, "kind of", _kind_of),
    (FILLER, "sort of", _kind_of),
    (HEDGE, "i think", _i_think),
    (HEDGE, "i guess", _i_guess),
    (HEDGE, "i suppose", _i_guess),
    (HEDGE, "i believe", _aside),
    (HEDGE, "maybe", _anywhere),
    (HEDGE, "perhaps", _perhaps),
    (HEDGE, "probably", _anywhere),
    (HEDGE, "possibly", _possibly),
    (HEDGE, "hopefully", _anywhere),
    (HEDGE, "presumably", _anywhere),
    (HEDGE, "somewhat", _anywhere),
    (HEDGE, "more or less", _more_or_less),
    (HEDGE, "as far as i know", _anywhere),
    (HEDGE, "it seems", _anywhere),
    (HEDGE, "in a way", _in_a_way),
    (HEDGE, "should be fine", _anywhere),
    (HEDGE, "we hope to", _hope_to),
    (HEDGE, "i hope to", _hope_to),
)
RULES: Final = {
    first: [(kind, tuple(words.split()), test) for kind, words, test in _TABLE if words.split()[0] == first]
    for first in {words.split()[0] for _, words, _ in _TABLE}
}
"""The rows of the table by their first word, in its order."""
