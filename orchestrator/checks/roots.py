"""Words reduced to what they have in common: "answers", "answered" and "answering" are one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from orchestrator.claims.words import word_set

_ENDINGS: Final = (
    "ations", "ation", "ances", "ance", "ments", "ment", "ings", "ing", "ions", "ion", "ers", "er", "als",
    "al", "ed", "es", "s", "e", "y",
)  # fmt: skip
_SHORTEST: Final = 4
_IRREGULAR: Final = {
    "spent": "spend", "sold": "sell", "sale": "sell", "sales": "sell", "bought": "buy", "left": "leave",
    "lost": "lose", "won": "win", "paid": "pay", "held": "hold", "kept": "keep", "taken": "take",
    "took": "take", "gave": "give", "given": "give", "came": "come", "ran": "run", "flown": "fly",
    "flew": "fly", "flights": "fly", "flight": "fly", "men": "man", "women": "woman", "people": "person",
    "children": "child", "died": "death", "deaths": "death", "staff": "staff", "written": "write",
    "pupils": "pupil", "lives": "life", "seen": "see", "met": "meet", "made": "make", "built": "build",
    "retention": "retain", "grown": "grow", "sent": "send", "busy": "busy", "news": "news",
}  # fmt: skip
_GROUPS: Final = (
    "cost spend expense expenditure outlay",
    "staff personnel employee salary wage payroll workforce",
    "run operate",
    "person resident",
)
_STOP: Final = word_set(
    "a an the this that these those our your their its his her it we us you they them he she i and or but "
    "nor so if as at by to for from with without in on of into over under about than then when where while "
    "who whom which what how is are was were be been being am has have had do does did will would can could "
    "shall should may might must not no also only just very too still already now today currently again "
    "there here up down out off all each every both most per total in-total overall altogether together "
    "one two three four five six seven eight nine ten average avg number share rate about make makes made "
    "account accounts nearly almost roughly around some any more less"
)
_WORD = re.compile(r"[^\W\d_][\w’'-]*[^\W_]|[^\W\d_]")


@lru_cache(maxsize=8_192)
def root(word: str) -> str:
    """What is left of *word* without its endings; words of one meaning that reports mix become one."""
    plain = _root(word)
    return _CANONICAL.get(plain, plain)


def _root(word: str) -> str:
    low = re.sub(r"['’]s?$", "", word.lower()).replace("-", "")
    low = _IRREGULAR.get(low, low)
    if low.endswith("ies") and len(low) > 4:
        low = low[:-3] + "y"
    if low.endswith("ied") and len(low) > 5:
        low = low[:-3] + "y"
    if low.endswith("ves") and len(low) > 4:
        low = low[:-3] + "f"
    if len(low) == _SHORTEST and low.endswith("s") and not low.endswith("ss"):
        return low[:-1]  # vans, cars
    for _ in range(2):
        ending = next((e for e in _ENDINGS if low.endswith(e) and len(low) - len(e) >= _SHORTEST), "")
        low = low.removesuffix(ending)
    if len(low) >= _SHORTEST and low[-1] == low[-2] and low[-1] not in "aeiou":
        low = low[:-1]
    return low


_CANONICAL: Final = {_root(word): _root(group.split()[0]) for group in _GROUPS for word in group.split()}


@lru_cache(maxsize=8_192)
def roots(text: str) -> frozenset[str]:
    """The roots of all words of *text* that mean something."""
    return frozenset(root(word) for word in _WORD.findall(text) if word.lower() not in _STOP)


def joined(parts: Iterable[str]) -> frozenset[str]:
    """The roots of several stretches of text."""
    return frozenset(word for part in parts for word in roots(part))
