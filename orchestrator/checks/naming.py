"""Which metric a number measures: by a turn of phrase, by what it counts, by the name beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.frames import frame_metric
from orchestrator.checks.lexicon import Mention, singular, units_of
from orchestrator.checks.numbers import BARE, COUNT, MONEY, MULTIPLE, PERCENT, POINTS, Number
from orchestrator.checks.sentence import Sentence, is_link, soft_break
from orchestrator.checks.vocabulary import FUNCTION, GENERIC, LINKS, MODIFIERS

_MOST_UNKNOWN: Final = 3
"""Words between a metric and its number that the rules do not know."""
_LARGE: Final = 1000

GROWS: Final = re.compile(
    r"\b(?:gr[eo]w(?:n|s|th|ing)?|ris(?:e[ns]?|ing)|rose|increas(?:e[ds]?|ing)|up|climb(?:ed|s|ing)?|"
    r"jump(?:ed|s)?|"
    r"surg(?:e[ds]?|ing)|soar(?:ed|s)?|expand(?:ed|s|ing)?|expansion|improv(?:ed|ement)|higher|more|"
    r"gain(?:ed|s)?|yoy|"
    r"year[- ]o[nv]e?r?[- ]year|cagr|acceler\w+|advanc(?:e|ed)|add(?:ed|s)|doubl\w+|tripl\w+|upturn|"
    r"uplift|plus)\b",
    re.I,
)
FALLS: Final = re.compile(
    r"\b(?:fall(?:en|s|ing)?|fell|drop(?:ped|s|ping)?|declin(?:e[ds]?|ing)|decreas(?:e[ds]?|ing)|down|"
    r"shrank|shrunk|"
    r"shrink(?:ing|s)?|slip(?:ped)?|reduc(?:e[ds]?|ing|tion)|cut|lower(?:ed)?|less|contract(?:ed|ion)|"
    r"slump(?:ed)?|"
    r"sank|plunged|halv(?:ed|ing)|minus|lost|fewer)\b",
    re.I,
)
_NO_CHANGE = re.compile(
    r"\b(?:up to|sign(?:ed|s|ing)? up|set up|add(?:ed|s)? up|mak(?:e|es) up|made up|grown? up|"
    r"more than|less than|"
    r"lower than|higher than|fewer than|no more than|rose to|cost cut|down to|cut[- ]off|break(?:s|"
    r"ing)? down|more or less|plus or minus)\b",
    re.I,
)
_GROWTH_NOUN = re.compile(
    r"^\W{0,2}(?:(?:organic|annual|yearly|overall|total|net|strong|year[- ]on[- ]year|yoy|revenue|"
    r"sales)\s)*(?:growth|"
    r"increase|rise|gain|uplift|improvement|jump|higher|more|up|expansion|"
    r"decline|decrease|drop|fall|reduction|cut|lower|less|down|fewer|above|"
    r"below)\b(?!\s+(?:than (?:half|a third)|time))"
    r"|^\s*(?:year[- ](?:on|over)[- ]year|yoy|y/y|cagr)\b",
    re.I,
)
_CHANGE_OF = re.compile(
    r"\b(?:plus|minus|rise|increase|growth|gain|jump|drop|fall|decline|decrease|reduction|cut)\s+of\s+"
    r"(?:(?:about|around|nearly|almost|over|some|roughly|just|more than|less than)\s+)?$",
    re.I,
)
_HEAD_OF = re.compile(
    r"\s+(?:in|of|for|at|from|across|per)\s+(?:(?:the|our|all|its)\s+)?(?:\w+\s+){0,2}$", re.I
)
_OF_TAIL = re.compile(
    r"^\s*of\s+(?:(?:all|our|the|its|total|their|every|these|those|annual|group)\s+)*", re.I
)
_WORD_AFTER = re.compile(r"^\s+([A-Za-z][\w’'-]*)")


@dataclass(frozen=True, slots=True)
class Named:
    """What a number measures, and where the text says so."""

    metric: str
    start: int
    end: int
    how: str  # frame, count, after, before, share, list, label
    changes: bool = False  # the words say by how much it changed


def grows(text: str) -> int:
    """1 where the words speak of more, -1 where of less, 0 where of neither."""
    text = _NO_CHANGE.sub("", text)
    if FALLS.search(text):
        return -1
    return 1 if GROWS.search(text) else 0


def fits(units: str, number: Number) -> bool:
    """A metric of these units can have this number as its level."""
    match number.kind:
        case "m" | "p" | "t" | "c":
            return number.kind in units
        case "u":
            return "u" in units
        case "x":
            return "x" in units
        case "bare":
            whole = number.value == int(number.value)
            return (
                ("c" in units and whole)
                or ("s" in units and abs(number.value) <= 1000)
                or ("m" in units and abs(number.value) >= _LARGE)
            )
    return False


def name_numbers(sentence: Sentence) -> list[Named | None]:
    """For each number of the sentence the metric that it measures, or None."""
    found: list[Named | None] = []
    taken: set[int] = set()
    for index in range(len(sentence.numbers)):
        named = _named(sentence, index, taken, found)
        if named is not None and named.how in ("after", "before", "count"):
            taken.update(i for i, m in enumerate(sentence.mentions) if named.start <= m.start < named.end)
        found.append(named)
    return found


def _named(sentence: Sentence, index: int, taken: set[int], earlier: list[Named | None]) -> Named | None:
    number = sentence.numbers[index]
    text = sentence.text
    left = sentence.numbers[index - 1].end if index else 0
    right = sentence.numbers[index + 1].start if index + 1 < len(sentence.numbers) else len(text)
    digits_end = number.end - len(number.noun) if number.noun else number.end
    frame_left = max(left, number.start - 90)
    if not number.multiple and number.kind != POINTS:
        framed = frame_metric(
            number.kind, text[frame_left : number.start], text[digits_end : max(right, number.end)][:110]
        )
        if framed:
            return Named(framed[0], number.start, max(number.end, digits_end + framed[1]), "frame")
    if number.kind == COUNT:
        return _counted(sentence, number, digits_end)
    after, before = _after(sentence, number, right, taken), _before(sentence, number, left, taken)
    share = _share_of(sentence, number, right) if number.kind == PERCENT else None
    if share and not (after and "p" in units_of()[after.metric]):
        return share
    if after and before:
        between = text[before.end : number.start]
        direct = not soft_break(between) and all(is_link(t) for t in sentence.words(before.end, number.start))
        gap = text[number.end : after.start]
        return (
            before
            if direct and (gap.strip() or ":" in between or re.search(r"\b(?:is|was|of|at)\b", between))
            else after
        )
    if after or before:
        return after or before
    return _listed(sentence, index, earlier)


def _counted(sentence: Sentence, number: Number, digits_end: int) -> Named | None:
    inside = [
        m for m in sentence.mentions if digits_end <= m.start and m.end <= number.end and "c" in m.units
    ]
    if inside and inside[-1].end >= number.end - 1:
        return Named(inside[-1].metric, inside[-1].start, number.end, "count")
    ending = [m for m in sentence.mentions if digits_end <= m.start < number.end < m.end and "c" in m.units]
    if ending:
        return Named(ending[0].metric, ending[0].start, ending[0].end, "count")
    head = number.noun.split()[-1] if number.noun else ""
    word = singular(head)
    if not word or word in FUNCTION or word in GENERIC or len(word) < 3:
        return None
    return Named(f"label:{word}", number.end - len(head), number.end, "count")


def _after(sentence: Sentence, number: Number, right: int, taken: set[int]) -> Named | None:
    for index, mention in enumerate(sentence.mentions):
        if mention.start < number.end or index in taken:
            continue
        if mention.start >= right:
            return None
        between = sentence.text[number.end : mention.start]
        if re.fullmatch(r"\s?[(\[]\s?(?:of\s)?(?:\w+\s){0,2}", between) and fits(mention.units, number):
            return Named(mention.metric, mention.start, mention.end, "after")
        if len(between) > 45 or re.search(
            r"[;:.,()|]|\b(?:and|on|for|to|at|with|from|by|about|per|is|was|a year|than)\b", between
        ):
            return None
        words = sentence.words(number.end, mention.start)
        unknown = [t for t in words if not is_link(t) and t.word not in GENERIC and t.word not in MODIFIERS]
        if len(unknown) > 2 or (unknown and re.search(r"\b(?:of|in)\b.*\b(?:of|in)\b", between)):
            return None
        tail = sentence.text[mention.end : mention.end + 30]
        if fits(mention.units, number) and not (number.kind == PERCENT and _GROWTH_NOUN.match(tail)):
            return Named(mention.metric, mention.start, mention.end, "after")
        if number.kind in (PERCENT, MULTIPLE) and (
            _GROWTH_NOUN.match(tail)
            or number.multiple
            or grows(between)
            or _CHANGE_OF.search(sentence.text[: number.start])
        ):
            return Named(mention.metric, mention.start, mention.end, "after", changes=True)
        if not _transparent(mention, number):
            return None
    return None


def _transparent(mention: Mention, number: Number) -> bool:
    """A count such as "customer" in "customer acquisition" does not stand in the way."""
    return number.kind != COUNT and mention.units == "c"


def _before(sentence: Sentence, number: Number, left: int, taken: set[int]) -> Named | None:
    text = sentence.text
    for index in range(len(sentence.mentions) - 1, -1, -1):
        mention = sentence.mentions[index]
        if mention.end > number.start:
            continue
        if mention.start < left:
            return None
        head = sentence.mentions[index - 1] if index else None
        if (
            head
            and head.start >= left
            and fits(head.units, number)
            and _HEAD_OF.match(text[head.end : mention.start])
        ):
            continue
        between = text[mention.end : number.start]
        if index in taken and soft_break(between):
            return None
        changed = _changed(sentence, mention, number)
        fitting = fits(mention.units, number)
        if not fitting and not changed:
            if mention.units in ("c", "cu") or len(mention.metric) < 4:
                if re.search(r"^\s*(?:is|was|are|were|has|have|:|of)\b", between):
                    return None
                continue
            return None
        if _broken(between) or len(between) > 90:
            return None
        words = sentence.words(mention.end, number.start)
        unknown = [t for t in words if not is_link(t) and t.word not in GENERIC and t.word not in MODIFIERS]
        if len(unknown) > _MOST_UNKNOWN + (
            2 if re.match(r"\s*(?:in|for|from|of|at|among|across)\b", between) else 0
        ):
            return None
        direct = not unknown and not soft_break(between)
        if not direct and not changed and _noun_follows(sentence, number):
            return None
        if (
            mention.units == "c"
            and not changed
            and not re.search(
                r"^\W*(?:\([^)]*\)\W*)?$|:|[–—]|\b(?:numbers?|counts?|comprises?|is|are|was|were|at|"
                r"of|to|reached|now|totals?|stands?|stood|numbered?|number)\b",
                between,
            )
        ):
            return None
        return Named(mention.metric, mention.start, mention.end, "before", changes=changed)
    return None


def _broken(between: str) -> bool:
    """Another clause begins between the name and the number."""
    if re.search(r"[;|•!?]|\.\s|—|\s[–-]\s.*\w.*\s|\)\s*\w+\s+\w+\s+\w+", between):
        return True
    if "(" in between and not re.search(r"\([^)]*\)|\(\s*(?:[€$£~]|\w+\s)?\s*$", between):
        return True
    if re.search(
        r"\b(?:but|while|whereas|which|who|that|because|since|when|where|after|before|so|thanks|due|"
        r"driven|helped|"
        r"compared|versus|against|including|excluding|includes?|plus|minus|than|nor|despite|although|"
        r"if|whether)\b",
        re.sub(
            r"\b(?:more|less|fewer|higher|better|no more|not more|other) than\b|\bplus\s*$|"
            r"\bwhich (?:is|was|are)\b",
            "",
            between,
            flags=re.I,
        ),
        re.I,
    ):
        return True
    pieces = re.split(r",|\band\b", between)
    return any(len(re.findall(r"[A-Za-z]+", piece)) > 5 for piece in pieces[1:])


def _changed(sentence: Sentence, mention: Mention, number: Number) -> bool:
    """The words between name and number, or right around them, say by how much the metric changed."""
    if number.multiple:
        return True
    text = sentence.text
    between = text[mention.end : number.start]
    if re.search(
        r"\b(?:to|at|reach(?:ed|es|ing)?|is|stands)\s+(?:(?:about|around|nearly|almost|over|"
        r"just|a|an|the|"
        r"more than|less than|roughly|approximately|now|some)\s+|[~≈€$£])*$",
        between,
        re.I,
    ):
        return bool(_GROWTH_NOUN.match(text[number.end : number.end + 40])) and number.kind in (
            PERCENT,
            MULTIPLE,
        )
    if re.search(r"\bfrom\s+(?:\w+\s+)?$", between):
        return False
    in_front = " ".join(
        token.word for token in sentence.words(max(0, mention.start - 30), mention.start)[-3:]
    )
    near = between if len(between) < 60 else between[-60:]
    if number.kind in (PERCENT, MULTIPLE):
        if grows(near) or _GROWTH_NOUN.match(text[number.end : number.end + 40]):
            return True
        if re.search(
            r"\b(?:grew|grow|grown|growing|increased|raised|reduced|cut|lifted|expanded|boosted|lowered)$",
            _tail_verb(in_front),
            re.I,
        ):
            return "p" not in mention.units
        return bool(re.search(r"\bgrowth\b|\bincrease\b|\bdecline\b", in_front))
    return False


def _tail_verb(words: str) -> str:
    return re.sub(r"\s*\b(?:our|the|its|their|total|annual|net|gross)\b\s*", " ", words).strip()


def _noun_follows(sentence: Sentence, number: Number) -> bool:
    """A noun right behind the number claims it: "a 3 M fine"."""
    match = _WORD_AFTER.match(sentence.text[number.end : number.end + 40])
    if match is None:
        return False
    word = singular(match[1])
    start = number.end + match.start(1)
    in_period = any(p.start <= start < p.end for p in sentence.periods)
    return not (
        in_period
        or word in FUNCTION
        or word in LINKS
        or word in GENERIC
        or word.endswith("ly")
        or word in MODIFIERS
    )


def _share_of(sentence: Sentence, number: Number, right: int) -> Named | None:
    """ "40 % of revenue": a part of what is named behind it."""
    tail = _OF_TAIL.match(sentence.text[number.end : right])
    if tail is None:
        return None
    start = number.end + tail.end()
    for mention in sentence.mentions:
        if mention.start >= start and mention.start - start < 25 and mention.start < right:
            return Named(f"share of {mention.metric}", number.end, mention.end, "share")
    words = [t for t in sentence.words(start, min(start + 40, right)) if t.word not in FUNCTION]
    if not words or words[0].start - start > 2:
        return None
    return Named(f"share of label:{words[0].word}", number.end, words[0].end, "share")


def _listed(sentence: Sentence, index: int, earlier: list[Named | None]) -> Named | None:
    """ "Revenue was 3.6 M in 2025 and 4.2 M in 2026": the second number of the same metric."""
    if not index or earlier[-1] is None or earlier[-1].how not in ("before", "list"):
        return None
    number, previous = sentence.numbers[index], sentence.numbers[index - 1]
    if number.kind != previous.kind and not (number.kind == BARE and previous.kind == MONEY):
        return None
    between = sentence.text[previous.end : number.start]
    words = [t for t in sentence.words(previous.end, number.start) if not is_link(t)]
    if words or _broken(between) or len(between) > 50:
        return None
    has_period = any(
        previous.end <= p.start < number.start or p.start >= number.end for p in sentence.periods
    )
    if re.search(r"\bto\s*(?:\w+\s)?$", between) or (has_period and re.search(r"\band\b|,", between)):
        return Named(earlier[-1].metric, earlier[-1].start, earlier[-1].end, "list")
    return None
