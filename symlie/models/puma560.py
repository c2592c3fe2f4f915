"""A Puma 560 under gravity: six links on revolute joints, each with a controller.

Axes follow Denavit and Hartenberg, A = Rz(angle) Tz(d) Tx(a) Rx(alpha), with origins at the ends of the links. As in
the literature, the first link has inertia about its axis alone, and the inertia of the third violates the triangle
inequality. Variant A starts at zero angles, to which the printed accelerations belong; variant B starts at the printed
angles. Source: [Holzinger2024], section 4.4.
"""

import numpy as np

import symlie as sl

OPTIONS = {"variant": ["A", "B"], "group": ["SO3xR3", "SE3", "S3xR3", "S3sR3"]}
START = {"A": np.zeros(6), "B": np.radians([0, 22.5, 90, 0, 22.5, 0])}
GOAL = np.radians([-120, 60, -200, 90, 90, 45])
LINKS = (  # d, a in m, alpha in right angles, mass in kg, centre of mass in m, inertia about it in kg m²
    (0.0, 0.0, 1, 20.0, (0.0, 0.0, 0.0), (0.0, 0.35, 0.0)),
    (0.0, 0.4318, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    (0.15005, 0.0203, -1, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125)),
    (0.4318, 0.0, 1, 0.82, (0.0, 0.019, 0.0), (1.8e-3, 1.3e-3, 1.8e-3)),
    (0.0, 0.0, -1, 0.34, (0.0, 0.0, 0.0), (3e-4, 4e-4, 3e-4)),
    (0.0, 0.0, 0, 0.09, (0.0, 0.0, 0.032), (1.5e-4, 1.5e-4, 4e-5)),
)
GAINS = ((4e4, 400), (4e4, 400), (4e4, 100), (100, 1), (100, 1), (10, 0.1))
"""P in N m/rad and D in N m s/rad."""


def build(
    variant: str = "A",
    group: str = "SO3xR3",
    coordinates: str | None = None,
    form: str | None = None,
    step: str | None = None,
) -> sl.Model:
    """Return the robot with its controllers and the initial angles of a variant."""
    model = sl.Model("puma560")
    joints = arm(model, START[variant], group, coordinates, form, step)
    targets = []
    for joint, start, goal, (P, D) in zip(joints, START[variant], GOAL, GAINS, strict=True):
        targets.append(sl.two_parabolas(model, f"{joint.name}_profile", start, goal))
        sl.JointController(model, f"{joint.name}_control", joint, P=P, D=D, target=targets[-1])
    model.output("joint_angles", [joint.angle for joint in joints], unit="rad")
    model.output("setpoints", targets, unit="rad")
    return model


def arm(
    model: sl.Model,
    angles: np.typing.NDArray[np.float64],
    group: str = "SO3xR3",
    coordinates: str | None = None,
    form: str | None = None,
    step: str | None = None,
) -> list[sl.RevoluteJoint]:
    """Add links and joints at the given angles, and return the joints."""
    end = sl.Marker(model.ground, [0, 0, 0], axis=[0, 0, 1], across=[1, 0, 0])
    R, x, joints = np.eye(3), np.zeros(3), []
    for k, (d, a, turns, mass, center, inertia) in enumerate(LINKS, start=1):
        cos, sin, along, up = np.cos(angles[k - 1]), np.sin(angles[k - 1]), 1 - abs(turns), turns
        x = x + R @ [a * cos, a * sin, d]
        R = R @ [[cos, -sin * along, sin * up], [sin, cos * along, -cos * up], [0, up, along]]
        link = sl.RigidBody(
            model, f"link{k}", mass, inertia, group, coordinates=coordinates, form=form, step=step,
            position=x + R @ center, orientation=R,
        )  # fmt: skip
        start = sl.Marker(link, np.array([-a, -d * up, -d * along]) - center, axis=[0, up, along], across=[1, 0, 0])
        joints.append(sl.RevoluteJoint(model, f"joint{k}", end, start))
        end = sl.Marker(link, [-c for c in center], axis=[0, 0, 1], across=[1, 0, 0])
    model.gravity([0, 0, -9.81])
    return joints
