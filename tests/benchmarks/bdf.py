"""Steps, orders, iterations and errors of BDF of variable order: the table of ``docs/implicit.md``.

python tests/benchmarks/bdf.py

Rows of the table in Markdown. Errors are relative to the tolerance; SciPy's BDF integrates the chain, too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.integrate import solve_ivp

import symlie as sl
from symlie.runtime.solution.solution import Solution
from tests.rods.problems import benchmark, errors, reference
from tests.runtime.test_bdf_variable import MASSES, chain, chain_rate, exact_top, relative_errors, top

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
TOPS = {"SO3xR3": "top, SO(3)×R³, 1/16 s", "SE3": "top, SE(3), 1/16 s, rotation by 9 rad"}
END_OF_ROLL_UP, END_OF_CHAIN = 5.0, 10.0


def row(name: str, rtol: float, run: Solution, q: float, v: float, others: str = "") -> str:
    """A line of the table."""
    done = run.statistics
    counts = f"{done.steps:,} | {done.steps_of_order_5:,} | {done.newton_iterations / done.steps:.1f}"
    errors_of = f"{rounded(q / rtol)} | {rounded(v / rtol)}"
    return f"| {name} | 1e-{round(-np.log10(rtol))} | {counts} | {errors_of} | {others} |".replace("|  |", "| |")


def rounded(x: float) -> str:
    """Two digits, or one below a half."""
    return f"{x:.0f}" if x >= 9.95 else f"{x:.1f}" if x >= 0.095 else f"{x:.2f}"


def tops() -> Iterator[str]:
    """Results for the heavy top."""
    for group, name in TOPS.items():
        for k, rtol in enumerate(TOLERANCES):
            run = top(group, rtol)
            q, v, _ = relative_errors(run, exact_top(group))
            yield row("" if k else name, rtol, run, q, v)


def roll_ups() -> Iterator[str]:
    """Results for the roll-up: the largest errors at the times of the reference."""
    times = [t for t in reference("R1").t if 0 < t <= END_OF_ROLL_UP]
    for k, rtol in enumerate(TOLERANCES):
        run = sl.solve(benchmark("R1"), times[-1], rtol=rtol, method="bdf", t_eval=times)
        q, v = errors(run, "R1")
        yield row("" if k else "roll-up", rtol, run, q.max(), v.max() / np.abs(run.v).max())


def chains() -> Iterator[str]:
    """Results for the stiff chain, with SciPy for comparison."""
    begin, end = np.concatenate([np.ones(MASSES), 0.1 * np.arange(MASSES)]), END_OF_CHAIN
    exact = solve_ivp(chain_rate, (0, end), begin, method="Radau", rtol=1e-12, atol=1e-14).y[:, -1]
    for k, rtol in enumerate((1e-4, 1e-6, 1e-7, 1e-8, 1e-10)):
        run = sl.solve(chain(), end, rtol=rtol, method="bdf")
        peer = solve_ivp(chain_rate, (0, end), begin, method="BDF", rtol=rtol, atol=rtol / 100)
        largest = np.abs(run.q).max(), np.abs(run.v).max()
        own, others = (
            [np.abs(part).max() / size for part, size in zip(np.split(y - exact, 2), largest, strict=True)]
            for y in (np.concatenate([run.q[-1], run.v[-1]]), peer.y[:, -1])
        )
        peer_errors = ", ".join(rounded(x / rtol) for x in others)
        yield row("" if k else "chain in R(8)", rtol, run, own[0], own[1], f"{len(peer.t) - 1:,} steps; {peer_errors}")


if __name__ == "__main__":
    print("| | rtol | steps | steps of order 5 | iterations per step | error of q | error of v | SciPy |")
    print("|---|---|---|---|---|---|---|---|")
    for rows in (tops, roll_ups, chains):
        for line in rows():
            print(line, flush=True)
