"""The machine code: the hardware's own matrix instruction, wide accesses, no spill. What would lie about a device is caught."""

from __future__ import annotations

import pytest

from kernels import nvrtc, pack, sass, sources
from kernels.pack import Pack

SOME = ("sm_75", "sm_90", "sm_120")


@pytest.fixture(scope="module", autouse=True)
def tools():
    try:
        sass.tool("cuobjdump")
        sass.tool("nvdisasm")
    except sass.ToolMissing as missing:
        pytest.skip(f"{missing}: pip install '.[kernels]'")


def shipped(names: tuple[str, ...], targets: tuple[str, ...]):
    whole = Pack.shipped()
    return [(i, whole.read(i)) for i in whole.images if i.source in names and i.target in targets]


def test_every_matrix_kernel_is_native_on_every_architecture_that_has_it():
    images = shipped(("mma", "wgmma"), tuple(sass.PRECISIONS))
    assert {i.target for i, _ in images} == set(sass.PRECISIONS)
    assert sass.faults(images) == []


@pytest.mark.parametrize("target", SOME)
def test_accesses_are_wide_and_nothing_spills(target):
    images = shipped(("stream", "gemv", "shared", "divergence", "fma"), (target,))
    assert len(images) == 5
    assert sass.faults(images) == []


def test_no_architecture_holds_a_precision_it_would_emulate():
    held = {(i.target, k) for i, _ in shipped(("mma", "wgmma"), tuple(sass.PRECISIONS)) for k in i.kernels}
    for target, kernel in (
        ("sm_90", "mma_fp8"),
        ("sm_90", "mma_int4"),
        ("sm_120", "mma_int4"),
        ("sm_120", "mma_fp4"),
        ("sm_86", "mma_fp8"),
        ("sm_75", "mma_bf16"),
    ):
        assert (target, kernel) not in held
    whole = Pack.shipped()
    assert not [
        i.path for i in whole.images if i.source == "mma" and i.target in ("sm_100", "sm_103", "sm_107", "sm_110")
    ]
    assert not [i.path for i in whole.images if i.source in ("mma", "wgmma") and i.is_ptx]


def compiled(source: str, name: str, target: str) -> list[tuple[pack.Image, bytes]]:
    try:
        compiler = nvrtc.find(12)
    except nvrtc.NotInstalled as missing:
        pytest.skip(f"{missing}: pip install '.[kernels]'")
    data = compiler.compile(source, f"{name}.cu", target, sources.OPTIONS).image
    return [(pack.describe(name, target, compiler.name, "", data), data)]


@pytest.mark.parametrize(
    ("target", "change", "kernel"),
    [
        ("sm_90", ("#define HAS_FP8 ((ARCH >= 890 && ARCH < 900) || ARCH >= 1200)", "#define HAS_FP8 1"), "mma_fp8"),
        ("sm_90", ("#define HAS_INT4 (ARCH >= 800 && ARCH < 900)", "#define HAS_INT4 1"), "mma_int4"),
    ],
)
def test_an_emulated_instruction_is_caught(target, change, kernel):
    text = sources.text("mma")
    assert change[0] in text
    found = sass.faults(compiled(text.replace(*change), "mma", target))
    assert any(kernel in fault and "emulated" in fault for fault in found), found


def test_a_spill_is_caught():
    crowded = sources.text("mma").replace("__launch_bounds__(256)", "__launch_bounds__(256, 8)")
    found = sass.faults(compiled(crowded, "mma", "sm_80"))
    assert any("spills" in fault for fault in found), found


def test_a_narrow_access_is_caught():
    text = sources.text("stream").replace(
        "float4 a0 = a[i]", "float4 a0 = {((const float*)a)[4 * i], 0.0f, 0.0f, 0.0f}"
    )
    found = sass.faults(compiled(text, "stream", "sm_86"))
    assert any("stream_read" in fault and "128" in fault for fault in found), found


def test_a_branch_turned_into_a_select_is_caught():
    text = """extern "C" __global__ void divergence(int paths, int rounds, const float* a, float* out) {
        int i = threadIdx.x; out[i] = (i % 32) % paths == rounds ? a[i] : a[i] * 2.0f; }"""
    assert any("does not branch" in fault for fault in sass.faults(compiled(text, "divergence", "sm_86")))
