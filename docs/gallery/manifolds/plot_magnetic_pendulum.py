r"""
Pendulum in a magnetic field
============================

A charged bob moves on a sphere, in a magnetic field normal to the sphere that is proportional to the height. The motion
is a vector field on the tangent bundle :math:`T S^2`, whose points are a direction and an angular velocity normal to
it. symlie expresses the vector field by elements of se(3), as integrators on homogeneous spaces require, and rejects
vector fields that are not tangent to the manifold.

Verification: the magnetic force does no work and the field is symmetric about the vertical axis, so that the energy and
the momentum :math:`(q\times\dot q)_3 - B q_3^2/2` are constant. All steps remain on the manifold.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

pendulum = sl.Model("magnetic_pendulum")
g, B = pendulum.parameter("gravity", 9.81), pendulum.parameter("field", 20.0)
bob = pendulum.node("bob", sl.TS2)
q, omega = bob.q, bob.omega
up = sl.vector(0, 0, 1)
pendulum.vector_field(bob, q=omega.cross(q), omega=-g * q.cross(up) + B * q[2] * omega.cross(q))
pendulum.energy(omega.dot(omega) / 2 + g * q[2])
pendulum.output("momentum", omega[2] - B * q[2] ** 2 / 2)
pendulum.initial(bob, q=[0.6, 0, -0.8], omega=[0.8, 1.5, 0.6])
system = pendulum.derive().compile()

# %%
# Motions with and without the field:

charged = sl.solve(system, 6, rtol=1e-9)
plain = sl.solve(system.with_parameters(field=0.0), 6, rtol=1e-9)

figure, (above, invariants) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for found, name in (plain, "without the field"), (charged, "with the field"):
    path = found.field("bob", "q")
    above.plot(path[:, 0], path[:, 1], label=name)
above.set(xlabel="x / length", ylabel="y / length", aspect="equal")
above.legend()
for name, label in ("energy", "energy"), ("momentum", "momentum about the vertical"):
    values = charged.outputs[name]
    invariants.plot(charged.t, values - values[0], label=label)
invariants.set(xlabel="time", ylabel="change from the initial value")
invariants.legend()

for found in plain, charged:
    x, w = found.field("bob", "q"), found.field("bob", "omega")
    assert np.ptp(found.outputs["energy"]) < 1e-5
    assert np.ptp(found.outputs["momentum"]) < 1e-5
    assert abs((x**2).sum(axis=1) - 1).max() < 1e-12
    assert abs((x * w).sum(axis=1)).max() < 1e-12

# %%
# 3-D view of the direction on the sphere:

charged.view()
