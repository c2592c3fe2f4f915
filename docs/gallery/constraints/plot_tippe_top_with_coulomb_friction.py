r"""
Tippe top with Coulomb friction
===============================

A ball with an eccentric centre of mass spins on a rigid plane with Coulomb friction, and inverts. The contact slides
all the time, in a direction that turns with the spin. In the example "Tippe top", a stiff spring models the plane.

Verification: the contact force acts at the contact, so that :math:`L\cdot c` is constant for all laws of friction
(Jellett, 1872), where :math:`L` is the angular momentum and :math:`c` points from the centre of mass to the contact;
its relative change is below 1e-9. The energy never increases.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

m, radius, offset = 0.02, 0.02, 0.006
J = 2 / 5 * m * radius**2  # the same about all axes
tilt = 0.1
height = radius - offset * np.cos(tilt)
model = sl.Model("coulomb_tippe_top")
top = sl.RigidBody(model, "top", m, [J, J, J], position=[0, 0, height])
model.gravity([0, 0, -9.81])
up = sl.vector(0, 0, 1)
center = top.x + top.R * sl.vector(0, 0, offset)
touching = center - radius * up
slip = top.velocity_at(touching)[:2]
model.contact("plane", touching[2], slip=slip, friction=0.01)
model.output("jellett", J * (top.R * top.Omega).dot(touching - top.x))
model.output("upright", (top.R * up)[2])
model.output("slip", sl.vector(slip[0], slip[1]))
model.shape(top.node, sl.sphere(radius), at=[0, 0, offset])
model.shape(top.node, sl.cylinder(0.004, 0.012), at=[0, 0, offset + radius + 0.004])
model.initial(top, rotation=sl.rotation(axis=[1, 0, 0], angle=tilt), Omega=[0, 0, 120])

# %%
# The axis turns over within 25 s. The normal force and the direction of slip follow from the motion:

solution = sl.solve(model.derive().compile(), 25, rtol=1e-9)
energy, jellett = solution.outputs["energy"], solution.outputs["jellett"]
speed = np.linalg.norm(solution.outputs["slip"], axis=1)

figure, (axis, sliding, invariants) = plt.subplots(1, 3, figsize=(10.5, 3.2), layout="constrained")
axis.plot(solution.t, np.degrees(np.arccos(np.clip(solution.outputs["upright"], -1, 1))))
axis.set(xlabel="time, s", ylabel="inclination of the axis, degrees")
sliding.plot(solution.t, speed, lw=0.5)
sliding.set(xlabel="time, s", ylabel="slip velocity, m/s")
invariants.plot(solution.t, energy / energy[0], label="energy")
invariants.plot(solution.t, jellett / jellett[0], label="Jellett's integral")
invariants.set(xlabel="time, s", ylabel="value / initial value")
invariants.legend()

assert solution.outputs["upright"][-1] < -0.9  # inverted
assert (solution.outputs["plane_state"] == 1).all() and speed[1:].min() > 0
assert abs(jellett / jellett[0] - 1).max() < 1e-9
assert np.diff(energy).max() < 1e-11 * energy[0]

# %%
# 3-D view of the motion:

solution.view()
