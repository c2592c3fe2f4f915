"""Functions of generated NumPy modules, compared with their definitions."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symlie.utilities.paths import template_folder
from tests import evaluation, tolerances

ABSCISSA = np.array([-1.0, -0.25, 0.5, 2.0, 3.5])
VALUE = np.array([2.0, -1.0, 4.0, 0.5, 0.75])

POINTS = np.concatenate([ABSCISSA, (ABSCISSA[1:] + ABSCISSA[:-1]) / 2, np.linspace(-1.9, 4.9, 41)])
"""Knots, and points in each interval and outside of the table."""


@pytest.fixture(scope="module")
def primitives() -> dict[str, Callable[..., Any]]:
    return runpy.run_path(str(template_folder() / "numpy" / "primitives.py"))


def test_tables_are_linear_in_each_interval(primitives: dict[str, Callable[..., Any]]) -> None:
    for name, slope in (("_interpolate", False), ("_interpolate_slope", True)):
        found = primitives[name](POINTS, ABSCISSA, VALUE)
        expected = [evaluation.interpolate(x, ABSCISSA.tolist(), VALUE.tolist(), slope=slope) for x in POINTS]
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerances.ROUNDING_OF_PRIMITIVES)


def check_intervals(begin: np.ndarray, end: np.ndarray, knots: np.ndarray) -> None:
    """Neighbouring knots around each point, or none."""
    for x, first, last in zip(POINTS, begin, end, strict=True):
        assert first == max((k for k in knots if k <= x), default=-np.inf)
        assert last == min((k for k in knots if k > x), default=np.inf)


def test_intervals_of_tables_contain_their_points(primitives: dict[str, Callable[..., Any]]) -> None:
    begin, end = (primitives[f"_interval_{side}"](POINTS, ABSCISSA, VALUE) for side in ("begin", "end"))
    check_intervals(begin, end, ABSCISSA)


@pytest.mark.parametrize("is_periodic", [False, True])
def test_intervals_of_inputs_contain_their_points(primitives: dict[str, Callable[..., Any]], is_periodic: bool) -> None:
    start, degree = 4, 1
    pieces = np.zeros((len(ABSCISSA) + 1) * (degree + 1))
    slot = np.concatenate([[start, len(ABSCISSA), -degree if is_periodic else degree, 0], ABSCISSA, pieces])
    period = ABSCISSA[-1] - ABSCISSA[0]
    knots = np.concatenate([ABSCISSA + k * period for k in (-1, 0, 1, 2)]) if is_periodic else ABSCISSA
    begin, end = (primitives[f"_input_{side}"](POINTS, slot, 0, 0) for side in ("begin", "end"))
    check_intervals(begin, end, knots)


@pytest.mark.parametrize("derivative", range(3))
def test_inputs_are_polynomials_in_each_interval(primitives: dict[str, Callable[..., Any]], derivative: int) -> None:
    """In powers of the distance from the last knot; before the first knot from this one."""
    start, degree, components = 4, 3, 2
    pieces = np.random.default_rng(1).uniform(-1, 1, (components, len(ABSCISSA) + 1, degree + 1))
    slot = np.concatenate([[start, len(ABSCISSA), degree, 0], ABSCISSA, pieces.ravel()])
    for component in range(components):
        found = primitives["_input"](POINTS, slot, component, derivative)
        for x, value in zip(POINTS, found, strict=True):
            piece = int((x >= ABSCISSA).sum())
            polynomial = np.polynomial.Polynomial(pieces[component, piece])
            expected = polynomial.deriv(derivative)(x - ABSCISSA[max(piece - 1, 0)])
            assert value == pytest.approx(expected, rel=0, abs=tolerances.ROUNDING_OF_PRIMITIVES)
