"""`waypost catalogue`."""

from __future__ import annotations

import shutil

import pytest

from app.host.paths import CATALOGUE


def test_the_built_in_catalogue_is_sound(waypost):
    ran = waypost("catalogue", "check", "--json")
    assert ran.code == 0
    assert ran.json["problems"] == []
    assert ran.json["rows"] > 1200


def test_a_bad_row_is_named_with_file_line_id_column_and_reason(waypost, tmp_path):
    folder = tmp_path / "catalogue"
    shutil.copytree(CATALOGUE, folder)
    devices = folder / "devices.csv"
    lines = devices.read_text(encoding="utf-8").splitlines()
    lines[1] = lines[1].replace(",192.3,", ",fast,")
    devices.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ran = waypost("catalogue", "check", folder, "--json")
    assert ran.code == 1
    assert ran.json["problems"] == [
        {
            "file": "devices.csv",
            "line": 2,
            "id": "nvidia-p4",
            "column": "bandwidth_gb_s",
            "reason": '"fast" is not a number',
        }
    ]
    assert (
        'devices.csv:2: nvidia-p4: bandwidth_gb_s: "fast" is not a number' in waypost("catalogue", "check", folder).out
    )


def test_a_folder_of_own_rows_is_checked_alone(waypost, tmp_path):
    (tmp_path / "models.csv").write_text("id,n_layers\nllama-2-7b,many\n", encoding="utf-8")
    ran = waypost("catalogue", "check", tmp_path)
    assert ran.code == 1
    assert "own/models.csv:2: llama-2-7b: n_layers" in ran.out
    assert "no folder" in waypost("catalogue", "check", tmp_path / "none").refused()


def test_override_show_remove(waypost, home):
    assert waypost("catalogue", "override", "device", "nvidia-p4", "bandwidth_gb_s=200", "source=a quote").code == 0
    shown = waypost("catalogue", "show", "device", "nvidia-p4", "--json").json
    assert (shown["own"], shown["bandwidth"]["value"], shown["bandwidth"]["source"]["where"]) == (
        True,
        200e9,
        "a quote",
    )
    assert shown["memory"]["value"] == 8e9
    assert "a quote" in waypost("catalogue", "show", "device", "nvidia-p4").out
    assert {"id": "nvidia-p4", "name": "Tesla P4", "own": True} in waypost(
        "catalogue", "list", "device", "P4", "--json"
    ).json
    assert waypost("catalogue", "check", "--json").json["own_rows"] == 1
    assert waypost("catalogue", "remove", "device", "nvidia-p4").code == 0
    assert waypost("catalogue", "show", "device", "nvidia-p4", "--json").json["bandwidth"]["value"] == 192.3e9
    assert not (home / "catalogue" / "devices.csv").exists()


def test_add_a_price_of_ones_own(waypost):
    words = ("provider=Own", "model=house-model", "input_usd_per_mtok=0.2", "output_usd_per_mtok=0.8")
    assert waypost("catalogue", "add", "api_price", "house", *words).code == 0
    assert waypost("catalogue", "show", "api_price", "house", "--json").json["output_usd_per_mtok"] == 0.8


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "device", "nvidia-l40sx"), "nvidia-l40s"),
        (("show", "divice", "x"), "device"),
        (("override", "device", "nvidia-p99", "tdp_w=1"), "nvidia-p4"),
        (("override", "device", "nvidia-p4", "tdp=1"), "tdp_w"),
        (("override", "device", "nvidia-p4", "tdp_w"), "column=value"),
        (("override", "device", "nvidia-p4", "tdp_w=-5"), "tdp_w"),
        (("add", "device", "nvidia-p4", "tdp_w=5"), "override"),
        (("add", "device", "mine", "tdp_w=5"), "mine"),
        (("remove", "device", "nvidia-p4"), "nvidia-p4"),
        (("list", "sources"), "devices"),
        (("check", "a", "b"), "b"),
        (("frobnicate",), "frobnicate"),
        ((), "ACTION"),
    ],
)
def test_bad_input_is_one_sentence(waypost, home, words, said):
    ran = waypost("catalogue", *words)
    assert said in ran.err
    assert (ran.code, ran.out) == (2, "")
    assert not list(home.glob("catalogue/*.csv"))


def test_bad_own_rows_are_named_and_the_rest_works(waypost, home):
    (home / "catalogue").mkdir(parents=True)
    (home / "catalogue" / "devices.csv").write_text("id,tdp_w\nnvidia-p4,hot\n", encoding="utf-8")
    ran = waypost("catalogue", "show", "device", "nvidia-p4", "--json")
    assert ran.json["power"]["value"] == 75
    assert "own/devices.csv:2: nvidia-p4: tdp_w" in ran.err
