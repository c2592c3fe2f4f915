"""User-defined groups: they are correct, and wrong definitions are rejected with a message."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from mpmath import mpf

import symlie as sl
from symlie.derive.node_types import node_type_kernels
from symlie.errors import GroupError, ModelError
from symlie.groups.group import storage_symbols
from symlie.groups.operators import CHART_LIMIT
from symlie.groups.standard import group_from_name
from symlie.ir.program import Program
from symlie.ir.straightline import flatten
from tests import tolerances
from tests.evaluation import interpret
from tests.groups.mixed import mixed_equations
from tests.groups.numeric import NumericGroup, numeric, scaled, vector_of_length
from tests.groups.samples import GENERAL, SAMPLES, sample, turn, unit


def test_semidirect_products_match_their_definition() -> None:
    """(R, x)∘(S, y) = (R S, x + R y), by components."""
    a, b = storage_symbols(sl.SE3, "a"), storage_symbols(sl.SE3, "b")
    R, S = sympy.Matrix(3, 3, a[:9]), sympy.Matrix(3, 3, b[:9])
    expected = (*(R * S), *(sympy.Matrix(a[9:]) + R * sympy.Matrix(b[9:])))
    assert sl.SE3.compose(a, b) == expected
    assert [f.name for f in sl.SE3.storage_fields] == ["R", "x"]
    assert [(f.name, f.offset) for f in sl.SE3.velocity_fields] == [("Omega", 0), ("U", 3)]


def test_action_on_several_spaces_is_supported() -> None:
    product = sl.semidirect_product(sl.S3, group_from_name("R3xR3"), lambda a: a.R, name="Extended")
    assert [f.name for f in product.storage_fields] == ["p", "x1", "x2"]
    assert [f.name for f in product.velocity_fields] == ["Omega", "U1", "U2"]
    assert (product.storage_dimension, product.dimension) == (10, 9)


def test_invalid_actions_are_rejected() -> None:
    space = sl.real_space(3)
    with pytest.raises(GroupError, match="not a representation of SO3"):
        sl.semidirect_product(sl.SO3, space, lambda a: a.R.T, name="Wrong")
    with pytest.raises(GroupError, match="identity of SO3"):
        sl.semidirect_product(sl.SO3, space, lambda a: 2 * a.R, name="Wrong")
    with pytest.raises(GroupError, match="2 × 2 matrix; on R3"):
        sl.semidirect_product(sl.SO2, space, lambda a: a.R, name="Wrong")
    with pytest.raises(GroupError, match="not on SO3"):
        sl.semidirect_product(sl.SO3, sl.SO3, lambda a: a.R, name="Wrong")
    with pytest.raises(GroupError, match="use S3 instead of SO3rv"):
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
    assert abs(mpmath.norm(exact) - mpf(total) * mpf("0.995")) < tolerances.EPSILON * total


def test_rotation_vectors_of_full_turns_vanish() -> None:
    a = storage_symbols(sl.SO3rv, "a")
    line = flatten(Program(), sl.SO3rv.compose(a, sl.SO3rv.inverse(a)), {s: s.name for s in a})
    for length in (0.0, 1.0, math.pi, 6.0):
        values = {s.name: length * c for s, c in zip(a, (0.6, 0.0, 0.8), strict=True)}
        assert max(map(abs, interpret(line, values))) < tolerances.COMPOSED


SHIFT: dict[str, Any] = {
    "storage": {"x": 1, "y": 1, "z": 1},
    "compose": lambda a, b: (a.x + b.x, a.y + b.y, a.z + b.z + a.x * b.y),
    "inverse": lambda a: (-a.x, -a.y, -a.z + a.x * a.y),
    "identity": (0, 0, 0),
}
"""The Heisenberg group, to be broken."""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"compose": lambda a, b: (a.x + b.x, a.y + b.y, a.z + b.z + a.x * b.y**2)}, "not a Lie group"),
        ({"compose": lambda a, b: (a.x + b.x, a.y + b.y, a.z + b.z + a.x**2 * b.y)}, "fails"),
        ({"inverse": lambda a: (-a.x, -a.y, -a.z)}, "a∘a⁻¹ = e fails"),
        ({"identity": (0, 0, 1)}, "e∘a = a fails"),
        ({"identity": (0, 0)}, "identity of Wrong has 2 components; the storage has 3"),
        ({"compose": lambda a, b: (a.x + b.x, a.y + b.y)}, "composition of Wrong has 2 components"),
        ({"velocity": {"v": 2}}, "velocity of Wrong has 3 components, but its parts have 2"),
        ({"basis": sympy.eye(2)}, "needs 3 rows"),
        ({"basis": sympy.ones(3, 3)}, "linearly dependent"),
        ({"relations": lambda a: [a.x]}, "invariance of the relations under products"),
        ({"normalize": lambda a: (2 * a.x, a.y, a.z)}, "invariance of elements under normalize"),
        ({"rotation": lambda a: 2 * sympy.eye(2)}, "orthogonal"),
        ({"storage": {"x": 0}}, "at least one component"),
        ({"storage": {"no name": 3}}, "'no name'"),
    ],
)
def test_invalid_definitions_are_rejected(change: dict[str, Any], message: str) -> None:
    with pytest.raises(GroupError, match=message):
        sl.lie_group("Wrong", **(SHIFT | change))


def test_nonaffine_compositions_are_rejected() -> None:
    """Velocities of special relativity."""
    with pytest.raises(GroupError, match="not affine in its second argument; define it by matrices"):
        sl.lie_group(
            "Wrong",
            storage={"beta": 1},
            compose=lambda a, b: (a.beta + b.beta) / (1 + a.beta * b.beta),
            inverse=lambda a: -a.beta,
            identity=(0,),
        )


@pytest.mark.parametrize(
    ("basis", "options", "message"),
    [
        ([], {}, "is empty"),
        ([sympy.eye(2), sympy.eye(3)], {}, "square matrices of one size"),
        ([[[1.5, sympy.pi], [0, 1]]], {}, "rational"),
        ([unit(2, 0, 1), 2 * unit(2, 0, 1)], {}, "linearly dependent"),
        ([unit(2, 0, 1), unit(2, 1, 0)], {}, "bracket of its matrices 1 and 2"),
        ([turn(3, 0, 1)], {"storage": {"x": (0, 0)}}, r"entry \(0, 1\) of the matrices is missing"),
        ([turn(3, 0, 1)], {"inverse": lambda X: X}, "a∘a⁻¹ = e fails"),
        ([turn(3, 1, 2), turn(3, 2, 0), turn(3, 0, 1)], {"rotation": lambda X: X.T}, r"R\(a∘b\)"),
    ],
)
def test_invalid_matrices_are_rejected(basis: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(GroupError, match=message):
        sl.matrix_group("Wrong", basis, **options)


def test_groups_with_equal_names_are_rejected() -> None:
    model = sl.Model("twice")
    model.node("first", sl.matrix_group("Same", [unit(2, 0, 1)]))
    with pytest.raises(ModelError, match="Two different groups of 'twice' are called 'Same'; rename one"):
        model.node("second", sl.matrix_group("Same", [unit(2, 0, 0)]))


def run_kernel(group: NumericGroup, role: str, **inputs: list[float]) -> list[float]:
    """A node kernel of a group in doubles."""
    (kernel,) = (k for k in node_type_kernels(group.group).kernels if k.signature.name == f"{group.group.name}_{role}")
    return interpret(kernel.body, {f"{n}[{i}]": float(c) for n, v in inputs.items() for i, c in enumerate(v)})


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in ("SO4", "SE23") else n for n in SAMPLES]
)
def test_kernels_are_accurate_in_double_precision(name: str) -> None:
    """Against the exponential of the matrices of ad in 50 digits, up to the edge of the chart."""
    group = numeric(name)
    n = group.group.dimension
    for seed, size in enumerate((1e-6, 0.3, 0.6, 0.98)):
        u = [float(c) for c in vector_of_length(1, n, seed)]
        (chart,) = run_kernel(group, "chart", q=group.identity, u=u)
        if name in GENERAL:
            u = [float(c * size * math.sqrt(CHART_LIMIT / chart)) for c in u]
        w = [float(c) for c in vector_of_length(1, n, seed + 10)]
        ad = group.matrix_of(lambda x, u=u: group.ad([mpf(c) for c in u], x))
        large = mpmath.zeros(2 * n)
        large[:n, :n] = -ad
        large[:n, n:] = mpmath.eye(n)
        T = mpmath.expm(large)[:n, n:]
        inverse = mpmath.lu_solve(T, mpmath.matrix(w))
        exact = {"tangent_operator": T * mpmath.matrix(w), "inverse_tangent_operator": inverse}
        for role, expected in exact.items():
            found = run_kernel(group, role, u=u, w=w)
            error = mpmath.norm([mpf(a) - b for a, b in zip(found, expected, strict=True)])
            assert error < tolerances.KERNEL * max(1, mpmath.norm(expected)), (role, size)


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERAL)
def test_result_outside_the_domain_is_nan(name: str) -> None:
    """Beyond the edge of the chart the compiled text gives NaN, and `chart` says so before."""
    group = sample(name)
    model = sl.Model(f"edge_{name}")
    node = model.node("node", group)
    model.kinetic_energy(node.v.dot(node.v) / 2)
    model.initial(node)
    system = model.derive().compile(backend="numpy")
    u = np.array([float(c) for c in vector_of_length(1, group.dimension, 3)])
    q = np.array([float(c) for c in group.identity])
    u *= math.sqrt(float(CHART_LIMIT) / system.kernels.chart(q, u))
    assert np.all(np.isfinite(system.kernels.advance(q, 0.999 * u)))
    assert system.kernels.chart(q, 1.001 * u) > CHART_LIMIT
    with np.errstate(invalid="ignore"):
        assert np.all(np.isnan(system.kernels.advance(q, 1.001 * u)))


@pytest.mark.parametrize("scaling", ["AffineLine", pytest.param("Sim3", marks=pytest.mark.slow)])
def test_nodes_of_many_groups_can_be_combined(scaling: str) -> None:
    """Energy is conserved, and both backends agree in the first steps."""
    runs = {}
    for backend, t_end in (("numpy", 0.03), ("c", 0.2)):
        system = mixed_equations(scaling).compile(backend=backend)
        runs[backend] = sl.solve(system, t_end, method="half_explicit_5", h=5e-3)
        energy = runs[backend].outputs["energy"]
        assert float(np.ptp(energy)) < tolerances.ENERGY * abs(energy[0])
        assert float(np.abs(runs[backend].v[-1] - runs[backend].v[0]).max()) > 0.1
    assert float(np.abs(runs["c"].q[: len(runs["numpy"].q)] - runs["numpy"].q).max()) < tolerances.BACKENDS
