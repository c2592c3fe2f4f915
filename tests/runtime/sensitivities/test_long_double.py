"""Tangents of steps against differences of the same steps in extended precision.

The exported C of a run is compiled with ``long double``, which has 11 more bits than double, with a parameter
that is read from the command line. Differences of order six then have errors far below the rounding of a run in double.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import heavy_top_equations

COMPILER = shutil.which("gcc")
END, H = 0.1, 1e-3
WEIGHTS = (45 / 60, -9 / 60, 1 / 60)
RELATIVE = 2e-3
"""Step of the differences, relative to the parameter: their truncation is about 36 × 6e-17."""

TIGHT = {"newton_rtol": 1e-19, "newton_atol": 1e-18, "newton_max": 40}
"""Newton's method iterates to the rounding of double in a run, and of long double in its differences."""

CASES = [
    ("SE3", "half_explicit_5", {}),
    ("S3xR3", "half_explicit_3", {}),
    ("SO3xR3", "half_explicit_4", {}),
    ("SO3", "rkmk_dopri5", {}),
    ("S3", "cf43", {}),
    ("SO3", "abmk3", {}),
    ("S3sR3", "index1_dopri5", {}),
    ("SE3", "generalized_alpha_index2", TIGHT),
    ("SO3", "generalized_alpha", TIGHT),
    ("S3xR3", "bdf2_increments_index2", TIGHT),
    ("SE3", "bdf2_index2", TIGHT),
    ("SO3", "bdf2", TIGHT),
]


@functools.cache
def top(group: str) -> System:
    return heavy_top_equations(group).compile(backend="c")


NUMBER = "typedef double p_real;"
ROUNDING = f"#define ROUNDING {2.0**-52!r}"
"""Newton's method ends at this rounding, whose remainders would be divided by the step of the differences."""

MAIN = """#include <stdio.h>
#include <stdlib.h>
#include "p.h"

int main(int count, char **words)
{
    static p_state s;
    p_parameters p = p_default_parameters;
    ((p_real *)&p)[atoi(words[2])] += strtold(words[3], 0);
    p_status status = p_initialize(&s, &p, 0);
    if (status == P_OK) status = p_advance(&s, &p, strtold(words[1], 0), STEP);
    printf("%.21Lg", s.t);
    for (int k = 0; k < P_STORAGE; k++) printf(" %.21Lg", s.q[k]);
    for (int k = 0; k < P_DIMENSION; k++) printf(" %.21Lg", s.v[k]);
    for (int k = 0; k < P_ROWS; k++) printf(" %.21Lg", s.lambda[k]);
    return status;
}
"""


def extended_program(system: System, folder: Path, method: str, h: float, options: dict[str, object]) -> Path:
    """Compile the exported program with long double, with a change of one parameter as second and third argument."""
    system.export("c", folder, prefix="p", h=h, method=method, method_options=options)
    (folder / "main.c").write_text(MAIN)
    replace_in(folder / "p.h", NUMBER, f"#include <tgmath.h>\n{NUMBER.replace('double', 'long double')}")
    if "newton_rtol" in options:
        replace_in(folder / "p.c", ROUNDING, "#include <float.h>\n#define ROUNDING LDBL_EPSILON")
    program = folder / "program"
    command = [str(COMPILER), "-std=c99", "-O1", "-w", "-ffp-contract=off", f"-DSTEP={h!r}"]
    subprocess.run([*command, "main.c", "p.c", "-o", str(program), "-lm"], cwd=folder, check=True)
    return program


def replace_in(file: Path, text: str, replacement: str) -> None:
    found = file.read_text()
    assert found.count(text) == 1
    file.write_text(found.replace(text, replacement))


def end_of(program: Path, parameter: int, change: np.longdouble) -> tuple[list[str], np.ndarray]:
    """Return the printed numbers of the end of a run with a changed parameter."""
    arguments = [str(program), str(END), str(parameter), np.format_float_scientific(change, precision=24)]
    printed = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()
    return printed, np.array([np.longdouble(x) for x in printed])


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None or np.finfo(np.longdouble).nmant < 63, reason="gcc with 80-bit numbers is missing")
@pytest.mark.parametrize(("group", "method", "options"), CASES)
def test_tangents_equal_extended_differences(
    group: str, method: str, options: dict[str, object], tmp_path: Path
) -> None:
    system = top(group)
    found = sl.sensitivity(
        system, END, wrt=["mass", "inertia", "gravity"], method=method, h=H, method_options=options or None
    )
    program, layout = extended_program(system, tmp_path, method, H, options), system.layout
    places = [0, 1, 2, 3, 7, 8, 9]
    for k, place in enumerate(places):
        values = [15.0, 0.234375, 0.46875, 0.234375, 0, 0, 0, 9.81, 9.81, 9.81]
        step = np.longdouble(RELATIVE * values[place])
        difference = np.zeros(1 + layout.storage + layout.dimension + layout.rows, dtype=np.longdouble)
        for j, weight in enumerate(WEIGHTS, start=1):
            after, before = (end_of(program, place, sign * j * step)[1] for sign in (1, -1))
            difference += np.longdouble(weight) * (after - before) / step
        q, v, multipliers = np.split(difference[1:].astype(float), np.cumsum([layout.storage, layout.dimension]))
        rate = system.sets.nodes("ambient").storage_rate(found.solution.q[-1], found.configuration[-1, :, k])
        for name, tangent, expected in (
            ("q", rate, q), ("v", found.velocity[-1, :, k], v), ("λ", found.multipliers[-1, :, k], multipliers)
        ):  # fmt: skip
            check(name, tangent, expected)


def check(name: str, found: Array, expected: Array) -> None:
    if len(expected):
        np.testing.assert_allclose(
            found, expected, rtol=0, atol=tolerances.EXTENDED_DIFFERENCES * np.abs(expected).max(), err_msg=name
        )
