"""Entries that are not finite are seen wherever they are, in small models and in large ones."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import cffi
import numpy as np
import pytest

from symlie.compile.compiler import flags, run_compiler
from symlie.compile.headers import with_headers

SOURCE = """
#include <math.h>
#include "real.h"
#include "vectors.h"
int finite(int n, const double *x) { return all_finite(n, x); }
double largest(int n, const double *x, double bound) { return largest_entry(n, x, bound); }
"""

EXTREME = (0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308)

NOT_FINITE = (math.inf, -math.inf, math.nan, -math.nan, np.uint64(0x7FF0000000000001).view(np.float64))
"""The last one is the NaN with the smallest bits, which signals."""

SIZES = (0, 1, 3, 4, 7, 33)


@pytest.fixture(scope="module", params=[0, 1], ids=["large", "small"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The functions of ``vectors.h`` as large and as small models have them."""
    folder: Path = tmp_path_factory.mktemp("vectors")
    for name, text in with_headers({"main.c": f"#define UNROLL_STAGES {request.param}\n{SOURCE}"}).items():
        (folder / name).write_text(text)
    run_compiler(folder / "main.c", folder / "main.so", flags("default"))
    ffi = cffi.FFI()
    ffi.cdef("int finite(int n, const double *x); double largest(int n, const double *x, double bound);")
    call = ffi.dlopen(str(folder / "main.so"))
    return lambda name, x, *rest: getattr(call, name)(len(x), ffi.from_buffer("double[]", x), *rest)


@pytest.mark.parametrize("size", SIZES)
def test_finite_entries_are_accepted(library: Any, size: int) -> None:
    """The largest sum of these overflows, which says nothing about them."""
    for value in EXTREME:
        assert library("finite", np.full(size, value))
        assert library("largest", np.full(size, value), 1e-3) == (max(abs(value), 1e-3) if size else 1e-3)
    x = np.resize(EXTREME, size)
    assert library("finite", x)
    assert library("largest", x, 0) == np.max(np.abs(x), initial=0)


@pytest.mark.parametrize("value", NOT_FINITE)
def test_nonfinite_entry_is_detected(library: Any, value: float) -> None:
    """Independent of adjacent values."""
    for size in SIZES:
        for place in range(size):
            x = np.resize(EXTREME, size)
            x[place] = value
            assert not library("finite", x)
            assert not math.isfinite(library("largest", x, 0)) and not math.isfinite(library("largest", x, 1))
