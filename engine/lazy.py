"""Sequences worked out when they are first read.

An answer holds more than one screen shows at a time (every line with its derivation, the other ways to pay, the crossovers). What
nobody looks at after a changed answer costs nothing; what is looked at is computed once and stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Later(Sequence[T]):
    """A read-only sequence whose items are made at the first look; equal to the tuple of its items."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Sequence[T]]) -> None:
        self._make: Callable[[], Sequence[T]] | None = make
        self._made: tuple[T, ...] = ()

    def _items(self) -> tuple[T, ...]:
        make = self._make
        if make is not None:
            self._made = tuple(make())
            self._make = None
        return self._made

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._items()[index]

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[T]:
        return iter(self._items())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Later):
            return self._items() == other._items()
        return self._items() == other

    def __hash__(self) -> int:
        return hash(self._items())

    def __repr__(self) -> str:
        return repr(self._items())
