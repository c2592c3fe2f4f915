"""
Optimal turn of a satellite
===========================

A satellite turns by 180° from rest to rest in five seconds, about a principal axis and about an axis between two of
them. ``sl.optimal_control`` determines the torques of least effort from a zero guess, with exact derivatives of the
steps of the integrator.

Verification: about the principal axis, torque and effort have closed forms; about the other axis the effort is smaller
than that of the torques which keep this axis fixed.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

INERTIA, TIME = np.array([1.0, 1.5, 2.0]), 5.0

model = sl.Model("satellite")
body = model.node("body", "SO3")
torque = model.input("torque", 3, unit="N m")
model.kinetic_energy(body.Omega.dot(sl.diag(*INERTIA) * body.Omega) / 2)
model.generalized_force(body, Omega=torque)
model.initial(body, R=np.eye(3), Omega=[0, 0, 0])
system = model.derive().compile()


def turn(axis: np.ndarray) -> sl.OptimalControl:
    """Return the optimal turn by 180° about an axis."""
    rotation = 2 * np.outer(axis, axis) - np.eye(3)
    target = system.state(body={"R": rotation})
    return sl.optimal_control(system, TIME, controls=["torque"], knots=11, target=target, h=0.05)


# %%
# About the third axis, with the moment of inertia J, the torque is 6 J π/T² (1 - 2 t/T) in one of both directions.

principal = turn(np.array([0.0, 0.0, 1.0]))
direction = np.sign(principal.values["torque"][0, 2])
known = direction * 6 * INERTIA[2] * np.pi / TIME**2 * (1 - 2 * principal.times / TIME)
print("effort:", principal.cost, "in closed form:", 6 * INERTIA[2] ** 2 * np.pi**2 / TIME**3)
assert np.isclose(principal.cost, 6 * INERTIA[2] ** 2 * np.pi**2 / TIME**3, rtol=1e-9)
assert np.allclose(principal.values["torque"][:, 2], known, atol=1e-3)

# %%
# A rotation about a fixed axis n needs the torque J n θ̈ + θ̇² n × J n.

axis = np.array([1.0, 0.0, 1.0]) / np.sqrt(2)
between = turn(axis)
t = np.linspace(0, TIME, 1001)
angle_rate, angle_acceleration = 6 * np.pi / TIME**3 * t * (TIME - t), 6 * np.pi / TIME**3 * (TIME - 2 * t)
fixed = np.outer(angle_acceleration, INERTIA * axis) + np.outer(angle_rate**2, np.cross(axis, INERTIA * axis))
effort = np.trapezoid((fixed**2).sum(axis=1), t) / 2
print("effort:", between.cost, "with a fixed axis:", effort)
assert between.cost < effort

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained", sharey=True)
for panel, found, title in zip(axes, (principal, between), ("about axis 3", "between axes 1 and 3"), strict=True):
    panel.plot(found.times, found.values["torque"], "o-", markersize=3, label=["torque 1", "torque 2", "torque 3"])
    panel.set(xlabel="t, s", title=title)
axes[0].plot(principal.times, known, "k:", label="closed form")
axes[0].set_ylabel("torque, N m")
axes[0].legend()
