"""
Rods that meet in a node
========================

A trunk and two branches, which share a node. Nothing is said of the forces between them: they follow from the node
that the three rods have in common. The angles between them stay what they are at the start.

Known: the tree comes to rest in its equilibrium, and the section force at the foot of the trunk is the weight of all
that is above, wind included.
"""

from math import cos, sin

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

gravity = np.array([2.0, 0, -9.81])  # with wind from the side
model = sl.Model("rod_tree")
trunk = sl.CosseratRod(
    model,
    "trunk",
    segments=8,
    length=1.0,
    constraint="kirchhoff",
    gravity=gravity,
    stiffness=[20, 20, 15, 2e3, 2e3, 2e3],
    damping=0.05,
    inertia=[0.01, 0.01, 0.02, 0.5, 0.5, 0.5],
    position=lambda s: (0, 0, s),
    orientation=(1, 0, 0, 0),
)
trunk.clamp("start")
for name, a in ("left", -0.6), ("right", 0.9):
    sl.CosseratRod(
        model,
        name,
        segments=6,
        length=0.7,
        like=trunk,
        first=trunk[-1],
        stiffness=[10, 10, 7, 1e3, 1e3, 1e3],
        position=lambda s, a=a: (s * sin(a), 0, 1 + s * cos(a)),
        orientation=(cos(a / 2), 0, sin(a / 2), 0),
    )
system = model.derive().compile()

# %%
# It is let go at the start and sways until damping has taken its energy. The motion is slow, the waves along the rods
# are fast: an implicit method follows what is slow.

solution = sl.solve(system, 60, h=0.02, method="generalized_alpha", method_options={"rho": 0.6, "newton": "modified"})
solution.plot(panels=["snapshots", "energy"])

# %%
# Half of the first segment hangs on the clamp itself.

weight = 0.5 * (1.0 + 0.7 + 0.7 - 1.0 / 16) * gravity
force = solution.field("trunk", "section_force", frame="space")[:, 0, 3:]
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.plot(solution.t, force[:, [0, 2]], label=["to the side", "upwards"])
for k in 0, 2:
    axes.axhline(weight[k], color="k", ls=":", lw=0.8)
axes.set(xlabel="time, s", ylabel="section force at the foot, N")
axes.legend(title="dotted: what hangs on it")

print("off at the end by", abs(force[-1] - weight).max(), "N")
assert np.allclose(force[-1], weight, atol=0.02)

# %%
# The motion in space:

solution.view()
