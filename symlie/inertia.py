"""Inertia matrices of bodies about their centre of mass, in kg m²: solids, hollow bodies, sums, and closed meshes.

All bodies are homogeneous, and all matrices have shape (3, 3). Source: [Goldstein2002], chapter 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.rotations import Rotation
from symlie.warnings import warn

__all__ = [
    "MassProperties",
    "box",
    "cylinder",
    "hollow_box",
    "hollow_cylinder",
    "hollow_sphere",
    "mesh",
    "parallel_axes",
    "rod",
    "rotated",
    "sphere",
    "total",
]

Array = NDArray[np.float64]

ROUNDING = 1e-9
"""Tolerance of physical laws for a computed or printed inertia, relative to the largest moment."""


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, centre of mass, and inertia about the centre of mass.

    Attributes
    ----------
    mass
        In kg.
    center
        Centre of mass in the axes of the vertices or parts, in m, (3,).
    inertia
        About the centre of mass, in the same axes, in kg m², (3, 3).
    """

    mass: float
    center: Array
    inertia: Array


def sphere(mass: float, radius: float) -> Array:
    """Return the inertia of a solid sphere.

    Parameters
    ----------
    mass
        In kg.
    radius
        In m.
    """
    return hollow_sphere(mass, 0.0, radius)


def hollow_sphere(mass: float, inner_radius: float, outer_radius: float) -> Array:
    """Return the inertia of a sphere with a concentric cavity, or of a shell if both radii are equal.

    Parameters
    ----------
    mass
        In kg.
    inner_radius, outer_radius
        In m.
    """
    a, b = _radii("hollow sphere", inner_radius, outer_radius)
    ratio = 2 * b**2 / 3 if a == b else 2 * (b**5 - a**5) / (5 * (b**3 - a**3))
    return _positive("sphere", "mass", mass) * ratio * np.eye(3)


def box(mass: float, sides: Sequence[float] | Array) -> Array:
    """Return the inertia of a solid box.

    Parameters
    ----------
    mass
        In kg.
    sides
        Lengths along x, y and z, in m, (3,).
    """
    squares = np.array([_positive("box", "side", s) for s in _three("sides of a box", sides)]) ** 2
    return np.diag(_positive("box", "mass", mass) / 12 * (squares.sum() - squares))


def hollow_box(mass: float, inner_sides: Sequence[float], outer_sides: Sequence[float]) -> Array:
    """Return the inertia of a box with a concentric box-shaped cavity, or of a tube if inner and outer sides are equal
    along one axis.

    Parameters
    ----------
    mass
        In kg.
    inner_sides, outer_sides
        Lengths along x, y and z, in m, (3,).
    """
    inner, outer = (_three("sides of a hollow box", s) for s in (inner_sides, outer_sides))
    if not (np.all(inner > 0) and np.all(inner <= outer) and np.any(inner < outer)):
        raise ModelError(f"A hollow box needs inner sides below the outer ones, not {list(inner)} and {list(outer)}.")
    hollow, volume = float(np.prod(inner)), float(np.prod(outer))
    density = _positive("hollow box", "mass", mass) / (volume - hollow)
    return np.subtract(box(density * volume, outer), box(density * hollow, inner))


def cylinder(mass: float, radius: float, height: float, axis: int = 2) -> Array:
    """Return the inertia of a solid cylinder, or of a disk if the height is small.

    Parameters
    ----------
    mass
        In kg.
    radius, height
        In m.
    axis
        Index of its axis: 0, 1 or 2.
    """
    return hollow_cylinder(mass, 0.0, radius, height, axis)


def hollow_cylinder(mass: float, inner_radius: float, outer_radius: float, height: float, axis: int = 2) -> Array:
    """Return the inertia of a tube, or of a hoop if both radii are equal and the height is zero.

    Parameters
    ----------
    mass
        In kg.
    inner_radius, outer_radius, height
        In m.
    axis
        Index of its axis: 0, 1 or 2.
    """
    a, b = _radii("hollow cylinder", inner_radius, outer_radius)
    if not height >= 0:
        raise ModelError(f"The height of a cylinder is {height:g}; it must not be negative.")
    about = _positive("cylinder", "mass", mass) * (a**2 + b**2) / 2
    return _about(axis, about, about / 2 + mass * height**2 / 12)


def rod(mass: float, length: float, axis: int = 2) -> Array:
    """Return the inertia of a slender rod, with zero moment about its axis.

    Parameters
    ----------
    mass
        In kg.
    length
        In m.
    axis
        Index of its axis: 0, 1 or 2.
    """
    return _about(axis, 0.0, _positive("rod", "mass", mass) * _positive("rod", "length", length) ** 2 / 12)


def parallel_axes(inertia: object, mass: float, offset: Sequence[float]) -> Array:
    """Return the inertia about another point by the parallel axis theorem.

    Parameters
    ----------
    inertia
        About the centre of mass, in kg m²: three moments or a matrix.
    mass
        In kg.
    offset
        Vector between the two points, in m, (3,).
    """
    r = _three("offset", offset)
    return inertia_matrix("inertia", inertia) + mass * (r @ r * np.eye(3) - np.outer(r, r))


def rotated(inertia: object, rotation: Rotation) -> Array:
    """Return the inertia in other axes, R J Rᵀ.

    Parameters
    ----------
    inertia
        J in the axes of a part, in kg m²: three moments or a matrix.
    rotation
        R, from the axes of the part to the new axes.
    """
    turn = np.array([float(c) for c in rotation.matrix]).reshape(3, 3)
    return np.asarray(turn @ inertia_matrix("inertia", inertia) @ turn.T)


def total(parts: Sequence[tuple[float, object, Sequence[float]]]) -> MassProperties:
    """Combine several parts into one body.

    Parameters
    ----------
    parts
        Mass, inertia about its centre of mass, and centre of mass of each part, in common axes; a negative mass with a
        negative inertia removes a part.
    """
    rows = [(float(m), inertia_matrix("inertia", j), _three("centre of mass", c)) for m, j, c in parts]
    mass = sum(m for m, _, _ in rows)
    if not mass > 0:
        raise ModelError(f"The parts of a body have a total mass of {mass:g} kg; it must be positive.")
    center = np.sum([m * c for m, _, c in rows], axis=0) / mass
    return MassProperties(mass, center, np.sum([parallel_axes(j, m, c - center) for m, j, c in rows], axis=0))


def mesh(vertices: object, triangles: object, density: float) -> MassProperties:
    """Return the exact mass properties of the body inside a closed triangle surface.

    Parameters
    ----------
    vertices
        Points of the surface, in m, (n, 3).
    triangles
        Vertex indices of each triangle, anticlockwise seen from outside, (k, 3).
    density
        In kg/m³.

    Raises
    ------
    ModelError
        If the surface is not closed, not oriented, or oriented inwards.
    """
    points, corners = np.asarray(vertices, dtype=float), np.asarray(triangles)
    if points.ndim != 2 or points.shape[1:] != (3,) or corners.ndim != 2 or corners.shape[1:] != (3,):
        raise ModelError("A mesh has vertices of three coordinates and triangles of three vertices.")
    if not np.issubdtype(corners.dtype, np.integer) or not np.all((corners >= 0) & (corners < len(points))):
        raise ModelError(f"The triangles of a mesh must be indices of its vertices, from 0 to {len(points) - 1}.")
    edges = [(int(t[k]), int(t[k - 2])) for t in corners for k in range(3)]
    known = set(edges)
    open_edge = next((e for e in edges if e[::-1] not in known), None)
    if open_edge is not None:
        raise ModelError(
            f"The mesh is not closed: the edge from vertex {open_edge[0]} to vertex {open_edge[1]} belongs to a "
            "single triangle, or to two with different orientations."
        )
    if len(known) < len(edges):
        raise ModelError("The mesh has one edge twice in the same direction; its triangles must bound one solid.")
    # Tetrahedra from the mean of the vertices avoid cancellation far from the origin.
    middle = points.mean(axis=0)
    tetrahedra = (points - middle)[corners]
    volumes = np.linalg.det(tetrahedra) / 6
    volume = float(volumes.sum())
    if not volume > 0:
        raise ModelError("The triangles of the mesh are clockwise as seen from outside; reverse all of them.")
    sums = tetrahedra.sum(axis=1)
    center = volumes @ sums / (4 * volume)
    second = np.einsum("k,kai,kaj->ij", volumes, tetrahedra, tetrahedra) + np.einsum("k,ki,kj->ij", volumes, sums, sums)
    moments = second / 20 - volume * np.outer(center, center)
    mass = _positive("mesh", "density", density) * volume
    return MassProperties(mass, center + middle, density * (np.trace(moments) * np.eye(3) - moments))


def inertia_matrix(what: str, value: object) -> Array:
    """Return three moments or a 3 × 3 matrix as a matrix."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The {what} needs three moments or a 3 × 3 matrix of numbers, not {value!r}.") from error
    if array.shape not in ((3,), (3, 3)) or not np.all(np.isfinite(array)):
        raise ModelError(f"The {what} needs three moments or a 3 × 3 matrix of finite numbers, not {array.shape}.")
    return array if array.ndim == 2 else np.diag(array)


def checked_inertia(body: str, value: object) -> Array:
    """Return the inertia of a body as a matrix, and warn if no mass distribution has it."""
    matrix = inertia_matrix(f"inertia of body '{body}'", value)
    size = float(np.abs(matrix).max())
    skew = float(np.abs(matrix - matrix.T).max())
    if skew > ROUNDING * size:
        raise ModelError(f"The inertia of body '{body}' is not symmetric: entries differ by {skew:.3g} kg m².")
    moments = np.linalg.eigvalsh(matrix)
    if moments[0] < -ROUNDING * size:
        raise ModelError(f"The inertia of body '{body}' is indefinite: a principal moment is {moments[0]:.3g} kg m².")
    if moments[2] > moments[0] + moments[1] + ROUNDING * size:
        warn(
            f"The inertia of body '{body}' violates the triangle inequality: its largest principal moment, "
            f"{moments[2]:.6g} kg m², exceeds the sum of the others, {moments[0] + moments[1]:.6g} kg m². No body has "
            "such an inertia, but it is used as given."
        )
    return (matrix + matrix.T) / 2


def _about(axis: int, along: float, across: float) -> Array:
    if axis not in (0, 1, 2):
        raise ModelError(f"The axis of an inertia must be 0, 1 or 2, not {axis!r}.")
    moments = np.full(3, float(across))
    moments[axis] = along
    return np.diag(moments)


def _positive(form: str, what: str, value: float) -> float:
    if not 0 < value < np.inf:
        raise ModelError(f"The {what} of a {form} is {value:g}; it must be positive.")
    return float(value)


def _radii(form: str, inner: float, outer: float) -> tuple[float, float]:
    if not 0 <= inner <= outer or not outer > 0:
        raise ModelError(f"A {form} needs radii 0 ≤ inner ≤ outer, not {inner:g} and {outer:g}.")
    return float(inner), float(outer)


def _three(what: str, values: Sequence[float] | Array) -> Array:
    array = np.asarray(values, dtype=float)
    if array.shape != (3,) or not np.all(np.isfinite(array)):
        raise ModelError(f"The {what} needs three finite numbers, not {values!r}.")
    return array
