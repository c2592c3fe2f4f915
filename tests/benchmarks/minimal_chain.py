"""Cost of spatial chains of hinges in minimal coordinates, compared with the constrained form.

python tests/benchmarks/minimal_chain.py [--largest 1024] [--samples 5] [--cached]

Axes alternate between horizontal and vertical. CPU seconds from the model to its equations and to compiled kernels,
with an empty cache for the first length of each text unless ``--cached`` is given; then ns per body and step, minimum
of alternating samples, of `rkmk_rk44` in minimal coordinates and of `half_explicit_4`, of the same order, on bodies
and joints.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import nullcontext

from tables import header, row

import symlie as sl
from symlie.compile.cache import only_own_entries
from symlie.runtime.study.timing import step_timer

LENGTHS = (4, 8, 16, 24, 32, 64, 256, 1024)
STEP = 1e-4
BODY_STEPS = 40_000
"""Steps of all bodies together in one sample."""


def chain(count: int) -> sl.Model:
    """Bodies on hinges about horizontal and vertical axes in turn."""
    model, before = sl.Model("spatial_chain"), None
    for k in range(count):
        body = sl.RigidBody(model, f"link{k}", 1.0, [0.02, 0.01, 0.015], position=[0.2 * k + 0.1, 0, 0])
        axis = [[0, 1, 0], [0, 0, 1]][k % 2]
        sl.RevoluteJoint(model, f"joint{k}", before or model.ground, body, at=[0.2 * k, 0, 0], axis=axis)
        before = body
    model.gravity([0, 0, -9.81])
    return model


def prepared(model: sl.Model, method: str, count: int) -> tuple[float, Callable[[], float]]:
    """CPU seconds to compiled kernels, and a function that measures the time of a step in ns."""
    start = time.process_time()
    system = model.derive().compile(backend="c")
    seconds = time.process_time() - start
    return seconds, step_timer(system, method, STEP, max(10, BODY_STEPS // count))


def main() -> None:
    """Measure both forms of all lengths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=LENGTHS[-1])
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--cached", action="store_true", help="take kernels from the cache")
    options = parser.parse_args()
    header("bodies", "conversion, s", "minimal, s", "minimal, ns", "bodies and joints, s", "bodies and joints, ns")
    with nullcontext() if options.cached else only_own_entries():
        for count in (n for n in LENGTHS if n <= options.largest):
            start = time.process_time()
            minimal = sl.minimal_coordinates(chain(count))
            conversion = time.process_time() - start
            sides = [prepared(minimal, "rkmk_rk44", count), prepared(chain(count), "half_explicit_4", count)]
            samples = [[timer() for _, timer in sides] for _ in range(options.samples)]
            cells = [
                cell
                for (seconds, _), times in zip(sides, zip(*samples, strict=True), strict=True)
                for cell in (f"{seconds:.2f}", f"{min(times) / count:.0f}")
            ]
            row(count, f"{conversion:.2f}", *cells)


if __name__ == "__main__":
    main()
