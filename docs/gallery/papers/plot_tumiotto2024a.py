"""
Residuals with Baumgarte's term
===============================

D. Tumiotto and M. Arnold, *Half-explicit Runge-Kutta Lie group integrators for flexible multibody systems*, extended
abstract, 2024. Figure 2 shows what Baumgarte's term takes away of a drift.

``symlie paper`` runs the item, draws it and judges it: numbers that are known must hold within their bounds. Known:
the factor of 30 of the abstract is that of a slow top; the fast one of the benchmark gains little.
"""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = [sys.executable, "-m", "symlie", "paper", "tumiotto2024a", "--figure", "2", "--quick", "--out", str(folder)]
# It fails where a bound does not hold.
said = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
for line in said.splitlines():
    print(textwrap.fill(line, 100, subsequent_indent="    "))

assert "corrected" in said.splitlines()[0]

# %%
# The picture that it drew:

picture = plt.imread(next(folder.glob("*.png")))
figure = plt.figure(figsize=(8, 8 * picture.shape[0] / picture.shape[1]))
axes = figure.add_axes((0, 0, 1, 1))
axes.imshow(picture)
axes.set_axis_off()
