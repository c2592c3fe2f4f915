"""Inversion of a tippe top with uncertain mass, radius, friction and spin. Writes ``tippe_top_bands.png``.

The figure shows the inclination of the axis versus time for 300 members: median, and bands from 25 to 75 and from 5 to
95 percent.
"""

from __future__ import annotations

import math

import numpy as np
from drawing import picture, write
from scipy import stats

import symlie as sl

MEMBERS, T_END, OFFSET, GRAVITY = 300, 6.0, 0.006, 9.81


def tippe_top() -> sl.Model:
    """Build a ball with eccentric centre of mass on a stiff plane with friction."""
    top = sl.Model("tippe_top")
    mass, radius = top.parameter("mass", 0.02, unit="kg"), top.parameter("radius", 0.02, unit="m")
    mu = top.parameter("friction", 0.3)
    q = top.node("top", "S3xR3")
    upward = sl.vector(0, 0, 1)
    contact = q.R * sl.vector(0, 0, OFFSET) - radius * upward
    depth = -(q.x + contact)[2]
    normal = sl.Max(400.0 * depth + 0.1 * top.rate(depth), 0)
    slip = q.x_dot + (q.R * q.Omega).cross(contact)
    slip = sl.vector(slip[0], slip[1], 0)
    force = normal * upward - mu * normal * slip / sl.sqrt(slip.dot(slip) + 1e-6)
    inertia = sl.Rational(2, 5) * mass * radius**2
    top.kinetic_energy((mass * q.x_dot.dot(q.x_dot) + inertia * q.Omega.dot(q.Omega)) / 2)
    top.potential_energy(mass * GRAVITY * q.x[2])
    top.generalized_force(q, x_dot=force, Omega=q.R.T * contact.cross(force))
    top.output("upright", (q.R * upward)[2])
    top.initial(q, p=[math.cos(0.05), math.sin(0.05), 0, 0], x=[0, 0, 0.0145], Omega=[0, 0, 150])
    return top


def main() -> None:
    """Draw samples, run the ensemble, and plot the bands."""
    system = tippe_top().derive().compile()
    draws = sl.samples(
        MEMBERS,
        seed=1,
        sampler="sobol",
        mass=stats.norm(0.02, 0.001),
        radius=stats.norm(0.02, 0.0005),
        friction=stats.uniform(0.2, 0.2),
        spin=stats.norm(150, 10),
    )
    given = dict(draws)
    spins = np.outer(given.pop("spin"), [0, 0, 1])
    heights = np.outer(given["radius"] - 0.0055, [0, 0, 1])
    result = sl.ensemble(
        system,
        T_END,
        parameters=given,
        initial={"top": {"Omega": spins, "x": heights}},
        method="rkmk_dopri5",
        rtol=1e-6,
        t_eval=np.linspace(0, T_END, 201),
        record=["upright"],
    )
    print(result, f"{result.arrays['cpu_seconds'].sum():.0f} s of CPU")
    upright = result.dataset["upright"]
    bands = upright.quantile([0.05, 0.25, 0.5, 0.75, 0.95], dim="member", skipna=True).values
    inverted = float((upright.isel(time=-1) < -0.9).mean())
    print(f"{100 * inverted:.0f} % are inverted after {T_END:g} s")
    with picture(6.0, 3.0) as figure:
        axes = figure.subplots()
        axes.fill_between(result.times, bands[0], bands[4], color="C0", alpha=0.2, linewidth=0, label="5 to 95 %")
        axes.fill_between(result.times, bands[1], bands[3], color="C0", alpha=0.4, linewidth=0, label="25 to 75 %")
        axes.plot(result.times, bands[2], color="C0", label="median")
        axes.set(xlabel="time in s", ylabel="vertical part of the axis")
        axes.legend()
        write(figure, "tippe_top_bands.png")


if __name__ == "__main__":
    main()
