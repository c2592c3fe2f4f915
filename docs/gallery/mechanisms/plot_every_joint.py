"""
Every kind of joint
===================

Fifteen kinds of joints, each between the ground and one body, which gravity and a wind from the side set in motion. A
joint is a few rows between two frames; what it leaves is what the body does.

Known: the degrees of freedom of each kind, as books on mechanisms count them, and the energy is conserved whatever
the joint is, since its forces do no work.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

origin = [0, 0, 0]
x, y, z = np.eye(3)
stated = {  # arguments of the joint, and the degrees of freedom that it leaves
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
# Short runs of small models are not worth a compilation: they take NumPy.

solutions = {}
for kind, (words, freedoms) in stated.items():
    model = sl.Model(kind)
    body = sl.RigidBody(model, "body", 1.0, [0.1, 0.12, 0.08], position=[0, 0, 0.5])
    getattr(sl, kind)(model, "joint", model.ground, body, **words)
    model.gravity([2.0, 1.0, -9.81])
    model.output("corner", body.point([0.2, 0.2, 0.2]), unit="m")
    system = model.derive().compile(backend="numpy")
    mobility = system.mobility()
    print(f"{kind:22s} {mobility.line}")
    assert mobility.degrees_of_freedom == freedoms
    solutions[kind] = sl.solve(system, 1, method="half_explicit_5", h=0.02, stabilize="projection")

# %%
# Paths of one corner of the body from its start, each at its own scale:

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
# One of them in space:

solutions["UniversalJoint"].view()
