"""The same history on a server. Runs where WAYPOST_TEST_DATABASE names an empty PostgreSQL database (and psycopg is installed)."""

from __future__ import annotations

import os

import pytest
from sqlalchemy import create_engine, text

from app.store import Reason, StoreError
from app.store.database import open_database
from engine.errors import NewerDocument
from tests.app.store.ladder import longer

URL = os.environ.get("WAYPOST_TEST_DATABASE", "")
pytestmark = pytest.mark.skipif(not URL, reason="no WAYPOST_TEST_DATABASE")


@pytest.fixture
def server():
    yield URL
    engine = create_engine(URL)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()


def test_a_team_keeps_its_history_on_a_server(server, hospital, tmp_path):
    store = open_database(server, None)
    store.drafts.save(hospital)
    store.versions.add(hospital, reason=Reason.SAVED, language="ko", catalogue_version="x", assessment={"a": 1})
    assert store.versions.get("hospital", 1).consultation == hospital
    for query in ("병원", "ㅅㅇㅂㅇ", "50%_"):
        assert [e.id for e in store.history.search(query)] == ["hospital"]
    assert store.history.search("5%0") == ()
    with pytest.raises(StoreError, match="never changes"), store._database.write() as session:
        session.execute(text("UPDATE versions SET title = 'x'"))
    store.history.delete("hospital")
    assert [e.id for e in store.history.trash()] == ["hospital"]
    store.history.restore("hospital")
    store.close()
    with pytest.raises(StoreError):
        open_database(server, None, schema=longer(tmp_path, 'raise RuntimeError("half way")'))
    after = open_database(server, None, schema=longer(tmp_path))
    assert after.drafts.load("hospital") == hospital
    after.close()
    with pytest.raises(NewerDocument):
        open_database(server, None)
