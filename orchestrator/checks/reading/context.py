# ruff: noqa: E501 - a pattern lists its wordings
"""What sets a number apart from its like: plan, past, another's, a part; gross or net, the longest, a name."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.checks.reading.model import (
    ACTUAL,
    BARE,
    COUNT,
    MONEY,
    MOVED,
    OTHERS,
    PARTIAL,
    PAST,
    PHYSICAL,
    PLANNED,
    POINTS,
    RANGE,
    SHARE,
    TIME,
    Amount,
)
from orchestrator.checks.vocabulary import EXAMPLE_CUES

_OTHERS = re.compile(
    r"\b(?:national(?:ly)?|nationwide|county|countrywide|state average|statewide|industry|sector|peers?|competitors?|competition|rivals?|benchmarks?|neighbou?r\w*|"
    r"elsewhere|market (?:average|leader)|the market|(?:regional|national|town|city|european|world|global|worldwide|international|sector|branch|group) (?:average|mean|median)|other (?:clubs|schools|cities|"
    r"towns|firms|airports|chains|hospitals|providers|charities|companies|operators|ports|banks)|comparable|best practice|twin (?:city|town)|next (?:valley|door|town)|"
    r"average (?:for|in|across) the (?:country|region|industry|sector|county|state)|according to|country as a whole|state|ministry|everyone else(?!\W+\d|\W*$)|incumbents?|"
    r"(?:a|the) (?:typical|comparable|similar) (?:\w+ ){0,2}?(?:organi[sz]ation|company|firm|provider|operator|business|club|school|hospital|bank|city)|of our (?:kind|size|type)|(?<!we )(?<!i )(?<!company )(?<!group )(?<!our )reports(?! (?:to|on|show|are|were|from))|analysts?|studies|study|survey of|group-wide|league)\b",
    re.I,
)
_PLANNED = re.compile(
    r"\b(?:targets?|goals?|aim(?:s|ed|ing)?|plan(?:s|ned|ning)?|budget(?:s|ed)?|forecasts?|projections?|projected|guidance|outlook|ambition|expect(?:s|ed|ing)?|expectation|"
    r"standard|limit|ceiling|cap|threshold|promised?|pledge|going to|hop(?:e|es|ed|ing)|intend(?:s|ed)?|assum\w+|if|unless|suppose|imagine|"
    r"maximum|minimum|at most|permit(?:ted)?|allowance|licensed|required|requirement|next (?:year|quarter|month|season|winter|summer|spring|autumn)|"
    r"by (?:the end of )?(?:20\d\d|next)|until 20\d\d|for 20(?:2[7-9]|3\d)|from 20(?:2[7-9]|3\d)|to come|upcoming|design(?:ed)? (?:value|for|to)|potential|up to|ask(?:s|ing)? for|propos\w+|request\w*|"
    r"estimate[ds]?|anticipat\w+|scenario|best case|worst case|base case|in the bid|offer(?:ed)?|quote[ds]?|order(?:ed)?|approved|seek(?:s|ing)?|due|contract(?:ed)? with|establishment|policy|objective|bids?)\b|['’]ll\b|['’]d\b",
    re.I,
)
_MODAL = re.compile(
    r"\b(?:should|would|could|might|(?-i:may)(?! \d)|will|shall|need(?:s|ed)?|want(?:s|ed)?)\b|['’]ll\b|['’]d\b",
    re.I,
)
_NOT_PLANNED = re.compile(
    r"\b(?:as (?:planned|expected|hoped|promised)|on the promised|(?:when|as|where|than) (?:it|they|we|he|she) should|in need|need(?:s|ed)? (?:a|to be)|needed|who (?:need|want|would|could)\w*|would (?:recommend|choose|come|buy|visit|like|rather|prefer|vote|use|stay)|allowed to|need no|need(?:ed|s)? (?:help|care|no)|if (?:you|i|we) \w+|(?:i|we)(?:['’]d| would) (?:say|like to (?:thank|welcome|say|start|begin|show|point|mention|remind|congratulate|add|take|come))|"
    r"would you|want to (?:thank|show|be)|due to|due (?:and|or|in)|hop(?:e|ing) (?:you|that)|in order|ordered (?:from|by)|we need are|planned (?:surg|op)\w+|you will (?:see|find|recall|remember|know)|'ll (?:see|remember)|will (?:see|recall|know))\b",
    re.I,
)
_PAST = re.compile(
    r"\b(?:(?:a|one|the|two|three|four|five|ten) years? (?:before|earlier|ago|prior)|(?:the )?(?:winter|season|summer|quarter|month|week|spring|autumn|year) (?:before|earlier)|years? ago|previous(?:ly)?|prior|"
    r"used to|formerly|back then|at the time|originally|initially|for comparison|in comparison|had been|was still|no longer|the first time round|at the start|"
    r"before (?:the|we|that)|ever before|so far ever|previous record|earlier|once|not any more|when (?:we|i) (?:started|began|joined|took over)|last (?:year|season|winter|summer|quarter|month|week|time|christmas|yr)['’]s|\((?:in )?last (?:year|season|quarter|month)|last (?:year|season|quarter|month|yr)(?=\s*[:)|]))\b",
    re.I,
)
_FROM = re.compile(
    r"\b(?:from|against|versus|vs\.?|compared (?:to|with)|after|instead of|rather than|(?:up|down) on|than|on last \w+['’]s|last \w+['’]s|had been|not the|not)\s+"
    r"(?:(?:about|around|nearly|just|only|over|the|a|an|some|roughly|still|[A-Z](?:\s[A-Z])*)\s+|[~≈€$£])*$",
    re.I,
)
_WAS = re.compile(
    r"(?:^|[(,;])\s*(?:it |which |this |that )?(?:was|were|had been)\s+(?:(?:only|still|just|about)\s+)?[€$£]?$",
    re.I,
)
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|higher|lower|better|other|greater|rather|later|earlier) than\s*(?:[€$£~]|the |a )*$",
    re.I,
)
_BY = re.compile(
    r"\b(?:by|(?<!make )(?<!makes )(?<!made )(?<!end )(?<!ended )(?<!take )(?<!takes )(?<!took )(?<!making )up|down|plus|minus|rose|fell|grew|dropped|increased|decreased|declined|climbed|jumped|gained|improved|shrank|slipped|added|adding|another|a further|"
    r"(?:plus|minus|increase|decrease|rise|growth|drop|reduction|improvement|decline|fall|gain|cut|jump) of|rise[sn]?|grow(?:s|n|ing)?|fallen|cut)\s+"
    r"(?:(?:by|about|around|nearly|just|only|over|some|roughly|almost|a|an|another|good|little|well|more than|less than|under|barely|some)\s+|[~≈€$£+−-])*$|[+−]\s?$",
    re.I,
)
_BY_CAUSE = re.compile(
    r"\b(?:paid|made|sold|used|visited|run|owned|held|taken|covered|funded|financed|given|brought|caused|driven|bought|served|said|employed|operated|produced|supplied) by\s",
    re.I,
)
_TO_LEVEL = re.compile(
    r"\b(?:up|down|grew|rose|fell|risen|grown|dropped|climbed|increased|decreased|cut|reduced|gone|went|come|came) (?:\w+ )?to\b",
    re.I,
)
_MORE = re.compile(
    r"^\s*(?:\w+\s){0,1}?(?:more|less|higher|lower|fewer|above|below|up|down|better|worse|increase|decrease|growth|rise|fall|extra|additional|dearer|cheaper|faster|slower|bigger|smaller|"
    r"(?:over|under|on)(?=\W*$|\W+(?:the|last|a|this|20\d\d|Q\d|H\d|FY|plan|budget|target|forecast|guidance|prior|previous|what|its|our|their|expectations?|schedule|in|for|from|since)\b)|ahead|behind|short|longer|shorter)\b(?!\s+(?:or (?:less|more)|all|the (?:year|whole|past|last|winter|summer)|a|an|of|average|time|board|foot|sale|top|offer|loan|this|our|their|its|roll)\b)",
    re.I,
)
GONE = re.compile(
    r"^\s*(?:of\s|the\s|all\s|our\s|[a-z]+\s){1,5}?(?:is|are|was|were|has|have)\s(?:now\s|been\s|simply\s)*(?:gone|disappeared|vanished|avoided|eliminated|prevented|cut)\b",
    re.I,
)
_ON_YEAR = re.compile(
    r"^\W*(?:on the (?:year|quarter|month)|(?:year|quarter|month)[- ](?:on|over)[- ](?:year|quarter|month)|yoy|y/y|qoq|from (?:the|last|a) (?:\w+ )?(?:quarter|year|month))\b",
    re.I,
)
_TO_GOAL = re.compile(r"\bto\s(?:(?:about|around|at least)\s)?[€$£]?$", re.I)
_CHANGED = re.compile(
    r"\b(?:\w+ed|up|down|rose|fell|grew|fallen|risen|grown|cut|gone|went|come|came|from|drop|rise|fall|growth|increase|amounts?|comes?|close|next|equal|adds?|thanks?|owing|due|according|compared|amount|grew|bring|brought|takes?|took|sold|paid|given|left|close|runs?|ran|got|belong|goes)\b",
    re.I,
)
_PARTIAL = re.compile(
    r"\b(?:of (?:which|whom|these|those|them)|(?<!not )only(?=\s*(?:[:(,]|$))|only (?:for|in|at|on)\b|alone|excluding|except(?:ing)?|apart from|other than|not (?:counting|including)|without counting|"
    r"including|(?<=, )counting|the (?:rest|remainder)|the others|remaining|for example|for instance|such as|sample|subset|among (?:the|our|those)|"
    r"those (?:who|that|with|in|on|from|under|over)|some of|part of)\b",
    re.I,
)
_EXAMPLE = re.compile(EXAMPLE_CUES.replace(r"say,|", ""), re.I)
_TRAITS: Final = {
    "gross": r"gross", "net": r"net(?! promoter)|after (?:all )?(?:costs|tax|expenses)", "tax": r"(?:without|excluding|excl\.?|ex|plus|before) (?:vat|tax)|pre-?tax", "vat": r"(?:with|including|incl\.?) (?:vat|tax)",
    "median": r"median", "organic": r"organic(?:ally)?|like-for-like", "adjusted": r"adjusted|underlying|normali[sz]ed",
    "largest": r"largest|biggest|top|single|main", "extreme": r"longest|shortest|fastest|slowest|highest|lowest|busiest|quietest|record|peak|worst|best|oldest|youngest|cheapest|maximum|minimum|strongest|weakest|heaviest|at its",
    "new": r"new(?:ly)?|joined|joiners?|hired?|recruit\w*|sign(?:ed)? up|added|additional|extra|another|started|first[- ]time", "lost": r"lost|left(?! to\b| us\b| over\b)|leavers?|cancel\w*|resigned|closed", "existing": r"existing|current(?=\s\w+s\b)",
    "former": r"former|ex-\w+", "free": r"free|trial|unpaid|void", "part-time": r"part[- ]time", "full-time": r"full[- ]time|fte|full-time equivalent", "cumulative": r"cumulative(?:ly)?|since (?:the )?(?:start|opening|launch|19\d\d|20\d\d)|so far|to date|in total since|over (?:five|ten|the) years",
    "weekend": r"weekends?|saturdays?|sundays?", "weekday": r"weekdays?|working days?", "online": r"online", "rented": r"rented|leased|hired", "average": r"average|avg|mean|typical(?:ly)?|per head", "waiting": r"waiting list|applied|applications?|applicants?",
    "each": r"each|apiece|every one|per (?:head|person|piece|unit)|a (?:head|piece)", "half": r"first half|second half|half[- ]year", "sample": r"surveyed|sampled?|asked|interviewed|respond\w+|answered|polled|sheets?|questionnaires?",
    "under": r"under[- ]?\d+s?|over[- ]?\d+s|(?:aged|below|above) \d+", "unsold": r"unsold|unfilled|vacant|spare|free", "option": r"options?", "second": r"second(?:ary|[- ]hand)?|used|third[- ]party",
}  # fmt: skip
_TRAIT = re.compile("|".join(rf"(?P<t{n}>\b(?:{words})\b)" for n, words in enumerate(_TRAITS.values())), re.I)
_TRAIT_NAMES: Final = tuple(_TRAITS)
SOFT: Final = frozenset(
    {
        "average",
        "extreme",
        "new",
        "lost",
        "each",
        "unsold",
        "free",
        "sample",
        "existing",
        "waiting",
        "weekday",
        "largest",
        "second",
    }
)
"""Traits that one side may leave out."""


def status_of(clause: str, before: str, after: str, head: str, title: str, amount: Amount) -> str:
    """Which of the kinds of model the number is; ACTUAL only where nothing else shows.

    Args:
        clause: The words that belong to the number; *before* and *after* are those right beside it.
        head: The label in front of it: before a colon, of its row, or in its brackets.
    """
    if amount.is_range:
        return RANGE
    text = f"{head} | {clause}"
    if _OTHERS.search(text) or re.search(
        r"\b(?:competit\w+|market (?:overview|landscape)|industry|benchmarks?|peers?|they are)\b", title, re.I
    ):
        return OTHERS
    if _EXAMPLE.search(clause):
        return PARTIAL
    free = _NOT_PLANNED.sub(" ", text)
    modal = _MODAL.search(_NOT_PLANNED.sub(" ", f"{head} | {before} | {' '.join(after.split()[:3])}"))
    if (
        _PLANNED.search(free)
        or modal
        or re.search(
            r"\b(?:outlook|forecast|budget|targets?|goals?|ambition|next (?:steps|year|winter|season)|looking ahead|plan for|scenario)\b",
            title,
            re.I,
        )
    ):
        return PLANNED
    if is_moved(before, after, amount):
        return MOVED
    if _TO_GOAL.search(before) and not _CHANGED.search(before):
        return PLANNED
    if _PAST.search(text) or _WAS.search(before) or (_FROM.search(before) and not _COMPARES.search(before)):
        return PAST
    if _PARTIAL.search(text):
        return PARTIAL
    return ACTUAL


def is_moved(before: str, after: str, amount: Amount) -> bool:
    """The number says by how much something is more, less or other than before."""
    if (
        amount.kind == POINTS
        or amount.text.lstrip()[:1] in "+−"
        or amount.text.lower().startswith(("plus ", "minus "))
    ):
        return True
    before = before[-46:]
    if (
        _BY.search(before)
        and not _TO_LEVEL.search(before[-26:])
        and not (_BY_CAUSE.search(before[-30:]) and amount.kind != SHARE)
    ):
        return amount.kind != TIME or bool(re.search(r"\bby\b", before[-12:]))
    if amount.kind == SHARE:
        return bool(_MORE.match(after) or GONE.match(after) or _ON_YEAR.match(after))
    if amount.kind in (COUNT, BARE, MONEY, PHYSICAL, TIME):
        noun_after = amount.noun if amount.kind == COUNT else ""
        return bool(
            re.match(
                r"\s*(?:more|fewer|less|extra|additional|higher|lower|too many|above|below|over|under|cheaper|dearer|earlier|later|longer|shorter|ahead|behind|late|early|short)\b(?!\s+(?:the|a|all))",
                after,
                re.I,
            )
        ) or bool(re.match(r"(?:more|fewer|extra|additional|further)\b", noun_after, re.I))
    return False


def traits_of(text: str) -> frozenset[str]:
    """What makes another figure of it: gross, the longest, new ones, the median."""
    return frozenset(_TRAIT_NAMES[int((match.lastgroup or "t0")[1:])] for match in _TRAIT.finditer(text))
