"""Compromises between contradictory velocities do not depend on the basis of equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.sparse import csr_array

from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.compromise import compromise
from tests import tolerances

UNKNOWNS, FIXED, RIGID = 8, 2, 6
"""Numbers of unknowns and of equations; the remaining two motions cannot satisfy three equations of a group."""

GROUPS = np.array([0, 0, 0, 1])


def problem() -> tuple[Array, Array, Array, Array]:
    """Equations C, A, targets c and the metric D; the motion that defines c satisfies the first rows of C."""
    draw = np.random.default_rng(3)
    rigid, equations = draw.standard_normal((RIGID, UNKNOWNS)), draw.standard_normal((len(GROUPS), UNKNOWNS))
    root = draw.standard_normal((UNKNOWNS, UNKNOWNS))
    motion = null_space(rigid[:FIXED]) @ draw.standard_normal(UNKNOWNS - FIXED)
    return rigid, equations, equations @ motion, root @ root.T + np.eye(UNKNOWNS)


def solved(rigid: Array, equations: Array, target: Array, metric: Array) -> Array:
    parts = (csr_array(x) for x in (rigid[:FIXED], rigid, equations))
    return compromise(*parts, target, GROUPS, csr_array(metric))


def test_compromise_is_independent_of_bases() -> None:
    """Of the equations of a group, and of the unknowns."""
    rigid, equations, target, metric = problem()
    expected = solved(rigid, equations, target, metric)
    assert np.abs(rigid @ expected).max() < tolerances.REDUCED < np.abs(equations @ expected - target).max()
    draw = np.random.default_rng(4)
    basis = np.eye(len(GROUPS))
    basis[:3, :3] = draw.standard_normal((3, 3))
    found = solved(rigid, basis @ equations, basis @ target, metric)
    assert found == pytest.approx(expected, abs=tolerances.REDUCED)
    other = np.eye(UNKNOWNS) + 0.2 * draw.standard_normal((UNKNOWNS, UNKNOWNS))
    found = solved(rigid @ other, equations @ other, target, other.T @ metric @ other)
    assert other @ found == pytest.approx(expected, abs=tolerances.REDUCED)


def test_attainable_equations_are_satisfied() -> None:
    rigid, equations, _, metric = problem()
    free = null_space(rigid)
    target = equations @ free[:, 0]
    found = solved(rigid, equations, target, metric)
    np.testing.assert_allclose(found, free[:, 0], atol=tolerances.REDUCED)
