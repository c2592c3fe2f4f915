"""NumPy as a target: components are numbers, or arrays over states and elements."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.emit.numpy.model import emit_numpy, numpy_module
from symlie.ir.kernels import EmittedModel
from symlie.ir.sets import SetKernels


@dataclass(frozen=True)
class NumpyTarget:
    """The NumPy target."""

    real: str = "float64"
    lanes: int | None = None

    def model(self, model: EmittedModel, interface_hash: str) -> dict[str, str]:
        """Return the module of a model."""
        return emit_numpy(model, interface_hash)

    def kernel_set(self, kernels: SetKernels, interface_hash: str) -> dict[str, str]:
        """Return the module of a set of kernels."""
        text = numpy_module(kernels.model, kernels.kernels, kernels.schemes, interface_hash)
        return {f"{kernels.model}_{kernels.set.name}.py": text}


NUMPY = NumpyTarget()
"""Target of all models."""
