"""A flexible rod that is clamped at one end and carries a body at the other.

A model file is plain Python. 'symlie run FILE' calls build() with the options given by -o; this text's first sentence is
the model's summary.
"""

import symlie as sl


def build(segments: int = 12, constraint: str = "kirchhoff") -> sl.Model:
    """Define the model; each option of this function becomes -o NAME=VALUE on the command line."""
    model = sl.Model("new_model")

    # A Cosserat rod of segments; nodes carry the cross sections. position and orientation are functions of the arc
    # length: here the rod lies along x, and its third director, the tangent, is rotated from z to x.
    rod = sl.CosseratRod(
        model,
        "rod",
        segments=segments,
        length=1.0,
        constraint=constraint,  # or "none", or "inextensible"
        stiffness=[2.0, 2.0, 1.5, 1e4, 1e4, 1e4],  # bending twice, torsion, shear twice, tension: N m^2 and N
        inertia=[1e-4, 1e-4, 2e-4, 0.4, 0.4, 0.4],  # of the cross section, kg m and kg/m
        damping=2e-3,
        gravity=(0, 0, -9.81),
        position=lambda s: (s, 0, 0),
        orientation=sl.rotation(axis=[0, 1, 0], angle=sl.pi / 2),
    )
    rod.nodes.fix(0)

    # Any joint connects bodies to nodes of a rod, defined in inertial axes of the initial configuration.
    weight = sl.RigidBody(model, "weight", 0.2, sl.inertia.sphere(0.2, radius=0.05), position=[1.05, 0, 0])
    sl.RigidJoint(model, "clamp", rod[-1], weight, at=[1, 0, 0])  # or sl.SphericalJoint, sl.RevoluteJoint(…, axis=…)
    model.gravity([0, 0, -9.81])

    # Outputs are reported by 'symlie run', drawn and saved.
    model.output("tip", weight.point([0, 0, 0]), unit="m")
    return model


if __name__ == "__main__":
    # The same in Python: derive once, then solve as often as needed.
    system = build().derive().compile()
    solution = sl.solve(system, 1, method="generalized_alpha", h=2e-3)  # implicit: rods are stiff
    print("the weight after 1 s:", solution.outputs["tip"][-1], "m")
    equilibrium = system.static_equilibrium()
    resting = sl.solve(system.with_configuration(equilibrium.q), 0.01, method="generalized_alpha", h=2e-3)
    print("the weight at rest:", resting.outputs["tip"][0], "m")
    solution.plot("new_model.png", panels=["snapshots", "tip", "energy"])
