"""Words by which a sentence shows what holds the presenter: a term of years, a demand, an old figure.

A board asks about these before it asks about figures. As in `sort_cues`, a pattern leaves out what was
read as something else.
"""

from __future__ import annotations

import re
from typing import Final

from orchestrator.engines.sort_cues import words

_YEARS: Final = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty)"
_BOND: Final = (
    r"(?:contracts?|leases?|licen[cs]es?|agreements?|deals?|concessions?|subscriptions?|commitments?|"
    r"framework|tenanc(?:y|ies)|minimum term)"
)
BINDS: Final = re.compile(
    rf"\b{_YEARS}[- ]years? (?:\w+ ){{0,2}}?{_BOND}\b|"
    rf"\b{_BOND}\b(?: \w+){{0,4}}? (?:of|for|over|runs(?: for)?) {_YEARS} years\b",
    re.IGNORECASE,
)
"""A bond of several years that is entered into."""
DELEGATES: Final = words(
    r"free hand",
    r"mandate (?:the|our|him|her|them|us)",
    r"authori[sz]e (?:the|our|him|her|them|us)",
    r"authori[sz]e \w+ to",
    r"delegates? .{0,60}?to",
    r"(?:authority|power|powers|leave) to (?:sign|negotiate|decide|agree|spend|buy|conclude|act)",
    r"(?:allow|empower|permit) (?:the|our|him|her|them|us) (?:\w+ ){0,3}?to "
    r"(?:sign|negotiate|decide|agree|spend|buy|conclude)",
)
"""The board is to let somebody else decide."""
OLD: Final = words(
    r"(?:has|have) not (?:yet )?been (?:re\w+|updated|checked|counted|measured|surveyed|valued|inspected)"
    r"(?: again)?(?: since| for)?",
    r"(?:not|never) (?:been )?(?:repriced|updated|revised|revalued|renewed|re-?tendered|recalculated) since",
    r"(?:last|latest) (?:\w+ )?(?:updated|reviewed|counted|measured|surveyed|valued|inspected|tested|audited)"
    r" (?:was )?in",
    r"(?:figures?|prices?|quotes?|quotations?|estimates?|offers?|surveys?|data|valuations?|counts?|"
    r"forecasts?)"
    r" (?:is|are|dates?|date back|goes back|go back)(?: back)? (?:from|to) (?:the )?(?:\w+ )?(?:19|20)\d\d",
)
"""A figure, or a check, that is not of today."""
UNFUNDED: Final = words(
    r"(?:nothing|none|no \w+|not) (?:is |are |was |has been |yet |been )*(?:budgeted|set aside|provided for|"
    r"costed|priced|insured)",
    r"(?:is|are) not (?:yet )?(?:in|part of|included in|covered by|contained in) (?:the|this|our|that|any) "
    r"(?:\w+ )?(?:budget|price|plan|figures?|estimate|cost|costs|offer|insurance|policy|grant|sum|amount)",
    r"(?:is|are) not (?:yet |fully )*(?:funded|financed|paid for|insured|budgeted|covered)",
    r"no (?:budget|provision|reserve|money|contingency|cover|insurance) for",
    r"(?:uninsured|unbudgeted|unfunded|uncosted)",
)
"""What will cost something and has no money."""
_KIN: Final = (
    r"(?:brother|sister|wife|husband|son|daughter|cousin|father|mother|uncle|nephew|niece|"
    r"(?:brother|sister|son|daughter|father|mother)-in-law)"
)
INTERESTED: Final = re.compile(
    rf"[’']s {_KIN}\b|\b(?:his|her|whose|my|our) {_KIN}\b|"
    r"\b(?:owned|run|led|held) by (?:one of )?(?:our|a|the|its) (?:own )?(?:board|director|trustee|member of "
    r"the board|founder|chair|treasurer)\w*\b|"
    r"\b(?:director|trustee|chair|chairman|founder|treasurer|ceo|cto|cfo|board member)(?:[’']s)? "
    r"(?:own |former |old )?(?:company|employer|firm|practice|agency|business)\b",
    re.IGNORECASE,
)
"""Somebody close to those who decide gains by it."""
_PARTY: Final = (
    r"(?:union|unions|tenants?|staff|residents?|parents|teachers|neighbours|bank|banks|landlord|insurers?|"
    r"regulator|city|council|county|ministry|department|lenders?|supplier|suppliers|maker|unesco|port|"
    r"authority|investors?|donors?|funder|funders|drivers|nurses|doctors|growers|farmers|owners?|"
    r"customers?|players|fishermen|conservatoire|works council|museum|university|agency)"
)
DEMANDS: Final = re.compile(
    rf"\b(?:the|our|its|both|two|three|their|some) (?:\w+ ){{0,2}}?{_PARTY} (?:now )?"
    r"(?:wants?|demands?|insists?(?: on| that)?|asks? for|expects?|requires?)\b(?! to know\b)",
    re.IGNORECASE,
)
"""What another party makes a condition of."""
BECAUSE: Final = re.compile(
    r"\b(?:because(?: of)?|owing to|due to|thanks to|as a result of|was caused by)\b", re.IGNORECASE
)
ASSURES: Final = re.compile(
    r"\b(?:will|would|does|do|is|are) not (?:be )?(?:affect\w*|suffer\w*|harm\w*|impair\w*|endanger\w*|"
    r"disturb\w*|weaken\w*|notice\w*)\b|"
    r"\bno (?:\w+ ){0,2}?(?:harm|effects?|impact|damage|disadvantages?|side effects?|obstacles?|disruption|"
    r"problems?)"
    r" (?:\w+ ){0,4}?(?:is |are )?(?:expected|foreseen|known|seen|likely)\b|\bforesees? no\b|"
    r"\bwell tolerated\b|"
    r"\b(?:is|are|remains?) (?:very )?(?:safe|good|strong|healthy|under control|well prepared)$|"
    r"\b(?:loved|liked|wanted|welcomed|supported) by (?:everyone|everybody|all)\b|"
    r"\bwill (?:support|welcome|understand|accept) \w+",
    re.IGNORECASE,
)
"""That nothing bad comes of it, or that all is well: said, and not shown."""
REWARDS: Final = words(
    r"bonus(?:es)?", r"incentives?", r"tied to (?:the )?(?:\w+ )?(?:revenue|profit|sales|growth|results?|"
    r"targets?)",
    r"performance pay", r"profit share", r"success fee", r"stock options",
)  # fmt: skip
"""What somebody earns by reaching a figure."""
UNDERWAY: Final = re.compile(
    r"^\W*(?:currently )?(?:adding|building|developing|working on|improving|migrating|rewriting|preparing|"
    r"drafting|"
    r"testing|extending|implementing|integrating|designing|negotiating|recruiting|updating|upgrading|"
    r"setting up)\b"
    r" \w+",
    re.IGNORECASE,
)
"""Work that somebody is at."""
SPLITS: Final = re.compile(
    r"\b(?:pays?|bears?|carr(?:y|ies)|covers?|gets?|keeps?|receives?|takes?) \d[\d.]* ?(?:%|percent|per cent)"
    r" of (?:the |all |any |its |our )?(?:\w+ )?(?:overruns?|costs?|rest|loss(?:es)?|investment|total|bill|"
    r"profits?|difference|shortfall|extra|remainder|surplus|damage|proceeds|gains?)\b|\b\d+[:/]\d+ split\b|"
    r"\bsplit \d+|\bshared (?:equally|half and half)\b",
    re.IGNORECASE,
)
"""Who pays, or gets, which part."""
EVENT: Final = words(
    r"assembly", r"meetings?", r"elections?", r"hearings?", r"conference", r"summit", r"sessions?", r"votes?",
    r"ceremony", r"deadline", r"announce\w*", r"told", r"decides?", r"decision", r"last sale", r"boards?",
    r"agm",
    r"event", r"launch party", r"holiday", r"exam\w*", r"expires?", r"ends?",
)  # fmt: skip
"""What takes place on its day whatever happens."""
TRIFLING: Final = words(
    r"website", r"logo", r"newsletter", r"mailing list", r"slides?", r"agenda", r"logistics", r"photos?",
    r"minutes of",
)  # fmt: skip
TITLE_TRIED: Final = words(
    r"what we (?:have )?tried", "pilots?", "trials?", "experiments?", r"(?:first|early) (?:results|findings)",
    r"what (?:we|it) (?:found|showed)", "proof of concept",
)  # fmt: skip
RESULT: Final = re.compile(
    r"\b(?:less|more|fewer|none|nobody|no one|lost|fell|rose|dropped|better|worse|faster|slower|shorter|"
    r"longer|saved|cut|halved|doubled|up|down|kept|came back|said|higher|lower|correct(?:ly)?|found)\b",
    re.IGNORECASE,
)
TITLE_EXPECTED: Final = words(
    r"what (?:we|you|they) (?:can )?expect",
    r"expected (?:results?|effects?|benefits?|outcomes?)",
    "targets?", "outcomes?", "projections?", "forecasts?",
    r"what (?:it|this|that) (?:will )?(?:brings?|gives?|changes?|achieves?|delivers?)",
    r"what (?:success|good) looks like", r"(?:goals|aims|objectives)(?: for \w+)?",
)  # fmt: skip
STATE: Final = words(
    r"(?:does|do) not", "is", "are", "has", "have", "cannot", "lacks?", "needs?", "depends?", "knows?"
)
MIGHT: Final = words("may", "might", "could", "would", "will", "if", "when", "should")
"""Beside a state it is something that may come."""
FINITE: Final = words("is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "cannot", "can")
"""A sentence that tells how things are, and not a goal with its verb left out."""
