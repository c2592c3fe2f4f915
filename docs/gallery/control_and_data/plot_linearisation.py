r"""
Linear equations for a controller
=================================

A cart carries a pendulum that stands on its head. ``linearize`` gives the linear equations about the equilibrium, a
state space with inputs and outputs of the model, from which SciPy makes a controller. The controller then holds the
nonlinear model, with the constraint as it is.

Known: with a cart that weighs :math:`M`, a bob :math:`m` on a rod without mass of length :math:`\ell`, the free
eigenvalues are zero, twice, and :math:`\pm\sqrt{(M + m)g/(M\ell)}`.
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
seen = [cart.x[0], rod[0], cart.x_dot[0], bob.x_dot[0] - cart.x_dot[0]]
model.output("seen", seen)
feedback = -sum(gains[k] * seen[k] for k in range(4))
model.generalized_force(cart, [push + feedback])
model.initial(cart, x=[0], x_dot=[0])
model.initial(bob, x=[0, length], x_dot=[0, 0])
system = model.derive().compile()

# %%
# The upright position is an equilibrium, but no stable one.

upright = system.initial_state.q
linear = system.linearize(upright)
known = np.sqrt((M + m) * g / (M * length))
print("eigenvalues", np.round(linear.eigenvalues, 6), "; known: 0, 0, ±", known)
assert not linear.is_stable
assert np.allclose(np.sort(linear.eigenvalues.real)[[0, -1]], [-known, known], rtol=1e-8)

# %%
# A linear-quadratic regulator of what is seen:

A, B, C, D = linear.state_space(inputs=["push"], outputs=["seen"])
Q = C.T @ np.diag([10.0, 10.0, 1.0, 1.0]) @ C
K = B.T @ solve_continuous_are(A, B, Q, np.eye(1)) @ np.linalg.inv(C)
held = system.with_parameters(gains=K[0])
closed = held.linearize(upright)
print("eigenvalues under control", np.round(closed.eigenvalues, 4))
assert closed.is_stable
assert np.allclose(np.sort_complex(closed.eigenvalues), np.sort_complex(np.linalg.eigvals(A - B @ K @ C)), atol=1e-7)

# %%
# From 25 degrees off, with a blow of 40 N for a tenth of a second after five seconds:

tilt = 25 * sl.deg
start = held.with_initial("bob", x=[length * np.sin(tilt), length * np.cos(tilt)])
blown = start.with_input("push", [0, 5, 5.1], [0, 40, 0], "hold")
solution = sl.solve(blown, 15, rtol=1e-8)
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.plot(solution.t, solution.field("cart", "x")[:, 0], label="cart")
axes.plot(solution.t, solution.outputs["seen"][:, 1], label="bob, from the cart")
axes.set(xlabel="time, s", ylabel="to the side, m")
axes.legend()

assert abs(solution.outputs["seen"][-1]).max() < 1e-2
assert solution.field("bob", "x")[:, 1].min() > 0.5 * length

# %%
# The motion:

solution.view()
