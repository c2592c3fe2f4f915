"""Redundant constraints: a smallest dependent set is reported, however many other constraints exist."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, eye_array, vstack

import symlie as sl
from symlie.errors import RedundantConstraintsError
from symlie.runtime.linear import redundancy
from symlie.runtime.linear.redundancy import smallest_dependency

ROUND_OFF = 1e-9
"""Singular values of small matrices of small whole numbers below it are zero."""

CORNERS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
AXES = (1, 2, 0, 1, 2, 0)


def unit(matrix: NDArray[np.float64]) -> csr_array:
    """The matrix with normalised rows."""
    return csr_array(matrix / np.linalg.norm(matrix, axis=1)[:, None])


def rank(matrix: NDArray[np.float64]) -> int:
    """Number of independent rows."""
    return int(np.linalg.matrix_rank(matrix, tol=ROUND_OFF))


def size_of_the_smallest(matrix: NDArray[np.float64]) -> int | None:
    """Size of the smallest dependent set of rows, by trying all sets."""
    for size in range(2, len(matrix) + 1):
        for rows in itertools.combinations(range(len(matrix)), size):
            if rank(matrix[list(rows)]) < size:
                return size
    return None


@pytest.mark.slow
@pytest.mark.parametrize("most_tried", [redundancy.MOST_TRIED, 0])
def test_small_dependent_sets_are_found(most_tried: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All sets of rows of 40 random matrices: the reported set is irreducible, and smallest where it is called so."""
    monkeypatch.setattr(redundancy, "MOST_TRIED", most_tried)
    random = np.random.default_rng(1)
    dependent = 0
    for _ in range(40):
        shape = random.integers(4, 10), random.integers(3, 9)
        matrix = random.integers(-2, 3, shape) * (random.random(shape) < 0.6)
        rows = unit(matrix[np.any(matrix != 0, axis=1)].astype(float))
        found, size = smallest_dependency(rows), size_of_the_smallest(rows.toarray())
        assert (found is None) == (size is None)
        if found is None:
            continue
        dependent += 1
        assert found.dependencies == rows.shape[0] - rank(rows.toarray())
        named = rows.toarray()[list(found.rows)]
        for without in (named, *(np.delete(named, k, axis=0) for k in range(len(named)))):
            assert rank(without) == len(named) - 1
        assert len(named) == size or not (found.is_smallest or most_tried)
    assert dependent > 10


def test_few_dependencies_among_thousands_are_found() -> None:
    """Three planted sets, two of which overlap, in a band matrix of 2 000 rows: the smallest is found at once."""
    random = np.random.default_rng(2)
    count = 2_000
    band = diags_array([random.normal(size=count - k) for k in range(8)], offsets=[-k for k in range(8)])
    independent = (band + 8 * eye_array(count)).tocsr()
    planted = [(5, 9, 12), tuple(range(100, 107)), tuple(range(103, 111))]
    sums = [independent[list(rows)].sum(axis=0)[None, :] for rows in planted]
    whole = vstack([independent, *map(csr_array, sums)]).tocsr()
    scale = 1 / np.sqrt(whole.multiply(whole).sum(axis=1))
    found = smallest_dependency(diags_array(scale) @ whole)
    assert found is not None
    assert found == ((5, 9, 12, count), True, 3)
    assert smallest_dependency(diags_array(scale[:-3]) @ independent) is None


def test_reported_dependencies_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies behind them may be smaller, unless two rows are enough."""
    monkeypatch.setattr(redundancy, "MOST_DEPENDENCIES", 3)
    found = smallest_dependency(csr_array(np.tile(np.eye(20), (2, 1))))
    assert found is not None and len(found.rows) == 2 and found.is_smallest and found.dependencies == 3


def bricard() -> sl.Model:
    """Five rods along the edges of a cube and six revolute joints, 30 rows of rank 29.

    Source: the Bricard mechanism of the IFToMM library of computational benchmark problems.
    """
    model = sl.Model("bricard")
    corners = np.array(CORNERS, dtype=float)
    centres = (corners[:-1] + corners[1:]) / 2
    rods = [model.node(f"rod{k}", sl.SE3) for k in range(5)]
    for rod, centre in zip(rods, centres, strict=True):
        model.kinetic_energy((rod.U.dot(rod.U) + rod.Omega.dot(rod.Omega) / 12) / 2)
        model.initial(rod, x=centre.tolist())

    def point(rod: int, corner: int) -> Any:
        if not 0 <= rod < len(rods):
            return sl.vector(*CORNERS[corner])
        return rods[rod].x + rods[rod].R * sl.vector(*(corners[corner] - centres[rod]))

    def direction(rod: int, axis: int) -> Any:
        fixed = sl.vector(*np.eye(3)[axis])
        return rods[rod].R * fixed if 0 <= rod < len(rods) else fixed

    for joint, axis in enumerate(AXES):
        model.constraint(f"point{joint}", point(joint - 1, joint) - point(joint, joint))
        across = [k for k in range(3) if k != axis]
        model.constraint(f"axis{joint}", [direction(joint - 1, axis).dot(direction(joint, k)) for k in across])
    return model


@pytest.mark.slow
def test_bricard_linkage_has_one_dependency() -> None:
    """The same wrench goes through all joints, with forces along all axes: all 30 rows depend on each other."""
    system = bricard().derive().compile(backend="numpy")
    with pytest.raises(RedundantConstraintsError) as error:
        _ = system.initial_state
    message = str(error.value)
    assert "redundant: rows 1, 2 and 3 of constraint 'point0', rows 1 and 2 of constraint 'axis0', " in message
    assert (
        "and equations of 6 more constraints, 30 equations in all, depend on each other (the smallest such set)"
        in message
    )
    assert "dependencies exist" not in message


def on_a_line(angle: float, backend: str) -> sl.System:
    """A particle that moves along z: rows x and x + angle y."""
    model = sl.Model("line")
    q = model.node("q", "R3")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.generalized_force(q, x_dot=[1, 0, -1])
    small = model.parameter("angle", angle)
    model.constraint("rows", [q.x[0], q.x[0] + small * q.x[1]])
    model.initial(q, x=[0, 0, 0], x_dot=[0, 0, 1])
    return model.derive().compile(backend=backend)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_nearly_dependent_constraints_are_rejected(backend: str) -> None:
    system = on_a_line(1e-10, backend)
    for angle in (1e-10, 1e-8, 3e-7):
        with pytest.raises(RedundantConstraintsError, match="rows 1 and 2 of constraint 'rows' depend on each other"):
            sl.solve(system.with_parameters(angle=angle), 1.0, h=0.1)
    assert sl.solve(system.with_parameters(angle=1e-5), 1.0, h=0.1).v[-1, 2] == pytest.approx(0.0, abs=1e-12)
