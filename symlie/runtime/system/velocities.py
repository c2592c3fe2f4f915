"""Completion of unspecified initial velocities, independent of units, groups and coordinates.

The result satisfies specified velocities, conditions and constraints B v + b = 0. Unspecified rates of joints are zero
if that contradicts neither; then unspecified velocities of floating bodies that carry joints are zero if possible. The
remaining freedom minimises the kinetic energy

    (v - r)ᵀ M (v - r) / 2

of the change. In the reference r, bodies of joints are at rest, and other nodes have the specified velocities and zero
elsewhere. If some rates of joints cannot be zero, as in a linkage with a specified crank rate, r is the motion in which
all open rates are zero and which agrees with the specified velocities as far as possible: the frame that carries the
linkage moves in r, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import VELOCITY_TOLERANCE
from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.compromise import compromise
from symlie.runtime.linear.nearest import Nearest
from symlie.runtime.linear.schur import DenseAlgebra
from symlie.runtime.system.output_jacobian import linear_outputs, open_rates, outboard_joints, output_columns
from symlie.runtime.system.state_rates import GivenRates, determining_rows

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics

MISFIT = 1e-7
"""Fraction of the largest residual above which a rate cannot be zero; it exceeds rounding and regularisation
effects."""

OPEN = 1e-6
"""Fraction of a random velocity with entries near one above which the equations leave a component undetermined."""

SINGULAR = 1e-12
"""Eigenvalue of M, scaled to a unit diagonal, that is attributed to rounding."""

INVERSE_ITERATIONS = 2
"""Steps of inverse iteration, which find the order of magnitude of the smallest eigenvalue."""

SHADOW = 1e-9
"""Artificial inertia of massless components relative to the others, which makes M regular."""


class VelocityProblem:
    """Completion of the initial velocities at a configuration that satisfies the constraints, linearised about
    ``about`` if they are nonlinear in v; the mask ``given`` marks specified and fixed components."""

    def __init__(
        self,
        mechanics: Mechanics,
        t: float,
        q: Array,
        given: NDArray[np.bool_],
        conditions: Mapping[str, tuple[Array, str]],
        jacobian: Array,
        mass: Array,
        about: Array | None = None,
        rates: GivenRates | None = None,
    ) -> None:
        self._mechanics, self._t, self._q, self._given = mechanics, t, q, given
        self._layout, self._about, self._rates = mechanics.layout, about, rates
        self._rows = self._layout.of_velocities & ~self._layout.is_balance
        self._conditions, self._mass = conditions, mass
        self._determining = np.zeros(self._layout.rows, dtype=bool)
        if rates is not None:
            self._given = np.where(self._layout.integrated | ~self._layout.free, given, rates.bodies)
            self._determining = determining_rows(self._layout, mechanics.algebra.sparse_jacobian(jacobian))
            self._rows |= self._determining
        self._jacobian = (
            jacobian * ~self._layout.is_balance[mechanics.algebra.jacobian_rows] if self._layout.rows else jacobian
        )
        self._is_moving = self._layout.has_velocity

    def consistent(self, v: Array, guess: Array) -> tuple[Array, tuple[str, ...]]:
        """Return velocities that satisfy all equations, preferably the guess, and the names of the velocities that were
        chosen to be nonzero; raise InconsistentInitialValuesError on contradictions."""
        guessed = np.where(self._given, v, guess)
        if self._rates is not None:
            if not _agree(guessed, guess):
                return self.completed(v)
            guessed = guess
        return (guessed, ()) if self.accepts(guessed) else self.completed(v)

    def hidden(self, v: Array) -> Array:
        """Return B v + b, shape (constraints,)."""
        if not self._layout.rows:
            return np.zeros(0)
        mechanics = self._mechanics
        found = self._rows * mechanics.hidden_residual(self._t, self._q, v, self._jacobian, self._about)
        if self._determining.any():
            found[self._determining] = mechanics.algebra.multiply(self._jacobian, v)[self._determining]
        return found

    def satisfies_constraints(self, v: Array) -> bool:
        """Return whether B v + b is zero up to rounding."""
        return bool(np.all(np.abs(self.hidden(v)) <= self._allowed(v)))

    def accepts(self, v: Array) -> bool:
        """Return whether velocities satisfy all equations and all unspecified rates of joints are zero."""
        if not self.satisfies_constraints(v):
            return False
        if not self._conditions and (self._given.all() or not v.any() or not self._open_rates):
            return True
        names = [*self._conditions, *(name for name in self._open_rates if name not in self._conditions)]
        found = linear_outputs(self._mechanics, self._t, self._q, names).values(v)
        targets = np.zeros(len(found))
        wanted = np.concatenate([np.zeros(0), *(values for values, _ in self._conditions.values())])
        targets[: len(wanted)] = wanted
        size = max(1.0, float(np.abs(found).max(initial=0.0)), float(np.abs(v).max(initial=0.0)))
        return bool(np.all(np.abs(found - targets) <= VELOCITY_TOLERANCE * size))

    def completed(self, v: Array) -> tuple[Array, tuple[str, ...]]:
        """Return completed velocities and the names of the velocities that were chosen to be nonzero; raise
        InconsistentInitialValuesError on contradictions."""
        found = self._determined(v) if self._rates is None else None
        chosen: tuple[str, ...] = ()
        if found is None:
            found, chosen = self._chosen(v)
        self._check_constraints(found, v)
        return found, chosen

    def nearest(self, v: Array, near: Array) -> Array:
        """Return the velocities nearest to others, in the metric of M, that satisfy all equations; raise
        InconsistentInitialValuesError on contradictions."""
        from scipy.sparse import vstack

        columns, conditions = self._columns, {**self._stated_rates, **self._conditions}
        stated = linear_outputs(self._mechanics, self._t, self._q, list(conditions))
        hard = vstack([self._constraints, self._given_rows, stated.matrix[:, columns]], format="csr")
        values = np.concatenate([np.zeros(0), *(c for c, _ in conditions.values())]) - stated.offset
        data = np.concatenate([self._drift, v[columns][self._given[columns]], values])
        problem, found = Nearest(hard, self.metric), near.copy()
        found[columns] = problem.point(near[columns], data)
        misfit = np.abs(problem.misfit(found[columns], data))
        size = max(1e-300, float(np.abs(problem.misfit(0 * near[columns], data)).max(initial=0.0)))
        self._check_conditions(conditions, misfit, size, len(data) - len(values))
        found = np.where(self._given, v, found)
        self._check_constraints(found, v)
        return found

    @cached_property
    def _open_rates(self) -> list[str]:
        """Joint rates that are not determined by the specified velocities of their nodes."""
        return open_rates(self._layout, self._given)

    @property
    def _stated_rates(self) -> dict[str, tuple[Array, str]]:
        """Specified rates of joints that are first-order states, with their names for messages."""
        stated = {} if self._rates is None else self._rates.stated
        return {name: (self._q[self._layout.state_rates[name][0]], label) for name, label in stated.items()}

    def _allowed(self, v: Array) -> float:
        if not self._layout.rows:
            return VELOCITY_TOLERANCE
        sizes = self._mechanics.algebra.multiply(np.abs(self._jacobian), np.abs(v))
        return VELOCITY_TOLERANCE * max(1.0, float(sizes.max(initial=0.0)))

    def _determined(self, v: Array) -> Array | None:
        """Return the velocities if the constraints and specified components determine them, otherwise None."""
        algebra, free = self._mechanics.algebra, ~self._given
        if not isinstance(algebra, DenseAlgebra) or self._conditions:
            return None
        matrix = algebra.jacobian_matrix(self._jacobian)[:, free]
        change, _, rank, _ = np.linalg.lstsq(matrix, self.hidden(v), rcond=1e-12)
        if rank < matrix.shape[1]:
            return None
        found = v.copy()
        found[free] -= change
        return found

    def _at_rest(self, v: Array) -> Array:
        """Return the velocities from which changes are measured: bodies of joints are at rest.

        In minimal coordinates they are no unknowns, so that their velocities would depend on those of other bodies.
        """
        layout, of_joints = self._layout, np.zeros(self._layout.dimension, dtype=bool)
        outboard = np.zeros(layout.dimension)
        joints = outboard_joints(layout)
        for node in layout.nodes:
            outboard[node.velocity] = node.name in joints
        for rate in layout.manifest.joint_rates:
            if rate.output in layout.outputs:
                of_joints[output_columns(layout, rate.joint, rate.output)] = True
        if outboard.any():
            of_joints |= abs(self._mechanics.algebra.sparse_mass(self._mass)) @ outboard > 0
        found = np.where(self._given, v, 0.0)
        for node in layout.nodes:
            if not node.is_array and of_joints[node.velocity].any():
                found[node.velocity] = 0.0
        return found

    @cached_property
    def _columns(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._is_moving)

    @cached_property
    def _constraints(self) -> Sparse:
        values = self._jacobian if self._layout.rows else np.zeros(0)
        rows = self._mechanics.algebra.sparse_jacobian(values)[np.flatnonzero(self._rows)]
        return rows[:, self._columns]

    @cached_property
    def _given_rows(self) -> Sparse:
        from scipy.sparse import eye_array

        return eye_array(len(self._columns), format="csr")[np.flatnonzero(self._given[self._columns])]

    @cached_property
    def _drift(self) -> Array:
        """-b of the constraints B v + b = 0."""
        return -self.hidden(np.zeros(self._layout.dimension))[self._rows]

    @cached_property
    def metric(self) -> Sparse:
        """M, with an artificial inertia if it is singular, as with massless components or Euler parameters.

        All motions satisfy the constraints with b = 0, so that an inertia of their violations does not change results,
        and rows that contain components determined by such constraints keep their lengths. The remaining components
        get a small inertia.
        """
        from scipy.sparse import diags_array

        mass = self._mechanics.algebra.sparse_mass(self._mass)[self._columns][:, self._columns].tocsr()
        diagonal = np.abs(mass.diagonal())
        mean = float(diagonal.mean()) if diagonal.any() else 1.0
        if not len(diagonal) or (diagonal.min() > SHADOW * mean and _is_regular(mass, diagonal)):
            return mass
        shadow = np.where(diagonal > SHADOW * mean, diagonal, mean)
        rows = self._constraints[np.flatnonzero(self._drift == 0)]
        squares = rows.multiply(rows) @ (1 / shadow)
        rows = diags_array(1 / np.sqrt(np.where(squares > 0, squares, 1.0))) @ rows
        mass = (mass + rows.T @ rows).tocsr()
        return mass if _is_regular(mass, mass.diagonal()) else (mass + SHADOW * diags_array(shadow)).tocsr()

    def _chosen(self, v: Array) -> tuple[Array, tuple[str, ...]]:
        from scipy.sparse import vstack

        columns, constraints, given = self._columns, self._constraints, self._given_rows
        conditions = {**self._stated_rates, **self._conditions}
        left = {*self._open_rates, *(() if self._rates is None else self._rates.open)} - {*conditions}
        names = [r.output for r in self._layout.manifest.joint_rates if r.output in left]
        rates = linear_outputs(self._mechanics, self._t, self._q, names)
        stated = linear_outputs(self._mechanics, self._t, self._q, list(conditions))
        rows, wanted = rates.matrix[:, columns], stated.matrix[:, columns]
        drift = self._drift
        values = np.concatenate([np.zeros(0), *(c for c, _ in conditions.values())]) - stated.offset
        hard = vstack([constraints, given, wanted], format="csr")
        data = np.concatenate([drift, v[columns][self._given[columns]], values])
        start = self._at_rest(v)[columns]
        both = Nearest(vstack([hard, rows], format="csr"), self.metric, rows.shape[0])
        target = np.concatenate([data, np.zeros(rows.shape[0])])
        found = both.point(start, target)
        misfit, reach = np.abs(both.misfit(found, target)), np.abs(both.misfit(0 * start, target)).max(initial=0.0)
        size = max(float(reach), float(np.abs(both.misfit(found, 0 * target)).max(initial=0.0)))
        known = Nearest(hard, self.metric)
        self._check_conditions(
            conditions, np.abs(known.misfit(known.point(start, data), data)), size, len(drift) + given.shape[0]
        )
        held = misfit[hard.shape[0] :] <= MISFIT * size
        chosen: list[str] = []
        kept = vstack([hard, rows[held]], format="csr")
        goal = np.concatenate([data, np.zeros(int(held.sum()))])
        reference = start
        if not held.all():
            is_open = np.array(held)
            for k in np.flatnonzero(~held):
                is_open[k] = not known.is_determined(rows[[k]].toarray()[0])
            if is_open[~held].any():
                groups = self._groups(len(drift), [len(values) for values, _ in conditions.values()])
                reference = self._reference(rows[is_open], drift, hard, data, groups)
                chosen = [rates.names[k] for k in np.flatnonzero(is_open & ~held)]
            found = Nearest(kept, self.metric).point(reference, goal)
        bases = self._resting_bases(kept, goal, reference)
        if bases.shape[0]:
            kept, goal = vstack([kept, bases], format="csr"), np.concatenate([goal, np.zeros(bases.shape[0])])
            found = Nearest(kept, self.metric).point(reference, goal)
        whole = np.zeros(len(v))
        whole[columns] = found
        whole[self._given] = v[self._given]
        moving = np.abs(both.misfit(found, 0 * target))[hard.shape[0] :] > MISFIT * size
        chosen = [name for name in dict.fromkeys(chosen) if moving[[other == name for other in rates.names]].any()]
        return whole, (*chosen, *self._chosen_nodes(found, kept, chosen))

    def _resting_bases(self, kept: Sparse, goal: Array, reference: Array) -> Sparse:
        """Return equations of unspecified velocities of floating bodies that can be zero."""
        from scipy.sparse import eye_array, vstack

        columns = self._columns
        fields = np.where(self._given, -1, self._layout.bases)[columns]
        places = np.flatnonzero(fields >= 0)
        rows = eye_array(len(columns), format="csr")[places]
        if not len(places):
            return rows
        both = Nearest(vstack([kept, rows], format="csr"), self.metric, len(places))
        target = np.concatenate([goal, np.zeros(len(places))])
        found = both.point(reference, target)
        sizes = (np.abs(both.misfit(x, y)).max() for x, y in ((0 * found, target), (found, 0 * target)))
        moves = np.abs(both.misfit(found, target))[kept.shape[0] :] > MISFIT * max(sizes)
        return rows[np.flatnonzero(~np.isin(fields[places], fields[places][moves]))]

    def _groups(self, constraints: int, sizes: list[int]) -> NDArray[np.intp]:
        """Return the number of the constraint, field of a node, or condition to which each equation belongs."""
        fields = np.zeros(self._layout.dimension, dtype=np.intp)
        for node in self._layout.nodes:
            for field in node.type.velocity_fields:
                members = fields[node.velocity].reshape(node.count, -1)
                members[:, field.part] = (fields.max() + 1 + np.arange(node.count))[:, None]
        of_nodes = constraints + fields[self._columns][self._given[self._columns]]
        first = constraints + int(fields.max(initial=0)) + 1
        return np.concatenate([np.arange(constraints), of_nodes, np.repeat(first + np.arange(len(sizes)), sizes)])

    def _reference(self, rates: Sparse, drift: Array, hard: Sparse, data: Array, groups: NDArray[np.intp]) -> Array:
        """Return the motion with zero open joint rates that best agrees with the specified velocities."""
        from scipy.sparse import vstack

        constraints, rest = self._constraints, drift == 0
        fixed = constraints[np.flatnonzero(rest)]
        rigid = vstack([fixed, rates], format="csr")
        moving = np.concatenate([np.flatnonzero(~rest), np.arange(len(drift), len(data))])
        both = vstack([rigid, hard[moving]], format="csr")
        target = np.concatenate([np.zeros(rigid.shape[0]), data[moving]])
        weighted = Nearest(both, self.metric, len(moving))
        nearest = weighted.point(np.zeros(both.shape[1]), target)
        misfit = np.abs(weighted.misfit(nearest, target))
        if misfit.max(initial=0.0) > MISFIT * np.abs(weighted.misfit(0 * nearest, target)).max(initial=0.0):
            nearest = compromise(fixed, rigid, hard[moving], data[moving], groups[moving], self.metric)
            misfit = np.abs(weighted.misfit(nearest, target))
        agrees = misfit <= MISFIT * max(1e-300, float(np.abs(weighted.misfit(0 * nearest, target)).max(initial=0.0)))
        agrees[: rigid.shape[0]] = True
        return Nearest(both[np.flatnonzero(agrees)], self.metric).point(nearest, target[agrees])

    def _chosen_nodes(self, v: Array, kept: Sparse, rates: list[str]) -> tuple[str, ...]:
        """Return the nodes with nonzero completed velocities, except nodes of joints with completed rates."""
        layout, columns = self._layout, self._columns
        sizes = np.sqrt(self.metric.diagonal())
        moves = np.abs(v) * sizes > MISFIT * np.max(np.abs(v) * sizes, initial=0.0)
        moves &= layout.integrated[columns]  # dependent bodies move by rates of joints
        if not (moves & ~self._given[columns]).any():
            return ()
        # A random solution of the homogeneous equations almost surely vanishes exactly in the determined components.
        probe = np.random.default_rng(0).standard_normal(len(columns))
        free = Nearest(kept, self.metric).point(probe / sizes, np.zeros(kept.shape[0]))
        chosen = moves & (np.abs(free) * sizes > OPEN)
        owners = [r.joint for r in layout.manifest.joint_rates if r.output in rates]
        for rate in (r for r in layout.manifest.joint_rates if r.joint in owners):
            chosen &= ~np.isin(columns, output_columns(layout, rate.joint, rate.output))
        return tuple(dict.fromkeys(f"velocity of {layout.node_name(int(k))}" for k in columns[chosen]))

    def _check_conditions(
        self, conditions: Mapping[str, tuple[Array, str]], misfit: Array, size: float, first: int
    ) -> None:
        """Raise InconsistentInitialValuesError if conditions contradict each other or the constraints."""
        part, names = misfit[first:], []
        for values, description in conditions.values():
            if len(values) and part[: len(values)].max() > MISFIT * size:
                names.append(description)
            part = part[len(values) :]
        if names:
            raise InconsistentInitialValuesError(
                f"The initial velocities of '{self._layout.name}' contradict each other or the constraints: given are "
                f"the {', the '.join(names)}; correct them, or leave some out so that they are completed."
            )

    def _check_constraints(self, v: Array, stated: Array) -> None:
        if self.satisfies_constraints(v):
            return
        v = stated.copy()
        free = ~self._given
        if free.any():
            matrix = self._mechanics.algebra.sparse_jacobian(self._jacobian)[:, np.flatnonzero(free)]
            from scipy.sparse.linalg import lsqr

            v[free] -= lsqr(matrix, self.hidden(v), atol=1e-15, btol=1e-15, iter_lim=20 * matrix.shape[0])[0]
        hidden, layout = self.hidden(v), self._layout
        row = int(np.argmax(np.abs(hidden)))
        of = "the time derivative of " if layout.holonomic[row] else ""
        raise InconsistentInitialValuesError(
            f"The initial velocities of '{layout.name}' violate {of}{layout.row_name(row)}: "
            f"B v + b = {hidden[row]:.3g}; correct them, or leave some out so that they are completed."
        )


def _agree(v: Array, other: Array) -> bool:
    size = max(1.0, float(np.abs(other).max(initial=0.0)))
    return bool(np.abs(v - other).max(initial=0.0) <= VELOCITY_TOLERANCE * size)


def _is_regular(mass: Sparse, diagonal: Array) -> bool:
    """Return whether the smallest eigenvalue of a mass matrix with the diagonal scaled to one exceeds rounding.

    Pivots are not sufficient, because a small pivot amplifies the rounding errors of later ones.
    """
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    if not len(diagonal):
        return True
    if not (diagonal > 0).all():
        return False
    scale = diags_array(1 / np.sqrt(diagonal))
    try:
        factors = splu((scale @ mass @ scale).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0)
    except RuntimeError:
        return False
    vector = np.random.default_rng(0).standard_normal(len(diagonal))
    for _ in range(INVERSE_ITERATIONS):
        vector = factors.solve(vector / np.linalg.norm(vector))
    return bool(np.linalg.norm(vector) * SINGULAR < 1)
