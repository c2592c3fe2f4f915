"""A spherical pendulum: a rigid body that hangs from a spherical joint.

A model file is plain Python. 'symlie run FILE' calls build() with the options given by -o; this text's first sentence is
the model's summary.
"""

import symlie as sl

# Allowed values of the options of build(), for options with a fixed choice.
OPTIONS = {"group": ["SE3", "SO3xR3", "S3xR3", "S3sR3"]}


def build(group: str = "SE3") -> sl.Model:
    """Define the model; each option of this function becomes -o NAME=VALUE on the command line."""
    model = sl.Model("new_model")

    # Parameters are inputs of the generated code: change them with --set mass=3, without deriving or compiling again.
    m = model.parameter("mass", 2.0, unit="kg")
    J = model.parameter("inertia", [0.02, 0.03, 0.01], unit="kg m^2")  # principal moments at the centre of mass
    rod = model.parameter("rod", [0, 0, 0.5], unit="m")  # from the centre of mass to the joint, in body axes
    gravity = model.parameter("gravity", [0, 0, -9.81], unit="m/s^2")

    # A node has a configuration on a Lie group and a velocity in its Lie algebra. On all four groups above:
    #   q.R  rotation matrix, body to inertial axes     q.x  position of the centre of mass, inertial axes
    #   q.v  velocity, six components                   q.Omega  its first three: angular velocity, body axes
    # The last three are body-fixed (q.U) on SE3 and S3sR3, and inertial (q.x_dot) on the products with R3.
    q = model.node("body", group)
    u = q.v[3:, :]

    # Energies, in J. The equations of motion follow from them.
    model.kinetic_energy((m * u.dot(u) + q.Omega.dot(sl.diag(J) * q.Omega)) / 2)
    model.potential_energy(-m * gravity.dot(q.x))

    # Constraints are expressions that remain zero: here the joint stays at the origin. Their multipliers are the joint
    # forces.
    model.constraint("joint", q.x + q.R * rod)

    # Further elements of a model; remove the # to try them.
    # c = model.parameter("damping", 0.01, unit="N m s")
    # model.dissipation(c * q.Omega.dot(q.Omega) / 2)  # Rayleigh function: the torque -c Omega
    # model.force(sl.vector(0, sl.sin(2 * model.t), 0), at=q.x)  # inertial axes, in N, acting at a point
    # model.event("lowest", model.rate(q.x[2]), direction="rising", terminal=False)  # a zero to locate

    # Outputs are reported by 'symlie run', drawn and saved; every model has its energy.
    model.output("center_of_mass", q.x, unit="m")

    # Initial values: unspecified configurations start at the identity, and velocities are completed to satisfy the
    # constraints. Change them with --init body.Omega=[0,3,0].
    model.initial(q, x=-rod, Omega=[4, 0, 1])
    return model


if __name__ == "__main__":
    # The same in Python: derive once, then solve as often as needed.
    system = build().derive().compile()
    solution = sl.solve(system, 2, rtol=1e-8)  # adaptive steps; or h=1e-3 for fixed ones
    print("centre of mass at t = 2 s:", solution.outputs["center_of_mass"][-1])
    print("largest error of the joint, in m:", solution.statistics.max_constraint_residual)
    heavier = system.with_parameters(mass=3.0)
    print("energy with mass = 3 kg, in J:", sl.solve(heavier, 2).outputs["energy"][-1])
