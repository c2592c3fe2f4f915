r"""
Bricard linkage
===============

Six hinges connect six bars along the edges of a cube to a ring. Thirty constraint equations act on the thirty
velocities of the five moving bars, but are linearly dependent, so that the ring has one degree of freedom.
``redundant="minimal_norm"`` selects multipliers of minimal norm. A user-defined element type describes all six hinges.

Verification: every second hinge has the same angle, and two neighbours satisfy
:math:`\cos\theta + \cos\varphi + \cos\theta\cos\varphi = 0` (Chen, You and Tarnai, Int. J. Solids Struct. 42, 2005,
equation of the threefold-symmetric linkage for a twist of 90 degrees).
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
centres = (corners + np.roll(corners, -1, axis=0)) / 2
bricard = sl.Model("bricard")
bars = bricard.node_array("bars", sl.SE3, 6)
bars.initial(x=centres)
bars.fix(5)
bar = sl.ElementType("bar", node=sl.SE3)
bar.kinetic_energy((bar.node.U.dot(bar.node.U) + bar.node.Omega.dot(bar.node.Omega) / 12) / 2)
bar.potential_energy(9.81 * bar.node.x[2])
bricard.add(bar, bars)

hinge = sl.ElementType("hinge", left=sl.SE3, right=sl.SE3)
places = [hinge.parameter(f"{side}_place", [0, 0, 0], unit="m") for side in ("left", "right")]
axis, first, second = (hinge.parameter(name, [0, 0, 1]) for name in ("axis", "first", "second"))
ends = [body.x + body.R * place for body, place in zip((hinge.left, hinge.right), places, strict=True)]
hinge.constraint("pin", ends[0] - ends[1])
direction = hinge.left.R * axis
hinge.constraint("direction", [direction.dot(hinge.right.R * across) for across in (first, second)])
along = np.eye(3)[[1, 2, 0, 1, 2, 0]]  # axis of the hinge at each corner
bricard.add(
    hinge,
    [(bars[k - 1], bars[k]) if k else (bars[5], bars[0]) for k in range(6)],
    left_place=corners - np.roll(centres, 1, axis=0),
    right_place=corners - centres,
    axis=along,
    first=np.roll(along, 1, axis=1),
    second=np.roll(along, 2, axis=1),
)
solution = sl.solve(bricard.derive().compile(), 2, rtol=1e-8, redundant="minimal_norm")
print(solution.warnings[0])

# %%
# Angles of the hinges, from relative rotations of successive bars; zero if the bars are in line:

R = solution.field("bars", "R").reshape(-1, 6, 3, 3)
lines = np.roll(corners, -1, axis=0) - corners  # directions of the bars in the initial configuration
at_start = [
    np.arctan2(np.dot(along[k], np.cross(lines[k - 1], lines[k])), np.dot(lines[k - 1], lines[k])) for k in range(6)
]
turns = []
for k in range(6):
    turn = np.einsum("tji,tjk->tik", R[:, k - 1], R[:, k])
    a, b = np.roll(along[k], 1), np.roll(along[k], 2)
    turns.append(at_start[k] + np.unwrap(np.arctan2(turn @ a @ b, turn @ a @ a)))
angles = np.array(turns)

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for k in range(6):
    axes.plot(
        solution.t, np.degrees(angles[k]), ls="-" if k < 2 else (0, (2, 1 + k)), lw=3 - k / 3, label=f"hinge {k + 1}"
    )
axes.set(xlabel="time, s", ylabel="angle of the hinge, degrees")
axes.legend(ncols=3)

energy = solution.outputs["energy"]
cosines = np.cos(angles)
closure = cosines + np.roll(cosines, 1, axis=0) + cosines * np.roll(cosines, 1, axis=0)
print("error of the closure:", abs(closure).max(), "; variation of the energy:", np.ptp(energy), "J")
assert abs(closure).max() < 1e-6
assert np.abs(cosines[:2] - cosines[2:4]).max() < 1e-6
assert np.ptp(energy) < 1e-9 * abs(solution.v).max() ** 2
assert solution.statistics.max_constraint_residual < 1e-8
assert "rank 29" in solution.warnings[0]
assert np.ptp(solution.field("bars", "x")[:, 2, 2]) > 0.1

# %%
# 3-D view of the motion:

solution.view()
