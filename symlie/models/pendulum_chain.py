"""A chain of spherical pendulums on (TS²)^N in linear time, with tensions in the rods between the masses.

The masses have accelerations but are dependent nodes: each position follows from the mass above and the rod between
them. The tensions solve a tridiagonal system, the Schur complement of the constraints on the lengths of the rods, and
the accelerations give the field f = (ω, q × h), h = q × d/L with d = a - a_above, where q × (q × d) = q (q·d) - d for
unit q. Source: [Celledoni2022], section 4, which solves a dense system in all angular velocities instead.

Hamilton's form replaces the angular velocities by the momenta m_i = L_i q_i × P_i, where P_i is the momentum of all
masses below rod i. The component of P_i along q_i does not follow from m_i: it is the multiplier of
q_i·(u_i - u_above) = 0 in the same tridiagonal system, whose other unknowns are then the velocities u of the masses.
The field is q' = ω × q and m' = (u_i - u_above) × P_i - (mass below) g L_i q_i × e3.

Runs of both forms start from ``directions`` and ``angular_velocities``; Hamilton's form also accepts ``momenta``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import symlie as sl

Array = NDArray[np.float64]

OPTIONS = {"formulation": ["lagrangian", "hamiltonian"]}


def build(links: int = 2, formulation: str = "lagrangian") -> sl.Model:
    """Return a chain suspended from a fixed point; the third axis points upwards."""
    chain = sl.Model("pendulum_chain")
    gravity = chain.parameter("gravity", 9.81, unit="m/s^2")
    is_lagrangian = formulation == "lagrangian"
    second = "angular_velocities" if is_lagrangian else "momenta"
    link = sl.product_space(sl.TS2, name="link" if is_lagrangian else "momentum_link", fields=["directions", second])
    rods = chain.node_array("links", link, links)
    points = chain.node_array("points", "R3", links + 1)
    points.fix(0)
    points.output("positions", "x", unit="m")
    rods.initial(directions=[0.5**0.5, 0, 0.5**0.5])
    if is_lagrangian:
        rods.initial(angular_velocities=[0, 1, 0])
        _with_velocities(chain, link, rods, points, gravity)
    else:
        # Momenta of equal links with the angular velocity (0, 1, 0).
        rods.initial(momenta=lambda i: [0, (links * (links + 1) - i * (i + 1)) / 2, 0])
        rods.initial_quantity("angular_velocities", "momenta", _momenta)
        _with_momenta(chain, link, rods, points, gravity)
    return chain


def _with_velocities(
    chain: sl.Model, link: sl.HomogeneousSpace, rods: sl.NodeArray, points: sl.NodeArray, gravity: Any
) -> None:
    links = len(rods)
    body = sl.ElementType("body", point="R3")
    m = body.parameter("masses", 1.0, unit="kg")
    body.kinetic_energy(m * body.point.x_dot.dot(body.point.x_dot) / 2)
    body.potential_energy(m * gravity * body.point.x[2])
    chain.add(body, [points[k] for k in range(1, links + 1)])

    rod = sl.ElementType("rod", above="R3", below="R3", link=link)
    length = rod.parameter("lengths", 1.0, unit="m")
    q, omega = rod.link.directions, rod.link.angular_velocities
    apart = rod.below.v_dot - rod.above.v_dot
    rod.acceleration_constraint("tension", q.dot(apart) + length * omega.dot(omega))
    rod.field(rod.link, Omega=omega, U=(q * q.dot(apart) - apart) / length)
    rod.dependent(rod.below, x=rod.above.x + length * q)
    chain.add(rod, [(points[k], points[k + 1], rods[k]) for k in range(links)])


def _with_momenta(
    chain: sl.Model, link: sl.HomogeneousSpace, rods: sl.NodeArray, points: sl.NodeArray, gravity: Any
) -> None:
    # The accelerations of this model are the velocities u of the points: the linear system has the same form.
    links = len(rods)
    loads = chain.node_array("loads", "R1", links + 1)
    loads.fix(links)
    body = sl.ElementType("body", point="R3", load="R1", below="R1")
    m = body.parameter("masses", 1.0)
    body.kinetic_energy(m * body.point.x_dot.dot(body.point.x_dot) / 2 + body.load.x_dot[0] ** 2 / 2)
    body.energy(m * body.point.v_dot.dot(body.point.v_dot) / 2 + m * gravity * body.point.x[2])
    body.dependent(body.load, x=[body.below.x[0] + m])  # total mass below a rod
    chain.add(body, [(points[k], loads[k - 1], loads[k]) for k in range(1, links + 1)])

    rod = sl.ElementType("rod", above="R3", below="R3", link=link, load="R1")
    length = rod.parameter("lengths", 1.0)
    q, momentum = rod.link.directions, rod.link.momenta
    across = rod.let(momentum.cross(q) / length)
    rod.generalized_force(rod.below, across)
    rod.generalized_force(rod.above, -across)
    apart = rod.let(rod.below.v_dot - rod.above.v_dot)
    (along,) = rod.acceleration_constraint("momentum_along", q.dot(apart))
    omega = rod.let(q.cross(apart) / length)
    weight = rod.load.x[0] * gravity * length * q.cross(sl.vector(0, 0, 1))
    rate = rod.let(apart.cross(across - along * q) - weight)
    rod.field(rod.link, Omega=omega, U=q.cross(rate - omega.cross(momentum)))
    rod.dependent(rod.below, x=rod.above.x + length * q, x_dot=rod.above.x_dot)
    chain.add(rod, [(points[k], points[k + 1], rods[k], loads[k]) for k in range(links)])


def _momenta(directions: Array, angular_velocities: Array, masses: Array, lengths: Array) -> Array:
    """Return m_i = L_i q_i × P_i, where P_i = Σ m_j u_j over the masses below rod i."""
    along = np.sum(directions * angular_velocities, axis=1)
    if not np.all(np.abs(along) <= 1e-6):
        worst = int(np.argmax(np.abs(along)))
        raise sl.errors.ModelError(
            f"The angular velocity of link {worst} has the component {along[worst]:.3g} along its direction; links do "
            "not rotate about their own axes."
        )
    rods = lengths[:, None] * directions
    velocities = np.cumsum(np.cross(angular_velocities, rods), axis=0)
    below = np.cumsum((masses[:, None] * velocities)[::-1], axis=0)[::-1]
    return np.cross(rods, below)
