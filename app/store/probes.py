"""Probe runs over time and between machines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from app.store.interface import ProbeRun
from app.store.models import ProbeRunRow
from app.store.rows import Transactions, json_text


class ProbeRepository:
    """The `ProbeRuns` of the interface."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions

    def add(self, result: Mapping[str, Any], machine: str) -> ProbeRun:
        """Keep one finished run."""
        with self._transactions.write() as session:
            row = ProbeRunRow(at=self._transactions.now(), machine=machine, result=json_text(result) or "{}")
            session.add(row)
            session.flush()
            return _run(row)

    def recent(self, limit: int = 100) -> tuple[ProbeRun, ...]:
        """Newest first."""
        with self._transactions.read() as session:
            rows = session.scalars(select(ProbeRunRow).order_by(ProbeRunRow.id.desc()).limit(limit))
            return tuple(map(_run, rows))


def _run(row: ProbeRunRow) -> ProbeRun:
    return ProbeRun(row.id, row.at, row.machine, json.loads(row.result))
