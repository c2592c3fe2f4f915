r"""
Kapitza's pendulum
==================

The pivot of a pendulum oscillates vertically, so that the constraint depends on time. A sufficiently fast oscillation
stabilises the upright position.

Verification: with the amplitude :math:`a` and the angular frequency :math:`\omega` of the pivot, the upright position
is stable if :math:`(a\omega)^2 > 2gL` (Kapitza, 1951), for :math:`a \ll L`.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

kapitza = sl.Model("kapitza_pendulum")
amplitude = kapitza.parameter("amplitude", 0.05, unit="m")
frequency = kapitza.parameter("frequency", 100.0, unit="rad/s")
L = kapitza.parameter("length", 1.0, unit="m")
q = kapitza.node("bob", "R2")
rod = q.x - sl.vector(0, amplitude * sl.cos(frequency * kapitza.t))
kapitza.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
kapitza.potential_energy(9.81 * q.x[1])
kapitza.dissipation(0.2 * q.x_dot[0] ** 2 / 2)
kapitza.constraint("rod", (rod.dot(rod) - L**2) / 2)
kapitza.output("height", rod[1] / L)
kapitza.initial(q, x=[0.1, amplitude + sl.sqrt(L**2 - 0.01)])  # 6 degrees from upright
system = kapitza.derive().compile()

# %%
# Kapitza's threshold is 89 rad/s. The frequency is a parameter, so that one compiled system serves all runs.

threshold = np.sqrt(2 * 9.81 * 1.0) / 0.05
runs = {w: sl.solve(system.with_parameters(frequency=w), 10, rtol=1e-8) for w in (80.0, 95.0, 120.0)}

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for w, found in runs.items():
    axes.plot(found.t, found.outputs["height"], label=f"{w:.0f} rad/s")
axes.set(xlim=(0, 13), xlabel="time, s", ylabel="height of the bob / length")
axes.legend(title=f"frequency of the pivot;\nthreshold {threshold:.1f} rad/s", loc="center right")

for w, found in runs.items():
    stays_up = found.outputs["height"].min() > 0.9
    assert stays_up == (w > threshold), w
    assert found.statistics.max_constraint_residual < 1e-8
assert runs[80.0].outputs["height"].min() < -0.9

# %%
# View of the motion:

runs[120.0].view()
