"""A small S3 server on loopback that is stricter than moto, and can be told to misbehave.

It checks every signature, digest and length that it is sent, refuses puts without
`If-None-Match: *` and bodies that are not plain, and never overwrites. `faults` maps a request's
number (from 1) to what happens at it:

- before the request has any effect: `reset`, `kill` (the victim), `stall`, `redirect`, a status
  ("503"), or a status without a body ("503-empty");
- when it has had its effect: the same with `-after`;
- in the answer: `truncate` and `stall-body` (half of it comes), `wrong` (a bit of it is another),
  `huge` (an object is said to have 1 TB), `endless` (every page of a list names the same next one);
- lies: `drop` (a put that stores nothing), `corrupt` (one that stores other bytes) and `keep` (a
  delete that removes nothing), all with success; `missing` (a read finds nothing), `stale` and
  `extra` (a list without its last name, or with a name that is no object's).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import signal
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

KEY, SECRET = "AKIDTEST", "not-a-real-secret-key"
MAX_SKEW_S = 900
"""As S3's own: a request that is signed further from the server's clock is refused."""
PAGE_KEYS = 7
"""Keys in a page of a list: few, so that every list has several pages."""
STALL_S = 1.0
COLD = (
    '<?xml version="1.0"?><Error><Code>InvalidObjectState</Code><StorageClass>GLACIER</StorageClass></Error>'
)
CODES = {
    "400": "ExpiredToken",
    "403": "AccessDenied",
    "409": "ConditionalRequestConflict",
    "412": "PreconditionFailed",
    "503": "SlowDown",
}


@dataclass
class StrictS3:
    """The server's state, and its orders."""

    bucket: str = "bucket"
    objects: dict[str, bytes] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)  # key: its own sha256
    applied: Counter[str] = field(default_factory=Counter)  # puts that stored something, by key
    requests: list[tuple[str, str]] = field(default_factory=list)  # method, key
    headers: list[dict[str, str]] = field(default_factory=list)
    faults: dict[int, str] = field(default_factory=dict)
    struck: list[str] = field(default_factory=list)  # keys of requests that one of `faults` was at
    every: str = ""  # a fault at every request
    lies: set[str] = field(default_factory=set)  # keys that are read back wrong
    cold: set[str] = field(default_factory=set)  # keys in a storage class from which nothing can be read now
    corrupts: set[str] = field(default_factory=set)  # keys of which other bytes are stored than were sent
    refuses_checksums: bool = False
    clock_ahead_s: float = 0.0  # of the server's clock
    victim: int = 0  # process that a `kill` is for
    elsewhere: str = ""  # where a `redirect` points
    port: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def endpoint_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: StrictS3

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: what matters is in `requests`."""

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        bucket, _, key = unquote(parts.path).removeprefix("/").partition("/")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.state.lock:
            self.state.requests.append((self.command, key))
            self.state.headers.append({name.lower(): value for name, value in self.headers.items()})
            fault = self.state.faults.get(len(self.state.requests), self.state.every)
            if len(self.state.requests) in self.state.faults:
                self.state.struck.append(key)
        if not self._happens(fault):
            return
        refused = self._unsigned() or ("NoSuchBucket" if bucket != self.state.bucket else "")
        if refused:
            self._refuse(404 if refused == "NoSuchBucket" else 403, refused, {})
            return
        status, answer, extra = self._answer(key, parse_qs(parts.query), body, fault)
        if fault.endswith("-after") and not self._happens(fault.removesuffix("-after")):
            return
        cut = len(answer) // 2 if fault in ("truncate", "stall-body") else 0
        if fault == "wrong" and answer:
            answer = _other(answer)
        self._say(status, answer, extra, cut, told=1 << 40 if fault == "huge" and key else None)
        if fault == "stall-body":
            time.sleep(STALL_S)
        if cut:
            self._reset()

    def _say(
        self, status: int, answer: bytes, extra: dict[str, str], cut: int = 0, told: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in extra.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(told or len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer[: len(answer) - cut])

    def _unsigned(self) -> str:
        """Why the signature is refused; "" if it is right. Source: AWS Signature Version 4."""
        scheme, _, told = self.headers.get("Authorization", "").partition(" ")
        given = dict(part.strip().partition("=")[::2] for part in told.split(","))
        key, _, scope = given.get("Credential", "").partition("/")
        if scheme != "AWS4-HMAC-SHA256" or key != KEY:
            return "InvalidAccessKeyId"
        at = self.headers["x-amz-date"]
        signed_at = datetime.strptime(at, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
        if abs(time.time() + self.state.clock_ahead_s - signed_at) > MAX_SKEW_S:
            return "RequestTimeTooSkewed"
        parts = urlsplit(self.path)
        names = given["SignedHeaders"].split(";")
        if not {"host", "x-amz-date", "x-amz-content-sha256"} <= set(names):
            return "AccessDenied"
        canonical = "\n".join(
            [
                self.command,
                parts.path,
                "&".join(
                    sorted(pair if "=" in pair else f"{pair}=" for pair in parts.query.split("&") if pair)
                ),
                *(f"{name}:{' '.join(self.headers[name].split())}" for name in names),
                "",
                given["SignedHeaders"],
                self.headers["x-amz-content-sha256"],
            ]
        )
        secret = f"AWS4{SECRET}".encode()
        for part in scope.split("/"):
            secret = hmac.digest(secret, part.encode(), "sha256")
        told = "\n".join([scheme, at, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        right = hmac.digest(secret, told.encode(), "sha256").hex()
        return "" if hmac.compare_digest(right, given["Signature"]) else "SignatureDoesNotMatch"

    def _happens(self, fault: str) -> bool:
        """Carry a fault out; whether the request is answered all the same."""
        if fault == "reset":
            self._reset()
            return False
        if fault == "kill":
            os.kill(self.state.victim, signal.SIGKILL)
            self._reset()
            return False
        if fault == "stall":
            time.sleep(STALL_S)
            return True
        if fault == "redirect":
            self._refuse(307, "TemporaryRedirect", {"Location": f"{self.state.elsewhere}{self.path}"})
            return False
        status = fault.removesuffix("-empty")
        if status.isdigit():
            if status != fault:
                self._say(int(status), b"", {})
            else:
                self._refuse(int(status), CODES.get(status, "InternalError"), {})
            return False
        return True

    def _refuse(self, status: int, code: str, extra: dict[str, str]) -> None:
        self._say(status, _error(code), extra)

    def _reset(self) -> None:
        """Close with a reset, as a crashed server or a broken line does."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def _answer(
        self, key: str, query: dict[str, list[str]], body: bytes, fault: str
    ) -> tuple[int, bytes, dict[str, str]]:
        with self.state.lock:
            if not key:
                return 200, self._list(query, fault), {"Content-Type": "application/xml"}
            if self.command == "PUT":
                return self._put(key, body, fault)
            if self.command == "DELETE":
                if fault != "keep":
                    self.state.objects.pop(key, None)
                return 204, b"", {}
            if key not in self.state.objects or fault == "missing":
                return 404, _error("NoSuchKey"), {}
            if key in self.state.cold:
                return 403, COLD.encode(), {}
            content = self.state.objects[key]
            if key in self.state.lies:
                content = _other(content)
            return 200, content, {"x-amz-meta-sha256": self.state.metadata[key], "ETag": '"none"'}

    def _put(self, key: str, body: bytes, fault: str) -> tuple[int, bytes, dict[str, str]]:
        wrong = self._wrong(body)
        if wrong:
            return 400, _error(wrong), {}
        if key in self.state.objects:
            return 412, _error("PreconditionFailed"), {}
        if fault == "drop":
            return 200, b"", {"ETag": '"none"'}
        is_other = fault == "corrupt" or key in self.state.corrupts
        self.state.objects[key] = _other(body) if is_other else body
        self.state.metadata[key] = self.headers["x-amz-meta-sha256"]
        self.state.applied[key] += 1
        return 200, b"", {"ETag": '"none"'}

    def _wrong(self, body: bytes) -> str:
        """Why a put is refused; "" if it is as it should be."""
        digest = hashlib.sha256(body)
        checksum = self.headers.get("x-amz-checksum-sha256")
        md5 = self.headers.get("Content-MD5")
        if len(body) != int(self.headers.get("Content-Length", "-1")):
            return "IncompleteBody"
        if md5 is not None and base64.b64decode(md5) != hashlib.md5(body).digest():
            return "BadDigest"
        if self.headers.get("If-None-Match") != "*":
            return "MissingCondition"
        if "aws-chunked" in self.headers.get("Content-Encoding", "") or "x-amz-trailer" in self.headers:
            return "NotImplemented"
        if any(name.lower().startswith("x-amz-checksum-crc") for name in self.headers):
            return "NotImplemented"
        if checksum is not None and self.state.refuses_checksums:
            return "NotImplemented"
        if checksum is not None and base64.b64decode(checksum) != digest.digest():
            return "BadDigest"
        if self.headers.get("x-amz-content-sha256") not in (digest.hexdigest(), "UNSIGNED-PAYLOAD"):
            return "XAmzContentSHA256Mismatch"
        if self.headers.get("x-amz-meta-sha256") != digest.hexdigest():
            return "MissingMetadata"
        return ""

    def _list(self, query: dict[str, list[str]], fault: str) -> bytes:
        prefix = query.get("prefix", [""])[0]
        after = query.get("continuation-token", [""])[0]
        keys = {_cut(key, prefix, query.get("delimiter", [""])[0]) for key in self.state.objects}
        left = sorted(key for key in keys if key.startswith(prefix) and key > after)
        left = {"stale": left[:-1], "extra": [*left, f"{prefix}~"]}.get(fault, left)
        page = left[:PAGE_KEYS]
        more = len(left) > PAGE_KEYS or fault == "endless"
        page = page or [after]
        token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        found = "".join(
            _listed(escape(quote(key)), is_folder=key.endswith("/"), is_cold=key in self.state.cold)
            for key in page
        )
        return (
            '<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<EncodingType>url</EncodingType><IsTruncated>{str(more).lower()}</IsTruncated>{token}{found}"
            "</ListBucketResult>"
        ).encode()

    do_GET = do_HEAD = do_PUT = do_DELETE = do_POST = _serve


def _other(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


def _cut(key: str, prefix: str, delimiter: str) -> str:
    """A key up to the first delimiter behind the prefix: one common prefix stands for all below it."""
    head, found, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
    return f"{prefix}{head}{found}" if found else key


def _listed(key: str, *, is_folder: bool, is_cold: bool) -> str:
    if is_folder:
        return f"<CommonPrefixes><Prefix>{key}</Prefix></CommonPrefixes>"
    kind = "GLACIER" if is_cold else "STANDARD"
    return f"<Contents><Key>{key}</Key><StorageClass>{kind}</StorageClass></Contents>"


def _error(code: str) -> bytes:
    return f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>no</Message></Error>'.encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is part of the tests."""


@contextmanager
def strict_s3(**orders: Any) -> Iterator[StrictS3]:
    """A running server, stopped at the end."""
    state = StrictS3(**orders)
    handler = type("Handler", (_Handler,), {"state": state})
    server = _Server(("127.0.0.1", 0), handler)
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
