"""
Drift on SO(3)×R³ and on SE(3)
==============================

D. Tumiotto and M. Arnold, *Local coordinates on Lie groups for half-explicit time integration of Cosserat-rod models
with constraints*, Multibody Syst. Dyn., 2024. Figure 3 shows the drift of the heavy top from its constraint on
SO(3)×R³ and on SE(3).

``symlie paper`` runs and draws the figure and compares known values with their bounds.

Verification: on the direct product, the residual has the order of the method. On SE(3), it remains at rounding, but, in
contrast to the paper, only for orders four and five.
"""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = [sys.executable, "-m", "symlie", "paper", "tumiotto2024", "--figure", "3", "--quick", "--out", str(folder)]
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
