r"""
Dominoes
========

Six stones stand in a row on a floor with friction. The first one is pushed, tilts, and topples the others. Each stone
has contacts of its corners with the floor, of its upper edge with the face of the next stone, and of the lower edge of
the next stone with its own face. All stones have the same element types, so that the derivation does not depend on
their number. Time stepping with RATTLie solves the laws of all contacts together in each step.

Verification: the gaps are not negative beyond rounding, the stones are hit in turn, the energy does not increase, and
with the losses of impacts and of friction it is constant to 0.1 %.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Polygon

import symlie as sl

COUNT, HEIGHT, THICKNESS, WIDTH, DISTANCE, MASS = 6, 0.05, 0.008, 0.025, 0.02, 0.02
LAWS = {"friction": 0.2, "restitution": 0.1}
INERTIA = MASS * (HEIGHT**2 + THICKNESS**2) / 12

model = sl.Model("dominoes")
stones = []
for k in range(COUNT):
    place = [DISTANCE * k, HEIGHT / 2]
    stone = sl.RigidBody(model, f"stone_{k}", MASS, INERTIA, position=place, group=sl.SE2)
    sl.BoxPlaneContact(model, f"floor_{k}", model.ground, stone, size=[THICKNESS, HEIGHT], friction=0.3)
    model.shape(stone, sl.box(THICKNESS, HEIGHT, WIDTH))
    stones.append(stone)
for k, (stone, following) in enumerate(itertools.pairwise(stones)):
    right, left = DISTANCE * k + THICKNESS / 2, DISTANCE * (k + 1) - THICKNESS / 2
    sl.PointPlaneContact(
        model, f"upper_{k}", following, stone, at=[right, HEIGHT], plane=[left, 0], normal=[-1, 0], **LAWS
    )
    sl.PointPlaneContact(model, f"lower_{k}", stone, following, at=[left, 0], plane=[right, 0], normal=[1, 0], **LAWS)
model.gravity([0, -9.81])
model.initial(stones[0], Omega=[-6.0], U=[6 * HEIGHT / 2, -6 * THICKNESS / 2])  # about its lower right edge
solution = sl.solve(model.derive().compile(), 0.7, method="rattlie", h=1e-3)

places = np.stack([solution.field(f"stone_{k}", "x") for k in range(COUNT)])
angles = np.unwrap([solution.angle(f"stone_{k}") for k in range(COUNT)])
corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [THICKNESS / 2, HEIGHT / 2]
figure, axes = plt.subplots(2, 2, figsize=(8.5, 4), layout="constrained", sharex=True, sharey=True)
for axis, t in zip(axes.flat, (0, 0.16, 0.26, 0.7), strict=True):
    n = np.searchsorted(solution.t, t - 1e-9)
    for k in range(COUNT):
        c, s = np.cos(angles[k, n]), np.sin(angles[k, n])
        axis.add_patch(Polygon(places[k, n] + corners @ [[c, s], [-s, c]], color=f"C{k}", alpha=0.8, lw=0))
    axis.axhline(0, color="k", lw=1)
    axis.set(title=f"t = {t:g} s", aspect="equal", xlim=(-0.02, 0.17), ylim=(-0.005, 0.06), xticks=[], yticks=[])

# %%
# Hits in turn, gaps, and the balance of the energy:

hits = {name: impact.t for impact in reversed(solution.impacts) for name in impact.contacts}
times = [hits[f"upper_{k}"] for k in range(COUNT - 1)]
gaps = min(values.min() for name, values in solution.outputs.items() if name.endswith("_gap"))
energy, impacts = solution.outputs["energy"], sum(impact.energy_loss for impact in solution.impacts)
friction = sum(loss[-1] for loss in solution.friction_losses.values())
print("times of the first hits:", ", ".join(f"{t:.3f} s" for t in times))
print(f"smallest gap: {gaps:.1e} m")
print(f"energy: {energy[0]:.6f} J at the start, {energy[-1]:.6f} J at the end")
print(f"losses: {impacts:.6f} J of impacts, {friction:.6f} J of friction")
assert np.all(np.diff(times) > 0) and gaps > -1e-12
assert np.diff(energy).max() < 1e-7
assert abs(energy[-1] + impacts + friction - energy[0]) < 1e-3 * energy[0]

# %%
# 3-D view of the motion:

solution.view()
