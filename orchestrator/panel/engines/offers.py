"""What an engine may offer beside `reply`: one small protocol each, asked for with `isinstance`.

An engine offers whatever it has the methods of. One that answers at once, from rules or a list,
needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from orchestrator.core.context.assemble import Context
    from orchestrator.panel.engines.in_flight import Calls
    from orchestrator.panel.engines.protocol import Engine, Request, SeatRequest
    from orchestrator.panel.model.usage import CallUsage, Total

R = TypeVar("R")
OnText = Callable[[str], None]


@runtime_checkable
class ByRules(Protocol):
    """Goes by rules: its calls cost nothing, and it does not understand what is said."""

    @property
    def is_by_rules(self) -> bool:
        """Whether it does."""


def understands(engine: Engine) -> bool:
    """Say whether the engine can tell what contradicts what, and what news bears on; each call may cost.

    An engine is taken to, unless it offers `ByRules`.
    """
    return not (isinstance(engine, ByRules) and engine.is_by_rules)


@runtime_checkable
class Beginning(Protocol):
    """Can be asked without waiting: a call takes time and may cost money."""

    def begin(self, request: Request[R], context: Context | None, on_text: OnText | None = None) -> Future[R]:
        """Start a call; cancelling the future gives it up. *on_text*: told what there is so far."""


@runtime_checkable
class Addressing(Protocol):
    """Sends messages, and says in a context's receipt what it will send."""

    def addressed(self, request: Request[Any], context: Context, layout: str | None = None) -> Context:
        """The context with a receipt of what will be sent; *layout*: of messages, None for its own."""


@runtime_checkable
class Bounded(Protocol):
    """May have little room for what it is sent."""

    def room_bytes(self, request: SeatRequest[Any]) -> int | None:
        """Bytes that a context's files may have together for this request; None: as many as they like."""


@runtime_checkable
class Accounting(Protocol):
    """Counts what its calls use."""

    def take_usage(self) -> list[CallUsage]:
        """What was called since this was last asked, in the order in which replies came."""


@runtime_checkable
class StoodInFor(Protocol):
    """May be replaced by the offline panel, where it never answers."""

    @property
    def took_over(self) -> str | None:
        """Why the offline panel answers in its place, in one line; None: it does not."""


@runtime_checkable
class Watched(Protocol):
    """Can be seen at work, by whoever waits for it."""

    @property
    def calls(self) -> Calls:
        """Its calls: under way, and over."""


@runtime_checkable
class Joining(Protocol):
    """Wants to know of the session that it is made for."""

    def join(self, *, spent: Total | None, say: Callable[[str], None], calls: Calls | None) -> None:
        """Take part: *spent* before by other processes, *say* a line to the user, *calls* that are seen."""


@runtime_checkable
class Checking(Protocol):
    """Depends on something outside, and can find out whether that is there."""

    def check(self) -> None:
        """Find out now.

        Raises:
            EngineError: It cannot work; one line says what to do.
        """


@runtime_checkable
class Closing(Protocol):
    """Does something by itself: a thread, calls in flight."""

    def close(self) -> None:
        """Give it up."""


@runtime_checkable
class Advising(Protocol):
    """Has something to say of how it is set up."""

    @property
    def notices(self) -> list[str]:
        """What a user should know of it, a line each."""


@dataclass(frozen=True, slots=True)
class Found:
    """A source's own words, as a search of the web cites them."""

    query: int  # its place among the queries
    cited: str
    title: str
    url: str
    age: str | None  # when the page was last changed, as the service says it


@dataclass(frozen=True, slots=True)
class Searched:
    """What came of all queries."""

    found: tuple[Found, ...]
    usage: tuple[CallUsage, ...]
    failed: tuple[str, ...] = ()  # why a query brought nothing, a line each


@runtime_checkable
class Searching(Protocol):
    """Can search the web."""

    def search(self, queries: Sequence[str]) -> Searched:
        """Search for each of *queries*; what it costs is in the result.

        Raises:
            EngineError: None of them could be searched for; one line.
        """
