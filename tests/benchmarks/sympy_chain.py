"""A chain of spherical pendulums derived by SymPy's mechanics module and by symlie, for N links, in one run.

    python tests/benchmarks/sympy_chain.py [--most 5]

SymPy: Kane's method in two angles per link, each link's angles relative to the inertial frame, to the mass matrix and
the forcing vector; operations are counted in both. symlie: statement to compiled C. CPU time of this process; symlie's
compiler runs in another one, so its wall time is printed.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time

import sympy
import sympy.physics.mechanics as mechanics

from symlie.models.pendulum_chain import build


def derived_by_sympy(links: int) -> tuple[float, int]:
    """Seconds of CPU to the mass matrix and the forcing vector, and their operations."""
    start = time.process_time()
    m, length, g = sympy.symbols("m L g", positive=True)
    inertial = mechanics.ReferenceFrame("N")
    origin = mechanics.Point("O")
    origin.set_vel(inertial, 0)
    coordinates, speeds, kinematics, particles, loads = [], [], [], [], []
    above = origin
    for k in range(links):
        q = mechanics.dynamicsymbols(f"a{k} b{k}")
        u = mechanics.dynamicsymbols(f"u{k} w{k}")
        frame = inertial.orientnew(f"F{k}", "Body", [q[0], q[1], 0], "XYX")
        point = above.locatenew(f"P{k}", -length * frame.z)
        point.set_vel(
            inertial, point.pos_from(origin).dt(inertial).subs({a.diff(): b for a, b in zip(q, u, strict=True)})
        )
        particles.append(mechanics.Particle(f"B{k}", point, m))
        loads.append((point, -m * g * inertial.z))
        coordinates += q
        speeds += u
        kinematics += [a.diff() - b for a, b in zip(q, u, strict=True)]
        above = point
    kane = mechanics.KanesMethod(inertial, q_ind=coordinates, u_ind=speeds, kd_eqs=kinematics)
    kane.kanes_equations(particles, loads)
    operations = sympy.count_ops(kane.mass_matrix) + sympy.count_ops(kane.forcing)
    return time.process_time() - start, int(operations)


def derived_by_symlie(links: int) -> tuple[float, float, int]:
    """Seconds of CPU to the C text, seconds with the compiler, and operations of all kernels per instance."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["SYMLIE_CACHE"] = cache
        begin, start = time.perf_counter(), time.process_time()
        equations = build(links=links).derive()
        emitted = equations.emitted
        cpu = time.process_time() - start
        equations.compile(backend="c")
        wall = time.perf_counter() - begin
    return cpu, wall, sum(k.body.operation_count for k in emitted.kernels)


def main() -> None:
    """Print a row for each number of links."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=5)
    arguments = parser.parse_args()
    print(f"SymPy {sympy.__version__}\n  N   SymPy: s, operations   symlie: s, compiled s, operations")
    for links in range(1, arguments.most + 1):
        seconds, operations = derived_by_sympy(links)
        cpu, wall, own = derived_by_symlie(links)
        print(f"{links:3} {seconds:10.2f} {operations:12} {cpu:10.2f} {wall:8.2f} {own:8}", flush=True)


if __name__ == "__main__":
    main()
