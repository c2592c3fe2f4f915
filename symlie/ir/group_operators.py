"""The operators of a group as data: kernels, layout, and reference values; the only input of `emit`."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.contract.manifest import FieldLayout
from symlie.contract.signature import Signature
from symlie.ir.kernels import Kernel
from symlie.ir.schemes import Scheme


@dataclass(frozen=True)
class OperatorSample:
    """Reference values of all operators at one θ, correct in all printed digits."""

    # Decimal texts, because floating-point numbers of no target hold them.

    description: str
    theta: tuple[float, ...]
    w: tuple[float, ...]
    values: dict[str, tuple[str, ...]]
    """Components by kernel name; ``log`` is missing unless θ is the shortest logarithm."""
    condition: float
    """Factor by which the pole of T⁻¹ at 2π amplifies rounding of θ, at least 1."""


@dataclass(frozen=True)
class FunctionSample:
    """Value of a coefficient function, as a decimal text, and the scale of its error."""

    function: str
    z: float
    value: str
    scale: float


@dataclass(frozen=True)
class Operator:
    """Function of group elements or of algebra vectors: one of the results."""

    signature: Signature
    description: str


@dataclass(frozen=True)
class ForcedBlock:
    """Components x of the storage with x' = L(θ) x + θ_x along exp(t θ), from which θ_x = φ₁(L)⁻¹ x follows."""

    components: tuple[int, ...]
    """Indices of x in the storage."""
    targets: tuple[int, ...]
    """Indices of θ_x in θ."""


@dataclass(frozen=True)
class MatrixLoops:
    """Sizes of the matrices of a factor whose functions are series, which loops evaluate."""

    # The kernels of such a factor are the operators in closed form and those that loops call: ``ad``, the matrices
    # ``matrix0``, … of the kinematic equation and ``image``, which maps their exponentials to the storage. The
    # logarithm is that of the matrix ``representation``: ``generator`` is its value at θ, and ``coordinates`` reads θ
    # from it. Alternatively the components ``known`` are followed by those of blocks with the matrices ``linear0``, ….

    sizes: tuple[int, ...]
    """Sizes of the matrices of the kinematic equation; empty if only the logarithm has no closed form."""
    representation: int
    """Size of the matrix whose logarithm is taken; 0 if blocks give the logarithm."""
    blocks: tuple[ForcedBlock, ...]


@dataclass(frozen=True)
class FactorOperators:
    """Operators of a group as kernels, or of one factor of a product as kernels or as loops over matrices."""

    dimension: int
    storage: int
    kernels: tuple[Kernel, ...]
    """Closed-form operators in the order of `GroupOperators.operators`; otherwise see `MatrixLoops`."""
    loops: MatrixLoops | None = None


@dataclass(frozen=True)
class MatrixPicture:
    """Matrix whose entries are the storage of a factor, as texts ``q[4]``, ``0`` or ``1`` by row."""

    name: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class GroupOperators:
    """Stand-alone operators of one group."""

    # Operators, in order: ``exp``, ``log``, ``adjoint``, ``tangent_operator``, ``tangent_operator_inverse``,
    # ``tangent_operator_derivative``, ``tangent_operator_inverse_derivative``; matrices are row-major.

    group: str
    real: str
    """``double`` or ``float``; the arguments of reference values are exact in it."""
    dimension: int
    storage: int
    storage_fields: tuple[FieldLayout, ...]
    velocity_fields: tuple[FieldLayout, ...]
    matrices: tuple[MatrixPicture, ...]
    """Matrices of the factors that are matrix groups."""
    operators: tuple[Operator, ...]
    factors: tuple[FactorOperators, ...]
    """One entry with the kernels of the whole group if all are closed forms; else one for each simple factor."""
    storage_rate: Kernel
    """K(q) v, the rate of the storage, which relates T to difference quotients of exp."""
    schemes: tuple[Scheme, ...]
    samples: tuple[OperatorSample, ...]
    function_samples: tuple[FunctionSample, ...]

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Kernels of all factors."""
        return tuple(k for f in self.factors for k in f.kernels)

    @property
    def has_series(self) -> bool:
        """Return whether some factor has operators without closed forms, which loops evaluate."""
        return any(f.loops for f in self.factors)
