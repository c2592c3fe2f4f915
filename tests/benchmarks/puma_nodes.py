"""half_explicit_5 for the Puma, compared with the same mechanism defined by nodes with an older commit.

git worktree add ../before 5ec17ab
python tests/benchmarks/puma_nodes.py ../before [--rounds 9]

The older commit takes no singular mass: there the first link has 1e-8 kg m² where it has no inertia. CPU time
of steps of 2⁻¹¹ s over the first second, least of all rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import symlie as sl

STEP = 2.0**-11
LEAST_INERTIA = 1e-8


def main() -> None:
    """Start both sides, let them run in turn, and print times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="checkout of the older commit")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    from symlie.models import puma560

    here = Path(__file__).parents[2]
    data = json.dumps([puma560.LINKS, puma560.GAINS, puma560.GOAL.tolist()])
    sides = [started(here, "now"), started(arguments.before.resolve(), data)]
    best = [np.inf, np.inf]
    for _ in range(1 + arguments.rounds):  # the first run compiles
        for k, side in enumerate(sides):
            assert side.stdin is not None and side.stdout is not None
            side.stdin.write("run\n")
            side.stdin.flush()
            best[k] = min(best[k], float(side.stdout.readline()))
    for side in sides:
        side.communicate()
    print(f"puma560 {best[0]:.1f} µs per step, node by node {best[1]:.1f}, ratio {best[0] / best[1]:.3f}")


def started(checkout: Path, model: str) -> subprocess.Popen[str]:
    """A side with the package of a checkout: it runs once for each line that it reads."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, __file__, "--side", model]
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def side(model: str) -> None:
    """Compile one statement, and time a run for each line."""
    if model == "now":
        from symlie.models import puma560

        system = puma560.build("A").derive().compile(backend="c")
    else:
        system = node_by_node(*json.loads(model)).derive().compile(backend="c")
    sl.solve(system, 2 * STEP, method="half_explicit_5", h=STEP)
    for _ in sys.stdin:
        solution = sl.solve(system, 1.0, method="half_explicit_5", h=STEP, record_every=0)
        print(solution.statistics.cpu_seconds * STEP * 1e6, flush=True)


def node_by_node(links: list[Any], gains: list[Any], goals: list[float]) -> sl.Model:
    """The Puma at zero angles with explicit constraint equations and controllers: nodes are at the centres of mass."""
    model = sl.Model("puma_nodes")
    gravity = model.parameter("gravity", [0, 0, -9.81])
    x, R = np.zeros(3), np.eye(3)
    end, axes, spin, before = sl.vector(0, 0, 0), [sl.vector(*e) for e in np.eye(3)], sl.vector(0, 0, 0), None
    for k, (d, a, turns, mass, center, inertia) in enumerate(links):
        along, up, center = 1 - abs(turns), turns, np.array(center)
        turned = np.array([[1, 0, 0], [0, along, -up], [0, up, along]], dtype=float)
        x, R = x + R @ [a, 0, d], R @ turned
        link = model.node(f"link{k + 1}", "SO3xR3")
        m = model.parameter(f"mass{k + 1}", mass)
        J = model.parameter(f"inertia{k + 1}", [max(j, LEAST_INERTIA) for j in inertia])
        model.kinetic_energy((m * link.x_dot.dot(link.x_dot) + link.Omega.dot(sl.diag(J) * link.Omega)) / 2)
        model.potential_energy(-m * gravity.dot(link.x))
        model.initial(link, x=list(x + R @ center), R=R.tolist())
        start = link.x + link.R * sl.vector(*(np.array([-a, -d * up, -d * along]) - center))
        b_x, b_y = (link.R * sl.vector(*row) for row in turned[:2])
        model.constraint(f"joint{k + 1}", [*(start - end), axes[2].dot(b_x), axes[2].dot(b_y)])
        cos, sin, goal = axes[0].dot(b_x), axes[1].dot(b_x), model.parameter(f"goal{k + 1}", goals[k])
        target = sl.select(model.t - 0.5, goal - 2 * goal * (1 - model.t) ** 2, 2 * goal * model.t**2)
        rate = sl.select(model.t - 0.5, 4 * goal * (1 - model.t), 4 * goal * model.t)
        error = sl.atan2(sl.sin(target) * cos - sl.cos(target) * sin, sl.cos(target) * cos + sl.sin(target) * sin)
        P, D = (model.parameter(f"{name}{k + 1}", gain) for name, gain in zip("PD", gains[k], strict=True))
        torque = P * error + D * (rate - axes[2].dot(link.R * link.Omega - spin))
        model.torque(torque * axes[2], on=link)
        if before is not None:
            model.torque(-torque * axes[2], on=before)
        end, axes = link.x - link.R * sl.vector(*center), [link.R * sl.vector(*e) for e in np.eye(3)]
        spin, before = link.R * link.Omega, link
    return model


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        side(sys.argv[2])
    else:
        main()
