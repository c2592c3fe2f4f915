"""Exported programs: strict compilation, and results of a ``main`` as numbers."""

from __future__ import annotations

import functools
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from symlie.models.registry import build_model
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]

STRICT = (
    "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wvla", "-Wdouble-promotion", "-Wshadow",
    "-Wstrict-prototypes", "-Werror",
)  # fmt: skip
EXACT = ("-O0", "-ffp-contract=off")
"""At any optimization level sums and products are rounded separately."""
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

_MAIN = """#include "p.h"
#include <stdio.h>
#include <string.h>

/* Print the bits of doubles, which small libraries do not print otherwise. */
static void print(const p_real *x, int n)
{
    for (int k = 0; k < n; k++) {
        const double value = (double)x[k];
        unsigned long long bits;
        memcpy(&bits, &value, sizeof bits);
        printf("%08lx%08lx ", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));
    }
}

static void show(const p_state *s)
{
    print(&s->t, 1);
    print(s->q, P_STORAGE);
    print(s->v, P_DIMENSION);
    print(s->lambda, P_ROWS);
    printf("\\n");
}

int main(void)
{
    static p_state s;
    p_parameters p = p_default_parameters;
    p_status status = p_initialize(&s, &p, 0);
    (void)show, (void)print;
"""


@functools.cache
def system_with(model: str, **options: Any) -> System:
    """A compiled system of a built-in model."""
    return build_model(model, options).derive().compile(backend="c")


def exported(system: System, folder: Path, **told: Any) -> Path:
    """Folder of C with the prefix ``p``, without measurement of the stack, which takes as long as a compilation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("symlie.export.folder.stack_on_this_machine", lambda *_: None)
        return system.export("c", folder, prefix="p", **told)


def results(
    folder: Path, statements: str, compiler: str = "gcc", options: Sequence[str] = EXACT, flags: Sequence[str] = STRICT
) -> list[NDArray[np.float64]]:
    """Lines of numbers that a program prints; its statements see s, p and status, and ``show(&s)`` prints a state."""
    main = folder / "main.c"
    main.write_text(f"{_MAIN}{statements}\n    return (int)status;\n}}\n", encoding="utf-8")
    program = folder / "program"
    command = [compiler, *flags, *options, "main.c", "p.c", "-lm", "-o", str(program)]
    built = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert built.returncode == 0, f"{' '.join(command)}\n{built.stderr[:4000]}"
    ran = subprocess.run([program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, (ran.returncode, ran.stderr)
    return [numbers(line) for line in ran.stdout.splitlines()]


def numbers(line: str) -> NDArray[np.float64]:
    """Numbers of a line of printed bits."""
    return np.array([struct.unpack(">d", bytes.fromhex(word))[0] for word in line.split()])


def last_state(solution: Solution, k: int = -1) -> NDArray[np.float64]:
    """Time, configuration, velocity and multipliers of a recorded state."""
    return np.concatenate([[solution.t[k]], solution.q[k], solution.v[k], solution.multipliers[k]])
