"""Cost of the pendulum chain: time per step and link over the number of links, derivation and compilation, against a
hand-written file and against SymPy's mechanics module.

python tests/benchmarks/chain.py [PATH/pendulum_chain_yardstick.c] [--sympy 5]
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import sympy
from handwritten import built, stay_on_one_processor
from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols
from tables import header, row

from symlie.models.pendulum_chain import build
from symlie.runtime.study.timing import step_timer
from symlie.runtime.system.system import System

NUMBERS = (4, 16, 64, 256, 1024, 4096)
COMPARED = 64
STEP_SIZE = 1e-4


def system(links: int, optimize: str = "default") -> System:
    """The chain, compiled."""
    return build(links=links).derive().compile(backend="c", optimize=optimize)


def yardstick_step(source: Path, optimize: str) -> float:
    """Nanoseconds of one hand-written step of the same method."""
    with built(source, optimize, "-std=gnu11") as measured:
        return measured(21)[f"P2.chain.rkmk_dopri5_step.N{COMPARED}.ns"]


def sympy_seconds(links: int) -> tuple[float, int]:
    """Seconds of Kane's method in two angles per link, and operations of its mass matrix and forces.

    Speeds are rates of the angles and are put into the velocities at once: the fastest way that was found.
    """
    start = time.perf_counter()
    frame, above = ReferenceFrame("N"), Point("O")
    above.set_vel(frame, 0)
    origin, m, length, g = above, *sympy.symbols("m L g", positive=True)
    angles, speeds, particles, loads = [], [], [], []
    for k in range(links):
        q, u = dynamicsymbols(f"q{k} r{k}"), dynamicsymbols(f"u{k} w{k}")
        point = above.locatenew(f"P{k}", -length * frame.orientnew(f"F{k}", "Body", [q[0], q[1], 0], "XYX").z)
        rates = {a.diff(): b for a, b in zip(q + angles, u + speeds, strict=True)}
        point.set_vel(frame, point.pos_from(origin).dt(frame).subs(rates))
        particles.append(Particle(f"m{k}", point, m))
        loads.append((point, -m * g * frame.z))
        angles, speeds, above = q + angles, u + speeds, point
    rates = [a.diff() - b for a, b in zip(angles, speeds, strict=True)]
    method = KanesMethod(frame, q_ind=angles, u_ind=speeds, kd_eqs=rates)
    method.kanes_equations(particles, loads)
    return time.perf_counter() - start, int(sympy.count_ops(method.mass_matrix) + sympy.count_ops(method.forcing))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("yardstick", type=Path, nargs="?")
    parser.add_argument("--sympy", type=int, default=0, metavar="N", help="largest chain that SymPy derives")
    arguments = parser.parse_args()
    stay_on_one_processor()
    timers, prepared = {}, {}
    for n in NUMBERS:
        start = time.perf_counter()
        chain = system(n)
        prepared[n] = time.perf_counter() - start
        timers[n] = step_timer(chain, "rkmk_dopri5", STEP_SIZE, max(2, 20000 // n))
    samples = [{n: timer() / n for n, timer in timers.items()} for _ in range(9)]
    header("links", "derivation and compilation, s", "ns per step and link", f"relative to {NUMBERS[0]} links")
    least = {n: min(sample[n] for sample in samples) for n in NUMBERS}
    for n, value in least.items():
        row(n, f"{prepared[n]:.2f}", f"{value:.0f}", f"{value / least[NUMBERS[0]]:.2f}")
    for optimize in ("default", "contract") if arguments.yardstick else ():
        timer = step_timer(system(COMPARED, optimize), "rkmk_dopri5", STEP_SIZE, 300)
        value = statistics.median(timer() for _ in range(9))
        written = yardstick_step(arguments.yardstick, optimize)
        print(f"N = {COMPARED}, {optimize}: {value:.0f} ns per step, {value / written:.2f} of the hand-written one")
    if arguments.sympy:
        print("\nDerivation with `KanesMethod` of SymPy's mechanics module, without compilation:\n")
        header("links", "derivation, s", "operations")
    for n in range(1, arguments.sympy + 1):
        seconds, operations = sympy_seconds(n)
        row(n, f"{seconds:.2f}", f"{operations:,}")


if __name__ == "__main__":
    main()
