"""Size of the equations derived for one segment, and rods of thousands of segments."""

from __future__ import annotations

import numpy as np
import pytest

import symlie as sl
from symlie.derive.equations import Equations
from symlie.models import flying_spaghetti
from tests import tolerances
from tests.rods.problems import spaghetti_system

MOST_OPERATIONS = 5000
"""Of all kernels of a rod segment; a coefficient function counts as one operation."""

CALLS = {"g0", "g1", "half_angle_ratio"}
"""Functions that a segment calls: coefficients of T⁻¹ and of its derivative, and the quaternion logarithm."""


@pytest.mark.parametrize("constraint", ["none", "kirchhoff", "inextensible"])
def test_operations_per_segment_are_bounded(constraint: str) -> None:
    """Energy, force, Φ, B and Z together, without mass matrix, which belongs to the sections."""
    emitted = Equations(flying_spaghetti.build(8, constraint)).emitted
    segment = emitted.types.element_type("rod_segment")
    sizes = {k.signature.name.removeprefix("rod_segment_"): len(k.body.instructions) for k in segment.kernels}
    rows = {"constraint", "jacobian", "curvature"} if constraint != "none" else set()
    assert set(sizes) == {"energy", "force", "prepare_element"} | rows
    assert 500 < sum(sizes.values()) < MOST_OPERATIONS
    operators = {i.operator for k in segment.kernels for i in k.body.instructions}
    assert {o.removeprefix("call ") for o in operators if o.startswith("call ")} <= CALLS | {"g2"}
    assert segment.mass.count == 0


@pytest.mark.slow
@pytest.mark.parametrize("constraint", ["none", "kirchhoff"])
def test_thousands_of_segments_are_supported(constraint: str) -> None:
    """C and NumPy take the same steps with 4096 segments, and the momentum is the impulse of the load."""
    h = 1e-5
    runs = [sl.solve(spaghetti_system(4096, constraint, b), 10 * h, h=h, record_every=0) for b in ("c", "numpy")]
    for a, b in ((runs[0].q, runs[1].q), (runs[0].v, runs[1].v)):
        assert np.abs(a - b).max() < tolerances.ROD_BACKENDS * np.abs(b).max()
    momentum = runs[0].outputs["linear_momentum"][-1]
    impulse = 200 / 2.5 * (10 * h) ** 2 / 2 * np.array([0.1, 0, 0])
    np.testing.assert_allclose(momentum, impulse, atol=1e-6 * impulse[0])
