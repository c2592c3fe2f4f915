r"""
Closed ring
===========

The last segment of a rod ends at its first node: a free ring. The ring is stress-free in its initial configuration,
although it is curved, because the initial strain is the reference strain.

Verification: a thin inextensible ring has the in-plane frequencies :math:`\omega_n^2 = \frac{EI}{\rho A
r^4}\,\frac{n^2(n^2-1)^2}{n^2+1}` for :math:`n = 2, 3, \dots`, and the out-of-plane frequencies :math:`\frac{EI}{\rho A
r^4}\,\frac{n^2(n^2-1)^2}{n^2+EI/GJ}` (Timoshenko, *Vibration problems in engineering*, without the inertia of the cross
section, which is small here).
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

r, EI, GJ, mass = 0.3, 0.3, 0.2, 0.5


def ring(segments: int) -> sl.Model:
    """Build an inextensible ring in the plane of x and z."""
    model = sl.Model("ring")
    sl.CosseratRod(
        model,
        "ring",
        segments=segments,
        length=2 * np.pi * r,
        closed=True,
        constraint="inextensible",
        stiffness=[EI, EI, GJ, 1e3, 1e3, 1e3],
        inertia=[1e-6, 1e-6, 2e-6, mass, mass, mass],
        reference_strain="initial",
        position=lambda s: (-r * np.cos(s / r), 0, r * np.sin(s / r)),
        orientation=lambda s: (np.cos(s / r / 2), 0, np.sin(s / r / 2), 0),
    )
    return model


def closed_form(n: int) -> np.ndarray:
    """Return the in-plane and out-of-plane frequencies with n waves in Hz."""
    unit, waves = EI / (mass * r**4), n**2 * (n**2 - 1) ** 2
    return np.sqrt(unit * waves / np.array([n**2 + 1, n**2 + EI / GJ])) / (2 * np.pi)


# %%
# The spectrum contains six rigid-body modes and then pairs, because a rotated wave is a second mode of equal frequency.

counts = [16, 32, 64]
known = np.sort(np.concatenate([closed_form(2), closed_form(3)]))
found = []
for count in counts:
    system = ring(count).derive().compile()
    linear = system.linearize(system.initial_state.q, modes=24)
    frequencies = np.sort(linear.frequencies[linear.modes])
    found.append(frequencies[frequencies > 0.1 * known[0]][: 2 * len(known) : 2])
    print(count, "segments:", found[-1], "Hz")
print("closed form: ", known, "Hz")

errors = np.abs(np.array(found) / known - 1)
figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
labels = ["2 waves, out of the plane", "2 waves, in the plane", "3 waves, out of the plane", "3 waves, in the plane"]
for k, label in enumerate(labels):
    axes.loglog(counts, errors[:, k], "o-", label=label)
axes.loglog(counts, 3 / np.square(counts), "k:", label="order two")
axes.set(xlabel="segments", ylabel="relative error of the frequency", xticks=counts, xticklabels=counts)
axes.minorticks_off()
axes.legend()

assert errors[-1].max() < 0.01
assert np.all(np.log2(errors[:-1] / errors[1:]) > 1.7)
