"""Matrices of derivatives of a model as data: one kernel for each element type that has any.

There are two sets: Newton matrices, which implicit methods, statics and linearisation need, and those of inputs and
outputs, which a state space has besides.
"""

from __future__ import annotations

from dataclasses import dataclass

from symlie.ir.kernels import Kernel, SparsePattern
from symlie.ir.schemes import Scheme


@dataclass(frozen=True)
class MatrixKind:
    """A matrix of derivatives of a whole system.

    Its rows and columns are ``velocities`` (components), ``rows`` (of constraints), ``inputs`` or ``outputs``.
    """

    name: str
    letter: str
    rows: str
    columns: str
    meaning: str


NEWTON = (
    MatrixKind("stiffness", "K", "velocities", "velocities", "D_q(M a + g + Bᵀ λ)"),
    MatrixKind("damping", "C", "velocities", "velocities", "∂g/∂v"),
    MatrixKind("hidden", "H", "rows", "velocities", "D_q(B v + b)"),
)
"""The Newton matrices."""

PORTS = (
    MatrixKind("force_by_input", "Fu", "velocities", "inputs", "∂(M a + g + Bᵀ λ)/∂u"),
    MatrixKind("constraint_by_input", "Pu", "rows", "inputs", "∂Φ/∂u"),
    MatrixKind("hidden_by_input", "Bu", "rows", "inputs", "∂(B v + b)/∂u"),
    MatrixKind("output_by_configuration", "Yq", "outputs", "velocities", "D_q y"),
    MatrixKind("output_by_velocity", "Yv", "outputs", "velocities", "∂y/∂v"),
    MatrixKind("output_by_multipliers", "Yl", "outputs", "rows", "∂y/∂λ"),
    MatrixKind("output_by_input", "Yu", "outputs", "inputs", "∂y/∂u"),
)
"""Derivatives by inputs u and of outputs y."""

SETS = {"tangents": NEWTON, "ports": PORTS}
"""Sets of matrices by the end of the names of their files."""


@dataclass(frozen=True)
class ElementTypeTangents:
    """Matrices of an element type."""

    name: str
    places: tuple[tuple[int, int], ...]
    """Storage and velocity components of each local node."""
    rows: int
    """Constraint rows of an instance."""
    patterns: tuple[SparsePattern, ...]
    """Positions of the stored values of each matrix of the set."""
    kernel: Kernel | None
    """Takes (t, q, v, a, λ, parameters) to the stored values; None if all vanish."""


@dataclass(frozen=True)
class ModelTangents:
    """Matrices of all element types of a model, in the order of its kernels."""

    name: str
    kind: str
    """Which of `SETS`."""
    elements: tuple[ElementTypeTangents, ...]

    @property
    def matrices(self) -> tuple[MatrixKind, ...]:
        """What the matrices are."""
        return SETS[self.kind]

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels in order of emission."""
        return tuple(e.kernel for e in self.elements if e.kernel is not None)

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """Schemes of all coefficient functions used, by name."""
        found = {s.function: s for k in self.kernels for s in k.body.schemes}
        return tuple(found[name] for name in sorted(found))
