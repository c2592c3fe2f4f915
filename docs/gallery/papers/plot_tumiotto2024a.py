"""
Residuals with Baumgarte's term
===============================

D. Tumiotto and M. Arnold, *Half-explicit Runge-Kutta Lie group integrators for flexible multibody systems*, extended
abstract, 2024. Figure 2 shows what Baumgarte's term takes away of a drift.

``symlie paper`` runs the item, draws it and judges it: numbers that are known must hold within their bounds. Known:
the factor of 30 of the abstract is that of a slow top; the fast one of the benchmark gains little.
"""

import json
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

folder = Path(tempfile.mkdtemp())
command = ["paper", "tumiotto2024a", "--figure", "2", "--quick", "--json", "--out", str(folder)]
done = subprocess.run([sys.executable, "-m", "symlie", *command], capture_output=True, text=True, check=False)
item = json.loads(done.stdout)["papers"]["tumiotto2024a"][0]
print(f"{item['kind']} {item['number']}, {item['title']}: {item['status']}")
print(textwrap.fill(item["text"], 100))

# %%
# The picture that it drew:

picture = plt.imread(next(folder.glob("*.png")))
figure = plt.figure(figsize=(8, 8 * picture.shape[0] / picture.shape[1]))
axes = figure.add_axes((0, 0, 1, 1))
axes.imshow(picture)
axes.set_axis_off()

# %%
# Its numbers, each with its bounds, and the value of the paper where there is one:

for number in item["numbers"]:
    bounds = [
        f"{word} {number[key]:.3g}" for word, key in (("from", "least"), ("to", "most")) if number[key] is not None
    ]
    paper = [f"paper: {number['printed']}"] if number["printed"] else []
    print(f"{number['label']}: {number['value']:.3g} {number['unit']} ({', '.join([*bounds, *paper])})")

assert item["status"] == "corrected"
assert done.returncode == 0  # else a bound does not hold
