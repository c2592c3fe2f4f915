r"""
Thrown ball
===========

A ball is thrown with spin onto a floor with Coulomb friction. It bounces, comes to rest on the floor after infinitely
many impacts in a finite time, slides, and finally rolls.

Verification: angular momentum about the contact point gives 5/7 of the horizontal velocity while the ball rolls; the
end of the impacts, the time of rolling and the final position agree with closed forms to 1e-9.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

model = sl.Model("thrown_ball")
ball = sl.RigidBody(model, "ball", 1.0, sl.inertia.sphere(1.0, radius=0.1), position=[0, 0, 0.6])
model.gravity([0, 0, -9.81])
touching = ball.x - sl.vector(0, 0, 0.1)
slip = ball.velocity_at(touching)[:2]
model.contact("floor", gap=touching[2], slip=slip, friction=0.1, restitution=0.5)
model.output("slip", sl.sqrt(slip[0] ** 2 + slip[1] ** 2), unit="m/s")
model.initial(ball, x_dot=[3, 4, 0], Omega=[0, 0, 7])
solution = sl.solve(model.derive().compile(), 2, rtol=1e-11)

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
# Steps are longer than flights of the ball.
times = np.union1d(np.linspace(0, 2, 1001), solution.t)
axes[0].plot(times, solution(times).field("ball", "x")[:, 2] - 0.1, lw=1.2)
axes[0].set(xlabel="time, s", ylabel="gap, m")
axes[1].plot(solution.t, solution.outputs["slip"], lw=1.2)
axes[1].set(xlabel="time, s", ylabel="slip velocity, m/s")
assert solution.outputs["floor_gap"].min() > -1e-12

# %%
# Friction impulses reduce the slip at each impact. The last impact stands for the rest of the sequence, and has a
# duration:

for impact in (*solution.impacts[:3], solution.impacts[-1]):
    print(
        f"t = {impact.t:.9f} s: impulse {impact.impulses['floor']} N s, {impact.energy_loss:.3g} J lost, "
        f"duration {impact.duration:.1e} s"
    )

# %%
# Comparison with the closed forms:

on_floor = solution.t[np.flatnonzero(solution.outputs["floor_state"] > 0)[0]]
(rolls,) = [event.t for event in solution.events if event.name == "floor_stick"]
place, velocity = solution.field("ball", "x")[-1], solution.field("ball", "x_dot")[-1]
errors = {
    "end of impacts": on_floor - 0.957826285221151,
    "time of rolling": rolls - 1.456239988350080,
    "position": np.abs(place[:2] - [4.939817137864320, 6.586422850485760]).max(),
    "velocity": np.abs(velocity[:2] - [15 / 7, 20 / 7]).max(),
}
for name, error in errors.items():
    print(f"{name}: error {abs(error):.1e}")
    assert abs(error) < 1e-9
