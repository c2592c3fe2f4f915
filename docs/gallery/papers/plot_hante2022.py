"""
Roll-up with a variational integrator
=====================================

S. Hante, D. Tumiotto and M. Arnold, *A Lie group variational integration approach to the full discretization of a
constrained geometrically exact Cosserat beam model*, Multibody Syst. Dyn. 54, 2022. Figure 2 shows the ends of a rod
that rolls up.

``symlie paper`` runs and draws the figure and compares known values with their bounds.

Verification: the rod converges to a circle, so that the distance of its ends decreases to the amplitude of the
remaining vibration.
"""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = [sys.executable, "-m", "symlie", "paper", "hante2022", "--figure", "2", "--quick", "--out", str(folder)]
# The exit code is nonzero if a bound is violated.
report = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
for line in report.splitlines():
    print(textwrap.fill(line, 100, subsequent_indent="    "))

assert "reproduced" in report.splitlines()[0]

# %%
# The resulting figure:

image = plt.imread(next(folder.glob("*.png")))
figure = plt.figure(figsize=(8, 8 * image.shape[0] / image.shape[1]))
axes = figure.add_axes((0, 0, 1, 1))
axes.imshow(image)
axes.set_axis_off()
