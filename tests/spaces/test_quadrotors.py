"""Two quadrotors with a suspended mass, free and controlled, against many digits."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy import integrate

import symlie as sl
from symlie.models import quadrotors
from tests.spaces.pendulum import REFERENCE
from tests.tolerances import (
    ATTITUDE_FLOOR,
    BACKENDS_OF_SPACES,
    FLOOR_FACTOR,
    LINEAR_DECAY,
    ORDER,
    QUADRATURE,
    TANGENT,
)

CASES = {"none": "quad_free_T1", "tracking": "quad_ctrl_T1"}


@functools.cache
def system_of(control: str, backend: str = "c") -> sl.System:
    """The two quadrotors, ready to run."""
    return quadrotors.build(control=control).derive().compile(backend=backend)


def error_of(solution: sl.Solution, control: str) -> float:
    """Largest error of a component at the end."""
    final = REFERENCE[CASES[control]]["final"]
    parts = [
        np.abs(solution.field("quadrotors", name)[-1] - np.array(value, dtype=float)) for name, value in final.items()
    ]
    return float(max(part.max() for part in parts))


@pytest.mark.slow
@pytest.mark.parametrize("control", CASES)
def test_quadrotors_match_the_reference(control: str) -> None:
    solution = sl.solve(system_of(control), 1.0, method="rkmk_dopri5", rtol=1e-13, atol=1e-13)
    assert error_of(solution, control) < FLOOR_FACTOR * REFERENCE[CASES[control]]["float64_DOP853_rtol1e-13_error"]
    for i in (1, 2):
        q, omega = solution.field("quadrotors", f"q{i}"), solution.field("quadrotors", f"omega{i}")
        assert np.abs(np.linalg.norm(q, axis=1) - 1).max() < TANGENT
        assert np.abs(np.sum(q * omega, axis=1)).max() < TANGENT


@pytest.mark.slow
@pytest.mark.parametrize("control", CASES)
def test_backends_agree(control: str) -> None:
    compiled, plain = (sl.solve(system_of(control, b), 1.0, method="rkmk_dopri5", h=0.05) for b in ("c", "numpy"))
    assert np.abs(compiled.q - plain.q).max() < BACKENDS_OF_SPACES


@pytest.mark.slow
def test_energy_changes_by_the_power_of_the_thrusts() -> None:
    free = sl.solve(system_of("none"), 1.0, method="rkmk_dopri5", rtol=1e-12, atol=1e-12).outputs["energy"]
    assert abs(free[0] - 3.466341255735351) < 1e-14 * FLOOR_FACTOR and np.ptp(free) < 1e-10
    system = system_of("constant")
    solution = sl.solve(system, 1.0, method="rkmk_dopri5", rtol=1e-12, atol=1e-12)
    work = solution.outputs["energy"].copy()
    for i, length in ((1, 0.6), (2, 0.8)):
        position = solution.outputs["load"] - length * solution.field("quadrotors", f"q{i}")
        work -= position @ np.array([0, 0, -9.5])
    assert np.ptp(work) < 1e-10


@pytest.mark.parametrize("control", ["tracking", pytest.param("full", marks=pytest.mark.slow)])
def test_load_reaches_the_curve(control: str) -> None:
    load = sl.solve(system_of(control), 5.0, method="rkmk_dopri5", rtol=1e-8).outputs["load"][-1]
    assert np.abs(load - [2.5, 0, -0.75]).max() < 6e-5


def slowest(stiffness: float, damping: float, inertia: float) -> float:
    """The root of J s² + k_Ω s + k_R that is nearer to zero."""
    return float(np.roots([inertia, damping, stiffness]).real.max())


@pytest.mark.slow
def test_attitudes_follow_the_desired_thrusts() -> None:
    """Errors decay as J e_Ω' = -k_R e_R - k_Ω e_Ω says, to rounding: nothing else is left of the motion of the goal."""
    solution = sl.solve(system_of("full"), 2.0, method="rkmk_dopri5", h=2.0**-11)
    astray = solution.outputs["attitude_error1"]
    early, late = (np.abs(astray[np.argmin(np.abs(solution.t - t)), :2]) for t in (0.5, 0.75))
    decay = [np.exp(0.25 * slowest(40.0, 4.0, J)) for J in (0.0820, 0.0845)]
    np.testing.assert_allclose(late / early, decay, rtol=LINEAR_DECAY)
    assert np.abs(astray[-1]).max() < ATTITUDE_FLOOR
    for i in (1, 2):
        R = solution.field("quadrotors", f"R{i}").reshape(-1, 3, 3)
        assert np.abs(np.einsum("tji,tjk->tik", R, R) - np.eye(3)).max() < TANGENT * FLOOR_FACTOR


@pytest.mark.slow
def test_thrust_power_equals_the_energy_rate() -> None:
    solution = sl.solve(system_of("full"), 0.25, method="rkmk_dopri5", h=2.0**-11)
    power = np.zeros(len(solution.t))
    for i, length in ((1, 0.6), (2, 0.8)):
        omega, q = (solution.field("quadrotors", f"{name}{i}") for name in ("omega", "q"))
        R, Omega = (solution.field("quadrotors", f"{name}{i}") for name in ("R", "Omega"))
        velocity = solution.field("quadrotors", "v") - length * np.cross(omega, q)
        force = -solution.outputs[f"thrust{i}"][:, None] * R.reshape(-1, 3, 3)[:, :, 2]
        power += np.sum(force * velocity, axis=1) + np.sum(Omega * solution.outputs[f"moment{i}"], axis=1)
    energy = solution.outputs["energy"]
    assert abs(energy[-1] - energy[0] - integrate.simpson(power, x=solution.t)) < QUADRATURE * np.ptp(energy)


@pytest.mark.slow
def test_both_backends_agree_with_attitudes() -> None:
    compiled, plain = (sl.solve(system_of("full", b), 0.25, method="rkmk_dopri5", h=0.0125) for b in ("c", "numpy"))
    assert np.abs(compiled.q - plain.q).max() < BACKENDS_OF_SPACES


@pytest.mark.slow
@pytest.mark.parametrize(("method", "order"), [("rkmk_rk44", 4), ("rkmk_dopri5", 5), ("cf4", 4), ("cg4", 4)])
def test_quadrotors_have_the_declared_orders(method: str, order: int) -> None:
    errors = [error_of(sl.solve(system_of("none"), 1.0, method=method, h=1 / n), "none") for n in (40, 80)]
    assert np.log2(errors[0] / errors[1]) > order - ORDER
