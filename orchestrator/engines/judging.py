"""Whether an answer gives what was asked: by rules, and only where rules can tell.

Satisfied needs evidence for everything that was asked for. What is plainly not there is
asked for once more (`follow_up`), and then firmly (`escalate`). Where the rules cannot
tell, the verdict is `unjudged`, which is neither praise nor blame.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from orchestrator.claims.boilerplate import NO_WORD
from orchestrator.claims.model import Claim, Quantity
from orchestrator.claims.quantities import find_quantities
from orchestrator.engines.evidence import Evidence, Found, evidence_for, refusal
from orchestrator.engines.fitting import suits
from orchestrator.engines.protocol import JudgementRequest, Scene
from orchestrator.engines.wording import fill_follow_up, rotated, was_asked, was_used
from orchestrator.exchange import Exchange, Judgement
from orchestrator.pattern import ANY, EVASION, Pattern
from orchestrator.persona import Persona

_NOT_YET_KNOWN = re.compile(
    r"\b(?:do not|don['’]t) know yet\b|\bnot (?:measured|known) (?:that )?yet\b|\bhave not measured\b",
    re.I,
)
"""In a persona's `accepts`: candour is an answer, if it says when the thing will be known."""

_WILL_KNOW = re.compile(
    r"\b(?:will|['’]ll)\b[^.]{0,60}\b(?:know|have|measure|publish|report|finish|show)\b",
    re.I,
)
_AN: Final = {"owner": "an owner"}


MAX_ANSWER_CHARS: Final = 20_000
"""Some twenty minutes of speech; the moderator stops an answer after 90 seconds. Some of the
rules take time with the square of an answer's length."""


def judge(request: JudgementRequest) -> Judgement:
    """The verdict on the last turn's answer, with its reason and the presenter's own words.

    Everything that was answered in this exchange counts, not only the last words. With
    `is_last` the verdict is the same, and no follow-up is offered.
    """
    exchange = request.exchange
    turn = exchange.turns[-1]
    if turn.answer is None or not turn.answer.strip():
        return Judgement("unjudged", "no answer was given")
    if not _is_readable(turn.answer):
        limit = f"of more than {MAX_ANSWER_CHARS:,} characters, or with words of more than 200"
        return Judgement("unjudged", f"rules do not read answers {limit}")
    if not turn.needs:
        return Judgement("unjudged", "this question asks for no figure, date, name or source to look for")
    evidence = _evidence(exchange, request.scene)
    put_off = refusal(turn.answer)
    missing = tuple(e.need for e in evidence if e.found is Found.MISSING)
    if not missing:
        return _without_gap(evidence, put_off)
    if candour := _candour(request.seat.persona, turn.answer):
        reason = f'says that it is not known yet, and when it will be ("{candour}")'
        return Judgement("satisfied", reason, candour)
    verdict = "escalate" if _asked_before(exchange, missing[0]) else "follow_up"
    follow_up = None if request.is_last else _next_question(request, verdict, missing[0], put_off)
    reason, quote = _gap(evidence, put_off)
    return Judgement(verdict, reason, quote, missing, follow_up)


def _is_readable(answer: str) -> bool:
    return len(answer) <= MAX_ANSWER_CHARS and not NO_WORD.search(answer)


def _evidence(exchange: Exchange, scene: Scene) -> list[Evidence]:
    """For each need of the last turn, the best that any answer of the exchange gives."""
    known = _known(exchange, scene)
    answers = [one.answer for one in reversed(exchange.turns) if one.answer]
    answers = [answer for answer in answers if _is_readable(answer)]
    found = []
    for need in exchange.turns[-1].needs:
        tried = [evidence_for(need, answer, known) for answer in answers]
        found.append(next((e for e in tried if e.found is Found.GIVEN), tried[0]))
    return found


def _known(exchange: Exchange, scene: Scene) -> list[Quantity]:
    """The numbers that were on the table before the answer."""
    spoken = (exchange.claim or "").startswith("s")
    claims: Sequence[Claim] = scene.speech_claims if spoken else scene.deck_claims
    claim = next((claim for claim in claims if claim.id == exchange.claim), None)
    known = list(claim.quantities) if claim else []
    for text in (exchange.quote, *(turn.question for turn in exchange.turns)):
        known += find_quantities(text or "")
    return known


def _without_gap(evidence: Sequence[Evidence], put_off: str | None) -> Judgement:
    unclear = [e.need for e in evidence if e.found is Found.UNCLEAR]
    given = [e for e in evidence if e.found is Found.GIVEN]
    quote = next((e.words for e in given), None)
    if unclear:
        told = f"; {_listed(given)}" if given else ""
        reason = f"rules cannot tell whether the answer gives {_names(unclear)}{told}"
        if admits := next((e for e in evidence if e.admits), None):
            reason = f'says that there is no {admits.need} ("{admits.admits}"){told}; whether that will do'
            return Judgement("unjudged", f"{reason}, rules cannot tell", admits.admits)
        return Judgement("unjudged", reason, quote)
    aside = f', though it also says "{put_off}"' if put_off else ""
    return Judgement("satisfied", f"{_listed(given)}{aside}", quote)


def _gap(evidence: Sequence[Evidence], put_off: str | None) -> tuple[str, str | None]:
    """What is missing, what is there, and the words for it."""
    missing = [e for e in evidence if e.found is Found.MISSING]
    given = [e for e in evidence if e.found is Found.GIVEN]
    parts = [f"no {' and no '.join(e.need for e in missing)} in the answer"]
    quote = put_off
    if put_off:
        parts.insert(0, f'puts the question off ("{put_off}")')
    if repeated := next((e.words for e in missing if e.repeats), None):
        parts.append(f'it repeats the number that was asked about ("{repeated}")')
        quote = quote or repeated
    if given:
        parts.append(f"it {_listed(given)}")
        quote = quote or given[0].words
    return "; ".join(parts), quote


def _listed(given: Sequence[Evidence]) -> str:
    return "gives " + " and ".join(f'{_name(e.need)} ("{e.words}")' for e in given)


def _names(needs: Sequence[str]) -> str:
    return " or ".join(_name(need) for need in needs)


def _name(need: str) -> str:
    return _AN.get(need, f"a {need}")


def _candour(persona: Persona, answer: str) -> str | None:
    """The words that say when it will be known, for a persona that accepts them."""
    if not any(_NOT_YET_KNOWN.search(accepted) for accepted in persona.accepts) or not refusal(answer):
        return None
    promised = _WILL_KNOW.search(answer)
    date = evidence_for("date", answer, ())
    return date.words if promised and date.found is Found.GIVEN else None


def _asked_before(exchange: Exchange, need: str) -> bool:
    return sum(need in turn.needs for turn in exchange.turns) > 1


def _next_question(request: JudgementRequest, verdict: str, need: str, put_off: str | None) -> str | None:
    """A follow-up or escalation of the persona for what is missing, not used before in this session."""
    persona, exchange = request.seat.persona, request.exchange
    patterns = persona.escalations if verdict == "escalate" else persona.follow_ups
    heads = (EVASION, need, ANY) if put_off and verdict == "follow_up" else (need, EVASION, ANY)
    asked = [turn.question for one in (*request.scene.exchanges, exchange) for turn in one.turns]
    answer = exchange.turns[-1].answer
    key = f"{exchange.id}:{len(exchange.turns)}"
    fallback = None
    for head in heads:
        for pattern in rotated(key, _plain_first(patterns, head, put_off)):
            question = fill_follow_up(pattern, answer, exchange.quote)
            if question is None or was_asked(question, asked) or not suits(question, exchange.quote or ""):
                continue
            if not was_used(pattern, asked):
                return question
            fallback = fallback or question
    return fallback


def _plain_first(patterns: Sequence[Pattern], head: str, put_off: str | None) -> list[Pattern]:
    """Patterns for *head*; "I heard …" is not said back to somebody who said that they do not know."""
    fitting = [pattern for pattern in patterns if head in pattern.heads]
    if put_off:
        return [pattern for pattern in fitting if "answer" not in pattern.slots] or fitting
    return fitting
