"""
Rolling disk
============

A thin disk rolls on a plane without slip. Its lowest point is :math:`x + c`, where :math:`c` points from the centre to
the contact; the velocity of the material point at the contact is zero. The vertical component of this condition is
holonomic, the horizontal components are nonholonomic constraints.

Verification: the energy is constant, and for a matching spin the disk rolls in a circle with constant inclination.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

m, r, g = 1.0, 0.5, 9.81
disk = sl.Model("rolling_disk")
q = disk.node("disk", "SO3xR3")
up = sl.vector(0, 0, 1)
axis = q.R * up  # axis of the disk, in inertial axes
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
# The axis has the inclination :math:`a` from the vertical and precesses with the angular velocity :math:`w`; the
# balance of moments determines the spin. The unspecified velocity of the centre follows from rolling.

a, w = 1.2, 3.0
s = (0.25 * w**2 * np.sin(a) * np.cos(a) - g / r * np.cos(a)) / (1.5 * w * np.sin(a)) - w * np.cos(a)
tilt = sl.rotation(axis=[0, 1, 0], angle=a)
spin = np.array([-w * np.sin(a), 0, w * np.cos(a) + s])
disk.initial(q, rotation=tilt, x=[0, 0, r * np.sin(a)], Omega=spin)
system = disk.derive().compile()

steady = sl.solve(system, 10, rtol=1e-10)
slower = sl.solve(system.with_initial("disk", Omega=0.8 * spin), 10, rtol=1e-10)

# %%
# With 80 % of this spin, the disk nutates.

figure, (above, lean) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for found, name in (steady, "steady"), (slower, "80 % of the spin"):
    path = found.outputs["touching"]
    above.plot(path[:, 0], path[:, 1], label=name)
    lean.plot(found.t, np.degrees(np.arcsin(found.outputs["sine_of_inclination"])), label=name)
above.set(xlabel="x of the contact, m", ylabel="y of the contact, m", aspect="equal")
lean.set(xlabel="time, s", ylabel="inclination from the ground, degrees")
lean.legend(loc="lower right")

for found in steady, slower:
    assert np.ptp(found.outputs["energy"]) < 1e-6
    assert abs(found.outputs["touching"][:, 2]).max() < 1e-8
assert steady.statistics.max_velocity_residual < 1e-12
assert np.ptp(steady.outputs["sine_of_inclination"]) < 1e-9
x = steady.field("disk", "x")[:, :2]
circle = np.column_stack([2 * x, np.ones(len(x))])  # |x|² = 2 x·m + r² - |m|² on a circle about m
fit, *_ = np.linalg.lstsq(circle, (x**2).sum(axis=1), rcond=None)
assert np.allclose(circle @ fit, (x**2).sum(axis=1), rtol=0, atol=1e-9)
assert np.ptp(x[:, 0]) > 0.1
assert np.ptp(slower.outputs["sine_of_inclination"]) > 0.05

# %%
# 3-D view of the motion:

steady.view()
