"""Any consultation survives JSON, the database, export and import unchanged."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from app.store import Reason
from app.store.database import open_database
from app.store.files import export, open_any, take_in
from engine.documents import from_json, to_json
from tests.strategies import consultations


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(consultations())
def test_any_consultation_survives_every_way(tmp_path_factory, consultation):
    assert from_json(to_json(consultation)) == consultation
    folder = tmp_path_factory.mktemp("trip")
    store = open_database(None, folder)
    try:
        store.drafts.save(consultation)
        assert store.drafts.load(consultation.id) == consultation
        store.versions.add(consultation, reason=Reason.SAVED, language="ko", catalogue_version="x")
        assert store.versions.get(consultation.id, 1).consultation == consultation
        file = folder / "한글 이름.waypost"
        export(consultation, file)
        assert open_any(file) == consultation
        store.history.delete(consultation.id)
        take_in(store, open_any(file), language="en", catalogue_version="x")
        assert store.drafts.load(consultation.id) == consultation
    finally:
        store.close()
