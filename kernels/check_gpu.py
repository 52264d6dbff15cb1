"""Everything at once on a machine with an NVIDIA GPU, into one JSON file:

    python -m kernels.check_gpu --out FILE.json

Every kernel against NumPy on the device (under compute-sanitizer where that is installed), the whole probe, the comparison with
the data sheet, the two ratios we promise (to a plain device copy, to the library's matrix product), and on an H200 the figures
that are expected of it. Exit status 0: all as expected; 1: something is not; 2: no GPU here.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from engine.catalogue import load_catalogue
from engine.probe.compare import Judgement, compare
from engine.probe.documents import to_dict
from engine.probe.items import Child
from engine.probe.results import ProbeRun, Status
from engine.probe.runner import ROOT, ProbeOptions, child_environment, run
from kernels.expectations import H200, OUTSIDE, UNSUPPORTED_ON_H200

SELFTEST_S: Final = 300
NO_DEVICE: Final = 2
RATIOS: Final = (
    ("copy", ("copy_driver",), 0.98, "own copy to the driver's device copy"),
    ("wgmma.bf16", ("blas.bf16",), 0.95, "own wgmma to the library's matrix product"),
    ("gemv.bf16", ("read",), 0.85, "decode-shaped product to the best read"),
)
"""(ours, theirs, at least, what it is)."""


def selftest(command: list[str]) -> dict[str, Any]:
    """Run the kernels' self-test, each result kept; a hang is ended."""
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=SELFTEST_S, env=child_environment(os.environ), check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"status": None, "error": str(error), "kernels": []}
    lines = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    return {"status": ran.returncode, "kernels": lines, "text": (ran.stdout + ran.stderr)[-4000:]}


def sanitized(own: list[str]) -> dict[str, Any]:
    """The self-test under compute-sanitizer's memcheck, racecheck and synccheck, where it is installed."""
    found = shutil.which("compute-sanitizer")
    if found is None:
        return {"skipped": "compute-sanitizer is not installed"}
    return {
        tool: selftest([found, "--tool", tool, "--error-exitcode", "9", *own])
        for tool in ("memcheck", "racecheck", "synccheck")
    }


def ratios(found: ProbeRun) -> list[dict[str, Any]]:
    """Ours over theirs, with what it should be at least; None where one of them was not measured."""
    rows = []
    for ours, others, least, what in RATIOS:
        theirs = next((v for item in others if (v := found.value(item)) is not None), None)
        own = found.value(ours)
        ratio = None if own is None or theirs is None else own / theirs
        rows.append({"what": what, "ratio": ratio, "least": least, "ok": None if ratio is None else ratio >= least})
    return rows


def expected(found: ProbeRun) -> list[dict[str, Any]]:
    """Each expectation of an H200 beside what was measured; empty on another device."""
    device = found.measured_device()
    if device is None or "H200" not in device.name:
        return []
    rows = []
    for item, band in H200.items():
        value = found.value(item)
        inside = None if value is None else band.low * (1 - OUTSIDE) <= value <= band.high * (1 + OUTSIDE)
        rows.append(
            {
                "item": item,
                "value": value,
                "low": band.low,
                "high": band.high,
                "why": band.why,
                "lead": band.lead,
                "ok": inside,
            }
        )
    for item in sorted(UNSUPPORTED_ON_H200):
        reading = found.reading(item)
        rows.append(
            {"item": item, "ok": reading is not None and reading.status is Status.UNSUPPORTED, "why": "not native"}
        )
    return rows


def against_datasheet(found: ProbeRun) -> list[dict[str, Any]]:
    catalogue = load_catalogue(ROOT / "assets" / "catalogue")
    return [
        {
            "item": c.reading.item,
            "value": c.reading.value,
            "share": c.share,
            "judgement": c.judgement.value,
            "why": c.why.key if c.why is not None else None,
        }
        for c in compare(found, catalogue)
    ]


def report() -> tuple[dict[str, Any], int]:
    """The whole check as JSON values, and the exit status."""
    own = [sys.executable, "-m", "kernels.device.selftest"]
    tested = selftest(own)
    found = run(ProbeOptions(quick=False, deadline_s=120.0, children=(Child.DEVICE, Child.HOST, Child.TORCH)))
    body = {
        "probe": to_dict(found),
        "selftest": tested,
        "sanitizer": sanitized(own) if tested["status"] != NO_DEVICE else {"skipped": "no device"},
        "ratios": ratios(found),
        "expected_h200": expected(found),
        "datasheet": against_datasheet(found),
        "seconds": {c.child: c.seconds for c in found.children},
    }
    if tested["status"] == NO_DEVICE:
        return body, NO_DEVICE
    return body, 0 if all_well(body) else 1


def all_well(body: dict[str, Any]) -> bool:
    """No wrong kernel, no missed ratio, nothing implausible, nothing outside an expectation that is more than a lead."""
    kernels = body["selftest"]["status"] == 0
    kept = all(row["ok"] is not False for row in body["ratios"])
    honest = all(row["judgement"] != Judgement.IMPLAUSIBLE.value for row in body["datasheet"])
    close = all(row["ok"] is not False or row.get("lead") for row in body["expected_h200"])
    return kernels and kept and honest and close


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m kernels.check_gpu", description="check the probe on a real GPU")
    parser.add_argument("--out", type=Path, required=True, help="JSON file to write")
    given = parser.parse_args(arguments)
    body, status = report()
    given.out.write_text(json.dumps(body, indent=1, default=str) + "\n", encoding="utf-8")
    words = {0: "all as expected", 1: "something is not as expected", 2: "no NVIDIA GPU could be measured here"}[status]
    sys.stdout.write(f"kernels: {words}; see {given.out}\n")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
