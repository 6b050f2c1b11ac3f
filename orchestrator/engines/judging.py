"""Whether an answer gives what was asked: by rules, and only where rules can tell.

Satisfied needs evidence for everything that was asked for. What is plainly not there, is
hedged, or is of something else, is asked for once more (`follow_up`), and then firmly
(`escalate`). Where the rules cannot tell, the verdict is `unjudged`, which is neither
praise nor blame.

Three answers give nothing and are still fair ones. "We do not know yet; our controller
brings it on 3 March" satisfies a panelist that accepts candour, because it has a date; the
promise is recorded. A claim that the presenter takes back needs no evidence any more. What
may not be said (contracts, rivals) is followed up like any other gap, and the reason says
that it may be right not to say it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from orchestrator.claims.boilerplate import NO_WORD
from orchestrator.engines import answer_cues as cues
from orchestrator.engines.asked import Asked, asked_of, claim_of
from orchestrator.engines.bearing import bearing_evidence
from orchestrator.engines.contradicting import contradiction
from orchestrator.engines.evasions import Evasion, evasions
from orchestrator.engines.evidence import LONG_ANSWER, Evidence, Found, evidence_for
from orchestrator.engines.following import ESCALATE, next_question, question_of
from orchestrator.engines.needs import needs_of, parts_of
from orchestrator.engines.promises import dated_promises, promises_in
from orchestrator.engines.protocol import JudgementRequest
from orchestrator.engines.reading import Answer, read_answer, sentence_at
from orchestrator.engines.reasons import gap_reason, listed, names, nearest_to, said_back
from orchestrator.engines.repeating import repeated
from orchestrator.engines.setting_right import sets_right
from orchestrator.exchange import Exchange, Judgement
from orchestrator.persona import Persona

_NOT_YET_KNOWN = re.compile(
    r"\b(?:do not|don['’]t) know yet\b|\bnot (?:measured|known) (?:that )?yet\b|\bhave not measured\b",
    re.I,
)
"""In a persona's `accepts`: candour is an answer, if it says when the thing will be known."""
_TAKES_BACK = re.compile(
    r"\b(?:sentence|claim|line|slide|figure|number|word|statement|bullet|it|that) (?:has to|should|must|will|"
    r"needs to) (?:go(?= from| off|\s*(?:[.,;]|$))|come (?:off|out)(?= of (?:the|my)|\s*(?:[.,;]|$)| the)|be "
    r"(?:removed|struck|deleted|withdrawn|taken (?:off|out)))\b|"
    r"\b(?:i|we)(?:['’]ll| will| would| should|['’]d)? (?:withdraw|take (?:it|that|this|the \w+) (?:back|"
    r"(?:off|out)"
    r"(?= (?:of )?(?:the|my) (?:slide|deck)|\s*(?:[.,;]|$)))|strike (?:it|that|this)|"
    r"(?:remove|drop) (?:that|this|the) (?:claim|line|sentence|word|figure|bullet))\b",
    re.I,
)
_KNOWN_ASKED = re.compile(r"\bis it known\b|\bknow for certain\b", re.I)
_KNOWN = re.compile(r"\b(?:known|certain|measured|counted|hoped|estimated|knowable)\b", re.I)
_CERTAIN = re.compile(r"\bfor certain\b|\bcertain(?:ly)? (?:is|known)\b|\bhoped for\b", re.I)
_OWNED_UP: Final = ("unknown", "later", "declines")

MAX_ANSWER_CHARS: Final = 20_000
"""Some twenty minutes of speech; the moderator stops an answer after 90 seconds."""


def judge(request: JudgementRequest) -> Judgement:
    """The verdict on the last turn's answer, with its reason and the presenter's own words.

    Everything that was answered in this exchange counts, not only the last words. With
    `is_last` the verdict is the same, and no follow-up is offered. The answer's promises and
    what it contradicts are always there, whatever the verdict.
    """
    text = request.exchange.turns[-1].answer
    if text is None or not text.strip():
        return Judgement("unjudged", "no answer was given")
    if not _is_readable(text):
        limit = f"of more than {MAX_ANSWER_CHARS:,} characters, or with words of more than 200"
        return Judgement("unjudged", f"rules do not read answers {limit}")
    answer = read_answer(text)
    if not answer.sentences:
        return Judgement("unjudged", "no word was said")
    judgement = replace(_judged(request, answer), promises=promises_in(text))
    return replace(judgement, follow_up=None) if request.is_last else judgement


def _is_readable(answer: str) -> bool:
    return len(answer) <= MAX_ANSWER_CHARS and not NO_WORD.search(answer)


def _judged(request: JudgementRequest, answer: Answer) -> Judgement:
    exchange = request.exchange
    asked = asked_of(exchange, request.scene)
    earlier = _earlier(exchange)
    ways = [*evasions(answer), *repeated(answer, asked, earlier)]
    evidence = _evidence(exchange.turns[-1].needs, (answer, *earlier), asked)
    gaps = [e for e in evidence if e.found is Found.MISSING]
    claim = claim_of(exchange, request.scene)
    if tension := contradiction(exchange, claim, answer, earlier, request.scene.tensions):
        reason = f'contradicts "{tension.a.quote}": {tension.note}'
        missing = tuple(e.need for e in gaps)
        judgement = Judgement("follow_up", reason, tension.b.quote, missing, question_of(tension))
        return replace(judgement, contradicts=tension)
    if right := sets_right(answer, exchange.turns[-1].question, asked):
        return Judgement("satisfied", f'sets the question right ("{right}")', right)
    if not evidence:
        return _open_question(request, answer, asked, ways, earlier)
    if not gaps and (part := _part_put_off(answer, asked, evidence, ways)):
        ways = [part]
    elif not gaps:
        parts = len(parts_of(exchange.turns[-1].question))
        if sum(one.found is Found.GIVEN for one in evidence) < parts:
            evidence += _besides(evidence, answer, asked)
        return _without_gap(evidence, ways, nearest_to(answer, asked), parts)
    if known := _says_what_is_known(exchange.turns[-1].question, answer, asked):
        return Judgement("satisfied", f'says what is known and what is not ("{known}")', known)
    if back := _taken_back(answer):
        return Judgement("satisfied", f'takes the claim back ("{back}")', back)
    if candour := _candour(request.seat.persona, answer, ways):
        _, date = candour
        who = evidence_for("owner", answer, asked)
        by = f', and who answers for it ("{who.words}")' if who.found is Found.GIVEN else ""
        reason = f'says that it is not known yet, and when it will be ("{date}"){by}'
        return Judgement("satisfied", reason, date)
    return _with_gaps(request, answer, asked, evidence, ways, earlier)


def _earlier(exchange: Exchange) -> list[Answer]:
    """The answers of this exchange before the last, the newest first."""
    texts = [turn.answer for turn in reversed(exchange.turns[:-1]) if turn.answer]
    return [read_answer(text) for text in texts if _is_readable(text)]


def _evidence(needs: Sequence[str], answers: Sequence[Answer], asked: Asked) -> list[Evidence]:
    """For each need of the last turn, the best that any answer of the exchange gives."""
    found = []
    for need in needs:
        tried = [bearing_evidence(need, one, asked) for one in answers]
        found.append(next((e for e in tried if e.found is Found.GIVEN), tried[0]))
    return found


# ---------------------------------------------------------------------- verdicts


def _without_gap(
    evidence: Sequence[Evidence], ways: Sequence[Evasion], nearest: str, parts: int
) -> Judgement:
    unclear = [e.what for e in evidence if e.found is Found.UNCLEAR]
    given = [e for e in evidence if e.found is Found.GIVEN]
    quote = next((e.words for e in given), None)
    if unclear:
        told = f"; {listed(given)}" if given else ""
        reason = f"rules cannot tell whether the answer gives {names(unclear)}{told}"
        if admits := next((e for e in evidence if e.admits), None):
            reason = f'says that there is no {admits.what} ("{admits.admits}"){told}; whether that will do'
            return Judgement("unjudged", f"{reason}, rules cannot tell", admits.admits)
        if of := next((e for e in evidence if e.found is Found.UNCLEAR and e.words), None):
            reason = f'rules cannot tell whether "{of.words}" is the {of.what} that was asked for{told}'
            return Judgement("unjudged", reason, of.words)
        return Judgement("unjudged", reason, quote or nearest)
    if 0 < len(given) < parts:
        reason = f"{listed(given)}; rules cannot tell whether all {parts} parts of the question are answered"
        return Judgement("unjudged", reason, quote)
    put_off = next((way.words for way in ways if way.how in _OWNED_UP), None)
    aside = f', though it also says "{put_off}"' if put_off else ""
    return Judgement("satisfied", f"{listed(given)}{aside}", quote)


def _besides(evidence: Sequence[Evidence], answer: Answer, asked: Asked) -> list[Evidence]:
    """What the answer gives to parts of the question that name a need of their own."""
    known = {one.need for one in evidence}
    named = {need for part in parts_of(asked.text) for need in needs_of(part)} - known
    found = [bearing_evidence(need, answer, asked) for need in sorted(named)]
    return [one for one in found if one.found is Found.GIVEN]


def _part_put_off(
    answer: Answer, asked: Asked, evidence: Sequence[Evidence], ways: Sequence[Evasion]
) -> Evasion | None:
    """The words that put off a part of the question to which nothing else in the answer speaks."""
    given = [e.words for e in evidence if e.words]
    spoken = {
        word
        for part in answer.sentences
        if any(words in part.text for words in given)
        for word in part.topic.words
    }
    for way in ways:
        part = next((part for part in answer.sentences if way.words in part.text), None)
        if way.how in _OWNED_UP and part and (part.topic.words & asked.topic.words) - spoken:
            return way
    return None


def _with_gaps(
    request: JudgementRequest,
    answer: Answer,
    asked: Asked,
    evidence: Sequence[Evidence],
    ways: Sequence[Evasion],
    earlier: Sequence[Answer],
) -> Judgement:
    exchange = request.exchange
    gaps = [e for e in evidence if e.found is Found.MISSING]
    first = gaps[0] if gaps else Evidence("", Found.MISSING)
    evades = ways[0].how if ways else first.because if first.because == "elsewhere" else None
    again = evades is not None and any(list(evasions(one)) for one in earlier)
    verdict = ESCALATE if again or _asked_before(exchange, first.need) else "follow_up"
    reason, quote = gap_reason(evidence, ways, nearest_to(answer, asked))
    follow_up = next_question(
        request,
        verdict,
        first.need or None,
        answer,
        asked,
        evades=evades if (again or verdict != ESCALATE) and first.because != "hedged" else None,
        words=said_back(answer, asked, evidence, ways),
    )
    return Judgement(verdict, reason, quote, tuple(e.need for e in gaps), follow_up)


def _open_question(
    request: JudgementRequest,
    answer: Answer,
    asked: Asked,
    ways: Sequence[Evasion],
    earlier: Sequence[Answer],
) -> Judgement:
    """A question that asks for no figure, date, name or source: only a way round it can be told."""
    concrete = _concrete(answer, asked)
    short = answer.length <= LONG_ANSWER
    way = next((way for way in ways if way.how != "turns" and (short or way.how == "thanks")), None)
    if way and not concrete:
        before = any(list(evasions(one)) for one in earlier)
        verdict = ESCALATE if before else "follow_up"
        follow_up = next_question(request, verdict, None, answer, asked, evades=way.how, words=None)
        return Judgement(verdict, way.reason, way.words, (), follow_up)
    if concrete and short and asked.is_yes_no and cues.YES_OR_NO.match(answer.text) and not way:
        return Judgement("satisfied", f'answers yes or no, with particulars ("{concrete}")', concrete)
    return Judgement("unjudged", "this question asks for no figure, date, name or source to look for")


def _concrete(answer: Answer, asked: Asked) -> str | None:
    """Words that can be checked: a date, a record."""
    for need in ("date", "source"):
        found = evidence_for(need, answer, asked)
        if found.found is Found.GIVEN:
            return found.words
    return None


# ---------------------------------------------------------------------- fair answers that give nothing


def _candour(persona: Persona, answer: Answer, ways: Sequence[Evasion]) -> tuple[str, str] | None:
    """A dated promise of what is not known, for a persona that accepts that: the promise and its date."""
    if not any(_NOT_YET_KNOWN.search(accepted) for accepted in persona.accepts):
        return None
    if not any(way.how in ("unknown", "later") for way in ways):
        return None
    return next(dated_promises(answer.text), None)


def _says_what_is_known(question: str, answer: Answer, asked: Asked) -> str | None:
    """Asked what is known and what is not, the answer says so, with a day or with what is certain."""
    if not _KNOWN_ASKED.search(question) or not (answer.topic.words - asked.topic.words):
        return None
    for part in answer.sentences:
        if _KNOWN.search(part.text) and (part.periods or _CERTAIN.search(part.text)):
            return sentence_at(answer.text, part.start, part.start + 1)
    return None


def _taken_back(answer: Answer) -> str | None:
    """The words with which the presenter withdraws the claim."""
    for match in _TAKES_BACK.finditer(answer.text):
        if not cues.NEGATED.search(answer.text[max(0, match.start() - 40) : match.start()]):
            return sentence_at(answer.text, match.start(), match.end())
    return None


def _asked_before(exchange: Exchange, need: str) -> bool:
    return sum(need in turn.needs for turn in exchange.turns) > 1
