"""Refreshing candidate questions: when which panelist is asked, and how the replies are used.

A recording waits for its engine (`refresh`): its clock stops meanwhile, and nothing is cancelled. Live speech
does not wait (`begin`, `take`, `give_up`): each panelist has a separate call, a newer one replaces one that
still runs, and a reply is written only if it still fits. If the engine fails, the last good candidate stays,
marked as stale, and the ledger says why.

`why_refresh` decides when. A model is shown its own question that was not asked yet (`panelist.request_of`),
and keeps or replaces it. Nothing else judges whether the talk has answered the question.

Source: DESIGN.md, sections 6 to 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Final

from orchestrator.core.context.assemble import Context
from orchestrator.core.context.messages import LIFETIME_S
from orchestrator.core.errors import EngineError, SessionFrozenError
from orchestrator.core.store.transaction import Draft
from orchestrator.core.table import MODERATOR, Mutability
from orchestrator.panel.engines import together
from orchestrator.panel.loop import panelist
from orchestrator.panel.loop.calling_on import digest, is_same_digest, was_asked, why_spent, why_stale
from orchestrator.panel.loop.panelist import Grounds, candidate_path, grounds_of, made_from, request_of
from orchestrator.panel.loop.rehearsal import OpenRehearsal
from orchestrator.panel.loop.state import State
from orchestrator.panel.loop.state_page import budget_step, show_state
from orchestrator.panel.model.exchange import Candidate
from orchestrator.panel.personas.orchestration import HAND_RAISE
from orchestrator.panel.records.exchanges import CallTaken, RoundMade
from orchestrator.panel.records.projection import INTEL, Waiting

# ---------------------------------------------------------------------- refresh rules
# When the panel's candidate questions are looked at again: the 15-second rule and its exceptions.
#
# The seconds stand in the session's orchestration.md (`refresh`, under "Timers"); here is decided what
# they mean. `steps` asks before each step, and `refreshing` does it.
#
# The offline engine costs nothing, so it is asked at every tick and change of slide, live also while a
# question is open. A model is asked where a question can be put: in a recording at breaks, at pauses in
# which somebody may come in (`steps`), and at the end; live, where that can be at any moment, by the timer
# and at each change of slide. While a question is open no other can be put, so it is asked once the answer
# is complete and its verdict under way, and then those alone whose question something of the answer bears
# on.
#
# The moderator's page of the session's state costs nothing with either: it follows the clock all the time.
#
# Source: DESIGN.md, section 6.


TIMER: Final = "timer"
SLIDE: Final = "slide"
REFRESH: Final = "refresh"
WHY: Final = {
    TIMER: REFRESH,
    SLIDE: REFRESH,
    "break": "break",
    "pause": "pause",
    "ask": "pause",
    "end": "end",
    "played out": "end",
}
"""Maps the reason for refreshing the candidates to the occasion that a panelist's request names."""


def why_refresh(state: State, *, presides: bool) -> str | None:
    """Return why the candidates must be refreshed before anything else, or None if they need not be.

    *presides* is whether the moderator runs the questions by itself.
    """
    projection = state.projection
    if state.has_model and state.left <= len(projection.still_brought):
        return None  # no panelist can ask a question of its own any more
    if state.live is not None:
        is_time = state.now_s - projection.refreshed_at_s >= state.rules.timers_s.refresh
        return SLIDE if projection.refresh_due else TIMER if is_time else None
    if not state.has_model:
        return ("played out" if projection.is_played_out else SLIDE) if projection.refresh_due else None
    if not presides or not projection.is_to_be_thought_of:
        return None
    return "end" if projection.is_played_out else "break"


def is_state_old(state: State) -> bool:
    """Return whether session-state.md is older than the timer allows; never in a recording."""
    is_time = state.now_s - state.projection.state_shown_s >= state.rules.timers_s.refresh
    return state.live is not None and is_time


def next_tick_s(state: State) -> float:
    """Return when the timer is next due in a recording, on the session clock; infinity if the engine is a
    model.

    Ticks are whole multiples of the interval, so that they do not depend on how long a refresh took.
    """
    every_s = state.rules.timers_s.refresh
    return inf if state.has_model else (state.projection.refreshed_at_s // every_s + 1) * every_s


# ---------------------------------------------------------------------- refreshing


MIN_GAP_S: Final = 60.0
"""Shortest gap between two rounds to expect: nobody is asked during an answer, and most answers take less
than a minute.
"""
ASKED = "a question was put meanwhile"
UNSAID = "words that it had heard were taken back or corrected meanwhile"


@dataclass(frozen=True, slots=True)
class Asked:
    """A panelist that was asked for its candidate question, with the reply to come."""

    agent: str
    context: Context
    inputs: str  # digest of what can change of its files
    at_s: float  # session clock, as of the context
    opened: int  # how many exchanges had been opened by then
    grounds: Grounds  # what its choice can rest on
    unsaid: tuple[int, int]  # as of the projection then
    reply: Future[Candidate | None]


def refresh(rehearsal: OpenRehearsal, why: str) -> None:
    """Refresh every panelist's candidate question, and wait; one record says when and why.

    At the timer, a panelist whose files are unchanged is not asked again. A model's question is kept without
    asking the model if nothing new matters for it (`Grounds`). *why* is one of the keys of `WHY`.
    """
    at_s = rehearsal.now_s()
    _mark_stale(rehearsal)
    unchanged, wanted = _to_ask(rehearsal, why, {}, None)
    asked = _ask(rehearsal, why, at_s, wanted)
    together.wait([one.reply for one in asked])
    _write_round(rehearsal, RoundMade(at_s, why), unchanged, asked)


def begin(
    rehearsal: OpenRehearsal, why: str, running: dict[str, Asked], *, leave_out: str | None = None
) -> None:
    """Refresh for live speech without waiting: calls that are not done at once are added to *running*.

    A call in *running* is cancelled for a newer one of the same panelist if its inputs have changed. Call
    `take` for the finished calls first.
    """
    at_s = rehearsal.now_s()
    _mark_stale(rehearsal)
    unchanged, wanted = _to_ask(rehearsal, why, running, leave_out)
    given_up = [agent for agent, _, _ in wanted if agent in running]
    for agent in given_up:
        running.pop(agent).reply.cancel()
    asked = _ask(rehearsal, why, at_s, wanted)
    done = [one for one in asked if one.reply.done()]
    running.update((one.agent, one) for one in asked if one not in done)
    made = RoundMade(
        at_s,
        why,
        waits=tuple(agent for agent in rehearsal.options.panel if agent in running),
        given_up=tuple(given_up),
        left_out=(leave_out,) if leave_out is not None else (),
    )
    _write_round(rehearsal, made, unchanged, done)


def take(rehearsal: OpenRehearsal, one: Asked) -> None:
    """Write the result of the call *one*, in a separate transaction, if it still fits; else record why
    not.
    """
    spent = _note_calls(rehearsal)
    with rehearsal.store.transaction() as tx:
        dropped = _overtaken(rehearsal, one, *_made_of(rehearsal, one))
        if dropped is not None:
            tx.note(CallTaken(one.agent, one.at_s, dropped), by=MODERATOR)
            return
        came = _came(rehearsal, [one])
        value = CallTaken(
            one.agent,
            one.at_s,
            made=one.agent in came.made,
            inputs=came.inputs,
            # That nobody's is up is news as well.
            hands=() if rehearsal.options.mode == HAND_RAISE else None,
        )
        _write(rehearsal, tx, came, value, spent=spent)


def give_up(rehearsal: OpenRehearsal, running: dict[str, Asked], why: str) -> None:
    """Cancel every call in *running*, and record *why* in the ledger unless the session has ended."""
    if not running:
        return
    given_up = [*running.values()]
    running.clear()
    for one in given_up:
        one.reply.cancel()
    try:
        rehearsal.note_calls()
        with rehearsal.store.transaction() as tx:
            for one in given_up:
                tx.note(CallTaken(one.agent, one.at_s, why), by=MODERATOR)
    except SessionFrozenError:
        return


# ---------------------------------------------------------------------- asking


def _to_ask(
    rehearsal: OpenRehearsal, why: str, running: Mapping[str, Asked], leave_out: str | None
) -> tuple[dict[str, str], list[tuple[str, Context, str]]]:
    """Return the agents whose candidates are kept, with inputs' digests, and those to ask, with contexts."""
    unchanged: dict[str, str] = {}
    wanted = []
    projection = rehearsal.projection
    for agent in rehearsal.options.panel:
        if agent == leave_out:
            continue
        context = rehearsal.peek(agent, purpose="candidate-question")
        inputs = digest(_changing(rehearsal, context))
        if why == TIMER and agent in running and running[agent].inputs == inputs:
            continue
        is_same = agent not in projection.failed and is_same_digest(projection.inputs.get(agent), inputs)
        stands = (
            agent not in running and _stands(rehearsal, agent) and not _is_forgotten_soon(rehearsal, agent)
        )
        if (why == TIMER and is_same) or stands:
            unchanged[agent] = inputs
            continue
        wanted.append((agent, context, inputs))
    rehearsal.rounds_at_s.append(rehearsal.elapsed_s())
    return unchanged, wanted


def _is_forgotten_soon(rehearsal: OpenRehearsal, agent: str) -> bool:
    """Return whether the service's cache is likely to lose the agent's files before the next round.

    The time to the next round is estimated from the last two rounds. If the cache is likely to lose the
    files, the agent's question is refreshed although it is current. That reads the files once and keeps them
    cached for the judgement that may follow, which would otherwise write them all again.
    """
    now_s, given_s = rehearsal.elapsed_s(), rehearsal.given_at_s.get(agent)
    if given_s is None:
        return False
    gap_s = max([MIN_GAP_S, *(after - before for before, after in pairwise([*rehearsal.rounds_at_s, now_s]))])
    return now_s - given_s < LIFETIME_S <= now_s + gap_s - given_s


def _stands(rehearsal: OpenRehearsal, agent: str) -> bool:
    """Return whether a model's question can still be asked, and nothing new matters for it.

    The question's age does not count: code has checked it just now, and the round confirms it.
    """
    projection = rehearsal.projection
    last = projection.waiting.get(agent)
    if not rehearsal.has_model or last is None or agent in projection.failed:
        return False
    if why_spent(projection, last) is not None:
        return False
    return is_same_digest(last.bears_sha256, grounds_of(rehearsal, agent).digest_for(last.candidate))


def _ask(
    rehearsal: OpenRehearsal, why: str, at_s: float, wanted: Sequence[tuple[str, Context, str]]
) -> list[Asked]:
    """Ask every agent in *wanted* for a candidate question, all about the same moment."""
    if not wanted:
        return []
    scene, asked = rehearsal.scene(), []
    for agent, context, inputs in wanted:
        request = request_of(rehearsal, agent, WHY[why], scene)
        context = rehearsal.addressed(request, context)
        rehearsal.keep(context)
        reply = together.begun(rehearsal.engine, request, context)
        grounds = grounds_of(rehearsal, agent)
        asked.append(
            Asked(
                agent,
                context,
                inputs,
                at_s,
                rehearsal.projection.opened,
                grounds,
                rehearsal.projection.unsaid,
                reply,
            )
        )
    return asked


def _mark_stale(rehearsal: OpenRehearsal) -> None:
    """Mark candidates that may not be asked any more as stale, before a model is shown its files."""
    if not rehearsal.has_model:
        return
    for agent, waiting in list(rehearsal.projection.waiting.items()):
        if waiting.status != "ready" or _stands(rehearsal, agent):
            continue
        if why_stale(rehearsal.state(), waiting) is not None:
            with rehearsal.store.transaction() as tx:
                panelist.write_candidate(rehearsal, tx, agent, replace(waiting, status="stale"))


def _confirmed(rehearsal: OpenRehearsal, kept: Mapping[str, str]) -> dict[str, str]:
    """Return the models' questions that are kept, as a map of agent to the grounds' digest."""
    waiting = rehearsal.projection.waiting
    return {
        agent: bears
        for agent, bears in kept.items()
        if rehearsal.has_model and agent in waiting and waiting[agent].status == "ready"
    }


# ---------------------------------------------------------------------- writing


@dataclass(frozen=True, slots=True)
class _Came:
    """The results of calls, by agent."""

    made: Mapping[str, Waiting]  # to be written
    kept: Sequence[Asked]  # what stands in the file came again
    inputs: Mapping[str, str]  # digests of what was made or confirmed, in the order of the seats
    failed: Mapping[str, str]  # and why


def _came(
    rehearsal: OpenRehearsal, done: Sequence[Asked], unchanged: Mapping[str, str] | None = None
) -> _Came:
    digests: dict[str, str] = dict(unchanged or {})
    made: dict[str, Waiting] = {}
    failed: dict[str, str] = {}
    for one in done:
        waiting, why = _made_of(rehearsal, one)
        if why is not None:
            failed[one.agent] = why
        else:
            digests[one.agent] = one.inputs
        if waiting is not None and _differs(waiting, rehearsal.projection.waiting.get(one.agent)):
            made[one.agent] = waiting
    kept = [one for one in done if one.agent not in made and one.agent not in failed]
    inputs = {agent: digests[agent] for agent in rehearsal.options.panel if agent in digests}
    return _Came(made, kept, inputs, failed)


def _write_round(
    rehearsal: OpenRehearsal, made: RoundMade, unchanged: Mapping[str, str], done: Sequence[Asked]
) -> None:
    """Write one record for a round, *made* with its results, and the candidates' files."""
    spent = _note_calls(rehearsal)
    came = _came(rehearsal, done, unchanged)
    made = replace(made, made=tuple(came.made), inputs=came.inputs)
    with rehearsal.store.transaction() as tx:
        waiting = rehearsal.projection.waiting
        stand = {agent: waiting[agent].bears_sha256 for agent in unchanged} if made.why != TIMER else {}
        _write(rehearsal, tx, came, replace(made, confirmed=stand or None), spent=spent)


def _write(
    rehearsal: OpenRehearsal, tx: Draft, came: _Came, value: RoundMade | CallTaken, *, spent: bool
) -> None:
    """Write the candidates' files, the record, and session-state.md if the state has changed."""
    before, failed = rehearsal.projection.hands, dict(rehearsal.projection.failed)
    for agent, made in came.made.items():
        panelist.write_candidate(rehearsal, tx, agent, made)
    waiting = rehearsal.projection.waiting
    kept = {
        one.agent: one.grounds.digest_for(waiting[one.agent].candidate)
        for one in came.kept
        if one.agent in waiting
    }
    hands = _hands_up(rehearsal, came)
    is_told = hands or value.hands is not None
    value = replace(
        value,
        failed=came.failed or None,
        hands=hands if is_told else None,
        confirmed=_confirmed(rehearsal, {**(value.confirmed or {}), **kept}) or None,
    )
    tx.note(value, by=MODERATOR)
    projection = rehearsal.projection
    is_round = isinstance(value, RoundMade)
    if is_round or spent or projection.failed != failed or (hands != before and projection.asking is None):
        state = projection.state if projection.asking is not None else "presenting"
        show_state(rehearsal, tx, state, projection.asking)


def _changing(rehearsal: OpenRehearsal, context: Context) -> Iterator[str]:
    """Yield the digests of files that can change between two refreshes.

    Files that are fixed at the start, and the candidate's own file, are left out.
    """
    layout, own = rehearsal.store.layout, candidate_path(context.agent)
    for path, _, sha256 in context.receipt.files:
        row = layout.files.get(path)
        is_fixed = row is None or (row.mutability is Mutability.WRITE_ONCE and row.writers == ("start",))
        if not is_fixed and path != own:
            yield sha256


def _made_of(rehearsal: OpenRehearsal, one: Asked) -> tuple[Waiting | None, str | None]:
    """Return the candidate that a reply makes, or None if the file stays unchanged, and the call's error.

    The error is None if the call succeeded.
    """
    got = together.outcome(one.reply)
    if isinstance(got, EngineError):
        last = rehearsal.projection.waiting.get(one.agent)
        stands = last is not None and last.status == "ready"
        return replace(last, status="stale") if last is not None and stands else None, str(got)
    last = rehearsal.projection.waiting.get(one.agent)
    is_kept = rehearsal.has_model and last is not None and got is not None and got == last.candidate
    waiting = Waiting(
        candidate=got if got is not None else panelist.no_question(one.agent),
        status="empty" if got is None else "stale" if was_asked(rehearsal.projection, got) else "ready",
        made_at_s=last.made_at_s if is_kept and last is not None else one.at_s,
        input_sha256=digest(made_from(one.context.receipt)),
        intel_sha256=digest([rehearsal.store.content(INTEL, at_seq=one.context.seq)]),
        confirmed_at_s=one.at_s if is_kept else None,
        bears_sha256=one.grounds.digest_for(got) if rehearsal.has_model else "",
    )
    return waiting, None


def _overtaken(rehearsal: OpenRehearsal, one: Asked, made: Waiting | None, failed: str | None) -> str | None:
    """Return why the result of a call must not be written any more, or None if it still fits."""
    projection = rehearsal.projection
    if projection.state == "closing":
        return "the session is being ended"
    if projection.confirmed_s.get(one.agent, -1.0) > one.at_s:
        return "a newer one was made elsewhere"
    if failed is not None:
        return None  # that the last question is stale now holds whatever was asked meanwhile
    if projection.opened != one.opened:
        return ASKED
    if projection.unsaid != one.unsaid:
        return UNSAID
    if made is None or made.status != "ready":
        return None
    return why_stale(rehearsal.state(), made, confirmed_at_s=one.at_s)


def _differs(new: Waiting, old: Waiting | None) -> bool:
    """Return whether the candidate's file must be written.

    The same question again only confirms the old one.
    """
    return old is None or (new.candidate, new.status) != (old.candidate, old.status)


def _hands_up(rehearsal: OpenRehearsal, came: _Came) -> tuple[str, ...]:
    """Return, in hand raise, the agents whose candidates may be asked, with those just made or confirmed."""
    if rehearsal.options.mode != HAND_RAISE:
        return ()
    state, waiting = rehearsal.state(), {**rehearsal.projection.waiting, **came.made}

    def may_ask(agent: str) -> bool:
        confirmed_at_s = state.now_s if agent in came.inputs else None
        return why_stale(state, waiting[agent], confirmed_at_s=confirmed_at_s) is None

    return tuple(agent for agent in rehearsal.options.panel if agent in waiting and may_ask(agent))


def _note_calls(rehearsal: OpenRehearsal) -> bool:
    """Record the cost of the calls, and return whether the session's budget reached its next step."""
    before = budget_step(rehearsal)
    rehearsal.note_calls()
    return budget_step(rehearsal) != before
