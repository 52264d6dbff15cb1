"""Every benchmark: a name, and a function that gives its figures. One whose room is not there yet raises ImportError."""

from __future__ import annotations

import itertools
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Final

import attrs

from app.host.paths import CATALOGUE, SAMPLES
from engine.catalogue import load_catalogue
from engine.consultation import Consultation, Workload
from engine.documents import from_json
from tests.bench.measure import Figure, percentile, process_seconds, seconds_of
from tests.bench.money import money_figures
from tests.bench.probe import probe_figures
from tests.bench.speed import speed_figures
from tests.bench.window import window_figures

TODAY: Final = date(2026, 12, 1)


def three_workloads() -> Consultation:
    """Three real workloads in one consultation, from the samples."""
    documents = [from_json(f.read_text(encoding="utf-8")) for f in sorted(SAMPLES.glob("*.waypost"))]
    workloads = [w for document in documents for w in document.workloads][:3]
    return attrs.evolve(documents[0], workloads=tuple(workloads), scenarios=(), origins={})


def with_users(workload: Workload, users: float) -> Workload:
    """The workload as if that many users had just been said: an answer that nothing has seen before."""
    return attrs.evolve(workload, scale=attrs.evolve(workload.scale, users=users))


def assess_figures() -> Iterator[Figure]:
    """A changed answer, and a whole new consultation."""
    from engine.assess import assess

    catalogue, base = load_catalogue(CATALOGUE), three_workloads()
    users = itertools.count(1000)

    def changed(count: int) -> Callable[[], object]:
        def once() -> None:
            fresh = tuple(with_users(w, next(users)) if i < count else w for i, w in enumerate(base.workloads))
            assess(attrs.evolve(base, workloads=fresh), catalogue, TODAY)

        return once

    changed(3)()
    one, all_three = seconds_of(changed(1), 60), seconds_of(changed(3), 60)
    yield Figure("assess, one answer changed, median", 1e3 * statistics.median(one), "ms")
    yield Figure("assess, three workloads anew, median", 1e3 * statistics.median(all_three), "ms", 10.0)
    yield Figure("assess, three workloads anew, p99", 1e3 * percentile(all_three, 0.99), "ms")


def catalogue_figures() -> Iterator[Figure]:
    """Reading every table."""
    load_catalogue(CATALOGUE)
    yield Figure("catalogue read", 1e3 * statistics.median(seconds_of(lambda: load_catalogue(CATALOGUE), 5)), "ms")


def store_figures() -> Iterator[Figure]:
    """A history with a thousand consultations in it."""
    from app.store import open_store

    base = three_workloads()
    with tempfile.TemporaryDirectory() as home:
        store = open_store(folder=Path(home))
        for n in range(1000):
            store.drafts.save(attrs.evolve(base, id=f"c{n}", title=f"상담 {n}, 서울병원에서"))
        yield Figure(
            "draft saved, median", 1e3 * statistics.median(seconds_of(lambda: store.drafts.save(base), 30)), "ms"
        )
        yield Figure("history of 1,000 listed", 1e3 * min(seconds_of(store.history.recent, 5)), "ms")
        yield Figure("search in 1,000", 1e3 * min(seconds_of(lambda: store.history.search("병원"), 5)), "ms")
        store.close()
        reopened = seconds_of(lambda: open_store(folder=Path(home)).close(), 5)
        yield Figure("history opened", 1e3 * statistics.median(reopened), "ms")


def command_line_figures() -> Iterator[Figure]:
    """Start of the command line against a bare interpreter."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "WAYPOST_HOME": home}
        bare = process_seconds("-c", "pass", environment=environment)
        for name, words in (
            ("--help", ("--help",)),
            ("history list", ("history", "list")),
            ("catalogue check", ("catalogue", "check")),
            ("assess", ("assess", str(SAMPLES / "bank-documents.waypost"), "--json")),
        ):
            taken = process_seconds("-m", "app.cli", *words, environment=environment, times=3)
            yield Figure(f"waypost {name}", taken, "s", note=f"{taken / bare:.1f} x a bare interpreter")


def pdf_figures() -> Iterator[Figure]:
    """The proposal of the bank's sample."""
    from app.report.write import render
    from engine.assess import assess

    catalogue = load_catalogue(CATALOGUE)
    document = from_json((SAMPLES / "bank-documents.waypost").read_text(encoding="utf-8"))
    assessment = assess(document, catalogue, TODAY)
    for language in ("ko", "en"):
        cold = seconds_of(lambda language=language: render(assessment, language, TODAY, catalogue), 4)
        yield Figure(
            f"proposal as PDF, {language}", statistics.median(cold[1:]), "s", 1.0, note=f"first {cold[0]:.2f} s"
        )


def fit_and_speed_figures() -> Iterator[Figure]:
    """One question to the memory and to the speed room, none asked before."""
    from engine.deployment import Deployment
    from engine.memory.fit import fit
    from engine.speed.speed import speed

    catalogue = load_catalogue(CATALOGUE)
    formats, device, engine = catalogue.weight_formats, catalogue.device("nvidia-h100-sxm"), catalogue.engine("vllm")
    asked = [
        Deployment(model, formats["fp8"], device, engine, context_tokens=context, device_count=2, tensor_parallel=2)
        for model in (catalogue.model("llama-3-70b"), catalogue.model("qwen3-32b"))
        for context in range(1024, 6144, 64)
    ]
    fit(asked[0]), speed(asked[0])
    for name, room in (("fit", fit), ("speed", speed)):
        asks = iter(asked[1:])
        taken = seconds_of(lambda room=room, asks=asks: room(next(asks)), len(asked) - 1)
        yield Figure(f"{name}, median", 1e3 * statistics.median(taken), "ms", note="aim for both together: 1 ms")


BENCHMARKS: Final[dict[str, Callable[[], Iterator[Figure]]]] = {
    "assess": assess_figures,
    "catalogue": catalogue_figures,
    "store": store_figures,
    "fit": fit_and_speed_figures,
    "speed": speed_figures,
    "money": money_figures,
    "pdf": pdf_figures,
    "window": window_figures,
    "cli": command_line_figures,
    "probe": probe_figures,
}
