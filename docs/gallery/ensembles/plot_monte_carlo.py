r"""
Monte Carlo with bands
======================

A double pendulum hangs at rest; a gust gives both links angular velocities that nobody knows exactly. A thousand
members with velocities drawn from a normal distribution run in one call, on threads, and the quantiles of their
angles are bands over time.

Known: for small motions the standard deviation follows from the linear equations: the covariance is
:math:`\Phi(t)\,P\,\Phi(t)^\mathsf{T}` with the matrix :math:`\Phi(t) = \exp(At)`. With a thousand members sampling
leaves 2 % of it.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from scipy.linalg import expm

import symlie as sl

model = sl.Model("double_pendulum")
lengths = (0.6, 0.4)
bars, places = [model.ground], np.cumsum([0, *lengths])
for k, length in enumerate(lengths):
    middle = -(places[k] + places[k + 1]) / 2
    bars.append(sl.RigidBody(model, f"bar{k}", length, length**3 / 12, "SE2", position=[0, middle]))
    sl.RevoluteJoint(model, f"hinge{k}", bars[k], bars[k + 1], at=[0, -places[k]])
model.gravity([0, -9.81])
model.output("angles", [sl.atan2(bar.R[1, 0], bar.R[0, 0]) for bar in bars[1:]], unit="rad")
system = sl.minimal_coordinates(model).derive().compile()

# %%
# Rates of the hinges with standard deviations of 0.02 and 0.03 rad/s. The numbers are the same on every machine.

members, times = 1000, np.linspace(0, 4, 81)
deviations = np.array([0.02, 0.03])
draws = sl.samples(members, seed=1, sampler="sobol", first=stats.norm(0, 0.02), second=stats.norm(0, 0.03))
result = sl.ensemble(
    system,
    4,
    initial={"hinge0": {"x_dot": draws["first"][:, None]}, "hinge1": {"x_dot": draws["second"][:, None]}},
    rtol=1e-8,
    t_eval=times,
    record=["angles"],
)
print(result)
angles = result.arrays["angles"]

# %%
# The same from the linear equations about the equilibrium. ``variations`` says what their coordinates mean:

linear = system.linearize()
A, _, C, _ = linear.state_space(outputs=["angles"])
meaning = np.column_stack([np.concatenate(linear.variations(unit)) for unit in np.eye(4)])
start = np.linalg.solve(meaning, np.vstack([np.zeros((2, 2)), np.diag(deviations)]))
known = np.array([np.linalg.norm(C @ expm(A * t) @ start, axis=1) for t in times])

figure, panels = plt.subplots(1, 2, figsize=(8.5, 3.2), layout="constrained", sharey=True)
for k, axes in enumerate(panels):
    low, middle, high = np.degrees(np.quantile(angles[:, :, k], [0.05, 0.5, 0.95], axis=0))
    axes.fill_between(times, low, high, alpha=0.3, label="90 % of the members")
    axes.plot(times, middle, label="median")
    axes.plot(times, np.degrees(stats.norm.ppf(0.95) * known[:, k]), "k:", label="linear equations")
    axes.plot(times, -np.degrees(stats.norm.ppf(0.95) * known[:, k]), "k:")
    axes.set(title=f"bar {k + 1}", xlabel="time, s")
panels[0].set_ylabel("angle, degrees")
panels[0].legend()

found = angles.std(axis=0)
print("deviations differ by", abs(found - known).max() / known.max(), "of the largest")
assert not result.failed
assert abs(found - known).max() < 0.02 * known.max()

# %%
# Any member can be had again, to the same bits, with everything:

one = result.member(17)
assert np.array_equal(one.outputs["angles"], angles[17])
