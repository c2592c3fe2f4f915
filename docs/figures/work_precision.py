"""Errors over processor time for the explicit methods on manifolds, on three systems of the Lie integrators' survey.

A spatial double pendulum on (TS²)², the heavy top on se(3)* and two quadrotors with a load, as in sections 3 to 5 of
Celledoni, Çokaj, Leone, Murari and Owren 2022. Writes ``work_precision.png``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from drawing import letters, picture, write
from matplotlib.axes import Axes
from numpy.typing import NDArray

import symlie as sl
from symlie.models import heavy_top, pendulum_chain, quadrotors
from symlie.runtime.study.comparison import EndState, error_against
from symlie.runtime.system.system import System

METHODS = (
    {
        "rkmk_euler": ("0.3", "o", "-."),
        "lie_euler_heun": ("0.6", "o", ":"),
        "rkmk_kutta3": ("C0", "v", "-"),
        "rkmk_bs32": ("C0", "^", "--"),
        "cf32a": ("C1", "v", "-"),
        "cf32b": ("C1", "^", "--"),
        "cg3": ("C2", "v", "-"),
    },
    {
        "rkmk_rk44": ("C0", "s", "-"),
        "rkmk_38": ("C0", "P", "-"),
        "rkmk4_two_commutators": ("C3", "s", "-"),
        "cf4": ("C1", "s", "-"),
        "cf43": ("C1", "P", "-"),
        "cg4": ("C2", "s", "-"),
        "rkmk_dopri5": ("C0", "D", "--"),
        "cg5": ("C2", "D", "--"),
        "rkmk_rk67": ("C0", "*", "-."),
    },
)
"""Methods up to order three, and from order four. Colour by family, marker and line by order."""

ROUNDING = 1e-12
"""Smaller errors, relative to the largest stored component, are left out with all finer steps."""

REPEATS = 5
"""Runs of which the fastest counts."""


def cases() -> list[tuple[str, System, float, Sequence[int]]]:
    """Title, system, end time, and numbers of steps."""
    chain = pendulum_chain.build(links=2).derive().compile()
    start = {"directions": [[0.6, 0, 0.8], [0, 0.6, -0.8]], "angular_velocities": [[0.8, 1.5, -0.6], [1, 0.8, 0.6]]}
    top = heavy_top.build(formulation="se3_dual").derive().compile()
    flight = quadrotors.build(control="tracking").derive().compile()
    return [
        ("double pendulum on (TS²)², 1 s", chain.with_initial("links", **start), 1.0, [50 * 2**k for k in range(7)]),
        ("heavy top on se(3)*, 0.1 s", top, 0.1, [100 * 2**k for k in range(7)]),
        ("two quadrotors, 1 s", flight, 1.0, [50 * 2**k for k in range(7)]),
    ]


def measured(system: System, method: str, t_end: float, steps: int, exact: EndState) -> tuple[float, float]:
    """Error and seconds."""
    runs = [sl.solve(system, t_end, method=method, h=t_end / steps, record_every=0) for _ in range(REPEATS)]
    error = error_against(system, EndState.of(runs[0]), exact).q
    assert error is not None
    return error, min(run.statistics.cpu_seconds for run in runs)


def curve(
    system: System, method: str, t_end: float, numbers: Sequence[int], exact: EndState
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Seconds and errors over the numbers of steps, down to round-off."""
    points = [measured(system, method, t_end, n, exact) for n in numbers]
    errors, seconds = (np.array(values) for values in zip(*points, strict=True))
    visible = np.cumprod(errors > ROUNDING * np.abs(exact.q).max()).astype(bool)
    return seconds[visible], errors[visible]


def draw(
    panel: Axes,
    method: str,
    style: tuple[str, str, str],
    seconds: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> None:
    """A line, and its orders and the work for an error, NaN if the errors are all larger or all smaller."""
    colour, marker, line = style
    panel.loglog(seconds, errors, color=colour, marker=marker, linestyle=line, label=method, ms=4)
    shown = " ".join(f"{np.log2(a / b):.2f}" for a, b in pairwise(errors))
    logarithms = np.log(errors[::-1]), np.log(seconds[::-1])
    work = np.exp(np.interp(np.log(1e-6), *logarithms, left=np.nan, right=np.nan))
    print(f"  {method}: errors {errors[0]:.1e} to {errors[-1]:.1e}, orders {shown}; 1e-6 in {work:.2e} s")


def main() -> None:
    """Run, print the orders and the work for an error, draw."""
    name = letters()
    with picture(10.0, 8.0) as figure:
        axes = figure.subplots(2, 3, sharex="col")
        for column, (title, system, t_end, numbers) in enumerate(cases()):
            exact = EndState.of(
                sl.solve(system, t_end, method="rkmk_rk67", h=t_end / (2 * numbers[-1]), record_every=0)
            )
            print(title)
            for panel, methods in zip(axes[:, column], METHODS, strict=True):
                for method, style in methods.items():
                    draw(panel, method, style, *curve(system, method, t_end, numbers, exact))
            axes[0, column].set_title(f"({next(name)}) {title}")
            axes[1, column].set_xlabel("time loop (s)")
        for row in axes:
            row[0].set_ylabel("largest error of a node at the end")
            row[2].legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
        write(figure, "work_precision.png")


if __name__ == "__main__":
    main()
