"""Tables of the matrix of implicit steps: products with T without its zeros and ones, and unknowns nothing couples."""

import numpy as np
import pytest

import symlie as sl
from symlie.models.heavy_top import build
from symlie.runtime.integrate.iteration import iteration_of
from tests import tolerances


@pytest.mark.parametrize(
    ("group", "rows", "unit"),
    [("SE3", [(0, 3), (0, 6)], []), ("S3xR3", [(0, 3)], [3, 4, 5]), ("SO3rvxR3", [(0, 3)], [3, 4, 5])],
)
def test_tangent_operator_products_are_correct(group: str, rows: list[tuple[int, int]], unit: list[int]) -> None:
    """B T by its runs and units, for any B, omitting zeros and ones of T."""
    system = build(group).derive().compile(backend="numpy")
    iteration = iteration_of(system, has_eta=False)
    tables, structure = iteration.tables, iteration.structure
    theta = np.array([0.3, -0.2, 0.5, 0.7, -0.4, 0.6])
    T = np.array([system.kernels.tangent_operator(theta, column) for column in np.eye(6)]).T
    random = np.random.default_rng(0)
    B = random.uniform(-1, 1, len(system.algebra.jacobian_rows))
    values = np.zeros(structure.values)
    runs, units = tables["PUSH_RUNS"].reshape(-1, 6), tables["PUSH_UNITS"].reshape(-1, 2)
    for first, count, to, row, numbers, stride in runs:
        part = T.ravel()[row + stride * np.arange(count)[:, None] + np.arange(numbers)]
        values[to : to + numbers] += B[first : first + count] @ part
    values[units[:, 1]] += B[units[:, 0]]
    i, j = np.indices((3, 6)).reshape(2, -1)
    product = values[structure.places(i + 6, j)].reshape(3, 6)
    np.testing.assert_allclose(product, system.algebra.jacobian_matrix(B) @ T, rtol=0, atol=tolerances.OPERATOR)
    assert sorted({(int(row % 6), int(row % 6 + numbers)) for _, _, _, row, numbers, _ in runs}) == rows
    assert sorted(set(system.algebra.jacobian_columns[units[:, 0]].tolist())) == unit


@pytest.mark.slow
def test_independent_components_are_eliminated_with_pivoting() -> None:
    """Two points that a strong gyroscopic force couples in one direction, so that their rows are exchanged."""
    model = sl.Model("points")
    a, b = (model.node(name, "R2") for name in "ab")
    model.kinetic_energy(a.x_dot.dot(a.x_dot) / 2 + b.x_dot.dot(b.x_dot))
    model.potential_energy(a.x[1] ** 2 + b.x[1] ** 4)
    model.generalized_force(a, [1e3 * b.x_dot[0], 0])
    model.generalized_force(b, [-1e3 * a.x_dot[0], 0])
    model.initial(a, x=[0.3, 0.2], x_dot=[0.1, 0.4])
    model.initial(b, x=[-0.4, 0.5], x_dot=[0.2, -0.3])
    equations = model.derive()
    compiled, interpreted = (equations.compile(backend=name) for name in ("c", "numpy"))
    assert iteration_of(compiled, has_eta=False).tables["COMPONENT"].tolist() == [0, 1, 0, 2]
    assert "COMPONENT" not in iteration_of(build("SE3").derive().compile(backend="numpy"), has_eta=False).tables
    h = 0.05
    first, second = (sl.solve(s, 1, h=h, method="generalized_alpha") for s in (compiled, interpreted))
    np.testing.assert_allclose(first.q, second.q, rtol=0, atol=tolerances.IMPLICIT_BACKENDS)
    np.testing.assert_allclose(first.v, second.v, rtol=0, atol=tolerances.IMPLICIT_BACKENDS / h)
