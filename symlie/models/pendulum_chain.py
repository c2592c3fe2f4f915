"""A chain of spherical pendulums on (TS²)^N, in linear time: rods between masses bear tensions.

Masses have accelerations, but no motion of their own: each is placed by the one above it and the rod between them. The
tensions solve a tridiagonal system, the Schur complement of the constraints that keep the rods' lengths, and the
accelerations give the field f = (ω, q × h), h = q × (a - a_above)/L. Source: Celledoni, Çokaj, Leone, Murari and Owren
2022, section 4, where a dense system of the size of all angular velocities is solved instead.
"""

import symlie as sl

OPTIONS = {"formulation": ["lagrangian"]}


def build(links: int = 2, formulation: str = "lagrangian") -> sl.Model:
    """State a chain that hangs from a fixed point; the third axis points upwards."""
    chain = sl.Model("pendulum_chain")
    gravity = chain.parameter("gravity", 9.81, unit="m/s^2")
    link = sl.product_space(sl.TS2, name="link", fields=["directions", "angular_velocities"])
    rods = chain.node_array("links", link, links)
    points = chain.node_array("points", "R3", links + 1)
    points.fix(0)
    points.output("positions", "x", unit="m")
    rods.initial(directions=[0.5**0.5, 0, 0.5**0.5], angular_velocities=[0, 1, 0])

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
    h = rod.let(q.cross(apart) / length)
    rod.field(rod.link, Omega=omega, U=q.cross(h))
    rod.place(rod.below, rod.above, length * q)
    chain.add(rod, [(points[k], points[k + 1], rods[k]) for k in range(links)])
    return chain
