"""A rehearsal played by a script of words, slides, questions, keys and silences, at a clock that is moved.

Every piece of speech is one word that nobody else says, with the moment at which it was begun; it comes when
it was spoken and recognised, which may be after a question was put that it knew nothing of. The panel is a
real one (`Panel`), at an engine that always has a question. `play` asserts after the last act what the rules
of turns promise.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from random import Random
from typing import Any, Final

from orchestrator.core.clock import ClockState
from orchestrator.core.errors import SessionStateError
from orchestrator.material.values import LiveSegment
from orchestrator.panel.engines.protocol import JudgementRequest, Request
from orchestrator.panel.home import Home
from orchestrator.panel.loop import turns
from orchestrator.panel.loop.live import Panel
from orchestrator.panel.loop.steps import End, Listen
from orchestrator.panel.model.exchange import Judgement, Observation
from orchestrator.panel.records.exchanges import (
    ExchangeClosed,
    ExchangeOpened,
    FollowedUp,
    PutAgain,
)
from orchestrator.panel.records.kinds import fold, value_of
from orchestrator.panel.records.moderator import ClockSet
from orchestrator.panel.records.projection import Projection
from orchestrator.panel.records.speech import (
    AnswerEnds,
    AnswerHeard,
    Corrected,
    as_talk,
    is_spoken,
)
from orchestrator.panel.records.taken_back import AnswerTakenBack
from orchestrator.rehearsal.session import Session
from tests.helpers.homes import new_home
from tests.helpers.steady import DECK, SteadyEngine

ACTS: Final = (
    "speak",
    "type",
    "untimed",
    "late",
    "doubtful",
    "correct",
    "slide",
    "ask",
    "done",
    "back",
    "talk",
    "park",
    "now",
    "wait",
)
TICK_S: Final = 0.5
STEP_S: Final = 0.01
"""Between any two things that are done, so that their times tell which came first."""
MARKED: Final = "~"
"""At the end of a word: once for each time that it was corrected."""
NOT_COMPARED: Final = {
    # What an answer that was taken back leaves on purpose, or what says when something was last looked at.
    "segments", "begun_s", "withdrawn", "withdrawn_records", "last_exchange", "marks", "journal", "put_at_s",
    "talk_records", "refresh_due", "waiting", "words_seq", "segments_before_slide", "look_due_upto",
}  # fmt: skip

Act = tuple[str, float]
"""What is done, and for how many seconds."""


class AskingOn(SteadyEngine):
    """One that asks on where an answer has an odd number of words."""

    def _reply(self, request: Request[Any]) -> object:
        if isinstance(request, JudgementRequest):
            asks_on = len((request.exchange.turns[-1].answer or "").split()) % 2
            verdict = "follow_up" if asks_on else "satisfied"
            noticed = Observation("speaks in single words", None)
            return Judgement(verdict, "as told", follow_up="Again?", note="- noted", noticed=noticed)
        return super()._reply(request)


class HeldClock:
    """A session's clock that the script moves."""

    def __init__(self) -> None:
        self.at_s = 0.0

    def now_s(self, state: ClockState) -> float:
        return self.at_s

    def there_s(self) -> float:
        return self.at_s

    def is_running(self, state: ClockState) -> bool:
        return True

    def has_gap(self, state: ClockState) -> bool:
        return False

    def run(self, state: ClockState, from_s: float) -> None:
        """Nothing: the script does."""

    def stop(self) -> None:
        """Nothing."""


@dataclass
class Play:
    """One script under way."""

    session: Session
    panel: Panel
    clock: HeldClock
    begun: dict[str, float] = field(default_factory=dict)  # by word: when it was begun
    untimed: dict[str, float] = field(default_factory=dict)  # when a word came of which nothing told before
    late: list[tuple[float, LiveSegment]] = field(default_factory=list)  # words that are not recognised yet
    said: int = 0

    def word(self) -> str:
        self.said += 1
        stop = "." if self.said % 3 else ""  # some end a sentence
        return f"word{self.said}{stop}"

    def act(self, kind: str, seconds: float) -> None:
        self.pass_time(STEP_S)
        with suppress(SessionStateError):  # a key that does nothing now
            getattr(self, f"_{kind}")(seconds)
        self.look()

    def look(self) -> None:
        """Let the panel do what is due."""
        for _ in range(30):
            step = self.panel.next_step()
            if isinstance(step, Listen | End):
                return
            self.panel.carry_out(step)
        raise AssertionError("the panel does not come to rest")

    def pass_time(self, seconds: float) -> None:
        """Move the clock, and have what is recognised by then come in."""
        until_s = round(self.clock.at_s + seconds, 3)
        while self.clock.at_s < until_s:
            self.clock.at_s = round(min(self.clock.at_s + TICK_S, until_s), 3)
            for due_s, piece in [one for one in self.late if one[0] <= self.clock.at_s]:
                self.late.remove((due_s, piece))
                self.hear(piece)
            self.look()

    def hear(self, piece: LiveSegment) -> None:
        self.session.hear(piece)

    def _speak(self, seconds: float) -> None:
        self._say(seconds, recognised_s=0.25)

    def _late(self, seconds: float) -> None:
        self._say(seconds, recognised_s=4.0)

    def _say(self, seconds: float, *, recognised_s: float, doubt: str | None = None) -> None:
        """Speak for so long: the microphone tells that somebody does, and the word comes when it is known."""
        word, start_s = self.word(), self.clock.at_s
        self.begun[word] = start_s
        end_s = round(start_s + max(seconds, TICK_S), 3)  # a word takes time, in which it is heard
        self.late.append((end_s + recognised_s, LiveSegment(word, start_s, end_s, doubt=doubt)))
        while self.clock.at_s < end_s:
            self.panel.heard()
            self.pass_time(min(TICK_S, end_s - self.clock.at_s))

    def _doubtful(self, seconds: float) -> None:
        self._say(seconds, recognised_s=1.0, doubt="confidence")

    def _correct(self, seconds: float) -> None:
        """Correct the last piece but one or so, which may be part of the talk or of an answer."""
        segments = self.session.projection.segments
        number = len(segments) - int(seconds) % 3
        if number > 0:
            self.session.correct(number, f"{segments[number - 1].text}{MARKED}")

    def _type(self, seconds: float) -> None:
        """Type for so long: the page tells that somebody does; the word comes with the key that sends it."""
        word, start_s = self.word(), self.clock.at_s
        self.begun[word] = start_s
        end_s = round(start_s + max(seconds, TICK_S), 3)
        while self.clock.at_s < end_s:
            self.panel.heard()
            self.pass_time(min(TICK_S, end_s - self.clock.at_s))
        self.hear(LiveSegment(word, start_s))

    def _untimed(self, seconds: float) -> None:
        """A program's word without a time: it was begun 0.4 s ago, as one word takes, or behind the last."""
        word, segments = self.word(), self.session.projection.segments
        spoken_s = self.clock.at_s - 0.4
        self.begun[word] = max(spoken_s, min(segments[-1].end_s, self.clock.at_s) if segments else 0.0, 0.0)
        self.untimed[word] = self.clock.at_s
        self.hear(LiveSegment(word))

    def _slide(self, seconds: float) -> None:
        slide = self.session.projection.slide or 0
        self.session.slide(slide % 9 + 1)

    def _ask(self, seconds: float) -> None:
        if self.session.projection.open is None:
            self.session.ask()

    def _done(self, seconds: float) -> None:
        self._end_answer(seconds)
        self.session.answer_done()

    def _back(self, seconds: float) -> None:
        at_s = self.clock.at_s
        if turns.is_waiting(self.session.projection):
            self._hear_out(seconds)
        self.session.answer_back(at_s)

    def _talk(self, seconds: float) -> None:
        self.session.answer_was_talk()

    def _park(self, seconds: float) -> None:
        self._end_answer(seconds)
        self.session.park()

    def _end_answer(self, seconds: float) -> None:
        """Do as a server does at a key (`Drives.end_answer`)."""
        if self.late:
            self.session.end_answer()
            self._hear_out(seconds)

    def _hear_out(self, seconds: float) -> None:
        """Wait for the words that are on their way; who speaks may go on, once the key is pressed."""
        if self.late and seconds > 1:
            self.pass_time(STEP_S)
            word = self.word()
            self.begun[word] = self.clock.at_s
            self.late.append((self.clock.at_s + seconds, LiveSegment(word, self.clock.at_s)))
        while self.late:
            self.panel.heard()
            self.pass_time(TICK_S)

    def _now(self, seconds: float) -> None:
        self.session.questions_now()

    def _wait(self, seconds: float) -> None:
        self.pass_time(seconds * 4)


def begin(folder: Path) -> Path:
    """Begin a session in *folder*, to be copied for each script; returns its folder."""
    with Session.start(
        Home.open(new_home(folder)), deck_text=DECK, engine=SteadyEngine(), exchanges=50
    ) as session:
        return session.path


def play_copy(fresh: Path, root: Path, acts: Sequence[Act]) -> None:
    """As `play`, in a copy of *fresh* at *root*, which is removed where it went well."""
    shutil.copytree(fresh, root)
    play(root, acts)
    shutil.rmtree(root)


@contextmanager
def played(root: Path) -> Iterator[Play]:
    """Open the session at *root*, a fresh one: its clock is moved, and its panel does what is due."""
    with Session.open(None, root, engine=AskingOn()) as session:
        rehearsal, clock = session.rehearsal, HeldClock()
        rehearsal.clock = clock  # type: ignore[assignment]  # all that is asked of one
        rehearsal.store.note(ClockSet(0.0, live=True), by="moderator")
        one = Play(session, Panel(rehearsal, lambda line: None), clock)
        one.look()
        yield one


def play(root: Path, acts: Sequence[Act]) -> None:
    """Play a script in the session at *root*, a fresh one, and assert what the rules promise."""
    with played(root) as one:
        for kind, seconds in acts:
            one.act(kind, seconds)
        one.pass_time(30.0)  # all is recognised, and every silence is over
        check(one)


def check(played: Play) -> None:
    """Every word in the turn in which it was spoken; replay and answers taken back."""
    session = played.session
    projection = session.projection
    store = session.rehearsal.store
    records = [store.record(entry.seq) for entry in store.entries() if entry.op != "receipt"]
    words = Counter(first(one.text) for one in projection.segments)
    assert words == Counter(played.begun.keys()), "a word is lost, or there twice"
    check_answers(played, records)
    check_replay(projection, records)
    check_taken_back(projection, records)
    verified = session.verify()
    assert verified.valid, verified


def check_answers(played: Play, records: Sequence[Any]) -> None:
    """No word of the talk in an answer, none of an answer lost, none twice."""
    projection = played.session.projection
    withdrawn = {first(projection.segments[number - 1].text) for number in projection.withdrawn}
    answered = [
        first(word) for one in projection.asked for turn in one.turns for word in (turn.answer or "").split()
    ]
    answered += [first(one.text) for one in projection.heard]
    assert len(answered) == len(set(answered)), "a word stands in two answers"
    assert not withdrawn & set(answered), "a word that was taken back stands in an answer"
    asked = {
        word
        for word, begun_s in played.begun.items()
        for one in waits(records)
        if one.has(begun_s) and one.has(played.untimed.get(word, begun_s))
    }
    assert asked == {*answered, *withdrawn}, (asked, answered, withdrawn)


@dataclass
class Wait:
    """When a question waited for its answer, on the session clock: until the key, or the silence's end."""

    put_s: float
    exchange: str
    turn: int = 1
    end_s: float = inf

    def has(self, begun_s: float) -> bool:
        return self.put_s <= begun_s < self.end_s


def waits(records: Sequence[Any]) -> list[Wait]:
    """Every question's wait, as a reader of the ledger alone would say it, whenever the words came."""
    found: list[Wait] = []
    gave_way = "", 0
    for record in records:
        match value_of(record):
            case ExchangeOpened(exchange=exchange):
                found.append(Wait(exchange.asked_at_s, exchange.id))
            case FollowedUp(exchange=exchange):
                asked = [one.turn for one in found if one.exchange == exchange]
                found.append(Wait(record.clock_s, exchange, asked[-1] + 1))
            case PutAgain():
                found.append(Wait(record.clock_s, *gave_way))
            case AnswerTakenBack(exchange, turn, _, float(at_s), None):
                found[-1].end_s = min(found[-1].end_s, at_s)
                found.append(Wait(at_s, exchange, turn))
            case AnswerTakenBack(exchange, turn):  # as if nobody had asked
                gave_way = exchange, turn
                while (found[-1].exchange, found[-1].turn) != gave_way:
                    found.pop()
                found.pop()
            case AnswerEnds(at_s=at_s):
                if at_s is None:  # nothing was said before the key, so the question waits anew
                    found.append(Wait(record.clock_s, found[-1].exchange, found[-1].turn))
                else:
                    found[-1].end_s = at_s
            case AnswerHeard() | ExchangeClosed():
                found[-1].end_s = min(found[-1].end_s, record.clock_s)
    return found


def check_replay(projection: Projection, records: Sequence[Any]) -> None:
    """Whoever folds the records gets the same, also who stops after any of them and goes on from a copy."""
    again = Projection()
    for number, record in enumerate(records):
        fold(again, record)
        if number % 7 == 0:
            again = again.copy()
    assert again == projection


def check_taken_back(projection: Projection, records: Sequence[Any]) -> None:
    """An answer that was taken back leaves what a session that never had it would hold."""
    fallen = projection.withdrawn_records
    never = Projection()
    gone: list[int] = []  # numbers of the segments that such a session would not have
    number = 0
    for record in records:
        number += is_spoken(record)
        if record.seq in fallen:
            gone += [number] if is_spoken(record) else []
        elif isinstance(value := value_of(record), Corrected):
            there = value.number - sum(before < value.number for before in gone)
            replace(value, number=there).fold(never, record)
        elif isinstance(value, AnswerTakenBack):
            if value.talk is not None and value.at_s is not None:
                never.put(value.at_s)
                never.give_way(value.at_s)
        elif record.seq in projection.talk_records:
            as_talk(value, record).fold(never, record)
        else:
            fold(never, record)
    for name in Projection.__slots__:
        if name not in NOT_COMPARED:
            assert getattr(projection, name) == getattr(never, name), name
    kept = [one for number, one in enumerate(projection.segments, 1) if number not in projection.withdrawn]
    assert kept == never.segments
    begun = [one for number, one in enumerate(projection.begun_s, 1) if number not in projection.withdrawn]
    assert begun == never.begun_s
    assert [one.text for one in projection.spoken if one.text] == [one.text for one in kept]


def first(word: str) -> str:
    """Return a word as it was heard first."""
    return word.rstrip(MARKED)


def script_of(seed: int, length: int = 14) -> list[Act]:
    """A script by chance, always the same for a seed."""
    random = Random(seed)  # nothing is to be kept secret
    return [(random.choice(ACTS), random.choice((0.0, 0.5, 1.0, 2.0, 3.0, 6.0))) for _ in range(length)]
