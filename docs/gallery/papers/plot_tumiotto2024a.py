"""
Residuals with Baumgarte stabilisation
======================================

D. Tumiotto and M. Arnold, *Half-explicit Runge-Kutta Lie group integrators for flexible multibody systems*, extended
abstract, 2024. Figure 2 shows the reduction of the drift by Baumgarte stabilisation.

``symlie paper`` runs and draws the figure and compares known values with their bounds.

Verification: the factor 30 of the abstract holds for a slow top; the reduction is small for the fast top of the
benchmark.
"""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = [sys.executable, "-m", "symlie", "paper", "tumiotto2024a", "--figure", "2", "--quick", "--out", str(folder)]
# The exit code is nonzero if a bound is violated.
report = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
for line in report.splitlines():
    print(textwrap.fill(line, 100, subsequent_indent="    "))

assert "corrected" in report.splitlines()[0]

# %%
# The resulting figure:

image = plt.imread(next(folder.glob("*.png")))
figure = plt.figure(figsize=(8, 8 * image.shape[0] / image.shape[1]))
axes = figure.add_axes((0, 0, 1, 1))
axes.imshow(image)
axes.set_axis_off()
