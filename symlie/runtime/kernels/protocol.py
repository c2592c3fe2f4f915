"""Kernels of a whole system: the same functions on the same arrays, from C or from NumPy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from symlie.contract.kernels import KERNELS, Gather, SystemKernel, instance_size
from symlie.runtime.layout.layout import Array, Layout
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.compile.library import Pointer


@dataclass(frozen=True, eq=False, repr=False)
class Prepared(Brief):
    """Parameters of the model and of all elements, with the constants computed from them.

    Parameters of several systems of one topology have a leading axis.
    """

    model: Array
    elements: tuple[Array, ...]
    """For each element type one row for all elements or one row for each."""
    cache: dict[int, tuple[Pointer, object]] = field(default_factory=dict)
    """Objects that a backend builds once from these parameters."""


@dataclass(frozen=True, eq=False, repr=False)
class States(Brief):
    """States of a system with a leading axis.

    Attributes
    ----------
    t
        Times, shape (n,), in s.
    q, v, multipliers
        Configurations (n, storage), velocities (n, dimension), λ (n, rows).
    carried
        Auxiliary integrator state, shape (n, carried); empty if not needed.
    """

    t: Array
    q: Array
    v: Array
    multipliers: Array
    carried: Array = field(default_factory=lambda: np.empty((0, 0)))

    def __getitem__(self, chosen: slice | NDArray[np.intp]) -> States:
        """Select states."""
        carried = self.carried[chosen] if len(self.carried) else self.carried
        return States(self.t[chosen], self.q[chosen], self.v[chosen], self.multipliers[chosen], carried)


TERMS = ("mass", "jacobian", "force", "constraint", "hidden_residual")
"""Terms of the equations of motion."""

QUANTITIES = (
    "energy", "constraint_residual", "velocity_residual", "constraint_force", "acceleration", "multipliers", *TERMS,
)  # fmt: skip
"""Quantities that `Kernels.observe` computes for any model."""


def system_kernel(name: str) -> SystemKernel:
    """Entry of the kernel table for an attribute of `Kernels`; `AttributeError` if there is none."""
    if name not in KERNELS or KERNELS[name].gather is Gather.OWN:
        raise AttributeError(f"System kernel '{name}' does not exist.")
    return KERNELS[name]


def result_size(kernel: SystemKernel, layout: Layout) -> int:
    """Number of values of a system kernel."""
    if kernel.gather is Gather.STORED:
        sizes = (instance_size(e, kernel.size) for e in layout.elements)
        return sum(size * count for size, count in zip(sizes, layout.instance_counts, strict=True))
    if kernel.gather is Gather.TOTAL:
        return int(kernel.size)
    if kernel.size == "square":
        return sum(n.count * n.type.dimension**2 for n in layout.nodes)
    return layout.storage if kernel.size == "storage" else layout.dimension


class Kernels(Protocol):
    """Functions of a system; q (storage), v and u (dimension) are vectors, p are preprocessed parameters.

    All entries of `symlie.contract.kernels.SYSTEM_KERNELS` are attributes. Their arguments are the preprocessed
    parameters, except for kernels of nodes alone, and those of their table entry: ``force(p, t, q, v)``. ``mass`` and
    ``jacobian`` return stored values, whose indices `symlie.runtime.linear.schur` defines; `Layout.events` identifies
    events.
    """

    def __getattr__(self, name: str) -> Callable[..., Array]:
        """A system kernel."""

    def prepare(self, parameters: Array, elements: Sequence[Array]) -> Prepared:
        """Parameters followed by the constants that depend only on them."""

    def initial(self, p: Prepared) -> tuple[Array, Array]:
        """Specified initial (q, v) of all nodes that are not node arrays."""

    def chart(self, q: Array, u: Array) -> float:
        """Largest squared rotation angle in u; beyond the limit if local coordinates pass a singularity between q and
        q∘exp(u)."""

    def prescribe(self, p: Prepared, t: float, q: Array, v: Array) -> None:
        """Overwrite configuration and velocity of prescribed nodes."""

    def prescribed_acceleration(self, p: Prepared, t: float) -> Array:
        """v' of prescribed nodes, zero for all others."""

    def field(self, p: Prepared, t: float, q: Array, a: Array, multipliers: Array, v: Array) -> Array:
        """v, in which the components of first-order states are replaced by their algebra-valued vector fields."""

    def symplectic(self, p: Prepared, t: float, q: Array, u: Array, h: float, theta: float) -> tuple[Array, Array]:
        """u - h f(t, stage) of the symplectic θ-family, and its derivative with respect to u (dimension ×
        dimension)."""

    def symplectic_end(self, p: Prepared, t: float, q: Array, u: Array, h: float, theta: float) -> Array:
        """The configuration at the end of a step of the symplectic θ-family."""

    def observe(
        self, p: Prepared, states: States, quantities: Collection[str], outputs: Sequence[str] = ()
    ) -> dict[str, Array]:
        """Compute the requested quantities of states with a leading axis.

        Parameters
        ----------
        p
            Preprocessed parameters.
        states
            The states.
        quantities
            Some of `QUANTITIES`: the energy, the largest |entry| of Φ and of B v + b, shape (n,); -Bᵀλ of the
            multipliers of the states, and v' of the acceleration-level system, shape (n, dimension); its λ, shape
            (n, rows); stored values of M and B; g, shape (n, dimension); Φ and B v + b, shape (n, rows). Values of the
            acceleration-level system are NaN if undetermined.
        outputs
            Names of outputs of the model.

        Returns
        -------
        dict
            Values by quantity, and under ``outputs`` those of all requested outputs, shape (n, components), in order.
        """

    def accelerations(self, p: Prepared, states: States) -> tuple[Array, Array, int]:
        """v' (n, dimension) and λ (n, rows) of the acceleration-level system, and the index of the first state at which
        they are undetermined or not finite; the number of states if there is none."""

    def acceleration_at(self, p: Prepared, t: float, q: Array, v: Array) -> tuple[Array, Array, bool]:
        """v' (dimension) and λ (rows) of the acceleration-level system at one state, and whether they are determined
        and finite."""

    def inverse_dynamics_of(self, p: Prepared, states: States, acceleration: Array) -> Array:
        """M a + g of states with a leading axis, shape (n, dimension)."""

    def normalize_rows(self, q: Array) -> Array:
        """Configurations (n, storage) after one step back to their groups."""

    def prescribe_rows(self, p: Prepared, t: Array, q: Array, v: Array) -> None:
        """Overwrite configurations and velocities of prescribed and dependent nodes of states with a leading axis."""

    def interpolate(self, p: Prepared, recorded: States, interval: NDArray[np.int64], t: Array) -> States:
        """Interpolate between recorded states by quintic Hermite polynomials in the local coordinates of each step.

        Parameters
        ----------
        p
            Preprocessed parameters.
        recorded
            States with auxiliary integrator state.
        interval, t
            Times, shape (count,), each between the recorded states ``interval`` and ``interval + 1``.

        Returns
        -------
        States
            States at these times; their λ solves the acceleration-level system and is NaN if undetermined.
        """

    def outputs(self, p: Prepared, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        """All named outputs of one state, concatenated."""
