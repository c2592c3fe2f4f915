r"""
Stability map
=============

This example runs Kapitza's pendulum for 24 amplitudes and 24 frequencies of its pivot. ``combine="grid"`` runs all
combinations, and each history is reduced to the smallest height of the bob.

Verification: the upright position is stable if :math:`(a\omega)^2 > 2gL`, for small amplitudes :math:`a` of the pivot.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

kapitza = sl.Model("kapitza_pendulum")
amplitude = kapitza.parameter("amplitude", 0.05, unit="m")
frequency = kapitza.parameter("frequency", 100.0, unit="rad/s")
angle = kapitza.node("angle", "R1")  # from the upright position
phi, rate = angle.x[0], angle.x_dot[0]
pivot_speed = -amplitude * frequency * sl.sin(frequency * kapitza.t)
speed = sl.vector(sl.cos(phi) * rate, pivot_speed - sl.sin(phi) * rate)
kapitza.kinetic_energy(speed.dot(speed) / 2)
kapitza.potential_energy(9.81 * (amplitude * sl.cos(frequency * kapitza.t) + sl.cos(phi)))
kapitza.dissipation(0.5 * rate**2 / 2)
kapitza.output("height", sl.cos(phi))
kapitza.initial(angle, x=[0.05], x_dot=[0])
system = kapitza.derive().compile()

# %%
# 576 members over 12 s:

amplitudes, frequencies = np.linspace(0.02, 0.1, 24), np.linspace(30, 180, 24)
result = sl.ensemble(
    system,
    12,
    parameters={"amplitude": amplitudes, "frequency": frequencies},
    combine="grid",
    method="rkmk_dopri5",
    rtol=1e-6,
    t_eval=np.linspace(0, 12, 241),
    record=["height"],
)
print(result)
lowest = result.dataset["height"].min(dim="time")
print(lowest.dims)

# %%
# Kapitza's condition separates the stable and the unstable region:

stays = (lowest.transpose("amplitude", "frequency") > 0.9).to_numpy()
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.pcolormesh(frequencies, 100 * amplitudes, stays, cmap="Blues", vmin=-0.5, vmax=1.5, shading="nearest")
axes.plot(frequencies, 100 * np.sqrt(2 * 9.81) / frequencies, "k", label="Kapitza's condition")
axes.set(xlabel="frequency of the pivot, rad/s", ylabel="amplitude of the pivot, cm", ylim=(1.8, 10.2))
axes.legend(title="dark: stays upright")

strength = np.outer(amplitudes, frequencies) / np.sqrt(2 * 9.81)
print(
    "agreement at a distance of at least 10 % from the condition:",
    np.mean(stays[abs(strength - 1) > 0.1] == (strength > 1)[abs(strength - 1) > 0.1]),
)
assert not stays[strength < 0.9].any()
assert stays[strength > 1.1].all()
