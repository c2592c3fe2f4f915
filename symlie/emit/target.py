"""Interface of targets: files of models and sets of kernels, for one number type."""

from __future__ import annotations

from typing import Protocol

from symlie.emit.c.target import C
from symlie.emit.numpy.target import NUMPY
from symlie.ir.kernels import EmittedModel
from symlie.ir.sets import SetKernels


class Target(Protocol):
    """A language with a number type."""

    @property
    def real(self) -> str:
        """Name of the number type."""

    @property
    def lanes(self) -> int | None:
        """Number of states in one number, or None for arrays of any length."""

    def model(self, model: EmittedModel, interface_hash: str) -> dict[str, str]:
        """Return the files of a model by name, which contain a hash of all signatures."""

    def kernel_set(self, kernels: SetKernels, interface_hash: str) -> dict[str, str]:
        """Return the files of a set of kernels by name, which contain a hash of their signatures."""


TARGETS: tuple[Target, ...] = (C, NUMPY)
"""Targets of every model."""
