r"""
Custom manifold
===============

A group, its action and a point define a homogeneous space. This example defines the space of lines through the origin
of the plane, on which rotations act, by unit vectors :math:`(\cos 2\varphi, \sin 2\varphi)`, which are equal for
opposite directions. symlie checks the axioms of the action and derives its differential.

The director of a nematic liquid crystal in shear flow is such a line.

Verification: the Leslie–Ericksen equation :math:`\dot\varphi = -\frac{\dot\gamma}{2}(1 - \lambda\cos 2\varphi)` has the
period :math:`\frac{2\pi}{\dot\gamma\sqrt{1-\lambda^2}}` for half a revolution if :math:`|\lambda| < 1`, and the stable
direction :math:`\cos 2\varphi = 1/\lambda` if :math:`|\lambda| > 1`.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

lines = sl.homogeneous_space(
    "lines",
    sl.SO2,
    storage={"d": 2},
    action=lambda g, y: [g.R * (g.R * y.d)],
    origin=[1, 0],
    relations=lambda y: [y.d.dot(y.d) - 1],
    normalize=lambda y: [y.d * (3 - y.d.dot(y.d)) / 2],
)
crystal = sl.Model("director")
shear = crystal.parameter("shear_rate", 1.0, unit="1/s")
tumbling = crystal.parameter("tumbling", 0.8)
line = crystal.node("director", lines)
c, s = line.d
rate = -shear * (1 - tumbling * c)  # rate of the doubled angle
crystal.vector_field(line, d=sl.vector(-s * rate, c * rate))
crystal.event("along", s, direction="falling", terminal=False)
crystal.initial(line, d=[0, 1])
system = crystal.derive().compile()

# %%
# A tumbling director and an aligning director:

tumbles = sl.solve(system, 40, rtol=1e-10)
aligns = sl.solve(system.with_parameters(tumbling=1.1), 40, rtol=1e-10)

figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
for found, name in (tumbles, "λ = 0.8"), (aligns, "λ = 1.1"):
    d = found.field("director", "d")
    axes.plot(found.t, np.degrees(np.unwrap(np.arctan2(d[:, 1], d[:, 0]))) / 2, label=name)
    assert abs((d**2).sum(axis=1) - 1).max() < 1e-13
axes.set(xlabel="time, s", ylabel="angle of the director, degrees")
axes.legend()

periods = np.diff([event.t for event in tumbles.events])
period = 2 * np.pi / np.sqrt(1 - 0.8**2)
print("periods:", periods, "s; closed form:", period, "s")
assert len(periods) > 2
assert np.allclose(periods, period, rtol=1e-8)
assert np.isclose(aligns.field("director", "d")[-1, 0], 1 / 1.1, rtol=1e-6)
