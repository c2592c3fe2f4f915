"""Linearisation about an equilibrium or a steady motion: equations, eigenvalues, mode shapes, state space.

    η' = w - D η,   M (w' - Z w) + C w + K η + Bᵀ δλ = 0,   B w + H η = 0,   and B η = 0 for holonomic constraints

η is the variation of the configuration, w the variation of the velocity; K = D_q(M a + g + Bᵀ λ), C = ∂g/∂v,
H = D_q(B v + b), D = [v - ζ, ·] and Z = [ζ, ·]; see `steady_motion`. Nonholonomic constraints restrict w, not η. At
rest under conservative forces and holonomic constraints K is symmetric although second trivialised derivatives do not
commute: their commutator is a multiple of the gradient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import EquilibriumError, ModelError
from symlie.retired import NamesSuccessors
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.iteration import NotFoundError
from symlie.runtime.linear.spectrum import Complex, Spectrum, one_of_each_pair
from symlie.runtime.statics.first_order import FirstOrder, first_order
from symlie.runtime.statics.first_order_modes import first_order_modes
from symlie.runtime.statics.neutral_motions import resisting_motion
from symlie.runtime.statics.oscillations import oscillations
from symlie.runtime.statics.residual import Statics
from symlie.runtime.statics.scaled_motions import scaled_motions
from symlie.runtime.statics.slow_modes import slow_modes
from symlie.runtime.statics.state_space import state_space
from symlie.runtime.statics.steady_motion import Coefficients, SteadyMotion, bracket_matrix
from symlie.utilities.showing import Brief
from symlie.warnings import warn

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from symlie.runtime.system.system import System

LARGEST_DENSE = 240
"""Largest number of free velocity components for which all modes are computed with dense matrices."""

LARGEST_RESORT = 1500
"""Largest number of free velocity components for which dense matrices are used after an iteration has failed."""

DEFAULT_MODES = 12
"""Default number of computed modes of larger systems."""

UNRESOLVED = 1e-2
"""Error of an eigenvalue without real part, relative to its size, above which stability is not decided."""

ASYMMETRY = 1e-8
"""Relative size of the asymmetric part of K due to round-off and to the tolerance of the equilibrium."""


def _none() -> Complex:
    return np.zeros(0, dtype=complex)


@dataclass(frozen=True, eq=False, repr=False)
class Linearization(Brief, NamesSuccessors):
    """Linear equations of small motions with their eigenvalues, from `System.linearize`.

    With the variation η of the configuration and the variation w of the velocity, the equations are

        η' = w - D η,   M (w' - Z w) + C w + K η + Bᵀ δλ = 0,   B w + H η = 0,

    and B η = 0 for holonomic constraints. Matrices refer to the free velocity components; see ``free``.

    ``eigenvalues``, ``shapes``, ``velocity_shapes``, ``frequencies`` and ``damping_ratios`` have one entry per
    eigenvalue. Eigenvalues s are ordered by \\|s\\|, from slow to fast; among equal moduli, growing ones come first,
    and in a conjugate pair the one with Im s > 0. ``modes`` contains one index of each conjugate pair.
    """

    system: System
    """The system that was linearised."""
    t: float
    """Time, in s."""
    q: Array
    """Configuration, shape (storage,)."""
    v: Array
    """Velocity of the steady motion, shape (dimension,); zero at rest."""
    multipliers: Array
    """λ, shape (constraint equations,)."""
    free: NDArray[np.intp]
    """Indices of the free velocity components among all components."""
    mass: Sparse
    """M, sparse, shape (free components, free components)."""
    damping: Sparse
    """C = ∂g/∂v, sparse, shape (free components, free components)."""
    stiffness: Sparse
    """K = D_q(M a + g + Bᵀ λ), sparse, shape (free components, free components)."""
    jacobian: Sparse
    """B of holonomic and nonholonomic constraints, sparse, shape (constraint equations, free components)."""
    hidden: Sparse
    """H = D_q(B v + b), sparse, shape (constraint equations, free components)."""
    drift: Sparse
    """D: η ↦ [v - ζ, η], sparse, shape (free components, free components)."""
    spin: Sparse
    """Z: w ↦ [ζ, w], sparse, shape (free components, free components)."""
    motion: SteadyMotion
    """The equilibrium or steady motion."""
    eigenvalues: Complex = field(default_factory=_none)
    """s of η = η₀ exp(s t), in 1/s, shape (eigenvalues,): all of a small system, or the slowest ones."""
    shapes: Complex = field(default_factory=_none)
    """η₀ in the Lie algebra, shape (eigenvalues, dimension), scaled so that the largest entry is 1."""
    velocity_shapes: Complex = field(default_factory=_none)
    """w₀ = s η₀ + D η₀, shape (eigenvalues, dimension)."""
    accuracy: Array = field(default_factory=lambda: np.zeros(0))
    """First-order bounds of the errors of the eigenvalues due to rounding of the matrices, in 1/s, shape
    (eigenvalues,)."""
    resisting: Array | None = None
    """η, shape (dimension,), of a motion along zero modes with a possible stiffness below the rounding of K; None
    without such a motion. Only systems at rest with holonomic constraints are examined."""

    @property
    def modes(self) -> NDArray[np.intp]:
        """Indices of the eigenvalues with Im s ≥ 0, one of each conjugate pair, shape (modes,)."""
        return one_of_each_pair(self.eigenvalues)

    @property
    def zero_modes(self) -> NDArray[np.intp]:
        """Indices of the eigenvalues that are zero within `accuracy`, such as those of rigid-body modes."""
        return np.flatnonzero(self.eigenvalues == 0)

    @property
    def frequencies(self) -> Array:
        """\\|Im s\\|/(2π) of each eigenvalue, in Hz, shape (eigenvalues,); 0 for aperiodic motions."""
        return np.asarray(np.abs(self.eigenvalues.imag) / (2 * np.pi))

    @property
    def damping_ratios(self) -> Array:
        """-Re s/\\|s\\| of each eigenvalue, dimensionless, shape (eigenvalues,), and 0 if s = 0.

        The ratio is 0 without damping, 1 for aperiodic decay, and negative for instability.
        """
        size = np.abs(self.eigenvalues)
        return np.asarray(0.0 - self.eigenvalues.real / np.where(size > 0, size, 1.0))

    @property
    def is_stable(self) -> bool:
        """True if no computed eigenvalue has a positive real part beyond `accuracy`; motions with s = 0 may drift.

        False if rounding leaves stability undecided; see `is_resolved`.
        """
        return self.is_resolved and bool(np.all(self.eigenvalues.real <= self.accuracy))

    @property
    def is_resolved(self) -> bool:
        """True if the eigenvalues are accurate enough to decide on stability.

        The `accuracy` of zero eigenvalues must be at most 1 % of the smallest other one. The `accuracy` of other
        eigenvalues whose real part is zero within it must be at most 1 % of their size, unless the system is
        conservative. Zero modes must have no hidden stiffness; see ``resisting``.
        """
        return self.resisting is None and not bool(np.any(self._uncertainty > UNRESOLVED))

    @property
    def _uncertainty(self) -> Array:
        """Accuracy of eigenvalues that may grow or decay, relative to their size, or to the slowest one if they are
        zero."""
        sizes = np.abs(self.eigenvalues)
        slowest = float(sizes[sizes > 0].min(initial=np.inf))
        is_open = (np.abs(self.eigenvalues.real) <= self.accuracy) & ((sizes == 0) | (not self.is_conservative))
        return np.asarray(np.where(is_open, self.accuracy / np.where(sizes > 0, sizes, slowest), 0.0))

    @cached_property
    def is_conservative(self) -> bool:
        """True for M η'' + K η + Bᵀ δλ = 0, B η = 0 with symmetric K: rest, no damping, no nonholonomic constraints.

        The eigenvalues are then pairs ±s, real or imaginary.
        """
        if not self.motion.is_rest or not self.system.layout.holonomic.all() or np.any(self.damping.data):
            return False
        scale = float(np.abs(self.stiffness.data).max(initial=0))
        return bool(np.abs((self.stiffness - self.stiffness.T).data).max(initial=0) <= ASYMMETRY * scale)

    @cached_property
    def first_order(self) -> FirstOrder:
        """First-order equations z' = A z in independent coordinates, with dense matrices.

        Raises
        ------
        EquilibriumError
            If a massless direction is not constrained, or constraints contradict each other.
        """
        return first_order(self)

    def state_space(
        self, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None
    ) -> tuple[Array, Array, Array, Array]:
        """Return A, B, C and D of z' = A z + B u, y = C z + D u, as for ``scipy.signal.StateSpace(A, B, C, D)``.

        The state z has independent coordinates, one for each eigenvalue of the complete spectrum; `variations` converts
        it to η and w. The vectors u and y are changes of inputs and outputs, with their components in the order of the
        names.

        Parameters
        ----------
        inputs
            Names of inputs of the model; default: all.
        outputs
            Names of outputs of the model, from `Model.output`; default: all.

        Returns
        -------
        tuple of Array
            Dense matrices A (states, states), B (states, inputs), C (outputs, states) and D (outputs, inputs).

        Raises
        ------
        UnknownNameError
            If an input or output does not exist.
        ModelError
            If an input moves a holonomic constraint, or derivatives of inputs would enter the equations.
        SteadyMotionError
            If an output is not a time-invariant function of the state along a steady motion.
        EquilibriumError
            As for `first_order`.
        """
        return state_space(self, inputs, outputs)

    def variations(self, z: Array) -> tuple[Array, Array]:
        """Return the variations η and w of a state.

        Parameters
        ----------
        z
            State of `state_space`, shape (…, states).

        Returns
        -------
        tuple of Array
            η = log(q₀⁻¹∘q) and w = v - v₀ to first order, shape (…, dimension) each.
        """
        parts = []
        for matrix in (self.first_order.variation, self.first_order.velocity):
            whole = np.zeros((*np.shape(z)[:-1], self.system.layout.dimension), dtype=np.asarray(z).dtype)
            whole[..., self.free] = np.asarray(z) @ matrix.T
            parts.append(whole)
        return parts[0], parts[1]

    def state(self, variation: Array, velocity: Array) -> Array:
        """Return the state of variations η and w, projected onto the constraints if these violate them.

        Parameters
        ----------
        variation, velocity
            η and w, shape (…, dimension) each.

        Returns
        -------
        Array
            State of `state_space`, shape (…, states).
        """
        order = self.first_order
        n = order.matrix.shape[0] - order.basis.shape[1]
        x = np.asarray(variation)[..., self.free] @ order.variation[:, :n]
        y = (np.asarray(velocity)[..., self.free] - x @ order.velocity[:, :n].T) @ order.basis
        return np.concatenate([x, y], axis=-1)

    def shape(self, mode: int) -> dict[str, Complex]:
        """Return η₀ of an eigenvalue by name of the node, shape (dimension,), or (count, dimension) for node arrays.

        Parameters
        ----------
        mode
            Index of the eigenvalue, from 0.
        """
        parts = {}
        for node in self.system.layout.nodes:
            part = self.shapes[mode, node.velocity]
            parts[node.name] = part.reshape(node.count, -1) if node.is_array else part
        return parts


def linearize(
    system: System,
    q: Array | None = None,
    multipliers: Array | None = None,
    t: float = 0.0,
    *,
    v: Array | None = None,
    frame: Mapping[str, ArrayLike] | None = None,
    modes: int | None = None,
) -> Linearization:
    """See `symlie.runtime.system.system.System.linearize`."""
    layout = system.layout
    if modes is not None and not (isinstance(modes, int | np.integer) and modes >= 1):
        raise ModelError(f"The number of modes must be a positive whole number, not {modes!r}.")
    Statics(system, t)
    if q is None:
        if multipliers is not None or v is not None:
            raise ModelError("multipliers and v require a configuration; give q as well.")
        q, multipliers, _ = system.static_equilibrium(t)
    q = checked_vector("q", q, layout.storage)
    v = None if v is None else checked_vector("v", v, layout.dimension)
    motion = SteadyMotion(system, t, q, v, frame or {})
    if multipliers is None:
        multipliers = motion.multipliers()
    multipliers = checked_vector("multipliers", multipliers, layout.rows)
    found = motion.check(multipliers)
    free = motion.free
    drift, spin = (bracket_matrix(system, u)[free][:, free] for u in (motion.now.v - motion.spin, motion.spin))
    linear = Linearization(
        system, motion.t, motion.now.q, motion.now.v, multipliers, free,
        found.mass, found.damping, found.stiffness, found.jacobian, found.hidden, drift, spin, motion,
    )  # fmt: skip
    linear = _with_modes(linear, modes)
    if not linear.is_resolved:
        warn(_unresolved(linear))
    return linear


def _unresolved(linear: Linearization) -> str:
    """Return the warning that stability is undetermined because of rounding."""
    sizes = np.abs(linear.eigenvalues)
    if linear.resisting is None:
        worst, slowest = int(np.argmax(linear._uncertainty)), float(sizes[sizes > 0].min())
        found = f"near {sizes[worst]:.3g} 1/s", f"and the slowest other one is {slowest:.3g} 1/s"
    else:
        worst = int(np.argmax(np.where(sizes == 0, linear.accuracy, -1.0)))
        lengths = linear.motion.now.statics.sizes(linear.q).length
        largest = int(linear.free[np.argmax(np.abs(linear.resisting[linear.free] / lengths))])
        where = linear.system.layout.velocity_name(largest)
        found = "that counts as zero", f"and a stiffness along its mode, most of it {where}, is not excluded"
    return (
        f"Stability of '{linear.system.name}' is uncertain: an eigenvalue {found[0]} is only known to "
        f"{linear.accuracy[worst]:.2g} 1/s, {found[1]}. Terms of very different size cancel in the equations: "
        "describe stiff parts in relative coordinates, or by constraints."
    )


def checked_vector(name: str, value: Array, size: int) -> Array:
    """Return an array of ``size`` finite numbers, or raise ModelError."""
    array = np.asarray(value, dtype=float)
    if array.shape != (size,) or not np.all(np.isfinite(array)):
        raise ModelError(f"{name} must be {size} finite numbers, not of shape {array.shape}.")
    return array


def _with_modes(linear: Linearization, modes: int | None) -> Linearization:
    size, scaled = len(linear.free), scaled_motions(linear)
    if size <= LARGEST_DENSE:
        found = _found(linear, scaled, None)
    else:
        modes = modes or DEFAULT_MODES
        try:
            found = _found(linear, scaled, min(modes, size // 2 - 2))
        except NotFoundError:
            if size > LARGEST_RESORT:
                raise EquilibriumError(
                    f"The {modes} slowest modes of '{linear.system.name}' were not found by iteration; request fewer."
                ) from None
            found = _found(linear, scaled, None)
    units, zeros = scaled[2], np.flatnonzero(found.values == 0)
    hidden = float(found.accuracy[zeros].max(initial=0))
    motion, resisting = resisting_motion(linear, found.vectors[:, zeros].real, units, hidden), None
    if motion is not None:
        resisting = np.zeros(linear.system.layout.dimension)
        resisting[linear.free] = motion / np.abs(motion).max()
    kept = one_of_each_pair(found.values)[:modes]
    count = kept[-1] + (2 if found.values[kept[-1]].imag > 0 else 1) if len(kept) else 0
    values, shapes = found.values[:count], _normalized(found.vectors[:, :count].T)
    whole = np.zeros((2, count, linear.system.layout.dimension), dtype=complex)
    whole[0][:, linear.free] = shapes
    whole[1][:, linear.free] = values[:, None] * shapes + (linear.drift @ shapes.T).T
    return replace(
        linear,
        eigenvalues=values, accuracy=found.accuracy[:count], shapes=whole[0], velocity_shapes=whole[1],
        resisting=resisting,
    )  # fmt: skip


def _normalized(shapes: Complex) -> Complex:
    """Return shapes whose largest entry is 1."""
    if not shapes.size:
        return shapes
    largest = shapes[np.arange(len(shapes)), np.argmax(np.abs(shapes), axis=1)]
    return shapes / np.where(largest == 0, 1.0, largest)[:, None]


def _found(linear: Linearization, motions: tuple[Linearization, Coefficients, Array], modes: int | None) -> Spectrum:
    """Return the slowest modes, or the whole spectrum if it is computed with dense matrices."""
    scaled, rounding, units = motions
    if linear.is_conservative:
        found = oscillations(scaled, rounding, modes)
    else:
        found = first_order_modes(scaled, rounding) if modes is None else slow_modes(scaled, rounding, modes)
    return replace(found, vectors=units[:, None] * found.vectors)
