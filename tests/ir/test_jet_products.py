"""Constants outside of products or on their other side, and quaternions times vectors by seven products."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, Rational

from symlie.groups.standard import S3
from symlie.ir.jet_products import constants_outside, stated_again
from symlie.ir.jets.derivation import jet_of
from symlie.ir.program import Program
from symlie.ir.straightline import Instruction, Operand, StraightLine, flatten

Q, W, P = sympy.symbols("q:4", real=True), sympy.symbols("w:3", real=True), sympy.symbols("P:2", real=True)
PLACES = {x: f"{name}[{k}]" for name, symbols in (("q", Q), ("w", W), ("p", P)) for k, x in enumerate(symbols)}
OPERATORS = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "div": "__truediv__"}
numbers = st.fractions(min_value=-9, max_value=9, max_denominator=8)


def line(*values: Expr) -> StraightLine:
    return flatten(Program(), values, PLACES)


def exact(body: StraightLine, values: Mapping[str, Fraction]) -> list[Fraction]:
    """Values in rational numbers, which have no rounding."""
    known = dict(values)

    def value(operand: Operand) -> Fraction:
        return Fraction(operand) if isinstance(operand, float) else known[operand]

    for i in body.instructions:
        first, *others = map(value, i.operands)
        known[i.target] = getattr(first, OPERATORS[i.operator])(*others) if others else -first
    return [value(o) for o in body.outputs]


def products(body: StraightLine) -> int:
    return len(jet_of("", body, ("p[",)).layout.products)


def factors(body: StraightLine) -> int:
    return jet_of("", body, ("p[",)).layout.factors


@pytest.mark.parametrize(
    ("stated", "before", "after"),
    [
        ([P[0] * Q[1] * Q[2] - (P[1] * Q[2]) * Q[1]], 2, 1),
        ([5 * Q[0] * Q[1], Q[0] * Q[1]], 2, 1),
        ([(P[0] * Q[0] + P[0] * Q[1]) * Q[2], (Q[0] + Q[1]) * Q[2]], 2, 1),
        ([(Q[0] + 2 * Q[1]) * Q[2]], 1, 1),
        ([(Q[0] - Q[1]) * Q[2] + (P[0] * (Q[1] - Q[0])) * Q[2]], 2, 1),
    ],
)
def test_equal_products_are_merged(stated: list[Expr], before: int, after: int) -> None:
    body = line(*stated)
    assert products(body) == before
    assert products(constants_outside(body, ("p[",))) == after


def test_divisors_are_inverted_once() -> None:
    """A vector divided by a length has one reciprocal, outside of the products."""
    quotients = [Instruction(f"over{k}", "div", (f"q[{k}]", "p[0]")) for k in range(3)]
    turned = [Instruction(f"turned{k}", "mul", (f"over{k}", f"w[{k}]")) for k in range(3)]
    body = StraightLine((*quotients, *turned), ("turned0", "turned1", "turned2"), ())
    found = constants_outside(body, ("p[",))
    assert sorted(i.operator for i in found.instructions) == ["div"] + 6 * ["mul"]
    assert (products(found), factors(found)) == (3, 6)


def test_zero_divided_by_a_constant_is_omitted() -> None:
    with sympy.evaluate(False):
        body = line(((Q[0] - Q[0]) / P[0]) * Q[1] + Q[2])
    found = constants_outside(body, ("p[",))
    assert (found.instructions, found.outputs) == ((), ("q[2]",))


def test_cancelling_terms_are_omitted() -> None:
    with sympy.evaluate(False):
        body = line((2 * Q[0]) * Q[1] - Q[0] * (2 * Q[1]) + P[0])
    found = constants_outside(body, ("p[",))
    assert (products(found), found.outputs) == (0, ("p[0]",))


terms = st.lists(
    st.tuples(numbers.filter(bool), st.sampled_from([*P, 1]), st.sampled_from(Q), st.sampled_from([*W, *Q, 1])),
    min_size=1,
    max_size=6,
)


@given(st.lists(terms, min_size=1, max_size=3), st.lists(numbers, min_size=9, max_size=9))
def test_values_are_unchanged(stated: list[list[tuple[Fraction, Expr, Expr, Expr]]], point: list[Fraction]) -> None:
    """Of binary fractions, which constants hold exactly."""
    sums = []
    for row in stated:
        with sympy.evaluate(False):
            parts = [(Rational(round(8 * c), 8) * p * x) * y for c, p, x, y in row]
        sums.append(sum(parts, sympy.Integer(0)))
    body = line(*sums, sums[0] * sums[-1])
    values = dict(zip(PLACES.values(), point, strict=True))
    found = constants_outside(body, ("p[",))
    assert exact(found, values) == exact(body, values)
    assert factors(found) <= factors(body) or products(found) <= products(body)


def moving_operations(body: StraightLine) -> int:
    """Operations on values that are not constant."""
    fixed = {o for i in body.instructions for o in i.operands if isinstance(o, float) or o.startswith("p[")}
    for i in body.instructions:
        if fixed.issuperset(i.operands):
            fixed.add(i.target)
    return sum(i.target not in fixed for i in body.instructions)


def rotated(transposed: bool) -> list[Expr]:
    """(R X) w or (R X)ᵀ w, with a moving matrix R and a constant one X, as in B v and Bᵀ λ of a lever."""
    X = sympy.Matrix(3, 3, [0, -P[1], P[0], P[1], 0, -P[0] * P[1], -P[0], P[0] * P[1], 0])
    R = sympy.Matrix(3, 3, lambda i, j: 2 * Q[min(i, j)] * Q[max(i, j) + 1] + Q[i] * Q[3])
    B = R * X
    return list((B.T if transposed else B) * sympy.Matrix(W))


@pytest.mark.parametrize("transposed", [False, True])
def test_constant_matrices_multiply_the_shorter_operand(transposed: bool) -> None:
    """R (X w) instead of (R X) w, and Xᵀ (Rᵀ w) instead of (R X)ᵀ w: variable factors take fewer operations."""
    body = line(*rotated(transposed))
    before, found = stated_again(body, ("p[",), distributes=False), constants_outside(body, ("p[",))
    assert (products(before), products(found)) == (15, 15)
    # Nine entries of R X have three operations each, and three of X w; Xᵀ (Rᵀ w) takes a sign less.
    assert moving_operations(before) - moving_operations(found) == 27 - 9 + transposed
    rng = np.random.default_rng(1)
    for _ in range(20):
        values = {name: Fraction(int(n), 16) for name, n in zip(PLACES.values(), rng.integers(-99, 99, 9), strict=True)}
        assert exact(found, values) == exact(body, values)


def test_product_of_a_sum_is_not_expanded() -> None:
    body = line((P[0] * Q[0] + P[1] * Q[1]) * W[0] + Q[2] * Q[3])
    assert products(constants_outside(body, ("p[",))) == products(body) == 2


@given(st.lists(terms, min_size=2, max_size=4), st.lists(numbers, min_size=9, max_size=9))
def test_products_of_sums_keep_their_values(
    stated: list[list[tuple[Fraction, Expr, Expr, Expr]]], point: list[Fraction]
) -> None:
    """Of sums whose constants differ, that are used once or twice, and that meet in further sums."""
    sums = [sum((Rational(round(8 * c), 8) * p * x * y for c, p, x, y in row), sympy.Integer(0)) for row in stated]
    first = sums[0] * W[0] - sums[1] * W[1] + sums[-1] * Q[0]
    body = line(first, sums[0] * W[0] + sums[0] * sums[1], -sums[1] * sums[-1])
    values = dict(zip(PLACES.values(), point, strict=True))
    for distributes in (False, True):
        assert exact(stated_again(body, ("p[",), distributes=distributes), values) == exact(body, values)


def hamilton(p: list[Expr], r: list[Expr]) -> list[Expr]:
    """p∘r by the definition."""
    a, b, c, d = p
    w, x, y, z = r
    return [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]


@pytest.mark.parametrize("vector_first", [False, True])
@pytest.mark.parametrize("scale", [Rational(1, 2), Rational(-1, 4), Rational(1)])
def test_quaternion_rotation_has_seven_products(vector_first: bool, scale: Expr) -> None:
    q, w = list(Q), [sympy.Integer(0), *W]
    body = line(*(scale * x for x in (hamilton(w, q) if vector_first else hamilton(q, w))))
    found = constants_outside(body, ())
    assert (products(body), products(found)) == (12, 7)
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = {name: Fraction(int(n), 16) for name, n in zip(PLACES.values(), rng.integers(-99, 99, 9), strict=True)}
        assert exact(found, values) == exact(body, values)


def test_sums_of_all_signs_are_recognised() -> None:
    """Also for sums other than quaternion products, if they have twelve terms of one size."""
    pairs = [[(i, i ^ k) for i in range(4) if i != k] for k in range(4)]
    values = {name: Fraction(3 * k + 1, 4) for k, name in enumerate(PLACES.values())}
    for signs in product([1, -1], repeat=6):
        of_all = (*signs, *signs[::-1])
        rows = [
            sum((of_all[3 * k + m] * Q[i] * W[j - 1] for m, (i, j) in enumerate(row)), sympy.Integer(0))
            for k, row in enumerate(pairs)
        ]
        body = line(*rows)
        found = constants_outside(body, ())
        assert exact(found, values) == exact(body, values)
        assert products(found) <= 8


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: [rows[0] + Q[0] * W[0], *rows[1:]],
        lambda rows: [2 * rows[0], *rows[1:]],
        lambda rows: [rows[1], rows[0], *rows[2:]],
        lambda rows: rows[:3],
    ],
)
def test_other_products_are_unchanged(change: object) -> None:
    assert callable(change)
    body = line(*change(hamilton(list(Q), [sympy.Integer(0), *W])))
    assert products(constants_outside(body, ())) == products(body)


def test_unit_quaternion_rates_are_simplified() -> None:
    """q' = ½ q∘(0, Ω), as the group derives it."""
    program = Program()
    found = constants_outside(flatten(program, S3.storage_tangent(program, Q, W), PLACES), ())
    assert products(found) == 7
