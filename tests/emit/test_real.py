"""The type of all numbers in C is one name, which a compiler may be given another meaning of."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from symlie.compile.compiler import BASE_FLAGS, run_compiler
from symlie.compile.headers import with_headers
from symlie.emit.target import TARGETS
from symlie.publish.sets import generated_files, set_files
from tests import tolerances
from tests.systems import heavy_top_equations

PROBE = """
#include "heavy_top.c"
#include "heavy_top_newton.h"
#define EXPORTED(name) void name(const symlie_real *q, const symlie_real *u, symlie_real *out)
EXPORTED(moved) { SE3_advance(q, u, out); }
int size(void) { return (int)sizeof(symlie_real); }
"""


@pytest.mark.slow
@pytest.mark.parametrize(("real", "size"), [("double", 8), ("float", 4)])
def test_kernels_compile_in_other_precisions(real: str, size: int, tmp_path: Path) -> None:
    equations = heavy_top_equations("SE3")
    files = generated_files(equations) | set_files(equations, "newton")
    for name, text in with_headers({**files, "probe.c": PROBE}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run_compiler(tmp_path / "probe.c", tmp_path / "probe.so", (*BASE_FLAGS, f"-DSYMLIE_REAL={real}"))
    library = ctypes.CDLL(str(tmp_path / "probe.so"))
    assert library.size() == size
    kind = np.dtype(real if real == "double" else "float32")
    q = np.array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0, 0], dtype=kind)
    u, out = np.array([0.25, -0.5, 0.125, 1.0, 2.0, 3.0], dtype=kind), np.zeros(12, dtype=kind)
    library.moved(*(x.ctypes.data_as(ctypes.c_void_p) for x in (q, u, out)))
    expected = equations.compile(backend="numpy").kernels.advance(q.astype(float), u.astype(float))
    np.testing.assert_allclose(out, expected, rtol=0, atol=tolerances.ADVANCED * np.finfo(kind).eps)


def test_code_names_no_other_type() -> None:
    """Kernels of models say the type of the contract alone."""
    equations = heavy_top_equations("SE3")
    for files in (generated_files(equations), set_files(equations, "newton")):
        for name, text in files.items():
            assert not name.endswith((".c", ".h")) or " double " not in text, name


def test_targets_compile() -> None:
    assert [(target.real, target.lanes) for target in TARGETS] == [("symlie_real", 1), ("float64", None)]
