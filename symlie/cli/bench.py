"""``symlie bench``: time per step and time of each stage on this computer."""

from __future__ import annotations

import contextlib
import os
import statistics
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping

from symlie.cli.common import add, add_model, model_options
from symlie.cli.output import Progress, print_json, print_table
from symlie.cli.values import number
from symlie.errors import SymlieError

SUMMARY = "Measure the time per step and the time of each stage on this computer."
EXAMPLE = "symlie bench heavy_top -o group=SE3 --method half_explicit_3"

CASES = (
    ("rkmk_dopri5", "S3"),
    ("half_explicit_5", "S3xR3"),
    ("half_explicit_5", "S3sR3"),
    ("half_explicit_5", "SO3xR3"),
    ("half_explicit_5", "SE3"),
)
"""Methods and groups of the heavy top that are timed by default."""

STAGES_OF = ("heavy_top", {"group": "S3xR3"})
"""Model whose stages are timed by default."""

STEP = 1e-4
"""Step size, in s."""
STEPS = 2000
"""Steps of one sample."""
SAMPLES = 21
"""Number of samples; the median is reported."""

Row = tuple[str, float, str]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser, optional=True)
    parser.add_argument("--method", help="default: half_explicit_5; without a model: the standard cases")
    parser.add_argument("--h", type=number, default=STEP, metavar="STEP", help=f"step size in s; default: {STEP:g}")
    add(parser, "--json")


def run(arguments: Namespace) -> int:
    """Run the command."""
    if arguments.model is None and arguments.options:
        raise SymlieError("-o needs a MODEL before it.")
    model, options = (arguments.model, model_options(arguments)) if arguments.model else STAGES_OF
    # Time the stages first: later derivations in the same process reuse the operators of a group.
    rows = _stages(model, options, arguments.method or "half_explicit_5")
    rows += _steps(arguments, model, options)
    if arguments.json:
        print_json({"rows": [dict(zip(("name", "value", "unit"), row, strict=True)) for row in rows], "status": "ok"})
    else:
        print_table(((name, f"{value:.4g}", unit) for name, value, unit in rows), indent="")
    return 0


def _steps(arguments: Namespace, model: str, options: Mapping[str, object]) -> list[Row]:
    """Return the processor time per step, in ns."""
    from symlie.models.systems import system_of_model
    from symlie.runtime.study.timing import step_timer

    cases = [(arguments.method or "half_explicit_5", options)]
    if arguments.model is None:
        cases = [(arguments.method or method, {"group": group}) for method, group in CASES]
    rows = []
    with Progress("steps") as progress:
        for k, (method, chosen) in enumerate(cases):
            progress(k / len(cases))
            sample = step_timer(system_of_model(model, chosen, backend="c"), method, arguments.h, STEPS)
            name = " ".join(["step", method, *map(str, chosen.values())])
            rows.append((name, statistics.median(sample() for _ in range(SAMPLES)), "ns"))
    return rows


def _stages(model: str, options: Mapping[str, object], method: str) -> list[Row]:
    """Return the time of each stage, in s, with an empty cache and before any other derivation in this process."""
    from symlie.runtime.integrate.solve import solve
    from symlie.runtime.system.loading import load_system

    rows: list[Row] = []

    @contextlib.contextmanager
    def timed(name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        rows.append((name, time.perf_counter() - start, "s"))

    with _empty_cache(), Progress("stages") as progress:
        with timed("import SymPy"):
            pass
        from symlie.models.registry import build_model
        from symlie.publish.sets import generated_files

        progress(0.1)
        with timed("derive"):
            equations = build_model(model, options).derive()
            _ = equations.emitted
        progress(0.4)
        with timed("emit"):
            files = generated_files(equations)
        with timed("compile kernels"):
            load_system(files, backend="c")
        progress(0.6)
        with timed("load"):
            system = load_system(files, backend="c")
        with timed("initial values"):
            _ = system.initial_state
        with timed("compile time loop"):
            solve(system, 1e-9, method=method, h=1e-9)
    return rows


@contextlib.contextmanager
def _empty_cache() -> Iterator[None]:
    before = os.environ.get("SYMLIE_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYMLIE_CACHE"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["SYMLIE_CACHE"]
            else:
                os.environ["SYMLIE_CACHE"] = before
