"""Figures of a deck and of speech: every number with what decides what it may be compared with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from orchestrator.checks.lexicon import mentions, metric_phrases, singular, stems, tokens
from orchestrator.checks.metrics import OF_PEOPLE
from orchestrator.checks.model import GROWTH, LEVEL, TARGET, Figure, When
from orchestrator.checks.naming import Named, fits, name_numbers
from orchestrator.checks.numbers import COUNT, MEASURE, MONEY, PERCENT, TIME, Number, number_alone
from orchestrator.checks.scope import Surroundings, scope_of
from orchestrator.checks.sentence import Sentence, take_apart
from orchestrator.checks.tables import chart_figures, table_figures
from orchestrator.checks.vocabulary import (
    CORRECTION,
    FUNCTION,
    GENERIC,
    LINKS,
    MODIFIERS,
    PLACES,
    POPULATIONS,
)
from orchestrator.checks.when import typical_rate, whens
from orchestrator.claims.boilerplate import NO_WORD, claims_nothing, is_boilerplate, lists_criteria
from orchestrator.claims.calendar import MONTH_NAMES, MONTHS
from orchestrator.claims.cues import PLAN_HEADING
from orchestrator.claims.language import reads_as_english
from orchestrator.claims.model import Claim, Place
from orchestrator.claims.periods import Period, find_periods
from orchestrator.claims.sentences import LONGEST_SENTENCE, sentences, without_final_stop
from orchestrator.claims.words import word_set
from orchestrator.deck.model import Deck, Slide
from orchestrator.speech.model import Segment

_CORRECTION = re.compile(CORRECTION, re.I)
_QUOTED = re.compile(r"[“\"][^”\"]{3,}[”\"]")
_ASKS = re.compile(
    r"\?\W*$|^\W*(?:how (?:many|much|long|far)|what (?:is|are|if|would)|who|why|when will|is (?:it|"
    r"that)|are we|do we|"
    r"can we|should we)\b",
    re.I,
)
_LABELLED = re.compile(
    r"^(?P<label>[^:.;!?]{2,70}?)\s*(?::|\s[–—-])\s*(?:(?:about|around|roughly|nearly|over|some|"
    r"almost)\s+|[~≈])?$",
    re.I,
)
_UNIT_WORDS: Final = word_set(
    "eur usd gbp chf k m mn bn million billion thousand percent per cent pct % x day week month year "
    "minute hour point km kilometre kilometer metre ha hectare t tonne kg mwh gwh kwh mw gw litre square"
)
_GROWS_BEFORE = re.compile(
    r"^(?:(?:and|so|also|the|our|we saw|number of)\s+)*(?P<label>[A-Za-z][\w\s-]{2,40}?)\s+(?:(?:have|"
    r"has|were|was|are|is|went)\s+)?"
    r"(?:up|down|grew|rose|fell|increased|decreased|dropped|declined|climbed|grown|risen|fallen)\s+"
    r"(?:by\s+)?(?:(?:about|around|nearly|almost|over|some|roughly|more than)\s+)*$",
    re.I,
)
_ALONE = re.compile(r"\W{0,2}(?P<number>\d{2,3}(?:[,.’']?\d{3})*(?:\.\d+)?)\W{0,2}")
_SOON: Final = 12
"""Characters: a correction so early in a sentence takes the sentence before it back."""
_LABEL_LINE: Final = 6
_GROWTH_ALONE = re.compile(
    r"\b(?:up|down|plus|minus|(?:increase|decrease|rise|drop|growth|decline|reduction|gain|fall|"
    r"jump) of|by)\s+"
    r"(?:(?:about|around|nearly|almost|over|some|roughly|more than|a)\s+)*$|[(,]\s*[+−-]\s?$",
    re.I,
)
_GROWTH_TAIL = re.compile(r"\s*(?:more|less|higher|lower|up|down|growth|increase|decrease)\b", re.I)


@dataclass(frozen=True, slots=True)
class DeckWords:
    """What the whole deck tells about a single sentence of it."""

    english: bool
    own_names: frozenset[str]
    names: frozenset[str]
    year: int | None = None  # the latest that the title slide names: when the deck was made


def figures_of(deck: Deck, claims: Sequence[Claim], *, words: DeckWords | None = None) -> tuple[Figure, ...]:
    """Every figure of the slides that are shown and of their notes, in order; hidden slides have none.

    Args:
        words: What `words_of` says of *deck*, where the caller has it already.
    """
    words = words or words_of(deck)
    ids = {(claim.slide, claim.text): claim.id for claim in reversed(claims)}
    found: list[Figure] = []
    for slide in deck.slides:
        if slide.hidden or claims_nothing(slide.title):
            continue
        found += _slide_figures(slide, words, ids)
    return tuple(found)


def figures_of_segment(
    segment: Segment, claims: Sequence[Claim] = (), *, words: DeckWords | None = None
) -> tuple[Figure, ...]:
    """The figures of one piece of speech; those that the speaker takes back are left out."""
    if NO_WORD.search(segment.text) or (words is None and not reads_as_english(segment.text)):
        return ()
    if words is not None and not words.english and not reads_as_english(segment.text):
        return ()
    ids = {claim.text: claim.id for claim in claims}
    around = Surroundings(
        own_names=words.own_names if words else frozenset(),
        names=words.names if words else frozenset(),
        spoken=True,
    )
    found: list[Figure] = []
    inherited: tuple[When, ...] = ()
    for start, end in sentences(segment.text):
        text = segment.text[start:end]
        if end - start > LONGEST_SENTENCE:
            continue
        sentence = without_final_stop(text)
        place = Place(segment.slide, segment.start_s, sentence)
        if _ASKS.search(text):
            inherited = ()
            continue
        figures = _read(
            sentence, place, around, ids.get(sentence), "speech", english=True, inherited=inherited
        )
        if figures and _CORRECTION.search(sentence):
            cut = [match.start() for match in _CORRECTION.finditer(sentence)][-1]
            if later := [figure for figure in figures if figure.start >= cut]:
                figures, found = later, [] if cut < _SOON else found
        found += figures
        periods = [p for p in find_periods(sentence) if p.kind != "recurring"]
        inherited = whens(periods) if len(periods) == 1 else inherited if not periods else ()
    return tuple(found)


def words_of(deck: Deck) -> DeckWords:
    """The deck's language, the company's own name, and the proper names that stand in it."""
    lines = [line for slide in deck.slides for line in slide.lines]
    cells = [cell for slide in deck.slides for table in slide.tables for row in table.rows for cell in row]
    english = reads_as_english("\n".join([*(slide.title for slide in deck.slides), *lines]))
    lower, upper = set[str](), Counter[str]()
    for line in [*lines, *cells, *(slide.title for slide in deck.slides)]:
        for match in re.finditer(r"[A-Za-z][\w&’'-]*", line):
            word = match[0]
            if word[0].islower():
                lower.add(singular(word))
            elif (match.start() > 0 and line[: match.start()].rstrip()[-1:].isalnum()) or re.search(
                r"[a-z][A-Z]", word
            ):
                upper[singular(word)] += 1
    names = {word for word in upper if word not in lower and word not in _no_names() and len(word) > 2}
    first = " ".join([deck.title, *(slide.title for slide in deck.slides[:1])])
    own = {singular(word) for word in re.findall(r"[A-Z][\w&-]*", first)} & (
        names | {singular(word) for word in re.findall(r"[A-Z][\w&-]*", first) if singular(word) not in lower}
    )
    title = first.split(":")[0]
    own = {word for word in own if word in title.lower() and word not in PLACES}
    front = [text for slide in deck.slides[:1] for text in (slide.title, *slide.lines)]
    years = [when.first.year for text in front for when in whens(find_periods(text)) if when.first]
    return DeckWords(english, frozenset(own), frozenset(names - own), max(years, default=None))


def _no_names() -> frozenset[str]:
    known = {word for table in metric_phrases().values() for words, _, _ in table for word in words}
    no_subjects = word_set("q1 q2 q3 q4 h1 h2 fy usd eur gbp chf ceo cfo coo cto kpi")
    months = {*MONTH_NAMES, *MONTHS}
    return frozenset(known | months | no_subjects | FUNCTION | GENERIC | LINKS | set(MODIFIERS) | PLACES)


def _slide_figures(
    slide: Slide, words: DeckWords, ids: dict[tuple[int | None, str], str]
) -> Iterator[Figure]:
    around, title_when = _surroundings(slide, words)
    criteria = lists_criteria(slide.title)
    texts = [("title", slide.title), *(("line", line) for line in slide.lines)]
    texts += [("notes", line) for line in slide.notes.split("\n") if line.strip()]
    heading = replace(around, heading=True, segment=frozenset())
    for index, (origin, line) in enumerate(texts):
        if is_boilerplate(line) or criteria or NO_WORD.search(line):
            continue
        if not any(char.isdigit() for char in line) and not words.english:
            continue
        label = _label_for(texts, index) if words.english and origin != "notes" else None
        inherited = title_when if origin == "line" else ()
        for start, end in sentences(line):
            text = line[start:end]
            if end - start > LONGEST_SENTENCE or _ASKS.search(text):
                continue
            sentence = without_final_stop(text)
            place = Place(slide.number, None, sentence)
            found = _read(
                sentence,
                place,
                heading if origin == "title" else around,
                ids.get((slide.number, sentence)),
                origin,
                english=words.english,
                inherited=inherited,
                label=label,
            )
            yield from found
            periods = [p for p in find_periods(sentence) if p.kind != "recurring"]
            if len(periods) == 1 and origin == "line":
                inherited = whens(periods)
            elif periods:
                inherited = ()
    context = (around, title_when, slide.title)
    for table in slide.tables:
        yield from table_figures(table, slide.number, *context, english=words.english)
    for chart in slide.charts:
        yield from chart_figures(chart, slide.number, *context)


def _surroundings(slide: Slide, words: DeckWords) -> tuple[Surroundings, tuple[When, ...]]:
    """What a title says about all lines below it: a time, a place or product, that these are plans."""
    title = slide.title
    periods = [p for p in find_periods(title) if p.kind != "recurring"]
    when = whens(periods) if len(periods) == 1 else ()
    written = {token.word for token in tokens(title)}
    capitals = {singular(w) for w in re.findall(r"\b[A-Z][\w-]*", title)}
    segment = {w for w in written if w in PLACES and (w != "us" or "US" in title)}
    segment |= {w for w in capitals if w in words.names}
    planned = (bool(PLAN_HEADING.search(title)) and words.english) or bool(
        re.search(r"\b(?:forecast|budget 20|outlook|ambition)\b", title, re.I)
    )
    ours = not re.search(
        r"\b(?:competit\w+|market (?:overview|landscape)|industry|benchmarks?|peers?|landscape)\b",
        title,
        re.I,
    )
    around = Surroundings(
        own_names=words.own_names,
        names=words.names,
        segment=frozenset(segment - words.own_names),
        target=planned,
        ours=ours,
    )
    return around, when


def _label_for(texts: Sequence[tuple[str, str]], index: int) -> str | None:
    """The label that belongs to a line that holds little but a number: the line beside it, or the title."""
    line = texts[index][1]
    if not _is_bare(line):
        return None
    neighbours = (index - 1, index + 1) if _label_comes_first(texts, index) else (index + 1, index - 1)
    for at in neighbours:
        if 0 < at < len(texts) and _is_label(texts[at][1]):
            return texts[at][1]
    return texts[0][1] if index else None


def _label_comes_first(texts: Sequence[tuple[str, str]], index: int) -> bool:
    """Labels and numbers take turns on this slide, and a label begins."""
    at = index
    while at > 1 and (_is_label(texts[at - 1][1]) if _is_bare(texts[at][1]) else _is_bare(texts[at - 1][1])):
        at -= 1
    return not _is_bare(texts[at][1])


def _is_bare(line: str) -> bool:
    for period in reversed(find_periods(line)):
        line = line[: period.start] + line[period.end :]
    return (
        any(char.isdigit() for char in line)
        and len(line) < 30
        and not any(
            token.word[0].isalpha()
            and token.word not in FUNCTION
            and token.word not in GENERIC
            and token.word not in _UNIT_WORDS
            for token in tokens(line)
        )
    )


def _is_heading(line: str) -> bool:
    """A few words that begin with a capital and end without a stop, as a label on a slide does."""
    return (
        0 < len(line.split()) <= _LABEL_LINE
        and line[:1].isupper()
        and not line.rstrip().endswith((".", "!", ":", ","))
    )


def _is_label(line: str) -> bool:
    for period in reversed(find_periods(line)):
        line = (line[: period.start] + line[period.end :]).strip(" ,()")
    found = tokens(line)
    return (
        not any(char.isdigit() for char in line)
        and 0 < len(found) <= _LABEL_LINE
        and (bool(mentions(found)) or _is_heading(line))
    )


def _read(
    text: str,
    place: Place,
    around: Surroundings,
    claim: str | None,
    origin: str,
    *,
    english: bool,
    inherited: tuple[When, ...] = (),
    label: str | None = None,
) -> list[Figure]:
    sentence = take_apart(text, english=english, spoken=around.spoken)
    if not sentence.numbers and label is not None and (alone := _ALONE.fullmatch(text)):
        sentence = replace(sentence, numbers=(number_alone(alone["number"], alone.start("number")),))
    if not sentence.numbers:
        return []
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    named = name_numbers(sentence)
    if label is not None and not inherited_is_known(inherited):
        inherited = whens(p for p in find_periods(label) if p.kind != "recurring")
    found = []
    for index, number in enumerate(sentence.numbers):
        if any(start < number.start and number.end < end for start, end in quoted):
            continue
        name = named[index] or _by_label(number, label) or _by_subject(sentence, number)
        labelled = name is not None and name.how == "label" and name.start == number.start
        if name is None and number.kind == PERCENT:
            name = _of_the_only_metric(sentence, number, named)
        scope = scope_of(sentence, number, name, around)
        if scope is None:
            continue
        when = _when(sentence, index, inherited) + typical_rate(text)
        role = scope.role
        if (
            around.target
            and role in (LEVEL, GROWTH)
            and not any(w.kind == "year" for w in whens(sentence.periods))
        ):
            role = TARGET
        low, high = sorted((scope.sign * number.low, scope.sign * number.high))
        found.append(
            Figure(
                claim=claim,
                place=place,
                text=number.text,
                start=number.start,
                value=scope.sign * number.value,
                low=low,
                high=high,
                unit=number.unit,
                metric=name.metric if name else None,
                subject=number.subject,
                role=role,
                when=when,
                segment=scope.segment
                | (_label_rest(label, around, MODIFIERS.keys()) if labelled and label else frozenset()),
                modifiers=scope.modifiers | (_label_modifiers(label) if labelled and label else frozenset()),
                is_ours=scope.is_ours,
                origin=origin,
                about=_about(sentence, index, label if labelled else None, spoken=around.spoken),
            )
        )
    return found


def _about(sentence: Sentence, index: int, label: str | None, *, spoken: bool) -> frozenset[str]:
    """Stems of the words around the number, up to the next number and the ends of its clause."""
    number = sentence.numbers[index]
    left, right = sentence.hard_left(number.start), sentence.hard_right(number.end)
    if not spoken and (head := sentence.before_colon(left)) is not None:
        left = head[0]
    if index:
        left = max(left, sentence.numbers[index - 1].end)
    if index + 1 < len(sentence.numbers):
        right = min(right, sentence.numbers[index + 1].start)
    if comma := re.search(r",(?!\s*(?:um|uh|er)\b)", sentence.text[number.end : right]):
        right = number.end + comma.start()
    words = {t.word for t in sentence.words(left, right)}
    words |= {singular(word) for word in re.findall(r"[A-Za-z]+", number.noun)}
    if label:
        words |= {t.word for t in tokens(label) if t.word[0].isalpha()}
    return stems(words)


def inherited_is_known(inherited: tuple[When, ...]) -> bool:
    """A time has been said before."""
    return bool(inherited)


def _by_label(number: Number, label: str | None) -> Named | None:
    if label is None:
        return None
    found = mentions(tokens(label))
    for mention in found:
        if fits(mention.units, number):
            return Named(mention.metric, number.start, number.end, "label")
    if found or number.kind == COUNT:
        return None
    words = [
        t.word
        for t in tokens(label)
        if t.word[0].isalpha() and t.word not in FUNCTION and t.word not in GENERIC
    ]
    return Named("label:" + " ".join(words), number.start, number.end, "label") if words else None


def _by_subject(sentence: Sentence, number: Number) -> Named | None:
    """The deck's own word for what is measured, where the lexicon has none."""
    if (label := _LABELLED.match(sentence.text[: number.start])) and number.kind != COUNT:
        for mention in sentence.mentions:
            if mention.end <= label.end("label") and fits(mention.units, number):
                return Named(mention.metric, mention.start, mention.end, "label")
        words = [t.word for t in sentence.words(0, label.end("label"))]
        words = [w for w in words if w not in FUNCTION and w not in GENERIC and w not in MODIFIERS]
        if words and len(words) <= 4:
            return Named("label:" + " ".join(words), 0, label.end("label"), "label")
    if number.kind == PERCENT and (label := _GROWS_BEFORE.match(sentence.text[: number.start])):
        words = [t.word for t in sentence.words(0, label.end("label"))]
        words = [w for w in words if w not in FUNCTION and w not in GENERIC and w not in MODIFIERS]
        if words and len(words) <= 3:
            return Named("label:" + " ".join(words), 0, label.end("label"), "label", changes=True)
    if number.kind not in (MONEY, PERCENT, TIME, MEASURE) or not number.subject:
        return None
    words = [token.word for token in tokens(number.subject)]
    words = [word for word in words if word not in FUNCTION and word not in GENERIC and word not in MODIFIERS]
    if not words or len(words) > 4 or any(not word[0].isalpha() for word in words) or number.multiple:
        return None
    if all(word in LINKS for word in words):
        return None
    at = sentence.text.find(number.subject)
    if number.kind == PERCENT and re.match(r"\s*of\b", sentence.text[number.end :]):
        return None
    return Named("label:" + " ".join(words), max(0, at), max(0, at) + len(number.subject), "label")


def _label_rest(label: str, around: Surroundings, known: Iterable[str]) -> frozenset[str]:
    """The words of a label that narrow the metric which it names."""
    found = tokens(label)
    named, periods = mentions(found), find_periods(label)
    if not named:
        return frozenset()
    return frozenset(
        t.word
        for t in found
        if t.word[0].isalpha()
        and not any(m.start <= t.start < m.end for m in named)
        and not any(p.start <= t.start < p.end for p in periods)
        and not (t.word in FUNCTION or t.word in GENERIC or t.word in LINKS or t.word in known)
        and t.word not in around.own_names
        and not (named[0].metric in OF_PEOPLE and t.word in POPULATIONS)
    )


def _label_modifiers(label: str) -> frozenset[str]:
    found = tokens(label)
    named = mentions(found)
    return frozenset(
        MODIFIERS[t.word]
        for t in found
        if t.word in MODIFIERS and named and not any(m.start <= t.start < m.end for m in named)
    )


def _of_the_only_metric(sentence: Sentence, number: Number, named: Sequence[Named | None]) -> Named | None:
    """ "Costs fell from 12 M to 11 M, down 8 percent": growth of the metric that the sentence is about."""
    signed = number.text[:1] in "+−-" or number.text.lower().startswith(("minus", "plus"))
    if (
        not signed
        and not _GROWTH_ALONE.search(sentence.text[max(0, number.start - 40) : number.start])
        and not _GROWTH_TAIL.match(sentence.text[number.end : number.end + 20])
    ):
        return None
    about = {name.metric: name for name in named if name is not None and not name.metric.startswith("share")}
    if len(about) != 1:
        return None
    only = next(iter(about.values()))
    return Named(only.metric, number.start, number.end, "list", changes=True)


def _when(sentence: Sentence, index: int, inherited: tuple[When, ...]) -> tuple[When, ...]:
    """The times that belong to a number: with several numbers, those nearer to it than to the others."""
    number = sentence.numbers[index]
    mine = [period for period in sentence.periods if _belongs(sentence, period, index)]
    mine = [p for p in mine if not (number.kind == TIME and p.start <= number.start and number.end <= p.end)]
    found = whens(mine)
    if not any(when.kind != "rate" for when in found):
        found = (*found, *inherited)
    return found


def _belongs(sentence: Sentence, period: Period, index: int) -> bool:
    others = [p for p in sentence.periods if (p.kind == "recurring") == (period.kind == "recurring")]
    number = sentence.numbers[index]
    if period.kind == "recurring":
        if re.search(r"[,;]", sentence.text[number.end : max(number.end, period.start)]):
            return False
        before = [n for n in sentence.numbers if n.end <= period.start + 1 or n.start <= period.start < n.end]
        return (before[-1] if before else sentence.numbers[0]) is number
    if len(others) == 1 and (period.start < sentence.numbers[0].start or len(sentence.numbers) == 1):
        return True
    if len(others) == 1:
        between = sentence.text[min(number.end, period.end) : max(number.start, period.start)]
        later = sentence.numbers[index + 1] if index + 1 < len(sentence.numbers) else None
        if not (later and later.end <= period.start):
            return True
        return not re.search(r"[,;:(]|\bfrom\b|\band\b|\bto\b", between)
    nearest = min(sentence.numbers, key=lambda n: _distance(sentence, n, period))
    return nearest is number


def _distance(sentence: Sentence, number: Number, period: Period) -> float:
    if period.start >= number.end:
        between = sentence.text[number.end : period.start]
        gap = float(len(between))
    else:
        between = sentence.text[period.end : number.start]
        gap = len(between) + 0.5
    return gap + (30 if re.search(r"[,;]|\band\b", between) else 0)
