"""States for model exchange that rotate with bodies."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.options import ExportStates
from symlie.rotations import quaternion_product
from symlie.runtime.system.system import System
from tests import tolerances
from tests.export.programs import system_with
from tests.export.test_fmu import TARGETS, VERSIONS, H, fast_compilation, table_of
from tests.export.units import Instance, simulated

fmpy = pytest.importorskip("fmpy", reason="units are tested in FMPy, which is not installed")
fmi1 = pytest.importorskip("fmpy.fmi1")
validation = pytest.importorskip("fmpy.validation")

pytestmark = pytest.mark.export

__all__ = ["fast_compilation"]

STATES_OF_TOPS = {
    "SE3": ("top.corotating.R", "top.x", "top.corotating.Omega", "top.corotating.U"),
    "S3": ("top.corotating.p", "top.corotating.Omega"),
}
"""Continuous states of tops by group."""
SPIN = 150.0
"""Spin of the tops in rad/s."""
EXCHANGE = {"fmi_type": "ModelExchange", "solver": "CVode", "relative_tolerance": 1e-10, "output_interval": 1e-2}


@pytest.fixture(scope="module", autouse=True)
def without_derivatives() -> Iterator[None]:
    """Units without derivatives, which C++ compiles slowly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("symlie.export.fmu.unit.compiles_cpp", lambda: False)
        yield


@pytest.fixture(scope="module")
def tops(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Path]:
    """Units of tops."""
    folder, told = tmp_path_factory.mktemp("tops"), dict[str, Any](h=H, kind="both", states="corotating")
    return {
        (group, v): system_with("heavy_top", group=group).export(TARGETS[v], folder / f"{group}{v}.fmu", **told)
        for group in STATES_OF_TOPS
        for v in VERSIONS
    }


@functools.cache
def rest_and_flight() -> System:
    """A body that falls without rotation, and a mass on a spring."""
    model = sl.Model("rest")
    body, mass = model.node("body", "SE3"), model.node("mass", "R1", unit="m")
    model.kinetic_energy((body.U.dot(body.U) + body.Omega.dot(body.Omega) + mass.x_dot.dot(mass.x_dot)) / 2)
    model.potential_energy(9.81 * body.x[2] + 50 * mass.x[0] ** 2)
    model.initial(mass, x=[1.0])
    return model.derive().compile(backend="c")


@functools.cache
def spinning_ball() -> System:
    """A symmetric body whose velocities, also its spin, are reset at the ground."""
    model = sl.Model("ball")
    ball = model.node("ball", "S3xR3")
    spins = sl.diag([1, 1, 0.5]) * ball.Omega
    model.kinetic_energy((ball.x_dot.dot(ball.x_dot) + spins.dot(ball.Omega)) / 2)
    model.potential_energy(9.81 * ball.x[2])
    model.event("ground", ball.x[2], direction="falling")
    model.reset("ground", ball, x_dot=-0.8 * ball.x_dot, Omega=0.5 * ball.Omega)
    model.initial(ball, x=[0, 0, 1.0], Omega=[0.5, 0, 60.0])
    return model.derive().compile(backend="c")


def exchanging(file: Path, **values: Any) -> Instance:
    """An instance for model exchange in continuous time."""
    one = Instance(file, exchanges=True).begin(**values)
    (one.unit.newDiscreteStates if one.is_second else one.unit.updateDiscreteStates)()
    one.unit.enterContinuousTimeMode()
    return one


def states_of(one: Instance) -> NDArray[np.float64]:
    """Continuous states."""
    size = one.size([v.name for v in one.described.modelVariables if v.nominal is not None])
    values = (fmi1.c_double * size)()
    one.unit.getContinuousStates(values, size)
    return np.array(values)


def put_states(one: Instance, t: float, x: NDArray[np.float64]) -> None:
    """Set continuous states, and then the time, as FMPy does after a step."""
    one.unit.setContinuousStates((fmi1.c_double * x.size)(*x), x.size)
    one.unit.setTime(t)


def rates_of(one: Instance, size: int) -> NDArray[np.float64]:
    """Rates of continuous states."""
    values = (fmi1.c_double * size)()
    (one.unit.getDerivatives if one.is_second else one.unit.getContinuousStateDerivatives)(values, size)
    return np.array(values)


def corotating(group: str, t: float, q: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    """States of a top for its spin about the second axis."""
    W, half = np.array([0, SPIN, 0]), SPIN * t / 2
    turn = Rotation.from_rotvec(t * W)
    vectors = turn.apply(v.reshape(-1, 3))
    vectors[0] -= W
    if group == "SE3":
        return np.concatenate([(q[:9].reshape(3, 3) @ turn.inv().as_matrix()).ravel(), q[9:], vectors.ravel()])
    p = quaternion_product(tuple(q), (np.cos(half), 0.0, -np.sin(half), 0.0))
    return np.array([*p, *vectors.ravel()])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("group", STATES_OF_TOPS)
def test_states_rotate_with_the_spin_of_a_top(tops: dict[tuple[str, int], Path], group: str, version: int) -> None:
    """At states of a run: q and v, and rates, compared with differences of the states over time."""
    system, one = system_with("heavy_top", group=group), exchanging(tops[group, version])
    initial, start = system.initial_state, states_of(one)
    atol = tolerances.COROTATION
    np.testing.assert_allclose(start, corotating(group, 0.0, initial.q, initial.v), rtol=0, atol=atol)
    step, t = 2.0**-10, 0.25
    times = [t + k * step for k in (-2, -1, 0, 1, 2)]
    run = sl.solve(system, times[-1], method="taylor", rtol=1e-14, t_eval=times)
    states = [corotating(group, *point) for point in zip(times, run.q[-5:], run.v[-5:], strict=True)]
    put_states(one, t, states[2])
    np.testing.assert_array_equal(states_of(one), states[2])
    names = [n for n in one.references if n.startswith("top.") and "corotating" not in n]
    np.testing.assert_allclose(one.get(names), np.concatenate([run.q[-3], run.v[-3]]), rtol=0, atol=atol)
    slopes = (8 * (states[3] - states[1]) - (states[4] - states[0])) / (12 * step)
    np.testing.assert_allclose(rates_of(one, start.size), slopes, rtol=0, atol=atol)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("group", STATES_OF_TOPS)
def test_units_are_valid_and_need_few_steps(tops: dict[tuple[str, int], Path], group: str, version: int) -> None:
    """Errors of rotations do not grow with the angle; co-simulation has the bits of `solve`."""
    file, system = tops[group, version], system_with("heavy_top", group=group)
    assert validation.validate_fmu(str(file)) == []
    variables = fmpy.read_model_description(str(file)).modelVariables
    states = {v.name.partition("[")[0] for v in variables if v.nominal is not None}
    assert states == set(STATES_OF_TOPS[group])
    names = exchanged_names(file)
    rows = fmpy.simulate_fmu(str(file), output=names, stop_time=1.0, **EXCHANGE)
    found = np.array([np.concatenate([np.ravel(x) for x in row]) for row in rows.tolist()])
    expected = sl.solve(system, 1.0, method="taylor", rtol=1e-14, t_eval=[1.0])
    size = system.layout.storage
    np.testing.assert_allclose(found[-1, 1 : 1 + size], expected.q[-1], rtol=0, atol=tolerances.EXCHANGED)
    np.testing.assert_allclose(found[-1, 1 + size :], expected.v[-1], rtol=0, atol=tolerances.EXCHANGED)
    drifts = [np.abs(system.mechanics.constraint(0.0, q)).max(initial=0) for q in found[:, 1 : 1 + size]]
    assert max(drifts) <= tolerances.EXCHANGED_CONSTRAINTS
    steps = {"stop_time": 0.125, "step_size": H, "output_interval": H}
    np.testing.assert_array_equal(
        simulated(file, names, **steps), table_of(sl.solve(system, 0.125, h=H))[:, : len(found[0])]
    )


def exchanged_names(file: Path) -> list[str]:
    """Names of configurations and velocities."""
    words = ("configuration ", "velocity ")
    variables = fmpy.read_model_description(str(file)).modelVariables
    return [v.name for word in words for v in variables if v.description.startswith(word)]


@pytest.mark.parametrize("version", VERSIONS)
def test_rotations_are_part_of_stored_states(tops: dict[tuple[str, int], Path], version: int) -> None:
    """Instances with other initial times and parameters are independent."""
    file = tops["SE3", version]
    one, other = exchanging(file), exchanging(file, mass=20.0)
    x, names = states_of(one), exchanged_names(file)
    put_states(one, 0.3, x)
    values, rates, stored = one.get(names), rates_of(one, x.size), one.stored()
    put_states(one, 0.4, x)
    assert np.abs(one.get(names) - values).max() > 1
    one.restore(stored)
    np.testing.assert_array_equal(one.get(names), values)
    np.testing.assert_array_equal(rates_of(one, x.size), rates)
    other.restore(stored)
    np.testing.assert_array_equal(other.get(names), values)
    one.unit.reset()
    if one.is_second:
        one.unit.setupExperiment(startTime=0.3)
        one.unit.enterInitializationMode()
    else:
        one.unit.enterInitializationMode(startTime=0.3)
    one.unit.exitInitializationMode()
    np.testing.assert_array_equal(states_of(one), x)
    one.end()
    other.end()


@pytest.mark.parametrize("version", VERSIONS)
def test_states_without_rotation_are_unchanged(version: int, tmp_path: Path) -> None:
    """Solvers take the same steps."""
    system, ends = rest_and_flight(), []
    for states in get_args(ExportStates):
        file = system.export(TARGETS[version], tmp_path / f"{states}.fmu", kind="me", states=states)
        rows = fmpy.simulate_fmu(str(file), output=exchanged_names(file), stop_time=1.0, **EXCHANGE)
        ends.append(np.concatenate([np.ravel(x) for x in rows.tolist()[-1]]))
    np.testing.assert_array_equal(*ends)


@pytest.mark.parametrize("version", VERSIONS)
def test_events_change_rotating_states(version: int, tmp_path: Path) -> None:
    """A spinning body that is reset twice."""
    system = spinning_ball()
    file = system.export(TARGETS[version], tmp_path / "ball.fmu", kind="me", states="corotating")
    assert validation.validate_fmu(str(file)) == []
    run = sl.solve(system, 1.5, rtol=1e-12, t_eval=[1.5])
    assert len(run.events) == 2
    rows = fmpy.simulate_fmu(str(file), output=exchanged_names(file), stop_time=1.5, **EXCHANGE)
    found = np.concatenate([np.ravel(x) for x in rows.tolist()[-1][1:]])
    expected = np.concatenate([run.q[-1], run.v[-1]])
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerances.EXCHANGED_IMPACTS)


def test_systems_without_rotating_states_are_refused(tmp_path: Path) -> None:
    out: Any = (tmp_path / "top.fmu",)
    top, unknown = system_with("heavy_top", group="SE3"), dict[str, Any](states="spinning")
    with pytest.raises(sl.errors.UnknownNameError, match="Unknown states 'spinning'; use one of: own, corotating"):
        top.export("fmu2", *out, kind="me", **unknown)
    for target, kind in (("fmu3", "cs"), ("c", "me")):
        with pytest.raises(sl.errors.ModelError, match="Only units for model exchange have co-rotating states"):
            top.export(target, *out, kind=kind, states="corotating")
    vectors = system_with("heavy_top", group="SO3rv")
    with pytest.raises(sl.errors.ModelError, match="unit quaternions or matrices; 'heavy_top' has none"):
        vectors.export("fmu2", *out, kind="me", states="corotating")
