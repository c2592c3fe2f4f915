r"""
Flying spaghetti
================

A force and a moment act on one end of a free Kirchhoff rod for five seconds (Simo and Vu-Quoc, Comput. Methods Appl.
Mech. Eng. 66, 1988).

Verification: the momentum is the impulse of the force, :math:`\int F\,\mathrm{d}t = 50` N s. After the loads end,
momentum, angular momentum and energy are constant.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

L, N = 10.0, 16
model = sl.Model("flying_spaghetti")
rod = sl.CosseratRod(
    model,
    "rod",
    segments=N,
    length=L,
    stiffness=[500, 500, 500, 1e4, 1e4, 1e4],
    inertia=[10, 10, 10, 1, 1, 1],
    constraint="kirchhoff",
    position=lambda s: (6 - 6 * s / L, 8 * s / L, 0),
    orientation=(0.5**0.5, -0.8 * 0.5**0.5, -0.6 * 0.5**0.5, 0),
)
size = model.piecewise_linear("load", [0, 2.5, 5], [0, 200, 0])
rod.end_load("start", force=[size / 10, 0, 0], moment=[0, -size / 2, -size])

# %%
# Steps end at the kinks of the load.

solution = sl.solve(model.derive().compile(), 10, rtol=1e-6, atol=1e-8)
solution.plot(panels=["snapshots", "energy"])

# %%
# Momenta are outputs of rods:

momentum, angular = solution.outputs["linear_momentum"], solution.outputs["angular_momentum"]
t, energy = solution.t, solution.outputs["energy"]

figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.plot(t, momentum, label=["x", "y", "z"])
axes.set(xlabel="time, s", ylabel="momentum, N s")
axes.legend()

free = t >= 5
print("final momentum:", momentum[-1], "N s; variation of the energy after the loads:", np.ptp(energy[free]), "J")
assert np.allclose(momentum[free], [50, 0, 0], atol=1e-3)
assert np.ptp(angular[free], axis=0).max() < 1e-3
assert np.ptp(energy[free]) < 1e-3 * energy[-1]

# %%
# 3-D view of the motion:

solution.view()
