"""Small motions q0∘exp(η) about a configuration at rest: frequencies, damping and mode shapes.

    M η'' + C η' + K η + Bᵀ λ = 0,   B η = 0,      K = D_q(g + Bᵀ λ0),  C = ∂g/∂v

With η = N x for a basis N of ker B these are NᵀMN x'' + NᵀCN x' + NᵀKN x = 0. At an equilibrium of conservative forces
K is symmetric although second trivialised derivatives do not commute: their commutator is a multiple of the gradient.
Large systems keep the multipliers instead of N and iterate with the inverse next to zero (Lanczos, Arnoldi).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from symlie.errors import EquilibriumError, ModelError
from symlie.runtime.layout import Array
from symlie.runtime.redundancy import RANK_TOLERANCE
from symlie.runtime.saddle import SaddlePoint
from symlie.runtime.statics import Statics
from symlie.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.system import System

LARGEST_DENSE = 240
"""Free velocity components up to which all modes are computed with dense matrices."""

DEFAULT_MODES = 12
"""Modes of larger systems."""

ASYMMETRY = 1e-8
"""Relative size of the asymmetric part of NᵀKN that is round-off and the tolerance of the equilibrium."""

NEUTRAL = 1e-12
"""Squared frequency relative to the largest one that is round-off of zero."""


@dataclass(frozen=True, eq=False, repr=False)
class Linearization(Brief):
    """Linear equations of small motions, and their modes from slow to fast.

    Matrices and shapes have rows for the free velocity components; see ``free``.
    """

    system: System
    t: float
    q: Array
    multipliers: Array
    free: Any
    """Indices of the free velocity components in vectors of all components."""
    mass: Any
    """M, sparse."""
    damping: Any
    """C = ∂g/∂v, sparse."""
    stiffness: Any
    """K = D_q(g + Bᵀ λ), sparse."""
    jacobian: Any
    """B with holonomic and nonholonomic rows, sparse."""
    eigenvalues: Any
    """s of η = η0 exp(s t), in 1/s, shape (modes,): one of each conjugate pair; without damping one of each ±s."""
    shapes: Any
    """η0, shape (modes, dimension), trivialised; the largest entry is 1."""

    @property
    def frequencies(self) -> Array:
        """Frequencies of the motion of each mode, in Hz; 0 for modes that do not oscillate."""
        return np.asarray(np.abs(self.eigenvalues.imag) / (2 * np.pi))

    @property
    def damping_ratios(self) -> Array:
        """-Re s/|s|: 0 without damping, 1 from aperiodic damping on, negative for instability; 0 where s = 0."""
        size = np.abs(self.eigenvalues)
        return np.asarray(0.0 - self.eigenvalues.real / np.where(size > 0, size, 1.0))

    @property
    def is_stable(self) -> bool:
        """Whether no computed mode grows."""
        size = np.abs(self.eigenvalues)
        return bool(np.all(self.eigenvalues.real <= 1e-7 * size.max(initial=0.0)))

    def shape(self, mode: int) -> dict[str, Any]:
        """A mode shape by node: velocity components, shape (dimension,), or (count, dimension) for node arrays.

        Parameters
        ----------
        mode
            Number of the mode, from 0.
        """
        parts = {}
        for node in self.system.layout.nodes:
            part = self.shapes[mode, node.velocity]
            parts[node.name] = part.reshape(node.count, -1) if node.is_array else part
        return parts

    @cached_property
    def basis(self) -> Array:
        """N, an orthonormal basis of ker B, shape (free components, degrees of freedom); dense."""
        return null_space(self.jacobian)

    def projected(self) -> tuple[Array, Array, Array]:
        """NᵀMN, NᵀCN and NᵀKN; the last is made symmetric if its asymmetry is round-off."""
        mass, damping, stiffness = (self.basis.T @ (m @ self.basis) for m in (self.mass, self.damping, self.stiffness))
        mass = (mass + mass.T) / 2
        if np.abs(stiffness - stiffness.T).max(initial=0) <= ASYMMETRY * np.abs(stiffness).max(initial=0):
            stiffness = (stiffness + stiffness.T) / 2
        return mass, damping, stiffness


def null_space(jacobian: Any) -> Array:
    """An orthonormal basis of the null space of a sparse matrix, by singular values."""
    n = jacobian.shape[1]
    if not jacobian.shape[0]:
        return np.eye(n)
    dense = jacobian.toarray()
    norms = np.linalg.norm(dense, axis=1)
    _, values, right = np.linalg.svd(dense / np.where(norms > 0, norms, 1.0)[:, None])
    rank = int(np.sum(values > RANK_TOLERANCE * values.max(initial=0.0)))
    return np.asarray(right[rank:].T)


def linearize(
    system: System,
    q: Array | None = None,
    multipliers: Array | None = None,
    t: float = 0.0,
    *,
    modes: int | None = None,
) -> Linearization:
    """See `symlie.runtime.system.System.linearize`."""
    layout = system.layout
    if modes is not None and not (isinstance(modes, int | np.integer) and modes >= 1):
        raise ModelError(f"The number of modes must be a positive whole number, not {modes!r}.")
    statics = Statics(system, t)
    if q is None:
        if multipliers is not None:
            raise ModelError("Multipliers belong to a configuration; give q, too.")
        q, multipliers, _ = system.static_equilibrium(t)
    q = _checked("q", q, layout.storage)
    if multipliers is None:
        try:
            multipliers = statics.all_multipliers(statics.balanced_multipliers(q)[1])
        except np.linalg.LinAlgError:
            raise EquilibriumError(
                f"The constraints of '{system.name}' depend on each other at this configuration, so its multipliers "
                "are not determined; give them."
            ) from None
    multipliers = _checked("multipliers", multipliers, layout.rows)
    stiffness, damping = statics.newton_matrices(q, multipliers[statics.rows])
    everything = Statics(system, t, np.ones(layout.rows, dtype=bool))
    matrices = (statics.mass(q), damping, stiffness, everything.jacobian(q))
    if len(statics.free) <= LARGEST_DENSE:
        values, shapes = _dense_modes(system, matrices)
    else:
        values, shapes = _slow_modes(system, matrices, modes or DEFAULT_MODES)
    values, shapes = values[:modes], shapes[:modes]
    whole = np.zeros((len(values), layout.dimension), dtype=shapes.dtype)
    whole[:, statics.free] = _normalized(shapes)
    return Linearization(system, float(t), q, multipliers, statics.free, *matrices, values, whole)


def _checked(name: str, value: Array, size: int) -> Array:
    array = np.asarray(value, dtype=float)
    if array.shape != (size,) or not np.all(np.isfinite(array)):
        raise ModelError(f"{name} must be {size} finite numbers, not of shape {array.shape}.")
    return array


def _normalized(shapes: Any) -> Any:
    """Rows whose largest entry is 1."""
    if not shapes.size:
        return shapes
    largest = shapes[np.arange(len(shapes)), np.argmax(np.abs(shapes), axis=1)]
    return shapes / np.where(largest == 0, 1.0, largest)[:, None]


def _oscillations(squares: Array, scale: float) -> Any:
    """s = √(-ω²) for squared frequencies; those that are round-off of zero are zero."""
    squares = np.where(np.abs(squares) <= NEUTRAL * scale, 0.0, squares)
    return np.sqrt((-squares).astype(complex))


def _no_mass(system: System) -> EquilibriumError:
    return EquilibriumError(
        f"Small motions of '{system.name}' are not determined: there is a direction without mass that no constraint "
        "fixes; give it mass."
    )


def _dense_modes(system: System, matrices: tuple[Any, ...]) -> tuple[Any, Any]:
    """All modes, from the projected matrices."""
    from scipy.linalg import eig, eigh

    basis = null_space(matrices[3])
    mass, damping, stiffness = (basis.T @ (m @ basis) for m in matrices[:3])
    n = basis.shape[1]
    if not n:
        return np.zeros(0, dtype=complex), np.zeros((0, len(basis)))
    scale = np.abs(stiffness).max()
    conservative = not np.any(damping) and np.abs(stiffness - stiffness.T).max() <= ASYMMETRY * scale
    try:
        if conservative:
            squares, vectors = eigh((stiffness + stiffness.T) / 2, (mass + mass.T) / 2)
            values = _oscillations(squares, float(np.abs(squares).max()))
            shapes = (basis @ vectors).T
        else:
            right = np.linalg.solve(mass, np.hstack([stiffness, damping]))
            companion = np.block([[np.zeros((n, n)), np.eye(n)], [-right]])
            values, vectors = eig(companion)
            shapes = (basis @ vectors[:n]).T
    except np.linalg.LinAlgError:
        raise _no_mass(system) from None
    return _ordered(values, shapes)


def _ordered(values: Any, shapes: Any) -> tuple[Any, Any]:
    """One of each conjugate pair, from slow to fast."""
    size = np.abs(values).max(initial=0.0)
    values = np.where(np.abs(values.imag) <= 1e-12 * size, values.real, values)
    kept = np.flatnonzero(values.imag >= 0)
    kept = kept[np.argsort(np.abs(values[kept]), kind="stable")]
    return values[kept], shapes[kept]


def _slow_modes(system: System, matrices: tuple[Any, ...], modes: int) -> tuple[Any, Any]:
    """The slowest modes, by iteration with the inverse next to zero on the manifold of the constraints."""
    from scipy.sparse.linalg import ArpackNoConvergence

    mass, damping, stiffness, _ = matrices
    conservative = damping.nnz == 0 or np.abs(damping.data).max() == 0
    scale = np.abs(stiffness).max()
    conservative = conservative and np.abs(stiffness - stiffness.T).max() <= ASYMMETRY * scale
    modes = min(modes, mass.shape[0] // 2 - 2)
    unit = float(np.abs(stiffness.diagonal()).max() / np.abs(mass.diagonal()).max())
    for shift in (0.0, 1e-8 * unit):
        try:
            if conservative:
                return _lanczos(matrices, modes, shift)
            return _arnoldi(matrices, modes, float(np.sqrt(shift)))
        except np.linalg.LinAlgError:
            continue
        except ArpackNoConvergence as error:
            raise EquilibriumError(f"The modes of '{system.name}' were not found: {error}.") from None
    raise _no_mass(system)


def _lanczos(matrices: tuple[Any, ...], modes: int, shift: float) -> tuple[Any, Any]:
    """Modes without damping: x ↦ y of (K + ςM) y + Bᵀ λ = M x, B y = 0, which is symmetric in the metric M."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    mass, _, stiffness, jacobian = matrices
    n, m = mass.shape[0], jacobian.shape[0]
    stiffness = (stiffness + stiffness.T) / 2
    factors = SaddlePoint(stiffness + shift * mass, jacobian)

    def inverse(x: Array) -> Array:
        return factors.solve(x, np.zeros(m))[0]

    start = inverse(mass @ np.random.default_rng(0).standard_normal(n))
    squares, vectors = eigsh(
        stiffness, modes, mass, sigma=-shift, v0=start, OPinv=LinearOperator((n, n), matvec=inverse, dtype=float)
    )
    scale = float(np.abs(stiffness.diagonal()).max() / np.abs(mass.diagonal()).max())
    return _ordered(_oscillations(squares, scale), vectors.T)


def _arnoldi(matrices: tuple[Any, ...], modes: int, shift: float) -> tuple[Any, Any]:
    """Damped modes: the inverse of the first-order system at s = ς on the manifold.

    η' - ς η = a, M w' + … with (ς²M + ςC + K) x + Bᵀ λ = -(C + ςM) a - M b, B x = 0, w = a + ς x.
    """
    from scipy.sparse.linalg import LinearOperator, eigs

    mass, damping, stiffness, jacobian = matrices
    n, m = mass.shape[0], jacobian.shape[0]
    factors = SaddlePoint(stiffness + shift * damping + shift**2 * mass, jacobian)

    def inverse(z: Array) -> Array:
        a, b = z[:n], z[n:]
        x, _ = factors.solve(-(damping @ a + shift * (mass @ a) + mass @ b), np.zeros(m))
        return np.concatenate([x, a + shift * x])

    projection = SaddlePoint(mass, jacobian)
    random = np.random.default_rng(0).standard_normal((2, n))
    start = inverse(np.concatenate([projection.solve(mass @ r, np.zeros(m))[0] for r in random]))
    operator = LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=float)
    reciprocals, vectors = eigs(operator, 2 * modes, v0=start)
    values, shapes = _ordered(shift + 1 / reciprocals, vectors[:n].T)
    return values[:modes], shapes[:modes]
