"""Choosing a panelist's next question: contradictions first, then the bank's questions.

No question is chosen that was asked before or that another panelist has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.material.claim import COMPUTED, OF_FIGURES, Place, Tension
from orchestrator.material.values import Segment
from orchestrator.panel.bank.bank import ANY, Entry, bank, holds, holds_all, plain
from orchestrator.panel.bank.deck import Line, pages_of, spoken_line
from orchestrator.panel.engines.offline.askable import (
    ADMISSION,
    FIGURE,
    LEFT_OUT,
    WHOLE,
    Option,
    called_for,
    fits,
    options,
    seats_of,
    tier_of,
)
from orchestrator.panel.engines.offline.wording import (
    Wording,
    entry_of,
    in_quotes,
    is_whole,
    pick,
    said,
    shortened,
    without,
)
from orchestrator.panel.engines.protocol import CandidateRequest, DossierRequest, FocusBriefRequest, Scene
from orchestrator.panel.model.carryover import OpenPoint
from orchestrator.panel.model.exchange import Candidate, Exchange, Target
from orchestrator.panel.model.reply import Attack, BoardMember
from orchestrator.panel.personas.persona import Seat

# ---------------------------------------------------------------------- already asked
# Questions that cannot be asked any more: put already, standing with another, or on a line that is taken.


@dataclass(frozen=True, slots=True)
class Asked:
    """The topics, whole questions, lines and claims that were asked about."""

    topics: frozenset[str]
    questions: frozenset[str]
    quotes: frozenset[str]
    claims: frozenset[str]

    def has(self, option: Option) -> bool:
        """Return whether this option was already asked in substance."""
        line = option.line
        return (
            option.entry.topic in self.topics
            or option.question in self.questions
            or (line is not None and (line.text in self.quotes or line.claim in self.claims))
        )

    def has_put(self, tension: Tension) -> bool:
        """Return whether both places of the contradiction were already quoted in questions."""
        return tension.a.quote in self.quotes and tension.b.quote in self.quotes


def asked_of(request: CandidateRequest) -> Asked:
    """Return what was asked so far, with the questions that the other panelists mean to ask."""
    exchanges, agent = request.scene.exchanges, request.seat.persona.id
    standing = [one for one in request.standing if one.agent != agent]
    first = (exchange.turns[0].question for exchange in exchanges if exchange.turns)
    questions = frozenset({*first, *request.asked, *(one.question for one in standing)})
    entries = (entry_of(question) for question in questions)
    put: list[Exchange | Candidate] = [*exchanges, *standing]
    quotes = {one.quote for one in put if one.quote is not None and not one.is_missing}
    return Asked(
        frozenset(entry.topic for entry in entries if entry is not None),
        questions,
        frozenset({*quotes, *(one.beside.quote for one in put if one.beside), *request.taken_lines}),
        request.taken | {one.claim for one in standing if one.claim is not None},
    )


# ---------------------------------------------------------------------- admitted
# Questions that the deck alone does not give: from speech, and from those an earlier rehearsal left open.


LEFT_OPEN = "left open before"
BEFORE_ALL = -100.0
"""The order of an earlier rehearsal's question among admissions: first of all, since it had no answer
then.
"""


@dataclass(frozen=True, slots=True)
class Heard:
    """The speech up to now, read once."""

    segments: tuple[Segment, ...] = ()
    words: str = ""  # of all segments, plain, without the last space
    admissions: tuple[tuple[Segment, Entry, Line], ...] = ()


def all_options(scene: Scene) -> tuple[Option, ...]:
    """Return the questions left open in earlier rehearsals, then admissions made aloud, then the deck's
    options.
    """
    of_deck = options(scene.deck, scene.deck_claims, scene.kind, scene.intensity)
    return (*_left_open(scene), *_admitted(scene), *of_deck)


def is_answered(option: Option, speech: str) -> bool:
    """Return whether the speech shows that the presenter has answered the option."""
    return any(holds_all(speech, one) for one in option.entry.unless)


def speech_of(scene: Scene) -> str:
    """Return all speech, answers included, as plain words; each text is processed only once."""
    answers = (turn.answer for exchange in scene.exchanges for turn in exchange.turns)
    return _heard(scene).words + _plain_words(answers) + " "


def _plain_words(texts: Iterable[str | None]) -> str:
    return "".join(plain(text)[:-1] for text in texts if text)


def _heard(scene: Scene) -> Heard:
    """Return the words of all segments, reading only those that are new since the last call.

    The result is stored with the session's deck. In a cache of limited size, a hundred sessions would evict
    each other's results before they are used again.
    """
    kept, segments = pages_of(scene.deck, scene.deck_claims).kept, tuple(scene.segments)
    before: Heard = kept.get(Heard, Heard())
    if segments[: len(before.segments)] != before.segments:  # some were taken back
        before = Heard()
    new = segments[len(before.segments) :]
    if not new:
        return before
    admitted = ((one, entry, line) for one in new for entry, line in _admissions(one))
    words = before.words + _plain_words(one.text for one in new)
    heard = kept[Heard] = Heard(segments, words, (*before.admissions, *admitted))
    return heard


def _admitted(scene: Scene) -> Iterator[Option]:
    for segment, entry, line in _heard(scene).admissions:
        if segment.speaker in scene.presenter_labels:
            wording = said(entry, scene.deck.sha256, scene.intensity, bank().noun, line)
            yield Option(entry, wording, ADMISSION, entry.place, line)


def _admissions(segment: Segment) -> tuple[tuple[Entry, Line], ...]:
    line = spoken_line(segment)
    if line is None:
        return ()
    entries = (entry for entry in bank().entries if entry.about == "admission")
    found = ((entry, called_for(entry, line)) for entry in entries)
    return tuple((entry, called) for entry, called in found if called is not None)


def _left_open(scene: Scene) -> Iterator[Option]:
    """Yield the questions left unanswered in an earlier rehearsal whose words, if any, are in the deck."""
    for point in scene.left_open:
        line = _line_of(point, scene)
        if (line is not None or not point.quote) and point.outcome != "unjudged":
            entry = entry_of(point.question) or _as_entry(point)
            says = f", says {point.says}" if point.says else ""
            angle = f'{LEFT_OPEN} ({point.outcome}{says}, {point.asked_on}): "{point.question}"'
            asked = Wording(point.question, None)  # in an earlier rehearsal, which told its words alone
            yield Option(entry, asked, ADMISSION, BEFORE_ALL, line, angle=angle, agent=point.agent)


def _line_of(point: OpenPoint, scene: Scene) -> Line | None:
    quote = " ".join(point.quote.split())
    pages = pages_of(scene.deck, scene.deck_claims).pages
    lines = (line for page in pages for line in page.lines)
    return next((line for line in lines if quote and quote in " ".join(line.text.split())), None)


def _as_entry(point: OpenPoint) -> Entry:
    """Make an entry of the bank from a question that is not in the bank."""
    good = "an answer to what was asked the last time"
    return Entry(point.question, ANY, (point.question,), "", "admission", good, topic=point.question)


# ---------------------------------------------------------------------- contradictions
# A verified contradiction as a question, with both quotes.


MAX_QUOTE = 100
"""Maximum number of characters of each of two quotes.

Both have to be heard, so each is shorter than a single quote (160).
"""


def sort_of(tension: Tension) -> str:
    """Return the kind of the bank's wordings that fits the contradiction: "read", "sum" or "two"."""
    if tension.class_ != COMPUTED:
        return "read"
    is_sum = tension.kind in OF_FIGURES or tension.a.quote == tension.b.quote
    return "sum" if is_sum and tension.sum else "two"


def question(tension: Tension, key: str) -> Wording:
    """Return the question that asks about a contradiction, worded tentatively if no number decides it."""
    text = pick(bank().phrases.contradictions[sort_of(tension)], key, tension.a.quote, tension.b.quote)
    is_shown_above = is_whole(in_quotes(shortened(tension.a.quote, MAX_QUOTE)), tension.a.quote)
    return Wording(_filled(text, tension), _filled(without(text, "{a}"), tension) if is_shown_above else "")


def _filled(text: str, tension: Tension) -> str:
    values = {"a": _quoted(tension.a), "b": _quoted(tension.b, tension.a), "sum": tension.sum.rstrip(".")}
    for slot, value in values.items():
        text = text.replace(f"{{{slot}}}", value)
    return text[:1].upper() + text[1:]


def in_order(tensions: Sequence[Tension]) -> tuple[Tension, ...]:
    """Return the contradictions that numbers decide before those that are only read, otherwise in their
    order.
    """
    return tuple(sorted(tensions, key=lambda one: one.class_ != COMPUTED))


def _quoted(place: Place, before: Place | None = None) -> str:
    words = in_quotes(shortened(place.quote, MAX_QUOTE))
    where = "you said" if place.said_at_s is not None else f"slide {place.slide} says"
    if before is not None and before.said_at_s is None is place.said_at_s and before.slide == place.slide:
        where = "it also says"
    return f"{where} {words}"


# ---------------------------------------------------------------------- choosing


TURNS: Final = (
    ADMISSION, LEFT_OUT, FIGURE, LEFT_OUT, LEFT_OUT, FIGURE, LEFT_OUT, LEFT_OUT, ADMISSION, LEFT_OUT, WHOLE,
)  # fmt: skip
"""The sorts of one panelist's questions, one after the other, since a board does not dwell on one sort.

A plain question of the deck's kind has two turns for each turn of a question about a line. Real boards ask
the plain questions first, and every question about a line takes the place of a plain one.
"""

CONTRADICTION: Final = 0.95
RELEVANCE: Final = {ADMISSION: 0.8, LEFT_OUT: 0.7, FIGURE: 0.7, WHOLE: 0.55}
"""Relevance of each sort of question, 0 to 1, on our own scale.

The moderator adds how long a panelist was silent.
"""

FROM_AFAR: Final = 0.15
"""Subtracted from the relevance of a question about the whole while slides are still being shown, and of one
for another seat.
"""

FOCUSED: Final = 20.0
"""Places by which a question on the presenter's focus goes up: as many as a file has questions (12 to 21)."""

LETTERS: Final = 5
"""Letters of a focus word's beginning that are searched for: "adoption" finds "adopted", "part" not
"partner".
"""


def candidate(request: CandidateRequest) -> Candidate | None:
    """Return the question that this panelist would ask now, or None if the bank has none left."""
    scene, agent = request.scene, request.seat.persona.id
    asked, shown = asked_of(request), _shown(request)
    for tension in in_order(scene.tensions):
        is_shown = all(_is_shown(place.slide, shown) for place in (tension.a, tension.b, *tension.places))
        if is_shown and not asked.has_put(tension):
            return _of_tension(tension, agent, scene)
    speech = speech_of(scene)
    ready = [one for one in all_options(scene) if not asked.has(one) and not is_answered(one, speech)]
    if not ready:
        return None
    mine, turns, focus = seats_of(request.seat), _turns(scene, agent), _focus(scene)

    def rank(one: Option) -> tuple[bool, bool, bool, bool, int, float]:
        is_last = one.tier == WHOLE  # what could be asked of any deck: where nothing else is left
        is_early = shown is not None and one.quote is None
        order = one.order - FOCUSED * _is_about(one, focus)
        is_mine = one.agent is not None or one.is_for(agent, mine)  # what was left open is everybody's
        return not _is_shown(one.slide, shown), is_last, not is_mine, is_early, turns[one.tier], order

    best = min(ready, key=rank)
    _, _, is_others, is_early, *_ = rank(best)
    return _candidate(best, agent, round(RELEVANCE[best.tier] - FROM_AFAR * (is_others + is_early), 2))


def _turns(scene: Scene, agent: str) -> dict[int, int]:
    """Return when the turn of each sort comes, given what this panelist has already asked."""
    entries = (entry_of(one.turns[0].question) for one in scene.exchanges if one.agent == agent and one.turns)
    asked = Counter(tier_of(entry) for entry in entries if entry is not None)
    places = {tier: [at for at, turn in enumerate(TURNS) if turn == tier] for tier in RELEVANCE}
    return {tier: (*at, *[len(TURNS)] * asked[tier])[asked[tier]] for tier, at in places.items()}


def _focus(scene: Scene) -> tuple[str, ...]:
    """Return the beginnings of the words of the presenter's focus, as patterns."""
    words = plain(" ".join(scene.focus)).split()
    return tuple(f"{word[:LETTERS]}*" for word in words if len(word) >= LETTERS)


def _is_about(option: Option, focus: tuple[str, ...]) -> bool:
    text = plain(f"{option.question} {option.entry.good} {option.quote or ''}") if focus else ""
    return any(holds(text, word) for word in focus)


def _shown(request: CandidateRequest) -> int | None:
    """Return the last slide that may be asked about, or None if all may."""
    scene = request.scene
    last = pages_of(scene.deck, scene.deck_claims).last
    is_over = request.may_look_ahead or request.occasion == "end"
    return None if is_over or scene.slide is None or scene.slide >= last else scene.slide


def _is_shown(slide: int | None, shown: int | None) -> bool:
    return slide is None or shown is None or slide <= shown


def _of_tension(tension: Tension, agent: str, scene: Scene) -> Candidate:
    a, why = tension.a, bank().phrases.why
    wording = question(tension, scene.deck.sha256)
    return Candidate(
        agent=agent,
        question=wording.question,
        claim=_claim_at(a, scene),
        slide=a.slide,
        said_at_s=a.said_at_s,
        quote=a.quote,
        grounded=True,
        needs=(),
        relevance=CONTRADICTION,
        lead_in="",
        angle=why["contradiction"],
        beside=tension.b,
        bare=wording.bare,
        under=a.under,
        good_answer=why["contradiction_good"],
    )


def _claim_at(place: Place, scene: Scene) -> str | None:
    if place.said_at_s is not None:
        there = [claim for claim in scene.speech_claims if claim.said_at_s == place.said_at_s]
    else:
        there = [claim for claim in scene.deck_claims if claim.slide == place.slide]
    return next((one.id for one in there if one.text in place.quote or place.quote in one.text), None)


def _candidate(option: Option, agent: str, relevance: float) -> Candidate:
    entry, quote = option.entry, option.quote
    needs = {"date": ("date",), None: ()}.get(entry.asks_for, ("number",))
    return Candidate(
        agent=agent,
        question=option.question,
        claim=option.claim,
        slide=option.slide,
        said_at_s=option.line.said_at_s if option.line else None,
        quote=quote,
        grounded=quote is not None,
        needs=needs,
        relevance=relevance,
        lead_in="",
        angle=option.angle or bank().phrases.why[entry.about],
        good_answer=entry.good,
        is_missing=option.page is not None,
        bare=option.wording.bare,
    )


# ---------------------------------------------------------------------- aiming
# The targets of each panelist's focus brief: its own seats' questions, on lines that nobody has taken.


MAX_TARGETS: Final = 7
"""Maximum number of targets of a panelist's own seats.

With eight exchanges for all panelists (DESIGN.md, section 7), no panelist gets through more.
"""
MIN_TARGETS: Final = 3
"""Number of targets to fill up to with other panelists' seats, so that some are left after lines were asked
about; a small deck may give fewer.
"""


def targets(request: FocusBriefRequest) -> tuple[Target, ...]:
    """Return the panelist's targets: first of its own seats, then of others' seats, then what the deck leaves
    out.
    """
    agent, mine = request.seat.persona.id, seats_of(request.seat)
    found = all_options(request.scene)
    own = [one for one in found if one.is_for(agent, mine)]
    rest = [one for one in found if not one.is_for(agent, mine) and one.agent is None]
    chosen: list[Target] = []
    seen: set[str] = set()
    for most, group in ((MAX_TARGETS, own), (MIN_TARGETS, rest)):
        for option in group:
            quote, topic = option.quote, option.entry.topic
            is_taken = option.claim is not None and option.claim in request.taken
            if len(chosen) < most and quote is not None and not is_taken and not {quote, topic} & seen:
                chosen.append(_target(option, quote))
                seen |= {quote, topic}
    covers = [slide for slide in request.scene.deck.slides if not slide.hidden and slide.title][:1]
    for option in own if covers else ():
        if len(chosen) < MIN_TARGETS and option.quote is None and option.entry.topic not in seen:
            good = option.entry.good
            chosen.append(Target(None, covers[0].number, None, covers[0].title, option.question, good, True))
            seen.add(option.entry.topic)
    return tuple(chosen)


def _target(option: Option, quote: str) -> Target:
    return Target(
        claim=option.claim,
        slide=option.slide,
        said_at_s=option.line.said_at_s if option.line else None,
        quote=quote,
        angle=option.angle or option.question,
        good_answer=option.entry.good,
        is_missing=option.page is not None,
    )


# ---------------------------------------------------------------------- dossier
# The likely attacks on a deck, from contradictions and the bank.


INTENSITY: Final = "moderate"  # the default of a session: a dossier has none of its own


def attacks(request: DossierRequest) -> tuple[Attack, ...]:
    """Return the attacks, the likeliest first, each line and topic once, shared out among the askers."""
    askers = _Askers(request.members, request.seats)
    found = [_attack_of_tension(tension, askers, request) for tension in in_order(request.tensions)]
    quotes = {place.quote for one in request.tensions for place in (one.a, one.b)}
    chosen = _spread(options(request.deck, request.claims, request.kind, INTENSITY), quotes)
    found += [_attack(option, askers) for option in chosen[: max(0, request.limit - len(found))]]
    return tuple(found[: request.limit])


def _spread(found: Sequence[Option], quotes: set[str]) -> list[Option]:
    """Return the options, each line and topic once, every seat's first before any seat's second.

    A board has many voices, so no seat asks twice before all have asked.
    """
    topics: set[str] = set()
    of_seat: Counter[str] = Counter()
    placed: list[tuple[int, Option]] = []
    for option in found:
        is_known = option.entry.topic in topics or (option.line is not None and option.quote in quotes)
        if not is_known:
            topics.add(option.entry.topic)
            quotes = quotes | {option.quote or ""}
            placed.append((of_seat[option.entry.seat], option))
            of_seat[option.entry.seat] += 1
    return [option for _, option in sorted(placed, key=lambda one: one[0])]


class _Askers:
    """The assignment of questions to askers: best fit of words first, then fewest questions so far."""

    def __init__(self, members: Sequence[BoardMember], seats: Sequence[Seat]) -> None:
        self._members = [
            (member.name, plain(" ".join([member.role, member.background, *member.interests])))
            for member in members
        ]
        self._seats = [(seat.persona.name, seat.persona.id, seats_of(seat)) for seat in seats]
        self._asked: dict[str, int] = {}

    def whose(self, wanted: str) -> tuple[str, str | None]:
        """Return the name of the asker for a seat and, if the asker is a panelist, its id."""
        by_words = ((-fits(words, wanted), name, None) for name, words in self._members)
        by_seat = ((-(wanted in seats), name, agent) for name, agent, seats in self._seats)
        found: list[tuple[int, str, str | None]] = [one for one in by_words if one[0]] or [*by_seat]
        if not found:
            return "the board", None
        _, name, agent = min(found, key=lambda one: (one[0], self._asked.get(one[1], 0)))
        self._asked[name] = self._asked.get(name, 0) + 1
        return name, agent


def _attack(option: Option, askers: _Askers) -> Attack:
    entry = option.entry
    name, agent = askers.whose(entry.seat)
    said_at_s = option.line.said_at_s if option.line else None
    about = None if option.quote is None else Place(option.slide, said_at_s, option.quote)
    why = bank().phrases.why[entry.about]
    return Attack(option.question, name, why, about, entry.good, (), (), agent, option.page is not None)


def _attack_of_tension(tension: Tension, askers: _Askers, request: DossierRequest) -> Attack:
    name, agent = askers.whose("proof")
    why = bank().phrases.why
    words = question(tension, request.deck.sha256)
    good = why["contradiction_good"]
    return Attack(words.question, name, why["contradiction"], tension.a, good, have=(tension.b,), agent=agent)
