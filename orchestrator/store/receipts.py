"""Receipts that wait: they go to disk with the next durable record, so that reading costs no sync."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class WaitingReceipts:
    """In the order in which they came, each with its id."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, Mapping[str, Any]]] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, receipt_id: str, value: Mapping[str, Any]) -> None:
        """Let one more wait."""
        self._waiting.append((receipt_id, value))

    def all(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Those that wait."""
        return tuple(self._waiting)

    def take(self) -> Iterator[dict[str, Any]]:
        """The records' values of those that wait; none waits any more."""
        waiting, self._waiting = self._waiting, []
        for receipt_id, value in waiting:
            yield receipt_value(receipt_id, value)

    def put_back(self, waiting: tuple[tuple[str, Mapping[str, Any]], ...] = ()) -> None:
        """Let exactly these wait: the transaction that took them came to nothing."""
        self._waiting = [*waiting]


def receipt_value(receipt_id: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """A receipt as it stands in a record."""
    return {"type": "receipt", "id": receipt_id, **value}
