r"""
Identification: friction and sensor offset of a double pendulum
===============================================================

The angles of a double pendulum were measured with noise, and the sensor of the second hinge has an offset. A fit
determines the offset, the damping of both hinges and the mass of the second rod, with their standard errors. It uses
the exact derivatives of the computed motion.

Verification: the record is simulated with known values. The fitted values differ from them by less than three standard
errors, and the residuals have the size of the noise. The moment of inertia of the first rod about its own axis has no
effect on a motion in a plane, which the fit reports.
"""

import warnings

import numpy as np

import symlie as sl

model = sl.Model("double_pendulum")
offset = model.parameter("offset", 0.0, unit="rad")
level = sl.rotation(axis=[0, 1, 0], angle=np.pi / 2)
inertia = sl.inertia.rod(0.5, 0.3)
upper = sl.RigidBody(model, "upper", 0.5, inertia, position=[0.15, 0, 0], orientation=level)
lower = sl.RigidBody(model, "lower", 0.4, inertia, position=[0.45, 0, 0], orientation=level)
shoulder = sl.RevoluteJoint(model, "shoulder", model.ground, upper, at=[0, 0, 0], axis=[0, 1, 0])
elbow = sl.RevoluteJoint(model, "elbow", upper, lower, at=[0.3, 0, 0], axis=[0, 1, 0])
sl.TorsionSpring(model, "shoulder_bearing", shoulder, stiffness=0.0, damping=1e-3)
sl.TorsionSpring(model, "elbow_bearing", elbow, stiffness=0.0, damping=1e-3)
model.output("sensor", [shoulder.angle, elbow.angle + offset], unit="rad")
model.gravity([0, 0, -9.81])
system = sl.minimal_coordinates(model).derive().compile()

# %%
# A simulated record with noise of 5 mrad:

true = {"shoulder_bearing_damping": 4e-3, "elbow_bearing_damping": 2e-3, "offset": 0.05, "lower_mass": 0.43}
times = np.linspace(0.02, 4, 200)
angles = sl.solve(system.with_parameters(**true), 4, t_eval=times).outputs["sensor"]
record = {"t": times, "sensor": angles + np.random.default_rng(1).normal(0, 5e-3, angles.shape)}

# %%
# The fit starts from the values of the model:

found = sl.fit(system, record, list(true))
for name, value, error in zip(found.names, found.array, found.standard_errors, strict=True):
    print(f"{name}: {value:.5f} ± {error:.5f}; true value {true[name]}")
    assert abs(value - true[name]) < 3 * error
assert abs(found.noise["sensor"] - 5e-3) < 1e-3

# %%
# Some values cannot be determined:

with warnings.catch_warnings():
    warnings.simplefilter("ignore", sl.SymlieWarning)
    more = sl.fit(system, record, ["offset", "upper_inertia[4]", "upper_inertia[8]"])
print("not determined:", more.unidentifiable)
assert more.unidentifiable == ("upper_inertia[8]",)
assert np.isnan(more.standard_errors).tolist() == [False, False, True]

# %%
# Data, model and residuals:

found.plot()
