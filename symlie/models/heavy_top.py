"""The heavy top: a rigid body with a fixed point under gravity.

On SO3xR3, SO3rvxR3, SE3, S3xR3 and S3sR3 the node is the centre of mass and the fixed point is a constraint,
Rᵀx - X = 0 in body axes or x - R X = 0 in inertial axes; on SO3, SO3rv and S3 the node is the fixed point.
Source: [Tumiotto2024], section 2.4; [Holzinger2024], section 4.1.

The other formulations use momenta about the fixed point: T*SO(3) with the momentum in inertial axes (``TSO3``), se(3)*
with momentum and vertical in body axes (``se3_dual``), and T*(SO(3) x R³) with a quadratic Hamiltonian
(``quadratic``). Source: [Celledoni2022], section 3.
"""

from typing import Any

import symlie as sl

OPTIONS = {
    "group": ["SO3xR3", "SE3", "S3xR3", "S3sR3", "SO3", "S3", "SO3rvxR3", "SO3rv"],
    "constraint_frame": ["body", "space"],
    "formulation": ["TSO3", "se3_dual", "quadratic"],
}
SPIN = [0, 150, -4.61538]
"""Initial angular velocity, in body axes, in rad/s."""


def build(
    group: str = "SO3xR3",
    formulation: str | None = None,
    constraint_frame: str | None = None,
    coordinates: str | None = None,
    form: str | None = None,
    step: str | None = None,
) -> sl.Model:
    """Return the heavy top on a group, or in terms of momenta about the fixed point, where group and frame have no
    meaning."""
    if formulation is not None:
        if coordinates is not None:
            raise ValueError(
                f"The formulation {formulation} of the top does not support the coordinates {coordinates!r}."
            )
        return with_momenta(formulation)
    top = sl.Model("heavy_top")
    m = top.parameter("mass", 15.0, unit="kg")
    J = top.parameter("inertia", [0.234375, 0.46875, 0.234375], unit="kg m^2")
    X = top.parameter("lever", [0, 1, 0], unit="m")
    gamma = top.parameter("gravity", [0, 0, -9.81], unit="m/s^2")
    q = top.node("top", group, coordinates=coordinates, form=form, step=step)

    spin = q.Omega.dot(sl.diag(J) * q.Omega) / 2
    if group in ("SO3", "SO3rv", "S3"):
        x = q.R * X
        offset_velocity = q.Omega.cross(X)
        top.kinetic_energy(spin + m * offset_velocity.dot(offset_velocity) / 2)
        top.initial(q, Omega=SPIN)
    else:
        x = q.x
        u = q.U if hasattr(q, "U") else q.x_dot  # body-fixed or inertial axes: the norm is equal
        top.kinetic_energy(spin + m * u.dot(u) / 2)
        top.constraint("fixed_point", q.x - q.R * X if constraint_frame == "space" else q.R.T * q.x - X)
        top.initial(q, x=X, Omega=SPIN)  # the translational velocity follows from the constraint
    top.potential_energy(-m * gamma.dot(x))
    top.output("center_of_mass", x, unit="m")
    top.output("rotation", q.R)
    return top


def with_momenta(formulation: str) -> sl.Model:
    """Return the heavy top in terms of its momenta."""
    top = sl.Model("heavy_top")
    J = top.parameter("fixed_point_inertia", [15.234375, 0.46875, 15.234375], unit="kg m^2")
    mgl = top.parameter("mgl", 147.15, unit="N m")
    chi = top.parameter("axis", [0, 1, 0])
    up = sl.vector(0, 0, 1)
    started = [j * spin for j, spin in zip(J, SPIN, strict=True)]

    def kinetic(momentum: sl.SymbolicMatrix) -> Any:
        return sum(p**2 / j for p, j in zip(momentum, J, strict=True)) / 2

    if formulation == "se3_dual":
        q = top.node("top", sl.dual_space(sl.SE3, fields=("momentum", "vertical")))
        top.hamiltonian(kinetic(q.momentum) + mgl * q.vertical.dot(chi))
        top.initial(q, momentum=started, vertical=up)
        top.output("vertical_momentum", q.momentum.dot(q.vertical))
        return top
    if formulation == "TSO3":
        q = top.node("top", sl.cotangent_space(sl.SO3, momentum="momentum"))
        top.hamiltonian(kinetic(q.R.T * q.momentum) + mgl * up.dot(q.R * chi))
    else:
        parts = sl.cotangent_space(sl.SO3), sl.cotangent_space(sl.real_space(3))
        space = sl.product_space(*parts, name="quadratic_top", fields=["R", "momentum", "q", "p"])
        q = top.node("top", space)
        gamma = q.R.T * up
        top.hamiltonian(kinetic(q.R.T * q.momentum) + (q.p - gamma).dot(q.p - gamma) / 2 - gamma.dot(gamma) / 2)
        top.energy(
            -(mgl * chi).dot(mgl * chi) / 2
        )  # removes the constant |p|²/2, p = -mgl χ, from the energy of the top
        top.initial(q, p=-mgl * chi)
    top.initial(q, momentum=started)
    top.output("vertical_momentum", q.momentum[2])
    top.output("axis", q.R * chi)
    top.output("rotation", q.R)
    return top
