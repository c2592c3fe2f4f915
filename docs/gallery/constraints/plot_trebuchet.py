r"""
Trebuchet
=========

A counterweight turns the beam of a trebuchet, and a sling accelerates a stone. The sling is a constraint that an event
releases: it opens when its angle to the beam reaches a given value. From then on its multiplier is zero, and the stone
flies freely.

Verification: the state is continuous where the sling opens, and the energies of the stone and of the beam are constant
afterwards, relative to the largest energy, to 1e-12. The range agrees with the closed form of the flight.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

GRAVITY, LONG, SHORT, SLING = 9.81, 6.0, 1.5, 4.5
MASS, WEIGHT, INERTIA = 20.0, 2000.0, 1200.0  # stone and counterweight in kg, beam in kg m^2
PIVOT = 12.0  # height above the ground in m

model = sl.Model("trebuchet")
opening = model.parameter("opening", 60.0, unit="deg")
beam, stone = model.node("beam", "R1", unit="rad"), model.node("stone", "R2", unit="m")
direction = sl.vector(sl.cos(beam.x[0]), sl.sin(beam.x[0]))  # from the counterweight to the tip
tip = LONG * direction
sling = stone.x - tip
of_beam = (INERTIA + WEIGHT * SHORT**2) * beam.x_dot[0] ** 2 / 2
of_stone = MASS * stone.x_dot.dot(stone.x_dot) / 2
model.kinetic_energy(of_beam + of_stone)
model.potential_energy(GRAVITY * (MASS * stone.x[1] - WEIGHT * SHORT * direction[1]))
model.constraint("sling", (sling.dot(sling) - SLING**2) / 2)
model.event("opens", sling.dot(direction) / SLING - sl.cos(opening), direction="rising")
model.release("sling", at="opens")
model.event("lands", stone.x[1] + PIVOT, direction="falling", terminal=True)
model.output("beam_energy", of_beam - GRAVITY * WEIGHT * SHORT * direction[1], unit="J")
model.output("stone_energy", of_stone + GRAVITY * MASS * stone.x[1], unit="J")
start = np.radians(-50)
model.initial(beam, x=[start], x_dot=[0.0])
model.initial(stone, x=LONG * np.array([np.cos(start), np.sin(start)]) - [SLING, 0], x_dot=[0.0, 0.0])
system = model.derive().compile()

# %%
# The angle at which the sling opens is a parameter of one compiled system. The stone flies to the left.

angles = np.arange(2.5, 46.0, 2.5)
throws = [sl.solve(system.with_parameters(opening=angle), 20, method="taylor", rtol=1e-14) for angle in angles]
ranges = np.array([-throw.field("stone", "x")[-1, 0] for throw in throws])
farthest = int(np.argmax(ranges))
best, opened = throws[farthest], throws[farthest].events[0]
print(f"best angle {angles[farthest]:g} degrees: range {ranges[farthest]:.1f} m")

figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
for throw in throws[1::3]:
    path = throw(np.linspace(0, throw.t[-1], 300)).field("stone", "x")
    axes[0].plot(-path[:, 0], path[:, 1] + PIVOT, color="0.75", lw=1.2)
path = best(np.linspace(0, best.t[-1], 600)).field("stone", "x")
axes[0].plot(-path[:, 0], path[:, 1] + PIVOT, label=f"sling opens at {angles[farthest]:g}°")
release = best(opened.t).field("stone", "x")
axes[0].plot(-release[0], release[1] + PIVOT, "o", color="tab:red", label="release")
axes[0].set(xlabel="distance, m", ylabel="height of the stone, m")
axes[0].legend()
axes[1].plot(angles, ranges, "o-")
axes[1].set(xlabel="angle at which the sling opens, degrees", ylabel="range, m")

before, after = np.flatnonzero(best.t == opened.t)
assert (best.v[before] == best.v[after]).all() and best.multipliers[before, 0] > 0
assert not best.multipliers[after:].any()
for name in ("beam_energy", "stone_energy"):
    energy = best.outputs[name][after:]
    assert np.ptp(energy) < 1e-12 * abs(best.outputs["stone_energy"]).max()
(x, y), (u, w) = release, best(opened.t).field("stone", "x_dot")
flight = (w + np.sqrt(w**2 + 2 * GRAVITY * (y + PIVOT))) / GRAVITY
assert abs(-x - u * flight - ranges[farthest]) < 1e-9
assert 2.5 < angles[farthest] < 45

# %%
# The force in the sling ends at the release:

best.plot(panels=["sling", "beam.x_dot"])

# %%
# View of the throw:

best.view()
