"""Derived stages of variational integrators against equations written by hand, in fifty digits.

(17) of [Hante2022], with T⁻ᵀ by its series in the matrices of ad; nothing here is taken from the derivation.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from mpmath import mpf
from numpy.typing import NDArray
from sympy import Symbol

import symlie as sl
from symlie.contract.discrete import DISCRETE_LAGRANGIANS, DiscreteLagrangian
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.discrete.momenta import VariationalStep, derive_variational
from symlie.derive.discrete.slopes import MomentumSlopes
from symlie.derive.equations import Equations
from symlie.derive.sets import derive_set
from symlie.emit.numpy.target import NUMPY
from symlie.errors import GroupError
from symlie.groups import operators
from symlie.groups.interpolation import interpolation_tangent
from symlie.groups.operations import Compose, Difference, Exponential
from symlie.ir.differentiate import forward
from symlie.ir.program import Euclidean, Program, Value, at_values
from symlie.models import flying_spaghetti, heavy_top, roll_up
from tests import tolerances
from tests.evaluation import Evaluation, distance, evaluate
from tests.groups.numeric import EVERY, GROUPS, Numbers, numeric
from tests.systems import polar_model

DIGITS = 50
STEP = mpf("0.01")
Array = NDArray[np.float64]
SKEW = {"SE3": "screw", "S3sR3": "screw", "SO3xR3": "pair", "S3xR3": "pair", "SO3": "turn", "S3": "turn"}
"""Structure constants of ad."""


def skew(a: Sequence[mpf]) -> mpmath.matrix:
    """a × as a matrix."""
    x, y, z = a
    return mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def ad(group: str, u: Sequence[mpf]) -> mpmath.matrix:
    """The hat operator of section 2."""
    n = len(u)
    found = mpmath.zeros(n, n)
    found[0:3, 0:3] = skew(u[:3])
    if SKEW[group] == "screw":
        found[3:6, 0:3], found[3:6, 3:6] = skew(u[3:]), skew(u[:3])
    return found


def inverse_tangent(group: str, u: Sequence[mpf]) -> mpmath.matrix:
    """T⁻¹(u) = Σ (-1)^k B_k/k! ad^k, with B₁ = -1/2."""
    A, n = ad(group, u), len(u)
    power, total = mpmath.eye(n), mpmath.zeros(n, n)
    for k in range(64):
        total += (-1) ** k * mpmath.bernoulli(k) / mpmath.factorial(k) * power
        power = power * A
    return total


def pulled(group: str, u: Sequence[mpf], y: Sequence[mpf]) -> list[mpf]:
    """T⁻ᵀ(u) y."""
    return list(inverse_tangent(group, u).T * mpmath.matrix(list(y)))


def numbers(count: int, seed: int, size: float = 1.0) -> list[mpf]:
    """Random numbers of fifty digits."""
    generator = random.Random(seed)
    return [size * (mpf(generator.random()) - mpf("0.5") + mpf(generator.random()) / 10**16) for _ in range(count)]


class Values:
    """A step of a statement between two configurations, evaluated."""

    def __init__(self, derived: DerivedStatement, name: str = "trapezoid") -> None:
        self.step: VariationalStep = derive_variational(derived, DISCRETE_LAGRANGIANS[name])
        self.values: dict[Symbol, mpf] = {self.step.step_size: STEP, derived.statement.time: mpf("0.3")}
        self.symbols = [s for n in derived.statement.nodes for s in n.value.components if isinstance(s, Symbol)]
        self.velocities = [s for n in derived.statement.nodes for s in n.velocity.components if isinstance(s, Symbol)]

    def at(self, q: Numbers, b: Numbers, theta: Numbers, v: Numbers) -> None:
        """Take q₀, q₁, θ and v."""
        for names, found in (
            (self.symbols, q), (self.step.end, b), (self.step.increment, theta), (self.velocities, v),
        ):  # fmt: skip
            self.values |= dict(zip(names, found, strict=True))

    def __call__(self, part: str) -> list[mpf]:
        return evaluate(self.step.program, getattr(self.step, part), self.values, DIGITS)


def assert_equal(found: Sequence[mpf], stated: Sequence[mpf]) -> None:
    """To fifty digits, but for rounding of the evaluation."""
    with mpmath.workdps(DIGITS):
        size = max(mpf(1), *(abs(x) for x in stated))
        assert distance(found, stated) <= tolerances.FIFTY_DIGITS * size


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SO3xR3", "SE3", "S3xR3", "S3sR3", "SO3", "S3"])
def test_discrete_equations_of_the_heavy_top_are_correct(group: str) -> None:
    """(17b) and (17d): M v_n = T⁻ᵀ(-h v) M v + h/2 f + …, M v_{n+1} = T⁻ᵀ(h v) M v - h/2 f - …."""
    model = heavy_top.build(group)
    (derived,) = model.derive().derived
    values, algebra = Values(derived), numeric(group)
    with mpmath.workdps(DIGITS):
        m, J, X = mpf("1.5"), [mpf("0.3"), mpf("0.5"), mpf("0.2")], [mpf("0.1"), mpf(1), mpf("-0.2")]
        gravity = [mpf("0.4"), mpf("0.5"), mpf("-9.81")]
        stated = {"mass": [m], "inertia": J, "lever": X, "gravity": gravity}
        for parameter in model.parameters:
            values.values |= dict(zip(parameter.symbols, stated[parameter.name], strict=True))
        n = algebra.group.dimension
        q, theta, v = algebra.exp(numbers(n, 1)), numbers(n, 2, 0.4), numbers(n, 3)
        values.at(q, algebra.compose(q, algebra.exp(theta)), theta, v)
        M = mpmath.diag([*J, *[m] * (n - 3)])
        if n == 3:
            M -= m * skew(X) * skew(X)
        R = algebra.rotation(q)
        rate = [x / STEP for x in theta]
        momentum = list(M * mpmath.matrix(rate))
        assert_equal(values("start_momentum"), pulled(group, [-x for x in theta], momentum))
        assert_equal(values("end_momentum"), pulled(group, theta, momentum))
        assert_equal(values("momentum"), list(M * mpmath.matrix(v)))
        weight = mpmath.matrix([m * x for x in gravity])
        if n == 3:
            force = list(skew(X) * (R.T * weight))
        else:
            force = [mpf(0)] * 3 + list(R.T * weight if SKEW[group] == "screw" else weight)
        assert_equal(values("load"), [-x for x in force])


def test_discrete_equations_of_the_rod_are_correct() -> None:
    """Sections as a body, and segments: f_k = T⁻ᵀ(θ) G at the right, -T⁻ᵀ(-θ) G at the left, with θ = Δs w."""
    model = flying_spaghetti.build(4)
    derived = {d.statement.name: d for d in model.derive().derived}
    segment, algebra = derived["rod_segment"], numeric("S3sR3")
    with mpmath.workdps(DIGITS):
        values = Values(segment)
        for parameter in (*model.parameters, *segment.statement.parameters):
            values.values |= {s: mpf(x) for s, x in zip(parameter.symbols, parameter.default, strict=True)}
        known = {p.name: [mpf(x) for x in p.default] for p in (*model.parameters, *segment.statement.parameters)}
        left, between = algebra.exp(numbers(6, 4)), numbers(6, 5, 0.3)
        right = algebra.compose(left, algebra.exp(between))
        theta, v = numbers(12, 6, 0.2), numbers(12, 7)
        ends = [algebra.compose(q, algebra.exp(theta[k : k + 6])) for k, q in ((0, left), (6, right))]
        values.at([*left, *right], [*ends[0], *ends[1]], theta, v)
        (length,) = known["length"]
        stiffness = [known[f"{name}_stiffness"][0] for name in ("bending", "extension") for _ in range(3)]
        w = [x / length for x in between]
        G = [c * (x - y) for c, x, y in zip(stiffness, w, known["reference_strain"], strict=True)]
        first = pulled("S3sR3", [-x for x in between], G)
        second = pulled("S3sR3", between, G)
        assert_equal(values("load"), [*(-x for x in first), *second])
        assert all(x == 0 for x in values("start_momentum"))


def test_configuration_dependent_mass_is_supported() -> None:
    """A bead in polar coordinates, L = m (r'² + r² φ'²)/2 - V, by hand."""
    (derived,) = polar_model().derive().derived
    values = Values(derived)
    with mpmath.workdps(DIGITS):
        (mass,) = (s for p in derived.statement.parameters for s in p.symbols)
        m, h = mpf("1.7"), STEP
        (r, phi), (dr, dphi) = [mpf("1.1"), mpf("0.4")], [mpf("0.03"), mpf("-0.02")]
        values.values[mass] = m
        values.at([r, phi], [r + dr, phi + dphi], [dr, dphi], numbers(2, 8))
        turn = m * (r**2 + (r + dr) ** 2) / 2 * dphi / h
        assert_equal(values("start_momentum"), [m * dr / h - h / 2 * m * r * (dphi / h) ** 2, turn])
        assert_equal(values("end_momentum"), [m * dr / h + h / 2 * m * (r + dr) * (dphi / h) ** 2, turn])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trapezoid", "midpoint"])
def test_slopes_are_derivatives_by_the_increment(name: str) -> None:
    """Of p⁺ by θ, where q₁ = q₀∘exp(θ) goes along."""
    (derived,) = heavy_top.build("SE3").derive().derived
    values, algebra = Values(derived, name), numeric("SE3")
    with mpmath.workdps(DIGITS):
        for parameter in derived.statement.parameters:
            values.values |= {s: mpf(x) for s, x in zip(parameter.symbols, parameter.default, strict=True)}
        q, theta, v = algebra.exp(numbers(6, 1)), numbers(6, 2, 0.4), numbers(6, 3)
        delta = mpf(tolerances.DIFFERENCE_STEP)

        def start(theta: Numbers) -> list[mpf]:
            values.at(q, algebra.compose(q, algebra.exp(theta)), theta, v)
            return values("start_momentum")

        slopes, _ = MomentumSlopes(values.step).matrices()
        for k in range(6):
            ahead, behind = ([x + s * delta * (i == k) for i, x in enumerate(theta)] for s in (1, -1))
            slope = [(a - b) / (2 * delta) for a, b in zip(start(ahead), start(behind), strict=True)]
            values.at(q, algebra.compose(q, algebra.exp(theta)), theta, v)
            column = [row[k] for row in slopes]
            found = evaluate(values.step.program, column, values.values, DIGITS)
            assert distance(found, slope) <= tolerances.DIFFERENCE * max(mpf(1), *(abs(x) for x in slope))


@pytest.mark.parametrize("part", ["1/3", pytest.param("1/2", marks=pytest.mark.slow)])
def test_loads_within_a_step_are_pulled_back(part: str) -> None:
    """Loads distributed to the nodes of a segment with damping: p⁺ = … + h w A_ξ(θ)ᵀ l, p⁻ = … - h w A_{1-ξ}(-θ)ᵀ l."""
    model = roll_up.build(4)
    derived = next(d for d in model.derive().derived if d.statement.name == "rod_segment")
    sample = ((Fraction(part), Fraction(1)),)
    stated = DiscreteLagrangian("one", sample, sample)
    whole, rest = (derive_variational(derived, d) for d in (stated, replace(stated, potential=())))
    xi, h, program = sympy.Rational(part), whole.step_size, whole.program
    symbols = [s for n in derived.statement.nodes for s in n.value.components]
    (places,) = whole.between.values()
    there = dict(zip(symbols, (c for q in places for c in q), strict=True))
    rate = [c / h for c in whole.increment]
    there |= dict(zip((s for n in derived.statement.nodes for s in n.velocity.components), rate, strict=True))
    load = at_values(program, whole.load, {s: program.scalar(c) for s, c in there.items()})
    with mpmath.workdps(DIGITS):
        parameters = (*model.parameters, *derived.statement.parameters)
        values = {s: mpf(x) for p in parameters for s, x in zip(p.symbols, p.default, strict=True)}
        values |= {h: STEP, derived.statement.time: mpf("0.3")}
        group = numeric("S3sR3")
        starts = [group.exp(numbers(6, k)) for k in (1, 2)]
        theta = numbers(12, 3, 0.4)
        ends = [group.compose(q, group.exp(theta[6 * k : 6 * k + 6])) for k, q in enumerate(starts)]
        found = [(symbols, starts), (whole.end, ends), (whole.increment, [theta])]
        values |= {s: x for names, parts in found for s, x in zip(names, (c for q in parts for c in q), strict=True)}
        for name, sign, of in (("start_momentum", 1, xi), ("end_momentum", -1, 1 - xi)):
            pulled: list[sympy.Expr] = []
            for k in (0, 6):
                u = program.vector([sign * c for c in whole.increment[k : k + 6]])
                w = program.vector(load[k : k + 6])
                pulled += interpolation_tangent(program, group.group, of, u, w, transpose=True)
            both = evaluate(program, getattr(whole, name), values, DIGITS)
            inertia = evaluate(rest.program, getattr(rest, name), values, DIGITS)
            forces = evaluate(program, pulled, values, DIGITS)
            assert_equal(both, [a + sign * STEP * b for a, b in zip(inertia, forces, strict=True)])


@pytest.mark.parametrize(
    "name", [*GROUPS, *(pytest.param(n, marks=pytest.mark.slow) for n in EVERY if n not in GROUPS)]
)
def test_derivatives_by_two_parameters_are_correct(name: str) -> None:
    """(2): x̂ y = dx/dy - dy/dx for the derivative vectors x, y of q(x, y) = exp(x a)∘exp(y b + x y c)."""
    group = numeric(name).group
    n, program = group.dimension, Program()
    (s,), (t,) = program.fresh("s", 1), program.fresh("t", 1)
    first, second = Value((s,), Euclidean(1)), Value((t,), Euclidean(1))
    a, b, c = ([sympy.Rational(p * (k + 1) % 7 - 3, 20) for k in range(n)] for p in (3, 5, 4))

    def at(x: sympy.Expr, y: sympy.Expr) -> Value:
        def power(vector: Sequence[sympy.Expr]) -> Value:
            return program.apply(Exponential(group), Value(program.vector(vector), Euclidean(n)))

        return program.apply(
            Compose(group),
            power([x * k for k in a]),
            power([y * k + x * y * m for k, m in zip(b, c, strict=True)]),
        )

    start = program.fresh("q", group.storage_dimension)
    u = program.apply(Difference(group), Value(start, group), at(s, t))
    one = (sympy.Integer(1),)
    along = [program.vector(forward(program, u.components, [(p, one)])) for p in (first, second)]
    x, y = (program.vector(operators.tangent_operator(program, group, u.components, d)) for d in along)
    left = operators.ad(program, group, x, y)
    dx, dy = forward(program, x, [(second, one)]), forward(program, y, [(first, one)])
    difference = [p - q - r for p, q, r in zip(dx, dy, left, strict=True)]
    with mpmath.workdps(DIGITS):
        point = {s: mpf("0.3"), t: mpf("-0.4")}
        q = Evaluation(program, at(s, t).components)(point, DIGITS)
        moved = numeric(name).compose(q, numeric(name).exp(numeric(name).vector(0.2, 5)))
        found = evaluate(program, difference, {**point, **dict(zip(start, moved, strict=True))}, DIGITS)
        assert max(abs(z) for z in found) <= numeric(name).tolerance


def test_nodes_without_a_difference_are_rejected() -> None:
    model = sl.Model("pendulum")
    point = model.node("point", sl.S2)
    model.vector_field(point, q=sl.vector(0, 0, 1).cross(point.q))
    (derived,) = model.derive().derived
    with pytest.raises(GroupError, match=r"Node 'point' of 'pendulum' is on S2, where variational methods"):
        derive_variational(derived, DISCRETE_LAGRANGIANS["trapezoid"])


def load_slopes(equations: Equations, numbers: Mapping[str, Array]) -> dict[str, list[float]]:
    """K and D of all element types of a model that have loads, by type."""
    kernels, functions = derive_set(equations, "discrete_midpoint"), dict[str, Any]()
    (text,) = NUMPY.kernel_set(kernels, "").values()
    exec(text, functions)
    names = [f"{e.name}_load_slopes" for e in kernels.elements]
    return {n: [float(np.squeeze(x)) for x in functions[n](0.3, **numbers)] for n in names if n in functions}


@pytest.mark.slow
def test_looped_derivatives_equal_columnwise_derivatives(monkeypatch: pytest.MonkeyPatch) -> None:
    """For an element without known zeros; others are unchanged, so that matrices do not fill."""
    equations, draws = flying_spaghetti.build(2).derive(), np.random.default_rng(4)
    numbers = {letter: draws.uniform(0.2, 1, size) for letter, size in (("q", 14), ("v", 12), ("p", 40), ("e", 40))}
    looped = load_slopes(equations, numbers)
    monkeypatch.setattr("symlie.derive.discrete.kernels.all_see_all", lambda body, size: False)
    columns = load_slopes(equations, numbers)
    assert {name: len(values) for name, values in looped.items()} == {
        "rod_section_load_slopes": 6, "rod_segment_load_slopes": 288, "ends_load_slopes": 12,
    }  # fmt: skip
    for name, values in columns.items():
        assert looped[name] == pytest.approx(
            values, rel=0, abs=tolerances.ROUNDING_OF_INCREMENTS * max(map(abs, values))
        )
