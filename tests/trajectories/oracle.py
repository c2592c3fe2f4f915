"""Equations of motion of a drawn model by complex steps in its texts: Euler and Poincaré, with a dense saddle system.

    d/dt ∂L/∂v_i = <∂L/∂v, [v, e_i]> + D_q L(e_i) + Q_i - (Bᵀ λ)_i

M, D_q L and ∂L/∂v are derivatives by complex steps; L is of degree two in v, which makes differences by ±e_i exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.trajectories.drawn import Drawn, Part, Table, Term, space_of
from tests.trajectories.groups import Group, coadjoint
from tests.trajectories.motion import Motion
from tests.trajectories.spaces import Space
from tests.trajectories.texts import STEP, Array, evaluate

SHIFT = 0.02
WEIGHTS = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
"""Central differences of order eight for the second derivative of rows, which complex steps cannot give; the step is
divided by one plus the largest rate, which leaves 1e-13 of truncation and of rounding at any speed."""

ROWS = ("constraint", "nonholonomic", "acceleration")


@dataclass(frozen=True)
class Slots:
    """Position of a node in the state of all nodes."""

    space: Group | Space
    q: slice
    v: slice


class View:
    """A node in texts: ``a.c`` and ``a.v`` with their components, ``a.R``, ``a.v_dot``, and named parts."""

    def __init__(self, slots: Slots, q: Array, v: Array, a: Array) -> None:
        self.space = slots.space
        self.c, self.v, self.v_dot = q[slots.q], v[slots.v], a[slots.v]

    def __getattr__(self, name: str) -> Any:
        if name == "R" and self.space.rotation is not None:
            value = self.space.rotation(self.c)
        else:
            if name not in self.space.fields:
                raise AttributeError(name)
            which, start, end = self.space.fields[name]
            value = (self.c if which == "q" else self.v)[start:end]
        setattr(self, name, value)
        return value


def table_value(table: Table, t: Any, at: float) -> Any:
    """A table at times near ``at``, which says the piece: complex ones as well."""
    times, values = table.times, table.values
    k = int(np.searchsorted(times, at, side="right")) - 1
    if k < 0 or k >= len(times) - 1:
        return values[max(k, 0)] + 0 * t
    if table.interpolation == "hold":
        return values[k] + 0 * t
    return values[k] + (t - times[k]) * ((values[k + 1] - values[k]) / (times[k + 1] - times[k]))


@dataclass(frozen=True)
class Rates:
    """Derivatives q' and v' and multipliers λ of a state."""

    q: Array
    v: Array
    multipliers: Array


class Oracle:
    """The equations of motion of a drawn model."""

    def __init__(self, drawn: Drawn) -> None:
        self.drawn = drawn
        self.slots: dict[tuple[str, int], Slots] = {}
        self.motions: list[tuple[Slots, Motion]] = []
        self.placements: list[tuple[Part, int, Term]] = []
        self.fields: list[tuple[Part, int, Term]] = []
        stored = moved = 0
        free: list[int] = []
        q, v = [], []
        for nodes in drawn.nodes:
            of = space_of(nodes.space)
            for k in range(len(nodes.q)):
                slots = Slots(of, slice(stored, stored + of.storage), slice(moved, moved + of.dimension))
                self.slots[nodes.name, k] = slots
                if k in nodes.motions:
                    self.motions.append((slots, Motion(nodes.space, nodes.motions[k])))
                elif k not in nodes.fixed:
                    free += range(moved, moved + of.dimension)
                stored, moved = stored + of.storage, moved + of.dimension
                q += nodes.q[k]
                v += nodes.v[k]
        self.free = np.array(free, dtype=int)
        self.storage, self.dimension = stored, moved
        self.brackets = np.zeros((moved, moved, moved))
        for slots in self.slots.values():
            if isinstance(slots.space, Group):
                self.brackets[slots.v, slots.v, slots.v] = slots.space.brackets
        self.q0, self.v0 = np.array(q, dtype=float), np.array(v, dtype=float)
        self.at = 0.0
        """A time in the piece of all tables that is meant."""
        for part in drawn.parts:
            for k in range(len(part.instances)):
                for term in part.terms:
                    if term.kind == "place":
                        self.placements.append((part, k, term))
                    elif term.kind in ("field", "vector_field", "hamiltonian"):
                        self.fields.append((part, k, term))
        self.energy_terms = [(p, k, t) for p, k, t in self._all() if t.kind in ("kinetic", "potential")]
        self.row_terms = [(p, k, t) for p, k, t in self._all() if t.kind in ROWS]

    def _all(self) -> list[tuple[Part, int, Term]]:
        return [(p, k, t) for p in self.drawn.parts for k in range(len(p.instances)) for t in p.terms]

    # States and values of texts

    def completed(self, t: Any, q: Array, v: Array) -> tuple[Array, Array]:
        """The state with prescribed values at these times, which may be complex."""
        if self.motions:
            q, v = q.copy(), v.copy()
            for slots, motion in self.motions:
                q[slots.q], v[slots.v] = motion(t)
        return q, v

    def values(self, part: Part, instance: int, t: Any, q: Array, v: Array, a: Array) -> dict[str, Any]:
        """Names that a text of a part can use."""
        drawn = self.drawn
        named: dict[str, Any] = {"t": t, **drawn.parameters}
        named |= {table.name: table_value(table, t, self.at) for table in drawn.tables}
        named |= {name: given[instance] for name, given in part.parameters.items()}
        for local, place in zip(part.locals, part.instances[instance], strict=True):
            named[local] = View(self.slots[place], q, v, a)
        return named

    def _text(self, part: Part, k: int, text: str, t: Any, q: Array, v: Array, a: Array | None = None) -> Array:
        """A text as (components, batch)."""
        value = evaluate(text, self.values(part, k, t, q, v, np.zeros_like(v) if a is None else a))
        value = np.asarray(value)
        if value.ndim < 2:
            value = value.reshape(1, -1)
        return np.broadcast_to(value, (value.shape[0], q.shape[1]))

    def lagrangian(self, t: Any, q: Array, v: Array, *, kinetic_alone: bool = False) -> Array:
        """T - V of a batch."""
        total = np.zeros(q.shape[1], dtype=complex)
        for part, k, term in self.energy_terms:
            if term.kind == "kinetic":
                total = total + self._text(part, k, term.text, t, q, v)[0]
            elif not kinetic_alone:
                total = total - self._text(part, k, term.text, t, q, v)[0]
        return total

    def energy(self, t: float, q: Array, v: Array) -> float:
        """T + V + H and energies without effect on the motion."""
        states = self._batch(t, q, v, 1)
        kinds = ("kinetic", "potential", "hamiltonian", "energy")
        return float(sum(
            np.real(self._text(p, k, term.text, *states)[0, 0]) for p, k, term in self._all() if term.kind in kinds
        ))  # fmt: skip

    def _batch(self, t: float, q: Array, v: Array, count: int) -> tuple[Array, Array, Array]:
        return (
            np.full(count, t, dtype=complex), np.repeat(q[:, None].astype(complex), count, axis=1),
            np.repeat(v[:, None].astype(complex), count, axis=1),
        )  # fmt: skip

    def storage_rate(self, q: Array, v: Array) -> Array:
        """q' of all nodes with velocities, of a batch."""
        result = np.zeros(q.shape, dtype=complex)
        for slots in self.slots.values():
            if isinstance(slots.space, Group):
                result[slots.q] = slots.space.rate(q[slots.q], v[slots.v])
        return result

    def directions(self, q: Array) -> Array:
        """q' of each free unit velocity, (storage, free)."""
        n = len(self.free)
        units = np.zeros((self.dimension, n))
        units[self.free, range(n)] = 1
        return np.real(self.storage_rate(np.repeat(q[:, None], n, axis=1), units))

    # The equations

    def placed(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """The state with prescribed and dependent nodes."""
        states = self.completed(*self._batch(t, q, v, 1))
        q, v = np.real(states[0][:, 0]), np.real(states[1][:, 0])
        for part, k, term in self.placements:
            node = self.slots[part.instances[k][list(part.locals).index(term.name)]]
            reference = self.slots[part.instances[k][list(part.locals).index(term.other)]]
            rates = self._all_rates(t, q, v)
            batch_t, batch_q, batch_v = self._batch(t, q, v, 1)
            batch_q = batch_q + 1j * STEP * rates[:, None]
            batch_q, batch_v = self.completed(batch_t + 1j * STEP, batch_q, batch_v)
            offset = self._text(part, k, term.text, batch_t + 1j * STEP, batch_q, batch_v)[:, 0]
            q[node.q] = q[reference.q] + np.real(offset)
            v[node.v] = v[reference.v] + np.imag(offset) / STEP
        return q, v

    def _all_rates(self, t: float, q: Array, v: Array, a: Array | None = None) -> Array:
        """q' of all nodes, of points by their fields."""
        rates = np.real(self.storage_rate(q[:, None], v[:, None]))[:, 0]
        for part, k, term in self.fields:
            self._add_field(rates, part, k, term, (t, q, v, np.zeros_like(v) if a is None else a))
        return rates

    def _add_field(self, rates: Array, part: Part, k: int, term: Term, at: tuple[float, Array, Array, Array]) -> None:
        t, q, v, a = at
        if term.kind == "hamiltonian":
            gradient = self._gradient(part, k, term, t, q, v)
            for place in part.instances[k]:
                slots = self.slots[place]
                if isinstance(slots.space, Space) and slots.space.hamiltonian is not None:
                    rates[slots.q] += slots.space.hamiltonian(q[slots.q], gradient[slots.q])
            return
        slots = self.slots[part.instances[k][list(part.locals).index(term.name)]]
        assert isinstance(slots.space, Space)
        states = self._batch(t, q, v, 1)
        value = np.real(self._text(part, k, term.text, *states, a[:, None].astype(complex))[:, 0])
        rates[slots.q] += value if term.kind == "vector_field" else slots.space.generator(q[slots.q], value)

    def _gradient(self, part: Part, k: int, term: Term, t: float, q: Array, v: Array) -> Array:
        """∂/∂q of a text by stored components."""
        n = self.storage
        times, states, velocities = self._batch(t, q, v, n)
        states[range(n), range(n)] += 1j * STEP
        return np.imag(self._text(part, k, term.text, times, states, velocities)[0]) / STEP

    def rates(self, t: float, q: Array, v: Array) -> Rates:
        """q', v' and λ of a state."""
        q, v = self.placed(t, q, v)
        mass, force = self.mass_and_force(t, q, v)
        jacobian, curvature = self.rows(t, q, v)
        n, m = len(force), len(curvature)
        system = np.block([[mass, jacobian.T], [jacobian, np.zeros((m, m))]])
        solved = np.linalg.solve(system, np.concatenate([force, -curvature])) if n + m else np.zeros(0)
        a = np.zeros(self.dimension)
        a[self.free] = solved[:n]
        return Rates(self._all_rates(t, q, v, a), a, solved[n:])

    def mass_and_force(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """M, and the right-hand side of M v' = … - Bᵀ λ."""
        n, free = len(self.free), self.free
        if not n:
            return np.zeros((0, 0)), np.zeros(0)
        directions = self.directions(q)
        rates = self._all_rates(t, q, v)
        pairs = [(i, j) for i in range(n) for j in range(i, n)]
        size = 4 * n + len(pairs) + n
        times, states, velocities = self._batch(t, q, v, size)
        states[:, :n] += 1j * STEP * directions
        states[:, n : 3 * n] += 1j * STEP * rates[:, None]
        times[n : 3 * n] += 1j * STEP
        states, velocities = self.completed(times, states, velocities)
        unit = np.arange(n)
        velocities[free, n + unit] += 1
        velocities[free, 2 * n + unit] -= 1
        velocities[free, 3 * n + unit] += 1j * STEP
        rest = slice(4 * n, size)
        velocities[np.ix_(free, range(4 * n, size))] = 0
        for column, (i, j) in enumerate(pairs, start=4 * n):
            velocities[free[i], column] += 1j * STEP
            velocities[free[j], column] += 1
        velocities[free, 4 * n + len(pairs) + unit] += 1j * STEP
        # Potentials drop out of the columns that M is found from.
        values = np.imag(self.lagrangian(times, states, velocities)) / STEP
        gradient = values[:n]
        changing = (values[n : 2 * n] - values[2 * n : 3 * n]) / 2
        momentum, found = values[3 * n : 4 * n], values[rest]
        mass = np.zeros((n, n))
        for (i, j), value in zip(pairs, found, strict=False):
            mass[i, j] = mass[j, i] = value - found[len(pairs) + i]
        whole = np.zeros(self.dimension)
        whole[free] = momentum
        gyroscopic = coadjoint(self.brackets, v, whole)[free]
        return mass, gyroscopic + gradient - changing + self.forces(t, q, v, directions)

    def forces(self, t: float, q: Array, v: Array, directions: Array) -> Array:
        """Generalised forces on free velocities, dissipation included."""
        n = len(self.free)
        total, whole = np.zeros(n), np.zeros(self.dimension)
        states = self._batch(t, q, v, n)
        moved = (states[0], states[1] + 1j * STEP * directions, states[2])
        pushed = (states[0], states[1], states[2].copy())
        pushed[2][self.free, range(n)] += 1j * STEP
        for part, k, term in self._all():
            if term.kind == "dissipation":
                total -= np.imag(self._text(part, k, term.text, *pushed)[0]) / STEP
            elif term.kind == "force":
                along = np.imag(self._text(part, k, term.other, *moved)) / STEP
                total += np.real(self._text(part, k, term.text, *states)[:, 0]) @ along
            elif term.kind in ("generalized", "torque"):
                slots = self.slots[part.instances[k][list(part.locals).index(term.name)]]
                value = np.real(self._text(part, k, term.text, *states)[:, 0])
                if term.kind == "torque":
                    value = self._in_body_axes(slots, q, value)
                whole[slots.v.start : slots.v.start + len(value)] += value
        return total + whole[self.free]

    @staticmethod
    def _in_body_axes(slots: Slots, q: Array, value: Array) -> Array:
        if len(value) == 1:
            return value
        assert slots.space.rotation is not None
        return np.asarray(np.real(slots.space.rotation(q[slots.q][:, None])[..., 0]).T @ value)

    def rows(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """B and Z of B v' + Z = 0."""
        n = len(self.free)
        jacobians, curvatures = [np.zeros((0, n))], [np.zeros(0)]
        if not self.row_terms:
            return jacobians[0], curvatures[0]
        directions = self.directions(q)
        rate = self._all_rates(t, q, v)
        for part, k, term in self.row_terms:
            find: Callable[..., tuple[Array, Array]] = getattr(self, f"_{term.kind}")
            b, z = find(part, k, term, t, q, v, directions, rate)
            jacobians.append(b)
            curvatures.append(z)
        return np.concatenate(jacobians), np.concatenate(curvatures)

    def _constraint(
        self, part: Part, k: int, term: Term, t: float, q: Array, v: Array, directions: Array, rate: Array
    ) -> tuple[Array, Array]:
        times, states, velocities = self._batch(t, q, v, len(self.free))
        b = np.imag(self._text(part, k, term.text, times, states + 1j * STEP * directions, velocities)) / STEP
        held = self._batch(t, q, v, 1)
        bent = np.imag(self.storage_rate(held[1] + 1j * STEP * rate[:, None], held[2])[:, 0]) / STEP
        step = SHIFT / (1 + np.abs(rate).max())
        at = np.array([s * o * step for o, _ in WEIGHTS for s in (1, -1)])
        weights = np.array([s * w / step for _, w in WEIGHTS for s in (1, -1)])
        times, _, velocities = self._batch(t, q, v, len(at))
        curve = q[:, None] + rate[:, None] * at + bent[:, None] * at**2 / 2
        states = curve + 1j * STEP * (rate[:, None] + bent[:, None] * at)
        times = times + at + 1j * STEP
        states, velocities = self.completed(times, states, velocities)
        return b, np.imag(self._text(part, k, term.text, times, states, velocities)) / STEP @ weights

    def _nonholonomic(
        self, part: Part, k: int, term: Term, t: float, q: Array, v: Array, directions: Array, rate: Array
    ) -> tuple[Array, Array]:
        n = len(self.free)
        times, states, velocities = self._batch(t, q, v, n)
        velocities[self.free, range(n)] += 1j * STEP
        b = np.imag(self._text(part, k, term.text, times, states, velocities)) / STEP
        times, states, velocities = self._batch(t, q, v, 1)
        times, states = times + 1j * STEP, states + 1j * STEP * rate[:, None]
        states, velocities = self.completed(times, states, velocities)
        return b, np.imag(self._text(part, k, term.text, times, states, velocities))[:, 0] / STEP

    def _acceleration(
        self, part: Part, k: int, term: Term, t: float, q: Array, v: Array, directions: Array, rate: Array
    ) -> tuple[Array, Array]:
        n = len(self.free)
        states = self._batch(t, q, v, n)
        a = np.zeros((self.dimension, n), dtype=complex)
        a[self.free, range(n)] += 1j * STEP
        value = self._text(part, k, term.text, *states, a)
        return np.imag(value) / STEP, np.real(value[:, 0])

    def residuals(self, t: float, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Φ; then B and b of the velocity constraints B v + b = 0, with b for the velocities of prescribed nodes."""
        n = len(self.free)
        directions = self.directions(q)
        rest = v.copy()
        rest[self.free] = 0
        rate = np.real(self.storage_rate(q[:, None], rest[:, None]))[:, 0]
        phi, b, constant = [np.zeros(0)], [np.zeros((0, n))], [np.zeros(0)]
        for part, k, term in self.row_terms:
            if term.kind == "constraint":
                phi.append(np.real(self._text(part, k, term.text, *self._batch(t, q, v, 1))[:, 0]))
                b.append(self._constraint(part, k, term, t, q, v, directions, rate)[0])
                times, states, velocities = self._batch(t, q, rest, 1)
                times, states = times + 1j * STEP, states + 1j * STEP * rate[:, None]
                states, velocities = self.completed(times, states, velocities)
                constant.append(np.imag(self._text(part, k, term.text, times, states, velocities)[:, 0]) / STEP)
            elif term.kind == "nonholonomic":
                b.append(self._nonholonomic(part, k, term, t, q, v, directions, rate)[0])
                constant.append(np.real(self._text(part, k, term.text, *self._batch(t, q, rest, 1))[:, 0]))
        return np.concatenate(phi), np.concatenate(b), np.concatenate(constant)

    def outputs(self, t: float, q: Array, v: Array) -> Mapping[str, Array]:
        """Named outputs of the model's own part."""
        states = self._batch(t, q, v, 1)
        return {
            term.name: np.real(self._text(p, k, term.text, *states)[:, 0])
            for p, k, term in self._all()
            if term.kind == "output"
        }
