r"""
Sliding ladder
==============

A ladder leans against a wall. Without friction it slides down, and its upper end leaves the wall when it has lost a
third of its height. With friction at both ends, the ladder stands if it is steep enough.

Verification: the height at which the ladder leaves the wall agrees with its closed form to 1e-9. The ladder stands or
slides 0.01 rad above or below the inclination :math:`\tan θ = (1 - μ^2)/(2 μ)`.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

LENGTH, G = 4.0, 9.81


def ladder(angle: float, friction: float) -> sl.System:
    """Ladder at an angle to the floor, with its ends on the floor and at a wall."""
    model = sl.Model("ladder" if friction else "smooth_ladder")
    foot, top = np.array([LENGTH * np.cos(angle), 0]), np.array([0, LENGTH * np.sin(angle)])
    body = sl.RigidBody(
        model, "ladder", 10.0, 10.0 * LENGTH**2 / 12, position=(foot + top) / 2, orientation=np.pi - angle, group=sl.SE2
    )
    model.gravity([0, -G])
    sl.PointPlaneContact(model, "floor", model.ground, body, at=foot, friction=friction)
    sl.PointPlaneContact(model, "wall", model.ground, body, at=top, normal=[1, 0], friction=friction)
    model.output("foot", body.point([-LENGTH / 2, 0]), unit="m")
    model.output("top", body.point([LENGTH / 2, 0]), unit="m")
    return model.derive().compile()


# %%
# Without friction, the ends move until the normal force of the wall reaches zero:

START = np.radians(70)
smooth = sl.solve(ladder(START, 0), 1.0, rtol=1e-11)
figure, ax = plt.subplots(figsize=(4.2, 3.8), layout="constrained")
feet, tops = smooth.outputs["foot"], smooth.outputs["top"]
for t in np.linspace(0, 1.0, 9):
    k = int(np.argmin(np.abs(smooth.t - t)))
    ax.plot(*np.transpose([feet[k], tops[k]]), lw=1.2, color="C0")
ax.set(xlabel="x, m", ylabel="y, m", aspect="equal")
(leaves,) = [event for event in smooth.events if event.name == "wall_lift"]
height = tops[np.flatnonzero(smooth.t == leaves.t)[0], 1]
error = height / (LENGTH * np.sin(START)) - 2 / 3
print(f"leaves the wall at {leaves.t:.6f} s and {height:.6f} m: error {abs(error):.1e}")
assert abs(error) < 1e-9

# %%
# With friction, ladders on both sides of the critical inclination stand or slide:

MU = 0.4
critical = np.arctan((1 - MU**2) / (2 * MU))
for angle in (critical + 0.01, critical - 0.01):
    run = sl.solve(ladder(angle, MU), 0.2, rtol=1e-8)
    moved = np.abs(run.outputs["top"][-1] - run.outputs["top"][0]).max()
    print(f"{np.degrees(angle):.2f}°: moves by {moved:.1e} m")
    assert (moved < 1e-12) == (angle > critical)
