"""Models that many tests share, each derived and compiled once per test run."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

import symlie as sl
from symlie.derive.equations import Equations
from symlie.models import flying_spaghetti, heavy_top
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System

CONSTRAINED = ("SO3xR3", "SE3", "S3xR3", "S3sR3")
"""Groups of the heavy top with its centre of mass as node and the fixed point as a constraint."""

FREE = ("SO3", "S3")
"""Groups of the heavy top with the fixed point as node."""

HEAVY_TOPS = CONSTRAINED + FREE

REFERENCE = Path(__file__).parent / "data" / "heavy_top_reference.json"


@functools.cache
def heavy_top_equations(group: str) -> Equations:
    """The heavy top of the literature on a group."""
    return heavy_top.build(group).derive()


@functools.cache
def heavy_top_system(group: str, backend: str = "c") -> System:
    """The heavy top, ready to run."""
    return heavy_top_equations(group).compile(backend=backend)


@functools.cache
def heavy_top_reference(t: str = "1.0") -> dict[str, Array]:
    """State of the heavy top at a time, rounded from 25 digits: R (9), x, quaternion, Omega, U_body, lambda, ….

    Source: two independent extended-precision integrations that agree to 16 digits; see the file.
    """
    states: dict[str, dict[str, Any]] = json.loads(REFERENCE.read_text())["states"]
    return {name: np.array(value, dtype=float).ravel() for name, value in states[t].items()}


@functools.cache
def swing_system() -> System:
    """A mass on a spring, with an event at each passage of the middle, and a terminal one where it is fast."""
    model = sl.Model("swing")
    q = model.node("bob", "R2")
    stiffness = model.parameter("stiffness", 1.0)
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(stiffness * q.x.dot(q.x) / 2)
    model.initial(q, x=[1, 0], x_dot=[0, 0])
    model.event("middle", q.x[0], terminal=False)
    model.event("fast", q.x_dot[0] - 25)
    return model.derive().compile(backend="c")


def chain_model() -> sl.Model:
    """Two bodies on different groups, hanging from a pivot that moves and joined by a spherical joint."""
    model = sl.Model("chain")
    masses = model.parameter("masses", [2.0, 1.5], unit="kg")
    inertia = model.parameter("inertia", [0.1, 0.2, 0.3], unit="kg m^2")
    gravity = model.parameter("gravity", [0, 0, -9.81], unit="m/s^2")
    half = model.parameter("half_length", 0.5, unit="m")
    upper, lower = model.node("upper", sl.SE3), model.node("lower", sl.S3sR3)
    arm = sl.vector(0, 0, half)
    for k, body in enumerate((upper, lower)):
        spin = body.Omega.dot(sl.diag(inertia) * body.Omega)
        model.kinetic_energy((masses[k] * body.U.dot(body.U) + spin) / 2)
        model.potential_energy(-masses[k] * gravity.dot(body.x))
    model.constraint("pivot", upper.x + upper.R * arm - sl.vector(sl.sin(2 * model.t) / 10, 0, 0))
    model.constraint("joint", upper.x - upper.R * arm - lower.x - lower.R * arm)
    model.output("height", lower.x[2], unit="m")
    model.initial(upper, x=[0, 0, -half], Omega=[1, 0.5, 3])
    model.initial(lower, x=[0, 0, -3 * half], Omega=[0, 2, -1])
    return model


def polar_model() -> sl.Model:
    """A bead in polar coordinates with a mass matrix that depends on the configuration, without constraint."""
    model = sl.Model("polar")
    mass = model.parameter("mass", 2.0, unit="kg")
    q = model.node("bead", "R2")
    r, phi = q.x
    model.kinetic_energy(mass * (q.x_dot[0] ** 2 + r**2 * q.x_dot[1] ** 2) / 2)
    model.potential_energy(-mass * 9.81 * r * sl.cos(phi) + 50 * (r - 1) ** 2)
    model.dissipation(q.x_dot[0] ** 4 / 40)
    model.initial(q, x=[1, 0.5], x_dot=[0.1, 1])
    return model


def large_model() -> sl.Model:
    """Seven bodies of alternating types hanging from each other: too large for tables and eliminations in the text."""
    model = sl.Model("large")
    mass = model.parameter("mass", 1.0, unit="kg")
    arm = sl.vector(0, 0, 0.25)
    end = sl.vector(0, 0, 0)
    for k in range(7):
        body = model.node(f"body{k}", sl.S3sR3 if k % 2 else sl.SE3)
        model.kinetic_energy((mass * body.U.dot(body.U) + body.Omega.dot(body.Omega) / 10) / 2)
        model.potential_energy(9.81 * mass * body.x[2])
        model.constraint(f"joint{k}", body.x + body.R * arm - end)
        end = body.x - body.R * arm
        model.initial(body, x=[0, 0, -0.25 - 0.5 * k], Omega=[1, 0.2 * k, 0.3])
    return model


@functools.cache
def large_equations() -> Equations:
    """`large_model`, derived."""
    return large_model().derive()


@functools.cache
def large_system(backend: str = "c") -> System:
    """`large_model`, ready to run."""
    return large_equations().compile(backend=backend)


@functools.cache
def spaghetti_equations() -> Equations:
    """A short rod with constraints: element types with several elements and individual parameters."""
    return flying_spaghetti.build(segments=3, constraint="kirchhoff").derive()


@functools.cache
def spaghetti_system(backend: str = "c") -> System:
    """The short rod, ready to run."""
    return spaghetti_equations().compile(backend=backend)


@functools.cache
def chain_equations() -> Equations:
    """`chain_model`, derived."""
    return chain_model().derive()


@functools.cache
def chain_system(backend: str = "c") -> System:
    """`chain_model`, ready to run."""
    return chain_equations().compile(backend=backend)


@functools.cache
def polar_equations() -> Equations:
    """`polar_model`, derived."""
    return polar_model().derive()


@functools.cache
def polar_system(backend: str = "c") -> System:
    """`polar_model`, ready to run."""
    return polar_equations().compile(backend=backend)
