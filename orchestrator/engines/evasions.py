"""How an answer gets round its question: puts it off, declines, turns it aside, or only says thank you."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from orchestrator.engines.reading import Answer, sentence_at

_I: Final = re.IGNORECASE
_WE: Final = r"(?:i|we)"
_HARD: Final = r"(?:hard|difficult|impossible|tough|tricky|too early) (?:for (?:me|us) )?"

_UNKNOWN = re.compile(
    rf"\b{_WE} (?:(?:really|just|simply|actually|honestly|frankly) )?(?:don['’]t|do not|didn['’]t|cannot|"
    r"can['’]t|could not|couldn['’]t|haven['’]t|have not|wouldn['’]t|would not) (?:really |actually |yet |"
    r"exactly |currently |even |quite |honestly )*(?:know|say(?! that (?:they|it|we|this|so)\b)|"
    r"tell (?:you|that|yet)|got (?:that|those|them|"
    r"it|the)|recall|remember|measured?|have (?:that|those|them|it|an answer|(?:the|a|an|any|"
    r"exact) (?:exact |precise |specific )?(?:numbers?|figures?|data|answers?|breakdown|source|date|"
    r"details?))|calculated?|worked? (?:it|that) out|looked? (?:at|into)|track|split|break|slice|"
    r"collect|record|speak to|"
    r"(?:be able to )?(?:give|provide|quantify|answer)|answer)\b|"
    rf"\b{_HARD}to (?:answer|quantify|estimate|put|give|pin)\b|"
    r"\b(?:i['’]m|i am|we['’]re|we are) not (?:(?:quite|really|entirely|completely|yet) )?(?:sure|certain|"
    r"able to|prepared|aware|in a position|in that stage|at that stage|there yet)\b|\bno idea\b|"
    r"\bunable to (?:\w+ )?(?:say|estimate|answer|comment|tell|quantify)\b|\bnot (?:yet )?(?:known|decided|"
    r"determined|clear yet)\b|\bbefore my time\b",
    _I,
)
_LATER = re.compile(
    rf"\b{_WE}(?:(?:['’]ll| will| can)(?: gladly| happily| certainly| be happy to| also)?(?: (?:have|"
    rf"need) to)?|"
    r"(?:['’]d| would)(?: (?:have|need|like) to)| (?:still )?(?:have|need) to|['’]m going to|"
    r"['’]re going to) (?:get back to|come back (?:to you|with|on)|get back with|follow up|check|"
    r"look (?:into|(?:it|that|this) up)|find out|circle back|take (?:that|it|this) (?:offline|away))\b|"
    r"\b(?:take|taking|discuss|do) (?:it|that|this) (?:offline|after (?:the|this))\b|\blet['’]s take (?:it|"
    r"that|this) (?:offline|outside|later)\b|\blet me (?:get back|come back|follow up|check|look into|"
    r"find out)\b|\byou(?:['’]ll| will) have more (?:colou?r|detail|information)\b|\b(?:next question|"
    r"not at this (?:time|point|stage)|too (?:early|soon) to (?:say|tell|know|comment)|"
    r"off the top of my head|in due course|when the time (?:comes|is right)|at the right time|"
    r"later in the (?:deck|presentation)|cover that later|get to that)\b|\b(?:we|i)(?:['’]ll|"
    r" will) (?:keep you (?:informed|posted|updated)|provide (?:further |more )?updates?|update you)\b",
    _I,
)
_OPEN = re.compile(
    rf"\b{_HARD}to (?:say|tell|know|predict|judge)\b|\bit (?:really |all |just )?depends\b|\b(?:remains?|"
    rf"yet|"
    r"(?:going |have |has )to be|be) (?:to be )?seen\b|\bhow (?:this|that|it) is going to (?:pan|"
    r"play) out\b|\bwe(?:['’]ll| will) see\b|\btime will tell\b|\bwho knows\b|\bno (?:simple|easy|clear|"
    r"single|straightforward) answer\b|\bone way or another\b",
    _I,
)
_DECLINES = re.compile(
    r"\bcommercially sensitive\b|\bconfidential(?:ity)?\b|\bunder (?:an )?nda\b|\bnon-disclosure\b|"
    r"\bno comment\b|\b(?:i['’]d|i would|we['’]d|we would) (?:rather|prefer) not\b|"
    rf"\b{_WE} (?:can['’]t|cannot|don['’]t|do not|won['’]t|will not|didn['’]t|are not going to|"
    rf"aren['’]t going "
    r"to|['’]re not going to|would not|wouldn['’]t|(?:usually |typically |generally )(?:don['’]t|"
    r"do not)) (?:really |actually |usually |typically |currently |publicly )?(?:share|disclose|comment|"
    r"discuss|reveal|break (?:it |that |this |those )?(?:out|down)|guide|give guidance|provide (?:the |a |"
    r"any )?(?:breakdowns?|guidance|details?|numbers?|figures?)|get into|go into|speculate|report (?:that|"
    r"it|those))\b|\bwe(?:['’]ll| will) (?:really |only )?(?:just|only) (?:really )?comment on\b|"
    r"\bnot (?:something )?(?:that )?we (?:share|disclose|discuss|report|break out)\b|\bproprietary\b|"
    r"\bcompetitive reasons\b|\blegal (?:reasons|advice)\b",
    _I,
)
_TURNS = re.compile(
    r"\bwhat you (?:have|need) to (?:understand|remember|realise|realize|look at)\b|\b(?:turn|"
    r"flip) (?:that|this|it) around\b|\b(?:let me|i(?:['’]d| would) (?:like|love|rather|prefer)(?: to)?|"
    r"i want to|can i) (?:instead |just |first |rather )*(?:talk|tell|speak|focus|show|turn|move|"
    r"go) (?:you |us |on |to |about )*(?:\w+ )?(?:instead|about (?:something|our|the|what)|on to)\b|"
    r"\bthe (?:real|better|right|bigger|more (?:important|interesting)) (?:question|point|issue|"
    r"story) (?:is|here)\b|\bwhat (?:really |actually )?(?:matters|counts|is important|['’]s important|"
    r"i can (?:say|tell you)|we can say) (?:\w+ ){0,2}(?:is|here)\b|\bthat['’]?s (?:not|"
    r"beside) (?:really )?the (?:point|question|right question|issue)\b|\bwhy does (?:that|it) matter\b|"
    r"\b(?:i|we) (?:don['’]t|do not|wouldn['’]t) (?:think|see) (?:that |it )?(?:that|it|this)?(?:['’]s|"
    r" is)? ?(?:the right|a fair|a helpful|relevant|a problem)\b|\bthe (?:important|key|"
    r"main) thing (?:here )?is\b|\bi think (?:for us )?(?:it['’]s|is) really what\b|\bthe big picture\b|"
    r"\bat the end of the day\b|\bit(?:['’]s| is) (?:all )?(?:on|in) the (?:slide|deck|appendix|pack)\b",
    _I,
)
_THANKS = re.compile(
    r"\b(?:(?:that['’]s|that is|it['’]s|what)?\s*(?:a |an )?(?:really |very )?(?:good|great|excellent|fair|"
    r"fantastic|interesting|important|valid|super) (?:question|point|one)|thank(?:s| you)(?: (?:so|"
    r"very) much)?(?: for (?:the|that|your) (?:great |good |excellent )?question)?|(?:i|"
    r"we) (?:really )?(?:appreciate|love|like) (?:the|that|your) question|(?:i['’]m|we['’]re) (?:glad|"
    r"happy) (?:that )?you asked(?: that| about it)?|(?:for )?(?:asking|bringing|raising) ?(?:that|this|"
    r"it)?(?: up)?|for (?:that|this)|(?:good|hi|hello|sure|yes|yeah|well|okay|ok|absolutely|of course|"
    r"right|indeed)\b)",
    _I,
)
_WORD = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Evasion:
    """A way round the question, and the presenter's words that take it."""

    how: str  # "unknown", "later", "open", "declines", "turns", "thanks", "asks", "restates" or "again"
    words: str

    @property
    def reason(self) -> str:
        """What it is, in words, with the presenter's own."""
        return f'{_REASONS[self.how]} ("{self.words}")'


_REASONS: Final = {
    "unknown": "puts the question off",
    "later": "puts the question off",
    "open": "leaves the question open",
    "declines": "declines to say, which may be right but leaves the point open",
    "turns": "turns to something else",
    "thanks": "thanks for the question and says nothing to it",
    "asks": "answers with a question",
    "restates": "says again what was asked about",
    "again": "says again what was said before",
}
_PATTERNS: Final = (
    ("declines", _DECLINES),
    ("unknown", _UNKNOWN),
    ("open", _OPEN),
    ("later", _LATER),
    ("turns", _TURNS),
)
_PUTS_OFF: Final = ("unknown", "later", "open", "declines")


def evasions(answer: Answer) -> Iterator[Evasion]:
    """The ways round the question that the answer takes, the plainest first.

    Whether it also gives what was asked is for `evidence` to say: "I don't know the month,
    but it was 40" is both.
    """
    for how, pattern in _PATTERNS:
        if match := pattern.search(answer.text):
            yield Evasion(how, sentence_at(answer.text, match.start(), match.end()))
    if answer.sentences and all(part.text.endswith("?") for part in answer.sentences):
        yield Evasion("asks", answer.sentences[0].text.rstrip("?"))
    if says_only_thanks(answer.text):
        yield Evasion("thanks", answer.text.strip().rstrip(".!"))


def puts_off(text: str) -> bool:
    """A sentence that says that something is not known, not said, or comes later."""
    return any(pattern.search(text) for how, pattern in _PATTERNS if how in _PUTS_OFF)


def refusal(text: str) -> str | None:
    """The words with which an answer puts the question off or declines it, or None."""
    for how, pattern in _PATTERNS:
        if how in _PUTS_OFF and (match := pattern.search(text)):
            return sentence_at(text, match.start(), match.end())
    return None


def says_only_thanks(text: str) -> bool:
    """Nothing is left once the courtesies are taken away."""
    return (
        bool(_THANKS.search(text)) and "question" in text.lower() and not _WORD.search(_THANKS.sub(" ", text))
    )
