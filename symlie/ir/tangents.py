"""Newton matrices of a model as data: one kernel for each element type that has any."""

from __future__ import annotations

from dataclasses import dataclass

from symlie.ir.kernels import Kernel, SparsePattern
from symlie.ir.schemes import Scheme


@dataclass(frozen=True)
class ElementTypeTangents:
    """K and C of an element type."""

    name: str
    places: tuple[tuple[int, int], ...]
    """Storage and velocity components of each local node."""
    rows: int
    """Constraint rows of an instance."""
    stiffness: SparsePattern
    damping: SparsePattern
    kernel: Kernel | None
    """Takes (t, q, v, a, λ, parameters) to the stored values of K and C; None if both vanish."""


@dataclass(frozen=True)
class ModelTangents:
    """Newton matrices of all element types of a model, in the order of its kernels."""

    name: str
    elements: tuple[ElementTypeTangents, ...]

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """All kernels in order of emission."""
        return tuple(e.kernel for e in self.elements if e.kernel is not None)

    @property
    def schemes(self) -> tuple[Scheme, ...]:
        """Schemes of all coefficient functions used, by name."""
        found = {s.function: s for k in self.kernels for s in k.body.schemes}
        return tuple(found[name] for name in sorted(found))
