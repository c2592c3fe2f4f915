"""Band matrices of stages in C, with row exchange and without it from both ends, against NumPy."""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symlie.compile.compiler import flags, run_compiler
from symlie.compile.headers import with_headers
from symlie.contract.constants import LOST_PIVOT
from symlie.runtime.layout.layout import Array
from tests import tolerances
from tests.runtime.saddles import constants_header

NARROW = (1, 3, 5, 7, 9, 11)
WAYS = ("solve_band", "solve_narrow_band", "solve_kept_band")

pytestmark = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("cc", "gcc", "clang")), reason="the header needs a C compiler"
)


@functools.cache
def library(unrolled: int = 0) -> tuple[Any, Any]:
    """The solutions in C; of one bandwidth alone, with its loops unrolled, as time loops have them, if it is given."""
    import cffi

    ffi = cffi.FFI()
    prototypes = [f"int {way}_of(int n, int bandwidth, double *S, double *x)" for way in WAYS]
    prototypes.append("int has_narrow_band_of(int n, int bandwidth)")
    ffi.cdef(";\n".join(prototypes) + ";")
    bodies = [f"{{ return {way}(n, bandwidth, S, x); }}" for way in WAYS[:-1]]
    bodies.append("{ return factorize_band(n, bandwidth, S) && (solve_with_band(n, bandwidth, S, x), 1); }")
    bodies.append("{ return has_narrow_band(n, bandwidth); }")
    text = ['#include "primitives.h"', '#include "constants.h"', '#include "kept_band.h"']
    text = [f"#define NARROW_BANDWIDTH {unrolled}"] * bool(unrolled) + text
    text += [f"{p} {b}" for p, b in zip(prototypes, bodies, strict=True)]
    files = with_headers({"band.c": "\n".join(text) + "\n", **constants_header()})
    with tempfile.TemporaryDirectory() as name:
        for file, content in files.items():
            (Path(name) / file).write_text(content, encoding="utf-8")
        run_compiler(Path(name) / "band.c", Path(name) / "band.so", flags("default"))
        return ffi, ffi.dlopen(str(Path(name) / "band.so"))


def solved(way: str, matrix: Array, right: Array, bandwidth: int, unrolled: int = 0) -> Array | None:
    """The solution, or None where a pivot is lost."""
    n, width = len(matrix), 3 * bandwidth + 1
    band, x = np.zeros((n, width)), right.copy()
    for k in range(n):
        columns = np.arange(max(0, k - bandwidth), min(n, k + bandwidth + 1))
        band[k, columns - k + bandwidth] = matrix[k, columns]
    ffi, compiled = library(unrolled)
    done = getattr(compiled, f"{way}_of")(n, bandwidth, *(ffi.from_buffer("double[]", a) for a in (band, x)))
    return x if done else None


def random_band(n: int, bandwidth: int, seed: int) -> tuple[Array, Array]:
    """A complement of random rows, nearly symmetric as those of two close configurations are, in scattered units."""
    generator = np.random.default_rng([n, bandwidth, seed])
    wide = np.tri(n, k=0) - np.tri(n, k=-bandwidth - 1)
    rows = generator.uniform(-1, 1, (n, n)) * wide + 2 * np.eye(n)
    units = np.diag(10.0 ** generator.uniform(-2, 2, n))
    other = rows + 1e-3 * generator.uniform(-1, 1, (n, n)) * wide
    return units @ other @ rows.T @ units, generator.uniform(-1, 1, n)


def check(found: Array | None, matrix: Array, right: Array) -> None:
    assert found is not None
    scale = 1 / np.sqrt(np.abs(matrix.diagonal()))
    balanced = scale[:, None] * matrix * scale
    expected = np.linalg.solve(balanced, scale * right)
    # Each of both solutions is exact for a matrix that is n ε off.
    bound = 2 * len(matrix) * tolerances.EPSILON * np.linalg.cond(balanced)
    np.testing.assert_allclose(found / scale, expected, rtol=0, atol=bound * np.abs(expected).max())


@pytest.mark.parametrize("bandwidth", [*NARROW, 2, 4, 13])
@pytest.mark.parametrize("times", [3, 4, 20])
def test_band_solutions_are_accurate(bandwidth: int, times: int) -> None:
    """For numbers of rows that the two ends share evenly or not; unrolled loops have the same bits."""
    for n in (times * bandwidth, times * bandwidth + 1):
        matrix, right = random_band(n, bandwidth, 1)
        check(solved("solve_band", matrix, right, bandwidth), matrix, right)
        is_narrow = bool(library()[1].has_narrow_band_of(n, bandwidth))
        assert is_narrow == (bandwidth in NARROW)
        if is_narrow:
            found = solved("solve_narrow_band", matrix, right, bandwidth)
            check(found, matrix, right)
            assert found is not None
            assert np.array_equal(found, solved("solve_narrow_band", matrix, right, bandwidth, unrolled=bandwidth))
            kept = solved("solve_kept_band", matrix, right, bandwidth)
            check(kept, matrix, right)
            assert bandwidth == 1 or np.array_equal(kept, found)


@pytest.mark.parametrize("bandwidth", NARROW)
@pytest.mark.parametrize("place", ["above", "below", "middle"])
def test_vanishing_pivots_exchange_rows(bandwidth: int, place: str) -> None:
    """A pivot that those eliminated before it take away needs an exchange of rows, if any row is left."""
    n = 8 * bandwidth
    k = {"above": 2, "below": n - 3, "middle": (n - bandwidth) // 2 + bandwidth - 1}[place]
    matrix, right = random_band(n, bandwidth, 2)
    before = {"above": np.arange(k), "below": np.arange(k + 1, n), "middle": np.delete(np.arange(n), k)}[place]
    matrix[k, k] = matrix[k, before] @ np.linalg.solve(matrix[np.ix_(before, before)], matrix[before, k])
    assert all(solved(way, matrix, right, bandwidth) is None for way in WAYS[1:])
    if place != "middle":
        check(solved("solve_band", matrix, right, bandwidth), matrix, right)


@pytest.mark.parametrize("bandwidth", NARROW)
def test_nonfinite_entries_are_rejected(bandwidth: int) -> None:
    for k in (0, 4 * bandwidth - 1, 8 * bandwidth - 1):
        matrix, right = random_band(8 * bandwidth, bandwidth, 3)
        matrix[k, k] = np.nan
        assert all(solved(way, matrix, right, bandwidth) is None for way in WAYS)


def test_pivot_threshold_is_relative() -> None:
    """A pivot retains its size down to `LOST_PIVOT` of its entry, independently of the units of its row."""
    matrix, right = np.eye(40), np.ones(40)
    for kept, is_solved in ((4 * LOST_PIVOT, True), (LOST_PIVOT / 4, False)):
        matrix[1, 0] = matrix[0, 1] = np.sqrt(1 - kept)
        assert (solved("solve_narrow_band", 1e-30 * matrix, right, 5) is not None) == is_solved
