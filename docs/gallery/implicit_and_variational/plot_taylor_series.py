"""
Taylor series and heyoka
========================

The method ``taylor`` computes Taylor series of smooth motions to high order, on the group and with constraints. It
takes forty steps for one second of the fast heavy top, which rotates by 150 rad in this time. If heyoka is installed,
the example compares its Taylor series of the same top in quaternions.

Verification: the attitude after one second is known to twenty digits, from series of order 44 in 42-digit arithmetic.
"""

import importlib.util

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

KNOWN = [0.732943980679663718147, -0.278285719337612678518, 0.531824611334162617923, -0.320176142736249281409]

top = sl.Model("heavy_top")
q = top.node("top", "S3xR3")
J = sl.diag(0.234375, 0.46875, 0.234375)
top.kinetic_energy((15.0 * q.x_dot.dot(q.x_dot) + q.Omega.dot(J * q.Omega)) / 2)
top.potential_energy(15.0 * 9.81 * q.x[2])
top.constraint("fixed_point", q.x - q.R * sl.vector(0, 1, 0))
top.initial(q, x=[0, 1, 0], Omega=[0, 150, -4.61538])
system = top.derive().compile()


def error(quaternion: np.ndarray) -> float:
    """Return the largest error of p or of -p, which is the same rotation."""
    return float(min(np.abs(quaternion - KNOWN).max(), np.abs(quaternion + KNOWN).max()))


# %%
# Errors follow the tolerance; the number of steps hardly changes:

tolerances = 10.0 ** -np.arange(4, 15, 2)
solutions = [sl.solve(system, 1, method="taylor", rtol=tol) for tol in tolerances]
errors = {"taylor": [error(found.field("top", "p")[-1]) for found in solutions]}
steps = {"taylor": [found.statistics.steps for found in solutions]}
for tolerance, count, size in zip(tolerances, steps["taylor"], errors["taylor"], strict=True):
    print(f"rtol {tolerance:.0e}: {count} steps, error {size:.1e}")

# %%
# heyoka does not support constraints, so that its model is the unconstrained top:

if importlib.util.find_spec("heyoka"):
    import heyoka

    names = heyoka.make_vars("w", "x", "y", "z", "a", "b", "c")
    w, x, y, z, *omega = names
    moments, torque = [15.234375, 0.46875, 15.234375], 15 * 9.81
    up = [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    loads = [-torque * up[2], 0.0, torque * up[0]]
    rates = [
        (-(x * omega[0] + y * omega[1] + z * omega[2])) / 2,
        (w * omega[0] + y * omega[2] - z * omega[1]) / 2,
        (w * omega[1] + z * omega[0] - x * omega[2]) / 2,
        (w * omega[2] + x * omega[1] - y * omega[0]) / 2,
    ]
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        rates.append((loads[i] + (moments[j] - moments[k]) * omega[j] * omega[k]) / moments[i])
    errors["heyoka"], steps["heyoka"] = [], []
    for tol in tolerances:
        integrator = heyoka.taylor_adaptive(
            list(zip(names, rates, strict=True)), [1.0, 0, 0, 0, 0, 150, -4.61538], tol=tol
        )
        steps["heyoka"].append(integrator.propagate_until(1.0)[3])
        errors["heyoka"].append(error(integrator.state[:4]))
else:
    print("heyoka is not installed")

figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
for name, marker in zip(errors, "os", strict=False):
    axes.semilogy(steps[name], errors[name], marker + "-", label=name)
axes.set(xlabel="steps for one second", ylabel="largest error of the quaternion")
axes.legend()

assert errors["taylor"][-1] < 1e-11
assert max(steps["taylor"]) < 150
assert all(found.statistics.max_constraint_residual < 1e-14 for found in solutions)
if "heyoka" in errors:
    assert errors["heyoka"][-1] < 1e-10

# %%
# 3-D view of the motion, with dense output by the series:

solutions[-1].view()
