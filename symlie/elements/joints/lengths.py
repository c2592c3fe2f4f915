"""Joints with a length parameter: a bar between two points, and a screw with its lead."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from sympy import Expr, pi

from symlie.contract.connections import SCREW
from symlie.elements.joints.coordinates import ANGLE, DISPLACEMENT
from symlie.elements.joints.frames import PARALLEL_AXES, Frame, Values, X, Y, Z, in_plane, perpendicular_axes
from symlie.elements.joints.joint import Joint
from symlie.elements.joints.motions import Sliding, Turning
from symlie.elements.joints.rows import JointDefinition
from symlie.elements.marker import Connectable
from symlie.errors import ModelError
from symlie.modeling.model import Model


def apart(a: Frame, b: Frame, values: Values) -> list[Expr]:
    """Return the equation (|d|² - l²)/(2 l) = 0 for points at the distance l, the parameter ``length``."""
    d, length = b.point - a.point, values["length"]
    return [(d.dot(d) - length**2) / (2 * length)]


def along_thread(a: Frame, b: Frame, values: Values) -> list[Expr]:
    """Return the equation between displacement and angle of a screw with the parameter ``lead``, smooth over full
    turns."""
    lead = values["lead"]
    turn = a.named(2 * pi * DISPLACEMENT.principal(a, b) / lead)
    return [-lead / (2 * pi) * ANGLE.difference(a, b, turn)]


class DistanceJoint(Joint):
    """A massless bar connects two points: (|d|² - l²)/(2 l) = 0 with d = p_B - p_A.

    Multipliers: the force in the bar, in N, positive under tension.

    Parameters
    ----------
    model
        The model.
    name
        Name of the joint.
    body_a, body_b
        The bodies, or markers on them.
    at
        Points on the first and the second body in inertial axes, in m, (2, 3), or (2, 2) in the plane.
    length
        l, in m; the initial distance by default.
    apart
        As in `Joint`.
    """

    kind = "distance"
    rests = False
    has_two_points = True
    space = JointDefinition((apart,))
    plane = JointDefinition((apart,))
    parameters = MappingProxyType({"length": (1.0, "m")})

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        at: ArrayLike | None = None,
        length: float | None = None,
        apart: bool = False,
    ) -> None:
        self._length = length
        super().__init__(model, name, body_a, body_b, at=at, apart=apart)

    def _values(self) -> dict[str, object]:
        if self._length is None:
            first, second = (m.placed(self.model)[0] for m in self.markers)
            self._length = float(np.linalg.norm(second - first))
        if not self._length > 0:
            raise ModelError(f"The length of {self._called} is {self._length:g} m; it must be positive.")
        return {"length": self._length}


class ScrewJoint(Turning, Sliding):
    """Translation along the axis is proportional to rotation about it: displacement = lead · angle/2π, as a length.

    In addition, a_x·d = a_y·d = 0 and a_z·b_x = a_z·b_y = 0. Coordinates: ``angle`` in rad, ``rate`` in rad/s,
    ``displacement`` in m, ``speed`` in m/s. Multipliers: forces along a_x and a_y, in N, moments about a_z × b_x and
    a_z × b_y, in N m, and the axial force in the thread, in N.

    Parameters
    ----------
    model
        The model.
    name
        Name of the joint.
    body_a, body_b
        The bodies, or markers on them.
    at, axis
        A point on the axis in inertial axes, in m, and the axis in inertial axes, of any length.
    lead
        Displacement of the second body in one turn, in m; negative for a left-handed thread.
    apart
        As in `Joint`.
    """

    kind = "screw"
    has_axis = True
    space = JointDefinition(
        (in_plane(X), in_plane(Y), *PARALLEL_AXES, along_thread),
        (ANGLE, DISPLACEMENT),
        positive=(perpendicular_axes(Z, Z),),
        appearance=SCREW,
    )
    parameters = MappingProxyType({"lead": (1.0, "m")})

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Connectable,
        body_b: Connectable,
        *,
        lead: float,
        at: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        apart: bool = False,
    ) -> None:
        if lead == 0 or not np.isfinite(lead):
            raise ModelError(f"The lead of joint '{name}' is {lead:g} m; it must not be zero.")
        self._lead = float(lead)
        self.parameter_values = {"lead": self._lead}
        super().__init__(model, name, body_a, body_b, at=at, axis=axis, apart=apart)

    def _completed(self, values: dict[str, float]) -> dict[str, float]:
        pitch = self._lead / (2 * np.pi)
        found = dict(values)
        for turning, sliding in (("angle", "displacement"), ("rate", "speed")):
            if turning in values:
                found.setdefault(sliding, pitch * values[turning])
            elif sliding in values:
                found[turning] = values[sliding] / pitch
        return found
