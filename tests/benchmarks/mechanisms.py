"""Cost of mechanisms with many bodies: chains with joints, several four-bar linkages, and a chain with explicit terms.

python tests/benchmarks/mechanisms.py [--largest 4096] [--samples 5]

CPU seconds from the model to its compiled kernels, with an empty cache for the first number of a kind and from the
cache for the others, whose text is the same; then µs per body and step, minimum of alternating samples.
"""

from __future__ import annotations

import argparse
import itertools
import resource
from collections.abc import Callable

import numpy as np
from tables import header, row

import symlie as sl
from symlie.compile.cache import only_own_entries
from symlie.runtime.methods.chosen import chosen_method
from symlie.runtime.study.timing import step_timer

METHODS = ("half_explicit_5", "generalized_alpha")
STEP = 1e-3


def revolute_chain(count: int) -> sl.Model:
    """Bodies on SO(3)×R³ in a row, each on the one before by a revolute joint."""
    model = sl.Model("revolute_chain")
    before = model.ground
    for k in range(count):
        body = sl.RigidBody(model, f"link{k}", 1.0, [0.01, 0.01, 0.001], position=[0.2 * k + 0.1, 0, 0])
        sl.RevoluteJoint(model, f"joint{k}", before, body, at=[0.2 * k, 0, 0], axis=[0, 1, 0])
        before = body
    model.gravity([0, 0, -9.81])
    return model


def four_bars(count: int) -> sl.Model:
    """Adjacent planar four-bar linkages with three bodies each."""
    model = sl.Model("four_bars")
    for k in range(count):
        corners = np.array([3.0 * k, 0]) + np.array([[0, 0], [0, 1], [2, 1.5], [2, 0]])
        bodies = [model.ground]
        for name, start, end in zip(("crank", "coupler", "rocker"), corners[:-1], corners[1:], strict=True):
            angle = np.arctan2(*(end - start)[::-1])
            middle = (start + end) / 2
            bodies.append(sl.RigidBody(model, f"{name}{k}", 1.0, 0.1, "SE2", position=middle, orientation=angle))
        bodies.append(model.ground)
        for number, (a, b) in enumerate(itertools.pairwise(bodies)):
            sl.RevoluteJoint(model, f"pin{k}_{number}", a, b, at=corners[number])
    model.gravity([0, -9.81])
    return model


def written_out(count: int) -> sl.Model:
    """A chain on SE(3) with spherical joints, whose terms are written out body by body."""
    model = sl.Model("written_out")
    inertia, gravity = model.parameter("inertia", [0.1, 0.2, 0.3]), model.parameter("gravity", [0, 0, -9.81])
    half = sl.vector(0, 0, 0.5)
    bodies = [model.node(f"b{k}", sl.SE3) for k in range(count)]
    for k, b in enumerate(bodies):
        model.kinetic_energy((2 * b.U.dot(b.U) + b.Omega.dot(sl.diag(inertia) * b.Omega)) / 2)
        model.potential_energy(-2 * gravity.dot(b.x))
        above = bodies[k - 1].x - bodies[k - 1].R * half if k else sl.vector(0, 0, 0)
        model.constraint(f"j{k}", b.x + b.R * half - above)
        model.initial(b, x=[0, 0, -0.5 - k], Omega=[0.3, 0.1, 1])
    return model


KINDS: dict[str, tuple[Callable[[int], sl.Model], int, tuple[int, ...]]] = {
    "chain with revolute joints": (revolute_chain, 1, (4, 8, 64, 512, 4096)),
    "four-bars in a row": (four_bars, 3, (1, 3, 10, 100, 400)),
    "chain written out": (written_out, 1, (2, 10, 100, 1000)),
}
"""Statement, bodies of each repeated part, and numbers of parts."""


def used() -> float:
    """CPU seconds of this process and of compilers."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in both)


def main() -> None:
    """Print a line for each kind and number."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=4096, help="bodies at most")
    parser.add_argument("--samples", type=int, default=5, help="samples of each time")
    arguments = parser.parse_args()
    with only_own_entries():
        header("mechanism", "bodies", "CPU s to kernels", *(f"`{name}`, µs" for name in METHODS))
        for kind, (state, bodies, numbers) in KINDS.items():
            for number in (n for n in numbers if n * bodies <= arguments.largest):
                model, start = state(number), used()
                system = model.derive().compile(backend="c")
                seconds, steps = used() - start, max(100, 20000 // (number * bodies))
                timers = [step_timer(system, chosen_method(name, {}), STEP, steps) for name in METHODS]
                samples = [[timer() for timer in timers] for _ in range(arguments.samples)]
                times = [f"{min(column) / 1e3 / (number * bodies):.2f}" for column in zip(*samples, strict=True)]
                row(kind, number * bodies, f"{seconds:.1f}", *times)


if __name__ == "__main__":
    main()
