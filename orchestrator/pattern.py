"""A question with slots, as a persona or a red flag writes it.

    (growth, percent; needs period, base) {place} you say "{quote}". Growth from which …?
    (any; only deadline; unless extension; needs number) {place} you say "{quote}". What does …?

The head in parentheses says what the question fits and what it asks for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from orchestrator.claims.model import CLAIM_KINDS, NEEDS
from orchestrator.finding import Findings
from orchestrator.outline import Line

ANY = "any"
EVASION = "evasion"
CONTRADICTION = "contradiction"  # two places that cannot both be right
ARITHMETIC = "arithmetic"  # figures that do not follow from each other: a sum, a rate, a share
NEWS = "news"  # something from outside that speaks against the claim
FINDINGS = (CONTRADICTION, ARITHMETIC, NEWS)
"""What a question can fit besides kinds of claim: something that was found about it."""
SORTS = (
    "request", "round", "proposal", "recommendation", "condition", "untested", "word", "expiry", "due",
    "leaving", "vacancy", "incident", "variance", "guideline", "objection", "worry", "risk", "dependence",
    "cost", "unit-cost", "price", "earned", "funding", "borrowing", "cash", "saving", "income", "forecast",
    "payback", "idle", "survey", "poll", "precedent", "pledge", "change", "milestone", "step", "boast",
    "effect", "binding", "mandate", "interest", "stale", "unfunded", "demand", "standard", "trial", "cause",
    "fact", "gap", "assurance", "reward", "split",
    "underway",
)  # fmt: skip
"""What a sentence puts before a board, told by how it is built and where it stands (engines/sorts.py)."""
QUESTION_SLOTS = ("place", "quote", "number", "subject", "period")
FINDING_SLOTS = ("other_place", "other_quote", "note")
"""For findings alone: where the other words stand and what they are, and why both cannot be right."""
FOLLOW_UP_SLOTS = ("answer", "quote")
VERBATIM_SLOTS = ("quote", "other_quote", "answer")
MOST_NEEDS = 3
"""What one answer can give: more makes a question that nobody can answer in one breath."""

_HEADED = re.compile(r"\(([^()]*)\)\s*(\S.*)")
_SLOT = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A question or follow-up; `text` holds slots such as {place}, to be filled by name."""

    heads: tuple[str, ...]  # claim kinds or FINDINGS, or for a follow-up needs or "evasion"; or "any"
    needs: tuple[str, ...]  # of NEEDS: what the answer must give
    text: str
    slots: frozenset[str]
    only: tuple[str, ...] = ()  # of SORTS: it fits sentences of these sorts and no others; empty: of any
    unless: tuple[str, ...] = ()  # lower-case phrases: where one stands in deck or speech, it is answered


NO_PATTERN = Pattern((), (), "", frozenset())
"""What stands in for an item without a head; its finding says so."""


def read_question(findings: Findings, item: Line) -> Pattern:
    """`(kinds; needs …) text`: an initial question."""
    headed = _headed(findings, item, '(money; needs source) {place} you say "{quote}". …?')
    if headed is None:
        return NO_PATTERN
    kinds, *conditions = headed[0].split(";")
    heads = _words(findings, item.number, kinds, (*CLAIM_KINDS, ANY, *FINDINGS), "claim kind")
    only: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    while conditions and (word := conditions[0].strip().partition(" "))[0] in ("only", "unless"):
        if word[0] == "only":
            only = _words(findings, item.number, word[2], SORTS, "sort of sentence")
        else:
            unless = tuple(phrase for one in word[2].split(",") if (phrase := one.strip().lower()))
        conditions.pop(0)
    pattern = _question(findings, item.number, heads, ";".join(conditions), headed[1])
    return replace(pattern, only=only, unless=unless)


def read_flag_question(findings: Findings, item: Line) -> Pattern:
    """`(needs …) text`: the question of a red flag, which the flag's words choose."""
    headed = _headed(findings, item, '(needs source) {place} you say "{quote}". …?')
    if headed is None:
        return NO_PATTERN
    return _question(findings, item.number, (ANY,), *headed)


def read_follow_up(findings: Findings, item: Line) -> Pattern:
    """`(need) text`: a follow-up or an escalation, for what an answer left open."""
    headed = _headed(findings, item, "(number) That is the direction. What is the number?")
    if headed is None:
        return NO_PATTERN
    head, text = headed
    heads = _words(findings, item.number, head, (*NEEDS, EVASION, ANY), "need")
    if text.count("?") > 1:
        findings.add(item.number, "asks more than one question: keep one question mark")
    return Pattern(heads, (), text, _slots(findings, item.number, text, FOLLOW_UP_SLOTS))


def _headed(findings: Findings, item: Line, example: str) -> tuple[str, str] | None:
    if match := _HEADED.fullmatch(item.text):
        return match[1], match[2]
    findings.add(item.number, f"must start with what it fits, in parentheses, as in `{example}`")
    return None


def _question(findings: Findings, line: int, heads: tuple[str, ...], head: str, text: str) -> Pattern:
    """The pattern of a question whose head ends in `needs` and what it asks for."""
    word, _, listed = head.strip().partition(" ")
    needs: tuple[str, ...] = ()
    if word == "needs" and listed:
        needs = _words(findings, line, listed, NEEDS, "need")
        if len(needs) > MOST_NEEDS:
            findings.add(line, f"asks for {len(needs)} needs at once: keep at most {MOST_NEEDS}")
    else:
        findings.add(line, f"must say what it asks for, as in `needs source`: one of {', '.join(NEEDS)}")
    if text.count("?") != 1:
        findings.add(line, f"has {text.count('?')} question marks: ask one question, with one")
    about_findings = bool(heads) and set(heads) <= set(FINDINGS)
    slots = _slots(findings, line, text, QUESTION_SLOTS + FINDING_SLOTS * about_findings)
    for slot in ("place", "quote"):
        if slot not in slots:
            findings.add(line, f"must say what it is about: add {{{slot}}}")
    return Pattern(heads, needs, text, slots)


def _words(findings: Findings, line: int, text: str, known: tuple[str, ...], what: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(","))
    for word in words:
        if word not in known:
            findings.add(line, f"{word!r} is no {what}: use {', '.join(known)}")
    return tuple(word for word in words if word in known)


def _slots(findings: Findings, line: int, text: str, known: tuple[str, ...]) -> frozenset[str]:
    slots = _SLOT.findall(text)
    names = ", ".join(f"{{{slot}}}" for slot in known)
    for slot in slots:
        if slot not in known:
            findings.add(line, f"unknown slot {{{slot}}}: use {names}")
    if "{" in (rest := _SLOT.sub("", text)) or "}" in rest:
        findings.add(line, f"a brace without its partner: braces only stand around {names}")
    for slot in VERBATIM_SLOTS:
        if text.count(f"{{{slot}}}") != text.count(f'"{{{slot}}}"'):
            findings.add(line, f'{{{slot}}} is verbatim: write it as "{{{slot}}}"')
    return frozenset(slots).intersection(known)
