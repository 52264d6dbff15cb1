"""The pack that is shipped: made from these sources, for every architecture, the same bytes each time."""

from __future__ import annotations

import random

import pytest

from kernels import build, nvrtc, pack, sources
from kernels.pack import Pack


@pytest.fixture(scope="module")
def shipped() -> Pack:
    return Pack.shipped()


def test_every_image_comes_from_the_sources_as_they_stand(shipped):
    wanted = {name: sources.digest(sources.text(name)) for name in sources.names()}
    stale = [image.path for image in shipped.images if image.digest != wanted[image.source]]
    assert stale == [], "run `make kernels`"


def test_every_source_has_every_target(shipped):
    wanted = {(n, t) for n in sources.names() for major in sources.ARCHITECTURES for t in sources.targets(n, major)}
    assert {(i.source, i.target) for i in shipped.images} == wanted


def test_every_image_is_what_the_manifest_says(shipped):
    for image in shipped.images:
        data = shipped.read(image)
        assert image.kernels == tuple(pack.kernel_names(data, image.is_ptx))
        assert image.kernels, image.path
        assert image.is_ptx or data[:4] == b"\x7fELF"


def test_images_up_to_hopper_are_in_the_form_old_drivers_were_made_for(shipped):
    old = [i for i in shipped.images if i.abi and i.compiler.startswith("12.") and int(i.target[3:].rstrip("a")) <= 90]
    assert old
    assert {i.abi for i in old} == {7}


def test_the_same_images_give_the_same_bytes(shipped, tmp_path):
    images = [(image, shipped.read(image)) for image in shipped.images]
    pack.write(tmp_path / "a.zip", shipped.compilers, images)
    random.Random(3).shuffle(images)
    pack.write(tmp_path / "b.zip", dict(reversed(list(shipped.compilers.items()))), images)
    first = (tmp_path / "a.zip").read_bytes()
    assert first == (tmp_path / "b.zip").read_bytes()
    assert [i.path for i in Pack(first).images] == sorted(i.path for i in shipped.images)


def test_the_pack_stays_small():
    assert sources.PACK.stat().st_size < 600_000


@pytest.mark.parametrize(
    ("source", "capability", "driver", "first"),
    [
        ("stream", (8, 9), (12, 4), "sm_89"),
        ("stream", (9, 0), (12, 4), "sm_90"),
        ("wgmma", (9, 0), (12, 4), "sm_90a"),
        ("mma", (12, 0), (13, 0), "sm_120a"),
        ("mma", (12, 1), (13, 0), "sm_121a"),
        ("stream", (7, 5), (12, 0), "sm_75"),
        ("stream", (5, 0), (12, 0), "sm_50"),
        ("stream", (8, 8), (13, 0), "sm_88"),
        ("stream", (11, 0), (13, 0), "sm_110"),
        ("stream", (12, 7), (13, 0), "sm_121"),
        ("stream", (13, 0), (13, 0), "compute_120"),
    ],
)
def test_the_image_is_chosen_by_capability(shipped, source, capability, driver, first):
    assert shipped.choose(source, capability, driver)[0].target == first


@pytest.mark.parametrize(
    ("source", "capability", "driver"),
    [
        ("wgmma", (10, 0), (13, 0)),
        ("mma", (10, 0), (13, 0)),
        ("mma", (13, 0), (13, 0)),
        ("mma", (7, 0), (12, 0)),
        ("stream", (13, 0), (12, 4)),
        ("stream", (3, 5), (13, 0)),
    ],
)
def test_nothing_is_chosen_where_nothing_would_be_honest(shipped, source, capability, driver):
    assert shipped.choose(source, capability, driver) == ()


def test_ptx_only_for_a_driver_as_new_as_its_compiler_and_after_every_cubin(shipped):
    old, new = (shipped.choose("stream", (8, 6), v) for v in ((12, 4), (12, 9)))
    assert not any(i.is_ptx for i in old)
    assert [i.is_ptx for i in new] == sorted(i.is_ptx for i in new)
    assert new[-1].target == "compute_75"


@pytest.mark.parametrize("damage", [lambda d: d[:1000], lambda d: b"PK" + d[2:500], lambda _d: b""])
def test_a_damaged_pack_is_refused(damage):
    with pytest.raises(pack.Damaged):
        Pack(damage(sources.PACK.read_bytes()))


def test_compiling_one_architecture_again_gives_the_shipped_images(shipped):
    try:
        built = list(build.images(only="sm_90"))
    except nvrtc.NotInstalled as missing:
        pytest.skip(f"{missing}: pip install '.[kernels]'")
    assert len(built) == len(sources.names()) - 1
    assert build.differences(built, shipped) == []


def test_a_changed_source_is_noticed(shipped):
    image = next(i for i in shipped.images if i.target == "sm_90" and i.source == "fma")
    other = pack.describe("fma", "sm_90", image.compiler, sources.digest("changed"), shipped.read(image))
    assert build.differences([(other, b"")], shipped) == [image.path]


def test_a_compile_error_names_file_and_line():
    try:
        compiler = nvrtc.find(12)
    except nvrtc.NotInstalled as missing:
        pytest.skip(f"{missing}: pip install '.[kernels]'")
    with pytest.raises(nvrtc.CompileError, match=r"bad\.cu\(2\)"):
        compiler.compile("int a;\nint b = ;\n", "bad.cu", "sm_90")
