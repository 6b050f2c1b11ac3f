"""The panel at live speech: what it does between two lines, and what it waits for meanwhile.

Nothing here waits for an engine. A call is begun, and what comes is taken at a later look, so a
slow, hanging or dead model delays no transcript, no slide and no other panelist. An engine that
answers at once is asked and answered within one look.

Source: DESIGN.md, sections 6 and 7.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from orchestrator.errors import SessionFrozenError, SessionStateError
from orchestrator.loop import looking, moderator, panelist, refreshing, time_rules
from orchestrator.loop.choosing import choose, is_full
from orchestrator.loop.contradictions import Looked
from orchestrator.loop.moderator import Judging
from orchestrator.loop.moderator_lines import Teller, question_lines
from orchestrator.loop.pauses import ends_sentence
from orchestrator.loop.rehearsal import Rehearsal
from orchestrator.model.exchange import Exchange, Judgement
from orchestrator.templates.orchestration import SECTION_BREAKS

PATIENCE_S: Final = 5.0
"""Session clock: how long a break waits for questions that are being made, where others are ready."""
ELSEWHERE: Final = "it was judged, parked or closed elsewhere meanwhile"


class Looking:
    """One look for contradictions, in a thread of its own; what it finds is taken when it is there."""

    def __init__(self, rehearsal: Rehearsal, look: looking.Look) -> None:
        self.look = look
        self.looked: Looked | None = None
        self._rehearsal = rehearsal
        self._thread = threading.Thread(target=self._run, name="tensions", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.looked = looking.made(self._rehearsal, self.look)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, with a result or, where something unforeseen happened, without."""
        return not self._thread.is_alive()


@dataclass
class Presiding:
    """What is under way for one live feed; whatever counts is in the ledger."""

    rehearsal: Rehearsal
    say: Callable[[str], None]
    running: dict[str, refreshing.Asked] = field(default_factory=dict)  # by panelist
    judging: Judging | None = None
    looking: Looking | None = None
    heard_at: float = field(default_factory=monotonic)  # wall clock: when somebody last spoke
    break_since_s: float | None = None  # session clock: since when a break waits for questions

    def __post_init__(self) -> None:
        self.teller = Teller(self.rehearsal)

    @property
    def is_waiting(self) -> bool:
        """Whether any call is under way."""
        return bool(self.running or self.judging or self.looking)

    def tell(self) -> None:
        """Show what the moderator has said since last time, and what has begun or ceased to fail."""
        for line in self.teller.lines():
            self.say(line)


def begin(panel: Presiding) -> None:
    """Take up what an earlier drive left: an answer that was given and not judged."""
    open_ = panel.rehearsal.room.open
    if open_ is not None and open_.turns[-1].answer is not None:
        _judge(panel)


def look(panel: Presiding) -> None:
    """Take what has come, and do what is due."""
    rehearsal = panel.rehearsal
    rehearsal.store.catch_up()
    take(panel)
    room = rehearsal.room
    if room.ended or room.state == "closing":
        leave(panel, "the session is being ended")
    elif room.open is not None:
        _attend(panel, room.open)
    else:
        _preside(panel)
    panel.tell()


def look_back(panel: Presiding) -> None:
    """Take what has come, and begin nothing more."""
    panel.rehearsal.store.catch_up()
    take(panel)
    panel.tell()


def take(panel: Presiding) -> None:
    """Write what has come from calls that are over, if it still fits."""
    for agent in [agent for agent, one in panel.running.items() if one.reply.done()]:
        refreshing.take(panel.rehearsal, panel.running.pop(agent))
    if panel.looking is not None and panel.looking.is_over:
        look, looked = panel.looking.look, panel.looking.looked
        panel.looking = None
        if panel.rehearsal.room.state != "closing":
            looking.take(panel.rehearsal, look, looked or Looked(failed="the look broke off"))
    judging = panel.judging
    if judging is not None and judging.reply.done():
        panel.judging = None
        _conclude(panel, judging)


def leave(panel: Presiding, why: str) -> None:
    """Let go of everything that is under way; what was given up stands in the ledger."""
    if not panel.is_waiting:
        return
    judging, panel.judging = panel.judging, None
    panel.looking = None  # what was said since is looked through by the next feed
    if judging is not None:
        judging.reply.cancel()
    refreshing.give_up(panel.rehearsal, panel.running, why)
    with suppress(SessionFrozenError):
        if judging is not None:
            panelist.left_out(panel.rehearsal, judging.exchange, why)


def finish_answer(panel: Presiding) -> None:
    """What was said since the question is the answer: have it judged."""
    rehearsal, open_ = panel.rehearsal, panel.rehearsal.room.open
    if open_ is None or not rehearsal.room.heard or open_.turns[-1].answer is not None:
        return
    moderator.take_heard(rehearsal)
    if rehearsal.room.open is not None:
        _judge(panel)
    else:
        panel.tell()  # the answer asked to come back to it


# ---------------------------------------------------------------------- while a question is open


def _attend(panel: Presiding, open_: Exchange) -> None:
    rehearsal = panel.rehearsal
    room, timers = rehearsal.room, rehearsal.rules.timers_s
    if any(one.opened != refreshing.opened_so_far(room) for one in panel.running.values()):
        refreshing.give_up(rehearsal, panel.running, refreshing.ASKED)
    if panel.judging is not None and not moderator.is_still(rehearsal, panel.judging.exchange):
        _drop_judging(panel)
    if open_.turns[-1].answer is not None:
        if rehearsal.has_model:  # the others need not wait for the verdict
            _refresh_if_due(panel, leave_out=open_.agent)
        return
    silent_s = monotonic() - panel.heard_at
    if room.heard and (silent_s >= timers.answer_pause or room.heard_s >= timers.answer_limit):
        finish_answer(panel)


def _drop_judging(panel: Presiding) -> None:
    """The exchange went on without the verdict that was awaited: what happened elsewhere stands."""
    if panel.judging is not None:
        panel.judging.reply.cancel()
        panelist.left_out(panel.rehearsal, panel.judging.exchange, ELSEWHERE)
        panel.judging = None


def _judge(panel: Presiding) -> None:
    rehearsal = panel.rehearsal
    if rehearsal.has_model:
        panel.judging = moderator.begin_judging(rehearsal)
        return
    exchange = moderator.still_open(rehearsal)
    _tell_verdict(panel, exchange, moderator.judge(rehearsal))


def _conclude(panel: Presiding, judging: Judging) -> None:
    rehearsal = panel.rehearsal
    judgement = moderator.verdict(rehearsal, judging)
    if not moderator.is_still(rehearsal, judging.exchange) or rehearsal.room.state == "closing":
        panelist.left_out(rehearsal, judging.exchange, ELSEWHERE)
        return
    try:
        moderator.conclude(rehearsal, judging, judgement)
    except (SessionStateError, SessionFrozenError):  # in this very moment
        return
    _tell_verdict(panel, judging.exchange, judgement)


def _tell_verdict(panel: Presiding, exchange: Exchange, judgement: Judgement) -> None:
    name = panel.rehearsal.name_of(exchange.agent)
    panel.say(f"{exchange.id}: taken as the answer to {name}; {judgement.verdict}: {judgement.reason}")
    if judgement.remark:
        panel.say(f"{name}: {judgement.remark}")
    panel.tell()
    if panel.rehearsal.room.open is not None:
        _tell_question(panel, panel.rehearsal.room.open)


# ---------------------------------------------------------------------- while none is


def _preside(panel: Presiding) -> None:
    rehearsal, room = panel.rehearsal, panel.rehearsal.room
    _drop_judging(panel)
    _look_if_due(panel)
    _refresh_if_due(panel)
    if room.break_due and not _waits_for_questions(panel):
        _put(panel, moderator.ask_somebody(rehearsal))
    elif time_rules.speak_if_due(rehearsal, presides=True, is_at_a_stop=_is_at_a_stop(panel)):
        panel.tell()
    elif not room.break_due and _is_pausing(panel):
        _put(panel, moderator.ask_at_pause(rehearsal))


def _look_if_due(panel: Presiding) -> None:
    """Rules answer at once; a model looks beside everything else, and one look at a time."""
    if not panel.rehearsal.has_model:
        looking.look_if_due(panel.rehearsal)
    elif panel.looking is None and (look := looking.due(panel.rehearsal)) is not None:
        panel.looking = Looking(panel.rehearsal, look)


def _refresh_if_due(panel: Presiding, *, leave_out: str | None = None) -> None:
    rehearsal, room = panel.rehearsal, panel.rehearsal.room
    if rehearsal.has_model and is_full(rehearsal):
        return  # nobody can ask any more
    if room.refresh_due or rehearsal.now_s() - room.refreshed_at_s >= rehearsal.rules.timers_s.refresh:
        why = "slide" if room.refresh_due else "timer"
        left_out = () if leave_out is None else (leave_out,)
        refreshing.begin(rehearsal, why, panel.running, leave_out=left_out)


def _waits_for_questions(panel: Presiding) -> bool:
    """A break waits while questions are made: for as long as nobody has one, and else not for long."""
    if not panel.running:
        panel.break_since_s = None
        return False
    now_s = panel.rehearsal.now_s()
    if panel.break_since_s is None:
        panel.break_since_s = now_s
    if now_s - panel.break_since_s < PATIENCE_S or choose(panel.rehearsal, holds_back=True) is None:
        return True
    panel.break_since_s = None
    return False


def _is_at_a_stop(panel: Presiding) -> bool:
    """What was heard last ends a sentence, or some silence has followed."""
    segments = panel.rehearsal.room.segments
    pause_s = panel.rehearsal.rules.timers_s.hand_raise_pause
    return not segments or ends_sentence(segments[-1]) or monotonic() - panel.heard_at >= pause_s


def _is_pausing(panel: Presiding) -> bool:
    """The presenter has been silent for long enough to come in, in the modes that wait for that."""
    rehearsal = panel.rehearsal
    silent_s = monotonic() - panel.heard_at
    return (
        rehearsal.options.mode != SECTION_BREAKS
        and bool(rehearsal.room.segments)
        and silent_s >= rehearsal.rules.timers_s.hand_raise_pause
    )


def _put(panel: Presiding, exchange: Exchange | None) -> None:
    """Show the question that is being put, if one is, behind the moderator's words."""
    panel.tell()
    if exchange is not None:
        _tell_question(panel, exchange)


def _tell_question(panel: Presiding, exchange: Exchange) -> None:
    for line in question_lines(panel.rehearsal, exchange):
        panel.say(line)
