r"""
Hanging cable
=============

A cable between two points of different height is a continuum on :math:`\mathbb{R}^3`, defined by densities of its
energies, from which symlie derives the elements.

Verification: an inextensible cable has the shape of a catenary :math:`z = a\cosh((x - x_0)/a) + c`. The two points and
the length determine its constants.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

import symlie as sl

span, rise, L = 2.0, 0.5, 3.0


def cable(segments: int) -> sl.Model:
    """Build a cable of 0.2 kg/m with high axial stiffness."""
    model = sl.Model("cable")
    line = sl.Continuum(model, "line", "R3", length=L)
    line.kinetic_density(0.2 * line.v.dot(line.v) / 2)
    line.potential_density(1e6 * (line.w.norm() - 1) ** 2 / 2 + 0.2 * 9.81 * line.q.x[2])
    line.clamp("start", "end")
    sag = np.sqrt(L**2 - span**2 - rise**2) / 2
    line.initial(x=lambda s: (span * s / L, 0, rise * s / L - 4 * sag * s / L * (1 - s / L)))
    line.discretize(segments)
    return model


def catenary(x: np.ndarray) -> np.ndarray:
    """Return the height of the catenary at x."""
    a = float(brentq(lambda a: np.sqrt(L**2 - rise**2) - 2 * a * np.sinh(span / (2 * a)), 0.1, 10))
    x0 = span / 2 - a * np.arctanh(rise / L)
    return np.asarray(a * (np.cosh((x - x0) / a) - np.cosh(x0 / a)))


# %%
# Errors are of second order in the length of the segments, down to the elongation of the cable.

x = np.linspace(0, span, 201)
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
errors = {}
for segments, marker in (4, "s"), (8, "^"), (16, "o"):
    system = cable(segments).derive().compile()
    points = system.static_equilibrium().q.reshape(-1, 3)
    errors[segments] = abs(points[:, 2] - catenary(points[:, 0])).max()
    axes.plot(
        points[:, 0],
        points[:, 2],
        marker,
        ls="none",
        label=f"{segments} segments, error {1000 * errors[segments]:.1f} mm",
    )
axes.plot(x, catenary(x), "k", lw=0.8, label="catenary")
axes.set(xlabel="x, m", ylabel="z, m", aspect="equal")
axes.legend()

order = np.log2(errors[8] / errors[16])
print("spatial order:", order)
assert abs(order - 2) < 0.2
assert errors[16] < 5e-3

# %%
# Frequencies of small motions about the equilibrium; the lowest mode is out of the plane:

modes = system.linearize(modes=4)
print(modes.frequencies[modes.modes], "Hz")
assert modes.is_stable

# %%
# A lateral initial velocity at the middle:

lateral = np.zeros((17, 3))
lateral[8] = [0, 2, 0]
rest = system.static_equilibrium().q.reshape(-1, 3)
solution = sl.solve(system.with_initial("line", x=rest, x_dot=lateral), 2, method="generalized_alpha", h=0.005)
kinetic = 0.2 * L / 16 * 2**2 / 2
loss = solution.outputs["energy"][0] - solution.outputs["energy"][-1]
print("numerical dissipation:", loss, "J; initial kinetic energy:", kinetic, "J")
assert np.ptp(solution.outputs["energy"]) < 0.05 * kinetic

# %%
# 3-D view of the motion:

solution.view()
