"""Observed orders of series with steps of one length, over every number of steps that round-off allows."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from symlie.errors import SymlieError
from tests.systems import heavy_top_system

T_END = 0.5
SEEN = (1e-12, 1e-6)
"""Errors between round-off of the run and steps that are too long for the first term that is left out to tell."""

STEPS = np.geomspace(T_END / 640, T_END / 8, 120)
"""Lengths of steps, close to each other: the first term that is left out changes its sign along the motion."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")
@pytest.mark.parametrize("order", [8, 12, 16, 20, 24, 28, 32])
def test_methods_have_their_declared_order(order: int) -> None:
    """The slope of the largest error of v over all steps of a run is the order, within 0.3."""
    system, rows = heavy_top_system("S3"), []
    for h in STEPS.tolist():
        t_end, options = h * round(T_END / h), {"method": "taylor", "method_options": {"order": order}}
        try:
            found = sl.solve(system, t_end, h=h, **options)
        except SymlieError:  # steps beyond the radius of convergence
            continue
        exact = sl.solve(system, t_end, method="taylor", rtol=1e-15, atol=1e-15, t_eval=found.t)
        rows.append((h, np.abs(found.v - exact.v).max() / np.abs(exact.v).max()))
    lengths, error = np.array(rows).T
    seen = (error > SEEN[0]) & (error < SEEN[1])
    assert seen.sum() >= 8
    assert abs(np.polyfit(np.log(lengths[seen]), np.log(error[seen]), 1)[0] - order) <= 0.3
