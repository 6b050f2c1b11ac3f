# ruff: noqa: E501 - a pattern lists its wordings
"""What is said to be the largest, or ahead of another, and is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.compare import place_words
from orchestrator.checks.reading.boards import Board, Item
from orchestrator.checks.reading.mentions import clause_of, is_about, mentions
from orchestrator.checks.reading.model import Piece
from orchestrator.claims.model import Tension

_MOST: Final = (
    r"largest|biggest|highest|greatest|top|leading|strongest|busiest|longest|heaviest|number one|no\. ?1|main"
)
_LEAST: Final = r"smallest|lowest|shortest|weakest|quietest|cheapest|lightest"
_EXTREME = re.compile(
    rf"\b(?:our|the|its|their|by far the|['’]s|is|are|remains?|now|as)\s+(?:by far (?:the |our )?|now |still |single |clear |undisputed )*(?P<rank>second|third|fourth|2nd|3rd)?[- ]?(?:(?P<most>{_MOST})|(?P<least>{_LEAST}))\b",
    re.I,
)
_RANKS: Final = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4}
_AHEAD = re.compile(
    r"\b(?:(?:has|have|had|now|also|even|already)\s+)*(?P<more>overtak(?:en|es)|overtook|outsells?|outsold|exceeds?|outweighs?|outnumbers?|outstrips?|surpass(?:es|ed)|(?:is|are|was|were) (?:now |clearly |well |far |much |slightly )*(?:larger|bigger|higher|greater|ahead of|above|more)(?: than)?|(?:brings? in|brought in|earns?|earned|sells?|sold|makes?|made|uses?|used|costs?|handles?|handled|carries|carried|produced?s?|attracts?|attracted|draws?|drew|takes?|took|received?s?|gets?|got|employs?|has|have|had) (?:\w+ )?more (?:\w+ ){0,2}?than)"
    r"|\b(?P<less>(?:is|are|was|were) (?:now |clearly |well |far |much |slightly )*(?:smaller|lower|below|behind|fewer|less)(?: than)?|falls? short of|(?:brings? in|brought in|earns?|earned|sells?|sold|makes?|made|uses?|used|costs?|handles?|handled|carries|carried|produced?s?|attracts?|attracted|draws?|drew|takes?|took|received?s?|gets?|got|employs?|has|have|had) (?:\w+ )?(?:less|fewer) (?:\w+ ){0,2}?than)\s",
    re.I,
)
_ALL_OTHERS = re.compile(
    r"\b(?:more|larger|bigger|higher)\b[^.;]{0,40}?\bthan (?:all )?(?:of )?(?:the )?(?:(?:other|remaining)s?(?:\s+\w+){0,3}?|rest|everything else|everyone else)\s*(?:(?:put |taken |all )?together|combined)?(?:\W|$)",
    re.I,
)
_TOGETHER = re.compile(r"\b(?:together|combined|rest|everything else|everyone else)\b", re.I)
_EVERYTHING = re.compile(r"^\s*(?:everything|everyone|anything|all)\s?(?:else|others?)?\b", re.I)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a board bears out what is said; the rival that does not let it be."""

    board: Board
    item: Item
    rival: Item | None


Rule = Callable[[Board, Piece, "re.Match[str]"], Verdict | None]


def rank_tensions(boards: Sequence[Board], pieces: Sequence[Piece]) -> Iterator[Tension]:
    """Sentences that put a name first, or before another, against the figures beside the names."""
    for piece in pieces:
        if piece.origin == "row":
            continue
        for pattern, rule in _RULES:
            match = pattern.search(piece.text)
            verdicts = [v for board in boards if (v := rule(board, piece, match))] if match else []
            if verdicts and all(v.rival for v in verdicts):
                yield _tension(min(verdicts, key=lambda v: v.board.slide != piece.slide), piece)
                break


def _tension(verdict: Verdict, piece: Piece) -> Tension:
    rival = verdict.rival or verdict.item
    kind = "speech-vs-deck" if piece.origin == "speech" else "deck-vs-deck"
    note = (
        f'"{verdict.item.name}" is {_shown(verdict.item)} and "{rival.name}" {_shown(rival)} '
        f"{place_words(rival.measure.place)}."
    )
    return Tension(kind, rival.measure.place, piece.place, note)


def _shown(item: Item) -> str:
    return " ".join(item.measure.amount.text.split())


def _extreme(board: Board, piece: Piece, match: re.Match[str]) -> Verdict | None:
    """ "Our largest market is France", "Solar is now our second largest source"."""
    start, end = clause_of(piece.text, *match.span())
    named = mentions(board, piece.text, start, end)
    if len(named) != 1 or not is_about(board, piece, start, end, match.span()):
        return None
    return _placed(board, named[0].item, _RANKS.get((match["rank"] or "").lower(), 1), bool(match["least"]))


def _placed(board: Board, item: Item, rank: int, least: bool) -> Verdict | None:
    own = item.measure.amount
    others = [o for o in board.items if o is not item and not o.is_rest]
    if any(o.measure.amount.value < 0 for o in others) or own.value < 0 or len(others) < rank:
        return None
    if least:
        before = [o for o in others if o.measure.amount.high < own.low]
        level = [o for o in others if o.measure.amount.low <= own.high]
    else:
        before = [o for o in others if o.measure.amount.low > own.high]
        level = [o for o in others if o.measure.amount.high >= own.low]
    if len(before) < rank <= len(level) + 1:
        return Verdict(board, item, None)
    extreme = (min if least else max)(others, key=lambda o: o.measure.amount.value)
    return Verdict(board, item, extreme)


def _ahead(board: Board, piece: Piece, match: re.Match[str]) -> Verdict | None:
    """ "Wind has overtaken gas", "the north sells less than the south"."""
    start, end = clause_of(piece.text, *match.span())
    named = mentions(board, piece.text, start, end)
    before = [m for m in named if m.end <= match.start()]
    after = [m for m in named if m.start >= match.end()]
    if len(before) != 1 or not is_about(board, piece, start, end, match.span()):
        return None
    if not after and match["more"] and _EVERYTHING.match(piece.text[match.end() :]):
        return _placed(board, before[0].item, 1, False)
    if len(after) != 1 or len(piece.text[match.end() : after[0].start].split()) > 2:
        return None
    one, two = before[0].item.measure.amount, after[0].item.measure.amount
    wrong = one.high < two.low if match["more"] else one.low > two.high
    return Verdict(board, before[0].item, after[0].item if wrong else None)


def _beyond_all(board: Board, piece: Piece, match: re.Match[str]) -> Verdict | None:
    """ "Saturday alone brings more than the other days together"."""
    if not board.is_added or not _TOGETHER.search(piece.text, match.start()):
        return None
    start, end = clause_of(piece.text, *match.span())
    named = [m for m in mentions(board, piece.text, start, end) if m.end <= match.start()]
    if len(named) != 1 or not is_about(board, piece, start, end, match.span()):
        return None
    item, others = named[0].item, [o for o in board.items if o is not named[0].item]
    wrong = item.measure.amount.high < sum(o.measure.amount.low for o in others)
    return Verdict(board, item, item if wrong else None)


_RULES: Final[tuple[tuple[re.Pattern[str], Rule], ...]] = (
    (_ALL_OTHERS, _beyond_all),
    (_AHEAD, _ahead),
    (_EXTREME, _extreme),
)
