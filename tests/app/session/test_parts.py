"""Edits that are more than one answer leave everything else as it was."""

from __future__ import annotations

import pytest

from app.host.paths import SAMPLES
from app.session import parts
from app.store.files import open_any
from engine.consultation import Audience, Change, OfflineNeed
from engine.documents import from_json, to_json


@pytest.fixture
def bank():
    return open_any(SAMPLES / "bank-documents.waypost")


def test_a_new_document_can_be_answered_at_once():
    made = parts.new_consultation("USD")
    assert len(made.workloads) == 1
    assert made.currency == "USD"
    assert made.id != parts.new_consultation().id
    assert from_json(to_json(made)) == made


def test_a_copied_workload_keeps_its_origins(bank):
    after, made = parts.duplicate_workload(bank, "loan-files", "copy")
    assert [w.id for w in after.workloads] == ["loan-files", made, "night-sorting"]
    assert after.origin(made, "data.boundary") is bank.origin("loan-files", "data.boundary")
    assert from_json(to_json(after)) == after


def test_a_removed_workload_takes_all_that_speaks_of_it(bank):
    after = parts.remove_workload(bank, "loan-files")
    assert [w.id for w in after.workloads] == ["night-sorting"]
    assert all(n.workload != "loan-files" for n in after.notes)
    assert all(c.workload != "loan-files" for s in after.scenarios for c in s.changes)
    assert not any(key.startswith("loan-files/") for key in after.origins)
    assert parts.remove_workload(after, "night-sorting") is after


def test_a_scenario_holds_only_what_differs(bank):
    after, made = parts.add_scenario(bank, "twice")
    after = parts.vary(after, made, "scale.users", 1600.0, "loan-files")
    assert after.scenarios[-1].changes == (Change("scale.users", 1600.0, "loan-files"),)
    assert parts.vary(after, made, "scale.users", 800.0, "loan-files").scenarios[-1].changes == ()
    assert parts.remove_scenario(after, made).scenarios == bank.scenarios


def test_a_stage_holds_only_what_differs(bank):
    after, made = parts.add_stage(bank, "loan-files", "scan")
    after = parts.vary_stage(after, "loan-files", made, "offline.need", "full")
    assert dict(after.workload("loan-files").stages[0].answers) == {"offline.need": "full"}
    assert from_json(to_json(after)) == after
    back = parts.vary_stage(after, "loan-files", made, "offline.need", OfflineNeed.NO)
    assert dict(back.workload("loan-files").stages[0].answers) == {}
    named = parts.rename_stage(after, "loan-files", made, "read")
    assert named.workload("loan-files").stages[0].name == "read"
    assert parts.remove_stage(after, "loan-files", made) == bank


def test_notes_are_written_changed_and_dropped(bank):
    after = parts.put_note(bank, None, "ask again", Audience.PRIVATE, "cost", "loan-files")
    made = after.notes[-1]
    assert made.id not in {n.id for n in bank.notes}
    changed = parts.put_note(after, made.id, "ask twice", Audience.CUSTOMER, "cost", "loan-files")
    assert (changed.notes[-1].text, changed.notes[-1].audience) == ("ask twice", Audience.CUSTOMER)
    assert parts.put_note(changed, made.id, "  ", Audience.PRIVATE, "cost", None) == bank
    assert parts.put_note(bank, None, "  ", Audience.PRIVATE, "cost", None) == bank
