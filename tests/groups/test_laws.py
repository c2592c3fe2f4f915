"""Laws that every group must obey, for all standard groups; nothing here knows a closed form."""

from __future__ import annotations

import math
import random

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

from symlie.errors import UnknownNameError
from symlie.groups.standard import group_from_name
from tests import tolerances
from tests.evaluation import distance
from tests.groups.numeric import (
    EVERY,
    PLANAR,
    ROTATING,
    Numbers,
    NumericGroup,
    add,
    algebra_vectors,
    columns,
    derivative,
    dot,
    matrix_distance,
    numeric,
    random_element,
    random_vector,
    scaled,
    times,
    unit,
)

ANGLES = (1e-3, 0.05, 0.5, 1.0, 2.0, 3.0)
every_group = pytest.mark.parametrize("name", EVERY)


def draw(data: st.DataObject, group: NumericGroup, longest: float = 3.0) -> Numbers:
    """An algebra vector."""
    return data.draw(algebra_vectors(group.group.dimension, longest * group.scale))


@pytest.mark.slow
@every_group
@given(data=st.data())
def test_group_axioms_hold(name: str, data: st.DataObject) -> None:
    group = numeric(name)
    a, b, c = (group.exp(draw(data, group)) for _ in range(3))
    left = group.compose(group.compose(a, b), c)
    assert distance(left, group.compose(a, group.compose(b, c))) < group.tolerance
    assert distance(group.compose(a, group.inverse(a)), group.identity) < group.tolerance
    assert distance(group.compose(group.inverse(a), a), group.identity) < group.tolerance
    assert distance(group.inverse(group.compose(a, b)), group.compose(group.inverse(b), group.inverse(a))) < (
        group.tolerance
    )
    assert distance(group.between(a, b), group.compose(group.inverse(a), b)) < group.tolerance
    assert distance(group.compose(a, group.identity), a) < group.tolerance
    assert distance(group.compose(group.identity, a), a) < group.tolerance


@pytest.mark.slow
@pytest.mark.parametrize("name", [g for g in EVERY if numeric(g).relations(numeric(g).identity)])
@given(data=st.data())
def test_relations_vanish_on_the_group_only(name: str, data: st.DataObject) -> None:
    group = numeric(name)
    a = group.compose(group.exp(draw(data, group)), group.exp(draw(data, group)))
    zeros = [mpf(0)] * len(group.relations(a))
    assert distance(group.relations(a), zeros) < group.tolerance
    assert distance(group.relations(scaled(1.01, a)), zeros) > 0.01


@pytest.mark.parametrize("name", [pytest.param(g, marks=pytest.mark.slow) if g == "SO4" else g for g in EVERY])
@given(data=st.data())
def test_exponential_and_logarithm_are_inverse(name: str, data: st.DataObject) -> None:
    group = numeric(name)
    theta = draw(data, group)
    assert distance(group.log(group.exp(theta)), theta) < group.tolerance
    a = group.compose(group.exp(draw(data, group, 1.5)), group.exp(draw(data, group, 1.5)))
    assert distance(group.exp(group.log(a)), a) < group.tolerance


@pytest.mark.slow
@every_group
@given(data=st.data())
def test_exponential_is_a_one_parameter_subgroup(name: str, data: st.DataObject) -> None:
    group = numeric(name)
    theta = draw(data, group)
    s, t = mpf("0.375"), mpf("-1.25")
    product = group.compose(group.exp(scaled(s, theta)), group.exp(scaled(t, theta)))
    assert distance(product, group.exp(scaled(s + t, theta))) < group.tolerance
    assert distance(group.exp(scaled(-1, theta)), group.inverse(group.exp(theta))) < group.tolerance


@every_group
def test_basis_is_the_derivative_of_exp(name: str) -> None:
    group = numeric(name)
    w = random_vector(group.group.dimension, 1)
    basis = [sum((mpf(int(2 * c)) / 2 * x for c, x in zip(row, w, strict=True)), mpf(0))
             for row in group.group.basis.tolist()]  # fmt: skip
    assert distance(derivative(lambda h: group.exp(scaled(h, w))), basis) < group.difference


@pytest.mark.slow
@every_group
@given(data=st.data())
def test_adjoint_is_conjugation(name: str, data: st.DataObject) -> None:
    group = numeric(name)
    a, w = group.exp(draw(data, group)), draw(data, group)
    conjugated = group.compose(a, group.exp(w), group.inverse(a))
    assert distance(conjugated, group.exp(group.adjoint(a, w))) < group.tolerance


@pytest.mark.slow
@every_group
@given(data=st.data())
def test_adjoint_is_a_homomorphism(name: str, data: st.DataObject) -> None:
    group = numeric(name)
    a, b = group.exp(draw(data, group)), group.exp(draw(data, group))
    w, m = draw(data, group), draw(data, group)
    product = group.adjoint(group.compose(a, b), w)
    assert distance(product, group.adjoint(a, group.adjoint(b, w))) < group.tolerance
    assert distance(group.adjoint(group.identity, w), w) == 0
    assert abs(dot(m, group.adjoint(a, w)) - dot(group.adjoint(a, m, transpose=True), w)) < group.tolerance


@pytest.mark.slow
@every_group
@given(data=st.data())
def test_bracket_is_the_commutator(name: str, data: st.DataObject) -> None:
    group = numeric(name)
    u, v, w = (draw(data, group) for _ in range(3))
    jacobi = add(group.ad(u, group.ad(v, w)), group.ad(v, group.ad(w, u)), group.ad(w, group.ad(u, v)))
    assert distance(jacobi, [mpf(0)] * len(u)) < group.tolerance
    assert distance(group.ad(u, v), scaled(-1, group.ad(v, u))) == 0
    assert abs(dot(w, group.ad(u, v)) - dot(group.ad(u, w, transpose=True), v)) < group.tolerance
    a = group.exp(draw(data, group))
    carried = group.ad(group.adjoint(a, u), group.adjoint(a, v))
    assert distance(group.adjoint(a, group.ad(u, v)), carried) < group.tolerance


@pytest.mark.slow
@every_group
@pytest.mark.parametrize("length", [1e-7, 0.7, 3.0])
def test_adjoint_of_exp_is_the_exponential_of_ad(name: str, length: float) -> None:
    group = numeric(name)
    theta = group.vector(length, 2)
    a = group.exp(theta)
    expected = mpmath.expm(group.matrix_of(lambda w: group.ad(theta, w)))
    assert matrix_distance(group.matrix_of(lambda w: group.adjoint(a, w)), expected) < group.tolerance


@pytest.mark.slow
@every_group
@pytest.mark.parametrize("length", ANGLES)
def test_tangent_operator_is_the_derivative_of_exp(name: str, length: float) -> None:
    group = numeric(name)
    n = group.group.dimension
    theta, w = group.vector(length, 3), random_vector(n, 4)
    rate = derivative(lambda h: group.exp(add(theta, scaled(h, w))))
    left = group.storage_tangent(group.exp(theta), group.tangent(theta, w))
    assert distance(left, rate) < group.difference
    # The right-trivialised derivative is dexp_θ = T(-θ).
    right = group.adjoint(group.inverse(group.exp(theta)), group.tangent(theta, w, negative=True))
    assert distance(right, group.tangent(theta, w)) < group.tolerance


@pytest.mark.slow
@every_group
@pytest.mark.parametrize("length", [0.0, 1e-7, *ANGLES])
def test_tangent_operator_variants_are_consistent(name: str, length: float) -> None:
    group = numeric(name)
    n = group.group.dimension
    theta, w, m = group.vector(length, 5), random_vector(n, 6), random_vector(n, 7)
    minus = scaled(-1, theta)
    for negative in (False, True):
        forth = group.tangent(theta, w, negative=negative)
        back = group.tangent(theta, w, negative=negative, inverse=True)
        assert distance(group.tangent(theta, forth, negative=negative, inverse=True), w) < group.tolerance
        assert distance(group.tangent(theta, back, negative=negative), w) < group.tolerance
        for inverse, value in ((False, forth), (True, back)):
            opposite = group.tangent(minus, w, negative=not negative, inverse=inverse)
            assert distance(opposite, value) < group.tolerance
            transposed = group.tangent(theta, m, negative=negative, inverse=inverse, transpose=True)
            assert abs(dot(m, value) - dot(transposed, w)) < group.tolerance
    assert distance(group.tangent(theta, theta), theta) < group.tolerance


@every_group
def test_storage_tangent_is_the_left_translation(name: str) -> None:
    group = numeric(name)
    a, v = random_element(group, 8), random_vector(group.group.dimension, 9)
    rate = derivative(lambda h: group.compose(a, group.exp(scaled(h, v))))
    assert distance(group.storage_tangent(a, v), rate) < group.difference
    gradient = random_vector(group.group.storage_dimension, 10)
    pulled = group.storage_cotangent(a, gradient)
    assert abs(dot(gradient, group.storage_tangent(a, v)) - dot(pulled, v)) < group.tolerance


@pytest.mark.parametrize("name", ROTATING)
def test_angular_velocity_is_body_fixed(name: str) -> None:
    """R' = R Ω̃, also on S³ where the storage moves half as fast."""
    group = numeric(name)
    a, v = random_element(group, 11), random_vector(group.group.dimension, 12)
    omega = v[:3]
    skew = columns([cross(omega, unit(3, i)) for i in range(3)])
    rate = derivative(lambda h: list(group.rotation(group.compose(a, group.exp(scaled(h, v))))))
    assert distance(rate, list(group.rotation(a) * skew)) < group.difference


@pytest.mark.parametrize("name", PLANAR)
def test_planar_rotations_are_correct(name: str) -> None:
    """R' = R Ω J with the quarter turn J, for angles of any size on SO2 and below 2π on SE2."""
    group = numeric(name)
    a, v = random_element(group, 11), random_vector(group.group.dimension, 12)
    rate = derivative(lambda h: list(group.rotation(group.compose(a, group.exp(scaled(h, v))))))
    quarter_turn = mpmath.matrix([[0, -v[0]], [v[0], 0]])
    assert distance(rate, list(group.rotation(a) * quarter_turn)) < group.difference
    for angle in (mpf(-3), mpf(5), mpf(6)):
        turned = group.exp([angle, *[mpf(0)] * (group.group.dimension - 1)])
        assert distance(turned[:2], [mpmath.cos(angle), mpmath.sin(angle)]) < group.tolerance


@pytest.mark.parametrize("name", ["SE3", "S3sR3", "SE2"])
def test_velocity_of_rigid_motions_is_body_fixed(name: str) -> None:
    """x' = R U, and the rotation part of a composition is the product of rotations."""
    group = numeric(name)
    a, b = random_element(group, 13), random_element(group, 14)
    n = group.group.dimension
    v, space = random_vector(n, 15), 2 if name == "SE2" else 3
    moved = group.storage_tangent(a, v)[-space:]
    assert distance(moved, times(group.rotation(a), v[n - space :])) < group.tolerance
    product = group.rotation(group.compose(a, b))
    assert matrix_distance(product, group.rotation(a) * group.rotation(b)) < group.tolerance


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("size", [1e-3, 1e-6, 1e-9])
def test_normalize_converges_quadratically(name: str, size: float) -> None:
    group = numeric(name)
    a = random_element(group, 16)
    assert distance(group.normalize(a), a) < group.tolerance
    perturbed = add(a, scaled(size, random_vector(len(a), 17)))
    if not group.relations(a):
        assert group.normalize(perturbed) == perturbed
        return
    zeros = [mpf(0)] * len(group.relations(a))
    before = distance(group.relations(perturbed), zeros)
    after = distance(group.relations(group.normalize(perturbed)), zeros)
    assert size / 100 < before
    assert after < tolerances.NORMALIZE_FACTOR * before**2


@every_group
def test_fields_cover_storage_and_velocity(name: str) -> None:
    group = numeric(name).group
    for fields, size in (
        (group.storage_fields, group.storage_dimension),
        (group.velocity_fields, group.dimension),
    ):
        assert [f.offset for f in fields] == [sum(math.prod(g.shape) for g in fields[:i]) for i in range(len(fields))]
        assert sum(f.size for f in fields) == size
        assert len({f.name for f in fields}) == len(fields)


def test_direct_product_is_componentwise() -> None:
    product, rotation, translation = numeric("SO3xR3"), numeric("SO3"), numeric("R3")
    theta = random_vector(6, 18)
    expected = rotation.exp(theta[:3]) + translation.exp(theta[3:])
    assert distance(product.exp(theta), expected) < tolerances.IDENTITY
    a, b = random_element(product, 19), random_element(product, 20)
    assert product.compose(a, b) == rotation.compose(a[:9], b[:9]) + translation.compose(a[9:], b[9:])
    assert [f.name for f in group_from_name("SO3xSO3").velocity_fields] == ["Omega1", "Omega2"]


@pytest.mark.parametrize("name", ["SO5", "R0", "R", "SO3x", "", "so3"])
def test_unknown_groups_are_named_in_the_error(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"Unknown group '{name}'"):
        group_from_name(name)


def test_logarithm_near_pi_is_accurate() -> None:
    """The pivot of the quaternion must be chosen by size: each axis in turn, 1e-9 below π."""
    group = numeric("SO3")
    generator = random.Random(21)
    for axis in range(3):
        theta = [mpf(generator.uniform(-1, 1)) / 10 for _ in range(3)]
        theta[axis] = mpf(1)
        theta = scaled((mpmath.pi - mpf("1e-9")) / mpmath.norm(theta), theta)
        assert distance(group.log(group.exp(theta)), theta) < tolerances.IDENTITY


def cross(a: Numbers, b: Numbers) -> Numbers:
    """a × b."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
