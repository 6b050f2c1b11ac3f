"""The panel at live speech: what is under way for it, and how each step is begun and taken later.

Nothing here waits for an engine. Whatever counts is in the ledger.

Source: DESIGN.md, sections 6 and 7.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from orchestrator.core.errors import SessionFrozenError, SessionStateError
from orchestrator.panel import render
from orchestrator.panel.loop import (
    answering,
    asking,
    contradiction_looks,
    judging,
    panelist,
    refreshing,
    time_rules,
)
from orchestrator.panel.loop.contradictions import Looked
from orchestrator.panel.loop.judging import Judging
from orchestrator.panel.loop.moderator_lines import Teller, question_lines
from orchestrator.panel.loop.rehearsal import Rehearsal
from orchestrator.panel.loop.state import Live, State
from orchestrator.panel.loop.state_page import show_state_again
from orchestrator.panel.loop.steps import (
    Ask,
    End,
    Judge,
    Listen,
    Look,
    Refresh,
    ShowState,
    Speak,
    Step,
    TakeAnswer,
    next_step,
)
from orchestrator.panel.loop.transcript import take_up_clock
from orchestrator.panel.loop.turns import BREATH_S
from orchestrator.panel.model.exchange import Exchange, Judgement

ELSEWHERE: Final = "it was judged, parked or closed elsewhere meanwhile"
CORRECTED: Final = "the words of the answer were corrected meanwhile, and are judged anew"
ENDING: Final = "the session is being ended"


class Looking:
    """One look for contradictions, in a thread of its own; what it finds is taken when it is there."""

    def __init__(self, rehearsal: Rehearsal, look: contradiction_looks.Look) -> None:
        self.look = look
        self.looked: Looked | None = None
        self._rehearsal = rehearsal
        self._thread = threading.Thread(target=self._run, name="tensions", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.looked = contradiction_looks.made(self._rehearsal, self.look)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, with a result or, where something unforeseen happened, without."""
        return not self._thread.is_alive()


class Panel:
    """What is under way for one live feed."""

    def __init__(self, rehearsal: Rehearsal, say: Callable[[str], None]) -> None:
        self.rehearsal = rehearsal
        self.is_over = False  # no more speech comes
        self.state: State | None = None  # as of the last look
        self._say = say
        self._teller = Teller(rehearsal)
        self._running: dict[str, refreshing.Asked] = {}  # by panelist
        self._judging: Judging | None = None
        self._judged_at_s: float | None = None  # since when a verdict waits for the end of a sentence
        self._looking: Looking | None = None
        self._words_seq = rehearsal.projection.words_seq  # the last words that were noticed
        self._heard_at_s = rehearsal.clock.there_s()  # when somebody last spoke
        self._break_since_s: float | None = None  # session clock: since when a break waits for questions
        open_ = rehearsal.projection.open  # an earlier drive may have left an answer that was not judged
        self._owes_verdict = open_ is not None and open_.turns[-1].answer is not None

    def heard(self) -> None:
        """Somebody speaks; words that stand in the transcript, or are corrected there, are noticed anyway."""
        self._heard_at_s = self.rehearsal.clock.there_s()

    def next_step(self) -> Step:
        """Take what has come, drop what has been overtaken, and see what is due."""
        self.rehearsal.store.catch_up()
        take_up_clock(self.rehearsal)
        if (words_seq := self.rehearsal.projection.words_seq) != self._words_seq:
            self._words_seq = words_seq
            self.heard()
        self._take()
        self._let_go_of_the_overtaken()
        self._tell()
        self.state = self.rehearsal.state(self._live())
        return next_step(self.state)

    def look(self) -> None:
        """Take what has come, and carry out whatever is due now."""
        while not isinstance(step := self.next_step(), (Listen, End)):
            self.carry_out(step)

    def carry_out(self, step: Step) -> None:
        """Begin a step; what is there at once is written. What somebody else did meanwhile stands."""
        rehearsal = self.rehearsal
        with suppress(SessionStateError):
            match step:
                case Look():
                    self._look()
                case Refresh():
                    refreshing.begin(rehearsal, step.why, self._running, leave_out=step.leave_out)
                case Ask():
                    self._tell_question(asking.ask(rehearsal, at_pause=step.at_pause))
                case TakeAnswer():
                    taken = answering.take_heard(rehearsal)
                    self._owes_verdict = taken.outcome is None  # else it asked to be parked
                case Judge():
                    self._judge()
                case ShowState():
                    show_state_again(rehearsal)
                case Speak():
                    time_rules.speak(rehearsal, step.occasion)
        self._tell()

    def leave(self, why: str) -> None:
        """Let go of everything that is under way; what was given up stands in the ledger."""
        judged, self._judging = self._judging, None
        self._judged_at_s = None
        self._looking = None  # what was said since is looked through by the next feed
        if judged is not None:
            judged.reply.cancel()
        refreshing.give_up(self.rehearsal, self._running, why)
        with suppress(SessionFrozenError):
            if judged is not None:
                panelist.left_out(self.rehearsal, judged.exchange, why)

    # ------------------------------------------------------------------ what is under way

    def _live(self) -> Live:
        projection, now_s = self.rehearsal.projection, self.rehearsal.now_s()
        if not (projection.break_due and self._running):
            self._break_since_s = None
        elif self._break_since_s is None:
            self._break_since_s = now_s
        return Live(
            silent_s=self.rehearsal.clock.there_s() - self._heard_at_s,
            is_asking=bool(self._running),
            is_looking=self._looking is not None,
            is_judging=self._judging is not None,
            owes_verdict=self._owes_verdict,
            waited_s=now_s - self._break_since_s if self._break_since_s is not None else 0.0,
            is_over=self.is_over,
        )

    def _take(self) -> None:
        """Write what has come from calls that are over, if it still fits."""
        for agent in [agent for agent, one in self._running.items() if one.reply.done()]:
            refreshing.take(self.rehearsal, self._running.pop(agent))
        if self._looking is not None and self._looking.is_over:
            look, looked = self._looking.look, self._looking.looked
            self._looking = None
            if self.rehearsal.projection.state != "closing":
                contradiction_looks.take(self.rehearsal, look, looked or Looked(failed="the look broke off"))
        judged = self._judging
        if judged is not None and judged.reply.done() and not self._would_interrupt():
            self._judging = self._judged_at_s = None
            self._conclude(judged)

    def _would_interrupt(self) -> bool:
        """Whether a follow-up would be put in mid-sentence: it waits, though for no longer than a refresh."""
        there_s = self.rehearsal.clock.there_s()
        if self._judged_at_s is None:
            self._judged_at_s = there_s
        is_speaking = there_s - self._heard_at_s < BREATH_S
        return is_speaking and there_s - self._judged_at_s < self.rehearsal.rules.timers_s.refresh

    def _let_go_of_the_overtaken(self) -> None:
        """What was begun before a question was put, or for an exchange that went on without it."""
        projection = self.rehearsal.projection
        if projection.ended or projection.state == "closing":
            self.leave(ENDING)
        elif projection.open is None or projection.open.turns[-1].answer is None:
            self._owes_verdict = False
        if projection.open is not None and any(
            one.opened != projection.opened for one in self._running.values()
        ):
            refreshing.give_up(self.rehearsal, self._running, refreshing.ASKED)
        judged = self._judging
        if judged is not None and not judging.is_still(self.rehearsal, judged.exchange):
            self._judging = self._judged_at_s = None
            judged.reply.cancel()
            self._leave_out(judged.exchange)

    def _leave_out(self, exchange: Exchange) -> None:
        """Record that a verdict came too late; one on words that were corrected meanwhile is owed again."""
        self._owes_verdict = judging.is_owed(self.rehearsal, exchange)
        panelist.left_out(self.rehearsal, exchange, CORRECTED if self._owes_verdict else ELSEWHERE)

    # ------------------------------------------------------------------ steps

    def _look(self) -> None:
        """Rules answer at once; a model looks beside everything else."""
        if not self.rehearsal.has_model:
            contradiction_looks.look_if_due(self.rehearsal)
        elif (look := contradiction_looks.due(self.rehearsal)) is not None:
            self._looking = Looking(self.rehearsal, look)

    def _judge(self) -> None:
        self._owes_verdict = False
        if self.rehearsal.has_model:
            self._judging = judging.begin_judging(self.rehearsal)
            return
        exchange = answering.still_open(self.rehearsal)
        self._tell_verdict(exchange, judging.judge(self.rehearsal))

    def _conclude(self, judged: Judging) -> None:
        rehearsal = self.rehearsal
        judgement = judging.verdict(rehearsal, judged)
        if rehearsal.projection.state == "closing":
            panelist.left_out(rehearsal, judged.exchange, ENDING)
            return
        try:
            judging.conclude(rehearsal, judged.exchange, judgement)
        except SessionFrozenError:  # in this very moment
            return
        except SessionStateError:
            self._leave_out(judged.exchange)
            return
        self._tell_verdict(judged.exchange, judgement)

    # ------------------------------------------------------------------ what a terminal shows

    def _tell(self) -> None:
        """What the moderator has said since last time, and what has begun or ceased to fail."""
        for line in self._teller.lines():
            self._say(line)

    def _tell_verdict(self, exchange: Exchange, judgement: Judgement) -> None:
        name = self.rehearsal.name_of(exchange.agent)
        came = f"{render.VERDICT_WORDS[judgement.verdict]}: {judgement.reason}"
        self._say(f"{exchange.id}: taken as the answer to {name}; {came}")
        if judgement.remark:
            self._say(f"{name}: {judgement.remark}")
        self._tell_question(self.rehearsal.projection.open)

    def _tell_question(self, exchange: Exchange | None) -> None:
        """The question that is being put, if one is, behind the moderator's words."""
        self._tell()
        for line in question_lines(self.rehearsal, exchange) if exchange is not None else ():
            self._say(line)
