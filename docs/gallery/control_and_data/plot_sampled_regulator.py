r"""
Cart-pole with a sampled regulator
==================================

A computer balances an inverted pendulum on a cart: 200 times per second a function in Python reads the state and sets
the force on the cart, which is held until the next sample. ``linearize`` returns the linear equations about the upright
position; SciPy discretises them exactly for the period of the samples, and computes a linear-quadratic regulator.

Verification: without control, the eigenvalues are zero (twice) and :math:`\pm\sqrt{(M + m)g/(M\ell)}` for a cart of
mass :math:`M` and a bob of mass :math:`m` on a massless rod of length :math:`\ell`. For small deviations, the states of
the nonlinear model at the samples satisfy the difference equation of the linear closed loop, also if the force acts one
period late. The force as a table of held values leads to the same states, bit for bit.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_discrete_are
from scipy.signal import cont2discrete

import symlie as sl

M, m, length, g = 2.0, 0.5, 0.8, 9.81
PERIOD = 1 / 200
model = sl.Model("sampled_cart_pole")
cart, pole = model.node("cart", "R1"), model.node("pole", "R1")
force = model.input("force", unit="N")
speed, rate = cart.x_dot[0], pole.x_dot[0]
model.kinetic_energy(
    ((M + m) * speed**2 + 2 * m * length * sl.cos(pole.x[0]) * speed * rate + m * length**2 * rate**2) / 2
)
model.potential_energy(m * g * length * sl.cos(pole.x[0]))
model.generalized_force(cart, [force])
model.output("measured", [cart.x[0], pole.x[0], speed, rate])
model.initial(cart, x=[0], x_dot=[0])
model.initial(pole, x=[0], x_dot=[0])
system = model.derive().compile()

# %%
# Linear equations about the upright position, and their exact discretisation:

linear = system.linearize(system.initial_state.q)
known = np.sqrt((M + m) * g / (M * length))
print("eigenvalues", np.round(linear.eigenvalues, 6), "; closed form: 0, 0, ±", known)
assert np.allclose(np.sort(linear.eigenvalues.real)[[0, -1]], [-known, known], rtol=1e-8)

space = linear.state_space(inputs=["force"], outputs=["measured"])
A, B, C, D, _ = cont2discrete(space, PERIOD)
Q, R = C.T @ np.diag([10.0, 10.0, 1.0, 1.0]) @ C, np.eye(1) / 100
P = solve_discrete_are(A, B, Q, R)
K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A) @ np.linalg.inv(C)

# %%
# The regulator is a function of the time and of the output. ``sl.Sampled`` states when it is called, and which output
# and input it reads and writes.


def regulator(t: float, measured: np.ndarray) -> np.ndarray:
    """Return the force on the cart."""
    return np.asarray(-K @ measured)


def balanced(tilt: float, end: float, delay: float = 0.0) -> sl.Solution:
    """Run from an inclination in rad, with states at the samples."""
    controller = sl.Sampled(regulator, period=PERIOD, reads=["measured"], writes=["force"], delay=delay)
    start = system.with_initial("pole", x=[tilt])
    return sl.solve(start, end, rtol=1e-10, t_eval=np.arange(0, end, PERIOD), controllers=[controller])


# %%
# For small deviations, the outputs at the samples are powers of the matrix of the closed loop; a delay of one period
# adds the last force to the state.

whole = np.block([[A, B], [-K @ C, np.zeros((1, 1))]])
for delay, matrix in ((0.0, A - B @ K @ C), (PERIOD, whole)):
    small = balanced(1e-6, 1.0, delay).outputs["measured"]
    at_start = np.concatenate([np.linalg.solve(C, small[0]), np.zeros(len(matrix) - 4)])
    expected = [C @ (np.linalg.matrix_power(matrix, k) @ at_start)[:4] for k in range(len(small))]
    error = abs(small - expected).max() / abs(small).max()
    print(f"delay {delay} s: spectral radius {abs(np.linalg.eigvals(matrix)).max():.6f}, difference {error:.1e}")
    assert error < 1e-8

# %%
# An initial inclination of 25 degrees, without a delay, and with delays of 6 and 10 periods:

figure, axes = plt.subplots(2, 1, figsize=(7, 4.4), sharex=True, layout="constrained")
runs = {delay: balanced(25 * sl.deg, 5.0, delay * PERIOD) for delay in (0, 6, 10)}
for delay, solution in runs.items():
    axes[0].plot(solution.t, solution.outputs["measured"][:, 1] / sl.deg, label=f"{1000 * delay * PERIOD:g} ms")
    table = solution.system.inputs["force"]
    axes[1].step(table.times, table.values[:, 0], where="post")
axes[0].set(ylabel="inclination, degrees")
axes[0].legend(title="delay")
axes[1].set(xlabel="time, s", ylabel="force, N")

solution = runs[0]
assert abs(solution.outputs["measured"][-1]).max() < 1e-2
table = solution.system.inputs["force"]
held = system.with_initial("pole", x=[25 * sl.deg]).with_input("force", table.times, table.values, "hold")
same = sl.solve(held, 5.0, rtol=1e-10, t_eval=solution.t)
print("largest difference from a table:", abs(same.q - solution.q).max())
assert np.array_equal(same.q, solution.q)
