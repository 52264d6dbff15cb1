"""The kernels as they are shipped, run on the processor in both orders, against NumPy. Outputs are poisoned and guarded."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from kernels import reference
from tests.kernels.conftest import Output, aligned

RANDOM = np.random.default_rng(20)
LONG = ctypes.c_longlong
FLOAT = ctypes.c_float
MASK = 255


def uniform(count: int) -> np.ndarray:
    return aligned(RANDOM.random(count, dtype=np.float32))


def test_the_worked_example_equals_numpy_bit_for_bit(shim):
    n, block = 1_000_000, 256
    a, b, c = uniform(n), uniform(n), Output(n, np.float32)
    blocks = (n + block - 1) // block
    assert blocks == 3_907
    assert blocks * block - n == 192
    assert shim.launch("vector_add", blocks, block, n, a, b, c) == ""
    assert np.array_equal(c.array, a + b)


def test_block_2_thread_10_of_256_is_element_522(shim):
    n = 1_000
    block, thread = Output(n, np.int32), Output(n, np.int32)
    assert shim.launch("index_walk", 4, 256, n, block, thread) == ""
    assert (block.array[522], thread.array[522]) == (2, 10)
    assert np.array_equal(block.array * 256 + thread.array, np.arange(n))


@pytest.mark.parametrize("count", [1, 255, 256, 5_000])
def test_random_data_is_what_numpy_says_it_is(shim, count):
    a, bits = Output(count, np.float32), Output(count, np.uint32)
    assert shim.launch("fill_uniform", 3, 64, LONG(count), ctypes.c_uint(MASK), ctypes.c_uint(9), a) == ""
    arguments = (
        LONG(count),
        ctypes.c_uint(MASK),
        ctypes.c_uint(9),
        ctypes.c_uint(0x80FF80FF),
        ctypes.c_uint(0x3F003F00),
    )
    assert shim.launch("fill_bits", 3, 64, *arguments, bits) == ""
    index = np.arange(count)
    assert np.array_equal(a.array, reference.fill_uniform(index, MASK, 9))
    assert np.array_equal(bits.array, reference.fill_bits(index, MASK, 9, 0x80FF80FF, 0x3F003F00))
    assert np.isclose(a.array.sum(dtype=np.float64), reference.uniform_sum(count, MASK, 9))


@pytest.mark.parametrize("count4", [1, 63, 64, 65, 1_000, 4_097])
@pytest.mark.parametrize("grid", [1, 3])
def test_streams_reach_every_element_whatever_the_tail(shim, count4, grid):
    block = 64
    a, b = uniform(4 * count4), uniform(4 * count4)
    out, sums = Output(4 * count4, np.float32), Output(grid * block // 32, np.float32)
    assert shim.launch("stream_read", grid, block, LONG(count4), a, sums) == ""
    assert np.isclose(sums.array.sum(dtype=np.float64), a.sum(dtype=np.float64), rtol=1e-5)
    assert shim.launch("stream_copy", grid, block, LONG(count4), a, out) == ""
    assert np.array_equal(out.array, a)
    assert shim.launch("stream_triad", grid, block, LONG(count4), FLOAT(0.4), a, b, out) == ""
    assert np.allclose(out.array, a + np.float32(0.4) * b, rtol=1e-6)
    assert shim.launch("stream_write", grid, block, LONG(count4), FLOAT(2.0), out) == ""
    assert np.array_equal(out.array, reference.stream_write(count4, 2.0))


@pytest.mark.parametrize(("n", "grid", "block"), [(1, 1, 32), (1_000, 1, 256), (100_000, 4, 256), (5_003, 3, 64)])
def test_the_reduction_sums(shim, n, grid, block):
    a, partial = uniform(n), Output(grid, np.float32)
    assert shim.launch("reduce_sum", grid, block, n, a, partial, shared=4 * block) == ""
    assert np.isclose(partial.array.sum(dtype=np.float64), a.sum(dtype=np.float64), rtol=1e-5)


@pytest.mark.parametrize("stride", [1, 2, 8, 32])
def test_shared_memory_reads_what_was_laid_there(shim, stride):
    seed4, seed = uniform(4 * 1024), uniform(2048)
    wide, narrow = Output(512, np.float32), Output(512, np.float32)
    assert shim.launch("shared_read", 2, 256, 5, seed4, wide) == ""
    assert shim.launch("shared_stride", 2, 256, 6, stride, seed, narrow) == ""
    assert np.allclose(wide.array, np.tile(reference.shared_read(5, seed4, 256), 2), rtol=1e-4)
    assert np.allclose(narrow.array, np.tile(reference.shared_stride(6, stride, seed, 256), 2), rtol=1e-4)


@pytest.mark.parametrize("stride", [1, 2, 8, 32])
def test_the_stride_is_the_number_of_lanes_that_meet_in_a_bank(stride):
    banks = np.bincount((np.arange(32) * stride) % 32, minlength=32)
    assert banks.max() == stride


@pytest.mark.parametrize("paths", [1, 2, 7, 32])
def test_every_way_through_the_branch_gives_its_own_result(shim, paths):
    a, out = uniform(512), Output(512, np.float32)
    assert shim.launch("divergence", 2, 256, paths, 9, a, out) == ""
    assert np.allclose(out.array, reference.divergence(paths, 9, a), rtol=1e-5)


def test_the_fma_chains(shim):
    a, out = uniform(256), Output(256, np.float32)
    assert shim.launch("fma_chains", 1, 256, 33, FLOAT(0.75), FLOAT(0.2), a, out) == ""
    assert np.allclose(out.array, reference.fma_chains(33, 0.75, 0.2, a), rtol=1e-5)


def test_gemv_bf16_row_by_row(shim):
    rows, columns = 19, 2048
    w = reference.matrix("bf16", rows, columns // 2, 3)
    x = reference.matrix("bf16", 1, columns // 2, 4)
    y = Output(rows, np.float32)
    assert shim.launch("gemv_bf16", 5, 128, rows, columns, aligned(w), aligned(x), y) == ""
    assert np.allclose(y.array, reference.bf16_pairs(w) @ reference.bf16_pairs(x)[0], rtol=1e-4, atol=1e-2)


def test_gemv_int4_with_its_scales_and_offset(shim):
    rows, columns = 11, 4096
    groups = columns // 32
    w = reference.matrix("int4", rows, columns // 8, 5)
    scale, x_scale = uniform(rows * groups), uniform(groups)
    x = RANDOM.integers(-127, 128, columns).astype(np.int8)
    x_sum = x.reshape(groups, 32).sum(axis=1).astype(np.int32)
    y = Output(rows, np.float32)
    arguments = (rows, columns, aligned(w), scale, aligned(x), x_scale, x_sum, y)
    assert shim.launch("gemv_int4", 3, 128, *arguments) == ""
    wanted = reference.gemv_int4(w, scale.reshape(rows, groups), x, x_scale)
    assert np.allclose(y.array, wanted, rtol=1e-4, atol=np.abs(wanted).max() * 1e-5)


def test_number_formats_against_values_written_out_by_hand():
    assert reference.fp8(np.array([0x38B8_0740 & 0xFFFFFFFF], np.uint32)).tolist() == [2.0, 7 * 2.0**-9, -1.0, 1.0]
    assert np.isnan(reference.fp8(np.array([0x7F], np.uint32))[0])
    assert reference.fp8(np.array([0x7E], np.uint32))[0] == 448.0
    assert reference.int4(np.array([0x8F71_0000], np.uint32)).tolist() == [0, 0, 0, 0, 1, 7, -1, -8]
    assert reference.fp4(np.array([0x0000_7F12], np.uint32)).tolist()[:4] == [1.0, 0.5, -6.0, 6.0]
    assert reference.bf16_pairs(np.array([0xC000_3F80], np.uint32)).tolist() == [1.0, -2.0]
    assert reference.fp16_pairs(np.array([0xC000_3C00], np.uint32)).tolist() == [1.0, -2.0]


def test_the_random_bits_of_each_precision_are_numbers_of_both_signs():
    for precision, decode in reference.DECODE.items():
        values = decode(reference.matrix(precision, 64, 8, 1))
        assert np.all(np.isfinite(values)), precision
        assert values.min() < 0 < values.max(), precision
        assert len(np.unique(values)) > 8, precision
