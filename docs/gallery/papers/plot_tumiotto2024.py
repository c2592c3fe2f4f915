"""
Drift on SO(3)×R³ and on SE(3)
==============================

D. Tumiotto and M. Arnold, *Local coordinates on Lie groups for half-explicit time integration of Cosserat-rod models
with constraints*, Multibody Syst. Dyn., 2024. Figure 3 shows how far the heavy top drifts from its constraint on
SO(3)×R³ and on SE(3).

``symlie paper`` runs the item, draws it and judges it: numbers that are known must hold within their bounds. Known:
on the direct product the residual is of the order of the method; on SE(3) it stays at rounding, but, other than the
paper says, for the orders four and five alone.
"""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = [sys.executable, "-m", "symlie", "paper", "tumiotto2024", "--figure", "3", "--quick", "--out", str(folder)]
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
