"""What a sentence says of a series, and whether the series' values can mean it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.chart_match import Line
from orchestrator.checks.moments import Moment, apart, moments

_UP: Final = (
    r"grew|grow(?:s|n|ing)?|growth|rose|risen|ris(?:e|es|ing)|increas(?:e|es|ed|ing)|climb(?:s|ed|ing)?|"
    r"gain(?:s|ed|ing)?|up|jumped|surged|expand(?:s|ed|ing)|higher|improv(?:ed|es|ing)"
)
_DOWN: Final = (
    r"fell|fall(?:s|en|ing)?|declin(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|drop(?:s|ped|ping)?|shrank|"
    r"shrink(?:s|ing)?|down|lower|reduc(?:ed|es|ing)|came down|sank"
)
_GREW = re.compile(rf"\b(?:{_UP})\b", re.IGNORECASE)
_FELL = re.compile(rf"\b(?:{_DOWN})\b", re.IGNORECASE)
_NO_DIRECTION = re.compile(
    r"\b(?:up to|sign\w* up|set up|made up|start-?ups?|follow-?up|break\w* down|down to|down ?time|"
    r"slow(?:ed|ing|s)? (?:down|growth)|up from|"
    r"lower than|higher than|above|below|target|plan|goal|forecast|will|expect\w*|against|versus|vs|"
    r"competitors?|market grew|"
    r"before|until|after|then|but|although|despite|except|while|again|recover\w*|since|from its|not|never|"
    r"no longer|stopp?ed)\b",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"\b(?:every|each) (?:single )?(?:year|quarter|month|week)\b|\b(?:year|quarter|month|week) (?:after|by|"
    r"on) (?:year|quarter|month|week)\b|"
    r"\b(?:steadily|continuously|consistently|without (?:a )?(?:break|interruption|exception)|"
    r"uninterrupted|never fell|no down (?:month|quarter|year)|"
    r"(?:consecutive|straight|in a row)|constantly|each time)\b",
    re.IGNORECASE,
)
_FACTORS: Final = (
    (re.compile(r"\b(?:more than|over) doubl\w+|\bmore than twice\b", re.I), 2.0, None),
    (re.compile(r"\b(?:nearly|almost|close to) doubl\w+|\b(?:nearly|almost) twice\b", re.I), 1.7, 2.05),
    (re.compile(r"\bdoubl(?:ed|es|ing)\b|\btwo-?fold\b|\btwice as\b", re.I), 1.8, 2.3),
    (re.compile(r"\b(?:more than|over) tripl\w+", re.I), 3.0, None),
    (re.compile(r"\btripl(?:ed|es|ing)\b|\bthree-?fold\b|\btrebled\b", re.I), 2.7, 3.4),
    (re.compile(r"\bquadrupl(?:ed|es|ing)\b|\bfour-?fold\b", re.I), 3.6, 4.5),
    (
        re.compile(r"\bhalv(?:ed|es|ing)\b|\b(?:cut|fell|down|reduced) (?:by |in )?(?:a )?half\b", re.I),
        0.42,
        0.57,
    ),
)
_FLAT = re.compile(
    r"\b(?:flat|unchanged|stagnat\w+|did not (?:grow|change)|remained (?:stable|constant))\b", re.IGNORECASE
)
_PEAK = re.compile(
    r"\b(?:peak(?:s|ed)?|(?:high|high point|maximum|record|best|highest|strongest|busiest|largest)(?: "
    r"\w+){0,6} (?:in|was|of all)|(?:our|the) (?:best|strongest|busiest|highest|record) (?:\w+ )?(?:was|is|"
    r"in))\b",
    re.I,
)
_TROUGH = re.compile(
    r"\b(?:trough(?:ed)?|bottomed(?: out)?|low(?:est)? point|(?:lowest|weakest|worst|quietest|poorest)(?: "
    r"\w+){0,6} (?:in|was)|(?:our|the) (?:worst|weakest|lowest|quietest) (?:\w+ )?(?:was|is|in))\b",
    re.I,
)
_LEADS = re.compile(
    r"(?:\b(?:is|are|was|remains?|stays?|became|as)\b)\s+(?:by far |still |now |again |also )*(?:the |our "
    r")?(?:\w+['’]s )?(?:single )?(?:largest|biggest|top|leading|strongest|number one|main|most important|"
    r"most popular|market leader)\b|\b(?:leads?|comes? first|ranks? first|dominates?|tops)\b",
    re.I,
)
_LED_BY = re.compile(
    r"\b(?:largest|biggest|top|leading|strongest|main)(?: \w+){0,4}(?: is| are|:| was| comes from| "
    r"remains)\s+",
    re.I,
)
_SECOND = re.compile(
    r"\b(?:second|third|fourth|2nd|3rd|one of|among|after|behind|except|excluding|fastest|growing)\b",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(?:majority|most|more than half|over half|more than 50 ?%)\s+(?:of\b|\w+ come|\w+ stem)", re.I
)
_CHANGE_WORD = re.compile(rf"\b(?:{_UP}|{_DOWN}|change[ds]?|cagr)\b", re.IGNORECASE)
_TO = re.compile(
    r"\b(?:to|at|reached|reaching|reaches|hit|hits|stood at|stands at|of|was|were|is|are|had|has|with|:|"
    r"counted|served|saw|made|peaked at|record(?:ed)?|=)\s*(?:a |an |the |our |about |only |just )*$|"
    r"[(:]\s*$|^\s*$",
    re.I,
)
_NO_LEVEL = re.compile(
    r"\b(?:by|up|down|more|fewer|less|extra|additional|new|target|goal|plan|forecast|from|than|another|"
    r"every|per)\s*(?:about |only |just )*$",
    re.IGNORECASE,
)
_FLAT_GAP: Final = 0.25  # of the first value: what changes by more is not flat
_FARTHEST: Final = 8.0  # times: a level further off is measured in something else


def contradiction(line: Line, text: str) -> str | None:
    """Why the sentence and the series cannot both be right, in one sentence; None where they can."""
    if re.search(
        r"\b(?:target|goal|forecast|budget|plan(?:ned)?|will|expect\w*|competitors?|benchmark|aim)\b",
        text,
        re.I,
    ):
        return None
    for rule in (
        _extreme,
        _leader,
        _majority,
        _named_value,
        _factor,
        _percent,
        _every,
        _direction,
        _flat,
        _last_value,
    ):
        if note := rule(line, text):
            return note
    return None


def _ends(line: Line) -> str:
    return f"{line.values[0]:g} ({line.categories[0]}) to {line.values[-1]:g} ({line.categories[-1]})"


def _named(line: Line, text: str) -> list[int]:
    """The categories that the sentence names."""
    dates = moments(text)
    return [i for i, category in enumerate(line.categories) if category_named(category, text, dates)]


def category_named(category: str, text: str, dates: Sequence[Moment]) -> bool:
    """The category stands in the text, as it is or as the same month, quarter or year."""
    bare = category.strip()
    if not bare or len(bare) < 2:
        return False
    if re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", text, re.IGNORECASE):
        return True
    own = moments(bare) or moments(f"in {bare}")
    if len(own) != 1:
        return False
    days = (own[0].last - own[0].first).days
    return any(not apart(own[0], date) and abs((date.last - date.first).days - days) < 4 for date in dates)


def _extreme(line: Line, text: str) -> str | None:
    """ "Peaked in Q3" where the highest value is another's."""
    for pattern, pick, word in ((_PEAK, max, "highest"), (_TROUGH, min, "lowest")):
        if not pattern.search(text) or not line.over_time or _SECOND.search(text):
            continue
        named = _named(line, text)
        if len(named) == 1 and line.values[named[0]] != pick(line.values):
            best = line.categories[line.values.index(pick(line.values))]
            return (
                f"The chart's {word} value is {pick(line.values):g} ({best}); "
                f"{line.categories[named[0]]} has {line.values[named[0]]:g}."
            )
    return None


def _leader(line: Line, text: str) -> str | None:
    """ "Germany is our largest market" where another category has more."""
    if line.over_time or _SECOND.search(text):
        return None
    named = _named(line, text)
    if len(named) != 1:
        return None
    at = re.search(re.escape(line.categories[named[0]].strip()), text, re.IGNORECASE)
    if at is None:
        return None
    leads = _LEADS.match(text[at.end() :].lstrip(" ,")) or _LED_BY.search(text[: at.start()])
    others = [
        v
        for c, v in zip(line.categories, line.values, strict=True)
        if not re.search(r"\b(?:other|rest|total|all|average)", c, re.I)
    ]
    if leads and line.values[named[0]] < max(others, default=0):
        best = line.categories[line.values.index(max(others))]
        return (
            f"In the chart {best} has {max(others):g}, {line.categories[named[0]]} {line.values[named[0]]:g}."
        )
    return None


def _majority(line: Line, text: str) -> str | None:
    if line.over_time or not _MOST.search(text) or any(value < 0 for value in line.values):
        return None
    named, whole = _named(line, text), sum(line.values)
    if len(named) == 1 and whole and line.values[named[0]] < 0.49 * whole:
        share = 100 * line.values[named[0]] / whole
        return f"In the chart {line.categories[named[0]]} is {share:.0f}% of the whole, not most of it."
    return None


def _levels(line: Line, text: str) -> Iterator[Amount]:
    """The amounts that are levels of what the series shows: no growth, no change."""
    for amount in amounts(text):
        if amount.vague or amount.is_time or amount.unit in ("x", "points"):
            continue
        if (amount.unit == "%") != line.percent or _NO_LEVEL.search(
            text[max(0, amount.start - 22) : amount.start]
        ):
            continue
        yield amount


def _named_value(line: Line, text: str) -> str | None:
    """ "412 users in March" where March shows another value."""
    levels, named = list(_levels(line, text)), _named(line, text)
    if len(levels) != 1 or len(named) != 1:
        return None
    amount, value = levels[0], line.values[named[0]]
    change = line.percent and _CHANGE_WORD.search(text[max(0, amount.start - 25) : amount.end + 15])
    if change and not re.search(r"\bto\s*$", text[: amount.start]):
        return None
    if _equal(amount, value) or any(_equal(amount, other) for other in _sums(line)):
        return None
    if not _comparable(amount, value) or (not line.over_time and not _belongs(line, amount, text, named[0])):
        return None
    return f"The chart shows {value:g} for {line.categories[named[0]]}, not {amount.text}."


def _belongs(line: Line, amount: Amount, text: str, index: int) -> bool:
    """The number stands right beside the category's name."""
    at = re.search(re.escape(line.categories[index].strip()), text, re.IGNORECASE)
    if at is None:
        return False
    between = text[at.end() : amount.start] if at.end() <= amount.start else text[amount.end : at.start()]
    return len(between.split()) <= 6


def _sums(line: Line) -> list[float]:
    return [sum(line.values), sum(line.values) / len(line.values)]


def _last_value(line: Line, text: str) -> str | None:
    """ "Grew to 4.2 M", "now 412": a level that no point of the series has."""
    if not line.over_time:
        return None
    levels = [a for a in _levels(line, text) if _TO.search(text[max(0, a.start - 26) : a.start])]
    if len(levels) != 1 or len([a for a in amounts(text) if a.unit == levels[0].unit]) != 1:
        return None
    amount = levels[0]
    reached = re.search(
        r"\b(?:to|reached|reaches|hit|stands at|stood at|now)\s*(?:a |about )*$", text[: amount.start], re.I
    )
    plain = re.search(
        r"\b(?:achieved|posted|recorded|made|generated|earned|booked|turned over|counted|total(?:led)?|"
        r"came to|amounted to)\b",
        text,
        re.I,
    )
    named = re.search(r"\b(?:of|was|were|is|are|:)\s*$", text[: amount.start]) and plain
    stated = (
        plain
        and len(text.split()) < 12
        and (named or re.search(r"(?:over|made|earned|booked|counted)\s*$", text[: amount.start]))
    )
    if not (reached or stated) or any(_equal(amount, value) for value in (*line.values, *_sums(line))):
        return None
    if not _comparable(amount, line.values[-1]) or _named(line, text):
        return None
    return f"The chart ends at {line.values[-1]:g} ({line.categories[-1]}) and shows {amount.text} nowhere."


def _equal(amount: Amount, value: float) -> bool:
    """Equal as rounded, whatever scale the chart is kept in."""
    scales = (1.0,) if amount.unit == "%" else (1.0, 1e3, 1e6, 1e9, 1e-3, 1e-6)
    slack = 2 * amount.half + 1e-9 * abs(amount.value)
    return any(
        abs(value * scale - amount.value) <= slack for scale in scales if scale >= 1 or amount.value >= 1
    )


def _comparable(amount: Amount, value: float) -> bool:
    """In some scale the two are near enough to be one measure."""
    if not value or not amount.value or amount.value * value < 0:
        return False
    scales = (
        (1.0,)
        if amount.unit == "%"
        else (1.0, 1e3, 1e6, 1e9)
        if amount.scaled or amount.is_money
        else (1.0, 1e3)
    )
    return any(1 / _FARTHEST < value * scale / amount.value < _FARTHEST for scale in scales)


def _steps(line: Line) -> list[float]:
    """Every ratio of two points that a reader may mean by a growth."""
    v = line.values
    n = len(v)
    pairs = (
        {(i, i + 1) for i in range(n - 1)}
        | {(0, n - 1)}
        | {(i, n - 1) for i in range(n - 1)}
        | {(0, i) for i in range(1, n)}
    )
    pairs |= {(i, i + lag) for lag in (2, 3, 4, 12) for i in range(n - lag)}
    ratios = [v[j] / v[i] for i, j in pairs if v[i]]
    if n > 2 and v[0] > 0 and v[-1] > 0:
        ratios.append((v[-1] / v[0]) ** (1 / (n - 1)))
    half = n // 2
    if n % 2 == 0 and sum(v[:half]) > 0:
        ratios.append(sum(v[half:]) / sum(v[:half]))  # the second half of the chart against the first
    return ratios


def _own_steps(line: Line, text: str) -> list[float]:
    """The ratios between two points that the sentence names, else all that it may mean."""
    named = _named(line, text)
    if len(named) == 2 and line.values[named[0]]:
        return [line.values[named[1]] / line.values[named[0]]]
    if (
        len(named) == 1
        and re.search(r"\b(?:in|during|for)\b", text)
        and not re.search(
            r"\b(?:since|from|"
            r"by|until)\b",
            text,
        )
    ):
        at = named[0]
        return [
            line.values[at] / line.values[at - lag]
            for lag in (1, 4, 12)
            if at >= lag and line.values[at - lag]
        ]
    return _steps(line)


def _factor(line: Line, text: str) -> str | None:
    if not line.over_time or re.search(r"\bdouble[- ]digit", text, re.I):
        return None
    for pattern, low, high in _FACTORS:
        if match := pattern.search(text):
            steps = _own_steps(line, text)
            if any(low - 0.02 <= step <= (high or 1e9) + 0.02 for step in steps):
                return None
            return f"“{match[0]}” does not fit the chart: it goes from {_ends(line)}."
    return None


def _percent(line: Line, text: str) -> str | None:
    """ "Grew 40 %" where no two points give 40 %."""
    if not line.over_time:
        return None
    growths = [a for a in amounts(text) if a.unit == "%" and not line.percent]
    directions = (_GREW.search(text), _FELL.search(text))
    if (
        len(growths) != 1
        or sum(map(bool, directions)) != 1
        or re.search(r"\b(?:of|share|margin|rate)\b\s*$", text[: growths[0].start])
    ):
        return None
    amount = growths[0]
    word = directions[0] or directions[1]
    if word is None or not _linked(text, word, amount):
        return None
    sign = 1.0 if directions[0] else -1.0
    wide = 2 * amount.half + (4.0 if amount.vague else 0.0)
    changes = [100 * (step - 1) * sign for step in _own_steps(line, text)]
    if any(abs(change - amount.value) <= wide + 1e-9 for change in changes):
        return None
    return f"No two points of the chart are {amount.text} apart as the text says: it goes from {_ends(line)}."


def _linked(text: str, word: re.Match[str], amount: Amount) -> bool:
    """The direction's word belongs to the percentage."""
    low, high = min(word.end(), amount.end), max(word.start(), amount.start)
    return len(text[low:high].split()) <= 5 and not re.search(r"[;,:]", text[low:high])


def _every(line: Line, text: str) -> str | None:
    """ "Up every quarter" where one went down."""
    up, down = _GREW.search(text), _FELL.search(text)
    if not line.over_time or bool(up) == bool(down) or not _EVERY.search(text) or len(line.values) < 3:
        return None
    if re.search(r"\b(?:last|past|previous|for (?:the )?(?:two|three|four|\d))\b", text, re.I) or re.search(
        r"\b(?:on|over)[- ](?:year|quarter|month)\b", text, re.I
    ):
        return None
    for i in range(1, len(line.values)):
        a, b = line.values[i - 1], line.values[i]
        if (b < a) if up else (b > a):
            way = "falls" if up else "rises"
            return f"The chart {way} from {a:g} ({line.categories[i - 1]}) to {b:g} ({line.categories[i]})."
    return None


def _direction(line: Line, text: str) -> str | None:
    """ "Rose" where the series ends lower than it began and its last step went down, too."""
    up, down = _GREW.search(text), _FELL.search(text)
    if not line.over_time or bool(up) == bool(down) or _NO_DIRECTION.search(text):
        return None
    named = _named(line, text)
    first, last = line.values[0], line.values[-1]
    if len(named) == 2:
        first, last = line.values[named[0]], line.values[named[1]]
    elif len(named) == 1 and named[0] > 0 and named[0] != len(line.values) - 1:
        first, last = line.values[named[0] - 1], line.values[named[0]]
        if (line.values[named[0]] > line.values[0]) == bool(up):
            return None
    step = last - line.values[-2] if len(named) == 0 or named[-1] == len(line.values) - 1 else last - first
    if up and last < first and step < 0:
        return f"The text says up, the chart goes down from {first:g} to {last:g}."
    if down and last > first and step > 0:
        return f"The text says down, the chart goes up from {first:g} to {last:g}."
    return None


def _flat(line: Line, text: str) -> str | None:
    if (
        not line.over_time
        or not _FLAT.search(text)
        or not line.values[0]
        or _GREW.search(text)
        or _FELL.search(text)
    ):
        return None
    change = abs(line.values[-1] / line.values[0] - 1)
    return f"The text says flat, the chart goes from {_ends(line)}." if change > _FLAT_GAP else None
