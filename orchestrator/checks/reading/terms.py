"""Texts as bags of words that tell: plain forms, groups of synonyms, and which side of a whole they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from orchestrator.checks.lexicon import singular
from orchestrator.checks.reading.thesaurus import EMPTY, GROUPS, IRREGULAR, KEEP_E, POLAR
from orchestrator.checks.vocabulary import FUNCTION, ORGANISATIONS
from orchestrator.claims.words import word_set

_ARTICLES: Final = word_set("a an the our their its his her your my this that these those any all some")
_POLAR_WEIGHT: Final = 0.9
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9&’']*")


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase of a text that tells what it is about."""

    plain: str  # its plain form
    features: frozenset[str]  # the plain form and the groups that it is in, with "#" in front
    poles: frozenset[str] = frozenset()  # "stay+" where it names one side of a whole, "stay-" the other


@dataclass(frozen=True, slots=True)
class _Lexicon:
    phrases: dict[str, tuple[tuple[tuple[str, ...], frozenset[str], frozenset[str]], ...]]  # by first word
    weights: dict[str, float]


@cache
def plain(word: str) -> str:
    """The word without the endings of plurals and of tenses."""
    low = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    if low not in IRREGULAR:
        low = singular(low)
    if low in IRREGULAR:
        return _bare(IRREGULAR[low])
    for ending in ("ing", "ed"):
        if (
            low.endswith(ending)
            and len(low) - len(ending) >= 3
            and re.search(r"[aeiouy]", low[: -len(ending)])
        ):
            low = low[: -len(ending)]
            if low[-1] == low[-2] and low[-1] not in "ls":
                low = low[:-1]
            break
    return _bare(low)


def _bare(low: str) -> str:
    return low[:-1] if low.endswith("e") and len(low) > 3 and low not in KEEP_E else low


ORGANISATION_WORDS: Final = frozenset(plain(word) for word in ORGANISATIONS)
"""What a speaker may call the whole of their own organisation."""


@cache
def _lexicon() -> _Lexicon:
    found: dict[tuple[str, ...], tuple[set[str], set[str]]] = {}
    weights: dict[str, float] = {}
    for line in GROUPS.strip().splitlines():
        name, weight, words = (part.strip() for part in line.split("|"))
        weights[f"#{name}"] = float(weight)
        for phrase in words.split(";"):
            found.setdefault(_phrase(phrase), (set(), set()))[0].add(f"#{name}")
    for line in POLAR.strip().splitlines():
        name, *sides = (part.strip() for part in line.split("|"))
        weights[f"±{name}"] = _POLAR_WEIGHT
        for sign, words in zip("+-", sides, strict=True):
            for phrase in words.split(";"):
                features, poles = found.setdefault(_phrase(phrase), (set(), set()))
                features.add(f"±{name}")
                poles.add(name + sign)
    by_first: dict[str, list[tuple[tuple[str, ...], frozenset[str], frozenset[str]]]] = {}
    for phrase_words, (features, poles) in found.items():
        if not phrase_words:
            continue
        by_first.setdefault(phrase_words[0], []).append((phrase_words, frozenset(features), frozenset(poles)))
    return _Lexicon(
        {first: tuple(sorted(rows, key=lambda row: -len(row[0]))) for first, rows in by_first.items()},
        weights,
    )


def _phrase(text: str) -> tuple[str, ...]:
    return tuple(plain(word) for word in _WORD.findall(text))


@cache
def _empty() -> frozenset[str]:
    return frozenset(plain(word) for word in EMPTY | FUNCTION)


def strength(feature: str) -> float:
    """How much it tells that two texts share the feature, before its rarity in the deck counts."""
    return _lexicon().weights.get(feature, 1.0)


def terms(words: Sequence[str]) -> tuple[Term, ...]:
    """The telling words and phrases among *words*, in order, each once."""
    lexicon, empty = _lexicon(), _empty()
    forms = [plain(word) for word in words if word.lower() not in _ARTICLES]
    found: dict[str, Term] = {}
    position = 0
    while position < len(forms):
        taken = 1
        for phrase, features, poles in lexicon.phrases.get(forms[position], ()):
            if tuple(forms[position : position + len(phrase)]) != phrase:
                continue
            if len(phrase) == 1 and forms[position] in empty:
                continue
            taken = len(phrase)
            name = " ".join(phrase)
            own = features if taken > 1 else features | {name}
            found.setdefault(name, Term(name, own, poles))
            break
        else:
            word = forms[position]
            if word not in empty and len(word) > 1:
                found.setdefault(word, Term(word, frozenset({word})))
        position += taken
    return tuple(found.values())


_AGE = re.compile(
    r"\b(?P<side>under|over)[- ]?(?:the age of )?(?P<age>\d\d)s?\b(?! ?(?:%|per|million|k\b))", re.I
)


def terms_of(text: str) -> tuple[Term, ...]:
    """The telling words and phrases of a text; "under 26" is one."""
    found = terms(_WORD.findall(text))
    ages = [f"{match['side'].lower()} {match['age']}" for match in _AGE.finditer(text)]
    return (*found, *(Term(age, frozenset({age})) for age in ages)) if ages else found


def poles(found: Iterable[Term]) -> frozenset[str]:
    """Every side of a whole that the terms name."""
    return frozenset(pole for term in found for pole in term.poles)
