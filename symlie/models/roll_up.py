"""A clamped rod that a torque at its end rolls up to a circle.

Source: [Hante2022], section 5.1; [Tumiotto2024], section 4.
"""

import symlie as sl

OPTIONS = {"constraint": ["none", "kirchhoff", "inextensible"], "group": ["S3sR3", "SE3", "S3xR3"]}


def build(
    segments: int = 8, constraint: str = "none", group: str | None = None, coordinates: str | None = None
) -> sl.Model:
    """Return the model of the roll-up manoeuvre."""
    model = sl.Model("roll_up")
    EI = model.parameter("bending_stiffness", 500.0, unit="N m^2")
    GA = model.parameter("extension_stiffness", 1e4, unit="N")
    D = model.parameter("damping", 100.0)
    L = 10.0
    rod = sl.CosseratRod(
        model,
        "rod",
        segments=segments,
        length=L,
        stiffness=[EI, EI, EI, GA, GA, GA],
        damping=D,
        inertia=[10, 10, 10, 1, 1, 1],
        position=lambda s: (s, 0, 0),
        orientation=lambda s: sl.rotation(quaternion=(0.5**0.5, 0, 0.5**0.5, 0)),
        constraint=constraint,
        group=group or ("S3xR3" if coordinates else "S3sR3"),
        coordinates=coordinates,
    )
    rod.nodes.fix(0)
    tip = sl.ElementType("tip", first=rod.space, last=rod.space)
    tip.torque(sl.vector(0, 2 * sl.pi * EI / L, 0), on=tip.last)
    tip.output("tip_distance", (tip.last.x - tip.first.x).norm(), unit="m")
    tip.output("tip_rotation", (tip.first.inverse() * tip.last).log()[:3, :], unit="rad")
    model.add(tip, [(rod.nodes[0], rod.nodes[segments])])
    return model
