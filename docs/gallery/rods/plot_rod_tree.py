"""
Tree of rods
============

A trunk and two branches share a node. The common node transmits forces and moments between the three rods. The angles
between the rods at this node are constant.

Verification: the tree comes to rest in its equilibrium, and the section force at the foot of the trunk is the sum of
weight and wind load above it.
"""

from math import cos, sin

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

gravity = np.array([2.0, 0, -9.81])  # with a lateral wind load
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
        position=np.linspace((0, 0, 1), (0.7 * sin(a), 0, 1 + 0.7 * cos(a)), 7),
        orientation=(cos(a / 2), 0, sin(a / 2), 0),
    )
system = model.derive().compile()

# %%
# The tree starts in its stress-free configuration and sways until damping has dissipated its energy. An implicit method
# resolves the slow motion without resolving the fast waves in the rods.

solution = sl.solve(system, 60, h=0.02, method="generalized_alpha", method_options={"rho": 0.6, "newton": "modified"})
solution.plot(panels=["snapshots", "energy"])

# %%
# The clamp itself carries half of the first segment.

weight = 0.5 * (1.0 + 0.7 + 0.7 - 1.0 / 16) * gravity
force = solution.field("trunk", "section_force", frame="space")[:, 0, 3:]
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.plot(solution.t, force[:, [0, 2]], label=["lateral", "vertical"])
for k in 0, 2:
    axes.axhline(weight[k], color="k", ls=":", lw=0.8)
axes.set(xlabel="time, s", ylabel="section force at the foot, N")
axes.legend(title="dotted: total load")

print("final error:", abs(force[-1] - weight).max(), "N")
assert np.allclose(force[-1], weight, atol=0.02)

# %%
# 3-D view of the motion:

solution.view()
