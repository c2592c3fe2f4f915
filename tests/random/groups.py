"""Groups of random models with their definition as matrices: built-in groups, products, and two custom groups."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence

import mpmath
from mpmath import mpf

import symlie as sl
from symlie.groups.group import LieGroup
from tests.derive.matrices import (
    MatrixGroup,
    Numbers,
    PlaneRotations,
    Product,
    Rotations,
    Semidirect,
    matrix_group,
    skew,
)

POSE = "extended_pose"
DOUBLE = "double_angle"

FREQUENT = ("R1", "R2", "R3", "SO2", "SE2", "SO3", "S3", "SE3", "S3sR3", "SO3rv")
RARE = ("SO3xR3", "S3xR3", "SO2xR1", "SO3rvxR3", "SE2xSO2", "SO3xSO2", "R2xS3", POSE, DOUBLE)
"""Groups by name; rare ones are drawn every third time."""


def _twice(rotation: mpmath.matrix) -> mpmath.matrix:
    return rotation * rotation


def _doubled(u: Sequence[mpf]) -> mpmath.matrix:
    return mpmath.matrix([[0, -2 * u[0]], [2 * u[0], 0]])


def _on_both(a: mpmath.matrix) -> mpmath.matrix:
    result = mpmath.zeros(6)
    result[:3, :3], result[3:, 3:] = a, a
    return result


@functools.cache
def group(name: str) -> LieGroup | str:
    """Argument of `Model.node`."""
    if name == POSE:
        return sl.semidirect_product(sl.SO3, sl.group_from_name("R3xR3"), lambda a: a.R, POSE)
    if name == DOUBLE:
        return sl.semidirect_product(sl.SO2, sl.real_space(2), lambda a: a.R * a.R, DOUBLE)
    return name


_STATED: dict[str, Callable[[], MatrixGroup]] = {
    POSE: lambda: Semidirect(Rotations(), 6, _on_both, lambda u: _on_both(skew(u))),
    DOUBLE: lambda: Semidirect(PlaneRotations(), 2, _twice, _doubled),
}


@functools.cache
def matrices(name: str) -> MatrixGroup:
    """The definition of the group as matrices."""
    return _STATED[name]() if name in _STATED else matrix_group(name)


def element(of: MatrixGroup, draw: random.Random, angle: float) -> Numbers:
    """A random element with a rotation angle; the identity if the angle is zero."""
    if isinstance(of, Product):
        return [c for factor in of.factors for c in element(factor, draw, angle)]
    direction = [mpf(draw.uniform(-1, 1)) for _ in range(of.angular)]
    norm = mpmath.norm(direction) if direction else mpf(1)
    turned = [c * angle / norm for c in direction] if norm else direction
    moved = [mpf(draw.uniform(-1, 1)) * int(angle != 0) for _ in range(of.dimension - of.angular)]
    return of.exp([*turned, *moved])
