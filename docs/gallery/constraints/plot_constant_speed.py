r"""
Particle with constant speed
============================

A constraint keeps the speed of a falling particle constant. The constraint is quadratic in the velocity, and its
reaction is :math:`-B^T \lambda` with :math:`B = \partial \psi / \partial v` (Chetaev), a force along the path that
brakes the particle.

Verification: the path is the catenary of equal resistance, :math:`y = (c^2/g) \ln \cos(g x / c^2)`, with
:math:`y = -(c^2/g) \ln \cosh(g t / c)`; the reaction is :math:`m g \tanh(g t / c)`.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

c, g = 2.0, 9.81
model = sl.Model("constant_speed")
p = model.node("p", "R2")
model.kinetic_energy(p.x_dot.dot(p.x_dot) / 2)
model.potential_energy(g * p.x[1])
model.nonholonomic_constraint("speed", p.x_dot.dot(p.x_dot) - c**2)
model.initial(p, x=[0, 0], x_dot=[c, 0])
system = model.derive().compile()
run = sl.solve(system, 0.8, rtol=1e-10)

# %%
# The path, and the reaction, which approaches the weight as the path becomes vertical:

x, y = run.field("p", "x").T
reaction = np.linalg.norm(run.constraint_force("p"), axis=1)
figure, (path, force) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
path.plot(x, y, label="path")
across = np.linspace(0, x[-1], 60)
path.plot(across, c**2 / g * np.log(np.cos(g * across / c**2)), "k:", label="catenary of equal resistance")
path.set(xlabel="x, m", ylabel="y, m")
path.legend()
force.plot(run.t, reaction, label="reaction")
force.plot(run.t, g * np.tanh(g * run.t / c), "k:", label="m g tanh(g t/c)")
force.set(xlabel="t, s", ylabel="reaction, N")
force.legend()

assert np.abs(y + c**2 / g * np.log(np.cosh(g * run.t / c))).max() < 1e-8
assert np.abs(y - c**2 / g * np.log(np.cos(g * x / c**2))).max() < 1e-6
assert np.abs(reaction - g * np.tanh(g * run.t / c)).max() < 1e-4
