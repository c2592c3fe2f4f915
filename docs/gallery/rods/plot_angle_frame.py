r"""
Rods joined at an angle
=======================

A frame of two arms is clamped at one end, with an out-of-plane force at the other end. The second arm starts at the
last node of the first arm, at a constant angle.

Verification: by Castigliano's theorem, the deflection of the end under a force :math:`F` is
:math:`FL^3/EI\,(1/3 + ((1 + c)^3 - c^3)/3) + FL^3/GJ\,s^2`, for arms of length :math:`L` at an angle :math:`\alpha`,
:math:`c = \cos\alpha` and :math:`s = \sin\alpha`, from bending of both arms and torsion of the first arm. Errors are of
second order in the length of the segments.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

L, EI, GJ, F = 10.0, 1e3, 700.0, 1e-4


def cross_section(angle: float) -> sl.Rotation:
    c, s = np.cos(angle), np.sin(angle)
    return sl.rotation(matrix=[[0, -s, c], [0, c, s], [-1, 0, 0]])  # the third axis is the tangent


def deflection(angle: float, segments: int) -> float:
    model = sl.Model("angle_frame")
    arm = sl.CosseratRod(
        model,
        "arm",
        segments=segments,
        length=L,
        stiffness=[EI, EI, GJ, 1e9, 1e9, 1e9],
        inertia=[10, 10, 20, 1, 1, 1],
        position=lambda s: (s, 0, 0),
        orientation=cross_section(0.0),
    )
    arm.clamp("start")
    tip = sl.CosseratRod(
        model,
        "tip",
        segments=segments,
        length=L,
        like=arm,
        first=arm[-1],
        position=lambda s: (L + s * np.cos(angle), s * np.sin(angle), 0),
        orientation=cross_section(angle),
    )
    tip.end_load("end", force=[0, 0, F])
    return float(model.derive().compile().static_equilibrium().q[-1])  # z of the last node


# %%
# Angles from nearly straight to folded back:

sizes = np.array([4, 8, 16, 32])
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for angle in 0.5, np.pi / 2, 3.0, np.pi:
    c, s = np.cos(angle), np.sin(angle)
    exact = F * L**3 * ((1 / 3 + ((1 + c) ** 3 - c**3) / 3) / EI + s**2 / GJ)
    errors = np.array([abs(deflection(angle, n) / exact - 1) for n in sizes])
    orders = np.log2(errors[:-1] / errors[1:])
    print(f"{np.rad2deg(angle):5.1f}°: errors {errors}, orders {orders}")
    assert np.all(abs(orders - 2) < 0.1)
    axes.loglog(sizes, errors, "o-", label=f"{np.rad2deg(angle):.0f}°")
axes.loglog(sizes, 0.1 / sizes**2, "k:", label="order two")
axes.set_xticks(sizes, labels=sizes)
axes.set_xticks([], minor=True)
axes.set(xlabel="segments of each arm", ylabel="relative error of the deflection")
axes.legend()
