"""A rotor at 200,000 revolutions per minute on two flexible supports.

Springs and dampers act in inertial axes at two points of the shaft, at the first one also in the axial direction; a
torque is constant in inertial axes, and gravity is neglected. The printed mass contradicts the printed inertia and
damping; data derived from the dimensions of the disk agree with both. Source: [Holzinger2024], section 4.2.
"""

import numpy as np

import symlie as sl

OPTIONS = {"data": ["derived", "printed"], "group": ["SO3xR3", "SE3", "S3xR3", "S3sR3", "SO3rvxR3"]}
SPEED = 2 * np.pi * 200000 / 60
"""Initial angular velocity in rad/s."""
LEFT, RIGHT = 0.11, 0.09
"""Distances of the supports from the centre of mass, in m."""


def build(
    data: str = "derived",
    group: str = "SO3xR3",
    coordinates: str | None = None,
    form: str | None = None,
    step: str | None = None,
) -> sl.Model:
    """Return the rotor with mass, inertia and damping ``"derived"`` from a steel disk or as ``"printed"``."""
    model = sl.Model("rotor")
    if data == "printed":
        mass, inertia, damping = 1.223, (0.001541, 0.000812, 0.000812), 5.165093
    else:
        radius, width = 0.05, 0.02
        mass = 7850 * np.pi * radius**2 * width
        axial, across = mass * radius**2 / 2, mass * (radius**2 / 4 + width**2 / 12)
        inertia, damping = (axial, across, across), 2 * 1e-4 * SPEED * mass
    rotor = sl.RigidBody(
        model, "rotor", mass, inertia, group, coordinates=coordinates, form=form, step=step,
        velocity=[0, 0, 0], angular_velocity=[SPEED, 0, 0],
    )  # fmt: skip
    k = model.parameter("stiffness", 4000.0, unit="N/m")
    d = model.parameter("damping", damping, unit="N s/m")
    moment = model.parameter("moment", ((LEFT + RIGHT) / 2 - LEFT) * mass * 9.81, unit="N m")
    model.torque(sl.vector(0, 0, moment), on=rotor.node)
    for place, held in ((-LEFT, (0, 1, 2)), (RIGHT, (1, 2))):
        support = rotor.point([place, 0, 0])
        deflection = sl.vector(*(support[i] - (place if i == 0 else 0) for i in held))
        model.potential_energy(k * deflection.dot(deflection) / 2)
        model.force(-d * model.rate(deflection), at=deflection)
    model.output("p1", rotor.point([-LEFT, 0, 0]), unit="m")
    return model
