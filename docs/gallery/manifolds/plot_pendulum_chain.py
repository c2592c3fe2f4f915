r"""
Pendulum chain on spheres
=========================

The directions and angular velocities of the rods of a chain are points of :math:`(T S^2)^N`. The point masses at the
ends of the rods are dependent nodes. The tensions are multipliers of acceleration-level constraints with a tridiagonal
matrix, so that the cost of a step is proportional to the number of links and the code does not depend on it.

Verification: small vibrations of a hanging chain of :math:`N` equal links have the angular frequencies
:math:`\sqrt{x\,g/\ell}` with the zeros :math:`x` of the Laguerre polynomial :math:`L_N`, and the mass :math:`j` above
the lowest one has the amplitude :math:`L_j(x)`.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np
from numpy.polynomial.laguerre import lagroots, lagval

import symlie as sl


def chain(links: int) -> sl.Model:
    """Build a hanging chain of equal masses and rods."""
    model = sl.Model("pendulum_chain")
    gravity = model.parameter("gravity", 9.81, unit="m/s^2")
    link = sl.product_space(sl.TS2, name="link", fields=["directions", "angular_velocities"])
    rods = model.node_array("links", link, links)
    points = model.node_array("points", "R3", links + 1)
    points.fix(0)
    points.output("positions", "x", unit="m")

    body = sl.ElementType("body", point="R3")
    body.kinetic_energy(1.0 * body.point.x_dot.dot(body.point.x_dot) / 2)
    body.potential_energy(1.0 * gravity * body.point.x[2])
    model.add(body, [points[k] for k in range(1, links + 1)])

    rod = sl.ElementType("rod", above="R3", below="R3", link=link)
    length = rod.parameter("lengths", 1.0, unit="m")
    q, omega = rod.link.directions, rod.link.angular_velocities
    relative = rod.below.v_dot - rod.above.v_dot
    rod.acceleration_constraint("tension", q.dot(relative) + length * omega.dot(omega))
    angular_acceleration = rod.let(q.cross(relative) / length)
    rod.field(rod.link, Omega=omega, U=q.cross(angular_acceleration))
    rod.dependent(rod.below, x=rod.above.x + length * q)
    model.add(rod, [(points[k], points[k + 1], rods[k]) for k in range(links)])
    rods.initial(directions=[0, 0, -1], angular_velocities=[0, 0, 0])
    return model


# %%
# The slowest mode of sixteen links, with a small amplitude, over one period:

N = 16
zero = lagroots([0] * N + [1]).min()
period = 2 * np.pi / np.sqrt(zero * 9.81)
shape = np.array([lagval(zero, [0] * j + [1]) for j in range(N, -1, -1)])  # from the support to the lowest mass
across = 1e-3 * np.diff(shape)
directions = np.column_stack([across, 0 * across, -np.sqrt(1 - across**2)])
system = chain(N).derive().compile()
small = sl.solve(
    system.with_initial("links", directions=directions), period, rtol=1e-9, t_eval=np.linspace(0, period, 61)
)
lowest = small.outputs["positions"].reshape(-1, N, 3)[:, -1, 0]
mode = 1e-3 * np.cos(2 * np.pi * small.t / period)
print("error relative to the amplitude:", abs(lowest - mode).max() / 1e-3)
assert abs(lowest - mode).max() < 1e-5

# %%
# The same code with 64 links that start inclined and swing for 10 s:

long = chain(64)
system = long.derive().compile()
start = np.tile([0.8, 0, -0.6], (64, 1))
swing = sl.solve(system.with_initial("links", directions=start), 10, rtol=1e-8, t_eval=np.linspace(0, 10, 11))
paths = np.pad(swing.outputs["positions"].reshape(-1, 64, 3), [(0, 0), (1, 0), (0, 0)])  # with the support

figure, (mode_of, snapshots) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
mode_of.plot(small.t, 1e3 * lowest, label="lowest mass")
mode_of.plot(small.t, 1e3 * mode, "k:", label="Laguerre")
mode_of.set(xlabel="time, s", ylabel="lateral displacement, mm")
mode_of.legend()
for t, x in zip(swing.t[::2], paths[::2], strict=True):
    snapshots.plot(x[:, 0], x[:, 2], label=f"{t:.0f} s")
snapshots.set(xlabel="x, m", ylabel="z, m", aspect="equal")
snapshots.legend()

energy = swing.outputs["energy"]
lengths = np.linalg.norm(np.diff(paths, axis=1), axis=2)
print("relative variation of the energy:", np.ptp(energy) / abs(energy[0]))
print("largest error of the lengths:", abs(lengths - 1).max(), "m")
assert np.ptp(energy) < 1e-5 * abs(energy[0])
assert abs(lengths - 1).max() < 1e-12

# %%
# 3-D view of the motion:

swing.view()
