r"""
A rolling disk
==============

A thin disk rolls on a plane without slip. Its lowest point is at :math:`x + c`, where :math:`c` points from the
centre down the disk; rolling says that the material point there does not move. The vertical part of that is
holonomic, the horizontal part is a constraint on velocities alone.

Known: the energy is conserved, and a disk that starts with the right spin for its inclination rolls in a circle for
ever.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

m, r, g = 1.0, 0.5, 9.81
disk = sl.Model("rolling_disk")
q = disk.node("disk", "SO3xR3")
up = sl.vector(0, 0, 1)
axis = q.R * up  # of the disk, in inertial axes
slope = up - axis * axis.dot(up)  # steepest direction within the disk
c = -r * slope / sl.sqrt(slope.dot(slope))
disk.kinetic_energy(m * (q.x_dot.dot(q.x_dot) + r**2 / 4 * q.Omega.dot(sl.diag(1, 1, 2) * q.Omega)) / 2)
disk.potential_energy(m * g * q.x[2])
disk.constraint("contact", (q.x + c)[2])
disk.nonholonomic_constraint("rolling", (q.x_dot + (q.R * q.Omega).cross(c))[:2, :])
disk.output("touching", q.x + c, unit="m")
disk.output("sine_of_inclination", sl.sqrt(slope.dot(slope)))
disk.shape(q, sl.cylinder(r, 0.02))

# %%
# The axis is inclined by :math:`a` from the vertical and goes round it with the rate :math:`w`; the balance of
# moments gives the spin that belongs to it. The velocity of the centre is not stated: it follows from rolling.

a, w = 1.2, 3.0
s = (0.25 * w**2 * np.sin(a) * np.cos(a) - g / r * np.cos(a)) / (1.5 * w * np.sin(a)) - w * np.cos(a)
tilt = sl.rotation(axis=[0, 1, 0], angle=a)
spin = np.array([-w * np.sin(a), 0, w * np.cos(a) + s])
disk.initial(q, rotation=tilt, x=[0, 0, r * np.sin(a)], Omega=spin)
system = disk.derive().compile()

steady = sl.solve(system, 10, rtol=1e-10)
slower = sl.solve(system.with_initial("disk", Omega=0.8 * spin), 10, rtol=1e-10)

# %%
# With four fifths of the spin the disk nods while it goes round.

figure, (above, lean) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for found, name in (steady, "steady"), (slower, "four fifths of the spin"):
    path = found.outputs["touching"]
    above.plot(path[:, 0], path[:, 1], label=name)
    lean.plot(found.t, np.degrees(np.arcsin(found.outputs["sine_of_inclination"])), label=name)
above.set(xlabel="x of the contact, m", ylabel="y of the contact, m", aspect="equal")
lean.set(xlabel="time, s", ylabel="inclination from the ground, degrees")
lean.legend(loc="lower right")

for found in steady, slower:
    assert np.ptp(found.outputs["energy"]) < 1e-6
    assert abs(found.outputs["touching"][:, 2]).max() < 1e-8
assert np.ptp(steady.outputs["sine_of_inclination"]) < 1e-7
assert np.ptp(slower.outputs["sine_of_inclination"]) > 0.05

# %%
# The motion in space:

steady.view()
