"""Evaluation of random trees in minimal coordinates, and of closed loops, against Pinocchio."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances

PATH = Path(__file__).parents[1] / "data" / "pinocchio_trees.json"

QUICK = (15,)
"""A small tree, for quick tests."""

JOINTS = {"revolute": sl.RevoluteJoint, "prismatic": sl.PrismaticJoint, "spherical": sl.SphericalJoint}


@functools.cache
def known() -> dict[str, Any]:
    """Trees and values that `tests.joints.pinocchio_trees` has written."""
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def model_of(tree: dict[str, Any]) -> sl.Model:
    """The mechanism with joints named after their bodies, and the frame of the tip as outputs."""
    model = sl.Model("tree")
    bodies: list[sl.RigidBody] = []
    for k, body in enumerate(tree["bodies"]):
        is_floating = body["kind"] == "floating"
        name = f"joint{k}" if is_floating else f"body{k}"
        group = "SE3" if is_floating else "SO3xR3"
        bodies.append(sl.RigidBody(model, name, body["mass"], body["inertia"], group, position=body["center"]))
        if not is_floating:
            parent = bodies[body["parent"]] if body["parent"] >= 0 else model.ground
            axis = {} if body["kind"] == "spherical" else {"axis": body["axis"]}
            JOINTS[body["kind"]](model, f"joint{k}", parent, bodies[-1], at=body["at"], **axis)
    if "point" in tree:
        held = np.subtract(tree["point"], tree["bodies"][-1]["center"]).tolist()
        model.constraint("closure", bodies[-1].point(held) - sl.vector(*tree["point"]))
    arm = np.subtract(tree["tip"], tree["bodies"][-1]["center"]).tolist()
    model.output("tip", bodies[-1].point(arm), unit="m")
    model.output("tip_R", bodies[-1].R)
    model.gravity(known()["gravity"])
    return sl.minimal_coordinates(model)


def order_of(system: System, tree: dict[str, Any]) -> Array:
    """Indices of the velocity components in the order of the bodies; of a floating base velocities come first."""
    found: list[int] = []
    for k in range(len(tree["bodies"])):
        node = system.layout.node(f"joint{k}")
        fields = {f.name: f.part for f in node.type.velocity_fields}
        for name in ("U", "Omega") if "U" in fields else fields:
            found += range(node.velocity.start + fields[name].start, node.velocity.start + fields[name].stop)
    return np.array(found)


def state_of(system: System, tree: dict[str, Any]) -> sl.State:
    """The stored state."""
    fields: dict[str, dict[str, object]] = {}
    for k, (body, q) in enumerate(zip(tree["bodies"], tree["q"], strict=True)):
        turn = Rotation.from_quat(q[-4:]).as_matrix().tolist() if len(q) >= 4 else None
        fields[f"joint{k}"] = {"floating": {"x": q[:3], "R": turn}, "spherical": {"R": turn}}.get(
            body["kind"], {"x": q}
        )
    q = system.state(complete=False, **fields).q
    v = np.zeros(system.layout.dimension)
    v[order_of(system, tree)] = tree["v"]
    return system.state(q, v)


def compare(found: Array, expected: object, tolerance: float) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * (1 + np.abs(expected).max()))


def judge(tree: dict[str, Any], backend: str) -> None:
    """v' by the articulated-body algorithm, forces by Newton and Euler, M, and Jacobians of the tip."""
    system = model_of(tree).derive().compile(backend=backend)
    order = order_of(system, tree)
    one = state_of(system, tree)
    M, g = system.mass_matrix(one), system.bias_force(one)
    compare(M[np.ix_(order, order)], tree["crba"], tolerances.PINOCCHIO)
    a = np.zeros(system.layout.dimension)
    a[order] = tree["a"]
    compare(system.inverse_dynamics(one, a)[order], tree["rnea"], tolerances.PINOCCHIO)
    free, _ = system.acceleration(one)
    torque = np.zeros(system.layout.dimension)
    torque[order] = tree["torque"]
    # v' under torques is that without them plus M⁻¹ τ.
    compare((free + np.linalg.solve(M, torque))[order], tree["aba"], tolerances.PINOCCHIO)
    compare(M @ free + g, 0 * g, tolerances.PINOCCHIO * (1 + np.abs(g).max()))
    for frame in ("space", "body"):
        J = system.output_jacobian(one, ["tip", "tip_R"], frame=frame)
        compare(J[:, order], tree[frame], tolerances.PINOCCHIO)


@pytest.mark.parametrize("number", QUICK)
def test_trees_equal_pinocchio(number: int) -> None:
    judge(known()["trees"][number], "numpy")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(50))
def test_all_trees_equal_pinocchio(number: int) -> None:
    judge(known()["trees"][number], "numpy" if number % 5 else "c")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(10))
def test_closed_loops_equal_constrained_dynamics(number: int) -> None:
    tree = known()["loops"][number]
    system = model_of(tree).derive().compile(backend="numpy" if number % 5 else "c")
    one = state_of(system, tree)
    for residual in (system.constraint(one), system.hidden_constraint_residual(one)):
        assert np.abs(residual).max() < tolerances.PINOCCHIO
    compare(system.acceleration(one)[0][order_of(system, tree)], tree["a"], tolerances.PINOCCHIO_LOOPS)


@pytest.mark.slow
def test_dependent_bodies_of_long_chains() -> None:
    """Accelerations of 26 hinges in both forms, and velocities of the last body by the Jacobian."""
    model, before = sl.Model("long_chain"), None
    for k in range(26):
        place = [0.2 * k + 0.1, 0.02 * (k % 3), 0.01 * k]
        body = sl.RigidBody(model, f"link{k}", 1.0, [0.02, 0.01, 0.015], position=place)
        axis = [[0, 1, 0], [0, 0, 1]][k % 2]
        sl.RevoluteJoint(model, f"joint{k}", before or model.ground, body, at=[0.2 * k, 0, 0], axis=axis)
        before = body
    assert before is not None
    model.gravity([0, 0, -9.81])
    model.output("tip", before.point([0.1, 0, 0]))
    model.output("tip_velocity", before.velocity_of([0.1, 0, 0]))
    minimal = sl.minimal_coordinates(model).derive().compile(backend="numpy")
    assert minimal.layout.has_dependents
    random = np.random.default_rng(2)
    q = minimal.initial_state.q + 0.3 * np.where(
        _stored_hinges(minimal), random.uniform(-1, 1, minimal.layout.storage), 0
    )
    one = minimal.state(q, random.uniform(-1, 1, minimal.layout.dimension))
    found = minimal.outputs(one, ["tip_velocity"])["tip_velocity"]
    np.testing.assert_allclose(minimal.output_jacobian(one, "tip") @ one.v, found, rtol=0, atol=tolerances.PINOCCHIO)
    bodies = model.derive().compile(backend="numpy")
    fields = {
        f"link{k}": {name: one.field(f"link{k}", name) for name in ("R", "x", "Omega", "x_dot")} for k in range(26)
    }
    same = bodies.state(complete=False, **fields)
    assert np.abs(bodies.hidden_constraint_residual(same)).max() < tolerances.PINOCCHIO_LOOPS
    a, b = minimal.acceleration(one)[0], bodies.acceleration(same)[0]
    for name in fields:
        parts = (a[minimal.layout.node(name).velocity], b[bodies.layout.node(name).velocity])
        np.testing.assert_allclose(*parts, rtol=0, atol=tolerances.PINOCCHIO_LOOPS * (1 + np.abs(b).max()))


def _stored_hinges(system: System) -> Array:
    """Mask of the coordinates of hinges."""
    found = np.zeros(system.layout.storage, dtype=bool)
    for node in system.layout.nodes:
        found[node.storage] = node.is_state
    return found
