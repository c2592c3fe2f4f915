"""Compiler flags of tests."""

from __future__ import annotations

from symlie.compile import compiler

AS_USERS = compiler.BASE_FLAGS, compiler.WITHOUT_STEPS
QUICKLY = tuple("-O0" if flag == "-O3" else flag for flag in compiler.BASE_FLAGS), ("-O0",)
"""Compiling takes a fifth of the time. Runs have the same bits: ``test_optimization_keeps_every_bit`` compares them."""


def set_flags(*, as_users: bool) -> None:
    """Compile with the flags of users, or quickly."""
    compiler.BASE_FLAGS, compiler.WITHOUT_STEPS = AS_USERS if as_users else QUICKLY
