r"""
Lie–Poisson equations of a free body
====================================

The angular momentum of a free body in body axes is a point of the dual :math:`so(3)^*`. The model consists of a
Hamiltonian, and symlie derives :math:`\dot\mu = \mu\times\nabla H`. Orbits are intersections of the spheres
:math:`|\mu| = \mathrm{const}` with surfaces of constant energy.

Verification: Lie group methods of any order preserve :math:`|\mu|` to rounding, because their steps are group actions
on :math:`\mu`. A classical method of the same order for the three components does not.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

J = np.array([0.6, 0.8, 1.0])
body = sl.Model("lie_poisson_body")
node = body.node("body", sl.dual_space(sl.SO3))
momentum = node.mu
body.hamiltonian(sum(momentum[k] ** 2 / (2 * J[k]) for k in range(3)))
body.output("norm", momentum.norm())
body.initial(node, mu=[1, 0, 0])
system = body.derive().compile()

# %%
# Orbits with initial values distributed over the unit sphere, with long steps:

directions = [[np.sin(a), np.cos(a) * np.sin(b), np.cos(a) * np.cos(b)] for a in (0.15, 0.6, 1.1) for b in (0.1, 1.5)]
directions += [[0.05, 0.999, 0.03], [-0.05, -0.999, 0.03]]
starts = np.array([np.array(along) / np.linalg.norm(along) for along in directions])
orbits = [sl.solve(system.with_initial("body", mu=mu), 60, method="cf4", h=0.5) for mu in starts]
classical = sl.solve(system.with_initial("body", mu=starts[2]), 60, method="ambient_rk4", h=0.5)

figure = plt.figure(figsize=(8, 3.6), layout="constrained")
sphere = figure.add_subplot(1, 2, 1, projection="3d")
for found in orbits:
    sphere.plot(*found(np.linspace(0, 60, 1201)).field("body", "mu").T, lw=0.8)
sphere.set(xlabel="first", ylabel="second", zlabel="third component", box_aspect=(1, 1, 1))
norm = figure.add_subplot(1, 2, 2)
norm.semilogy(classical.t[1:], abs(classical.outputs["norm"][1:] - 1), label="classical, order 4")
norm.semilogy(orbits[2].t[1:], abs(orbits[2].outputs["norm"][1:] - 1) + 1e-17, label="on the group, order 4")
norm.set(xlabel="time", ylabel="relative error of |μ|")
norm.legend()

for found in orbits:
    assert abs(found.outputs["norm"] - 1).max() < 1e-13
    assert np.ptp(found.outputs["energy"]) < 2e-3
assert abs(classical.outputs["norm"][-1] - 1) > 1e-6

# %%
# The momentum on its sphere:

orbits[0].view()
