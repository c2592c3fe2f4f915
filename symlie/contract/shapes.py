"""Shapes for drawing nodes, attached by `Model.shape`.

Lengths are in m, in the axes of the node. A shape is centred at its position; cylinders, capsules and tubes are
parallel to z, and an arrow begins at its position.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from symlie.errors import FormatError, ModelError
from symlie.utilities.encoding import decoded, encoded
from symlie.utilities.packages import require
from symlie.utilities.showing import line

LARGEST_MESH = 20
"""Maximum size of a mesh file, in MB: each page with the mesh contains all of it."""


@dataclass(frozen=True, eq=False, repr=False)
class Shape:
    """Shape of a node in drawings, from `box`, `cylinder`, `sphere`, `capsule`, `arrow`, `tube` or `mesh`.

    Attributes
    ----------
    kind
        Name of the function that created it.
    sizes
        Lengths by name, in m; for a mesh ``vertices`` and ``triangles`` in JSON form.
    """

    kind: str
    sizes: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        if self.kind == "mesh":
            count = decoded(_mapping(self.sizes["triangles"])).shape[0]
            return line("Shape", [self.kind, f"{count} triangles"])
        return line("Shape", [self.kind, *(f"{name} {value}" for name, value in self.sizes.items())])


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise TypeError("an array is an object")
    return value


def box(x: float, y: float, z: float) -> Shape:
    """Return a box.

    Parameters
    ----------
    x, y, z
        Side lengths, in m.

    Raises
    ------
    ModelError
        If a side is not positive.
    """
    return Shape("box", {"size": [_length("box", name, side) for name, side in (("x", x), ("y", y), ("z", z))]})


def cylinder(radius: float, length: float) -> Shape:
    """Return a cylinder parallel to z.

    Parameters
    ----------
    radius, length
        In m.

    Raises
    ------
    ModelError
        If one is not positive.
    """
    return _of_lengths("cylinder", radius=radius, length=length)


def sphere(radius: float) -> Shape:
    """Return a sphere.

    Parameters
    ----------
    radius
        In m.

    Raises
    ------
    ModelError
        If it is not positive.
    """
    return _of_lengths("sphere", radius=radius)


def capsule(radius: float, length: float) -> Shape:
    """Return a cylinder parallel to z with hemispherical ends.

    Parameters
    ----------
    radius
        In m.
    length
        Length of the cylinder without its ends, in m.

    Raises
    ------
    ModelError
        If one is not positive.
    """
    return _of_lengths("capsule", radius=radius, length=length)


def arrow(length: float, radius: float | None = None) -> Shape:
    """Return an arrow parallel to z that begins at its position.

    Parameters
    ----------
    length
        In m.
    radius
        Radius of the shaft, in m; a fortieth of the length by default.

    Raises
    ------
    ModelError
        If one is not positive.
    """
    return _of_lengths(
        "arrow", radius=_length("arrow", "length", length) / 40 if radius is None else radius, length=length
    )


def tube(radius: float, inner_radius: float, length: float) -> Shape:
    """Return a hollow cylinder parallel to z.

    Parameters
    ----------
    radius, inner_radius, length
        In m.

    Raises
    ------
    ModelError
        If one is not positive, or the inner radius is not less than the radius.
    """
    found = _of_lengths("tube", radius=radius, inner_radius=inner_radius, length=length)
    if not inner_radius < radius:
        raise ModelError(f"The inner radius of a tube is {inner_radius:g} m; it must be smaller than its radius.")
    return found


def mesh(path: str | Path, scale: float = 1.0) -> Shape:
    """Return a triangle surface from a file, such as ``.stl``, ``.obj`` or ``.ply``.

    The model stores the triangles; the file is not needed again.

    Parameters
    ----------
    path
        File of at most 20 MB.
    scale
        Factor of the lengths in the file; 0.001 if they are in mm.

    Raises
    ------
    FormatError
        If the file is missing, damaged, of an unknown type, too large, or has no triangles.
    MissingDependencyError
        If trimesh is not installed.
    ModelError
        If the scale is not positive.
    """
    factor, path = _length("mesh", "scale", scale), Path(path)
    if not path.is_file():
        raise FormatError(f"There is no mesh file {path}.")
    size = path.stat().st_size / 1e6
    if size > LARGEST_MESH:
        raise FormatError(
            f"The mesh file {path} has {size:.1f} MB; at most {LARGEST_MESH} MB are drawn. Use a coarser mesh."
        )
    require("Reading meshes", "trimesh")
    vertices, triangles = _read(path)
    return Shape("mesh", {"vertices": encoded(factor * vertices, "float32"), "triangles": encoded(triangles, "int32")})


def _read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    import trimesh

    try:
        found = trimesh.load_mesh(path)
        vertices, triangles = np.asarray(found.vertices, dtype=float), np.asarray(found.faces)
    except Exception as error:  # each of trimesh's readers fails in its own way
        what = " ".join(str(error).split()) or type(error).__name__
        raise FormatError(f"The mesh file {path} cannot be read: {what}.") from error
    if vertices.ndim != 2 or not len(triangles) or not np.isfinite(vertices).all():
        raise FormatError(f"The mesh file {path} is damaged: it has no triangles with finite corners.")
    return vertices, triangles


def _of_lengths(kind: str, **lengths: float) -> Shape:
    return Shape(kind, {name: _length(kind, name.replace("_", " "), value) for name, value in lengths.items()})


def _length(kind: str, name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The {name} of a {kind} must be a number, not {value!r}.") from error
    if not 0 < number < math.inf:
        raise ModelError(f"The {name} of a {kind} is {number:g}; it must be positive.")
    return number


def color_text(color: object) -> str | None:
    """Return a colour, ``#rrggbb`` or three numbers between 0 and 1, as ``#rrggbb``."""
    if color is None:
        return None
    if isinstance(color, str):
        if len(color) == 7 and color[0] == "#" and all(c in "0123456789abcdefABCDEF" for c in color[1:]):
            return color.lower()
    elif isinstance(color, Sequence | np.ndarray) and len(color) == 3:
        parts = np.asarray(color, dtype=float)
        if np.all((parts >= 0) & (parts <= 1)):
            return "#" + "".join(f"{round(255 * p):02x}" for p in parts)
    raise ModelError(f"A colour must be a string such as '#3366cc' or three numbers between 0 and 1, not {color!r}.")
