r"""
Inputs: a satellite with reaction wheels
========================================

Three wheels turn a satellite. The torque of their motors is an input: a function of time that is given when a run
starts, as a table of any length, here with jumps at which steps end. It may be changed without deriving or compiling
anything.

Known: internal torques leave the angular momentum as it is, here zero, so a pulse and its opposite leave everything
at rest in a new attitude. About one axis it is :math:`\theta = \frac{\tau}{J}T^2` for a pulse of the torque
:math:`\tau` over :math:`T` there and :math:`T` back, with the inertia :math:`J` of the satellite without its wheel.
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
rates = body.Omega + sl.vector(*(wheel.Omega[0] for wheel in wheels))  # of the wheels about their axes, the body's own
satellite.kinetic_energy((body.Omega.dot(sl.diag(J) * body.Omega) + Jw * rates.dot(rates)) / 2)
for k, wheel in enumerate(wheels):
    satellite.generalized_force(wheel, Omega=[torque[k]])
satellite.output("momentum", body.R * (sl.diag(J) * body.Omega + Jw * rates), unit="kg m^2/s")
satellite.initial(body, Omega=[0, 0, 0])
satellite.shape(body, sl.box(0.9, 0.7, 1.1))
system = satellite.derive().compile()

# %%
# A pulse about the first axis, and a sequence about all three:

one = system.with_input("torque", [0, 10, 20], [[0.1, 0, 0], [-0.1, 0, 0], [0, 0, 0]], "hold")
turned = sl.solve(one, 25, rtol=1e-10)
table = np.zeros((7, 3))
for k in range(3):
    table[2 * k, k], table[2 * k + 1, k] = 0.1, -0.1
three = system.with_input("torque", 5.0 * np.arange(7), table, "hold")
sequence = sl.solve(three, 35, rtol=1e-10)

figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained", sharey=True)
for panel, found, title in zip(axes, (turned, sequence), ("one axis", "three axes, one after the other"), strict=True):
    panel.plot(found.t, np.degrees(found.rotation("body").as_rotvec()), label=["1", "2", "3"])
    panel.set(title=title, xlabel="time, s")
axes[0].set_ylabel("rotation vector, degrees")
axes[0].legend(title="component")

angle = turned.rotation("body")[-1].magnitude()
print("turned by", angle, "rad; known:", 0.1 / 10 * 10**2)
assert np.isclose(angle, 0.1 / 10 * 10**2, rtol=1e-8)
for found in turned, sequence:
    assert abs(found.outputs["momentum"]).max() < 1e-10
    assert abs(found.v[-1]).max() < 1e-9

# %%
# The motion in space:

sequence.view()
