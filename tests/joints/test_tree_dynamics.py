"""Sweeps over trees of joints: momentum, M, g, K and C equal derivatives of the energies without the tree."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from mpmath import mpf
from sympy import Symbol

import symlie as sl
from symlie.derive.derived_statement import DerivedStatement, derive_statement
from symlie.derive.dynamics import inverse_dynamics
from symlie.groups.operators import exponential
from symlie.groups.standard import SO2, SO3
from symlie.ir.program import Program
from tests.evaluation import evaluate
from tests.joints.test_minimal_coordinates import KINDS, plane, tree

EQUAL = 1e-28
"""Relative to the size of 1 to 100 of all values; rotation matrices are orthogonal to 40 digits."""


def satellite(group: str) -> sl.Model:
    """A floating body with two attached bodies."""
    model = sl.Model("satellite")
    hull = sl.RigidBody(model, "hull", 5.0, [0.3, 0.4, 0.5], group, position=[0.1, 0, 0], reference=[0.1, 0, 0.2])
    panel = sl.RigidBody(model, "panel", 0.5, [0.02, 0.01, 0.03], "SE3", position=[0.7, 0.1, 0])
    arm = sl.RigidBody(model, "arm", 0.8, [0.02, 0.02, 0.03], position=[-0.4, 0.1, 0])
    sl.RevoluteJoint(model, "hinge", hull, panel, at=[0.4, 0, 0], axis=[0, 1, 0])
    sl.SphericalJoint(model, "ball", arm, hull, at=[-0.3, 0, 0])
    model.gravity([0.5, 0.1, -9.81])
    return model


def drone() -> sl.Model:
    """A floating body in the plane with one attached body."""
    model = sl.Model("drone")
    hull = sl.RigidBody(model, "hull", 2.0, 0.1, "SE2", position=[0.3, 0.2], orientation=0.4)
    load = sl.RigidBody(model, "load", 0.4, 0.02, "SE2", position=[0.5, -0.2], reference=[0.1, 0.05])
    sl.RevoluteJoint(model, "hinge", hull, load, at=[0.4, 0.1])
    model.gravity([0, -9.81])
    return model


MODELS: dict[str, Callable[[], sl.Model]] = {
    **{f"{kind}_{way}": lambda kind=kind, way=way: tree(kind, "SE3", way == "back") for kind in KINDS
       for way in ("forth", "back")},
    **{group: lambda group=group: satellite(group) for group in ("SO3xR3", "S3xR3", "SE3", "S3sR3", "SO3rvxR3")},
    "plane": plane,
    "drone": drone,
}  # fmt: skip
QUICK = ("spherical_back", "universal_back", "planar_forth", "SO3xR3", "S3sR3", "plane", "drone")


def rotated(size: int, random: np.random.Generator) -> list[mpf]:
    """Entries of a random rotation matrix, orthogonal to all digits."""
    group = SO3 if size == 9 else SO2
    theta = [Symbol(f"theta{k}", real=True) for k in range(group.dimension)]
    program = Program()
    stored = program.vector(exponential(program, group, tuple(theta)))
    assert group.rotation is not None
    return evaluate(program, group.rotation(stored), dict(zip(theta, random.uniform(-1, 1, len(theta)), strict=True)))


def state(model: sl.Model, random: np.random.Generator) -> dict[Symbol, object]:
    """Random values of parameters, configurations, velocities and the time; rotations are those to all digits."""
    values: dict[Symbol, object] = {model.time: random.uniform(-1, 1)}
    values |= {angle.before: random.uniform(-1, 1) for angle in model.angles}
    for p in model.parameters:
        is_rotation = "_axes_" in p.name
        numbers = rotated(len(p.symbols), random) if is_rotation else random.uniform(0.5, 1.5, len(p.symbols))
        values |= dict(zip(p.symbols, numbers, strict=True))
        if len(p.symbols) == 9 and not is_rotation:
            values |= {p.symbols[3 * i + k]: values[p.symbols[3 * k + i]] for i in range(3) for k in range(i)}
    for node in model.nodes:
        theta = [Symbol(f"theta{k}", real=True) for k in range(node.group.dimension)]
        program = Program()
        stored = exponential(program, node.lie_group, tuple(theta))
        numbers = dict(zip(theta, random.uniform(-1, 1, len(theta)), strict=True))
        values |= dict(zip(node.value.components, evaluate(program, stored, numbers), strict=True))
        values |= dict(zip(node.velocity.components, random.uniform(-1, 1, len(theta)), strict=True))
    return values


def terms(derived: DerivedStatement, values: dict[Symbol, object], acceleration: Sequence[float]) -> list[mpf]:
    """Momentum, M, g, load, M a + g, K and C at a state."""
    dynamics, newton = derived.dynamics, derived.newton
    symbols = derived.statement.program.fresh("a", len(acceleration))
    expressions = [
        *dynamics.momentum, *(e for row in dynamics.mass for e in row), *dynamics.force, *dynamics.load,
        *inverse_dynamics(derived.statement, dynamics, symbols),
        *(e for matrix in (newton.stiffness, newton.damping) for row in matrix for e in row),
    ]  # fmt: skip
    given = {s: a for names in (symbols, newton.acceleration) for s, a in zip(names, acceleration, strict=False)}
    return evaluate(derived.statement.program, expressions, values | given)


def judge(model: sl.Model) -> None:
    """Both ways give the same terms."""
    minimal = sl.minimal_coordinates(model)
    assert minimal.trees
    whole = copy.copy(minimal)
    whole.trees = []
    random = np.random.default_rng(7)
    values = state(minimal, random)
    acceleration = random.uniform(-1, 1, sum(n.group.dimension for n in minimal.moving_nodes)).tolist()
    by_tree, by_energies = (terms(derive_statement(m), values, acceleration) for m in (minimal, whole))
    assert max(abs(a - b) for a, b in zip(by_tree, by_energies, strict=True)) < EQUAL
    assert sum(abs(a) > 1e-3 for a in by_tree) > len(acceleration)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_terms_equal_derivatives_of_the_energies(name: str) -> None:
    judge(MODELS[name]())


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MODELS if name not in QUICK])
def test_terms_of_all_joint_types_equal_derivatives(name: str) -> None:
    judge(MODELS[name]())


@pytest.mark.slow
def test_additional_energies_are_differentiated() -> None:
    model = tree("revolute", "SE3")
    model.kinetic_energy(0.3 * model.nodes[0].Omega.dot(model.nodes[1].Omega))
    judge(model)
