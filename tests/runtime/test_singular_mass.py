"""Mass matrices that are regular on the constraints alone: massless rods, Euler parameters, links without inertia."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, SingularMassMatrixError, SingularSystemError
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.elimination import KINDS
from symlie.runtime.linear.saddle import SaddleAlgebra
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.library import method
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances

BACKENDS = ("c", "numpy")
GRAVITY = 9.81
END = 0.5
X, V = np.array([0.6, 0.0, -0.8]), np.array([0.4, 1.0, 0.3])


def frame(x: Array) -> Array:
    """A rotation whose third axis leads from a mass on the unit sphere back to the centre."""
    first = np.cross(-x, [0, 1, 0])
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(-x, first), -x])


@functools.cache
def rod(backend: str, *, spins: bool = False) -> System:
    """A point mass at the end of a massless rod: a frame in the mass, without inertia."""
    model = sl.Model("rod")
    q = model.node("rod", "SE3")
    model.kinetic_energy(q.U.dot(q.U) / 2)
    model.potential_energy(GRAVITY * q.x[2])
    model.constraint("pivot", q.R.T @ q.x + sl.vector(0, 0, 1))
    if not spins:
        model.nonholonomic_constraint("no_spin", q.Omega[2])
    model.event("lowest", q.x[2] + 0.9, terminal=False)
    R, turn = frame(X), np.cross(X, V)
    omega = R.T @ turn * [1, 1, 0]
    model.initial(q, R=R.tolist(), x=X.tolist(), U=(R.T @ V).tolist(), Omega=omega.tolist())
    return model.derive().compile(backend=backend)


@functools.cache
def planar_rod(backend: str) -> System:
    """The same in a plane."""
    model = sl.Model("planar_rod")
    q = model.node("rod", "SE2")
    model.kinetic_energy(q.U.dot(q.U) / 2)
    model.potential_energy(GRAVITY * q.x[1])
    model.constraint("pivot", q.x + q.R @ sl.vector(1, 0))
    model.initial(q, p=[-0.6, 0.8], x=[0.6, -0.8])
    return model.derive().compile(backend=backend)


@functools.cache
def point(dimension: int) -> System:
    """The same mass at a distance of one, with a regular mass matrix."""
    model = sl.Model("point")
    q = model.node("rod", f"R{dimension}")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(GRAVITY * q.x[dimension - 1])
    model.constraint("length", (q.x.dot(q.x) - 1) / 2)
    model.initial(q, x=X.tolist() if dimension == 3 else [0.6, -0.8], x_dot=V.tolist() if dimension == 3 else [0, 0])
    return model.derive().compile()


def turned(e: Any) -> Any:
    """The third row of the rotation matrix of Euler parameters."""
    return [
        2 * (e[1] * e[3] - e[0] * e[2]),
        2 * (e[2] * e[3] + e[0] * e[1]),
        e[0] ** 2 - e[1] ** 2 - e[2] ** 2 + e[3] ** 2,
    ]


INERTIA, OMEGA = (1.0, 2.0, 2.5), np.array([0.3, 2.0, -1.0])


@functools.cache
def euler_parameters(backend: str) -> System:
    """A rigid body in four Euler parameters, whose kinetic energy does not see their length."""
    model = sl.Model("euler_parameters")
    q = model.node("body", "R4")
    e, d = q.x, q.x_dot
    omega = [
        2 * (e[0] * d[1] - e[1] * d[0] + e[3] * d[2] - e[2] * d[3]),
        2 * (e[0] * d[2] - e[2] * d[0] + e[1] * d[3] - e[3] * d[1]),
        2 * (e[0] * d[3] - e[3] * d[0] + e[2] * d[1] - e[1] * d[2]),
    ]
    model.kinetic_energy(sum(j * w**2 for j, w in zip(INERTIA, omega, strict=True)) / 2)
    _, across, along = turned(e)
    model.potential_energy(5 * along + 2 * across)
    model.constraint("length", e.dot(e) - 1)
    model.initial(q, x=[1, 0, 0, 0], x_dot=[0, *(OMEGA / 2)])
    return model.derive().compile(backend=backend)


@functools.cache
def body() -> System:
    """The same body on SO(3)."""
    model = sl.Model("body")
    q = model.node("body", "SO3")
    model.kinetic_energy(sum(j * q.Omega[k] ** 2 for k, j in enumerate(INERTIA)) / 2)
    model.potential_energy(5 * q.R[2, 2] + 2 * q.R[2, 1])
    model.initial(q, Omega=OMEGA.tolist())
    return model.derive().compile()


@functools.cache
def expected(case: str) -> Array:
    """x, its velocity and the force in the rod at the end, or the third row of the rotation matrix."""
    if case == "euler_parameters":
        return sl.solve(body(), END, h=1 / 1024, method="rkmk_dopri5").field("body", "R")[-1, 2]
    solution = sl.solve(point(2 if case == "planar_rod" else 3), END, h=1 / 1024, method="half_explicit_5")
    return np.concatenate([solution.q[-1], solution.v[-1], solution.multipliers[-1]])


CASES = {"rod": rod, "planar_rod": planar_rod, "euler_parameters": euler_parameters}


def found(case: str, solution: Solution) -> Array:
    """The same, of a statement with a singular mass matrix."""
    if case == "euler_parameters":
        return np.array(turned(solution.q[-1]))
    x, u = solution.field("rod", "x")[-1], solution.field("rod", "U")[-1]
    if case == "rod":
        u = solution.field("rod", "R")[-1] @ u
    else:
        cos, sin = solution.field("rod", "p")[-1]
        u = np.array([[cos, -sin], [sin, cos]]) @ u
    return np.concatenate([x, u, [np.linalg.norm(solution.named_multipliers()["pivot"][-1])]])


ORDERS = [
    ("rod", "half_explicit_5", (5, 5, 5)),
    ("rod", "generalized_alpha", (2, 2, 2)),
    ("euler_parameters", "half_explicit_5", (5, 5, 5)),
    *(
        pytest.param(*case, marks=pytest.mark.slow)
        for case in (
            ("rod", "half_explicit_3", (3, 3, 2)),
            ("rod", "half_explicit_4", (4, 4, 4)),
            ("planar_rod", "generalized_alpha_index2", (2, 2, 2)),
            ("planar_rod", "half_explicit_4", (4, 4, 3)),
            ("euler_parameters", "generalized_alpha", (2, 2, 2)),
        )
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("case", "name", "orders"), ORDERS)
def test_methods_have_their_declared_order(case: str, name: str, orders: tuple[int, int, int]) -> None:
    """Of q, v and λ, against the same motion with a regular mass matrix."""
    steps = (32, 64) if name == "half_explicit_5" else (128, 256)
    exact = expected(case)
    errors = [np.abs(found(case, sl.solve(CASES[case]("c"), END, h=1 / n, method=name)) - exact) for n in steps]
    n = len(exact) // 2
    for part, order in zip((slice(0, n), slice(n, 2 * n), slice(2 * n, None)), orders, strict=True):
        coarse, fine = (float(e[part].max(initial=0)) for e in errors)
        if coarse:
            assert math.log2(coarse / fine) > order - tolerances.ORDER


@pytest.mark.parametrize(
    "name",
    [
        "half_explicit_2",
        "half_explicit_5",
        "index1_dopri5",
        pytest.param("generalized_alpha_index2", marks=pytest.mark.slow),
    ],
)
def test_backends_agree(name: str) -> None:
    solutions = [sl.solve(rod(backend), 0.1, h=0.01, method=name) for backend in BACKENDS]
    for part in ("q", "v", "multipliers"):
        np.testing.assert_allclose(*(getattr(s, part) for s in solutions), rtol=0, atol=tolerances.BACKENDS)
    c, python = (s([0.013, 0.095]) for s in solutions)
    np.testing.assert_allclose(c.q, python.q, rtol=0, atol=tolerances.BACKENDS)


@pytest.mark.parametrize("name", ["half_explicit_5", pytest.param("generalized_alpha", marks=pytest.mark.slow)])
def test_rejected_steps_and_events_are_supported(name: str) -> None:
    """First steps that are far too long, and an event between steps: the motion equals the motion of the point."""
    system = rod("c")
    options: dict[str, Any] = {"rtol": 1e-4 if name == "generalized_alpha" else 1e-8, "method": name}
    solution = sl.solve(system, END, h0=0.4, **options)
    assert solution.statistics.rejected > 0
    assert np.abs(found("rod", solution) - expected("rod")).max() <= 300 * options["rtol"]
    (event,) = solution.events
    assert abs(event.q[-1] + 0.9) <= 300 * options["rtol"]
    continued = sl.solve(system, END, start=sl.solve(system, END / 2, **options), **options)
    assert np.abs(found("rod", continued) - expected("rod")).max() <= 300 * options["rtol"]


@pytest.mark.parametrize("stabilize", ["projection+velocity", "baumgarte:2"])
def test_stabilised_steps_are_accurate(stabilize: str) -> None:
    solution = sl.solve(rod("c"), END, h=1 / 64, method="half_explicit_5", stabilize=stabilize)
    assert np.abs(found("rod", solution) - expected("rod")).max() <= tolerances.SADDLES_AFTER_STEPS


@pytest.mark.parametrize("backend", BACKENDS)
def test_singular_masses_between_coordinates_are_found_at_the_start(backend: str) -> None:
    """The kinetic energy has two squares of three velocities, each of which has a mass."""
    model = sl.Model("two_squares")
    q = model.node("q", "R3")
    u, v, w = q.x_dot
    model.kinetic_energy(((u + 3 * v + 7 * w) ** 2 + (3 * u - v) ** 2) / 20)
    model.potential_energy(q.x.dot(q.x))
    system = model.derive().compile(backend=backend)
    with pytest.raises(SingularMassMatrixError, match="no constraint fixes it"):
        sl.solve(system, 0.1, h=0.05)


def hanging(count: int, *, branches: int = 1) -> sl.Model:
    """Massless links in a plane that hang below each other, each with a point mass at its end; or a tree of them."""
    model = sl.Model("hanging")
    links = model.node_array("links", "SE2", count)
    bob = sl.ElementType("bob", link="SE2")
    bob.kinetic_energy(bob.link.U.dot(bob.link.U) / 2)
    bob.potential_energy(GRAVITY * bob.link.x[1])
    model.add(bob, [links[k] for k in range(count)])
    top = sl.ElementType("top", link="SE2")
    top.constraint("pivot", top.link.x + top.link.R @ sl.vector(1, 0))
    model.add(top, [links[0]])
    joint = sl.ElementType("joint", upper="SE2", lower="SE2")
    joint.constraint("joint", joint.lower.x + joint.lower.R @ sl.vector(1, 0) - joint.upper.x)
    model.add(joint, [(links[(k - 1) // branches], links[k]) for k in range(1, count)])
    slopes = 0.3 + 0.1 * np.cos(np.arange(count))
    along = np.column_stack([np.sin(slopes), -np.cos(slopes)])
    ends = along.copy()
    for k in range(1, count):
        ends[k] += ends[(k - 1) // branches]
    links.initial(p=lambda k: (-along[k]).tolist(), x=lambda k: ends[k].tolist())
    return model


def points(count: int) -> sl.Model:
    """The masses alone, at constant distances."""
    model = sl.Model("points")
    nodes = model.node_array("points", "R2", count)
    bob = sl.ElementType("bob", point="R2")
    bob.kinetic_energy(bob.point.x_dot.dot(bob.point.x_dot) / 2)
    bob.potential_energy(GRAVITY * bob.point.x[1])
    model.add(bob, [nodes[k] for k in range(count)])
    top = sl.ElementType("top", point="R2")
    top.constraint("pivot", (top.point.x.dot(top.point.x) - 1) / 2)
    model.add(top, [nodes[0]])
    joint = sl.ElementType("joint", upper="R2", lower="R2")
    apart = joint.lower.x - joint.upper.x
    joint.constraint("joint", (apart.dot(apart) - 1) / 2)
    model.add(joint, [(nodes[k - 1], nodes[k]) for k in range(1, count)])
    start = hanging(count).derive().compile(backend="numpy").stated_state().q.reshape(count, -1)[:, 2:]
    nodes.initial(x=lambda k: start[k].tolist())
    return model


@functools.cache
def hanging_system(count: int, backend: str, branches: int = 1) -> System:
    return hanging(count, branches=branches).derive().compile(backend=backend)


@pytest.mark.parametrize("name", ["half_explicit_5", pytest.param("generalized_alpha", marks=pytest.mark.slow)])
def test_chains_have_the_declared_order(name: str) -> None:
    """Thirty links, whose saddle point matrix is eliminated as a band, against thirty points."""
    order = method(name).order
    exact = sl.solve(points(30).derive().compile(), 0.25, h=1 / 1024, method="half_explicit_5").field("points", "x")[-1]
    solutions = [sl.solve(hanging_system(30, b), 0.25, h=1 / 64, method=name) for b in BACKENDS]
    errors = [np.abs(s.field("links", "x")[-1] - exact).max() for s in solutions]
    finer = sl.solve(hanging_system(30, "c"), 0.25, h=1 / 128, method=name).field("links", "x")[-1]
    assert math.log2(errors[0] / np.abs(finer - exact).max()) > order - 3 * tolerances.ORDER
    np.testing.assert_allclose(*(s.q for s in solutions), rtol=0, atol=tolerances.IMPLICIT_BACKENDS)


RESIDUALS = {
    "dense": (planar_rod, 1),
    "band": (functools.partial(hanging_system, 40), 40),
    "blocks": (functools.partial(hanging_system, 121, branches=3), 121),
}


@pytest.mark.parametrize("kind", KINDS)
def test_residual_vanishes_for_every_elimination(kind: str) -> None:
    """Residual of M v' + g + Bᵀλ = 0 and B v' + Z = 0, in both backends, for every elimination."""
    build, massless = RESIDUALS[kind]
    system = build(backend="c")
    mechanics = system.mechanics
    assert isinstance(mechanics.solver, SaddleAlgebra) and mechanics.solver.structure.kind == kind
    assert len(mechanics.massless) == massless
    q, v = system.initial_state.q, np.random.default_rng(0).uniform(-1, 1, system.layout.dimension)
    solutions = [mechanics.index1(0.0, q, v)]
    a, multipliers = np.zeros(system.layout.dimension), np.zeros(system.layout.rows)
    compiled = CompiledMethod(system, method("half_explicit_5"), FIXED_STEPS)
    pointer, workspace = compiled.library.pointer, compiled.workspace()
    compiled.problem.workspace = workspace
    compiled.library.call.symlie_acceleration(compiled.problem, 0.0, *map(pointer, (q, v, a, multipliers)))
    solutions.append((a, multipliers))
    M, g, B = mechanics.mass(0.0, q), mechanics.force(0.0, q, v), mechanics.jacobian(0.0, q, v)
    Z = mechanics.kernels.curvature(mechanics.p, 0.0, q, v)
    for a, multipliers in solutions:
        forces = mechanics.algebra.apply_mass(M, a) + g + mechanics.algebra.pull(B, multipliers)
        size = np.abs(g).max() + np.abs(a).max() + np.abs(multipliers).max()
        assert np.abs(forces).max() <= tolerances.ELIMINATIONS * size
        assert np.abs(mechanics.algebra.multiply(B, a) + Z).max() <= tolerances.ELIMINATIONS * size
    np.testing.assert_allclose(*(x for x, _ in solutions), rtol=0, atol=tolerances.BACKENDS * size)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_motion_matches_the_closed_form(backend: str) -> None:
    """Two points that share one mass, tied to each other: 4 x'' = -x."""
    model = sl.Model("tied")
    q = model.node("pair", "R2")
    model.kinetic_energy((q.x_dot[0] + q.x_dot[1]) ** 2 / 2)
    model.potential_energy(q.x[0] ** 2 / 2)
    model.constraint("tie", q.x[0] - q.x[1])
    model.initial(q, x=[1, 1])
    solution = sl.solve(model.derive().compile(backend=backend), 1.0, h=1 / 64, method="half_explicit_5")
    exact = np.cos(solution.t / 2)[:, None]
    np.testing.assert_allclose(solution.q, np.hstack([exact, exact]), rtol=0, atol=tolerances.SADDLES_AFTER_STEPS)


def test_undetermined_components_are_reported() -> None:
    """Named at load where the model shows it, at the start where values do, and on the way."""
    with pytest.raises(
        SingularMassMatrixError, match=r"velocity component 2 of node 'rod', and no constraint fixes it"
    ):
        sl.solve(rod("c", spins=True), 0.1, h=0.01, method="half_explicit_5")
    model = sl.Model("loose")
    q = model.node("point", "R3")
    model.kinetic_energy((q.x_dot[0] ** 2 + q.x_dot[1] ** 2) / 2)
    model.constraint("bar", q.x[0] - q.x[1])
    with pytest.raises(
        ModelError, match=r"Velocity component 2 of node 'point' has no inertia; add its kinetic energy"
    ):
        model.derive()


def test_masses_that_vanish_at_another_state_are_supported() -> None:
    """The elimination is chosen by the mass matrix at t = 0."""
    model = sl.Model("fading")
    q = model.node("point", "R2")
    model.kinetic_energy((q.x_dot[0] ** 2 + (1 - model.t) * q.x_dot[1] ** 2) / 2)
    model.constraint("bar", q.x[0] - q.x[1])
    system = model.derive().compile(backend="numpy")
    with pytest.raises(SingularMassMatrixError, match=r"component 1 of node 'point' at t = 1, but not at t = 0"):
        system.consistent_state(1.0)


@functools.cache
def losing(backend: str) -> System:
    """A component without mass whose constraint loses its slope at t = 1."""
    model = sl.Model("losing")
    q = model.node("point", "R2")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.constraint("curve", q.x[1] * (1 - model.t) - q.x[0])
    model.initial(q, x=[1, 1], x_dot=[-1, 0])
    return model.derive().compile(backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["half_explicit_4", "index1_dopri5"])
def test_components_undetermined_during_a_run_are_reported(name: str, backend: str) -> None:
    with pytest.raises(SingularSystemError, match=r"neither mass nor constraints determine velocity component 1 of"):
        sl.solve(losing(backend), 2.0, h=2.0**-4, method=name)


@pytest.mark.slow
def test_parameter_values_select_the_elimination() -> None:
    """An inertia that is zero by a parameter takes the other elimination, and only then; motions change as it does."""
    model = sl.Model("light")
    q = model.node("rod", "SE2")
    inertia = model.parameter("inertia", 0.2)
    model.kinetic_energy((q.U.dot(q.U) + inertia * q.Omega[0] ** 2) / 2)
    model.potential_energy(GRAVITY * q.x[1])
    model.constraint("pivot", q.x + q.R @ sl.vector(1, 0))
    model.initial(q, p=[-0.6, 0.8], x=[0.6, -0.8])
    system = model.derive().compile()
    ends = []
    heavy, light = 0.2, 1e-6
    for value in (heavy, light, 0.0):
        changed = system.with_parameters(inertia=value)
        assert changed.mechanics.mass_is_regular == (value > 0)
        assert changed.mechanics.algebra_header == ("fixed_algebra.h" if value else "saddle_algebra.h")
        ends.append(sl.solve(changed, END, h=1 / 256, method="half_explicit_4").q[-1])
    assert np.abs(ends[2] - ends[1]).max() < 2 * light / heavy * np.abs(ends[2] - ends[0]).max()


def test_statics_and_outputs_are_supported() -> None:
    system = planar_rod("c")
    still = system.static_equilibrium()
    np.testing.assert_allclose(still.q[-2:], [0, -1], rtol=0, atol=tolerances.EQUILIBRIUM)
    linear = system.linearize(still.q, still.multipliers)
    np.testing.assert_allclose(linear.frequencies[linear.modes], GRAVITY**0.5 / (2 * np.pi), rtol=tolerances.FREQUENCY)
    moved = system.with_initial("rod", x=[0.61, -0.79]).assembled()
    assert sl.solve(moved, 0.1, h=0.01).status == "ok"
    solution = sl.solve(system, END, h=1 / 64, method="half_explicit_5")
    multipliers = solution.with_index1_multipliers().multipliers
    np.testing.assert_allclose(solution.multipliers, multipliers, rtol=0, atol=tolerances.SADDLES_AFTER_STEPS)
    force = solution.constraint_force("rod")
    assert force.shape == (len(solution.t), 3)


@functools.cache
def slender(backend: str, *, written: bool) -> System:
    """A rod without inertia about its axis, which a row of velocities holds; other entries of M may be numbers."""
    model = sl.Model("slender")
    J = model.parameter("inertia", [0.1, 0.2, 0.0])
    q = model.node("rod", "SE3")
    first, second = (0.1, 0.2) if written else (J[0], J[1])
    spin = first * q.Omega[0] ** 2 + second * q.Omega[1] ** 2 + J[2] * (q.Omega[2] ** 2 + q.Omega[0] * q.Omega[2] / 10)
    model.kinetic_energy((2.0 * q.U.dot(q.U) + spin) / 2)
    model.potential_energy(2.0 * GRAVITY * q.x[2])
    model.constraint("pivot", q.x + q.R * sl.vector(0.3, 0.2, 1.5))
    model.nonholonomic_constraint("spin", q.Omega[2] + 0.3 * q.Omega[0])
    model.initial(q, x=[-0.3, -0.2, -1.5], Omega=[1.0, 0.5, -0.3])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
def test_constant_entries_of_constrained_components_are_used() -> None:
    """Factors that are written into the text are not those of M with the rows that hold it: others are taken."""
    cases = ("numpy", False), ("c", False), ("c", True)
    runs = [sl.solve(slender(backend, written=written), 0.1, h=1e-3) for backend, written in cases]
    for run in runs[1:]:
        assert np.allclose(run.q, runs[0].q, rtol=0, atol=tolerances.BACKENDS)
