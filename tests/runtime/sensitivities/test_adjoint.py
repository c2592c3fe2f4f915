"""Gradients by adjoint steps, against forward derivatives and matrices of steps."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symlie as sl
from symlie.errors import ModelError
from symlie.models import pendulum_chain, puma560
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.sensitivities.adjoint_run import AdjointRun
from symlie.runtime.integrate.sensitivities.checkpoints import (
    Checkpoints,
    first_sweep,
    repetitions_of,
    revolve,
    schedule_of,
)
from symlie.runtime.integrate.sensitivities.gradient import FEWEST_REVERSE
from symlie.runtime.integrate.sensitivities.trail import ACROSS, ASIDE, TO_SWITCH, Start, trail_of_run
from symlie.runtime.integrate.sensitivities.variables import variables_of
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.library import method
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.steps.adjoint.transposition import differentiated_arrays
from symlie.runtime.steps.program import Features
from tests import tolerances
from tests.runtime.sensitivities.models import (
    accelerated,
    crane,
    driven_top,
    hinge,
    hung,
    pendulum,
    shaken,
    springs,
    stirred,
    top_with_momenta,
)
from tests.runtime.test_dependent_nodes import located
from tests.systems import chain_model, heavy_top_system, large_model, polar_model

Case = tuple[Callable[[], sl.System], list[str], dict[str, Any]]


@functools.cache
def chain() -> sl.System:
    """Two bodies on different groups, hanging from a pivot that moves."""
    return chain_model().derive().compile(backend="c")


@functools.cache
def polar() -> sl.System:
    """A bead with a mass matrix that depends on the configuration."""
    model = polar_model()
    model.output("radius", model.nodes[0].x[0], unit="m")
    return model.derive().compile(backend="c")


@functools.cache
def large() -> sl.System:
    """Seven bodies in a chain, with topology as run-time data."""
    model = large_model()
    model.output("height", model.nodes[-1].x[2], unit="m")
    return model.derive().compile(backend="c")


@functools.cache
def spheres() -> sl.System:
    """A point that is moved from the left, with a law that is a table of parameters, and a mass on a spring to it."""
    model = sl.Model("spheres")
    mass = model.parameter("mass", 0.7, unit="kg")
    law = model.piecewise_linear("law", [0.0, 0.2, 0.6], [-2.0, 0.1, 1.5], unit="N")
    ball, spin = model.node("ball", "R3"), model.node("spin", sl.S2)
    model.kinetic_energy(mass * ball.x_dot.dot(ball.x_dot) / 2)
    model.potential_energy(2 * (ball.x - spin.q).dot(ball.x - spin.q))
    model.force(sl.vector(law, 0, -9.81 * mass), at=ball.x)
    model.field(spin, [ball.x_dot[0] - spin.q[2], mass * spin.q[0], 1.0 + ball.x[1]])
    model.output("place", spin.q, unit="1")
    model.output("ball", ball.x, unit="m")
    model.initial(ball, x=[0.3, 0.1, -0.2], x_dot=[0.3, 1.0, -0.2])
    model.initial(spin, q=[0.6, 0, 0.8])
    return model.derive().compile(backend="c")


@functools.cache
def light_arm() -> sl.System:
    """Two links, the first of which is a thin rod: M is singular, and the first stage of a step of
    `half_explicit_5` is the last one of the previous step."""
    model = sl.Model("light_arm")
    model.gravity([0, 0, -9.81])
    a = sl.RigidBody(model, "a", 1.0, [0, 0.2, 0.2], position=[0.5, 0, 0])
    b = sl.RigidBody(model, "b", 0.7, [0.1, 0.2, 0.15], position=[1.2, 0, 0.1])
    turn = sl.RevoluteJoint(model, "turn", model.ground, a, at=[0, 0, 0], axis=[0, 0, 1])
    sl.RevoluteJoint(model, "elbow", a, b, at=[1, 0, 0], axis=[0, 1, 0])
    model.initial(turn, rate=1.0)
    return model.derive().compile(backend="c")


@functools.cache
def held() -> sl.System:
    """A constrained point with a force from a table that jumps."""
    model = sl.Model("held")
    m, L = model.parameter("mass", 1.3, unit="kg"), model.parameter("length", 1.0, unit="m")
    force = model.input("force", size=2, unit="N")
    bob = model.node("bob", "R3")
    model.kinetic_energy(m * bob.x_dot.dot(bob.x_dot) / 2)
    model.force(sl.vector(force[0], force[1], -9.81 * m), at=bob.x)
    model.constraint("rod", (bob.x.dot(bob.x) - L**2) / 2)
    model.output("tip", bob.x, unit="m")
    model.initial(bob, x=[0.6 * L, 0, -0.8 * L], x_dot=[0, 1, 0])
    system = model.derive().compile(backend="c")
    return system.with_input("force", [0.0, 0.21, 0.4], [[1.0, 0.3], [-0.5, 0.1], [0.4, 2.0]], "hold")


@functools.cache
def light_rod() -> sl.System:
    """A point mass at the end of a massless rod in a plane, driven by a table: the frame in the mass has no inertia."""
    model = sl.Model("light_rod")
    m, L = model.parameter("mass", 1.3, unit="kg"), model.parameter("length", 1.0, unit="m")
    force = model.input("force", size=2, unit="N")
    rod = model.node("rod", sl.SE2)
    model.kinetic_energy(m * rod.U.dot(rod.U) / 2)
    model.force(sl.vector(force[0], force[1] - 9.81 * m), at=rod.x)
    model.constraint("pivot", rod.x + rod.R @ sl.vector(L, 0))
    model.output("tip", rod.x, unit="m")
    model.initial(rod, p=[-0.6, 0.8], x=[0.6 * L, -0.8 * L], Omega=[1.0])
    system = model.derive().compile(backend="c")
    return system.with_input("force", [0.0, 0.21, 0.5], [[1.0, 0.3], [-0.5, 0.1], [0.4, 2.0]], "linear")


@functools.cache
def switching(at: tuple[float, float]) -> sl.System:
    """A constrained point with a force that ends, and a lag whose law changes, at two times; another force changes with
    the place."""
    model = sl.Model("switching")
    m, L = model.parameter("mass", 1.3, unit="kg"), model.parameter("length", 1.0, unit="m")
    push, times = model.parameter("push", 5.0, unit="N"), model.parameter("times", [0.1, 0.2], unit="s")
    bob, motor = model.node("bob", "R3"), model.state("motor", 1)
    model.kinetic_energy(m * bob.x_dot.dot(bob.x_dot) / 2)
    model.vector_field(motor, [sl.select(model.t - times[1], -2 * push, push * motor.x[0]) - bob.x_dot[0]])
    first, second = sl.select(model.t - times[0], 0, push + motor.x[0]), sl.select(bob.x[1] - 0.3, push, 0)
    model.force(sl.vector(first, second, -9.81 * m), at=bob.x)
    model.constraint("rod", (bob.x.dot(bob.x) - L**2) / 2)
    model.output("tip", bob.x, unit="m")
    model.output("motor", motor.x)
    model.initial(bob, x=[0.6 * L, 0, -0.8 * L], x_dot=[0, 1, 0])
    return model.derive().compile(backend="c").with_parameters(times=list(at))


H = 1 / 64
WITHIN, NEAR_START, NEAR_END = (10.5 * H, 20.6 * H), (10.005 * H, 20.995 * H), (10.995 * H, 20.005 * H)


@functools.cache
def dumbbell() -> sl.System:
    """Two masses on a massless rod, whose angle is a first-order state; the dependent one is on a growing circle."""
    model = sl.Model("dumbbell")
    m, L = model.parameter("masses", [1.5, 0.7], unit="kg"), model.parameter("length", 0.8, unit="m")
    r = model.parameter("radius", 1.0, unit="m")
    a, b, rod = model.node("a", "R2"), model.node("b", "R2"), model.state("rod", 2)
    phi, omega = rod.x
    along, across = sl.vector(sl.cos(phi), sl.sin(phi)), sl.vector(-sl.sin(phi), sl.cos(phi))
    for mass, point in zip(m, (a, b), strict=True):
        model.kinetic_energy(mass * point.x_dot.dot(point.x_dot) / 2)
        model.potential_energy(mass * 9.81 * point.x[1])
    model.dependent(b, x=a.x + L * along)
    apart = b.v_dot - a.v_dot
    model.acceleration_constraint("tension", along.dot(apart) + L * omega**2)
    model.vector_field(rod, [omega, across.dot(apart) / L])
    model.constraint("circle", (b.x.dot(b.x) - (r + 0.2 * (1 - sl.cos(3 * model.t))) ** 2) / 2)
    model.output("end", b.x, unit="m")
    model.output("rate", omega)
    model.initial(a, x=[0.6 * r, -0.8 * r - L], x_dot=[0.8, 0.6])
    model.initial(rod, x=[np.pi / 2, 0])
    return model.derive().compile(backend="c")


@functools.cache
def disk() -> sl.System:
    """A disk that rolls without slip: a constraint on the configuration, and two on the velocities."""
    model = sl.Model("disk")
    m, r = model.parameter("mass", 1.3, unit="kg"), model.parameter("radius", 0.4, unit="m")
    q = model.node("disk", sl.SE3)
    axis = q.R[:, 2]
    slope = sl.vector(axis[0] * axis[2], axis[1] * axis[2], axis[2] ** 2 - 1)
    contact = r * slope / sl.sqrt(slope.dot(slope))
    model.kinetic_energy(m * (q.U.dot(q.U) + r**2 / 4 * q.Omega.dot(sl.diag(1, 1, 2) * q.Omega)) / 2)
    model.potential_energy(9.81 * m * q.x[2])
    model.constraint("contact", (q.x + contact)[2])
    model.nonholonomic_constraint("rolling", (q.R * q.U + (q.R * q.Omega).cross(contact))[:2, :])
    model.output("touching", q.x + contact, unit="m")
    tilt = sl.rotation(axis=[0, 1, 0], angle=1.2)
    model.initial(q, rotation=tilt, x=[0, 0, 0.4 * np.sin(1.2)], Omega=[-2.8, 0.3, 1.0])
    return model.derive().compile(backend="c")


@functools.cache
def links() -> sl.System:
    """Massless rods between bodies on spheres, whose ends are dependent nodes, and the last one of them."""
    model = pendulum_chain.build(links=2)
    end = sl.ElementType("end", node="R3")
    end.output("tip", end.node.x, unit="m")
    points = next(a for a in model.arrays if a.name == "points")
    model.add(end, [points[2]])
    return model.derive().compile(backend="c")


def held_with_kinks() -> sl.System:
    """The constrained point with a force from a linear table."""
    return held().with_input("force", [0.0, 0.21, 0.4], [[1.0, 0.3], [-0.5, 0.1], [0.4, 2.0]], "linear")


def undamped() -> sl.System:
    """A model for substeps that lead back in time."""
    return shaken().with_parameters(damping=0.0)


TOP = ["mass", "inertia", "lever", "gravity"]
MOMENTA = ["mgl", "fixed_point_inertia", "top.momentum"]
MOTION = ["amplitude", "frequency"]

RATTLIE_WITH_MATRIX = method("rattlie").with_options({"newton": "full"})
COMPOSED = method("rattlie").with_options({"compose": "suzuki"})
COMPOSED_MIDPOINT = method("variational_midpoint").with_options({"compose": "triple_jump"})
LATE_STAGE = method("symplectic_theta").with_options({"theta": 0.8})
COMPOSED_THETA = method("symplectic_theta").with_options({"compose": "triple_jump"})
RATTLIE_INDEX_1 = method("rattlie").with_options({"multipliers": "index1"})

CASES: list[Case] = [
    (springs, ["stiffness", "one.m", "first.x"], {"h": 1 / 32, "method": "rkmk_rk44"}),
    (springs, ["stiffness", "one.m", "first.x"], {"rtol": 1e-6, "t_eval": [0.1, 0.33]}),
    (pendulum, ["length", "damping", "bob.x_dot"], {"h": 1 / 64}),
    (pendulum, ["mass", "length", "bob.x"], {"rtol": 1e-6, "stabilize": "baumgarte:10"}),
    (pendulum, ["mass", "length"], {"h": 1 / 64, "method": "index1_dopri5"}),
    (light_arm, ["a.mass", "b.inertia", "gravity"], {"h": 1 / 8}),
    (driven_top, ["inertia", "lag", "torque", "motor.x"], {"rtol": 1e-6}),
    (driven_top, ["inertia", "torque", "body.Omega"], {"h": 1 / 64, "method": "cf4", "t_eval": [0.1, 0.33]}),
    (driven_top, ["lag", "torque"], {"h": 1 / 32, "method": "half_explicit_3", "record_every": 3}),
    (driven_top, ["lag", "torque"], {"h": 1 / 64, "method": "rkmk4_two_commutators"}),
    (held, ["mass", "length", "force"], {"h": 1 / 64, "method": "half_explicit_4"}),
    (held, ["mass", "length", "force"], {"rtol": 1e-5, "method": "half_explicit_5"}),
    (functools.partial(heavy_top_system, "SE3"), TOP, {"h": 1 / 256}),
    (functools.partial(heavy_top_system, "S3"), TOP, {"h": 1 / 256, "method": "cg3"}),
    (chain, ["masses", "inertia", "half_length"], {"h": 1 / 128}),
    (polar, ["mass", "bead.x"], {"h": 1 / 64}),
    (large, ["mass", "body0.Omega"], {"h": 1 / 128, "method": "half_explicit_2"}),
    (spheres, ["mass", "law_values", "ball.x_dot"], {"h": 1 / 32, "method": "rkmk_bs32"}),
    (hinge, ["gravity", "pivot.rate"], {"h": 1 / 64}),
    (disk, ["mass", "disk.Omega"], {"h": 1 / 128}),
    (links, ["gravity"], {"h": 1 / 64, "method": "rkmk_rk44"}),
    (functools.partial(located, "closed_loop", "c"), ["gravity"], {"h": 1 / 64}),
    (springs, ["stiffness", "one.m", "first.x"], {"h": 1 / 64, "method": "generalized_alpha"}),
    (pendulum, ["length", "damping", "bob.x_dot"], {"h": 1 / 64, "method": "generalized_alpha_index2"}),
    (pendulum, ["length", "mass", "bob.x_dot"], {"rtol": 1e-6, "method": "generalized_alpha"}),
    (driven_top, ["inertia", "lag", "torque", "motor.x"], {"h": 1 / 64, "method": "generalized_alpha"}),
    (held, ["mass", "length", "force"], {"h": 1 / 64, "method": "generalized_alpha_index2"}),
    (pendulum, ["mass", "length"], {"h": 1 / 64, "method": "bdf2_increments_index2"}),
    (functools.partial(heavy_top_system, "SE3"), TOP, {"h": 1 / 256, "method": "generalized_alpha"}),
    (disk, ["mass", "disk.Omega"], {"h": 1 / 128, "method": "generalized_alpha_index2"}),
    (large, ["mass", "body0.Omega"], {"h": 1 / 128, "method": "generalized_alpha_index2"}),
    (polar, ["mass", "bead.x"], {"h": 1 / 64, "method": "bdf2_increments"}),
    (springs, ["stiffness", "one.m", "first.x"], {"h": 1 / 32, "method": "bdf1"}),
    (springs, ["stiffness", "one.m", "first.x"], {"rtol": 1e-6, "method": "bdf"}),
    (pendulum, ["length", "damping", "bob.x_dot"], {"h": 1 / 64, "method": "bdf3"}),
    (driven_top, ["inertia", "lag", "torque", "motor.x"], {"h": 1 / 64, "method": "bdf2"}),
    (driven_top, ["inertia", "lag", "torque", "body.Omega"], {"rtol": 1e-6, "method": "bdf", "t_eval": [0.1, 0.33]}),
    (held, ["mass", "length", "force"], {"h": 1 / 64, "method": "bdf2_index2"}),
    (held, ["mass", "length", "force"], {"rtol": 1e-6, "method": "bdf"}),
    (functools.partial(heavy_top_system, "SE3"), TOP, {"h": 1 / 256, "method": "bdf5_index2"}),
    (disk, ["mass", "disk.Omega"], {"h": 1 / 128, "method": "bdf2_index2"}),
    (large, ["mass", "body0.Omega"], {"h": 1 / 128, "method": "bdf3"}),
    (functools.partial(located, "closed_loop", "c"), ["gravity"], {"h": 1 / 64, "method": "bdf2_increments"}),
    (functools.partial(located, "closed_loop", "c"), ["gravity"], {"h": 1 / 64, "method": "bdf2"}),
    (functools.partial(located, "closed_loop", "c"), ["gravity"], {"h": 1 / 64, "method": "generalized_alpha"}),
    (functools.partial(located, "closed_loop", "c"), ["gravity"], {"h": 1 / 64, "method": "bdf2_index2"}),
    (functools.partial(located, "closed_loop", "c"), ["gravity"], {"h": 1 / 64, "method": "generalized_alpha_index2"}),
    (dumbbell, ["masses", "length", "radius"], {"h": 1 / 64, "method": "generalized_alpha_index2"}),
    (dumbbell, ["masses", "length", "radius"], {"h": 1 / 64, "method": "bdf2_increments_index2"}),
    (dumbbell, ["masses", "length", "radius"], {"h": 1 / 64, "method": "bdf4_index2"}),
    (dumbbell, ["masses", "length", "radius"], {"rtol": 1e-6, "method": "bdf"}),
    (light_rod, ["mass", "length", "force"], {"h": 1 / 64, "method": "bdf2"}),
    (light_rod, ["mass", "length", "force"], {"h": 1 / 64, "method": "bdf4_index2"}),
    (driven_top, ["inertia", "lag", "torque", "motor.x"], {"h": 1 / 64, "method": "bdf4"}),
    (held_with_kinks, ["mass", "length", "force"], {"h": 1 / 64, "method": "bdf3"}),
    (held_with_kinks, ["mass", "length", "force"], {"h": 1 / 64, "method": "bdf5_index2"}),
    (functools.partial(switching, WITHIN), ["mass", "length", "push"], {"h": H, "method": "bdf2_index2"}),
    (functools.partial(switching, WITHIN), ["mass", "length", "push"], {"rtol": 1e-6, "method": "bdf"}),
    (
        functools.partial(switching, WITHIN),
        ["mass", "length", "push"],
        {"rtol": 1e-5, "method": "generalized_alpha_index2"},
    ),
    (functools.partial(switching, NEAR_START), ["mass", "length", "push"], {"h": H, "method": "bdf3"}),
    (functools.partial(switching, NEAR_END), ["mass", "length", "push"], {"h": H, "method": "bdf3"}),
    (functools.partial(switching, NEAR_END), ["mass", "push"], {"h": H, "method": "bdf3", "record_every": 3}),
    (links, ["gravity"], {"h": 1 / 64, "method": "bdf2_increments"}),
    (links, ["gravity"], {"h": 1 / 64, "method": "generalized_alpha_index2"}),
    (links, ["gravity"], {"h": 1 / 64, "method": "generalized_alpha"}),
    (springs, ["stiffness", "one.m", "first.x"], {"h": 1 / 32, "method": "rattlie"}),
    (pendulum, ["length", "damping", "bob.x_dot"], {"h": 1 / 64, "method": "rattlie"}),
    (held, ["mass", "length", "force"], {"h": 1 / 64, "method": RATTLIE_WITH_MATRIX, "t_eval": [0.1, 0.33]}),
    (functools.partial(heavy_top_system, "SE3"), TOP, {"h": 1 / 256, "method": "rattlie"}),
    (chain, ["masses", "inertia", "half_length"], {"h": 1 / 128, "method": "rattlie"}),
    (large, ["mass", "body0.Omega"], {"h": 1 / 128, "method": "rattlie"}),
    (polar, ["mass", "bead.x"], {"h": 1 / 64, "method": RATTLIE_INDEX_1}),
    (disk, ["mass", "disk.Omega"], {"h": 1 / 128, "method": "rattlie"}),
    (springs, ["stiffness", "one.m", "first.x"], {"h": 1 / 32, "method": COMPOSED}),
    (held, ["mass", "length", "force"], {"h": 1 / 32, "method": COMPOSED, "t_eval": [0.1, 0.33]}),
    (functools.partial(heavy_top_system, "SE3"), TOP, {"h": 1 / 256, "method": COMPOSED}),
    (large, ["mass", "body0.Omega"], {"h": 1 / 64, "method": COMPOSED}),
    (springs, ["stiffness", "one.m", "first.x"], {"h": 1 / 32, "method": "variational_midpoint"}),
    (pendulum, ["length", "damping", "bob.x_dot"], {"h": 1 / 64, "method": "variational_midpoint"}),
    (held, ["mass", "length", "force"], {"h": 1 / 64, "method": "variational_midpoint", "t_eval": [0.1, 0.33]}),
    (functools.partial(heavy_top_system, "SE3"), TOP, {"h": 1 / 256, "method": "variational_midpoint"}),
    (functools.partial(heavy_top_system, "SE3"), TOP, {"h": 1 / 256, "method": COMPOSED_MIDPOINT}),
    (chain, ["masses", "inertia", "half_length"], {"h": 1 / 128, "method": "variational_midpoint"}),
    (large, ["mass", "body0.Omega"], {"h": 1 / 128, "method": "variational_midpoint"}),
    (top_with_momenta, MOMENTA, {"h": 1 / 64, "method": "symplectic_theta"}),
    (top_with_momenta, MOMENTA, {"h": 1 / 64, "method": LATE_STAGE, "t_eval": [0.1, 0.33]}),
    (functools.partial(top_with_momenta, "quadratic"), MOMENTA, {"h": 1 / 64, "method": COMPOSED_THETA}),
    (stirred, [*MOTION, "lag", "motor.x"], {"rtol": 1e-6}),
    (stirred, [*MOTION, "lag", "body.Omega"], {"h": 1 / 64, "method": "cf4"}),
    (stirred, [*MOTION, "lag", "inertia"], {"h": 1 / 64, "method": "generalized_alpha"}),
    (stirred, [*MOTION, "lag", "inertia"], {"h": 1 / 64, "method": "bdf3"}),
    (shaken, [*MOTION, "length", "force"], {"rtol": 1e-6, "stabilize": "baumgarte:10"}),
    (shaken, [*MOTION, "length", "force"], {"h": 1 / 64, "method": "index1_dopri5"}),
    (shaken, [*MOTION, "length", "damping"], {"h": 1 / 64, "method": "generalized_alpha_index2"}),
    (shaken, [*MOTION, "length", "force"], {"rtol": 1e-6, "method": "bdf"}),
    (shaken, [*MOTION, "mass", "force"], {"h": 1 / 64, "method": "bdf2_increments_index2"}),
    (shaken, [*MOTION, "length", "damping"], {"h": 1 / 64, "method": "rattlie"}),
    (undamped, [*MOTION, "length", "mass"], {"h": 1 / 64, "method": COMPOSED}),
    (hung, [*MOTION, "mass", "inertia"], {"h": 1 / 64}),
    (hung, [*MOTION, "mass", "inertia"], {"h": 1 / 64, "method": "generalized_alpha"}),
    (hung, [*MOTION, "mass", "stiffness"], {"h": 1 / 64, "method": "bdf2_index2"}),
    (hung, [*MOTION, "mass", "stiffness"], {"h": 1 / 64, "method": "rattlie"}),
    (hung, [*MOTION, "mass", "stiffness"], {"h": 1 / 64, "method": RATTLIE_WITH_MATRIX}),
    (hung, [*MOTION, "mass", "stiffness"], {"h": 1 / 64, "method": "variational_midpoint"}),
    (crane, [*MOTION, "mass", "length"], {"h": 1 / 64}),
    (crane, [*MOTION, "mass", "angle.x"], {"h": 1 / 64, "method": "generalized_alpha"}),
    (accelerated, [*MOTION, "mass", "bead.x"], {"h": 1 / 64}),
    (accelerated, [*MOTION, "mass", "bead.x"], {"h": 1 / 64, "method": "generalized_alpha_index2"}),
]


def weighted(solution: sl.Solution) -> Array:
    """Weights of all outputs at the recorded states that depend on the state, the component and the time."""
    size = solution.system.layout.outputs_size
    return np.cos(1.0 + np.arange(len(solution.t) * size)).reshape(len(solution.t), size)


def run_in_reverse(system: sl.System, t_end: float, options: dict[str, Any]) -> AdjointRun:
    """The run of a gradient in reverse."""
    found = AdjointRun.of(system, t_end, RunOptions.of(dict(options)))
    assert found is not None
    return found


def forward_gradient(system: sl.System, t_end: float, names: Sequence[str], options: dict[str, Any]) -> Array:
    """The same gradient from forward derivatives."""
    run = sl.sensitivity(system, t_end, wrt=names, **options)
    weights = weighted(run.solution)
    parts = [np.einsum("nc,nck->k", weights[:, part], run[name]) for name, (part, _) in system.layout.outputs.items()]
    return np.sum(parts, axis=0)


@pytest.mark.parametrize(("build", "names", "options"), CASES)
def test_adjoint_equals_forward_derivatives(
    build: Callable[[], sl.System], names: list[str], options: dict[str, Any]
) -> None:
    check_both_ways(build(), 0.5, names, options)


def check_both_ways(system: sl.System, t_end: float, names: Sequence[str], options: dict[str, Any]) -> None:
    """Compare the gradients of a run in reverse and forward."""
    run = run_in_reverse(system, t_end, options)
    found = run.gradient(variables_of(system, names), weighted(run.solution))
    expected = forward_gradient(system, t_end, names, options)
    assert abs(found - expected).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected).max()


@pytest.mark.parametrize("method", ["bdf1", "bdf2"])
def test_corrections_that_end_in_rounding_are_accepted(method: str) -> None:
    """In a few of many steps, corrections of multipliers fluctuate at 1e-14 of their size."""
    system, options = heavy_top_system("SE3"), {"h": 1e-3, "method": method, "record_every": 0}

    def loss(solution: sl.Solution) -> tuple[float, dict[str, Array]]:
        found = solution.outputs["center_of_mass"]
        return float(found[-1].sum()), {"center_of_mass": np.outer([0, 1], np.ones(3))}

    found = sl.gradient(system, 0.5, loss, wrt=TOP, **options).array
    run = sl.sensitivity(system, 0.5, wrt=TOP, of="center_of_mass", **options)
    expected = run["center_of_mass"][-1].sum(axis=0)
    assert abs(found - expected).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected).max()


@pytest.mark.parametrize("method", ["bdf2", "bdf3"])
def test_multipliers_that_pass_zero_are_accepted(method: str) -> None:
    """Corrections of the only multiplier fluctuate at 2e-11 of its size."""
    options = {"h": 1e-3, "method": method, "record_every": 0}
    check_both_ways(held(), 0.35, ["mass", "length", "force"], options)


def test_light_bodies_between_heavy_ones_do_not_amplify_rounding() -> None:
    """Without refinement of stages, the two gradients of this arm differ by 8e-10 of their size."""
    light = {"a.mass": 1e-3, "a.inertia": np.diag([0, 2e-4, 2e-4]).ravel()}
    check_both_ways(light_arm().with_parameters(**light), 0.25, ["a.mass", "b.inertia", "gravity"], {"h": 1 / 8})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")  # inertia of the first link in the data
def test_adjoint_equals_forward_derivatives_of_a_robot_with_six_bodies() -> None:
    """The Puma 560 with constraints, whose links weigh 0.09 kg to 20 kg; without refinement of stages, 9e-11."""
    system, names = puma560.build(variant="B").derive().compile(backend="c"), ["link2.mass", "link3.inertia", "gravity"]
    check_both_ways(system, 0.1, names, {"h": 1e-3, "method": "half_explicit_5"})


@pytest.mark.parametrize("Omega", [[0.0, 0.0, 0.0], [1e-9, 0.0, 1e-12], [0.0, 3.0, 80.0]])
def test_adjoint_is_exact_for_small_and_large_rotations(Omega: list[float]) -> None:
    system, names = driven_top().with_initial("body", Omega=Omega), ["inertia", "torque", "body.Omega"]
    options = {"h": 1 / 32, "method": "rkmk_rk44"}
    run = run_in_reverse(system, 0.25, options)
    found = run.gradient(variables_of(system, names), weighted(run.solution))
    expected = forward_gradient(system, 0.25, names, options)
    assert abs(found - expected).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected).max()


def test_matrices_pass_on_the_last_stage_if_the_mass_matrix_is_singular(monkeypatch: pytest.MonkeyPatch) -> None:
    names, options = ["a.mass", "b.inertia", "gravity"], {"h": 1 / 8}
    expected = forward_gradient(light_arm(), 0.5, names, options)
    monkeypatch.setattr("symlie.runtime.integrate.sensitivities.forward.has_tangents", lambda system: False)
    found = forward_gradient(light_arm(), 0.5, names, options)
    assert abs(found - expected).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected).max()


def test_adjoint_equals_matrices_of_steps_in_numpy() -> None:
    options: dict[str, Any] = {"h": 1 / 64, "record_every": 5}
    names = ["inertia", "lag", "torque", "motor.x"]
    weights = {name: 2.0 * np.arange(part.stop - part.start) for name, (part, _) in driven_top().layout.outputs.items()}

    def loss(solution: sl.Solution) -> tuple[float, dict[str, Array]]:
        return 0.0, {n: np.tile(w, (len(solution.t), 1)) for n, w in weights.items()}

    compiled = sl.gradient(driven_top("c"), 0.5, loss, wrt=names, **options)
    in_numpy = sl.gradient(driven_top("numpy"), 0.5, loss, wrt=names, **options)
    assert len(compiled.array) >= FEWEST_REVERSE
    difference = abs(compiled.array - in_numpy.array).max()
    assert difference <= tolerances.TWO_FORMS_OF_TANGENTS * abs(in_numpy.array).max()


@pytest.mark.parametrize(
    ("build", "options"),
    [
        (held, {"h": 1 / 64, "record_every": 4}),
        (held, {"rtol": 1e-6, "record_every": 0}),
        (held, {"rtol": 1e-6, "t_eval": [0.0, 0.21, 0.3]}),
        (springs, {"h": 0.3, "t_eval": [0.1, 0.45]}),
        (springs, {"rtol": 1e-6, "record_every": 2, "trace": True}),
        (functools.partial(switching, NEAR_START), {"h": H, "method": "bdf3"}),
        (functools.partial(switching, NEAR_END), {"h": H, "method": "bdf3", "record_every": 3}),
        (functools.partial(switching, NEAR_END), {"rtol": 1e-6, "method": "bdf", "trace": True}),
        (functools.partial(switching, WITHIN), {"rtol": 1e-6, "method": "bdf", "record_every": 0}),
    ],
)
def test_run_of_adjoint_has_the_states_of_solve(build: Callable[[], sl.System], options: dict[str, Any]) -> None:
    system = build()
    found = run_in_reverse(system, 0.5, options).solution
    expected = sl.solve(system, 0.5, **options)
    for name in ("t", "q", "v", "multipliers", "carried"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert found.statistics.steps == expected.statistics.steps
    assert (found.trace is None) == (expected.trace is None)


@pytest.mark.parametrize(
    "options",
    [
        {"h": 1 / 64, "method": "abmk2"},
        {"h": 1 / 64, "method": "ambient_rk4"},
    ],
)
def test_methods_without_adjoint_have_gradients_from_forward_derivatives(options: dict[str, Any]) -> None:
    system, names = springs(), ["stiffness", "one.m", "two.m", "first.x", "second.x"]
    assert AdjointRun.of(system, 0.25, RunOptions.of(dict(options))) is None

    def loss(solution: sl.Solution) -> tuple[float, dict[str, Array]]:
        return 0.0, {"distance": weighted(solution)}

    found, expected = (
        sl.gradient(system, 0.25, loss, wrt=names, **options),
        forward_gradient(system, 0.25, names, options),
    )
    assert abs(found.array - expected).max() <= tolerances.FORWARD_AND_REVERSE * abs(expected).max()


SPACES = (sl.SO3, sl.S3, sl.SE3, sl.S3sR3, sl.SE2, sl.S2)


@functools.cache
def on_space(index: int) -> sl.System:
    """A node on one space, with its operators."""
    model = sl.Model(f"node{index}")
    node = model.node("node", SPACES[index])
    if node.group.velocity_dimension:
        model.kinetic_energy(node.v.dot(node.v) / 2)
    else:
        model.field(node, [1.0, 0.0, 0.0])
    return model.derive().compile(backend="numpy")


@given(
    index=st.integers(0, len(SPACES) - 1), seed=st.integers(0, 2**32 - 1), size=st.sampled_from([0.0, 1e-8, 1.0, 5.0])
)
def test_transposed_operators_are_adjoint_to_operators(index: int, seed: int, size: float) -> None:
    system, random = on_space(index), np.random.default_rng(seed)
    u, w, x = random.standard_normal((3, system.layout.dimension))
    u *= size / np.linalg.norm(u)
    nodes, adjoint, slopes = system.sets.in_numpy, system.sets.nodes("adjoint"), system.sets.nodes("slopes")
    pairs = [
        (x @ nodes.tangent_operator(u, w), w @ adjoint.tangent_transpose(u, x)),
        (x @ nodes.inverse_tangent_operator(u, w), w @ adjoint.inverse_tangent_transpose(u, x)),
        (x @ nodes.bracket(u, w), w @ adjoint.bracket_transpose(u, x)),
        (x @ slopes.inverse_tangent_slope(u, w, w), w @ adjoint.inverse_tangent_gradient(u, w, x)),
    ]
    for forward, reverse in pairs:
        assert abs(forward - reverse) <= tolerances.FORWARD_AND_REVERSE * max(1.0, abs(forward))


@pytest.mark.parametrize("memory", [1e6, 10_000, 3000, 1600])
@pytest.mark.parametrize(
    "options",
    [
        {"h": 1 / 64, "method": "half_explicit_4"},
        {"rtol": 1e-5},
        {"h": 1 / 64, "t_eval": [0.0, 0.21, 0.3]},
        {"h": 1 / 64, "method": "generalized_alpha_index2"},
    ],
)
def test_gradient_from_checkpoints_has_the_bits_of_the_one_from_stored_states(
    memory: float, options: dict[str, Any]
) -> None:
    check_checkpoints(held(), ["mass", "length", "force"], memory, options)


@pytest.mark.parametrize("memory", [20_000, 6000])
@pytest.mark.parametrize(
    "options",
    [{"h": 1 / 64, "method": "bdf3"}, {"rtol": 1e-5, "method": "bdf"}, {"h": 1 / 64, "method": "rattlie"}],
)
def test_checkpoints_contain_the_method_history(memory: float, options: dict[str, Any]) -> None:
    check_checkpoints(held(), ["mass", "length", "force"], memory, options)


@pytest.mark.parametrize("build", [held_with_kinks, light_rod])
def test_checkpoints_contain_the_accelerations_of_starting_steps(build: Callable[[], sl.System]) -> None:
    """Starting steps after a kink begin with those of the step before; with a singular mass matrix, all of them do."""
    check_checkpoints(build(), ["mass", "length", "force"], 8000, {"h": 1 / 64, "method": "bdf4_index2"})


@pytest.mark.parametrize(
    ("at", "kinds"),
    [
        (WITHIN, [TO_SWITCH, ACROSS] * 2),
        (NEAR_START, [ASIDE, ACROSS, TO_SWITCH, ACROSS, ACROSS]),
        (NEAR_END, [TO_SWITCH, ACROSS, ACROSS, ASIDE, ACROSS]),
    ],
)
def test_trails_contain_the_parts_of_steps_at_switches(at: tuple[float, float], kinds: list[int]) -> None:
    run = run_in_reverse(switching(at), 22 * H, {"h": H, "method": "bdf3"}).run
    method = run.method
    assert isinstance(method, ProgrammedMethod)
    found = trail_of_run(run, Start.of(method, run), records_start=True)
    assert found is not None
    parts = found.trail.kind & (TO_SWITCH | ASIDE | ACROSS)
    assert parts[parts > 0].tolist() == kinds


@pytest.mark.parametrize("at", [WITHIN, NEAR_START, NEAR_END])
@pytest.mark.parametrize("options", [{"h": H, "method": "bdf3"}, {"rtol": 1e-6, "method": "bdf"}])
def test_checkpoints_contain_the_states_at_switches(at: tuple[float, float], options: dict[str, Any]) -> None:
    check_checkpoints(switching(at), ["mass", "length", "push", "times"], 10_000, options)


@pytest.mark.parametrize(
    ("build", "names", "options"),
    [
        (shaken, [*MOTION, "mass", "force"], {"rtol": 1e-5}),
        (top_with_momenta, MOMENTA, {"h": 1 / 64, "method": "symplectic_theta"}),
    ],
)
def test_checkpoints_of_prescribed_motions_and_symplectic_steps(
    build: Callable[[], sl.System], names: list[str], options: dict[str, Any]
) -> None:
    check_checkpoints(build(), names, 4000, options)


def check_checkpoints(system: sl.System, names: list[str], memory: float, options: dict[str, Any]) -> None:
    """Compare a gradient from checkpoints with one from stored states."""

    def loss(solution: sl.Solution) -> tuple[float, dict[str, Array]]:
        weights, outputs = weighted(solution), solution.system.layout.outputs
        return 0.0, {
            name: weights[:, part].reshape(solution.outputs[name].shape) for name, (part, _) in outputs.items()
        }

    found = sl.gradient(system, 0.5, loss, wrt=names, memory=memory, **options)
    expected = sl.gradient(system, 0.5, loss, wrt=names, **options)
    assert np.array_equal(found.array, expected.array)
    assert np.array_equal(found.solution.q, expected.solution.q)


def test_arrays_that_serve_initial_guesses_have_no_cotangents() -> None:
    bdf, rattlie = method("bdf3"), method("rattlie")
    assert isinstance(bdf, ProgrammedMethod) and isinstance(rattlie, ProgrammedMethod)
    features = Features(constrained=True)
    first = bdf.start_program(features)
    assert first is not None
    of_bdf = differentiated_arrays([bdf.program(features), first], passes_acceleration=True)
    assert of_bdf == {"element_1", "element_2", "velocity_0", "velocity_1", "velocity_2"}
    of_rattlie = differentiated_arrays([rattlie.program(features)], passes_acceleration=False)
    assert of_rattlie == {"theta", "multipliers", "load"}


@pytest.mark.parametrize(
    ("memory", "sentence"),
    [
        (300, "^memory = 300 bytes are not enough for even one checkpoint of 'held', which needs"),
        (0, "^memory must be a positive number of bytes, not 0"),
        ("1 MB", "^memory must be a positive number of bytes, not '1 MB'"),
        (np.nan, "^memory must be a positive number of bytes, not nan"),
    ],
)
def test_memory_that_is_not_enough_is_refused(memory: Any, sentence: str) -> None:
    def loss(solution: sl.Solution) -> tuple[float, dict[str, Array]]:
        return 0.0, {"tip": weighted(solution)}

    with pytest.raises(ModelError, match=sentence):
        sl.gradient(held(), 0.5, loss, wrt=["mass", "length", "force"], memory=memory, h=1 / 64)


@given(blocks=st.integers(1, 200), checkpoints=st.integers(1, 8))
def test_blocks_are_taken_in_reverse_with_bounded_checkpoints(blocks: int, checkpoints: int) -> None:
    taken, repeated, alive = list[int](), [0] * blocks, weakref.WeakSet[_Position]()

    def advance(state: _Position, count: int) -> _Position:
        for k in range(state.block, state.block + count):
            repeated[k] += 1
        return _Position(state.block + count, alive)

    def take(block: int, state: _Position) -> None:
        # The state of the block in work may be none of the checkpoints.
        assert state.block == block and len(alive) <= checkpoints + 1
        taken.append(block)

    revolve(range(blocks), _Position(0, alive), checkpoints, advance, take)
    assert taken == list(reversed(range(blocks)))
    assert max(repeated) <= repetitions_of(blocks, checkpoints)


@given(blocks=st.integers(1, 200), checkpoints=st.integers(1, 8))
def test_first_sweep_consists_of_the_first_blocks_that_are_reached(blocks: int, checkpoints: int) -> None:
    reached, taken = list[int](), list[int]()

    def advance(block: int, count: int) -> int:
        if not taken:
            reached.append(block + count)
        return block + count

    revolve(range(blocks), 0, checkpoints, advance, lambda block, _: taken.append(block))
    assert first_sweep(blocks, checkpoints) == reached


def test_checkpoints_are_kept_while_the_run_is_integrated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apart from one block at a time, a run with enough memory is integrated once."""
    repeated, advanced = 0, Checkpoints._advanced

    def counted(self: Checkpoints, state: Array, blocks: int) -> Array:
        nonlocal repeated
        before = self._loop.steps
        found = advanced(self, state, blocks)
        repeated += self._loop.steps != before
        return found

    monkeypatch.setattr(Checkpoints, "_advanced", counted)
    run = AdjointRun.of(held(), 0.5, RunOptions.of({"h": 1 / 64, "method": "half_explicit_4"}), memory=10_000)
    assert run is not None
    run.gradient(variables_of(held(), ["mass", "length", "force"]), weighted(run.solution))
    assert repeated == 0


class _Position:
    """State at the start of a block."""

    def __init__(self, block: int, alive: weakref.WeakSet[_Position]) -> None:
        self.block = block
        alive.add(self)


def test_schedule_of_a_million_steps_repeats_each_step_once() -> None:
    found = schedule_of(1_000_000, 1_000_000, 1_000_000, 350, 670, "top")
    assert found.block * 350 + found.checkpoints * 670 <= 1_000_000
    assert repetitions_of(-(-1_000_000 // found.block), found.checkpoints) == 1
