"""
Rotor at 200,000 revolutions per minute
=======================================

S. Holzinger, M. Arnold and J. Gerstmayr, *Evaluation and implementation of Lie group integration methods for rigid
multibody systems*, Multibody Syst. Dyn., 2024. Figure 10 shows the motion of a point of a rotor on flexible supports.

``symlie paper`` runs and draws the figure and compares known values with their bounds.

Verification: a high-precision reference; the printed mass and the printed inertia of the rotor are inconsistent.
"""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = [sys.executable, "-m", "symlie", "paper", "holzinger2024", "--figure", "10", "--quick", "--out", str(folder)]
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
