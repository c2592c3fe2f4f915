"""
A rotor at 200,000 revolutions per minute
=========================================

S. Holzinger, M. Arnold and J. Gerstmayr, *Evaluation and implementation of Lie group integration methods for rigid
multibody systems*, Multibody Syst. Dyn., 2024. Figure 10 shows the motion of a point of the rotor on flexible
supports.

``symlie paper`` runs the item, draws it and judges it: numbers that are known must hold within their bounds. Known: a
reference in many digits, and that the printed mass and the printed inertia of the rotor do not belong together.
"""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = [sys.executable, "-m", "symlie", "paper", "holzinger2024", "--figure", "10", "--quick", "--out", str(folder)]
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
