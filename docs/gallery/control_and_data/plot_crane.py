r"""
Chain of a crane, moved from rest to rest
=========================================

A trolley carries a hanging chain of eight links with a load. A force on the trolley moves it by two metres in five
seconds, after which all links and the load are at rest. The cost of the model contains the force and the swing of the
load, so that the load hardly swings on the way. The chain is in minimal coordinates, with ten unknown coordinates.

Verification: the trolley, the links and the load rest at the end; the load swings less than with the least force; and
the impulse of the force vanishes, as the momentum of the crane does at both ends.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

LINKS, LENGTH, TIME, DISTANCE = 8, 0.25, 5.0, 2.0

model = sl.Model("crane")
force = model.input("force", 1, unit="N")
price = model.parameter("price_of_swing", 1000.0)
trolley = sl.RigidBody(model, "trolley", 5.0, 1.0, "SE2")
sl.PrismaticJoint(model, "rail", model.ground, trolley, at=[0, 0], axis=[1, 0])
bodies = [trolley]
for k in range(LINKS):
    top = -k * LENGTH
    mass, centre = (1.5, top - LENGTH) if k == LINKS - 1 else (0.5, top - LENGTH / 2)  # the last link with the load
    bodies.append(sl.RigidBody(model, f"link_{k + 1}", mass, 0.01, "SE2", position=[0, centre]))
    sl.RevoluteJoint(model, f"joint_{k + 1}", bodies[k], bodies[k + 1], at=[0, top])
model.force([force, 0], at=trolley.x)
model.gravity([0, -9.81])
swing = bodies[-1].x[0] - trolley.x[0]
model.output("swing", swing, unit="m")
model.cost(running=(force**2 + price * swing**2) / 2)
system = sl.minimal_coordinates(model).derive().compile()

# %%
# The target is the state at rest with the trolley two metres further. All forces are zero at first.

target = system.state(rail={"x": [DISTANCE]})
found = sl.optimal_control(system, TIME, controls="force", target=target, knots=61, h=TIME / 240)
free = system.with_parameters(price_of_swing=0.0)
least = sl.optimal_control(free, TIME, controls="force", target=target, knots=61, h=TIME / 240)
for name, run in (("with the price of swing", found), ("least force", least)):
    print(f"{name}: largest swing {np.abs(run.solution.outputs['swing']).max():.3f} m, {run.iterations} iterations")

# %%
# The force pushes at the beginning and brakes at the end.

solution = found.solution
names = ["trolley", *(f"link_{k + 1}" for k in range(LINKS))]
places = np.stack([solution.outputs[f"{name}_x"] for name in names], axis=1)
figure, (chain, forces) = plt.subplots(1, 2, figsize=(8.5, 3.6), layout="constrained")
colours = plt.get_cmap("viridis")
for k in np.linspace(0, len(solution.t) - 1, 9).astype(int):
    chain.plot(*places[k].T, color=colours(solution.t[k] / TIME))
    chain.plot(*places[k, -1], "o", color=colours(solution.t[k] / TIME))
chain.set(xlabel="x, m", ylabel="y, m", title="chain every 0.6 s", aspect="equal")
for name, run in (("with the price of swing", found), ("least force", least)):
    forces.plot(run.times, run.values["force"], label=name)
forces.set(xlabel="t, s", ylabel="force, N")
forces.legend()

impulse = float(np.trapezoid(found.values["force"][:, 0], found.times))
assert found.violation < 1e-6
swings = [float(np.ptp(run.solution.outputs["swing"])) for run in (found, least)]
assert swings[0] < 0.9 * swings[1]
assert abs(impulse) < 1e-5
