"""Asking a question: who asks it, and what is written when it is asked.

Each question is one transaction that begins from the state.

Source: DESIGN.md, section 7.
"""

from __future__ import annotations

from dataclasses import replace

from orchestrator.core.context.receipt import Receipt
from orchestrator.core.errors import EngineError, SessionStateError, UsageError
from orchestrator.core.legible import one_line
from orchestrator.core.table import MODERATOR
from orchestrator.material.checks.grounding import speech_passages
from orchestrator.panel.loop import moderator, panelist, refreshing
from orchestrator.panel.loop.calling_on import (
    Choice,
    brought_choice,
    choose,
    choose_at_pause,
    digest,
    not_heard,
    to_come_back,
)
from orchestrator.panel.loop.moderator import bare_of, say
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.state_page import show_state
from orchestrator.panel.model.exchange import (
    Candidate,
    Exchange,
    Turn,
    still_to_come_back,
)
from orchestrator.panel.personas.orchestration import FREE_FLOW
from orchestrator.panel.records.exchanges import ExchangeOpened, NobodyAsked, PutAgain
from orchestrator.panel.records.projection import INTEL, Projection, Waiting, bare_first

OF_ONES_OWN = "was asked from outside the loop"
"""The reason recorded for a question that was passed to the session from outside the loop."""


def ask(rehearsal: OpenRehearsal, *, at_pause: bool = False) -> Exchange | None:
    """Let somebody ask a question, and return its exchange, or None if nobody asks.

    If nobody asks at a break or at the end, that is recorded. If *at_pause*, the presenter has only paused,
    so only panelists who may come in now can ask. In free flow, panelists cut in without being called on.
    """
    if _gave_way(rehearsal.projection):
        return _put_again(rehearsal)
    if not at_pause:
        return _call_on_next(rehearsal)
    state = rehearsal.state()
    choice = choose_at_pause(state)
    if choice is None:
        parked = to_come_back(state)
        return _come_back(rehearsal, parked) if parked is not None else None
    return open_exchange(rehearsal, choice, calls=rehearsal.options.mode != FREE_FLOW)


def call_on(rehearsal: OpenRehearsal, agent: str | None = None, *, parked: bool = False) -> Exchange | None:
    """Call on a panelist, as `Session.ask` does without a question.

    If no exchanges are left, parked ones come first.
    """
    if agent is not None:
        _check_seat(rehearsal, agent)
    if _gave_way(rehearsal.projection):
        return _put_again(rehearsal)
    if rehearsal.projection.open is not None:
        raise _is_open(rehearsal.projection.open)
    if agent is not None and (own := _written_by_hand(rehearsal, agent)) is not None:
        return put_own(rehearsal, agent, *own)
    waiting = _parked(rehearsal.projection, agent)
    if not parked and (waiting is None or not rehearsal.state().is_full):
        choice = brought_choice(rehearsal.state(), agent, everywhere=True)
        if choice is None:  # what was brought needs nobody's thought
            refreshing.refresh(rehearsal, "ask")
            choice = choose(rehearsal.state(), agent)
        if choice is not None:
            return open_exchange(rehearsal, choice)
    if waiting is not None:
        return _come_back(rehearsal, waiting)
    why = next((why for seat, why in rehearsal.projection.failed.items() if agent in (None, seat)), None)
    if why is not None and not parked:
        raise EngineError(f"nobody has a question that may be asked: {why}")
    return None


def _written_by_hand(rehearsal: OpenRehearsal, agent: str) -> tuple[str, None, Receipt | None] | None:
    """Return the question that a caller's own loop left in *agent*'s candidate file, and its receipt.

    Return None if the file is empty or its question is the panel's, which has a value beside its text.
    """
    store = rehearsal.store
    path = f"{agent}/candidate-question.md"
    seqs = store.state(path).seqs
    record = store.record(seqs[-1]) if seqs else None
    if record is None or record.op == "create" or record.held is not None or record.by != agent:
        return None
    words = one_line(store.content(path))
    if not words:
        return None
    made_from = rehearsal.assembler.receipt(record.receipt) if record.receipt is not None else None
    return words, None, made_from


def put_own(
    rehearsal: OpenRehearsal,
    agent: str,
    question: str,
    quote: str | None = None,
    receipt: Receipt | None = None,
) -> Exchange:
    """Ask a question as `Rehearsal.put` does.

    With a receipt, write it to the agent's candidate file first.

    Every question of an engine comes from that file, so the proof of both kinds is found in the same place.
    """
    _check_seat(rehearsal, agent)
    words = one_line(question)
    if not words:
        raise UsageError("a question needs words")
    candidate = Candidate(agent, words, None, None, None, quote, quote is not None, (), 0.0, "", OF_ONES_OWN)
    if quote is not None:
        candidate = _placed(rehearsal, candidate, quote)
    return open_exchange(rehearsal, Choice(agent, candidate, OF_ONES_OWN), receipt=receipt)


def _placed(rehearsal: OpenRehearsal, candidate: Candidate, quote: str) -> Candidate:
    """Return the candidate with its quote's place: the last speech that contains it, else the first slide."""
    scene = rehearsal.scene()
    spoken = speech_passages([segment for _, segment in rehearsal.said()])
    where = next(
        (one for one in (*spoken[::-1], *rehearsal.deck_passages) if quote and quote in one.text), None
    )
    if where is None:
        raise UsageError(f"{quote!r} is on no slide and in nothing that was said: quote word for word")
    claims = scene.deck_claims if where.said_at_s is None else scene.speech_claims
    claim = next((one for one in claims if one.slide == where.slide and quote in one.text), None)
    return replace(
        candidate, slide=where.slide, said_at_s=where.said_at_s, claim=claim.id if claim is not None else None
    )


def _check_seat(rehearsal: OpenRehearsal, agent: str) -> None:
    if agent not in rehearsal.options.panel:
        raise UsageError(
            f"{agent!r} is not a panelist here: call on one of {', '.join(rehearsal.options.panel)}"
        )


def _is_open(exchange: Exchange) -> SessionStateError:
    return SessionStateError("a question is still open: answer it or park it first", value=exchange.id)


def _call_on_next(rehearsal: OpenRehearsal) -> Exchange | None:
    """Call on whoever is next, at a break or at the end, or record that nobody has a question.

    At the end, panelists who have not asked yet come first, then parked questions, then the other panelists.
    Before the end, a parked question comes only when nobody has another. Live, it comes after something else
    has happened since the parking (`to_come_back`). If the presenter wants a question, it comes even when the
    exchanges are used up.
    """
    state, projection = rehearsal.state(), rehearsal.projection
    choice = None if state.is_full else choose(state, holds_back=not projection.is_played_out)
    comes_back = projection.is_question_wanted or (projection.is_played_out and not state.is_full)
    parked = _parked(projection) if comes_back else to_come_back(state)
    is_first_heard = choice is not None and choice.agent in not_heard(state)
    is_brought = choice is not None and choice.candidate.brought is not None
    is_next = projection.is_played_out and not is_first_heard and not is_brought
    if parked is not None and (choice is None or (is_next and _is_ripe(projection, parked))):
        return _come_back(rehearsal, parked)
    if choice is not None:
        return open_exchange(rehearsal, choice)
    why = "the exchanges are used up" if state.is_full else "nobody has a question"
    if not state.is_full and choose(state) is not None:
        why = "the exchanges that are left are kept for panelists not heard yet"
    elif not state.is_full and projection.still_brought:
        why = "the exchanges that are left are kept for questions that the presenter brought"
    with rehearsal.store.transaction() as tx:
        if not state.is_full and projection.failed and not projection.is_played_out:
            say(rehearsal, tx, moderator.STALLING, slide=projection.slide)
        elif projection.said and projection.said[-1].occasion == moderator.NO_QUESTION:
            say(rehearsal, tx, moderator.TRANSITION, slide=projection.slide)
        tx.note(NobodyAsked(why), by=MODERATOR)
    return None


def _parked(projection: Projection, agent: str | None = None) -> Exchange | None:
    """Return the oldest parked question, or None if none is left; if *agent* is given, only that agent's."""
    waiting = still_to_come_back(projection.exchanges)
    return next((one for one in waiting if agent in (None, one.agent)), None)


def _is_ripe(projection: Projection, parked: Exchange) -> bool:
    """Return whether the talk went on, or another question was asked, since *parked* was parked."""
    return (
        projection.exchanges[-1].id != parked.id
        or len(projection.exchanges) == projection.asked_when_played_out
    )


def _come_back(rehearsal: OpenRehearsal, parked: Exchange) -> Exchange:
    """Ask a parked question again in a new exchange, judged on what it still needs.

    The lead-in of the question was said when it was first asked, and is not repeated.
    """
    exchange = replace(
        parked,
        why_this_agent=f"the question that was parked as {parked.id} comes back",
        asked_at_s=rehearsal.now_s(),
        turns=(Turn(bare_first(parked), parked.turns[-1].needs, bare=parked.turns[0].bare),),
        outcome=None,
        spent_s=0.0,
        comes_back_to=parked.id,
    )
    return _put(rehearsal, exchange, moderator.COMING_BACK)


def open_exchange(
    rehearsal: OpenRehearsal, choice: Choice, *, calls: bool = True, receipt: Receipt | None = None
) -> Exchange:
    """Ask the question of *choice*: from here on the presenter's words are the answer.

    Args:
        calls: Whether the moderator says that the panelist has the floor.
        receipt: The receipt of the context from which a caller's own loop made the question.
    """
    candidate = choice.candidate
    bare = candidate.bare if candidate.bare is not None else bare_of(candidate.question, candidate.quote)
    exchange = Exchange(
        id="",
        agent=choice.agent,
        claim=candidate.claim,
        slide=candidate.slide,
        said_at_s=candidate.said_at_s,
        quote=candidate.quote,
        grounded=candidate.grounded,
        why_this_agent=choice.why,
        asked_at_s=rehearsal.now_s(),
        turns=(Turn(_spoken(candidate), candidate.needs, lead_in=candidate.lead_in.strip(), bare=bare),),
        angle=candidate.angle,
        beside=candidate.beside,
        under=candidate.under,
        good_answer=candidate.good_answer,
        is_missing=candidate.is_missing,
        written_by=candidate.written_by,
        brought=candidate.brought,
    )
    made = None if receipt is None else (_made_from(rehearsal, candidate, receipt), receipt.id)
    return _put(rehearsal, exchange, moderator.CALLING if calls else None, made)


def _made_from(rehearsal: OpenRehearsal, candidate: Candidate, receipt: Receipt) -> Waiting:
    """Return the candidate as it would wait in its file, made from the context of *receipt*."""
    intel = rehearsal.store.content(INTEL, at_seq=receipt.seq)
    return Waiting(
        candidate=candidate,
        status="ready",
        made_at_s=rehearsal.now_s(),
        input_sha256=digest(panelist.made_from(receipt)),
        intel_sha256=digest([intel]),
    )


def _put(
    rehearsal: OpenRehearsal,
    exchange: Exchange,
    occasion: str | None,
    made: tuple[Waiting, str] | None = None,
) -> Exchange:
    """Open an exchange, numbered under the lock, since other processes ask too.

    Args:
        made: The candidate to write to its file first, and the id of its receipt.
    """
    with rehearsal.store.transaction() as tx:
        if rehearsal.projection.open is not None:
            raise _is_open(rehearsal.projection.open)
        exchange = replace(exchange, id=f"x{rehearsal.projection.last_exchange + 1}")
        if occasion is not None:
            say(rehearsal, tx, occasion, exchange=exchange.id, agent=exchange.agent, slide=exchange.slide)
        if made is not None:
            waiting, receipt_id = made
            panelist.write_candidate(rehearsal, tx, exchange.agent, waiting, receipt=receipt_id)
        show_state(rehearsal, tx, "question", exchange)
        tx.note(ExchangeOpened(exchange), by=MODERATOR)
        if (
            exchange.comes_back_to is None and exchange.brought is None
        ):  # else its panelist's own still stands
            empty = panelist.empty_candidate(rehearsal, exchange.agent)
            panelist.write_candidate(rehearsal, tx, exchange.agent, empty)
        show_state(rehearsal, tx, "answering", exchange)
    return exchange


def _gave_way(projection: Projection) -> bool:
    """Return whether the open question gave way to the talk, and so is asked again before every other one."""
    return projection.open is not None and projection.asking is None


def _put_again(rehearsal: OpenRehearsal) -> Exchange:
    """Ask the question again that gave way to the talk, unless somebody else has done so."""
    with rehearsal.store.transaction() as tx:
        exchange = rehearsal.projection.open
        if exchange is None:
            raise SessionStateError("the question that waited was closed meanwhile")
        if _gave_way(rehearsal.projection):
            if rehearsal.options.mode != FREE_FLOW:
                agent = exchange.agent
                say(rehearsal, tx, moderator.CALLING, exchange=exchange.id, agent=agent, slide=exchange.slide)
            tx.note(PutAgain(exchange.id), by=MODERATOR)
            show_state(rehearsal, tx, "answering", exchange)
        return rehearsal.projection.open or exchange


def _spoken(candidate: Candidate) -> str:
    """Return the candidate's lead-in and question as one text, as they are spoken."""
    return f"{candidate.lead_in} {candidate.question}".strip()
