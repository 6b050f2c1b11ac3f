# ruff: noqa: E501 - a pattern lists its wordings
"""The measures of a deck and of speech: every number with its subject, its time and what sets it apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.checks.figures import DeckWords
from orchestrator.checks.model import LEVEL, When
from orchestrator.checks.model import SHARE as PART
from orchestrator.checks.reading.amounts import amounts, canonical
from orchestrator.checks.reading.context import status_of, traits_of
from orchestrator.checks.reading.marks import (
    ADVERBS,
    RATE,
    names_of,
    noun_of,
    only_time,
    parts_of,
    per_of,
    rate_of,
    times_of,
    when_of,
)
from orchestrator.checks.reading.model import (
    ACTUAL,
    BARE,
    COUNT,
    OTHERS,
    PAST,
    PHYSICAL,
    SHARE,
    TIME,
    Amount,
    Measure,
    Piece,
)
from orchestrator.checks.reading.pieces import pieces_of, shown, spoken_pieces
from orchestrator.checks.reading.terms import Term, plain, terms_of
from orchestrator.checks.scope import Surroundings
from orchestrator.checks.tables import table_figures
from orchestrator.checks.vocabulary import CORRECTION
from orchestrator.claims.periods import Period, find_periods
from orchestrator.deck.model import Deck, Slide
from orchestrator.speech.model import Segment

_HARD = re.compile(r"[;|•!?]|\s[–—-]\s|—|\.\s")
_COLON = re.compile(r":\s|\s[–—-]\s")
_CUT = re.compile(
    r",|\band\b|\bwhile\b|\bwhereas\b|\bbut\b|\bagainst\b|\bfrom\b|\bwith\b|\bof which\b|\bof whom\b|\bversus\b|\bvs\b|\bafter\b|\bup on\b|\bdown on\b|\bcompared\b|\bthan\b|\bto\b|\bfor\b|\bover\b",
    re.I,
)
_REASON = re.compile(
    r",?\s*\b(?:(?:mainly|largely|primarily|mostly|partly|chiefly)\s+)?(?:explained|driven|caused|helped|offset|led|coupled|reflecting|thanks|due|owing|resulting|attributable|as a result|despite|in spite|because|boosted|impacted|hit|so that|which (?:means|is why)) (?:by|to|of|in|from|with|the|we|it|our)\b",
    re.I,
)
_NEXT_CLAUSE = re.compile(
    r",\s+(?:and|but|so|because|while|which|who|where|since|although|though)\b|,\s+by\s|\swhose\s|\s(?:because|although|though|whereas|but)\s"
    r"|\s(?:and|so)\s+(?:I|we|they|he|she|it|that|this|you|there|people|everybody|most of|for the|the (?:rest|others?))\b",
    re.I,
)
_AGO = re.compile(r"\s+(?:ago|earlier|back)\b", re.I)
"""Behind a length of time: then it says when, and measures nothing."""
_BRACKETS = re.compile(r"[(\[][^()\[\]]*[)\]]")
_TIMES_NOUN = re.compile(r"\btimes$", re.I)
_WITHIN = re.compile(
    r"\b(?:within|inside|in under|in less than|under|less than|more than|over|longer than|after|at least)\s+(?:the |a |an )?$",
    re.I,
)
_CORRECTED = re.compile(CORRECTION, re.I)


_UNIT_WORDS: Final = {
    "w": "capacity power load", "wh": "energy electricity generation consumption output", "m²": "area space floor land", "m": "length network route distance road",
    "g": "weight tonnage tonne volume", "l": "volume", "b": "storage",
}  # fmt: skip


_EARLIER = re.compile(
    r"(?:(?:end of |in )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?|Q[1-4]|H[12]|spring|summer|autumn|winter|was|before|then|(?:last|prior|previous) (?:year|quarter|month|half)|(?:year|quarter|month) before)?[:,]?\s*[€$£]?\s*$",
    re.I,
)


def measures_of(deck: Deck, words: DeckWords) -> list[Measure]:
    """Every measure of the slides that are shown, in reading order."""
    found: list[Measure] = []
    for slide in shown(deck):
        title_when = only_time(slide.title)
        for piece in pieces_of(slide):
            found += measures_of_piece(piece, words, title_when if piece.origin != "title" else ())
        found += _of_tables(slide, words, title_when)
    return found


def measures_of_segment(segment: Segment, words: DeckWords) -> list[Measure]:
    """The measures of one piece of speech, without those that the speaker takes back."""
    found: list[Measure] = []
    for piece in spoken_pieces(segment):
        new = measures_of_piece(piece, words, ())
        corrections = [match.start() for match in _CORRECTED.finditer(piece.text)]
        found += [
            m for m in new if not corrections or m.amount.start > corrections[-1] or corrections[-1] == 0
        ]
    return found


def measures_of_piece(piece: Piece, words: DeckWords, title_when: tuple[When, ...]) -> list[Measure]:
    """The measures of a sentence."""
    text = piece.text
    periods = find_periods(text)
    found, criteria = _without_criteria(
        text, amounts(text, periods, spoken=piece.origin == "speech", english=words.english)
    )
    found = [a for a in found if not (a.kind == TIME and _AGO.match(text, a.end))]
    brackets = [match.span() for match in _BRACKETS.finditer(text)]
    around = (*terms_of(piece.title), *terms_of(piece.before))
    made: list[Measure] = []
    for index, amount in enumerate(found):
        bracket = next((span for span in brackets if span[0] < amount.start < span[1]), None)
        head, left, right = _clause(text, found, index, brackets, bracket)
        following = _NEXT_CLAUSE.search(text, amount.end, right)
        said = _masked(text, left, following.start() if following else right, found, periods, amount)
        own_text = " ".join([head, said, piece.label])
        own = (
            *terms_of(own_text),
            *(criteria if amount.kind in (SHARE, COUNT) else ()),
            *_unit_terms(amount),
        )
        carried = made[-1] if made and made[-1].piece is piece else None
        if carried and (bracket or not _tells(own, amount)):
            own = (*own, *(t for t in carried.own if t not in own))
        rest = terms_of(_masked(text, 0, len(text), found, periods, None))
        before, after = (
            text[max(0, (bracket or (0, 0))[0], amount.start - 60) : amount.start],
            text[amount.end : right],
        )
        inner_head = text[bracket[0] + 1 : amount.start] if bracket else head
        status = status_of(_plain(text, left, right, bracket), before, after, inner_head, piece.title, amount)
        if (
            bracket
            and status == ACTUAL
            and carried
            and _is_for_comparison(text, carried.amount, amount, bracket)
        ):
            status = PAST
        made.append(
            Measure(
                amount=amount,
                piece=piece,
                place=piece.place,
                own=own,
                around=(*(t for t in rest if t not in own), *around),
                noun=noun_of(amount.noun) if not _TIMES_NOUN.search(amount.noun) else frozenset(),
                status=status,
                traits=traits_of(own_text),
                names=names_of(text, left, right, head, words),
                when=when_of(times_of(periods, found, brackets, bracket), left, right, amount, found)
                or (only_time(head) if head else ())
                or title_when,
                rate=rate_of(text, amount, left, right, head),
                per=per_of(text, amount, right, found, head),
                head=terms_of(head),
                parts=parts_of(said),
            )
        )
    return made


def _unit_terms(amount: Amount) -> tuple[Term, ...]:
    """What a unit tells of its subject: megawatts are of a capacity."""
    words = _UNIT_WORDS.get(amount.unit, "") if amount.kind == PHYSICAL else ""
    return (Term(amount.unit, frozenset(plain(word) for word in words.split())),) if words else ()


def _tells(own: Sequence[Term], amount: Amount) -> bool:
    noun = noun_of(amount.noun)
    return any(not term.features & noun for term in own) or bool(noun and own)


def _clause(
    text: str,
    found: Sequence[Amount],
    index: int,
    brackets: list[tuple[int, int]],
    bracket: tuple[int, int] | None,
) -> tuple[str, int, int]:
    """The label before a colon, and the stretch whose words belong to the amount."""
    amount = found[index]
    if bracket:
        siblings = [a for a in found if bracket[0] < a.start < bracket[1]]
        left, right = bracket[0] + 1, bracket[1] - 1
    else:
        siblings = [a for a in found if not any(s < a.start < e for s, e in brackets)]
        left = max((m.end() for m in _HARD.finditer(text, 0, amount.start)), default=0)
        right = min((m.start() for m in _HARD.finditer(text, amount.end)), default=len(text))
    at = siblings.index(amount)
    head = ""
    if colon := [m for m in _COLON.finditer(text, 0, amount.start) if not bracket]:
        start = max((m.end() for m in re.finditer(r"[;|.]\s", text[: colon[-1].start()])), default=0)
        head = text[start : colon[-1].start()]
        if len(head.split()) > 12:
            head = ""
        left = max(left, colon[-1].end())
    if at and siblings[at - 1].end > left:
        previous = siblings[at - 1]
        cut = _CUT.search(text, previous.end, amount.start)
        left = cut.start() if cut else previous.end
    if at + 1 < len(siblings) and siblings[at + 1].start < right:
        cuts = list(_CUT.finditer(text, amount.end, siblings[at + 1].start))
        right = cuts[0].start() if cuts else siblings[at + 1].start
    if reason := _REASON.search(text, amount.end, right):
        right = reason.start()
    return head, left, right


def _masked(
    text: str,
    left: int,
    right: int,
    found: Sequence[Amount],
    periods: Sequence[Period],
    amount: Amount | None,
) -> str:
    """The words of the stretch without its numbers and times, and without what stands in brackets."""
    drop = [(a.start, a.end - (len(a.noun) if a is amount or amount is None else 0)) for a in found]
    drop += [(p.start, p.end) for p in periods if p.kind != "recurring"]
    inside = amount is not None and any(
        s < amount.start < e for s, e in (m.span() for m in _BRACKETS.finditer(text))
    )
    if not inside:
        drop += [match.span() for match in _BRACKETS.finditer(text)]
    chars = [" " if any(s <= i < e for s, e in drop) else text[i] for i in range(left, right)]
    return "".join(chars)


def _is_for_comparison(text: str, told: Amount, amount: Amount, bracket: tuple[int, int]) -> bool:
    """ "£118 (£115)": what stands alone in brackets behind a number of its kind is the one before."""
    return bool(
        (told.kind, told.unit) == (amount.kind, amount.unit)
        and told.end <= bracket[0]
        and not text[told.end : bracket[0]].strip()
        and (_EARLIER.match(text[bracket[0] + 1 : amount.start]) or amount.start == bracket[0] + 1)
        and not text[amount.end : bracket[1] - 1].strip()
    )


def _plain(text: str, left: int, right: int, bracket: tuple[int, int] | None) -> str:
    """The stretch without what stands in other brackets."""
    return text[left:right] if bracket else _BRACKETS.sub(lambda match: " " * len(match[0]), text)[left:right]


def _without_criteria(text: str, found: list[Amount]) -> tuple[list[Amount], tuple[Term, ...]]:
    """Those that are measured, and "inside four hours", which says of what a share is one."""
    if not any(amount.kind == SHARE or amount.kind == COUNT for amount in found):
        return found, ()
    kept, criteria = [], []
    for amount in found:
        if amount.kind == TIME and _WITHIN.search(text[: amount.start]):
            criteria.append(Term(f"{amount.value:.3g} d", frozenset({f"{amount.value:.3g} d"})))
        else:
            kept.append(amount)
    return kept, tuple(criteria)


def _of_tables(slide: Slide, words: DeckWords, title_when: tuple[When, ...]) -> Iterator[Measure]:
    title = terms_of(slide.title)
    for number, table in enumerate(slide.tables):
        for figure in table_figures(
            table, slide.number, Surroundings(), title_when, slide.title, english=words.english
        ):
            row, column = divmod(figure.index, 1000)
            side, head = table.rows[row][0], table.rows[0][column] if row else ""
            kind, unit, factor = _cell_kind(figure.unit, figure.value)
            amount = Amount(
                figure.text,
                -1,
                -1,
                figure.value * factor,
                figure.low * factor,
                figure.high * factor,
                kind,
                unit,
                is_hedged="about" in figure.modifiers,
            )
            own = (*terms_of(f"{side} | {head}"), *_unit_terms(amount))
            status = status_of(f"{side} | {head}", "", "", head, slide.title, amount)
            if not figure.is_ours:
                status = OTHERS
            elif figure.role not in (LEVEL, PART) and status == ACTUAL:
                status = "moved" if figure.role in ("growth", "change") else "planned"
            piece = Piece(
                " | ".join(table.rows[row]),
                figure.place,
                slide.number,
                1000 * (number + 1) + row,
                "row",
                slide.title,
            )
            rate = RATE.search(f"{side} | {head}")
            yield Measure(
                amount=amount, piece=piece, place=figure.place, own=own, around=title,
                noun=frozenset(f for t in (*own, *title) for f in t.features) if kind in (COUNT, BARE) else frozenset(),
                status=status, traits=traits_of(f"{side} | {head}"), names=names_of(f"{side} | {head}", 0, 0, f"{side} | {head}", words),
                when=figure.when, rate=ADVERBS.get(w := (rate["unit"] or rate["adverb"] or rate["slash"] or "year").lower(), w) if rate else "",
                row=(slide.number, number, row), column=column, column_label=head, scale_known=figure.scale_known,
            )  # fmt: skip


def _cell_kind(unit: str | None, value: float) -> tuple[str, str, float]:
    from orchestrator.checks.reading.amounts import _kind

    kind, name, _, factor = _kind(unit)
    if kind == TIME:
        return TIME, "", 1.0
    if kind == COUNT and unit and (known := canonical(unit)):
        return PHYSICAL, known[0], known[1]
    return kind, name, factor
