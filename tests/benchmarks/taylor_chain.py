"""Taylor series of pendulum chains: CPU time for a final error, compared with heyoka.

python -m tests.benchmarks.taylor_chain [heyoka] [--links 8 16 64] [--error 1e-10] [--rounds 40]

For each program the cheapest run with the requested accuracy of directions is selected over tolerances and, for symlie,
orders; both then alternate. CPU time of the loops in one thread, minimum over all rounds. heyoka integrates directions
and angular velocities with the tensions of a tridiagonal system, which its expressions eliminate; beyond sixteen links
its code would take minutes to compile, so its compact mode is used.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import symlie as sl
from symlie.models import pendulum_chain

GRAVITY = 9.81
TOLERANCES = [10.0 ** (-k / 2) for k in range(13, 22)]
ORDERS = (None, 14, 16, 18, 20, 22)
LONGEST_SEARCH = 30
"""Seconds after which the search of the cheapest run takes no further samples, but for two."""

LARGEST_UNROLLED = 16
"""Links of a chain whose expressions heyoka unrolls."""


@dataclass
class Run:
    """A run that can be repeated: it gives CPU seconds, the directions at the end, and steps."""

    name: str
    sample: Callable[[], tuple[float, NDArray[np.float64], int]]


def of_symlie(system: sl.System, links: int, rtol: float, order: int | None) -> Run:
    """One by method taylor."""
    options = {"order": order} if order else None

    def sample() -> tuple[float, NDArray[np.float64], int]:
        found = sl.solve(system, 1.0, method="taylor", method_options=options, rtol=rtol, atol=rtol, record_every=0)
        q = found.q[-1][: 6 * links].reshape(links, 6)[:, :3].ravel()
        return found.statistics.cpu_seconds, q, found.statistics.steps

    return Run(f"{rtol:.0e}" + (f", order {order}" if order else ""), sample)


def rates(links: int) -> list[tuple[object, object]]:
    """Rates of directions and angular velocities in heyoka's expressions, with masses and lengths of one."""
    import heyoka

    names = [f"{letter}{i}{c}" for letter in "qw" for i in range(links) for c in "xyz"]
    symbols = np.array(heyoka.make_vars(*names), dtype=object).reshape(2, links, 3)
    q, w = symbols
    across = [a.dot(b) for a, b in itertools.pairwise(q)]
    right = [x.dot(x) for x in w]
    right[0] = right[0] - GRAVITY * q[0][2]
    pivot, tension = [2.0] * links, [0.0] * links
    for i in range(links - 1, -1, -1):
        pivot[i] = 2.0 if i else 1.0
        if i + 1 < links:
            factor = across[i] / pivot[i + 1]
            pivot[i], right[i] = pivot[i] - factor * across[i], right[i] + factor * right[i + 1]
    for i in range(links):
        tension[i] = (right[i] + (across[i - 1] * tension[i - 1] if i else 0.0)) / pivot[i]
    fall = np.array([0.0, 0.0, -GRAVITY], dtype=object)
    a = [fall - tension[i] * q[i] + (tension[i + 1] * q[i + 1] if i + 1 < links else 0.0) for i in range(links)]
    apart = [a[i] - (a[i - 1] if i else 0.0) for i in range(links)]
    turned = [np.cross(w[i], q[i]) for i in range(links)] + [np.cross(q[i], apart[i]) for i in range(links)]
    return list(zip(symbols.ravel(), np.concatenate(turned), strict=True))


def of_heyoka(links: int) -> list[Run]:
    """Runs of heyoka for all tolerances."""
    import heyoka

    start = np.array([0.5**0.5, 0, 0.5**0.5] * links + [0.0, 1.0, 0.0] * links)
    equations, runs = rates(links), []
    for tolerance in TOLERANCES:
        chain = heyoka.taylor_adaptive(equations, start, tol=tolerance, compact_mode=links > LARGEST_UNROLLED)

        def sample(chain: heyoka.taylor_adaptive = chain) -> tuple[float, NDArray[np.float64], int]:
            chain.time, chain.state[:] = 0.0, start
            begin = time.thread_time()
            steps = chain.propagate_until(1.0)[3]
            return time.thread_time() - begin, chain.state[: 3 * links].copy(), steps

        runs.append(Run(f"{tolerance:.0e}", sample))
    return runs


def cheapest(runs: list[Run], expected: NDArray[np.float64], largest: float) -> tuple[Run, float, int] | None:
    """The run with the least time of those that are accurate, with its error and steps."""
    found = []
    for run in runs:
        _, q, steps = run.sample()
        error = float(np.abs(q - expected).max())
        if error <= largest:
            found.append((run, error, steps))
    seconds, begin = [float("inf")] * len(found), time.monotonic()
    for k in range(10):
        if k < 2 or time.monotonic() - begin < LONGEST_SEARCH:
            seconds = [min(best, run.sample()[0]) for best, (run, _, _) in zip(seconds, found, strict=True)]
    return found[int(np.argmin(seconds))] if found else None


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", nargs="?", choices=["heyoka"])
    parser.add_argument("--links", nargs="+", type=int, default=[8, 16, 64, 256, 1024])
    parser.add_argument("--error", type=float, default=1e-10)
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    print(f"error of directions at t = 1 s below {given.error:.0e}\n")
    print(
        "| links | | tolerance | steps | error | µs | µs per step and link | ratio |\n|---|---|---|---|---|---|---|---|"
    )
    for links in given.links:
        system = pendulum_chain.build(links).derive().compile()
        _, expected, _ = of_symlie(system, links, 1e-14, None).sample()
        sides = {"symlie": [of_symlie(system, links, rtol, n) for rtol in TOLERANCES for n in ORDERS]}
        if given.peer:
            sides["heyoka"] = of_heyoka(links)
        chosen = {name: cheapest(runs, expected, given.error) for name, runs in sides.items()}
        least = dict.fromkeys(chosen, float("inf"))
        for _ in range(given.rounds):
            for name, row in chosen.items():
                if row is not None:
                    least[name] = min(least[name], row[0].sample()[0])
        for name, row in chosen.items():
            if row is None:
                print(f"| {links} | {name} | none reaches it | | | | | |")
                continue
            ratio = f"{least[name] / least['heyoka']:.2f}" if "heyoka" in least else ""
            of_link, time_of = 1e6 * least[name] / row[2] / links, 1e6 * least[name]
            run, error, steps = row
            line = (
                f"| {links} | {name} | {run.name} | {steps} | {error:.0e} | {time_of:.0f} | {of_link:.2f} | {ratio} |"
            )
            print(line, flush=True)


if __name__ == "__main__":
    main()
