"""
Observed orders
===============

A method of order :math:`p` reduces its error by :math:`2^p` if the step size is halved. ``sl.convergence`` runs methods
with several step sizes, compares the final states with a reference and returns observed orders.

Verification: half-explicit methods have their full order in configuration and velocity, and in general one order less
in the multipliers. Multipliers of the acceleration-level system, ``multipliers="index1"``, have full order.
"""

import symlie as sl

top = sl.Model("held_top")
q = top.node("top", "S3xR3")
J = sl.diag(0.234375, 0.46875, 0.234375)
top.kinetic_energy((15.0 * q.x_dot.dot(q.x_dot) + q.Omega.dot(J * q.Omega)) / 2)
top.potential_energy(15.0 * 9.81 * q.x[2])
top.constraint("fixed_point", q.R.T * q.x - sl.vector(0, 1, 0))
top.initial(q, x=[0, 1, 0], Omega=[0, 10, -2])
system = top.derive().compile()

# %%
# Four methods with five step sizes:

methods = ["half_explicit_2", "half_explicit_3", "half_explicit_4", "half_explicit_5"]
steps = [2.0**-k for k in range(6, 11)]
rows = list(sl.convergence(system, 1, methods, steps))
for row in rows:
    print(f"{row.method}  h = {row.h:.5f} s  errors {row.error.q:.1e} {row.error.v:.1e} {row.error.multipliers:.1e}")
sl.plot_convergence(rows)

# %%
# Orders of the two smallest step sizes:

for k, name in enumerate(methods, start=2):
    finest = [row for row in rows if row.method == name][-1].order
    q_order, v_order, order = finest.q or 0, finest.v or 0, finest.multipliers or 0
    print(f"{name}: orders {q_order:.2f} of q, {v_order:.2f} of v, {order:.2f} of λ")
    assert k - 0.3 < q_order < k + 0.8
    assert k - 0.3 < v_order < k + 0.8
    if k < 5:  # with order five, errors of λ are at rounding
        assert abs(order - (k - 1)) < 0.3

# %%
# Multipliers of the acceleration-level system:

again = list(sl.convergence(system, 1, methods[:3], steps, multipliers="index1"))
for k, name in enumerate(methods[:3], start=2):
    finest = [row for row in again if row.method == name][-1].order
    assert abs((finest.multipliers or 0) - k) < 0.35, name
