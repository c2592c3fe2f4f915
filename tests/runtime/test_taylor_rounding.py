"""Taylor series with tolerances near rounding: remaining errors, steps and work."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.models import flying_spaghetti, heavy_top, pendulum_chain, slider_crank
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import heavy_top_reference, heavy_top_system

LEAST: dict[str, Any] = {"rtol": 2.3e-16, "atol": 2.3e-16}
"""The least tolerances that a run takes, in two digits."""


def error_of_top(found: sl.Solution) -> float:
    """The largest error of the rotation of the fast top after a second."""
    return float(np.abs(found.outputs["rotation"][-1] - heavy_top_reference("1.0")["R"]).max())


@pytest.mark.parametrize("group", ["S3", "S3xR3", "SE3"])
def test_accuracy_reaches_round_off(group: str) -> None:
    """In twice the work at most that an error of 1e-10 takes, of which each step has an evaluation for each order.

    The rounding of eighty steps is a sum by chance, so runs with other steps tell more than one does.
    """
    system = heavy_top_system(group)
    loose = sl.solve(system, 1.0, method="taylor", rtol=5e-11, atol=5e-11)
    runs = [sl.solve(system, 1.0, method="taylor", rtol=t, atol=t) for t in LEAST["rtol"] * 1.06 ** np.arange(15)]
    errors = [error_of_top(found) for found in runs]
    assert min(errors) <= tolerances.ROUNDED_SERIES
    assert np.median(errors) <= tolerances.ROUNDED_SERIES_MEDIAN
    assert error_of_top(loose) <= 1e-10
    assert all(found.statistics.rhs_evaluations <= 2 * loose.statistics.rhs_evaluations for found in runs)


def test_constraints_in_spatial_axes_are_supported() -> None:
    system = heavy_top.build("S3xR3", constraint_frame="space").derive().compile()
    assert error_of_top(sl.solve(system, 1.0, method="taylor", **LEAST)) <= tolerances.ROUNDED_SERIES


def test_equal_steps_sum_to_the_time() -> None:
    """1/80 is no double: eighty times its rounding, times 150 rad/s, would be four times what is allowed here."""
    found = sl.solve(heavy_top_system("S3"), 1.0, method="taylor", method_options={"order": 26}, h=1 / 80)
    assert error_of_top(found) <= tolerances.ROUNDED_SERIES


MODELS: dict[str, Any] = {
    "pendulums": lambda: pendulum_chain.build(links=3),
    "momenta": lambda: heavy_top.build(formulation="TSO3"),
    "crank": slider_crank.build,
    "rod without extension": lambda: flying_spaghetti.build(segments=3, constraint="inextensible"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_round_off_rejects_no_step(name: str) -> None:
    """Velocities that pass zero with absolute tolerances below their rounding, and both backends."""
    equations = MODELS[name]().derive()
    runs = [
        sl.solve(equations.compile(backend=backend), 0.1, method="taylor", rtol=rtol)
        for backend in ("c", "numpy")
        for rtol in (1e-12, 2.3e-16)
    ]
    assert all(found.statistics.rejected <= 1 for found in runs)
    assert runs[1].statistics.steps <= 1.6 * runs[0].statistics.steps
    assert runs[1].statistics.steps == runs[3].statistics.steps
    assert np.abs(runs[1].q[-1] - runs[3].q[-1]).max() <= tolerances.BACKENDS


def steep(backend: str) -> System:
    """A velocity that turns within a hundredth of a second: series have a pole 0.0157 s beside the time axis."""
    model = sl.Model("steep")
    q = model.node("bead", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(-q.x[0] * sl.tanh((model.t - 0.5) / 0.01))
    model.initial(q, x=[0], x_dot=[0])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_poles_are_not_mistaken_for_round_off(backend: str) -> None:
    """Steps towards a pole that their terms do not show yet are rejected, with many digits as well."""
    found = sl.solve(steep(backend), 1.2, method="taylor", rtol=1e-14, atol=1e-14)
    expected = 0.01 * (math.log(math.cosh(70)) - math.log(math.cosh(50)))
    assert abs(found.v[-1, 0] - expected) <= tolerances.PASSED_POLE
    assert found.statistics.rejected > 0
