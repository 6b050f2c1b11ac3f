"""Several objects under way at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

T = TypeVar("T")
R = TypeVar("R")

STREAMS: Final = 8
"""An object is small, so it is a store's answer that is waited for, not its bytes."""


def side_by_side(action: Callable[[T], R], things: Iterable[T]) -> list[R]:
    """*action* on all of them, some at once, the results in order; after a failure none is begun."""
    with ThreadPoolExecutor(STREAMS) as pool:
        futures = [pool.submit(action, thing) for thing in things]
        try:
            return [future.result() for future in futures]
        except BaseException:
            # Leaving the block waits for what is under way; what has not begun would be sent for nothing.
            pool.shutdown(cancel_futures=True)
            raise
