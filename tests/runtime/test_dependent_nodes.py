"""Implicit methods with dependent nodes: orders, backends, resumed runs, hidden constraints and costs."""

from __future__ import annotations

import functools
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.elements.joints.located_bodies import located_model
from symlie.elements.joints.minimal import joint_tree
from symlie.elements.marker import Body
from symlie.errors import UnsupportedMethodError
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.interruptions import content, interrupted, resumed_in_pieces

T_END = 0.3
STEPS = (30, 60)

ORDERS = {
    "generalized_alpha": 2,
    "generalized_alpha_index2": 2,
    "bdf2": 2,
    "bdf2_increments": 2,
    "bdf2_increments_index2": 2,
    "bdf3_index2": 3,
    "bdf4": 4,
}
"""Methods with their orders."""


def double_pendulum() -> sl.Model:
    """Two bodies on hinges about different axes, with a spring."""
    model, before = sl.Model("double_pendulum"), None
    for k, group in enumerate(("SO3xR3", "SE3")):
        body = sl.RigidBody(model, f"link{k}", 1.0, [0.02, 0.01, 0.015], group, position=[0.2 * k + 0.1, 0, 0])
        axis = [[0, 1, 0], [0, 0.6, 0.8]][k]
        joint = sl.RevoluteJoint(model, f"joint{k}", before or model.ground, body, at=[0.2 * k, 0, 0], axis=axis)
        sl.TorsionSpring(model, f"spring{k}", joint, stiffness=0.5, damping=0.02)
        model.initial(joint, rate=1.0 + k)
        before = body
    model.gravity([0, 0, -9.81])
    return model


def closed_loop(count: int = 4) -> sl.Model:
    """Links on an arc, with hinges at the ground at both ends."""
    model = sl.Model("closed_loop")
    places = [np.zeros(2)]
    for k in range(count):
        angle = math.pi / 2 - (k + 0.5) * math.pi / count
        places.append(places[-1] + 0.4 * np.array([math.cos(angle), math.sin(angle)]))
    bodies: list[Body] = [model.ground]
    for k, (a, b) in enumerate(itertools.pairwise(places)):
        angle = float(np.arctan2(*(b - a)[::-1]))
        bodies.append(sl.RigidBody(model, f"link{k}", 1.0 + k, 0.02, "SE2", position=(a + b) / 2, orientation=angle))
    for k, place in enumerate(places):
        sl.RevoluteJoint(model, f"pin{k}", bodies[k], bodies[(k + 1) % len(bodies)], at=place.tolist())
    model.gravity([0, -9.81])
    return model


MODELS = {"double_pendulum": double_pendulum, "closed_loop": closed_loop}


@functools.cache
def located(name: str, backend: str = "numpy") -> System:
    """A model in minimal coordinates with dependent bodies."""
    model = MODELS[name]()
    return located_model(model, joint_tree(model)).derive().compile(backend=backend)


@functools.cache
def reference(name: str) -> dict[str, Array]:
    """Positions of the bodies and velocities at the end, by a method of order five with bodies and joints."""
    model = MODELS[name]()
    run = sl.solve(model.derive().compile(), T_END, rtol=1e-10, t_eval=[0, T_END])
    return {n.name: run.field(n.name, "x")[-1] for n in model.nodes}


def error(name: str, run: sl.Solution) -> float:
    """Largest error of a position at the end."""
    return max(float(np.abs(run.outputs[f"{body}_x"][-1] - x).max()) for body, x in reference(name).items())


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "method",
    [m if m in ("generalized_alpha_index2", "bdf4") else pytest.param(m, marks=pytest.mark.slow) for m in ORDERS],
)
def test_implicit_methods_converge_with_their_order(name: str, method: str) -> None:
    errors = [error(name, sl.solve(located(name), T_END, h=T_END / n, method=method)) for n in STEPS]
    assert math.log2(errors[0] / errors[1]) >= ORDERS[method] - tolerances.OBSERVED_ORDER


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("method", ["generalized_alpha", "generalized_alpha_index2", "bdf3", "bdf3_index2"])
@pytest.mark.parametrize("newton", ["full", "modified"])
def test_backends_agree(name: str, method: str, newton: str) -> None:
    h = 0.01
    runs = [
        sl.solve(located(name, backend), 10 * h, h=h, method=method, method_options={"newton": newton})
        for backend in ("c", "numpy")
    ]
    # Rates of joints are states.
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=tolerances.IMPLICIT_BACKENDS / h)
    np.testing.assert_allclose(runs[0].v, runs[1].v, rtol=0, atol=tolerances.IMPLICIT_BACKENDS / h)
    size = np.abs(runs[0].multipliers).max()
    np.testing.assert_allclose(
        runs[0].multipliers, runs[1].multipliers, rtol=0, atol=4 * tolerances.IMPLICIT_BACKENDS * size / h**2
    )


@pytest.mark.slow
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize(("method", "newton"), [("generalized_alpha_index2", "modified"), ("bdf3", "full")])
def test_resumed_runs_are_bit_identical(method: str, newton: str, backend: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"method": method, "h": 1 / 128, "method_options": {"newton": newton}}
    system = located("closed_loop", backend)
    expected, path = sl.solve(system, 0.1, **options), tmp_path / "run"
    interrupted(system, 0.1, 3, path, **options)
    assert content(resumed_in_pieces(path, 5)) == content(expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_lanes_have_the_bits_of_single_runs(name: str) -> None:
    system = located(name, "c")
    gravity = next(np.array(p.default) for p in system.layout.manifest.parameters if p.name == "gravity")
    options: dict[str, Any] = {"method": "generalized_alpha_index2", "h": 0.01}
    options["parameters"] = {"gravity": [(k * gravity).tolist() for k in (0.9, 1, 1.1, 1.2)]}
    runs = [sl.ensemble(system, 0.1, lanes=lanes, **options) for lanes in (1, 4)]
    for output in ("link0_x", "link1_Omega"):
        assert np.array_equal(runs[0].arrays[output], runs[1].arrays[output])
    assert np.ptp(runs[0].arrays["link1_x"].reshape(4, -1), axis=0).max() > 1e-3


def test_index_2_satisfies_hidden_constraints_of_loops() -> None:
    accurate = {"newton_rtol": 1e-14, "newton_atol": 1e-13}
    run = sl.solve(located("closed_loop"), 0.1, h=0.01, method="generalized_alpha_index2", method_options=accurate)
    assert run.outputs["constraint_residual"].max() < tolerances.REDUCED
    assert run.outputs["velocity_residual"].max() < tolerances.REDUCED
    assert np.abs(run.outputs["pin1_rate"][-1]).max() > 0.1


def test_newton_converges_quadratically() -> None:
    """Two corrections, of which the second one starts from a residual of the square of the first one."""
    for name in MODELS:
        run = sl.solve(located(name), 0.1, h=0.01, method="generalized_alpha_index2")
        assert run.statistics.newton_iterations <= 3 * run.statistics.steps


@pytest.mark.slow
def test_variable_order_matches_reference() -> None:
    for name in MODELS:
        run = sl.solve(located(name, "c"), T_END, rtol=1e-7, method="bdf")
        assert error(name, run) < 1e-5


def test_index_3_takes_fixed_steps_of_constrained_states_only() -> None:
    with pytest.raises(UnsupportedMethodError, match=r"fixed steps only.*generalized_alpha_index2 or bdf"):
        sl.solve(located("closed_loop"), 0.1, rtol=1e-4, method="generalized_alpha")


@pytest.mark.slow
def test_operations_of_newton_matrices_grow_linearly() -> None:
    counts = []
    for number in (8, 16):
        model, before = sl.Model("chain"), None
        for k in range(number):
            body = sl.RigidBody(model, f"link{k}", 1.0, [0.02, 0.01, 0.015], position=[0.2 * k + 0.1, 0, 0])
            sl.RevoluteJoint(model, f"joint{k}", before or model.ground, body, at=[0.2 * k, 0, 0], axis=[0, 1, 0])
            before = body
        system = located_model(model, joint_tree(model)).derive().compile(backend="numpy")
        counts.append(system.sets.iteration(False, system.mechanics.massless).structure.operations / number)
    assert counts[1] == pytest.approx(counts[0], rel=0.2)
