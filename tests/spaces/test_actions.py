"""Manifolds with a group action: laws, generators, and the fields that follow from vector fields and Hamiltonians."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import symlie as sl
from symlie.errors import GroupError
from symlie.groups.group import storage_symbols
from symlie.groups.homogeneous import HomogeneousSpace, algebra_map, check_action, generator
from symlie.groups.validation import elements
from symlie.ir.program import Program
from tests.spaces.pendulum import evaluated
from tests.tolerances import SPACES

R3 = sl.real_space(3)
BUILT_IN = {
    str(space): space
    for space in (
        sl.S2,
        sl.TS2,
        sl.dual_space(sl.SO3),
        sl.dual_space(sl.SE3),
        sl.dual_space(sl.SE2, "right"),
        sl.cotangent_space(sl.SO3),
        sl.cotangent_space(sl.direct_product(sl.SO3, R3)),
        sl.translation_space(sl.SE3),
        sl.translation_space(sl.S3, "right"),
        sl.product_space(sl.TS2, sl.TS2, sl.SO3, R3),
    )
}


def point_of(space: HomogeneousSpace) -> np.ndarray:
    """A point away from the origin."""
    symbols = storage_symbols(space.group, "g"), storage_symbols(space)
    act = sympy.lambdify(symbols, list(space.action(*symbols)))
    start = np.array([float(c) for c in space.origin]) + ("dual" in space.name) * np.arange(1, len(space.origin) + 1)
    y = np.array(act(elements(space.group, 1)[0], start), dtype=float)
    # Numerical elements are in the group up to 1e-9 only.
    return np.array(sympy.lambdify([symbols[1]], list(space.normalize(symbols[1])))(y), dtype=float)


@pytest.mark.parametrize("name", BUILT_IN)
def test_relations_vanish_on_the_space_alone(name: str) -> None:
    """At one point, but not at the same multiple of it."""
    space = BUILT_IN[name]
    y = [sympy.Float(x) for x in point_of(space)]
    assert all(abs(r) < SPACES for r in space.relations(y))
    apart = [abs(r) for r in space.relations([sympy.Rational(5, 4) * x for x in y])]
    assert not apart or max(apart) > SPACES


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_spaces_are_actions(name: str) -> None:
    check_action(BUILT_IN[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_field_that_follows_from_a_vector_field_generates_it(name: str) -> None:
    space = BUILT_IN[name]
    y = storage_symbols(space)
    point = dict(zip(y, point_of(space), strict=True))
    matrix = np.array(generator(space).subs(point).tolist(), dtype=float)
    if space.lift is None and np.linalg.matrix_rank(matrix) < len(y) and not space.relations(y):
        with pytest.raises(GroupError, match="define f itself"):
            algebra_map(space, Program(), y, [sympy.Integer(1)] * len(y))
        return
    xi = np.linspace(-1, 1, space.dimension)
    rates = matrix @ xi
    symbols = sympy.symbols(f"F:{len(y)}", real=True)
    f = evaluated(space, symbols, dict(zip(symbols, rates, strict=True)) | point)
    assert np.abs(matrix @ f - rates).max() < SPACES


def test_minimal_generator_is_found_without_a_lift() -> None:
    plain = sl.homogeneous_space(
        "plain_TS2",
        sl.SE3,
        storage={"q": 3, "omega": 3},
        action=lambda g, y: [g.R * y.q, g.R * y.omega + g.x.cross(g.R * y.q)],
        origin=[0, 0, 1, 0, 0, 0],
        relations=lambda y: [y.q.dot(y.q) - 1, y.q.dot(y.omega)],
        normalize=lambda y: sl.TS2.normalize(y.components),
    )
    y = point_of(plain)
    point = dict(zip(storage_symbols(plain), y, strict=True))
    matrix = np.array(generator(plain).subs(point).tolist(), dtype=float)
    rates = matrix @ np.linspace(-1, 1, 6)
    symbols = sympy.symbols("F:6", real=True)
    f = evaluated(plain, symbols, dict(zip(symbols, rates, strict=True)) | point)
    assert np.abs(f - np.linalg.pinv(matrix) @ rates).max() < SPACES


def test_invalid_actions_are_rejected() -> None:
    def stated(**changes: object) -> None:
        keywords = {"storage": {"q": 3}, "action": lambda g, y: [g.R * y.q], "origin": [0, 0, 1]} | changes
        sl.homogeneous_space("sphere", sl.SO3, **keywords)

    with pytest.raises(GroupError, match="not a left action"):
        stated(action=lambda g, y: [g.R.T * y.q])
    stated(action=lambda g, y: [g.R.T * y.q], side="right")
    with pytest.raises(GroupError, match="has 4 components"):
        stated(action=lambda g, y: [*(g.R * y.q), 1])
    with pytest.raises(GroupError, match="vanishing of the relations"):
        stated(relations=lambda y: [y.q[0]])
    with pytest.raises(GroupError, match="from the left or from the right"):
        stated(side="top")
    with pytest.raises(GroupError, match="different sides"):
        sl.product_space(sl.translation_space(sl.SO3, "right"), sl.TS2)
    with pytest.raises(GroupError, match="4 different names"):
        sl.product_space(sl.TS2, sl.TS2, fields=["q", "omega"])
    with pytest.raises(GroupError, match="left or right translation"):
        sl.dual_space(sl.SO3, "both")
