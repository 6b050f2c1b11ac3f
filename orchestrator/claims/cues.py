"""Words by which an English sentence shows what it claims: one pattern for each kind of claim.

Each was read against real board decks and earnings calls; what looks like an oddly narrow
list is what was left after the wrong hits had been taken out.
"""

from __future__ import annotations

import re
from typing import Final

_I: Final = re.IGNORECASE

MONEY = re.compile(
    r"\b(?:revenues?|sales|costs?|savings?|cash|ebitda|profits?|income|debt|capex|opex|budget|funding|"
    r"invest(?:ments?|ed)|spend(?:ing)?|price|arr|mrr|earnings|valuation|grants?|turnover|expenses?|payroll|"
    r"loss(?:es)?|raised?)\b",
    _I,
)

_CHANGED: Final = (
    r"(?:grew|grown|rose|risen|fell|fallen|doubl(?:ed|ing)|tripl(?:ed|ing)|quadrupl(?:ed|ing)|surged|soared|"
    r"climbed|jumped|declined|dropped|shrank|shrunk|outgrew|contracted|expanded|(?:increased|decreased|"
    r"reduced|expanded|improved) (?:by|from|to))"
)
GROWTH = re.compile(
    rf"\b(?:{_CHANGED}|continues? to (?:grow|rise|fall|increase|expand|decline)|"
    r"(?:is|are|has been|have been|keeps?) (?:growing|rising|falling|increasing|expanding|declining|"
    r"shrinking)|(?:strong|steady|rapid|record|double-digit|exponential) growth)\b",
    _I,
)
"""Growth that is claimed even without a number."""

GROWTH_OF_NUMBER = re.compile(
    rf"\b(?:{_CHANGED}|growth|grow(?:s|ing)?|up|down|increas(?:e[ds]?|ing)|decreas(?:e[ds]?|ing)|rise[sn]?|"
    r"rising|decline[ds]?|reduction|reduce[ds]?|improvement|gained|(?:higher|lower) than|yoy|"
    r"year[- ](?:over|on)[- ]year|qoq|cagr)\b",
    _I,
)
NO_DIRECTION = re.compile(
    r"\b(?:up to|sign(?:ed|s|ing)? up|set up|end(?:ed|s|ing)? up|made up|back up|start[- ]?ups?|follow(?:ed|"
    r"s)? up|break(?:s|ing)? down|down to)\b",
    _I,
)

SHARE = re.compile(
    r"\bmarket share\b|\b(?:vast |great )?majority of (?:our|the|its|all|customers|users|members|revenue|"
    r"contributions)\b|^\W*most (?:contributions|customers|users|members|revenue|sales|companies|"
    r"organi[sz]ations)\b|\b(?:half|two[- ]thirds|one[- ]third|a third|a quarter|"
    r"three[- ]quarters) of (?:the|our|all|its|their)\b",
    _I,
)
SHARE_OF = re.compile(
    r"\s+of\s+(?:(?:the|our|all|total|its|their|every|group|annual)\s+)*(?:[a-z-]+\s)?(?:market|revenues?|"
    r"sales|customers?|users?|members?|budget|costs?|spend(?:ing)?|contributions?|income|profits?|traffic|"
    r"volume|employees|workforce|portfolio|demand|supply)\b",
    _I,
)
"""A part of a whole that others hold the rest of; "99% of outages predicted" is a rate."""

COMPARED = re.compile(
    r"(?<!more )(?<!less )(?<!other )(?<!rather )(?<!fewer )(?<!later )(?<!earlier )(?<!sooner )\bthan\b|"
    r"\b(?:more|less|fewer) than (?!(?:about |around |just |only |a |an )?(?:[\d$€£]|one\b|two\b|three\b|"
    r"half\b|ever\b|ten\b|dozen))|\bcompared (?:to|with)\b|\bversus\b|\bvs\b\.?|\brelative to\b|"
    r"\boutperform\w*|\bahead of (?:the |our )?(?:compet\w+|peers|market|industry)\b|\bunlike (?:other|our|"
    r"the|most)\b",
    _I,
)
_MORE: Final = (
    r"(?:more|less) (?:robust|efficient|reliable|secure|accurate|effective|agile|trustworthy|sustainable|"
    r"flexible|scalable|productive|transparent|affordable|competitive|resilient|complex|expensive|impact|"
    r"effort|time|friction|risk)"
)
_BETTER: Final = (
    r"(?:easier|faster|cheaper|better|safer|simpler|stronger|smarter|quicker|greater|higher|lower|fewer|"
    r"shorter|"
    rf"improved|increased|enhanced|reduced|accelerated|streamlined|{_MORE})"
)
COMPARATIVE_FIRST = re.compile(rf"^\W*{_BETTER}\s+(?!together|late)\w", _I)
COMPARATIVE = re.compile(
    r"\b(?:is|are|be|become|becomes|becoming|has become|mak(?:es?|ing)|get|gets|provide|provides|offers?|"
    r"into an?|with) "
    rf"(?:[a-z]+ ){{0,6}}?(?:{_MORE}|easier|faster|cheaper|safer|simpler|stronger)\b",
    _I,
)

_RANKED: Final = (
    r"company|product|solution|vendor|provider|platform|tool|standard|library|framework|system|option|team|"
    r"supplier|service|technology|open|independent|commercial|public"
)
SUPERLATIVE = re.compile(
    r"\b(?:world|industry|market|europe|nation|country)['’]?s (?:first|largest|best|leading|most|fastest|"
    r"only)\b|\bthe (?:best|largest|biggest|fastest|cheapest|safest|strongest|highest|lowest|smallest|"
    r"easiest|greatest|leading|first ever|most (?!of\b|part\b|recent\b|likely\b|important\b|common\b)[a-z]+|"
    r"number one|leader)\b(?! practices?\b)(?! way to\b)|"
    rf"\b(?:the|our) only (?:\w+ )?(?:{_RANKED})\b|\b(?:is|are|was|were|as|become|"
    rf"being) the first (?:\w+ )?(?:{_RANKED})\b|"
    r"\b(?:best[- ]in[- ]class|best[- ]of[- ]breed|world[- ]class|market[- ]leading|industry[- ]leading|"
    r"state[- ]of[- ]the[- ]art|cutting[- ]edge|unrivall?ed|unmatched|unparallell?ed|unprecedented|"
    r"second to none|no competitors?|no competition|first[- ]mover|game[- ]chang\w+|revolutionary|a leading|"
    r"leading (?:provider|vendor|company|platform|supplier)|market leader|largest ever|number one)\b|"
    r"\bhighest ever\b|\bour (?:best|largest|biggest|highest|strongest|fastest) (?!practices?\b|"
    r"customers?\b|clients?\b)|\buniquely\b|\bunique (?:position|combination|approach|technology|solution|"
    r"advantage|offering|opportunity)\b|\brecord (?:quarter|year|month|revenue|sales|high|results)\b|"
    r"#\s?1\b|\bno\.\s?1\b|"
    r"\bnothing (?:else )?(?:quite )?like (?:it|this|ours|them)\b|\b(?:nobody|no one) else (?:has|does|"
    r"offers|can|makes|sells|provides)\b",
    _I,
)
ABSOLUTE = re.compile(
    r"\b(?:guaranteed|risk[- ]free|zero[- ]risk|fully (?:secure|compliant|automated|integrated))\b|"
    r"\bnever (?:fails?|loses?|breaks?)\b|\bno (?:downtime|risk|cost|loss|errors?|effort|impact|lock-in|"
    r"maintenance|dependencies)\b",
    _I,
)
"""A promise without a limit."""

SAVING = re.compile(r"\bcosts? (?:reductions?|savings?)\b|\bsavings? of\b", _I)

_WE: Final = (
    r"(?:we|our (?:team|group|company|project|engineers)|the (?:team|project|group|company|working group|"
    r"board)|this (?:team|project|group|programme|program|working group))"
)
_COMMITS: Final = (
    r"(?:['’]ll| will| shall|['’]re going to| are going to| am going to| is going to| commit| promise|"
    r" guarantee| aim to| plan to| intend to| expect to| are committed| are on track| is on track| want to|"
    r" hope to| pledge)"
)
_DELIVERS: Final = (
    r"(?:deliver|ensure|provide|reduce|increase|improve|save|help|develop|migrat|accelerat|enabl|launch|"
    r"releas|ship|complet|finish|add|cut|creat|grow|reach|expand|open|hire|invest|build|publish|roll out|"
    r"double|triple|patch|support|implement|deploy|establish|eliminat|simplif|generat|drive|cover)\w*"
)
_PAYS_OFF: Final = (
    r"(?:breaks? even|pays? (?:for (?:itself|themselves)|back)|covers? (?:its|their) (?:own )?costs?|"
    r"turns? a profit|becomes? profitable)"
)
PAYS_OFF = re.compile(rf"\b{_PAYS_OFF}\b", _I)
"""A promise in the present tense."""
PROMISE = re.compile(
    rf"\b{_WE}{_COMMITS}(?! (?:not\b|only\b|also find|see\b))|\bguarantees? (?:that|the|a|an|"
    r"our)\b|\bi(?:['’]ll| will) (?:personally|make sure|ensure|deliver|commit|guarantee|own|see to it)\b|"
    rf"\bcommitted to\b|\bon track (?:to|for)\b|\bwill (?:always )?(?:be {_DELIVERS}|be ready|{_DELIVERS}|"
    r"always have)\b|\b(?:there will be|will bring|will give|will make|will allow|will become)\b",
    _I,
)
LOGISTICS = re.compile(
    r"\b(?:turn (?:it|this|the call|the conference|things|you) (?:back )?over|open (?:it |"
    r"the )?(?:up )?(?:the )?(?:queue|line|call|floor|lines)|take (?:your |some |any |"
    r"the )?(?:next )?questions?|(?:next|previous|last|following) slide|walk (?:you |us )?through|"
    r"talk (?:about|you|more)|get to (?:that|this)|come back to|show you|move (?:on|over) to|start (?:with|"
    r"by|off|out)|discuss|mention|cover (?:in|that|this)|hear (?:from|about)|like to (?:begin|start|thank|"
    r"welcome|turn|invite|remind|say|point|add|briefly)|hand (?:it |you )?over|go (?:over|through|ahead|"
    r"into)|look at|begin (?:with|by)|refer (?:you )?to|see (?:in|on|from|that)|highlight|"
    r"question[- ]and[- ]answer|q and a|q&a|responding|lead you|provide (?:some|an? )|pass (?:it|the)|"
    r"forward[- ]looking|press release|webcast|operator|star key|replay|examine|call (?:it|this|the)?[\"“]|"
    r"opportunity to ask|(?:will|['’]ll) (?:also )?(?:say|call|ask|use|give you|keep you|let you|see|get)|"
    r"my (?:question|colleague))\b",
    _I,
)
UNFINISHED = re.compile(
    r"\bstill (?:need\w*|searching|looking|working|open|missing|to be|waiting|in)\b|\bworking on (?:that|"
    r"this|it|a|the|an)\b|\bawaiting\b|\bnot yet\b|\bto be (?:confirmed|decided|defined|determined|"
    r"announced)\b|\b(?:is|are|date|budget|owner|cost|still) TB[DC]\b|^\W*starting to\b|"
    r"\bplanning (?:on|to)\b|\blooking into\b",
    _I,
)
"""Work that is not done: a promise without a date."""

STANDS = re.compile(
    r"\bon (?:hiatus|hold)\b|\b(?:in|at) (?:an |the |its |very )?early stages?\b|\bin progress\b|\bpending\b|"
    r"\bearly draft\b|\bunder (?:development|review|discussion|construction)\b|\bpaused\b|\bsuspended\b",
    _I,
)
"""Where a piece of work stands: nothing is announced that could fail to happen."""

UNSECURED = re.compile(
    r"\b(?:organi[sz]ations|companies|customers|partners|vendors|members|institutions) interested\b|"
    r"\bexpressed (?:\w+ )?interest\b|\bin (?:talks|discussions|negotiations) with\b|\bpartnerships? with\b|"
    r"\bjust myself\b|\b(?:best[- ]effort|volunteer) basis\b|\b(?:sole|single|only one) (?:maintainer|"
    r"contributor|supplier|customer|sponsor)\b|\bproofs? of concept\b|\bletters? of intent\b",
    _I,
)
"""Support that nobody has signed for, or that hangs on one party."""

_BENEFIT: Final = (
    r"(?:eliminat|reduc|increas|improv|boost|accelerat|sav|avoid|prevent|minimi[sz]|maximi[sz]|doubl|tripl|"
    r"lower|simplif|streamlin)(?:e|es|ing|y|ies|ying)?"
)
BENEFIT_FIRST = re.compile(rf"^\W*(?:{_BENEFIT}|spend less|cut)\s+(?:the\s+|our\s+)?[a-z]", _I)
BENEFIT_VERB = re.compile(
    r"[a-z]{2,}\)?\s+(?:also |significantly |greatly |directly |both |further )?(?:improves?|increases?|"
    r"reduces?|lowers|accelerates?|eliminates?|simplifies|streamlines?|boosts?|strengthens?|saves?|"
    r"prevents?|minimi[sz]es?|maximi[sz]es?|facilitates?|ensures?|encourages?)\s+(?:both |the |our |a |"
    r"an )?[a-z]{3,}|\bwhich\b[^,]{5,80}, (?:improve|increase|reduce|lower|accelerate|eliminate|simplify|"
    r"strengthen|ensure)s?\s",
    re.ASCII,
)
BENEFIT_WANTED = re.compile(
    r"\b(?:to|will|would|can|could|may|might|should|must|not|please|help|helps|that|"
    r"which)\s+(?:\w+ly )?(?:improve|increase|reduce|lower|accelerate|eliminate|simplify|streamline|boost|"
    r"strengthen|save|prevent|minimi[sz]e|maximi[sz]e|facilitate|ensure|encourage)\b",
    _I,
)
"""A benefit that is wished for, not claimed."""

PLANNED = re.compile(
    r"^\W*(?:publish|start|complete|research|launch|build|expand|grow|hire|release|migrate|add|develop|"
    r"deliver|finish|implement|create|establish|reach|increase|reduce|improve|integrate|deploy|perform|"
    r"schedule|recruit|raise|enter|open|define|update|extend|replace|secure|certify|acquire|double|test|"
    r"train|automate|consolidate|move)\s+\w+\s+\w|^\W*more\s+(?!information|details|info|about|on|to)\w",
    _I,
)
"""A line under a heading such as "Plans" that says what is to be done."""

DELIVERABLE = re.compile(
    r"\bwill (?:be )?(?:migrat|develop|launch|releas|ship|complet|finish|publish|build|built|"
    r"roll(?:ed)? out|implement|deploy|establish|open|hire|creat|add|submit|updat|patch|deliver)\w*|"
    r"(?<!need )(?<!needs )(?<!needing )\bto be [a-z]+ed\b|\bplan(?:s|ned|ning)? (?:to|on)\b",
    _I,
)
"""A piece of work that will be there or not on some day, rather than an effect that is hoped for."""

PLAN_HEADING = re.compile(
    r"\b(?:plans?|roadmap|next steps|goals?|objectives|milestones|targets|future|outlook|what['’]s next|"
    r"deliverables|timeline|commitments|proposals?|recommendations?|requests?)\b",
    _I,
)

FUTURE = re.compile(
    r"\b(?:going forward|(?:is|are|be|was|were) expected to|(?:we|i) expect\b|we forecast|forecast(?:ed|"
    r"s)? to|(?<!not )anticipat(?:es?|ed|ing) (?!continuing)|projected (?:to|at|for)|estimated to reach|"
    r"upcoming|planned for|plan(?:s|ned|ning) (?:to|on)|scheduled (?:for|to)|to be [a-z]+ed by|coming soon|"
    r"soon to be|by 20\d\d|by FY|(?:should|may|will) (?:soon )?(?:accelerate|reduce|increase|improve|see|"
    r"reach|deliver|be realized|grow|benefit|rise|fall|facilitate)|poised to|set to (?:grow|become|reach))\b"
    rf"|\bwill (?:be )?{_DELIVERS}\b|\bwill (?:always |never |not |also |soon )?(?:{_PAYS_OFF}|take|lose|"
    r"win|fall|rise|cost|pay|earn|sell|buy|replace|leave|undercut|overtake|exceed|employ|serve|last|"
    r"need|enter|close|come from)\b",
    _I,
)

CAUSAL = re.compile(
    r"\b(?:because(?: of)?|due to|driven by|thanks to|as a result(?: of)?|result(?:s|ed|ing)? in|lead(?:s|"
    r"ing)? to|led to|caus(?:es|ed)\b(?! for\b)|owing to|drives (?!for\b)|translat(?:es|ed|ing) into|"
    r"means that|which means|therefore|thereby|stems? from)\b",
    _I,
)

OBLIGATION = re.compile(
    r"\b(?:must|shall|please)\b|\bshould\b(?! (?:accelerate|reduce|increase|improve|see|reach|deliver|"
    r"be realized|grow))|\b(?:needs?|have|has|required|obliged|supposed) to\b|\bto be considered\b|"
    r"\bif you\b|\byou (?:can|may|need|should|have|will|are)\b",
    _I,
)
THRESHOLD = re.compile(r"\b(?:at least|at most|minimum|must|should|more than|no more|the next)\b", _I)
FIRST_PERSON = re.compile(r"\b(?:we|our|us|i)\b", _I)

MILESTONE = re.compile(
    r"\b(?:by(?! (?:about |around |nearly |almost )?[\d.,]+\s?(?:%|per ?cent|x|points))|deadline|due|"
    r"launch\w*|releasing|to be released|available|go(?:es)? live|to complete|"
    r"completion|start\w*|scheduled|planned|migrate(?:d by)?|rescheduled|final|kick-?off|submission|ready|"
    r"ship(?:s|ping)?|opens?|cut-?over|roll-?out|end of life|delivered|delivery|implementation)\b",
    _I,
)
RUNS_OUT = re.compile(
    r"\b(?<!year )(?<!quarter )(?<!month )(?:ends|expires|runs out|lapses|falls due) (?:on|in|by|at)\b", _I
)
"""A right or a contract that stops on a date."""
DONE = re.compile(
    r"\b(?:has been|have been|was|were|had)\b|\b(?:is|are) (?:now |already )?(?:available|live|in use|in "
    r"production|running)\b|\b(?:submitted|published|completed|approved|received|released|"
    r"migrated|launched|held|signed|agreed|started)\b",
    _I,
)
"""Past tense, or a state: no milestone ahead."""

DATED_ENTRY = re.compile(r"^\W*[^:]{3,40}?(?::|\s[-–—]\s)\s*\S+(?:\s+\S+){2,}")
SPAN_OF_DATA = re.compile(
    r"\b(?:experience|data|snapshots|history|track record|operations?|service|old|ago|records?|"
    r"observations?)\b",
    _I,
)
"""A stretch of time that says how much there is, and not how long something takes."""
