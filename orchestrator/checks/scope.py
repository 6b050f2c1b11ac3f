"""What narrows a figure: a part of the company, a modifier, somebody else's number, a plan."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from orchestrator.checks.lexicon import Token, singular
from orchestrator.checks.metrics import OF_PEOPLE
from orchestrator.checks.model import CHANGE, FROM, GROWTH, LEVEL, SHARE, TARGET
from orchestrator.checks.naming import Named, grows
from orchestrator.checks.numbers import BARE, COUNT, MULTIPLE, PERCENT, POINTS, Number
from orchestrator.checks.sentence import Sentence, is_link
from orchestrator.checks.vocabulary import (
    EXAMPLE_CUES,
    FUNCTION,
    GENERIC,
    LINKS,
    MODIFIERS,
    ORGANISATIONS,
    OTHERS,
    PAST_CUES,
    PLACES,
    POPULATIONS,
    TARGET_CUES,
)
from orchestrator.claims.words import word_set

_OTHERS = re.compile(OTHERS, re.I)
_TARGET = re.compile(TARGET_CUES, re.I)
_PAST = re.compile(PAST_CUES, re.I)
_EXAMPLE = re.compile(EXAMPLE_CUES, re.I)
_PREPOSITIONS: Final = word_set(
    "in for from of at among with within across on outside excluding including without per under via "
    "through by after since between"
)
_RELATIVE: Final = frozenset(["who", "that", "which", "whose", "using", "buying"])
_FROM_BEFORE = re.compile(
    r"\b(?:from|against|versus|vs\.?|compared (?:to|with)|after|instead of|rather than|up on|down on|than)\s+"
    r"(?:(?:about|around|nearly|just|only|over|the|a|an|some|roughly)\s+|[~≈€$£])*$",
    re.I,
)
_ADDS_BEFORE = re.compile(
    r"\b(?:add(?:s|ed|ing)?|sign(?:s|ed|ing)?|won|win(?:s|ning)?|hire[ds]?|hiring|open(?:s|ed|ing)?|"
    r"launch(?:es|ed|ing)?|"
    r"onboard(?:s|ed|ing)?|gain(?:s|ed|ing)?|lost|los(?:e|es|ing)|recruit(?:s|ed|ing)?|deploy(?:s|ed|"
    r"ing)?|deliver(?:s|ed|ing)?|"
    r"ship(?:s|ped|ping)?|sold|sell(?:s|ing)?|bought|buy(?:s|ing)?|acquir(?:e|es|ed|ing)|install(?:s|"
    r"ed|ing)?|remov(?:e|es|ed|ing)|"
    r"laid off|lay off|let go|train(?:s|ed|ing)?|welcom(?:e|es|ed|ing)|replac(?:e|es|ed|ing)|"
    r"survey(?:s|ed|ing)?|interview(?:s|ed|ing)?|"
    r"ask(?:s|ed|ing)?|visit(?:s|ed|ing)?|spoke (?:to|with)|talk(?:s|ed|ing)? (?:to|with)|clos(?:e|es|"
    r"ed|ing)(?! (?:the )?(?:year|quarter|month))|join(?:s|ed)?|left|cut(?:s|ting)?|creat(?:e|es|ed|"
    r"ing)|complet(?:e|es|ed|ing)|"
    r"sample of|audit(?:s|ed|ing)?|test(?:s|ed|ing)?|renew(?:s|ed|ing)?|upgrad(?:e|es|ed|ing)|"
    r"migrat(?:e|es|ed|ing)|another|"
    r"first|next|last|top|remaining|other|largest|biggest|each of|build(?:s|ing)?|"
    r"built)\b[^.;:]{0,30}$|\bof the\s+(?:\w+\s+)?$",
    re.I,
)
_LEFT_AFTER = re.compile(
    r"^\s*(?:have |has |had |were |was |are |is |will |also |already |recently |since )*(?:left|"
    r"joined|hired|signed|lost|"
    r"cancelled|canceled|churned|added|resigned|closed|opened|won|gained|departed|quit|more|fewer|additional|"
    r"renewed|complained|responded|took part|participated|attended|retired)\b",
    re.I,
)
_BY_BEFORE = re.compile(
    r"\bby\s+(?:(?:about|around|nearly|just|only|over|some|roughly|almost|more than|another|"
    r"a further)\s+|[~≈€$£])*$",
    re.I,
)
_UP_BEFORE = re.compile(
    r"\b(?:up|down|rose|fell|grew|dropped|increased|decreased|declined|climbed|jumped|gained|lost|"
    r"improved|added|"
    r"increase of|decrease of|rise of|growth of|drop of|reduction of|improvement of|decline of)\s+"
    r"(?:(?:about|around|nearly|just|only|over|some|roughly|almost|a|another)\s+|[~≈€$£+])*$",
    re.I,
)
_MORE_AFTER = re.compile(
    r"^\s*(?:more|less|higher|lower|fewer|above|below|up|down|better|worse|increase|decrease|"
    r"improvement|increment|"
    r"reduction|drop|rise)\b(?!\s+or less)",
    re.I,
)
_PER_AFTER = re.compile(
    r"^\s*(?:(?:an?|each|every)\s+|/\s?)(?!years?|months?|quarters?|week|day|annum|annual|total|good|"
    r"bit|lot|half)([a-z]+)",
    re.I,
)


_LABEL_END = re.compile(r"\s*(?::|\s[–—-])\s")
_BASE_BEFORE = re.compile(r"\b(?:for|per|to|of|in) (?:each|every)\s+$|\bper\s+$", re.I)
"""\"One carer for every eight children\": the number is what a ratio is counted for, and no level."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a sentence inherits from its slide, and which names it can tell."""

    own_names: frozenset[str] = frozenset()  # words of the company's own name
    names: frozenset[str] = frozenset()  # proper names of the deck, in lower case
    segment: frozenset[str] = frozenset()  # from the slide's title
    modifiers: frozenset[str] = frozenset()
    target: bool = False  # the slide is about plans
    ours: bool = True
    spoken: bool = False
    heading: bool = False  # the text is a title or label, where capitals say nothing
    labels: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Scope:
    """How far a figure reaches."""

    role: str
    segment: frozenset[str]
    modifiers: frozenset[str]
    is_ours: bool
    sign: float = 1.0


def scope_of(sentence: Sentence, number: Number, named: Named | None, around: Surroundings) -> Scope | None:
    """Role, part, modifiers and owner of the figure; None where it asserts nothing."""
    text = sentence.text
    start = min(number.start, named.start) if named else number.start
    end = max(number.end, named.end) if named else number.end
    left, right = _clause(sentence, number, start, end)
    headed = sentence.before_colon(left) if not _names_it(sentence, named, left) else None
    head = text[headed[0] : headed[1]] if headed else ""
    clause = text[left:right]
    outside = text[left:start] + " … " + text[end:right] if named else clause
    wider = head + " " + text[sentence.hard_left(start) : sentence.hard_right(end)]
    if _EXAMPLE.search(wider) or _BASE_BEFORE.search(text[: number.start]):
        return None
    segment, modifiers = _narrowed(sentence, number, named, left, right, around)
    if headed and not around.spoken:
        parts, marks = set[str](), set[str]()
        for token in sentence.words(*headed):
            _sort(token, parts, marks)
        segment, modifiers = segment | (parts - around.own_names), modifiers | marks
    role, sign = _role(sentence, number, named, left, right, around)
    if role in (LEVEL, SHARE, GROWTH) and _TARGET.search(
        head + " " + _without_name(sentence, named, left, right)
    ):
        role = TARGET
    if role in (LEVEL, SHARE) and _PAST.search(head + " " + outside + " " + _between(text, named, number)):
        role = FROM
    ours = around.ours and not _OTHERS.search(wider)
    return Scope(role, segment | around.segment, modifiers | around.modifiers, ours, sign)


def _names_it(sentence: Sentence, named: Named | None, left: int) -> bool:
    """The heading itself names the metric: "Headcount: 48"."""
    return named is not None and named.start < left


def _without_name(sentence: Sentence, named: Named | None, left: int, right: int) -> str:
    text = sentence.text
    if named is None:
        return text[left:right]
    if named.how == "label":
        return text[left:right]
    if named.how == "frame":
        return "" if named.metric == "ask" else text[left : named.start] + " " + text[named.end : right]
    return text[left : named.start] + " … " + text[named.end : right]


def _between(text: str, named: Named | None, number: Number) -> str:
    if named is None or named.how == "frame":
        return ""
    return text[named.end : number.start] if named.end <= number.start else text[number.end : named.start]


def _clause(sentence: Sentence, number: Number, start: int, end: int) -> tuple[int, int]:
    """The stretch around name and number in which other words belong to them."""
    left, right = sentence.hard_left(start), sentence.hard_right(end)
    earlier = [n.end for n in sentence.numbers if n.end <= start]
    later = [n.start for n in sentence.numbers if n.start >= end and n is not number]
    if comma := re.search(r",(?!\s*(?:um|uh|er|you know)\b)", sentence.text[end:right]):
        right = end + comma.start()
    if earlier:
        left = max(left, earlier[-1])
    if later:
        between = sentence.text[end : later[0]]
        cut = re.search(r",|\band\b", between)
        right = min(right, end + cut.start() if cut else later[0])
    return left, right


def _role(
    sentence: Sentence, number: Number, named: Named | None, left: int, right: int, around: Surroundings
) -> tuple[str, float]:
    text = sentence.text
    before, after = text[max(left, number.start - 70) : number.start], text[number.end : number.end + 40]
    if number.part:
        return CHANGE, 1.0
    if _FROM_BEFORE.search(before) and not re.search(
        r"\b(?:more|less|fewer|higher|lower|better|other) than\s*$", before, re.I
    ):
        return FROM, 1.0
    if named and named.changes:
        sign = -1.0 if number.value > 0 and _direction(sentence, number, named) < 0 else 1.0
        return GROWTH, sign
    if named and named.how == "share":
        return SHARE, 1.0
    if named and named.how == "frame":
        return LEVEL, 1.0
    if number.kind == POINTS:
        return CHANGE, 1.0
    if _BY_BEFORE.search(before) or _UP_BEFORE.search(before) or _MORE_AFTER.match(after):
        if number.kind in (PERCENT, MULTIPLE) and (named is None or named.how != "share"):
            sign = -1.0 if grows(before + " " + after) < 0 and number.value > 0 else 1.0
            return (GROWTH if named is None or named.how == "label" else CHANGE), sign
        return CHANGE, 1.0
    counts = number.kind == COUNT or (number.kind == BARE and named and named.how == "after")
    if counts and (_ADDS_BEFORE.search(before) or _LEFT_AFTER.match(after)):
        return CHANGE, 1.0
    return LEVEL, 1.0


def _direction(sentence: Sentence, number: Number, named: Named) -> int:
    text = sentence.text
    low, high = min(number.start, named.start), max(number.end, named.end)
    return grows(text[max(0, low - 20) : low][-15:] + " " + text[low:high] + " " + text[high : high + 14])


def _narrowed(
    sentence: Sentence, number: Number, named: Named | None, left: int, right: int, around: Surroundings
) -> tuple[frozenset[str], frozenset[str]]:
    segment: set[str] = set()
    modifiers: set[str] = set(number.hedged)
    if number.is_range:
        modifiers.add("range")
    if number.part:
        modifiers.add("part")
    words = sentence.words(left, right)
    skip = {
        i
        for i, token in enumerate(words)
        if named and named.start <= token.start < named.end and named.how != "frame"
    }
    if number.noun and not (
        named and named.how == "frame"
    ):  # what stands between a number and the noun that it counts narrows it
        for token in sentence.words(
            number.end - len(number.noun), named.start if named and named.how == "count" else number.end
        ):
            _sort(token, segment, modifiers)
    if named and named.how in ("after", "before", "list", "count") and not named.metric.startswith("label:"):
        _in_front(sentence, named, left, segment, modifiers)
    if named and named.how == "share":
        for token in sentence.words(number.end, named.end):
            if not _is_metric(sentence, token):
                _sort(token, segment, modifiers)
    if named and named.how == "after":
        for token in sentence.words(number.end, named.start):
            _sort(token, segment, modifiers)
    _phrases(sentence, words, skip, segment, modifiers, named)
    if named and (named.how == "count" or named.metric.startswith(("label:", "share"))):
        _subject(sentence, number, named, left, right, segment, modifiers)
    if per := _PER_AFTER.match(
        sentence.text[max(number.end, named.end if named and named.how == "after" else 0) :][:30]
    ):
        segment.add(singular(per[1]))
    _names(sentence, words, skip, segment, around)
    for token in words:
        if (
            token.word in MODIFIERS
            and MODIFIERS[token.word]
            in (
                "cumulative",
                "annualised",
                "constant currency",
                "average",
                "median",
                "organic",
                "adjusted",
                "peak",
                "excluding",
            )
            and not (named and named.start <= token.start < named.end)
        ):
            modifiers.add(MODIFIERS[token.word])
    if re.search(r"\bon average\b|\bper cent of the time\b", sentence.text[left:right], re.I):
        modifiers.add("average")
    if re.search(r"\brun[- ]rate\b", sentence.text[left:right], re.I):
        modifiers.add("annualised")
    segment -= around.own_names
    if named and named.metric in OF_PEOPLE:
        segment -= POPULATIONS
        modifiers -= {"paying"}
    return frozenset(segment), frozenset(modifiers)


def _sort(token: Token, segment: set[str], modifiers: set[str]) -> None:
    if token.word in MODIFIERS:
        modifiers.add(MODIFIERS[token.word])
    elif not (
        token.word in FUNCTION or token.word in GENERIC or token.word in LINKS or token.word.endswith("ly")
    ):
        segment.add(token.word)


def _in_front(sentence: Sentence, named: Named, left: int, segment: set[str], modifiers: set[str]) -> None:
    """Adjectives and nouns right before the metric's name: "enterprise churn", "net revenue"."""
    words = sentence.words(left, named.start)
    position = named.start
    for token in reversed(words):
        gap = sentence.text[token.end : position]
        if gap.strip(" -–'’s") or token.word in FUNCTION:
            return
        if token.word in LINKS and token.word not in MODIFIERS:
            return
        _sort(token, segment, modifiers)
        position = token.start


def _phrases(
    sentence: Sentence,
    words: list[Token],
    skip: set[int],
    segment: set[str],
    modifiers: set[str],
    named: Named | None,
) -> None:
    """What follows a preposition or "who", "that": "in Germany", "from licences", "who pay"."""
    index = 0
    while index < len(words):
        word = words[index].word
        index += 1
        if index - 1 in skip or not (word in _PREPOSITIONS or word in _RELATIVE):
            continue
        if named and named.how == "frame" and named.start <= words[index - 1].start < named.end:
            continue
        if word in ("excluding", "including", "without", "outside"):
            modifiers.add(word)
        if _whole(sentence, words, index):
            continue
        previous = words[index - 1]
        took = 0
        while index < len(words) and took < 3:
            token = words[index]
            between = sentence.text[previous.end : token.start]
            if re.search(r"[,;:|()]", between) or any(c.isdigit() for c in between):
                break
            if token.word in _PREPOSITIONS or token.word in _RELATIVE or index in skip:
                break
            if token.word in FUNCTION and took:
                break
            if token.word in LINKS and (took or word not in _RELATIVE) and token.word not in ("account",):
                break
            if token.word not in FUNCTION and token.word not in LINKS:
                took += 1
                if not any(
                    m.start <= token.start < m.end and named and m.metric == named.metric
                    for m in sentence.mentions
                ):
                    _sort(token, segment, modifiers)
            previous = token
            index += 1


def _whole(sentence: Sentence, words: list[Token], index: int) -> bool:
    """ "on our payroll", "for us": the whole company, and no part of it."""
    if index >= len(words) or words[index].word not in ("our", "us", "here", "all"):
        return False
    if words[index].word in ("us", "here"):
        return True
    position = index + 1
    while position < len(words) and words[position].word in ("our", "the", "all"):
        position += 1
    if position >= len(words):
        return True
    end = words[position].end
    return position + 1 >= len(words) or (
        bool(re.match(r"\s*(?:$|[,.;:)]|\w+\b)", sentence.text[end:]))
        and (
            words[position + 1].word in FUNCTION
            or words[position + 1].word in LINKS
            or words[position + 1].word.endswith("ly")
            or words[position + 1].word in _PREPOSITIONS
            or words[position + 1].start - end > 1
        )
    )


def _subject(
    sentence: Sentence,
    number: Number,
    named: Named,
    left: int,
    right: int,
    segment: set[str],
    modifiers: set[str],
) -> None:
    """For counts and shares: who has them, and what they do."""
    if not re.search(r"\b(?:for|serving|serve[sd]?|to)\s+(?:\w+\s)?$", sentence.text[left : number.start]):
        we = False
        labelled = named.how == "label" and bool(_LABEL_END.match(sentence.text, named.end))
        for token in sentence.words(left, number.start):
            own = labelled and named.start <= token.start < named.end  # the name itself narrows nothing
            if not is_link(token) and not we and not own and token.word not in ORGANISATIONS:
                _sort(token, segment, modifiers)
            we = token.word in ("we", "i", "our") or (we and token.word in FUNCTION)
    stop = min(right, named.end + 60)
    tail = sentence.text[max(number.end, named.end) : stop]
    if re.match(
        r"\s*(?:\w+\s+){0,2}(?:for|with|through|in|on|at|to|from|by|across|via)?\s*(?:us|here|"
        r"our (?:own )?\w+|the company|the group)\b",
        tail,
    ):
        return
    following = sentence.words(max(number.end, named.end), stop)
    for position, token in enumerate(following[:3]):
        between = sentence.text[
            (following[position - 1].end if position else max(number.end, named.end)) : token.start
        ]
        if re.search(r"[,;:|()]|\band\b", between) or token.word in ("and", "or"):
            return
        if token.word in LINKS or token.word in FUNCTION:
            if token.word in _PREPOSITIONS or token.word in ("is", "are", "was", "were"):
                return
            continue
        _sort(token, segment, modifiers)


def _names(
    sentence: Sentence, words: list[Token], skip: set[int], segment: set[str], around: Surroundings
) -> None:
    """Places and proper names anywhere in the clause."""
    for index, token in enumerate(words):
        if index in skip:
            continue
        written = sentence.text[token.start : token.end]
        if (
            (token.word in PLACES and not (token.word == "us" and not written.isupper()))
            or token.word in around.names
            or (
                not around.heading
                and token.start
                and written[0].isupper()
                and token.word not in FUNCTION
                and token.word not in GENERIC
                and not _is_metric(sentence, token)
                and _mid_sentence(sentence.text, token.start)
                and token.word not in LINKS
            )
        ):
            segment.add(token.word)


def _is_metric(sentence: Sentence, token: Token) -> bool:
    return any(m.start <= token.start < m.end for m in sentence.mentions)


def _mid_sentence(text: str, position: int) -> bool:
    before = text[:position].rstrip("\"'“‘( ")
    return bool(before) and before[-1] not in ".!?:;•|–—"
