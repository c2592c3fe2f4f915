"""Compiler and its flags in tests."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from symlie.compile import compiler

DECLARED = (*compiler.BASE_FLAGS, "-Werror=implicit-function-declaration")
"""Calls of undeclared functions are errors also in code that is removed; tcc ignores this flag."""

AS_USERS = DECLARED, compiler.WITHOUT_STEPS
QUICKLY = tuple("-O0" if flag == "-O3" else flag for flag in DECLARED), ("-O0",)
"""Compiling takes a fifth of the time; ``test_optimization_is_bit_identical`` compares the bits of runs."""

QUICK_COMPILER = f"{Path(__file__).parent / 'quick_compiler'}{os.pathsep}"
"""Beginning of the search path with a compiler that takes a tenth of the time, if tcc is installed."""


def set_flags(*, as_users: bool) -> None:
    """Compile with the compiler and flags of users, or quickly."""
    compiler.BASE_FLAGS, compiler.WITHOUT_STEPS = AS_USERS if as_users else QUICKLY
    of_users = os.environ["PATH"].removeprefix(QUICK_COMPILER)
    path = of_users if as_users or shutil.which("tcc") is None else QUICK_COMPILER + of_users
    if path != os.environ["PATH"]:
        os.environ["PATH"] = path
        compiler.find_compiler.cache_clear()
