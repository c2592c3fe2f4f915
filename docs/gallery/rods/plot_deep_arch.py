"""
Snap-through of a deep arch
===========================

A circular arch over 215 degrees is clamped at one end, hinged at the other and loaded at its crown. It leans to one
side and loses stability at a limit point of the load. The path of equilibria continues through decreasing and negative
loads.

Verification: the limit load of the inextensible arch is 897 N for a radius of 100 m and :math:`EI = 10^6` N m² (D. A.
DaDeppo, R. Schmidt, 1975).
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

R, half, N = 100.0, np.radians(215) / 2, 80
model = sl.Model("arch")
arch = sl.Continuum(model, "arch", sl.SE2, length=2 * half * R)
arch.kinetic_density(arch.v.dot(arch.v) / 2)
arch.potential_density(1e6 * (arch.w[0] + 1 / R) ** 2 / 2)
arch.constraint_density("stiff", [arch.w[1] - 1, arch.w[2]])
arch.clamp("start")
arch.initial(
    x=lambda s: (R * np.sin(s / R - half), R * np.cos(s / R - half)),
    p=lambda s: (np.cos(half - s / R), np.sin(half - s / R)),
)
arch.discretize(N)
held = sl.ElementType("held", crown=sl.SE2, foot=sl.SE2)
held.force(sl.vector(0, -model.parameter("load", 0.0, unit="N")), at=held.crown.x)
held.constraint("hinge", held.foot.x - sl.vector(R * np.sin(half), R * np.cos(half)))
model.add(held, [(arch[N // 2], arch[-1])])
path = model.derive().compile().equilibrium_path("load", until=1000)

# %%
# The load versus the deflection of the crown, with the stable part, and some shapes:

x = path.field("arch", "x")
deflection = R - x[:, N // 2, 1]
figure, (curve, shapes) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
curve.plot(deflection, path.values, "C1", label="unstable")
curve.plot(deflection, np.where(path.is_stable, path.values, np.nan), "C0", label="stable")
for point in path.limit_points:
    crown = point.q.reshape(N + 1, 4)[N // 2, 2:]
    curve.plot(R - crown[1], point.value, "ko")
curve.set(xlabel="deflection of the crown, m", ylabel="load, N")
curve.legend()
for k in np.linspace(0, len(x) - 1, 7).astype(int):
    shapes.plot(*x[k].T, label=f"{path.values[k]:.0f} N")
shapes.set(xlabel="x, m", ylabel="y, m", aspect="equal")
shapes.legend(fontsize="small")

print("limit loads", [point.value for point in path.limit_points], "N")
assert abs(path.limit_points[0].value / 897 - 1) < 0.003
