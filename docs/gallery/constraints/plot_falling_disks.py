r"""
Falling disks
=============

Nine disks with friction fall into a box and come to rest in a heap. Time stepping with RATTLie solves the laws of all
contacts together in each step; no disk penetrates another one or the box.

Verification: the gaps are not negative beyond rounding, the energy does not increase, and at the end the floor and
friction on the walls carry the weight of all disks.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle

import symlie as sl

COUNT, RADIUS, WIDTH, MASS, GRAVITY = 9, 0.1, 0.75, 1.0, 9.81
LAWS = {"friction": 0.3, "restitution": 0.1}

disk = sl.ElementType("disk", own=sl.group_from_name("R3"))
own = disk.own
disk.kinetic_energy(MASS * (own.x_dot[0] ** 2 + own.x_dot[1] ** 2 + RADIUS**2 / 2 * own.x_dot[2] ** 2) / 2)
disk.potential_energy(MASS * GRAVITY * own.x[1])
disk.contact("floor", own.x[1] - RADIUS, slip=own.x_dot[0] + RADIUS * own.x_dot[2], **LAWS)
disk.contact("left", own.x[0] - RADIUS, slip=own.x_dot[1] - RADIUS * own.x_dot[2], **LAWS)
disk.contact("right", WIDTH - RADIUS - own.x[0], slip=own.x_dot[1] + RADIUS * own.x_dot[2], **LAWS)

pair = sl.ElementType("pair", a=sl.group_from_name("R3"), b=sl.group_from_name("R3"))
x, y = (pair.a.x[k] - pair.b.x[k] for k in range(2))
u, v = (pair.a.x_dot[k] - pair.b.x_dot[k] for k in range(2))
turning = pair.a.x_dot[2] + pair.b.x_dot[2]
distance = sl.sqrt(x**2 + y**2)
pair.contact("pair", distance - 2 * RADIUS, slip=(x * v - y * u) / distance - RADIUS * turning, **LAWS)

model = sl.Model("falling_disks")
nodes = model.node_array("disks", sl.group_from_name("R3"), COUNT)
model.add(disk, [nodes[k] for k in range(COUNT)])
model.add(pair, [(nodes[k], nodes[j]) for k in range(COUNT) for j in range(k)])
generator, k = np.random.default_rng(3), np.arange(COUNT)
start = np.stack([0.14 + 0.235 * (k % 3), 0.3 + 0.25 * (k // 3), 0 * k], axis=1)
start[:, :2] += generator.uniform(-0.015, 0.015, (COUNT, 2))
nodes.initial(x=start, x_dot=np.zeros((COUNT, 3)))
solution = sl.solve(model.derive().compile(), 2, method="rattlie", h=2e-3)

places = solution.q[:, : 3 * COUNT].reshape(-1, COUNT, 3)
figure, axes = plt.subplots(1, 4, figsize=(8.5, 3.4), layout="constrained", sharey=True)
for axis, t in zip(axes, (0, 0.25, 0.5, 2), strict=True):
    for n, (px, py, angle) in enumerate(places[np.searchsorted(solution.t, t - 1e-9)]):
        axis.add_patch(Circle((px, py), RADIUS, color=f"C{n // 3}", alpha=0.7, lw=0))
        tip = RADIUS * np.array([np.cos(angle), np.sin(angle)])
        axis.plot([px, px + tip[0]], [py, py + tip[1]], "k", lw=0.8)
    axis.plot([0, 0, WIDTH, WIDTH], [1, 0, 0, 1], "k", lw=1)
    axis.set(title=f"t = {t:g} s", aspect="equal", xlim=(-0.05, WIDTH + 0.05), ylim=(-0.05, 1), xticks=[])

# %%
# Gaps, the energy, and the load of the box at the end:

i, j = np.tril_indices(COUNT, -1)
apart = np.linalg.norm(places[:, i, :2] - places[:, j, :2], axis=2) - 2 * RADIUS
walls = np.minimum(places[..., 1], np.minimum(places[..., 0], WIDTH - places[..., 0])) - RADIUS
forces = solution.named_multipliers()
load = -sum(forces[name][-1].sum() for name in ("floor", "left_slip", "right_slip"))
print(f"smallest gap: {min(apart.min(), walls.min()):.1e} m")
print(f"largest increase of the energy in a step: {np.diff(solution.outputs['energy']).max():.1e} J")
print(f"load of the box: {load:.6f} N of {COUNT * MASS * GRAVITY:.6f} N")
print(f"largest speed at the end: {np.abs(solution.v[-1]).max():.1e}")
assert min(apart.min(), walls.min()) > -1e-12
assert np.diff(solution.outputs["energy"]).max() < 1e-6
assert abs(load - COUNT * MASS * GRAVITY) < 1e-6
