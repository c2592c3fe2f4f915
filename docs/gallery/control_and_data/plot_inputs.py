r"""
Inputs: satellite with reaction wheels
======================================

Three reaction wheels rotate a satellite. The torques of their motors are an input: a function of time that is specified
for each run, here a table with jumps, at which steps end. New tables need no derivation or compilation.

Verification: internal torques do not change the angular momentum, here zero, so that a pulse and its opposite leave the
satellite at rest in a new attitude. A torque :math:`\tau` for a time :math:`T` and the opposite torque for the same
time rotate the satellite about one axis by :math:`\theta = \frac{\tau}{J}T^2`, where :math:`J` is the inertia of the
satellite without this wheel.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

satellite = sl.Model("satellite")
J = satellite.parameter("inertia", [10.0, 12.0, 8.0], unit="kg m^2")
Jw = satellite.parameter("wheel_inertia", 0.05, unit="kg m^2")
body = satellite.node("body", sl.S3)
wheels = [satellite.node(f"wheel{k}", sl.SO2) for k in (1, 2, 3)]
torque = satellite.input("torque", size=3, unit="N m")
rates = body.Omega + sl.vector(*(wheel.Omega[0] for wheel in wheels))  # absolute spin rates about body axes
satellite.kinetic_energy((body.Omega.dot(sl.diag(J) * body.Omega) + Jw * rates.dot(rates)) / 2)
for k, wheel in enumerate(wheels):
    satellite.generalized_force(wheel, Omega=[torque[k]])
satellite.output("momentum", body.R * (sl.diag(J) * body.Omega + Jw * rates), unit="kg m^2/s")
satellite.initial(body, Omega=[0, 0, 0])
satellite.shape(body, sl.box(0.9, 0.7, 1.1))
system = satellite.derive().compile()

# %%
# A pulse about the first axis, and a sequence of pulses about all axes:

one = system.with_input("torque", [0, 10, 20], [[0.1, 0, 0], [-0.1, 0, 0], [0, 0, 0]], "hold")
single = sl.solve(one, 25, rtol=1e-10)
table = np.zeros((7, 3))
for k in range(3):
    table[2 * k, k], table[2 * k + 1, k] = 0.1, -0.1
three = system.with_input("torque", 5.0 * np.arange(7), table, "hold")
sequence = sl.solve(three, 35, rtol=1e-10)

figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained", sharey=True)
for panel, found, title in zip(axes, (single, sequence), ("one axis", "three axes"), strict=True):
    panel.plot(found.t, np.degrees(found.rotation("body").as_rotvec()), label=["1", "2", "3"])
    panel.set(title=title, xlabel="time, s")
axes[0].set_ylabel("rotation vector, degrees")
axes[0].legend(title="component")

angle = single.rotation("body")[-1].magnitude()
print("rotation:", angle, "rad; closed form:", 0.1 / 10 * 10**2, "rad")
assert np.isclose(angle, 0.1 / 10 * 10**2, rtol=1e-8)
for found in single, sequence:
    assert abs(found.outputs["momentum"]).max() < 1e-10
    assert abs(found.v[-1]).max() < 1e-9

# %%
# 3-D view of the motion:

sequence.view()
