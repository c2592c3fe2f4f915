"""C as a target. All numbers are of one type, double unless -DSYMLIE_REAL names another for the compiler."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.contract.kernels import REAL
from symlie.emit.c.model import emit_c
from symlie.emit.c.sets import emit_c_set
from symlie.ir.kernels import EmittedModel
from symlie.ir.sets import SetKernels


@dataclass(frozen=True)
class CTarget:
    """The C target."""

    real: str = REAL
    lanes: int | None = 1

    def model(self, model: EmittedModel, interface_hash: str) -> dict[str, str]:
        """Header and source of a model."""
        return emit_c(model, interface_hash)

    def kernel_set(self, kernels: SetKernels, interface_hash: str) -> dict[str, str]:
        """Header and source of a set of kernels."""
        return emit_c_set(kernels, interface_hash)


C = CTarget()
"""The one that models are emitted for."""
