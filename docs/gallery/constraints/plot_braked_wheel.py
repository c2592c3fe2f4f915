r"""
Braked wheel
============

The brake of a wheel is dry friction with a given torque between the wheel and its axle. A moderate torque decelerates
the rolling wheel; a larger one lets it slip, lock and skid. At the end the vehicle stands still, and both the brake and
the tyre stick exactly.

Verification: the times of locking and of rest, and the distances, agree with their closed forms to 1e-9.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

WHEEL, VEHICLE, RADIUS, SPEED, MU, G = 20.0, 300.0, 0.3, 20.0, 0.7, 9.81
INERTIA, MASS = 0.9, WHEEL + VEHICLE

model = sl.Model("braked_wheel")
wheel = sl.RigidBody(model, "wheel", WHEEL, INERTIA, position=[0, RADIUS], group=sl.SE2)
vehicle = sl.RigidBody(model, "vehicle", VEHICLE, 50.0, position=[0, RADIUS], group=sl.SE2)
axle = sl.RevoluteJoint(model, "axle", vehicle, wheel, at=[0, RADIUS])
sl.OrientationJoint(model, "level", model.ground, vehicle, at=[0, 0])
model.gravity([0, -G])
sl.SpherePlaneContact(model, "tyre", model.ground, wheel, radius=RADIUS, friction=MU)
model.friction(axle, limit=model.parameter("torque", 300.0, unit="N m"))
model.initial(vehicle, U=[SPEED, 0])
model.initial(wheel, U=[SPEED, 0], Omega=[-SPEED / RADIUS])
system = model.derive().compile()

runs = {torque: sl.solve(system.with_parameters(torque=torque), 8, rtol=1e-10) for torque in (300.0, 1000.0)}
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), sharey=True, layout="constrained")
for ax, (torque, run) in zip(axes, runs.items(), strict=True):
    times = np.union1d(np.linspace(0, 8, 801), run.t)
    states = run(times)
    ax.plot(times, np.hypot(*states.field("vehicle", "U").T), lw=1.2, label="vehicle")
    ax.plot(times, -RADIUS * states.field("wheel", "Omega")[:, 0], "--", lw=1.2, label="circumference of the wheel")
    ax.set(xlabel="time, s", title=f"{torque:g} N m")
    assert (run.outputs["axle_state"][-1], run.outputs["tyre_state"][-1]) == (2, 2)
axes[0].set_ylabel("speed, m/s")
axes[0].legend()

# %%
# While the wheel rolls, its inertia adds to the mass; while it skids, the tyre transmits the force μ m g:

rolling, skidding = runs.values()
deceleration = 300 / RADIUS / (MASS + INERTIA / RADIUS**2)
expected = {
    "stops after rolling": (rolling.events[0].t, SPEED / deceleration),
    "rolled distance": (rolling.field("vehicle", "x")[-1, 0], SPEED**2 / (2 * deceleration)),
    "locks": (skidding.events[0].t, INERTIA * SPEED / RADIUS / (1000 - MU * MASS * G * RADIUS)),
    "stops after skidding": (skidding.events[1].t, SPEED / (MU * G)),
    "skidded distance": (skidding.field("vehicle", "x")[-1, 0], SPEED**2 / (2 * MU * G)),
}
for name, (found, closed_form) in expected.items():
    print(f"{name}: {found:.9f}, error {abs(found - closed_form):.1e}")
    assert abs(found - closed_form) < 1e-9 * closed_form
