"""Figure 3 of Meijaard, Papadopoulos, Ruina and Schwab 2007: eigenvalues of a bicycle in straight motion.

Runs the block of ``steady_motions.md`` and writes ``bicycle.png``.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from drawing import FOLDER, picture, write

from symlie.runtime.plot.style import look

SPEEDS = np.linspace(0, 10, 401)


def model() -> dict[str, Any]:
    """Return the names that the block of the page defines."""
    page = (FOLDER.parent / "steady_motions.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(block, names)
    return names


def draw() -> None:
    """Draw real and imaginary parts versus speed."""
    ride = model()["ride"]
    found = []
    for speed in SPEEDS:
        s = ride(speed).eigenvalues
        found += [(speed, value) for value in s[s != 0]]
    speed, s = np.array([v for v, _ in found]), np.array([value for _, value in found])
    pairs = s.imag != 0
    with picture(6.6, 3.6) as figure:
        axes = figure.subplots()
        axes.axhline(0, color="0.4", linewidth=0.8)
        unstable = [v for v in SPEEDS if s.real[speed == v].max() > 0]
        stable = SPEEDS[~np.isin(SPEEDS, unstable)]
        axes.axvspan(stable.min(), stable.max(), color="0.9", label="stable")
        print(f"stable from {stable.min():.2f} to {stable.max():.2f} m/s")
        for k, (mask, values, name) in enumerate((
            (pairs & (s.imag > 0), s.real, "Re s of the weave"),
            (pairs & (s.imag > 0), s.imag, "Im s of the weave"),
            (~pairs, s.real, "s of capsize and castering"),
        )):  # fmt: skip
            axes.plot(speed[mask], values[mask], ".", markersize=2, color=look(k)["color"], label=name)
        axes.set(xlim=(0, 10), ylim=(-10, 10), xlabel="speed in m/s", ylabel="eigenvalue $s$ in 1/s")
        axes.legend(markerscale=4, loc="lower right")
        write(figure, "bicycle.png")


if __name__ == "__main__":
    draw()
