"""Kernels of a system in NumPy, evaluated for all elements of a type at once."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symlie.contract.kernels import KERNELS, Gather, SystemKernel, instance_size
from symlie.contract.sets import COORDINATE_RATES
from symlie.errors import FormatError
from symlie.runtime.kernels.numpy_observation import interpolate, observe
from symlie.runtime.kernels.protocol import Prepared, States, result_size, system_kernel
from symlie.runtime.layout.dependents import dependent_batches
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.linear.schur import Algebra, algebra_of, summed

Functions = Mapping[str, Callable[..., tuple[Array, ...]]]
"""Generated functions by name."""

Times = float | Array
"""Time of one state, or times of several states, shape (n,)."""

NodeGroup = tuple[str, NDArray[np.intp], NDArray[np.intp]]
"""A node type with the storage and velocity indices of its nodes, shape (components, nodes)."""


def node_groups(layout: Layout) -> list[NodeGroup]:
    """All nodes by type."""
    groups = []
    for name in dict.fromkeys(n.type.name for n in layout.nodes):
        nodes = [n for n in layout.nodes if n.type.name == name]
        kind = nodes[0].type
        storage = np.arange(nodes[0].storage.start, nodes[-1].storage.stop).reshape(-1, kind.storage).T
        velocity = np.arange(nodes[0].velocity.start, nodes[-1].velocity.stop).reshape(-1, kind.dimension).T
        groups.append((name, storage, velocity))
    return groups


def on_nodes(
    functions: Functions,
    groups: Sequence[NodeGroup],
    layout: Layout,
    kernel: SystemKernel,
    first: Array,
    *further: Array | float,
) -> Array:
    """Values of one kernel of all nodes, for one state or for several; leading axes are broadcast."""
    vectors = [x for x in (first, *further) if isinstance(x, np.ndarray)]
    out = np.empty((*np.broadcast_shapes(*(x.shape[:-1] for x in vectors)), result_size(kernel, layout)))
    square = 0
    for kind, storage, velocity in groups:
        inputs = [
            components(x, storage if letter in "qb" else velocity) if isinstance(x, np.ndarray) else x
            for letter, x in zip(kernel.arguments, (first, *further), strict=True)
        ]
        target = storage if kernel.size == "storage" else velocity
        if kernel.size == "square":
            size, count = velocity.shape
            target = square + np.arange(size * size * count).reshape(count, size * size).T
            square += target.size
        name = f"{kind}_{kernel.name}"
        is_velocity = kernel.set == COORDINATE_RATES and name not in functions
        found = np.asarray(inputs[-1]) if is_velocity else functions[name](*inputs)
        for row, component in zip(target, found, strict=True):
            out[..., row] = component
    if kernel.size == "storage":
        # Unwrapped angles change only when a step is accepted, so their rate is zero.
        stays = kernel.name not in ("storage_rate", "exponential")
        out[..., layout.unwrapped] = first[..., layout.unwrapped] if stays else 0.0
    return out


def components(x: Array, places: NDArray[np.intp] | NDArray[np.int64]) -> Array:
    """Entries of vectors (…, size) at indices (components, count) in the layout of generated functions: (components, …,
    count)."""
    return np.moveaxis(x[..., places], -2, 0)


def on_element(
    functions: Functions,
    layout: Layout,
    index: int,
    kernel: SystemKernel,
    p: Prepared,
    t: Times,
    *vectors: Array | float,
    name: str = "",
    instances: NDArray[np.int64] | None = None,
) -> Array | None:
    """Values of one kernel for elements of a type, all by default, shape (components, …, elements).

    One state has a number t and vectors; several states have t of shape (n,) and vectors with a leading axis.
    """
    function = functions.get(f"{layout.elements[index].name}_{name or kernel.name}")
    if function is None:
        return None
    chosen = slice(None) if instances is None else instances
    parameters = p.elements[index] if len(p.elements[index]) == 1 else p.elements[index][chosen]
    stored = layout.stored_places[index][chosen].T
    places = {"q": stored, "b": stored, "λ": layout.row_places[index][chosen].T}
    velocities = layout.places[index][chosen].T
    state = [
        components(x, places.get(letter, velocities)) if isinstance(x, np.ndarray) else x
        for letter, x in zip(kernel.arguments[1:], vectors, strict=True)
    ]
    # Branches that are not selected may be infinite or NaN.
    with np.errstate(all="ignore"):
        time = t[:, None] if isinstance(t, np.ndarray) else np.float64(t)
        values = function(time, *state, p.model, parameters.T)
    states = vectors[0].shape[:-1] if isinstance(vectors[0], np.ndarray) else ()
    block = np.empty((len(values), *states, velocities.shape[1]))
    for row, value in zip(block, values, strict=True):
        row[...] = value
    return block


class NumpyKernels:
    """Kernels of a generated NumPy module, evaluated for all elements of a type at once.

    Parameters
    ----------
    layout
        Layout of the system.
    source
        Text of the module.
    solver
        Solver for accelerations and multipliers; default: the algebra of the layout.
    """

    def __init__(self, layout: Layout, source: str, solver: Algebra | None = None) -> None:
        self.layout = layout
        self.solver = algebra_of(layout) if solver is None else solver
        module = types.ModuleType(f"symlie_generated_{layout.name}")
        exec(compile(source, f"{layout.name}.py", "exec"), module.__dict__)
        if module.__dict__.get("INTERFACE_HASH") != layout.interface_hash:
            raise FormatError(f"{layout.name}.py does not belong to this manifest.json; generate the model again.")
        self._functions: Functions = module.__dict__
        self._node_groups = node_groups(layout)
        self._storage_of = [place.T for place in layout.stored_places]
        self._velocity_of = [place.T for place in layout.places]
        self._widths = {
            n.storage.start + k * n.type.storage: (n.type.storage, n.type.dimension)
            for n in layout.nodes
            for k in range(n.count)
        }
        self._dependents = dependent_batches(layout)

    def prepare(self, parameters: Array, elements: Sequence[Array]) -> Prepared:
        model = np.array(self._functions[f"{self.layout.name}_prepare"](parameters), dtype=float)
        prepared = []
        for element, rows in zip(self.layout.elements, elements, strict=True):
            components = self._functions[f"{element.name}_prepare_element"](model, rows.T)
            out = np.empty((len(rows), len(components)))
            for k, component in enumerate(components):
                out[:, k] = component
            prepared.append(out)
        return Prepared(model, tuple(prepared))

    def __getattr__(self, name: str) -> Callable[..., Array]:
        kernel = system_kernel(name)
        function = functools.partial(self._of_nodes if kernel.of_nodes else self._of_elements, kernel)
        self.__dict__[name] = function
        return function

    def _of_nodes(self, kernel: SystemKernel, *vectors: Array) -> Array:
        return on_nodes(self._functions, self._node_groups, self.layout, kernel, *vectors)

    def _of_elements(self, kernel: SystemKernel, p: Prepared, t: Times, *vectors: Array) -> Array:
        """Evaluate a system kernel for one state or for several: numbers have shape (n,), vectors a leading axis."""
        states, layout = vectors[0].shape[:-1], self.layout
        total = np.zeros((*states, 0 if kernel.gather is Gather.STORED else result_size(kernel, layout)))
        parts = [total]
        for index, (element, count) in enumerate(zip(layout.elements, layout.instance_counts, strict=True)):
            block = self._on_element(index, kernel, p, t, *vectors)
            if kernel.gather is Gather.STORED:
                shape = (*states, instance_size(element, kernel.size) * count)
                parts.append(np.zeros(shape) if block is None else np.moveaxis(block, 0, -1).reshape(shape))
            elif block is not None and kernel.gather is Gather.TOTAL:
                total += np.moveaxis(block.sum(axis=-1), 0, -1)
            elif block is not None:
                places = self._velocity_of[index]
                values = np.moveaxis(block, 0, -2).reshape(*states, places.size)
                total += summed(places.ravel(), values, layout.dimension)
        return np.concatenate(parts, axis=-1)

    def _on_element(self, index: int, kernel: SystemKernel, p: Prepared, t: Times, *vectors: Array) -> Array | None:
        return on_element(self._functions, self.layout, index, kernel, p, t, *vectors)

    def initial(self, p: Prepared) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            values = self._functions[f"{self.layout.name}_initial"](p.model)
        split = self.layout.computed_initially[0]
        return np.array(values[:split], dtype=float), np.array(values[split:], dtype=float)

    def chart(self, q: Array, u: Array) -> float:
        largest = 0.0
        for kind, storage, velocity in self._node_groups:
            largest = max(largest, float(np.max(self._functions[f"{kind}_chart"](q[storage], u[velocity])[0])))
        return largest

    def _motions(self, p: Prepared, t: Times) -> Iterator[tuple[int, int, Array]]:
        """First storage and velocity index of each prescribed node, and its (q, v, v'), shape (…, components)."""
        starts = zip(self.layout.motion_storage, self.layout.motion_velocity, strict=True)
        for k, (storage, velocity) in enumerate(starts):
            with np.errstate(all="ignore"):
                values = self._functions[f"{self.layout.name}_motion_{k}"](np.asarray(t)[()], p.model)
            yield int(storage), int(velocity), np.stack([np.broadcast_to(x, np.shape(t)) for x in values], axis=-1)

    def prescribe(self, p: Prepared, t: Times, q: Array, v: Array) -> None:
        for storage, velocity, values in self._motions(p, t):
            width, dimension = self._widths[storage]
            q[..., storage : storage + width] = values[..., :width]
            v[..., velocity : velocity + dimension] = values[..., width : width + dimension]
        for batch in self._dependents:
            found = on_element(
                self._functions, self.layout, batch.element, KERNELS["dependent"], p, t, q, v, instances=batch.instances
            )
            assert found is not None
            batch.put(found, q, v)

    def prescribed_acceleration(self, p: Prepared, t: Times) -> Array:
        a = np.zeros((*np.shape(t), self.layout.dimension))
        for storage, velocity, values in self._motions(p, t):
            width, dimension = self._widths[storage]
            a[..., velocity : velocity + dimension] = values[..., width + dimension :]
        return a

    def field(self, p: Prepared, t: Times, q: Array, a: Array, multipliers: Array, v: Array) -> Array:
        """Evaluate `Kernels.field` for one state or for several."""
        if not self.layout.has_fields:
            return v
        v = np.where(self.layout.has_velocity, v, 0.0)
        for index in range(len(self.layout.elements)):
            block = self._on_element(index, KERNELS["field"], p, t, q, v, a, multipliers)
            if block is not None:
                places = self.layout.field_places[index].T
                values = np.moveaxis(block, 0, -2).reshape(*v.shape[:-1], places.size)
                v += summed(places.ravel(), values, v.shape[-1])
        return v

    def symplectic(self, p: Prepared, t: float, q: Array, u: Array, h: float, theta: float) -> tuple[Array, Array]:
        place, values = self._symplectic("symplectic", p, t, q, u, h, theta)
        n = len(place)
        residual, matrix = np.empty(n), np.empty((n, n))
        residual[place] = values[:n]
        matrix[np.ix_(place, place)] = values[n:].reshape(n, n)
        return residual, matrix

    def symplectic_end(self, p: Prepared, t: float, q: Array, u: Array, h: float, theta: float) -> Array:
        end = q.copy()
        end[self._storage_of[0][:, 0]] = self._symplectic("symplectic_end", p, t, q, u, h, theta)[1]
        return end

    def _symplectic(
        self, name: str, p: Prepared, t: float, q: Array, u: Array, h: float, theta: float
    ) -> tuple[NDArray[np.int64], Array]:
        """Indices of u, and values of a kernel of a model whose definition moves all nodes."""
        kernel = self._functions[f"{self.layout.name}_{name}"]
        place = self.layout.field_places[0][0]
        inputs = (np.float64(t), q[self._storage_of[0][:, 0]], u[place], np.float64(h), np.float64(theta))
        with np.errstate(all="ignore"):
            return place, np.array(kernel(*inputs, p.model, p.elements[0][0]), dtype=float)

    def output(self, name: str, p: Prepared, t: Times, q: Array, v: Array, multipliers: Array) -> Array:
        """A named output of one state or of several, summed over elements, shape (…, components)."""
        layout, kernel = self.layout, KERNELS["output"]
        part, _ = layout.outputs[name]
        total: Array = np.zeros((*q.shape[:-1], part.stop - part.start))
        for of in layout.output_parts[name][1]:
            own = f"output_{layout.elements[of.element].outputs[of.output].name}"
            instances = None if len(of.instances) == layout.instance_counts[of.element] else of.instances
            block = on_element(
                self._functions, layout, of.element, kernel, p, t, q, v, multipliers, name=own, instances=instances
            )
            if block is not None:
                total[..., of.first : of.first + len(block)] += np.moveaxis(block.sum(axis=-1), 0, -1)
        return total

    def outputs(self, p: Prepared, t: float, q: Array, v: Array, multipliers: Array) -> Array:
        parts = [self.output(name, p, t, q, v, multipliers) for name in self.layout.outputs]
        return np.concatenate([np.zeros(0), *parts])

    def observe(
        self, p: Prepared, states: States, quantities: Collection[str], outputs: Sequence[str] = ()
    ) -> dict[str, Array]:
        return observe(self, p, states, quantities, outputs)

    def accelerations(self, p: Prepared, states: States) -> tuple[Array, Array, int]:
        with np.errstate(all="ignore"):
            found = self.observe(p, states, ("acceleration", "multipliers"))
        a, multipliers = found["acceleration"], found["multipliers"]
        is_finite = np.isfinite(a).all(axis=1) & np.isfinite(multipliers).all(axis=1)
        return a, multipliers, int(np.append(~is_finite, True).argmax())

    def acceleration_at(self, p: Prepared, t: float, q: Array, v: Array) -> tuple[Array, Array, bool]:
        state = States(np.array([t], dtype=float), q[None], v[None], np.zeros((1, self.layout.rows)))
        a, multipliers, determined = self.accelerations(p, state)
        return a[0], multipliers[0], determined == 1

    def inverse_dynamics_of(self, p: Prepared, states: States, acceleration: Array) -> Array:
        if self.layout.has_inverse_dynamics:
            found: Array = self.inverse_dynamics(p, states.t, states.q, states.v, acceleration)
            return found
        terms = self.observe(p, states, ("mass", "force"))
        return self.solver.apply_mass(terms["mass"], acceleration) + terms["force"]

    def normalize_rows(self, q: Array) -> Array:
        found: Array = self.normalize(q)
        return found

    def prescribe_rows(self, p: Prepared, t: Array, q: Array, v: Array) -> None:
        self.prescribe(p, t, q, v)

    def interpolate(self, p: Prepared, recorded: States, interval: NDArray[np.int64], t: Array) -> States:
        return interpolate(self, p, recorded, interval, t)
