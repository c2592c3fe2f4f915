"""Units for model exchange: other programs integrate their states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symlie as sl
from symlie.export.fmu.variables import NOMINAL_SIZE
from symlie.models.registry import build_model
from symlie.runtime.system.system import System
from tests import tolerances
from tests.export.test_c import driven_system
from tests.export.test_fmu import TARGETS, VERSIONS, H, fast_compilation, pendulum_system, table_of
from tests.export.units import simulated, states_of
from tests.runtime.test_nonlinear_velocities import perpendicular, perpendicular_at

fmpy = pytest.importorskip("fmpy", reason="units are tested in FMPy, which is not installed")
sundials = pytest.importorskip("fmpy.sundials")
validation = pytest.importorskip("fmpy.validation")

pytestmark = pytest.mark.export

__all__ = ["fast_compilation"]


def driven_pivot() -> System:
    """A point on a rod, whose other end moves as prescribed."""
    model = sl.Model("driven_pivot")
    pivot, bob = model.node("pivot", "R2"), model.node("bob", "R2")
    model.prescribe(pivot, x=[0.1 * sl.sin(3 * model.t), 0])
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    distance = bob.x - pivot.x
    model.constraint("rod", (distance.dot(distance) - 1) / 2)
    model.initial(bob, x=[0, -1])
    return model.derive().compile(backend="c")


@pytest.mark.parametrize("version", VERSIONS)
def test_exchanged_states_agree_with_solve(version: int, tmp_path: Path) -> None:
    """The solver of FMPy integrates the states; the unit projects them where they drift."""
    system = pendulum_system()
    file = system.export(TARGETS[version], tmp_path / "pendulum.fmu", kind="both", h=H)
    assert validation.validate_fmu(str(file)) == []
    names = states_of(file)
    variables = fmpy.read_model_description(str(file)).modelVariables
    states = {v.name: v.nominal for v in variables if v.nominal is not None}
    assert {name.partition("[")[0] for name in states} == {"bob.x", "bob.x_dot"}
    assert {float(x) for x in states.values()} == {NOMINAL_SIZE}
    units = {v.name.partition("[")[0].rstrip(")"): v.unit for v in variables if "bob" in v.name}
    assert units == {"bob.x": "m", "bob.x_dot": "m/s", "der(bob.x": "m/s", "der(bob.x_dot": "m/s/s"}
    told = {"fmi_type": "ModelExchange", "solver": "CVode", "relative_tolerance": 1e-10, "output_interval": 1e-3}
    rows = fmpy.simulate_fmu(str(file), output=names, stop_time=1.0, **told)
    found = np.array([np.concatenate([np.ravel(x) for x in row]) for row in rows.tolist()])
    solution = sl.solve(system, 1.0, rtol=1e-12, t_eval=[1.0])
    expected = table_of(solution)[-1]
    np.testing.assert_allclose(found[-1, :7], expected[:7], rtol=0, atol=tolerances.EXCHANGED)
    drift = max(abs(float(system.mechanics.constraint(0.0, q)[0])) for q in found[:, 1:4])
    assert drift <= tolerances.EXCHANGED_CONSTRAINTS
    steps = {"stop_time": 0.125, "step_size": H, "output_interval": H}
    np.testing.assert_array_equal(simulated(file, names, **steps), table_of(sl.solve(system, 0.125, h=H)))


def spinning_top(rtol: float, output_interval: float) -> NDArray[np.float64]:
    """Angular velocity of the heavy top after one second, by Euler's equations in unit quaternions and CVode alone."""
    inertia, weight = np.array([15.234375, 0.46875, 15.234375]), 15.0 * 9.81
    y = np.array([1, 0, 0, 0, 0, 150, -4.61538])

    def values(pointer: Any) -> NDArray[np.float64]:
        return np.ctypeslib.as_array(pointer, (7,))

    def rates(pointer: Any, _: int) -> None:
        (a, *u), omega = y[:4] / np.linalg.norm(y[:4]), y[4:]
        down = 2 * np.array([u[0] * u[2] - a * u[1], u[1] * u[2] + a * u[0], (a * a + u[2] ** 2) - 0.5])
        torque = np.cross([0.0, -weight, 0.0], down)
        to = values(pointer)
        to[0] = -np.dot(y[1:4], omega) / 2
        to[1:4] = (y[0] * omega + np.cross(y[1:4], omega)) / 2
        to[4:] = (torque - np.cross(omega, inertia * omega)) / inertia

    def put(pointer: Any, _: int) -> None:
        y[:] = values(pointer)

    def get(pointer: Any, _: int) -> None:
        values(pointer)[:] = y

    def nominal(pointer: Any, _: int) -> None:
        values(pointer)[:] = NOMINAL_SIZE

    class Inputs:
        def apply(self, t: float) -> None:
            """The top has no inputs."""

    solver = sundials.CVodeSolver(
        7, 0, get, put, rates, lambda *_: None, nominal, lambda _: None, Inputs(), 0.0, 0.02, rtol, 10_000
    )
    t = 0.0
    for k in range(1, round(1 / output_interval) + 1):
        t = solver.step(t, k * output_interval)[2]
    return y[4:]


@pytest.mark.parametrize("group", ["S3", "SE3"])
def test_exchanged_states_of_fast_top_have_the_accuracy_of_the_solver(group: str, tmp_path: Path) -> None:
    """The top turns by 150 rad, and errors of steps add up, unless the states rotate with the top: equations without a
    unit have errors of the same size. A third of the tolerance needs a tenth more steps."""
    system = build_model("heavy_top", {"group": group}).derive().compile(backend="c")
    file = system.export("fmu2", tmp_path / "top.fmu", kind="me", h=H)
    names = [v.name for v in fmpy.read_model_description(str(file)).modelVariables if v.name.startswith("top.")]
    told = {"fmi_type": "ModelExchange", "solver": "CVode", "output_interval": 1e-2}
    first = 1 + system.layout.storage
    expected = sl.solve(system, 1.0, method="taylor", rtol=1e-14, t_eval=[1.0])
    own = np.abs(spinning_top(1e-10, 1e-2) - expected.v[-1, :3]).max()
    tolerance = tolerances.EXCHANGED_TURNS * 150
    assert own <= tolerance * 150
    for rtol, within in ((1e-10, tolerance), (3e-11, tolerances.EXCHANGED)):
        rows = fmpy.simulate_fmu(str(file), output=names, stop_time=1.0, relative_tolerance=rtol, **told)
        found = np.array(rows.tolist())
        error = np.abs(found[-1, first : first + 3] - expected.v[-1, :3]).max()
        # Rounding changes the steps of the solver, and thereby its error by a factor of up to three.
        assert error <= min(3 * own, within * 150)
        np.testing.assert_allclose(found[-1, 1:first], expected.q[-1], rtol=0, atol=within)
        constraints = [system.mechanics.constraint(0.0, q) for q in found[:, 1:first]]
        assert np.abs(constraints).max(initial=0) <= tolerances.EXCHANGED_CONSTRAINTS


@pytest.mark.parametrize("version", VERSIONS)
def test_exchanged_states_end_at_terminal_events(version: int, tmp_path: Path) -> None:
    file = driven_system().export(TARGETS[version], tmp_path / "driven.fmu", kind="me")
    assert validation.validate_fmu(str(file)) == []
    told = {"fmi_type": "ModelExchange", "solver": "CVode", "relative_tolerance": 1e-8, "output_interval": 1e-2}
    rows = fmpy.simulate_fmu(str(file), output=["cart.x"], stop_time=8.0, start_values={"push": 0.5}, **told)
    # x = 0.3 t + (0.5/1.5) t²/2 reaches the wall at 1 m.
    end = (-0.3 + np.sqrt(0.09 + 2 / 3)) * 3
    assert abs(rows[-1][0] - end) < 2e-2


def exchanged(file: Path, names: list[str], end: float) -> np.ndarray:
    """States at the end of a simulation by CVode."""
    told = {"fmi_type": "ModelExchange", "solver": "CVode", "relative_tolerance": 1e-10, "output_interval": 1e-2}
    rows = fmpy.simulate_fmu(str(file), output=names, stop_time=end, **told)
    return np.concatenate([np.ravel(x) for x in rows.tolist()[-1][1:]])


@pytest.mark.parametrize("version", VERSIONS)
def test_prescribed_nodes_move_with_exchanged_states(version: int, tmp_path: Path) -> None:
    """They are no states; the unit computes them."""
    system = driven_pivot()
    file = system.export(TARGETS[version], tmp_path / "pivot.fmu", kind="me")
    assert validation.validate_fmu(str(file)) == []
    described = fmpy.read_model_description(str(file))
    rates = [v.name for v in described.modelVariables if v.name.startswith("der(")]
    assert rates and all("bob" in name for name in rates)
    names = [v.name for v in described.modelVariables if v.name.startswith(("pivot.x", "bob.x"))]
    solution = sl.solve(system, 1.0, rtol=1e-12, t_eval=[1.0])
    expected = np.concatenate([x[-1, part] for part in (slice(2), slice(2, 4)) for x in (solution.q, solution.v)])
    np.testing.assert_allclose(exchanged(file, names, 1.0), expected, rtol=0, atol=tolerances.EXCHANGED)


def bouncing(restitution: float) -> System:
    """A ball that falls from 1 m, and whose velocity is reset at each impact."""
    model = sl.Model("ball")
    ball = model.node("ball", "R1")
    model.kinetic_energy(ball.x_dot.dot(ball.x_dot) / 2)
    model.potential_energy(9.81 * ball.x[0])
    model.event("ground", ball.x[0], direction="falling")
    model.reset("ground", ball, x_dot=-restitution * ball.x_dot)
    model.initial(ball, x=[1.0])
    return model.derive().compile(backend="c")


@pytest.mark.parametrize("version", VERSIONS)
def test_exchanged_states_change_at_events(version: int, tmp_path: Path) -> None:
    """A ball that bounces twice in a second."""
    system = bouncing(0.8)
    file = system.export(TARGETS[version], tmp_path / "ball.fmu", kind="me")
    assert validation.validate_fmu(str(file)) == []
    solution = sl.solve(system, 1.5, rtol=1e-12, t_eval=[1.5])
    assert len(solution.events) == 2
    expected = np.concatenate([solution.q[-1], solution.v[-1]])
    np.testing.assert_allclose(
        exchanged(file, ["ball.x", "ball.x_dot"], 1.5), expected, rtol=0, atol=tolerances.EXCHANGED_IMPACTS
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_accumulating_resets_end_exchanged_runs(version: int, tmp_path: Path) -> None:
    """After infinitely many impacts within 1.35 s, the ball would fall through the ground."""
    file = bouncing(0.5).export(TARGETS[version], tmp_path / "ball.fmu", kind="me")
    messages: list[bytes] = []
    told = {"fmi_type": "ModelExchange", "solver": "CVode", "relative_tolerance": 1e-10, "output_interval": 1e-2}
    rows = fmpy.simulate_fmu(
        str(file), output=["ball.x"], stop_time=4.0, logger=lambda *told: messages.append(told[-1]), **told
    )
    end = np.sqrt(2 / 9.81) * (1 + 0.5) / (1 - 0.5)
    last = rows.tolist()[-1]
    assert 0 < end - last[0] <= tolerances.EXCHANGED_REST and abs(np.ravel(last[1])[0]) <= tolerances.EXCHANGED
    assert messages == [b"changes at events accumulate, which ended the run"]


@pytest.mark.parametrize("version", VERSIONS)
def test_constraints_on_accelerations_are_exchanged(version: int, tmp_path: Path) -> None:
    system = perpendicular("c", "acceleration")
    file = system.export(TARGETS[version], tmp_path / "point.fmu", kind="me")
    assert validation.validate_fmu(str(file)) == []
    names = ["a.x", "a.x_dot", "b.x", "b.x_dot"]
    if version == 2:
        names = [f"{name}[{k}]" for name in names for k in (1, 2)]
    end, _ = perpendicular_at(1.0)
    expected = np.concatenate([end[k : k + 2] for k in (0, 4, 2, 6)])
    np.testing.assert_allclose(exchanged(file, names, 1.0), expected, rtol=0, atol=tolerances.EXCHANGED)
