"""WebSocket /api/v1/sessions/{id}/microphone: sound in, captions out, and each sentence into the transcript.

Frames are 16 kHz, 16 bits little-endian, one channel. Out come {"partial": "…"} while somebody speaks;
{"final": "…", "doubt": null, "segment": 7} once a sentence stands in the transcript as its segment of that
number, the doubt a word where the recogniser is not sure of it; {"refused": "…"} before the server closes,
and {"closed": "…"} where it closes since the session is being ended. A session has one microphone: the
newest. Sound is let go of as soon as it was recognised; only where the presenter said so at the start, that
of answers is kept beside the session (`speech.sound.keep_sound`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Annotated, Any, Final, NamedTuple
from uuid import uuid4

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from orchestrator.core.errors import GreenroomError, ReplicaAwayError, SessionBusyError, SpeechError
from orchestrator.core.legible import one_line
from orchestrator.material.speech.recognition import Heard, Recogniser
from orchestrator.material.speech.sound import keep_sound, keeps_sound, said
from orchestrator.material.speech.voice import (
    RATE_HZ,
    SAMPLE_BYTES,
    Stretch,
    Voice,
)
from orchestrator.material.values import LiveSegment
from orchestrator.memory.english import names_in
from orchestrator.rehearsal.rehearsal import Rehearsal
from orchestrator.web.open_sessions import Work
from orchestrator.web.site import Site, site_of

router = APIRouter()

BYTES_A_SECOND: Final = RATE_HZ * SAMPLE_BYTES
MAX_FRAME_BYTES: Final = BYTES_A_SECOND
"""Maximum size of a frame: one second of sound; our own page sends a tenth of that."""
AHEAD_S: Final = 5.0
"""Seconds of sound that may arrive early, after a connection that stalled. Beyond that, a frame waits
until it is due, and so does its sender."""
PARTIAL_S: Final = 0.7
"""Seconds between two recognitions of the sentence that is being spoken. A phrase of two or three words
takes as long, and at about 0.3 s of work for each recognition two cores have time for the rest."""
MAX_WAITING: Final = 4
"""Maximum number of sentences that wait to be recognised; beyond that, frames wait to be processed."""
MAX_WAITING_S: Final = 60.0
"""Maximum seconds of sound that wait to be processed: more than a machine needs that is busy for a while.
A machine that needs more would never catch up."""
GRACE_S: Final = 0.5
"""Seconds for which sound on its way is still accepted once the microphone has to close: time for some
frames."""
AGAIN_S: Final = 0.5
"""Seconds before a sentence is written again that the log of a cluster did not take."""
ELSEWHERE: Final = "The microphone is used in another window now"
ENDING: Final = "The session is being ended"
CLOSED: Final = 1000
REFUSED: Final = 1008
"""A WebSocket's close codes: for an ordinary end, and for a broken rule (RFC 6455, section 7.4.1)."""


@router.websocket("/sessions/{session}/microphone")
async def microphone(socket: WebSocket, session: str, site: Annotated[Site, Depends(site_of)]) -> None:
    """Write spoken words to the transcript, sentence by sentence, until the socket is closed."""
    await socket.accept()
    site.sessions.hold(session)  # a pause may be longer than others leave it open
    try:
        found = await site.threads.run(session, Work.READ, partial(site.sessions.get, session))
        if site.recogniser is None:
            raise SpeechError(site.no_recogniser)
        one = Microphone(socket, site, found, site.recogniser)
        with site.presence.here(found.name):
            try:
                await site.microphones.enter(session, one)
                await one.run()
            finally:
                site.microphones.leave(session, one)
    except GreenroomError as error:
        with suppress(WebSocketDisconnect, RuntimeError):  # nobody is there to be told
            await socket.send_json({"refused": str(error)})
            await socket.close(REFUSED)
    finally:
        site.sessions.let_go(session)


def wait_s(taken_s: float, passed_s: float) -> float:
    """Return the seconds that a frame has to wait if its sender has sent *taken_s* of sound in *passed_s*."""
    return max(0.0, taken_s - passed_s - AHEAD_S)


class _Frame(NamedTuple):
    """Sound with the session's clock at its arrival, however late it is processed."""

    sound: bytes
    came_s: float


class Microphone:
    """One open microphone: three tasks read frames as they arrive, find sentences in them, and write those
    down.

    So frames get the time of their arrival even while a sentence waits to be recognised.
    """

    def __init__(self, socket: WebSocket, site: Site, session: Rehearsal, recogniser: Recogniser) -> None:
        self._socket = socket
        self._site = site
        self._session = session
        self._recogniser = recogniser
        self._voice: Voice  # from `_listen` on
        self._names: tuple[str, ...] = ()  # of the deck, which a recogniser knows no better than a stranger
        self._frames: asyncio.Queue[_Frame | None] = asyncio.Queue()
        self._waiting_s = 0.0  # of sound in there
        # Of the frames that the voice still holds: the stream's seconds at the end of each, and from the
        # stream's seconds to the session's clock.
        self._came: deque[tuple[float, float]] = deque()
        self._is_spoken = False
        self._ended: asyncio.Queue[tuple[Stretch, float, Future[Heard]] | None] = asyncio.Queue(MAX_WAITING)
        self._unfinished = 0  # sentences that do not stand in the transcript yet
        self._finished = 0
        self._asked: tuple[Stretch, Future[Heard]] | None = None  # the newest partial
        self._is_whole = False  # it was asked for as a sentence
        self._asked_at_s = 0.0
        self._shown_s = 0.0  # where the sentence begins whose words are shown while it is spoken
        self._showing: set[asyncio.Task[None]] = set()  # held, or they could be collected before their end
        self._refused: GreenroomError | None = None
        self._leaving: str | None = None  # why it is closed from here; None: it is not
        self._stop = asyncio.Event()  # it is closed from here, and waits for no more sound
        self._is_over = asyncio.Event()

    @property
    def is_owing(self) -> bool:
        """Whether something is being spoken or recognised that is not in the transcript yet."""
        return self.owed > self._finished

    @property
    def owed(self) -> int:
        return self._finished + self._unfinished + self._is_spoken

    def owes(self, owed: int) -> bool:
        return self.is_owing and self._finished < owed

    async def give_way(self) -> None:
        """Close the microphone, since another window has one now; the words so far are still written to
        the transcript."""
        if self._leaving is None:
            self._leaving = ELSEWHERE
            self._stop.set()

    async def finish(self) -> str | None:
        """Close the microphone once all spoken words are in the transcript; if that fails, return the
        reason."""
        if self._leaving is None:
            self._leaving = ENDING
            asyncio.get_running_loop().call_later(GRACE_S, self._stop.set)
        await self._is_over.wait()
        return None if self._refused is None else str(self._refused)

    async def run(self) -> None:
        """Receive sound until the socket closes; the words up to then are written to the transcript.

        Raises:
            GreenroomError: A frame breaks a rule, the session accepts no more speech, or something failed.
        """
        reading = asyncio.create_task(self._read())
        listening = asyncio.create_task(self._listen())
        writing = asyncio.create_task(self._write(listening))
        broken: GreenroomError | None = None
        try:
            try:
                await listening
                reading.result()
            except asyncio.CancelledError:
                if self._refused is None:
                    raise
            except Exception as error:  # noqa: BLE001  # whatever it is: what was said before is kept
                broken = _refusal(error)
            await self._ended.put(None)
            await writing
            self._refused = self._refused or broken
            if self._refused is not None:
                raise self._refused
        finally:
            for task in (reading, listening, writing):
                task.cancel()
            self._is_over.set()
            await self._show("")
        await self._take_leave()

    async def _take_leave(self) -> None:
        """Send the page the reason for which the server closes the connection."""
        if self._leaving == ELSEWHERE:
            raise SpeechError(ELSEWHERE)
        if self._leaving is not None:
            await self._send({"closed": self._leaving})
            with suppress(WebSocketDisconnect, RuntimeError):
                await self._socket.close(CLOSED)

    async def _message(self) -> Mapping[str, Any] | None:
        """Return the next message, after all that have arrived, or None if the microphone has to close."""
        receiving = asyncio.ensure_future(self._socket.receive())
        stopping = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait({receiving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            return receiving.result() if receiving.done() else None
        finally:
            receiving.cancel()
            stopping.cancel()

    async def _read(self) -> None:
        """Give each frame the time of its arrival; wait for nothing but the sender."""
        began, taken_s = monotonic(), 0.0
        now_s = self._session.rehearsal.now_s
        try:
            while not self._site.closing.is_set():
                message = await self._message()
                if message is None or message["type"] == "websocket.disconnect":
                    return
                sound = message.get("bytes")
                if sound is None or len(sound) > MAX_FRAME_BYTES or len(sound) % SAMPLE_BYTES:
                    raise SpeechError(
                        f"a frame must be sound: 16 bits a sample, at most {MAX_FRAME_BYTES:,} bytes, 16 kHz"
                    )
                came_s = await self._site.threads.run(self._session.name, Work.READ, now_s)
                self._frames.put_nowait(_Frame(sound, came_s))
                length_s = len(sound) / BYTES_A_SECOND
                self._waiting_s += length_s
                if self._waiting_s > MAX_WAITING_S:
                    raise SpeechError(
                        "this machine recognises speech more slowly than it is spoken: switch the microphone "
                        "on again, or type"
                    )
                taken_s += length_s
                await asyncio.sleep(wait_s(taken_s, monotonic() - began))
        finally:
            self._frames.put_nowait(None)

    async def _listen(self) -> None:
        """Find the sentences in the frames, including the last one."""
        deck = self._session.rehearsal.scene().deck
        self._names = await self._site.threads.run(self._session.name, Work.READ, partial(names_in, deck))
        self._voice = Voice(await run_in_threadpool(self._recogniser.detector))
        until_s = 0.0
        while (frame := await self._frames.get()) is not None:
            while self._came and self._came[0][0] <= self._voice.kept_s:
                self._came.popleft()
            length_s = len(frame.sound) / BYTES_A_SECOND
            until_s += length_s
            self._came.append((until_s, frame.came_s - until_s))
            ended = await run_in_threadpool(self._voice.take, frame.sound)
            self._waiting_s -= length_s
            self._follow()
            await self._put(ended)
        self._is_spoken = False
        await self._put(self._voice.close())

    def _follow(self) -> None:
        """Note whether somebody speaks, and have the sentence that is being spoken recognised from time to
        time."""
        open_ = self._voice.open
        self._is_spoken = open_ is not None
        if open_ is None:
            return
        self._site.drives.hears(self._session.name)
        # As the voice stops, what was said is recognised at once: if it was the sentence's end, its
        # words are there when the pause is long enough to be one.
        is_due = self._voice.is_pausing or self._voice.heard_s - self._asked_at_s >= PARTIAL_S
        is_new = (
            self._asked is None or self._asked[0] != open_ or (self._voice.is_pausing and not self._is_whole)
        )
        if is_due and is_new and self._recogniser.is_idle:
            self._asked_at_s = self._voice.heard_s
            is_partial = not self._voice.is_pausing
            asked = self._recogniser.recognise(open_.sound, self._names, is_partial=is_partial)
            self._asked = open_, asked
            self._is_whole = not is_partial
            showing = asyncio.create_task(self._show_partial(*self._asked))
            self._showing.add(showing)
            showing.add_done_callback(self._showing.discard)

    async def _show_partial(self, stretch: Stretch, recognised: Future[Heard]) -> None:
        with suppress(Exception):  # the sentence itself will fail in the same way, and say so
            heard = await asyncio.wrap_future(recognised)
            open_ = self._voice.open
            if open_ is not None and open_.start_s == stretch.start_s:
                self._shown_s = stretch.start_s
                await self._show(heard.text)

    async def _put(self, ended: list[Stretch]) -> None:
        """Queue ended sentences for recognition; wait while too many are queued."""
        self._unfinished += len(ended)
        for stretch in ended:
            if self._is_whole and self._asked is not None and self._asked[0] == stretch:
                recognised = self._asked[1]
            else:
                recognised = self._recogniser.recognise(stretch.sound, self._names)
            self._asked = None
            offset_s = next(offset_s for until_s, offset_s in self._came if until_s > stretch.start_s)
            await self._ended.put((stretch, max(0.0, offset_s), recognised))

    async def _write(self, listening: asyncio.Task[None]) -> None:
        """Write sentences to the transcript, in order, each as soon as it is recognised."""
        while (one := await self._ended.get()) is not None:
            if self._refused is None:  # else what comes is let go of, so that nobody waits for a place
                try:
                    await self._take(*one)
                except Exception as error:  # noqa: BLE001  # whatever it is: else it stays on, deaf
                    self._refused = _refusal(error)
                    listening.cancel()  # whoever speaks is told now, and not at the next frame
            self._unfinished -= 1
            self._finished += 1
            if self._shown_s <= one[0].start_s:  # else the next sentence is shown already
                await self._show("")

    async def _take(self, stretch: Stretch, offset_s: float, recognised: Future[Heard]) -> None:
        heard = await asyncio.wrap_future(recognised)
        if heard.text:
            piece = said(stretch, heard, offset_s=offset_s)
            number = await self._hear(replace(piece, id=uuid4().hex))
            await self._site.threads.run(
                self._session.name, Work.READ, partial(self._keep, number, stretch.sound)
            )
            await self._send({"final": heard.text, "doubt": heard.doubt, "segment": number})

    def _keep(self, number: int, sound: bytes) -> None:
        """Store the sound of an answer, if the presenter agreed; a failure here never costs words."""
        sessions, projection = self._site.own.sessions, self._session.projection
        if not keeps_sound(sessions, self._session.name) or number > len(projection.segments):
            return
        segment = projection.segments[number - 1]
        exchange, _, _ = projection.answer_of(segment)
        is_answer = exchange is not None or any(one is segment for one in projection.heard)
        if is_answer and not self._session.rehearsal.is_off_record(segment.text):
            with suppress(SpeechError):
                keep_sound(sessions, self._session.name, number, sound)

    async def _hear(self, piece: LiveSegment) -> int:
        """Write a sentence to the transcript, however long another process holds the lock, or a cluster's log
        is away: neither costs words.

        Return the number of its segment. The sentence has an id, since an attempt that failed may still have
        written it.
        """
        while True:
            try:
                hear = partial(self._session.hear, piece)
                return await self._site.threads.run(self._session.name, Work.WRITE, hear)
            except (SessionBusyError, ReplicaAwayError) as error:
                if self._site.closing.is_set():
                    raise
                if isinstance(error, ReplicaAwayError):  # the session is opened anew once the log is back
                    await asyncio.sleep(AGAIN_S)
                    again = partial(self._site.sessions.get, self._session.name)
                    self._session = await self._site.threads.run(self._session.name, Work.READ, again)

    async def _show(self, text: str) -> None:
        """Show the words that are being spoken, on this page and on the others that show the room."""
        if self._site.partials.get(self._session.name, "") == text:
            return
        self._site.show_partial(self._session.name, text)
        await self._send({"partial": text})

    async def _send(self, message: dict[str, Any]) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):  # it may have closed meanwhile
            await self._socket.send_json(message)


def _refusal(error: Exception) -> GreenroomError:
    """Return the error for the page; failures of the recogniser's libraries and of the disk become one,
    too."""
    if isinstance(error, GreenroomError):
        return error
    reason = one_line(str(error))[:200] or type(error).__name__
    return SpeechError(f"what is said cannot be taken in ({reason}): switch the microphone on again, or type")
