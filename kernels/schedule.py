"""Which item may still begin: the deadline drops lessons first, then what comes last, facts never."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from engine.probe.items import Group, Item

OPTIONAL = frozenset({Group.LESSONS})


class Schedule:
    """Time left against what is still to come. `now` is a clock for tests."""

    def __init__(self, items: Sequence[Item], deadline_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self._items = tuple(items)
        self._now = now
        self._end = now() + deadline_s

    @property
    def left_s(self) -> float:
        return self._end - self._now()

    def allows(self, item: Item) -> bool:
        """A lesson begins only if everything that is no lesson and still to come fits after it; the rest while time is left."""
        if item.group not in OPTIONAL:
            return self.left_s > 0
        after = self._items[self._items.index(item) + 1 :]
        needed = sum(other.budget_s for other in after if other.group not in OPTIONAL)
        return self.left_s >= needed + item.budget_s

    def budget_s(self, item: Item) -> float:
        """What the item may take: its own share, and no more than is left."""
        return max(0.02, min(item.budget_s, self.left_s))
