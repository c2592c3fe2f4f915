r"""
A tippe top
===========

A ball whose centre of mass is off its centre spins on a plane with sliding friction, and turns over. The plane is a
stiff spring, friction a force at the contact that opposes the slip.

Known: the force acts at the contact, so :math:`L\cdot c`, with the angular momentum :math:`L` and :math:`c` from the
centre of mass to the contact, is conserved whatever the law of friction is (Jellett, 1872), while the energy falls.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

m, radius, offset, g = 0.02, 0.02, 0.006, 9.81
J = 2 / 5 * m * radius**2  # the same about all axes
top = sl.Model("tippe_top")
mu = top.parameter("friction", 0.3)
q = top.node("top", "S3xR3")  # x is the centre of mass, the ball's centre is offset above it
up = sl.vector(0, 0, 1)
c = q.R * sl.vector(0, 0, offset) - radius * up  # from the centre of mass to the contact
depth = -(q.x + c)[2]
normal = sl.Max(400.0 * depth + 0.1 * top.rate(depth), 0)
slip = q.x_dot + (q.R * q.Omega).cross(c)
slip = sl.vector(slip[0], slip[1], 0)
force = normal * up - mu * normal * slip / sl.sqrt(slip.dot(slip) + 1e-6)
top.kinetic_energy((m * q.x_dot.dot(q.x_dot) + J * q.Omega.dot(q.Omega)) / 2)
top.potential_energy(m * g * q.x[2])
top.generalized_force(q, x_dot=force, Omega=q.R.T * c.cross(force))
top.output("jellett", (q.R * q.Omega).dot(c) * J)
top.output("upright", (q.R * up)[2])
top.shape(q, sl.sphere(radius), at=[0, 0, offset])
top.shape(q, sl.cylinder(0.004, 0.012), at=[0, 0, offset + radius + 0.004])
top.initial(q, rotation=sl.rotation(axis=[1, 0, 0], angle=0.1), x=[0, 0, 0.0145], Omega=[0, 0, 150])

# %%
# Nothing constrains the ball, so an explicit Runge–Kutta–Munthe-Kaas method is the natural choice.

solution = sl.solve(top.derive().compile(), 8, method="rkmk_dopri5", rtol=1e-7)
energy, jellett = solution.outputs["energy"], solution.outputs["jellett"]

figure, (axis, kept) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
axis.plot(solution.t, np.degrees(np.arccos(np.clip(solution.outputs["upright"], -1, 1))))
axis.set(xlabel="time, s", ylabel="inclination of the axis, degrees")
kept.plot(solution.t, energy / energy[0], label="energy")
kept.plot(solution.t, jellett / jellett[0], label="Jellett's integral")
kept.set(xlabel="time, s", ylabel="over the value at the start")
kept.legend()

assert solution.outputs["upright"][-1] < -0.9  # it stands on its head
assert np.ptp(jellett / jellett[0]) < 1e-4
assert energy[-1] < 0.7 * energy[0]

# %%
# The motion in space:

solution.view()
