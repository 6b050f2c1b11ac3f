"""WebSocket /api/v1/sessions/{id}/microphone: sound in, captions out, and each sentence into the transcript.

Frames are 16 kHz, 16 bits little-endian, one channel. Out come {"partial": "…"} while somebody speaks;
{"final": "…", "doubt": null, "segment": 7} once a sentence stands in the transcript as its segment of that
number, the doubt a word where the recogniser is not sure of it; {"refused": "…"} before the server closes,
and {"closed": "…"} where it closes since the session is being ended. A session has one microphone: the
newest. No sound is kept: it is let go of as soon as it was recognised.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Annotated, Any, Final
from uuid import uuid4

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from orchestrator.errors import GreenroomError, SessionBusyError, SpeechError
from orchestrator.memory.deck_names import names_in
from orchestrator.model.segment import LiveSegment
from orchestrator.session import Session
from orchestrator.speech.recognition import Heard, Recogniser
from orchestrator.speech.sound import said
from orchestrator.speech.voice import RATE_HZ, SAMPLE_BYTES, Stretch, Voice
from orchestrator.web.site import Site, site_of
from orchestrator.web.threads import Work

router = APIRouter()

BYTES_A_SECOND: Final = RATE_HZ * SAMPLE_BYTES
MAX_FRAME_BYTES: Final = BYTES_A_SECOND
"""A second of sound; our own page sends a tenth of that."""
AHEAD_S: Final = 5.0
"""How much more sound may come than time has passed, after a connection that stalled; then a frame waits
until it is due, and the sender with it."""
PARTIAL_S: Final = 0.7
"""How often what is being spoken is recognised anew: a phrase of two or three words, and at about 0.3 s of
work for each, two cores have time for the rest."""
MOST_WAITING: Final = 4
"""Sentences that wait to be recognised; then frames wait, so that a slow machine holds a minute of sound."""
GRACE_S: Final = 0.5
"""How long sound that is on its way is still taken once the microphone is to be closed: some frames."""
ELSEWHERE: Final = "The microphone is used in another window now"
ENDING: Final = "The session is being ended"
CLOSED: Final = 1000
REFUSED: Final = 1008
"""A WebSocket's close codes for the ordinary end and for what breaks a rule (RFC 6455, section 7.4.1)."""


@router.websocket("/sessions/{session}/microphone")
async def microphone(socket: WebSocket, session: str, site: Annotated[Site, Depends(site_of)]) -> None:
    """What is said goes into the transcript, sentence by sentence, until the socket is closed."""
    await socket.accept()
    site.sessions.hold(session)  # a pause may be longer than others leave it open
    try:
        found = await site.threads.run(session, Work.READ, partial(site.sessions.get, session))
        if site.recogniser is None:
            raise SpeechError(site.no_recogniser)
        voice = Voice(await run_in_threadpool(site.recogniser.detector))
        names = await site.threads.run(session, Work.READ, partial(names_in, found.rehearsal.scene().deck))
        one = Microphone(socket, site, found, site.recogniser, voice, names)
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
    """How long a frame waits, of a sender that has sent *taken_s* of sound in *passed_s*."""
    return max(0.0, taken_s - passed_s - AHEAD_S)


class Microphone:
    """One open microphone. The sound is looked at as it comes; sentences are recognised in their order."""

    def __init__(
        self,
        socket: WebSocket,
        site: Site,
        session: Session,
        recogniser: Recogniser,
        voice: Voice,
        names: Sequence[str] = (),
    ) -> None:
        self._socket = socket
        self._site = site
        self._session = session
        self._recogniser = recogniser
        self._voice = voice
        self._names = names  # of the deck, which a recogniser knows no better than a stranger
        self._offset_s = 0.0  # from the stream's seconds to the session's clock
        self._is_spoken = False
        self._ended: asyncio.Queue[tuple[Stretch, float, Future[Heard]] | None] = asyncio.Queue(MOST_WAITING)
        self._asked: tuple[Stretch, Future[Heard]] | None = None  # the newest partial
        self._is_whole = False  # it was asked for as a sentence
        self._asked_at_s = 0.0
        self._showing: set[asyncio.Task[None]] = set()  # held, or they could be collected before their end
        self._refused: GreenroomError | None = None
        self._left: deque[Stretch] = deque()  # sentences that no place was free for yet
        self._leaving: str | None = None  # why it is closed from here; None: it is not
        self._stop = asyncio.Event()  # it is closed from here, and waits for no more sound
        self._is_over = asyncio.Event()

    async def give_way(self) -> None:
        """Close it, since another window has the microphone; what was said goes into the transcript."""
        if self._leaving is None:
            self._leaving = ELSEWHERE
            self._stop.set()

    async def finish(self) -> None:
        """Close it, and return once all that was said stands in the transcript."""
        if self._leaving is None:
            self._leaving = ENDING
            asyncio.get_running_loop().call_later(GRACE_S, self._stop.set)
        await self._is_over.wait()

    async def run(self) -> None:
        """Take sound until the socket closes; what was said up to then goes into the transcript.

        Raises:
            GreenroomError: A frame breaks a rule, or the session takes no more speech.
        """
        listening = asyncio.create_task(self._listen())
        writing = asyncio.create_task(self._write(listening))
        broken: SpeechError | None = None
        try:
            try:
                await listening
            except SpeechError as error:  # what was said before the bad frame is kept
                broken = error
            except asyncio.CancelledError:
                if self._refused is None:
                    raise
            if self._refused is None:
                await self._put(self._voice.close())
            await self._ended.put(None)
            await writing
            if (why := self._refused or broken) is not None:
                raise why
        finally:
            listening.cancel()
            writing.cancel()
            self._is_over.set()
            await self._show("")
        await self._take_leave()

    async def _take_leave(self) -> None:
        """Tell the page why it is closed from here."""
        if self._leaving == ELSEWHERE:
            raise SpeechError(ELSEWHERE)
        if self._leaving is not None:
            await self._send({"closed": self._leaving})
            with suppress(WebSocketDisconnect, RuntimeError):
                await self._socket.close(CLOSED)

    async def _message(self) -> Mapping[str, Any] | None:
        """The next one; None: it is to be closed. What has come is looked at before."""
        receiving = asyncio.ensure_future(self._socket.receive())
        stopping = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait({receiving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            return receiving.result() if receiving.done() else None
        finally:
            receiving.cancel()
            stopping.cancel()

    async def _listen(self) -> None:
        began, taken_s = monotonic(), 0.0
        while not self._site.closing.is_set():
            message = await self._message()
            if message is None or message["type"] == "websocket.disconnect":
                return
            frame = message.get("bytes")
            if frame is None or len(frame) > MAX_FRAME_BYTES or len(frame) % SAMPLE_BYTES:
                raise SpeechError(
                    f"a frame must be sound: 16 bits a sample, at most {MAX_FRAME_BYTES:,} bytes, 16 kHz"
                )
            taken_s += len(frame) / BYTES_A_SECOND
            await asyncio.sleep(wait_s(taken_s, monotonic() - began))
            ended = await run_in_threadpool(self._voice.take, frame)
            await self._follow()
            await self._put(ended)

    async def _follow(self) -> None:
        """Note when speech begins, and have what is being spoken recognised from time to time."""
        open_ = self._voice.open
        if open_ is not None and not self._is_spoken:
            now_s = await self._site.threads.run(self._session.name, Work.READ, self._session.rehearsal.now_s)
            self._offset_s = max(0.0, now_s - self._voice.heard_s)
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
        with suppress(SpeechError):  # the sentence itself will fail in the same way, and say so
            heard = await asyncio.wrap_future(recognised)
            open_ = self._voice.open
            if open_ is not None and open_.start_s == stretch.start_s:
                await self._show(heard.text)

    async def _put(self, ended: list[Stretch]) -> None:
        """Have sentences that ended recognised; waits while too many are."""
        self._left.extend(ended)
        while self._left:
            stretch = self._left[0]
            if self._is_whole and self._asked is not None and self._asked[0] == stretch:
                recognised = self._asked[1]
            else:
                recognised = self._recogniser.recognise(stretch.sound, self._names)
            self._asked = None
            await self._ended.put((stretch, self._offset_s, recognised))
            self._left.popleft()

    async def _write(self, listening: asyncio.Task[None]) -> None:
        """Sentences into the transcript, in their order, each as soon as it is recognised."""
        while (one := await self._ended.get()) is not None:
            if self._refused is None:  # else what comes is let go of, so that nobody waits for a place
                try:
                    await self._take(*one)
                except GreenroomError as error:
                    self._refused = error
                    listening.cancel()  # whoever speaks is told now, and not at the next frame

    async def _take(self, stretch: Stretch, offset_s: float, recognised: Future[Heard]) -> None:
        heard = await asyncio.wrap_future(recognised)
        if heard.text:
            piece = said(stretch, heard, offset_s=offset_s)
            number = await self._hear(replace(piece, id=uuid4().hex))
            await self._send({"final": heard.text, "doubt": heard.doubt, "segment": number})
        if self._ended.empty() and not self._is_spoken:
            await self._show("")

    async def _hear(self, piece: LiveSegment) -> int:
        """Into the transcript, however long another holds the session: a lock costs time, never words.

        Returns the segment's number there. By an id of its own, since a try that was refused may have
        written it.
        """
        while True:
            try:
                hear = partial(self._session.hear, piece)
                return await self._site.threads.run(self._session.name, Work.WRITE, hear)
            except SessionBusyError:
                if self._site.closing.is_set():
                    raise

    async def _show(self, text: str) -> None:
        """What is being spoken, to this page and to the others that show the room."""
        if self._site.partials.get(self._session.name, "") == text:
            return
        self._site.show_partial(self._session.name, text)
        await self._send({"partial": text})

    async def _send(self, message: dict[str, Any]) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):  # it may have closed meanwhile
            await self._socket.send_json(message)
