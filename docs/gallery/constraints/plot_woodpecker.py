r"""
Woodpecker toy
==============

A woodpecker is attached by a spring to a sleeve that slides down a pole. The sleeve jams at the pole with its lower and
upper edge in turn, and the beak hits the pole once per cycle. The motion converges to a limit cycle with impacts,
sticking and free fall.

Verification: times and heights of all hits differ by less than 1e-8 s and 1e-8 m from those with half the tolerance.
The period and the drop of a cycle agree with those of a time-stepping method of order one with steps of 1e-5 s,
0.1460 s and 0.0195 m, within its error.
"""

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

M, J_M, m, J, C, G = 3e-4, 5e-9, 4.5e-3, 7e-7, 5.6e-3, 9.81
POLE, SLEEVE, EDGE, JOINT, CENTER, BEAK, REACH = 2.5e-3, 3.1e-3, 5.8e-3, 0.01, 0.015, 0.02, 0.0201

model = sl.Model("woodpecker")
toy = model.node("toy", "R3")
height, sleeve, bird = toy.x
fall, sleeve_rate, bird_rate = toy.x_dot
velocity = fall + JOINT * sleeve_rate + CENTER * bird_rate
model.kinetic_energy((M * fall**2 + J_M * sleeve_rate**2 + m * velocity**2 + J * bird_rate**2) / 2)
weight = M * G * height + m * G * (height + JOINT * sleeve + CENTER * bird)
model.potential_energy(weight + C * (sleeve - bird) ** 2 / 2)
beak = fall + JOINT * sleeve_rate + (CENTER - REACH) * bird_rate
edge = fall + SLEEVE * sleeve_rate
model.contact("beak", JOINT + CENTER - REACH - POLE - BEAK * bird, slip=beak, friction=0.3, restitution=0.5)
model.contact("lower", SLEEVE - POLE + EDGE * sleeve, slip=edge, friction=0.3)
model.contact("upper", SLEEVE - POLE - EDGE * sleeve, slip=edge, friction=0.3)
model.initial(toy, x=[0, -0.1034, -0.2788], x_dot=[-0.3411, 0, -7.4583])
system = model.derive().compile()

# %%
# Period and drop are those between the last two hits of the beak.


def hits(rtol: float) -> tuple[sl.Solution, np.ndarray, np.ndarray]:
    """Solution, and the times and heights of the hits of the beak."""
    found = sl.solve(system, 6, rtol=rtol)
    times = np.array([impact.t for impact in found.impacts if "beak" in impact.contacts])
    return found, times, found.q[np.searchsorted(found.t, times), 0]


(toy_falls, times, heights), (_, finer_times, finer_heights) = hits(1e-10), hits(5e-11)
period, drop = times[-1] - times[-2], heights[-2] - heights[-1]
print(f"{len(times)} hits; period {period:.8f} s, drop {drop:.8f} m per cycle")
assert np.abs(times - finer_times).max() < 1e-8 and np.abs(heights - finer_heights).max() < 1e-8
assert abs(period - 0.1460) < 2e-4 and abs(drop - 0.0195) < 2e-4

figure, (motion, cycle) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
is_shown = toy_falls.t < 1
motion.plot(toy_falls.t[is_shown], toy_falls.q[is_shown, 1], label="sleeve")
motion.plot(toy_falls.t[is_shown], toy_falls.q[is_shown, 2], label="bird")
motion.set(xlabel="time, s", ylabel="angle, rad")
motion.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
cycle.plot(toy_falls.q[:, 2], toy_falls.v[:, 2], lw=0.6)
cycle.set_xlabel("angle of the bird, rad")
cycle.set_ylabel("angular velocity of the bird, rad/s")
