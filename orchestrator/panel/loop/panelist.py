"""A panelist's work: its focus brief, candidate question, notes and observations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from orchestrator.core.context.receipt import Receipt
from orchestrator.core.errors import EngineError
from orchestrator.core.store.transaction import Draft
from orchestrator.material.claim import Tension
from orchestrator.material.values import PRESENTER
from orchestrator.panel import render
from orchestrator.panel.engines.by_name import stand_in
from orchestrator.panel.engines.protocol import CandidateRequest, FocusBriefRequest, Scene
from orchestrator.panel.engines.together import ask
from orchestrator.panel.loop.calling_on import brought_candidate, digest, was_asked, why_spent
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.model.exchange import Candidate, Exchange, Judgement, Target
from orchestrator.panel.records.exchanges import CandidateWritten, LeftOut, NoteAdded, Observed
from orchestrator.panel.records.projection import Projection, Waiting, are_of, is_about, with_verdict
from orchestrator.panel.records.start import FocusBriefWritten

# ---------------------------------------------------------------------- open contradictions
# Contradictions that were found: which were asked about, and which panelist is to ask about the others.


def whose(projection: Projection, panel: Sequence[str], tensions: Sequence[Tension]) -> list[str]:
    """Return for each contradiction the exchange that asked about it, else the one panelist that is to ask.

    A panelist with a current question about the contradiction is preferred, then one whose focus brief has a
    line about its slides, then any. Among equals, the panelist who asked least comes first, then the one who
    was assigned the fewest, then the one seated first.
    """
    asked = Counter(exchange.agent for exchange in projection.asked)
    given: Counter[str] = Counter()
    found = []
    for tension in tensions:
        exchange = _asked_in(projection, tension)
        if exchange is not None:
            found.append(exchange)
            continue
        rank = {agent: (_fit(projection, agent, tension), asked[agent], given[agent]) for agent in panel}
        agent = min(panel, key=lambda one: rank[one])
        given[agent] += 1
        found.append(agent)
    return found


def _asked_in(projection: Projection, tension: Tension) -> str | None:
    """Return the id of the last exchange that asked about the contradiction, or None.

    A pressing follow-up about it counts like a question: otherwise another seat would be assigned what its
    neighbour has just pressed.
    """
    by_follow_up = {one for one, pressed in projection.pressed if are_of(pressed.sides, tension)}
    own = (one.id for one in reversed(projection.asked) if one.id in by_follow_up or is_about(one, tension))
    return next(own, None)


def _fit(projection: Projection, agent: str, tension: Tension) -> int:
    """Return how well *agent* fits to ask about the contradiction; lower is better.

    The result is 0 if the agent's current question is about it, 1 if its focus brief has a line about one of
    its slides, else 2.
    """
    waiting = projection.waiting.get(agent)
    if waiting is not None and waiting.status == "ready" and is_about(waiting.candidate, tension):
        return 0
    slides = {side.slide for side in tension.sides if side.slide is not None}
    return 1 if any(target.slide in slides for target in projection.targets.get(agent, ())) else 2


# ---------------------------------------------------------------------- candidate requests
# The request for a panelist's candidate question, and what its choice of one rests on.
#
# Source: DESIGN.md, section 7.


def request_of(rehearsal: OpenRehearsal, agent: str, occasion: str, scene: Scene) -> CandidateRequest:
    """Return the request for *agent*: everything that it gets besides its files."""
    projection, options = rehearsal.projection, rehearsal.options
    current = _current(rehearsal, agent)
    standing = _standing(rehearsal, agent, current)
    quoted = _quotes(projection.asked) | _quotes(standing)
    questions = [turn.question for exchange in projection.asked for turn in exchange.turns]
    left_s = options.minutes * 60 - sum(projection.times(scene.clock_s))
    return CandidateRequest(
        rehearsal.seats[agent],
        scene,
        targets=projection.targets.get(agent, ()),
        taken=projection.asked_claims,
        standing=tuple(rehearsal.on_record(standing, lambda one: (one.question, one.quote or ""))),
        asked=tuple(rehearsal.on_record(questions, lambda text: (text,))),
        taken_lines=frozenset(rehearsal.on_record(sorted(quoted), lambda text: (text,))),
        occasion=occasion,
        exchanges_left=max(0, options.exchanges - projection.opened),
        minutes_left=round(max(0.0, left_s) / 60, 1),
        may_look_ahead=projection.is_played_out or projection.slide is None,
        current=current,
        whose=tuple(whose(projection, options.panel, scene.tensions)),
    )


def candidate_path(agent: str) -> str:
    """Return the path of an agent's candidate question."""
    return f"{agent}/candidate-question.md"


def made_from(receipt: Receipt) -> Iterator[str]:
    """Yield the digests of the files from which a candidate question is made, except its own file."""
    own = candidate_path(receipt.agent)
    return (sha256 for path, _, sha256 in receipt.files if path != own)


def _standing(rehearsal: OpenRehearsal, agent: str, current: Candidate | None) -> list[Candidate]:
    """Return the presenter's own questions, and the other panelists' questions of which *agent* is told.

    If two panelists have questions on one line, the one seated first keeps its own. Both are asked at the
    same time, so if each saw the other's question, each would give way, and nobody would ask.
    """
    place = rehearsal.options.panel.index
    own = _quotes([current] if current is not None else [])
    return [
        one
        for one in _others(rehearsal, agent)
        if one.brought is not None or place(one.agent) < place(agent) or _quotes([one]).isdisjoint(own)
    ]


def _others(rehearsal: OpenRehearsal, agent: str) -> list[Candidate]:
    """Return the presenter's own questions, and the other panelists' that can be asked or confirmed."""
    projection = rehearsal.projection
    brought = [brought_candidate(PRESENTER, *each) for each in projection.still_brought]
    waiting = [one for one in projection.waiting.values() if why_spent(projection, one) is None]
    return brought + [one.candidate for one in waiting if one.candidate.agent != agent]


def _quotes(questions: Sequence[Candidate | Exchange]) -> frozenset[str]:
    """Return the quotes that questions are about."""
    first = [one.quote for one in questions if one.quote is not None and not one.is_missing]
    return frozenset([*first, *(one.beside.quote for one in questions if one.beside is not None)])


def _current(rehearsal: OpenRehearsal, agent: str) -> Candidate | None:
    """Return the panelist's own question that has not been asked yet, or None."""
    last = rehearsal.projection.waiting.get(agent)
    if last is None or last.status == "empty" or was_asked(rehearsal.projection, last.candidate):
        return None
    projection = rehearsal.projection
    if projection.puts_dismissed(last.candidate) or projection.quotes_misheard(last.candidate):
        return None
    own = rehearsal.on_record([last.candidate], lambda one: (one.question, one.quote or ""))
    return own[0] if own else None


@dataclass(frozen=True, slots=True)
class Grounds:
    """The grounds on which a panelist chooses a question, as they are at one moment."""

    common: tuple[object, ...]  # for every question: news, corrections, its contradictions, the talk's end
    others: tuple[Candidate, ...]  # the questions of the others and the presenter that stand
    asked: tuple[Exchange, ...]
    said_on: Mapping[int | None, int]  # how many segments were said on each slide
    places: Mapping[str, int]  # of the seats
    agent: str

    def digest_for(self, question: Candidate | None) -> str:
        """Return the digest of everything that matters for *question*.

        While the digest is the same, the question is kept. The digest covers the common grounds, another
        panelist's question on the same line, to which this one would give way, and what was said on its
        slide, in the talk and in answers. For a question about no particular slide, every answer counts. An
        exchange without an answer does not count, since its question was among the other panelists'.
        """
        own = _quotes([question] if question is not None else [])
        gives_way_to = [
            one.question
            for one in self.others
            if not _quotes([one]).isdisjoint(own)
            and (one.agent not in self.places or self.places[one.agent] < self.places[self.agent])
        ]
        slides = _slides(question)
        answers = [
            (one.id, number, turn.answer)
            for one in self.asked
            if not slides or not slides.isdisjoint(_slides(one))
            for number, turn in enumerate(one.turns)
            if turn.answer
        ]
        said = [(slide, self.said_on.get(slide, 0)) for slide in sorted(slides)]
        return digest([repr(self.common), repr(gives_way_to), repr(answers), repr(said)])


def grounds_of(rehearsal: OpenRehearsal, agent: str) -> Grounds:
    """Return the grounds on which *agent* can choose a question now."""
    projection, tensions = rehearsal.projection, rehearsal.scene().tensions
    seats = zip(tensions, whose(projection, rehearsal.options.panel, tensions), strict=True)
    to_ask = [(one.note, one.sides) for one, seat in seats if seat == agent]
    common = (projection.unsaid, projection.is_played_out, projection.intel_sha256, to_ask)
    places = {seat: place for place, seat in enumerate(rehearsal.options.panel)}
    said_on = Counter(segment.slide for segment in projection.segments)
    others = tuple(_others(rehearsal, agent))
    return Grounds(common, others, tuple(projection.asked), said_on, places, agent)


def _slides(about: Candidate | Exchange | None) -> frozenset[int]:
    """Return the slides that a question is about; none if it is about the whole deck or words of no slide."""
    if about is None:
        return frozenset()
    numbers = (about.slide, about.beside.slide if about.beside is not None else None)
    return frozenset(number for number in numbers if number is not None)


# ---------------------------------------------------------------------- panelist


NO_ANSWER_CAME: Final = "- No answer was given."


def write_focus_briefs(rehearsal: OpenRehearsal, tx: Draft) -> None:
    """Write each panelist's targets into its focus brief, in the order of the seats, no line twice.

    If the engine fails, the question bank chooses instead, and the record says so.
    """
    taken: set[str] = set()
    panel = rehearsal.options.panel
    for number, agent in enumerate(panel, start=1):
        others = tuple(rehearsal.seats[one] for one in panel[number:])
        scene = rehearsal.scene()
        request = FocusBriefRequest(
            rehearsal.seats[agent], scene, frozenset(taken), others, rehearsal.projection.likely
        )
        context = rehearsal.context(agent, purpose="focus-brief", request=request)
        failed, by = None, None
        try:
            targets: tuple[Target, ...] = ask(rehearsal.engine, request, context)
        except EngineError as error:
            bank = stand_in()
            targets = bank.reply(request, context)
            failed, by = str(error), bank.name
        rehearsal.note_calls(tx)
        path = f"{agent}/focus-brief.md"
        heading = tx.read(path)
        tx.write(
            path,
            render.focus_brief(heading, targets) + render.findings(scene.tensions),
            by=agent,
            value=FocusBriefWritten(targets, failed, by),
        )
        taken.update(target.claim for target in targets if target.claim is not None)
        taken.update(target.quote for target in targets if not target.is_missing)


def no_question(agent: str) -> Candidate:
    """Return the candidate that means "no question"."""
    return Candidate(agent, "", None, None, None, None, False, (), 0.0, "", "nothing left to ask")


def write_candidate(
    rehearsal: OpenRehearsal, tx: Draft, agent: str, waiting: Waiting, *, receipt: str | None = None
) -> None:
    """Write a candidate question to its file.

    *receipt* is the id of the receipt of the context from which the question was made.
    """
    heading = f"# Candidate question of {rehearsal.name_of(agent)}"
    question = None if waiting.status == "empty" else waiting.candidate
    tx.write(
        candidate_path(agent),
        render.candidate(
            heading,
            question,
            waiting.status,
            waiting.made_at_s,
            waiting.input_sha256,
            confirmed_at_s=waiting.confirmed_at_s,
        ),
        by=agent,
        value=CandidateWritten(waiting),
        receipt=receipt,
    )


def empty_candidate(rehearsal: OpenRehearsal, agent: str) -> Waiting:
    """Return the empty candidate that an agent's file contains once its question is being asked."""
    nothing = digest(())
    return Waiting(no_question(agent), "empty", rehearsal.now_s(), nothing, nothing)


def add_noted(rehearsal: OpenRehearsal, tx: Draft, exchange: Exchange, judgement: Judgement) -> None:
    """Write a judgement's notes and observations of the presenter to the panelist's files.

    If the judgement has no note (after silence, a verdict from a caller's own loop, or a failed call), the
    outcome of the turn is written as the note.
    """
    agent, now_s = exchange.agent, rehearsal.now_s()
    note = judgement.note
    if not note.strip():
        turn = with_verdict(exchange, judgement).turns[-1]
        note = f"- {_capital(render.verdict(turn, is_last=False))}" if turn.answer else NO_ANSWER_CAME
    add_note(rehearsal, tx, exchange, note)
    if judgement.noticed is not None:
        tx.append(
            f"{agent}/presenter-profile.md",
            render.observation(exchange.id, now_s, judgement.noticed),
            by=agent,
            value=Observed(judgement.noticed),
        )


def add_note(rehearsal: OpenRehearsal, tx: Draft, exchange: Exchange, note: str) -> None:
    """Write a note on the exchange's last turn to the notes of the exchange's panelist."""
    tx.append(
        f"{exchange.agent}/exchange-notes.md",
        render.note(exchange.id, len(exchange.turns), rehearsal.now_s(), note),
        by=exchange.agent,
        value=NoteAdded(exchange.id),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def left_out(rehearsal: OpenRehearsal, exchange: Exchange, why: str) -> None:
    """Record that a judgement which was wanted did not come, and why."""
    rehearsal.store.note(LeftOut("judgement", exchange.id, why), by=exchange.agent)
