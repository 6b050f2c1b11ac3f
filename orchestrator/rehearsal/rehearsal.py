"""The public Rehearsal: a board panel's session, from its start to its archive.

Each method is a short door to the module that does the work. What a door leads to is imported when
it is opened: a session is listed, shown or read in a third of the time that all of it takes to load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from orchestrator.core import session as core
from orchestrator.core.archive.register import archives_of
from orchestrator.core.context.receipt import OWN, Receipt
from orchestrator.core.errors import (
    ReceiptError,
    SessionFrozenError,
    SessionStateError,
    UsageError,
)
from orchestrator.core.legible import (
    number_argument,
    one_line,
    said_argument,
    text_argument,
    whole_argument,
)
from orchestrator.material.speech.text import label
from orchestrator.material.values import MAX_TIME_S
from orchestrator.panel.loop import contradiction_looks
from orchestrator.panel.loop.driver_lock import state_of
from orchestrator.panel.loop.rehearsal import OpenRehearsal, open_rehearsal
from orchestrator.panel.model.exchange import (
    Exchange,
    Judgement,
    PersonVerdict,
    Turn,
)

if TYPE_CHECKING:
    from orchestrator.core.archive.upload import Archived
    from orchestrator.core.context.assemble import Context
    from orchestrator.core.store.requests import Request
    from orchestrator.core.store.store import Repair
    from orchestrator.material.claim import Tension
    from orchestrator.material.speech.read import Recording
    from orchestrator.material.values import LiveSegment, Segment
    from orchestrator.memory.scribe import SessionContext
    from orchestrator.memory.session_memory import Remembering, Watch
    from orchestrator.panel.answers import Answer
    from orchestrator.panel.comments import Verdicts
    from orchestrator.panel.debrief.parts import Debrief
    from orchestrator.panel.engines.in_flight import Calls
    from orchestrator.panel.engines.protocol import Engine
    from orchestrator.panel.home import Home
    from orchestrator.panel.loop.news import WebIntel
    from orchestrator.panel.loop.plan import Source, StartArguments
    from orchestrator.panel.loop.recorded import Loading
    from orchestrator.panel.loop.state import Live
    from orchestrator.panel.loop.turns import Floor
    from orchestrator.panel.records.projection import PartFailure, Projection
    from orchestrator.panel.records.setup import Options


class Rehearsal(core.Session):
    """One rehearsal: a session of the board panel, with a deck, speech, questions and verdicts."""

    home: Home | None

    def __init__(self, rehearsal: OpenRehearsal, home: Home | None) -> None:
        super().__init__(rehearsal.store, rehearsal.assembler, home)
        self.rehearsal = rehearsal
        self._own_engine: Engine | None = None  # made here, so closed here
        self._given_engine: Engine | None = None  # made by who uses the session, so theirs to close
        self._start_notices: tuple[str, ...] = ()  # of the home, where the session was begun here
        self._untold: list[PartFailure] = []  # which the ledger did not take
        if rehearsal.options.tools:
            rehearsal.tooling = self._remembering.tools(rehearsal)

    @cached_property
    def _remembering(self) -> Remembering:
        from orchestrator.rehearsal import beginning

        # A copy remembers nothing: it would speak for the session whose id it has.
        home = self.home if self.name == self.id else None
        return beginning.remembering_of(home, self.rehearsal.options.engine)

    @cached_property
    def watch(self) -> Watch:
        """The observer that updates facts and trace after each step."""
        from orchestrator.memory import session_memory
        from orchestrator.panel.config.config import Config  # it loads what reads greenroom.yaml
        from orchestrator.rehearsal import beginning

        config = self.home.config if self.home is not None else Config(facts=False, trace=False)
        schedule = beginning.schedule_of(config, self.rehearsal.engine)
        return session_memory.Watch(
            self.rehearsal, schedule, traces=config.trace, embed=self._remembering.embed
        )

    @classmethod
    def start(
        cls,
        home: Home,
        deck: str | Path | Source | None = None,
        *,
        deck_text: str | None = None,
        engine: str | Engine | None = None,
        loading: Loading | None = None,
        on_repair: Callable[[Repair], None] | None = None,
        say: Callable[[str], None] = lambda line: None,
        calls: Calls | None = None,
        **options: Unpack[StartArguments],
    ) -> Self:
        """Begin a session on a deck file, on Markdown given as *deck_text*, or on a deck already read.

        An engine that is given by name is checked before anything is made, and closed with the session.

        Args:
            home: Where templates are taken from and the session is put.
            engine: A name, or an engine of your own (then it is yours to give again at `open`).
            loading: A recording to be played. It is in the session from its first moment, so
                `resume` goes on with it whatever happens; `load` takes one in later.
            on_repair: As `Store`.
            say: Called with a line when the session's budget is nearly or fully used up, and when the offline
                panel takes over.
            calls: Where whoever waits sees the calls to a model.
            **options: The fields of `plan.StartOptions`: id, presenter, panel, date, intensity, mode,
                minutes, exchanges, focus, intel, board, questions, kind, speaker, layout, remember,
                keep_source. `questions` is a file, or a list of texts or of mappings with text, slide, agent.

        Raises:
            DeckError: The deck cannot be read; nothing is left behind.
            EngineError: The engine cannot work: key missing, key refused, model unknown, nobody there. A
                model that is there and fails stops nothing: the offline panel takes over.
            UsageError, ConfigurationError, SessionExistsError, HomeError, PersonaError
        """
        from orchestrator.panel.loop import plan
        from orchestrator.rehearsal import beginning

        begun = beginning.begin_session(
            home,
            deck,
            deck_text,
            plan.start_options_of(options),
            engine,
            loading=loading,
            say=say,
            calls=calls,
        )
        with ExitStack() as undo:
            undo.callback(begun.close_engine)
            session = cls.open(home, begun.root, engine=begun.engine, on_repair=on_repair)
            undo.callback(session.close)
            session._remembering = begun.remembering
            session._remembering.begun(session.rehearsal)
            undo.pop_all()
        if begun.is_own:
            session._own_engine, session._given_engine = begun.engine, None
        session._start_notices = begun.notices
        return session

    @classmethod
    def open(
        cls,
        home: Home | None,
        session: str | Path,
        *,
        engine: Engine | None = None,
        on_repair: Callable[[Repair], None] | None = None,
        say: Callable[[str], None] = lambda line: None,
        calls: Calls | None = None,
    ) -> Self:
        """Open a session by id, unique prefix, `last`, or path.

        Reads only; what an unclean end left is mended at the first write. The engine is made when it
        is first needed, and nothing is asked of it before.

        Args:
            on_repair, say, calls: As at `start`.

        Raises:
            SessionNotFoundError, LedgerCorruptError
        """
        root = core.find_session(home, session)

        def engine_of(options: Options) -> Engine:
            if engine is not None:
                return engine
            from orchestrator.panel.engines import by_name
            from orchestrator.panel.model import usage

            config = home.config if home is not None else None
            spent = usage.total(opened.projection.calls)
            made = by_name.engine_of_session(
                options.engine, config, layout=options.layout, spent=spent, say=say, calls=calls
            )
            opened._own_engine = made
            return made

        opened = cls(open_rehearsal(root, engine_of, on_repair=on_repair), home)
        opened._given_engine = engine
        return opened

    def check_engine(self) -> None:
        """Check now that the session's engine can work.

        Raises:
            EngineError: Key missing, key refused, model unknown, or nobody there; one line says what to do.
        """
        from orchestrator.panel.engines import by_name

        by_name.check_engine(self.rehearsal.engine)

    @property
    def notices(self) -> list[str]:
        """What the user should know of how the session is set up, a line each."""
        from orchestrator.panel.engines import by_name

        notices = [*self._start_notices, *by_name.notices_of(self.rehearsal.engine)]
        if self.rehearsal.options.remember and self.home is not None and not self.home.config.memory:
            notices.append("the setting `memory` is off, so --remember keeps nothing")
        return notices

    # ------------------------------------------------------------------ what it is

    @property
    def _now(self) -> OpenRehearsal:
        """The rehearsal, with what others have written meanwhile."""
        self.rehearsal.store.catch_up()
        return self.rehearsal

    @property
    def projection(self) -> Projection:
        """The rehearsal as typed values, as of now."""
        return self._now.projection

    @property
    def state(self) -> str:
        """active, interrupted, closing, ended or degraded."""
        return state_of(self._now)

    @property
    def failures(self) -> tuple[PartFailure, ...]:
        """The parts of memory that failed, each with its reason, in order; the rehearsal went on without."""
        return (*self.projection.failures, *self._untold)

    def _given(self, agent: str, task: str, engine: str | None) -> Context:
        return self.rehearsal.context(agent, purpose=task, engine=engine or OWN)

    # ------------------------------------------------------------------ speech and slides

    def play(
        self,
        recording: Recording | None = None,
        *,
        kind: str = "run",
        answers: Sequence[Answer] = (),
        archive: str | None = None,
        typed: bool = False,
        stop: Callable[[], bool] = lambda: False,
        wait_until: Callable[[float], None] | None = None,
        on_step: Callable[[OpenRehearsal], None] | None = None,
        prompt: Callable[[Exchange], str | None] | None = None,
        ask_person: Callable[[Exchange, Judgement, str | None], bool] | None = None,
    ) -> bool:
        """Play a recording, driving the session; return False if *stop* cut it short.

        It is taken in whole before it is played, so it can go on after any interruption.

        Args:
            recording: None: the one that was taken in before, from where it stands.
            kind: "run", which ends the session's talk with it, or "feed".
            answers: The presenter's answers, in order or by what they name.
            archive: Where the session is archived at its end.
            typed: The answers are typed at a terminal.
            stop: Asked between steps.
            wait_until: Called with the session clock at which the next step is due.
            on_step: Called after every step.
            prompt: Gives the answer to the open question, in place of the recorded answers.
            ask_person: Asked of an answer that the panel did not judge, with the question that can be put
                again, if any; whether it is put.

        Raises:
            DriverBusyError: Another process drives the session.
            UsageError: The speaker that was named does not speak in it.
            SpeechError: It names slides that the deck does not have.
            SessionStateError: Another recording was cut off: play that one to its end first.
        """
        from orchestrator.panel.loop import recorded

        if recording is not None:
            loading = recorded.Loading(recording, kind, tuple(answers), archive, typed)
            recorded.begin(self._now, loading)

        def after(rehearsal: OpenRehearsal) -> None:
            self.watch.after_step()
            if on_step is not None:
                on_step(rehearsal)

        return recorded.drive(
            self._now,
            stop=stop,
            wait_until=wait_until,
            on_step=after,
            prompt=prompt,
            ask_person=ask_person,
        )

    @property
    def has_more_to_play(self) -> bool:
        """Whether a recording was cut off before its end."""
        projection = self.projection
        if projection.playback is None or projection.ended:
            return False
        return projection.playback.kind == "run" or projection.played < len(projection.playback.segments)

    def run_clock(self) -> None:
        """Let the session clock run in this process, by its monotonic clock, until `pause` or `close`."""
        from orchestrator.panel.loop import transcript

        transcript.set_clock(self.rehearsal, runs=True)

    def pause(self) -> None:
        """Stop the session clock."""
        from orchestrator.panel.loop import transcript

        transcript.set_clock(self.rehearsal, runs=False)

    def settle(self) -> None:
        """Write the closing record that a driver which died did not write."""
        from orchestrator.panel.records.moderator import Driving

        self.rehearsal.store.note(Driving("stopped", "resume"), by="moderator")

    def add_intel(self, paths: Sequence[Path]) -> tuple[int, int]:
        """Write a new revision of external-intel; return its number and how many there may be.

        What was known stays; a file given again by the same name replaces what it said.

        Raises:
            InputError: A file cannot be read or breaks its shape.
            RevisionLimitError: There have been too many.
        """
        from orchestrator.panel.loop import news

        return news.add_intel(self.rehearsal, paths)

    def search_intel(self, *, without: Sequence[str] = ()) -> WebIntel:
        """Write a new revision of external-intel from the web, where the engine can search it.

        Claims are searched for by their subjects: no query holds a name of the presenter or the company.

        Args:
            without: Further words that no query may hold.

        Raises:
            EngineError: The engine has no web search, or it failed; one line that says to give files.
            RevisionLimitError: There have been too many; nothing was searched for.
        """
        from orchestrator.panel.loop import news

        for word in without:
            text_argument("without", word)
        return news.search_intel(self.rehearsal, without)

    def hear(self, piece: LiveSegment | Segment | Recording, *, request: Request | None = None) -> int:
        """Take in what was said, and return how many segments the transcript has with it.

        Args:
            piece: Said just now, or at the times that it names, on its slide where it has one; a segment with
                its times; or a whole recording, as it is, while another process drives the session. A live
                piece with an id that was taken before counts once, also where the session has ended since:
                then the number is that of the first time.
            request: As whose part a live piece counts once, in place of its own id.

        Raises:
            UsageError: The deck has no such slide, or the id is none; nothing was taken.
            RequestIdReusedError: Something else was said by this id; nothing was taken.
            TypeError, ValueError: A field of it cannot be recorded.
        """
        from orchestrator.material.speech.read import Recording
        from orchestrator.material.values import Segment
        from orchestrator.panel.loop import transcript

        if isinstance(piece, Recording):
            transcript.add_recording(self.rehearsal, piece)
            return len(self.projection.segments)
        _check_piece(piece)
        text, speaker = one_line(piece.text), piece.speaker and label(piece.speaker)
        if isinstance(piece, Segment):
            number_argument("start_s", piece.start_s, most=MAX_TIME_S)
            number_argument("end_s", piece.end_s, most=MAX_TIME_S)
            if not text:
                raise UsageError("a piece of speech needs words")
            if piece.end_s < piece.start_s:
                raise UsageError(f"it ends at {piece.end_s} s, before it begins at {piece.start_s} s")
            if piece.slide is not None:
                self.check_slide(piece.slide)
            transcript.clock_reaches(self.rehearsal, piece.end_s)
            transcript.add_segment(self.rehearsal, replace(piece, text=text, speaker=speaker))
            return len(self.projection.segments)
        for name, time_s in (("start_s", piece.start_s), ("end_s", piece.end_s)):
            if time_s is not None and (isinstance(time_s, bool) or not isinstance(time_s, int | float)):
                raise TypeError(f"{name} is {type(time_s).__name__}, not a number")

        live = replace(piece, text=text, speaker=speaker)

        def add() -> None:
            self._check_going_on()
            transcript.hear(self.rehearsal, live)

        count = transcript.hear_once(self.rehearsal, live, add, request)
        self.watch.after_call()
        return count

    def correct(self, number: int, text: str) -> Segment:
        """Say what was really said in segment *number* (from 1) of the transcript; return it as it now is.

        The transcript shows both. Claims, contexts, the judgement of an answer that is not judged yet, and
        the debrief go by the new words. The words as they stand say that they were heard right: a doubt
        goes.

        Args:
            text: The words; "" where nothing was said.

        Raises:
            UsageError: There is no such segment.
            SessionStateError: It was taken back as an answer.
            SessionFrozenError: The session has ended.
        """
        from orchestrator.panel.loop import corrections

        whole_argument("number", number)
        words = said_argument("text", text)
        self._check_going_on()
        segment = corrections.correct(self.rehearsal, number, words)
        self.watch.after_call()
        return segment

    def slide(self, number: int) -> None:
        """Move to slide *number*.

        Raises:
            UsageError: The deck has no such slide.
        """
        from orchestrator.panel.loop import transcript

        self._check_going_on()
        transcript.move_to(self.rehearsal, whole_argument("number", number))

    def check_slide(self, number: int) -> None:
        """Raise UsageError unless the deck has a slide of this number."""
        from orchestrator.panel.loop import transcript

        transcript.check_slide(self.rehearsal, number)

    def _check_going_on(self) -> None:
        if self.projection.ended:
            raise SessionFrozenError(f"{self.id} has ended and is frozen: start a new session")

    # ------------------------------------------------------------------ the panel

    def call_on(self, agent: str | None = None, *, parked: bool = False) -> Exchange | None:
        """Let the panel put a question: the next panelist's, or *agent*'s; None: nobody has one.

        A parked question is put again where *parked* asks for it, or where nobody has another.

        Raises:
            SessionStateError: A question is open already.
            UsageError: *agent* has no seat, or is the moderator.
            EngineError: Nobody has one because the engine failed.
        """
        from orchestrator.panel.loop import asking

        self._check_going_on()
        if agent is not None:
            text_argument("agent", agent)
        return asking.call_on(self.rehearsal, agent, parked=parked)

    def put(
        self,
        agent: str,
        question: str,
        *,
        quote: str | None = None,
        receipt: str | Receipt | None = None,
    ) -> Exchange:
        """Put a question of the caller's own, which *agent* asks.

        Args:
            quote: The words that it is about, as they stand on a slide or were said.
            receipt: That of the context which the question came from, or its id.

        Raises:
            SessionStateError: A question is open already.
            UsageError: *agent* has no seat, or is the moderator; the quote stands nowhere.
            ReceiptError: There is no such receipt, or it is of another agent.
        """
        from orchestrator.panel.loop import asking

        self._check_going_on()
        text_argument("agent", agent)
        said_argument("question", question)
        if quote is not None:
            said_argument("quote", quote)
        receipt_id = core.receipt_id(receipt)
        made_from = None if receipt_id is None else self.receipt(receipt_id)
        if made_from is not None and made_from.agent != agent:
            raise ReceiptError(
                f"receipt {receipt_id} is of a context of {made_from.agent}, and {agent} puts the question: "
                "give the receipt of that agent's own context"
            )
        return asking.put_own(self.rehearsal, agent, question, quote, made_from)

    def answer(self, text: str | None) -> Exchange:
        """Take the presenter's answer to the open question and return the exchange; `judge` judges it.

        One that asks to come back to the question parks it.

        Args:
            text: None: there was no answer.

        Raises:
            SessionStateError: No question is open, or it was answered already.
        """
        from orchestrator.panel.loop import answers

        words = None if text is None else said_argument("text", text)
        self._open_exchange()
        return self._as_it_stands(answers.take_answer(self.rehearsal, words))

    def answer_and_judge(self, text: str | None) -> Judgement:
        """Take the presenter's answer, let the panel judge it, and return what became of it.

        An answer that asks to come back to the question parks it: the judgement is then `unjudged`, with the
        words that ask for it. One that was taken before, and not judged, is judged where it is given again or
        nothing is given.

        Raises:
            SessionStateError: No question is open, or it was answered already in other words.
        """
        from orchestrator.panel.loop import answers

        words = one_line(said_argument("text", "" if text is None else text))
        answered = self._open_exchange()
        taken = answered.turns[-1].answer
        if taken is None or not f" {taken}".endswith(f" {words}" if words else ""):
            answered = answers.take_answer(self.rehearsal, text)
            if answered.outcome == "parked":
                return judgement_of(answered.turns[-1])
        try:
            judgement = answers.judge(self.rehearsal, answered)
        except SessionStateError:
            if not words:
                raise
            # Somebody else has judged, parked or closed it meanwhile, or ended the session; the words stand
            # in the transcript, so they are not refused, and what became of them is returned.
            return judgement_of(self._as_it_stands(answered).turns[len(answered.turns) - 1])
        self.watch.after_call()
        return judgement

    def judge(
        self,
        verdict: str | None = None,
        *,
        reason: str = "",
        quote: str | None = None,
        follow_up: str | None = None,
    ) -> Exchange:
        """Judge the last answer, and return its exchange: a follow-up is put, or the exchange is closed.

        Where no answer was taken, what the presenter has said since the question is the answer.

        Args:
            verdict: The caller's own: satisfied, follow_up, escalate or unjudged. None: the panel judges.
            reason: Of a verdict of the caller's own, as the next two.
            quote: The presenter's words behind it, as they stand in the answer.
            follow_up: The next question; without one, and at the turn limit, the exchange is closed.

        Raises:
            SessionStateError: No question is open, or nothing was answered.
            UsageError: There is no such verdict, or the quote does not stand in the answer.
        """
        from orchestrator.panel.loop import answers

        exchange = self._open_exchange()
        if verdict is None:
            if reason or quote is not None or follow_up is not None:
                raise UsageError("a reason, a quote and a follow-up go with a verdict: give that as well")
            self.answer_done()
            return self._as_it_stands(exchange)
        text_argument("verdict", verdict)
        if quote is not None:
            said_argument("quote", quote)
        asks_on = one_line(said_argument("follow_up", follow_up)) if follow_up is not None else None
        given = Judgement(verdict, one_line(said_argument("reason", reason)), quote, follow_up=asks_on)
        answers.give_verdict(self.rehearsal, given)
        self.watch.after_call()
        return self._as_it_stands(exchange)

    def judge_as_person(
        self,
        exchange: str,
        verdict: str | None,
        *,
        turn: int | None = None,
        note: str = "",
        by: str | None = None,
    ) -> PersonVerdict:
        """Keep what a person says of an answer, beside the panel's verdict; no question follows from it.

        The last one said counts, here and in what is remembered of the presenter. It stands in the exchange
        history, so every agent is shown it. After the end it is kept beside the session, where nothing is
        written any more, and memory becomes what it would be, had it been said before.

        `judge` is another thing: the verdict of a loop of one's own, in the panel's place.

        Args:
            exchange: Its id, "x3".
            verdict: given, partly or not; None takes back what was said before.
            turn: Whose answer it is, from 1; None: the last that was given.
            note: Why, in a sentence.
            by: Who says so; None: the presenter.

        Raises:
            InputError: There is no such exchange, or it has no such answer.
            UsageError: There is no such verdict, or the name or the note is too long.
            SessionStateError: The session has ended and lies outside of a home.
        """
        from orchestrator.panel.loop import resolving

        text_argument("exchange", exchange)
        if verdict is not None:
            text_argument("verdict", verdict)
        if turn is not None:
            whole_argument("turn", turn)
        words = said_argument("note", note) if note else ""
        who = text_argument("by", by) if by is not None else None
        kept, before = self._verdicts_beside(), self.person_verdicts
        said = resolving.judge_as_person(self._now, kept, exchange, verdict, turn=turn, note=words, by=who)
        if self.projection.ended:
            self._remembering.judged(self.rehearsal, said, before, self.person_verdicts)
            self._untold = self._remembering.untold
        return said

    @property
    def person_verdicts(self) -> Mapping[tuple[str, int], PersonVerdict]:
        """The verdicts of people on the answers, by exchange and the number of its turn, from 1."""
        from orchestrator.panel.loop import resolving

        return resolving.persons_of(self._now, self._verdicts_beside())

    @property
    def asked(self) -> tuple[Exchange, ...]:
        """Every exchange in the order of asking, the open one too, with what people say of the answers."""
        from orchestrator.panel.records.projection import with_persons

        said = self.person_verdicts
        return tuple(with_persons(one, said) for one in self.rehearsal.projection.asked)

    def _verdicts_beside(self) -> Verdicts | None:
        from orchestrator.panel.comments import Verdicts

        return None if self.home is None else Verdicts.of_session(self.home, self.path)

    def is_of_talk(self, start_s: float | None) -> bool:
        """Return whether words begun at this time were on their way when the open question was put."""
        from orchestrator.panel.loop import turns
        from orchestrator.panel.records.speech import TALK

        projection = self.projection
        if start_s is None or not turns.is_waiting(projection):
            return False
        return turns.part_of(projection, start_s) == TALK

    def answer_done(self) -> Judgement:
        """Have the answer that was heard so far judged, as it is complete. Return what became of it.

        One that was taken before, and not judged, is judged.

        Raises:
            SessionStateError: No question is open, or nothing was said to it since it was put.
        """
        from orchestrator.panel.loop import answers

        answered = self._open_exchange()
        if answered.turns[-1].answer is None:
            answered = answers.take_heard(self.rehearsal)
        number = len(answered.turns)
        if answered.outcome == "parked":
            return judgement_of(answered.turns[-1])
        try:
            judgement = answers.judge(self.rehearsal, answered)
        except SessionStateError:  # judged, parked, closed or taken back elsewhere meanwhile: that stands
            return judgement_of(self._as_it_stands(answered).turns[number - 1])
        self.watch.after_call()
        return judgement

    def end_answer(self) -> None:
        """Say that the answer ends now, while words of it are on their way: what is begun later is talk.

        `answer_done`, `answer` or `park` takes it once they have come.
        """
        from orchestrator.panel.loop import answers

        self._check_going_on()
        answers.end_answer(self.rehearsal)

    def answer_back(self, at_s: float | None = None) -> Exchange:
        """Take the last answer back: its question is open again; return its exchange.

        The verdict and the follow-up fall with it, and a question that was put since and not answered.
        Nothing is deleted: a record names all that does not count any more.

        Args:
            at_s: The session clock when it was taken back, where words of it were on their way: what was
                begun since then answers the question anew. None: now.

        Raises:
            SessionStateError: No answer can be taken back: none was given, the next question is being
                answered already, or a recording with its answers is being played.
        """
        from orchestrator.panel.loop import corrections

        self._check_going_on()
        taken_back = corrections.take_back(self.rehearsal, at_s)
        self.watch.after_call()
        return taken_back

    def answer_was_talk(self, at_s: float | None = None) -> Exchange:
        """Count what was taken for the last answer as talk; return the exchange, whose question waits.

        The words keep their times and slides, as if nobody had asked, and the verdict and what followed fall,
        as where an answer is taken back. The question is put again once the presenter has gone on and paused,
        or at `ask`.

        Args:
            at_s: The session clock when the presenter said so. None: now.

        Raises:
            SessionStateError: As at `answer_back`, or nothing was said to the question.
        """
        from orchestrator.panel.loop import corrections

        self._check_going_on()
        waiting = corrections.give_to_talk(self.rehearsal, at_s)
        self.watch.after_call()
        return waiting

    def questions_now(self) -> None:
        """Ask the panel for a question now, wherever the talk stands: who drives the session puts it.

        Raises:
            SessionStateError: A question is already open.
        """
        from orchestrator.panel.records.moderator import QuestionsWanted

        self._check_going_on()
        if (open_ := self.projection.asking) is not None:
            raise SessionStateError("a question is open: answer it first, or park it", value=open_.id)
        self.rehearsal.store.note(QuestionsWanted(), by="moderator")

    def floor(self, live: Live | None = None) -> Floor:
        """Return whose turn it is; only the session's driver knows of silence, and gives it as *live*."""
        from orchestrator.panel.loop import turns

        return turns.floor_of(self._now.state(live))

    def _as_it_stands(self, exchange: Exchange) -> Exchange:
        return next(one for one in self.projection.asked if one.id == exchange.id)

    def _open_exchange(self) -> Exchange:
        from orchestrator.panel.loop import answers

        self._check_going_on()
        return answers.still_open(self.rehearsal)

    def park(self) -> Exchange:
        """Come back to the open question later."""
        from orchestrator.panel.loop import answers

        self._check_going_on()
        return answers.park(self.rehearsal)

    def drill(self, exchange: str) -> Self:
        """Begin a session in the same home whose one exchange puts this question again, and return it, open.

        On the same deck, with the same panel, presenter, engine and intensity; templates as the home has
        them now. Contradictions that were dismissed here are dismissed there. Nothing of it is remembered.
        Its first record names this session and the question.

        Raises:
            InputError: There is no such exchange.
            UsageError: The session lies outside of a home, or a panelist has left it.
            EngineError: The engine cannot work.
        """
        from orchestrator.panel.loop import plan

        text_argument("exchange", exchange)
        if self.home is None:
            raise UsageError("a drill is held in a home: open the session with one")
        projection = self.projection
        earlier = plan.earlier_question(projection, exchange)
        dropped = {one.digest for one in projection.found} - {one.digest for one in self.contradictions}
        options = self.rehearsal.options
        drill = type(self).start(
            self.home,
            plan.source_of_drill(self.rehearsal, earlier),
            engine=self._given_engine or options.engine,
            **plan.options_of_drill(options),
        )
        try:
            for one in drill.contradictions:
                if one.digest in dropped:
                    drill.dismiss(one.id)
            plan.put_again(drill.rehearsal, earlier)
        except BaseException:
            drill.close()
            raise
        return drill

    # ------------------------------------------------------------------ the end

    def end(self, *, without_debrief: bool = False, archive: str | None = None) -> str:
        """Write the debrief, freeze the session and archive it; return the ledger's head: keep it elsewhere.

        It can be asked again: what was cut short goes on; of a session that has ended the head comes back.

        Args:
            archive: Where to; None: where its run asked for, else by the setting `archive`, else
                `<home>/archives`. A session outside of a home is archived only where this says where to.

        Raises:
            SessionBusyError: Another thread or process is ending it.
            ArchiveError: It could not be archived; it has ended and is safe.
        """
        from orchestrator.rehearsal import ending

        if archive is not None:
            text_argument("archive", archive)
        ending.end(
            self._now,
            self.home,
            self.watch,
            self._remembering,
            without_debrief=without_debrief,
            archive_to=archive,
        )
        return self.rehearsal.store.head

    def archive(self, url: str | None = None, *, endpoint_url: str | None = None) -> Archived:
        """Archive the ended session as a BagIt bag, read it back, and compare.

        Args:
            url: A folder, `file://…` or `s3://bucket/prefix`; None: as `end`.
            endpoint_url: An S3-compatible server; None: as GREENROOM_S3_ENDPOINT says.

        Raises:
            SessionStateError: It has not ended.
            UsageError: It is outside of a home, and no address is given; or that is none.
            ArchiveError: The archive could not be completed; calling it again sends the rest.
        """
        from orchestrator.rehearsal import ending

        if url is not None:
            text_argument("url", url)
            return ending.archive(self.rehearsal, self.home, url, endpoint_url=endpoint_url)
        done = ending.finish(self._now, self.home)
        if done is None:
            raise UsageError("a session outside a home is archived where you say: give an address")
        return done

    @property
    def archived_at(self) -> str | None:
        """Where the session, as it is now, was archived last, as its home knows; None: nowhere."""
        if self.home is None:
            return None
        return next(reversed(archives_of(self.home, self.name, head=self._now.store.head).values()), None)

    @property
    def is_to_be_archived(self) -> bool:
        """Whether the session has ended in its home and is in no archive yet."""
        from orchestrator.rehearsal import ending

        return ending.is_to_be_archived(self._now, self.home)

    def debrief(self) -> Debrief:
        """Return the debrief as it stands."""
        from orchestrator.rehearsal import ending

        return ending.debrief_of(self._now, self.home, self._verdicts_beside())

    @property
    def contradictions(self) -> tuple[Tension, ...]:
        """The contradictions that stand, in the order of finding, each with its id."""
        return contradiction_looks.standing(self._now, self.home)

    def dismiss(self, finding: str) -> Tension:
        """Dismiss the contradiction with this id ("c2"), as the presenter says that it is none; return it.

        It leaves every page and is not asked about. Of an ended session it is noted beside its folder,
        where nothing is written any more. Where both are remembered, the presenter's next rehearsal does
        not raise it again. Twice is no error.

        Raises:
            InputError: There is no such contradiction; the message names those there are.
            SessionStateError: The session has ended and lies outside of a home.
        """
        found = contradiction_looks.dismiss(self._now, self.home, text_argument("finding", finding))
        self._remembering.dismissed(self.rehearsal, found.digest)
        self._untold = self._remembering.untold
        return found

    def recap(self) -> SessionContext:
        """Return what matters of the session so far, as the Scribe keeps it; of one that has ended as well.

        It is a value of bounded size, made from the ledger; asking for it writes nothing and asks nobody.
        What was said off the record is not in it. Goals, decisions and blockers are those that a model
        read, or without one those that were announced in plain words.
        """
        from orchestrator.memory import scribe

        return scribe.context_of(self._now.store)

    def previously_on(self, agent: str | None = None) -> str:
        """Return `recap` in a few lines, for a prompt or a person who comes back; quotes name their record.

        Args:
            agent: Whose prompt it is for: notes and tool calls of other agents are private and left out.
                None: the presenter's.

        Raises:
            UsageError: *agent* has no seat in this session.
        """
        from orchestrator.memory.scribe import previously_on

        if agent is not None:
            self.rehearsal.store.layout.order(text_argument("agent", agent))
        return previously_on(self.recap(), agent=agent)

    def close(self) -> None:
        """Write waiting receipts, close the files, and the engine if it was made here. Twice is no error."""
        try:
            self.rehearsal.clock.stop()
            self.rehearsal.store.close()
        finally:
            if self._own_engine is not None:
                from orchestrator.panel.engines import by_name  # loaded by whoever made it

                by_name.close_engine(self._own_engine)


def _check_piece(piece: Segment | LiveSegment) -> None:
    """Check a piece of speech, whoever made it.

    Raises:
        TypeError, ValueError: Names the field that cannot be recorded.
    """
    said_argument("text", piece.text)
    if piece.speaker is not None:
        said_argument("speaker", piece.speaker)
    if piece.slide is not None:
        whole_argument("slide", piece.slide)
    if piece.confidence is not None:
        number_argument("confidence", piece.confidence, most=1)


def judgement_of(turn: Turn) -> Judgement:
    """Return what became of an answer that this process did not judge."""
    reason = turn.reason or "it was parked, closed or ended before it was judged"
    return Judgement(turn.verdict or "unjudged", reason, turn.quote)
