"""A reply has a bound, whatever comes and in whatever form: beyond it the call fails in one line."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import count, repeat
from typing import Any

import pytest

from orchestrator.core.errors import EngineError, GreenroomError
from orchestrator.core.outbound import client
from orchestrator.core.outbound.environment import MAX_REPLY_BYTES
from orchestrator.memory import embedding
from orchestrator.memory.embedding import HttpEmbedder
from orchestrator.memory.model import EmbeddingError
from tests.helpers.clients import ALL, TIMEOUT_S
from tests.helpers.loopback_servers import PIECE, Answer, Loopback

MANY = 500_000_000
ON_THE_WAY = 32 << 20
"""What the system may hold of a reply that nobody reads any more."""
SAID = "sent a reply of more than 8 MB, which no request asks for"


def endless(first: bytes = b"", piece: bytes = b" " * PIECE) -> Iterator[bytes]:
    """Yield *first*, then pieces up to half a gigabyte."""
    yield first
    yield from repeat(piece, MANY // len(piece))


def event(name: str, **plain: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **plain})}\n\n".encode()


MESSAGE: dict[str, Any] = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
BEGUN = event("message_start", message=MESSAGE) + event(
    "content_block_start", index=0, content_block={"type": "text", "text": ""}
)
DELTAS = b"".join(
    event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})
    for text in ("{", "}" * 100) * 30
)
JSON = {"Content-Type": "application/json"}
SSE = {"Content-Type": "text/event-stream"}


@pytest.mark.parametrize(
    ("name", "status", "headers", "first", "piece"),
    [
        ("call", 200, JSON, b'{"content": [', b" " * PIECE),
        ("call", 200, JSON | {"Content-Length": str(MANY)}, b'{"content": ["', b"x" * PIECE),
        ("call", 500, JSON, b'{"error": "', b"x" * PIECE),
        ("call", 400, {}, b"<html>", b"x" * PIECE),
        ("streamed", 200, SSE, b"data: ", b"x" * PIECE),
        ("streamed", 200, SSE, BEGUN, event("ping", padding="x" * 5000)),
        ("streamed", 529, JSON, b'{"error": "', b"x" * PIECE),
        ("probed", 200, JSON, b"[", b"[" * PIECE),
        ("searched", 200, JSON, b'{"content": [', b"{}," * 20_000),
        ("listed", 200, {}, b"<ListBucketResult>", b"<Contents/>" * 6000),
        ("listed", 500, {}, b"<Error>", b"x" * PIECE),
        ("gotten", 404, {}, b"<Error>", b"x" * PIECE),
        ("put", 200, {}, b"", b"x" * PIECE),
    ],
    ids=range(13),
)
def test_a_reply_without_end_is_left(
    name: str, status: int, headers: dict[str, str], first: bytes, piece: bytes
) -> None:
    with Loopback(lambda method, target: Answer(status, headers, endless(first, piece))) as server:
        with pytest.raises(GreenroomError) as caught:
            ALL[name](server.url)
        assert len(server.seen) == 1
        assert server.sent_bytes < MAX_REPLY_BYTES + ON_THE_WAY
    assert str(caught.value).endswith(f"{server.host} {SAID}")


@pytest.mark.parametrize("kind", ["text", "thinking", "input_json"])
def test_a_stream_of_many_words_is_left_before_their_number_slows_it_down(kind: str) -> None:
    delta = {"type": f"{kind}_delta", {"input_json": "partial_json"}.get(kind, kind): "x" * 1000}
    piece = event("content_block_delta", index=0, delta=delta)
    begun = BEGUN.replace(b'"type": "text", "text"', BLOCKS[kind])
    if kind == "input_json":
        begun += event("content_block_delta", index=0, delta={**delta, "partial_json": '{"a": "'})
    endlessly = Loopback(lambda method, target: Answer(200, SSE, endless(begun, piece)))
    with endlessly as server, pytest.raises(EngineError) as caught:
        ALL["streamed"](server.url)
    assert str(caught.value) == f"{server.host} sent more than 200000 characters, which no task asks for"


BLOCKS = {
    "text": b'"type": "text", "text"',
    "thinking": b'"type": "thinking", "signature": "", "thinking"',
    "input_json": b'"type": "tool_use", "id": "t", "name": "n", "input": {}, "text"',
}


@pytest.mark.parametrize("status", [200, 500])
def test_vectors_have_a_bound_of_their_own(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "MAX_REPLY_BYTES", 1 << 20)
    with Loopback(lambda method, target: Answer(status, JSON, endless(b"["))) as server:
        with pytest.raises(EmbeddingError, match="sent a reply of more than 1 MB, which no request"):
            HttpEmbedder(server.url, "small", timeout_s=TIMEOUT_S).embed(["one"])
        assert server.sent_bytes < (1 << 20) + ON_THE_WAY


def test_vectors_that_never_end_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count()
    monkeypatch.setattr(client, "monotonic", lambda: float(next(seconds)))  # one passes at each look
    stopped = threading.Event()

    def drops() -> Iterator[bytes]:
        while not stopped.wait(0.001):
            yield b" "

    with Loopback(lambda method, target: Answer(200, JSON, drops())) as server:
        with pytest.raises(EmbeddingError, match="did not come to the end of its reply in time"):
            HttpEmbedder(server.url, "small", timeout_s=30.0).embed(["one"])
        stopped.set()


BOMB = gzip.compress(b" " * (16 << 20), 1)


@pytest.mark.parametrize(
    ("name", "coding"),
    [
        ("call", "gzip"),
        ("streamed", "gzip"),
        *(("embedded", coding) for coding in ("gzip", "deflate", "br", "zstd", "gzip, gzip")),
    ],
)
def test_a_compressed_reply_is_not_unpacked(name: str, coding: str) -> None:
    headers = JSON | {"Content-Encoding": coding}
    with Loopback(lambda method, target: Answer(200, headers, [BOMB])) as server:
        with pytest.raises(GreenroomError) as caught:
            ALL[name](server.url)
        assert server.headers[0]["accept-encoding"] == "identity"
    assert str(caught.value) == (
        f"{server.host} sent a compressed reply, which was not asked for: switch compression off there"
    )


def test_a_compressed_page_of_an_archives_list_is_not_unpacked() -> None:
    headers = {"Content-Encoding": "gzip"}
    packed = Loopback(lambda method, target: Answer(200, headers, [BOMB]))
    with packed as server, pytest.raises(GreenroomError, match="the server answered 500"):
        ALL["listed"](server.url)


MEASURED = """
import resource, sys
from tests.helpers.clients import ALL
from orchestrator.core.errors import GreenroomError
name, url, warm = sys.argv[1:]
peaks = []
for address in (warm, url):  # what it takes to load a library is no part of it
    try:
        ALL[name](address)
    except GreenroomError as error:
        line = str(error)
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(peaks[1] - peaks[0], line)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "headers", "first", "piece"),
    [
        ("call", JSON, b'{"content": ["', b"x" * PIECE),
        ("call", JSON, b'{"content": [', b"{}," * 20_000),
        ("streamed", SSE, BEGUN, DELTAS),
        ("embedded", JSON, b'{"data": [', b"1," * 32_000),
        ("listed", {}, b"<ListBucketResult>", b"<Contents/>" * 6000),
    ],
    ids=["one text", "many values", "stream", "vectors", "list"],
)
def test_half_a_gigabyte_takes_little_memory(
    name: str, headers: dict[str, str], first: bytes, piece: bytes
) -> None:
    """1.8 GB before there was a bound; by the system's own count of the whole process."""
    with (
        Loopback(lambda method, target: Answer(200, headers, endless(first, piece))) as server,
        Loopback(lambda method, target: Answer(403)) as warm,
    ):
        arguments = [sys.executable, "-c", MEASURED, name, server.url, warm.url]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    kilobytes, _, line = done.stdout.partition(" ")
    assert " sent " in line
    assert " more than " in line
    assert int(kilobytes) < 100_000
