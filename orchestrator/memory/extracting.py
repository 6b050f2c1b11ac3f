"""What speech states in so many words: goals, decisions, blockers, and the names in it.

Whatever is found is a whole sentence as it was said, so that nothing is made up; a sentence that
only might state something states nothing, nor does a question or a supposition. English only: in
another language names are found and nothing else. Decisions are told by the summariser's cues, so
that the two never differ about what one is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from orchestrator.claims.sentences import LONGEST_SENTENCE
from orchestrator.claims.words import word_set
from orchestrator.engines import fact_cues as cues

_I: Final = re.IGNORECASE
_WE: Final = r"(?:we|i)"
_ARE: Final = r"(?: are| am|['’]re|['’]m)"
_SOON: Final = r"(?: (?:also|still|now|here|really|currently|simply))*"

_GOAL = re.compile(
    rf"\b(?:my|our|the) (?:\w+ ){{0,2}}(?:goal|aim|objective|ambition|target|priority)"
    rf"(?: (?:for|of|in|with|this|today|tonight|here)\b(?: [\w’'-]+){{0,4}})? (?:is|remains|was always) "
    rf"(?:simple: |clear: )?(?:to|that)\b|"
    rf"\b{_WE}{_ARE}{_SOON} (?:asking|seeking|looking|hoping) (?:for )?(?:you |the board |the panel |your )?"
    rf"(?:to approve|approval|to agree|agreement|to endorse|endorsement|to support|support for|a decision|"
    rf"a mandate|to sign off)\b|"
    rf"\b{_WE} ask (?:you|the board|the panel) (?:for|to)\b|"
    rf"\bwhat {_WE} (?:want|need|ask) (?:from|of) (?:you|the board|this board|the panel) (?:today |here )?"
    rf"is\b|"
    rf"\bby the end of (?:today|this (?:session|meeting|rehearsal|talk)|the (?:session|meeting))\b[^.?!]*"
    rf"\b{_WE}(?: would|['’]d)? (?:want|like|need|hope)\b|"
    rf"\b(?:today|in this (?:session|rehearsal)) {_WE}(?: would|['’]d)? (?:want|like|hope|need|aim) to "
    rf"(?:get|win|secure|leave|practi[sc]e|show|convince|explain|answer|be able to)\b",
    _I,
)
_NO_GOAL = re.compile(
    r"\b(?:not|n['’]t|never|no longer) (?:\w+ )?(?:our|my|the|asking|seeking)\b|\bif\b|\bwhether\b", _I
)

_BLOCKER = re.compile(
    rf"\b{_WE}{_ARE}{_SOON} (?:completely |fully )?(?:blocked|stuck)\b|"
    r"\b(?:is|are|remains?) (?:still |currently |now )?(?:blocked|held up) (?:by|on|until|at|because)\b|"
    rf"\b{_WE}{_ARE}{_SOON} (?:waiting (?:for|on)|held up by|short of)\b|"
    rf"\b{_WE} (?:cannot|can['’]t|are (?:not able|unable) to|could not|couldn['’]t) (?:\w+ ){{1,6}}?(?:until|"
    r"unless|without|before|because)\b|"
    r"\b(?:the|our|a|one) (?:\w+ ){0,2}(?:blocker|obstacle|bottleneck|hurdle|sticking point|showstopper)"
    r"(?: (?:here|now|today|for [\w’'-]+(?: [\w’'-]+)?))? (?:is|remains|has been)\b|"
    r"\bwhat (?:is )?(?:holds?|holding) us (?:back|up) is\b|"
    r"\b(?:is|are) (?:still )?(?:missing|outstanding|overdue|pending) (?:from|until|because|at the)\b",
    _I,
)
_NO_BLOCKER = re.compile(
    r"\b(?:no longer|not|n['’]t|never|nothing|nobody|no) (?:\w+ ){0,2}(?:blocked|stuck|blocker|obstacle|"
    r"bottleneck|hurdle|waiting|held up)|\bif\b|\bsuppose\b|\bwould be\b|\bwaiting for (?:your |the )?"
    r"(?:question|next slide|slide|applause|everybody|everyone|people)",
    _I,
)

GOAL: Final = "goal"
DECISION: Final = "decision"
BLOCKER: Final = "blocker"

_FEWEST_WORDS: Final = 4
_STEP: Final = re.compile(r"\w+(?:'\w+)?")
_HINTS: Final = word_set(
    "goal aim objective ambition target priority ask asking seeking looking hoping want need like today "
    "session blocked stuck held waiting short cannot can can't could couldn't able unable obstacle blocker "
    "bottleneck hurdle sticking showstopper hold holds holding missing outstanding overdue pending decided "
    "decision resolved agreed chose chosen opted settled selected ruled approved voted signed rejected"
)
"""One of these stands in every sentence that the patterns fit, so most speech is not searched for them."""


def decides(words: str) -> bool:
    """Whether a sentence states a decision."""
    return (
        not _HINTS.isdisjoint(_steps(words))
        and cues.DECISION.search(words) is not None
        and cues.NO_DECISION.search(words) is None
    )


def _steps(words: str) -> list[str]:
    return _STEP.findall(words.casefold().replace("’", "'"))


def stated(words: str) -> str | None:
    """What a sentence states: a goal, a decision or a blocker; None: none of them."""
    steps = _steps(words)
    if _HINTS.isdisjoint(steps) or len(words) > LONGEST_SENTENCE or len(steps) < _FEWEST_WORDS:
        return None
    if words.rstrip("\"'”’)").endswith("?") or cues.CUT_OFF.search(words.rstrip(" ,;:-–—")):
        return None
    if decides(words):
        return DECISION
    if _BLOCKER.search(words) and not _NO_BLOCKER.search(words):
        return BLOCKER
    if _GOAL.search(words) and not _NO_GOAL.search(words):
        return GOAL
    return None


_CAPITAL: Final = r"[A-ZÀ-ÖØ-Þ][\w’'&-]*"
_NAME = re.compile(rf"\b{_CAPITAL}(?: (?:(?:of|de|van|von|and|&|for the|of the) )?{_CAPITAL}){{0,4}}")
_NOT_FIRST: Final = word_set(
    "i the a an this that these those it we you he she they our my your his her its their there here what "
    "who when where why how which if and but or so then well yes no not now today as at by for from in on "
    "of to with all both each every some any most many more one two three thank thanks good great okay ok "
    "sure please let also first second third finally next last question answer slide slides is are was "
    "were will would can could do does did has have had because although while after before since until "
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december q1 q2 q3 q4 h1 h2 usd eur gbp dr mr mrs ms um uh oh ah er "
    "yeah hello hi sorry gosh cause again come maybe look indeed however therefore overall remember"
)
"""Words that are written large without naming anybody or anything."""
_ACRONYM = re.compile(r"[A-Z]{2,6}s?")
_COMMON_ACRONYMS: Final = word_set(
    "OK CEO CFO COO CTO CIO CMO USD EUR GBP CHF AM PM FY YOY QOQ KPI KPIS OKR PDF UK US EU Q&A VAT"
)
_LONGEST_NAME: Final = 60


def names(sentence: str) -> Iterator[str]:
    """What is named in a sentence: words written large that it does not begin with, or several in a row.

    Speech without capitals, or in capitals throughout, names nobody.
    """
    if sentence.islower() or sentence.isupper():
        return
    for match in _NAME.finditer(sentence):
        if (name := _named(match[0], is_first=match.start() == 0)) is not None:
            yield name


def _named(words: str, *, is_first: bool) -> str | None:
    parts = re.sub(r"['’]s$", "", words).split()
    while parts and _is_common(parts[0]):
        parts, is_first = parts[1:], False
        if parts and not parts[0][0].isupper():
            return None
    while parts and (not parts[-1][0].isupper() or _is_common(parts[-1])):
        parts = parts[:-1]
    name = " ".join(parts).rstrip("-'’&")
    if len(name) < 2 or len(name) > _LONGEST_NAME or name.upper() in _COMMON_ACRONYMS:
        return None
    if is_first and len(parts) == 1 and not _ACRONYM.fullmatch(name):
        return None  # any word may begin a sentence
    return name


def _is_common(word: str) -> bool:
    return word.casefold().replace("’", "'").partition("'")[0] in _NOT_FIRST
