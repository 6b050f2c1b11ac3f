"""An object as a key: found again as this very object, without reading what it holds."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Same(Generic[T]):
    """Equal only to the same object. For values that never change, such as a deck of some hundred lines.

    A cache that has it as a key keeps the object alive, so that no other can take its place.
    """

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value
