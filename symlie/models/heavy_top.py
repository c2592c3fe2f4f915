"""The heavy top: a rigid body with a fixed point under gravity.

On SO3xR3, SE3, S3xR3, S3sR3 the node is the centre of mass and the fixed point is a constraint; on SO3 and S3 the node
is the fixed point. Source: Tumiotto and Arnold 2024, section 2.4; Holzinger, Arnold and Gerstmayr 2024, section 4.1.
"""

import symlie as sl

OPTIONS = {"group": ["SO3xR3", "SE3", "S3xR3", "S3sR3", "SO3", "S3"]}


def build(group: str = "SO3xR3") -> sl.Model:
    """State the heavy top on a group."""
    top = sl.Model("heavy_top")
    m = top.parameter("mass", 15.0, unit="kg")
    J = top.parameter("inertia", [0.234375, 0.46875, 0.234375], unit="kg m^2")
    X = top.parameter("lever", [0, 1, 0], unit="m")
    gamma = top.parameter("gravity", [0, 0, -9.81], unit="m/s^2")
    q = top.node("top", group)

    spin = q.Omega.dot(sl.diag(J) * q.Omega) / 2
    if group in ("SO3", "S3"):
        x = q.R * X
        offset_velocity = q.Omega.cross(X)
        top.kinetic_energy(spin + m * offset_velocity.dot(offset_velocity) / 2)
        top.initial(q, Omega=[0, 150, -4.61538])
    else:
        x = q.x
        u = q.v[3:, :]  # body-fixed on SE3 and S3sR3, inertial on the direct products: the same length
        top.kinetic_energy(spin + m * u.dot(u) / 2)
        top.constraint("fixed_point", q.R.T * q.x - X)
        top.initial(q, x=X, Omega=[0, 150, -4.61538])  # the translational velocity follows from the constraint
    top.potential_energy(-m * gamma.dot(x))
    top.output("center_of_mass", x, unit="m")
    top.output("rotation", q.R)
    return top
