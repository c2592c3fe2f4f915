r"""
Adaptive steps and events
=========================

A pendulum starts close to its upper equilibrium, falls and returns: a long slow phase precedes a short fast one. The
step size follows the tolerance. Events are zeros of scalar functions, located within steps to rounding.

Verification: a pendulum of length 1 m with the amplitude :math:`\alpha` passes its lowest point at intervals of
:math:`2K(\sin\frac{\alpha}{2})/\sqrt{g}`, with :math:`v^2 = 2g(1 - \cos\alpha)`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipkm1

import symlie as sl

alpha = np.radians(179.5)
pendulum = sl.Model("pendulum")
bob = pendulum.node("bob", "R2")
pendulum.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
pendulum.potential_energy(9.81 * bob.x[1])
pendulum.constraint("rod", (bob.x.dot(bob.x) - 1) / 2)
pendulum.event("lowest", bob.x[0], terminal=False)
pendulum.event("fast", bob.x_dot.norm() - 6, direction="rising", terminal=False)
pendulum.initial(bob, x=[np.sin(alpha), -np.cos(alpha)], x_dot=[0, 0])
system = pendulum.derive().compile()

# %%
# ``trace=True`` records all attempted steps with their error estimates.

solution = sl.solve(system, 16, rtol=1e-9, atol=1e-11, trace=True)
solution.plot_steps()

# %%
# The angle with all events:

x = solution.field("bob", "x")
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.plot(solution.t, np.degrees(np.arctan2(x[:, 0], -x[:, 1])), label="angle")
for name, marker in ("lowest", "o"), ("fast", "^"):
    times = [event.t for event in solution.events if event.name == name]
    angles = [np.degrees(np.arctan2(*(solution(t).field("bob", "x") * [1, -1]))) for t in times]
    axes.plot(times, angles, marker, label=f"event '{name}'")
axes.set(xlabel="time, s", ylabel="angle from the lowest point, degrees")
axes.legend()

lowest = np.array([event.t for event in solution.events if event.name == "lowest"])
quarter = ellipkm1(np.cos(alpha / 2) ** 2) / np.sqrt(9.81)
print("events:", lowest, "s; closed form:", quarter * (1 + 2 * np.arange(len(lowest))), "s")
assert len(lowest) >= 4
assert np.allclose(lowest, quarter * (1 + 2 * np.arange(len(lowest))), rtol=1e-6)
for t in lowest:
    speed = np.linalg.norm(solution(t).field("bob", "x_dot"))
    assert np.isclose(speed**2, 2 * 9.81 * (1 - np.cos(alpha)), rtol=1e-7)
trace = solution.trace
assert trace is not None
taken, started = trace.h[trace.accepted], trace.t[trace.accepted]
falling = [taken[np.argmin(abs(started - t))] for t in lowest]
print(f"steps at the lowest point: {max(falling):.4f} s at most; longest: {taken.max():.4f} s")
assert taken.max() > 3 * max(falling)

# %%
# View of the motion:

solution.view()
