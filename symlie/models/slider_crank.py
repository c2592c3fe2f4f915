"""A spatial slider-crank mechanism: crank, connecting rod and slider, with one degree of freedom, under gravity.

A revolute joint connects the crank to the ground, a spherical joint the rod to the crank, and a universal joint, whose
cross has the axes x of the slider and y of the rod, the rod to the slider; the slider moves along x.
Source: [Holzinger2024], section 4.3, with the centre of mass of the crank in its middle and the angular velocity of the
rod in inertial axes.
"""

import numpy as np

import symlie as sl

OPTIONS = {"group": ["SO3xR3", "SE3", "S3xR3", "S3sR3"]}


def build(
    group: str = "SO3xR3", coordinates: str | None = None, form: str | None = None, step: str | None = None
) -> sl.Model:
    """Return the slider-crank mechanism on a group, or on SO3xR3 with other rotation parameters."""
    model = sl.Model("slider_crank")
    crank = sl.RigidBody(
        model, "crank", 0.12, [1e-4, 1e-4, 1e-5], group, coordinates=coordinates, form=form, step=step,
        position=[0, 0.1, 0.16], velocity=[0, -0.24, 0], angular_velocity=[6, 0, 0],
    )  # fmt: skip
    turn = sl.rotation(euler="XY", angles=[-np.arctan(0.5), np.arccos(2 / 3)])
    rod = sl.RigidBody(
        model, "rod", 0.5, [4e-4, 4e-3, 4e-3], group, coordinates=coordinates, form=form, step=step,
        position=[0.1, 0.05, 0.1], orientation=turn,
        velocity=[0.12, -0.24, 0], angular_velocity=[1.92, -0.96, 0.48], axes="space",
    )  # fmt: skip
    slider = sl.RigidBody(
        model, "slider", 2.0, [1e-4] * 3, group, coordinates=coordinates, form=form, step=step,
        position=[0.2, 0, 0], velocity=[0.24, 0, 0],
    )  # fmt: skip
    pivot = sl.RevoluteJoint(model, "pivot", model.ground, crank, at=[0, 0.1, 0.12], axis=[1, 0, 0])
    sl.SphericalJoint(model, "ball", crank, rod, at=[0, 0.1, 0.2])
    ends = sl.Marker(slider, [0, 0, 0], axis=[1, 0, 0]), sl.Marker(rod, [0.15, 0, 0], axis=[0, 1, 0])
    sl.UniversalJoint(model, "cross", *ends)
    sl.PrismaticJoint(model, "guide", model.ground, slider, at=[0, 0, 0], axis=[1, 0, 0])
    model.gravity([0, 0, -9.81])
    model.output("slider", slider.x[0], unit="m")
    model.output("crank_angle", pivot.angle, unit="rad")
    return model
