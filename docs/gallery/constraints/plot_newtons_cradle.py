r"""
Newton's cradle
===============

A ball hits a row of four equal balls that touch each other. Several contacts are closed at the impact, and rigid
bodies do not determine the impulses. If each contact satisfies Newton's law of impact in one problem, all balls move
afterwards. If the impacts follow each other, the last ball alone continues, as in the experiment.

Verification: momentum and energy are conserved by both treatments, and the velocities after the impact agree with
their closed forms to 1e-12.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

COUNT, DIAMETER = 5, 0.03

model = sl.Model("newtons_cradle")
balls = [model.node(f"ball_{k}", "R1", unit="m") for k in range(COUNT)]
for k, ball in enumerate(balls):
    model.kinetic_energy(ball.x_dot[0] ** 2 / 2)
    model.initial(ball, x=[k * DIAMETER], x_dot=[0.0])
for k, (ball, other) in enumerate(itertools.pairwise(balls)):
    model.contact(f"pair_{k}", gap=other.x[0] - ball.x[0] - DIAMETER, restitution=1)
model.initial(balls[0], x=[-0.1], x_dot=[1.0])
system = model.derive().compile()

runs = {
    "newton": (sl.solve(system, 0.2, rtol=1e-10), [-0.6, 0.4, 0.4, 0.4, 0.4]),
    "sequential": (sl.solve(system, 0.2, rtol=1e-10, impacts="sequential"), [0, 0, 0, 0, 1]),
}
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), sharey=True, layout="constrained")
for ax, (treatment, (solution, velocities)) in zip(axes, runs.items(), strict=True):
    for k in range(COUNT):
        ax.plot(solution.t, solution.field(f"ball_{k}", "x")[:, 0], lw=1.2)
    ax.set(xlabel="time, s", xticks=[0, 0.1, 0.2], title=f'impacts="{treatment}"')
    (impact,) = solution.impacts
    after = solution.v[-1]
    print(f"{treatment}: velocities {np.round(after, 12)} m/s after the impact at {impact.t:.3f} s")
    assert np.abs(after - velocities).max() < 1e-12
    assert abs(after.sum() - 1) < 1e-12 and abs((after**2).sum() - 1) < 1e-12
axes[0].set_ylabel("position, m")
