"""Finite motions along zero modes: a test for stiffness hidden by rounding of the entries of K.

Rounding of the entries of K hides stiffnesses below 1e-16 of the largest one. A motion along a zero mode strains no
stiff parts, so that forces and energy reveal the remaining stiffness. The system is displaced by h N along each mode;
there

    [ K    Bᵀ  M N ] [δ ]     [ g + Bᵀλ ]
    [ B    0   0   ] [Δλ] = - [ Φ       ],     q ← q∘exp(δ),  λ ← λ + Δλ
    [ NᵀM  0   0   ] [-α]     [ 0       ]

is solved for the forces α that hold it: α = κ h. The potential energy increases by κ h²/2. Both are evaluated, because
compiled forces are derivatives in which terms of different size may have been summed up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.kkt import SaddlePoint
from symlie.runtime.statics.first_order_inverse import independent_constraints

if TYPE_CHECKING:
    from symlie.runtime.statics.linearization import Linearization

FAR, NEAR = 2.0**-4, 2.0**-8
"""Largest components of the displacements, relative to the sizes of components."""

STEADY = 4.0
"""Ratio of the values of κ at both displacements up to which κ is a stiffness; for rounding and higher powers it is 16
or more."""

IMPROVED = 1e-2
"""Bound of κ, relative to the bound by rounding of the entries, up to which a mode counts as a zero mode."""

ROUNDING = 64 * np.finfo(float).eps
"""Relative errors of forces and of directions; the error of forces along directions is their product."""

LARGEST_DENSE = 240
"""Largest number of free velocity components for which redundant constraint equations are identified and dropped."""

OF_ENERGY = 16 * np.finfo(float).eps
"""Relative error of energies."""

INDEPENDENT = 1e-6
"""Relative size of a singular value of zero modes that counts as zero, as in Jordan chains."""

CORRECTIONS, CORRECTED = 6, 1e-6
"""Largest number of Newton corrections after a displacement, and size of the last but one relative to the
displacement."""

SAME_WORK = 1e-2
"""Relative difference between the work of forces and the change of energy that is attributed to the trapezoidal
rule."""


def resisting_motion(linear: Linearization, modes: Array, units: Array, accuracy: float) -> Array | None:
    """Return η of a motion along zero modes (by column) that may have stiffness, or None; ``accuracy`` is the largest
    rate, in 1/s, that rounding of the entries may hide."""
    # Motions and nonholonomic constraints are not tested.
    if not (linear.motion.is_rest and linear.system.layout.holonomic.all() and modes.size and accuracy > 0):
        return None
    try:
        motions = _Motions(linear, modes, units)
        damping = np.abs(motions.directions.T @ (linear.damping @ motions.directions)).max()
        hidden = accuracy**2 + accuracy * float(damping)
        if hidden <= motions.noise:
            return None
        met = [motions.met(k) for k in range(motions.directions.shape[1])]
    except np.linalg.LinAlgError:
        return np.asarray(modes[:, 0])
    worst = int(np.argmax(met))
    return motions.directions[:, worst] if met[worst] > IMPROVED * hidden else None


class _Motions:
    def __init__(self, linear: Linearization, modes: Array, units: Array) -> None:
        from scipy.sparse import csr_array

        self._q, self._multipliers, self._statics = linear.q, linear.multipliers, linear.motion.now.statics
        self._lengths = self._statics.sizes(linear.q).length
        self.noise = ROUNDING**2 * float((np.abs(linear.stiffness.diagonal()) * units**2).max(initial=0.0))
        """Stiffness below the resolution of all tests, in 1/s²."""
        left, sizes, _ = np.linalg.svd(modes / units[:, None], full_matrices=False)
        basis = left[:, sizes > INDEPENDENT * sizes[0]] * units[:, None]
        self.directions = basis / np.sqrt(np.sum(basis * (linear.mass @ basis), axis=0))
        self._along = csr_array((linear.mass @ self.directions).T)
        n, rows = len(units), linear.jacobian.shape[0]
        self._rows = independent_constraints(linear) if n <= LARGEST_DENSE else np.arange(rows)
        self._stiffness, self._jacobian = linear.stiffness, linear.jacobian
        self._factors = self._factorised(linear.stiffness, linear.jacobian)
        self._energy = self._potential(self._q)
        self._has_potential = self._forces_have_a_potential()

    def met(self, k: int) -> float:
        """Return a bound on the stiffness along direction k, in 1/s², or infinity if the energy reveals a stiffness."""
        far, noise = self._met(k, FAR)
        near, _ = self._met(k, NEAR)
        energies = self.directions.shape[1]
        is_steady = (np.abs(far) > noise) & (far * near > 0)
        is_steady &= (np.abs(far) <= STEADY * np.abs(near)) & (np.abs(near) <= STEADY * np.abs(far))
        if is_steady[energies:].any():
            return np.inf
        return float((np.abs(far) + noise).max())

    def _met(self, k: int, size: float) -> tuple[Array, Array]:
        """Return κ from the forces in all directions and from the energy, and the rounding of each."""
        direction = self.directions[:, k]
        h = size / float(np.abs(direction / self._lengths).max())
        (forces, energy), (against, other) = self._held(direction, h), self._held(direction, -h)
        found, noise = (forces - against) / (2 * h), np.full(len(forces), self.noise / size**2)
        if self._has_potential:
            found = np.append(found, (energy + other - 2 * self._energy) / h**2)
            noise = np.append(noise, noise[0] + OF_ENERGY * abs(self._energy) / h**2)
        return found, noise

    def _held(self, direction: Array, h: float) -> tuple[Array, float]:
        """Return the forces that hold the system at a displacement h, and its energy; raise LinAlgError if Newton's
        method fails."""
        statics, rows = self._statics, self._rows
        q, multipliers = statics.moved(self._q, h * direction), self._multipliers.copy()
        nothing = np.zeros(self.directions.shape[1])
        stiffness, jacobian, factors, is_near = self._stiffness, self._jacobian, self._factors, False
        for _ in range(CORRECTIONS):
            force, constraint = statics.force(q, multipliers), statics.constraint(q)
            if not (np.all(np.isfinite(force)) and np.all(np.isfinite(constraint))):
                break
            is_last = is_near or statics.is_rounding(q, multipliers, force, constraint, stiffness, jacobian)
            step, change = factors.solve(-force, np.concatenate([-constraint[rows], nothing]))
            q = statics.moved(q, step)
            multipliers[rows] += change[: len(rows)]
            if is_last:
                return -change[len(rows) :], self._potential(q)
            is_near = bool(np.abs(step).max() <= CORRECTED * abs(h) * np.abs(direction).max())
            (stiffness, *_), jacobian = statics.newton_matrices(q, multipliers), statics.jacobian(q)
            factors = self._factorised(stiffness, jacobian)
        raise np.linalg.LinAlgError("no stored reference configuration")

    def _factorised(self, stiffness: Sparse, jacobian: Sparse) -> SaddlePoint:
        from scipy.sparse import vstack

        rows = vstack([jacobian[self._rows], self._along], format="csr")
        return SaddlePoint(stiffness, rows, lost_pivot=0.0, refinements=1)

    def _potential(self, q: Array) -> float:
        """Return the potential energy minus the kinetic energy of transport."""
        kinetic, potential = self._statics.mechanics.energy(self._statics.t, q, self._statics.v)
        return float(potential - kinetic)

    def _forces_have_a_potential(self) -> bool:
        """Return whether the work of the forces without reactions equals the change of energy along an arbitrary
        motion."""
        statics, none = self._statics, np.zeros(len(self._multipliers))
        step = NEAR * self._lengths * np.random.default_rng(0).uniform(-1, 1, len(self._lengths))
        moved = statics.moved(self._q, step)
        works = np.array([statics.force(q, none) @ step / 2 for q in (self._q, moved)])
        change = self._potential(moved) - self._energy
        return bool(abs(change - works.sum()) <= SAME_WORK * np.abs(works).sum())
