"""Switched pairs of Tumiotto and Arnold 2024 and of Holzinger, Arnold and Gerstmayr 2024 against symlie's polynomials.

Errors in units in the last place, measured and proved. Writes ``thresholds.png``; for one paper, it is the picture of
``symlie verify --paper tumiotto2024 --plot FILE``. Needs python-flint.
"""

from __future__ import annotations

from drawing import FOLDER, quantized

from symlie.certify.curves import TITLES, comparison, title
from symlie.runtime.plot.error_figure import plot_errors


def main() -> None:
    """Draw one panel for each function that the papers print, and print the largest errors."""
    panels = comparison(tuple(TITLES))
    for name, curves in panels.items():
        for curve in curves:
            largest = curve.measured.argmax()
            print(
                f"{name}, {curve.label}: measured {curve.measured[largest]:.3g} ulp at {curve.omega[largest]:.3g},"
                f" proved {curve.proved.max():.3g} ulp"
            )
    plot_errors({title(name): curves for name, curves in panels.items()}, FOLDER / "thresholds.png")
    quantized(FOLDER / "thresholds.png")


if __name__ == "__main__":
    main()
