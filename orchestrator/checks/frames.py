"""Sentences that speak of a metric without its name: "eight percent of customers leave" is churn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from orchestrator.checks.numbers import BARE, COUNT, MONEY, PERCENT, TIME

_I: Final = re.I
_GAP: Final = r"(?:\W+(?!not\b|never\b)[\w’']+){0,3}?\W+"
"""A few words between a noun and its verb: "who signed with us"."""
_WHO: Final = (
    r"(?:customers?|clients?|subscribers?|accounts?|users?|members|companies|buyers|policyholders|"
    r"tenants|givers|"
    r"supporters|donors|readers|households|patients|students|pupils|families|viewers|listeners|players)"
)
_STAFF: Final = (
    r"(?:employees|people|staff|colleagues|workforce|workers|team(?: members)?|nurses|drivers|engineers)"
)
_GOODS: Final = (
    r"(?:deliver(?:y|ies)|orders?|shipments?|parcels?|packages?|trains?|buses|flights?|trips?|consignments?|"
    r"projects?|pallets?|drops?|everything|arrivals?)"
)
_UNITS: Final = (
    r"(?:units?|parts?|products?|devices?|batches|pieces?|components?|boards?|items?|output|production|goods)"
)
_OF: Final = r"^\s*(?:of\s+)?(?:all\s+)?(?:(?:our|the|its|their|these|those)\s+)?(?:\w+\s+)?"
_LEAVE: Final = (
    r"(?:leav(?:e|es|ing)|left|churn(?:s|ed|ing)?|cancel(?:s|led|ed|ling)?|quit(?:s|ting)?|walk(?:s|"
    r"ed)? (?:away|out)|"
    r"drop(?:s|ped)? (?:out|off)|stop(?:s|ped)? (?:using|buying|paying|ordering)|go(?:es)? elsewhere|"
    r"went elsewhere|"
    r"switch(?:es|ed)?(?: away)?|defect(?:ed)?|do not renew|don['’]t renew|did not renew|didn['’]t renew|"
    r"fail(?:ed)? to renew|say goodbye|terminate[ds]?|gave? up on us|gave notice|give notice|are lost|"
    r"were lost|"
    r"end(?:ed)? their (?:contract|subscription)s?|move(?:d)? (?:on|away))\b"
)
_STAY: Final = (
    r"(?:stay(?:s|ed)?|renew(?:s|ed|ing)?|remain(?:s|ed)?|are (?:still )?(?:with us|retained)|were retained|"
    r"stick(?:s)? with us|stuck with us|come back every year|extend(?:ed)?|kept their)\b"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before and after a number of these units where it measures the metric."""

    metric: str
    kinds: tuple[str, ...]
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None
    share: bool = False  # a share of something that is no metric of its own


def _frame(metric: str, kinds: str, before: str = "", after: str = "") -> Frame:
    names = {"p": PERCENT, "m": MONEY, "t": TIME, "c": COUNT, "b": BARE}
    return Frame(
        metric,
        tuple(names[kind] for kind in kinds),
        re.compile(
            before
            + r"\s*(?:(?:about|around|roughly|nearly|almost|over|some|only|just|approximately|more than|"
            r"less than|under|up to|at least|the|a|an|another)\s+|[~≈])*$",
            _I,
        )
        if before
        else None,
        re.compile(after, _I) if after else None,
    )


FRAMES: Final = (
    _frame("churn", "p", after=rf"{_OF}{_WHO}{_GAP}{_LEAVE}"),
    _frame("churn", "p", after=rf"{_OF}{_WHO}\s+{_LEAVE}"),
    _frame("churn", "p", r"\b(?:los(?:e|es|ing|t)|lost|say goodbye to)", rf"{_OF}{_WHO}\b"),
    _frame(
        "churn",
        "p",
        rf"\b(?:los(?:e|es|ing|t)|lost)\s+(?:{_WHO}\s+at (?:a rate of)?)?\s*",
        r"^\s*(?:of them|a year|per year|each year|every year)",
    ),
    _frame("churn", "p", rf"\b(?:losing|loss of)\s+{_WHO}[^.;]{{0,25}}?(?:at|of|is|:)"),
    _frame("customer retention", "p", after=rf"{_OF}{_WHO}(?:{_GAP}|\s+){_STAY}"),
    _frame(
        "customer retention",
        "p",
        r"\b(?:keep|kept|retain(?:s|ed)?|hold on to|held on to|renew(?:ed)?)",
        rf"{_OF}{_WHO}\b",
    ),
    _frame(
        "employee turnover",
        "p",
        after=(
            rf"{_OF}{_STAFF}(?:{_GAP}|\s+)(?:leave|left|quit|resign(?:ed)?|walk(?:ed)? out|"
            rf"hand(?:ed)? in their notice|moved on)\b"
        ),
    ),
    _frame("employee turnover", "p", r"\b(?:los(?:e|es|ing|t)|lost)", rf"{_OF}{_STAFF}\b"),
    _frame("employee retention", "p", after=rf"{_OF}{_STAFF}(?:{_GAP}|\s+)(?:stay(?:ed)?|remain(?:ed)?)\b"),
    _frame(
        "on-time delivery",
        "p",
        after=(
            rf"{_OF}(?:{_GOODS}\b)?[^.;,]{{0,40}}?\b(?:on time|on schedule|punctual(?:ly)?|in time|"
            rf"as promised|on the promised day)\b"
        ),
    ),
    _frame("on-time delivery", "p", rf"\b{_GOODS}\b[^.;,]{{0,30}}?\bon time\b[^.;,\d]{{0,20}}"),
    _frame(
        "late deliveries",
        "p",
        after=(
            rf"{_OF}{_GOODS}\b[^.;,]{{0,40}}?\b(?:late|delayed|behind schedule|overdue|miss(?:es|"
            rf"ed)? (?:the|their|its))\b"
        ),
    ),
    _frame(
        "late deliveries", "p", r"\b(?:late|delayed)\b[^.;,\d]{0,20}\b(?:is|are|at|:)", rf"{_OF}{_GOODS}\b"
    ),
    _frame(
        "defect rate",
        "p",
        after=(
            rf"{_OF}{_UNITS}(?:{_GAP}|\s+)(?:fail(?:s|ed)?|(?:are|is|were) (?:defective|faulty|"
            rf"scrapped|rejected|bad)|ha(?:ve|s|d) (?:a )?(?:defects?|faults?)|end(?:s|"
            rf"ed)? (?:up )?(?:as|in) (?:the )?scrap|(?:has|have) to be (?:reworked|scrapped))\b"
        ),
    ),
    _frame(
        "defect rate",
        "p",
        r"\b(?:scrap(?:s|ped)?|reject(?:s|ed)?|throw away|rework(?:ed)?)",
        rf"{_OF}{_UNITS}\b",
    ),
    _frame("yield", "p", after=rf"{_OF}{_UNITS}(?:{_GAP}|\s+)(?:pass(?:es|ed)?|are good|come out right)\b"),
    _frame(
        "return rate",
        "p",
        after=(
            rf"{_OF}(?:orders|goods|items|products|parcels|purchases|sales)(?:{_GAP}|\s+)(?:(?:are|"
            rf"were|is|get) (?:sent back|returned)|come back|came back)\b"
        ),
    ),
    _frame(
        "uptime",
        "p",
        r"\b(?:was|is|were|are|been|stay(?:s|ed)?) (?:up|available|online|reachable|running)",
        r"^\s*(?:of the time)?",
    ),
    _frame("uptime", "p", r"\bavailable"),
    _frame("downtime rate", "p", r"\b(?:was|is|were|are|been) (?:down|offline|unavailable|unreachable)"),
    _frame(
        "win rate",
        "p",
        r"\b(?:win|won|we close)",
        r"^\s*of\s+(?:all |our |the |its )*(?:\w+\s+)?(?:bids?|deals?|pitches|tenders?|proposals?|"
        r"opportunities|offers?|competitive)\b",
    ),
    _frame(
        "win rate",
        "p",
        after=(
            r"^\s*of\s+(?:all |our |the |its )*(?:\w+\s+)?(?:bids?|deals?|pitches|tenders?|"
            r"proposals?|opportunities|offers?)\s+(?:are |were |is |get )?(?:won|end in|turn into|"
            r"become|succeed)\b"
        ),
    ),
    _frame(
        "conversion",
        "p",
        after=(
            r"^\s*of\s+(?:all |our |the |its |those |free )*(?:trials?|visitors?|leads?|sign-?ups?|"
            r"trial users?|free users?|prospects?|pilots?|"
            r"demos?)(?:\W+[\w’']+){0,2}?\W+(?:convert(?:s|ed)?|become|became|turn(?:ed)?|"
            r"upgrade[ds]?|buy|bought|end up|sign(?:ed)?|go on|went on)\b"
        ),
    ),
    _frame("conversion", "p", r"\bconvert(?:s|ed)?", r"^\s*of\b"),
    _frame(
        "utilisation",
        "p",
        r"\b(?:run(?:s|ning)?|ran|operat(?:es?|ed|ing)|work(?:s|ed|ing)?|fill(?:ed)?|is|are|was|were|"
        r"used?|using|uses) (?:at |to )?",
        r"^\s*(?:of (?:\w+\s+){0,3}?capacity|full\b|occupied\b|utili[sz]ed\b|booked\b|capacity\b)",
    ),
    _frame(
        "dissatisfaction",
        "p",
        after=(
            r"^\s*(?:of\s+)?(?:(?:all|our|the|its)\s+)*(?:\w+\s+){0,2}?(?:are|is|were|was|"
            r"say they are|called? themselves) (?:not (?:\w+ )?(?:satisfied|happy|content)|unhappy|"
            r"dissatisfied|unsatisfied)\b"
        ),
    ),
    _frame(
        "no readmission",
        "p",
        after=(
            r"^\s*(?:of\s+)?(?:(?:all|our|the)\s+)*(?:\w+\s+)?patients (?:need no readmission|"
            r"(?:are|were) not readmitted|do not (?:come back|return)|stay out)\b"
        ),
    ),
    _frame(
        "readmission rate",
        "p",
        after=(
            r"^\s*(?:of\s+)?(?:(?:all|our|the)\s+)*(?:\w+\s+)?patients (?:return|come back|(?:are|"
            r"were) readmitted|have to (?:return|come back)|came back|returned)\b"
        ),
    ),
    _frame(
        "employee satisfaction",
        "p",
        after=rf"{_OF}{_STAFF}(?:{_GAP}|\s+)(?:satisfied|happy|content|pleased)\b",
    ),
    _frame(
        "lead time",
        "t",
        r"\bfrom (?:the )?order to (?:delivery|shipment|shipping|the door|dispatch)\b[^.;\d]{0,25}",
    ),
    _frame(
        "lead time",
        "t",
        after=r"^\s*from (?:the )?order to (?:delivery|shipment|shipping|the door|dispatch)\b",
    ),
    _frame(
        "opex",
        "m",
        after=(
            r"^\s*(?:on|to) (?:operations|running costs|run (?:the|our) (?:company|business|"
            r"operations|organi[sz]ation))\b"
        ),
    ),
    _frame(
        "arpu",
        "m",
        after=(
            r"^\s*(?:per|for (?:each|every)|from (?:each|every)) (?:user|subscriber|customer|"
            r"account|member)\b"
        ),
    ),
    _frame("absenteeism", "p", after=rf"{_OF}{_STAFF}(?:{_GAP}|\s+)(?:off sick|sick|absent)\b"),
    _frame(
        "csat",
        "p",
        after=r"^\s*(?:are|is|were) (?:very |fully |quite )?(?:satisfied|happy|pleased|content)\b",
    ),
    _frame("csat", "p", r"\bsatisfied \w+\W{1,3}"),
    _frame(
        "csat",
        "p",
        after=(
            r"^\s*(?:of\s+)?(?:all\s+)?(?:(?:our|the|its)\s+)?(?:\w+\s+){1,2}?(?:are|is|were|"
            r"say they are|say they were|called? themselves|rated themselves|declared? themselves|"
            r"report being|feel) (?:very |fully |quite )?(?:satisfied|happy|pleased|content)\b|"
            r"^\s*satisfied\b"
        ),
    ),
    _frame("csat", "p", after=rf"{_OF}{_WHO}(?:{_GAP}|\s+)(?:satisfied|happy|content|pleased)\b"),
    _frame(
        "default rate",
        "p",
        after=(
            r"^\s*of\s+(?:all |our |the )*(?:loans?|borrowers?|"
            r"credits?)(?:\W+[\w’']+){0,2}?\W+(?:default(?:ed)?|in arrears|non-performing|go bad|"
            r"went bad)\b"
        ),
    ),
    _frame(
        "market share",
        "p",
        r"\b(?:hold|holds|held|own|owns|have|has|control|controls|command|commands|serve|serves)",
        r"^\s*of\s+(?:the|our)\s+(?:\w+\s+){0,3}?market\b",
    ),
    _frame(
        "women share",
        "p",
        after=r"^\s*of\s+(?:all |our |the |its )*(?:\w+\s+){0,2}?(?:are|is) (?:women|female)\b",
    ),
    _frame("women share", "p", r"\bwomen (?:hold|make up|are|fill|account for)"),
    _frame(
        "headcount",
        "cb",
        r"\b(?:team of|staff of|workforce of|headcount (?:of|is|at|to|now|stands at|was)|there are|"
        r"we are|we['’]re|crew of)",
        r"^(?:\s*(?:$|[.,;)]|now\b|today\b|strong\b|of us\b|people\b|employees\b|staff\b|FTEs?\b|"
        r"colleagues\b|in total\b|across\b)|[- ]strong\b)?(?!\s*(?:%|percent|months|years|weeks|"
        r"days))(?=\s*(?:$|[.,;)]|now|today|strong|of us|people|employees|staff|FTE|colleagues|"
        r"in total|full|in all))",
    ),
    _frame(
        "headcount",
        "cb",
        after=(
            r"^(?:[- ](?:person|people|strong|man|member|employee)(?:\s+(?:team|company|workforce|"
            r"business|organi[sz]ation|staff|crew|firm))?\b|\s+of us\b|\s+on (?:the|our) payroll\b)"
        ),
    ),
    _frame(
        "headcount",
        "cb",
        r"\b(?:employ|employs|employing)",
        r"^\s*(?:$|[.,;]|people|men and women|staff|in\b|today|now)",
    ),
    _frame(
        "runway",
        "t",
        r"\b(?:cash|money|funds?|funding)\b[^.;,\d]{0,25}\b(?:lasts?|for|covers?|carries us|gets us|"
        r"enough for|runs out (?:in|after)|to last|is gone in|left for)(?: us)?(?: another)?",
    ),
    _frame("runway", "t", r"\brun out of (?:cash|money) (?:in|after|within)"),
    _frame(
        "runway",
        "t",
        after=(
            r"^(?:['’]s?)?\s*(?:worth )?(?:of|in)\s+(?:cash|runway|money|funding|liquidity)\b|"
            r"^\s+(?:cash )?runway\b"
        ),
    ),
    _frame(
        "payback",
        "t",
        r"\b(?:pays?|paid|paying|earns?) (?:(?:for )?(?:itself|themselves)|back|off)(?: the \w+|"
        r" its \w+)?(?: back)?(?: (?:in|within|after|over))?(?: the)?",
    ),
    _frame(
        "payback",
        "t",
        r"\b(?:recover|recoup|earn back|get (?:it |the money |our money )?back|"
        r"make back)s?(?:\W+[\w’']+){0,4}?\W+(?:in|within|after)",
    ),
    _frame("payback", "t", after=r"^\s+(?:payback|pay-back)\b"),
    _frame(
        "sales cycle",
        "t",
        r"\b(?:to )?(?:close|win|sign|land)s? (?:a|an|one|the average|a new) (?:deal|contract|"
        r"customer|sale|client|account)(?:\W+[\w’']+){0,3}?(?: (?:in|takes|takes us|within))?",
    ),
    _frame(
        "sales cycle",
        "t",
        r"\b(?:deals?|sales?|contracts?) (?:now |typically |usually |on average )*(?:takes?|took|"
        r"closes?|needs?)(?: us)?",
        r"^\s*(?:to close|to sign|from|on average|$|[.,;])",
    ),
    _frame("sales cycle", "t", after=r"^\s*(?:to close (?:a|the)|from first (?:call|contact|meeting) to)"),
    _frame(
        "onboarding time",
        "t",
        r"\b(?:onboard(?:s|ed)?|set up|implement(?:s|ed)?|go(?:es)? live|went live|up and running|"
        r"get(?:s|ting)? (?:a|each|new) \w+ (?:live|started|running))(?:\W+[\w’']+){0,4}?(?: (?:in|"
        r"within|after|takes|is|takes us))",
    ),
    _frame(
        "onboarding time",
        "t",
        after=r"^\s*to (?:onboard|set up|implement|go live|get (?:a|each|new|them|it|customers) )",
    ),
    _frame(
        "lead time",
        "t",
        r"\b(?:deliver(?:s|ed|y)?|ship(?:s|ped)?|arrive[sd]?) (?:\w+ ){0,4}?(?:in|within|after|takes?)",
    ),
    _frame(
        "response time",
        "t",
        r"\b(?:answer(?:s|ed)?|respond(?:s|ed)?|repl(?:y|ies|ied)|react(?:s|ed)?|pick(?:s|"
        r"ed)? up)(?:\W+[\w’']+){0,4}?\W+(?:in|within|after)",
    ),
    _frame(
        "waiting time",
        "t",
        r"\b(?:patients?|customers?|people|callers?|visitors?|applicants?|"
        r"tenants?) (?:\w+ ){0,3}?waits?(?:ed)?(?: for)?",
    ),
    _frame(
        "resolution time",
        "t",
        r"\b(?:fix|fixes|fixed|solve[sd]?|resolve[sd]?|repair(?:s|ed)?)(?:\W+[\w’']+){0,4}?\W+(?:in|"
        r"within|after)",
    ),
    _frame(
        "time to hire",
        "t",
        r"\bto (?:fill (?:a|an|the|one) (?:position|role|post|vacancy)|hire (?:a|an|one|somebody|"
        r"someone) ?\w*)(?:\W+[\w’']+){0,2}?(?: (?:takes|in|is))?(?: us)?",
    ),
    _frame(
        "contract length",
        "t",
        r"\b(?:contracts?|customers?|agreements?) (?:\w+ ){0,2}?(?:run|runs|ran|last|lasts|sign(?:s|"
        r"ed)?|commit|are signed)(?: up)?(?: for| over)",
    ),
    _frame(
        "cac",
        "m",
        r"\b(?:acquir(?:e|ing)|win(?:ning)?|get(?:ting)?|land(?:ing)?|bring(?:ing)? in|"
        r"sign(?:ing)? up) (?:a|an|one|each|every|a single|"
        r"another)\s+(?:new )?(?:paying )?(?:customer|client|subscriber|account|user|"
        r"member)(?:\W+[\w’']+){0,4}?\W+(?:costs?(?: us)?|is|at|for|takes|of|needs|runs(?: us)?|about|"
        r"spend|we pay)",
    ),
    _frame(
        "cac",
        "m",
        after=(
            r"^\s*(?:to|for) (?:acquire|win|get|land|bring in|sign up|sign) (?:a|an|one|each|every|"
            r"another)\s+(?:new )?(?:paying )?(?:customer|client|subscriber|account|user|member)\b"
        ),
    ),
    _frame("cac", "m", r"\b(?:costs?|pay|spend) us", r"^\s*(?:to (?:acquire|win|get|land)|per new customer)"),
    _frame(
        "cac",
        "m",
        after=(
            r"^\s*(?:per|for (?:each|every)|a) (?:new|acquired) (?:customer|client|subscriber|"
            r"account|user)\b"
        ),
    ),
    _frame(
        "burn",
        "m",
        r"\b(?:we['’]?(?: are|re)?|company|business) (?:now |currently |still )?(?:burn(?:s|ing|ed)?|"
        r"go(?:es|ing)? through|get(?:s|ting)? through)(?: through)?",
        r"^\s*(?!.*\b(?:fuel|gas|coal)\b)",
    ),
    _frame(
        "burn",
        "m",
        r"\b(?:spend|spends|spending|use|uses)",
        r"^\s*(?:\w+\s+){0,4}?more than (?:we|it) (?:earn|take in|make|bring in)",
    ),
    _frame(
        "arr",
        "m",
        after=(
            r"^\s*(?:of |in )?(?:annual(?:ly)?|yearly)[ -]recurring(?: revenue| income)?\b|^\s*(?:a|"
            r"per|every) year (?:in|of) (?:recurring revenue|subscriptions)\b"
        ),
    ),
    _frame(
        "revenue",
        "m",
        r"\b(?:we|company|business|group|firm|tills?|shops?|stores?) (?:have |has |had )?(?:sold|"
        r"turned over|made sales of|took in|took|take|booked sales of|billed|invoiced|"
        r"generated sales of|generated revenue of|sell)(?: (?:goods|products|services|tickets|"
        r"everything)(?: and \w+)?)?(?: for| worth)?",
        r"^(?!\s*(?:units|shares|worth of|of shares|in (?:profit|cash|debt|bonds|damages)|profit|loss))",
    ),
    _frame(
        "net loss",
        "m",
        r"\b(?:we|company|business|group|firm) (?:have |has |had )?(?:lost|made a loss of|lose)",
        r"^(?!\s*(?:of|in)\s+(?:revenue|sales|business|contracts|orders))",
    ),
    _frame(
        "net profit",
        "m",
        r"\b(?:we|company|business|group|firm) (?:have |has |had )?(?:earned|"
        r"made a (?:net )?profit of|cleared)",
    ),
    _frame(
        "cash",
        "m",
        r"\b(?:we|company|business|group|firm) (?:now |still |currently |have |has )*(?:have|has|hold|"
        r"holds|sit on|sits on|left|are sitting on)(?: left)?",
        r"^\s*(?:in (?:the |our |its )?(?:bank|cash|accounts?|kitty|reserve)|of cash|on hand|"
        r"at (?:the |our )?bank|cash|left in the bank)",
    ),
    _frame(
        "cash",
        "m",
        after=(
            r"^\s*(?:of (?:cash|liquidity)|in (?:the|our) bank|in cash|at (?:the|our) bank|on hand|"
            r"(?:sitting )?in (?:the|our) (?:bank )?account)\b"
        ),
    ),
    _frame(
        "debt", "m", r"\b(?:we|company|business|group) (?:still )?(?:owe|owes)(?: the bank| banks| lenders)?"
    ),
    _frame(
        "ask",
        "m",
        r"\b(?:(?:we|i)(?:['’](?:re|m)| are| am)? (?:now |therefore |today |are |only |"
        r"here to )*(?:ask(?:ing)?|request(?:ing)?|seek(?:ing)?|raising|looking)(?: (?:the board|you|"
        r"this board|the committee|investors))?(?: today)?(?: to)?(?: (?:for|approve|release|raise|"
        r"approval (?:for|of)|grant|sign off(?: on)?))?(?: (?:a|an)? ?(?:total|investment|budget|"
        r"funding|round|seed round|series \w) ?(?:of)?)?)",
        r"^(?!\s*(?:people|customers|months))",
    ),
    _frame(
        "ask",
        "m",
        r"(?:^|\b)(?:the ask|our ask|ask|decision today|request|we request|please approve|approve|"
        r"approval (?:of|for)|requested|seeking|we need you to approve)\s*(?:is|of|today|for|:|–|"
        r"-)?(?: (?:a|an)? ?(?:investment|budget|funding|round|seed round) ?(?:of)?)?",
    ),
    _frame(
        "ask",
        "m",
        after=(
            r"^\s*(?:that )?(?:we (?:are )?(?:ask(?:ing)?(?: you)? for|request(?:ing)?|seek(?:ing)?|"
            r"rais(?:e|ing)|need from you)|i (?:am )?ask(?:ing)?(?: you)? for|(?:funding|seed|"
            r"bridge) round|is what we (?:ask|need|request))\b"
        ),
    ),
    _frame(
        "customers",
        "cb",
        r"\b(?:we|company|business|group|firm)(?:['’]re| are)? (?:now |today |currently |already |"
        r"have |proudly )*(?:serv(?:e|es|ed|ing)|supply|supplies|suppl(?:ied)|look(?:s)? after|"
        r"work with|sell to|deliver to)",
        r"^\s*(?:customers|clients|companies|businesses|organi[sz]ations|firms|accounts)\b",
    ),
    _frame(
        "paying customers",
        "c",
        after=(
            r"^(?:\s*(?:companies|businesses|customers|clients|organi[sz]ations|firms|accounts|"
            r"users|households|schools|clinics|hospitals|banks))?\s+(?:(?:now|already|today|"
            r"currently)\s+)?(?:pay(?:ing)?(?: us| for| a)?\b)"
        ),
    ),
    _frame(
        "customers",
        "c",
        after=(
            r"^\s*(?:companies|businesses|organi[sz]ations|firms|clients)\s+(?:(?:now|already|today|"
            r"currently)\s+)?(?:trust us|rely on us|buy from us|use us|work with us|"
            r"are our customers|are customers|depend on us|count on us)\b"
        ),
    ),
    _frame(
        "pilots",
        "c",
        after=(
            r"^\s*(?:customers|companies|hospitals|clinics|schools|sites|firms|clients|"
            r"organi[sz]ations|businesses)\s+(?:are\s+|is\s+)?(?:in (?:a )?pilots?\b|piloting\b|"
            r"on trial\b|testing\b|trialling\b|in (?:the )?pilot phase)"
        ),
    ),
    _frame("order book", "m", after=r"^\s*(?:worth )?(?:of|in) (?:unfilled|open|firm) orders\b"),
    _frame(
        "arpu",
        "m",
        r"\b(?:a|an|each|every|the average|one) (?:paying )?(?:subscriber|customer|user|client|member|"
        r"account) (?:\w+ )?(?:brings?|pays?|spends?|is worth|generates?)(?: in| us)?",
    ),
    _frame(
        "arpu",
        "m",
        after=(
            r"^\s*(?:per|for (?:each|every)|from (?:each|every)) (?:user|subscriber|customer|"
            r"account|member)\b"
        ),
    ),
    _frame(
        "basket",
        "m",
        after=(
            r"^\s*(?:goes (?:through|into) the tills? )?(?:per|on (?:an|each|every|"
            r"the) (?:average )?|at (?:each|every) |each |every )\s*(?:visit|order|purchase|basket|"
            r"checkout|shopping trip|transaction)\b"
        ),
    ),
    _frame("price", "m", r"\b(?:charge|charges|charging)(?: (?:\w+ ){0,2})?"),
    _frame("women share", "p", r"\bshare of women\b[^.;\d]{0,20}"),
)


def frame_metric(kind: str, before: str, after: str) -> tuple[str, int] | None:
    """The metric that the words around a number of this class speak of, and how far they reach behind it."""
    for frame in FRAMES:
        if kind not in frame.kinds:
            continue
        if frame.before is not None and not frame.before.search(before):
            continue
        reach = 0
        if frame.after is not None:
            match = frame.after.match(after)
            if match is None:
                continue
            reach = match.end()
        return frame.metric, reach
    return None
