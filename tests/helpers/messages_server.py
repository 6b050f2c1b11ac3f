"""A local server that speaks the Messages API: strict as the service is, and as bad as one wants it.

It checks each request the way the service does, answers in the shape that the request asks for,
with words made from the request itself, streams, and counts cached tokens by the published rules.
By the number of a call it can be slow, hang, refuse, overload, cut, or send what is no answer::

    with MessagesServer(faults={3: Fault("overloaded"), 5: Fault("rate_limit", seconds=0.1)}) as server:
        Settings(base_url=server.url, api_key=server.key)

A call is one request for a message, counted from 1 in the order of arrival. `uses` says which tools
a reply uses in place of words.
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
from typing import Any, Final, Self

from orchestrator.context.messages import Messages, TextBlock
from orchestrator.context.meter import CacheMeter, InputUsage, tokens_of
from tests.helpers.messages_replies import Page, reply_to, searched_part, task_of
from tests.helpers.messages_rules import Refused, check_request

FAULTS: Final = (
    "slow",  # answers after `seconds`
    "hang",  # accepts, and answers nothing until the server closes, or lets go of it
    "key",  # 401
    "forbidden",  # 403
    "model",  # 404
    "rate_limit",  # 429 with `retry-after: seconds`
    "overloaded",  # 529
    "broken",  # 500
    "loading",  # 503, as of a server that is still loading its model
    "reset",  # closes the connection without a word
    "cut",  # breaks the body or the stream off in the middle
    "stalled",  # begins the body or the stream, and goes on with it only after `seconds`
    "stream_error",  # an error event after the stream has begun; 529 where nothing is streamed
    "no_json",  # a reply whose text is no JSON
    "half_json",  # a reply whose text is the first half of the JSON
    "contradiction",  # a reply that breaks the schema
    "other_kind",  # a whole reply to another task
    "false_quote",  # a whole reply whose quotes nobody said
    "half_character",  # a whole reply with NUL and half a character in its texts
    "refusal",  # stop_reason refusal
    "truncated",  # stop_reason max_tokens
    "empty",  # no content
    "search_error",  # the search tool's own error in place of results
    "no_message",  # 200 with JSON that is no message
    "page",  # 200 with HTML
)

_PERSONA: Final = re.compile(r"templates/([^/]+)/persona\.md")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a call."""

    kind: str
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in FAULTS:
            raise ValueError(f"there is no fault {self.kind!r}: use one of {', '.join(FAULTS)}")


@dataclass(slots=True)
class Taken:
    """A request as it came, and what was answered."""

    number: int
    body: dict[str, Any]
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
    lacks: frozenset[str] = frozenset()  # of `service.FEATURES`: refused by name, or without one:
    refuses_all: bool = False  # with 400 and no reason
    is_silent: bool = False  # it refuses what it lacks and does not say why
    wraps: Callable[[str], str] = lambda text: text  # what it writes around its replies
    key: str = "test-key"
    minimum_tokens: int = 1024
    clock: Callable[[], float] = time.monotonic
    requests: list[Taken] = field(default_factory=list)
    busiest: int = 0  # most calls in flight at one moment

    def __enter__(self) -> Self:
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

    def begin(self, body: dict[str, Any]) -> Taken:
        """Give a request its number, and settle what is wrong with it: who sees it here may change that."""
        with self._lock:
            taken = Taken(len(self.requests) + 1, body)
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

    def count(self, body: Mapping[str, Any]) -> InputUsage:
        """The input tokens, by the rules of the cache."""
        settings = json.dumps(
            [body.get(name) for name in ("model", "tools", "tool_choice", "thinking", "output_config")],
            sort_keys=True,
        )
        with self._lock:
            return self._meter.call(self.clock(), _messages(body), settings=settings)


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

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", "0")))
        try:
            if self.path.split("?")[0] == "/v1/messages":
                self._message(json.loads(raw))
            elif self.path.split("?")[0] == "/v1/messages/count_tokens" and not self.owner.smallest:
                blocks = _messages(json.loads(raw))
                total = sum(tokens_of(block.text) for block in (*blocks.system, *blocks.user))
                self._json(200, {"input_tokens": total})
            else:
                self._error(404, "not_found_error", "there is nothing at this path")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has gone
        except json.JSONDecodeError:
            self.close_connection = True  # the same, in the middle of its request

    def _message(self, body: dict[str, Any]) -> None:
        taken = self.owner.begin(body)
        try:
            self._answer(taken, taken.fault)
        finally:
            self.owner.done()

    def _answer(self, taken: Taken, fault: Fault | None) -> None:
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
        if refusal := _REFUSALS.get(kind):
            status, name = refusal
            headers = {"retry-after": f"{seconds:g}"} if kind == "rate_limit" else {}
            taken.status = status
            self._error(status, name, "as the test asked for", headers)
            return
        if refused := self._refused(taken.body) or _not_sent_back(taken.body, self.owner):
            taken.status = refused.status
            self._error(refused.status, refused.kind, refused.message)
            return
        taken.status = 200
        if kind == "page":
            self._send(200, b"<html><body>Welcome</body></html>", "text/html")
        elif kind == "no_message":
            self._json(200, {"type": "greeting", "content": "hello"})
        else:
            self._whole(taken, kind, seconds)

    def _refused(self, body: dict[str, Any]) -> Refused | None:
        given = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        if not self.owner.smallest and given != self.owner.key:
            return Refused(401, "authentication_error", "invalid key")
        models = self.owner.models
        if models is not None and body.get("model") not in models:
            return Refused(404, "not_found_error", f"model: {body.get('model')}")
        smallest = {"schemas", "effort", "tools"} if self.owner.smallest else set()
        if self.owner.refuses_all:
            return Refused(400, "invalid_request_error", "bad request")
        refused = check_request(body, self.owner.lacks | smallest)
        if refused is not None and self.owner.is_silent:
            return Refused(refused.status, refused.kind, "bad request")
        return refused

    def _whole(self, taken: Taken, kind: str, seconds: float) -> None:
        body = taken.body
        taken.usage = usage = self.owner.count(body)
        searches = any("input_schema" not in tool for tool in body.get("tools", ()))
        uses = self.owner.uses(taken) if body.get("tools") and not searches else ()
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
            "model": body["model"],
            "content": [] if kind == "empty" else content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": counted,
        }
        if body.get("stream"):
            self._stream(message, text, kind, seconds)
        elif kind == "stream_error":
            self._error(529, "overloaded_error", "as the test asked for")
        else:
            raw = json.dumps(message).encode()
            first = len(raw) // 2 if kind in ("cut", "stalled") else None
            self._send(
                200, raw, "application/json", first=first, wait_s=seconds if kind == "stalled" else 0.0
            )

    def _stream(self, message: dict[str, Any], text: str, kind: str, seconds: float) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        start = {
            **message,
            "content": [],
            "stop_reason": None,
            "usage": {**message["usage"], "output_tokens": 1},
        }
        self._event("message_start", {"message": start})
        if message["stop_reason"] == "tool_use":
            self._stream_uses(message["content"])
        elif message["content"]:
            self._event("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}})
            pieces = [text[at : at + 16] for at in range(0, len(text), 16)]
            for number, piece in enumerate(pieces):
                if number == len(pieces) // 2 and kind == "cut":
                    self.close_connection = True
                    return
                if number == len(pieces) // 2 and kind == "stream_error":
                    error = {"type": "overloaded_error", "message": "as the test asked for"}
                    self._event("error", {"error": error})
                    break
                if number == len(pieces) // 2 and kind == "stalled":
                    self.owner.closing.wait(seconds)
                self._event(
                    "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": piece}}
                )
            self._event("content_block_stop", {"index": 0})
        delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        self._event("message_delta", {"delta": delta, "usage": message["usage"]})
        self._event("message_stop", {})
        self.wfile.write(b"0\r\n\r\n")

    def _stream_uses(self, content: Sequence[Mapping[str, Any]]) -> None:
        for index, block in enumerate(content):
            if block["type"] == "tool_use":
                start = {**block, "input": {}}
                deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
            elif block["type"] == "thinking":
                start = {**block, "thinking": "", "signature": ""}
                deltas = [{"type": f"{name}_delta", name: block[name]} for name in ("thinking", "signature")]
            else:
                start = {**block, "text": ""}
                deltas = [{"type": "text_delta", "text": block["text"]}]
            self._event("content_block_start", {"index": index, "content_block": start})
            for delta in deltas:
                self._event("content_block_delta", {"index": index, "delta": delta})
            self._event("content_block_stop", {"index": index})

    def _event(self, name: str, plain: Mapping[str, Any]) -> None:
        raw = f"event: {name}\ndata: {json.dumps({'type': name, **plain})}\n\n".encode()
        self.wfile.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")

    def _error(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        raw = json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()
        self._send(status, raw, "application/json", headers)

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


_REFUSALS: Final[Mapping[str, tuple[int, str]]] = {
    "key": (401, "authentication_error"),
    "forbidden": (403, "permission_error"),
    "model": (404, "not_found_error"),
    "rate_limit": (429, "rate_limit_error"),
    "overloaded": (529, "overloaded_error"),
    "broken": (500, "api_error"),
    "loading": (503, "unavailable_error"),
}
