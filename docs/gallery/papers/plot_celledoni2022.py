"""
Two quadrotors that carry a load
================================

E. Celledoni, E. Çokaj, A. Leone, D. Murari and B. Owren, *Lie group integrators for mechanical systems*, Int. J.
Comput. Math. 99, 2022. Figure 13 shows the orders of four methods on two quadrotors with a load.

``symlie paper`` runs the item, draws it and judges it: numbers that are known must hold within their bounds. Known:
the orders of the methods.
"""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = [sys.executable, "-m", "symlie", "paper", "celledoni2022", "--figure", "13", "--quick", "--out", str(folder)]
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
