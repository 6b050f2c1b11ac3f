"""Words by which a dated event is told: its class, what has moved, what sets it apart. Data, no rules."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.claims.words import word_set

CLASSES: Final = (
    ("ga", r"general availability|generally available|(?-i:\bGA\b)"),
    ("break-even", (r"break(?:s|ing)?[ -]?even|broke even|(?:become|becomes|be|turns?|reach|reaches) "
    r"profitab\w+|"
                   r"cash[- ]?flow (?:positive|break[- ]?even)|pays? for (?:itself|themselves)|"
                   r"profitability")),
    ("launch", (r"launch\w*|go(?:es|ing)?[ -]live|went live|live date|roll(?:s|ed|ing)?[ -]?out|"
    r"releas(?:e[sd]?|ing)|"
               r"open(?:s|ed|ing)?(?= |$|[:,.;)])|enters? (?:service|operation|production)|"
               r"into (?:service|operation|production)|(?:be|is|are|becomes?) (?:live|operational|online)|"
               r"commission(?:ed|ing)|inaugurat\w+|(?:is|are|be) (?:available|released)|on sale|goes public|"
               r"(?:starts?|begins?) operations?|relaunch\w*|switch(?:es|ed|ing)?(?: over)? to|"
               r"change-?over|introduc(?:e[sd]?|ing|tion)|"
               r"first (?:day|ride|trip|flight|run|train|passenger|patient|harvest|delivery|customer|guest|"
               r"order|batch|shipment)s?"
               r"(?= (?:of|on|at|in|from|with)\b)")),
    ("complete", (r"complet(?:e[sd]?|ing|ion)|finish(?:es|ed|ing)?|hand(?:ed|s)?[ -]?over|deliver(?:y|ed|s)|"
                 r"cut[ -]?over|conclud\w+|(?:is|are|be|was|were) (?:done|ready)|fully migrated|ready for")),
    ("start", (r"start(?:s|ed|ing)?|begin(?:s|ning)?|began|kick(?:s|ed)?[ -]?off|commenc\w+|break(?:s|ing)? "
    r"ground|"
              r"ground[- ]?breaking|gets? under ?way")),
    ("close", r"clos(?:e[sd]?|ing|ure)|shut(?:s|ting)?[ -]?down"),
    ("sign", r"sign(?:s|ed|ing|ature)?"),
    ("certificate", r"certif\w+|accredit\w+|attest\w+"),
    ("approval", r"approv(?:al|ed|es)|clearance|cleared|authoris\w+|authoriz\w+|permit (?:granted|issued)"),
    ("audit", r"audit(?:ed|s)?|inspection"),
    ("end", (r"end(?:s|ed)?|expir(?:e[sd]?|y|ation|ing)|lapses?|runs? out|terminat\w+|decommission\w*|"
            r"switch(?:ed|es)?[ -]off|retire[sd]?|end of life|sunset")),
    ("founding", r"founded|incorporated|founding"),
    ("move", r"relocat\w+|mov(?:es?|ed|ing)|migrat\w+"),
    ("submit", r"submi(?:t|ts|tted|tting|ssion)|fil(?:e[sd]|ing)"),
    ("deadline", r"deadline|due(?: date)?"),
    ("held", (r"(?:annual )?(?:general|shareholders['’]?) meeting|AGM|open day|opening ceremony|election|"
    r"referendum|hearing")),
    ("join", r"joins?|joined|takes? office|takes? over"),
    ("ship", r"ship(?:s|ped|ping|ment)?"),
)  # fmt: skip
PATTERNS: Final = tuple((name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for name, words in CLASSES)
ALIASES: Final = {"ship": "launch", "ga": "launch"}

MOVED: Final = re.compile(
    r"\b(?:original(?:ly)?|initial(?:ly)?|previous(?:ly)?|formerly|first planned|slip(?:s|ped|ping)?|moved "
    r"(?:from|to|back|forward|out)|"
    r"postpon\w+|delay\w*|deferred|push(?:ed|ing)? (?:back|out|to|from)|brought forward|pulled (?:forward|"
    r"in)|re-?schedul\w+|"
    r"instead of|rather than|no longer|was to|were to|was (?:due|planned|scheduled|expected|meant|"
    r"supposed)|had planned|"
    r"earlier than|later than|ahead of (?:plan|schedule)|behind (?:plan|schedule)|extended|now (?:planned|"
    r"expected|scheduled|"
    r"due|set|targeted|in|for|by|from)|new date|revised|updated|changed|replaces|baseline|old plan|early|"
    r"sooner|missed|"
    r"one (?:year|month|quarter) (?:early|late))\b",
    re.IGNORECASE,
)
OTHERS: Final = re.compile(
    r"\b(?:competitors?|rivals?|competing|peers?|industry|regulators?|government|eu|commission|similar|"
    r"elsewhere|others?|"
    r"comparable|neighbou?r\w*|benchmark)\b",
    re.IGNORECASE,
)
STOP: Final = word_set(
    "a an the this that these those our your their its his her my we you they it he she i and or but nor "
    "so if as at by to "
    "for from with without in on of into over under about than then when where while which who what how is "
    "are was were be "
    "been being am has have had do does did will would can could shall should may might must not no also "
    "only just very too "
    "still already now again there here up down out off all each every plus both more most expected "
    "planned scheduled target "
    "targeted set due date dates day time aim plan plans planning expect intend forecast estimated "
    "projected on-track track "
    "first-time after before until till since during within through between because once later earlier "
    "early late mid end "
    "start beginning middle quarter half year month week fiscal financial calendar door doors via per new "
    "full"
)
QUALIFIERS: Final = word_set(
    "beta alpha pilot soft public private internal preview test trial first second third fourth fifth "
    "final draft interim "
    "partial phase stage wave step tranche part north south east west northern southern eastern western "
    "europe germany "
    "france uk us usa asia america emea apac dach nordics spain italy poland austria switzerland "
    "netherlands japan china "
    "india canada early-access limited mobile web ios android desktop online offline annual mid-term "
    "previous next last "
    "series seed external surveillance recertification main minor major hard old initial expansion "
    "second-generation "
    "closed construction design build testing"
)
WORD = re.compile(r"[^\W_][\w’'&/+.-]*[^\W_]|[^\W_]")
CLAUSE = re.compile(
    r"[;,]|\b(?:and|then|but|while|whereas|before|after|once|until|with)\b|\s[–—|]\s", re.IGNORECASE
)
PAST = re.compile(
    r"\b(?:was|were|has|have|had|went|began|opened|launched|released|completed|finished|delivered|started|"
    r"closed|signed|founded|certified|approved|expired|shipped|joined|submitted|broke)\b",
    re.IGNORECASE,
)
AHEAD = re.compile(
    r"\b(?:will|to be|plan|planned|expect\w*|target\w*|due|scheduled|shall|going to|aim\w*|forecast\w*|"
    r"goes|opens|starts|launches|begins|by)\b",
    re.IGNORECASE,
)
BEFORE_DATE = re.compile(
    r"\b(?:(?:end|start|beginning|middle|close) of|late|early|mid-?|by|in|on|from|until|since|"
    r"the)(?=\s{3,}|-?\s{3,})",
    re.I,
)
SET_FOR = re.compile(
    r"^(?:(?P<object>.{3,80}?)\s+(?:is|are|has been|have been)\s+(?:now |currently |firmly )?(?:planned|"
    r"set|scheduled|due|fixed|booked|expected|"
    r"foreseen|pencilled in|agreed)\s+(?:for|in|on|by)?\s*$|(?:we|they|the \w+) (?:have |has )?(?:set|"
    r"planned?|schedul\w+|fixed|booked|foresee|"
    r"expect|agreed)\s+(?P<behind>.{3,80}?)\s+(?:for|in|on|by)\s*$)",
    re.I,
)
"""A date that is given to something by its name alone: "the first harvest is planned for …"."""
PROCESS: Final = word_set(
    "project programme program migration construction pilot rollout phase work development implementation "
    "build refurbishment "
    "study trial training recruitment procurement tender transition transformation integration testing "
    "process renovation"
)
ORDER: Final = {
    "first": "1",
    "second": "2",
    "third": "3",
    "fourth": "4",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
}
NUMBERED = re.compile(
    r"\b(?:(first|second|third|fourth)|(?:number|no\.?|nr\.?)\s+(one|two|three|four|\d))\b", re.IGNORECASE
)
"""The second kitchen is kitchen number two."""
PLURAL_END = re.compile(r"(?<![su])s$")
