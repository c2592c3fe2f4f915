"""
Interruption and continuation of a run
======================================

A checkpoint file contains the state of a run. After an interruption or a crash, ``sl.resume`` continues the run from
the last checkpoint.

Verification: states, events and statistics are bit-identical to those of an uninterrupted run. A progress function
interrupts the first run, as Ctrl-C would.
"""

import tempfile
from pathlib import Path

import numpy as np

import symlie as sl

model = sl.Model("double_pendulum")
upper, lower = (
    sl.RigidBody(model, name, 1.0, [0.01, 0.1, 0.1], position=[x, 0, 0]) for name, x in (("upper", 0.5), ("lower", 1.5))
)
sl.SphericalJoint(model, "pivot", model.ground, upper, at=[0, 0, 0])
sl.SphericalJoint(model, "elbow", upper, lower, at=[1, 0, 0])
model.gravity([0, 0, -9.81])
model.event("turns_back", model.rate(lower.x[2]), terminal=False)
model.initial(lower.node, Omega=[0, 0, 2])
system = model.derive().compile()
options: sl.SolveOptions = {"rtol": 1e-9, "t_eval": np.linspace(0, 20, 401)}

# %%
# Interrupt the first run after half of its time:


def interrupt(done: float) -> None:
    """Progress function that interrupts the run."""
    if done > 0.5:
        raise KeyboardInterrupt


checkpoint = Path(tempfile.mkdtemp()) / "run.checkpoint"
try:
    sl.solve(system, 20, checkpoint=checkpoint, progress=interrupt, **options)
except KeyboardInterrupt:
    print("interrupted;", checkpoint.stat().st_size // 1000, "kB on disk")

# %%
# Continue, and compare with an uninterrupted run:

resumed = sl.resume(checkpoint, trust=True)
whole = sl.solve(system, 20, **options)
assert np.array_equal(resumed.t, whole.t)
assert np.array_equal(resumed.q, whole.q)
assert np.array_equal(resumed.v, whole.v)
assert [event.t for event in resumed.events] == [event.t for event in whole.events]
assert resumed.statistics.steps == whole.statistics.steps
resumed.plot(panels=["lower.x", "energy"])

# %%
# 3-D view of the motion:

resumed.view()
