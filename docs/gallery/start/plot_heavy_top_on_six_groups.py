"""
Heavy top on six groups
=======================

One model of the fast heavy top is integrated on six Lie groups. On SO(3) and S³, the fixed point is part of the
kinematics. On the direct products SO(3)×R³ and S³×R³ and the semidirect products SE(3) and S³⋉R³, it is a constraint,
and the multipliers are the reaction force.

Verification: the motion is independent of the group, although the equations differ. The differences are within the
tolerance.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl


def top_on(group: str) -> sl.Model:
    """Build the heavy top on a group, with the centre of mass 1 m from the fixed point."""
    top = sl.Model(f"top_{group}")
    m = top.parameter("mass", 15.0, unit="kg")
    J = top.parameter("inertia", [0.234375, 0.46875, 0.234375], unit="kg m^2")
    X = top.parameter("lever", [0, 1, 0], unit="m")
    q = top.node("top", group)
    spin = q.Omega.dot(sl.diag(J) * q.Omega) / 2
    if group in ("SO3", "S3"):
        x, u = q.R * X, q.Omega.cross(X)
    else:
        x, u = q.x, q.U if group in ("SE3", "S3sR3") else q.x_dot
        top.constraint("fixed_point", x - q.R * X)
    top.kinetic_energy(spin + m * u.dot(u) / 2)
    top.potential_energy(m * 9.81 * x[2])
    top.output("position", x, unit="m")
    top.initial(q, Omega=[0, 150, -4.61538], **({} if group in ("SO3", "S3") else {"x": X}))
    return top


# %%
# All runs have the same ``rtol`` and the default method of their system.

groups = ["SO3", "S3", "SO3xR3", "S3xR3", "SE3", "S3sR3"]
times = np.linspace(0, 1, 101)
solutions = {name: sl.solve(top_on(name).derive().compile(), 1, rtol=1e-10, t_eval=times) for name in groups}
for name, found in solutions.items():
    print(f"{name:7s} {found.statistics.steps:6d} steps, end at", found.outputs["position"][-1])

# %%
# The centre of mass moves on a sphere; all six paths agree:

paths = {name: found.outputs["position"] for name, found in solutions.items()}
figure, (above, apart) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
for k, (name, path) in enumerate(paths.items()):
    above.plot(path[:, 0], path[:, 1], color=f"C{k}", lw=6 - k, alpha=0.6, label=name)
    if name != "SO3":
        apart.semilogy(times[1:], np.abs(path - paths["SO3"]).max(axis=1)[1:], color=f"C{k}", label=name)
above.set(xlabel="x of the centre of mass, m", ylabel="y of the centre of mass, m", aspect="equal")
above.legend(ncols=2)
apart.set(xlabel="time, s", ylabel="distance from the path on SO(3), m")
apart.legend()

for name in groups[1:]:
    assert np.abs(paths[name] - paths["SO3"]).max() < 1e-7, name

# %%
# 3-D view of the motion:

solutions["SE3"].view()
