"""Groups as a person states them, each in a few lines: by matrices, by storage, by an action."""

from __future__ import annotations

import functools

from sympy import Matrix, eye, zeros

import symlie as sl
from symlie.groups.classical.coordinates import in_coordinates
from symlie.groups.group import LieGroup


def unit(n: int, i: int, j: int) -> Matrix:
    """The matrix with a one in row i and column j."""
    result = zeros(n, n)
    result[i, j] = 1
    return result


def turn(n: int, i: int, j: int) -> Matrix:
    """The generator of rotations from axis i to axis j."""
    return unit(n, j, i) - unit(n, i, j)


def rotations(n: int) -> list[Matrix]:
    """Rotations about the first three axes."""
    return [turn(n, 1, 2), turn(n, 2, 0), turn(n, 0, 1)]


def extended_poses() -> LieGroup:
    """SE₂(3): orientation, velocity, position."""
    return sl.semidirect_product(sl.S3, sl.group_from_name("R3xR3"), lambda a: a.R, name="SE2_3")


def extended_pose_matrices() -> LieGroup:
    """The same as 5 × 5 matrices."""
    spatial = [unit(5, i, 3) for i in range(3)] + [unit(5, i, 4) for i in range(3)]
    return sl.matrix_group(
        "SE23",
        [*rotations(5), *spatial],
        storage={"R": (slice(0, 3), slice(0, 3)), "u": (slice(0, 3), 3), "x": (slice(0, 3), 4)},
        velocity={"Omega": 3, "A": 3, "U": 3},
        rotation=lambda X: X[:3, :3],
    )


def special_linear() -> LieGroup:
    """SL(2): 2 × 2 matrices of determinant one."""
    return sl.matrix_group(
        "SL2",
        [unit(2, 0, 0) - unit(2, 1, 1), unit(2, 0, 1), unit(2, 1, 0)],
        relations=lambda X: [X.det() - 1],
        normalize=lambda X: X - (X.det() - 1) * X / 2,
    )


def rotations_of_four_dimensions() -> LieGroup:
    """SO(4)."""
    return sl.matrix_group("SO4", [turn(4, j, i) for i in range(4) for j in range(i)])


def similarities() -> LieGroup:
    """Sim(3): rotation, translation and scale."""
    scale = unit(4, 0, 0) + unit(4, 1, 1) + unit(4, 2, 2)
    return sl.matrix_group(
        "Sim3",
        [*rotations(4), *[unit(4, i, 3) for i in range(3)], scale],
        storage={"S": (slice(0, 3), slice(0, 3)), "x": (slice(0, 3), 3)},
        velocity={"Omega": 3, "U": 3, "sigma": 1},
    )


def galilei() -> LieGroup:
    """Galilean transformations: rotation, boost, translation, time."""
    events = [unit(5, i, 3) for i in range(3)] + [unit(5, i, 4) for i in range(3)]
    return sl.matrix_group("Galilei", [*rotations(5), *events, unit(5, 3, 4)], rotation=lambda X: X[:3, :3])


def heisenberg() -> LieGroup:
    """The Heisenberg group in polarised coordinates."""
    return sl.lie_group(
        "Heisenberg",
        storage={"x": 1, "y": 1, "z": 1},
        compose=lambda a, b: (a.x + b.x, a.y + b.y, a.z + b.z + a.x * b.y),
        inverse=lambda a: (-a.x, -a.y, -a.z + a.x * a.y),
        identity=(0, 0, 0),
    )


def affine_line() -> LieGroup:
    """x ↦ a x + b with a > 0."""
    return sl.lie_group(
        "AffineLine",
        storage={"a": 1, "b": 1},
        compose=lambda g, h: (g.a * h.a, g.b + g.a * h.b),
        inverse=lambda g: (1 / g.a, -g.b / g.a),
        identity=(1, 0),
    )


def frames() -> LieGroup:
    """SE(3) once more, by storage and composition."""
    return sl.lie_group(
        "Frames",
        storage={"R": (3, 3), "x": 3},
        velocity={"Omega": 3, "U": 3},
        compose=lambda a, b: (a.R * b.R, a.x + a.R * b.x),
        inverse=lambda a: (a.R.T, -a.R.T * a.x),
        identity=(eye(3), zeros(3, 1)),
        basis=sl.SE3.basis,
        relations=lambda a: (a.R.T * a.R - eye(3),),
        normalize=lambda a: (a.R - a.R * (a.R.T * a.R - eye(3)) / 2, a.x),
        rotation=lambda a: a.R,
    )


def stored_angles() -> LieGroup:
    """Rotations that are stored as Euler angles."""
    return in_coordinates(sl.SO3, "euler_angles", step="lie")


_FACTORIES = {
    "euler_angles_lie": stored_angles,
    "SE2_3": extended_poses,
    "SE23": extended_pose_matrices,
    "SL2": special_linear,
    "SO4": rotations_of_four_dimensions,
    "Sim3": similarities,
    "Galilei": galilei,
    "Heisenberg": heisenberg,
    "AffineLine": affine_line,
    "Frames": frames,
}

SAMPLES = tuple(_FACTORIES)

GENERAL = {"SL2": 0.35, "SO4": 0.5, "Sim3": 0.6, "AffineLine": 0.5}
"""Groups whose spectra are not {0, ±iω}, and by how much shorter their vectors must be to stay where log converges."""


@functools.cache
def sample(name: str) -> LieGroup:
    """The group of this name, defined once."""
    return _FACTORIES[name]()
