r"""
Linearisation for a controller
==============================

A cart balances an inverted pendulum. ``linearize`` returns the linear equations about the equilibrium, as a state space
with inputs and outputs of the model, from which SciPy computes a linear-quadratic regulator. The regulator then
stabilises the nonlinear model with its constraint.

Verification: for a cart of mass :math:`M` and a bob of mass :math:`m` on a massless rod of length :math:`\ell`, the
eigenvalues without control are zero (twice) and :math:`\pm\sqrt{(M + m)g/(M\ell)}`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_continuous_are

import symlie as sl

M, m, length, g = 2.0, 0.5, 0.8, 9.81
model = sl.Model("cart_pole")
cart, bob = model.node("cart", "R1"), model.node("bob", "R2")
push = model.input("push", unit="N")
gains = model.parameter("gains", [0, 0, 0, 0])
model.kinetic_energy((M * cart.x_dot[0] ** 2 + m * bob.x_dot.dot(bob.x_dot)) / 2)
model.potential_energy(m * g * bob.x[1])
rod = bob.x - sl.vector(cart.x[0], 0)
model.constraint("rod", rod.dot(rod) - length**2)
measured = [cart.x[0], rod[0], cart.x_dot[0], bob.x_dot[0] - cart.x_dot[0]]
model.output("measured", measured)
feedback = -sum(gains[k] * measured[k] for k in range(4))
model.generalized_force(cart, [push + feedback])
model.initial(cart, x=[0], x_dot=[0])
model.initial(bob, x=[0, length], x_dot=[0, 0])
system = model.derive().compile()

# %%
# The upright position is an unstable equilibrium.

upright = system.initial_state.q
linear = system.linearize(upright)
known = np.sqrt((M + m) * g / (M * length))
print("eigenvalues", np.round(linear.eigenvalues, 6), "; closed form: 0, 0, ±", known)
assert not linear.is_stable
assert np.allclose(np.sort(linear.eigenvalues.real)[[0, -1]], [-known, known], rtol=1e-8)

# %%
# Linear-quadratic regulator with output feedback:

A, B, C, D = linear.state_space(inputs=["push"], outputs=["measured"])
Q = C.T @ np.diag([10.0, 10.0, 1.0, 1.0]) @ C
K = B.T @ solve_continuous_are(A, B, Q, np.eye(1)) @ np.linalg.inv(C)
controlled = system.with_parameters(gains=K[0])
closed = controlled.linearize(upright)
print("eigenvalues under control", np.round(closed.eigenvalues, 4))
assert closed.is_stable
assert np.allclose(np.sort_complex(closed.eigenvalues), np.sort_complex(np.linalg.eigvals(A - B @ K @ C)), atol=1e-7)

# %%
# Initial inclination of 25 degrees, and a disturbance of 40 N for 0.1 s after five seconds:

tilt = 25 * sl.deg
start = controlled.with_initial("bob", x=[length * np.sin(tilt), length * np.cos(tilt)])
disturbed = start.with_input("push", [0, 5, 5.1], [0, 40, 0], "hold")
solution = sl.solve(disturbed, 15, rtol=1e-8)
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.plot(solution.t, solution.field("cart", "x")[:, 0], label="cart")
axes.plot(solution.t, solution.outputs["measured"][:, 1], label="bob relative to cart")
axes.set(xlabel="time, s", ylabel="horizontal position, m")
axes.legend()

assert abs(solution.outputs["measured"][-1]).max() < 1e-2
assert solution.field("bob", "x")[:, 1].min() > 0.5 * length

# %%
# View of the motion:

solution.view()
