"""What a target is: text of a model and of sets of kernels, for one type of numbers."""

from __future__ import annotations

from typing import Protocol

from symlie.emit.c.target import C
from symlie.emit.numpy.target import NUMPY
from symlie.ir.kernels import EmittedModel
from symlie.ir.sets import SetKernels


class Target(Protocol):
    """A language with a type of numbers."""

    @property
    def real(self) -> str:
        """The type of all numbers, as its text names it."""

    @property
    def lanes(self) -> int | None:
        """States that one number stands for; None if as many as are given."""

    def model(self, model: EmittedModel, interface_hash: str) -> dict[str, str]:
        """Files of a model by name, which report a hash of all signatures."""

    def kernel_set(self, kernels: SetKernels, interface_hash: str) -> dict[str, str]:
        """Files of a further set of kernels by name, which report a hash of theirs."""


TARGETS: tuple[Target, ...] = (C, NUMPY)
"""What every model is emitted for."""
