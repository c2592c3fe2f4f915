"""Semismooth Newton method for a stage with contacts, as in ``contact_solution.h``.

Active sets start from those of the last step, which its impulses and configuration contain, and settle in a few steps.
If they do not, the method starts again after Gauss–Seidel sweeps, and secants accelerate slow corrections. A result
counts only if the natural map or the active sets have converged; changes between sweeps are no bound.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import (
    CONE_ACCEPTED,
    CONE_SLACK,
    CONTACT_ROUNDING,
    CONTACT_STEPS,
    CONTACT_SWEEPS,
    GROWN_ERROR,
    LARGEST_COMPLIANCE,
    LEAST_COMPLIANCE,
    SECANT_STEPS,
    SWEEP_ROUNDS,
)
from symlie.errors import ContactModeError, NotFiniteError
from symlie.runtime.implicit.contact_cone import UNSOLVED, cone_correction
from symlie.runtime.implicit.contact_corrections import Corrected
from symlie.runtime.implicit.contact_equations import OPEN, ContactMatrix, ContactRows, contact_rows
from symlie.runtime.implicit.newton_iteration import NewtonCounts
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.factors import Factors, NotFiniteMatrixError, SingularMatrixError
from symlie.runtime.system.contacts.table import ContactTable


class ContactStage(Protocol):
    """Stage of a step with all equations of contacts in force.

    Attributes
    ----------
    mass, jacobian_start, jacobian
        M, and B of the forces and of the equations, as stored values.
    """

    mass: Array
    jacobian_start: Array
    jacobian: Array

    def residual(self, u: Array) -> Array:
        """Return the residual at u."""

    def check(self, r: Array) -> None:
        """Raise an error that names the first entry of a residual that is not finite."""


class ContactSolution:
    """Solution of a stage with contacts.

    Parameters
    ----------
    stage
        The stage.
    table, matrix
        Contacts of the system, and the elimination of its matrix.
    known
        Impulses and equations that are added to μ and c, shape (rows,) each.
    is_eligible
        Contacts that may close.
    counts
        Statistics.

    Attributes
    ----------
    rows
        Equations of contacts at the solution.
    weights
        ρ of the normal and tangential equations of contacts there.
    """

    rows: ContactRows
    weights: tuple[Array, Array]

    def __init__(
        self, stage: ContactStage, table: ContactTable, matrix: ContactMatrix, known: tuple[Array, Array],
        is_eligible: NDArray[np.bool_], counts: NewtonCounts,
    ) -> None:  # fmt: skip
        self._stage, self._table, self._matrix, self._known = stage, table, matrix, known
        self._is_eligible, self._counts, self._is_soft = is_eligible, counts, False
        self._first_error = 0.0

    def solve(self, u: Array, size: float, correction: float) -> Array:
        """Return the solution from an initial guess, for unknowns of a size and a largest final correction relative
        to it; raise ContactModeError."""
        base = u
        for sweeps in (*(CONTACT_SWEEPS * 4**k for k in range(SWEEP_ROUNDS)), 0):
            found = self._iterated(base, size, correction, is_restart=sweeps != CONTACT_SWEEPS)
            if found is None and sweeps == CONTACT_SWEEPS:
                try:
                    found = self._by_cones(base, size, correction)
                except ContactModeError:
                    # The caller solves without restitution, which can prevent a solution.
                    if self._known[1].any():
                        raise
            if found is not None:
                return found
            swept = self._swept(base, sweeps) if sweeps else None
            if swept is None:
                break
            base = swept
        r = self._residual(base)
        others = np.abs(r[len(r) - len(self._known[0]) :][~self._table.rows]).max(initial=0)
        if max(self.rows.error, float(others)) <= CONE_ACCEPTED * size:
            return base
        raise ContactModeError(UNSOLVED)

    def _iterated(self, u: Array, size: float, correction: float, *, is_restart: bool) -> Array | None:
        """Return the solution by Newton's method alone, or None if its active sets do not settle."""
        n, last, sets = len(u) - len(self._known[0]), np.inf, None
        self._is_soft, self._first_error, start = is_restart, 0.0, u
        before: Corrected | None = None
        for k in range(SECANT_STEPS if is_restart else CONTACT_STEPS):
            # At first, contacts without a gap count as closed, so that stacks do not close one contact per step.
            try:
                r = self._residual(u, touching=CONTACT_ROUNDING * size if k == 0 else -1.0)
            except NotFiniteError:
                if k == 0:
                    raise
                return None
            if self.rows.error > GROWN_ERROR * self._first_error:
                # Contacts are nearly redundant.
                if self._is_soft:
                    return None
                self._is_soft, u, last, sets = True, start, np.inf, None
                r = self._residual(u)
            try:
                d = self._correction(r)
            except (SingularMatrixError, NotFiniteMatrixError):
                return None
            now = Corrected(u - d, d[:n])
            change = float(np.abs(d[:n]).max(initial=0))
            is_settled = sets is not None and np.array_equal(sets, self.rows.sets)
            is_settled |= self.rows.error <= CONTACT_ROUNDING * size
            # With a compliance, steps also converge if there is no solution.
            is_settled &= self.rows.error <= CONE_ACCEPTED * size
            sets = self.rows.sets
            if is_settled and (change <= correction * size or last / 2 < change <= CONTACT_ROUNDING * size):
                # Impulses of nearly redundant contacts can change without velocities.
                self._residual(now.u)
                if self.rows.error <= CONE_ACCEPTED * size:
                    return now.u
            u, last, before = now.extrapolated(before, k), change, now
        return None

    def _by_cones(self, u: Array, size: float, correction: float) -> Array | None:
        """Return the solution by contact problems of the linearised stage, or None if this is not possible; raise
        ContactModeError if it fails."""
        n, last = len(u) - len(self._known[0]), np.inf
        before: Corrected | None = None
        for k in range(SECANT_STEPS):
            self._residual(u)
            r = np.concatenate([self._raw[:n], self._raw[n:] + self._known[1]])
            d = cone_correction(
                self._stage, self._table, self._matrix, r, u[n:] + self._known[0], self._is_eligible,
                self.rows.sets != OPEN, CONE_SLACK * size,
            )  # fmt: skip
            if d is None:
                return None
            self._counts.iterations += 1
            now = Corrected(u - d, d[:n])
            change = float(np.abs(d[:n]).max(initial=0))
            if change <= correction * size or last / 2 < change <= CONTACT_ROUNDING * size:
                self._residual(now.u)
                if self.rows.error <= CONE_ACCEPTED * size:
                    return now.u
                break
            u, last, before = now.extrapolated(before, k), change, now
        raise ContactModeError(UNSOLVED)

    def _swept(self, u: Array, sweeps: int) -> Array | None:
        """Return the unknowns after Gauss–Seidel sweeps, or None if M couples nodes."""
        stage, n = self._stage, len(u) - len(self._known[0])
        r = stage.residual(u)
        found = self._matrix.sweeps(stage.mass, stage.jacobian_start, stage.jacobian)
        if found is None:
            return None
        delta, impulse = found.swept(r[:n], r[n:] + self._known[1], u[n:] + self._known[0], self._is_eligible, sweeps)
        return np.asarray(u + np.concatenate([delta, impulse - self._known[0] - u[n:]]))

    def without(self, u: Array) -> Array:
        """Return the unknowns after a correction that removes the residual of the momentum alone."""
        r = self._residual(u)
        momentum = np.where(np.arange(len(r)) < len(r) - len(self._known[0]), r, 0.0)
        try:
            return u - self._correction(momentum)
        except SingularMatrixError:
            stage = self._stage
            factors = self._matrix.open_factors(stage.mass, stage.jacobian_start, stage.jacobian)
            return u - factors.solve(np.pad(momentum, (0, self._matrix.size - len(r))))[: len(r)]

    def _residual(self, u: Array, touching: float = -1.0) -> Array:
        """Return the residual with the natural map; contacts are closed up to a gap or velocity."""
        stage, n = self._stage, len(u) - len(self._known[0])
        r = stage.residual(u)
        self._counts.evaluations += 1
        stage.check(r)
        self._raw = r
        self.weights = self._matrix.weights(stage.mass, stage.jacobian_start, stage.jacobian)
        impulse, c = u[n:] + self._known[0], r[n:] + self._known[1]
        self.rows = rows = contact_rows(self._table, c, impulse, self._is_eligible, self.weights, touching)
        self._first_error = self._first_error or rows.error
        return np.concatenate([r[:n], rows.residual])

    def _correction(self, r: Array) -> Array:
        self._counts.iterations += 1
        self._counts.slowest = int(np.argmax(np.abs(r)))
        right = np.zeros(self._matrix.size)
        right[: len(r)] = r
        return self._factors().solve(right)[: len(r)]

    def _factors(self) -> Factors:
        """Factorise the matrix; contacts that are redundant become soft, the less the smaller the error is."""
        self._counts.jacobians += 1
        self._counts.factorisations += 1
        stage = self._stage
        parts = stage.mass, stage.jacobian_start, stage.jacobian, self.rows, self.weights
        try:
            return self._matrix.factors(*parts, compliance=self._compliance)
        except SingularMatrixError:
            if self._is_soft:
                raise
        self._is_soft = True
        return self._matrix.factors(*parts, compliance=self._compliance)

    @property
    def _compliance(self) -> float:
        if not self._is_soft:
            return 0.0
        share = self.rows.error / self._first_error if self._first_error > 0 else 0.0
        return min(max(LARGEST_COMPLIANCE * share, LEAST_COMPLIANCE), LARGEST_COMPLIANCE)
