r"""
Bouncing ball
=============

A ball bounces on a floor. The impact is an event with a reset of the velocity: the run continues with the velocity
after the impact, in compiled code, and the solution contains the states before and after each impact. The impacts
accumulate at a finite time, at which the ball comes to rest; the run ends there.

Verification: for the height :math:`h` and the coefficient of restitution :math:`e`, the impacts occur at
:math:`\sqrt{2h/g}\,(1 + 2e + 2e^2 + \dots)`, to 1e-12 s for the first twenty, and the ball rests after
:math:`\sqrt{2h/g}\,(1 + e)/(1 - e)`.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

GRAVITY, HEIGHT = 9.81, 1.0

model = sl.Model("bouncing_ball")
restitution = model.parameter("restitution", 0.8)
ball = model.node("ball", "R3", unit="m")
model.kinetic_energy(ball.x_dot.dot(ball.x_dot) / 2)
model.potential_energy(GRAVITY * ball.x[2])
model.event("impact", ball.x[2], direction="falling")
model.reset("impact", ball, x_dot=[ball.x_dot[0], ball.x_dot[1], -restitution * ball.x_dot[2]])
model.initial(ball, x=[0, 0, HEIGHT], x_dot=[0.5, 0, 0])
system = model.derive().compile()

solution = sl.solve(system, 4, rtol=1e-12)
times = np.array([event.t for event in solution.events])

# %%
# Dense output is exact for this motion, also between impacts that are close to each other. At the time of an impact,
# ``solution(t)`` is the state after it.

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
for e in (0.9, 0.8, 0.6):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sl.SymlieWarning)  # the impacts accumulate
        run = sl.solve(system.with_parameters(restitution=e), 4, rtol=1e-12)
    path = run(np.linspace(0, run.t[-1], 2000)).field("ball", "x")
    axes[0].plot(path[:, 0], path[:, 2], lw=1.2, label=f"e = {e}")
axes[0].set(xlabel="distance, m", ylabel="height, m")
axes[0].legend()
axes[1].plot(solution.t, solution.field("ball", "x_dot")[:, 2], lw=1.2)
axes[1].set(xlabel="time, s", ylabel="vertical velocity, m/s, e = 0.8")

first = solution.events[0]
before, after = np.flatnonzero(solution.t == first.t)
assert solution.v[after, 2] == -0.8 * solution.v[before, 2] == -0.8 * first.v[2]
assert (solution(first.t).v == solution.v[after]).all()

# %%
# Comparison with the closed form:

whole = sl.solve(system, 4.02, rtol=1e-12)
exact = np.sqrt(2 * HEIGHT / GRAVITY) * (1 + 2 * np.cumsum([0, *(0.8 ** np.arange(1, 20))]))
found = np.array([event.t for event in whole.events])
print(f"{len(found)} impacts, largest error of their times {abs(found - exact).max():.1e} s")
assert len(found) == 20
assert abs(found - exact).max() < 1e-12

with warnings.catch_warnings():
    warnings.simplefilter("ignore", sl.SymlieWarning)
    rest = sl.solve(system, 10, rtol=1e-12)
print(f"status {rest.status} after {len(rest.events)} impacts at t = {rest.t[-1]:.12f} s")
assert rest.status == "accumulation"
assert abs(rest.t[-1] - np.sqrt(2 * HEIGHT / GRAVITY) * 9) < 1e-11
