"""Functions of generated C in addition to the mathematical library, compared with their definitions."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import flint
import numpy as np
import pytest
from mpmath import mpf

from symlie.compile.compiler import BASE_FLAGS, run_compiler
from symlie.compile.headers import with_headers
from symlie.utilities.paths import template_folder
from tests import evaluation, tolerances

PROBE = """
#include "primitives.h"
void ratios(int n, const double *w, const double *s, double *out)
{
    for (int k = 0; k < n; k++) out[k] = symlie_half_angle_ratio(w[k], s[k]);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder: Path = tmp_path_factory.mktemp("primitives")
    for name, text in with_headers({"probe.c": PROBE}).items():
        (folder / name).write_text(text, encoding="utf-8")
    run_compiler(folder / "probe.c", folder / "probe.so", BASE_FLAGS)
    return ctypes.CDLL(str(folder / "probe.so"))


def test_half_angle_ratio_is_accurate(library: ctypes.CDLL) -> None:
    """On its polynomial, at the end of it, beyond, for p and for -p, and at half a turn."""
    random = np.random.default_rng(1)
    half = np.concatenate(
        [[0.0, 1e-200, 1e-9], random.uniform(0, 0.45, 300), np.linspace(0.42, 0.421, 60), [1.2, 1.57]]
    )
    w, n = np.cos(half), np.sin(half) ** 2
    w[1::2] *= -1
    w, n = np.append(w, [0.0, 0.5, np.nan]), np.append(n, [1.0, 0.0, 0.3])
    out = np.zeros(len(w))
    library.ratios(len(w), *(x.ctypes.data_as(ctypes.c_void_p) for x in (w, n, out)))
    stated = zip(map(float, w[:-1]), map(float, n[:-1]), strict=True)
    expected = [float(evaluation.half_angle_ratio(mpf(a), mpf(b))) for a, b in stated]
    np.testing.assert_allclose(out[:-1], expected, rtol=tolerances.ROUNDING_OF_PRIMITIVES)
    assert np.isnan(out[-1])


def test_half_angle_polynomial_is_accurate() -> None:
    """The bound that the header states: of atan(x)/x = Σ (-z)^k/(2k + 1), z = x² up to 0.2, by ball arithmetic."""
    header = (template_folder() / "c" / "kernels" / "primitives.h").read_text(encoding="utf-8")
    text = header[header.index("symlie_half_angle_ratio(symlie_real w") :]
    low, middle, high = (re.findall(r"-?\d[\d.]+\d", line) for line in text.splitlines()[3:6])
    # Each line has (c3 z + c2) z² + (c1 z + c0).
    q = [float(c) for c3, c2, c1, c0 in (low, middle, high) for c in (c0, c1, c2, c3)]
    terms, parts, end = 40, 64, flint.arb("0.2")
    with flint.ctx.workprec(160):
        series = [flint.arb((-1) ** k) / (2 * k + 1) for k in range(terms)]
        difference = flint.arb_poly([1, *q]) - flint.arb_poly(series)
        tail = end**terms
        for k in range(parts):
            middle_of_part = end * (2 * k + 1) / (2 * parts)
            around = difference(flint.arb_poly([middle_of_part, 1]))
            reached = around(flint.arb(0, float(end) / (2 * parts) * 1.001))
            assert abs(reached) + tail < flint.arb(2) ** -57 * (1 - end / 3)
