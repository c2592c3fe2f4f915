"""
Double wishbone suspension
==========================

Two arms on hinges guide the hub of a wheel through ball joints, and a tie rod keeps its direction. A spring and a
damper support the load. When the load of the car is applied, the suspension oscillates and comes to rest.

Verification: with parallel hinges the suspension is a four-bar linkage in the lateral plane, so that the camber follows
from the intersection of two circles. The final state is the static equilibrium.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

axle = sl.Model("double_wishbone")
inner = np.array([[0, 0.4, 0.2], [0, 0.45, 0.5]])  # hinges of the lower and upper arm
outer = np.array([[0, 0.8, 0.18], [0, 0.75, 0.52]])  # ball joints of the arms
lower = sl.RigidBody(
    axle, "lower", 2.0, sl.inertia.cylinder(2.0, radius=0.03, height=0.4, axis=1), position=(inner[0] + outer[0]) / 2
)
upper = sl.RigidBody(
    axle, "upper", 1.5, sl.inertia.cylinder(1.5, radius=0.03, height=0.3, axis=1), position=(inner[1] + outer[1]) / 2
)
hub = sl.RigidBody(
    axle, "hub", 20.0, sl.inertia.cylinder(20.0, radius=0.3, height=0.2, axis=1), position=[0, 0.85, 0.3]
)
low = sl.RevoluteJoint(axle, "low", axle.ground, lower, at=inner[0], axis=[1, 0, 0])
sl.RevoluteJoint(axle, "high", axle.ground, upper, at=inner[1], axis=[1, 0, 0])
sl.SphericalJoint(axle, "low_ball", lower, hub, at=outer[0])
sl.SphericalJoint(axle, "high_ball", upper, hub, at=outer[1])
sl.DistanceJoint(axle, "tie_rod", axle.ground, hub, at=[inner[0] + [0.1, 0, 0], outer[0] + [0.1, 0, 0]])
strut = [[0, 0.5, 0.7], [0, 0.7, 0.19]]
sl.Spring(axle, "spring", axle.ground, lower, stiffness=3e4, at=strut, length=0.6)
sl.Damper(axle, "damper", axle.ground, lower, damping=1.5e3, at=strut)
axle.gravity([0, 0, -9.81])
wheel_load = axle.parameter("wheel_load", 2000.0, unit="N")
axle.force(sl.vector(0, 0, wheel_load), at=hub.x)
system = axle.derive().compile()
print(system.mobility())

# %%
# The load acts on the wheel from the start:

solution = sl.solve(system, 1.5, rtol=1e-8)
a, b = (complex(*p[1:]) for p in inner)
c, d = (complex(*p[1:]) for p in outer)
ball = a + (c - a) * np.exp(1j * solution.outputs["low_angle"])
gap = ball - b  # from the upper hinge to the lower ball joint
inside = np.arccos((abs(d - b) ** 2 + abs(gap) ** 2 - abs(d - c) ** 2) / (2 * abs(d - b) * abs(gap)))
top = b + abs(d - b) * gap / abs(gap) * np.exp(1j * inside)
closed_form = np.angle((top - ball) / (d - c))
R, height = solution.field("hub", "R"), solution.field("hub", "x")[:, 2]
camber = np.arctan2(R[:, 2, 1], R[:, 1, 1])

figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
axes[0].plot(solution.t, 1000 * (height - height[0]))
axes[0].set(xlabel="time, s", ylabel="wheel travel, mm")
axes[1].plot(1000 * (height - height[0]), np.degrees(camber), label="camber")
axes[1].plot(1000 * (height - height[0]), np.degrees(closed_form), "k:", label="four-bar linkage")
axes[1].set(xlabel="wheel travel, mm", ylabel="camber, degrees")
axes[1].legend()

rest = system.static_equilibrium()
print("error of the camber:", abs(camber - closed_form).max(), "rad")
assert np.allclose(camber, closed_form, atol=1e-8)
assert np.allclose(solution.q[-1], rest.q, atol=1e-5)

# %%
# 3-D view of the motion:

solution.view()
