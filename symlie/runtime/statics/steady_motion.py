"""Steady motions, and the matrices of the linear equations about them.

Bodies move as q = p∘exp(t ζ) with p = p0∘exp(t (v - ζ)). Their velocity v and all variations are components in the
axes p, in which a body that spins about its axis of symmetry does not change. The linear equations in these axes are

    η' = w - [v - ζ, η],   M (w' - [ζ, w]) + C w + K η + Bᵀ δλ = 0,   B w + H η = 0,

with the variation η of p, the variation w of the velocity, K = D_q(M a + g + Bᵀ λ), C = ∂g/∂v and H = D_q(B v + b). For
ζ = 0 they describe variations along q∘exp(t v); others are transformed by Ad(exp(t ζ)).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symlie.errors import EquilibriumError, ModelError, SteadyMotionError
from symlie.runtime.layout.layout import Array, Layout, Sparse
from symlie.runtime.linear.entry_rounding import entry_rounding
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.statics.residual import Statics

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from symlie.runtime.system.system import System

STEADY = 1e-8
"""Relative change of the matrices, and relative size of unbalanced forces, that counts as round-off."""

NOISE = 1e-5
"""Lower limit of the reference size of a row of a matrix, relative to the largest one of the system."""

LATER = (math.sqrt(2) - 1, math.sqrt(3), math.e)
"""Incommensurable times at which steadiness is tested, in s and in units of the inverse of the largest velocity
component."""


@dataclass(frozen=True)
class Coefficients:
    """Matrices of the linear equations on free components at one time of the motion, sparse."""

    mass: Sparse
    damping: Sparse
    stiffness: Sparse
    jacobian: Sparse
    hidden: Sparse


POWERS = {"mass": 0, "damping": 1, "stiffness": 2, "jacobian": 0, "hidden": 1}
"""Powers of 1/s in the units of the matrices, in addition to the units of the components."""

LETTERS = {"mass": "M", "damping": "C", "stiffness": "K", "jacobian": "B", "hidden": "H = D_q(B v + b)"}
"""Names of the matrices in messages."""


@dataclass(frozen=True)
class Instant:
    """State of a steady motion at one time."""

    q: Array
    v: Array
    a: Array
    turned: Sparse
    """Ad(exp(-τ ζ)), sparse (dimension × dimension): from the axes p to body axes."""
    statics: Statics


class SteadyMotion:
    """Steady motion, or rest, of a system, from `Linearization.motion`.

    Parameters
    ----------
    system
        The system.
    t
        Time, in s.
    q
        Configuration at this time, shape (storage,).
    v
        Velocity, shape (dimension,); None: at rest, with loads and constraints frozen at this time.
    frame
        ζ by name of the node, shape (dimension of its group,), or (count, dimension) for arrays; see
        `System.linearize`.

    Raises
    ------
    UnknownNameError
        If a node does not exist.
    ModelError
        If a shape is wrong, if ``frame`` is given without ``v``, or if the system has first-order states,
        acceleration-level constraints, or rotation parameters with angular velocities.
    """

    def __init__(self, system: System, t: float, q: Array, v: Array | None, frame: Mapping[str, ArrayLike]) -> None:
        layout = system.layout
        check_linearisable(layout)
        self.system, self.t, self.q, self.is_rest = system, float(t), q, v is None
        self.v = np.zeros(layout.dimension) if v is None else v
        if frame and self.is_rest:
            raise ModelError("A frame requires a motion; also give v.")
        self.spin = spin_of(layout, frame)
        self.free = np.flatnonzero(layout.free)
        self.adjoint_of_spin = bracket_matrix(system, self.spin)
        self.now = self.at(0.0)

    def at(self, later: float) -> Instant:
        """Return the state of the motion at a later time.

        Parameters
        ----------
        later
            Time after ``t``, in s.
        """
        system, t = self.system, self.t + later
        q = self._moved(self._moved(self.q, later * (self.v - self.spin)), later * self.spin)
        turned = exponential(-later * self.adjoint_of_spin)
        v = turned @ self.v
        a = -(self.adjoint_of_spin @ v)
        if not self.is_rest:
            system.kernels.prescribe(system.prepared, t, q, v)
            a = a + system.kernels.prescribed_acceleration(system.prepared, t)
        rows = np.ones(system.layout.rows, dtype=bool)
        return Instant(q, v, a, turned, Statics(system, self.t if self.is_rest else t, rows, v, a))

    def _moved(self, q: Array, u: Array) -> Array:
        """Return q∘exp(u), in steps of at most one radian."""
        kernels = self.system.kernels
        parts = math.ceil(math.sqrt(max(kernels.chart(q, u), 0.0))) if u.any() else 0
        for _ in range(max(parts, 1) if u.any() else 0):
            q = kernels.normalize(kernels.advance(q, u / max(parts, 1)))
        return q

    def multipliers(self) -> Array:
        """Return the λ, shape (constraint equations,), that balance the forces normal to the constraints.

        Raises
        ------
        EquilibriumError
            If constraint equations are redundant.
        """
        statics, q = copy.copy(self.now.statics), self.now.q
        if not self.system.layout.rows:
            return np.zeros(0)
        statics.set_aside(q)
        none = np.zeros(len(statics.rows))
        try:
            factors = SaddlePoint(statics.metric(q), statics.jacobian(q))
        except np.linalg.LinAlgError:
            raise EquilibriumError(
                f"The constraints of '{self.system.name}' are dependent at this configuration, so the multipliers "
                "are not determined; give multipliers."
            ) from None
        return statics.shared_multipliers(q, factors.solve(-statics.force(q, none), none)[1])

    def coefficients(self, instant: Instant, multipliers: Array) -> Coefficients:
        """Return the matrices M, C, K, B and H at one time, in the axes p of the motion q = p∘exp(t ζ).

        Parameters
        ----------
        instant
            State of the motion at this time; see `at`.
        multipliers
            λ, shape (constraint equations,).
        """
        statics, q = instant.statics, instant.q
        stiffness, damping, hidden = statics.newton_matrices(q, multipliers)
        turned = instant.turned[self.free][:, self.free]
        mass, damping, stiffness = (turned.T @ matrix @ turned for matrix in (statics.mass(q), damping, stiffness))
        return Coefficients(mass, damping, stiffness, statics.jacobian(q) @ turned, hidden @ turned)

    def rounding(self, found: Coefficients, multipliers: Array) -> Coefficients:
        """Estimate the rounding errors of the entries of the matrices, from small changes of the state.

        Parameters
        ----------
        found
            The matrices.
        multipliers
            λ, shape (constraint equations,).
        """
        now, system = self.now, self.system
        rows = np.ones(system.layout.rows, dtype=bool)

        def at(nudged: Callable[[Array], Array]) -> dict[str, Sparse]:
            q, v, a, forces = (nudged(x) for x in (now.q, now.v, now.a, multipliers))
            statics = Statics(system, now.statics.t, rows, v, a)
            return vars(self.coefficients(Instant(system.kernels.normalize(q), v, a, now.turned, statics), forces))

        return Coefficients(**entry_rounding(vars(found), at))

    def check(self, multipliers: Array) -> Coefficients:
        """Check that the system has this motion and that it is steady, and return the matrices.

        Parameters
        ----------
        multipliers
            λ, shape (constraint equations,).

        Raises
        ------
        EquilibriumError
            If, at rest, forces are unbalanced or constraints are violated.
        SteadyMotionError
            If, in motion, forces are unbalanced, constraints are violated, or matrices change; the message names the
            quantity and its value or change.
        """
        found = self.coefficients(self.now, multipliers)
        scales = _Scales(self, found, multipliers)
        size, what = max(self._residuals(self.now, multipliers, scales), default=(0.0, ""))
        if not size <= STEADY:
            if self.is_rest:
                raise EquilibriumError(
                    f"'{self.system.name}' is not in equilibrium there: {what}; use a result of static_equilibrium, "
                    "or give the velocity v of a steady motion."
                )
            raise SteadyMotionError(
                f"'{self.system.name}' does not have this steady motion: {what}; correct q, v or frame."
            )
        if not self.is_rest:
            self._check_later(found, scales, multipliers)
        return found

    def _check_later(self, found: Coefficients, scales: _Scales, multipliers: Array) -> None:
        fastest = max(float(np.abs(self.v).max(initial=0)), float(np.abs(self.spin).max(initial=0)))
        units = [1.0, *([1 / fastest] if fastest > 0 else [])]
        changes = []
        for later in (factor * unit for unit in units for factor in LATER):
            instant = self.at(later)
            there = self.coefficients(instant, multipliers)
            after = f"after {later:.3g} s"
            changes += [(size, f"{what} {after}") for size, what in scales.changes(found, there)]
            changes += [(size, f"{what} {after}") for size, what in self._residuals(instant, multipliers, scales)]
        size, what = max(changes, key=lambda change: np.inf if np.isnan(change[0]) else change[0])
        if not size <= STEADY:
            raise SteadyMotionError(
                f"This motion of '{self.system.name}' is not steady: {what}. Give frame={{NODE: ζ}} for bodies that "
                "spin about an axis of symmetry, ζ in the order of their velocity; define constraints and velocities "
                "in co-moving axes."
            )

    def _residuals(self, instant: Instant, multipliers: Array, scales: _Scales) -> list[tuple[float, str]]:
        """Return relative sizes of quantities that vanish along a motion, with descriptions."""
        layout, statics, q = self.system.layout, instant.statics, instant.q
        free, rate = self.free, statics.velocity_residual(q)
        if self.is_rest:  # loads and constraints are frozen
            rate = np.where(layout.holonomic, 0.0, rate)
        force = instant.turned[free][:, free].T @ statics.force(q, multipliers)
        found = []
        for values, scale, text, name in (
            (
                force,
                scales.force,
                "a force of {:.3g} is out of balance at {}",
                lambda k: layout.velocity_name(int(free[k])),
            ),
            (statics.constraint(q), scales.constraint, "Φ = {:.3g} in {}", layout.row_name),
            (rate, scales.rate, "B v + b = {:.3g} in {}", layout.row_name),
        ):
            if len(values):
                k = int(np.argmax(np.abs(values) / scale))
                found.append((float(np.abs(values[k]) / scale[k]), text.format(values[k], name(k))))
        return found


def check_linearisable(layout: Layout) -> None:
    """Raise ModelError for acceleration-level constraints, or for rotation parameters whose velocity is ω."""
    if not layout.of_velocities.all():
        raise ModelError(
            f"'{layout.name}' has acceleration-level constraints, which are not linearised; define them on velocities."
        )
    if layout.has_coordinate_rates:
        raise ModelError(
            f"'{layout.name}' has rotation parameters with angular velocities, which are not rates of local "
            "coordinates; use form=parameter_rates or step=lie for linear equations."
        )


def spin_of(layout: Layout, frame: Mapping[str, ArrayLike]) -> Array:
    """Return ζ of all nodes, shape (dimension,), zero for nodes that are not in ``frame``; raise ModelError for a wrong
    shape or values that are not finite."""
    spin = np.zeros(layout.dimension)
    for name, value in frame.items():
        node = layout.node(name)
        try:
            spin[node.velocity] = np.broadcast_to(value, (node.count, node.type.dimension)).ravel()
        except (TypeError, ValueError):
            raise ModelError(
                f"The frame of node '{name}' must be {node.type.dimension} numbers, a velocity of its group."
            ) from None
    if not np.all(np.isfinite(spin)):
        raise ModelError("The numbers of frame must be finite.")
    return spin


class _Scales:
    """Sizes of the quantities on which the matrices act, which make components of different units comparable."""

    def __init__(self, motion: SteadyMotion, found: Coefficients, multipliers: Array) -> None:
        self.layout, self.free = motion.system.layout, motion.free
        tiny = np.finfo(float).tiny
        self.metric = np.sqrt(motion.now.statics.metric(motion.now.q).diagonal())
        """Square roots of masses: inverse sizes of the components."""
        v, lengths = np.abs(motion.v[motion.free]), motion.now.statics.sizes(motion.now.q)
        acting = lengths.force_scale(found.stiffness, found.damping, v, found.jacobian, multipliers)
        self.force = np.maximum(acting + NOISE * self.metric * (acting / self.metric).max(initial=0), tiny)
        reach = lengths.constraint_scale(found.jacobian)
        self.constraint = np.maximum(reach, tiny)
        self.rate = np.maximum(abs(found.jacobian) @ v + reach, tiny)
        self.rows = np.maximum(np.sqrt(found.jacobian.multiply(found.jacobian) @ self.metric**-2), tiny)
        self.scaled = self._scaled(found)
        sizes = {name: float(np.abs(matrix.data).max(initial=0)) for name, matrix in self.scaled.items()}
        fastest = max(sizes["damping"], sizes["hidden"], math.sqrt(sizes["stiffness"]))
        self.floors = {name: max(NOISE * fastest**power, tiny) for name, power in POWERS.items()}

    def _scaled(self, coefficients: Coefficients) -> dict[str, Sparse]:
        from scipy.sparse import diags_array

        right = diags_array(1 / self.metric)
        left = {
            name: diags_array(1 / (self.rows if name in ("jacobian", "hidden") else self.metric)) for name in POWERS
        }
        return {name: (left[name] @ getattr(coefficients, name) @ right).tocsr() for name in POWERS}

    def changes(self, before: Coefficients, after: Coefficients) -> list[tuple[float, str]]:
        """Return the largest relative change of each matrix, with a description."""
        found = []
        for name, scaled in self._scaled(after).items():
            first = self.scaled[name]
            change = (scaled - first).tocoo()
            if not change.nnz:
                continue
            rows, columns = change.coords
            sizes = np.abs(change.data) / (abs(first).max(axis=1).toarray().ravel()[rows] + self.floors[name])
            k = int(np.argmax(np.where(np.isnan(sizes), np.inf, sizes)))
            row, column = int(rows[k]), int(columns[k])
            of_rows = name in ("jacobian", "hidden")
            where = self.layout.row_name(row) if of_rows else self.layout.velocity_name(int(self.free[row]))
            values = " to ".join(f"{getattr(c, name)[row, column]:.6g}" for c in (before, after))
            component = self.layout.velocity_name(int(self.free[column]))
            found.append((float(sizes[k]), f"{LETTERS[name]} at {where} and {component} goes from {values}"))
        return found


def bracket_matrix(system: System, u: Array) -> Sparse:
    """Return ad_u for all nodes, sparse (dimension × dimension)."""
    from scipy.sparse import coo_array

    dimension = system.layout.dimension
    sizes = np.concatenate([np.full(n.count, n.type.dimension) for n in system.layout.nodes])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owner = np.repeat(np.arange(len(sizes)), sizes)
    rows, columns, values = [], [], []
    for k in range(int(sizes.max(initial=0)) if u.any() else 0):
        unit = np.zeros(dimension)
        unit[starts[sizes > k] + k] = 1.0
        moved = system.kernels.bracket(u, unit)
        (kept,) = np.nonzero(moved)
        rows.append(kept)
        columns.append(starts[owner[kept]] + k)
        values.append(moved[kept])
    if not rows:
        return coo_array((dimension, dimension)).tocsr()
    places = np.concatenate(rows), np.concatenate(columns)
    return coo_array((np.concatenate(values), places), shape=(dimension, dimension)).tocsr()


def exponential(matrix: Sparse) -> Sparse:
    """Return exp of a sparse matrix with small diagonal blocks."""
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import expm

    if not matrix.nnz:
        return eye_array(matrix.shape[0], format="csr")
    return expm(matrix.tocsc()).tocsr()
