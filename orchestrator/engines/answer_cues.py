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
_SYSTEM = (
    r"crm|erp|ledger|general ledger|accounts|books|billing(?: system)?|bank statements?|contracts?|"
    r"invoices?|systems?|databases?|data warehouse|dashboards?|reports?|spreadsheets?|surveys?|stud(?:y|"
    r"ies)|filings?|minutes|logs?|records?|register|tracker|issue tracker|telemetry|analytics|balance sheet|"
    r"p&l|accounting(?: system)?|payroll|registry|repository|insights|ticketing system|github|gitlab|jira|"
    r"salesforce|hubspot|sap|netsuite|quickbooks|stripe|google analytics"
)
SOURCE = re.compile(
    r"\baccording to\b|\baudited\b|\bauditors?\b|\bas (?:reported|published|filed|stated|recorded) (?:in|"
    r"by)\b|\b(?:from|in|per|out of|off|by|via|using) (?:our |the |their |its |a |an |"
    rf"my )?(?:[\w-]+ ){{0,4}}?(?:{_SYSTEM})\b|"
    r"\bsurvey of\b|\bsigned (?:contracts?|orders?|agreements?|letters?|statements? of work)\b|"
    r"\bmeasured (?:by|in|with|from|on|against)\b|\bpublished (?:in|by)\b|\b(?:the|our|its) (?:source|"
    r"record|figures?|numbers?) (?:is|are|comes?|came)\b|"
    rf"\b(?:the|an?|our|their|last year['’]s|this year['’]s) (?:[\w-]+ ){{0,4}}(?:annual report|report|"
    rf"study|"
    r"survey|audit|paper|benchmark|census|dataset|filing|contract|invoice|ledger|statement|export|"
    r"extract)\b|\bconfirmed by\b|\bcounted by\b|\bextract (?:of|from)\b",
    _I,
)
OWNER = re.compile(
    r"\bi (?:personally )?(?:own|lead|run|answer for|am responsible|am accountable|sign|will own)\b|"
    r"\bi['’]m (?:responsible|accountable|the owner)\b|\bmy (?:responsibility|job|number|budget|name)\b|"
    r"\b(?:that['’]s|it['’]s|that is|it is) (?:me|mine)\b|\bmyself\b|\b(?:our|the|their) (?:c[efotims]o|"
    r"ciso|chief [\w ]{3,25} officer|chair(?:man|woman|person)?|treasurer|controller|head of [\w ]{2,25}|"
    r"vp(?: of)? [\w ]{2,25}|vice president[\w ]{0,25}|director(?: of [\w ]{2,25})?|finance director|"
    r"managing director|(?!owner\b)(?:[\w-]+ ){0,2}(?:lead|leader|manager|maintainer|owner|sponsor|"
    r"officer))\b|"
    r"\b(?:owned|led|signed|run|kept) by [A-Z]\w+",
    _I,
)
NAMED_OWNER = re.compile(
    r"\b[A-Z][a-zé]+(?: [A-Z][a-zé’'-]+){0,2},? (?:(?:who|our [\w ]{2,25},?) )?(?:owns|leads|runs|keeps|"
    r"signs|answers|heads|manages|is (?:responsible|accountable|in charge|the owner))\b"
)
NAME_ALONE = re.compile(r"\W*(?:[A-Z][a-zé’'-]+ ){1,2}[A-Z][a-zé’'-]+\W*")
NO_NAMES = re.compile(
    r"^(?:The|This|That|It|There|We|They|He|She|Who|What|Our|My|And|But|So|Then|Each|Every)\b",
)
CAUSE = re.compile(
    r"\bbecause\b|\bdue to\b|\bdriven by\b|\bas a result of\b|\bthe (?:main |real |only )?reasons? (?:is|"
    r"was|are|were|being)\b|\bthanks to\b|\bcaused by\b|\b(?:comes?|came) (?:from|down to)\b|"
    r"\bthat['’]s why\b|\bwhich is why\b|\bowing to\b|\bexplained by\b|\bthe cause (?:is|was)\b|"
    r"\bsince we (?:changed|introduced|launched|added|moved|switched|stopped|started)\b|\bled to\b|"
    r"\bresulted (?:in|from)\b",
    _I,
)
COMPARISON = re.compile(
    r"\bthan\b(?! (?:happy|welcome)\b)|\bcompared (?:with|to)\b|\bversus\b|\bvs\b|\brelative to\b|"
    r"\bagainst (?:last|the|a|an|our|our own|an average|industry)\b|\b(?:our |the )?(?:peers|competitors?|"
    r"rivals?|industry average|control group|alternative|next best)\b|\bas (?:many|much|high|low|fast) as\b|"
    r"\b(?:last year|the year before|before that|previously|a year ago|the old (?:system|model|process|"
    r"one)) (?:it |we |that |this |they )?(?:was|were|had|took|cost|stood)\b|\bbefore (?:the|that|this|we|"
    r"it)\b[^.;]{0,30}\b(?:was|were|had)\b|\b(?:it |that )?(?:was|were|"
    r"had been) [^.;]{0,30}\b(?:before(?! my)|"
    r"last year|a year ago|previously)\b",
    _I,
)
BASE_CUE = re.compile(
    r"\bfrom\b|\bout of\b|\bof (?:the|our|all|about|some|roughly|a total of)?\s?(?=[\d$€£]|\w)|\bbaseline\b|"
    r"\bstarting (?:from|at|point|figure)\b|\bcompared (?:with|to)\b|\b(?:up|down) from\b|\bbase of\b|"
    r"\bsample of\b|\bn\s?=|\bdenominator\b|\btotal of\b|\bversus\b|\b(?:before|previously|last year|"
    r"a year ago|the year before|it was|we were at|we had|started (?:at|with))\b",
    _I,
)
REFUSAL = re.compile(
    r"\b(?:i|we) (?:don['’]t|do not|didn['’]t|cannot|can['’]t|could not|couldn['’]t|haven['’]t|have not|"
    r"wouldn['’]t) (?:really |actually |yet |exactly |currently )?(?:know|say|tell|recall|remember|share|"
    r"disclose|comment|measured?|have (?:that|those|them|it|an answer|(?:the|a|an|any|exact) (?:exact |"
    r"precise )?(?:numbers?|figures?|data|answers?|breakdown|source|date|details?))|calculated?|"
    r"worked? (?:it|that) out|looked? (?:at|into)|break|track|speak to)\b|\b(?:i['’]m|i am|we['’]re|"
    r"we are) not (?:sure|certain|able|prepared|aware|in a position)\b|\bno idea\b|\bhard to say\b|"
    r"\bdifficult to say\b|\b(?:i|we)(?:['’]ll| will| would| can|['’]d) (?:have to |need to )?(?:get back|"
    r"come back|follow up|check|look (?:into|it up)|find out|take (?:that|it) (?:offline|away))\b|"
    r"\b(?:no comment|next question|i['’]d rather not|not at this (?:time|point|stage)|too early to (?:say|"
    r"tell)|off the top of my head|it depends)\b",
    _I,
)
"""Words that put an answer off, or say that there is none."""

NOT_COMPARED = re.compile(
    r"\b(?:no|not an?|without an?|never had an?) (?:second|other|control|comparison|comparable|separate) "
    r"(?:group|site|period|offer|option|figures?)\b|\bno comparison\b|\b(?:nobody|no one|nothing) else was "
    r"(?:compared|measured|asked|tried)\b|\b(?:did not|didn['’]t|have not|haven['’]t|never) compared?\b|"
    r"\bnothing to compare\b",
    _I,
)
"""A plain admission that there was nothing to compare with."""

NONE_AT_ALL = re.compile(r"\b(?:none|zero|nil|nobody|no one|not a single)\b", _I)
UNCOUNTED_ONE = re.compile(
    r"\bone\b(?! (?:hundred|thousand|million|customer|person|contract|client|case|site|percent|year|month|"
    r"week|day))",
    _I,
)
