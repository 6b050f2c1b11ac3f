"""What can happen to a thing on one day, and the many words for it. Data, no rules."""

from __future__ import annotations

import re
from typing import Final

from orchestrator.claims.words import word_set

HELD: Final = "held"
MOVED: Final = "moved"
"""The kind of an event of which only is said that its date has moved."""

_KINDS: Final = """
begin | launch(?!\\w* (?:site|pad|vehicle|partner|customer|team|event|party|plan))\\w*|
    relaunch\\w*|go(?:es|ing)?[ -]live|went live|live date|goes? online|roll(?:s|ed|ing)?[ -]?out|
    releas(?:es?|ed|ing)(?: (?:day|date))?|publication date|comes? out|is out|
    hits? (?:the )?(?:market|shelves|shops|stores|road|streets?)|
    open(?:s|ed|ing)?(?: (?:its|their|the) (?:doors|gates))?|doors? opens?|
    enters? (?:service|operation|production|use)|
    (?:into|in) (?:service|operation|production|use|force|effect)|takes? effect|
    (?:be|is|are|becomes?|goes|go) (?:live|operational|online|effective)|commission(?:s|ed|ing)|
    inaugurat\\w+|inaugural|premi[eè]re[sd]?|debut\\w*|
    first (?:day|night|ride|trip|flight|run|train|passengers?|guests?|customers?|visitors?|performance|
    delivery|lesson|service|voyage|sailing|shift)|(?:visitors|passengers|guests|customers|pupils|
    patients|residents|tenants) (?:follow|are let in|move in|come in|
    arrive)|general availability|generally available|starts?|started|starting|begins?|beginning|began|
    kick(?:s|ed)?[ -]?off|commenc\\w+|gets? under ?way|lift(?:s|ed)?[ -]?off|blast(?:s|ed)?[ -]?off|
    takes? to the air|goes? on the grid|on the grid|grid connection|connected to the grid|
    comes? on stream|on stream|switch(?:es|ed)?[ -]on|turned on|goes? on air|
    put into (?:service|operation)|start[ -]?up|joins?|joined|joining|takes? office|
    takes? up (?:her|his|their|the)? ?(?:post|duties|work|job|position|role)|first working day|
    comes on board
end | ends?|ended|ending|expir(?:es?|ed|y|ation|ing)|lapses?|lapsed|runs? out|ran out|terminat\\w+|
    decommission\\w*|switch(?:ed|es)?[ -]off|turned off|retire[sd]?|retirement|end of life|
    end of support|sunset|phased? out|discontinu\\w+|clos(?:es?|ed|ing|ure)|
    shut(?:s|ting)?(?:[ -]?down)?|cease[sd]?|wound up|
    last (?:day|night|train|run|service|shift|performance|order|delivery|flight|sailing|edition|issue|
    working day|visitors?)|final (?:day|train|run|service|performance|edition|issue|
    flight)|takes? (?:\\w+ ){0,4}back|goes? back to|went back to|falls? back to|reverts? to|
    returned to|hand(?:ed|s|ing)? (?:\\w+ ){0,3}back|giv(?:es?|en|ing) (?:\\w+ ){0,3}(?:back|up)|
    vacate[sd]?|mov(?:e|es|ed|ing) out|(?:must|have to|has to) (?:leave|be out|get out)|
    valid (?:until|till|to|through)|good until|
    (?:can be (?:seen|visited|used|booked|viewed)|on (?:show|view|display|loan)|to use|stays?|remains?|
    ours|on sale|open) until|ours until|runs? (?:until|till|to|through)|lasts? until|(?:extended|
    covered|protected|secured|guaranteed|funded|financed|paid for|insured|licensed) (?:until|to|
    through|till)|leaves?|steps? down|departs?|departure|stops?|stopped|(?:is|are) over|comes? to an end
complete | complet(?:es?|ed|ing|ion)|finish(?:es|ed|ing)?|conclud\\w+|
    (?:is|are|be|was|were) (?:done|ready)|ready for (?:use|occupation)|fully migrated|
    substantial completion|wrapped up
deliver | hand(?:s|ed|ing)?[ -]?over|handovers?|deliver(?:y|ies|ed|s|ing)?|
    tak(?:es?|en|ing) (?:\\w+ ){0,3}over|take-?over|took (?:\\w+ ){0,3}over|
    takes? (?:delivery|possession|receipt)|accepted|acceptance|accepts|
    (?:get|gets|got|given|receive|receives) the keys?|
    keys? (?:are |is )?(?:handed|given|passed|turned)|receives?|received|arriv(?:es?|ed|al|ing)|
    changes hands
submit | submi(?:t|ts|tted|tting|ssion)|fil(?:es?|ed|ing)(?: for approval)?|hand(?:s|ed|ing)? in|
    sen[dt]s? (?:\\w+ ){0,3}(?:in|off|to the (?:agency|authority|regulator|ministry|council|court|
    commission))|lodg(?:es?|ed|ing)|appl(?:y|ies|ied|ication)|goes to the (?:agency|authority|
    regulator|ministry|court|registrar|registry)|tender is in|put in for
decide | decisions?|decides?|decided|approv(?:al|ed|es)|clearance|cleared|authoris\\w+|
    authoriz\\w+|permit (?:granted|issued)|licen[cs]e (?:granted|issued)|granted|ruling|verdict|
    judgment|green light|go-?ahead|sign(?:ed|s)? off
vote | votes?|voting|voted|elections?|ballot|polling day|polls? opens?|referendum|plebiscite|
    goes? to the polls|elects?|elected
sign | sign(?:s|ed|ing|ature)|inks?|inked|deal closes|
    closing of the (?:deal|transaction|sale|acquisition|purchase)|
    (?:deal|transaction|acquisition|sale|purchase) (?:closes?|closed|completes?|completed|closing|
    completion)
move | relocat\\w+|mov(?:es?|ed|ing)(?: (?:in|into|to|over))?|migrat\\w+|cut[ -]?over|
    switch(?:es|ed|ing)?(?:[ -]?over)? to|switch[ -]?over|change-?over
inspect | audit(?:s|ed|ors?)?|inspect(?:ion|ions|ed|ors?|s)|certif(?:ied|y|ies|ication)|
    accredit\\w+|surveyed|assessors?|assessment
pay | pay(?:s|able|ments?|ing)?|paid|repa(?:y|ys|id|yment|yments)|instal?lments?|
    transfer(?:s|red)?|disburse[sd]?|dividends?|falls? due|due
deadline | deadline|due date|closing date|no later than|cut-?off date|entries close|
    applications? close|submissions? close|registration closes
publish | publish(?:es|ed|ing)?|publication|appears?|appeared|announc(?:es?|ed|ement)|presents?|
    presented|presentation|read-?outs?|results? (?:out|due|available)
return | (?:back|return(?:s|ed|ing)?) (?:in|to|into|on) (?:service|operation|duty|work|use|
    the (?:timetable|water|road|rails?|line|fleet|air))|returns?|returned|(?:is|are|be|was|were|comes?|
    goes) back|resum(?:es?|ed|ption|ing)|re-?open(?:s|ed|ing)?|again in (?:service|
    operation)|restart(?:s|ed)?
onsale | (?:go(?:es)?|went|be|is|are) on sale|on sale|pre-?sales?|ticket sales?|bookings? opens?|
    registration opens?|sales? (?:start|starts|begins?|opens?)
ground | break(?:s|ing)? ground|ground[- ]?breaking|foundation stone|first sod|topping[- ]?out|
    keel|first steel|first spade|spade
held | meetings?|assembly|AGM|conference|congress|convention|festival|fair|exhibition|concert|
    ceremony|gala|race|marathon|tournament|workshop|hearing|summit|open day|
    exam(?:s|ination|inations)?|wedding|party|f[eê]te|retreat|hackathon|takes? place|took place|
    (?:is|are|be|will be|was|were) held|happens|meets?
""".strip()
KINDS: Final = tuple(
    (name.strip(), re.compile(rf"(?<![\w-])(?:{words.strip()})(?![\w])", re.IGNORECASE))
    for name, words in (line.split(" | ", 1) for line in _KINDS.replace("\n    ", "").splitlines())
)
"""Each kind with its words. Begin and end of one thing are two kinds."""

RELATED: Final = frozenset(
    frozenset(pair)
    for pair in (("begin", "return"), ("end", "deadline"), ("begin", "publish"), ("decide", "vote"))
)
"""Two kinds that can be one event, where the thing is the same in every word."""

ONCE: Final = frozenset({"submit", "vote", "sign", "ground", "deliver", "decide", "begin", "move"})
"""Kinds of which a deck that names no thing means the one that it is about."""

YEARLY: Final = frozenset(
    {HELD, "vote", "pay", "deadline", "inspect", "publish", "onsale", "submit", "decide"}
)
"""Kinds that come again each year: dates of different years are of different editions."""

ASPECTS: Final = tuple(
    (name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for name, words in (
        ("build", (r"construction|constructing|build|building works?|works|civil works?|refurbish\w*|"
                  r"fit-?out|projects?|"
         r"program(?:me)?s?|implementation|development|rebuilding|work")),
        ("try", (r"pilot\w*|trial run|trials?|test(?:s|ing|ed)?|beta|alpha|preview|prototype|demo|dry run|"
                r"rehears\w+")),
        ("sale", (r"tickets?|subscriptions?|bookings?|registrations?|pre-?sale|pre-?orders?|enrolments?|"
                 r"entries")),
        ("apply", (r"applications?|bids?|tenders?|proposals?|motions?|abstracts?|nominations?|comments|"
                  r"claims")),
        ("learn", r"training|onboarding|courses?|recruitment|recruiting|hiring|apprentice\w*"),
        ("plan", (r"planning|design|procurement|preparation|feasibility|study|survey|consultation|"
                 r"exhibition of")),
        ("check", r"audit\w*|inspection\w*|certificat\w+|review|assessment|commissioning|test"),
        ("money", (r"funding|grant|loan|financing|payments?|instal?lments?|invoice|guarantee|warranty|"
                  r"insurance")),
        ("soft", r"soft|private|official|formal|internal|ceremon\w+|party|temporary|interim|provisional"),
        ("trailer", r"trailer|review copies|teaser|announcement|press|marketing campaign"),
    )
)  # fmt: skip
"""What of a thing is meant: its construction is not the thing itself, and its trial not its use."""

RECURRING: Final = word_set(
    "meeting workshop call session webinar lecture exam examination match dinner review training seminar "
    "hearing board committee council team staff project steering member monthly quarterly weekly regular "
    "next first last season semester term year quarter month week timetable holiday report issue edition "
    "update newsletter release version sprint milestone phase step event course class round day general"
)
"""Words of things that come again and again: sharing only these says nothing."""

STOP: Final = word_set(
    "a an the this that these those our your their its his her my we you they it he she i him them us me "
    "and or but nor so if as at by to for from with without in on of into over under about up down off out "
    "than then when where while which who whom what how why is are was were be been being am has have had "
    "do does did will would can could shall should may might must not no also only just very too still "
    "already now again there here all each every plus both more most yes er erm um uh well okay right like "
    "actually really kind sort thing things one ones got get gets getting gone going go come comes make "
    "expected planned scheduled target targeted set due date dates dated day days time times aim plan plans "
    "planning expect intend forecast estimated projected track fixed booked agreed pencilled current "
    "currently until till during since within through between because once before after later earlier early "
    "late mid end begin start middle beginning quarter half year years month months week weeks weekend "
    "morning afternoon evening night noon midnight o'clock pm am spring summer autumn winter monday tuesday "
    "wednesday thursday friday saturday sunday january february march april june july august september "
    "october november december jan feb mar apr jun jul aug sep sept oct nov dec easter christmas per via new "
    "full able finally exactly latest take takes place happen happens everybody everyone everything people "
    "public door doors gate gates visitor visitors please note noting status planned milestone date when "
    "finally eventually probably likely hopefully said says tell told know think see look contract actual "
    "postponed delayed deferred rescheduled shifted slipped brought forward "
    "originally previously formerly initially number nearly almost put seen back keys key twenty thirty "
    "together us day-one ready whole further another other others its own same possible soon shortly"
)
"""Words that name no thing, besides those of the kinds."""

QUALIFIERS: Final = word_set(
    "beta alpha pilot soft private internal preview north south east west northern southern eastern western "
    "upper lower inner outer left right old main minor major partial mobile web ios android desktop "
    "europe germany france uk us usa asia america emea apac nordics spain italy poland austria switzerland "
    "netherlands japan china india canada small large big regional national international central local "
    "junior senior adult final preliminary draft interim external"
)
"""Words that tell a thing from its like."""

RECIPIENTS: Final = word_set(
    "agency agencies authority regulator ministry court council commission registrar registry government "
    "parliament office department board committee fda ema ethics investor bank"
)
"""To whom something is submitted, or who decides: no part of what is submitted or decided."""

GENERIC: Final = word_set(
    "schedule change plan roadmap timeline milestone status overview summary next step outlook key date "
    "pipeline review project agenda calendar budget point open permit question responsibility task action "
    "decision update progress launch release news note background reason why what mean question topic list "
    "content result fact figure introduction conclusion recommendation programme program"
)
"""Words of titles that name no thing."""
