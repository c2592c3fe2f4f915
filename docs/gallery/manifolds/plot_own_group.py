r"""
Custom matrix group
===================

Area-preserving linear deformations of a plane are matrices of determinant one, SL(2). Three basis matrices of the
algebra define the group. symlie derives exponential map, adjoint and inverse tangent operator, here by series, because
the eigenvalues of ad are neither 0 nor imaginary.

Verification: the determinant remains one. A free motion with the left-invariant kinetic energy
:math:`\operatorname{tr}(X^{-1}\dot X)^\mathsf{T}(X^{-1}\dot X)/2` is
:math:`X(t) = X_0\exp(t\,\xi^\mathsf{T})\exp(t(\xi - \xi^\mathsf{T}))` with the initial velocity :math:`\xi` (Martin and
Neff, J. Geom. Mech. 8, 2016).
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import expm

import symlie as sl

BASIS = np.array([[[1, 0], [0, -1]], [[0, 1], [0, 0]], [[0, 0], [1, 0]]], dtype=float)
shears = sl.matrix_group("SL2", BASIS.astype(int).tolist())

flow = sl.Model("area_preserving_flow")
strength = flow.parameter("strength", 0.0)
q = flow.node("deformation", shears)
a, b, c = q.v
flow.kinetic_energy((2 * a**2 + b**2 + c**2) / 2)  # half the squared norm of the matrix
flow.potential_energy(strength * (q.X.T * q.X).trace())
flow.output("determinant", q.X[0, 0] * q.X[1, 1] - q.X[0, 1] * q.X[1, 0])
flow.initial(q, v=[0.3, 0.5, -0.2])
system = flow.derive().compile()

# %%
# The free motion with its closed form, and a motion that is bounded by a potential:

free = sl.solve(system, 3, rtol=1e-10)
bounded = sl.solve(system.with_parameters(strength=0.2), 12, rtol=1e-10)
xi = np.tensordot([0.3, 0.5, -0.2], BASIS, axes=1)
exact = np.array([expm(t * xi.T) @ expm(t * (xi - xi.T)) for t in free.t])
X = free.field("deformation", "X").reshape(-1, 2, 2)
print("error of the geodesic:", abs(X - exact).max())

angles = np.linspace(0, 2 * np.pi, 100)
circle = np.array([np.cos(angles), np.sin(angles)])
figure, panels = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for axes, found, title in zip(panels, (free, bounded), ("free", "with a potential"), strict=True):
    for t in np.linspace(0, found.t[-1], 5):
        x, y = found(t).field("deformation", "X").reshape(2, 2) @ circle
        axes.plot(x, y, label=f"{t:g} s")
    axes.set(title=title, xlabel="x", ylabel="y", aspect="equal")
    axes.legend()

assert abs(X - exact).max() < 1e-8
assert np.ptp(bounded.outputs["energy"]) < 1e-7
for found in free, bounded:
    assert abs(found.outputs["determinant"] - 1).max() < 1e-9
