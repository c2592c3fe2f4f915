r"""
Roll-up of a cantilever
=======================

An end moment bends a straight rod into a circular arc, and into a full circle for :math:`M = 2\pi EI/L`. Segments of
the rod are screw motions between two nodes, so that rods of constant strain are exact on any grid, here with eight
segments.

Verification: under the moment :math:`M` the curvature is :math:`\kappa = M/EI` everywhere, and the end is at
:math:`(\sin\kappa L, 1 - \cos\kappa L)/\kappa`.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

L, EI, GA = 10.0, 500.0, 1e4
model = sl.Model("roll_up")
turns = model.parameter("turns", 1.0)
rod = sl.CosseratRod(
    model,
    "rod",
    segments=8,
    length=L,
    stiffness=[EI, EI, EI, GA, GA, GA],
    inertia=[10, 10, 10, 1, 1, 1],
    damping=100.0,
    position=lambda s: (s, 0, 0),
    orientation=sl.rotation(axis=[0, 1, 0], angle=90 * sl.deg),
)
rod.clamp("start")
rod.end_load("end", moment=[0, 0, 2 * np.pi * EI / L * turns])
system = model.derive().compile()

# %%
# Equilibria under parts of the moment:

s = np.linspace(0, L, 101)
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for part in 0.1, 0.25, 0.5, 1.0:
    bent = system.with_parameters(turns=part).static_equilibrium(load_steps=4)
    x = bent.q.reshape(9, 7)[:, 4:]
    kappa = 2 * np.pi * part / L
    (line,) = axes.plot(x[:, 0], x[:, 1], "o", label=f"{part:g} M")
    axes.plot(np.sin(kappa * s) / kappa, (1 - np.cos(kappa * s)) / kappa, color=line.get_color())
    assert np.allclose(x[-1], [np.sin(kappa * L) / kappa, (1 - np.cos(kappa * L)) / kappa, 0], atol=1e-8)
axes.set(xlabel="x, m", ylabel="y, m", aspect="equal")
axes.legend(title="dots: nodes, lines: arcs")

# %%
# A sudden moment sets the rod in motion, and with damping the rod converges to the circle.

solution = sl.solve(system, 20, method="bdf", rtol=1e-5)
distance = np.linalg.norm(solution.field("rod", "x")[-1].reshape(9, 3)[-1])
print("distance between the ends after 20 s:", distance, "m")
assert distance < 0.01 * L
solution.plot(panels=["snapshots", "energy"])

# %%
# 3-D view of the motion:

solution.view()
