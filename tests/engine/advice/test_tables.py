"""The tables of the field: complete words, computed numbers, and features that run where they are known to run."""

from __future__ import annotations

import pytest

from app.present.translator import LANGUAGES, texts
from engine.advice.tables import FEATURES, TABLES, precision_table, where_features_run

DEVICE, HYBRID = {"on_device"}, {"device_cloud"}
CLOUD, PREMISE = {"cloud_api", "cloud_gpu"}, {"on_premise"}
KNOWN = {
    "face_unlock": DEVICE,
    "keyboard": DEVICE,
    "noise_cancelling": DEVICE,
    "camera_effect": DEVICE,
    "wake_word": DEVICE,
    "photo_search": DEVICE,
    "driving": DEVICE,
    "sign_translation": DEVICE,
    "voice_assistant": HYBRID,
    "photo_editing": HYBRID,
    "chat_assistant": CLOUD,
    "web_search": CLOUD,
    "fraud_check": PREMISE,
    "patient_records": PREMISE,
    "bank_documents": PREMISE,
    "recommendations": CLOUD,
}
"""Instant, private or offline: the device. Deep: the cloud. Both: the hybrid. Bound to the organisation: its own servers."""


def test_features_run_where_they_are_known_to_run(context):
    found = {feature.id: verdict for feature, verdict in where_features_run(context)}
    assert set(found) == set(KNOWN)
    wrong = {name: v.chosen for name, v in found.items() if v.chosen is None or v.chosen.value not in KNOWN[name]}
    assert wrong == {}
    assert found["recommendations"].batch


def test_seven_billion_parameters_by_format():
    assert [row.weights.value / 1e9 for row in precision_table()] == [28.0, 14.0, 7.0, 3.5]
    assert [row.weights.value / 1e9 for row in precision_table(2e9)][1::2] == [4.0, 1.0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cell_has_words(language):
    known = texts(language)
    for table in TABLES:
        keys = {
            table.title.key,
            *(table.header(c).key for c in table.columns),
            *(table.name(r).key for r in table.rows),
        }
        keys |= {table.cell(row, column).key for row in table.rows for column in table.columns}
        assert keys <= set(known), table.id
    assert {feature.name.key for feature in FEATURES} <= set(known)
