"""Cost of spatial chains of hinges in minimal coordinates, compared with the constrained form.

python tests/benchmarks/minimal_chain.py [--largest 1024] [--samples 5] [--cached]

Axes alternate between horizontal and vertical. CPU seconds from the model to its equations and to compiled kernels,
with an empty cache for the first length of each text unless ``--cached`` is given; then ns per body and step, least of
some samples, of `rkmk_rk44` in minimal coordinates and of `half_explicit_4`, of the same order, on bodies and joints.
"""

from __future__ import annotations

import argparse
import time
from contextlib import nullcontext

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


def measure(model: sl.Model, method: str, count: int, samples: int) -> tuple[float, float]:
    """CPU seconds to compiled kernels, and ns per body and step."""
    start = time.process_time()
    system = model.derive().compile(backend="c")
    seconds = time.process_time() - start
    timer = step_timer(system, method, STEP, max(10, BODY_STEPS // count))
    return seconds, min(timer() for _ in range(samples)) / count


def main() -> None:
    """Measure both forms of all lengths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=LENGTHS[-1])
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--cached", action="store_true", help="take kernels from the cache")
    options = parser.parse_args()
    print(f"{'bodies':>6} {'stated':>9} {'minimal':>9} {'ns':>7} {'bodies':>9} {'ns':>7}")
    with nullcontext() if options.cached else only_own_entries():
        for count in (n for n in LENGTHS if n <= options.largest):
            start = time.process_time()
            minimal = sl.minimal_coordinates(chain(count))
            stated = time.process_time() - start
            found = measure(minimal, "rkmk_rk44", count, options.samples)
            beside = measure(chain(count), "half_explicit_4", count, options.samples)
            times = f"{found[0]:9.2f} {found[1]:7.0f} {beside[0]:9.2f} {beside[1]:7.0f}"
            print(f"{count:6} {stated:9.2f} {times}", flush=True)


if __name__ == "__main__":
    main()
