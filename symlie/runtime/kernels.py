"""The kernels of a whole system: the same functions on the same arrays, from C or from NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from symlie.runtime.layout import Array
from symlie.showing import Brief


@dataclass(frozen=True, eq=False, repr=False)
class Prepared(Brief):
    """Parameters of the model and of all elements, with the constants computed from them."""

    model: Array
    elements: tuple[Array, ...]
    """For each element type one row for all instances or one for each."""
    cache: dict[int, Any] = field(default_factory=dict)
    """What a backend builds once from these parameters."""


class Kernels(Protocol):
    """Functions of a system; q (storage), v and u (dimension) are vectors, p are prepared parameters.

    ``mass`` and ``jacobian`` return stored values; `symlie.runtime.algebra` says where each belongs.
    """

    def prepare(self, parameters: Array, elements: Sequence[Array]) -> Prepared:
        """Parameters followed by the constants that depend on them alone."""

    def initial(self, p: Prepared) -> tuple[Array, Array]:
        """Stated initial (q, v) of the nodes that are not arrays."""

    def advance(self, q: Array, u: Array) -> Array:
        """q∘exp(u)."""

    def rate(self, u: Array, w: Array) -> Array:
        """T⁻¹(u) w."""

    def transport(self, u: Array, w: Array) -> Array:
        """T(u) w."""

    def bracket(self, u: Array, w: Array) -> Array:
        """[u, w]."""

    def difference(self, q: Array, b: Array) -> Array:
        """log(q⁻¹∘b), on groups; (|b - q|, 0, …) of stored components of nodes on other spaces."""

    def normalize(self, q: Array) -> Array:
        """q after one step back to the group."""

    def chart(self, u: Array) -> float:
        """Largest squared rotation angle in u."""

    def prescribe(self, p: Prepared, t: float, q: Array, v: Array) -> None:
        """Overwrite configuration and velocity of prescribed nodes."""

    def prescribed_acceleration(self, p: Prepared, t: float) -> Array:
        """v' of prescribed nodes, zero for all others."""

    def mass(self, p: Prepared, t: float, q: Array) -> Array:
        """Stored values of M(q)."""

    def force(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        """g(t, q, v)."""

    def field(self, p: Prepared, t: float, q: Array, a: Array, multipliers: Array, v: Array) -> Array:
        """v, with the algebra-valued fields of nodes that have no velocity in their place."""

    def symplectic(self, p: Prepared, t: float, q: Array, u: Array, h: float, theta: float) -> tuple[Array, Array]:
        """u - h f(t, stage) of the symplectic θ-family, and its derivative by u (dimension × dimension)."""

    def symplectic_end(self, p: Prepared, t: float, q: Array, u: Array, h: float, theta: float) -> Array:
        """The configuration at the end of a step of the symplectic θ-family."""

    def accelerated_energy(self, p: Prepared, t: float, q: Array, v: Array, a: Array) -> float:
        """The part of the energy that depends on accelerations."""

    def energy(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        """Kinetic and potential energy."""

    def outputs(self, p: Prepared, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        """All named outputs, one after the other."""

    def events(self, p: Prepared, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        """Scalars whose zeros are events; `Layout.events` says which is which."""

    def constraint(self, p: Prepared, t: float, q: Array) -> Array:
        """Φ(t, q)."""

    def jacobian(self, p: Prepared, t: float, q: Array) -> Array:
        """Stored values of B(t, q)."""

    def constraint_rate(self, p: Prepared, t: float, q: Array) -> Array:
        """b(t, q) = ∂Φ/∂t."""

    def curvature(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        """Z(t, q, v)."""
