r"""
Stiff rod
=========

A thin steel strip, clamped at one end, is bent by a load and released. Shear waves in its thin cross sections are a
hundred thousand times faster than bending, and limit the step size of explicit methods. The step size of implicit
methods is only limited by the accuracy of the bending motion.

Verification: the lowest angular frequency is that of a cantilever,
:math:`\omega_1 = 1.8751^2\sqrt{EI/(\rho A L^4)}`. A method with small numerical dissipation at low frequencies
preserves this vibration.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

L, N = 0.5, 16
section = sl.section.rectangle(0.02, 0.001, E=210e9, nu=0.3, rho=7850)
model = sl.Model("strip")
load = model.parameter("load", 0.0, unit="N")
strip = sl.CosseratRod(
    model,
    "strip",
    segments=N,
    length=L,
    section=section,
    position=lambda s: (s, 0, 0),
    orientation=sl.rotation(matrix=[[0, 0, 1], [1, 0, 0], [0, 1, 0]]),  # width along y, height along z
)
strip.clamp("start")
strip.end_load("end", force=[0, 0, load])
system = model.derive().compile()

# %%
# Bent by an end load of 0.2 N, and released:

bent = system.with_parameters(load=0.2).static_equilibrium()
nodes = bent.q.reshape(N + 1, 7)
start = system.with_initial("strip", p=nodes[:, :4], x=nodes[:, 4:])
EI = 210e9 * 0.02 * 0.001**3 / 12
print("deflection:", nodes[-1, 6], "m; linear beam:", 0.2 * L**3 / (3 * EI), "m")

period = 2 * np.pi / (1.875104**2 * np.sqrt(EI / (7850 * 0.02 * 0.001 * L**4)))
implicit = sl.solve(
    start, 4 * period, method="generalized_alpha", h=period / 500, method_options={"rho": 0.9, "newton": "modified"}
)
tip = implicit.field("strip", "x")[:, -1, 2]

# %%
# An explicit method over 1/200 of this time:

explicit = sl.solve(start, period / 50, method="half_explicit_5", rtol=1e-4)
times = np.linspace(0, period / 50, 20)
implicit_tip = [implicit(t).field("strip", "x")[-1, 2] for t in times]
exact = [explicit(t).field("strip", "x")[-1, 2] for t in times]
print(implicit.statistics.steps, "steps for 4 periods; explicit:", explicit.statistics.steps, "for 1/50 of a period")

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
axes.plot(implicit.t, 1000 * tip, label="implicit")
axes.plot(times, 1000 * np.array(exact), lw=3, label="explicit")
axes.set(xlabel="time, s", ylabel="deflection of the end, mm")
axes.legend()

down = implicit.t[1:][np.diff(np.sign(tip)) < 0]
print("periods:", np.diff(down), "s; cantilever:", period, "s")
assert abs(nodes[-1, 6] / (0.2 * L**3 / (3 * EI)) - 1) < 0.02
assert np.allclose(np.diff(down), period, rtol=0.02)
assert np.allclose(implicit_tip, exact, atol=1e-4 * L)
assert explicit.statistics.steps > 10 * implicit.statistics.steps

# %%
# 3-D view of the motion:

implicit.view()
