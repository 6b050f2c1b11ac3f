"""The connection of this process to the servers of the cluster, with an event loop in a thread of its own.

Whatever talks to the servers does so in that loop: `run` from any other thread, directly from a coroutine.

Source: cluster.md, "Parts".
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, TypeVar

from orchestrator.core.errors import ConfigurationError, NotInstalledError, ReplicaAwayError
from orchestrator.core.legible import one_line
from orchestrator.panel.config.cluster import Cluster

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.js.client import JetStreamContext

T = TypeVar("T")

ANSWER_WITHIN_S: Final = 5.0
"""Seconds within which a server has to answer: after that a write is refused (cluster.md, "Promises")."""
_CONNECT_WITHIN_S: Final = 2
_PING_EVERY_S: Final = 0.5
"""Seconds between two questions whether a server is still there. A frozen one is left after the third, before
anybody takes this process for dead (`owners.DEAD_AFTER_S`)."""
_RECONNECT_AFTER_S: Final = 0.1
_THREADS: Final = 32
"""Threads for what the loop must not wait for. Some wait for the loop, which waits for another of them to
read a ledger: the six that a machine of two cores would have could all be such."""
_MAX_SECRET_BYTES: Final = 4096
"""Maximum size of a file with a token or a password; the longest in use, signed tokens, have about 2 kB."""
_MAX_CREDENTIALS_BYTES: Final = 64 * 1024

log = logging.getLogger(__name__)


class Connection:
    """A connection that comes back by itself whenever it is lost. Safe to use from many threads."""

    nc: Client
    js: JetStreamContext

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster = cluster
        self.name = name
        self.loop = asyncio.new_event_loop()
        self.loop.set_default_executor(ThreadPoolExecutor(_THREADS, thread_name_prefix="cluster-work"))
        self.on_reconnected: list[Callable[[], None]] = []
        """Called in the loop after the connection has come back."""
        self._thread = Thread(target=self.loop.run_forever, name="cluster", daemon=True)

    @classmethod
    def open(cls, cluster: Cluster, name: str) -> Connection:
        """Connect to one of the servers.

        Args:
            name: What the servers' lists call this connection.

        Raises:
            NotInstalledError: The extra `cluster` is missing.
            ConfigurationError: A file of the configuration cannot be read.
            ReplicaAwayError: No server answers, or all refuse this process.
        """
        try:
            import nats  # noqa: F401  # 0.1 s, and only who has the extra has it
        except ImportError as error:
            raise NotInstalledError(
                "a cluster needs the extra `cluster`: pip install 'greenroom[cluster]'"
            ) from error
        options = _options(cluster)
        made = cls(cluster, name)
        made._thread.start()
        try:
            made.run(made._connect(options), timeout_s=ANSWER_WITHIN_S + 1)
        except BaseException:
            made._stop_loop()
            raise
        return made

    @property
    def is_connected(self) -> bool:
        """Whether a server answers at this moment."""
        return self.nc.is_connected

    def run(self, work: Coroutine[Any, Any, T], timeout_s: float = ANSWER_WITHIN_S) -> T:
        """Run a coroutine in the loop and return its result; call this in any other thread.

        Raises:
            ReplicaAwayError: It took longer than *timeout_s*, and was cancelled.
        """
        future = self.spawn(work)
        try:
            return future.result(timeout_s)
        except FutureTimeoutError as error:
            future.cancel()
            raise ReplicaAwayError(
                f"the cluster's servers ({', '.join(self.cluster.servers)}) have not answered in time: look "
                "at them, then try again"
            ) from error

    def spawn(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin a coroutine in the loop; return what it will give."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def close(self) -> None:
        """Close the connection, and end the loop. A second call does nothing."""
        if self.loop.is_closed():
            return
        with suppress(Exception):  # the servers may be gone, and nothing waits to be sent
            self.run(self.nc.close(), timeout_s=2)
        self._stop_loop()

    async def _connect(self, options: dict[str, Any]) -> None:
        refusals: list[BaseException] = []
        others: list[BaseException] = []
        refused = asyncio.Event()

        async def hear(error: Exception) -> None:
            (refusals if _is_refusal(error) else others).append(error)
            if len(refusals) > len(self.cluster.servers):  # each was asked, and one of them twice
                refused.set()
            await _told(error)

        self.nc = _client(self.cluster)
        connecting = asyncio.ensure_future(
            self.nc.connect(
                list(self.cluster.servers),
                name=self.name,
                reconnected_cb=self._reconnected,
                error_cb=hear,
                **options,
            )
        )
        waiting = asyncio.ensure_future(refused.wait())
        try:
            await asyncio.wait(
                {connecting, waiting}, timeout=ANSWER_WITHIN_S, return_when=asyncio.FIRST_COMPLETED
            )
            is_there = connecting.done() and not connecting.cancelled()
            if is_there and (error := connecting.exception()) is not None:
                others.append(error)
            if not is_there or connecting.exception() is not None:
                cause = (refusals or others or [TimeoutError()])[-1]
                raise ReplicaAwayError(
                    f"{', '.join(self.cluster.servers)}: no server of the cluster takes this process: "
                    f"{_advice(cause)}"
                ) from cause
        except BaseException:
            connecting.cancel()
            with suppress(Exception):
                await self.nc.close()
            raise
        finally:
            waiting.cancel()
        self.js = self.nc.jetstream(timeout=ANSWER_WITHIN_S)

    async def _reconnected(self) -> None:
        for told in tuple(self.on_reconnected):
            told()

    def _stop_loop(self) -> None:
        async def end() -> None:
            here = asyncio.current_task()
            left = [one for one in asyncio.all_tasks() if one is not here]
            for one in left:
                one.cancel()
            await asyncio.gather(*left, return_exceptions=True)

        if self._thread.is_alive():
            with suppress(FutureTimeoutError):
                asyncio.run_coroutine_threadsafe(end(), self.loop).result(2)
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(2)
        if not self.loop.is_running():
            self.loop.close()


async def _told(error: Exception) -> None:
    """Keep the library's errors out of the terminal: each ends as one of ours where somebody waits."""
    log.debug("cluster: %s", reason(error))


class _PlainServerError(Exception):
    """The server does not encrypt, and this process must."""


def _client(cluster: Cluster) -> Client:
    """Return a client that signs in to no server that does not encrypt, where encryption is configured.

    The library does what the server asks for, so whoever stands between could have a password sent as plain
    text, whatever the address says.
    """
    from nats.aio.client import Client

    if not uses_tls(cluster):
        return Client()

    class EncryptedClient(Client):
        def _connect_command(self) -> bytes:
            if not self._server_info.get("tls_required"):
                raise _PlainServerError
            command: bytes = super()._connect_command()
            return command

    logging.getLogger("asyncio").addFilter(_is_news)
    return EncryptedClient()


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a line of asyncio is one to show: not that of each TLS connection's end, which says nothing."""
    return "eof_received" not in str(record.msg)


def uses_tls(cluster: Cluster) -> bool:
    """Return whether a process signs in over TLS alone."""
    return cluster.ca is not None or any(one.startswith("tls://") for one in cluster.servers)


_CREDENTIAL_WORDS: Final = ("authorization", "authentication")
"""Words of a server's own lines that refuse credentials: "Authorization Violation", "User Authentication
Expired", "User Authentication Revoked"."""
_EXPIRED: Final = frozenset({10})
_OTHER_NAMES: Final = frozenset({62, 64})
"""Codes of OpenSSL: X509_V_ERR_CERT_HAS_EXPIRED; HOSTNAME_MISMATCH and IP_ADDRESS_MISMATCH."""


def _is_refusal(error: BaseException) -> bool:
    """Return whether it would be the same a moment later, unlike that of a server that is only starting."""
    if isinstance(error, (_PlainServerError, ssl.SSLError)):
        return True
    return any(word in str(error).lower() for word in _CREDENTIAL_WORDS)


def _advice(error: BaseException) -> str:
    """Return why no server could be used, and what to do."""
    if isinstance(error, _PlainServerError):
        return (
            "they do not encrypt, so nothing was sent: switch on `tls` in the servers' configuration, or "
            "name them as nats:// without `ca`"
        )
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in _EXPIRED:
            return "their certificate has expired: renew it on the servers"
        if error.verify_code in _OTHER_NAMES:
            return (
                "their certificate is for other names: write `cluster.servers` as it has them, or have one "
                f"made for these ({error.verify_message.rstrip('.')})"
            )
        return (
            f"their certificate is not trusted here ({error.verify_message}): set `cluster.ca` to the "
            "certificate of who signed it"
        )
    if isinstance(error, ssl.SSLError):
        return (
            f"they do not accept this process's certificate ({reason(error)}): set `cluster.certificate` "
            "and `cluster.key` to a pair that their authority signed"
        )
    if _is_refusal(error):
        return (
            "they refuse its credentials: look at `user` and the password, the token, or `credentials` of "
            "`cluster:`"
        )
    return f"they do not answer ({reason(error)}): start them, or mend `cluster.servers` in greenroom.yaml"


def reason(error: BaseException) -> str:
    """Return what a library's error says, in one line."""
    return one_line(str(error)) or type(error).__name__


def _options(cluster: Cluster) -> dict[str, Any]:
    """Return the arguments with which the client signs in.

    Raises:
        ConfigurationError: A certificate or key cannot be read.
    """
    options: dict[str, Any] = {
        "connect_timeout": _CONNECT_WITHIN_S,
        "ping_interval": _PING_EVERY_S,
        "max_outstanding_pings": 2,
        "reconnect_time_wait": _RECONNECT_AFTER_S,
        "max_reconnect_attempts": -1,
    }
    if cluster.user is not None:
        options["user"] = cluster.user
    for name in ("token", "password"):
        if (secret := _secret(cluster, name)) is not None:
            options[name] = secret
    if cluster.credentials is not None:
        _check_credentials(cluster.credentials)
        options["user_credentials"] = str(cluster.credentials)
    if uses_tls(cluster):
        options["tls"] = _tls(cluster)
    return options


def _check_credentials(path: Path) -> None:
    """Refuse what is no .creds file: the library takes anything, and fails where nobody would look.

    Raises:
        ConfigurationError: The file cannot be read, or lacks a part.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_CREDENTIALS_BYTES)
    except OSError as error:
        raise ConfigurationError(
            f"cluster.credentials: {path} cannot be read ({error.strerror}): name the .creds file", file=path
        ) from error
    if b"BEGIN NATS USER JWT" not in text or b"BEGIN USER NKEY SEED" not in text:
        raise ConfigurationError(
            f"cluster.credentials: {path} is no .creds file: it must hold a user's JWT and its seed, as "
            "`nsc generate creds` writes them",
            file=path,
        )


def _secret(cluster: Cluster, name: str) -> str | None:
    """Return the token or the password, from its file if it has one.

    Raises:
        ConfigurationError: The file cannot be read, or holds something else.
    """
    path: Path | None = getattr(cluster, f"{name}_file")
    if path is None:
        value: str | None = getattr(cluster, name)
        return value
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_SECRET_BYTES).decode("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ConfigurationError(
            f"cluster.{name}_file: {path} cannot be read ({why}): name a file with the {name} alone",
            file=path,
        ) from error
    if not text or not text.isprintable():
        raise ConfigurationError(
            f"cluster.{name}_file: {path} must hold the {name} alone, in one line", file=path
        )
    return text


def _tls(cluster: Cluster) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=str(cluster.ca) if cluster.ca is not None else None)
        if cluster.certificate is not None:
            context.load_cert_chain(str(cluster.certificate), str(cluster.key) if cluster.key else None)
    except (OSError, ssl.SSLError) as error:
        files = [str(one) for one in (cluster.ca, cluster.certificate, cluster.key) if one is not None]
        raise ConfigurationError(
            f"cluster: {', '.join(files)}: cannot be used for TLS ({reason(error)}): name PEM files that "
            "belong together"
        ) from error
    return context
