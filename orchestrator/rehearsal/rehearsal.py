"""The public Rehearsal: a board panel's session, from its start to its archive.

Each method only calls the module that does the work, and imports it when it is called. So listing, showing or
reading a session takes a third of the time that loading all modules would take.
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
    from orchestrator.core.owner import Owner
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
    is_fetched: bool = False
    """Whether this is the unpacked archive of a session of its home: what lies there beside that session
    belongs to it."""

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
        """The observer that updates the session's facts and trace after each step."""
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
        """Start a session on a deck file, on Markdown in *deck_text*, or on a deck that was already read.

        An engine that is passed by name is checked before anything is created, and closed with the session.

        Args:
            home: The home that provides the templates and gets the session.
            engine: A name, or an engine object, which you then have to pass to `open` as well.
            loading: A recording to play. It is stored in the session from the start, so `resume` can go on
                with it whatever happens; `load` stores a recording later.
            on_repair: As `Store`.
            say: Called with a line when the session's budget is nearly or fully used up, and when the offline
                panel takes over.
            calls: An object that shows the calls to a model to whoever waits for them.
            **options: The fields of `plan.StartOptions`: id, presenter, panel, date, intensity, mode,
                minutes, exchanges, focus, intel, board, questions, kind, speaker, layout, remember,
                keep_source, owner. `questions` is a file, or a list of texts or of mappings with text, slide,
                agent.

        Raises:
            DeckError: The deck cannot be read; nothing is left behind.
            EngineError: The engine cannot work: the key is missing or refused, the model is unknown, or the
                service cannot be reached. A model that can be reached but fails does not stop the start: the
                offline panel takes over.
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
        """Open the session that *session* names: an id, a unique prefix, `last`, or a path.

        Opening only reads; what an unclean end left is repaired at the first write. The engine is made when
        it is first needed, and is not contacted before.

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
            EngineError: The key is missing or refused, the model is unknown, or the service cannot be
                reached; the message says in one line what to do.
        """
        from orchestrator.panel.engines import by_name

        by_name.check_engine(self.rehearsal.engine)

    @property
    def notices(self) -> list[str]:
        """What the user should know about how the session is set up, one line each."""
        from orchestrator.panel.engines import by_name

        notices = [*self._start_notices, *by_name.notices_of(self.rehearsal.engine)]
        if self.rehearsal.options.remember and self.home is not None and not self.home.config.memory:
            notices.append("the setting `memory` is off, so --remember keeps nothing")
        return notices

    # ------------------------------------------------------------------ what it is

    @property
    def _now(self) -> OpenRehearsal:
        """The rehearsal, brought up to date with what others have written."""
        self.rehearsal.store.catch_up()
        return self.rehearsal

    @property
    def projection(self) -> Projection:
        """The rehearsal as typed values, brought up to date."""
        return self._now.projection

    @property
    def state(self) -> str:
        """The session's state: active, interrupted, closing, ended or degraded."""
        return state_of(self._now)

    @property
    def failures(self) -> tuple[PartFailure, ...]:
        """The parts of memory that failed, in order, each with its reason; the rehearsal went on without
        them."""
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
        """Play a recording, which drives the session; return False if *stop* cut the playing short.

        The whole recording is stored in the session before it is played, so playing can go on after any
        interruption.

        Args:
            recording: The recording. If None, the one that was stored before is played on from where it
                stopped.
            kind: "run", which ends the session's talk with it, or "feed".
            answers: The presenter's answers, used in order, or for the questions that they name.
            archive: The address at which the session is archived when it ends.
            typed: Whether the answers are typed at a terminal.
            stop: Called between steps; playing stops if it returns True.
            wait_until: Called with the session clock at which the next step is due.
            on_step: Called after every step.
            prompt: Returns the answer to the open question, in place of the recorded answers.
            ask_person: Called for an answer that the panel did not judge, with the question that can be put
                again, if any; returns whether to put it.

        Raises:
            DriverBusyError: Another process drives the session.
            UsageError: The speaker that was named does not speak in the recording.
            SpeechError: The recording names slides that the deck does not have.
            SessionStateError: The playing of another recording was cut off: play that recording to its end
                first.
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
        """Whether the playing of a recording stopped before the recording's end."""
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
        """Write the closing record that a driver could not write because it died."""
        from orchestrator.panel.records.moderator import Driving

        self.rehearsal.store.note(Driving("stopped", "resume"), by="moderator")

    def add_intel(self, paths: Sequence[Path]) -> tuple[int, int]:
        """Write a new revision of external-intel; return its number and the maximum number of revisions.

        Earlier files stay in it; a file with the name of an earlier one replaces that one.

        Raises:
            InputError: A file cannot be read or breaks its shape.
            RevisionLimitError: The maximum number of revisions has been reached.
        """
        from orchestrator.panel.loop import news

        return news.add_intel(self.rehearsal, paths)

    def search_intel(self, *, without: Sequence[str] = ()) -> WebIntel:
        """Write a new revision of external-intel from the web, if the engine can search the web.

        Claims are searched for by their subjects: no query contains the name of the presenter or the company.

        Args:
            without: Further words that no query may contain.

        Raises:
            EngineError: The engine has no web search, or the search failed; the message says in one line to
                give files instead.
            RevisionLimitError: The maximum number of revisions has been reached; nothing was searched for.
        """
        from orchestrator.panel.loop import news

        for word in without:
            text_argument("without", word)
        return news.search_intel(self.rehearsal, without)

    def hear(self, piece: LiveSegment | Segment | Recording, *, request: Request | None = None) -> int:
        """Store spoken words in the transcript, and return the number of segments that it has then.

        Args:
            piece: A live piece, which was spoken just now or at the times that it names, on its slide if it
                names one. Or a segment with its times; or a whole recording, stored as it is, while another
                process drives the session. A live piece whose id was stored before counts once, even if the
                session has ended since: then the number of the first time is returned.
            request: The request of which a live piece is a part, by which it counts once in place of its own
                id.

        Raises:
            UsageError: The deck has no such slide, or the id is not valid; nothing was stored.
            RequestIdReusedError: The id was used for other words; nothing was stored.
            TypeError, ValueError: A field of *piece* cannot be recorded.
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
        """Correct segment *number* (from 1) of the transcript to the words that were really said; return it
        as it is now.

        The transcript shows both. Claims, contexts, the judgement of an answer that is not judged yet, and
        the debrief use the new words. Passing the current words confirms that they were heard right, which
        removes a mark of doubt.

        Args:
            text: The words, or "" if nothing was said.

        Raises:
            UsageError: There is no such segment.
            SessionStateError: The segment belongs to an answer that was taken back.
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
        """Let the panel put a question: the next panelist's, or *agent*'s; return None if nobody has one.

        A parked question is put again if *parked* is true, or if nobody has another question.

        Raises:
            SessionStateError: A question is already open.
            UsageError: *agent* has no seat, or is the moderator.
            EngineError: Nobody has a question because the engine failed.
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
        """Put the caller's own question in the name of *agent*.

        Args:
            quote: The words that the question is about, exactly as they are on a slide or were said.
            receipt: The receipt, or its id, of the context that the question came from.

        Raises:
            SessionStateError: A question is already open.
            UsageError: *agent* has no seat, or is the moderator; or the quote is found nowhere.
            ReceiptError: There is no such receipt, or it belongs to another agent.
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
        """Record the presenter's answer to the open question and return the exchange; `judge` judges the
        answer.

        An answer that asks to come back to the question parks the question.

        Args:
            text: The answer. If None, there was no answer.

        Raises:
            SessionStateError: No question is open, or it was already answered.
        """
        from orchestrator.panel.loop import answers

        words = None if text is None else said_argument("text", text)
        self._open_exchange()
        return self._as_it_stands(answers.take_answer(self.rehearsal, words))

    def answer_and_judge(self, text: str | None) -> Judgement:
        """Record the presenter's answer, let the panel judge it, and return the judgement.

        An answer that asks to come back to the question parks the question: the judgement is then `unjudged`,
        with the words that ask for it. An answer that was recorded before but not judged is judged if *text*
        repeats it or is None.

        Raises:
            SessionStateError: No question is open, or it was already answered in other words.
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
        """Judge the last answer and return its exchange. Then a follow-up is put, or the exchange is closed.

        If no answer was recorded, the presenter's words since the question are the answer.

        Args:
            verdict: The caller's own verdict: satisfied, follow_up, escalate or unjudged. If None, the panel
                judges.
            reason: The reason of the caller's own verdict; it and the next two may only be passed with
                *verdict*.
            quote: The presenter's words that the verdict rests on, exactly as they are in the answer.
            follow_up: The next question; without one, or at the turn limit, the exchange is closed.

        Raises:
            SessionStateError: No question is open, or nothing was answered.
            UsageError: There is no such verdict, or the quote is not in the answer.
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
        """Record a person's verdict on an answer, beside the panel's verdict; no question follows from it.

        The last verdict counts, here and in what is remembered of the presenter. It is written into the
        exchange history, so every agent is shown it. After the session's end it is stored beside the
        session's folder, into which nothing is written any more, and memory is changed to what it would be
        with an earlier verdict.

        `judge` is different: it records the verdict of a caller's own loop, in place of the panel's.

        Args:
            exchange: The exchange's id, such as "x3".
            verdict: given, partly or not; None takes the person's earlier verdict back.
            turn: The turn whose answer is meant, from 1. If None, the last answer.
            note: The reason, in one sentence.
            by: The name of the person. If None, the presenter.

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
        """The verdicts of people on the answers, by exchange id and number of the turn, from 1."""
        from orchestrator.panel.loop import resolving

        return resolving.persons_of(self._now, self._verdicts_beside())

    @property
    def asked(self) -> tuple[Exchange, ...]:
        """Every exchange in the order of asking, including the open one, with the verdicts of people on
        the answers."""
        from orchestrator.panel.records.projection import with_persons

        said = self.person_verdicts
        return tuple(with_persons(one, said) for one in self.rehearsal.projection.asked)

    def _verdicts_beside(self) -> Verdicts | None:
        from orchestrator.panel.comments import Verdicts

        if self.home is None:
            return None
        return Verdicts(self.home.records) if self.is_fetched else Verdicts.of_session(self.home, self.path)

    def is_of_talk(self, start_s: float | None) -> bool:
        """Return whether words that began at *start_s* were still on their way when the open question was
        put."""
        from orchestrator.panel.loop import turns
        from orchestrator.panel.records.speech import TALK

        projection = self.projection
        if start_s is None or not turns.is_waiting(projection):
            return False
        return turns.part_of(projection, start_s) == TALK

    def answer_done(self) -> Judgement:
        """Have the answer that was heard so far judged as complete, and return the judgement.

        An answer that was recorded before but not judged is judged now.

        Raises:
            SessionStateError: No question is open, or nothing was said since it was put.
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
        """Mark that the answer ends now, while words of it are on their way; words that begin later are talk.

        `answer_done`, `answer` or `park` records the answer once those words have come.
        """
        from orchestrator.panel.loop import answers

        self._check_going_on()
        answers.end_answer(self.rehearsal)

    def answer_back(self, at_s: float | None = None) -> Exchange:
        """Take the last answer back, so that its question is open again; return the question's exchange.

        The verdict and the follow-up no longer count either, nor does a question that was put since and is
        not answered. Nothing is deleted: a record names all that no longer counts.

        Args:
            at_s: The session clock when the answer was taken back, if words of it were on their way: words
                that began later answer the question anew. If None, now.

        Raises:
            SessionStateError: No answer can be taken back: none was given, the next question is already being
                answered, or a recording with its answers is being played.
        """
        from orchestrator.panel.loop import corrections

        self._check_going_on()
        taken_back = corrections.take_back(self.rehearsal, at_s)
        self.watch.after_call()
        return taken_back

    def answer_was_talk(self, at_s: float | None = None) -> Exchange:
        """Count the words that were recorded as the last answer as talk; return the exchange, whose question
        waits.

        The words keep their times and slides, as if nobody had asked, and the verdict and what followed no
        longer count, as when an answer is taken back. The question is put again once the presenter has gone
        on and paused, or when `ask` is called.

        Args:
            at_s: The session clock when the presenter said so. If None, now.

        Raises:
            SessionStateError: As for `answer_back`, or nothing was said to the question.
        """
        from orchestrator.panel.loop import corrections

        self._check_going_on()
        waiting = corrections.give_to_talk(self.rehearsal, at_s)
        self.watch.after_call()
        return waiting

    def questions_now(self) -> None:
        """Ask the panel for a question now, whatever the talk is at; the session's driver then puts it.

        Raises:
            SessionStateError: A question is already open.
        """
        from orchestrator.panel.records.moderator import QuestionsWanted

        self._check_going_on()
        if (open_ := self.projection.asking) is not None:
            raise SessionStateError("a question is open: answer it first, or park it", value=open_.id)
        self.rehearsal.store.note(QuestionsWanted(), by="moderator")

    def floor(self, live: Live | None = None) -> Floor:
        """Return whose turn it is. Only the session's driver knows of silence, and passes it in as *live*."""
        from orchestrator.panel.loop import turns

        return turns.floor_of(self._now.state(live))

    def _as_it_stands(self, exchange: Exchange) -> Exchange:
        return next(one for one in self.projection.asked if one.id == exchange.id)

    def _open_exchange(self) -> Exchange:
        from orchestrator.panel.loop import answers

        self._check_going_on()
        return answers.still_open(self.rehearsal)

    def park(self) -> Exchange:
        """Park the open question, to come back to it later."""
        from orchestrator.panel.loop import answers

        self._check_going_on()
        return answers.park(self.rehearsal)

    def drill(self, exchange: str, *, owner: Owner | None = None, called: str | None = None) -> Self:
        """Start a session in the same home whose only exchange puts this question again; return it, open.

        The new session has the same deck, panel, presenter, engine and intensity, and the home's current
        templates. Contradictions that were dismissed here are dismissed there. Nothing of the new session is
        remembered. Its first record names this session and the question.

        Args:
            owner: Whose the new session is, where people sign in; the presenter is the owner then.
            called: What the panel calls the owner.

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
        given = plan.options_of_drill(options)
        if owner is not None:
            given |= {"owner": owner, "presenter": owner.identity, "called": called}
        drill = type(self).start(
            self.home,
            plan.source_of_drill(self.rehearsal, earlier),
            engine=self._given_engine or options.engine,
            **given,
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
        """Write the debrief, freeze the session and archive it; return the ledger's head, to be stored
        elsewhere.

        It can be called again: an end that was cut short is completed, and for an ended session the head is
        returned.

        Args:
            archive: The address at which to archive the session. If None, the address that its run asked for,
                else that in the setting `archive`, else `<home>/archives`. A session outside of a home is
                archived only if an address is known.

        Raises:
            SessionBusyError: Another thread or process is ending the session.
            ArchiveError: The session could not be archived; it has ended and is safe.
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
        """Archive the ended session as a BagIt bag, then read the archive back and compare it.

        Args:
            url: A folder, `file://…` or `s3://bucket/prefix`. If None, the address that `end` would use.
            endpoint_url: The address of an S3-compatible server. If None, that in GREENROOM_S3_ENDPOINT.

        Raises:
            SessionStateError: The session has not ended.
            UsageError: The session is outside of a home and no address is known, or *url* is not an address.
            ArchiveError: The archive could not be completed; a second call sends the rest.
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
        """The address at which the session was last archived in its current state, as its home knows, or
        None."""
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
        """The contradictions that have not been dismissed, in the order in which they were found, each
        with its id."""
        return contradiction_looks.standing(self._now, self.home)

    def dismiss(self, finding: str) -> Tension:
        """Dismiss the contradiction with this id ("c2"), since the presenter says that it is none; return it.

        It is removed from every page and no question is asked about it. For an ended session the dismissal is
        recorded beside the session's folder, into which nothing is written any more. If both rehearsals are
        remembered, the presenter's next one does not raise it again. A second call does nothing.

        Raises:
            InputError: There is no such contradiction; the message lists those that there are.
            SessionStateError: The session has ended and lies outside of a home.
        """
        found = contradiction_looks.dismiss(self._now, self.home, text_argument("finding", finding))
        self._remembering.dismissed(self.rehearsal, found.digest)
        self._untold = self._remembering.untold
        return found

    def recap(self) -> SessionContext:
        """Return what matters of the session so far, as the Scribe records it; also for a session that has
        ended.

        The value has a bounded size and is made from the ledger, without writing anything or calling a model.
        It contains nothing that was said off the record. Goals, decisions and blockers are those that a model
        detected or, without a model, those that were announced in plain words.
        """
        from orchestrator.memory import scribe

        return scribe.context_of(self._now.store)

    def previously_on(self, agent: str | None = None) -> str:
        """Return `recap` in a few lines, for a prompt or for a person who comes back; quotes name their
        record.

        Args:
            agent: The agent for whose prompt the lines are; notes and tool calls of other agents are private
                and left out. If None, the lines are for the presenter.

        Raises:
            UsageError: *agent* has no seat in this session.
        """
        from orchestrator.memory.scribe import previously_on

        if agent is not None:
            self.rehearsal.store.layout.order(text_argument("agent", agent))
        return previously_on(self.recap(), agent=agent)

    def close(self) -> None:
        """Write waiting receipts, and close the files and an engine that was made here.

        A second call does nothing.
        """
        try:
            self.rehearsal.clock.stop()
            self.rehearsal.store.close()
        finally:
            if self._own_engine is not None:
                from orchestrator.panel.engines import by_name  # loaded by whoever made it

                by_name.close_engine(self._own_engine)


def _check_piece(piece: Segment | LiveSegment) -> None:
    """Check that a piece of speech from any source can be recorded.

    Raises:
        TypeError, ValueError: A field cannot be recorded; the message names it.
    """
    said_argument("text", piece.text)
    if piece.speaker is not None:
        said_argument("speaker", piece.speaker)
    if piece.slide is not None:
        whole_argument("slide", piece.slide)
    if piece.confidence is not None:
        number_argument("confidence", piece.confidence, most=1)


def judgement_of(turn: Turn) -> Judgement:
    """Return the judgement of an answer that this process did not judge itself."""
    reason = turn.reason or "it was parked, closed or ended before it was judged"
    return Judgement(turn.verdict or "unjudged", reason, turn.quote)
