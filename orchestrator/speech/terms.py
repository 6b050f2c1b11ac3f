"""The words that a text is about, for comparing speech with slides."""

from __future__ import annotations

import re
import unicodedata

from orchestrator.speech.pace import CJK

_TERM = re.compile(f"[{CJK}]+|[^\\W_{CJK}]+(?:['’][^\\W_{CJK}]+)*")
_IS_CJK = re.compile(f"[{CJK}]")
_ENGLISH = """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can cannot could did do does doing down during each else ever few for from further
    get gets getting go goes going gone good got had has have having he her here hers him his how i if in
    into is it its itself just know let like look lot made make many may me might mine more most much must
    my no nor not now of off ok okay on once one only or other our ours out over own please quite really
    right said same say see shall she should so some such take than thank thanks that the their them then
    there these they thing things think this those through to today too under until up us very want was
    way we well were what when where which while who whom whose why will with would yeah yes you your
    yours um uh er don't doesn't didn't isn't aren't wasn't we'll we're we've i'm i'll i've it's that's
    there's let's you'll you're they're can't won't
"""
_STOP_WORDS = frozenset(_ENGLISH.split())


def terms(text: str) -> list[str]:
    """The content words of *text*, folded; two characters at a time where no spaces divide words.

    English function words are left out and a plural is taken as its singular; words of other
    languages stay as they are.
    """
    found: list[str] = []
    for match in _TERM.finditer(unicodedata.normalize("NFKC", text)):
        word = match[0]
        if _IS_CJK.match(word):
            found += [word[i : i + 2] for i in range(len(word) - 1)] or [word]
            continue
        word = word.casefold().replace("’", "'")
        if word not in _STOP_WORDS:
            found.append(_singular(word.removesuffix("'s")))
    return found


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
