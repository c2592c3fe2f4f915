"""Conversion of rotations from common descriptions to the storage of any group.

This module does not depend on SymPy: NumPy functions accept both numbers and expressions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from symlie.errors import ModelError, UnknownNameError
from symlie.utilities.showing import line

if TYPE_CHECKING:
    from sympy import Expr

Scalar: TypeAlias = "float | Expr"
"""A number, or an expression of parameters."""

ROUNDING = 1e-9
"""Tolerance for matrices and quaternions that were computed in double precision."""

SINGULAR_ANGLES = 1e-6
"""Value of det G of Euler angles at which six digits are lost."""

UNIT_LENGTH = "unit_length"
"""Prefix of the names of element types that constrain rotation parameters to unit length."""

_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}

_STORED: dict[tuple[str, tuple[int, ...]], str] = {
    ("R", (3, 3)): "matrix",
    ("p", (4,)): "quaternion",
    ("psi", (3,)): "vector",
    ("p", (2,)): "planar",
}
"""Storage form and shape of rotation fields, by field name without number."""

_EULER_ANGLES = "angles_"
"""Prefix of the names of Euler angle fields, followed by the axes."""


class Rotation:
    """Rotation for initial values and prescribed motions, created by `rotation`.

    Parameters
    ----------
    quaternion
        Unit quaternion, scalar part first: numbers or expressions. None for a planar rotation.
    vector
        Rotation vector, if known, in rad.
    angle
        Angle of a planar rotation, in rad.
    """

    def __init__(
        self,
        quaternion: tuple[Scalar, ...] | None,
        vector: tuple[Scalar, ...] | None = None,
        angle: Scalar | None = None,
    ) -> None:
        self._quaternion, self._vector, self._angle = quaternion, vector, angle

    def __repr__(self) -> str:
        known = [f"angle {self._angle} rad"] if self._quaternion is None else map(str, self._quaternion)
        return line("Rotation", [", ".join(known)])

    @property
    def quaternion(self) -> tuple[Scalar, ...]:
        """Unit quaternion, scalar part first, (4,).

        Raises
        ------
        ModelError
            If the rotation is planar.
        """
        if self._quaternion is None:
            raise ModelError("A rotation in space needs an axis: sl.rotation(axis=[0, 0, 1], angle=…).")
        return self._quaternion

    @property
    def spatial_quaternion(self) -> tuple[Scalar, ...]:
        """Unit quaternion, scalar part first, (4,); a planar rotation is about the normal of its plane."""
        if self._quaternion is None and self._angle is not None:
            return _cos(self._angle / 2), 0.0, 0.0, _sin(self._angle / 2)
        return self.quaternion

    @property
    def matrix(self) -> tuple[Scalar, ...]:
        """Rotation matrix from body axes to inertial axes, row by row, (9,)."""
        w, x, y, z = self.quaternion
        return (
            1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
        )  # fmt: skip

    @property
    def vector(self) -> tuple[Scalar, ...]:
        """Rotation vector of at most 2π, in rad, (3,)."""
        if self._vector is not None:
            return self._vector
        scalar, *part = self.quaternion
        if not _are_numbers(self.quaternion):
            raise ModelError(
                "A rotation vector that depends on parameters must be given by axis= and angle=, or by vector=."
            )
        sine = math.hypot(*part)
        ratio = 2 * math.atan2(sine, scalar) / sine if sine else 2.0
        return tuple(ratio * c for c in part)

    def euler_angles(self, axes: str) -> tuple[Scalar, ...]:
        """Return Euler angles about rotating axes, in rad, (3,); one solution if they are not unique.

        Parameters
        ----------
        axes
            Sequence of axes, such as ``"XYZ"``.

        Raises
        ------
        ModelError
            If the rotation depends on parameters.
        """
        if not _are_numbers(self.quaternion):
            raise ModelError(
                "Euler angles of a rotation that depends on parameters are not known; give the angles themselves."
            )
        R = np.array(self.matrix, dtype=float).reshape(3, 3)
        i, j, k = ("XYZ".index(letter) for letter in axes)
        sign, other = (1.0 if (j - i) % 3 == 1 else -1.0), 3 - i - j
        if i == k:
            sine, cosine, column, direction = R[j, i], -sign * R[other, i], other, -sign
            middle = math.atan2(math.hypot(sine, cosine), R[i, i])
        else:
            sine, cosine, column, direction = -sign * R[j, k], R[k, k], i, sign
            middle = math.atan2(sign * R[i, k], math.hypot(sine, cosine))
        first = math.atan2(sine, cosine)
        # R without the first rotation determines the last angle, even if the first angle is arbitrary.
        back = math.cos(first) * R[j] + sign * math.sin(first) * R[other]
        return first, middle, math.atan2(direction * back[column], back[j])

    @property
    def planar(self) -> tuple[Scalar, ...]:
        """Cosine and sine of the angle of a planar rotation, (2,)."""
        if self._angle is None:
            raise ModelError("A rotation of the plane has no axis: sl.rotation(angle=…).")
        return _cos(self._angle), _sin(self._angle)


def rotation(
    *,
    axis: Sequence[Scalar] | None = None,
    angle: Scalar | None = None,
    euler: str | None = None,
    angles: Scalar | Sequence[Scalar] | None = None,
    matrix: object = None,
    quaternion: Sequence[object] | None = None,
    vector: Sequence[Scalar] | None = None,
) -> Rotation:
    """Return a rotation from body axes to inertial axes, for initial values of any group with a rotation.

    Angles are in rad; use ``30 * sl.deg`` for degrees. Angles may be expressions of parameters.

    Parameters
    ----------
    axis, angle
        Axis, of any length, and angle; the angle alone defines a planar rotation.
    euler, angles
        One to three axes such as ``"zyx"`` and an angle for each, as in `scipy.spatial.transform.Rotation`: lower-case
        letters are axes fixed in space, capitals are rotating axes, so that ``"ZYX"`` is yaw, pitch, roll.
    matrix
        Rotation matrix, 3 × 3.
    quaternion
        Unit quaternion, scalar part first.
    vector
        Rotation vector, in rad.

    Raises
    ------
    ModelError
        If not exactly one description is given, or it is not a rotation; for a matrix the message gives the deviation.

    Examples
    --------
    >>> import symlie as sl
    >>> upright = sl.rotation(axis=[0, 1, 0], angle=90 * sl.deg)
    >>> heading = sl.rotation(euler="ZYX", angles=[0.3, 0.1, 0])
    """
    forms = {"axis": axis, "euler": euler, "matrix": matrix, "quaternion": quaternion, "vector": vector}
    given = [name for name, value in forms.items() if value is not None]
    companions = {"angle": angle is not None, "angles": angles is not None}
    expected = {"angle": given == ["axis"] or not given, "angles": given == ["euler"]}
    if len(given) > 1 or companions != expected:
        raise ModelError(
            "A rotation is given by axis= and angle=, by euler= and angles=, or by matrix=, quaternion= or vector=; in "
            "the plane by angle= alone."
        )
    if axis is not None:
        return _about(_three("axis", axis), angle)
    if euler is not None:
        return _by_euler_angles(euler, angles)
    if matrix is not None:
        return _by_matrix(matrix)
    if quaternion is not None:
        return _by_quaternion(tuple(quaternion))
    if vector is not None:
        psi = _three("rotation vector", vector)
        length = _root(sum(c * c for c in psi))
        if _are_numbers(psi) and length == 0:
            return Rotation((1.0, 0.0, 0.0, 0.0), psi)
        return Rotation((_cos(length / 2), *(_sin(length / 2) / length * c for c in psi)), psi)
    return Rotation(None, angle=angle)


def with_rotations(what: str, shapes: Mapping[str, tuple[int, ...]], values: Mapping[str, object]) -> dict[str, Any]:
    """Return field values by name, with rotations converted to the storage of their fields."""
    result: dict[str, Any] = {}
    for name, value in values.items():
        field, found = name, value
        if name == "rotation" and name not in shapes:
            field, found = _rotating_field(what, shapes), _given(what, value)
        if field in result or (field != name and field in values):
            raise ModelError(f"{what} is given its rotation twice, as rotation and as {field}; give one of them.")
        shape = shapes.get(field, ())
        if isinstance(found, Rotation):
            found = _stored(what, field, shape, found)
        elif isinstance(found, list | tuple) and found and all(isinstance(r, Rotation) for r in found):
            found = [_stored(what, field, shape, r) for r in found]
        result[field] = found
    return result


def rotation_form(name: str, shape: Iterable[int]) -> str | None:
    """Return the stored form: ``matrix``, ``quaternion``, ``vector``, ``planar``, axes of Euler angles, or None."""
    if name.startswith(_EULER_ANGLES) and tuple(shape) == (3,):
        return name[len(_EULER_ANGLES) : len(_EULER_ANGLES) + 3].upper()
    return _STORED.get((name.rstrip("0123456789"), tuple(shape)))


def _rotating_field(what: str, shapes: Mapping[str, tuple[int, ...]]) -> str:
    fields = [name for name, shape in shapes.items() if rotation_form(name, shape)]
    if len(fields) == 1:
        return fields[0]
    if fields:
        raise UnknownNameError(f"{what} has several rotations; give {' and '.join(f'{name}=' for name in fields)}.")
    raise UnknownNameError(f"{what} has no rotation for an initial value; it has: {', '.join(shapes)}.")


def _given(what: str, value: object) -> object:
    """Return one or several rotations, also from `rotation` arguments of the command line."""
    if isinstance(value, Mapping):
        try:
            return rotation(**value)
        except TypeError as error:
            raise ModelError(f"The rotation of {what[0].lower()}{what[1:]} is not usable: {error}.") from error
    several = isinstance(value, list | tuple) and bool(value) and all(isinstance(r, Rotation) for r in value)
    if not (isinstance(value, Rotation) or several):
        raise ModelError(f"The rotation of {what[0].lower()}{what[1:]} must be an sl.rotation(…), not {value!r}.")
    return value


def _stored(what: str, field: str, shape: tuple[int, ...], value: Rotation) -> tuple[Scalar, ...]:
    form = rotation_form(field, shape)
    if form is None:
        raise ModelError(f"{what} has no rotation in its field '{field}'.")
    components: tuple[Scalar, ...] = value.euler_angles(form) if form.isupper() else getattr(value, form)
    return components


def _cos(x: Scalar) -> Scalar:
    return math.cos(x) if _are_numbers([x]) else np.cos(x)


def _sin(x: Scalar) -> Scalar:
    return math.sin(x) if _are_numbers([x]) else np.sin(x)


def _root(x: Scalar) -> Scalar:
    return math.sqrt(x) if _are_numbers([x]) else np.sqrt(x)


def _are_numbers(values: Iterable[object]) -> bool:
    return all(isinstance(v, int | float | np.number) for v in values)


def _three(what: str, values: Sequence[Scalar]) -> tuple[Scalar, ...]:
    parts = tuple(values)
    if len(parts) != 3:
        raise ModelError(f"The {what} of a rotation has 3 components, not {len(parts)}.")
    return parts


def _about(axis: tuple[Scalar, ...], angle: Scalar) -> Rotation:
    length = _root(sum(c * c for c in axis))
    if _are_numbers(axis) and not 0 < length < np.inf:
        raise ModelError(f"The axis of a rotation must have a direction, not {list(axis)}.")
    unit = [c / length for c in axis]
    psi = tuple(angle * c for c in unit)
    short = not _are_numbers([angle]) or abs(angle) <= 2 * math.pi
    return Rotation((_cos(angle / 2), *(_sin(angle / 2) * c for c in unit)), psi if short else None)


def _by_euler_angles(axes: str, angles: Scalar | Sequence[Scalar]) -> Rotation:
    is_word = isinstance(axes, str) and 1 <= len(axes) <= 3 and (axes.islower() or axes.isupper())
    if not is_word or not set(axes.lower()) <= set(_AXES) or any(a == b for a, b in itertools.pairwise(axes)):
        raise ModelError(
            "Euler angles need one to three axes, such as 'zyx', fixed in space, or 'ZYX', which rotate with the "
            f"body, not {axes!r}."
        )
    values = np.ravel(angles).tolist()
    if len(values) != len(axes):
        raise ModelError(f"Euler angles about '{axes}' are {len(axes)}, not {len(values)}.")
    turns = [_about(_AXES[name], value).quaternion for name, value in zip(axes.lower(), values, strict=True)]
    return Rotation(reduce(quaternion_product, turns if axes.isupper() else turns[::-1]))


def quaternion_product(a: tuple[Scalar, ...], b: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """Return the quaternion product a b, scalar part first."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def _numbers(what: str, value: object, shape: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"The {what} of a rotation must consist of numbers; only angles can be expressions."
        ) from error
    if array.size != math.prod(shape) or not np.all(np.isfinite(array)):
        raise ModelError(f"The {what} of a rotation needs {' × '.join(map(str, shape))} finite numbers.")
    return array.reshape(shape)


def _by_matrix(value: object) -> Rotation:
    matrix = _numbers("matrix", value, (3, 3))
    defect = float(np.abs(matrix.T @ matrix - np.eye(3)).max())
    if defect > ROUNDING:
        raise ModelError(f"The matrix is not a rotation: its columns deviate from orthonormality by {defect:.2g}.")
    if np.linalg.det(matrix) < 0:
        raise ModelError("The matrix is not a rotation but a reflection: its determinant is -1.")
    # The largest of the four components is computed first to avoid cancellation.
    trace = float(np.trace(matrix))
    squares = np.array([1 + trace, *(1 - trace + 2 * np.diag(matrix))])
    first = int(np.argmax(squares))
    odd = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    if first == 0:
        p = np.array([squares[0], *odd])
    else:
        p = np.array([odd[first - 1], *(matrix[first - 1] + matrix[:, first - 1])])
        p[first] = squares[first]
    return Rotation(tuple((p / np.linalg.norm(p)).tolist()))


def _by_quaternion(value: tuple[object, ...]) -> Rotation:
    p = _numbers("quaternion", value, (4,))
    length = float(np.linalg.norm(p))
    if abs(length - 1) > ROUNDING:
        raise ModelError(f"A unit quaternion has length 1, not {length:.9g}; its scalar part comes first.")
    return Rotation(tuple((p / length).tolist()))
