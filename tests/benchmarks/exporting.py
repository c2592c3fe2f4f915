"""CPU time per step of exported C and of functional mock-up units, relative to compiled systems.

    python -m tests.benchmarks.exporting [--rounds 15] [--only rod]

Minima of alternating samples on one processor. Exported C is compiled with the flags of compiled systems; units contain
the binaries that users get, and take one step per communication point through `fmi2DoStep`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from symlie.compile.compiler import BASE_FLAGS, OPTIMIZATIONS, find_compiler
from symlie.models.registry import build_model
from symlie.runtime.study.timing import step_timer
from symlie.runtime.system.system import System
from tests.benchmarks.handwritten import stay_on_one_processor

FLAGS = (*(f for f in BASE_FLAGS if f.startswith(("-O", "-fno"))), *OPTIMIZATIONS["default"])
"""Flags of compiled systems, for programs."""


class Case(NamedTuple):
    """A model with options, a method, a step size in s, and the number of steps of a sample."""

    model: str
    options: dict[str, Any]
    method: str
    h: float
    steps: int


CASES: dict[str, Case] = {
    "heavy top on SE(3), half_explicit_5": Case("heavy_top", {"group": "SE3"}, "half_explicit_5", 2.0**-11, 4000),
    "heavy top on SE(3), generalized_alpha": Case("heavy_top", {"group": "SE3"}, "generalized_alpha", 2.0**-11, 2000),
    "rod of 16 segments, half_explicit_5": Case("roll_up", {"segments": 16}, "half_explicit_5", 1e-5, 500),
    "rod of 16 segments, generalized_alpha": Case("roll_up", {"segments": 16}, "generalized_alpha", 1e-4, 200),
}

_CLOCK = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5 }; /* the first one also loads the program */

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return 1e9 * (double)at.tv_sec + (double)at.tv_nsec;
}
"""

_OF_C = (
    '#include "p.h"\n'
    + _CLOCK
    + """
int main(int count, char **words)
{
    static p_state s;
    const p_parameters p = p_default_parameters;
    const int steps = atoi(words[count - 3]), calls = atoi(words[count - 2]);
    const double h = atof(words[count - 1]);
    double least = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        p_status status = p_initialize(&s, &p, 0);
        const double begin = now();
        if (calls == 1) status = p_advance(&s, &p, steps * h, h);
        for (int k = 0; k < steps && calls > 1 && status == P_OK; k++) status = p_step(&s, &p, h);
        const double elapsed = (now() - begin) / steps;
        if (status) return (int)status;
        if (elapsed < least) least = elapsed;
    }
    printf("%.17g\\n", least);
    return 0;
}
"""
)

_OF_UNIT = (
    '#include "fmi2Functions.h"\n'
    + _CLOCK
    + """
int main(int count, char **words)
{
    const fmi2CallbackFunctions callbacks = {0, calloc, free, 0, 0};
    const int steps = atoi(words[count - 3]);
    const double h = atof(words[count - 2]);
    double least = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        fmi2Component unit = fmi2Instantiate("one", fmi2CoSimulation, words[count - 1], "", &callbacks, 0, 0);
        if (!unit) return 1;
        fmi2SetupExperiment(unit, 0, 0, 0, 0, 0);
        fmi2EnterInitializationMode(unit);
        fmi2Status status = fmi2ExitInitializationMode(unit);
        const double begin = now();
        for (int k = 0; k < steps && status == fmi2OK; k++) status = fmi2DoStep(unit, k * h, h, 1);
        const double elapsed = (now() - begin) / steps;
        fmi2FreeInstance(unit);
        if (status) return (int)status;
        if (elapsed < least) least = elapsed;
    }
    printf("%.17g\\n", least);
    return 0;
}
"""
)


def compiled(folder: Path, text: str, options: Sequence[str], words: Sequence[object]) -> Callable[[], float]:
    """Return a function that runs a program with arguments and returns its least CPU nanoseconds per step."""
    (folder / "main.c").write_text(text, encoding="utf-8")
    command = [*find_compiler().command, "-std=gnu99", *options, "-o", "program"]
    subprocess.run(command, cwd=folder, check=True)

    def sample() -> float:
        ran = subprocess.run(
            [folder / "program", *map(str, words)], cwd=folder, check=True, capture_output=True, text=True
        )
        return float(ran.stdout)

    return sample


def timers_of_c(system: System, case: Case, folder: Path) -> list[Callable[[], float]]:
    """Return the timers of exported C, with one call for all steps and with one call for each step."""
    system.export("c", folder, prefix="p", method=case.method, h=case.h)
    options = [*FLAGS, "main.c", "p.c", "-lm"]
    return [compiled(folder, _OF_C, options, [case.steps, calls, case.h]) for calls in (1, case.steps)]


def timer_of_unit(system: System, case: Case, folder: Path) -> Callable[[], float]:
    """Return the timer of a unit for co-simulation."""
    folder.mkdir()
    file = system.export("fmu2", folder / "unit.fmu", prefix="p", method=case.method, h=case.h)
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    found = re.search(r'guid="([^"]*)"', (folder / "modelDescription.xml").read_text(encoding="utf-8"))
    assert found
    (binary,) = (folder / "binaries").glob("*/p.*")
    options = ["-O2", "-Isources", "main.c", str(binary), f"-Wl,-rpath,{binary.parent}", "-lm"]
    return compiled(folder, _OF_UNIT, options, [case.steps, case.h, found[1]])


def main() -> None:
    """Measure all cases and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="part of the names of cases")
    arguments = parser.parse_args()
    stay_on_one_processor()
    print("| model and method | compiled system, µs | `_advance` | `_step` | unit |\n|---|---|---|---|---|")
    for name, case in ((name, case) for name, case in CASES.items() if arguments.only in name):
        system = build_model(case.model, case.options).derive().compile(backend="c")
        with tempfile.TemporaryDirectory() as folder:
            timers = [
                step_timer(system, case.method, case.h, case.steps),
                *timers_of_c(system, case, Path(folder, "c")),
                timer_of_unit(system, case, Path(folder, "unit")),
            ]
            samples = [[timer() for timer in timers] for _ in range(arguments.rounds)]
        inside, *others = (min(column) for column in zip(*samples, strict=True))
        ratios = " | ".join(f"{other / inside:.2f}" for other in others)
        print(f"| {name} | {inside / 1e3:.2f} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
