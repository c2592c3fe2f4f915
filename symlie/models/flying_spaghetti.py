"""A free rod that a force and a torque at its lower end set in motion.

The loads are dead loads in inertial axes that rise and fall linearly; steps end at the kinks. With ``load=smooth`` they
rise and fall as sin⁴ with the same peak and duration, which excites no waves with kinks in the rod.
Source: [Hante2022], section 5.2; [Tumiotto2024], section 4.
"""

import symlie as sl

OPTIONS = {
    "constraint": ["none", "kirchhoff", "inextensible"],
    "group": ["S3sR3", "SE3", "S3xR3"],
    "load": ["kinked", "smooth"],
}


def build(
    segments: int = 16,
    constraint: str = "kirchhoff",
    group: str | None = None,
    load: str = "kinked",
    coordinates: str | None = None,
) -> sl.Model:
    """Return the model of the flying spaghetti."""
    model = sl.Model("flying_spaghetti")
    EI = model.parameter("bending_stiffness", 500.0, unit="N m^2")
    GA = model.parameter("extension_stiffness", 1e4, unit="N")
    D = model.parameter("damping", 0.0)
    L = 10.0
    rod = sl.CosseratRod(
        model,
        "rod",
        segments=segments,
        length=L,
        stiffness=[EI, EI, EI, GA, GA, GA],
        damping=D,
        inertia=[10, 10, 10, 1, 1, 1],
        position=lambda s: (6 - 6 * s / L, 8 * s / L, 0),
        orientation=lambda s: sl.rotation(quaternion=(0.5**0.5, -0.8 * 0.5**0.5, -0.6 * 0.5**0.5, 0)),
        constraint=constraint,
        group=group or ("S3xR3" if coordinates else "S3sR3"),
        coordinates=coordinates,
    )
    if load == "kinked":
        size = model.piecewise_linear("load", [0, 2.5, 5], [0, 200, 0])
    else:
        peak, end = model.parameter("load_peak", 200.0), model.parameter("load_times", [5.0], unit="s")[0]
        model.breakpoints.append("load_times")
        size = sl.select(end - model.t, peak * sl.sin(sl.pi * model.t / end) ** 4, 0)
    ends = sl.ElementType("ends", first=rod.space, last=rod.space)
    ends.force(size * sl.vector(0.1, 0, 0), at=ends.first.x)
    ends.torque(size * sl.vector(0, -0.5, -1), on=ends.first)
    ends.output("tip_distance", (ends.last.x - ends.first.x).norm(), unit="m")
    ends.output("tip_rotation", (ends.first.inverse() * ends.last).log()[:3, :], unit="rad")
    model.add(ends, [(rod.nodes[0], rod.nodes[segments])])
    return model
