"""Impacts of contacts, and their modes afterwards; as in ``contacts.h``.

An impact changes the velocities by the impulses P of contacts, and those of the constraints in force:

    M (v⁺ - v⁻) + BᵀΛ = WᵀP,    B v⁺ + b = 0,    ξ = W v⁺ + b + e (W v⁻ + b),

where ξ and P solve a contact problem, and e is zero for slip velocities. By Poisson's hypothesis, this problem with
e = 0 is the compression; an expansion follows, in which normal impulses are at least the part e of those before. The
modes of all contacts at rest follow from the same problem for accelerations and forces.

If impacts accumulate, those that are left take the time τ = 2 u / (a (1 - e)), where u is the speed after an impact and
a the acceleration towards it: one step closes the contact. The impulses of a geometric sequence of impacts act at the
mean time τ / (1 + e), and a is the mean of those before and after with the weights 2/3 and 1/3; then the error is
O(τ³). If other contacts take part, the ratio of speeds after and before the impact replaces e.

Friction of bilateral constraints takes part in each problem, with impulses of at most μ |Λ| in an impact. It has no gap
and is never open; its blocks follow those of contacts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import (
    CONTACT_ROUNDING,
    DEPENDENT_CONTACT,
    GAP_STEPS,
    LAST_IMPACT,
    LAST_IMPACTS,
    LIFTED,
    LONGEST_REST,
    LOWEST_FLIGHT,
    MOST_IMPACTS,
    NEWTON_IMPACTS,
    POISSON_IMPACTS,
    RESTING_SLIP,
    TIME_RESOLUTION,
)
from symlie.errors import ContactModeError, ContactParadoxError
from symlie.runtime.layout.event_changes import CONTACT_TABLE, implied_places
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.cone_problem import Rubbing, solved_cone
from symlie.runtime.system.contacts.fixed_gaps import check_gap
from symlie.runtime.system.mechanics import Mechanics

Chosen = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Fired:
    """Contacts with events at the same time, by kind of the event."""

    touch: Collection[int] = ()
    lift: Collection[int] = ()
    stick: Collection[int] = ()
    slip: Collection[int] = ()


def found_failure(mechanics: Mechanics, t: float, q: Array, v: Array, *, treatment: int) -> ContactModeError | None:
    """Exception of the contact problem without solution at a state, or None if there is none."""
    contacts = ContactSwitching(mechanics, treatment=treatment)
    everything = range(len(mechanics.layout.contacts))
    for fired in (Fired(), Fired(touch=everything), Fired(slip=everything), Fired(stick=everything)):
        try:
            contacts.switched(t, q, v, fired, np.inf)
        except ContactModeError as error:
            return error
    return None


def stepped_failure(mechanics: Mechanics, t: float, q: Array, v: Array, h: float) -> ContactModeError | None:
    """Exception of a step of length h without solution, or None if its cause is not a fixed gap."""
    contacts = ContactSwitching(mechanics, treatment=NEWTON_IMPACTS)
    try:
        contacts.check_gaps(t, q, v, h)
    except ContactModeError as error:
        return error
    return None


@dataclass(frozen=True, eq=False)
class Switched:
    """State after contacts have changed their modes."""

    t: float
    q: Array
    v: Array
    impulses: Array
    """P of all equations of contacts, in the places of their equations, shape (rows,); zero for others."""
    reactions: Array
    """Λ of the constraints in force, shape (rows,)."""
    flight: float
    """Shortest time until a contact that an impact has opened closes again; 0 if there is none."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """Equations of some contacts, and of all friction of constraints, at a state: W as a matrix, K⁻¹Wᵀ, and the forces
    of constraints along it."""

    begin: Chosen
    """First row of each contact, then of each friction."""
    contacts: int
    """Number of contacts."""
    rows: Chosen
    """Equation of each row."""
    W: Array
    X: Array
    reactions: Array
    rate: Array
    """W v + b."""
    size: Array
    """Sizes of the terms of W v."""
    responses: list[Array]
    """Components of the reaction of each friction along the rows, shape (components, rows)."""

    @property
    def normal(self) -> Chosen:
        """Normal row of each contact."""
        return self.begin[: self.contacts]

    @property
    def ends(self) -> Chosen:
        """Row after the last one of each contact and friction."""
        return np.append(self.begin[1:], len(self.rows))


class ContactSwitching:
    """Contacts of a system at an event.

    Parameters
    ----------
    mechanics
        Equations of motion.
    treatment
        Treatment of impacts at the same time: ``NEWTON_IMPACTS``, one problem with Newton's law; ``POISSON_IMPACTS``,
        one problem of compression and one of expansion; ``SEQUENTIAL_IMPACTS``, the fastest first.
    """

    def __init__(self, mechanics: Mechanics, *, treatment: int) -> None:
        self._mechanics, self._treatment = mechanics, treatment
        table = mechanics.layout.contacts
        self._table = {name: table[:, k].astype(np.intp) for k, name in enumerate(CONTACT_TABLE)}
        self._all = np.arange(len(table))
        self._contacts = np.flatnonzero(self._table["normal"] >= 0)
        self._rubbing = np.flatnonzero(self._table["normal"] < 0)
        self._implied = implied_places(mechanics.layout)
        self._laws_at(0.0, np.zeros(mechanics.layout.storage))

    def _laws_at(self, t: float, q: Array) -> None:
        """Evaluate the coefficients of contacts and friction; only limits of friction depend on the state."""
        m = self._mechanics
        self._friction, self._restitution = m.kernels.contacts(m.p, t, q).reshape(-1, 2).T

    def switched(self, t: float, q: Array, v: Array, fired: Fired, end: float) -> Switched:
        """Return the state after all contacts at a state have changed their modes; see `_switched`. Its velocities
        satisfy the constraints in force to rounding."""
        found, m = self._switched(t, q, v, fired, end), self._mechanics
        B = m.jacobian(found.t, found.q, found.v)
        residual = m.hidden_residual(found.t, found.q, found.v, B)
        v = found.v - m.along_constraints(found.t, found.q, B, residual)
        return replace(found, q=self._with_slack(found.t, found.q, v), v=v)

    def _with_slack(self, t: float, q: Array, v: Array) -> Array:
        """Configuration in which open contacts touch beyond a negative gap, which is rounding, if they return before it
        becomes positive."""
        m, places, gaps = self._mechanics, self._table, self.gaps(t, q)
        is_low = (q[places["closed"]] == 0) & (gaps < 0)
        if not is_low.any():
            return q
        full, (a, _) = self._full(q), m.index1(t, q, v)
        B = m.jacobian(t, full, v)
        speed = m.hidden_residual(t, full, v, B)[places["normal"]]
        towards = -(m.algebra.multiply(B, a) + self._curvature(t, q, v))[places["normal"]]
        low = np.flatnonzero(is_low & (towards > 0))
        low = low[(speed[low] <= 0) | (speed[low] ** 2 <= -2 * gaps[low] * towards[low])]
        q = q.copy()
        slack = places["largest_speed"][low] + 1
        q[slack] = np.maximum(q[slack], 2 * self._rounding(q) - gaps[low])
        return q

    def _switched(self, t: float, q: Array, v: Array, fired: Fired, end: float) -> Switched:
        """Return the state after all contacts at a state have changed their modes; the rest of a sequence of impacts
        ends before the time ``end``."""
        m, places = self._mechanics, self._table
        self._laws_at(t, q)
        touching = self._touching(t, q, v, fired)
        q = q.copy()
        q[places["largest_speed"]] = np.maximum(q[places["largest_speed"]], 0.0)
        impulses, reactions = np.zeros(m.layout.rows), np.zeros(m.layout.rows)
        if not len(touching) and not len(self._rubbing):
            return Switched(t, self._open(q), v, impulses, reactions, 0.0)
        rows = self._rows(t, q, v, touching)
        was_closed = q[places["closed"]] != 0
        normal, moved = rows.normal, np.zeros(len(rows.rows))
        approach = -rows.rate[normal]
        flight = 0.0
        if (approach > CONTACT_ROUNDING * rows.size[normal]).any():
            moved = self._impact(rows, touching, rows.rate)
            v = v + moved @ rows.X
            impulses[rows.rows] += moved
            reactions += moved @ rows.reactions
            after = rows.rate + rows.W @ (moved @ rows.X)
            size = np.maximum(rows.size, np.abs(rows.W) @ np.abs(v))
            is_resting = after[normal] <= CONTACT_ROUNDING * size[normal]
            largest = places["largest_speed"][touching]
            q[largest] = np.maximum(q[largest], approach)
            resting = touching[is_resting]
            sizes = self._sizes(rows.rows, size)
            q = self._modes(t, q, v, resting, fired, sizes)
            a, _ = m.index1(t, q, v)
            towards = -(rows.W @ a + self._curvature(t, q, v)[rows.rows])[normal]
            is_back = ~is_resting & (towards > 0)
            lowest = 2 * LOWEST_FLIGHT * float(np.abs(q[: m.layout.node_storage]).max(initial=0))
            is_low = is_back & (after[normal] ** 2 <= lowest * towards)
            chosen = is_low | (is_back & (after[normal] <= LAST_IMPACT * q[largest]))
            flights = np.zeros(len(touching))
            flights[is_back] = 2 * after[normal][is_back] / towards[is_back]
            flight = float(flights[is_back].min()) if is_back.any() else 0.0
            if chosen.any():
                ratio = float(after[normal][chosen].max() / approach.max())
                longest = int(np.argmax(flights * chosen))
                left = float(flights[longest]) / (1 - ratio) if ratio < 1 else np.inf
                closing = touching[is_resting | chosen]
                most, fall = float(q[largest][chosen].max()), float(towards[chosen].max())
                is_short = fall * left <= LAST_IMPACTS * most
                # A long rest of slow impacts, in which other motions count, is omitted.
                height = max(lowest / (2 * LOWEST_FLIGHT), most**2 / fall)
                if left < TIME_RESOLUTION * abs(t) or not (is_short or fall * left**2 <= LONGEST_REST * height):
                    left = 0.0
                closes = (is_short or is_low.any()) and t + left < end
                rest = self._closed(t, q, v, left, ratio, closing) if closes else None
                if rest is not None and left > 0:
                    later = self._later_fall(q, rest, int(touching[longest]))
                    left *= 3 / (2 + later / float(towards[longest]))
                    rest = self._without_gaps(self._closed(t, q, v, left, ratio, closing)) if t + left < end else None
                if rest is not None and self._penetrates(rest, closing):
                    rest = self._closed_at_once(t, q, v, ratio, closing) if is_low.any() else None
                if rest is not None:
                    return replace(rest, impulses=impulses + rest.impulses, reactions=reactions + rest.reactions)
            return Switched(t, q, v, impulses, reactions, flight)
        is_resting = was_closed[touching] | (rows.rate[normal] <= CONTACT_ROUNDING * rows.size[normal])
        return Switched(t, self._modes(t, q, v, touching[is_resting], fired), v, impulses, reactions, 0.0)

    def _without_gaps(self, found: Switched) -> Switched:
        """Return the state with zero gaps of closed contacts."""
        m = self._mechanics
        for _ in range(GAP_STEPS):
            B = m.jacobian(found.t, found.q, found.v)
            gap = m.along_constraints(found.t, found.q, B, m.constraint(found.t, found.q))
            found = replace(found, q=m.moved(found.q, -gap))
        return found

    def _closed_at_once(self, t: float, q: Array, v: Array, ratio: float, closing: Chosen) -> Switched:
        """Return the state after a rest of impacts without duration, in which other contacts that it closes take
        part."""
        while True:
            found = self._closed(t, q, v, 0.0, ratio, closing)
            met = np.setdiff1d(np.flatnonzero(self._approaches(found)), closing)
            if not len(met):
                return found
            closing = np.concatenate([closing, met])

    def _approaches(self, found: Switched) -> NDArray[np.bool_]:
        """Return which contacts close at a state."""
        speed = self._mechanics.hidden_residual(found.t, self._full(found.q), found.v)[self._table["normal"]]
        return (self.gaps(found.t, found.q) <= 0) & (speed < 0)

    def _penetrates(self, found: Switched, closing: Chosen) -> bool:
        """Return whether other contacts would have closed before the end of a sequence of impacts, or close there."""
        is_met = (self.gaps(found.t, found.q) < -self._rounding(found.q)) | self._approaches(found)
        return bool(np.delete(is_met, closing).any())

    def _rounding(self, q: Array) -> float:
        """Gap that is rounding."""
        return CONTACT_ROUNDING * float(np.abs(q[: self._mechanics.layout.node_storage]).max(initial=0))

    def _later_fall(self, q: Array, after: Switched, contact: int) -> float:
        """Acceleration towards a contact after the rest of a sequence of impacts, in the modes before it."""
        m = self._mechanics
        q = np.concatenate([after.q[: m.layout.node_storage], q[m.layout.node_storage :]])
        a, _ = m.index1(after.t, q, after.v)
        rows = self._rows(after.t, q, after.v, np.array([contact]))
        return -float(rows.W[0] @ a + self._curvature(after.t, q, after.v)[rows.rows[0]])

    def _closed(self, t: float, q: Array, v: Array, left: float, ratio: float, closing: Chosen) -> Switched:
        """Return the state after the rest of a sequence of impacts, with an error of the order three in its time.

        Impulses change the velocity at the mean time ``left`` / (1 + ratio).
        """
        m, places, q = self._mechanics, self._table, q.copy()
        q[places["closed"][closing]] = 0.0
        q[places["sticks"][closing][places["slips"][closing] > 0]] = 0.0
        first, _ = m.index1(t, q, v)
        rows = self._rows(t, q, v + left * first, closing)
        X = rows.X
        change = self._cone(rows, closing, rows.rate, holds=True) @ X
        q = m.moved(q, left * (v + left / 2 * first + ratio / (1 + ratio) * change))
        t = t + left
        last, _ = m.index1(t, q, v + left * first + change)
        v = v + left / 2 * (first + last)
        m.prescribe(t, q, v)
        base = self._open(q)
        B = m.jacobian(t, base, v)
        v = v - m.along_constraints(t, base, B, m.hidden_residual(t, base, v, B))
        rows = self._rows(t, q, v, closing)
        rows = replace(rows, X=(ratio * X + rows.X) / (1 + ratio))
        moved = self._cone(rows, closing, rows.rate, holds=True)
        v = v + moved @ rows.X
        impulses = np.zeros(m.layout.rows)
        impulses[rows.rows] = moved
        q[places["largest_speed"][closing]] = 0.0
        sizes = self._sizes(rows.rows, rows.size)
        return Switched(t, self._modes(t, q, v, closing, Fired(), sizes), v, impulses, moved @ rows.reactions, 0.0)

    def _sizes(self, equations: Chosen, size: Array) -> Array:
        """Sizes of the terms of velocities before an impact, for all equations."""
        found = np.zeros(self._mechanics.layout.rows)
        found[equations] = size
        return found

    def check_gaps(self, t: float, q: Array, v: Array, h: float) -> None:
        """Raise FixedGapError if constraints fix the gap of a contact that closes in a step of length h."""
        speed = self._mechanics.hidden_residual(t, self._full(q), v)[self._table["normal"]]
        self._rows(t, q, v, np.flatnonzero(self.gaps(t, q) <= self._rounding(q) - 2 * h * np.minimum(speed, 0)))

    def gaps(self, t: float, q: Array) -> Array:
        """Gaps of all contacts, infinite for friction of constraints."""
        gaps = self._mechanics.constraint(t, self._full(q))[self._table["normal"]]
        return np.where(self._table["normal"] < 0, np.inf, gaps)

    def _touching(self, t: float, q: Array, v: Array, fired: Fired) -> Chosen:
        """Contacts that are closed, that close at an event, or whose gap is zero up to rounding, without friction."""
        m, gap = self._mechanics, self.gaps(t, q)
        speed = m.hidden_residual(t, self._full(q), v)[self._table["normal"]]
        is_met = gap <= self._rounding(q) + TIME_RESOLUTION * abs(t) * np.maximum(-speed, 0)
        is_met |= (q[self._table["closed"]] != 0) | np.isin(self._all, list(fired.touch))
        return np.flatnonzero(is_met & (self._table["normal"] >= 0))

    def _open(self, q: Array) -> Array:
        """Configuration with all contacts open."""
        return self._with(q, 0.0)

    def _full(self, q: Array) -> Array:
        """Configuration with the equations of all contacts in force."""
        return self._with(q, 1.0)

    def _with(self, q: Array, activity: float) -> Array:
        q, table = q.copy(), self._table
        q[table["closed"]] = activity
        q[table["largest_speed"] + 1] = 0.0  # no slack
        q[table["sticks"][table["slips"] > 0]] = activity
        q[self._implied] = 0.0
        return q

    def _rows(self, t: float, q: Array, v: Array, chosen: Chosen) -> _Rows:
        m, table, contacts = self._mechanics, self._table, len(chosen)
        chosen = np.concatenate([chosen, self._rubbing])
        counts = (table["normal"][chosen] >= 0) + table["slips"][chosen]
        begin = np.cumsum(counts) - counts
        places = [table["slip"][i] + np.arange(table["slips"][i]) for i in chosen]
        normals = [[n] if n >= 0 else [] for n in table["normal"][chosen]]
        rows = np.concatenate([[*n, *p] for n, p in zip(normals, places, strict=True)]).astype(np.intp)
        full = self._full(q)
        B, base, mass = m.jacobian(t, full, v), m.jacobian(t, self._open(q), v), m.mass(t, q)
        unit = np.eye(m.layout.rows)[rows]
        W = np.array([m.algebra.pull(B, e) for e in unit])
        none = np.zeros(m.layout.rows)
        found = [m.saddle(mass, base, base, w, none) for w in W]
        for i, n in zip(chosen[:contacts].tolist(), begin.tolist(), strict=False):
            check_gap(m, t, i, base, W[n], found[n])
        rate, size = m.hidden_residual(t, full, v, B)[rows], m.algebra.multiply(np.abs(B), np.abs(v))
        # Bodies at rest have velocities of which all digits are rounding.
        slips = [s + k for s, count in zip(table["slip"], table["slips"], strict=True) for k in range(count)]
        least = CONTACT_ROUNDING * size[[*table["normal"][self._contacts], *slips]].max()
        size = np.maximum(size[rows], least)
        X, reactions = np.array([x for x, _ in found]), np.array([r for _, r in found])
        along = [m.reactions(t, q, v, r) for r in reactions] if len(self._rubbing) else []
        responses = [np.array([F[self._reaction(i)] for F in along]).T for i in self._rubbing.tolist()]
        return _Rows(begin, contacts, rows, W, X, reactions, rate, size, responses)

    def _reaction(self, i: int) -> slice:
        """Place of the reaction of a friction among all components of reactions."""
        first = self._table["reaction"][i]
        return slice(first, first + self._table["reactions"][i])

    def _impulsive(self, rows: _Rows) -> list[Rubbing]:
        """Friction of constraints in an impact, in which only reactions count."""
        return [
            Rubbing(self._friction[i], 0.0, np.zeros(len(R)), R, None)
            for i, R in zip(self._rubbing, rows.responses, strict=True)
        ]

    def _curvature(self, t: float, q: Array, v: Array) -> Array:
        m = self._mechanics
        return m.kernels.curvature(m.p, t, self._full(q), v)

    def _impact(self, rows: _Rows, touching: Chosen, rate: Array) -> Array:
        """Impulses of an impact."""
        before = np.zeros(len(rate))
        before[rows.normal] = rate[rows.normal] * self._restitution[touching]
        if self._treatment == NEWTON_IMPACTS:
            return self._cone(rows, touching, rate + before)
        if self._treatment == POISSON_IMPACTS:
            return self._in_phases(rows, touching, rate)
        total, G, rubbing = np.zeros(len(rate)), rows.W @ rows.X.T, self._impulsive(rows)
        others = np.arange(rows.ends[rows.contacts - 1], len(rate))
        for _ in range(MOST_IMPACTS):
            now = rate + G @ total
            normal = now[rows.normal] / np.sqrt(np.diag(G)[rows.normal])
            i = int(np.argmin(normal))
            if not now[rows.begin[i]] < -CONTACT_ROUNDING * rows.size[rows.normal].max():
                return total
            own = np.concatenate([np.arange(rows.begin[i], rows.ends[i]), others])
            c = now[own].copy()
            c[0] *= 1 + self._restitution[touching[i]]
            begin = np.append(
                0, rows.begin[rows.contacts :] - rows.ends[rows.contacts - 1] + rows.ends[i] - rows.begin[i]
            )
            found = solved_cone(
                G[np.ix_(own, own)], c, begin, self._friction[[touching[i], *self._rubbing]], rows.size[own],
                [replace(r, response=r.response[:, own]) for r in rubbing],
            )  # fmt: skip
            if found is None:
                break
            total[own] += found
        raise self._unsolved(touching)

    def _in_phases(self, rows: _Rows, touching: Chosen, rate: Array) -> Array:
        """Impulses of an impact by Poisson's hypothesis: impulses of compression, after which no contact approaches,
        then impulses of expansion, whose normal components are at least e times the former ones."""
        compression = self._cone(rows, touching, rate)
        least = np.zeros(len(rate))
        least[rows.normal] = self._restitution[touching] * np.maximum(compression[rows.normal], 0.0)
        after = rate + rows.W @ (compression @ rows.X)
        return compression + self._cone(rows, touching, after, least=least)

    def _cone(self, rows: _Rows, chosen: Chosen, c: Array, *, holds: bool = False, least: Array | None = None) -> Array:
        friction, G = self._friction[[*chosen, *self._rubbing]], rows.W @ rows.X.T
        found = solved_cone(G, c, rows.begin, friction, rows.size, self._impulsive(rows), holds=holds, least=least)
        if found is None:
            raise self._unsolved(chosen)
        return found

    def _unsolved(self, chosen: Chosen) -> ContactModeError:
        names = ", ".join(self._mechanics.layout.contact_names[i] for i in [*chosen, *self._rubbing])
        return ContactModeError(f"Contacts {names} have no consistent impulses or forces")

    def _modes(self, t: float, q: Array, v: Array, resting: Chosen, fired: Fired, sizes: Array | None = None) -> Array:
        """Configuration in which resting contacts have the modes that accelerations determine, and others are open.

        After an impact, ``sizes`` are the sizes of the terms of velocities, shape (rows,).
        """
        opened = self._open(q)
        if not len(resting) and not len(self._rubbing):
            return opened
        m, rows = self._mechanics, self._rows(t, q, v, resting)
        (a, multipliers), curvature = m.index1(t, opened, v), self._curvature(t, q, v)[rows.rows]
        terms = np.abs(rows.W) @ np.abs(a) + np.abs(curvature)
        given = m.reactions(t, q, v, multipliers)
        problem = _AccelerationProblem(self, rows, resting, rows.W @ a + curvature, terms, (t, q), given, fired, sizes)
        lifted = np.isin(resting, list(fired.lift))
        for is_tried in dict.fromkeys([tuple(~lifted), (True,) * len(resting)]):
            if problem.solve(np.array(is_tried, dtype=np.bool_)):
                break
        places = self._table
        for k, i in enumerate(resting):
            opened[places["closed"][i]] = float(problem.is_closed(k, is_held=not lifted[k]))
            opened[places["largest_speed"][i]] *= not lifted[k]
            opened[places["largest_speed"][i] + 1] = problem.slack(k) * opened[places["closed"][i]]
            if not opened[places["closed"][i]] or not places["slips"][i]:
                continue
            direction = problem.direction(k)
            opened[places["sticks"][i]] = float(direction is None)
            first = places["direction"][i]
            opened[first : first + places["slips"][i]] = 0.0 if direction is None else direction
        for k, i in enumerate(self._rubbing):
            place, direction = rows.contacts + k, problem.direction(rows.contacts + k)
            opened[places["closed"][i]], opened[places["sticks"][i]] = 1.0, float(direction is None)
            opened[places["largest_speed"][i]], opened[places["largest_speed"][i] + 1] = 0.0, problem.slack(place)
            first = places["direction"][i]
            opened[first : first + places["slips"][i]] = 0.0 if direction is None else direction
            first = places["largest_speed"][i] + 2
            before = opened[first : first + places["reactions"][i]]
            opened[first : first + places["reactions"][i]] = problem.toward(k, before, turns=i in fired.lift)
        self._release_dependent(t, opened, rows, resting, problem)
        return opened

    def _release_dependent(
        self, t: float, q: Array, rows: _Rows, resting: Chosen, problem: _AccelerationProblem
    ) -> None:
        """Release equations that others imply: their contacts carry no load, or have the friction of the problem."""
        places, G, forces = self._table, rows.W @ rows.X.T, problem.forces
        closed = [k for k, i in enumerate(resting) if q[places["closed"][i]]]
        closed.sort(key=lambda k: -forces[rows.begin[k]] * np.sqrt(G[rows.begin[k], rows.begin[k]]))
        kept: list[int] = []
        factor, gaps = np.zeros_like(G), self.gaps(t, q)

        def is_new(row: int) -> bool:
            """Return whether a row is independent of those before it, by a step of the Cholesky factorisation of G."""
            for j, other in enumerate(kept):
                factor[row, j] = (G[row, other] - factor[row, :j] @ factor[other, :j]) / factor[other, j]
            left = G[row, row] - factor[row, : len(kept)] @ factor[row, : len(kept)]
            if not left > DEPENDENT_CONTACT * G[row, row]:
                return False
            factor[row, len(kept)] = np.sqrt(left)
            kept.append(row)
            return True

        for k in closed:
            if not is_new(int(rows.begin[k])):
                q[places["closed"][resting[k]]] = 0.0
                if places["slips"][resting[k]]:
                    q[places["sticks"][resting[k]]] = 0.0
                slack = 2 * self._rounding(q) + max(-float(gaps[resting[k]]), 0.0)
                q[places["largest_speed"][resting[k]] + 1] = slack
        chosen = [*resting, *self._rubbing]
        rubbing = [k for k in [*closed, *range(len(resting), len(chosen))] if q[places["closed"][chosen[k]]]]
        # Friction of contacts that begin to slide is known, so that other equations are preferred.
        for sticks in (1.0, 0.0):
            for k in rubbing:
                i = chosen[k]
                slips, first = places["slips"][i], int(rows.begin[k]) + (k < len(resting))
                if not slips or q[places["sticks"][i]] != sticks or not problem.rests(k):
                    continue
                kept_before = len(kept)
                is_implied = np.array([not is_new(first + j) for j in range(slips)])
                if sticks or is_implied.all():
                    q[places["sticks"][i]] = 1.0
                    at = places["direction"][i]
                    q[at : at + slips] = np.where(is_implied, problem.held(k), 0.0)
                    q[at + slips : at + 2 * slips] = is_implied
                else:
                    del kept[kept_before:]


class _AccelerationProblem:
    """Forces and accelerations of contacts at rest and of friction."""

    def __init__(
        self, contacts: ContactSwitching, rows: _Rows, chosen: Chosen, free: Array, terms: Array,
        state: tuple[float, Array], reactions: Array, fired: Fired, sizes: Array | None,
    ) -> None:  # fmt: skip
        time, q = state
        chosen = np.concatenate([chosen, contacts._rubbing])
        self._contacts, self._rows, self._chosen, self._free, self._terms = contacts, rows, chosen, free, terms
        self._ends = rows.ends
        self._first = rows.begin + (np.arange(len(chosen)) < rows.contacts)
        self._reactions = [reactions[contacts._reaction(i)] for i in contacts._rubbing.tolist()]
        self._G = rows.W @ rows.X.T
        self._friction = contacts._friction[chosen]
        self._is_slipping = np.isin(chosen, list(fired.slip))
        table = contacts._table
        self._sliding: list[Array | None] = []
        for k, i in enumerate(chosen):
            t = slice(self._first[k], self._ends[k])
            slip, size = rows.rate[t], rows.size[t]
            least = CONTACT_ROUNDING * abs(time) * terms[rows.begin[k]]  # round-off of the time
            d = q[table["direction"][i] : table["direction"][i] + len(slip)]
            if sizes is not None:
                is_rest = (
                    np.abs(slip) <= np.maximum(CONTACT_ROUNDING * np.maximum(size, sizes[rows.rows[t]]), least)
                ).all()
            else:
                is_sticking = q[table["closed"][i]] != 0 and (not len(slip) or q[table["sticks"][i]] != 0)
                is_rest = is_sticking or (np.abs(slip) <= np.maximum(CONTACT_ROUNDING * size, least)).all()
            if not is_rest and i in fired.stick:
                across = slip - (slip @ d) * d
                is_rest = (np.abs(across) <= RESTING_SLIP * rows.size[t]).all()
            self._sliding.append(None if is_rest else slip / np.linalg.norm(slip))
        self.forces = np.zeros(len(free))

    def solve(self, is_tried: NDArray[np.bool_]) -> bool:
        """Solve the problem for some of the contacts; False if another one would penetrate."""
        kept: list[int] = []
        responses = [R.copy() for R in self._rows.responses]
        G, begin, tried = self._G.copy(), list[int](), np.flatnonzero(is_tried).tolist()
        for k in tried:
            n, d, t = self._rows.begin[k], self._sliding[k], slice(self._first[k], self._ends[k])
            begin.append(len(kept))
            if d is None:
                kept += range(n, self._ends[k])
                continue
            kept.append(n)
            G[:, n] = self._G[:, n] - self._friction[k] * self._G[:, t] @ d
            for R in responses:
                R[:, n] -= self._friction[k] * R[:, t] @ d
            if not G[n, n] > 0:
                self._paradox(k, self._G[n, n] / float(self._G[n, t] @ d))
        rubbing = range(self._rows.contacts, len(self._rows.begin))
        begin += [int(self._rows.begin[k] - self._rows.begin[rubbing[0]]) + len(kept) for k in rubbing]
        if rubbing:
            kept += range(self._rows.begin[rubbing[0]], len(self._free))
        for k in rubbing:
            self._check_unique(k, self._sliding[k])
        laws = zip(rubbing, self._reactions, responses, strict=True)
        found = solved_cone(
            G[np.ix_(kept, kept)],
            self._free[kept],
            np.array(begin, dtype=np.intp),
            self._friction[[*tried, *rubbing]],
            self._terms[kept],
            [Rubbing(self._friction[k], self._limit(k), F, R[:, kept], self._sliding[k]) for k, F, R in laws],
        )
        if found is None:
            raise self._contacts._unsolved(self._chosen[: self._rows.contacts])
        self.forces[:] = 0
        self.forces[kept] = found
        self._acceleration = self._free + G[:, kept] @ found
        self._found = [F + R[:, kept] @ found for F, R in zip(self._reactions, responses, strict=True)]
        normal = self._rows.normal
        scale = np.sqrt(np.diag(self._G)[normal])
        self._y, self._w = self.forces[normal] * scale, self._acceleration[normal] / scale
        first = self._rows.begin
        self._size = float(np.abs(self._free[first] / np.sqrt(np.diag(self._G)[first])).max(initial=0))
        for k in rubbing:
            self._check_unique(k, self.direction(k))
        return bool((self._w[~is_tried] >= -LIFTED * self._size).all())

    def _check_unique(self, k: int, direction: Array | None) -> None:
        """Check that the force of sliding friction of a constraint is unique: the reaction changes by less than it."""
        if direction is None:
            return
        response = self._rows.responses[k - self._rows.contacts]
        along = float(np.linalg.norm(response[:, self._first[k] : self._ends[k]] @ direction))
        if not self._friction[k] * along < 1:
            self._paradox(k, 1 / along)

    def _paradox(self, k: int, critical: float) -> None:
        name = self._contacts._mechanics.layout.contact_names[self._chosen[k]]
        raise ContactParadoxError(
            f"Contact '{name}' slides with the friction coefficient {self._friction[k]:.6g}, but from "
            f"{critical:.6g} on no force or several forces are consistent (Painlevé's paradox)"
        )

    def _limit(self, k: int) -> float:
        return float(self._contacts._restitution[self._chosen[k]])

    def toward(self, k: int, before: Array, *, turns: bool) -> Array:
        """Direction of the reaction of a friction; the opposite of the one before if it just turns."""
        F = self._found[k]
        size = float(np.linalg.norm(F))
        if turns and before.any():
            return -before
        if size > 0:
            return np.asarray(F / size)
        return before if before.any() else np.eye(max(len(F), 1))[0][: len(F)]

    def is_closed(self, k: int, *, is_held: bool) -> bool:
        """Return whether a contact is closed; one without force and acceleration is if it is held."""
        tolerance = CONTACT_ROUNDING * self._size
        return bool(self._y[k] > tolerance or (self._w[k] <= tolerance and is_held))

    def slack(self, k: int) -> float:
        """Force of a contact that is round-off."""
        n = self._rows.begin[k]
        return float(CONTACT_ROUNDING * self._size / np.sqrt(self._G[n, n]))

    def rests(self, k: int) -> bool:
        """Return whether a contact has no slip."""
        return self._sliding[k] is None

    def _friction_of(self, k: int) -> tuple[Array, float]:
        """Friction of a contact without slip, and its largest size."""
        force, radius = (
            self.forces[self._first[k] : self._ends[k]],
            self._friction[k] * self.forces[self._rows.begin[k]],
        )
        if k >= self._rows.contacts:
            reaction = float(np.linalg.norm(self._found[k - self._rows.contacts]))
            radius = self._limit(k) + self._friction[k] * reaction
        return force, float(radius)

    def held(self, k: int) -> Array:
        """Minus the friction of a contact without slip, relative to its largest size."""
        force, radius = self._friction_of(k)
        return np.asarray(-force / radius) if radius > 0 else np.zeros(len(force))

    def direction(self, k: int) -> Array | None:
        """Direction in which a closed contact slides or begins to slide; None if it sticks."""
        if (sliding := self._sliding[k]) is not None:
            return sliding
        t = slice(self._first[k], self._ends[k])
        force, radius = self._friction_of(k)
        size = float(np.linalg.norm(force))
        if size < (1 - CONTACT_ROUNDING) * radius and not self._is_slipping[k]:
            return None
        if size > 0:
            return np.asarray(-force / size)
        size = float(np.linalg.norm(self._acceleration[t]))
        if size > 0:
            return np.asarray(self._acceleration[t] / size)
        return np.asarray(np.eye(len(force))[0])
