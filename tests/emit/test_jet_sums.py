"""Sums of all products of an order, of two orders in one pass, for all register sizes."""

from __future__ import annotations

import ctypes
import itertools
import math
import platform

import numpy as np
import pytest

from symlie.compile.compiler import BASE_FLAGS, run_compiler, vector_numbers
from symlie.compile.headers import with_headers

PRODUCTS = (1, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 24, 31, 32, 33, 36, 37, 40, 41, 63, 64, 65, 100)
"""So many fill passes, registers and halves of them in each way."""

ORDER = 24

UNTOUCHED = 7
"""Initial content of memory."""

_CASES = "\n".join(f"        CASE({n})" for n in PRODUCTS)

PROBE = f"""
#include "primitives.h"
#include "jet_sums.h"
#define ROOM JET_ROW({max(PRODUCTS)})
#define CASE(n) case n: jet_sums(n, k, k == order - 1, left, right, next, second, sums); break;
static _Alignas(64) double sums[ROOM + 8], next[ROOM + 8], second[ROOM + 8];
void find(int products, int order, const double *left, const double *right, double *out)
{{
    for (int n = 0; n < ROOM + 8; n++) sums[n] = next[n] = second[n] = {UNTOUCHED};
    for (int k = 1; k < order; k++) {{
        switch (products) {{
{_CASES}
        }}
        for (int n = 0; n < ROOM + 8; n++) out[k * (ROOM + 8) + n] = sums[n];
    }}
}}
"""

BUILDS = {"-march=x86-64": 1, "-march=haswell": 4, "-march=skylake-avx512": 8}
"""Flags of x86-64 with the numbers of a register."""

Rows = dict[int, np.ndarray]
"""Factors of an order each, by the number of products."""


def sums_of(library: ctypes.CDLL, left: Rows, right: Rows) -> list[np.ndarray]:
    """Sums of each order and the memory after them, for each number of products."""
    found = []
    for n in PRODUCTS:
        out = np.zeros((ORDER, (max(PRODUCTS) + 7) // 8 * 8 + 8))
        library.find(n, ORDER, *(a.ctypes.data_as(ctypes.c_void_p) for a in (left[n], right[n], out)))
        found.append(out)
    return found


def padded(values: np.ndarray) -> np.ndarray:
    """Rows padded to a multiple of eight numbers and aligned to cache lines."""
    shape = len(values) + 1, (values.shape[1] + 7) // 8 * 8
    memory = np.zeros(math.prod(shape) + 8)
    begin = -memory.ctypes.data // 8 % 8
    placed = memory[begin : begin + math.prod(shape)].reshape(shape)
    placed[: len(values), : values.shape[1]] = values
    return placed


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ctypes.CDLL]:
    """Builds that this processor runs."""
    found = {}
    for build, numbers in (BUILDS if platform.machine().lower() in ("x86_64", "amd64") else {"-O3": 1}).items():
        if numbers <= vector_numbers("default"):
            folder = tmp_path_factory.mktemp("probe")
            for name, text in with_headers({"probe.c": PROBE}).items():
                (folder / name).write_text(text, encoding="utf-8")
            flags = (*BASE_FLAGS, build, "-ffp-contract=off", "-Wno-psabi")
            run_compiler(folder / "probe.c", folder / "probe.so", flags)
            found[build] = ctypes.CDLL(str(folder / "probe.so"))
    return found


@pytest.mark.slow
def test_sums_of_integers_are_exact(libraries: dict[str, ctypes.CDLL]) -> None:
    rng = np.random.default_rng(0)
    a, b = ({n: padded(rng.integers(-9, 10, (ORDER, n))) for n in PRODUCTS} for _ in range(2))
    for build, library in libraries.items():
        for n, found in zip(PRODUCTS, sums_of(library, a, b), strict=True):
            for k in range(1, ORDER):
                wanted = sum((a[n][j] * b[n][k - j] for j in range(1, k)), np.zeros(a[n].shape[1]))
                assert np.array_equal(found[k, :n], wanted[:n]), (build, n, k)
                assert (found[k, len(wanted) :] == UNTOUCHED).all(), (build, n, k)


def test_sums_are_bit_identical_for_all_register_widths(libraries: dict[str, ctypes.CDLL]) -> None:
    """Of processors that round products with their sums."""
    rng = np.random.default_rng(1)
    a, b = ({n: padded(rng.normal(size=(ORDER, n))) for n in PRODUCTS} for _ in range(2))
    several = [sums_of(library, a, b) for build, library in libraries.items() if BUILDS.get(build, 1) > 1]
    for one, other in itertools.pairwise(several):
        for n, first, second in zip(PRODUCTS, one, other, strict=True):
            assert np.array_equal(first[:, :n], second[:, :n]), n
