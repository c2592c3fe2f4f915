"""A drum that pays out a rope with a load in a guide."""

import symlie as sl


def build() -> sl.Model:
    """State the hoist."""
    model = sl.Model("hoist")
    radius = model.parameter("radius", 0.5, unit="m")
    mass = model.parameter("mass", 2.0, unit="kg")
    drum, load = model.node("drum", sl.SO2), model.node("load", "R2")
    model.kinetic_energy((0.3 * drum.Omega[0] ** 2 + mass * load.x_dot.dot(load.x_dot)) / 2)
    model.potential_energy(9.81 * mass * load.x[1])
    model.constraint("guide", load.x[0])
    model.nonholonomic_constraint("rope", load.x_dot[1] + radius * drum.Omega[0])
    model.event("round", drum.p[1], direction="rising", terminal=False)
    model.output("height", load.x[1], unit="m")
    model.initial(drum, Omega=[-2])
    return model
