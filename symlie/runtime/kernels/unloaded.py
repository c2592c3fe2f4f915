"""Placeholder for the kernels of a system whose generated code is not run."""

from __future__ import annotations

from typing import Any, NoReturn

from symlie.errors import CodeNotLoadedError
from symlie.runtime.kernels.matrices import SystemMatrices
from symlie.runtime.kernels.numpy import Functions
from symlie.runtime.kernels.sets import KernelSets

_SENTENCE = (
    "The code in the file of this solution was not executed, so only its fields, outputs, multipliers and plots are "
    "available; load_solution(path, trust=True) executes the code, if you trust the origin of the file."
)


class _Unloaded:
    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise CodeNotLoadedError(_SENTENCE)


def unloaded() -> Any:
    """Return an object that raises an error on any attribute access."""
    return _Unloaded()


class UnloadedSets(KernelSets):
    """Kernel sets stored as text, which raise an error on use."""

    def functions(self, name: str) -> Functions:
        raise CodeNotLoadedError(_SENTENCE)

    def matrices(self, name: str) -> SystemMatrices:
        raise CodeNotLoadedError(_SENTENCE)
