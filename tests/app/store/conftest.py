"""A store in a folder of its own, with a clock that tests set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app.store.database import OpenStore, open_database
from engine.consultation import Consultation, Customer, Note, Workload


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 8, 22, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def pass_days(self, days: float) -> None:
        self.now += timedelta(days=days)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(tmp_path, clock):
    opened = open_database(None, tmp_path, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def hospital():
    return Consultation(
        "hospital",
        title="서울병원에서 첫 상담",
        customer=Customer("서울병원", contact="kim@example.org"),
        workloads=(Workload("w1", "음성 통역"), Workload("w2", "Night Labelling")),
        notes=(Note("n1", "할인 50%_까지"),),
    )


def reopened(store: OpenStore, folder, clock) -> OpenStore:
    store.close()
    return open_database(None, folder, clock=clock)
