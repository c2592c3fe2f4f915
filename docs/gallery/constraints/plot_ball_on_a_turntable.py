"""
Ball on a turntable
===================

A ball rolls without slip on a rotating table. Two nonholonomic constraints describe rolling, and a holonomic
constraint keeps the ball on the table.

Verification: the centre of a homogeneous ball moves on a circle at 2/7 of the angular velocity of the table, for all
initial conditions.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

r = 0.5
turntable = sl.Model("ball_on_a_turntable")
rate = turntable.parameter("table_rate", 0.8, unit="rad/s")
ball = turntable.node("ball", "S3xR3")
turntable.kinetic_energy((ball.x_dot.dot(ball.x_dot) + 0.4 * r**2 * ball.Omega.dot(ball.Omega)) / 2)
slip = ball.x_dot + (ball.R * ball.Omega).cross(sl.vector(0, 0, -r)) - sl.vector(0, 0, rate).cross(ball.x)
turntable.nonholonomic_constraint("rolling", slip[:2, :])
turntable.constraint("height", ball.x[2] - r)
turntable.initial(ball, x=[0.5, 0, r], x_dot=[0, 0.3, 0])  # Omega follows from rolling
turntable.shape(ball, sl.sphere(r))
turntable.shape(turntable.ground, sl.cylinder(2.5, 0.02), at=[0, 0, -0.01])
system = turntable.derive().compile()

# %%
# Three initial velocities lead to the same angular velocity:

w = 2 / 7 * 0.8
period = 2 * np.pi / w
starts = [[0, 0.3, 0], [0.2, 0.3, 0], [0, -0.1, 0]]
runs = [sl.solve(system.with_initial("ball", x_dot=start), period, rtol=1e-10) for start in starts]

figure, axes = plt.subplots(figsize=(5, 4.4), layout="constrained")
for start, found in zip(starts, runs, strict=True):
    x = found.field("ball", "x")
    axes.plot(x[:, 0], x[:, 1], label=f"velocity ({start[0]}, {start[1]}) m/s")
    # x'' = w e₃ × x', so that x moves on a circle.
    s, c = np.sin(w * found.t) / w, (1 - np.cos(w * found.t)) / w
    exact = [0.5 + s * start[0] - c * start[1], c * start[0] + s * start[1]]
    assert np.abs(x[:, :2] - np.transpose(exact)).max() < 1e-7
axes.plot(0.5, 0, "ko", ms=4, label="start")
axes.plot(0, 0, "k+", label="axis of the table")
axes.set(xlabel="x of the centre, m", ylabel="y of the centre, m", aspect="equal")
axes.legend()

# %%
# The linear equations about a ball at rest have the same angular frequency as an eigenvalue:

linear = system.with_initial("ball", x=[0, 0, r], x_dot=[0, 0, 0])
state = linear.initial_state
eigenvalues = linear.linearize(state.q, v=state.v).eigenvalues
print(np.round(eigenvalues, 6))
assert np.isclose(abs(eigenvalues.imag).max(), w, rtol=1e-9)

# %%
# 3-D view of the motion:

runs[0].view()
