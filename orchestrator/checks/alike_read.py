# ruff: noqa: E501 - a pattern lists its wordings
"""What a deck and its presenter say of each number: its words, its time, and what sets it apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.checks.alike_numbers import Amount, amounts_of
from orchestrator.checks.alike_status import status_of, traits_of
from orchestrator.checks.figures import DeckWords
from orchestrator.checks.lexicon import tokens
from orchestrator.checks.model import LEVEL, SHARE, When
from orchestrator.checks.numbers import COUNT, MONEY, PERCENT, TIME, kind_of, number_alone
from orchestrator.checks.reading.terms import Term, plain, poles, terms, terms_of
from orchestrator.checks.scope import Surroundings
from orchestrator.checks.sentence import Sentence, take_apart
from orchestrator.checks.tables import table_figures
from orchestrator.checks.vocabulary import PLACES
from orchestrator.checks.when import fixed, rates, typical_rate, whens
from orchestrator.claims.boilerplate import NO_WORD, claims_nothing, is_boilerplate
from orchestrator.claims.model import Place
from orchestrator.claims.periods import Period, find_periods
from orchestrator.claims.sentences import LONGEST_SENTENCE, sentences, without_final_stop
from orchestrator.claims.words import word_set
from orchestrator.deck.model import Deck, Slide
from orchestrator.speech.model import Segment

_MONTH = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|Q[1-4]|H[12]|FY\d*|(?:mon|tues|wednes|thurs|fri|satur|sun)day",
    re.I,
)
_ASKS = re.compile(r"\?\W*$")
_PER = re.compile(
    r"^\s*(?:(?:for |per |by |in |to )?(?:an?|each|every)\s+|per\s+|/\s?|the\s)(?:(?P<n>1,?000|100|thousand|hundred)\s+)?(?P<what>[a-z]+)",
    re.I,
)
_FOR_EVERY = re.compile(
    r"\b(?:for|per|of|in)\s+(?:each|every|any|a)?\s*(?P<n>1,?000|10,?000|100,?000|100|one thousand|a thousand|a hundred|thousand|hundred)\s+"
    r"(?P<what>[a-z]+)",
    re.I,
)
_TIMES: Final = word_set(
    "year month week day hour quarter minute second annum annually night yearly total good bit"
)
_MANY: Final = {"1000": 1e3, "thousand": 1e3, "onethousand": 1e3, "athousand": 1e3, "100": 100.0, "hundred": 100.0,
                "ahundred": 100.0, "10000": 1e4, "100000": 1e5}  # fmt: skip
_CORRECTS = re.compile(
    r"^\W*(?:no,|sorry,?|i mean,?|correction|rather|make that|scratch that|i meant|excuse me|pardon|strike that|let me correct)",
    re.I,
)
_ALONE = re.compile(r"\W{0,2}(?P<number>\d{2,3}(?:[,.’']?\d{3})*(?:\.\d+)?)\W{0,2}")
_NARROWS = re.compile(
    r"\b(?:in(?! (?:front|turn|place|fact|case|total|all|hand|line|addition|order|force|use|operation|action|time|full|short))|at(?! (?:last|least|once|all|present))|for|from|among|on(?! (?:average|time|top|track))|within|outside|across)\s+(?:(?:the|our|its|their|this|that|these|those|all|every|each|both|an?)\s+)*"
    r"(?P<what>[A-Za-z][\w’'-]*(?:\s+(?!in\b|at\b|for\b|from\b|on\b|of\b|to\b|by\b|is\b|are\b|was\b|were\b|and\b|or\b)[a-z][\w’'-]*){0,2})"
)
_REASON = re.compile(
    r",?\s*\b(?:(?:mainly|largely|primarily|mostly|partly|partially|chiefly)\s+)?(?:explained|driven|caused|supported|helped|offset|led|coupled|reflecting|"
    r"thanks|due|owing|resulting|attributable|as a result|despite|in spite|because|boosted|impacted|hit) (?:by|to|of|in|from|with|the)\b",
    re.I,
)
_NTH_OF = re.compile(
    r"\bthe \w+(?:st|nd|rd|th|first|second|third)? of (?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.I,
)
_WENT = re.compile(r"^\s*,?\s*(?:(?:which|that) is\s+)?(up|down)\b", re.I)
_PART_OF_YEAR = re.compile(r"\b(?:three|six|nine|3|6|9)[- ]months?\b", re.I)
_IN_A_NAME = re.compile(r"\d+-(?:year|month|week|day|hour|minute)\s+[a-z]", re.I)
"""\"30-day readmission rate\": the number is a word of a name, and parts no clause."""
_CODE = re.compile(r"\b(?=[A-Z\d]*\d)[A-Z\d]{1,6}[-/]\d{3,}\b(?![-/.,]\d)")
"""The number of a lot, a file, an order: what has one is not what has another."""
_TAKES_BACK: Final = 40
"""Characters: a number so soon after such words takes the place of the one before."""


@dataclass(frozen=True, slots=True)
class Saying:
    """One number of a deck or of speech with everything that is said of it."""

    place: Place
    amount: Amount
    own: tuple[Term, ...]  # of its clause, its row's label or its heading
    around: tuple[Term, ...]  # of its slide's title, its column, the sentence before
    status: str  # of alike_status
    traits: frozenset[str]  # gross, longest, former, only …
    poles: frozenset[str]
    names: frozenset[str]
    when: tuple[When, ...]
    per: str = ""  # plain form of what it is for one of
    slide: int | None = None  # the slide that it is on, or that is shown while it is said
    scale_known: bool = True
    head: tuple[Term, ...] = ()  # of the label before a colon, or of the row
    parts: tuple[tuple[Term, ...], ...] = ()  # what may narrow it: "in the hill farms"
    row: tuple[int, int, int] | None = None  # slide, table and row of a cell

    @property
    def rates(self) -> frozenset[str]:
        """Which stretch of time it is counted per."""
        return rates(self.when)

    def rates_agree(self, other: Saying) -> bool:
        """Both are counted per the same stretch of time; what is not said is a year, or none."""
        one, two = self.rates - {"year"}, other.rates - {"year"}
        return one == two

    @property
    def fixed(self) -> tuple[When, ...]:
        """The times that it is about."""
        return fixed(self.when)


def sayings_of(deck: Deck, words: DeckWords) -> Iterator[Saying]:
    """Every comparable number of the slides that are shown."""
    for slide in deck.slides:
        if not slide.hidden and not claims_nothing(slide.title):
            yield from _of_lines(slide, words)
            yield from _of_tables(slide, words)


def sayings_of_segment(segment: Segment, words: DeckWords) -> Iterator[Saying]:
    """Every comparable number of one piece of speech, without those that the speaker takes back."""
    before, found = "", list[Saying]()
    for start, end in sentences(segment.text):
        text = segment.text[start:end]
        sentence = without_final_stop(text)
        if end - start > LONGEST_SENTENCE or _ASKS.search(text):
            before = ""
            continue
        place = Place(segment.slide, segment.start_s, sentence)
        new = list(
            _read(
                sentence,
                place,
                segment.slide,
                words,
                heading="",
                around=terms_of(before),
                title_when=(),
                spoken=True,
            )
        )
        if found and new and _CORRECTS.match(sentence) and new[0].amount.start < _TAKES_BACK:
            found = [s for s in found if s.amount.kind != new[0].amount.kind]
        found += new
        before = sentence
    yield from found


def _of_lines(slide: Slide, words: DeckWords) -> Iterator[Saying]:
    title, title_terms = slide.title, terms_of(slide.title)
    found = [p for p in find_periods(title) if p.kind != "recurring"]
    title_when = whens(found) if len(found) == 1 else ()
    group, before = "", ""
    lines = [title, *slide.lines]
    for index, line in enumerate(lines):
        if line.rstrip().endswith(":") and not any(char.isdigit() for char in line):
            group = line
            continue
        if is_boilerplate(line) or NO_WORD.search(line):
            continue
        label = _label_beside(lines, index)
        before = ""
        for start, end in sentences(line):
            text = line[start:end]
            sentence = without_final_stop(text)
            if end - start <= LONGEST_SENTENCE and not _ASKS.search(text):
                around = (*(title_terms if index else ()), *terms_of(group), *terms_of(before))
                yield from _read(sentence, Place(slide.number, None, sentence), slide.number, words, heading=f"{label} | {group}" if label else "",
                                 around=around, title_when=title_when if index else (), spoken=False, title=title)  # fmt: skip
            before = sentence


def _label_beside(lines: Sequence[str], index: int) -> str:
    """The label of a line that holds little but a number."""
    if not index or terms_of(lines[index]) or not any(char.isdigit() for char in lines[index]):
        return ""
    at = index
    while at > 1 and (_is_label(lines[at - 1]) if _is_bare(lines[at]) else _is_bare(lines[at - 1])):
        at -= 1
    order = (index + 1, index - 1) if _is_bare(lines[at]) else (index - 1, index + 1)
    for beside in order:
        if 0 < beside < len(lines) and _is_label(lines[beside]):
            return lines[beside]
    return lines[0]


def _is_bare(line: str) -> bool:
    return any(char.isdigit() for char in line) and not terms_of(line)


def _is_label(line: str) -> bool:
    """A few words without a number of their own; a year may stand among them."""
    for period in reversed(find_periods(line)):
        line = line[: period.start] + line[period.end :]
    return 0 < len(line.split()) <= 8 and not any(char.isdigit() for char in line) and bool(terms_of(line))


def _of_tables(slide: Slide, words: DeckWords) -> Iterator[Saying]:
    title_terms = terms_of(slide.title)
    found = [p for p in find_periods(slide.title) if p.kind != "recurring"]
    title_when = whens(found) if len(found) == 1 else ()
    for number, table in enumerate(slide.tables):
        for figure in table_figures(
            table, slide.number, Surroundings(), title_when, slide.title, english=words.english
        ):
            row, column = divmod(figure.index, 1000)
            side, head = table.rows[row][0], table.rows[0][column] if row else ""
            kind = kind_of(figure.unit)
            amount = Amount(figure.text, figure.value, figure.low, figure.high, kind, figure.unit, -1, -1,
                            figure.unit or "" if kind == COUNT else "")  # fmt: skip
            status = (
                status_of(f"{side} | {head} | {slide.title}", "", "", words.names)
                if figure.role in (LEVEL, SHARE)
                else figure.role
            )
            own = terms_of(f"{side} | {head}")
            yield Saying(
                figure.place, amount, own, title_terms, status if figure.is_ours else "others",
                traits_of(f"{side} | {head}"), poles(own), _names(f"{side} | {head}", words, heading=True), figure.when,
                per=_per_in(f"{side} | {head} | {slide.title}", amount), slide=slide.number,
                scale_known=figure.scale_known, head=terms_of(side), row=(slide.number, number, row),
            )  # fmt: skip


def _per_in(text: str, amount: Amount) -> str:
    if amount.kind != MONEY:
        return ""
    match = re.search(r"(?:\b(?:per|each)\s|/\s?)([a-z]+)", text, re.I)
    return "" if match is None or match[1].lower() in _TIMES else plain(match[1])


def _read(
    text: str,
    place: Place,
    slide: int | None,
    words: DeckWords,
    *,
    heading: str,
    around: tuple[Term, ...],
    title_when: tuple[When, ...],
    spoken: bool,
    title: str = "",
) -> Iterator[Saying]:
    sentence = take_apart(text, spoken=spoken)
    if heading and not sentence.numbers and (alone := _ALONE.fullmatch(text)):
        sentence = replace(
            sentence,
            numbers=(number_alone(alone["number"], alone.start("number")),),
            tokens=tuple(tokens(text)),
        )
    if not sentence.numbers and not re.search(
        r"\bhalf\b|\bevery\b|\bdozen\b|\bfortnight\b|\bhour and\b", text
    ):
        return
    if not sentence.tokens and not heading:
        return
    bases = [m.span() for m in _FOR_EVERY.finditer(text)]
    amounts = tuple(
        a for a in amounts_of(sentence, spoken=spoken) if not any(s <= a.start < e for s, e in bases)
    )
    if any(a.is_middle for a in amounts):
        amounts = tuple(a for a in amounts if not a.text.lower().startswith("half"))
    free = _without_dates(text, sentence)
    for index, amount in enumerate(amounts):
        left, right = _clause(sentence, amounts, index)
        head = sentence.before_colon(left)
        head_text = text[head[0] : head[1]] if head and not spoken else ""
        clause = text[left:right]
        outside = free[left : amount.start] + " " + amount.noun + " " + free[amount.end : right]
        own = terms(
            [
                *re.findall(r"[A-Za-z]+", f"{head_text} "),
                *_without_periods(sentence, left, right, amount, amounts),
                *re.findall(r"[A-Za-z]+", heading),
            ]
        )
        status = status_of(f"{head_text} {free[left:right]}", text[max(left, amount.start - 60) : amount.start], text[amount.end : amount.end + 40],
                           words.names, title=title, amount=amount)  # fmt: skip
        when = _when(sentence, left, right, amount, amounts) or title_when or _heading_when(heading)
        rate = tuple(
            w
            for w in whens(
                p
                for p in sentence.periods
                if p.kind == "recurring" and (head[0] if head_text and head else left) <= p.start <= right
            )
        )
        per, factor = _per(text, amount, left)
        amount_ = (
            replace(amount, value=amount.value / factor, low=amount.low / factor, high=amount.high / factor)
            if factor != 1
            else amount
        )
        rest = (
            tuple(t for t in (*terms_of(text[:left]), *terms_of(text[right:])) if t not in own)
            if len(amounts) == 1
            else ()
        )
        yield Saying(
            place, amount_, own, (*rest, *around), status, traits_of(f"{head_text} {outside} {heading}") | _more_traits(text, amount), poles(own),
            _names(f"{head_text}: {clause}", words, heading=False), (*when, *(r for r in (*rate, *typical_rate(clause)) if r not in when)), per, slide,
            head=terms_of(head_text), parts=_parts(f"{head_text} : {free[left : amount.start]} | {free[amount.end : right]}"),
        )  # fmt: skip


def _parts(text: str) -> tuple[tuple[Term, ...], ...]:
    """The phrases behind "in", "for", "among": each may be a part of the whole."""
    found = (terms_of(match["what"]) for match in _NARROWS.finditer(text))
    return tuple(terms for terms in found if terms)


def _more_traits(text: str, amount: Amount) -> frozenset[str]:
    """The median where half are within; a part of the year that the whole sentence is about."""
    found = {"median"} if amount.is_middle else set()
    if way := _WENT.match(text[amount.end :]):
        found.add(f"went {way[1].lower()}")
    if amount.kind != TIME and _PART_OF_YEAR.search(text):
        found.add("part of a year")
    return frozenset(found)


def _without_dates(text: str, sentence: Sentence) -> str:
    """The text with blanks for its dates: "the first of September" is no first one."""
    for match in _NTH_OF.finditer(text):
        text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
    for period in sentence.periods:
        if period.kind == "calendar":
            text = text[: period.start] + " " * (period.end - period.start) + text[period.end :]
    return text


def _without_periods(
    sentence: Sentence, left: int, right: int, amount: Amount, amounts: Sequence[Amount]
) -> list[str]:
    """The words of the clause in order, the counted noun where it stands."""
    found = []
    for token in sentence.tokens:
        if not (left <= token.start and token.end <= right and token.word[0].isalpha()):
            continue
        if any(p.start <= token.start < p.end for p in sentence.periods if p.kind != "recurring"):
            continue
        inside = next((a for a in amounts if a.start <= token.start < a.end), None)
        fraction = inside is amount and not amount.noun and amount.kind == PERCENT  # "four seats out of five"
        if (
            inside is not None
            and not fraction
            and (inside is not amount or not amount.noun or token.start < amount.end - len(amount.noun))
        ):
            continue
        found.append(token.word)
    return found


def _clause(sentence: Sentence, amounts: Sequence[Amount], index: int) -> tuple[int, int]:
    """The stretch of the sentence whose words belong to the amount."""
    amount, text = amounts[index], sentence.text
    left, right = sentence.hard_left(amount.start), sentence.hard_right(amount.end)
    amounts = [a for a in amounts if a is amount or not _IN_A_NAME.match(text, a.start)]
    index = amounts.index(amount)
    if index and amounts[index - 1].end > left:
        previous = amounts[index - 1]
        cut = list(re.finditer(r",|\band\b", text[previous.end : amount.start]))
        left = previous.end + (cut[0].end() if cut else 0)
    if index + 1 < len(amounts) and amounts[index + 1].start < right:
        following = amounts[index + 1]
        cut = list(re.finditer(r",|\band\b|\bfrom\b", text[amount.end : following.start]))
        right = amount.end + cut[-1].start() if cut else following.start
    if (comma := text.find(", ", amount.end, right)) > 0 and terms_of(
        text[left : amount.start] + " " + amount.noun
    ):
        right = comma
    if reason := _REASON.search(text, amount.end, right):
        right = reason.start()
    return left, right


def _when(
    sentence: Sentence, left: int, right: int, amount: Amount, amounts: Sequence[Amount]
) -> tuple[When, ...]:
    periods = [
        p
        for p in sentence.periods
        if p.kind != "recurring" and not (p.start <= amount.start and amount.end <= p.end)
    ]
    periods = [p for p in periods if not _is_stretch(p, amount)]
    inside = [
        p
        for p in periods
        if re.fullmatch(r"\s*[(\[]\s*(?:in |for )?", sentence.text[amount.end : max(amount.end, p.start)])
    ]
    inside = inside or [p for p in periods if left <= p.start < right]
    if inside:
        return whens(inside)
    if len(periods) > 1:  # "lost after the first month in 2023": only one is of the calendar
        periods = [p for p in periods if p.kind == "calendar"]
    leading = [p for p in periods if amounts and p.start < amounts[0].start]
    return whens(leading) if len(periods) == len(leading) == 1 else ()


def _is_stretch(period: Period, amount: Amount) -> bool:
    """ "within two weeks", "an hour": an amount of time, and no time at which something holds."""
    return amount.start < period.end and period.start < amount.end


def _heading_when(heading: str) -> tuple[When, ...]:
    return whens(p for p in find_periods(heading) if p.kind != "recurring") if heading else ()


def _per(text: str, amount: Amount, left: int) -> tuple[str, float]:
    """What the amount is for one of, and by what to divide it: "£437 for every 1,000 litres" is 0.437 a litre."""
    if amount.kind != MONEY:
        return "", 1.0
    behind = _PER.match(text[amount.end :])
    if (
        behind
        and behind["what"].lower() not in _TIMES
        and not behind[0].lstrip(" ,").lower().startswith("the")
    ):
        return plain(behind["what"]), _MANY.get((behind["n"] or "").replace(",", "").lower(), 1.0)
    ahead = _FOR_EVERY.search(text[left:])
    if ahead:
        return plain(ahead["what"]), _MANY.get(re.sub(r"[\s,]", "", ahead["n"].lower()), 1.0)
    return "", 1.0


def _names(text: str, words: DeckWords, *, heading: bool) -> frozenset[str]:
    """Places and proper names: a figure with one is not the figure without."""
    found = {match[0] for match in _CODE.finditer(text) if not find_periods(match[0])}
    for match in re.finditer(r"[A-Za-z][\w&’-]*", text):
        if _MONTH.fullmatch(match[0]):
            continue
        low = plain(match[0])
        before = text[: match.start()].rstrip("\"'“‘( ")
        inside = bool(before) and before[-1] not in ".!?:;•|–—" and not heading
        if (
            (low in PLACES and not (low == "us" and match[0] != "US"))
            or (match[0].lower() in words.names and match[0][0].isupper())
            or (
                inside
                and match[0][0].isupper()
                and len(match[0]) > 2
                and not find_periods(match[0])
                and not match[0].isupper()
            )
        ):
            found.add(low)
    return frozenset(found - {plain(name) for name in words.own_names})
