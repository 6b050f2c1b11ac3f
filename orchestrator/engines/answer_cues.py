"""Words by which an English answer shows that it gives a source, an owner, a cause …, or gives none."""

from __future__ import annotations

import re
from typing import Final

_I: Final = re.IGNORECASE

NEGATED = re.compile(
    r"\b(?:no|not|n['’]t|without|never|lack|isn['’]t|don['’]t|doesn['’]t|didn['’]t|haven['’]t|can['’]t|"
    r"cannot)\b[^.;,!?]{0,24}$",
    _I,
)

# -- source

_RECORD: Final = (
    r"crm|erp|(?:general )?ledger|accounts|books|billing|bank statements?|contracts?|agreements?|"
    r"invoic(?:es?|ing)|purchase orders?|order book|filings?|minutes|payroll|time ?sheets?|registry|"
    r"registers?|repository|issue tracker|ticketing|telemetry|balance sheet|income statement|p&l|logs?|"
    r"log ?files?|exports?|extracts?|audits?|census|certificates?|receipts?|meter readings?|point of sale|"
    r"reference costs|tariffs?|price lists?|20\d\d(?:[/-]\d\d)? (?:[\w-]+ ){0,2}(?:costs|prices|rates|"
    r"figures|accounts|budget|outturn|actuals|results)|"
    r"annual report|[1246]0-[kqf]|case files?|survey|questionnaires?|trial|lab(?:oratory)? (?:tests?|"
    r"reports?)|github|gitlab|jira|salesforce|hubspot|netsuite|quickbooks|google analytics|stat(?:ement|"
    r"istic)s? of|(?:annual|quarterly|audit|auditor['’]?s['’]?|monthly|published|inspection|lab|"
    r"engineer['’]?s['’]?|consultant['’]?s['’]?|bank['’]?s?|board|management|sales|january|february|march|"
    r"april|june|july|august|september|october|november|december) (?:reports?|accounts|statements?|paper|"
    r"returns?)|(?!our\b|the\b|this\b|that\b|a\b|an\b|internal\b|own\b|old\b|new\b|whole\b|"
    r"same\b)[\w-]+ (?:systems?|databases?|data warehouse|tracker|records?)"
)
SOURCE = re.compile(
    r"\baudited\b|\b(?:our|the|external|outside) auditors?\b|\bas (?:reported|published|filed|"
    r"recorded) (?:in|by|to)\b|\b(?:from|in|according to|per|out of|off|by|via|using|on|to|into|against|see|"
    r"and) (?:our |the |their |its |a |an |my |this year['’]s |last year['’]s |"
    rf"each |every |two |three |signed )?(?:[\w’'-]+ ){{0,3}}?(?:{_RECORD})\b|"
    r"\b(?:is|are|was|were|it['’]s|that['’]s|there['’]s|with|shows?|have|has) (?:our|the|their|its|a|an|my) "
    rf"(?:[\w’'-]+ ){{0,3}}?(?:{_RECORD})\b|^\W*(?:our |the |their |its |a |an |"
    rf"my )(?:[\w’'-]+ ){{0,3}}?(?:{_RECORD})\b|^\W*(?:{_RECORD})\b|"
    r"\bsurvey of\b|\bsigned (?:contracts?|orders?|agreements?|letters?|statements? of work|leases?)\b|"
    r"\b(?:measured|counted|verified|certified|checked|confirmed|audited|published|tested|"
    r"reviewed) by\b(?! (?:us|ourselves|the team|our (?:own )?team|hand|me|default)\b)|\bmeasured (?:with|"
    r"from)\b|\baccording to (?:the |a |an |our )?(?:[\w’'-]+ ){0,3}?(?:study|office|agency|"
    r"bank|regulator|association|ministry|institute|bureau|council|laborator(?:y|ies)|university|"
    r"statistics)\b|\b(?:the|an?|our|their|last year['’]s|"
    r"this year['’]s) (?:[\w’'-]+ ){0,4}?(?:annual report|audit|census|filing|invoices?|ledger|"
    r"bank statement|export|extract|study by|study of|paper by|report (?:by|of|from) (?!the team|our|"
    r"my)\w)\b|\b(?:list|sheet|count|reports?|"
    r"statement|file|letter|memo|e-?mail|table|inventory|note|offer|certificate|ruling|permit|clause \w+|"
    r"section \w+|paragraph \w+|article \w+) (?:of|from|dated|on|in) (?:the |"
    r"our )?(?:[\w’'-]+ ){0,3}?(?:\d{1,2} )?"
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|20\d\d)\b|"
    r"\bin (?:clause|section|article|paragraph) \w+ of\b|\b(?:compared|reconciled|recounted|rechecked|"
    r"matched) (?:the|both|all|it|"
    r"them|every|each)\b[^.;]{0,60}\b(?:line by line|one by one|by hand|with|against|and found)\b|"
    r"\bI (?:have|brought|can show you|can send you) the (?:contracts?|invoices?|statements?|"
    r"accounts)\b",
    _I,
)
"""A record that somebody else could open, or an outsider who measured."""

_OUR_OWN: Final = (
    r"(?:own |internal |best |latest |in-house |company |current )*(?:data|numbers|figures|analys[ei]s|"
    r"estimates?|calculations?|(?:financial )?models?|experience|research|dashboards?|systems?|records|"
    r"information|sources?|kpis?|metrics|statistics|stats|spreadsheets?|forecasts?|projections?|gut|"
    r"knowledge|reports?|reporting|tracking|database)"
)
VAGUE_SOURCE = re.compile(
    rf"\b(?:from|according to|based on|in|by|per|using|with|on|it['’]?s|it is|that['’]?s|that is|"
    rf"(?:comes? )?out of|is|are|as)\s+(?:all )?(?:our|the|their|its|my|an?|internal|company|various|"
    rf"several|different)\s+{_OUR_OWN}\b|"
    r"\b(?:from|according to|by|ask) (?:our|the|my|their) (?:own )?(?:[\w-]+ )?(?:team|people|experts?|"
    r"colleagues|staff|managers)\b|"
    rf"^\W*(?:it['’]s |that['’]s |this is )?(?:our|the|internal|company|various)\s+{_OUR_OWN}\b|"
    r"\b(?:industry|market|internal|public) (?:reports?|data|experts?|sources?|standards?|research|"
    r"benchmarks?|knowledge|figures|numbers)\b|\b(?:research|studies|experts|analysts|"
    r"everyone(?: in [\w ]{3,20})?|everybody|our numbers|our data|the data|the numbers) (?:shows?|says?|"
    r"suggests?|agrees?|knows?|tells?)\b|\bcommon knowledge\b|\bwell[- ]known\b|\bthe internet\b|"
    r"\bin the deck\b|\b(?:on|in) the (?:slides?|appendix)\b|\bwe (?:calculated|estimated|worked) (?:it|"
    r"that|this)(?: out)? ourselves\b|\bhave (?:all )?the (?:data|numbers|figures)\b|\btrust (?:me|us)\b",
    _I,
)
"""What stands where a record was asked for and is none that a stranger could open."""

# -- owner

ROLE: Final = (
    r"c[efotims]o|ciso|cpo|cro|coo|chief(?: [\w-]+){1,4}? officer|chair(?:man|woman|person)?|treasurer|"
    r"(?:financial )?controller|head of (?:[\w&-]+ ?){1,3}|vp(?: of)?(?: [\w&-]+){1,3}|"
    r"vice[- ]president(?: (?:of|for) [\w&-]+)?|(?:finance|managing|medical|technical|operations|sales|"
    r"marketing|programme|program|project|executive|regional|site|plant|commercial|research|engineering|"
    r"people|hr|it|clinical) director|director(?: of (?:[\w&-]+ ?){1,3})?|general counsel|(?!the\b|our\b|"
    r"a\b|project owner\b)(?:[\w-]+ ){1,2}(?:lead|leader|manager|maintainer|sponsor|officer|engineer|"
    r"secretary|president|principal|superintendent|administrator|coordinator|nurse|partner)"
)
ROLE_FIRST = re.compile(rf"\W*(?P<who>(?:the |our |their |its )(?:{ROLE}))(?:['’]s?)?\s*(?:[,.;]|$)", _I)
"""Who it is, as people give it in answer to "who": "The head of the school, from September." """
_ANSWERS: Final = (
    r"owns?|leads?|runs?|keeps?|signs?|answers?|heads?|manages?|has (?:it|that|this|the budget)|takes?|"
    r"will (?:own|lead|run|sign|answer|keep|do|take|bring|send|show|have|be)|oversees?|carr(?:y|ies)|pays?|"
    r"is (?:responsible|accountable|in charge|the owner|the one|on (?:it|the hook)|leading|running|doing)|"
    r"reads?|counts?|measures?|collects?|compiles?|prepares?|updates?|publishes|reviews?|audits?|tracks?|"
    r"monitors?|tests?|reports?|brings?|presents?|does|decides?|decided|approves?|approved|maintains?|"
    r"chairs?|checks?"
)
OWNER = re.compile(
    r"\bi (?:personally |will |['’]ll |would |do )?(?:own|lead|run|answer for|sign|carry|stand behind|keep|"
    r"manage|oversee)\b|\bi (?:am|['’]m|will be) (?:personally )?(?:responsible|accountable|the owner|"
    r"on the hook|in charge)\b|\bi['’]m (?:personally )?(?:responsible|accountable|the owner|on the hook|"
    r"in charge)\b|\bmy (?:responsibility|job|number|budget|name|signature)\b|\b(?:that['’]s|it['’]s|"
    r"that is|it is|that would be|it would be) (?:me|mine)\b|^\W*(?:me|i do|mine|myself|i will|i am)\W*(?:$|"
    r"[,.:])|^\W*mine[:,] [a-z]|"
    r"\bon my (?:desk|head|watch)\b|\bbuck stops (?:with me|here)\b|"
    rf"\b(?:our|the|their|my|your) (?:{ROLE})(?:,? (?:[A-Z][\w’'-]+ ?){{1,3}},?)?(?: who)? "
    rf"(?:{_ANSWERS})\b|\b(?:our|the|their|my|your) (?:{ROLE}) (?:personally |himself |"
    rf"herself )(?:{_ANSWERS})\b|\b(?:that['’]s|it['’]s|that is|it is|that would be|it will be|owner is|"
    rf"(?:lies|sits|rests|is) with|"
    rf"(?:owned|led|signed|run|kept|managed|approved|checked) by) (?:our|the|their|my|your) (?:{ROLE})\b|"
    rf"^\W*(?:our|the|their|"
    rf"my)? ?(?:{ROLE})\W*(?:$|,)",
    _I,
)
NAMED_OWNER = re.compile(
    r"\b(?P<name>[A-Z][a-zé]+(?: [A-Z][a-zé’'-]+){0,2}),? (?:(?:who|our [\w ]{2,25},?|the [\w ]{2,25},?) )?"
    rf"(?:{_ANSWERS})\b|\b(?:owned|led|signed|run|kept|managed|chaired|approved|overseen) by "
    r"(?P<by>[A-Z]\w+)|\b(?:that['’]s|it['’]s|that is|it is|that would be|owner is|it will be|"
    r"name is) (?P<is>[A-Z][a-zé]+(?: [A-Z][a-zé’'-]+){0,2})\b|\b(?P<at>[A-Z][a-zé]+ [A-Z][a-zé’'-]+), "
    r"(?:our|the|who is our|my) (?:[\w-]+ ?){1,4}",
)
NAME_ALONE = re.compile(
    r"\W*(?:[A-Z][a-zé’'-]+ ){1,2}[A-Z][a-zé’'-]+(?:,? (?:our|the|my|in|from|at) [\w &'’-]{2,40})?\W*"
)
_TITLED: Final = (
    r"(?:Professor|Prof\.?|Doctor|Dr\.?|Mr\.?|Mrs\.?|Ms\.?|Sir|Dame|Captain|Judge|Councillor|Sister|"
    r"Father|Reverend) (?:[A-Z][\w’'-]+ ?){1,3}"
)
TITLED = re.compile(
    rf"\W*(?P<who>{_TITLED}(?:, [A-Z][\w ]{{2,40}}|, (?:our|the) [\w ]{{2,40}})?)(?=\s*[,:.;]|$)"
)
"""Somebody by title and name, as they open an answer to "who": "Dr Rao, Head of Nursing: …"."""
TITLED_SAYS = re.compile(
    rf"(?P<who>{_TITLED}(?:, (?:our|the) [\w ]{{2,40}})?),? (?:has |have )?(?:made|said|says|argued|argues|"
    r"put|raised|wrote|thinks|told)\b"
)
BODY_DECIDES = re.compile(
    r"\b(?P<who>(?:(?:the|our|its|their|each of the|all|both|[A-Z][\w-]+) )?(?:[\w-]+ ){0,3}?(?:boards?|"
    r"committees?|councils?|senate|unions?|regulators?|ministry|bank|trustees|parliament|inspectorate|"
    r"agency|authority|commission|court|assembly|owners|shareholders|members|landlord|insurers?))"
    r" (?:also |still |both |each |all )?(?:(?:has|have|must|needs?) to (?:agree|approve|decide|consent|sign|"
    r"vote)|decides?|agrees?|approves?)\b",
    _I,
)
"""Who has to agree, where that is no single person."""
CONDITION = re.compile(
    r"\b(?:if|unless|once|when|should)\b[^.;]{12,}?(?:,| then)? (?:i|we|it|they|that|the \w+)(?:['’]d|['’]ll|"
    r" would| will| should| must| could)\b|"
    r"^\W*(?:if|unless|once|when)\b[^.;]{12,}?, (?:then )?(?:i|we|it|they|that|the \w+) \w+|"
    r"\b(?:i|we)(?:['’]d| would| will)\b[^.;]{3,60}\b(?:if|unless|once|when)\b[^.;]{12,}|"
    r"\bwould (?:make|force|lead|persuade|convince) (?:me|us)\b",
    _I,
)
"""A case, and what would be done in it."""
ONE_NAME = re.compile(r"[A-Z][a-zé]{2,}[.!]?")
NO_NAMES = re.compile(
    r"^(?:The|This|That|It|There|We|They|He|She|Who|Whoever|Whatever|Anyone|Anybody|What|Our|My|And|But|So|"
    r"Then|Each|Every|Everybody|"
    r"Everyone|Nobody|Somebody|Someone|Yes|No|Well|Management|Because|If|When|Now|Today|In|On|At|By|For|"
    r"All|Both|January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Thank|Thanks|Good|Great|Okay|Sure)\b",
)
GROUP = re.compile(
    r"\b(?:we all|all of us|everyone|everybody|the (?:whole |entire )?(?:[\w-]+ )?(?:team|group|"
    r"organi[sz]ation|company|community|department|committee|board|business)|our (?:whole |"
    r"entire )?(?:[\w-]+ )?(?:team|group|department|people|organi[sz]ation)|management|the leadership|"
    r"a (?:joint |shared |collective )(?:effort|responsibility)|shared responsibility|(?:several|many|"
    r"various) (?:people|teams|departments)|cross-functional)\b",
    _I,
)
"""Who cannot be called in and asked."""
NOBODY_YET = re.compile(
    r"\b(?:nobody|no one|no owner|not (?:been )?(?:decided|assigned|appointed|named)|yet to (?:appoint|"
    r"hire|name)|still (?:hiring|recruiting|looking))\b",
    _I,
)

# -- cause, comparison, base

CAUSE = re.compile(
    r"\bbecause\b|\bdue to\b|\bdriven by\b|\bas a result of\b|\bthe (?:main |real |only |biggest |first |"
    r"likeliest |other )?(?:reasons?|causes?|drivers?) (?:is|was|are|were|being|for|why|of)\b|"
    r"\bthanks to\b|\bcaused by\b|\b(?:comes?|came|coming|stems?|results?|resulted|resulting) (?:mainly |"
    r"mostly |largely )?(?:from|down to)\b|\b(?:that|this|which)(?:['’]s| is| was) why\b|\bowing to\b|"
    r"\bexplained by\b|\b(?<!the )(?:cuz|cause) (?:we|it|they|the)\b|\bsince we (?:changed|introduced|"
    r"launched|added|moved|switched|stopped|started|hired|opened|cut|raised|lowered)\b|\bled to\b|"
    r"\bresulted in\b|\breflects (?:an?|the|our|higher|lower)\b|\bon the back of\b|\bgiven (?:the|that|"
    r"our)\b|\bso that\b|\bwas (?:simply |only )?(?:carried over|copied|"
    r"counted twice|left out|rounded|mistyped|not updated|taken over)\b|\battribut(?:ed|able) to\b|"
    r"\bwhat (?:drove|drives|changed|happened) (?:it|that|"
    r"this|is|was)\b|\bit (?:fails|slips|depends|holds|works) (?:if|when|on|only if|unless)\b|\bif (?:the|"
    r"our|we|they|it|that|nobody|no)\b[^.;]{3,80}, (?:we|it|the|that|then|they)\b",
    _I,
)
EMPTY_CAUSE = re.compile(
    r"\b(?:because|due to|thanks to|driven by|owing to|comes? down to|as a result of)(?: of)? (?:our |the |"
    r"a |an |all (?:the|our) |that['’]?s |it['’]?s |it is |that is |we (?:are|have|['’]re) )?(?:very |"
    r"really |so |such |great |strong |good |hard |excellent |fantastic |amazing )*(?:team(?:work)?|people|"
    r"execution|hard work|work|strategy|focus|passion|commitment|culture|excellence|efforts?|"
    r"right thing(?: to do)?|(?:good|great|strong|best) at (?:what we do|it|this)|what (?:we|our customers|"
    r"the market|customers) (?:do|wants?|needs?)|momentum)\b",
    _I,
)
"""A reason that would stand under any claim."""
COMPARISON = re.compile(
    r"\b(?!rather |other |either |whether |under |over )(?:\w+er|more|less|worse|better) than (?!(?:about |"
    r"around |just |only |a |an |half )*(?:[\d$€£]|"
    r"one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|twelve\b|twenty\b|thirty\b|"
    r"forty\b|fifty\b|dozen|half\b|hundred|thousand|million|that$|ever\b|expected\b|happy|welcome))|"
    r"\bthe same (?:form|method|definition|questionnaire|people|weeks|months|testers?|sample)\b|"
    r"\bcompared (?:with|to)\b|\bversus\b|\bvs\b|\bcomparabl[ey]\b|\b(?:improved|declined|grew|fell|rose|"
    r"recovered|increased|decreased) (?:\w+ly )?from (?:the|last|a)\b|\bbefore\b[^.;]{0,40}\b(?:now|today|"
    r"after)\b|\b(?:for us|ours)\b[^.;]{0,40}\b(?:for )?the (?:next|second|other)\b|\brelative to\b|"
    r"\bin line with\b|\bthe same as\b|\bsimilar (?:\w+ )?(?:to|as|levels?)\b|\d[\d.,]*(?: ?%| percent|"
    r" per cent)?[^.;,\d]{0,30}\b(?:the (?:year|month|quarter) before|a year (?:ago|earlier|before)|"
    r"last year|previously)\b|\bagainst (?:last|the|a|an|our|our own|an average|industry|[\d€$£])|"
    r"\b(?:our |the )?(?:peers|competitors?|rivals?|industry average|control group|control site|"
    r"alternative|next best|runner-up)\b|\bas (?:many|much|high|low|fast|well|good) as\b|\b(?:last year|"
    r"the year before|before that|previously|a year ago|the old (?:system|model|process|one)) (?:it |we |"
    r"that |this |they )?(?:was|were|had|took|cost|stood)\b|\bbefore (?:the|that|this|we|"
    r"it)\b[^.;]{0,30}\b(?:was|were|had)\b|\b(?:it |that )?(?:was|were|had been|took|"
    r"had) [^.;]{0,30}\b(?:before(?! my)|last year|a year ago|previously|the year before)\b|\b(?:up|"
    r"down) (?:\S+ ){1,4}(?:from|on|against) (?:last|the|a|[\d$€£])|\bwhile the (?:other|others|rest|"
    r"control|market)\b|\binstead of\b",
    _I,
)
WEIGHED = re.compile(
    r"\b(?:twice|double|half as|three times|no (?:change|difference)|the same|unchanged|comparabl[ey]|in "
    r"line with|"
    r"similar|equal)\b|\bstayed where\b",
    _I,
)
"""How two sides compare, said without a number."""
NOTHING_SIGNED = re.compile(
    r"\b(?:none|neither|nothing|not one)(?: of (?:it|them|those|that|these))? (?:is|are|has|"
    r"have)(?: been)?(?: yet)? (?:signed|in writing|under contract|audited|written down)\b|"
    r"\bno (?:signed )?contracts?\b",
    _I,
)
"""A plain admission that no record exists yet."""
NOT_COMPARED = re.compile(
    r"\b(?:no|not an?|without an?|never had an?) (?:second|other|control|comparison|comparable|"
    r"separate) (?:group|site|period|offer|option|figures?)\b|\bno comparison\b|\b(?:nobody|no one|"
    r"nothing) else was (?:compared|measured|asked|tried)\b|\b(?:did not|didn['’]t|have not|haven['’]t|"
    r"never) compared?\b|\bnothing to compare\b",
    _I,
)
"""A plain admission that there was nothing to compare with."""
BASE_CUE = re.compile(
    r"\bfrom\b|\bout of\b|\bof (?:the|our|all|about|some|roughly|a total of)?\s?(?=[\d$€£]|\w)|"
    r"\bbaseline\b|\bstarting (?:from|at|point|figure)\b|\bcompared (?:with|to)\b|\b(?:up|down) from\b|"
    r"\bbase of\b|\bsample of\b|\bn\s?=|\bdenominator\b|\btotal of\b|\bversus\b|\b(?:before|previously|"
    r"last year|a year ago|the year before|it was|we were at|we had|started (?:at|with))\b",
    _I,
)

# -- yes and no

YES_OR_NO = re.compile(
    r"\W*(?:well|um+|uh+|so)?\W*(?:yes|yeah|yep|no|nope|not yet|correct|that['’]s right|absolutely|"
    r"indeed|exactly|"
    r"it (?:is|was|does|did|will|has)|(?:we|they|i) (?:do|did|have|are|will))\b",
    _I,
)
CHOOSES = re.compile(
    r"\b(?:right|correct|wrong|mistake|typo|slip|outdated|old|first|second|former|latter|earlier|later|"
    r"neither|"
    r"both|slide|chart|table|accounts|rounding)\b",
    _I,
)
"""Words with which somebody says which of two figures stands."""
