"""Real decisions (decisions.csv, written from general knowledge before the judge was asked) against the judge's own verdicts.

The table may not be fitted row by row: what still differs is listed with who is right and why, and the list must be exact.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from engine.judge import PATHS, judge_cases
from tests.score_cases import FAMILIES

ROWS = tuple(csv.DictReader(Path(__file__).with_name("decisions.csv").read_text(encoding="utf-8").splitlines()))

DIFFERS = {
    "D003": "we: translation with language packs runs alone; they, to do better when a line is there, which no column says",
    "D025": "they: the callers stand in the same cloud; the columns cannot say where a request comes from",
    "D045": "both: an in-country cloud was cleared for all of it; without that answer the guarded part stays at home",
    "D053": "they: plates are looked up across towns; shared state is asked in the window, not in the file",
    "D056": "they: a load that never stops pays for own machines; load shape is asked in the window, not in the file",
    "D071": "both: with no network the part outside is unreachable; they opened a second path for open material",
    "D072": "both: a sealed cloud alone is simpler; they kept an inner model beside it",
    "D080": "they: the map needs every car; shared state is asked in the window, not in the file",
    "D086": "both: names are stripped at a gateway, so what leaves is no longer the hospital's record",
    "D091": "both: the bank's cloud lies in the country; without the supervisor's word the guarded part stays at home",
    "D105": "both: own computers in a closed room or one server in it",
}


def verdicts(catalogue, rows):
    blind = [{k: v for k, v in row.items() if k not in ("chosen", "reason")} for row in rows]
    return judge_cases(blind, catalogue)


def agreement(catalogue, rows) -> tuple[float, float]:
    """Share of the same family, and of a shared one."""
    judged = [FAMILIES[v.verdict] for v in verdicts(catalogue, rows)]
    chosen = [FAMILIES[row["chosen"]] for row in rows]
    pairs = list(zip(judged, chosen, strict=True))
    return sum(a == b for a, b in pairs) / len(pairs), sum(bool(a & b) for a, b in pairs) / len(pairs)


def test_the_table_is_a_table_of_reasons():
    assert len(ROWS) >= 100
    assert all(row["reason"] and row["chosen"] in FAMILIES for row in ROWS)
    assert len({row["workload"] for row in ROWS}) == len(ROWS)


def test_what_people_chose_comes_out(catalogue):
    exact, shared = agreement(catalogue, ROWS)
    assert exact >= 0.88
    assert shared >= 0.95


def test_the_list_of_disagreements_is_exact(catalogue):
    pairs = zip(verdicts(catalogue, ROWS), ROWS, strict=True)
    differ = {ours.case_id for ours, row in pairs if FAMILIES[ours.verdict] != FAMILIES[row["chosen"]]}
    assert differ == set(DIFFERS)


@pytest.mark.parametrize("seed", range(3))
def test_with_one_cell_in_seven_missing_most_still_agree(catalogue, seed):
    draw = random.Random(seed)
    holed = [{k: "" if k in PATHS and draw.random() < 1 / 7 else v for k, v in row.items()} for row in ROWS]
    exact, shared = agreement(catalogue, holed)
    assert exact >= 0.75
    assert shared >= 0.88


def test_the_order_of_columns_and_the_other_rows_do_not_matter(catalogue):
    turned = [dict(reversed(row.items())) for row in reversed(ROWS)]
    assert {v.case_id: v.verdict for v in verdicts(catalogue, turned)} == {
        v.case_id: v.verdict for v in verdicts(catalogue, ROWS)
    }
