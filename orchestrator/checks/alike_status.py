# ruff: noqa: E501 - a pattern lists its wordings
"""Whether a number says what is, or what is to be, what was, what changed, or what another has; and its traits."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.checks.alike_numbers import Amount
from orchestrator.checks.numbers import BARE, COUNT, PERCENT
from orchestrator.checks.vocabulary import EXAMPLE_CUES, MODIFIERS, OTHERS, TARGET_CUES
from orchestrator.claims.words import word_set

ACTUAL: Final = "actual"
PLANNED: Final = "planned"
PAST: Final = "past"
CHANGED: Final = "changed"
OTHER: Final = "others"
PARTIAL: Final = "partial"  # of a part that the words single out
RANGE: Final = "range"

_OTHER = re.compile(
    OTHERS
    + r"|\b(?:neighbou?r\w*|national(?:ly)?|nationwide|state(?:wide)?(?=\s*(?:average|:|is\b|,|$))|sector|regional average|country as a whole|across the "
    r"(?:valley|river|road|border|street)|down the road|next door|rivals?|world(?:wide)? average|the average (?:for|in|across)|"
    r"typical (?:for|in)|others|other (?:clubs|schools|cities|towns|firms|airports|chains|hospitals|providers|charities)|"
    r"than (?:the|our) (?:competition|others?)|comparable|best practice|private (?:dairy|clinic|school)s?)\b",
    re.I,
)
_NOT_PLANNED = re.compile(
    r"\b(?:if|when|once) (?:you|we|i) (?:now )?(?:walk|look|take|go|count|add|ask|visit|come|sit|step|stand|open|divide|put)\b|\bwould (?:recommend|buy|say)\b|"
    r"\bwho (?:could|would|might)\b|\bneed(?:s|ed)? (?:no|us|help|care)\b|\bwe want to thank\b|\bas (?:planned|expected|hoped|promised)\b|\bplanned operations?\b|"
    r"\bon the promised (?:day|date)\b|\bthe promised (?:day|date)\b|\bmiss(?:ed)? the promised\b",
    re.I,
)
_PLANNED = re.compile(
    TARGET_CUES
    + r"|\b(?:aim|goal|target|budget|forecast|plan|asks? (?:(?:the|our|this|you) (?:\w+ )?)?for|use of funds|is to|are to|capped|allowed|permitted|required|at most|"
    r"likely|capacity then|room for|seeks?|request|propos\w+|pledg\w+|until 20\d\d|by the end of)\b",
    re.I,
)
_PAST = re.compile(
    r"\b(?:(?:a|one|the) year (?:before|earlier|ago|prior)|(?:the )?(?:winter|season|summer|quarter|month|week) before|years? ago|previous(?:ly)?|prior|"
    r"used to|formerly|in the past|back then|at the time|originally|initially|for comparison|in comparison|had been|was still|no longer|"
    r"before (?:the|we|this|that)|earlier|once|instead of|record (?:year|high|low)|not any more|when (?:we|i) (?:started|began|joined|took over))\b",
    re.I,
)
_FROM = re.compile(
    r"\b(?:from|against|versus|vs\.?|compared (?:to|with)|after|instead of|rather than|up on|down on|than|was|were|had been)\s+"
    r"(?:(?:about|around|nearly|just|only|over|the|a|an|some|roughly|still)\s+|[~≈€$£])*$",
    re.I,
)
_THAN = re.compile(
    r"\b(?:more|less|fewer|higher|lower|better|other|greater) than\s*(?:[€$£~]|the |a )*$", re.I
)
_BY = re.compile(
    r"\b(?:by|up|down|plus|minus|rose|fell|grew|dropped|increased|decreased|declined|climbed|jumped|gained|improved|added|another|a further|"
    r"(?:increase|decrease|rise|growth|drop|reduction|improvement|decline|fall|gain) of|rise[sn]?|grow(?:s|n|ing)?)\s+"
    r"(?:(?:about|around|nearly|just|only|over|some|roughly|almost|a|an|another)\s+|[~≈€$£+−-])*$|[+−]\s?$",
    re.I,
)
_UP_TO_A_LEVEL = re.compile(r"\b(?:up|down|grew|rose|fell|risen|grown|dropped|climbed) to\b", re.I)
_MORE = re.compile(
    r"^\s*(?:\w+\s){0,2}?(?:more|less|higher|lower|fewer|above|below|up|down|better|worse|increase|decrease|growth|rise|fall|extra|additional|points?|"
    r"percentage points|too (?:many|few|much))\b(?!\s+or (?:less|more))",
    re.I,
)
_PARTIAL = re.compile(
    r"\b(?:of (?:which|whom|these|those|them)|only(?=\s*(?:[:(,]|$))|alone\b|\bonly (?:for|in|at|among|within|the|those)\b|(?:several|multiple|more than one) answers?|those (?:who|that|with|in|on|from)|the ones (?:who|that|in|on)|excluding|except(?:ing)?|apart from|"
    r"other than|leaving out|not (?:counting|including)|without counting|including|the rest|the others?|remaining|remainder|for example|for instance|such as|"
    r"sample|subset|pilot group|one (?:customer|patient|site|case|shop|school|client)|a (?:single|certain|particular)|the (?:first|second|third|last|other|latter|former) (?:one|group|half|of)|"
    r"each of|any one|some of|most of them|the (?:oldest|youngest|newest|biggest|largest|smallest|worst|best))\b",
    re.I,
)
_EXAMPLE = re.compile(EXAMPLE_CUES.replace(r"say,|", ""), re.I)
_ADDING = re.compile(
    r"\b(?:hire[ds]?|hiring|recruit(?:s|ed|ing|ment)?|joined|joining|joiners?|add(?:s|ed|ing|itions?)|launch(?:es|ed|ing)?|lost|losing|won|winning|bought|acquired|"
    r"sign(?:ed|ing)|installed|replaced|trained|surveyed|interviewed|asked|visited|laid off|let go|resigned|retired|left|"
    r"new(?:ly)?|additional|extra|waiting list|wait(?:ing)? for|applied|applications?|vacan\w+|unfilled|former|cancel\w+|complain\w*|short of|missing|sold|planned)\b",
    re.I,
)
_EXTREME = re.compile(
    r"\b(?:longest|shortest|fastest|slowest|highest|lowest|busiest|quietest|record|maximum|minimum|max|min|peak|worst|best|single|biggest|largest|"
    r"smallest|oldest|youngest|most expensive|cheapest|limit|extreme|heaviest|deepest|tallest|fullest|hardest)\b",
    re.I,
)
_EVERYONE = re.compile(
    r"\bbest[- ]?(?:seller|of all)|\bsingle (?:room|bed|parent|ticket|fare)|\brecord (?:number|of)\b|\bat best\b|\bat worst\b",
    re.I,
)
_HARD: Final = word_set(
    "gross net organic adjusted existing recurring cumulative former prospective pilot forward direct "
    "indirect external internal permanent temporary part-time unique excluding including diluted "
    "voluntary weighted unweighted qualified committed unpaid lost registered free trial joint "
    "consolidated proforma annualised blended"
)
_MORE_TRAITS = re.compile(
    r"\b(?P<void>void)|(?P<quoted>quoted)|(?P<pretax>pre-?tax|before tax)|(?P<posttax>after tax|post-?tax)|(?P<staffonly>full[- ]time)|"
    r"(?P<weekend>weekends?)|(?P<overnight>overnight)|(?P<insured>insured|covered)|(?P<paidup>prepaid|paid up)|(?P<female>women|female|girls)|(?P<male>\bmen\b|male|boys)\b",
    re.I,
)


def status_of(
    clause: str,
    before: str,
    after: str,
    names: frozenset[str],
    *,
    title: str = "",
    amount: Amount | None = None,
) -> str:
    """Which of the kinds above the number is; ACTUAL only where nothing else shows.

    Args:
        before, after: The words right beside the number.
    """
    if amount is not None and amount.is_range:
        return RANGE
    if _OTHER.search(clause) or re.search(
        r"\b(?:competit\w+|market (?:overview|landscape)|industry|benchmarks?|peers?)\b", title, re.I
    ):
        return OTHER
    if _EXAMPLE.search(clause):
        return PARTIAL
    free = _NOT_PLANNED.sub(" ", clause)
    if _PLANNED.search(free) or re.search(
        r"\b(?:outlook|forecast|budget|targets?|goals?|ambition|next (?:steps|year|winter|season)|looking ahead|plans?)\b",
        title,
        re.I,
    ):
        return PLANNED
    if _PAST.search(clause) or (
        _FROM.search(before)
        and not _THAN.search(before)
        and not re.search(r"\b(?:was|were)\s", before[-14:], re.I)
    ):
        return PAST
    if amount is not None and _is_change(before, after, amount):
        return CHANGED
    if _PARTIAL.search(clause) or (amount is not None and amount.is_part and amount.kind in (COUNT, BARE)):
        return PARTIAL
    return ACTUAL


def _is_change(before: str, after: str, amount: Amount) -> bool:
    if _BY.search(before) and not _UP_TO_A_LEVEL.search(before[-24:]):
        return True
    if amount.text.lstrip()[:1] in "+−" or amount.text.lstrip().lower().startswith(("plus", "minus")):
        return True
    return (
        bool(_MORE.match(after))
        if amount.kind == PERCENT
        else bool(
            re.match(
                r"^\s*(?:more|fewer|less|higher|lower|extra|additional|too many|above|below)\b", after, re.I
            )
        )
    )


def traits_of(text: str) -> frozenset[str]:
    """What makes another figure of it: gross, the longest, new ones, the median."""
    found = set()
    for word in re.findall(r"[A-Za-z][A-Za-z-]*", text.lower()):
        if MODIFIERS.get(word) in _HARD:
            found.add(MODIFIERS[word])
    if _EXTREME.search(_EVERYONE.sub(" ", text)):
        found.add("extreme")
    if _ADDING.search(text):
        found.add("adding")
    for match in _MORE_TRAITS.finditer(text):
        found.add(match.lastgroup or "")
    if re.search(r"\bmedian\b|\bhalf (?:of|the|our|all)\b", text, re.I):
        found.add("median")
    if re.search(r"\b(?:average|avg|mean|typical(?:ly)?|per head)\b", text, re.I):
        found.add("average")
    return frozenset(found)
