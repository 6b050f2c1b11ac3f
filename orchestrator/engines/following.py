"""The next question of a panelist after an answer that leaves something open.

It comes from the persona's own follow-up patterns and escalations, is chosen for what is
missing, says back a few of the presenter's words where that fits, and may call to mind one
earlier promise or answer about the same matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from orchestrator.claims.model import Tension
from orchestrator.engines.asked import Asked
from orchestrator.engines.fitting import suits
from orchestrator.engines.number_cues import SIZE_IN_WORDS
from orchestrator.engines.promises import promises_in
from orchestrator.engines.protocol import JudgementRequest
from orchestrator.engines.reading import Answer, clause_from
from orchestrator.engines.topics import Topic, topic_of
from orchestrator.engines.wording import clock, fill_follow_up, rotated, was_asked, was_used
from orchestrator.exchange import Exchange
from orchestrator.pattern import ANY, EVASION, Pattern

ESCALATE: Final = "escalate"
_DIRECTION = re.compile(r"\bdirection\b|\badjective\b", re.IGNORECASE)
"""What a pattern says of an answer that went without a number; not to be said where it gave one."""
_GIVEN_FIGURE = re.compile(
    r"\bfigure on its own\b|\bI have the amount\b|\btop of the fraction\b", re.IGNORECASE
)
"""What a pattern says of an answer that gave a figure."""
_TAKES_UP: Final = (
    (re.compile(r"kinder question|grant all of it", re.I), frozenset({"turns", "asks", "elsewhere"})),
    (
        re.compile(r"close to my question|background aside|asked about was", re.I),
        frozenset({"turns", "asks", "again", "elsewhere"}),
    ),
    (re.compile(r"not (?:to )?have it here|knowable", re.I), frozenset({"unknown", "later", "open"})),
    (re.compile(r"cannot be said in this room", re.I), frozenset({"declines"})),
)
"""Which way round the question (`Evasion.how`) a pattern for evasion takes up, where its words say so."""
_FEWEST_SHARED: Final = 2
"""Telling words that two points share before one is called to mind at the other."""
_LOOSE_END = re.compile(
    r"[\s,;:–—-]+(?:and|or|but|the|a|an|of|to|in|on|for|with|by|from|at|as|that|which)?$", re.I
)


def next_question(
    request: JudgementRequest,
    verdict: str,
    need: str | None,
    answer: Answer,
    asked: Asked,
    *,
    evades: str | None,
    words: str | None,
) -> str | None:
    """A follow-up or escalation of the persona for what is missing, not used before in this session.

    Args:
        need: What is missing; None where the question was open and the answer evaded it.
        evades: How the answer goes round the question (`Evasion.how`, or "elsewhere"): that is
            taken up before what is missing. None: it does not.
        words: The presenter's words to say back, verbatim; None: none, as after "I don't know".
    """
    persona, exchange = request.seat.persona, request.exchange
    patterns = persona.escalations if verdict == ESCALATE else persona.follow_ups
    needs = (need,) if need else ()
    takes_up = evades is not None and evades not in ("restates", "again")
    heads = (EVASION, *needs, ANY) if takes_up else (*needs, EVASION, ANY)
    before = [turn.question for one in (*request.scene.exchanges, exchange) for turn in one.turns]
    key = f"{exchange.id}:{len(exchange.turns)}"
    fallback = None
    for head in heads:
        for pattern in _fitting(rotated(key, patterns), head, answer, evades, said_back=words is not None):
            question = fill_follow_up(pattern, words or answer.text, exchange.quote)
            if question is None or was_asked(question, before) or not suits(question, exchange.quote or ""):
                continue
            if not was_used(pattern, before):
                return _recalling(question, request, asked)
            fallback = fallback or question
    return fallback


def _fitting(
    patterns: Sequence[Pattern], head: str, answer: Answer, evades: str | None, *, said_back: bool
) -> list[Pattern]:
    """Patterns for *head*, those that say the answer back first, or left out where it cannot be said back."""
    fitting = [pattern for pattern in patterns if head in pattern.heads]
    if head == EVASION and evades:
        fitting = [pattern for pattern in fitting if _takes_up(pattern, evades)]
    if any(answer.numbers):
        fitting = [pattern for pattern in fitting if not _DIRECTION.search(pattern.text)] or fitting
    else:
        fitting = [pattern for pattern in fitting if not _GIVEN_FIGURE.search(pattern.text)] or fitting
        if not SIZE_IN_WORDS.search(answer.text):
            fitting = sorted(fitting, key=lambda pattern: bool(_DIRECTION.search(pattern.text)))
    if not said_back:
        return [pattern for pattern in fitting if "answer" not in pattern.slots] or fitting
    return sorted(fitting, key=lambda pattern: "answer" not in pattern.slots)


def _takes_up(pattern: Pattern, how: str) -> bool:
    return all(how in hows for words, hows in _TAKES_UP if words.search(pattern.text))


def question_of(tension: Tension) -> str:
    """What anybody asks who has heard two values for one thing."""
    place = f"on slide {tension.a.slide}" if tension.a.slide is not None else "before that"
    if tension.a.slide is None and tension.a.said_at_s is not None:
        place = f"at {clock(tension.a.said_at_s)}"
    now, before = _short(tension.b.quote), _short(tension.a.quote)
    return f'You now say "{now}", and {place} "{before}". Which of the two is right?'


# -- callbacks


def _recalling(question: str, request: JudgementRequest, asked: Asked) -> str:
    """The question with one earlier promise in front of it, where there is a real connection.

    One an exchange, counting the callback that its first question may have had; each promise once.
    """
    if '"' in question or any("Earlier" in turn.question for turn in request.exchange.turns):
        return question
    said = [turn.question for one in request.scene.exchanges for turn in one.turns]
    for reminder in callbacks(request.scene.exchanges, request.exchange, asked):
        words = reminder.partition('"')[2].rpartition('"')[0]
        if not any(f'"{words}"' in text for text in said):
            return f"{reminder} {question}"
    return question


def callbacks(exchanges: Sequence[Exchange], current: Exchange, asked: Asked) -> Iterator[str]:
    """Sentences that call to mind what was promised in earlier exchanges about the same matter."""
    for one in reversed(exchanges):
        if one.id == current.id or one.outcome is None:
            continue
        point = topic_of(one.quote or "")
        for turn in one.turns:
            for promise in promises_in(turn.answer or ""):
                if _connected(asked.topic, topic_of(promise), point):
                    yield f'Earlier, {_where(one)}, you promised: "{_short(promise)}".'


def _connected(asked: Topic, promise: Topic, point: Topic) -> bool:
    """The promise, or where it only says "it" the point it was made on, is about what is asked now."""
    for topic in (promise, point) if len(promise.words) < _FEWEST_SHARED else (promise,):
        if asked.measures & topic.measures or len(asked.words & topic.words) >= _FEWEST_SHARED:
            return True
    return False


def _where(exchange: Exchange) -> str:
    if exchange.slide is not None:
        return f"about slide {exchange.slide}"
    return (
        f"about {clock(exchange.said_at_s)}" if exchange.said_at_s is not None else "in answer to the panel"
    )


def _short(words: str) -> str:
    """Verbatim, from the beginning to the end of a clause, at most some words, without a loose end."""
    return _LOOSE_END.sub("", clause_from(words, 0, 1))
