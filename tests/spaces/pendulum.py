"""A charged spherical pendulum in a magnetic field, and what tests of spaces share."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from sympy import Symbol

import symlie as sl
from symlie.groups.group import storage_symbols
from symlie.groups.homogeneous import HomogeneousSpace, algebra_map
from symlie.ir.program import Assignment, Program, substitute
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System

REFERENCE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "homogeneous_reference.json").read_text())[
    "cases"
]
"""Reference values; see the file for how they were computed."""

LENGTH, GRAVITY, FIELD = 1.3, 9.81, 0.7
START = {"q": [0.6, 0.0, 0.8], "omega": [0.8, 1.5, -0.6]}


def evaluated(space: HomogeneousSpace, rates: Sequence[Symbol], values: Mapping[Any, float]) -> Array:
    """f of a vector field in numbers; the field is taken to be tangent."""
    program = Program()
    tangent = HomogeneousSpace(
        space.name, space.group, space.storage_fields, space.action, space.origin, space.relations, lift=space.lift
    )
    f = _unchecked_map(tangent, program, rates)
    known = dict(values)
    for statement in program.statements:
        assert isinstance(statement, Assignment)
        known[statement.symbol] = float(substitute(statement.expression, known))
    return np.array([float(substitute(c, known)) for c in f])


def _unchecked_map(space: HomogeneousSpace, program: Program, rates: Sequence[Symbol]) -> Any:
    import symlie.groups.homogeneous as module

    check, module._check_tangent = module._check_tangent, lambda *_: None
    try:
        return algebra_map(space, program, storage_symbols(space), rates)
    finally:
        module._check_tangent = check


def pendulum_model(space: HomogeneousSpace = sl.TS2) -> sl.Model:
    """The pendulum with a magnetic torque along q, so that its paths are curved: not in a plane."""
    model = sl.Model("magnetic_pendulum")
    length, gravity = model.parameter("length", LENGTH, unit="m"), model.parameter("gravity", GRAVITY, unit="m/s^2")
    field = model.parameter("field", FIELD)
    bob = model.node("bob", space)
    q, omega = bob.q, bob.omega
    up = sl.vector(0, 0, 1)
    model.vector_field(bob, q=omega.cross(q), omega=-gravity / length * q.cross(up) + field * q[2] * omega.cross(q))
    model.energy(omega.dot(omega) / 2 + gravity / length * q[2])
    model.output("height", length * q[2], unit="m")
    model.initial(bob, **START)
    return model


@functools.cache
def pendulum(backend: str) -> System:
    """The pendulum, ready to run."""
    return pendulum_model().derive().compile(backend=backend)


@functools.cache
def pendulum_reference(t: float) -> Array:
    """(q, ω) by an integration in the embedding space."""

    def rates(_: float, y: Array) -> Array:
        q, w = y[:3], y[3:]
        pull = -GRAVITY / LENGTH * np.cross(q, [0, 0, 1]) + FIELD * q[2] * np.cross(w, q)
        return np.concatenate([np.cross(w, q), pull])

    start = np.array(START["q"] + START["omega"])
    return np.asarray(solve_ivp(rates, (0, t), start, method="DOP853", rtol=3e-14, atol=1e-15).y[:, -1])
