"""Score the judge against a file of real decisions: python -m tests.score_cases FILE.csv

Family: cloud, device, on-premise, or both of a hybrid. Exact: the same set; shared: at least one in common. Rows that differ are
printed.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from app.host.paths import ASSETS
from app.present.translator import Translator
from engine.catalogue import load_catalogue
from engine.judge import judge_cases

FAMILIES = {
    "cloud-api": {"cloud"},
    "cloud-gpu": {"cloud"},
    "cloud-sealed": {"cloud"},
    "cloud-batch": {"cloud"},
    "on-premise": {"premise"},
    "onprem-batch": {"premise"},
    "on-device": {"device"},
    "hybrid-device-cloud": {"device", "cloud"},
    "hybrid-device-onprem": {"device", "premise"},
    "hybrid-onprem-cloud": {"premise", "cloud"},
}


def main(path: str) -> None:
    with Path(path).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    blind = [{k: v for k, v in row.items() if k not in ("chosen", "reasons_given", "chip_if_known")} for row in rows]
    judged = judge_cases(blind, load_catalogue(ASSETS / "catalogue"))
    say = Translator("en")
    exact = shared = 0
    for row, verdict in zip(rows, judged, strict=True):
        ours, theirs = FAMILIES[verdict.verdict], FAMILIES[row["chosen"]]
        exact += ours == theirs
        shared += bool(ours & theirs)
        if ours != theirs:
            print(f"{row['case_id']}: {verdict.verdict} against {row['chosen']}; {' '.join(map(say, verdict.why[:3]))}")
    print(
        f"exact {exact}/{len(rows)} = {exact / len(rows):.1%}, shared {shared}/{len(rows)} = {shared / len(rows):.1%}"
    )


if __name__ == "__main__":
    main(sys.argv[1])
