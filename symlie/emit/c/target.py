"""C as a target, with one number type: double, or the type defined by the compiler option -DSYMLIE_REAL."""

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
        """Return header and source of a model."""
        return emit_c(model, interface_hash)

    def kernel_set(self, kernels: SetKernels, interface_hash: str) -> dict[str, str]:
        """Return header and source of a set of kernels."""
        return emit_c_set(kernels, interface_hash)


C = CTarget()
"""Target of all models."""
