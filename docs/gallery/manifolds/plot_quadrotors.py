"""
Two quadrotors with a load
==========================

Two quadrotors carry a load on two rods. The configuration is one point of a product manifold: position and velocity of
the load, attitudes on SO(3), and the rods on :math:`(TS^2)^2`. The constant lengths of the rods determine their
tensions by two linear equations (Celledoni and others, Int. J. Comput. Math. 99, 2022, section 5).

Verification: under constant thrusts, the centre of mass moves on a parabola, and the energy, including the potential of
the thrusts, is constant.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

g, masses, lengths, load = 9.81, (0.755, 0.755), (0.6, 0.8), 0.4
inertia = sl.vector(0.0820, 0.0845, 0.1377)
up = sl.vector(0, 0, 1)
model = sl.Model("quadrotors")
thrusts = [model.parameter(f"thrust{k}", [0, 0, 9.5], unit="N") for k in (1, 2)]
space = sl.product_space(
    "R3", "R3", sl.SO3, "R3", sl.SO3, "R3", sl.TS2, sl.TS2,
    name="two_quadrotors",
    fields=["y", "v", "R1", "Omega1", "R2", "Omega2", "q1", "omega1", "q2", "omega2"],
)  # fmt: skip
x = model.node("quadrotors", space)
rods, spins = (x.q1, x.q2), (x.omega1, x.omega2)

# %%
# Rods point from the load to the quadrotors. With the tensions :math:`T_k`, the equation of motion of the load is
# :math:`m\dot v = \sum T_k q_k - m g e_3`. Along a rod, the accelerations of the ends differ by the centripetal
# acceleration:
#
# .. math::  q_k\cdot\Bigl(\frac{u_k - T_k q_k}{m_k} - g e_3 - \dot v\Bigr) = -\ell_k|\omega_k|^2

cosine = rods[0].dot(rods[1])
right = [
    q.dot(u) / m + length * w.dot(w) for q, u, m, length, w in zip(rods, thrusts, masses, lengths, spins, strict=True)
]
diagonal = [1 / m + 1 / load for m in masses]
determinant = diagonal[0] * diagonal[1] - (cosine / load) ** 2
tensions = [
    model.let((right[0] * diagonal[1] - right[1] * cosine / load) / determinant),
    model.let((right[1] * diagonal[0] - right[0] * cosine / load) / determinant),
]
relative = model.let((tensions[0] * rods[0] + tensions[1] * rods[1]) / load)  # acceleration of the load without gravity
field = [*x.v, *(relative - g * up)]
for R, Omega in (x.R1, x.Omega1), (x.R2, x.Omega2):
    L = sl.diag(inertia) * Omega
    torque = L.cross(Omega)
    field += [*(R * Omega), *(torque[k] / inertia[k] for k in range(3))]
for q, w, u, m, length in zip(rods, spins, thrusts, masses, lengths, strict=True):
    angular_acceleration = q.cross(u / m - relative) / length
    field += [*w, *q.cross(angular_acceleration)]
model.field(x, field)

# %%
# The energy includes the potential of the constant thrusts.

places = [x.y + length * q for length, q in zip(lengths, rods, strict=True)]
velocities = [x.v + length * w.cross(q) for length, w, q in zip(lengths, spins, rods, strict=True)]
energy = load * x.v.dot(x.v) / 2 + load * g * x.y[2]
for m, place, velocity, u, Omega in zip(masses, places, velocities, thrusts, (x.Omega1, x.Omega2), strict=True):
    energy += m * velocity.dot(velocity) / 2 + m * g * place[2] - u.dot(place) + Omega.dot(sl.diag(inertia) * Omega) / 2
model.energy(energy)
total = load + sum(masses)
model.output("centre", (load * x.y + masses[0] * places[0] + masses[1] * places[1]) / total, unit="m")
model.output("first", places[0], unit="m")
model.output("second", places[1], unit="m")
model.initial(
    x,
    q1=[0.6, 0, 0.8],
    q2=[-0.8, 0, 0.6],
    omega1=[0, 0.3, 0],
    omega2=[0.3, 0, 0.4],
    Omega1=[0.5, 1, 0],
    Omega2=[0, 1, 2],
)
pushes = {"thrust1": [0.4, 0.2, 9.5], "thrust2": [-0.6, 0.1, 9.5]}
solution = sl.solve(model.derive().compile().with_parameters(**pushes), 4, method="rkmk_dopri5", rtol=1e-9)

# %%
# The centre of mass moves on a parabola, under the sum of thrusts and weight.

t, centre = solution.t, solution.outputs["centre"]
push = np.sum(list(pushes.values()), axis=0) / total - [0, 0, g]
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
for name, label in ("first", "first quadrotor"), ("second", "second quadrotor"), ("centre", "centre of mass"):
    path = solution.outputs[name]
    axes.plot(path[:, 0], path[:, 2], label=label)
load_path = solution.field("quadrotors", "y")
axes.plot(load_path[:, 0], load_path[:, 2], label="load")
axes.set(xlabel="x, m", ylabel="z, m", aspect="equal")
axes.legend()

start = np.array([0, 0.3, 0]), np.array([0.3, 0, 0.4])
rods_at_start = np.array([0.6, 0, 0.8]), np.array([-0.8, 0, 0.6])
speed = sum(m * n * np.cross(w, q) for m, n, w, q in zip(masses, lengths, start, rods_at_start, strict=True)) / total
parabola = centre[0] + np.outer(t, speed) + np.outer(t**2 / 2, push)
print("error of the parabola:", abs(centre - parabola).max(), "m")
assert abs(centre - parabola).max() < 1e-7
assert np.ptp(solution.outputs["energy"]) < 1e-6
for k in 1, 2:
    assert abs(np.linalg.norm(solution.field("quadrotors", f"q{k}"), axis=1) - 1).max() < 1e-12

# %%
# 3-D view of the motion:

solution.view()
