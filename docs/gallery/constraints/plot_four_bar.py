"""
Planar four-bar linkage
=======================

Four revolute joints connect three bars on SE(2): eight constraint equations on nine velocities leave one degree of
freedom. The shortest bar can rotate fully by Grashof's condition: the sum of the shortest and the longest length is
less than the sum of the other two.

Verification: the angle of the rocker follows from the intersection of two circles.
"""

# sphinx_gallery_thumbnail_number = -1
import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

lengths = {"crank": 1.0, "coupler": 3.0, "rocker": 2.5}
ground = 3.0
linkage = sl.Model("four_bar")
bars = {name: linkage.node(name, sl.SE2) for name in lengths}


def end(name: str, side: int) -> sl.SymbolicMatrix:
    """Return the end of a bar: side is -1 or 1."""
    return sl.vector(bars[name].x + bars[name].R * sl.vector(side * lengths[name] / 2, 0))


for name, bar in bars.items():
    n = lengths[name]
    linkage.kinetic_energy(n * (bar.U.dot(bar.U) + n**2 / 12 * bar.Omega.dot(bar.Omega)) / 2)
    linkage.potential_energy(n * 9.81 * bar.x[1])
linkage.constraint("crank_pivot", end("crank", -1))
linkage.constraint("crank_pin", end("crank", 1) - end("coupler", -1))
linkage.constraint("rocker_pin", end("coupler", 1) - end("rocker", 1))
linkage.constraint("rocker_pivot", end("rocker", -1) - sl.vector(ground, 0))
linkage.output("crank_pin", end("crank", 1), unit="m")
linkage.output("rocker_pin", end("rocker", 1), unit="m")
linkage.output("coupler_point", bars["coupler"].x + bars["coupler"].R * sl.vector(0, 1), unit="m")


def rocker_pin(crank_pin: np.ndarray) -> np.ndarray:
    """Return the intersection of the circles about crank pin and rocker pivot, as complex numbers."""
    apart = crank_pin - ground
    far = abs(apart)
    inside = (lengths["rocker"] ** 2 + far**2 - lengths["coupler"] ** 2) / (2 * lengths["rocker"] * far)
    return ground + lengths["rocker"] * apart / far * np.exp(-1j * np.arccos(inside))


# %%
# Initially, the crank points to the right, and the positions of the other bars follow.

pin = np.array(1 + 0j)
tip = rocker_pin(pin)
places = {"crank": (0, pin), "coupler": (pin, tip), "rocker": (ground, tip)}
for name, (a, b) in places.items():
    direction = (b - a) / abs(b - a)
    rate = {"Omega": [8]} if name == "crank" else {}
    linkage.initial(bars[name], p=[direction.real, direction.imag], x=[(a + b).real / 2, (a + b).imag / 2], **rate)
solution = sl.solve(linkage.derive().compile(), 5, rtol=1e-9, stabilize="projection+velocity")

# %%
# A point of the coupler moves on an algebraic curve of order six.

pins = {name: solution.outputs[name] @ [1, 1j] for name in ("crank_pin", "rocker_pin", "coupler_point")}
figure, axes = plt.subplots(figsize=(5.5, 4), layout="constrained")
for name, label in ("crank_pin", "pin of the crank"), ("rocker_pin", "pin of the rocker"), ("coupler_point", "coupler"):
    axes.plot(pins[name].real, pins[name].imag, label=label)
corners = np.array([0, pin, tip, ground])
axes.plot(corners.real, corners.imag, "k.-", lw=2, ms=8, label="initial position")
axes.set(xlabel="x, m", ylabel="y, m", aspect="equal")
axes.legend(loc="lower right")

assert abs(pins["rocker_pin"] - rocker_pin(pins["crank_pin"])).max() < 1e-7
assert abs(abs(pins["crank_pin"]) - 1).max() < 1e-12
assert np.ptp(np.unwrap(np.angle(pins["crank_pin"]))) > 4 * np.pi  # the crank rotates fully
assert np.ptp(np.angle(pins["rocker_pin"] - ground)) < np.pi  # the rocker oscillates
assert np.ptp(solution.outputs["energy"]) < 1e-8 * abs(solution.outputs["energy"][0])

# %%
# View of the motion:

solution.view()
