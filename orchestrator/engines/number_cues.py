"""Words around numbers and times in an English answer: what counts, what hedges, what fixes nothing."""

from __future__ import annotations

import re
from typing import Final

_I: Final = re.IGNORECASE

# -- numbers

FRACTION = re.compile(
    r"\b(?:about |roughly |nearly |almost |just over |over |under |less than |more than )?(?:half (?:of|a|"
    r"the)?|(?:a|one|two) thirds?|(?:a|one|three) quarters?(?= of))\b(?! (?:an? )?(?:hour|year|day|month|"
    r"moment|ago|time|the time))|^\W*(?:about |roughly |nearly |almost )?half\b|"
    r"\b(?:one|two|three) in (?:two|three|four|five|six|seven|eight|nine|ten|\d+)\b|\ba dozen\b|"
    r"\b(?:doubled|tripled|halved|twice|tenfold)\b",
    _I,
)
NONE_AT_ALL = re.compile(
    r"(?:^|[.!?,;:]\s+|\b(?:is|was|are|were|at|had|have|be|and|still|exactly|so far|says|answer) )"
    r"(?:none|zero|nil|not (?:a single )?one|not a single|(?:nobody|no one|nothing)(?= so far| yet|\W*$|"
    r"[.,;]))\b"
    r"(?! (?:knows?|can|could|comes to mind|else|in place))",
    _I,
)
SIZE_IN_WORDS = re.compile(
    r"\b(?:a (?:handful|few|lot|great deal|good (?:part|number|share)|large (?:part|number|share)|"
    r"small (?:part|number|share)|couple|fraction|great many|significant (?:part|share|number|amount))|"
    r"most of|(?:the )?(?:vast |large |great )?majority|several|many|some of|lots|plenty|"
    r"significant(?:ly)?|substantial(?:ly)?|considerabl[ey]|material(?:ly)?|moderate(?:ly)?|strong(?:ly)?|"
    r"meaningful(?:ly)?|dozens|hundreds|thousands|millions|very little|hardly any|nearly all|almost all)\b",
    _I,
)
FIGURE_OF_SPEECH = re.compile(
    r"(?:different |main |key |big |quick |more )*(?:angles?|ways?|things?|reasons?|fronts?|sides?|points?|"
    r"questions?|aspects?|factors?|elements?|pieces?|words?|moments?|pillars?|areas?|categories|kinds?|"
    r"types?|sorts?|thoughts?|comments?|topics?|levers?|dynamics|scenarios?|slides?|pages?|charts?|bullets?|"
    r"sentences?|examples?|decks?|minds?)\b",
    _I,
)
"""What is counted only to order the talk: "two things", "three angles"."""
WHOLLY = re.compile(
    r"(?:(?:a|one) )?(?:hundred|100|110|hundred and ten) ?(?:%|percent|per cent)"
    r"(?=\s+(?!of\b|now\b|since\b|today\b|are\b|is\b|in\b|on\b)\w)",
    _I,
)
"""A manner of saying "wholly": "a hundred percent the right thing"."""
COUNTED_ONE = re.compile(
    r" (?:hundred|thousand|million|customer|person|contract|client|case|site|percent|year|month|week|day|"
    r"supplier|hospital|school|member|incident|hire|country)\b",
    _I,
)

# -- hedges

_UNSURE: Final = (
    r"(?:i['’]d|i would|i['’]ll|i will|we['’]d|we would|i|we) (?:still )?(?:have|need) to (?:check|verify|"
    r"confirm|look|ask)|don['’]t (?:quote|hold) me|do not quote me|off the top of my head|(?:not|"
    r"n['’]t) (?:\w+ )?(?:sure|certain)|if i (?:remember|recall)(?: correctly| right(?:ly)?)?|from memory|"
    r"ball ?park|(?:i|we) (?:don['’]t|do not) know|let me (?:check|verify|confirm)|to be confirmed|"
    r"subject to (?:checking|confirmation)|or so i (?:think|believe|hear|was told)|could be wrong|"
    r"i may be wrong|rough guess|guessing|guesstimate|a guess"
)
STRONG_HEDGE = re.compile(rf"\b(?:{_UNSURE})\b", _I)
MILD_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|presumably|hopefully|i guess|i suppose|(?:it )?(?:could|might|"
    r"may) (?:well )?be|something like|i would guess|i['’]d guess|i would imagine)\b",
    _I,
)

# -- times

PAST = re.compile(
    r"\b(?:last|past|ago|yesterday|previous|prior|earlier|trailing|since|was|were|had)\b",
    _I,
)
AHEAD = re.compile(
    r"\b(?:next|coming|tomorrow|from now|will|by the|going to|until|following|later|within|shall|should)\b|"
    r"['’]ll\b",
    _I,
)
NOT_A_TIME = re.compile(
    r"^(?:the )?(?:today|tonight|right now|at present|at the moment|this (?:night|morning|period|time)|"
    r"to date|(?:in|over|for|during|through|throughout|within|across) (?:the )?(?:coming|next|last|past|"
    r"recent|few|several|following|future) ?(?:few |several |couple of )?(?:days|weeks|months|quarters|"
    r"years)|(?:the )?(?:coming|recent|past|last|next) (?:few |several )?(?:days|weeks|months|quarters|"
    r"years)|(?:in|over|after|for|within) (?:a )?(?:few|several) (?:days|weeks|months|quarters|years)|"
    r"(?:a )?(?:few|several) (?:days|weeks|months|quarters|years) (?:ago|from now|later|earlier))$",
    _I,
)
"""A time that fixes nothing: "in the coming months", "right now"."""
DATED_TODAY = re.compile(r"\b(?:as of|as at|of|up to|until|checked|measured|by|dated|from) (?:\w+ )?$", _I)
DAY_OR_EVENT = re.compile(
    r"\b(?:(?:in|by|throughout|during|before|from|until|early|mid|late|end of|the) )*quarter (?:one|two|"
    r"three|four|[1-4])\b(?: and quarter (?:one|two|three|four|[1-4])\b)?|\b(?:by|on|before|until|this|"
    r"next|coming|at|from|for)\s+(?:the (?:end|close) of )?(?:the )?(?:next |coming |this )?(?:Mon|Tues|"
    r"Wednes|Thurs|Fri|Satur|Sun)day\b(?: (?:morning|afternoon|evening|next week|week))?|^\W*(?:Mon|Tues|"
    r"Wednes|Thurs|Fri|Satur|Sun)day\b|\b(?:by|before|at|for|until) (?:the|our|"
    r"your) (?:next )?(?:\w+ )?(?:vote|meeting|audit|agm|annual (?:general )?meeting|board|"
    r"committee meeting|review)\b|\bthe day after tomorrow\b|\bby (?:tonight|noon|tomorrow)\b|"
    r"\bby the end of (?:the|this|next) (?:day|week|month|quarter|year)\b",
    _I,
)
