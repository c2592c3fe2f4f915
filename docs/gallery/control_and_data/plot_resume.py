"""
A run that is interrupted, and resumed
======================================

A checkpoint keeps a run on disk while it goes on. Whatever ends it, ``sl.resume`` goes on from there.

Known: the result is that of the run without an interruption, to the bit: states, events, statistics. A progress
function ends the first run here, as Ctrl-C would.
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
words = {"rtol": 1e-9, "t_eval": np.linspace(0, 20, 401)}

# %%
# The first run is ended after half of its time:


def interrupt(t, *_):
    """A progress function that ends the run."""
    if t > 10:
        raise KeyboardInterrupt


checkpoint = Path(tempfile.mkdtemp()) / "run.checkpoint"
try:
    sl.solve(system, 20, checkpoint=checkpoint, progress=interrupt, **words)
except KeyboardInterrupt:
    print("interrupted;", checkpoint.stat().st_size // 1000, "kB on disk")

# %%
# It is resumed, and compared with one in a single piece:

resumed = sl.resume(checkpoint, trust=True)
whole = sl.solve(system, 20, **words)
assert np.array_equal(resumed.t, whole.t)
assert np.array_equal(resumed.q, whole.q)
assert np.array_equal(resumed.v, whole.v)
assert [event.t for event in resumed.events] == [event.t for event in whole.events]
assert resumed.statistics.steps == whole.statistics.steps
resumed.plot(panels=["lower.x", "energy"])

# %%
# The motion in space:

resumed.view()
