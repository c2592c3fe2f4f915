r"""
Swing-up of a spherical pendulum
================================

A pendulum on a ball joint hangs at rest. Torques of the joint bring it upright to rest in three seconds with the least
effort :math:`\int u^2/2\,dt`. Its configuration is a rotation, so that the path to the top has no singularity.
``sl.optimal_control`` starts from torques of zero, by single shooting and by multiple shooting.

Verification: both have the same minimum, the pendulum rests upright at the end, and the work of the torques is the
change of its energy. The largest torque is less than the torque of gravity on the horizontal pendulum, so that the
pendulum has to swing.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

MASS, LENGTH, GRAVITY, TIME = 1.0, 1.0, 9.81, 3.0

model = sl.Model("spherical_pendulum")
rod = model.node("rod", sl.SO3)
torque = model.input("torque", 3, unit="N m")
inertia = sl.diag(1.02, 1.02, 0.02)
tip = rod.R * sl.vector(0, 0, -LENGTH)
model.kinetic_energy(rod.Omega.dot(inertia * rod.Omega) / 2)
model.potential_energy(MASS * GRAVITY * tip[2])
model.generalized_force(rod, Omega=torque)
model.output("tip", tip, unit="m")
model.output("power", torque.dot(rod.Omega), unit="W")
system = model.derive().compile()

# %%
# Half a turn about the first axis leads to the top. With ``intervals``, the states between six intervals are unknowns,
# too, which start on the way to the target.

upright = system.state(rod={"R": np.diag([1.0, -1.0, -1.0])})
single = sl.optimal_control(system, TIME, controls="torque", target=upright, knots=21, h=0.05)
multiple = sl.optimal_control(system, TIME, controls="torque", target=upright, knots=21, h=0.05, intervals=6)
for name, found in (("single", single), ("multiple", multiple)):
    print(f"{name} shooting: cost {found.cost:.6f} after {found.iterations} iterations")

# %%
# The pendulum swings to one side, and then past the other side to the top, in the plane across the first axis.

run = sl.solve(multiple.system, TIME, h=0.01)
figure, (path, panel) = plt.subplots(1, 2, figsize=(8.5, 3.6), layout="constrained")
path.plot(run.outputs["tip"][:, 1], run.outputs["tip"][:, 2])
path.plot(*run.outputs["tip"][[0, -1], 1:].T, "o")
path.set(xlabel="y, m", ylabel="z, m", title="tip", aspect="equal")
panel.plot(multiple.times, multiple.values["torque"], "o-", markersize=3, label=["torque 1", "torque 2", "torque 3"])
panel.set(xlabel="t, s", ylabel="torque, N m")
panel.legend()

largest = np.abs(multiple.values["torque"]).max()
work = np.trapezoid(run.outputs["power"], run.t)
print("largest torque:", largest, "N m; of gravity at the side:", MASS * GRAVITY * LENGTH, "N m")
print("work:", work, "J; change of the energy:", np.ptp(run.outputs["energy"][[0, -1]]), "J")
assert np.isclose(single.cost, multiple.cost, rtol=1e-6)
assert np.allclose(run.outputs["tip"][-1], [0, 0, LENGTH], atol=1e-5)
assert largest < MASS * GRAVITY * LENGTH
assert np.isclose(work, run.outputs["energy"][-1] - run.outputs["energy"][0], rtol=1e-3)
