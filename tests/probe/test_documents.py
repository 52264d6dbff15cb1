"""What a child says and what is stored: typed both ways, nothing unknown taken for something known, nothing identifying kept."""

from __future__ import annotations

import json

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import DamagedDocument, NewerDocument
from engine.messages import Quantity, msg
from engine.probe import outcome, protocol
from engine.probe.collect import merged
from engine.probe.documents import from_dict, to_dict
from engine.probe.results import (
    ChildReport,
    Conditions,
    DriverAnswer,
    Ending,
    OutcomeCode,
    Reading,
    Series,
    Status,
    Surroundings,
)
from tests.app.present.test_probe_page import whole_run

finite = st.floats(allow_nan=False, allow_infinity=False)
params = st.dictionaries(
    st.from_regex(r"[a-z]{1,8}", fullmatch=True),
    st.one_of(st.text(max_size=20), finite, st.booleans(), st.builds(Quantity, finite, st.just("B/s"))),
)
messages = st.builds(lambda p: msg("probe.reason.unexpected", **p), params)
readings = st.builds(
    Reading,
    item=st.sampled_from(["read", "copy", "unknown.item"]),
    status=st.just(Status.OK),
    value=finite,
    unit=st.just("B/s"),
    n=st.integers(0, 1000),
    reason=st.none() | messages,
    notes=st.lists(messages, max_size=2).map(tuple),
    conditions=st.builds(
        Conditions, finite, finite, finite, finite, st.lists(st.text(max_size=5), max_size=3).map(tuple)
    ),
)


@settings(max_examples=40)
@given(readings, st.booleans())
def test_a_reading_survives_the_line(reading, fatal):
    event = protocol.Measured(reading, fatal)
    assert protocol.parse_line(protocol.write_line(event)) == event


@settings(max_examples=25)
@given(st.lists(readings, max_size=2).map(tuple))
def test_a_run_survives_its_file(some):
    run = whole_run(readings=some)
    data = json.loads(json.dumps(to_dict(run), allow_nan=False))
    assert from_dict(data) == run


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_nothing(line):
    protocol.parse_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        "[]",
        '{"event": "result"}',
        '{"event": "result", "reading": {"item": 3}}',
        '{"event": "result", "reading": {"item": "read", "value": NaN}}',
        '{"event": "unheard of", "x": 1}',
        "[" * 100_000,
        "x" * (protocol.MAX_LINE_BYTES + 1),
    ],
)
def test_a_line_that_is_no_event_is_ignored(line):
    assert protocol.parse_line(line) is None


def test_a_newer_child_may_say_more():
    line = '{"event": "start", "item": "read", "silence_s": 5, "colour": "blue"}'
    assert protocol.parse_line(line) == protocol.Started("read", 5.0)


def test_what_a_child_left_on_its_error_stream_is_not_stored():
    report = ChildReport("device", Ending.CRASHED, details="/home/somebody/secret")
    data = to_dict(whole_run(children=(report,)))
    assert "somebody" not in json.dumps(data)
    assert from_dict(data).children[0].ending is Ending.CRASHED


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"format": "other"}, DamagedDocument),
        ({"schema_version": 0}, DamagedDocument),
        ({"schema_version": True}, DamagedDocument),
        ({"schema_version": 99}, NewerDocument),
        ({"readings": [{"item": "read"}]}, DamagedDocument),
        ({"surprise": 1}, DamagedDocument),
        ({"seconds": "long"}, DamagedDocument),
    ],
)
def test_a_file_that_is_not_a_run_is_refused(change, error):
    with pytest.raises(error):
        from_dict({**to_dict(whole_run()), **change})


@pytest.mark.parametrize("value", [None, [], "text", 3])
def test_something_else_altogether_is_refused(value):
    with pytest.raises(DamagedDocument):
        from_dict(value)


def test_a_continuation_keeps_everything_and_prefers_the_later_result():
    first = whole_run()
    again = evolve(first.readings[1], value=9e11)
    second = evolve(
        first, readings=(again, Reading("triad", Status.OK, 8e11, "B/s")), lessons=(), seconds=2.0, children=()
    )
    found = merged(first, second)
    assert found.value("read") == 9e11
    assert found.value("triad") == 8e11
    assert found.value("write") == first.value("write")
    assert found.lessons == first.lessons
    assert found.seconds == first.seconds + 2.0


AROUND = Surroundings()


@pytest.mark.parametrize(
    ("around", "key"),
    [
        (AROUND, "no_driver"),
        (evolve(AROUND, pci_devices=1), "driver_missing"),
        (evolve(AROUND, jetson=True), "driver_missing"),
        (evolve(AROUND, container=True, pci_devices=1), "container"),
        (evolve(AROUND, wsl=True), "wsl"),
    ],
)
def test_no_library_is_told_by_what_surrounds_it(around, key):
    found = outcome.refused(DriverAnswer("library", outcome.LIBRARY_MISSING), around)
    assert found.message.key == f"probe.outcome.{key}"
    assert found.advice.key == f"probe.advice.{key}"


@pytest.mark.parametrize(
    ("around", "code"),
    [
        (AROUND, OutcomeCode.NO_DEVICE),
        (evolve(AROUND, visible_devices="7"), OutcomeCode.HIDDEN),
        (evolve(AROUND, container=True), OutcomeCode.CONTAINER),
        (evolve(AROUND, container=True, device_nodes=1), OutcomeCode.NO_DEVICE),
        (evolve(AROUND, wsl=True), OutcomeCode.NO_DEVICE),
    ],
)
def test_no_device_is_told_by_what_surrounds_it(around, code):
    assert outcome.refused(DriverAnswer("init", 100, "CUDA_ERROR_NO_DEVICE"), around).code is code


@pytest.mark.parametrize(
    ("status", "words"),
    [(-11, "SIGSEGV"), (-6, "SIGABRT"), (3221225477, "0xC0000005"), (-1073741819, "0xC0000005"), (7, "7"), (None, "?")],
)
def test_an_exit_status_in_words(status, words):
    assert outcome.exit_in_words(status) == words


def test_an_item_that_was_not_measured_has_no_figure():
    with pytest.raises(ValueError, match="not measured"):
        Reading("read", Status.SKIPPED).estimate()


def test_a_series_is_kept_as_numbers():
    line = protocol.write_line(protocol.SeriesFound("divergence", Series("ratio", (1.0, 2.0), (1.0, 2.1))))
    assert protocol.parse_line(line).series.y == (1.0, 2.1)
