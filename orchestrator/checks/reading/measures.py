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
from orchestrator.checks.vocabulary import CORRECTION, PLACES
from orchestrator.checks.when import whens
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
_NARROWS = re.compile(
    r"\b(?:in(?! (?:front|turn|place|fact|case|total|all|hand|line|addition|order|force|use|operation|action|time|full|short))|at(?! (?:last|least|once|all|present|year))|for|among)\s+(?:(?:the|our|its|their|this|that|these|those|all|every|each|both|an?)\s+)*"
    r"(?P<what>[A-Za-z][\w’'-]*(?:\s+(?!in\b|at\b|for\b|from\b|on\b|of\b|to\b|by\b|is\b|are\b|was\b|were\b|and\b|or\b)[a-z][\w’'-]*){0,2})"
)
_BRACKETS = re.compile(r"[(\[][^()\[\]]*[)\]]")
_RATE = re.compile(
    r"\b(?:per|a|an|each|every|by the|any|one)\s+(?:(?:single|typical|working|school|average|normal|calendar|given|full|whole|ordinary|trading|opening|busy|good)\s){0,2}(?P<unit>second|minute|hour|day|night|evening|shift|week|month|quarter|year)\b(?!\s+(?:ago|earlier|before|later|on year|and a))"
    r"|\b(?P<adverb>hourly|daily|nightly|weekly|monthly|quarterly|annual(?:ly)?|yearly)\b|/\s?(?P<slash>s|h|d|day|week|wk|month|mo|year|yr|a)\b|\bp\.?a\.?(?=\W|$)",
    re.I,
)
_RECURRING = re.compile(r"\b(?:MRR|ARR|monthly recurring|annual recurring)\b", re.I)
_TIMES_NOUN = re.compile(r"\btimes$", re.I)
_ADVERBS: Final = {"hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "annual": "year", "annually": "year", "yearly": "year",
                   "s": "second", "h": "hour", "d": "day", "wk": "week", "mo": "month", "yr": "year", "a": "year", "night": "day", "evening": "day"}  # fmt: skip
_PER = re.compile(
    r"^[^,;.]{0,14}?(?<![a-z])(?:for each|for every|per|for a|to the|to each|to every|in each|in every|on each|each|every|an?|/)(?:(?<=/)|\s)(?:of the |of our )?(?P<what>[a-z][\w-]+(?:\s[a-z]+)?)",
    re.I,
)
_ONE_FOR = re.compile(
    r"\b(?:one|1|an?)\s+(?P<what>[a-z-]+(?: [a-z-]+)?)\s+(?:for|to|per)\s+(?:every |each )?(?:about |around |some )?$",
    re.I,
)
_EACH = re.compile(r"\b(?:each|apiece|every one|every single one|a piece|the lot of them)\b", re.I)
_TIMES: Final = frozenset(
    [
        "second",
        "minute",
        "hour",
        "day",
        "night",
        "evening",
        "week",
        "month",
        "quarter",
        "year",
        "annum",
        "time",
        "total",
        "good",
        "bit",
        "lot",
        "half",
        "third",
        "quarter",
        "fifth",
        "few",
        "little",
        "further",
    ]
)
_WITHIN = re.compile(
    r"\b(?:within|inside|in under|in less than|under|less than|more than|over|longer than|after|at least)\s+(?:the |a |an )?$",
    re.I,
)
_CALENDAR_NAME = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|Q[1-4]|H[12]|FY\d*|(?:mon|tues|wednes|thurs|fri|satur|sun)day|I|[A-Z]{2,5}",
    re.I,
)
_CORRECTED = re.compile(CORRECTION, re.I)


def measures_of(deck: Deck, words: DeckWords) -> list[Measure]:
    """Every measure of the slides that are shown, in reading order."""
    found: list[Measure] = []
    for slide in shown(deck):
        title_when = _only_time(slide.title)
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


def _only_time(text: str) -> tuple[When, ...]:
    found = [p for p in find_periods(text) if p.kind != "recurring"]
    return whens(found) if len(found) == 1 else ()


def measures_of_piece(piece: Piece, words: DeckWords, title_when: tuple[When, ...]) -> list[Measure]:
    """The measures of a sentence."""
    text = piece.text
    periods = find_periods(text)
    found, criteria = _without_criteria(
        text, amounts(text, periods, spoken=piece.origin == "speech", english=words.english)
    )
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
                noun=_noun(amount.noun) if not _TIMES_NOUN.search(amount.noun) else frozenset(),
                status=status,
                traits=traits_of(own_text),
                names=_names(text, left, right, head, words),
                when=_when(_times_of(periods, found, brackets, bracket), left, right, amount, found)
                or (_only_time(head) if head else ())
                or title_when,
                rate=_rate(text, amount, left, right, head),
                per=_per(text, amount, right, found, head),
                head=terms_of(head),
                parts=_parts(said),
            )
        )
    return made


_UNIT_WORDS: Final = {
    "w": "capacity power load", "wh": "energy electricity generation consumption output", "m²": "area space floor land", "m": "length network route distance road",
    "g": "weight tonnage tonne volume", "l": "volume", "b": "storage",
}  # fmt: skip


def _unit_terms(amount: Amount) -> tuple[Term, ...]:
    """What a unit tells of its subject: megawatts are of a capacity."""
    words = _UNIT_WORDS.get(amount.unit, "") if amount.kind == PHYSICAL else ""
    return (Term(amount.unit, frozenset(plain(word) for word in words.split())),) if words else ()


def _noun(noun: str) -> frozenset[str]:
    found = terms_of(noun)
    return found[-1].features if found else frozenset()


def _tells(own: Sequence[Term], amount: Amount) -> bool:
    noun = _noun(amount.noun)
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


_EARLIER = re.compile(
    r"(?:(?:end of |in )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?|Q[1-4]|H[12]|spring|summer|autumn|winter|was|before|then|(?:last|prior|previous) (?:year|quarter|month|half)|(?:year|quarter|month) before)?[:,]?\s*[€$£]?\s*$",
    re.I,
)


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


def _times_of(
    periods: Sequence[Period],
    found: Sequence[Amount],
    brackets: Sequence[tuple[int, int]],
    own: tuple[int, int] | None,
) -> list[Period]:
    """The times that may hold for an amount: those in brackets belong to the number in these brackets."""
    foreign = [span for span in brackets if span != own and any(span[0] < a.start < span[1] for a in found)]
    return [p for p in periods if not any(start < p.start < end for start, end in foreign)]


def _when(
    periods: Sequence[Period], left: int, right: int, amount: Amount, found: Sequence[Amount]
) -> tuple[When, ...]:
    usable = [
        p for p in periods if p.kind != "recurring" and not (p.start < amount.end and amount.start < p.end)
    ]
    inside = [p for p in usable if left <= p.start < right]
    if inside:
        return whens(inside)
    leading = [p for p in usable if p.start < found[0].start]
    return whens(leading) if leading and len(usable) == len(leading) else ()


def _rate(text: str, amount: Amount, left: int, right: int, head: str) -> str:
    if amount.kind == TIME:
        match = _RATE.match(text[amount.end :].lstrip())
        word = (match["unit"] or "").lower() if match else ""
        return _ADVERBS.get(word, word)
    behind = re.split(r"[,;(]", text[amount.end : right])[0]
    for stretch in (text[amount.start : amount.end] + behind[:48], head, text[left : amount.start]):
        if match := _RATE.search(stretch):
            word = (match["unit"] or match["adverb"] or match["slash"] or "year").lower()
            return _ADVERBS.get(word, word)
    if match := _RECURRING.search(f"{head} {text[left:right]}"):
        return "month" if match[0].lower().startswith("m") else "year"
    return ""


def _per(text: str, amount: Amount, right: int, found: Sequence[Amount], head: str) -> frozenset[str]:
    if amount.kind == SHARE:
        return frozenset()
    if (ratio := _ONE_FOR.search(text[: amount.start])) and (words := terms_of(ratio["what"])):
        return words[-1].features
    label = re.search(r"\bper (?P<what>[a-z]+)", head)
    if label and label["what"] not in _TIMES and (words := terms_of(label["what"])):
        return words[0].features
    following = next((a.start for a in found if a.start >= amount.end), len(text))
    match = _PER.match(text[amount.end : max(right, min(following, amount.end + 28))])
    if match and not _TIMES & set(match["what"].lower().split()):
        words = terms_of(match["what"])
        if words:
            return words[0].features
    if _EACH.search(text[max(0, amount.start - 24) : amount.end + 24]):
        nouns = [_noun(a.noun) for a in found if a is not amount and a.kind == COUNT]
        return nouns[0] if nouns else frozenset({"each"})
    return frozenset()


def _names(text: str, left: int, right: int, head: str, words: DeckWords) -> frozenset[str]:
    """Places and proper names: a figure with one is not the figure without."""
    found = set()
    for stretch, opens in ((head, True), (text[left:right], left == 0)):
        for match in re.finditer(r"[A-Za-z][\w&’-]*", stretch):
            low = plain(match[0])
            if any(f[0] in "#±" for t in terms_of(match[0]) for f in t.features):
                continue  # "abroad" is a side of a whole, "RevPAR" a figure
            if (low in PLACES and match[0] != "us") or (
                match[0][0].isupper()
                and not _CALENDAR_NAME.fullmatch(match[0])
                and len(match[0]) > 2
                and (
                    match[0].lower() in words.names
                    or (
                        (match.start() > 0 or not opens)
                        and match[0].lower() not in words.names
                        and _is_inside(stretch, match.start())
                    )
                )
            ):
                found.add(low)
    return frozenset(found - {plain(name) for name in words.own_names})


def _parts(text: str) -> tuple[tuple[Term, ...], ...]:
    found = (terms_of(match["what"]) for match in _NARROWS.finditer(text))
    return tuple(terms for terms in found if terms)


def _is_inside(text: str, start: int) -> bool:
    before = text[:start].rstrip("\"'“‘( ")
    return bool(before) and before[-1] not in ".!?:;•|–—"


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
            rate = _RATE.search(f"{side} | {head}")
            yield Measure(
                amount=amount, piece=piece, place=figure.place, own=own, around=title,
                noun=frozenset(f for t in (*own, *title) for f in t.features) if kind in (COUNT, BARE) else frozenset(),
                status=status, traits=traits_of(f"{side} | {head}"), names=_names(f"{side} | {head}", 0, 0, f"{side} | {head}", words),
                when=figure.when, rate=_ADVERBS.get(w := (rate["unit"] or rate["adverb"] or rate["slash"] or "year").lower(), w) if rate else "",
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
