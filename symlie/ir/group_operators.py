"""The operators of a group as data: kernels, layout, and reference values to check them with. All that `emit` sees."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.contract.manifest import FieldLayout
from symlie.ir.kernels import Kernel
from symlie.ir.schemes import Scheme


@dataclass(frozen=True)
class OperatorSample:
    """Values of all operators at one θ, correct in all printed digits.

    Decimal texts, because no target's floating-point numbers hold them.
    """

    description: str
    theta: tuple[float, ...]
    w: tuple[float, ...]
    values: dict[str, tuple[str, ...]]
    """Kernel name → components; ``log`` is missing where θ is not the shortest logarithm."""
    condition: float
    """Factor by which the pole of T⁻¹ at 2π amplifies rounding of θ, at least 1."""


@dataclass(frozen=True)
class FunctionSample:
    """Value of a coefficient function, as a decimal text, and the size that its error is judged by."""

    function: str
    z: float
    value: str
    scale: float


@dataclass(frozen=True)
class GroupOperators:
    """Stand-alone operators of one group.

    Kernels, in order: ``exp``, ``log``, ``adjoint``, ``tangent_operator``, ``tangent_operator_inverse``,
    ``tangent_operator_derivative``, ``tangent_operator_inverse_derivative``; matrices are row-major.
    """

    group: str
    real: str
    """``double`` or ``float``; reference values are given at numbers that are exact in it."""
    dimension: int
    storage: int
    storage_fields: tuple[FieldLayout, ...]
    velocity_fields: tuple[FieldLayout, ...]
    kernels: tuple[Kernel, ...]
    storage_rate: Kernel
    """K(q) v, the rate of the storage: what relates T to difference quotients of exp."""
    schemes: tuple[Scheme, ...]
    has_series: bool
    """Whether some factor has no closed forms; exp, T and T⁻¹ of it are series, and NaN outside of their domain."""
    samples: tuple[OperatorSample, ...]
    function_samples: tuple[FunctionSample, ...]
