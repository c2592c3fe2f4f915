r"""
Tippe top
=========

A ball with an eccentric centre of mass spins on a plane with sliding friction, and inverts. A stiff spring models the
plane; friction is a force at the contact against the slip velocity.

Verification: the contact force acts at the contact, so that :math:`L\cdot c` is constant for all laws of friction
(Jellett, 1872), where :math:`L` is the angular momentum and :math:`c` points from the centre of mass to the contact.
The energy decreases.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

m, radius, offset, g = 0.02, 0.02, 0.006, 9.81
J = 2 / 5 * m * radius**2  # the same about all axes
top = sl.Model("tippe_top")
mu = top.parameter("friction", 0.3)
q = top.node("top", "S3xR3")  # x is the centre of mass, below the centre of the ball
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
# The model has no constraints, so that an explicit Runge–Kutta–Munthe-Kaas method is suitable.

solution = sl.solve(top.derive().compile(), 8, method="rkmk_dopri5", rtol=1e-7)
energy, jellett = solution.outputs["energy"], solution.outputs["jellett"]

figure, (axis, invariants) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
axis.plot(solution.t, np.degrees(np.arccos(np.clip(solution.outputs["upright"], -1, 1))))
axis.set(xlabel="time, s", ylabel="inclination of the axis, degrees")
invariants.plot(solution.t, energy / energy[0], label="energy")
invariants.plot(solution.t, jellett / jellett[0], label="Jellett's integral")
invariants.set(xlabel="time, s", ylabel="value / initial value")
invariants.legend()

assert solution.outputs["upright"][-1] < -0.9  # inverted
assert abs(jellett / jellett[0] - 1).max() < 1e-9
assert energy[-1] < 0.7 * energy[0]
assert np.diff(energy[:: len(energy) // 50]).max() < 1e-3 * energy[0]  # the spring stores little energy

# %%
# 3-D view of the motion:

solution.view()
