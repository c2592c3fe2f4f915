r"""
Massless point
==============

A mass is suspended by a damper and a spring in series (Maxwell element). The point between damper and spring has no
mass: the balance of both forces determines its rate. With a second spring instead of the damper, the position of the
point is an algebraic unknown, and the mass oscillates on both springs in series.

Verification: with the damper, the motion satisfies linear equations of third order; with two springs, the angular
frequency is :math:`\omega = \sqrt{k_1 k_2 / ((k_1 + k_2) m)}`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import expm

import symlie as sl

m, k, second, c = 1.0, 20.0, 60.0, 3.0


def between(name: str, damper: float, spring: float) -> sl.System:
    model = sl.Model(name)
    point, mass = model.node("point", "R1"), model.node("mass", "R1")
    model.kinetic_energy(m * mass.x_dot[0] ** 2 / 2)
    model.potential_energy(k * point.x[0] ** 2 / 2 + spring * (mass.x[0] - point.x[0]) ** 2 / 2)
    if damper:
        model.dissipation(damper * (mass.x_dot[0] - point.x_dot[0]) ** 2 / 2)
    model.initial(point, x=[1])
    model.initial(mass, x=[1])
    return model.derive().compile()


damped = sl.solve(between("maxwell", c, 0), 3, rtol=1e-9)
springs = sl.solve(between("series", 0, second), 3, rtol=1e-9)

# %%
# Comparison with closed forms:

A = np.array([[-k / c, 0, 1], [0, 0, 1], [-k / m, 0, 0]])  # for the point, the mass, and the velocity of the mass
maxwell = np.array([expm(A * t) @ [1, 1, 0] for t in damped.t])
series = np.cos(np.sqrt(k * second / (k + second) / m) * springs.t)

figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True, layout="constrained")
for ax, run, exact, title in zip(
    axes, (damped, springs), (maxwell[:, 1], series), ("damper and spring", "two springs"), strict=True
):
    ax.plot(run.t, run.field("mass", "x")[:, 0], label="mass")
    ax.plot(run.t, run.field("point", "x")[:, 0], label="point")
    ax.plot(run.t, exact, "k:", label="closed form")
    ax.set(xlabel="t, s", title=title)
axes[0].set_ylabel("position, m")
axes[0].legend()

assert np.abs(damped.field("mass", "x")[:, 0] - maxwell[:, 1]).max() < 1e-7
assert np.abs(damped.field("point", "x")[:, 0] - maxwell[:, 0]).max() < 1e-7
assert np.abs(springs.field("mass", "x")[:, 0] - series).max() < 1e-7

# %%
# The Maxwell element has three eigenvalues; the massless point between two springs adds none:

print(between("maxwell", c, 0).linearize(np.zeros(2)).eigenvalues)
print(between("series", 0, second).linearize(np.zeros(2)).eigenvalues)
assert len(between("series", 0, second).linearize(np.zeros(2)).eigenvalues) == 2
