"""Shares of a question with one answer a person: together they cannot be more than 100 %."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.checks.amounts import Amount, amounts
from orchestrator.checks.passages import shown
from orchestrator.checks.rounding import rounding
from orchestrator.claims.model import Place, Tension
from orchestrator.deck.model import Deck, Slide

_ONE_EACH = re.compile(
    r"\b(?:single[- ](?:choice|answer|response|select)|one (?:box|answer|choice|option|vote|cross|tick|"
    r"response|reply|name|pick|mention)"
    r"(?: only)?(?: \w+){0,3}?(?: per| each| to| was| allowed| possible|\b)|only one|just one|exactly one|"
    r"(?:tick|choose|chose|pick|picked|name|named|mark|marked|select|selected|gave|give)(?:ed)? (?:only |"
    r"just |exactly )?(?:the )?one\b|"
    r"nobody (?:is |was )?(?:counted|named|appears) twice|no one counted twice|no multiple answers|"
    r"multiple answers (?:were )?not|"
    r"main (?:means|reason|mode|source|language|use)|most often|mutually exclusive|each (?:person|"
    r"household|respondent|customer|member|patient|employee) "
    r"(?:is |was )?(?:counted|assigned|named|in) (?:only |just |exactly )?(?:once|one))\b",
    re.I,
)  # fmt: skip
_MANY = re.compile(
    r"\b(?:multiple (?:answers|choice|responses|selections)(?! (?:were )?not)|several answers|more than "
    r"one (?:answer|choice|option)|up to (?:two|three|five|\d)|"
    r"select all|all that apply|could (?:name|tick|choose) (?:several|more)|(?:two|three) answers)\b",
    re.I,
)  # fmt: skip
_SETS: Final = tuple(
    tuple(re.compile(rf"\b(?:{words})\b", re.I) for words in group)
    for group in (
        (r"for|in favou?r|yes|support\w*|agree|approve", r"against|no|oppos\w*|disagree|reject\w*",
         (r"abstain\w*|abstentions?|undecided|don['’]?t (?:know|mind|care)|either way|no opinion|neutral|"
         r"not sure|unsure|indifferent")),
        (r"better|improved|up", r"worse|down|declined", r"same|unchanged|no change|equal"),
        (r"satisfied|happy|positive|good|promoters?", r"dissatisfied|unhappy|negative|poor|detractors?",
         r"neutral|neither|passives?|mixed|so-so"),
        (r"men|male|boys", r"women|female|girls", r"diverse|other|not stated|unknown|no answer|did not say"),
    )
)  # fmt: skip
_BAD = re.compile(
    r"\b(?:grew|growth|increase[ds]?|decrease[ds]?|rose|fell|target|from|than|of which|of them|of these|"
    r"last year|previous|"
    r"more|less|margin|rate|turnout|response|at least|discount|vs|versus|points?)\b",
    re.I,
)  # fmt: skip
_MOST: Final = 160.0
_LONGEST_LINE: Final = 10


def single_choice_sums(deck: Deck) -> Iterator[Tension]:
    """Runs of lines with one share each above 100 % together, of one question with one answer each."""
    for slide in shown(deck):
        text = " ".join((slide.title, *slide.lines))
        if "%" in text and not _MANY.search(text):
            yield from _on_slide(slide)


def _on_slide(slide: Slide) -> Iterator[Tension]:
    run: list[tuple[str, Amount]] = []
    for line in (*slide.lines, ""):
        found = [a for a in amounts(line) if a.unit == "%"]
        if (
            len(found) == 1
            and len(line.split()) <= _LONGEST_LINE
            and not found[0].vague
            and not _BAD.search(line)
        ):
            run.append((line, found[0]))
            continue
        if len(run) > 1 and (tension := _too_much(slide, run)):
            yield tension
        run = []


def _too_much(slide: Slide, run: list[tuple[str, Amount]]) -> Tension | None:
    values = [amount.value for _, amount in run]
    whole = sum(values)
    if not 100 + rounding([amount.half for _, amount in run]) < whole <= _MOST or max(values) >= 100:
        return None
    if len(run) < 2 or not (_says_one(slide, run) or _excludes(run)):
        return None
    joined = " + ".join(f"{value:.6g}%" for value in values)
    note = f"Each answer counts once, yet the shares ({joined}) add up to {whole:.6g}%."
    return Tension("sum", Place(slide.number, None, run[0][0]), Place(slide.number, None, run[-1][0]), note)


def _says_one(slide: Slide, run: list[tuple[str, Amount]]) -> bool:
    others = [slide.title, *(line for line in slide.lines if line not in {text for text, _ in run})]
    return len(run) > 2 and any(_ONE_EACH.search(line) for line in others)


def _excludes(run: list[tuple[str, Amount]]) -> bool:
    """The lines are "for", "against" and "undecided", or another such set, one each."""
    for group in _SETS:
        hits = [[at for at, pattern in enumerate(group) if pattern.search(_named(line))] for line, _ in run]
        if len(run) == len(group) and sorted(hit[-1] for hit in hits if hit) == list(range(len(group))):
            return True
    return False


def _named(line: str) -> str:
    return re.sub(r"\d[\d.,]*\s?%", " ", line)
