"""The operators of a group as data: kernels, layout, and reference values to check them with. All that `emit` sees."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.contract.manifest import FieldLayout
from symlie.contract.signature import Signature
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
class Operator:
    """A function of elements or of vectors of the algebra: one of the results."""

    signature: Signature
    description: str


@dataclass(frozen=True)
class ForcedBlock:
    """Components x of the storage with x' = L(θ) x + θ_x along exp(t θ), from which θ_x = φ₁(L)⁻¹ x follows."""

    components: tuple[int, ...]
    """Places of x in the storage."""
    targets: tuple[int, ...]
    """Places of θ_x in θ."""


@dataclass(frozen=True)
class MatrixLoops:
    """Sizes of the matrices of a factor whose functions are series; loops evaluate them.

    Kernels of such a factor are the operators in closed form and those that loops call: ``ad``, the matrices
    ``matrix0``, … of the kinematic equation and ``image``, which maps their exponentials to the storage. The logarithm
    is that of the matrix ``representation``: ``generator`` is its value at θ, and ``coordinates`` reads θ from it. Or
    the components ``known`` are followed by those of blocks with the matrices ``linear0``, ….
    """

    sizes: tuple[int, ...]
    """Rows of the matrices of the kinematic equation; none if the logarithm alone has no closed form."""
    representation: int
    """Rows of the matrix whose logarithm is taken; 0: blocks give the logarithm."""
    blocks: tuple[ForcedBlock, ...]


@dataclass(frozen=True)
class FactorOperators:
    """Operators of a group as kernels, or of one factor of a product as kernels or as loops over matrices."""

    dimension: int
    storage: int
    kernels: tuple[Kernel, ...]
    """In closed form the operators in the order of `GroupOperators.operators`; else see `MatrixLoops`."""
    loops: MatrixLoops | None = None


@dataclass(frozen=True)
class MatrixPicture:
    """The matrix that the storage of a factor has the entries of.

    Attributes
    ----------
    name
        Of the factor.
    rows
        Its entries as text: ``q[4]``, ``0`` or ``1``.
    """

    name: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class GroupOperators:
    """Stand-alone operators of one group.

    Operators, in order: ``exp``, ``log``, ``adjoint``, ``tangent_operator``, ``tangent_operator_inverse``,
    ``tangent_operator_derivative``, ``tangent_operator_inverse_derivative``; matrices are row-major.
    """

    group: str
    real: str
    """``double`` or ``float``; reference values are given at numbers that are exact in it."""
    dimension: int
    storage: int
    storage_fields: tuple[FieldLayout, ...]
    velocity_fields: tuple[FieldLayout, ...]
    matrices: tuple[MatrixPicture, ...]
    """Of the factors that are groups of matrices."""
    operators: tuple[Operator, ...]
    factors: tuple[FactorOperators, ...]
    """One with the kernels of the whole group where all are closed forms; else one for each simple factor."""
    storage_rate: Kernel
    """K(q) v, the rate of the storage: what relates T to difference quotients of exp."""
    schemes: tuple[Scheme, ...]
    samples: tuple[OperatorSample, ...]
    function_samples: tuple[FunctionSample, ...]

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Kernels of all factors."""
        return tuple(k for f in self.factors for k in f.kernels)

    @property
    def has_series(self) -> bool:
        """Whether some factor has operators without closed forms, which are evaluated by loops."""
        return any(f.loops for f in self.factors)
