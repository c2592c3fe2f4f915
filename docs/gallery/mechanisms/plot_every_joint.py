"""
All kinds of joints
===================

Each of fifteen kinds of joints connects a body to the ground. Gravity and a lateral force set the bodies in motion. A
joint consists of a few constraint equations between two frames.

Verification: the degrees of freedom of each kind are those of the literature on mechanisms, and the energy is constant,
because the reactions do no work.
"""

# sphinx_gallery_thumbnail_number = -1
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

origin = [0, 0, 0]
x, y, z = np.eye(3)
KINDS: dict[str, tuple[dict[str, Any], int]] = {  # arguments of the joint, and its degrees of freedom
    "RigidJoint": ({"at": origin}, 0),
    "RevoluteJoint": ({"at": origin, "axis": y}, 1),
    "PrismaticJoint": ({"at": origin, "axis": x}, 1),
    "ScrewJoint": ({"at": origin, "axis": x, "lead": 0.1}, 1),
    "CylindricalJoint": ({"at": origin, "axis": x}, 2),
    "UniversalJoint": ({"at": origin, "axis": [y, z]}, 2),
    "ConstantVelocityJoint": ({"at": origin, "axis": [x, x]}, 2),
    "SphericalJoint": ({"at": origin}, 3),
    "PlanarJoint": ({"at": origin, "axis": z}, 3),
    "InLineJoint": ({"at": origin, "axis": x}, 3),
    "OrientationJoint": ({"at": origin}, 3),
    "RollingContact": ({"radius": 0.5, "axis": y}, 3),
    "PointOnLineJoint": ({"at": origin, "axis": x}, 4),
    "PointOnPlaneJoint": ({"at": origin, "axis": z}, 5),
    "DistanceJoint": ({"at": [[0, 0, 1], origin]}, 5),
}

# %%
# Short runs of small models use NumPy, because compilation would take longer than the run.

solutions = {}
for kind, (arguments, freedoms) in KINDS.items():
    model = sl.Model(kind)
    body = sl.RigidBody(model, "body", 1.0, [0.1, 0.12, 0.08], position=[0, 0, 0.5])
    getattr(sl, kind)(model, "joint", model.ground, body, **arguments)
    model.gravity([2.0, 1.0, -9.81])
    model.output("corner", body.point([0.2, 0.2, 0.2]), unit="m")
    system = model.derive().compile(backend="numpy")
    mobility = system.mobility()
    print(f"{kind:22s} {mobility.line}")
    assert mobility.degrees_of_freedom == freedoms
    solutions[kind] = sl.solve(system, 1, method="half_explicit_5", h=0.02, stabilize="projection")

# %%
# Paths of one corner of each body from the initial position (dot), with individual axis scales:

figure = plt.figure(figsize=(9, 6), layout="constrained")
for k, (kind, found) in enumerate(solutions.items()):
    axes = figure.add_subplot(3, 5, k + 1, projection="3d")
    axes.plot(*found.outputs["corner"].T)
    axes.plot(*found.outputs["corner"][0], "k.")
    axes.set(title=kind.removesuffix("Joint"), xticklabels=[], yticklabels=[], zticklabels=[])

for kind, found in solutions.items():
    assert np.ptp(found.outputs["energy"]) < 1e-2, kind
    assert found.statistics.max_constraint_residual < 1e-12, kind

# %%
# The motion with a universal joint in space:

solutions["UniversalJoint"].view()
