"""What a question asks for, told from its own words.

The panel's questions say it in their patterns; this is for questions of other people.
"""

from __future__ import annotations

import re
from typing import Final

from orchestrator.pattern import MOST_NEEDS

_I: Final = re.IGNORECASE
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")
_SENTENCE = re.compile(r"(?:[^.?!]|[.](?=\d))*[.?!]?")
_STUTTER = re.compile(r"\b(\w+)(?:,? \1\b)+", re.IGNORECASE)
_REQUESTS = re.compile(
    r"\b(?:wonder(?:ing)?|curious|(?:can|could|would|will) you|if you (?:can|could)|help (?:us|me)|"
    r"question (?:is|was)|tell (?:us|me)|(?:want|like|love|wanna) to (?:ask|know|understand|hear|get)|"
    r"walk (?:us|me) through)\b",
    _I,
)
_WH_WORD = re.compile(r"\b(?:what|how|why|when|which|who|whose|where)\b", _I)
_FIGURE: Final = (
    r"figures?|numbers?|amounts?|costs?|prices?|rates?|ratio|margins?|share|percentage|proportion|payback|"
    r"size|value|total|count|budget|spend(?:ing)?|headcount|volume|level|duration|range|worth|target|"
    r"returns?|multiplier|run[- ]rate|runway|breakeven|break-even|capex|opex|yield|fee|increase|decrease|"
    r"impact|economics|depth|exposure|most (?:that )?(?:we|you) can lose|coverage"
)
_CUES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    (
        "base",
        re.compile(
            r"\b(?:out )?of how (?:many|much)\b|\bof what total\b|\bdenominator\b|"
            r"\bpercent(?:age)? of what\b|\bfrom (?:what|which) (?:base|starting|level)|\bbaseline\b|"
            r"\bstarting (?:figure|point|number|level)\b|\bfigure at the start\b|\bmeasured against what\b|"
            r"\bsample size\b|\bwho was left out\b|\bout of what\b|\bbefore and after\b",
            _I,
        ),
    ),
    (
        "number",
        re.compile(
            r"\bhow (?:many|much|long|large|big|high|low|fast|far|deep|wide)\b|\b(?:what|which)(?:['’]s|"
            r"['’]re)? (?:(?:is|are|was|were|would|will|do|does|did|has been|kind of|sort of|you think|"
            r"you expect|it|that|the|a|an|your|our|their|its|likely|be|incremental|current|"
            rf"full|total|actual|average|normali[sz]ed|more|sustainable|annual|monthly|net|gross|overall|"
            rf"remaining|other|right|sustainable|typical|expected) ){{0,7}}(?:{_FIGURE})\b|"
            r"\bquantify\b|\bin money\b|\bin paid days\b|\bat which point\b|\bwhat does (?:it|"
            r"that) cost\b|\bput (?:a number|that in money|numbers)\b|\bin numbers\b|\bwhat percent\b|"
            rf"\b(?:give|share|provide|know|get) (?:us |me )?(?:the|a|an|any|some) (?:{_FIGURE})\b|"
            r"\b(?:where|what) that number\b|\bwhat did .{1,40} come to\b|\bbreak (?:it|that|this) down\b|"
            r"\b(?:is|be) the duration\b|\bpayback period\b|\bunit economics\b",
            _I,
        ),
    ),
    (
        "period",
        re.compile(
            r"\b(?:over|in|during|for|across|between) (?:which|what) (?:\w+ )?(?:period|months?|weeks?|"
            r"years?|quarters?|time|stretch|dates)\b|\b(?:which|what) (?:exactly )?(?:period|months|weeks|"
            r"years|quarters)\b|\bexactly which months\b|\bwhich months\b|\bover what (?:time|horizon)\b",
            _I,
        ),
    ),
    (
        "source",
        re.compile(
            r"\b(?:which|what|whose|where) (?:\w+ ){0,3}?(?:record|ledger|system|survey|audit|contract|"
            r"file|document|evidence|source|budget line|study|register)\b|\bwhere (?:do(?:es)?|did|"
            r"would) .{1,40}(?:come from|find)\b|\bwhat (?:is|was) (?:that|this|it) based on\b|"
            r"\bbased on what\b|\bwho (?:measured|counted|audited|checked|verified|did the counting|"
            r"drew)\b|\bwhat evidence\b|\bhow do you know\b|\bby whose count\b|\bin which line\b|"
            r"\bsource (?:of|for) (?:that|this|the)\b|\bin writing\b|\b(?:where (?:is|are) (?:it|"
            r"that|they)|are the "
            r"conditions) written\b|\bwho has told you\b|\bwhat (?:rules it out|do they rest on)\b|"
            r"\bwhich report\b",
            _I,
        ),
    ),
    (
        "owner",
        re.compile(
            r"\bwho(?:['’]s)? (?:(?:personally|else|exactly|will|would|is|is going to) )*(?:owns?|answers?|"
            r"answer for|responsible|accountable|in charge|leads?|leading|runs?|running|signs?|keeps?|pays|"
            r"takes|doing|decided|stands|overs\w+|managing|be (?:responsible|leading|running))\b|"
            r"\bwhose (?:name|time|job|task|responsibility|budget)\b|\bwhich (?:one )?person\b|"
            r"\bwho in your\b|\bwho is (?:it|that|watching|liable)\b|\bwho (?:besides|does|would|"
            r"could|has|looks|set|had) "
            r"(?:\w+ )*|\bwith whom\b|\bby whom\b|\bwho takes over\b",
            _I,
        ),
    ),
    (
        "date",
        re.compile(
            r"(?:^\W*|[.?!,;]\s*|\b(?:and|but|or|so|by|until|since|as of|know|ask|asking|exactly|just|"
            r"wondering) )when(?:['’]s|['’]ll)? (?:is|are|was|were|will|would|do|does|did|can|could|should|"
            r"might)\b|\b(?:by|on|as of|from|until) (?:which|what) (?:date|day|month|year)\b|\b(?:which|"
            r"what) (?:is the |exact )?(?:date|day)\b|\bhow soon\b|\bwhat(?:['’]s| is| are|'s) (?:the|"
            r"your) (?:timing|timeline|timeframe|time frame|schedule|deadline)\b|\bby when\b|\bwhen was\b|"
            r"\bwhen you (?:think|expect)\b",
            _I,
        ),
    ),
    (
        "cause",
        re.compile(
            r"\bwhy\b(?! not\b)|\bwhat(?:['’]s|['’]re| is| are| was| were)? (?:really |actually |"
            r"mainly )?(?:driv(?:ing|en|es)|drove|behind|caus(?:ed|ing|es)|explain(?:s|ed|ing)?|led to|"
            r"made)\b|\b(?:what|which) (?:is |are |was |were |would be )?(?:the )?(?:main |likeliest |"
            r"best )?(?:reasons?|drivers?|causes?)\b|\bhow come\b|\bwhat (?:has to|needs to|must|"
            r"would have to) (?:go right|be true|happen)\b|\breasons? (?:for|behind|why)\b|"
            r"\bwhat makes you (?:sure|confident)\b|\bwhat shows that\b|\bdrivers? (?:of|for|behind)\b|"
            r"\bwhat else changed\b|\bwhat (?:could|would) (?:force|make|have to)\b|"
            r"\bwhich (?:other )?(?:explanation|assumption)"
            r"\b|\bwhat is lost\b",
            _I,
        ),
    ),
    (
        "comparison",
        re.compile(
            r"\bcompar(?:ed|ing|es?|ison)\b|\bversus\b|\bvs\b|\brelative to\b|\bset against\b|\bnext to\b|"
            r"\b(?:difference|gap) between\b|\bagainst (?:which|whom|what|the strongest|the next)\b|"
            r"\bwhat (?:would|did) the other\b|\bwhat (?:would|do) you do\b|\bwhat happens (?:if|"
            r"instead)\b|\bwhat is different\b|"
            r"\bcheaper version\b|\bnext best\b|\bdo people use (?:today )?instead\b|\bwho comes second\b|"
            r"\b(?!rather|other)(?:\w+er|more|less|worse) than (?:last|the|your|a|an)\b",
            _I,
        ),
    ),
)
_ORDER: Final = tuple(need for need, _ in _CUES)


def asking_sentences(question: str) -> list[str]:
    """The sentences of *question* that ask, without what they quote."""
    spoken = _STUTTER.sub(r"\1", _QUOTED.sub(" ", question))
    found = [match[0].strip() for match in _SENTENCE.finditer(spoken)]
    asking = [sentence for sentence in found if sentence.endswith("?") or _REQUESTS.search(sentence)]
    return asking or [sentence for sentence in found if sentence and _WH_WORD.search(sentence)]


def needs_of(question: str) -> tuple[str, ...]:
    """What an English *question* asks for, of `claims.model.NEEDS`, in the order asked; at most three.

    Only sentences that ask are read, and nothing in double quotes. Empty where the question
    is open: "how do you see the market", "can you give more colour".
    """
    found: dict[str, int] = {}
    for place, sentence in enumerate(asking_sentences(question)):
        for need, cue in _CUES:
            # "Of how many" asks for the whole and not for one number more.
            rest = _CUES[0][1].sub(lambda cut: " " * len(cut[0]), sentence) if need == "number" else sentence
            if need not in found and (hit := cue.search(rest)):
                found[need] = place * 10_000 + hit.start()
    first = sorted(found, key=lambda need: (found[need], _ORDER.index(need)))
    return tuple(first[:MOST_NEEDS])


_NEXT_PART = re.compile(
    r"[,;]?\s+(?:and|but)\s+(?:then\s+|also\s+)?(?=(?:(?:on|by|over|in|at|from|to|of|for|until|"
    r"since|with|against|under)"
    r"\s+)?(?:what|who|whom|whose|how|when|which|why|where)\b)"
    r"|\?\s+(?=\w)|[,;]\s+(?=(?:how (?:many|much|long|large|often|soon|far)|who|whose)\b)|"
    r"[,;]?\s+(?:and|or)\s+(?:then\s+|also\s+)?(?=(?:is|are|was|were|do|does|did|has|have|had|can|"
    r"could|would|will|should)"
    r" (?:it|that|this|there|you|we|they|the|any|your|our|those|these|anybody|somebody|nobody)\b)",
    _I,
)


_CONDITION = re.compile(r"(?:if|suppose|supposing|once|when the)\b", _I)
"""What a question supposes before it asks."""
_ASKS = re.compile(
    r"\b(?:what|how|why|when|which|who|whom|whose|where)\b|^(?:(?:and|but|so) )?(?:is|are|was|were|"
    r"do|does|did|has|have|"
    r"had|can|could|would|"
    r"will|should)\b",
    _I,
)


def parts_of(question: str) -> list[str]:
    """The things that *question* asks, one by one: "what is the figure", "and who answers for it"."""
    found: list[str] = []
    for sentence in asking_sentences(question):
        found += [part.strip() for part in _NEXT_PART.split(sentence) if part.strip(" ,;?.")]
    return [part for part in found if _ASKS.search(part) and not _CONDITION.match(part)] or found
