"""Springs and dampers between two points, and bushings between two frames."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from sympy import sqrt

from symlie.elements.connection import Connection, Points
from symlie.elements.joints.frames import Frame, X, Y, Z
from symlie.elements.marker import Connectable, Marker
from symlie.elements.placement import Array
from symlie.errors import ModelError
from symlie.modeling.element_type import ElementType
from symlie.modeling.expressions import vector
from symlie.modeling.model import Model
from symlie.modeling.symbolic import Expression


class Spring(Connection):
    """A spring between two points: V = k (|d| - l)²/2 with d = p_B - p_A.

    Outputs: NAME_length in m, and NAME_force, the tension k (|d| - l) in N.

    Parameters
    ----------
    model
        The model.
    name
        Name of the spring.
    body_a, body_b
        The bodies, or markers on them.
    stiffness
        k, in N/m; a number or a parameter of the model.
    at
        Points on the first and the second body in inertial axes of the initial configuration, in m, (2, 3), or (2, 2)
        in the plane.
    length
        l, in m; the initial distance by default.

    Raises
    ------
    ModelError
        If the points coincide, because the direction is then undefined.
    """

    word = "spring"
    kind = "spring"
    has_two_points = True
    parameters = MappingProxyType({"stiffness": (1.0, "N/m"), "length": (1.0, "m")})

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        stiffness: object,
        at: Points | None = None,
        length: float | None = None,
    ) -> None:
        super().__init__(model, name, body_a, body_b, at)
        self.parameter_values = {"stiffness": stiffness, "length": initial_distance(self) if length is None else length}
        self._add()

    def _state(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> None:
        d = element.let(b.point - a.point)
        length = a.named(sqrt(d.dot(d)))
        stretched = length - values["length"]
        element.potential_energy(values["stiffness"] * stretched**2 / 2)
        element.output("length", length, unit="m")
        element.output("force", values["stiffness"] * stretched, unit="N")


class Damper(Connection):
    """A damper between two points: the force c |d|' along d = p_B - p_A, opposed to their relative motion.

    Outputs: NAME_force, the tension in N.

    Parameters
    ----------
    model
        The model.
    name
        Name of the damper.
    body_a, body_b
        The bodies, or markers on them.
    damping
        c, in N s/m; a number or a parameter of the model.
    at
        As in `Spring`.

    Raises
    ------
    ModelError
        If the points coincide, because the direction is then undefined.
    """

    word = "damper"
    kind = "damper"
    has_two_points = True
    parameters = MappingProxyType({"damping": (1.0, "N s/m")})

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        damping: object,
        at: Points | None = None,
    ) -> None:
        super().__init__(model, name, body_a, body_b, at)
        initial_distance(self)
        self.parameter_values = {"damping": damping}
        self._add()

    def _state(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> None:
        d = element.let(b.point - a.point)
        rate = element.rate(a.named(sqrt(d.dot(d))))
        element.dissipation(values["damping"] * rate**2 / 2)
        element.output("force", values["damping"] * rate, unit="N")


class Bushing(Connection):
    """A flexible mount between two frames: V = δᵀ K δ/2, with the Rayleigh dissipation function δ'ᵀ D δ'/2.

    δ = [F_Aᵀ (p_B - p_A); φ], with φ = (a_z·b_y - a_y·b_z, a_x·b_z - a_z·b_x, a_y·b_x - a_x·b_y)/2: the rotation vector
    of the second frame relative to the first, up to third-order terms, for rotations well below a right angle.

    Outputs: NAME_displacement, δ, in m and rad.

    Parameters
    ----------
    model
        The model.
    name
        Name of the bushing.
    body_a, body_b
        The bodies, or markers on them.
    stiffness
        K: six numbers, translations first, or a symmetric 6 × 6 matrix, in N/m, N, N m.
    damping
        D, in the same form, in N s/m, N s, N m s; zero by default.
    at, axis
        Common point of both frames in inertial axes of the initial configuration, in m, and their third axis. The
        default is the third axis of the ground; both frames then have the axes of the ground.
    """

    word = "bushing"
    kind = "bushing"
    has_axis = True
    parameters = MappingProxyType(
        {"stiffness": (np.zeros((6, 6)), "N/m, N"), "damping": (np.zeros((6, 6)), "N s/m, N s")}
    )

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        stiffness: ArrayLike,
        damping: ArrayLike = (0.0,) * 6,
        at: Points | None = None,
        axis: Points | None = None,
    ) -> None:
        has_marker = isinstance(body_a, Marker) or isinstance(body_b, Marker)
        super().__init__(model, name, body_a, body_b, at, (0, 0, 1) if axis is None and not has_marker else axis)
        if self._size != 3:
            raise ModelError(f"{self._subject} needs bodies in space.")
        self.parameter_values = {
            label: _six_by_six(f"{label} of {self._called}", value)
            for label, value in (("stiffness", stiffness), ("damping", damping))
        }
        self._add()

    def _state(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> None:
        d = element.let(b.point - a.point)
        shifted = [a.axis(k).dot(d) for k in (X, Y, Z)]
        turned = [(a.axis(i).dot(b.axis(j)) - a.axis(j).dot(b.axis(i))) / 2 for j, i in ((Y, Z), (Z, X), (X, Y))]
        delta = element.let(vector(*shifted, *turned))
        rate = element.rate(delta)
        element.potential_energy(delta.dot(values["stiffness"] * delta) / 2)
        element.dissipation(rate.dot(values["damping"] * rate) / 2)
        element.output("displacement", delta, unit="m, rad")


def initial_distance(connection: Connection) -> float:
    """Return the distance of the points in the initial configuration; raise `ModelError` if it is zero."""
    first, second = (m.placed(connection.model)[0] for m in connection.markers)
    distance = float(np.linalg.norm(second - first))
    if not distance > 0:
        raise ModelError(
            f"The points of {connection._called} coincide in the initial configuration, so its direction is undefined."
        )
    return distance


def _six_by_six(what: str, value: object) -> Array:
    array = np.asarray(value, dtype=float)
    matrix = np.diag(array) if array.shape == (6,) else array
    if matrix.shape != (6, 6) or not np.all(np.isfinite(matrix)):
        raise ModelError(f"The {what} needs six numbers or a 6 × 6 matrix, not {array.shape}.")
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0):
        raise ModelError(f"The {what} must be symmetric.")
    return matrix
