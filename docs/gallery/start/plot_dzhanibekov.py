"""
Dzhanibekov effect
==================

A free body that spins about the axis of its intermediate moment of inertia flips periodically: the tennis racket
theorem, which V. Dzhanibekov observed on a wing nut in orbit. Rotations about the other two axes are stable.

Verification: Euler's equations have elliptic functions as solution, which determine the time between two flips.
"""

import numpy as np
from scipy.special import ellipkm1

import symlie as sl

J = np.array([1.0, 2.0, 3.0])
nut = sl.Model("wing_nut")
body = nut.node("body", sl.S3)
nut.kinetic_energy(body.Omega.dot(sl.diag(*J) * body.Omega) / 2)
nut.output("angular_momentum", body.R * (sl.diag(*J) * body.Omega), unit="kg m^2/s")
nut.output("axis", body.R * sl.vector(0, 1, 0))
nut.event("flip", body.Omega[1], terminal=False)
nut.initial(body, Omega=[0, 5.0, 1e-3])
nut.shape(body, sl.box(1.6, 0.5, 0.2))
nut.shape(body, sl.arrow(0.9), rotation=sl.rotation(axis=[1, 0, 0], angle=-90 * sl.deg))

solution = sl.solve(nut.derive().compile(), 30, rtol=1e-11, atol=1e-13)
solution.plot(panels=["body.Omega", "axis"])

# %%
# With :math:`2T = \Omega\cdot J\Omega` and :math:`L^2 = |J\Omega|^2 > 2TJ_2`, the angular velocity about the second
# axis is a multiple of :math:`\operatorname{sn}(pt, k)` (Landau and Lifshitz, *Mechanics*, section 37). The body flips
# at its zeros, which have the distance :math:`2K(k)/p`. For small initial perturbations, the modulus :math:`k` is close
# to one and this time is long.

twice_energy, square = 4 * 25.0 / 2 + 3e-6, 4 * 25.0 + 9e-6
p = np.sqrt((J[2] - J[1]) * (square - twice_energy * J[0]) / J.prod())
one_less_k_squared = (J[2] - J[0]) * (square - twice_energy * J[1]) / ((J[2] - J[1]) * (square - twice_energy * J[0]))
apart = 2 * ellipkm1(one_less_k_squared) / p
flips = [event.t for event in solution.events]
print("flips at", np.round(flips, 6), "s; period by elliptic functions:", apart, "s")

assert len(flips) == 5
assert np.allclose(np.diff(flips), apart, rtol=1e-6)
assert np.ptp(solution.outputs["angular_momentum"], axis=0).max() < 1e-8

# %%
# 3-D view of the motion:

solution.view()
