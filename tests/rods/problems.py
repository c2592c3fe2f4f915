"""The two benchmarks of rods with their reference states, and random states of systems."""

from __future__ import annotations

import functools
import json
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import symlie as sl
from symlie.models import flying_spaghetti, roll_up
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System

BENCHMARKS = ("R1", "R3")
"""R1: unconstrained roll-up with 8 segments, damped; R3: Kirchhoff spaghetti with 16 segments, undamped."""

_REFERENCE = Path(__file__).parents[1] / "data" / "rod_reference.json"


@dataclass(frozen=True)
class Reference:
    """States of a benchmark at some times; see the source in the file."""

    t: Array
    q: Array
    """Shape (times, nodes, 7)."""
    v: Array
    """Shape (times, nodes, 6)."""
    energy: Array
    tip_distance: Array
    linear_momentum: Array
    angular_momentum: Array
    multipliers: Array
    """Shape (times, segments, equations)."""


@functools.cache
def reference(problem: str) -> Reference:
    """All states of a benchmark's reference."""
    states = json.loads(_REFERENCE.read_text())[problem]
    nodes = np.array([s["nodes"] for s in states])
    named = ("energy", "tip_distance", "linear_momentum", "angular_momentum")
    return Reference(
        t=np.array([s["t"] for s in states]),
        q=nodes[:, :, :7],
        v=nodes[:, :, 7:],
        **{name: np.array([s[name] for s in states]) for name in named},
        multipliers=np.array([s.get("multipliers", np.zeros((nodes.shape[1] - 1, 0))) for s in states]),
    )


@functools.cache
def roll_up_system(segments: int = 8, constraint: str = "none", backend: str = "c") -> System:
    """The roll-up, ready to run."""
    return roll_up.build(segments, constraint).derive().compile(backend=backend)


@functools.cache
def spaghetti_system(segments: int = 16, constraint: str = "kirchhoff", backend: str = "c") -> System:
    """The flying spaghetti, ready to run."""
    return flying_spaghetti.build(segments, constraint).derive().compile(backend=backend)


def benchmark(problem: str) -> System:
    """The system of a benchmark."""
    return roll_up_system() if problem == "R1" else spaghetti_system()


@functools.cache
def benchmark_run(problem: str, exponent: int, method: str = "half_explicit_5", last: float = 30.0) -> Solution:
    """A benchmark with h = 2^-exponent, recorded at the times of the reference up to the last one wanted."""
    times = [t for t in reference(problem).t if t <= last]
    return sl.solve(benchmark(problem), times[-1], method=method, h=2.0**-exponent, t_eval=times)


def errors(solution: Solution, problem: str) -> tuple[Array, Array]:
    """Root mean square errors of q and v of a run of a benchmark at each recorded time."""
    expected = reference(problem)
    n = len(solution.t)
    q = solution.configuration("rod") - expected.q[:n]
    v = solution.velocity("rod") - expected.v[:n]
    return np.sqrt((q**2).mean(axis=(1, 2))), np.sqrt((v**2).mean(axis=(1, 2)))


def random_state(system: System, seed: int, size: float = 0.3) -> tuple[Array, Array]:
    """A random configuration near the initial one, and random velocities that satisfy the hidden constraints."""
    generator = random.Random(seed)
    n = system.layout.dimension
    free = system.layout.free
    u = size * np.array([generator.uniform(-1, 1) for _ in range(n)]) * free
    v = np.array([generator.uniform(-1, 1) for _ in range(n)]) * free
    q = system.kernels.advance(system.initial_state.q, u)
    if system.layout.rows:
        p = system.prepared
        jacobian = system.kernels.jacobian(p, 0.0, q, v)
        bound = system.kernels.constraint_rate(p, 0.0, q, v)
        mass = system.kernels.mass(p, 0.0, q)
        change, _ = system.algebra.solve_saddle(
            mass, jacobian, jacobian, np.zeros(n), -system.algebra.multiply(jacobian, v) - bound
        )
        v = v + change
    return q, v
