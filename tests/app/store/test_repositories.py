"""Drafts, versions, history and probe runs, as the open consultation uses them."""

from __future__ import annotations

import threading
import unicodedata

import attrs
import pytest
from sqlalchemy import text

from app.store import Reason, StoreError
from app.store.database import open_database
from engine.consultation import Consultation
from engine.errors import UnknownId
from tests.app.store.conftest import reopened


def titled(consultation, title):
    return attrs.evolve(consultation, title=title)


def test_a_draft_comes_back_after_a_restart(store, tmp_path, clock, hospital):
    store.drafts.save(hospital)
    store.drafts.save(titled(hospital, "두 번째"))
    again = reopened(store, tmp_path, clock)
    assert again.drafts.load("hospital") == titled(hospital, "두 번째")
    (entry,) = again.history.recent()
    assert (entry.title, entry.customer, entry.workloads) == ("두 번째", "서울병원", ("음성 통역", "Night Labelling"))
    assert (entry.version_count, entry.unsaved) == (0, True)
    again.close()


def test_autosave_makes_no_version_and_a_version_keeps_what_was_seen(store, hospital):
    store.drafts.save(hospital)
    first = store.versions.add(
        hospital, reason=Reason.PROPOSAL, language="ko", catalogue_version="2026-08", assessment={"a": 1.5}
    )
    store.drafts.save(titled(hospital, "played with"))
    assert store.history.entry("hospital").unsaved
    seen = store.versions.get("hospital", 1)
    assert seen.consultation == hospital
    assert (seen.entry, seen.assessment, seen.probe) == (first, {"a": 1.5}, None)
    store.versions.add(titled(hospital, "x"), reason=Reason.SAVED, language="en", catalogue_version="2026-08")
    assert [v.number for v in store.versions.of("hospital")] == [2, 1]
    assert not store.history.entry("hospital").unsaved
    assert store.drafts.load("hospital").title == "x"


def test_the_probe_of_the_document_is_kept_beside_the_version(store, hospital):
    probed = attrs.evolve(hospital, probe={"schema": 1, "items": [1, 2.5]})
    store.versions.add(probed, reason=Reason.SAVED, language="ko", catalogue_version="x")
    assert store.versions.get("hospital", 1).probe == {"schema": 1, "items": [1, 2.5]}


def test_a_version_never_changes(store, hospital):
    store.versions.add(hospital, reason=Reason.SAVED, language="ko", catalogue_version="x")
    with pytest.raises(StoreError, match="never changes"), store._database.write() as session:
        session.execute(text("UPDATE versions SET document = '{}'"))
    assert store.versions.get("hospital", 1).consultation == hospital


def test_discarding_a_draft_goes_back_to_the_last_version(store, hospital):
    store.versions.add(hospital, reason=Reason.SAVED, language="ko", catalogue_version="x")
    store.drafts.save(titled(hospital, "wrong turn"))
    assert store.drafts.discard("hospital") == hospital
    assert store.drafts.load("hospital") == hospital
    assert store.history.search("wrong") == ()
    store.drafts.save(Consultation("never-saved"))
    assert store.drafts.discard("never-saved") is None
    assert [e.id for e in store.history.recent()] == ["hospital"]


def test_unknown_ids_name_the_nearest(store, hospital):
    store.drafts.save(hospital)
    for ask in (store.drafts.load, store.history.entry, store.history.delete, store.versions.of):
        with pytest.raises(UnknownId) as caught:
            ask("hospitla")
        assert caught.value.nearest == ("hospital",)
    with pytest.raises(UnknownId):
        store.versions.get("hospital", 7)


@pytest.mark.parametrize(
    "query",
    [
        "병원",
        "서울병원에서",
        "night",
        "NIGHT label",
        "ㅅㅇㅂㅇ",
        "50%_",
        "kim@",
        unicodedata.normalize("NFD", "병원"),
        "음성 병원",
        "  ",
    ],
)
def test_search_finds_inside_words(store, hospital, query):
    store.drafts.save(hospital)
    assert [e.id for e in store.history.search(query)] == ["hospital"]


@pytest.mark.parametrize("query", ["5%5", "_0", "병원 부산", "ㅂㅂ", "\\", "대학병원"])
def test_wildcards_are_letters_and_every_word_must_be_there(store, hospital, query):
    store.drafts.save(hospital)
    assert store.history.search(query) == ()


def test_the_trash_keeps_for_thirty_days_and_gives_back(store, clock, hospital):
    store.versions.add(hospital, reason=Reason.SAVED, language="ko", catalogue_version="x")
    store.history.delete("hospital")
    assert (store.history.recent(), store.history.search("병원")) == ((), ())
    assert [e.id for e in store.history.trash()] == ["hospital"]
    clock.pass_days(29.9)
    assert store.history.purge() == 0
    store.history.restore("hospital")
    assert store.drafts.load("hospital") == hospital
    store.history.delete("hospital")
    clock.pass_days(30.1)
    assert store.history.purge() == 1
    assert store.history.trash() == ()
    with pytest.raises(UnknownId):
        store.versions.of("hospital")
    with store._database.read() as session:
        assert session.scalar(text("SELECT count(*) FROM versions")) == 0


def test_history_is_newest_first_and_bounded(store):
    for n in range(12):
        store.drafts.save(Consultation(f"c{n}"))
    assert [e.id for e in store.history.recent(limit=3)] == ["c11", "c10", "c9"]
    store.drafts.save(Consultation("c4"))
    assert store.history.recent(limit=1)[0].id == "c4"


def test_two_windows_lose_nothing(store, tmp_path, clock, hospital):
    store.drafts.save(hospital)
    other = open_database(None, tmp_path, clock=clock)
    other.drafts.load("hospital")
    other.drafts.save(titled(hospital, "theirs"))
    store.drafts.save(titled(hospital, "mine"))
    assert [(v.reason, v.title) for v in store.versions.of("hospital")] == [(Reason.KEPT, "theirs")]
    assert other.drafts.load("hospital").title == "mine"
    other.close()


def test_going_on_with_what_was_loaded_keeps_no_extra_version(store, tmp_path, clock, hospital):
    store.drafts.save(hospital)
    other = open_database(None, tmp_path, clock=clock)
    other.drafts.load("hospital")
    other.drafts.save(titled(hospital, "went on"))
    assert other.versions.of("hospital") == ()
    other.close()


def test_threads_may_share_the_store(store):
    def save(n: int) -> None:
        for m in range(5):
            store.drafts.save(Consultation(f"c{n}", title=str(m)))

    threads = [threading.Thread(target=save, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {(e.id, e.title) for e in store.history.recent()} == {(f"c{n}", "4") for n in range(4)}


def test_probe_runs_are_kept_in_order(store):
    store.probes.add({"schema": 1, "gbps": 800.5}, machine="RTX 4090")
    store.probes.add({"schema": 1}, machine="CPU")
    assert [(r.machine, dict(r.result)) for r in store.probes.recent()] == [
        ("CPU", {"schema": 1}),
        ("RTX 4090", {"schema": 1, "gbps": 800.5}),
    ]
