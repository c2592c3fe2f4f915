"""Judge random heaps: ``python -m tests.runtime.heap_runs --kind container --seeds 0:500 --out FILE``.

Every heap adds a line of JSON to the file; seeds that it contains already are left out, so that a run can be resumed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import symlie as sl
from symlie.errors import SymlieError
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.contacts.table import ContactTable
from symlie.runtime.system.system import System
from tests import tolerances
from tests.flags import set_flags
from tests.runtime.heaps import WALLS, G, container_heap, gaps, heap

KINDS = ("balls", "container")
H = 2e-3
"""Length of steps in s."""


def judged(kind: str, seed: int, count: int = 5) -> dict[str, Any]:
    """Figures and defects of a heap of a kind and a seed; ``count`` is the number of free balls."""
    begin = time.process_time()
    if kind == "balls":
        found = judgement(heap(seed, count), 0.4, least_loss=0)
    else:
        found = judgement(container_heap(seed, 3 + seed % 6, seed % 3), 0.6)
    return {"kind": kind, "seed": seed, **found, "seconds": round(time.process_time() - begin, 2)}


def judgement(system: System, end: float, least_loss: float = 0.1) -> dict[str, Any]:
    """Figures and defects of a run, for the least loss of energy in the run, relative to the energy at first."""
    try:
        solution = sl.solve(system, end, method="rattlie", h=H)
    except SymlieError as error:
        return {"failures": [f"{type(error).__name__}: {error}"[:300]]}
    energy = solution.outputs["energy"]
    figures = {
        "gap": float(gaps(solution).min()),
        "rise": float(np.diff(energy).max() / energy[0]),
        "excess": float((np.diff(energy) - possible_gains(solution)).max() / energy[0]),
        "rest": float(energy[-1] / energy[0]),
        "momentum": float(np.abs(momentum_errors(solution)).max()),
        "iterations": solution.statistics.most_newton_iterations,
        **law_errors(solution),
    }
    wrong = {
        "bodies penetrate": figures["gap"] < -tolerances.HEAP_PENETRATION,
        "the energy rises": figures["excess"] > tolerances.STEPPED_ENERGY,
        "the energy hardly falls": figures["rest"] > 1 - least_loss,
        "the momentum changes": figures["momentum"] > tolerances.STEPPED_MOMENTUM,
        "impacts violate Newton's law": figures["impact"] > tolerances.CONTACT_LAWS,
        "friction supplies energy": figures["friction"] > tolerances.CONTACT_LAWS,
        "friction exceeds the cone": figures["cone"] > tolerances.CONTACT_LAWS,
    }
    return {**figures, "failures": [name for name, is_wrong in wrong.items() if is_wrong]}


def law_errors(solution: sl.Solution) -> dict[str, float]:
    """Largest violations of the laws of contacts by the impulses P and the velocities of all steps.

    With them, the impulses dissipate: P_T·W_T v⁺ ≤ 0 and P_N (W_N v⁺ + e W_N v⁻) = 0, or P_N W_N v⁺ = 0 in a step
    without restitution. ``impact`` and ``friction`` are the largest of these powers, relative to the largest force and
    velocity, and ``cone`` is the excess of friction, relative to the largest force.
    """
    mechanics = solution.system.mechanics
    table, found = ContactTable(mechanics), {"impact": 0.0, "friction": 0.0, "cone": 0.0}
    states = zip(solution.t, solution.q, solution.v, strict=True)
    rates = [mechanics.hidden_residual(t, table.full(q), v) for t, q, v in states]
    for k in range(1, len(solution.t)):
        normal = -solution.multipliers[k][table.normal]
        before, after = rates[k - 1][table.normal], rates[k][table.normal]
        if not (normal > 0).any():
            continue
        size = max(1.0, float(np.abs(solution.v[k - 1]).max()))
        left = normal * np.minimum(np.abs(after), np.abs(after + table.restitution * before)) / size
        friction = table.friction_forces(solution.q[k], solution.multipliers[k])
        power = (friction * table.tangential(rates[k])).sum(axis=1) / size
        excess = np.linalg.norm(friction, axis=1) - table.friction * normal
        for name, values in (("impact", left), ("friction", power), ("cone", excess)):
            found[name] = max(found[name], float(values.max() / normal.max()))
    return found


def possible_gains(solution: sl.Solution) -> Array:
    """Bound of the energy that steps can gain, shape (steps,), in J.

    The first stage applies impulses P along the rows at its start, across which bodies move by its end:
    Σ |P| |(W_{n+1} - W_n) v|. The second stage removes impulses of contacts that change their state:
    Σ |P| |W (v_{n+1} - v_n)|/2. Momenta of a free body at both ends, J w ± h w×(J w)/2 + h² w×(w×(J w))/12 + …, have
    energies that differ by h³ (w×(w×(J w)))·J⁻¹(w×(J w))/12 ≤ h³ |w| |w×(J w)|²/(12 min J).
    """
    m, q, v = solution.system.mechanics, solution.q, solution.v
    table, found = ContactTable(m), []
    inertia = m.algebra.mass_diagonal(m.mass(0.0, q[0])).reshape(-1, 6)[:, :3]
    multiply = m.algebra.multiply
    force = np.abs(solution.multipliers)
    for k, multipliers in enumerate(solution.multipliers):
        table.scatter(np.abs(table.friction_forces(q[k], multipliers)), force[k])
    for k in range(len(solution.t) - 1):
        h = solution.t[k + 1] - solution.t[k]
        rows, turned = (m.jacobian(solution.t[i], table.full(q[i]), v[i]) for i in (k, k + 1))
        moved = np.maximum(*(np.abs(multiply(turned - rows, v[i])) for i in (k, k + 1)))
        differs = np.zeros(force.shape[1])
        has_changed = q[k, table.closed] != q[k + 1, table.closed]
        has_changed |= (table.slips > 0) & (q[k, table.sticks] != q[k + 1, table.sticks])
        differs[table.normal] = has_changed
        table.scatter(np.repeat(has_changed[:, None], 2, axis=1), differs)
        removed = force[k : k + 2].max(axis=0) * np.abs(multiply(turned, v[k + 1] - v[k])) / 2
        w = v[k : k + 2].reshape(2, -1, 6)[:, :, :3]
        change = (np.cross(w, inertia * w) ** 2).sum(axis=2) * np.linalg.norm(w, axis=2) / inertia.min(axis=1)
        found.append(float(h * (force[k + 1] @ moved + differs @ removed) + h**3 / 12 * change.max(axis=0).sum()))
    return np.array(found)


def momentum_errors(solution: sl.Solution) -> Array:
    """Change of the momentum in each step minus the impulses of weight and walls, shape (steps, 3), relative to the
    impulse of the weight in a second."""
    mechanics = solution.system.mechanics
    table, names = ContactTable(mechanics), mechanics.layout.contact_names
    mass = mechanics.algebra.mass_diagonal(mechanics.mass(0.0, solution.q[0])).reshape(-1, 6)[:, 3:]
    momentum = (mass * solution.v.reshape(len(solution.v), *mass.shape[:1], 6)[:, :, 3:]).sum(axis=1)
    walls = [(i, WALLS[word]) for i, n in enumerate(names) if (word := n.split("[")[0].split("_")[-1]) in WALLS]
    force = np.zeros_like(momentum)
    force[:, 2] -= G * mass[:, 2].sum()
    for k in range(1, len(solution.t)):
        multipliers = solution.multipliers[k]
        friction = table.friction_forces(solution.q[k], multipliers)
        for i, normal in walls:
            force[k] -= multipliers[table.normal[i]] * np.array(normal)
            force[k, [j for j in range(3) if not normal[j]]] += friction[i]
    steps = np.diff(solution.t)[:, None]
    return np.asarray((np.diff(momentum, axis=0) - steps * force[1:]) / (G * mass[:, 2].sum()))


def main(words: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--kind", choices=KINDS, default="container", help="free balls, or balls and boxes in a container"
    )
    parser.add_argument("--seeds", default="0:500", help="first seed, and the one after the last, as in 0:500")
    parser.add_argument("--out", type=Path, required=True, help="file of JSON lines")
    options = parser.parse_args(words)
    set_flags(as_users=True)  # the same bits as without optimization, in a tenth of the time
    first, end = (int(x) for x in options.seeds.split(":"))
    lines = [json.loads(text) for text in options.out.read_text().splitlines()] if options.out.exists() else []
    done = {line["seed"] for line in lines if line["kind"] == options.kind}
    for seed in range(first, end):
        if seed in done:
            continue
        lines.append(line := judged(options.kind, seed))
        with options.out.open("a") as file:
            file.write(json.dumps(line) + "\n")
        if line["failures"]:
            print(json.dumps(line), file=sys.stderr, flush=True)
    lines = [line for line in lines if line["kind"] == options.kind and first <= line["seed"] < end]
    failed = sum(bool(line["failures"]) for line in lines)
    print(f"{len(lines) - failed} of {len(lines)} heaps are right")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
