"""The pendulum of the README and of the page on running, compared with its known motion."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances
from tests.docs.judging import close, order
from tests.docs.pages import Session

pytest.importorskip("matplotlib")
pytest.importorskip("netCDF4")
pytest.importorskip("mujoco")

ARM = "docs/gallery/mechanisms/seven_axis_arm.urdf"
SESSION = Session("README.md", "docs/running.md", given={"arm.urdf": ARM})


@functools.cache
def pendulum(backend: str = "c") -> System:
    """A point on a sphere."""
    system: System = SESSION.after("symlie")["pendulum"].derive().compile(backend=backend)
    return system


def spin(solution: Solution) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Angular momentum about the vertical over the mass, in m²/s."""
    x, x_dot = solution.field("bob", "x"), solution.field("bob", "x_dot")
    return x[:, 0] * x_dot[:, 1] - x[:, 1] * x_dot[:, 0]


def test_code_blocks_run() -> None:
    """State, derive, compile, run, and all that is shown of running."""
    names = SESSION.run()
    assert SESSION.files == {
        "pendulum.png", "pendulum.html", "histories.png", "steps.png", "pendulum.nc", "orders.png", "measured.csv",
        "arm.urdf", "arm.html",
    }  # fmt: skip
    assert len(SESSION.printed.splitlines()) == 8
    assert "length 1.1 ±" in SESSION.printed
    # The weight needs the torque 2 · 9.81 · 0.3 · cos(1) N m, of which 3.18 N m are given.
    np.testing.assert_allclose(
        names["controlled"].q[-1], 1 + (3.18 - 5.886 * math.cos(1)) / 60, atol=tolerances.CONTROLLED
    )
    np.testing.assert_allclose(names["held"].q[-1], 0.5, atol=tolerances.CONTROLLED)
    accurate = names["accurate"]
    lowest = [event.t for event in names["passages"].events]
    exact = sl.solve(names["passages"].system, 10, rtol=1e-10, atol=1e-12)
    assert len(lowest) == 10
    np.testing.assert_allclose(lowest, [event.t for event in exact.events], atol=tolerances.PAGE_EVENT)
    assert np.ptp(accurate.outputs["energy"]) < tolerances.PAGE_DRIFT
    assert names["kept"].statistics.max_constraint_residual <= tolerances.PROJECTED
    assert names["further"].t[0] == 10.0
    assert names["reported"].t.tolist() == [2.5, 5.0, 10.0]
    assert np.linalg.norm(names["middle"].field("bob", "x")) == pytest.approx(1.0)
    touch, pull = names["coupled"].events
    assert (touch.name, touch.t, pull.name) == ("touch", pytest.approx(0.5), "pull")
    assert names["coupled"].impulses(touch)["coupling"] == pytest.approx([-2.4])


@pytest.mark.parametrize("name", ["half_explicit_2", "half_explicit_3", "half_explicit_4", "half_explicit_5"])
def test_energy_converges(name: str) -> None:
    """Energy and vertical angular momentum are invariants; their errors have the order of the method."""
    expected = int(name[-1])
    energies, spins = [], []
    for k in (4, 5, 6) if expected > 3 else (6, 7, 8):
        solution = sl.solve(pendulum(), 2.0, method=name, h=2.0**-k)
        energies.append(float(np.abs(solution.outputs["energy"] - solution.outputs["energy"][0]).max()))
        spins.append(float(np.abs(spin(solution) - 0.6).max()))
    assert order(energies) >= expected - tolerances.ENERGY_ORDER
    assert order(spins) >= expected - tolerances.ENERGY_ORDER
    assert energies[-1] < 1e-2


def test_errors_decrease_with_the_step_size() -> None:
    solution = sl.solve(pendulum(), 10.0, h=1e-3)
    energy = solution.outputs["energy"]
    assert energy[0] == pytest.approx(0.5 - 9.81 * 0.8, rel=tolerances.LIBRARY)
    assert float(np.ptp(energy)) <= tolerances.ENERGY
    assert float(np.abs(spin(solution) - 0.6).max()) <= tolerances.ENERGY
    assert solution.statistics.max_constraint_residual <= tolerances.DRIFT_OF_ROUNDING
    assert float(np.ptp(solution.field("bob", "x")[:, 2])) > 0.1  # it swings


def test_conical_pendulum_matches_the_closed_form() -> None:
    """A steady circle: ω² = g/(L cos α), λ = tension over length."""
    cosine, sine, g = 0.8, 0.6, 9.81
    rate = math.sqrt(g / cosine)
    system = pendulum().with_initial("bob", x=[sine, 0, -cosine], x_dot=[0, sine * rate, 0])
    solution = sl.solve(system, 2 * math.pi / rate, h=2e-3, t_eval=[2 * math.pi / rate])
    x = solution.field("bob", "x")[-1]
    assert np.abs(x - [sine, 0, -cosine]).max() <= tolerances.ENERGY
    assert solution.multipliers[-1, 0] == pytest.approx(g / cosine, rel=tolerances.ENERGY)


def test_backends_agree() -> None:
    close(*(sl.solve(pendulum(backend), 0.1, method="half_explicit_5", h=0.01) for backend in ("c", "numpy")))
