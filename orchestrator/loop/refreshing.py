"""Candidate questions made anew: who is asked when, and what is made of what comes.

A recording waits for its engine (`refresh`): its clock stands still meanwhile, and nothing is
given up. Live speech does not (`begin`, `take`, `give_up`): each panelist's call is its own, a
newer one takes the place of one that still runs, and what comes is written only if it still fits.
An engine that fails leaves the last good candidate, as stale, and the reason in the ledger.

A model is asked where a question can be put, and not between: in a recording at breaks, at pauses in
which somebody may come in, and at the end; live, where that can be at any moment, by the timer. It is
shown its own question that was not put yet, and keeps or replaces it: nobody else judges whether
the talk has answered it meanwhile. The offline engine costs nothing and is asked at every tick.

Source: DESIGN.md, sections 6 to 8.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, Final

from orchestrator.context.assemble import Context
from orchestrator.engines import together
from orchestrator.engines.protocol import CandidateRequest
from orchestrator.errors import EngineError, SessionFrozenError
from orchestrator.layout import MODERATOR
from orchestrator.loop import panelist
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.loop.state import Room, Waiting
from orchestrator.loop.state_page import budget_step, show_state
from orchestrator.model.exchange import Candidate, Exchange
from orchestrator.templates.orchestration import HAND_RAISE

INPUT_FILES = slice(4, 10)
"""Files 5 to 10: what can change between two refreshes of one panelist's candidate."""
INTEL = 4

OCCASION: Final = {"break": "break", "pause": "pause", "ask": "pause", "end": "end", "played out": "end"}
"""Why a candidate is wanted, as its request says it; by the timer and at a change of slide: refresh."""
ASKED = "a question was put meanwhile"


@dataclass(frozen=True, slots=True)
class Asked:
    """A panelist that was asked for its candidate question."""

    agent: str
    context: Context
    inputs: str  # digest of files 5 to 10
    at_s: float  # session clock, as of the context
    opened: int  # how many exchanges had been opened by then
    reply: Future[Candidate | None]


def refresh(rehearsal: Rehearsal, why: str) -> None:
    """Look at every panelist's candidate question again and wait for it; one record says when and why.

    By the timer, a panelist whose files 5 to 10 are what they were last time is not asked again.
    *why*: one of `OCCASION`'s keys.
    """
    at_s = rehearsal.now_s()
    _mark_stale(rehearsal)
    unchanged, wanted = _to_ask(rehearsal, why, {}, ())
    asked = [_ask(rehearsal, why, agent, context, digest, at_s) for agent, context, digest in wanted]
    together.wait([one.reply for one in asked])
    _write_round(rehearsal, why, at_s, unchanged, asked)


def begin(
    rehearsal: Rehearsal, why: str, running: dict[str, Asked], *, leave_out: Collection[str] = ()
) -> None:
    """The same for live speech, without waiting: what is not there at once is put into *running*.

    A call of *running* is given up for a newer one of the same panelist, unless nothing that it was
    made from has changed. Take what has come before you begin.
    """
    at_s = rehearsal.now_s()
    _mark_stale(rehearsal)
    unchanged, wanted = _to_ask(rehearsal, why, running, leave_out)
    given_up = [agent for agent, _, _ in wanted if agent in running]
    for agent in given_up:
        running.pop(agent).reply.cancel()
    asked = [_ask(rehearsal, why, agent, context, digest, at_s) for agent, context, digest in wanted]
    done = [one for one in asked if one.reply.done()]
    running.update((one.agent, one) for one in asked if one not in done)
    _write_round(
        rehearsal, why, at_s, unchanged, done, waits=[*running], given_up=given_up, leave_out=leave_out
    )


def take(rehearsal: Rehearsal, one: Asked) -> None:
    """Write what has come for *one*, in a transaction of its own, if it still fits; else why it does not."""
    spent = _note_calls(rehearsal)
    got = together.outcome(one.reply)
    with rehearsal.store.transaction():
        value: dict[str, Any] = {"type": "refreshed", "agent": one.agent, "at_s": one.at_s}
        made, failed = _made_of(rehearsal, one, got)
        dropped = _overtaken(rehearsal, one, made)
        if dropped is not None:
            rehearsal.store.note({**value, "dropped": dropped}, by=MODERATOR)
            return
        inputs = {} if failed else {one.agent: one.inputs}
        writes = made is not None and _differs(made, rehearsal.room.waiting.get(one.agent))
        if made is not None and writes:
            panelist.write_candidate(rehearsal, one.agent, made)
        elif made is not None:
            _confirm(rehearsal, one)
        now = {one.agent: made} if made is not None else {}
        hands = _hands_up(rehearsal, now, inputs)
        value |= {"made": writes, "inputs": inputs, **({"failed": failed} if failed else {})}
        raised = {"hands": [*hands]} if rehearsal.options.mode == HAND_RAISE else {}
        rehearsal.store.note({**value, **raised}, by=MODERATOR)
        _show_changes(rehearsal, hands, inputs, failed, spent=spent)


def give_up(rehearsal: Rehearsal, running: dict[str, Asked], why: str) -> None:
    """Let go of every running call; the ledger says why, unless the session has ended."""
    if not running:
        return
    given_up = [*running.values()]
    running.clear()
    for one in given_up:
        one.reply.cancel()
    try:
        rehearsal.note_calls()
        with rehearsal.store.transaction():
            for one in given_up:
                value = {"type": "refreshed", "agent": one.agent, "at_s": one.at_s, "dropped": why}
                rehearsal.store.note(value, by=MODERATOR)
    except SessionFrozenError:
        return


def opened_so_far(room: Room) -> int:
    """How many exchanges have been opened."""
    return len(room.exchanges) + (room.open is not None)


# ---------------------------------------------------------------------- asking


def _to_ask(
    rehearsal: Rehearsal, why: str, running: Mapping[str, Asked], leave_out: Collection[str]
) -> tuple[dict[str, str], list[tuple[str, Context, str]]]:
    """Whose candidate is confirmed, with the digest of what it was made from; who is asked, and with what."""
    unchanged: dict[str, str] = {}
    wanted = []
    room = rehearsal.room
    for agent in rehearsal.options.panel:
        if agent in leave_out:
            continue
        context = rehearsal.peek(agent, purpose="candidate-question")
        digest = _digest([sha256 for _, _, sha256 in context.receipt.files[INPUT_FILES]])
        if why == "timer" and agent in running and running[agent].inputs == digest:
            continue
        if why == "timer" and agent not in room.failed and room.inputs.get(agent) == digest:
            unchanged[agent] = digest
            continue
        wanted.append((agent, context, digest))
    return unchanged, wanted


def _ask(rehearsal: Rehearsal, why: str, agent: str, context: Context, digest: str, at_s: float) -> Asked:
    request = _request(rehearsal, agent, OCCASION.get(why, "refresh"))
    context = rehearsal.addressed(request, context)
    rehearsal.keep(context)
    reply = together.begun(rehearsal.engine, request, context)
    return Asked(agent, context, digest, at_s, opened_so_far(rehearsal.room), reply)


def _request(rehearsal: Rehearsal, agent: str, occasion: str) -> CandidateRequest:
    room, options = rehearsal.room, rehearsal.options
    current = _current(rehearsal, agent)
    standing = _standing(rehearsal, agent, current)
    quoted = _quotes(room.asked) | _quotes(standing)
    questions = [turn.question for exchange in room.asked for turn in exchange.turns]
    left_s = options.minutes * 60 - rehearsal.now_s() - room.spent_s
    return CandidateRequest(
        rehearsal.seats[agent],
        rehearsal.kept_scene(),
        targets=room.targets.get(agent, ()),
        taken=room.asked_claims,
        standing=tuple(rehearsal.on_record(standing, lambda one: (one.question, one.quote or ""))),
        asked=tuple(rehearsal.on_record(questions, lambda text: (text,))),
        taken_lines=frozenset(rehearsal.on_record(sorted(quoted), lambda text: (text,))),
        occasion=occasion,
        exchanges_left=max(0, options.exchanges - len(room.exchanges)),
        minutes_left=round(max(0.0, left_s) / 60, 1),
        may_look_ahead=room.is_played_out or room.slide is None,
        current=current,
    )


def _standing(rehearsal: Rehearsal, agent: str, current: Candidate | None) -> tuple[Candidate, ...]:
    """The others' questions that may be asked. Of two on one line the panelist seated first keeps its own.

    Both are asked at once: if each saw the other's, each would give way, and nobody would ask.
    """
    own = _quotes([current] if current is not None else [])
    panel = rehearsal.options.panel
    return tuple(
        waiting.candidate
        for other, waiting in rehearsal.room.waiting.items()
        if other != agent
        and panelist.why_stale(rehearsal, waiting) is None
        and (panel.index(other) < panel.index(agent) or _quotes([waiting.candidate]).isdisjoint(own))
    )


def _quotes(questions: Sequence[Candidate | Exchange]) -> frozenset[str]:
    """The lines that questions are about."""
    first = [one.quote for one in questions if one.quote is not None and not one.is_missing]
    return frozenset([*first, *(one.beside.quote for one in questions if one.beside is not None)])


def _current(rehearsal: Rehearsal, agent: str) -> Candidate | None:
    """The panelist's own question that was not put yet."""
    last = rehearsal.room.waiting.get(agent)
    if last is None or last.status == "empty" or panelist.was_asked(rehearsal.room, last.candidate):
        return None
    own = rehearsal.on_record([last.candidate], lambda one: (one.question, one.quote or ""))
    return own[0] if own else None


def _mark_stale(rehearsal: Rehearsal) -> None:
    """Before a model is shown its files: what may not be asked any more does not stand as ready."""
    if not rehearsal.has_model:
        return
    for agent, waiting in list(rehearsal.room.waiting.items()):
        if waiting.status == "ready" and panelist.why_stale(rehearsal, waiting) is not None:
            panelist.write_candidate(rehearsal, agent, replace(waiting, status="stale"))


def _confirm(rehearsal: Rehearsal, one: Asked) -> None:
    """A model has kept its question: its file says when. Of rules, at every tick, the record says it."""
    last = rehearsal.room.waiting.get(one.agent)
    if rehearsal.has_model and last is not None and last.status == "ready":
        panelist.write_candidate(rehearsal, one.agent, replace(last, confirmed_at_s=one.at_s))


# ---------------------------------------------------------------------- writing


def _write_round(
    rehearsal: Rehearsal,
    why: str,
    at_s: float,
    unchanged: Mapping[str, str],
    done: Sequence[Asked],
    *,
    waits: Sequence[str] = (),
    given_up: Sequence[str] = (),
    leave_out: Collection[str] = (),
) -> None:
    """One record for a round, and the candidates that came of it."""
    spent = _note_calls(rehearsal)
    digests, made, failed = dict(unchanged), {}, {}
    for one in done:
        got = together.outcome(one.reply)
        waiting, fault = _made_of(rehearsal, one, got)
        failed.update(fault)
        if not fault:
            digests[one.agent] = one.inputs
        if waiting is not None and _differs(waiting, rehearsal.room.waiting.get(one.agent)):
            made[one.agent] = waiting
    panel = rehearsal.options.panel
    inputs = {agent: digests[agent] for agent in panel if agent in digests}
    value = {
        "type": "refresh",
        "at_s": at_s,
        "why": why,
        "made": [*made],
        "inputs": inputs,
        **({"failed": failed} if failed else {}),
        **({"waits": [agent for agent in panel if agent in waits]} if waits else {}),
        **({"given_up": [*given_up]} if given_up else {}),
        **({"left_out": [*leave_out]} if leave_out else {}),
    }
    with rehearsal.store.transaction():
        for agent, waiting in made.items():
            panelist.write_candidate(rehearsal, agent, waiting)
        for one in done:
            if one.agent not in made and one.agent not in failed:
                _confirm(rehearsal, one)
        hands = _hands_up(rehearsal, made, inputs)
        rehearsal.store.note({**value, **({"hands": [*hands]} if hands else {})}, by=MODERATOR)
        _show_changes(rehearsal, hands, inputs, failed, spent=spent)


def _made_of(
    rehearsal: Rehearsal, one: Asked, got: Candidate | EngineError | None
) -> tuple[Waiting | None, dict[str, str]]:
    """What stands in the candidate's file after this reply, None: what stood there; and why it failed."""
    if isinstance(got, EngineError):
        return _as_stale(rehearsal, one.agent), {one.agent: str(got)}
    files, last = one.context.receipt.files, rehearsal.room.waiting.get(one.agent)
    is_kept = rehearsal.has_model and last is not None and got is not None and got == last.candidate
    waiting = Waiting(
        candidate=got if got is not None else panelist.no_question(one.agent),
        status="empty" if got is None else "stale" if panelist.was_asked(rehearsal.room, got) else "ready",
        made_at_s=last.made_at_s if is_kept and last is not None else one.at_s,
        input_sha256=_digest([sha256 for _, _, sha256 in files[:10]]),
        intel_sha256=files[INTEL][2],
        confirmed_at_s=one.at_s if is_kept else None,
    )
    return waiting, {}


def _overtaken(rehearsal: Rehearsal, one: Asked, made: Waiting | None) -> str | None:
    """Why what came must not be written any more; None: it fits."""
    room = rehearsal.room
    if room.state == "closing":
        return "the session is being ended"
    if room.confirmed_s.get(one.agent, -1.0) > one.at_s:
        return "a newer one was made elsewhere"
    if made is None or made.status == "stale":
        return None
    if opened_so_far(room) != one.opened:
        return ASKED
    return panelist.why_stale(rehearsal, made, confirmed_at_s=one.at_s) if made.status == "ready" else None


def _as_stale(rehearsal: Rehearsal, agent: str) -> Waiting | None:
    last = rehearsal.room.waiting.get(agent)
    return replace(last, status="stale") if last is not None and last.status == "ready" else None


def _differs(new: Waiting, old: Waiting | None) -> bool:
    """Whether the file must be written; the same question again only confirms it."""
    return old is None or (new.candidate, new.status) != (old.candidate, old.status)


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("".join(parts).encode()).hexdigest()


# ---------------------------------------------------------------------- showing


def _hands_up(
    rehearsal: Rehearsal, made: Mapping[str, Waiting], confirmed: Collection[str]
) -> tuple[str, ...]:
    """In hand raise, whose candidate may be asked, given what was made and confirmed just now."""
    if rehearsal.options.mode != HAND_RAISE:
        return ()
    waiting = {**rehearsal.room.waiting, **made}
    now_s = rehearsal.now_s()
    return tuple(
        agent
        for agent in rehearsal.options.panel
        if agent in waiting
        and panelist.why_stale(
            rehearsal, waiting[agent], confirmed_at_s=now_s if agent in confirmed else None
        )
        is None
    )


def _note_calls(rehearsal: Rehearsal) -> bool:
    """Note what the calls have cost; whether that has brought the session's budget a step further."""
    before = budget_step(rehearsal)
    rehearsal.note_calls()
    return budget_step(rehearsal) != before


def _show_changes(
    rehearsal: Rehearsal,
    hands: tuple[str, ...],
    inputs: Collection[str],
    failed: Mapping[str, str],
    *,
    spent: bool,
) -> None:
    """Session-state, where hands, failures or what is left of the budget have changed."""
    room = rehearsal.room
    failing = {agent: why for agent, why in room.failed.items() if agent not in inputs} | dict(failed)
    raised = hands != room.hands and room.open is None
    if raised or spent or failing != room.failed:
        state = room.state if room.open is not None else "presenting"
        show_state(rehearsal, state, room.open, hands=hands, failed=failing)
