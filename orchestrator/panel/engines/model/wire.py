"""A wire: the protocol that one kind of service speaks. Nothing above it depends on the provider.

A wire turns a task into a request, sends the request, and returns the reply. It stores no task and retries
nothing. All of it runs in the service's thread.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from pydantic import BaseModel

from orchestrator.core.errors import EngineError, OutboundError
from orchestrator.panel.engines.model.failures import (
    PassingError,
    RefusedError,
    UnusableError,
)
from orchestrator.panel.engines.model.received import Received

if TYPE_CHECKING:
    from orchestrator.panel.engines.model.settings import Settings
    from orchestrator.panel.engines.model.tasks import OnPartial, Outgoing, Task, Turns


C = TypeVar("C", bound=Any)  # an SDK's client

MAX_TOKENS: Final = 16_000
"""Maximum number of output tokens of a call, the model's thinking included."""
SHORT_MAX_TOKENS: Final = 4_000
"""Maximum number of output tokens for a server that refuses `MAX_TOKENS`."""


class Wire(Protocol):
    """The client of one service, with its format of requests and replies."""

    api: str  # as messages name it: "Messages API"
    sdk: str  # the package that it takes
    features: tuple[str, ...]  # what a server that speaks it may lack

    def outgoing(self, task: Task, turns: Turns, knows: Collection[str]) -> Outgoing:
        """Return the request for a service that has the features *knows*."""

    def lacking(self, said: str, request: Mapping[str, Any]) -> str | None:
        """Return the feature in *request* that a refusal names in its words, or None if it names none."""

    async def sent(self, request: Mapping[str, Any], on_partial: OnPartial | None = None) -> dict[str, Any]:
        """Send a request and return the message as plain values.

        Call *on_partial* with the object as it grows.

        Raises:
            RefusedError: The service refused the request.
            PassingError: Nothing came, or what came is not a message.
            EngineError: The service may not be asked, or its reply is not acceptable: a redirect, or too much
                data.
        """

    def received(self, plain: Mapping[str, Any]) -> Received:
        """Return the parts of a message that matter.

        Raises:
            UnusableError: *plain* is not a message, or uses a tool in a way that cannot be answered.
        """

    async def window(self, model: str) -> int | None:
        """Return the tokens of input and output that a call may have, or None if the service does not say."""

    async def close(self) -> None:
        """Close the wire's connections."""


_WINDOWS: Final = (
    "max_model_len",
    "context_length",
    "context_window",
    "loaded_context_length",
    "max_context_length",
    "max_input_tokens",
    "n_ctx",
)
"""Names for the room of a model in servers' lists of models: vLLM, gateways, LM Studio, llama.cpp."""


def most_tokens(task: Task, knows: Collection[str]) -> int:
    """Return the maximum number of tokens in a reply, for a service that has the features *knows*."""
    most = MAX_TOKENS if "length" in knows else SHORT_MAX_TOKENS
    return most if task.most_tokens is None else min(most, task.most_tokens)


def window_in(listed: Sequence[Mapping[str, Any]], model: str) -> int | None:
    """Return the room of *model* in a service's list, or None.

    If the list has only one model, that model counts, whatever its name.
    """
    for one in [one for one in listed if one.get("id") == model] or (listed if len(listed) == 1 else ()):
        for where in (one, one.get("meta") or {}):
            found = [where[name] for name in _WINDOWS if isinstance(where.get(name), int) and where[name] > 0]
            if found:
                return int(found[0])
    return None


_BROKEN: Final = (ValueError, TypeError, LookupError, AttributeError, RuntimeError, AssertionError)
"""Exceptions that the SDKs raise for malformed bodies and events, since they trust what a service sends."""


@contextmanager
def told_plainly(sdk: ModuleType, where: str, api: str) -> Iterator[None]:
    """Turn exceptions that *sdk*, Anthropic's or OpenAI's, raises in the block into errors that `Wire.sent`
    names.
    """
    import httpx2

    base = next(
        one for one in (getattr(sdk, name, None) for name in ("AnthropicError", "OpenAIError")) if one
    )
    try:
        yield
    except sdk.APIStatusError as error:
        raise RefusedError.of(error) from None
    except OutboundError as error:
        raise EngineError(str(error), stops=True) from None
    except EngineError:
        raise
    except (sdk.APIConnectionError, httpx2.HTTPError) as error:
        if isinstance(error.__cause__, OutboundError):  # the SDK makes this of whatever stops a request
            raise EngineError(str(error.__cause__), stops=True) from None
        is_nobody = isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout)
        line = f"{where} cannot be reached, or broke the connection off"
        raise PassingError(line, stops=is_nobody) from None
    except sdk.APIError as error:  # in a stream that had begun
        if error.body is None:
            raise PassingError(f"{where} sent what is no reply of the {api}", stops=True) from None
        raise RefusedError.of(error) from None
    except (base, UnusableError, *_BROKEN):
        raise PassingError(f"{where} sent what is no reply of the {api}", stops=True) from None


class Growing:
    """The part of a reply's JSON object whose text has come in so far."""

    def __init__(self, on_partial: OnPartial) -> None:
        self.text = ""
        self._on_partial = on_partial

    def add(self, piece: str) -> None:
        """Add the next piece of text, and call back with the object that can be read so far."""
        from jiter import from_json

        self.text += piece
        start = self.text.find('{"kind"') if '{"kind"' in self.text else self.text.find("{")
        if start < 0:
            return
        try:
            partial = from_json(self.text[start:].encode(), partial_mode="trailing-strings")
        except ValueError:
            return  # words around the object; the whole text is read in the end
        if isinstance(partial, dict):
            self._on_partial(partial)


class SdkWire(ABC, Generic[C]):
    """The common part of the wires whose SDK is Anthropic's or OpenAI's.

    The same generator makes both SDKs.

    The client is made at the first call, in the service's thread. The SDK's own retries are off, because this
    package's retries know the deadline of the whole task.
    """

    api: str
    sdk: str

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: C | None = None

    @abstractmethod
    def _made(self) -> C:
        """Make the SDK's client."""

    @property
    def client(self) -> C:
        """Return the SDK's client.

        Raises:
            EngineError: There is no key, or the environment forbids using the key or asking the server.
        """
        if self._client is None:
            try:
                self._client = self._made()
            except OutboundError as error:
                raise EngineError(str(error), stops=True) from None
        return self._client

    async def window(self, model: str) -> int | None:
        """Do what `Wire.window` says, from the service's list of models, if that names the room."""
        with told_plainly(import_module(self.sdk), self._settings.where, self.api):
            return window_in([plain_of(one) for one in (await self.client.models.list()).data], model)

    async def close(self) -> None:
        """Do what `Wire.close` says; a later call makes a new client."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()


def plain_of(message: object) -> dict[str, Any]:
    """Return an SDK's model as plain values with only the keys that came, or {} for any other object."""
    plain = message.model_dump(warnings=False, exclude_unset=True) if isinstance(message, BaseModel) else None
    return plain if isinstance(plain, dict) else {}
