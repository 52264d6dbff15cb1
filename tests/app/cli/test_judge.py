"""`waypost judge`: rows in, verdicts out."""

from __future__ import annotations

import csv

import pytest

HEADER = (
    "case_id,online_or_batch,latency_need_ms,network_trust,data_sensitivity,data_boundary,intelligence,hard_share_pct,"
    "users,requests_per_user_day,update_cadence_days,offline,device_class,inferred_fields,chosen\n"
)
ROWS = (
    "a,online,50,none,personal,device,narrow,,1000000,20,90,full,phone,,CHOSEN\n"
    "b,batch,,yes,public,none,frontier,80,,,,no,,,CHOSEN\n"
)


def verdicts(file):
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def cases(tmp_path):
    file = tmp_path / "cases.csv"
    file.write_text(HEADER + ROWS, encoding="utf-8")
    return file


def test_every_row_gets_a_verdict_with_its_why(waypost, cases, tmp_path):
    assert waypost("judge", cases, "--out", tmp_path / "v.csv").code == 0
    first, second = verdicts(tmp_path / "v.csv")
    assert (first["case_id"], first["verdict"]) == ("a", "on-device")
    assert second["verdict"].startswith("batch") or second["verdict"].startswith("cloud")
    assert first["why"]
    assert "[" not in first["why"]


def test_what_was_chosen_is_never_read(waypost, cases, tmp_path):
    waypost("judge", cases, "--out", tmp_path / "one.csv")
    cases.write_text((HEADER + ROWS).replace("CHOSEN", "on-premise"), encoding="utf-8")
    waypost("judge", cases, "--out", tmp_path / "two.csv")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_standard_output(waypost, cases):
    assert waypost("judge", cases, "--out", "-").out.startswith("case_id,verdict,alternatives,why\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x,y\n1,2\n", "case_id"),
        (b"\xff\xfe", "UTF-8"),
        (b"case_id\na,b\n", "line 2"),
    ],
)
def test_bad_files_are_one_sentence_and_write_nothing(waypost, tmp_path, content, said):
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    assert said in waypost("judge", file, "--out", tmp_path / "v.csv").refused()
    assert not (tmp_path / "v.csv").exists()


def test_a_strange_word_costs_one_answer_not_the_file(waypost, cases, tmp_path):
    cases.write_text(HEADER + ROWS.replace("frontier", "genius"), encoding="utf-8")
    done = waypost("judge", cases, "--out", tmp_path / "v.csv")
    assert done.code == 0
    assert "b: " in done.err
    assert "genius" in done.err
    assert "genius" in verdicts(tmp_path / "v.csv")[1]["why"]


def test_no_file_and_no_folder(waypost, cases, tmp_path):
    waypost("judge", tmp_path / "none.csv", "--out", tmp_path / "v.csv").refused()
    waypost("judge", cases, "--out", tmp_path / "no" / "v.csv").refused()
