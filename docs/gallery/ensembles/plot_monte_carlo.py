r"""
Monte Carlo simulation with quantiles
=====================================

A double pendulum hangs at rest; a gust causes uncertain initial angular velocities of both links. One call runs a
thousand members with normally distributed velocities on several threads. The figure shows quantiles of the angles
versus time.

Verification: for small motions, the covariance is :math:`\Phi(t)\,P\,\Phi(t)^\mathsf{T}` with
:math:`\Phi(t) = \exp(At)` of the linear equations. The sampling error of the standard deviation is about 2 % for a
thousand members.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats
from scipy.linalg import expm

import symlie as sl

model = sl.Model("double_pendulum")
lengths = (0.6, 0.4)
bars, places = [], np.cumsum([0, *lengths])
before: sl.Connectable = model.ground
for k, length in enumerate(lengths):
    middle = -(places[k] + places[k + 1]) / 2
    bar = sl.RigidBody(model, f"bar{k}", length, length**3 / 12, "SE2", position=[0, middle])
    sl.RevoluteJoint(model, f"hinge{k}", before, bar, at=[0, -places[k]])
    bars.append(bar)
    before = bar
model.gravity([0, -9.81])
model.output("angles", [sl.atan2(bar.R[1, 0], bar.R[0, 0]) for bar in bars], unit="rad")
system = sl.minimal_coordinates(model).derive().compile()

# %%
# Rates of the hinges have standard deviations of 0.02 and 0.03 rad/s. The samples are identical on all machines.

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
# Standard deviations by the linear equations about the equilibrium. ``variations`` converts their coordinates:

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
print("relative error of the deviations:", abs(found - known).max() / known.max())
assert not result.failed
assert abs(found - known).max() < 0.02 * known.max()

# %%
# ``member`` returns the complete solution of a member, with bit-identical outputs:

one = result.member(17)
assert isinstance(one, sl.Solution)
assert np.array_equal(one.outputs["angles"], angles[17])
