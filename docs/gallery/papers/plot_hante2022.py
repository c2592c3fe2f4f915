"""
The roll-up by a variational integrator
=======================================

S. Hante, D. Tumiotto and M. Arnold, *A Lie group variational integration approach to the full discretization of a
constrained geometrically exact Cosserat beam model*, Multibody Syst. Dyn. 54, 2022. Figure 2 shows the ends of a rod
that rolls up.

``symlie paper`` runs the item, draws it and judges it: numbers that are known must hold within their bounds. Known:
the rod comes to rest as a circle, so that the distance of its ends goes to what is left of the swing.
"""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = [sys.executable, "-m", "symlie", "paper", "hante2022", "--figure", "2", "--quick", "--out", str(folder)]
# It fails where a bound does not hold.
said = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
for line in said.splitlines():
    print(textwrap.fill(line, 100, subsequent_indent="    "))

assert "reproduced" in said.splitlines()[0]

# %%
# The picture that it drew:

picture = plt.imread(next(folder.glob("*.png")))
figure = plt.figure(figsize=(8, 8 * picture.shape[0] / picture.shape[1]))
axes = figure.add_axes((0, 0, 1, 1))
axes.imshow(picture)
axes.set_axis_off()
