from pathlib import Path

import pytest

from app.host.paths import CATALOGUE
from engine.catalogue import load_catalogue
from engine.catalogue.read import Problem, Row, rows_of_text
from engine.errors import UnknownId
from engine.units import GIB, MIB


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue(CATALOGUE)


def test_every_row_is_there_and_none_is_bad(catalogue):
    assert catalogue.problems == ()
    assert len(catalogue.devices) == 194
    assert len(catalogue.models) == 144
    assert len(catalogue.gpu_prices) == 232
    assert len(catalogue.api_prices) == 205
    assert len(catalogue.regulations) == 61


def test_every_figure_names_its_source_and_date(catalogue):
    for device in catalogue.devices.values():
        for figure in (device.memory, device.bandwidth, device.bf16, device.power):
            if figure is not None:
                assert figure.source.where, device.id
                assert figure.source.as_of, device.id


def test_unverified_figures_are_marked(catalogue):
    p40 = catalogue.device("nvidia-p40")
    assert p40.bandwidth is not None
    assert not p40.bandwidth.source.verified
    assert p40.memory is not None
    assert p40.memory.source.verified


def test_units_are_si(catalogue):
    h100 = catalogue.device("nvidia-h100-sxm")
    assert h100.bandwidth.value == 3.35e12
    assert h100.bf16.value == 989e12
    assert h100.memory.value == 80e9
    assert h100.driver_memory.value == 81_559 * MIB
    assert 79.6 < h100.driver_memory.value / GIB < 79.7


def test_unknown_names_offer_the_nearest(catalogue):
    with pytest.raises(UnknownId) as caught:
        catalogue.device("nvidia-h100")
    assert all("h100" in name for name in caught.value.nearest)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("id,value\na,x\n", "value"),
        ("id,value\na,-1\n", "value"),
        ("id,value\na,nan\n", "value"),
        ("id,value\na,1\na,2\n", "id"),
        ("id,value\na\n", ""),
        ("id,value\n,1\n", "id"),
        ("id,other\na,1\n", "value"),
    ],
)
def test_a_bad_row_is_named_and_left_out(text, column):
    problems: list[Problem] = []

    def build(row: Row) -> float | None:
        return row.number("value", 0)

    rows = rows_of_text("x.csv", text, build, problems)
    assert [p.column for p in problems] == [column]
    assert rows in ([], [1.0])


def test_the_checkout_has_one_catalogue_only():
    assert (Path(CATALOGUE) / "devices.csv").exists()
