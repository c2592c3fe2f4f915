"""
Work–precision diagram
======================

This example compares errors and processor times of six explicit methods for a spinning body under gravity in unit
quaternions, for a range of step sizes.

Verification: the observed orders are those of the methods, so that methods of high order are the most efficient ones at
high accuracy. The assertions do not depend on the speed of the machine.
"""

import symlie as sl

J = sl.diag(0.23, 0.47, 0.25)
top = sl.Model("free_top")
q = top.node("top", sl.S3)
arm = q.Omega.cross(sl.vector(0, 1, 0))
top.kinetic_energy((15.0 * arm.dot(arm) + q.Omega.dot(J * q.Omega)) / 2)
top.potential_energy(15.0 * 9.81 * (q.R * sl.vector(0, 1, 0))[2])
top.initial(q, Omega=[0, 40, -4])
system = top.derive().compile()

# %%
# Methods of orders two to six; times are medians of three runs.

orders = {"lie_euler_heun": 2, "rkmk_kutta3": 3, "cf4": 4, "rkmk_rk44": 4, "rkmk_dopri5": 5, "rkmk_rk67": 6}
steps = [2.0**-k for k in range(7, 13)]
reference = sl.solve(system, 1, method="taylor", rtol=1e-14)
rows = list(sl.convergence(system, 1, list(orders), steps, reference=reference, repetitions=3))
sl.plot_convergence(rows, work=True)

# %%
# Errors for the step size 1/512 s, from the lowest to the highest order:

errors = {row.method: row.error.q or 0.0 for row in rows if row.h == 2.0**-9}
for name, error in errors.items():
    print(f"{name:15s} order {orders[name]}: {error:.1e}")

assert errors["lie_euler_heun"] > errors["rkmk_kutta3"] > errors["rkmk_rk44"] > errors["rkmk_dopri5"]
for name, order in orders.items():
    seen = [row.order.q for row in rows if row.method == name and row.order.q and (row.error.q or 0) > 1e-11]
    print(name, "observed order", seen[-1])
    assert abs(seen[-1] - order) < 0.4, name
