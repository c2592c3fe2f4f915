"""Rolling of a sphere or a thin disk on a plane: holonomic contact, and no slip of velocities."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from sympy import Expr, sqrt

from symlie.elements.joints.frames import Frame, Values, X, Y, Z
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.rows import JointDefinition
from symlie.elements.marker import Body, axes_along, direction, on_body, placement
from symlie.errors import ModelError
from symlie.modeling.expressions import vector
from symlie.modeling.model import Model
from symlie.modeling.symbolic import SymbolicMatrix


def sphere_height(a: Frame, b: Frame, values: Values) -> list[Expr]:
    """Return the equation of a centre at the height of the radius above the plane."""
    return [a.axis(Z).dot(b.point - a.point) - values["radius"]]


def disk_height(a: Frame, b: Frame, values: Values) -> list[Expr]:
    """Return the equation of a rim whose lowest point is in the plane."""
    slope = a.axis(Z).dot(b.axis(Z))
    return [a.axis(Z).dot(b.point - a.point) - values["radius"] * sqrt(1 - slope**2)]


def sphere_contact(a: Frame, b: Frame, values: Values) -> SymbolicMatrix:
    """Return the vector from the centre of a sphere to the contact."""
    return vector(-values["radius"] * a.axis(Z))


def disk_contact(a: Frame, b: Frame, values: Values) -> SymbolicMatrix:
    """Return the vector from the centre of a disk to the contact, down the steepest line of the disk."""
    slope = a.named(a.axis(Z).dot(b.axis(Z)))
    return vector((b.axis(Z) * slope - a.axis(Z)) * (values["radius"] / sqrt(1 - slope**2)))


def no_slip(a: Frame, b: Frame, contact: SymbolicMatrix) -> list[Expr]:
    """Return the equations of equal velocities of both bodies at the contact, tangential to the plane."""
    slip = b.velocity_at(b.point + contact) - a.velocity_at(b.point + contact)
    return [a.axis(k).dot(slip) for k in (X, Y)]


SPHERE = JointDefinition(
    (sphere_height,), nonholonomic=(lambda a, b, values: no_slip(a, b, sphere_contact(a, b, values)),)
)
DISK = JointDefinition((disk_height,), nonholonomic=(lambda a, b, values: no_slip(a, b, disk_contact(a, b, values)),))


class RollingContact(Joint):
    """A sphere or a thin disk rolls on a plane of the first body without slip.

    The holonomic constraint is a zero height: n·d - r = 0 for a sphere, n·d - r √(1 - (n·s)²) = 0 for a disk with the
    axis s. The nonholonomic constraint, NAME_rolling, equates the velocities of both bodies at the contact along a_x
    and a_y. Multipliers: the force along the normal, and forces along a_x and a_y, in N.

    Parameters
    ----------
    model
        The model.
    name
        Name of the contact.
    body_a, body_b
        The body with the plane, such as the ground, and the body that rolls on it.
    radius
        Radius of the sphere or disk, in m.
    at
        Centre of the sphere or disk in inertial axes, in m; the node of the second body by default. In the initial
        configuration the second body touches the plane, which defines its height.
    normal
        Normal of the plane in inertial axes, towards the second body; the third axis by default.
    axis
        Axis of a disk in inertial axes; default: a sphere.

    Raises
    ------
    ModelError
        If a disk lies flat on the plane, or if the radius is not positive.
    """

    word = "rolling contact"
    rests = False
    has_axis = True
    parameters = MappingProxyType({"radius": (1.0, "m")})

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Body,
        body_b: Body,
        *,
        radius: float,
        at: ArrayLike | None = None,
        normal: ArrayLike = (0.0, 0.0, 1.0),
        axis: ArrayLike | None = None,
    ) -> None:
        if not 0 < radius < np.inf:
            raise ModelError(f"The radius of rolling contact '{name}' is {radius:g} m; it must be positive.")
        upward = direction(f"rolling contact '{name}'", normal, 3)
        spin = upward if axis is None else direction(f"rolling contact '{name}'", axis, 3)
        if axis is not None and abs(upward @ spin) > 1 - 1e-9:
            inclination = np.degrees(np.arcsin(min(1.0, float(np.linalg.norm(np.cross(upward, spin))))))
            raise ModelError(
                f"The disk of rolling contact '{name}' lies flat on the plane: its axis and the normal of the plane "
                f"enclose {inclination:.2g}°; incline it."
            )
        center = placement(model, body_b, 3)[1] if at is None else np.asarray(at, dtype=float)
        height = radius if axis is None else radius * np.sqrt(1 - (upward @ spin) ** 2)
        self.parameter_values = {"radius": float(radius)}
        self._is_disk = axis is not None
        first = on_body(model, body_a, center - height * upward, axes_along("the plane", 3, upward))
        second = on_body(model, body_b, center, axes_along("the disk", 3, spin))
        super().__init__(model, name, first, second)

    def _kind(self) -> str:
        return "rolling_disk" if self._is_disk else "rolling_sphere"

    @property
    def _rows(self) -> JointDefinition:
        return DISK if self._is_disk else SPHERE
