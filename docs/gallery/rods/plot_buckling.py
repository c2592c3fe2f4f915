r"""
Buckling of a column
====================

A column is clamped below, free above and loaded at its top. The lowest natural frequency decreases with the load and is
zero at the buckling load. Above this load, the stable equilibrium is bent.

Verification: Euler's load is :math:`P_\mathrm{cr} = \pi^2 EI/(4L^2)`. Above it, the column is an *elastica*: with the
inclination :math:`\alpha` of its top and :math:`k = \sin(\alpha/2)`, the load is :math:`P = (2K(k)/\pi)^2
P_\mathrm{cr}`, the height of the top is :math:`L(2E(k)/K(k) - 1)`, and its lateral displacement is :math:`2kL/K(k)`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipe, ellipk

import symlie as sl

L, EI, mass, N = 1.0, 2.0, 0.3, 32
model = sl.Model("column")
load = model.parameter("load", 0.0, unit="N")
side = model.parameter("side_force", 0.0, unit="N")
rod = sl.CosseratRod(
    model,
    "rod",
    segments=N,
    length=L,
    stiffness=[EI, EI, EI, 1e5, 1e5, 1e5],
    inertia=[1e-6, 1e-6, 2e-6, mass, mass, mass],
    constraint="inextensible",
    position=lambda s: (0, 0, s),
    orientation=(1, 0, 0, 0),
)
rod.clamp("start")
rod.end_load("end", force=[side, 0, -load])
system = model.derive().compile()
critical = np.pi**2 * EI / (4 * L**2)

# %%
# Vibrations about the straight column:

loads = np.array([0.0, 0.25, 0.5, 0.75, 0.9, 0.99])
lowest = []
for part in loads:
    loaded = system.with_parameters(load=part * critical)
    straight = loaded.static_equilibrium(stable=False)
    linear = loaded.linearize(straight.q, straight.multipliers, modes=2)
    lowest.append(linear.frequencies[linear.modes].min())
frequencies = np.array(lowest)
beam = 1.875104**2 * np.sqrt(EI / (mass * L**4)) / (2 * np.pi)  # cantilever without load
print("lowest frequency without a load", frequencies[0], "Hz; of a beam", beam, "Hz")
assert abs(frequencies[0] / beam - 1) < 0.005

# %%
# A temporary small lateral force selects one of the two bent equilibria.

bent = {}
for part in 1.05, 1.2, 1.5, 2.0, 2.5:
    loaded = system.with_parameters(load=part * critical)
    pushed = loaded.with_parameters(side_force=0.05).static_equilibrium(load_steps=2)
    nodes = pushed.q.reshape(N + 1, 7)
    found = loaded.with_initial("rod", p=nodes[:, :4], x=nodes[:, 4:]).static_equilibrium()
    bent[part] = found.q.reshape(N + 1, 7)[:, 4:]

alpha = np.radians(np.linspace(1, 150, 200))
m = np.sin(alpha / 2) ** 2
K, E = ellipk(m), ellipe(m)
force, across, height = (2 * K / np.pi) ** 2, 2 * np.sqrt(m) / K * L, (2 * E / K - 1) * L

figure, (falling, shapes, moved) = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
falling.plot(loads, (frequencies / frequencies[0]) ** 2, "o-")
falling.set(xlabel="load / Euler's load", ylabel="(lowest frequency / unloaded frequency)²")
for part, x in bent.items():
    shapes.plot(abs(x[:, 0]), x[:, 2], label=f"{part:g}")
    moved.plot(part, abs(x[-1, 0]), "o")
shapes.set(xlabel="lateral displacement, m", ylabel="height, m", aspect="equal")
shapes.legend(title="load /\nEuler's load")
moved.plot(force, across, "k", lw=0.8, label="elastica")
moved.set(xlim=(0.9, 2.7), xlabel="load / Euler's load", ylabel="lateral displacement of the top, m")
moved.legend()

for part, x in bent.items():
    assert abs(abs(x[-1, 0]) - np.interp(part, force, across)) < 0.01 * L, part
    assert abs(x[-1, 2] - np.interp(part, force, height)) < 0.01 * L, part
# The squared frequency decreases almost linearly to zero at Euler's load.
slope, start = np.polyfit(loads[-2:], frequencies[-2:] ** 2, 1)
assert abs(-start / slope - 1) < 0.005
