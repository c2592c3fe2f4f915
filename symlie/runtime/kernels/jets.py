"""Jets of a whole system in NumPy: Taylor coefficients order by order, for all nodes and elements of a type at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.contract.set_table import JetLayout, SetTable
from symlie.runtime.kernels.compositions import Compositions
from symlie.runtime.kernels.numpy import Functions, components, node_groups
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.dependents import dependent_batches
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.linear.schur import summed

Inputs = list[Array | np.float64]
"""Arguments of a generated function: numbers, and components of shape (components, count)."""


def _of(x: Array | np.float64, instances: NDArray[np.int64]) -> Array | np.float64:
    """Return the components of some elements; numbers, and parameters in one column, are common to all."""
    return x[:, instances] if isinstance(x, np.ndarray) and x.shape[1] > 1 else x


@dataclass
class _Jet:
    """Data of a jet of a type for higher orders: values at order 0, and factors of products by order."""

    layout: JetLayout
    kept: Array
    factors: list[Array]
    conditions: list[Array]
    """Sizes of branch conditions, followed by their coefficients for each order."""
    given: Array
    """Values of the last order that another jet uses."""
    compositions: Compositions | None = None

    def sums(self, k: int) -> Array:
        """Σ_{0<j<k} of products of the factors of orders j and k - j."""
        left, right = np.array(self.layout.products, dtype=int).reshape(-1, 2).T
        total = np.zeros((len(left), self.kept.shape[-1]))
        for j in range(1, k):
            total += self.factors[j - 1][left] * self.factors[k - j - 1][right]
        return total


class Jets:
    """Jets of a state up to an order, computed order by order.

    `functions` and `table` are the generated functions and the table of the kernel set ``jets``.
    """

    def __init__(self, layout: Layout, functions: Functions, table: SetTable, p: Prepared, order: int) -> None:
        self._layout, self._functions, self._p, self._order = layout, functions, p, order
        self._layouts = {jet.name: jet for jet in table.jets}
        self._groups = node_groups(layout)
        self.follows_fields = not layout.has_fields or layout.has_angles
        """True if the orders of v contain vector fields instead of velocities."""
        self._dependents = [b for b in dependent_batches(layout) if self._follows(b.element)]
        self._jets: dict[tuple[str, int], _Jet] = {}
        """Jets by function and number of the batch of dependent nodes."""
        self._events: list[tuple[int, str]] = []
        nodes = [(n.storage.start + k * n.type.storage, n.type.storage) for n in layout.nodes for k in range(n.count)]
        self._widths = dict(nodes)

    def _follows(self, index: int) -> bool:
        """Return whether the orders of the dependent nodes of an element type are computed."""
        layout, element = self._layout, self._layout.elements[index]
        if layout.has_unwrapped or not self._layouts[f"{element.name}_dependent_jet"].unread:
            return True
        dependent = {element.node_types[place] for place, _ in element.dependents.nodes}
        types = zip(layout.manifest.node_types, layout.moving_types, strict=True)
        return any(t.name in dependent and moves for t, moves in types)

    def rate(self, k: int, q: Array, w: Array, out: Array) -> None:
        """Write order k of q' = S(q) w for nodes with velocities to out; zero for other nodes and for types that do not
        move."""
        has_rate = self._layout.has_velocity & self._layout.moves
        for kind, storage, velocity in self._groups:
            if not has_rate[velocity].all():
                out[storage] = 0.0
                continue
            inputs: Inputs = [q[storage], w[velocity]]
            name = f"{kind}_rate_jet"
            out[storage] = self._next(name, k, inputs) if k else self._begun(name, inputs)

    def field(self, k: int, t: float, q: Array, v: Array, a: Array, multipliers: Array, rate: Array) -> Array:
        """Return order k of v, or of the vector fields if they are integrated, plus order k of the given rates.

        Order 0 initialises higher orders.
        """
        layout, out = self._layout, np.where(self._layout.has_velocity, v, 0.0)
        for index, inputs in self._inputs("qvaλ", t, q, v, a, multipliers):
            name = f"{layout.elements[index].name}_field_jet"
            if f"{name}_begin" in self._functions:
                block = self._next(name, k, inputs) if k else self._begun(name, [*inputs, *self._parameters(index)])
                if self.follows_fields:
                    places = layout.field_places[index].T
                    fields, block = block[: len(places)], block[len(places) :]
                    out += np.bincount(places.ravel(), weights=fields.ravel(), minlength=len(v))
                np.add.at(rate, layout.field_stored_places[index].T, block)
        return out

    def begin_motion(self, t: float) -> None:
        """Initialise orders of prescribed motions."""
        for name, _, _ in self._motions():
            self._begun(name, [np.float64(t), self._p.model], 1)

    def motion(self, k: int, t: float, factor: float, q: Array, v: Array, of_v: float = 1.0) -> None:
        """Write order k of q and of v of prescribed nodes, each multiplied by a factor."""
        for name, storage, velocity in self._motions():
            values = self._next(name, k, [np.float64(t)])[:, 0]
            width = self._widths[storage]
            q[storage : storage + width] = factor * values[:width]
            v[velocity : velocity + len(values) - width] = of_v * values[width:]

    def begin_dependent(self, t: float, q: Array, v: Array) -> None:
        """Initialise orders of dependent nodes."""
        inputs = dict(self._inputs("qv", t, q, v))
        for number, batch in enumerate(self._dependents):
            model, elements = self._parameters(batch.element)
            known = [*(_of(x, batch.instances) for x in inputs[batch.element]), model, _of(elements, batch.instances)]
            self._begun(f"{self._layout.elements[batch.element].name}_dependent_jet", known, level=number)

    def dependent(self, k: int, t: float, q: Array, v: Array) -> None:
        """Write order k of q and v of dependent nodes."""
        for number, batch in enumerate(self._dependents):
            inputs = next(found for at, found in self._inputs("qv", t, q, v) if at == batch.element)
            name = f"{self._layout.elements[batch.element].name}_dependent_jet"
            batch.put(self._next(name, k, [_of(x, batch.instances) for x in inputs], level=number), q, v)

    def _motions(self) -> Iterator[tuple[str, int, int]]:
        """Names of prescribed motions with the first storage and velocity indices of their nodes."""
        starts = zip(self._layout.motion_storage, self._layout.motion_velocity, strict=True)
        for number, (storage, velocity) in enumerate(starts):
            yield f"{self._layout.name}_motion_{number}_motion_jet", int(storage), int(velocity)

    def begin_force(self, t: float, q: Array, v: Array, a: Array, multipliers: Array) -> None:
        """Initialise orders of r = M a + g + Bᵀ λ."""
        for index, inputs in self._inputs("qvaλ", t, q, v, a, multipliers):
            name = f"{self._layout.elements[index].name}_force_jet"
            self._begun(name, [*inputs, *self._parameters(index), *self._taken(name)])

    def force(self, k: int, t: float, q: Array, v: Array) -> Array:
        """Order k of r, without the contributions of v'_k and λ_k."""
        total = np.zeros(self._layout.dimension)
        for index, inputs in self._inputs("qv", t, q, v):
            places, name = self._layout.places[index], f"{self._layout.elements[index].name}_force_jet"
            block = self._next(name, k, [*inputs, *self._taken(name)])
            total += summed(places.ravel(), block.T.ravel(), self._layout.dimension)
        return total

    def end_force(self, k: int, a: Array, multipliers: Array) -> None:
        """Complete order k of r."""
        for index, inputs in self._inputs("aλ", None, a, multipliers):
            self._end(f"{self._layout.elements[index].name}_force_jet", k, inputs)

    def begin_hidden(self, t: float, q: Array, v: Array) -> None:
        """Initialise orders of c = B v + b."""
        for index, inputs in self._inputs("qv", t, q, v):
            if (name := f"{self._layout.elements[index].name}_hidden_jet") in self._layouts:
                self._begun(name, [*inputs, *self._parameters(index)])

    def hidden(self, k: int, t: float, q: Array) -> Array:
        """Order k of c, without the contribution of v_k."""
        return self._of_rows("hidden", k, "q", t, q)

    def _of_rows(self, name: str, k: int, letters: str, t: float, *vectors: Array) -> Array:
        """Return order k of one kind of constraint equations; zero for element types without them."""
        found = np.zeros(self._layout.rows)
        for index, inputs in self._inputs(letters, t, *vectors):
            of_type = f"{self._layout.elements[index].name}_{name}_jet"
            if of_type in self._layouts:
                found[self._layout.row_places[index]] = self._next(of_type, k, inputs).T
        return found

    def end_hidden(self, k: int, v: Array) -> None:
        """Complete order k of c."""
        for index, inputs in self._inputs("v", None, v):
            if (name := f"{self._layout.elements[index].name}_hidden_jet") in self._layouts:
                self._end(name, k, inputs)

    def begin_index1(self, t: float, q: Array, v: Array, a: Array) -> None:
        """Initialise orders of z = B a + Z of acceleration-level constraints."""
        for index, inputs in self._inputs("qva", t, q, v, a):
            if (name := f"{self._layout.elements[index].name}_index1_jet") in self._layouts:
                self._begun(name, [*inputs, *self._parameters(index)])

    def index1(self, k: int, t: float, q: Array, v: Array) -> Array:
        """Order k of z, without the contribution of a_k."""
        return self._of_rows("index1", k, "qv", t, q, v)

    def end_index1(self, k: int, a: Array) -> None:
        """Complete order k of z."""
        for index, inputs in self._inputs("a", None, a):
            if (name := f"{self._layout.elements[index].name}_index1_jet") in self._layouts:
                self._end(name, k, inputs)

    def _taken(self, name: str) -> Inputs:
        """Values that the jet of hidden constraints shares with another jet of its type."""
        return [self._jets[name.replace("_force_jet", "_hidden_jet"), 0].given] if self._layouts[name].taken else []

    def _inputs(self, letters: str, t: float | None, *vectors: Array) -> Iterator[tuple[int, Inputs]]:
        """Return the arguments of order k for the functions of each element type."""
        layout = self._layout
        for index in range(len(layout.elements)):
            places = {"q": layout.stored_places[index].T, "λ": layout.row_places[index].T}
            of_velocities = layout.places[index].T
            found = [components(x, places.get(y, of_velocities)) for y, x in zip(letters, vectors, strict=True)]
            yield index, [*([] if t is None else [np.float64(t)]), *found]

    def _parameters(self, index: int) -> Inputs:
        """Additional arguments at order 0."""
        return [self._p.model, self._p.elements[index].T]

    def _begun(self, name: str, inputs: Inputs, count: int | None = None, level: int = 0) -> Array:
        layout = self._layouts[name]
        instances = inputs[1].shape[-1] if count is None else count
        values = self._values(f"{name}_begin", instances, *inputs)
        ends = np.cumsum([layout.results, layout.given, layout.kept, layout.arguments, layout.conditions])
        results, given, kept, z, conditions, sizes = np.split(values, ends)
        composed = Compositions(layout.compositions, z, self._order) if layout.arguments else None
        self._jets[name, level] = _Jet(layout, kept, [], [sizes, conditions], given, composed)
        return results

    def _next(self, name: str, k: int, inputs: Inputs, level: int = 0) -> Array:
        jet = self._jets[name, level]
        known, composed = [jet.kept, jet.sums(k)], jet.compositions
        if composed is not None:
            known += [composed.slopes, composed.sums(k)]
        values = self._values(name, jet.kept.shape[-1], np.float64(k), *inputs, *known)
        ends = np.cumsum([jet.layout.results, jet.layout.given, jet.layout.factors, jet.layout.arguments])
        results, jet.given, factors, z, conditions = np.split(values, ends)
        jet.factors.append(factors)
        jet.conditions.append(conditions)
        if composed is not None:
            composed.follow(k, z)
        return results

    def begin_events(self, t: float, q: Array, v: Array, multipliers: Array) -> Array | None:
        """Initialise orders of event functions and return their values; None without jets."""
        names = [f"{e.name}_event_jet" for e in self._layout.elements]
        self._events = [(k, name) for k, name in enumerate(names) if name in self._layouts]
        inputs = dict(self._inputs("qvλ", t, q, v, multipliers))
        rows = [self._begun(name, [*inputs[k], *self._parameters(k)]).T.ravel() for k, name in self._events]
        return np.concatenate(rows) if rows else None

    def events(self, k: int, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        """Order k of event functions."""
        inputs = dict(self._inputs("qvλ", t, q, v, multipliers))
        return np.concatenate([self._next(name, k, inputs[e]).T.ravel() for e, name in self._events])

    def conditions(self, orders: int) -> Array:
        """Coefficients of branch conditions up to an order, preceded by their sizes."""
        rows = [np.array(j.conditions[: orders + 1]) for j in self._jets.values() if j.layout.conditions]
        return np.concatenate([x.reshape(orders + 1, -1) for x in rows], axis=1) if rows else np.zeros((orders + 1, 0))

    def _end(self, name: str, k: int, inputs: Inputs) -> None:
        jet = self._jets[name, 0]
        if late := jet.layout.late:
            jet.factors[-1][-late:] += self._values(f"{name}_end", jet.kept.shape[-1], np.float64(k), *inputs, jet.kept)

    def _values(self, name: str, count: int, *arguments: Array | np.float64) -> Array:
        values = self._functions[name](*arguments)
        out = np.empty((len(values), count))
        for row, value in zip(out, values, strict=True):
            row[...] = value
        return out
