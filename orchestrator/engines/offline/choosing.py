"""The next question of one panelist: contradictions, then the bank's, nothing that was asked or taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from orchestrator.claims.model import Claim, Place, Tension
from orchestrator.engines.offline import contradictions
from orchestrator.engines.offline.bank import bank
from orchestrator.engines.offline.options import (
    ADMISSION,
    FIGURE,
    LEFT_OUT,
    WHOLE,
    Option,
    called_for,
    options,
    tier_of,
)
from orchestrator.engines.offline.pages import Line, pages_of, spoken_line
from orchestrator.engines.offline.seats import seats_of
from orchestrator.engines.offline.wording import entry_of, said
from orchestrator.engines.offline.words import holds, holds_all, plain
from orchestrator.engines.protocol import CandidateRequest, FocusBriefRequest, Scene
from orchestrator.exchange import Candidate, Target
from orchestrator.speech.model import Segment

TURNS: Final = (ADMISSION, LEFT_OUT, FIGURE, LEFT_OUT, WHOLE, LEFT_OUT, FIGURE, LEFT_OUT, WHOLE, ADMISSION)
"""What one panelist asks about, one question after the other: a board does not dwell on one sort."""

RELEVANCE: Final = {0: 0.95, ADMISSION: 0.8, LEFT_OUT: 0.7, FIGURE: 0.7, WHOLE: 0.55}
"""By what it is about, contradictions first: the moderator weighs it against who has been silent (`choosing`)."""

FROM_AFAR: Final = 0.15
"""Taken off a question about the whole while slides are still being shown, and off another's seat."""

FOCUSED: Final = 20.0
"""Places by which a question goes up that is about what the presenter asked the panel to look at."""

LETTERS: Final = 5
"""Of a focus word that are looked for: "pricing" finds "price" no more than "prices" does, and that will do."""

MOST_TARGETS: Final = 7
FEWEST_TARGETS: Final = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """What cannot be asked any more, by anyone."""

    topics: frozenset[str]
    questions: frozenset[str]
    quotes: frozenset[str]
    claims: frozenset[str]

    def has(self, option: Option) -> bool:
        """Whether this option was asked in substance."""
        line = option.line
        return (
            option.entry.topic in self.topics
            or option.question in self.questions
            or (line is not None and (line.text in self.quotes or line.claim in self.claims))
        )


def candidate(request: CandidateRequest) -> Candidate | None:
    """What this panelist would ask now; None: nothing is left in the bank."""
    scene, agent = request.scene, request.seat.persona.id
    asked = _asked(request)
    shown = _shown(request)
    for tension in contradictions.in_order(scene.tensions):
        if not _was_put(tension, asked) and all(_is_shown(place.slide, shown) for place in _places(tension)):
            return _of_tension(tension, agent, scene)
    speech = _speech(_heard(scene))
    mine = seats_of(request.seat)
    ready = [one for one in _all_options(scene) if not asked.has(one) and not _answered(one, speech)]
    if not ready:
        return None
    is_over = shown is None
    turns = _turns(scene, agent)
    focus = _focus(scene)
    best = min(
        ready,
        key=lambda one: (
            *_rank(one, mine, shown, is_over=is_over),
            turns[one.tier],
            one.order - FOCUSED * _is_about(one, focus),
        ),
    )
    return _candidate(best, agent, scene, is_mine=best.entry.seat in mine or not mine, is_over=is_over)


def _rank(option: Option, mine: frozenset[str], shown: int | None, *, is_over: bool) -> tuple[bool, bool, bool]:
    """What has been shown comes before what has not, then the panelist's own seats."""
    is_ahead = not _is_shown(option.slide, shown)
    is_early = not is_over and option.slide is None and (option.line is None)
    is_others = bool(mine) and option.entry.seat not in mine
    return is_ahead, is_others, is_early


def _turns(scene: Scene, agent: str) -> dict[int, int]:
    """When each sort's turn comes, by what this panelist has asked already."""
    entries = (entry_of(one.turns[0].question) for one in scene.exchanges if one.agent == agent and one.turns)
    asked = Counter(tier_of(entry) for entry in entries if entry is not None)
    places = {tier: [at for at, turn in enumerate(TURNS) if turn == tier] for tier in set(TURNS)}
    return {tier: (*at, *[len(TURNS)] * asked[tier])[asked[tier]] for tier, at in places.items()}


def _focus(scene: Scene) -> tuple[str, ...]:
    """The words of what the presenter wants the panel to look at; short ones say nothing."""
    words = plain(" ".join(scene.focus)).split()
    return tuple(f"{word[:LETTERS]}*" for word in words if len(word) >= LETTERS)


def _is_about(option: Option, focus: tuple[str, ...]) -> bool:
    text = plain(f"{option.question} {option.entry.good} {option.quote or ''}") if focus else ""
    return any(holds(text, word) for word in focus)


def targets(request: FocusBriefRequest) -> tuple[Target, ...]:
    """What this panelist goes after: its own seats' questions, on lines that nobody has taken."""
    scene = request.scene
    mine = seats_of(request.seat)
    chosen: list[Target] = []
    topics: set[str] = set()
    quotes: set[str] = set()
    own = [one for one in _all_options(scene) if not mine or one.entry.seat in mine]
    for option in (*own, *(one for one in _all_options(scene) if one not in own)):
        enough = MOST_TARGETS if option in own else FEWEST_TARGETS
        quote, claim = option.quote, _claim_of(option)
        if len(chosen) >= enough or quote is None or option.entry.topic in topics or quote in quotes:
            continue
        if claim is None or claim not in request.taken:
            chosen.append(_target(option, quote, claim))
            topics.add(option.entry.topic)
            quotes.add(quote)
    return tuple(chosen)


def _target(option: Option, quote: str, claim: str | None) -> Target:
    is_missing = option.page is not None
    said_at_s = option.line.said_at_s if option.line else None
    return Target(claim, option.slide, said_at_s, quote, option.question, option.entry.good, is_missing)


def _all_options(scene: Scene) -> tuple[Option, ...]:
    """The deck's options, and before them what the presenter admits aloud."""
    of_deck = options(scene.deck, scene.deck_claims, scene.kind, scene.intensity)
    return (*_spoken_admissions(scene), *of_deck) if scene.segments else of_deck


def _spoken_admissions(scene: Scene) -> Iterator[Option]:
    entries = [one for one in bank().entries if one.about == "admission"]
    for segment in _of_presenter(scene):
        line = _spoken(segment)
        for entry in entries if line is not None else ():
            called = called_for(entry, line) if line is not None else None
            if called is not None:
                yield Option(entry, said(entry, scene.deck.sha256, scene.intensity, called), ADMISSION, entry.place, called)


@lru_cache(maxsize=4096)
def _spoken(segment: Segment) -> Line | None:
    return spoken_line(segment)


def _of_presenter(scene: Scene) -> list[Segment]:
    return [one for one in scene.segments if scene.presenter is None or one.speaker in (scene.presenter, None)]


def _heard(scene: Scene) -> tuple[str, ...]:
    answers = (turn.answer or "" for exchange in scene.exchanges for turn in exchange.turns)
    return (*(segment.text for segment in scene.segments), *answers)


@lru_cache(maxsize=8)
def _speech(texts: tuple[str, ...]) -> str:
    return plain(" ".join(texts))


def _answered(option: Option, speech: str) -> bool:
    return any(holds_all(speech, one) for one in option.entry.unless)


def _asked(request: CandidateRequest) -> Asked:
    scene, agent = request.scene, request.seat.persona.id
    standing = [one for one in request.standing if one.agent != agent]
    first = [exchange.turns[0].question for exchange in scene.exchanges if exchange.turns]
    questions = {*first, *request.asked, *(one.question for one in standing)}
    entries = [entry for question in sorted(questions) if (entry := entry_of(question)) is not None]
    places = [one.beside for one in (*scene.exchanges, *standing) if one.beside is not None]
    quotes = {one.quote for one in (*scene.exchanges, *standing) if one.quote is not None and not one.is_missing}
    return Asked(
        frozenset(entry.topic for entry in entries),
        frozenset(questions),
        frozenset({*quotes, *(place.quote for place in places), *request.taken_lines}),
        request.taken | {one.claim for one in standing if one.claim is not None},
    )


def _was_put(tension: Tension, asked: Asked) -> bool:
    return tension.a.quote in asked.quotes and tension.b.quote in asked.quotes


def _places(tension: Tension) -> tuple[Place, ...]:
    return tension.places or (tension.a, tension.b)


def _shown(request: CandidateRequest) -> int | None:
    """The last slide that may be asked about; None: all of them."""
    scene = request.scene
    last = pages_of(scene.deck, scene.deck_claims).last
    is_over = request.may_look_ahead or request.occasion == "end"
    return None if is_over or scene.slide is None or scene.slide >= last else scene.slide


def _is_shown(slide: int | None, shown: int | None) -> bool:
    return slide is None or shown is None or slide <= shown


def _of_tension(tension: Tension, agent: str, scene: Scene) -> Candidate:
    a, b = tension.a, tension.b
    return Candidate(
        agent=agent,
        question=contradictions.question(tension, scene.deck.sha256),
        claim=_claim_at(a, scene),
        slide=a.slide,
        said_at_s=a.said_at_s,
        quote=a.quote,
        grounded=True,
        needs=(),
        relevance=RELEVANCE[0],
        lead_in="",
        angle=bank().phrases.why["contradiction"],
        beside=b,
        good_answer=bank().phrases.why["contradiction_good"],
    )


def _claim_at(place: Place, scene: Scene) -> str | None:
    claims: Sequence[Claim] = scene.deck_claims if place.said_at_s is None else scene.speech_claims
    where = (place.slide, place.said_at_s) if place.said_at_s is None else None
    for claim in claims:
        is_there = claim.slide == place.slide if where else claim.said_at_s == place.said_at_s
        if is_there and (claim.text in place.quote or place.quote in claim.text):
            return claim.id
    return None


def _claim_of(option: Option) -> str | None:
    return None if option.line is None else option.line.claim


def _candidate(option: Option, agent: str, scene: Scene, *, is_mine: bool, is_over: bool) -> Candidate:
    entry, line = option.entry, option.line
    quote = option.quote
    relevance = RELEVANCE[option.tier] - FROM_AFAR * (not is_mine)
    relevance -= FROM_AFAR * (not is_over and quote is None)
    return Candidate(
        agent=agent,
        question=option.question,
        claim=_claim_of(option),
        slide=option.slide,
        said_at_s=line.said_at_s if line else None,
        quote=quote,
        grounded=quote is not None,
        needs=() if entry.asks_for is None else ("date",) if entry.asks_for == "date" else ("number",),
        relevance=round(max(0.05, relevance), 2),
        lead_in="",
        angle=bank().phrases.why[entry.about],
        good_answer=entry.good,
        is_missing=option.page is not None,
    )
