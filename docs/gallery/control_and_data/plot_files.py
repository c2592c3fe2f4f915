"""
Files for other programs
========================

Solutions are saved as netCDF files, with all fields of all nodes, multipliers, outputs, units and provenance, which
xarray and other programs can read. symlie restores complete solutions, including dense output and continuation, because
the file contains the generated code.

Verification: restored data are bit-identical, and a run that continues from the file has the same final state as an
uninterrupted run.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import xarray

import symlie as sl

top = sl.Model("top")
body = sl.RigidBody(top, "body", 0.5, [2e-3, 2e-3, 1e-3], "S3xR3", position=[0, 0.03, 0.04])
pivot = sl.SphericalJoint(top, "pivot", top.ground, body, at=[0, 0, 0])
top.gravity([0, 0, -9.81])
top.output("height", body.x[2], unit="m")
top.initial(body.node, Omega=[0, 0, 120])
system = top.derive().compile()
solution = sl.solve(system, 1, h=1e-3)

# %%
# Save, and read by xarray:

file = Path(tempfile.mkdtemp()) / "top.nc"
solution.save(file)
with xarray.open_dataset(file) as data:
    print(data["height"])
    figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
    data["height"].plot.line(ax=axes)
    assert np.array_equal(data["height"], solution.outputs["height"])
    assert data["height"].attrs["units"] == "m"

# %%
# Load by symlie, evaluate between two steps, and continue:

again = sl.load_solution(file, trust=True)
further = sl.solve(again.system, 2, start=again, h=1e-3)
whole = sl.solve(system, 2, h=1e-3)
print("file of", file.stat().st_size // 1000, "kB;", again)
assert np.array_equal(again.q, solution.q)
assert np.array_equal(again(0.12345).q, solution(0.12345).q)
assert np.array_equal(further.q[-1], whole.q[-1])

# %%
# Convert to a pandas table:

frame = solution.to_dataframe()
print(frame.iloc[::250, :4])
assert len(frame) == len(solution.t)

# %%
# 3-D view of the restored solution:

again.view()
