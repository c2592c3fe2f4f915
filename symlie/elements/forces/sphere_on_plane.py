"""Contact of a sphere with a plane by a piecewise law: elastic, with damping and friction."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike
from sympy import Max, sqrt

from symlie.elements.connection import Connection
from symlie.elements.joints.frames import Frame, Z
from symlie.elements.marker import Body, Marker, axes_along, on_body, placement
from symlie.errors import ModelError
from symlie.modeling.element_type import ElementType
from symlie.modeling.expressions import select, vector
from symlie.modeling.model import Model
from symlie.modeling.symbolic import Expression


class SphereOnPlane(Connection):
    """A sphere on a plane: N = k δ + d δ δ' at depth δ > 0, and friction μ N s/√(s·s + ε²) against the slip velocity s.

    The elastic force derives from a potential energy; damping is proportional to the depth, so the force is continuous.
    Coulomb's friction is regularised below the speed ε: a body at rest on a slope creeps. Outputs: NAME_force, on the
    sphere in inertial axes, in N, and NAME_gap in m.

    Parameters
    ----------
    model
        The model.
    name
        Name of the contact.
    body_a, body_b
        The body with the plane, such as the ground, and the body with the sphere.
    radius
        Radius of the sphere, in m.
    stiffness
        k, in N/m.
    damping
        d, in N s/m²; zero by default.
    friction
        μ; zero by default.
    creep
        ε, in m/s.
    plane
        A point of the plane in inertial axes of the initial configuration, in m; the origin by default.
    normal
        Normal of the plane in inertial axes, towards the sphere; the third axis by default.
    at
        Centre of the sphere in inertial axes of the initial configuration, in m; the node of the body by default.
    """

    word = "contact"
    kind = "sphere_on_plane"
    parameters = MappingProxyType(
        {
            "radius": (1.0, "m"),
            "stiffness": (1.0, "N/m"),
            "damping": (0.0, "N s/m^2"),
            "friction": (0.0, ""),
            "creep": (1e-3, "m/s"),
        }
    )

    def __init__(
        self,
        model: Model,
        name: str,
        body_a: Body,
        body_b: Body,
        *,
        radius: float,
        stiffness: float,
        damping: float = 0.0,
        friction: float = 0.0,
        creep: float = 1e-3,
        plane: ArrayLike = (0.0, 0.0, 0.0),
        normal: ArrayLike = (0.0, 0.0, 1.0),
        at: ArrayLike | None = None,
    ) -> None:
        if not (radius > 0 and stiffness > 0 and creep > 0):
            raise ModelError(f"Contact '{name}' needs a positive radius, stiffness and creep speed.")
        if damping < 0 or friction < 0:
            raise ModelError(f"Contact '{name}' needs damping and friction that are not negative.")
        axes = axes_along(f"contact '{name}'", 3, normal)
        center = placement(model, body_b, 3)[1] if at is None else np.asarray(at, dtype=float)
        first: Marker = on_body(model, body_a, np.asarray(plane, dtype=float), axes)
        super().__init__(model, name, first, on_body(model, body_b, center, axes), None)
        self.parameter_values = {
            "radius": radius, "stiffness": stiffness, "damping": damping, "friction": friction, "creep": creep,
        }  # fmt: skip
        self._add()

    def _state(self, element: ElementType, a: Frame, b: Frame, values: Mapping[str, Expression]) -> None:
        normal = a.axis(Z)
        gap = a.named(normal.dot(b.point - a.point) - values["radius"])
        depth = a.named(Max(-gap, 0))
        rate = element.rate(gap)
        element.potential_energy(values["stiffness"] * depth**2 / 2)
        damping = a.named(-values["damping"] * depth * rate)
        element.force([damping], at=[gap])
        elastic = values["stiffness"] * depth
        contact = element.let(vector(b.point - normal * (gap + values["radius"])))
        relative = element.let(b.velocity_at(contact) - a.velocity_at(contact))
        slip = element.let(relative - normal * normal.dot(relative))
        pressure = a.named(select(gap, 0, elastic + damping))
        friction = element.let(-values["friction"] * pressure * slip / sqrt(slip.dot(slip) + values["creep"] ** 2))
        for frame, sign in ((a, -1), (b, 1)):
            if frame.node is not None:
                element.force(sign * friction, at=frame.point)
                element.torque(sign * (contact - frame.point).cross(friction), on=frame.node)
        element.output("force", normal * pressure + friction, unit="N")
        element.output("gap", gap, unit="m")
