r"""
Export: functional mock-up unit of a heavy top
==============================================

A heavy top is exported as a functional mock-up unit for FMI 3.0, which any simulator with this interface can run
without symlie. Here FMPy simulates it, with the exported parameters and with a heavier top.

Verification: with fixed steps, the unit has the bits of ``solve``, also for the changed mass.
"""

import tempfile
from pathlib import Path

import fmpy
import matplotlib.pyplot as plt
import numpy as np
from fmpy.validation import validate_fmu

import symlie as sl

top = sl.Model("top")
mass = top.parameter("mass", 15.0, unit="kg")
body = top.node("body", sl.SO3)
lever = sl.vector(0, 1, 0)
inertia = sl.diag([15.234375, 0.46875, 15.234375])
top.kinetic_energy(body.Omega.dot(inertia * body.Omega) / 2)
top.potential_energy(9.81 * mass * (body.R * lever)[2])
top.output("centre", body.R * lever, unit="m")
top.initial(body, Omega=[0, 150, -4.61538])
system = top.derive().compile()

# %%
# The unit takes fixed steps; without ``h`` its steps would be adaptive. FMPy finds no problem in it.

step = 2.0**-10
folder = Path(tempfile.mkdtemp())
unit = system.export("fmu3", folder / "top.fmu", h=step)
assert validate_fmu(str(unit)) == []

# %%
# Both runs agree with those of ``solve`` bit for bit.


def simulated(kilograms: float) -> np.ndarray:
    """Return the centre of mass at the communication points."""
    rows = fmpy.simulate_fmu(
        str(unit), stop_time=1.0, step_size=step, output_interval=step, output=["centre"],
        start_values={"mass": kilograms},
    )  # fmt: skip
    return np.asarray(rows["centre"])


figure, panel = plt.subplots(figsize=(6, 3.2), layout="constrained")
for kilograms in (15.0, 30.0):
    found = simulated(kilograms)
    solution = sl.solve(system.with_parameters(mass=kilograms), 1, h=step)
    assert np.array_equal(found, solution.outputs["centre"])
    panel.plot(solution.t, found[:, 2], label=f"{kilograms:g} kg")
panel.set(xlabel="time, s", ylabel="height of the centre of mass, m")
panel.legend()
