"""Derived terms against their definitions in 50 digits: M and g by virtual displacements, B, b and Z along exp."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from mpmath import mpf

import symlie as sl
from symlie.derive.equations import derive
from symlie.errors import ModelError, UnknownNameError
from symlie.models import heavy_top
from tests import tolerances
from tests.derive.definition import State, Statement, difference, dot, plus, second_difference
from tests.derive.matrices import Numbers, skew
from tests.derive.samples import PAIRS, SINGLE, sample
from tests.systems import CONSTRAINED, FREE, HEAVY_TOPS, polar_model

CASES = [
    *((groups, True, 1.0) for groups in SINGLE),
    *((groups, False, 2.8) for groups in SINGLE[::2]),
    *((groups, k % 2 == 0, 2.8 if k % 3 else 1.0) for k, groups in enumerate(PAIRS)),
]
"""Groups of the nodes, whether the mass depends on the configuration, and the rotation angles."""


@functools.cache
def sample_of(groups: str, varying: bool) -> Statement:
    """A random model, derived once."""
    gyroscopic = varying or "," not in groups
    return sample(groups, seed=len(groups) + 100 * varying, varying=varying, gyroscopic=gyroscopic)


@functools.cache
def heavy_top_statement(group: str) -> Statement:
    """The heavy top, with parameters without symmetry."""
    model = heavy_top.build(group)
    generic = {
        "mass": [15.5],
        "inertia": [0.25, 0.5, 0.375],
        "lever": [0.25, 1.0, -0.5],
        "gravity": [1.5, -2.25, -9.81],
    }
    model.parameters = [replace(p, default=tuple(map(float, generic[p.name]))) for p in model.parameters]
    return Statement(model)


def close(found: Sequence[mpf], expected: Sequence[mpf], tolerance: float) -> None:
    """Check vectors relative to the largest expected entry, or absolutely if all are below one."""
    scale = max([mpf(1), *(abs(e) for e in expected)])
    error = max(abs(a - b) for a, b in zip(found, expected, strict=True))
    assert error <= tolerance * scale, f"{mpmath.nstr(error, 3)} of {mpmath.nstr(scale, 3)}"


def values(statement: Statement, state: State, expressions: Sequence[Any]) -> Numbers:
    """Derived expressions at a state."""
    return statement.function(expressions)(state.t, state.q, state.v)


def products(rows: Sequence[Sequence[mpf]], w: Sequence[mpf]) -> Numbers:
    """Matrix times vector."""
    return [dot(row, w) for row in rows]


def matrix(statement: Statement, state: State, rows: Sequence[Sequence[Any]]) -> list[Numbers]:
    """A derived matrix at a state."""
    n = statement.dimension
    entries = values(statement, state, [c for row in rows for c in row])
    return [entries[n * i : n * i + n] for i in range(len(rows))]


def check_mass(statement: Statement, state: State) -> None:
    """M from differences of the kinetic energy, which are exact."""
    mass = matrix(statement, state, statement.derived.dynamics.mass)
    directions = statement.directions()
    pairs = [(a, b) for a in directions for b in directions]
    found = [dot(a, products(mass, b)) for a, b in pairs]
    rest = [mpf(0)] * statement.dimension
    momentum = functools.partial(statement.momentum, state.t, state.q)
    close(found, [momentum(a, b) - momentum(rest, b) for a, b in pairs], tolerances.EXACT)
    close([c for row in mass for c in row], [c for row in zip(*mass, strict=True) for c in row], tolerances.EXACT)


def check_force(statement: Statement, state: State) -> None:
    """g from the principle of Lagrange and d'Alembert."""
    force = values(statement, state, statement.derived.dynamics.force)
    for w in statement.directions():
        close([dot(force, w)], [statement.force_of_definition(state, w)], tolerances.VARIATION)


def check_constraints(statement: Statement, state: State) -> None:
    """B, b, B v + b and Z from differences of Φ along exp, and of nonholonomic rows along v and along exp."""
    terms, model = statement.derived.constraints, statement.model
    holonomic = [c.level == 0 for c in model.constraints for _ in c.rows]
    stated = [row for c in model.constraints for row in c.rows]
    t, q, v = state.t, state.q, state.v
    rest = [mpf(0)] * len(v)

    def check(of: bool, expressions: Sequence[Any], expected: Callable[[Any], Numbers], tolerance: float) -> None:
        chosen = [k for k, is_holonomic in enumerate(holonomic) if is_holonomic == of]
        found = values(statement, state, [expressions[k] for k in chosen])
        if chosen:
            close(found, expected(statement.function([stated[k] for k in chosen])), tolerance)

    assert all((p == 0) != h for p, h in zip(terms.position, holonomic, strict=True))
    for w in statement.directions():
        moved = [dot_symbols(row, w) for row in terms.jacobian]
        check(True, moved, lambda f, w=w: difference(lambda h: f(t, statement.moved(q, w, h), v)), tolerances.VARIATION)
        check(False, moved, lambda f, w=w: plus(f(t, q, w), [-c for c in f(t, q, rest)]), tolerances.EXACT)
    check(True, terms.rate, lambda f: difference(lambda h: f(t + h, q, v)), tolerances.VARIATION)
    check(False, terms.rate, lambda f: f(t, q, rest), tolerances.EXACT)

    def along(f: Any, h: mpf) -> Numbers:
        return list(f(t + h, statement.moved(q, v, h), v))

    check(True, terms.hidden, lambda f: difference(functools.partial(along, f)), tolerances.VARIATION)
    check(False, terms.hidden, lambda f: f(t, q, v), tolerances.EXACT)
    check(True, terms.curvature, lambda f: second_difference(functools.partial(along, f)), tolerances.SECOND_VARIATION)
    check(False, terms.curvature, lambda f: difference(functools.partial(along, f)), tolerances.VARIATION)


def dot_symbols(row: Sequence[Any], w: Sequence[mpf]) -> Any:
    """A row of expressions times numbers."""
    return sum((entry * sympy.Float(c, 50) for entry, c in zip(row, w, strict=True)), sympy.Integer(0))


@pytest.mark.slow
@pytest.mark.parametrize(("angle", "speed"), [(0.5, 1.0), (3.0, 150.0)], ids=["generic", "large"])
@pytest.mark.parametrize("group", HEAVY_TOPS)
def test_heavy_top_matches_the_definition(group: str, angle: float, speed: float) -> None:
    statement = heavy_top_statement(group)
    state = statement.state(seed=7, angle=angle, speed=speed)
    check_mass(statement, state)
    check_force(statement, state)
    if group in CONSTRAINED:
        check_constraints(statement, state)


def printed_heavy_top(group: str, statement: Statement, state: State) -> tuple[list[Numbers], Numbers, list[Numbers]]:
    """M, g and B as the literature prints them.

    Source: [Tumiotto2024], section 2.4; on SO(3) and S³ Euler's equations about the fixed point.
    """
    given = {p.name: [mpf(c) for c in p.default] for p in statement.model.parameters}
    (m,), gamma, X = given["mass"], mpmath.matrix(given["gravity"]), mpmath.matrix(given["lever"])
    J = mpmath.diag(given["inertia"])
    (q,), v = state.q, mpmath.matrix(state.v)
    R = statement.groups[0].rotation(q)
    Omega = v[:3]
    if group in FREE:
        about = J + m * (dot(X, X) * mpmath.eye(3) - X * X.T)
        force = skew(Omega) * about * Omega - m * skew(X) * (R.T * gamma)
        return about.tolist(), list(force), []
    x = mpmath.matrix(q[-3:])
    body_fixed = group in ("SE3", "S3sR3")
    spin = skew(Omega) * J * Omega
    linear = m * skew(Omega) * v[3:] - m * (R.T * gamma) if body_fixed else -m * gamma
    mass = mpmath.diag([*given["inertia"], m, m, m])
    jacobian = mpmath.zeros(3, 6)
    jacobian[:, :3] = skew(R.T * x)
    jacobian[:, 3:] = mpmath.eye(3) if body_fixed else R.T
    return mass.tolist(), [*spin, *linear], jacobian.tolist()


@pytest.mark.parametrize("group", HEAVY_TOPS)
def test_heavy_top_matches_the_paper(group: str) -> None:
    statement = heavy_top_statement(group)
    state = statement.state(seed=3, angle=2.5, speed=20)
    mass, force, jacobian = printed_heavy_top(group, statement, state)
    derived = statement.derived
    close(values(statement, state, [c for r in derived.dynamics.mass for c in r]), [c for r in mass for c in r],
          tolerances.EXACT)  # fmt: skip
    close(values(statement, state, derived.dynamics.force), force, tolerances.EXACT)
    found = values(statement, state, [c for r in derived.constraints.jacobian for c in r])
    assert len(found) == 6 * len(jacobian)
    if jacobian:
        close(found, [c for r in jacobian for c in r], tolerances.EXACT)
    assert derived.dynamics.mass_is_constant


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "varying", "angle"), CASES)
def test_random_model_matches_the_definition(groups: str, varying: bool, angle: float) -> None:
    statement = sample_of(groups, varying)
    state = statement.state(seed=11, angle=angle)
    assert statement.derived.dynamics.mass_is_constant is not varying
    check_mass(statement, state)
    check_force(statement, state)
    check_constraints(statement, state)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("groups", (*SINGLE, *PAIRS, "SE3,SE3", "S3xR3,S3xR3", "SO3,S3"))
def test_more_random_models_match_the_definition(groups: str, seed: int) -> None:
    statement = sample(groups, seed=1000 + seed, varying=seed % 2 == 0, gyroscopic=seed % 3 > 0)
    for angle in (0.0, 1e-6, 3.1):
        state = statement.state(seed=40 + seed, angle=angle)
        check_mass(statement, state)
        check_force(statement, state)
        check_constraints(statement, state)


@pytest.mark.slow
@pytest.mark.parametrize("groups", [groups for k, groups in enumerate(PAIRS) if k % 2 == 0])
def test_power_identity_holds(groups: str) -> None:
    """With M v' = -g the energy changes by the power of the forces without energy, and by ∂T/∂t + ∂V/∂t."""
    statement = sample_of(groups, True)
    state = statement.state(seed=23, angle=1.5)
    t, q, v = state.t, state.q, state.v
    mass = mpmath.matrix(matrix(statement, state, statement.derived.dynamics.mass))
    force = mpmath.matrix(values(statement, state, statement.derived.dynamics.force))
    acceleration = list(mpmath.lu_solve(mass, -force))

    def energy(h: mpf) -> Numbers:
        # p·v - L, which is T + V if T is quadratic.
        there, then, rate = statement.moved(q, v, h), t + h, plus(v, [h * a for a in acceleration])
        kinetic, potential = statement.energies(then, there, rate)
        return [statement.momentum(then, there, rate, rate) - kinetic + potential]

    def explicit(h: mpf) -> Numbers:
        """Energy that changes because T and V depend on time, and momentum that M(t) feeds at given velocity."""
        kinetic, potential = statement.energies(t + h, q, v)
        return [potential - kinetic]

    (found,) = difference(energy)
    (by_time,) = difference(explicit)
    power = statement.applied_power(state, v)
    close([found], [power + by_time], tolerances.VARIATION)
    assert abs(power) > 1e-3 and abs(by_time) > 1e-3


def test_equal_models_derive_equal_code() -> None:
    """Terms do not depend on how often or in which order models are derived."""
    first, second = polar_model().derive(), polar_model().derive()
    assert first.derived[0].dynamics == second.derived[0].dynamics
    assert first.derived[0].constraints == second.derived[0].constraints


def test_forces_add_up() -> None:
    """Stating twice half the force, or the same force in two ways, gives the same g."""

    def model(state: Callable[[sl.Model, Any], Any]) -> Numbers:
        stated = sl.Model("body")
        q = stated.node("body", sl.SE3)
        stated.kinetic_energy(q.v.dot(q.v) / 2)
        state(stated, q)
        statement = Statement(stated)
        return values(statement, statement.state(seed=2, angle=1.1), statement.derived.dynamics.force)

    r, f = sl.vector(1, 2, 3), sl.vector(2, -1, 5)
    at_point = model(lambda m, q: m.force(f, at=q.x + q.R * r))
    twice = model(lambda m, q: (m.force(f / 2, at=q.x + q.R * r), m.force(f / 2, at=q.x + q.R * r)))
    as_torque = model(lambda m, q: (m.force(f, at=q.x), m.torque((q.R * r).cross(f), on=q)))
    by_field = model(lambda m, q: m.generalized_force(q, U=q.R.T * f, Omega=r.cross(q.R.T * f)))
    for other in (twice, as_torque, by_field):
        close(other, at_point, tolerances.EXACT)
    without = model(lambda m, q: None)
    assert max(abs(a - b) for a, b in zip(at_point, without, strict=True)) > 1


@pytest.mark.parametrize("seed", range(3))
def test_rate_is_the_time_derivative(seed: int) -> None:
    model = sl.Model("body")
    q = model.node("body", sl.S3sR3)
    model.kinetic_energy(q.v.dot(q.v) / 2)
    numbers = random.Random(seed)
    r = sl.vector(*(numbers.randint(1, 5) for _ in range(3)))
    position = q.x + q.R * r * sl.sin(model.t)
    rate, strain_rate = model.rate(position), model.rate(q.log())
    scalar = model.rate(q.x[0] * model.t)
    assert rate.shape == (3, 1) and strain_rate.shape == (6, 1) and not hasattr(scalar, "shape")
    statement = Statement(model)
    state = statement.state(seed=seed, angle=2.0)
    where = statement.function([*position, *q.log(), q.x[0] * model.t])
    along = difference(lambda h: where(state.t + h, statement.moved(state.q, state.v, h), state.v))
    close(values(statement, state, [*rate, *strain_rate, scalar]), along, tolerances.VARIATION)


# ---------------------------------------------------------------------------------------------------------------------
# What is refused, and with which sentence


def body(group: str = "SE3") -> tuple[sl.Model, Any]:
    """A model with one node and its kinetic energy."""
    model = sl.Model("body")
    q = model.node("body", group)
    model.kinetic_energy(q.v.dot(q.v) / 2)
    return model, q


def stated(build: Callable[[sl.Model, Any], Any]) -> Callable[[], Any]:
    """State something on `body` and derive all kernels."""

    def run() -> Any:
        model, q = body()
        build(model, q)
        return model.derive().emitted

    return run


def only(build: Callable[[sl.Model], Any]) -> Callable[[], Any]:
    """State something on an empty model and derive all kernels."""

    def run() -> Any:
        model = sl.Model("body")
        build(model)
        return model.derive().emitted

    return run


X = sl.vector(1, 2, 3)

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "cubic kinetic energy": (
        stated(lambda m, q: m.kinetic_energy(q.U[0] ** 3)),
        r"kinetic energy of 'body' is not a polynomial of degree two in the velocities",
    ),
    "kinetic energy of fourth order": (
        stated(lambda m, q: m.kinetic_energy(q.U.dot(q.U) ** 2)),
        r"kinetic energy of 'body' is not a polynomial of degree two",
    ),
    "root of the kinetic energy": (
        stated(lambda m, q: m.kinetic_energy(sl.sqrt(1 + q.U.dot(q.U)))),
        r"kinetic energy of 'body' is not a polynomial of degree two",
    ),
    "kinetic energy without velocity": (
        only(lambda m: m.kinetic_energy(m.node("body", "R3").x[0])),
        r"Velocity component 0 of node 'body' has no inertia",
    ),
    "kinetic energy linear in the velocity": (
        only(lambda m: m.kinetic_energy(m.node("body", "R1").x_dot[0])),
        r"Velocity component 0 of node 'body' has no inertia",
    ),
    "rolling without velocity": (
        stated(lambda m, q: m.nonholonomic_constraint("rolling", q.x)),
        r"Equation 1 of constraint 'rolling' does not depend on velocities; use constraint\.",
    ),
    "potential of velocities": (
        stated(lambda m, q: m.potential_energy(q.x.dot(q.U))),
        r"potential energy of 'body' depends on velocities; use dissipation or force",
    ),
    "potential of a rate": (
        stated(lambda m, q: m.potential_energy(m.rate(q.x)[0])),
        r"potential energy of 'body' depends on velocities",
    ),
    "constraint on velocities": (
        stated(lambda m, q: m.constraint("rolling", q.U[0])),
        r"Constraint 'rolling' depends on velocities; it must be a function of t and q",
    ),
    "constraint without configuration": (
        stated(lambda m, q: m.constraint("clock", sl.vector(q.x[0], sl.sin(m.t)))),
        r"In 'body', equation 2 of constraint 'clock' does not depend on the configuration",
    ),
    "vector energy": (
        stated(lambda m, q: m.kinetic_energy(q.U)),
        r"kinetic energy of 'body' must be a scalar, but has 3 components",
    ),
    "vector potential": (
        stated(lambda m, q: m.potential_energy([1, 2])),
        r"potential energy of 'body' must be a scalar, but has 2 components",
    ),
    "vector dissipation": (stated(lambda m, q: m.dissipation(q.U)), r"dissipation function of 'body' must be a scalar"),
    "short force": (
        stated(lambda m, q: m.generalized_force(q, [1, 2, 3])),
        r"force on node 'body' needs 6 components, not 3",
    ),
    "short force field": (
        stated(lambda m, q: m.generalized_force(q, U=[1, 2])),
        r"force on body\.U needs 3 components, not 2",
    ),
    "unknown force field": (
        stated(lambda m, q: m.generalized_force(q, x_dot=X)),
        r"Node 'body' on SE3 has no velocity 'x_dot'; it has: Omega, U",
    ),
    "force and point": (
        stated(lambda m, q: m.force([1, 2], at=q.x)),
        r"A force with 2 components needs a point with as many, not 3",
    ),
    "torque without rotation": (
        only(lambda m: m.torque(X, on=m.node("point", "R3"))),
        r"A torque needs a node with one angular velocity; 'point' is on R3",
    ),
    "short torque": (stated(lambda m, q: m.torque([1, 2], on=q)), r"needs 3 components, not 2"),
    "initial field": (
        stated(lambda m, q: m.initial(q, p=[1, 0, 0, 0])),
        r"Node 'body' on SE3 has no field 'p' for an initial value; it has: R, x, Omega, U",
    ),
    "initial components": (
        stated(lambda m, q: m.initial(q, x=[1, 2])),
        r"body\.x needs 3 initial components, not 2",
    ),
    "initial symbols": (
        stated(lambda m, q: m.initial(q, x=[m.t, 0, 0])),
        r"initial value of body\.x may use parameters only, not t",
    ),
    "parameter twice": (
        stated(lambda m, q: (m.parameter("k", 1), m.parameter("k", 2))),
        r"Parameter 'k' is defined twice in 'body'",
    ),
    "node twice": (stated(lambda m, q: m.node("body", "R3")), r"Node 'body' is defined twice in 'body'"),
    "constraint twice": (
        stated(lambda m, q: (m.constraint("c", q.x[0]), m.constraint("c", q.x[1]))),
        r"Constraint 'c' is defined twice in 'body'",
    ),
    "output twice": (
        stated(lambda m, q: (m.output("o", q.x), m.output("o", q.x))),
        r"Output 'o' is defined twice in 'body'",
    ),
    "reserved output": (
        stated(lambda m, q: m.output("energy", q.x)),
        r"Output 'energy' exists already; every model has energy",
    ),
    "parameter of words": (
        stated(lambda m, q: m.parameter("k", "two")),
        r"default of parameter 'k' must be numbers, not 'two'",
    ),
    "parameter of three axes": (
        stated(lambda m, q: m.parameter("k", np.zeros((2, 2, 2)))),
        r"Parameter 'k' must be a number, a vector or a matrix",
    ),
    "node without mass": (
        only(lambda m: (m.node("light", "R3"), m.kinetic_energy(m.node("heavy", "R3").v.dot(m.nodes[1].v)))),
        r"Velocity component 0 of node 'light' has no inertia; add its kinetic energy",
    ),
    "component without mass": (
        only(lambda m: m.kinetic_energy(m.node("body", "R3").x_dot[0] ** 2)),
        r"Velocity component 1 of node 'body' has no inertia",
    ),
    "no nodes": (only(lambda m: None), r"Model 'body' has no nodes; add one"),
    "no kinetic energy": (only(lambda m: m.node("body", "R3")), r"Model 'body' has no kinetic energy; define it"),
    "function that is not known": (
        stated(lambda m, q: m.potential_energy(sympy.gamma(q.x[0] + 2))),
        r"cannot be compiled; use one of",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_models_are_rejected(case: str) -> None:
    run, sentence = REFUSED[case]
    with pytest.raises(ModelError, match=sentence):
        run()


@pytest.mark.parametrize(
    "state",
    [
        lambda m, q, s: m.kinetic_energy(s * q.U[0] ** 2),
        lambda m, q, s: m.potential_energy(s * q.x[0]),
        lambda m, q, s: m.dissipation(s * q.U[0] ** 2),
        lambda m, q, s: m.generalized_force(q, [s, 0, 0, 0, 0, 0]),
        lambda m, q, s: m.constraint("c", q.x[0] - s),
        lambda m, q, s: m.output("o", s),
    ],
    ids=["kinetic", "potential", "dissipation", "force", "constraint", "output"],
)
def test_unknown_symbols_are_named(state: Callable[[sl.Model, Any, Any], None]) -> None:
    model, q = body()
    state(model, q, sympy.Symbol("stiffness"))
    with pytest.raises(ModelError, match=r"Unknown symbol 'stiffness' in .* of '.*'.*declare it with parameter"):
        model.derive()


BAD_NAMES = ("2body", "my node", "", "größe", "class", "a-b", "a.b")


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_must_be_identifiers(name: str) -> None:
    model, q = body()
    with pytest.raises(ModelError, match=r"name .* is not usable"):
        sl.Model(name)
    for declare in (
        lambda: model.parameter(name, 1.0),
        lambda: model.node(name, "R3"),
        lambda: model.constraint(name, q.x[0]),
        lambda: model.output(name, q.x[0]),
    ):
        with pytest.raises(ModelError, match=r"name .* is not usable"):
            declare()


def test_unknown_groups_and_fields_are_named() -> None:
    model, q = body()
    with pytest.raises(UnknownNameError, match="Unknown group 'SE4'; use R1, R2"):
        model.node("other", "SE4")
    with pytest.raises(AttributeError, match="Node 'body' on SE3 has no field 'y'; it has: R, x, Omega, U, v, v_dot"):
        _ = q.y
    point = model.node("point", "R3")
    with pytest.raises(AttributeError, match="Node 'point' on R3 has no field 'R'; it has: x, x_dot, v, v_dot"):
        _ = point.R
    with pytest.raises(ModelError, match="Only elements of the same group can be composed; the left one is in SE3"):
        _ = q * point


@pytest.mark.parametrize("is_moving", [False, True])
def test_energy_changes_if_constraints_move(is_moving: bool) -> None:
    """Reactions of a circle do no work; those of a growing circle do, although kinetic and potential energy do not
    depend on time."""
    model = sl.Model("on_a_circle")
    p = model.node("p", "R2")
    model.kinetic_energy(p.x_dot.dot(p.x_dot) / 2)
    model.constraint("circle", p.x.dot(p.x) - (1 + model.time if is_moving else 1))
    assert model.derive().compile(backend="numpy").layout.conserves_energy is not is_moving


def test_both_derive_functions_are_equivalent() -> None:
    """`Model.derive` and `symlie.derive.derive` are one function."""
    model, _ = body()
    assert derive(model).derived[0].dynamics == model.derive().derived[0].dynamics
