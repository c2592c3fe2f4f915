"""Forward and reverse differentiation of programs with group statements, against central differences in 50 digits."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath
import pytest
import sympy
from mpmath import mpf
from sympy import Expr, Symbol

from symlie.groups import operators
from symlie.groups.group import LieGroup
from symlie.groups.operations import Compose, Difference, Exponential, Inverse, Logarithm
from symlie.groups.rotation import Factor, Rotate, rotate, rotation_size
from symlie.groups.standard import SE3, SO3, group_from_name
from symlie.ir.differentiate import forward, gradient, reverse
from symlie.ir.program import Euclidean, Program, Value, Vector
from tests import tolerances
from tests.evaluation import Evaluation, assigned, distance, symbols
from tests.groups.numeric import (
    EVERY,
    PLANAR,
    ROTATING,
    Numbers,
    NumericGroup,
    add,
    derivative,
    dot,
    numeric,
    random_vector,
    scaled,
)


@dataclass
class Case:
    """A program with inputs, a direction for each input, and outputs."""

    program: Program
    inputs: tuple[Value, ...]
    outputs: Vector

    def values(self, seed: int = 0) -> list[Numbers]:
        """Numbers for the inputs; elements with angles up to 1.2."""
        return [
            numeric(v.space.name).exp(numeric(v.space.name).vector(1.2, seed + i))
            if isinstance(v.space, LieGroup)
            else random_vector(v.space.dimension, seed + i)
            for i, v in enumerate(self.inputs)
        ]

    def directions(self, seed: int) -> list[Numbers]:
        """A tangent for each input."""
        return [random_vector(v.space.dimension, seed + i) for i, v in enumerate(self.inputs)]

    def moved(self, values: Sequence[Numbers], directions: Sequence[Numbers], h: mpf) -> list[Numbers]:
        """q∘exp(h δq), or x + h δx."""
        return [
            numeric(v.space.name).compose(value, numeric(v.space.name).exp(scaled(h, d)))
            if isinstance(v.space, LieGroup)
            else add(value, scaled(h, d))
            for v, value, d in zip(self.inputs, values, directions, strict=True)
        ]

    def assignment(self, values: Sequence[Numbers]) -> dict[Symbol, mpf]:
        """Numbers of the input symbols."""
        result: dict[Symbol, mpf] = {}
        for v, value in zip(self.inputs, values, strict=True):
            result |= assigned([c for c in v.components if isinstance(c, Symbol)], value)
        return result


def start(*spaces: LieGroup | Euclidean) -> tuple[Program, tuple[Value, ...]]:
    """A program with inputs a, b, … in the given spaces."""
    program = Program()
    inputs = tuple(
        program.input(stem, space, symbols(stem, space.storage_dimension))
        for stem, space in zip("abcdef", spaces, strict=False)
    )
    return program, inputs


def relative_motion(group: LieGroup) -> Case:
    """log(a⁻¹∘b)."""
    program, (a, b) = start(group, group)
    relative = program.apply(Compose(group), program.apply(Inverse(group), a), b)
    return Case(program, (a, b), program.apply(Logarithm(group), relative).components)


def product(group: LieGroup) -> Case:
    """log(a∘b)."""
    program, (a, b) = start(group, group)
    return Case(program, (a, b), program.apply(Logarithm(group), program.apply(Compose(group), a, b)).components)


def advance(group: LieGroup) -> Case:
    """Storage of a∘exp(x)."""
    program, (a, x) = start(group, Euclidean(group.dimension))
    step = program.apply(Exponential(group), x)
    return Case(program, (a, x), program.apply(Compose(group), a, step).components)


def rotated(group: LieGroup, *, transpose: bool) -> Case:
    """R(a) w, or R(a)ᵀ w, of a vector that also depends on the stored components."""
    program, (a, w) = start(group, Euclidean(rotation_size(group)))
    vector = tuple(c + a.components[i] * a.components[-1] for i, c in enumerate(w.components))
    return Case(program, (a, w), rotate(program, group, a.components, vector, transpose=transpose))


def conjugated(group: LieGroup) -> Case:
    """Ad(a⁻¹) w: differentiation of the operators that first derivatives are made of."""
    program, (a, w) = start(group, Euclidean(group.dimension))
    inverse = program.apply(Inverse(group), a)
    return Case(program, (a, w), operators.adjoint(program, group, inverse.components, w.components))


def tangent(group: LieGroup, *, inverse: bool, transpose: bool) -> Case:
    """T(x) w and its variants."""
    program, (x, w) = start(Euclidean(group.dimension), Euclidean(group.dimension))
    result = operators.tangent_operator(
        program, group, x.components, w.components, inverse=inverse, transpose=transpose
    )
    return Case(program, (x, w), result)


def scalar_statements() -> Case:
    """Nested scalar statements of elementary functions."""
    program, (x,) = start(Euclidean(3))
    a, b, c = x.components
    s = program.scalar(sympy.sin(a * b) + c**2)
    t = program.scalar(sympy.sqrt(s * s + 1) * sympy.exp(a))
    return Case(program, (x,), (t * b, sympy.atan2(s, t) - t))


def part_of_value() -> Case:
    """log((r∘exp(x))ᵀ∘exp(x)) of the rotation r that is a part of a, with a transpose that consists of results."""
    program, (a, x) = start(group_from_name("SO3xR3"), Euclidean(3))
    step = program.apply(Exponential(SO3), x)
    moved = program.apply(Compose(SO3), Value(a.components[:9], SO3), step)
    transposed = Value(tuple(moved.components[3 * j + i] for i in range(3) for j in range(3)), SO3)
    back = program.apply(Compose(SO3), transposed, step)
    return Case(program, (a, x), (*program.apply(Logarithm(SO3), back).components, *a.components[9:]))


BUILDERS: dict[str, Callable[[], Case]] = {"scalar": scalar_statements, "part-SO3": part_of_value}
for _name in EVERY:
    _group = numeric(_name).group
    BUILDERS[f"relative-{_name}"] = functools.partial(relative_motion, _group)
    BUILDERS[f"product-{_name}"] = functools.partial(product, _group)
    BUILDERS[f"advance-{_name}"] = functools.partial(advance, _group)
    BUILDERS[f"conjugated-{_name}"] = functools.partial(conjugated, _group)
for _name in (*ROTATING, *PLANAR):
    _group = numeric(_name).group
    BUILDERS[f"rotated-{_name}"] = functools.partial(rotated, _group, transpose=False)
    BUILDERS[f"pulled-{_name}"] = functools.partial(rotated, _group, transpose=True)
for _name in ("SO3", "SE3"):
    _group = group_from_name(_name)
    for _inverse in (False, True):
        for _transpose in (False, True):
            _title = f"T{'_inverse' if _inverse else ''}{'_transpose' if _transpose else ''}-{_name}"
            BUILDERS[_title] = functools.partial(tangent, _group, inverse=_inverse, transpose=_transpose)


SIMPLE = {"R3", "S3", "S3xR3", "SO3rvxR3", "SE2xSO3rv", "Heisenberg", "euler_angles_lie"}
"""Groups whose second derivatives say nothing that others' do not."""

LARGE = {"SO4", "Sim3", "Galilei", "SE23"}

FIRST = [
    pytest.param(t, marks=pytest.mark.slow) if t.split("-")[-1] in LARGE and not t.startswith("conjugated") else t
    for t in BUILDERS
]
SECOND_ARE_SLOW = {"relative-SL2", "product-SL2", *(f"conjugated-{name}" for name in LARGE - {"Sim3"})}
"""Second derivatives that quick tests take of smaller groups with the same operations."""

SECOND = [
    pytest.param(title, marks=pytest.mark.slow) if title in SECOND_ARE_SLOW else t
    for t, title in zip(FIRST, BUILDERS, strict=True)
    if title.split("-")[-1] not in SIMPLE
]


def of_group(title: str) -> NumericGroup:
    """The group that a case is about; its tolerances."""
    return numeric("R3" if title == "scalar" else title.split("-")[-1])


@pytest.mark.slow
@pytest.mark.parametrize("title", FIRST)
def test_first_derivatives_match_finite_differences(title: str) -> None:
    """Forward mode is the derivative; reverse mode is its transpose."""
    case = BUILDERS[title]()
    seeds = [symbols(f"seed{i}_", v.space.dimension) for i, v in enumerate(case.inputs)]
    weights = symbols("weight", len(case.outputs))
    tangents = forward(case.program, case.outputs, list(zip(case.inputs, seeds, strict=True)))
    cotangents = reverse(case.program, list(zip(case.outputs, weights, strict=True)), case.inputs)

    values, directions = case.values(), case.directions(30)
    outputs = Evaluation(case.program, case.outputs)
    expected = derivative(lambda h: outputs(case.assignment(case.moved(values, directions, h))))
    numbers = case.assignment(values)
    for symbol, direction in zip(seeds, directions, strict=True):
        numbers |= assigned(symbol, direction)
    found = Evaluation(case.program, tangents)(numbers)
    assert distance(found, expected) < of_group(title).difference

    weight = random_vector(len(weights), 40)
    numbers |= assigned(weights, weight)
    pulled = Evaluation(case.program, [c for v in cotangents for c in v])(numbers)
    direction = [c for d in directions for c in d]
    assert abs(dot(pulled, direction) - dot(weight, found)) < of_group(title).tolerance


@pytest.mark.slow
@pytest.mark.parametrize("title", SECOND)
def test_second_derivatives_match_finite_differences(title: str) -> None:
    """Forward over reverse is the derivative of the gradient, forward over forward the derivative of the tangent."""
    case = BUILDERS[title]()
    n = len(case.inputs)
    weights = [mpf(c) for c in random_vector(len(case.outputs), 50)]
    first, second = case.directions(60), case.directions(70)
    seeds = {order: [symbols(f"{order}{i}_", v.space.dimension) for i, v in enumerate(case.inputs)] for order in "uv"}
    weight_symbols = symbols("weight", len(case.outputs))
    pulled = reverse(case.program, list(zip(case.outputs, weight_symbols, strict=True)), case.inputs)
    slope: list[Expr] = [c for v in pulled for c in v]
    slope += forward(case.program, case.outputs, list(zip(case.inputs, seeds["u"], strict=True)))
    curvature = forward(case.program, slope, list(zip(case.inputs, seeds["v"], strict=True)))

    constant = assigned(weight_symbols, weights)
    for i in range(n):
        constant |= assigned(seeds["u"][i], first[i]) | assigned(seeds["v"][i], second[i])
    values = case.values()
    slopes = Evaluation(case.program, slope)
    expected = derivative(lambda h: slopes(case.assignment(case.moved(values, second, h)) | constant))
    found = Evaluation(case.program, curvature)(case.assignment(values) | constant)
    assert distance(found, expected) < of_group(title).difference


@pytest.mark.parametrize("name", ["SO3", "SE3", "S3xR3"])
def test_second_derivatives_differ_by_the_bracket(name: str) -> None:
    """u(v f) - v(u f) = [u, v] f for left-invariant fields: trivialised second derivatives do not commute."""
    group = group_from_name(name)
    program, (a, w) = start(group, Euclidean(group.dimension))
    f = [dot_expressions(operators.adjoint(program, group, a.components, w.components), range(1, 10))]
    u, v = symbols("u", group.dimension), symbols("v", group.dimension)
    first = forward(program, forward(program, f, [(a, v)]), [(a, u)])
    second = forward(program, forward(program, f, [(a, u)]), [(a, v)])
    bracket = forward(program, f, [(a, operators.ad(program, group, u, v))])
    numbers = assigned(
        [c for c in a.components if isinstance(c, Symbol)], numeric(name).exp(random_vector(6, 1)[: group.dimension])
    )
    numbers |= assigned(u, random_vector(group.dimension, 2)) | assigned(v, random_vector(group.dimension, 3))
    numbers |= assigned(symbols("b", group.dimension), random_vector(group.dimension, 4))
    x, y, z = Evaluation(program, [first[0], second[0], bracket[0]])(numbers)
    assert abs(z) > 0.01
    assert abs(x - y - z) < tolerances.IDENTITY


def dot_expressions(vector: Sequence[Expr], weights: Sequence[int]) -> Expr:
    """Σ weight·component."""
    return sum((w * c for w, c in zip(weights, vector, strict=False)), sympy.Integer(0))


def test_unseeded_inputs_have_zero_derivative() -> None:
    program, (a, w) = start(SE3, Euclidean(3))
    outputs = rotate(program, SE3, a.components, w.components)
    count = len(program.statements)
    assert forward(program, outputs, []) == (0, 0, 0)
    assert forward(program, outputs, [(a, (sympy.Integer(0),) * 6)]) == (0, 0, 0)
    assert len(program.statements) == count
    translation = (*(sympy.Integer(0),) * 3, *symbols("u", 3))
    assert forward(program, outputs, [(a, translation)]) == (0, 0, 0)
    (unused,) = reverse(program, [(w.components[0], sympy.Integer(1))], [a])
    assert unused == (0,) * 6


def test_gradients_contain_the_derivatives_by_parts_of_values() -> None:
    """An operation on a part of a value, such as the rotation of a point of a cotangent bundle."""
    case = part_of_value()
    weights, (by_a, by_x) = symbols("weight", 6), (symbols("seed_a", 6), symbols("seed_x", 3))
    tangents = forward(case.program, case.outputs, list(zip(case.inputs, (by_a, by_x), strict=True)))
    cotangents = reverse(case.program, list(zip(case.outputs, weights, strict=True)), case.inputs)
    numbers, directions, weight = case.assignment(case.values()), case.directions(30), random_vector(6, 40)
    for vector, components in ((by_a, directions[0]), (by_x, directions[1]), (weights, weight)):
        numbers |= assigned(vector, components)
    found = Evaluation(case.program, [c for v in cotangents for c in v])(numbers)
    expected = Evaluation(case.program, tangents)(numbers)
    assert abs(dot(found, [c for d in directions for c in d]) - dot(weight, expected)) < numeric("SO3").tolerance


def test_gradient_of_one_output_is_correct() -> None:
    program, (x,) = start(Euclidean(2))
    p, q = x.components
    assert gradient(program, p * q, x) == (q, p)


def test_rotation_and_its_transpose_cancel() -> None:
    program, (a, w) = start(SE3, Euclidean(3))
    turned = rotate(program, SE3, a.components, w.components)
    count = len(program.statements)
    assert rotate(program, SE3, a.components, turned, transpose=True) == w.components
    back = rotate(program, SE3, a.components, w.components, transpose=True)
    assert rotate(program, SE3, a.components, back) == w.components
    assert len(program.statements) == count + 1
    again = rotate(program, SE3, a.components, turned)
    assert again != w.components
    other = program.input("other", SE3, symbols("o", 12))
    assert rotate(program, SE3, other.components, turned, transpose=True) != w.components


def test_storage_rates_use_the_rotation() -> None:
    """x' = R U is one statement of the program, so that Rᵀ x' is U."""
    program, (a, v) = start(SE3, Euclidean(6))
    rate = SE3.storage_tangent(program, a.components, v.components)
    assert rotate(program, SE3, a.components, rate[9:], transpose=True) == v.components[3:]
    back = SE3.storage_cotangent(program, a.components, (*(sympy.Integer(0),) * 9, *v.components[:3]))
    assert rotate(program, SE3, a.components, back[3:]) == v.components[:3]


def test_rotation_of_zero_is_zero() -> None:
    program, (a,) = start(SO3)
    zero = (sympy.Integer(0),) * 3
    assert rotate(program, SO3, a.components, zero) == zero
    assert program.statements == []


def test_inverse_group_operations_cancel() -> None:
    program, (a, b) = start(SE3, SE3)
    inverse = program.apply(Inverse(SE3), a)
    identity = Value(SE3.identity, SE3)
    logarithm = program.apply(Logarithm(SE3), b)
    count = len(program.statements)
    assert program.apply(Inverse(SE3), inverse) == a
    assert program.apply(Compose(SE3), a, identity) == a
    assert program.apply(Compose(SE3), identity, a) == a
    assert program.apply(Exponential(SE3), logarithm) == b
    assert program.apply(Factor(SE3, 0), a) == a
    assert len(program.statements) == count
    # log(exp θ) = θ holds near the identity only and must stay.
    theta = program.input("theta", Euclidean(6), symbols("theta", 6))
    assert program.apply(Logarithm(SE3), program.apply(Exponential(SE3), theta)).components != theta.components


def test_logarithm_of_a_relative_motion_is_one_assignment() -> None:
    program, (a, b) = start(SE3, SE3)
    relative = program.apply(Compose(SE3), program.apply(Inverse(SE3), a), b)
    assert program.apply(Logarithm(SE3), relative) == program.apply(Difference(SE3), a, b)
    other = program.apply(Compose(SE3), b, a)
    assert program.apply(Logarithm(SE3), other).components != program.apply(Difference(SE3), b, a).components


def test_factor_of_a_product_is_extracted() -> None:
    group = group_from_name("SO3xR3")
    program, (a,) = start(group)
    factor = program.apply(Factor(group, 1), a)
    assert factor.space.name == "R3"
    values = random_vector(12, 5)
    numbers = assigned([c for c in a.components if isinstance(c, Symbol)], values)
    assert Evaluation(program, factor.components)(numbers) == values[9:]
    constant = Value(group.identity, group)
    assert program.apply(Factor(group, 0), constant) == Value(SO3.identity, SO3)


def test_operations_share_assignments() -> None:
    program, (a, b) = start(SO3, SO3)
    first = program.apply(Compose(SO3), a, b)
    assert program.apply(Compose(SO3), a, b) == first
    assert program.apply(Compose(SO3), b, a) != first
    assert program.apply(Rotate(SO3, False), a, Value(symbols("w", 3), Euclidean(3))).space == Euclidean(3)
    assert len(program.statements) == 3


def test_no_rotation_matrix_is_formed() -> None:
    group = group_from_name("R3")
    program, (a,) = start(group)
    with pytest.raises(TypeError, match="R3 has no rotation matrix"):
        Rotate(group, False).tangent(program, (a, a), a, (symbols("u", 3), None))


def test_finite_differences_detect_a_wrong_derivative() -> None:
    """The yardstick itself: it is exact for a cubic up to its truncation error, and not for a kink."""
    slope = derivative(lambda h: [(1 + h) ** 3, mpmath.exp(h)])
    assert distance(slope, [mpf(3), mpf(1)]) < tolerances.DIFFERENCE
    assert distance(slope, [mpf(3), mpf(1)]) > 0
