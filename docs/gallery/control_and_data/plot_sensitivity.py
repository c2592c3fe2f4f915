r"""
Sensitivity of the heavy top
============================

The derivatives of the motion of the heavy top by its mass and by its initial angular velocity, computed together with
the motion. The steps of the method are differentiated, so that the derivatives are exact up to rounding, while
differences of two runs have errors of truncation or cancellation.

Verification: central differences with a step :math:`\varepsilon` have errors proportional to :math:`\varepsilon^2`
until rounding dominates, which the figure shows. The gradient of a scalar function in reverse is equal to the
derivative by the chain rule.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

top = sl.Model("heavy_top")
m, lever = top.parameter("mass", 15.0, unit="kg"), top.parameter("lever", 1.0, unit="m")
J = top.parameter("inertia", [15.234375, 0.46875, 15.234375], unit="kg m^2")
body = top.node("top", sl.SO3)
axis = body.R * sl.vector(0, lever, 0)
top.kinetic_energy(body.Omega.dot(sl.diag(J) * body.Omega) / 2)
top.potential_energy(9.81 * m * axis[2])
top.output("position", axis, unit="m")
top.initial(body, Omega=[0, 150, -4.61538])
system = top.derive().compile()
steps: sl.SolveOptions = {"h": 1 / 1024, "t_eval": np.linspace(0, 1, 65)}

run = sl.sensitivity(system, 1.0, wrt=["mass", "top.Omega"], of="position", **steps)
by_mass = run["position"][..., 0]

# %%
# Central differences with several steps:

changes = 10.0 ** np.arange(-8, 2)
errors = []
for change in changes:
    ends = [sl.solve(system.with_parameters(mass=15 + x), 1.0, **steps).outputs["position"] for x in (change, -change)]
    errors.append(abs((ends[0] - ends[1]) / (2 * change) - by_mass).max() / abs(by_mass).max())

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
left.plot(run.t, by_mass, label=["x", "y", "z"])
left.set(xlabel="time, s", ylabel="position by mass, m/kg")
left.legend()
right.loglog(changes, errors, "o-")
right.set(xlabel="step of differences, kg", ylabel="largest relative difference")

order = np.log10(errors[-2] / errors[-3])
print("smallest difference:", min(errors), "order:", order)
assert min(errors) < 1e-7
assert abs(order - 2) < 0.1

# %%
# The gradient of the mean square of the height, in reverse:


def height(solution: sl.Solution) -> tuple[float, dict[str, np.ndarray]]:
    """Mean square of the height, with its derivatives."""
    z = solution.outputs["position"] * [0, 0, 1]
    return float(np.mean(z**2) * 3), {"position": 2 * z / len(z)}


found = sl.gradient(system, 1.0, height, wrt=["mass", "top.Omega"], **steps)
z = run.solution.outputs["position"][:, 2]
expected = 2 * z @ run["position"][:, 2] / len(z)
print("gradient:", dict(found))
assert np.allclose(found.array, expected, rtol=1e-9, atol=1e-12 * abs(expected).max())
