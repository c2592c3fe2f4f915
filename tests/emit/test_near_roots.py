"""Roots by arithmetic in lanes are as near as lengths of steps take them for."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from symlie.compile.compiler import BASE_FLAGS, run_compiler
from symlie.compile.headers import with_headers
from symlie.contract.constants import LAST_TERMS, MOST_ORDER, NEAR_ROOT
from symlie.runtime.methods.taylor import LEAST_ORDER

PROBE = f"""
#include "real.h"
#define LAST_TERMS {LAST_TERMS}
#include "near_roots.h"
void roots(const double *x, int n, double *r)
{{
    symlie_real all[LAST_TERMS], root[LAST_TERMS];
    for (int i = 0; i < LAST_TERMS; i++)
        for (int l = 0; l < SYMLIE_LANES; l++) all[i][l] = x[i * SYMLIE_LANES + l];
    near_roots(all, n, root);
    for (int i = 0; i < LAST_TERMS; i++)
        for (int l = 0; l < SYMLIE_LANES; l++) r[i * SYMLIE_LANES + l] = root[i][l];
}}
"""


@pytest.mark.parametrize("lanes", [4, 8])
def test_roots_are_approximated_for_all_orders(lanes: int, tmp_path: Path) -> None:
    """For all orders, over the whole range that is taken."""
    for name, text in with_headers({"probe.c": PROBE}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    flags = (*BASE_FLAGS, f"-DSYMLIE_LANES={lanes}", "-Wno-psabi")
    run_compiler(tmp_path / "probe.c", tmp_path / "probe.so", flags)
    library = ctypes.CDLL(str(tmp_path / "probe.so"))
    rng, worst = np.random.default_rng(0), 0.0
    for n in range(LEAST_ORDER, MOST_ORDER + 1):
        orders = (n - np.arange(LAST_TERMS))[:, None]
        exponents = np.concatenate(
            [rng.uniform(-1000, 1000, 300), orders[-1] * rng.uniform(-2, 2, 300), [-1000, 0, 1000]]
        )
        for chosen in np.resize(exponents, (len(exponents) // lanes + 1, lanes)):
            x = np.tile(2.0**chosen, (LAST_TERMS, 1))
            r = np.empty_like(x)
            library.roots(*(a.ctypes.data_as(ctypes.c_void_p) if a is not n else n for a in (x, n, r)))
            worst = max(worst, float(np.abs(r * x ** (1 / orders) - 1).max()))
    # Half of it is for what of the second bound depends on the first one.
    assert worst <= NEAR_ROOT / 2
