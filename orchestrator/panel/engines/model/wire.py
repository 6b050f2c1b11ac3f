"""A wire: how one kind of service is spoken to. Everything above it knows no provider.

A wire turns a task into a request, sends it, and says what came back; it keeps no task and retries nothing.
All of it runs in the service's thread.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from orchestrator.core.errors import EngineError, OutboundError
from orchestrator.panel.engines.model.failures import (
    PassingError,
    RefusedError,
    UnusableError,
    UselessError,
    shape_fault,
    too_long,
)
from orchestrator.panel.engines.model.schemas import KINDS, Part, Reply, is_text, part_type
from orchestrator.panel.engines.prices import cost_usd
from orchestrator.panel.model.usage import CallUsage

if TYPE_CHECKING:
    from orchestrator.panel.engines.model.settings import Settings
    from orchestrator.panel.engines.model.tasks import OnPartial, Outgoing, Task, Turns


# ---------------------------------------------------------------------- received
# From what a service sent to a part of a reply, or to why it cannot be used.


MAX_TEXT: Final = 200_000
"""Characters of a reply that are looked at."""
MAX_BRACES: Final = 200
"""Places at which an object may begin that are tried; a wrong one costs a look at the whole text."""
MAX_ARGUMENTS: Final = 20_000
"""Characters of one tool's arguments: ten times the longest that any of ours takes."""
MAX_USES: Final = 32
"""Of tools in one message."""


def _bounded(arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise ValueError("no JSON") from None
    if len(text) > MAX_ARGUMENTS or not is_text(text):
        raise ValueError("too long, or no text")
    return arguments


class ToolUse(Part):
    """A tool that a model uses."""

    id: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,128}$")]
    name: Annotated[str, Field(max_length=MAX_ARGUMENTS)]
    arguments: Annotated[dict[str, Any], Field(alias="input"), AfterValidator(_bounded)]


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a call used, by the service's own count."""

    read: int = 0  # input tokens from the cache
    written: int = 0  # input tokens put into it
    new: int = 0  # input tokens paid in full
    output: int = 0
    reported: bool = False  # the service says what it read from a cache


@dataclass(frozen=True, slots=True)
class Received:
    """What of a message matters here; taken without trust in the server that sent it."""

    text: str
    stop: str | None  # as the Messages API names it; None: the reply was broken off
    tokens: Tokens
    model: str = ""  # who answered, as the service says
    uses: tuple[ToolUse, ...] = ()
    content: tuple[Mapping[str, Any], ...] = ()  # blocks to be sent back, where tools are used


MAX_NAME: Final = 200
"""Characters of a model's name; it is shown, and kept."""


def model_name(name: object) -> str:
    """The model that answered, as the service names it; "" for what is no name on one line."""
    is_name = isinstance(name, str) and len(name) <= MAX_NAME and name.isprintable() and is_text(name)
    return str(name).strip() if is_name else ""


def tool_uses(blocks: Iterable[Mapping[str, Any]]) -> tuple[ToolUse, ...]:
    """The uses of tools in a message, each with id, name and input.

    Raises:
        UnusableError: One of them cannot be answered.
    """
    try:
        found = tuple(map(ToolUse.model_validate, blocks))
    except ValidationError as error:
        raise UnusableError(f"a use of a tool cannot be answered: {shape_fault(error)}") from None
    if len(found) > MAX_USES or len({one.id for one in found}) < len(found):
        raise UnusableError(f"it uses more than {MAX_USES} tools at once, or two under one id")
    return found


def check_stop(one: Received, max_tokens: int, model: str) -> None:
    """Refuse a reply that is not whole.

    Raises:
        EngineError: The model declined, or its reply was cut; it says where, and not what our limit was.
    """
    if one.stop == "refusal":
        raise UselessError("the model declined to answer")
    if one.stop == "model_context_window_exceeded":
        raise too_long(model)
    if one.stop == "max_tokens":
        output = one.tokens.output
        if not output or output >= max_tokens:
            raise UselessError(f"the reply was cut at {max_tokens} tokens")
        raise UselessError(
            f"the reply was cut at {output} tokens, before the {max_tokens} that it may have: the server has "
            "a limit of its own, or its context is full"
        )


def part_of(text: str, kind: str, shape: type[Part] = Reply) -> Part:
    """The part of this kind in a reply's text, validated; of a task that stands by itself the whole reply.

    Raises:
        UnusableError: It holds no such object; the message repeats none of its words.
    """
    names = {"kind", kind} if shape is Reply else {"kind", kind, *shape.model_fields}
    fields = (part_type(kind) if shape is Reply else shape).model_fields
    needed = {name for name, field in fields.items() if field.is_required()}
    plain = json_in(text[-MAX_TEXT:], lambda found: bool(names & set(found)) or needed <= set(found))
    if plain is None:
        raise UnusableError("it is no JSON object of the shape that was asked for")
    try:
        if shape is not Reply:
            return shape.model_validate(_alone(plain, kind, set(fields)))
        if "kind" not in plain:  # a server without output schemas: the part alone, or under its name
            plain = {"kind": kind, kind: plain.get(kind, plain)}
        return Reply.model_validate({**dict.fromkeys(KINDS), **plain}).part(kind)
    except ValidationError as error:
        raise UnusableError(shape_fault(error)) from None
    except ValueError:
        raise UnusableError(f"its part {kind} is not filled") from None


def _alone(plain: Mapping[str, Any], kind: str, fields: Collection[str]) -> Mapping[str, Any]:
    """The part in a reply that should be it, and may stand under its name; nothing of another task's."""
    if "kind" not in fields and plain.get("kind", kind) != kind:
        raise UnusableError("it answers another task")
    inner = plain.get(kind)
    if kind not in fields and isinstance(inner, Mapping):
        plain = inner
    if not set(plain) & set(fields):
        raise UnusableError("it has nothing of the shape that was asked for")
    return plain


def json_in(text: str, fits: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any] | None:
    """The last JSON object in a text that *fits*, as a model thinks aloud first; None: there is none."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    start, wrong, last = -1, 0, None
    while wrong < MAX_BRACES:
        start = text.find("{", start + 1)
        if start < 0:
            break
        try:
            found, end = decoder.raw_decode(text, start)
        except RecursionError:
            break
        except ValueError:
            wrong += 1
            continue
        if fits(found):
            last = found
        start = end - 1
    return last


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


# ---------------------------------------------------------------------- what it used


def call_usage(agent: str, kind: str, model: str, tokens: Tokens, seconds: float, **more: Any) -> CallUsage:
    """A call's record, by the service's own count; *model*: the one that was asked for."""
    read, written, new, output = tokens.read, tokens.written, tokens.new, tokens.output
    usage = CallUsage(agent, kind, model, read, written, new, output, round(seconds, 3), **more)
    cost = cost_usd(model, read=read, written=written, new=new, output=output)
    return replace(usage, cost_usd=cost, reported=tokens.reported)


def count(value: object) -> int:
    """A number that a service reports; 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


# ---------------------------------------------------------------------- wire


C = TypeVar("C", bound=Any)  # an SDK's client

MAX_TOKENS: Final = 16_000
"""Most output tokens of a call, the model's thinking included."""
SHORT_MAX_TOKENS: Final = 4_000
"""Of a server that refuses so many."""


class Wire(Protocol):
    """One service's client, and its way of writing requests and replies."""

    api: str  # as messages name it: "Messages API"
    sdk: str  # the package that it takes
    features: tuple[str, ...]  # what a server that speaks it may lack

    def outgoing(self, task: Task, turns: Turns, knows: Collection[str]) -> Outgoing:
        """The request for a service that knows these features."""

    def lacking(self, said: str, request: Mapping[str, Any]) -> str | None:
        """The feature, of those in *request*, that a refusal names in its words; None: it names none."""

    async def sent(self, request: Mapping[str, Any], on_partial: OnPartial | None = None) -> dict[str, Any]:
        """The message that came for a request, as plain values; *on_partial*: told the object as it grows.

        Raises:
            RefusedError: The service refused it.
            PassingError: Nothing came, or nothing that is a message.
            EngineError: It may not be asked, or its reply not be taken: it redirects, or sends too much.
        """

    def received(self, plain: Mapping[str, Any]) -> Received:
        """What of a message matters.

        Raises:
            UnusableError: It is no message, or uses a tool in a way that cannot be answered.
        """

    async def window(self, model: str) -> int | None:
        """How many tokens a call may have, input and output, as the service says; None: it does not say."""

    async def close(self) -> None:
        """Close its connections."""


_WINDOWS: Final = (
    "max_model_len",
    "context_length",
    "context_window",
    "loaded_context_length",
    "max_context_length",
    "max_input_tokens",
    "n_ctx",
)
"""How servers name the room of a model in their list of models: vLLM, gateways, LM Studio, llama.cpp."""


def most_tokens(task: Task, knows: Collection[str]) -> int:
    """How many tokens a reply may have, of a service that knows these features."""
    most = MAX_TOKENS if "length" in knows else SHORT_MAX_TOKENS
    return most if task.most_tokens is None else min(most, task.most_tokens)


def window_in(listed: Sequence[Mapping[str, Any]], model: str) -> int | None:
    """The room of *model* in a service's list of models: of the only one, where it goes by another name."""
    for one in [one for one in listed if one.get("id") == model] or (listed if len(listed) == 1 else ()):
        for where in (one, one.get("meta") or {}):
            found = [where[name] for name in _WINDOWS if isinstance(where.get(name), int) and where[name] > 0]
            if found:
                return int(found[0])
    return None


_BROKEN: Final = (ValueError, TypeError, LookupError, AttributeError, RuntimeError, AssertionError)
"""What the SDKs raise on bodies and events that are not what their service sends; they trust them as they
come."""


@contextmanager
def told_plainly(sdk: ModuleType, where: str, api: str) -> Iterator[None]:
    """What *sdk*, Anthropic's or OpenAI's, raises in the block, as errors of ours (`Wire.sent`)."""
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
    """A reply's JSON object while its text comes in."""

    def __init__(self, on_partial: OnPartial) -> None:
        self.text = ""
        self._on_partial = on_partial

    def add(self, piece: str) -> None:
        """Take the next piece of text, and tell of the object as far as it goes."""
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
    """What the wires have in common whose SDK is Anthropic's or OpenAI's: both are made by one generator.

    The client is made at the first call, in the service's thread. Its own retries are off: ours know the
    deadline of the whole task.
    """

    api: str
    sdk: str

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: C | None = None

    @abstractmethod
    def _made(self) -> C:
        """Make the client."""

    @property
    def client(self) -> C:
        """The SDK's client.

        Raises:
            EngineError: There is no key, or the environment does not let it be used or the server be asked.
        """
        if self._client is None:
            try:
                self._client = self._made()
            except OutboundError as error:
                raise EngineError(str(error), stops=True) from None
        return self._client

    async def window(self, model: str) -> int | None:
        """As `Wire.window`: of the service's list of models, where that says it."""
        with told_plainly(import_module(self.sdk), self._settings.where, self.api):
            return window_in([plain_of(one) for one in (await self.client.models.list()).data], model)

    async def close(self) -> None:
        """As `Wire.close`; a later call makes a client anew."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()


def plain_of(message: object) -> dict[str, Any]:
    """What an SDK gives as plain values, and only what came; nothing of what is no model of its own."""
    plain = message.model_dump(warnings=False, exclude_unset=True) if isinstance(message, BaseModel) else None
    return plain if isinstance(plain, dict) else {}
