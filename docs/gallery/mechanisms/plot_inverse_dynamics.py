"""
Inverse dynamics of a sampled motion
====================================

This example computes the torques of an arm for a motion that is given as a table of angles. A drive prescribes each
joint angle as a spline through the samples; its effort is the torque. Constraints are differentiated twice, so that
the splines need two continuous derivatives. The error of the torques is of second order in the sampling interval for
cubic splines, and of fourth order for quintic splines.

Verification: the torques agree with the equations of motion of the arm with two links.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

MASSES, LENGTH, CENTRES, INERTIAS, GRAVITY = (3.0, 2.0), 0.5, (0.25, 0.2), (0.07, 0.03), 9.81


def motion(t: np.ndarray) -> np.ndarray:
    """Return angles, rates and accelerations of both joints, shape (3, 2, n), in rad and s."""
    a, b = 0.6, -0.8
    angles = [a * (1 - np.cos(2 * t)), b * (1 - np.cos(3 * t))]
    rates = [2 * a * np.sin(2 * t), 3 * b * np.sin(3 * t)]
    return np.array([angles, rates, [4 * a * np.cos(2 * t), 9 * b * np.cos(3 * t)]])


def torques(t: np.ndarray) -> np.ndarray:
    """Return M(φ) φ'' + h(φ, φ') + G(φ) of both joints, shape (2, n), in N m."""
    (q1, q2), (v1, v2), (a1, a2) = motion(t)
    (m1, m2), (c1, c2), (i1, i2) = MASSES, CENTRES, INERTIAS
    couple = m2 * LENGTH * c2
    m22 = i2 + m2 * c2**2
    m12 = m22 + couple * np.cos(q2)
    m11 = i1 + m1 * c1**2 + m2 * LENGTH**2 + m22 + 2 * couple * np.cos(q2)
    g2 = GRAVITY * m2 * c2 * np.cos(q1 + q2)
    g1 = GRAVITY * (m1 * c1 + m2 * LENGTH) * np.cos(q1) + g2
    first = m11 * a1 + m12 * a2 - couple * np.sin(q2) * (2 * v1 * v2 + v2**2) + g1
    return np.array([first, m12 * a1 + m22 * a2 + couple * np.sin(q2) * v1**2 + g2])


def arm(order: int) -> sl.System:
    """Build the arm with both angles as splines through 41 samples of two seconds."""
    model = sl.Model("sampled_arm")
    samples = np.linspace(0, 2, 41)
    before: sl.Connectable = model.ground
    pivot = np.zeros(3)
    angles = model.smooth_table("angles", samples, motion(samples)[0].T, order=order, unit="rad")
    for k, name in enumerate(("upper", "lower")):
        moments = [1e-3, INERTIAS[k], INERTIAS[k]]
        link = sl.RigidBody(model, name, MASSES[k], moments, position=[k * LENGTH + CENTRES[k], 0, 0])
        joint = sl.RevoluteJoint(model, f"joint{k + 1}", before, link, at=pivot, axis=[0, -1, 0])
        joint.drive(angles[k])
        before, pivot = link, np.array([LENGTH, 0, 0])
    model.gravity([0, 0, -GRAVITY])
    return model.derive().compile()


# %%
# ``with_table`` replaces the samples without a new derivation.


def errors(system: sl.System, count: int) -> tuple[sl.Solution, np.ndarray, float]:
    """Run the motion with a number of samples; return the solution, the torques and their largest error."""
    samples = np.linspace(0, 2, count)
    solution = sl.solve(system.with_table("angles", samples, motion(samples)[0].T), 2, h=0.0125)
    found = np.array([solution.outputs[f"joint{k}_drive_effort"] for k in (1, 2)])
    return solution, found, abs(found - torques(solution.t)).max()


counts = np.array([21, 41, 81, 161])
systems = {order: arm(order) for order in (3, 5)}
found = {order: [errors(system, count) for count in counts] for order, system in systems.items()}

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
solution, efforts, _ = found[5][-1]
axes[0].plot(solution.t, efforts.T, label=["upper joint", "lower joint"])
axes[0].set(xlabel="time, s", ylabel="torque, N m")
axes[0].legend()
for order, label in ((3, "cubic"), (5, "quintic")):
    axes[1].loglog(2 / (counts - 1), [error for *_, error in found[order]], "o-", label=label)
axes[1].set(xlabel="sampling interval, s", ylabel="error of the torque, N m")
axes[1].set_xticks(2 / (counts - 1), [f"{2 / (n - 1):g}" for n in counts])
axes[1].minorticks_off()
axes[1].legend()

for order, bound, slope in ((3, 2e-2, 2), (5, 2e-5, 4)):
    sizes = np.array([error for *_, error in found[order]])
    print(f"order {order}: errors {sizes}, orders {np.log2(sizes[:-1] / sizes[1:])}")
    assert sizes[-1] < bound
    assert abs(np.log2(sizes[-2] / sizes[-1]) - slope) < 0.4
