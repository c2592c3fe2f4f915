"""Groups that are stated by a person: they come out right, and wrong statements are refused by a sentence."""

from __future__ import annotations

import math

import mpmath
import pytest
import sympy
from mpmath import mpf

import symlie as sl
from symlie.errors import GroupError
from symlie.groups.group import storage_symbols
from symlie.groups.standard import group_from_name
from symlie.ir.program import Program
from symlie.ir.straightline import flatten
from tests import tolerances
from tests.evaluation import interpret
from tests.groups.numeric import numeric, scaled, vector_of_length


def test_semidirect_products_are_what_they_say() -> None:
    """(R, x)∘(S, y) = (R S, x + R y), by components."""
    a, b = storage_symbols(sl.SE3, "a"), storage_symbols(sl.SE3, "b")
    R, S = sympy.Matrix(3, 3, a[:9]), sympy.Matrix(3, 3, b[:9])
    expected = (*(R * S), *(sympy.Matrix(a[9:]) + R * sympy.Matrix(b[9:])))
    assert sl.SE3.compose(a, b) == expected
    assert [f.name for f in sl.SE3.storage_fields] == ["R", "x"]
    assert [(f.name, f.offset) for f in sl.SE3.velocity_fields] == [("Omega", 0), ("U", 3)]


def test_an_action_on_several_spaces() -> None:
    product = sl.semidirect_product(sl.S3, group_from_name("R3xR3"), lambda a: a.R, name="Extended")
    assert [f.name for f in product.storage_fields] == ["p", "x1", "x2"]
    assert [f.name for f in product.velocity_fields] == ["Omega", "U1", "U2"]
    assert (product.storage_dimension, product.dimension) == (10, 9)


def test_wrong_actions_are_refused() -> None:
    space = sl.real_space(3)
    with pytest.raises(GroupError, match="no representation of SO3"):
        sl.semidirect_product(sl.SO3, space, lambda a: a.R.T, name="Wrong")
    with pytest.raises(GroupError, match="identity of SO3"):
        sl.semidirect_product(sl.SO3, space, lambda a: 2 * a.R, name="Wrong")
    with pytest.raises(GroupError, match="2 × 2 matrix; on R3"):
        sl.semidirect_product(sl.SO2, space, lambda a: a.R, name="Wrong")
    with pytest.raises(GroupError, match="not on SO3"):
        sl.semidirect_product(sl.SO3, sl.SO3, lambda a: a.R, name="Wrong")
    with pytest.raises(GroupError, match="take S3 instead of SO3rv"):
        sl.semidirect_product(sl.SO3rv, space, lambda a: a.R, name="Wrong")
    with pytest.raises(GroupError, match="'not a name'"):
        sl.semidirect_product(sl.SO3, space, lambda a: a.R, name="not a name")


@pytest.mark.parametrize("total", [1e-9, 1e-4, 3.0, math.pi, 2 * math.pi - 1e-4, 2 * math.pi - 1e-9])
def test_rotation_vectors_compose_accurately(total: float) -> None:
    """Near the angles 0 and 2π, where acos would lose half of the digits; in doubles against 50 digits."""
    group = sl.SO3rv
    a, b = storage_symbols(group, "a"), storage_symbols(group, "b")
    names = {s: s.name for s in (*a, *b)}
    line = flatten(Program(), group.compose(a, b), names)
    axis = vector_of_length(1, 3, 4)
    first = [float(c) for c in scaled(mpf(total) / 2, axis)]
    second = [float(c) for c in scaled(mpf(total) / 2 * mpf("0.99"), axis)]
    found = interpret(line, dict(zip(names.values(), [*first, *second], strict=True)))
    exact = numeric("SO3rv").compose([mpf(c) for c in first], [mpf(c) for c in second])
    assert mpmath.norm([mpf(x) - y for x, y in zip(found, exact, strict=True)]) < tolerances.COMPOSED * max(1, total)
    assert abs(mpmath.norm(exact) - mpf(total) * mpf("0.995")) < 1e-6 * total


def test_rotation_vectors_of_whole_turns_vanish() -> None:
    a = storage_symbols(sl.SO3rv, "a")
    line = flatten(Program(), sl.SO3rv.compose(a, sl.SO3rv.inverse(a)), {s: s.name for s in a})
    for length in (0.0, 1.0, math.pi, 6.0):
        values = {s.name: length * c for s, c in zip(a, (0.6, 0.0, 0.8), strict=True)}
        assert max(map(abs, interpret(line, values))) < tolerances.COMPOSED
