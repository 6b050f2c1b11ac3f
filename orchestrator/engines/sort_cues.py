"""Words by which a sentence, or the title that it stands under, shows what it puts before a board.

Written for the decks of any house: a hospital's budget, a strike fund, a lease. What a pattern leaves
out, it leaves out because sentences of another sort were read as this one.
"""

from __future__ import annotations

import re
from typing import Final


def words(*alternatives: str) -> re.Pattern[str]:
    """Any of the alternatives, as whole words, in any case."""
    return re.compile(rf"(?<![\w-])(?:{'|'.join(alternatives)})(?![\w-])", re.IGNORECASE)


def opening(*alternatives: str) -> re.Pattern[str]:
    """Any of the alternatives as the first words."""
    return re.compile(rf"^\W*(?:{'|'.join(alternatives)})(?![\w-])", re.IGNORECASE)


_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WHEN: Final = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}|{_MONTH}|(?:the )?(?:spring|summer|autumn|winter|end of)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|20\d\d|q[1-4]|(?:first|second|third|fourth) quarter)"
)
DATED: Final = re.compile(rf"\b{_WHEN}\b|\beaster\b|\bchristmas\b", re.IGNORECASE)

# -- titles

TITLE_ASK: Final = re.compile(
    r"\b(?:what|which) (?:\w+ )?we (?:ask|request)\b|\bwe (?:need|want) from (?:you|the)\b|"
    r"^\W*(?:the |our )?asks?\W*$|^\W*we (?:ask|request)\b|\b(?:is|are) asked to\W*$|"
    r"\b(?:decisions?|decide|motions?|requests?|votes?|resolutions?|mandate)\b(?! (?:making|tree|log))",
    re.IGNORECASE,
)
"""The slide that the vote is about: each of its lines is asked for."""
TITLE_PROPOSAL: Final = re.compile(
    r"\b(?:we prefer|our view|our preference)\b|"
    r"\b(?:proposals?|proposes?|proposed|"
    r"recommendations?|recommend|we (?:suggest|want to (?:do|try|"
    r"build|change))|"
    r"what we want to try)\b",
    re.IGNORECASE,
)
TITLE_OBJECTIONS: Final = words(r"objections?", "critics?", "criticism", r"concerns?(?: raised)?")
TITLE_PLAN: Final = words(
    r"next (?:steps|year)",
    "timetable",
    "timeline",
    "roadmap",
    "programme",
    "schedule",
    r"plans?(?: for \w+)?",
    r"we (?:plan|will)",
    "milestones",
    "rollout",
    r"roll[- ]out",
    r"how we (?:roll|get|do)(?: \w+)*",
    "outlook",
    r"where (?:we|this) (?:go|goes)(?: \w+)*",
    r"(?:the )?(?:way|work|year) ahead",
    r"what (?:we (?:will )?do|happens|comes)(?: \w+)? next",
    r"what we (?:will|shall|would) do",
    "priorities",
    "actions?",
    r"next \w+ (?:months|years|quarters)",
)
TITLE_RISK: Final = words(
    "worr(?:y|ies)",
    r"(?<!return and )(?<!reward and )(?<!benefits and )risks?",
    r"(?:go|going) wrong",
    r"could (?:stop|fail|happen)",
    r"what worries us",
    "threats",
)
TITLE_AHEAD: Final = words(
    "future", "planned", "upcoming", r"next (?:steps|year)", "roadmap", "proposals?", "vision"
)
"""What stands under it does not exist yet."""
TITLE_WRONG: Final = words(
    r"went wrong",
    r"root causes?",
    r"what happened",
    r"did not work",
    r"lessons(?: learned)?",
    "setbacks",
    "incidents",
    "failures",
)
TITLE_OPTIONS: Final = words(
    r"ways forward",
    "options?",
    "alternatives?",
    "compared",
    "considered",
    r"we looked at",
    "scenarios?",
    "choices?",
)
TITLE_OTHERS: Final = words(
    "others",
    "competition",
    "competitors?",
    "market",
    "elsewhere",
    "peers",
    "landscape",
    "industry",
    r"problem",
    "background",
    "history",
    "context",
)
TITLE_PAST: Final = words(
    "annual report",
    r"our year",
    r"this year",
    r"last year",
    r"the year",
    r"(?:quarter|"
    r"year) in (?:figures|brief)",
    "spending",
    "income",
    "accounts",
    "results",
    r"where the money went",
    "traction",
    "outturn",
    r"where we end",
)

# -- sentences

FAVOUR: Final = opening(
    r"introductions?",
    r"guidance",
    r"advice",
    r"feedback",
    r"(?:your|any) (?:\w+ )?(?:advice|help|views?|thoughts|questions|feedback|support)",
    r"(?:help|support) (?:with|in|us|on)",
    r"(?:take )?note",
    r"report (?:back|again)",
    r"(?:discuss|discussion)",
)
"""What a board may do for somebody and cannot vote down: no approval, and nothing to argue against."""
BOARDS_OWN: Final = re.compile(
    r"\b(?:board|trustees?['’]?|governors?['’]?) (?:approval|approves?|decision|decides?|votes?|meetings?|"
    r"sign[- ]off|endorsement|endorses?)\b|"
    r"\b(?:approval|approved|decision|vote|endorsement|sign[- ]off) (?:by|of|from) the (?:board|trustees|"
    r"governors)\b",
    re.IGNORECASE,
)
"""What those who ask do themselves: nobody has to tell them who has chosen the day."""
ANOTHERS_AIM: Final = re.compile(
    r"\b(?:order|regulations?|directives?|acts?|laws?|bills?|statutes?|rules?|rulings?|decrees?|mandates?|"
    r"standards?|legislation|white paper)\b(?: \S+){0,4}? (?:is|are|was|were) "
    r"(?:meant|intended|designed|supposed|expected) to\b|"
    r"\b(?:order|regulation|directive|act|law|bill|statute|ruling|decree|regulator|ministry|government|"
    r"commission)\b(?: \S+){0,4}? (?:aims?|seeks?|wants?|hopes?) to\b",
    re.IGNORECASE,
)
"""What a lawmaker or a regulator is after: no plan of the presenter's, unless it speaks of "our" rule."""
BOARD_ACTS: Final = re.compile(
    r"\b(?:board|trustees|council|committee|members) (?:decides?|approves?|votes?)\b", re.I
)
STARTS_ON: Final = re.compile(
    r"^\W*(?:re-?)?(?:open|start|begin|launch|close|go live|move in|in service|first \w+)s?\b", re.IGNORECASE
)
"""With a date behind it: when a thing is there, and not what it is meant to change."""

YES_WANTED: Final = words(
    r"(?:is|are) pending",
    r"applied for",
    r"(?:is|are) not (?:yet )?settled",
    r"(?:has|have|"
    r"had) not (?:yet )?(?:been )?(?:agreed|approved|confirmed|granted|signed|decided|answered|"
    r"secured|found)",
    r"(?:has|have) not (?:yet )?been asked",
    r"(?:is|are|was|were) not (?:yet )?(?:agreed|approved|confirmed|granted|"
    r"signed|decided|"
    r"secured)",
    r"not yet (?:been )?(?:agreed|approved|confirmed|granted|signed|decided|answered|"
    r"secured|found)",
    r"still (?:to be|awaits?|waits? for|needs?) (?:\w+ ){0,3}(?:approv\w+|agree\w+|consent|"
    r"permission|decision|"
    r"signature|confirm\w+)",
    "subject to",
    r"depends? on (?:the |an? )?(?:\w+ ){0,2}(?:approval|decision|"
    r"consent|permit|vote|outcome|grant|agreement|licen[cs]e|signature)",
    "awaiting",
    r"provided "
    r"that",
    r"only if",
    r"if the (?:\w+ ){0,4}(?:approves?|agrees?|says yes|includes? us|grants?|signs?|pays?|confirms?|"
    r"accepts?)",
    r"waits? for (?:the |a )?(?:permit|consent|approval|decision|ruling)",
    r"(?:must|have to|has to) (?:first |still |also )?(?:agree|approve|consent|confirm|say yes|sign off|"
    r"accept|ratify|license|authori[sz]e)",
    r"needs? (?:the |an? )?(?:\w+ ){0,3}?(?:approval|consent|permission|agreement|licen[cs]e|permit)",
    r"(?:we|they) (?:have )?applied (?:in|on|last|for)",
    r"(?:permits?|approvals?|licen[cs]es?|consents?|grants?|decisions?|rulings?|answers?|signatures?) "
    r"(?:is |are )?expected",
    r"(?:still )?to be (?:agreed|confirmed|negotiated|approved|granted)",
    r"(?:is|are) expected to (?:agree|approve|confirm|grant|decide|sign|rule)",
    r"no (?:written )?(?:answer|reply|confirmation|decision|agreement|permit|approval) (?:yet|so far)",
    r"(?:has|have) not (?:yet )?(?:answered|replied|decided|agreed|confirmed|signed|approved)",
)
NOT_TRIED: Final = words(
    r"not (?:yet )?(?:been )?(?:yet )?(?:tested|tried|measured|audited|validated|piloted|proven|inspected)",
    "untested",
    "unproven",
    r"never been (?:tested|tried|measured)",
    r"have not (?:tested|tried|measured) it",
)
WORD_OF_OTHERS: Final = words(
    "orally",
    r"(?:has|have) (?:told us|indicated|offered|assured|signalled|promised|hinted|"
    r"shown (?:\w+ )?interest|"
    r"expressed (?:\w+ )?interest)",
    r"letters? (?:from|of (?:intent|support))",
    r"in principle",
    r"as the (?:maker|supplier|vendor|landlord|seller) (?:promises|says|assures)",
    r"verbal(?:ly)?",
    r"(?:is|are) willing to",
    r"(?<!you )(?<!we )would accept",
    r"(?:has|have) said (?:that )?(?:it|they|he|she) (?:will|would|can|could)",
)
BELIEVES: Final = words(r"we (?:\w+ )?(?:expect|believe|assume|estimate|forecast|think|hope)")
ASKED_PEOPLE: Final = re.compile(
    r"\d ?(?:%|percent|per cent)(?: \w+){0,6}? (?:would|who answered|say|said|want|prefer|like|feel|"
    r"agree)\b",
    re.IGNORECASE,
)
"""A share of people and what they say: somebody has asked them."""
ENDS: Final = re.compile(
    rf"\b(?:leases?|contracts?|agreements?|support|permits?|licen[cs]es?|grants?|funding|mandates?|"
    rf"warrant(?:y|ies)|"
    rf"insurances?|subscriptions?|offers?|guarantees?|tenanc(?:y|ies)|concessions?|terms?|"
    rf"subsid(?:y|ies)|approvals?)\b"
    rf"[^.;]{{0,50}}?\b(?:expires?|runs? out|ends?|ending|lasts?)\s+(?:(?:on|in|until|till|by|"
    rf"before|at|after|with)\s+)"
    rf"(?:the end of |end of |the )?{_WHEN}\b|"
    rf"\bwill (?:stop|cease) (?:making|selling|supporting|supplying|producing|delivering)\b[^.;]{{0,60}}? "
    rf"(?:in|on|by|from|at the end of|after) {_WHEN}\b|\b(?<!we )(?:pays?|covers?|funds?|finances?|"
    rf"sponsors?|lends?|insures?|guarantees?)\b[^.;]{{0,60}}? "
    rf"(?:until|till|up to) (?:the end of |end of |the )?{_WHEN}\b",
    re.IGNORECASE,
)
"""A right or a contract that is no longer there after a day."""
BY_THEN: Final = re.compile(
    r"\b(?:gave|gives) us until\b|\bwe have until\b|"
    rf"\b(?:is valid|valid|wants? an answer|"
    rf"needs? an answer|must be \w+(?: by us)?|(?:has|"
    rf"have) to be \w+|lapses?)"
    rf"\s+(?:(?:on|in|until|till|by|before|at)\s+)(?:the end of |end of |the )?{_WHEN}\b|"
    rf"\blapses? (?:if|unless|"
    rf"when)\b|\bno later than {_WHEN}",
    re.IGNORECASE,
)
"""A day that somebody else has set, by which something has to be done."""
NO_DEADLINE: Final = words("patents?", r"the year", r"quarter", "season", r"we end", r"phase", r"long")
GOES: Final = re.compile(
    r"\b(?:handed in (?:his|her|their) notice|is (?:59|6\d)$)|"
    r"\b(?:heads?|conductors?|"
    r"directors?|chiefs?|consultants?|leads?|leaders?|managers?|founders?|engineers?|"
    r"treasurers?|chair(?:man|woman|s)?|officers?|secretar(?:y|ies)|teachers?|physicians?|doctors?|surgeons?|"
    r"partners?|captains?|editors?|curators?|principals?|ceo|cfo|cto|maintainers?|technicians?|"
    r"accountants?|architects?|developers?)\b(?: \w+){0,4}? (?:will )?(?:leaves?|(?:is|are) leaving|retires?|"
    r"(?:is|are) retiring|resign(?:s|ed)?|(?:has|have) left|left(?= in\b| last\b| since\b)|"
    r"(?:is|will be) on leave|stepped down|steps? down|goes on leave)\b|"
    r"(?-i:\b[A-Z][a-zé]+ [A-Z][a-zé’'-]+) (?:leaves|is leaving|retires|resigns|steps down|resigned)\b",
    re.IGNORECASE,
)
UNFILLED: Final = words(
    "vacant",
    "vacanc(?:y|ies)",
    "unfilled",
    r"not (?:yet )?(?:been )?filled",
    r"(?:cannot|could not|unable to) (?:recruit|fill|find (?:staff|anyone|"
    r"people))",
)
BROKE: Final = words(
    r"closed since",
    r"stopped for (?:\w+ ){1,2}(?:hours|days|weeks|months)",
    "leaked",
    r"(?:has|have|"
    r"had)? ?failed (?:once|twice|\w+ times|again|since|in|on|for)",
    "abandoned",
    "spoiled",
    "spoilt",
    "broke down",
    r"had (?:an )?outages?",
    r"(?:an|\d+) outages? (?:in|on|of|last)",
    "wrote off",
    "written off",
    r"returned (?:their|its|the) \w+",
    r"was (?:cancelled|stopped|lost|stolen|hacked)",
    r"went (?:live )?(?:\w+ ){1,2}late",
    r"(?:months?|weeks?) late",
    r"was derailed",
    r"(?:was|were) recalled",
)
FAULTY: Final = words(
    r"fail(?:s|ed|ing|ures?)?",
    r"jam(?:s|med)",
    "wrong(?:ly)?",
    "missed",
    r"los(?:s|t|es)",
    r"broken?",
    r"crash(?:ed|es)?",
    r"leak(?:s|ed|ing)?",
    r"delay(?:s|ed)?",
    "late",
    "overdue",
    r"errors?",
    r"mistakes?",
    r"accidents?",
    "injured",
    "hurt",
    "killed",
    "damaged?",
    r"outages?",
    r"incomplete",
    r"not (?:\w+ )?(?:done|found|told|trained|noticed|checked|working|work|followed|available|ready)",
    r"(?:did|could|had|was|were|has|have) not",
    r"nobody (?:had|was|knew|noticed|saw|checked|told)",
    r"ran out",
    r"out of (?:service|order|stock|date)",
    r"too (?:late|few|little|long|slow|many|much|small|early)",
    r"under(?:estimated|staffed|funded)",
    r"overr[au]n",
    r"(?:flooded|collapsed|burn(?:t|ed)|spilled|spilt|released|stopped|fell (?:off|down|out))",
    r"withdr(?:ew|awn)",
    r"complain(?:ed|ts?)",
)
"""Words of a sentence that tells of a fault; under a title that is about faults they make it one."""
LOST: Final = re.compile(
    r"\b(?:we|has|have|they) lost (?:\w+ ){0,2}(?:volunteers|members|customers|staff|pupils|"
    r"students|patients|tenants|clients|subscribers|contracts?|donors?)\b",
    re.IGNORECASE,
)
OFF_PLAN: Final = re.compile(
    r"\b(?:budget|target|forecast) was\b|^\W*(?:deficit|shortfall|loss)(?: of)? [€$£]?\d|"
    r"\bmade a loss\b|"
    r"\b(?:more|less|fewer|higher|lower|later|earlier|longer|shorter|"
    r"slower|twice|half) (?:than|what) (?:\w+ ){0,2}?(?:budgeted|planned|budget said|plan said|"
    r"expected|forecast|promised|agreed)\b|\bagainst (?:\S+ )?(?:a |the |an )?(?:assumed|planned|budgeted|"
    r"forecast|expected)\b|"
    r"\bwe (?:had|have) (?:planned|budgeted|forecast|expected)\b|\b(?:over|behind|below|under|short of|"
    r"above) (?:the )?(?:budget|schedule|target|forecast|"
    r"plan)\b|\b(?:months?|weeks?) (?:late|behind)\b|\b(?:the|our) target was\b|\bmissed (?:the|our|"
    r"its) (?:target|"
    r"budget|date|deadline)\b|\bso far:|\bplan (?:says|said|was|has)\b|"
    r"\binstead of (?:the )?(?:planned )?" + _MONTH + r"\b",
    re.IGNORECASE,
)
PUT_BACK: Final = words(
    r"(?:has|have) asked (?:to (?:postpone|delay|wait|be left out)|for (?:more time|a delay))",
    r"slip(?:s|ped) (?:to|by|into)",
    r"(?:has|have|had) (?:been )?(?:postponed|delayed|put back|pushed back)",
)
"""A date of the plan that somebody no longer keeps."""
LATE_SHARE: Final = re.compile(
    r"\d ?(?:%|percent|per cent) of (?:\w+ ){0,4}?(?:late|later|behind|overdue|slower)\b|"
    r"\b\d+ (?:of|in) \d+ (?:\w+ ){0,4}?(?:late|later|behind|overdue)\b|"
    r"\bone (?:\w+ )?in (?:two|three|four|five|six|seven|eight|nine|ten) (?:\w+ ){0,3}?(?:late|later|"
    r"overdue)\b",
    re.IGNORECASE,
)
"""How many of many come late: no plan of the presenter's that went wrong once."""
OWN_RULE: Final = re.compile(
    r"\b(?:covenants?|bylaws?|statutes|licence|permit) (?:asks?|requires?|says?|demands?)\b|"
    r"\bthe (?:law|rules?|regulator|standard) (?:asks|requires|says|allows|demands)\b|"
    r"\bour (?:own )?(?:policy|rule|guideline|limit|standard) (?:is|says|asks|requires|allows)\b|"
    r"\b(?:guideline|(?:our|the) policy (?:says|is|"
    r"asks)|(?:our|the) own rule|(?:our|the) rule (?:says|is)|"
    r"recommended (?:level|minimum|maximum)|(?:legal|statutory) (?:minimum|maximum|limit))\b",
    re.IGNORECASE,
)
AGAINST: Final = words(
    r"rejects? (?:the|our|this|that|it|any|all)\b",
    r"(?:has|have|had|was|were) rejected",
    r"(?:has|have) objected",
    "objects? to",
    "objected",
    r"(?:voted|votes|is|are) against",
    "opposed?",
    "opposes",
    r"not in favour",
    "petition",
    r"signatures against",
    r"against (?:the |our |its |this )?(?:\w+ing|plan|proposal|merger|move|sale|closure)",
    r"abstained",
    r"(?:has|have) (?:complained|protested)",
    r"voted no",
    r"(?:opposition|resistance) (?:from|of|to)",
)
WORRIED: Final = words(
    r"threaten(?:s|ed)? to",
    r"(?:feels?|felt) (?:that |they |like )",
    "worr(?:y|ies|ied)",
    "fears?",
    "afraid",
    "critical of",
    r"the most critical",
    "complain(?:s|ed|ts?)?",
    "unhappy",
    "dissatisfied",
    "anxious",
    "resent(?:s|ed)?",
)
RAISES: Final = words(
    r"we are (?:raising|seeking)", r"raising [€$£]?\d[\d.,]*\w*", r"seed round of", r"series [a-d] of"
)
PROVIDED_FOR: Final = re.compile(r"^\W*(?:\S+ ){3,}\S+: \w")
"""A risk and, after the colon, what is done about it; "Gas price: each 10% …" only names it first."""
DEALT_WITH: Final = words("dealt with", "resolved", "repaired", "fixed", "settled", "closed without")
STATES: Final = re.compile(
    r"\bor (?:stop|not)\b|^\W*(?:review|designed|based)\b|(?<=\w )(?:ends?|expires?|is|are|remains?|"
    r"costs?|says?|"
    r"depends?)\b(?! to\b)",
    re.IGNORECASE,
)
"""A sentence that tells how things are: on the slide of the ask, it is the reason and not the request."""
ASKED_ANYWHERE: Final = re.compile(
    r"\b(?:we|i) ask (?:you|the (?:board|council|committee|trustees|members|meeting))\b|\bplease approve\b|"
    r"\bwe are (?:raising|seeking)\b|\bwe request\b|\bwe ask for\b",
    re.IGNORECASE,
)
PREFERS: Final = words(
    r"(?:committee|group|team|jury|panel|council|directors?|consultants?|auditors?|experts?) (?:\w+ly )?"
    r"(?:recommends?|prefers?|proposes?|favours?)",
    r"we (?:\w+ )?(?:recommend|propose to|prefer|suggest|favour)",
    r"our (?:preference|recommendation)",
    r"is recommended",
)
RESTS_ON_ONE: Final = re.compile(
    r"\b(?:largest|biggest|top) (?:\w+ ){1,2}(?:land|pay|bring|buy|hold|make up|account for|"
    r"give)s?\b.*%|\bone (?:bank|foundation|company)\b(?! in )|"
    r"\b(?:takes?|buys|accounts for|makes up|brings in|provides|supplies|delivers|grows|generates) "
    r"(?:about |some |around |over |nearly )?(?:\d[\d.,]* ?(?:%|percent|per cent)|half|two thirds|a third|"
    r"a quarter) of (?:our|what we|all(?: our| the)?)\b|"
    r"^\W*(?:largest|biggest|top) (?:customer|client|chain|supplier|buyer|donor|sponsor|tenant|funder|"
    r"reseller|distributor)\b[^.;]*%|"
    r"\b(?:one|a single|the largest|"
    r"our largest|the biggest|our biggest|"
    r"top) (?:\w+ ){0,2}(?:customer|client|chain|"
    r"supplier|buyer|donor|sponsor|tenant|funder|reseller|distributor|provider|vendor|contractor)\b|"
    r"\bonly (?:one|two|"
    r"three) (?:[\w'’]+ )?(?:firms?|companies|suppliers?|contractors?|providers?|people|engineers?|"
    r"vendors?|makers?)\b",
    re.IGNORECASE,
)
COSTS: Final = re.compile(
    r"\b(?:total|one[- ]off|installed|plus or minus|in 20\d\d prices|will cost|would cost|"
    r"costs? about|phase \d costs?|"
    r"to (?:build|equip|renovate|replace|install|convert)|roll out|estimated (?:cost|at)|investment|"
    r"capital cost)\b",
    re.IGNORECASE,
)
PER_PIECE: Final = re.compile(
    r"\bper (?:store|site|school|unit|vehicle|ship|flat|room|station|branch|house|home|seat|machine|"
    r"singer|pupil|bed|"
    r"locker|bus)\b.*\bto (?:equip|build|fit|convert|install|renovate)\b|"
    r"\ba \w+ costs (?:about )?[€$£]?[\d.,]+\w* to "
    r"(?:build|make|install|equip)\b",
    re.IGNORECASE,
)
WE_PAY: Final = re.compile(
    r"\b(?:costs? us (?:about |some )?[€$£\d]|we pay|charges? us|(?:landlord|supplier|provider|vendor|"
    r"owner|contractor|maker|they) asks? (?:us )?for (?:\w+ )?[\d.]+ ?(?:%|percent|cents)|"
    r"at [€$£][\d.,]+ an? \w+)",
    re.IGNORECASE,
)
PAYS_US: Final = re.compile(
    r"\b(?:pays?|paid) us\b|(?<!we )(?<!you )\bpays? [€$£]?[\d.,]+ (?:per|a|an|for)\b", re.IGNORECASE
)
FEES: Final = re.compile(
    r"\b(?:prices?|fees?|tariffs?|rates?|wages?|salar(?:y|ies)|discounts?|fines?|bonus\w*|paid|premiums?|"
    r"rents?|surcharges?|lev(?:y|ies)|tax(?:es)?|deposits?|equity|"
    r"charges?|terms?|budget|would|could|offers?|per (?:hour|day|week))\b",
    re.IGNORECASE,
)
"""What is agreed on and not measured."""
GIVEN: Final = re.compile(
    r"\b(?:subsid(?:y|ies)|grants?|funding)\b.*\b(?:granted|awarded|approved|promised|covers?|pays?)\b|"
    r"\b(?:gives?|donates?|contributes?) (?:us )?[€$£]?\d|"
    r"\b(?:city|council|state|region|county|government|ministry|lottery|foundation|district|"
    r"parish) (?:gives|pays|"
    r"covers|contributes|funds|grants)\b|\bof which the \w+ pays\b|\bis committed by\b|\bhas been granted\b",
    re.IGNORECASE,
)
OWES: Final = words(
    r"will lend(?: us)?",
    r"(?:bank )?loans?",
    r"(?:be |is |was )?borrowed",
    "borrow",
    "mortgage",
    "bond issue",
    r"personally guaranteed",
    r"credit line",
    "overdraft",
)
HOLDS: Final = re.compile(
    r"\bfrom (?:our |the )?reserves of\b|"
    r"\b(?:in the (?:bank|fund)|cash (?:stands|of|at(?! all)|on \d)|"
    r"months? of (?:spending|cash|runway)|runway)\b|"
    r"\bat the end of the (?:quarter|year|month)\b",
    re.IGNORECASE,
)
PART_OF: Final = re.compile(r"\b(?:by|down|up) (?:an? )?(?:half|third|quarter|fifth|tenth)\b", re.IGNORECASE)
SAVES: Final = words("saves?", "savings? of", r"net savings?", r"(?:to|will|would|should|could) save")
EARNS: Final = re.compile(
    r"\b(?:income|dues|revenues?|sales|turnover|takings|ticket\w*|rents?|fees)\b.*\b(?:would|"
    r"expected|forecast)\b|"
    r"\b(?:would|will|expects? to|expected to) (?:bring|earn|yield|pay|generate)\b|"
    r"\bextra (?:income|revenue|sales)\b|"
    r"\bearns? [€$£]?[\d.,]+ .*\bat maturity\b",
    re.IGNORECASE,
)
EXPECTS: Final = re.compile(
    r"\bwill (?:reach|rise|fall|grow|exceed|double|halve|drop)\b|"
    r"\bwe (?:\w+ )?(?:expect|forecast|believe|estimate|assume|project|anticipate|hope|aim)\b|"
    r"\bin (?:the|its|our) first (?:full |whole )?(?:year|month|quarter)\b|"
    r"\bwe would (?:need|"
    r"see)\b|\bexpects? (?:[\d€$£]|both|to)\b|\baims? (?:for|at)\b|\bforecasts?\b|\bfalls? by [\d]|"
    r"\b(?:by|until) "
    r"(?:the )?(?:end of |beginning of )?20\d\d\b|\bassum(?:es?|ed|ing|ption)\b",
    re.IGNORECASE,
)
PAYS_BACK: Final = re.compile(
    r"\bpayback\b|\bcovers? (?:its|their) (?:own )?costs?\b|\bpays? (?:back|for (?:itself|"
    r"themselves))\b|\bbreak[s-]? ?even\b|\b[\d.,]+ ?(?:%|"
    r"percent) return\b|"
    r"\b(?:irr|net present value|npv)\b",
    re.IGNORECASE,
)
UNUSED: Final = re.compile(
    r"\b\d+ (?:\w+ )?(?:empty|unused|idle)\b|\buse (?:only )?[\d.,]+ ?\w* of (?:the )?[\d.,]+|"
    r"\b(?:twice|three times|more than) (?:what|as much as|as many as) we (?:need|use|sell)\b|"
    r"\bin a (?:building|hall|school|hospital|room) for \d",
    re.IGNORECASE,
)
SAY: Final = re.compile(
    r"\b(?:parents|people|customers|users|patients|students|staff|members|employees|residents|"
    r"teachers|respondents|"
    r"children|colleagues|clients|families|they) (?:\w+ ){0,2}(?:say|said|report|reported|think|"
    r"like|want|agree|rate|"
    r"would recommend)\b|\bin favour\b|\bout of (?:5|five|10|ten)\b|\bstars\b|\bsatisfaction\b|\breplies\b|"
    r"\bconsultation\b|\bsurvey(?:ed)?\b(?! of the (?:wreck|site|ground|land|seabed|roof))",
    re.IGNORECASE,
)
COUNTED: Final = re.compile(
    r"\b\d[\d.,]*\s+(?:\w+\s+){0,2}(?:replies|responses|answers|respondents|ratings|interviews|"
    r"questionnaires|reviews|"
    r"participants|people asked)\b|\bn\s?=\s?\d",
    re.IGNORECASE,
)
DID_IT: Final = re.compile(
    r"\b(?:moved to|switched to|(?:has|have) (?:already )?(?:done|introduced|tried|dropped|built|"
    r"closed|given up)|"
    r"introduced|dropped|tried|built|closed|bought|sold)\b",
    re.IGNORECASE,
)
"""What others did, where a title says that it is about others."""
LIKE_US: Final = re.compile(
    r"\b(?:did the same|went the same way|a trial (?:in|at)|in the \w+ trial)\b", re.IGNORECASE
)
TITLE_WHAT_OTHERS_DO: Final = words(
    r"other (?:\w+ )?(?:cities|towns|schools|hospitals|companies|clubs|firms|countries|places|houses|"
    r"regions)",
    "others",
    "elsewhere",
    "peers",
    "examples?",
    "precedents?",
)
OUR: Final = words("we", "us", "our", "ours", "i", "my")
STANDS_FIRM: Final = re.compile(
    r"^\W*no (?:compulsory|forced|job|redundanc\w+|closures?|cuts|layoffs|increase|rent|evictions?|"
    r"child|patient|"
    r"one will)\b|\b(?:nobody|no one|no \w+) will (?:have to )?(?:leave|lose|pay|be)\b|\b(?:stays?|"
    r"remains?|keeps?) "
    r"(?:free|open|unchanged|the same|in (?:post|place))\b|\bcan (?:all )?stay\b|\bwill not (?:rise|"
    r"change|lose|be "
    r"closed|be sold)\b|\bnobody (?:works|waits|pays) (?:more|longer)\b|\bwe guarantee\b",
    re.IGNORECASE,
)
MOVED: Final = re.compile(
    r"\b(?:up|down) [€$£]\d|"
    r"\d ?(?:%|percent) (?:fewer|more|less|higher|lower) than (?:in|last|"
    r"a year|the year)|"
    r"\bit was [€$£]\d|"
    r"\b(?:rose|fell|grew|dropped|doubled|tripled|halved|increased|decreased|"
    r"declined|has (?:grown|"
    r"risen|fallen)|have "
    r"(?:grown|risen|fallen|since fallen)|improved|ran at|up from|down from|, (?:up|down) \d|(?:up|"
    r"down) [\d.,]+ ?(?:%|"
    r"percent)|it was \d|\d more than last year|went up|went down)",
    re.IGNORECASE,
)
DOES: Final = re.compile(
    r"^\W*(?:\d+\.\s*)?(?:publish|start|complete|launch|build|expand|hire|release|migrate|add|"
    r"develop|deliver|finish|"
    r"implement|create|establish|increase|reduce|improve|integrate|deploy|schedule|recruit|raise|"
    r"enter|define|extend|"
    r"replace|secure|acquire|test|train|automate|consolidate|move|open|close|commission|give|"
    r"insulate|apply|survey|"
    r"tender|appoint|cut|roll out|extend|dredge|deepen|dose|take|set up|introduce|merge|invite|"
    r"negotiate|sell|"
    r"renew|renovate|leave|stop|double|triple|halve|offer|make|buy|lease|send|run|carry out|hand over|"
    r"transfer|outsource|phase out|phase in|shut|cancel|pause|freeze|lower|connect|link|equip|fit|modernise|"
    r"modernize|digitise|digitize|upgrade|rebuild|restore|repair|relocate|split|combine|join|register|audit|"
    r"inspect|measure|prepare|draft|scale|teach|translate|scan|procure|assign|nominate|invest|finance|borrow|"
    r"repay|refinance|retire|redesign|simplify|standardise|standardize|strengthen|widen|shorten|remove|"
    r"demolish|convert|protect)(?! (?:of|is|are|was|were|has|have|had|and|or|per)\b)\b|"
    r"\b(?:is|are|will be) (?:chosen|appointed|placed|running|in service|opened|"
    r"closed|moved|installed|"
    r"signed|delivered|converted|trained|in place)\b|\b(?:begins?|starts?|arrives?|opens|closes|"
    r"goes live|go live|award|"
    r"in service|consent|all \w+ running)\b|\bwill (?:begin|start|open|close|move|be)\b|^\W*(?:new|"
    r"first|second|third) "
    r"\w+",
    re.IGNORECASE,
)
GOES_UP: Final = re.compile(
    r"\b(?:fees?|charges?|contributions?|dues|tickets?|rents?|prices?) (?:for \w+ )?(?:rises?|"
    r"go(?:es)? up|increases?|up by)\b"
    r".*\d",
    re.IGNORECASE,
)
"""What people pay us is to change."""
CHANGES: Final = words(
    "instead", r"no longer", r"rather than", r"only one", r"one \w+ on two", r"a single", r"from now on"
)
WE_WILL: Final = re.compile(
    r"^\W*(?:we|i|the (?:team|board|company)) (?:will|shall|plan to|intend to|are going to|commit to)\b"
    r"(?! (?:be able|continue|see|have|know|not|only)\b)|^\W*(?:we|i)['’]ll\b(?! (?:be able|see|"
    r"have|know)\b)",
    re.IGNORECASE,
)
LISTS: Final = re.compile(r"^\W*[^:]{3,60}: ")
DONE_ALREADY: Final = re.compile(
    r"\b(?:was|were|has been|have been|did|had|went|came|gave|visited|treated|brought|earned|paid|"
    r"spent|lost|sold|saw|"
    r"told|gained|covered|received|moved|built|left)\b",
    re.IGNORECASE,
)
NO_BOAST: Final = words(
    r"(?:a|the|in) leading (?:post|role|position|job|function|part|question)",
    r"most (?:frequent|common|critical|often|likely|of)",
    "worry",
    "problem",
    "risk",
    "reason",
    "complaint",
    "customer",
    "reseller",
    "client",
)
