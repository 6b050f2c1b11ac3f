"""The session from which S3's client is made: how it, and the providers of its credentials, reach their
servers.

All requests of all clients of a session go through one event, and requests for an instance's metadata through
a separate session. Both are sent from here, so the same rules hold for both: no server on this machine or
this link is asked through a proxy, and a reply has a maximum size. botocore follows no redirect; what its S3
client does instead is switched off in `archive/s3.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import boto3
import botocore.session
import urllib3.exceptions
from botocore.awsrequest import (
    AWSHTTPConnectionPool,
    AWSHTTPSConnectionPool,
    AWSPreparedRequest,
    AWSResponse,
)
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError
from botocore.httpsession import URLLib3Session
from botocore.utils import get_environ_proxies

from orchestrator.core.outbound.environment import (
    MAX_REPLY_BYTES,
    check_aws,
    check_aws_certificates,
    check_proxies,
    shown_host,
    too_long,
)
from orchestrator.core.outbound.loopback import is_link_local, is_loopback

_PIECE_BYTES: Final = 1 << 16


def aws_session(*, connect_timeout_s: float, read_timeout_s: float) -> boto3.session.Session:
    """Return a session whose clients, and whose search for credentials, keep to the rules above.

    Raises:
        OutboundError: A variable of the environment cannot be used.
    """
    check_aws()
    inner: Any = botocore.session.get_session()  # its stubs know no handler that answers a request
    if inner.get_config_variable("defaults_mode") == "auto":
        # It would ask the instance's metadata for the region, through whatever proxy there is.
        named: Any = {"defaults_mode": "standard"}
        inner.set_default_client_config(Config(**named))
    timeout = (connect_timeout_s, read_timeout_s)
    inner.register("before-send", _Sending(inner.get_config_variable("ca_bundle") or True, timeout))
    fetcher = inner.get_component("credential_provider").get_provider("iam-role")._role_fetcher
    fetcher._session = _Bounded(timeout=fetcher._timeout)  # without a proxy: that machine is not this one
    return boto3.session.Session(botocore_session=inner)


class _Sending:
    """A sender of requests, directly or through a proxy; the environment decides by the address."""

    def __init__(self, verify: bool | str, timeout: tuple[float, float]) -> None:
        self._verify, self._timeout = verify, timeout
        self._sessions: dict[frozenset[tuple[str, str]], URLLib3Session] = {}
        self._lock = threading.Lock()

    def __call__(self, request: AWSPreparedRequest, **_: object) -> AWSResponse:
        if request.url.startswith("https:"):
            check_aws_certificates()
        return self._session(_proxies(request.url)).send(request)

    def _session(self, proxies: dict[str, str]) -> URLLib3Session:
        key = frozenset(proxies.items())
        with self._lock:
            if key not in self._sessions:
                self._sessions[key] = _Bounded(verify=self._verify, proxies=proxies, timeout=self._timeout)
            return self._sessions[key]


def _proxies(url: str) -> dict[str, str]:
    """Return the proxies for *url*, by scheme; empty for a server on this machine or this link."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host) or is_link_local(host):
        return {}
    proxies = get_environ_proxies(url)
    found = {parts.scheme: proxies[parts.scheme]} if parts.scheme in proxies else {}
    if found:
        check_proxies(scheme=parts.scheme, socks=False)
    return found


class _Pool(AWSHTTPConnectionPool):
    """A pool that keeps urllib3 from looking at redirects; told only not to follow them, urllib3 fails at
    a 303."""

    def urlopen(self, *args: Any, **kwargs: Any) -> Any:
        """Send a request without looking at redirects, as the class says."""
        return super().urlopen(*args, **{**kwargs, "redirect": False})


class _TLSPool(AWSHTTPSConnectionPool):
    """A pool like `_Pool`, under TLS."""

    def urlopen(self, *args: Any, **kwargs: Any) -> Any:
        """Send a request without looking at redirects, as `_Pool` does."""
        return super().urlopen(*args, **{**kwargs, "redirect": False})


class _Bounded(URLLib3Session):
    """botocore's own sender, with a bound on all that it stores in memory."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        pools = {"http": _Pool, "https": _TLSPool}
        vars(self)["_pool_classes_by_scheme"] = pools  # for those of a proxy
        vars(self)["_manager"].pool_classes_by_scheme = pools

    def send(self, request: Any) -> AWSResponse:
        """Send *request* and read the body here, except an object's body, whose reader has its own bound.

        Raises:
            OutboundError: The body is too long.
        """
        is_object = request.stream_output
        request.stream_output = True  # else it would be read whole first
        response = super().send(request)
        if is_object and response.status_code < 300:
            return response
        headers: Any = response.headers
        return AWSResponse(response.url, response.status_code, headers, _Read(_content(response)))


def _content(response: AWSResponse) -> bytes:
    content = bytearray()
    try:
        while piece := response.raw.read(_PIECE_BYTES):
            content += piece
            if len(content) > MAX_REPLY_BYTES:
                raise too_long(shown_host(response.url), MAX_REPLY_BYTES)
    except urllib3.exceptions.ReadTimeoutError as error:
        raise ReadTimeoutError(endpoint_url=response.url, error=error) from error
    except urllib3.exceptions.HTTPError as error:
        raise ConnectionClosedError(endpoint_url=response.url, error=error) from error
    finally:
        if not response.raw.isclosed():  # the rest of it is of no use, nor is the connection
            response.raw.close()
    return bytes(content)


@dataclass(frozen=True, slots=True)
class _Read:
    """A body that has been read."""

    content: bytes

    def stream(self) -> Iterator[bytes]:
        """Yield the body in one piece, where urllib3's own response yields several."""
        yield self.content
