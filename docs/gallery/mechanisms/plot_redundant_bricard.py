"""
Bricard linkage with redundant joints
=====================================

Five bars move on six hinges along the edges of a cube. The thirty constraint equations of the joints have rank 29, so
that the ring has one degree of freedom, although a count of equations predicts none. ``mobility`` reports the redundant
joints, and ``redundant="minimal_norm"`` selects multipliers of minimal norm.

Verification: the motion equals that of the ring with a cylindrical joint instead of the last hinge, which has one
equation less. The closed ring prevents the additional sliding.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)


def ring(last: type[sl.Joint]) -> sl.System:
    """Build the ring with a given kind of joint instead of the last hinge."""
    model = sl.Model("bricard")
    bars = []
    for k in range(5):
        middle, axis = (corners[k] + corners[k + 1]) / 2, int(np.flatnonzero(corners[k + 1] - corners[k])[0])
        bars.append(sl.RigidBody(model, f"bar{k}", 1.0, sl.inertia.rod(1.0, length=1.0, axis=axis), position=middle))
    members: list[sl.Connectable] = [model.ground, *bars, model.ground]
    for k in range(6):
        kind = last if k == 5 else sl.RevoluteJoint
        kind(model, f"hinge{k}", members[k], members[k + 1], at=corners[k], axis=np.eye(3)[(k + 1) % 3])
    model.gravity([0, 0, -9.81])
    return model.derive().compile(backend="numpy")


hinges, slides = ring(sl.RevoluteJoint), ring(sl.CylindricalJoint)
print(hinges.mobility())
print(slides.mobility())

# %%
# Both rings have the same motion:

redundant = sl.solve(hinges, 1, method="half_explicit_5", h=1e-2, redundant="minimal_norm")
regular = sl.solve(slides, 1, method="half_explicit_5", h=1e-2)

figure, (angles, forces) = plt.subplots(1, 2, figsize=(8.5, 3.2), layout="constrained")
for k in range(0, 6):
    angles.plot(redundant.t, np.degrees(redundant.outputs[f"hinge{k}_angle"]), label=f"hinge {k + 1}")
angles.set(xlabel="time, s", ylabel="angle from the initial position, degrees")
angles.legend(ncols=2)
for found, label in (redundant, "six hinges, minimal norm"), (regular, "one cylindrical joint"):
    forces.plot(found.t, np.linalg.norm(found.outputs["hinge0_force"], axis=1), label=label)
forces.set(xlabel="time, s", ylabel="force in the first hinge, N")
forces.legend()

apart = max(abs(redundant.outputs[f"hinge{k}_angle"] - regular.outputs[f"hinge{k}_angle"]).max() for k in range(5))
print("largest difference of the angles:", apart, "rad")
assert apart < 1e-7
assert hinges.mobility().degrees_of_freedom == slides.mobility().degrees_of_freedom == 1
assert np.ptp(redundant.outputs["energy"]) < 1e-7
assert np.ptp(redundant.field("bar2", "x")[:, 2]) > 0.1
assert abs(regular.outputs["hinge5_displacement"]).max() < 1e-8

# %%
# 3-D view of the motion:

redundant.view()
