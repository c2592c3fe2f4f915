"""
Orders of Lie group methods for quadrotors
==========================================

E. Celledoni, E. Çokaj, A. Leone, D. Murari and B. Owren, *Lie group integrators for mechanical systems*, Int. J.
Comput. Math. 99, 2022. Figure 13 shows the orders of four methods on two quadrotors with a load.

``symlie paper`` runs and draws the figure and compares known values with their bounds.

Verification: the observed orders are those of the methods.
"""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = [sys.executable, "-m", "symlie", "paper", "celledoni2022", "--figure", "13", "--quick", "--out", str(folder)]
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
