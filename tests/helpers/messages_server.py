"""A local server that speaks the Messages API, Chat Completions or both: strict, and as bad as one wants it.

It checks each request the way the service does, answers in the shape that the request asks for,
with words made from the request itself, streams, and counts cached tokens by the published rules.
By the number of a call it can be slow, hang, refuse, overload, cut, or send what is no answer::

    with MessagesServer(faults={3: Fault("overloaded"), 5: Fault("rate_limit", seconds=0.1)}) as server:
        Settings(base_url=server.url, api_key=server.key)

A call is one request for a message, counted from 1 in the order of arrival. `uses` says which tools
a reply uses in place of words. What comes in Chat Completions is read as a request of the Messages
API, so that a test looks at one shape; `Taken.sent` is what came.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Protocol, Self

from orchestrator.core.context.messages import CacheMeter, InputUsage, Messages, TextBlock, tokens_of
from tests.helpers import chat_spoken, messages_spoken
from tests.helpers.chat_rules import as_message_request, check_chat
from tests.helpers.messages_replies import Page, reply_to, searched_part, task_of
from tests.helpers.messages_rules import check_request
from tests.helpers.server_faults import Fault, Refused


class Spoken(Protocol):
    """How a wire's replies are written: `messages_spoken`, `chat_spoken`."""

    @property
    def PATH(self) -> str: ...
    @property
    def REFUSALS(self) -> Mapping[str, Refused]: ...
    @property
    def NO_MESSAGE(self) -> Mapping[str, Any]: ...

    def refusal(self, refused: Refused) -> dict[str, Any]: ...
    def unknown_model(self, model: str) -> Refused: ...
    def whole(self, message: dict[str, Any], usage: dict[str, int]) -> dict[str, Any]: ...
    def stream(
        self, message: dict[str, Any], usage: dict[str, int], body: Mapping[str, Any]
    ) -> tuple[list[bytes], list[bytes], list[bytes]]: ...
    def stream_error(self) -> bytes: ...


SPOKEN: Final[Mapping[str, Spoken]] = {"messages": messages_spoken, "chat": chat_spoken}
"""By wire: how replies and refusals are written in it."""
IGNORABLE: Final = frozenset({"schemas", "tools", "effort"})
_CHUNK: Final = 128
"""Tokens; Chat Completions finds what it has kept of a prompt's beginning by so many at a time."""
_PERSONA: Final = re.compile(r"templates/([^/]+)/persona\.md")


@dataclass(slots=True)
class Taken:
    """A request as it came, and what was answered."""

    number: int
    body: dict[str, Any]
    wire: str = "messages"
    sent: Mapping[str, Any] = field(default_factory=dict)  # as it came, whichever wire
    fault: Fault | None = None
    status: int = 0
    usage: InputUsage | None = None
    reply: str = ""

    @property
    def task(self) -> str:
        """The kind of task that it asks for; "" for none."""
        return task_of(self.body)

    @property
    def results(self) -> list[dict[str, Any]]:
        """The results of tools that it brings."""
        turns = self.body["messages"][1:]
        blocks = [block for turn in turns if isinstance(turn["content"], list) for block in turn["content"]]
        return [block for block in blocks if block["type"] == "tool_result"]

    @property
    def rounds(self) -> int:
        """How often tools were used before it."""
        turns = self.body["messages"][1:]
        return sum('"tool_use"' in json.dumps(turn["content"]) for turn in turns)

    @property
    def agent(self) -> str:
        """Whose persona it begins with; "" for nobody's."""
        system = self.body.get("system") or [{"text": ""}]
        first = system if isinstance(system, str) else system[0]["text"]
        match = _PERSONA.search(first[:200])
        return match[1] if match else ""


@dataclass
class MessagesServer:
    """Serves on a free port of loopback between `__enter__` and `__exit__`."""

    faults: Mapping[int, Fault] = field(default_factory=dict)
    by_both: Mapping[tuple[str, str], Fault] = field(default_factory=dict)  # agent and task; then:
    by_agent: Mapping[str, Fault] = field(default_factory=dict)  # for calls that these do not name
    by_task: Mapping[str, Fault] = field(default_factory=dict)  # for calls that none of them names
    always: Fault | None = None  # for every other call
    smallest: bool = False  # no output schemas, no token counting, no cache fields in the usage
    models: tuple[str, ...] | None = None  # None: any
    web: Sequence[Page] = ()  # what its web search finds, whatever it is asked for
    pauses: int = 0  # how often it pauses the turn of a search, a part of it before each
    uses: Callable[[Taken], Sequence[tuple[str, Any]]] = lambda taken: ()  # tools and their arguments
    lacks: frozenset[str] = frozenset()  # of the wires' FEATURES: refused by name, or without one:
    refuses_all: bool = False  # with 400 and no reason
    is_silent: bool = False  # it refuses what it lacks and does not say why
    wraps: Callable[[str], str] = lambda text: text  # what it writes around its replies
    speaks: str = "messages"  # or chat, or both
    ignores: frozenset[str] = frozenset()  # of IGNORABLE: taken with 200, and nothing is made of them
    ignores_on: Mapping[str, frozenset[str]] = field(default_factory=dict)  # the same on one wire alone
    answers_as: str | None = None  # the model that its replies name; None: the one that was asked for
    listed: Mapping[str, Any] = field(default_factory=dict)  # what its list says of each model beside the id
    key: str = "test-key"
    minimum_tokens: int = 1024
    clock: Callable[[], float] = time.monotonic
    requests: list[Taken] = field(default_factory=list)
    busiest: int = 0  # most calls in flight at one moment

    def __enter__(self) -> Self:
        assert self.ignores <= IGNORABLE
        self._prompts: list[str] = []
        self.closing = threading.Event()
        self._let_go = threading.Event()
        self._lock = threading.Lock()
        self._in_flight = 0
        self._meter = CacheMeter(minimum_tokens=self.minimum_tokens)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._let_go.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def begin(self, body: dict[str, Any], wire: str, sent: Mapping[str, Any]) -> Taken:
        """Give a request its number, and settle what is wrong with it: who sees it here may change that."""
        with self._lock:
            taken = Taken(len(self.requests) + 1, body, wire, sent)
            taken.fault = self._fault_of(taken)
            self.requests.append(taken)
            self._in_flight += 1
            self.busiest = max(self.busiest, self._in_flight)
        return taken

    def done(self) -> None:
        with self._lock:
            self._in_flight -= 1

    def let_go(self) -> None:
        """Close the connection of every call that hangs, and of every one that would."""
        self._let_go.set()

    def hold(self) -> None:
        """Wait until `let_go`, or the end."""
        self._let_go.wait()

    def _fault_of(self, taken: Taken) -> Fault | None:
        return (
            self.faults.get(taken.number)
            or self.by_both.get((taken.agent, taken.task))
            or self.by_agent.get(taken.agent)
            or self.by_task.get(taken.task)
            or self.always
        )

    def count(self, taken: Taken) -> InputUsage:
        """The input tokens, by the rules of the wire's cache."""
        body = taken.body
        if taken.wire == "chat":
            return self._counted_by_beginning(_messages(body))
        settings = json.dumps(
            [body.get(name) for name in ("model", "tools", "tool_choice", "thinking", "output_config")],
            sort_keys=True,
        )
        with self._lock:
            return self._meter.call(self.clock(), _messages(body), settings=settings)

    def _counted_by_beginning(self, messages: Messages) -> InputUsage:
        """What begins as an earlier prompt began is read; nothing is marked or said to be written."""
        prompt = "".join(block.text for block in (*messages.system, *messages.user))
        with self._lock:
            same = max((_same(prompt, one) for one in self._prompts), default=0)
            self._prompts.append(prompt)
        total, read = tokens_of(prompt), tokens_of(prompt[:same]) // _CHUNK * _CHUNK
        read = read if read >= self.minimum_tokens else 0
        return InputUsage(read=read, written=0, new=total - read)


def _same(one: str, other: str) -> int:
    """How many characters both begin with."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if one[:middle] == other[:middle] else (least, middle - 1)
    return least


def _messages(body: Mapping[str, Any]) -> Messages:
    own = [tool for tool in body.get("tools", ()) if "input_schema" in tool]
    system = [TextBlock(json.dumps(own))] if own else []
    turns = [block for message in body["messages"] for block in _blocks(message["content"])]
    return Messages("", (*system, *_blocks(body.get("system") or [])), tuple(turns))


def _blocks(content: Any) -> list[TextBlock]:
    if isinstance(content, str):
        return [TextBlock(content)]
    return [
        TextBlock(block["text"] if block["type"] == "text" else json.dumps(block), "cache_control" in block)
        for block in content
    ]


def _not_sent_back(body: Mapping[str, Any], owner: MessagesServer) -> Refused | None:
    """Why a turn that is to go on is refused: it does not come back block by block as it was sent."""
    if body["messages"][-1]["role"] != "assistant":
        return None
    sent: list[Any] = []
    stop = "pause_turn"
    while stop == "pause_turn" and len(sent) < len(body["messages"][-1]["content"]):
        part, stop = searched_part(body, owner.web, "", owner.pauses, len(sent))
        sent += part
    if sent == body["messages"][-1]["content"]:
        return None
    return Refused(400, "invalid_request_error", "messages.1: the paused turn is not what was sent")


class _Handler(BaseHTTPRequestHandler):
    """One connection; `owner` is set by the server."""

    owner: MessagesServer
    protocol_version = "HTTP/1.1"
    wbufsize = 0
    disable_nagle_algorithm = True  # a reply is several writes, and each would wait for the last one's echo

    def handle(self) -> None:
        with suppress(ConnectionError):  # whoever gives a call up closes its connection
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what was requested is in `requests`."""

    @property
    def _wire(self) -> str | None:
        """The wire of the path that is asked, where this server speaks it."""
        path = self.path.split("?")[0]
        found = next((name for name, spoken in SPOKEN.items() if path == spoken.PATH), None)
        return found if self.owner.speaks in (found, "both") else None

    def do_GET(self) -> None:
        if self.path == "/v1/models" and self.owner.speaks != "messages":
            known = self.owner.models or ("any",)
            models = [
                {"id": one, "object": "model", "owned_by": "test", **self.owner.listed} for one in known
            ]
            self._json(200, {"object": "list", "data": models})
        else:
            self._nothing_here()

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", "0")))
        try:
            if self._wire is not None:
                self._message(json.loads(raw), self._wire)
            elif self.path == "/v1/messages/count_tokens" and not self.owner.smallest:
                blocks = _messages(json.loads(raw))
                total = sum(tokens_of(block.text) for block in (*blocks.system, *blocks.user))
                self._json(200, {"input_tokens": total})
            else:
                self._nothing_here()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has gone
        except json.JSONDecodeError:
            self.close_connection = True  # the same, in the middle of its request

    def _nothing_here(self) -> None:
        self._error(messages_spoken, Refused(404, "not_found_error", "there is nothing at this path"))

    def _message(self, sent: dict[str, Any], wire: str) -> None:
        refused = self._refused(sent, wire)
        body = sent if wire == "messages" or check_chat(sent) else as_message_request(sent)
        taken = self.owner.begin(body, wire, sent)
        try:
            self._answer(taken, taken.fault, refused)
        finally:
            self.owner.done()

    def _answer(self, taken: Taken, fault: Fault | None, refused: Refused | None) -> None:
        spoken = SPOKEN[taken.wire]
        kind = fault.kind if fault else ""
        seconds = fault.seconds if fault else 0.0
        if kind == "reset":
            self.close_connection = True
            return
        if kind == "hang":
            self.owner.hold()
            self.close_connection = True
            return
        if kind == "slow" and self.owner.closing.wait(seconds):
            self.close_connection = True
            return
        if refusal := spoken.REFUSALS.get(kind):
            headers = {"retry-after": f"{seconds:g}"} if kind == "rate_limit" else {}
            taken.status = refusal.status
            self._error(spoken, refusal, headers)
            return
        if refused := refused or _not_sent_back(taken.body, self.owner):
            taken.status = refused.status
            self._error(spoken, refused)
            return
        taken.status = 200
        if kind == "page":
            self._send(200, b"<html><body>Welcome</body></html>", "text/html")
        elif kind == "no_message":
            self._json(200, spoken.NO_MESSAGE)
        else:
            self._whole(taken, kind, seconds)

    def _refused(self, body: dict[str, Any], wire: str) -> Refused | None:
        given = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        if not self.owner.smallest and given != self.owner.key:
            return Refused(401, "authentication_error", "invalid key")
        models = self.owner.models
        if models is not None and body.get("model") not in models:
            return SPOKEN[wire].unknown_model(str(body.get("model")))
        smallest = {"schemas", "effort", "tools"} if self.owner.smallest else set()
        if self.owner.refuses_all:
            return Refused(400, "invalid_request_error", "bad request")
        check = check_chat if wire == "chat" else check_request
        refused = check(body, self.owner.lacks | smallest)
        if refused is not None and self.owner.is_silent:
            return Refused(refused.status, refused.kind, "bad request")
        return refused

    def _whole(self, taken: Taken, kind: str, seconds: float) -> None:
        body = _heard(taken.body, self.owner.ignores | self.owner.ignores_on.get(taken.wire, frozenset()))
        spoken = SPOKEN[taken.wire]
        taken.usage = usage = self.owner.count(taken)
        searches = any("input_schema" not in tool for tool in body.get("tools", ()))
        uses = _uses(taken, body, self.owner) if body.get("tools") and not searches else ()
        text = taken.reply = "" if searches or uses else self.owner.wraps(reply_to(body, kind))
        stop = "tool_use" if uses else {"refusal": "refusal", "truncated": "max_tokens"}.get(kind, "end_turn")
        counted: dict[str, Any] = {"input_tokens": usage.total, "output_tokens": tokens_of(text)}
        if not self.owner.smallest:
            counted |= {
                "input_tokens": usage.new,
                "cache_read_input_tokens": usage.read,
                "cache_creation_input_tokens": usage.written,
            }
        content: list[dict[str, Any]] = [{"type": "text", "text": text}]
        if searches:
            content, paused = searched_part(body, self.owner.web, kind, self.owner.pauses)
            stop = paused if stop == "end_turn" else stop
            counted["server_tool_use"] = {"web_search_requests": 1, "web_fetch_requests": 0}
        if uses:
            content = _used(taken, uses)
        message = {
            "id": f"msg_{taken.number}",
            "type": "message",
            "role": "assistant",
            "model": self.owner.answers_as or body["model"],
            "content": [] if kind == "empty" else content,
            "stop_reason": stop,
            "stop_sequence": None,
        }
        if body.get("stream"):
            self._stream(taken, spoken.stream(message, counted, taken.sent), kind, seconds)
        elif kind == "stream_error":
            self._error(spoken, spoken.REFUSALS["overloaded"])
        else:
            raw = json.dumps(spoken.whole(message, counted)).encode()
            first = len(raw) // 2 if kind in ("cut", "stalled") else None
            self._send(
                200, raw, "application/json", first=first, wait_s=seconds if kind == "stalled" else 0.0
            )

    def _stream(
        self, taken: Taken, events: tuple[list[bytes], list[bytes], list[bytes]], kind: str, seconds: float
    ) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        before, pieces, after = events
        for event in before:
            self._event(event)
        for number, piece in enumerate(pieces):
            if number == len(pieces) // 2 and kind == "cut":
                self.close_connection = True
                return
            if number == len(pieces) // 2 and kind == "stream_error":
                self._event(SPOKEN[taken.wire].stream_error())
                break
            if number == len(pieces) // 2 and kind == "stalled":
                self.owner.closing.wait(seconds)
            self._event(piece)
        for event in after:
            self._event(event)
        self.wfile.write(b"0\r\n\r\n")

    def _event(self, raw: bytes) -> None:
        self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")

    def _error(self, spoken: Spoken, refused: Refused, headers: Mapping[str, str] | None = None) -> None:
        raw = json.dumps(spoken.refusal(refused)).encode()
        self._send(refused.status, raw, "application/json", headers)

    def _json(self, status: int, plain: Mapping[str, Any]) -> None:
        self._send(status, json.dumps(plain).encode(), "application/json")

    def _send(
        self,
        status: int,
        raw: bytes,
        content_type: str,
        headers: Mapping[str, str] | None = None,
        *,
        first: int | None = None,
        wait_s: float = 0.0,
    ) -> None:
        """Send a body, or its *first* bytes and, after *wait_s*, if any, the others."""
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(raw)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw[:first])
        if first is None:
            return
        if wait_s:
            self.owner.closing.wait(wait_s)
            self.wfile.write(raw[first:])
        else:
            self.close_connection = True


def _heard(body: dict[str, Any], ignores: frozenset[str]) -> dict[str, Any]:
    """What of a request a server makes something of that ignores this."""
    config = body.get("output_config", {})
    kept = {name: value for name, value in config.items() if _FEATURE_OF[name] not in ignores}
    heard = {name: value for name, value in body.items() if name != "output_config"}
    if "tools" in ignores:
        heard.pop("tools", None)
    return {**heard, **({"output_config": kept} if kept else {})}


_FEATURE_OF: Final = {"format": "schemas", "effort": "effort"}


def _uses(taken: Taken, body: Mapping[str, Any], owner: MessagesServer) -> Sequence[tuple[str, Any]]:
    """The tools that a reply uses: the one that the check asks for, or those that the test names."""
    if taken.task == "check_tool":
        return (("look_up", {"word": "kestrel"}),)
    return owner.uses(taken)


def _used(taken: Taken, uses: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    """A message that uses tools, with a thought and a word before it, as models write one."""
    return [
        {"type": "thinking", "thinking": "What do I know of this?", "signature": f"c2ln{taken.number}"},
        {"type": "text", "text": "I look that up first."},
        *(
            {"type": "tool_use", "id": f"toolu_{taken.number}_{number}", "name": name, "input": given}
            for number, (name, given) in enumerate(uses)
        ),
    ]
