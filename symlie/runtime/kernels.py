"""The kernels of a whole system, from C or from NumPy: the same functions on the same arrays."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from symlie.compile.library import Library
from symlie.errors import FormatError
from symlie.runtime.algebra import BandedAlgebra, DenseAlgebra, algebra_of
from symlie.runtime.layout import Array, Layout


@dataclass(frozen=True, eq=False)
class Prepared:
    """Parameters of the model and of all elements, with the constants computed from them."""

    model: Array
    elements: tuple[Array, ...]
    """For each element type one row for all instances or one for each."""
    cache: dict[int, Any] = field(default_factory=dict)
    """What a backend builds once from these parameters."""


class Kernels(Protocol):
    """Functions of a system; q (storage), v and u (dimension) are vectors, p are prepared parameters.

    ``mass`` and ``jacobian`` return stored values; `symlie.runtime.algebra` says where each belongs.
    """

    def prepare(self, parameters: Array, elements: Sequence[Array]) -> Prepared:
        """Parameters followed by the constants that depend on them alone."""

    def initial(self, p: Prepared) -> tuple[Array, Array]:
        """Stated initial (q, v) of the nodes that are not arrays."""

    def advance(self, q: Array, u: Array) -> Array:
        """q∘exp(u)."""

    def rate(self, u: Array, w: Array) -> Array:
        """T⁻¹(u) w."""

    def transport(self, u: Array, w: Array) -> Array:
        """T(u) w."""

    def difference(self, q: Array, b: Array) -> Array:
        """log(q⁻¹∘b)."""

    def normalize(self, q: Array) -> Array:
        """q after one step back to the group."""

    def chart(self, u: Array) -> float:
        """Largest squared rotation angle in u."""

    def prescribe(self, p: Prepared, t: float, q: Array, v: Array) -> None:
        """Overwrite configuration and velocity of prescribed nodes."""

    def prescribed_acceleration(self, p: Prepared, t: float) -> Array:
        """v' of prescribed nodes, zero for all others."""

    def mass(self, p: Prepared, t: float, q: Array) -> Array:
        """Stored values of M(q)."""

    def force(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        """g(t, q, v)."""

    def energy(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        """Kinetic and potential energy."""

    def outputs(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        """All named outputs, one after the other."""

    def constraint(self, p: Prepared, t: float, q: Array) -> Array:
        """Φ(t, q)."""

    def jacobian(self, p: Prepared, t: float, q: Array) -> Array:
        """Stored values of B(t, q)."""

    def constraint_rate(self, p: Prepared, t: float, q: Array) -> Array:
        """b(t, q) = ∂Φ/∂t."""

    def curvature(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        """Z(t, q, v)."""


class CKernels:
    """Kernels of a compiled library."""

    def __init__(self, layout: Layout, library: Library) -> None:
        self._layout = layout
        self._library = library
        self._tables = problem_tables(layout)
        self._nothing = np.zeros(1)

    def prepare(self, parameters: Array, elements: Sequence[Array]) -> Prepared:
        pointer, call = self._library.pointer, self._library.call
        model = np.empty(self._layout.prepared_parameters)
        parameters = np.ascontiguousarray(parameters)
        call.symlie_prepare(-1, pointer(parameters), pointer(self._nothing), pointer(model))
        prepared = []
        for k, (element, rows) in enumerate(zip(self._layout.elements, elements, strict=True)):
            out = np.empty((len(rows), element["prepared_parameters"]))
            for source, target in zip(np.ascontiguousarray(rows), out, strict=True):
                call.symlie_prepare(k, pointer(model), pointer(source), pointer(target))
            prepared.append(out)
        return Prepared(model, tuple(prepared))

    def problem(self, p: Prepared) -> Any:
        """The C description of the system with these parameters."""
        if id(self) not in p.cache:
            p.cache[id(self)] = build_problem(self._library, self._layout, self._tables, p)
        return p.cache[id(self)][0]

    def _call(self, name: str, size: int, p: Prepared | None, *arguments: Any) -> Array:
        out = np.empty(size)
        pointer = self._library.pointer
        converted = [
            pointer(np.ascontiguousarray(a, dtype=float)) if isinstance(a, np.ndarray) else a for a in arguments
        ]
        problem = self.problem(p if p is not None else self._topology)
        getattr(self._library.call, f"symlie_{name}")(problem, *converted, pointer(out))
        return out

    @property
    def _topology(self) -> Prepared:
        """Parameters of zero: kernels of nodes need the number of nodes only."""
        if not hasattr(self, "_without_parameters"):
            zeros = tuple(np.zeros((1, e["prepared_parameters"])) for e in self._layout.elements)
            self._without_parameters = Prepared(np.zeros(self._layout.prepared_parameters), zeros)
        return self._without_parameters

    def initial(self, p: Prepared) -> tuple[Array, Array]:
        single = [n for n in self._layout.nodes if not n.is_array]
        q = np.empty(sum(n.type["storage"] for n in single))
        v = np.empty(sum(n.type["dimension"] for n in single))
        pointer = self._library.pointer
        self._library.call.symlie_initial(pointer(p.model), pointer(q), pointer(v))
        return q, v

    def advance(self, q: Array, u: Array) -> Array:
        return self._call("advance", self._layout.storage, None, q, u)

    def rate(self, u: Array, w: Array) -> Array:
        return self._call("rate", self._layout.dimension, None, u, w)

    def transport(self, u: Array, w: Array) -> Array:
        return self._call("transport", self._layout.dimension, None, u, w)

    def difference(self, q: Array, b: Array) -> Array:
        return self._call("difference", self._layout.dimension, None, q, b)

    def normalize(self, q: Array) -> Array:
        return self._call("normalize", self._layout.storage, None, q)

    def chart(self, u: Array) -> float:
        u = np.ascontiguousarray(u)
        return float(self._library.call.symlie_chart(self.problem(self._topology), self._library.pointer(u)))

    def prescribe(self, p: Prepared, t: float, q: Array, v: Array) -> None:
        pointer = self._library.pointer
        self._library.call.symlie_prescribe(self.problem(p), t, pointer(q), pointer(v))

    def prescribed_acceleration(self, p: Prepared, t: float) -> Array:
        return self._call("prescribed_acceleration", self._layout.dimension, p, t)

    def mass(self, p: Prepared, t: float, q: Array) -> Array:
        return self._call("mass", self._tables.mass_values, p, t, q)

    def force(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        return self._call("force", self._layout.dimension, p, t, q, v)

    def energy(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        return self._call("energy", 2, p, t, q, v)

    def outputs(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        return self._call("outputs", self._layout.outputs_size, p, t, q, v)

    def constraint(self, p: Prepared, t: float, q: Array) -> Array:
        return self._call("constraint", self._layout.rows, p, t, q)

    def jacobian(self, p: Prepared, t: float, q: Array) -> Array:
        return self._call("jacobian", self._tables.jacobian_values, p, t, q)

    def constraint_rate(self, p: Prepared, t: float, q: Array) -> Array:
        return self._call("constraint_rate", self._layout.rows, p, t, q)

    def curvature(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        return self._call("curvature", self._layout.rows, p, t, q, v)


@dataclass(frozen=True, eq=False)
class ProblemTables:
    """Integer tables of a topology, as C takes them."""

    storage_of: list[Any]
    velocity_of: list[Any]
    node_counts: Any
    mass_values: int
    jacobian_values: int
    mobility: Array
    bandwidth: int
    position: Any
    pairs: list[tuple[Any, Any]]


def problem_tables(layout: Layout) -> ProblemTables:
    """Tables of a layout; orders of elimination and shared nodes only where the C code eliminates by structure."""
    algebra = algebra_of(layout)
    structured = isinstance(algebra, BandedAlgebra) and layout.rows
    return ProblemTables(
        [np.ascontiguousarray(s) for s in layout.storage_of],
        [np.ascontiguousarray(s) for s in layout.velocity_of],
        layout.node_counts,
        len(algebra.mass_rows),
        len(algebra.jacobian_rows),
        layout.free.astype(float),
        algebra.bandwidth if structured and isinstance(algebra, BandedAlgebra) else 0,
        algebra.position if structured and isinstance(algebra, BandedAlgebra) else np.zeros(1, dtype=np.int32),
        [_sharing(layout, kind) for kind in layout.manifest["pairs"]] if structured else [],
    )


def _sharing(layout: Layout, kind: dict[str, Any]) -> tuple[Any, Any]:
    """Instances of two element types whose given places are the same free node."""
    names = [e["name"] for e in layout.elements]
    a = layout.members[names.index(kind["first"])][:, kind["first_place"]]
    b = layout.members[names.index(kind["second"])][:, kind["second_place"]]
    order = np.argsort(b, kind="stable")
    low, high = np.searchsorted(b[order], a), np.searchsorted(b[order], a, side="right")
    sizes = np.where(layout.fixed[a], 0, high - low)
    first = np.repeat(np.arange(len(a)), sizes)
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    second = order[np.repeat(low, sizes) + offsets]
    return first.astype(np.int32), second.astype(np.int32)


def build_problem(library: Library, layout: Layout, tables: ProblemTables, p: Prepared) -> tuple[Any, list[Any]]:
    """The C structure of a system, and everything that must stay alive with it."""
    ffi = library.ffi
    kept: list[Any] = [p]

    def held(array: Any) -> Any:
        kinds = {"int32": "int[]", "int64": "long long[]", "float64": "double[]"}
        array = np.ascontiguousarray(array) if array.size else np.zeros(1, dtype=array.dtype)
        kept.append(array)
        kept.append(library.pointer(array, kinds[array.dtype.name]))
        return kept[-1]

    elements = ffi.new("symlie_elements[]", max(len(layout.elements), 1))
    for k, rows in enumerate(p.elements):
        elements[k].count = layout.instance_counts[k]
        elements[k].storage_of = held(tables.storage_of[k])
        elements[k].velocity_of = held(tables.velocity_of[k])
        elements[k].parameters = held(rows)
        elements[k].stride = rows.shape[1] if len(rows) > 1 else 0
    pairs = ffi.new("symlie_pairs[]", max(len(tables.pairs), 1))
    for k, (first, second) in enumerate(tables.pairs):
        pairs[k].count = len(first)
        pairs[k].first, pairs[k].second = held(first), held(second)
    problem = ffi.new("symlie_problem *")
    problem.p, problem.elements, problem.nodes = held(p.model), elements, held(tables.node_counts)
    problem.storage, problem.dimension, problem.rows = layout.storage, layout.dimension, layout.rows
    problem.motion_storage, problem.motion_velocity = held(layout.motion_storage), held(layout.motion_velocity)
    problem.mass_values, problem.jacobian_values = tables.mass_values, tables.jacobian_values
    problem.mobility, problem.bandwidth = held(tables.mobility), tables.bandwidth
    problem.position, problem.pairs = held(tables.position), pairs
    kept += [elements, pairs]
    return problem, kept


class NumpyKernels:
    """Kernels of a generated NumPy module, evaluated for all instances of a type at once."""

    def __init__(self, layout: Layout, source: str) -> None:
        self._layout = layout
        module = types.ModuleType(f"symlie_generated_{layout.name}")
        exec(compile(source, f"{layout.name}.py", "exec"), module.__dict__)
        if module.__dict__.get("INTERFACE_HASH") != layout.interface_hash:
            raise FormatError(f"{layout.name}.py does not belong to this manifest.json; generate the model again.")
        self._functions: dict[str, Callable[..., tuple[Any, ...]]] = module.__dict__
        self._node_groups = self._groups_of_nodes()
        types_by_name = {t["name"]: t for t in layout.manifest["node_types"]}
        self._storage_of = [
            np.concatenate(
                [s[:, [k]] + np.arange(types_by_name[n]["storage"]) for k, n in enumerate(e["node_types"])], 1
            ).T
            for e, s in zip(layout.elements, layout.storage_of, strict=True)
        ]
        self._velocity_of = [place.T for place in layout.places]
        self._widths = {
            n.storage.start + k * n.type["storage"]: (n.type["storage"], n.type["dimension"])
            for n in layout.nodes
            for k in range(n.count)
        }

    def _groups_of_nodes(self) -> list[tuple[str, Any, Any]]:
        groups = []
        for name in dict.fromkeys(n.type["name"] for n in self._layout.nodes):
            nodes = [n for n in self._layout.nodes if n.type["name"] == name]
            kind = nodes[0].type
            storage = np.arange(nodes[0].storage.start, nodes[-1].storage.stop).reshape(-1, kind["storage"]).T
            velocity = np.arange(nodes[0].velocity.start, nodes[-1].velocity.stop).reshape(-1, kind["dimension"]).T
            groups.append((name, storage, velocity))
        return groups

    def prepare(self, parameters: Array, elements: Sequence[Array]) -> Prepared:
        model = np.array(self._functions[f"{self._layout.name}_prepare"](parameters), dtype=float)
        prepared = []
        for element, rows in zip(self._layout.elements, elements, strict=True):
            components = self._functions[f"{element['name']}_prepare_element"](model, rows.T)
            out = np.empty((len(rows), len(components)))
            for k, component in enumerate(components):
                out[:, k] = component
            prepared.append(out)
        return Prepared(model, tuple(prepared))

    def _on_nodes(self, name: str, size: int, storage_out: bool, *arguments: tuple[Array, bool]) -> Array:
        out = np.empty(size)
        for kind, storage, velocity in self._node_groups:
            inputs = [a[storage] if is_storage else a[velocity] for a, is_storage in arguments]
            target = storage if storage_out else velocity
            for row, component in zip(target, self._functions[f"{kind}_{name}"](*inputs), strict=True):
                out[row] = component
        return out

    def _on_element(
        self, index: int, name: str, p: Prepared, t: float, q: Array, v: Array | None = None
    ) -> Array | None:
        """Values of one kernel for all instances of an element type, shape (components, instances)."""
        kernel = self._functions.get(f"{self._layout.elements[index]['name']}_{name}")
        if kernel is None:
            return None
        state: list[Any] = [t, q[self._storage_of[index]]]
        if v is not None:
            state.append(v[self._velocity_of[index]])
        components = kernel(*state, p.model, p.elements[index].T)
        block = np.empty((len(components), self._layout.instance_counts[index]))
        for row, component in zip(block, components, strict=True):
            row[:] = component
        return block

    def _values(
        self, name: str, sizes: Sequence[int], p: Prepared, t: float, q: Array, v: Array | None = None
    ) -> Array:
        parts = [np.zeros(0)]
        for index, (size, count) in enumerate(zip(sizes, self._layout.instance_counts, strict=True)):
            if size:
                block = self._on_element(index, name, p, t, q, v)
                parts.append(np.zeros(size * count) if block is None else block.T.ravel())
        return np.concatenate(parts)

    def initial(self, p: Prepared) -> tuple[Array, Array]:
        values = self._functions[f"{self._layout.name}_initial"](p.model)
        split = sum(n.type["storage"] for n in self._layout.nodes if not n.is_array)
        return np.array(values[:split], dtype=float), np.array(values[split:], dtype=float)

    def advance(self, q: Array, u: Array) -> Array:
        return self._on_nodes("advance", self._layout.storage, True, (q, True), (u, False))

    def rate(self, u: Array, w: Array) -> Array:
        return self._on_nodes("rate", self._layout.dimension, False, (u, False), (w, False))

    def transport(self, u: Array, w: Array) -> Array:
        return self._on_nodes("transport", self._layout.dimension, False, (u, False), (w, False))

    def difference(self, q: Array, b: Array) -> Array:
        return self._on_nodes("difference", self._layout.dimension, False, (q, True), (b, True))

    def normalize(self, q: Array) -> Array:
        return self._on_nodes("normalize", self._layout.storage, True, (q, True))

    def chart(self, u: Array) -> float:
        largest = 0.0
        for kind, _, velocity in self._node_groups:
            largest = max(largest, float(np.max(self._functions[f"{kind}_chart"](u[velocity])[0])))
        return largest

    def _motions(self, p: Prepared, t: float) -> Iterator[tuple[int, int, Array]]:
        """First storage and velocity index of each prescribed node, and its (q, v, v')."""
        starts = zip(self._layout.motion_storage, self._layout.motion_velocity, strict=True)
        for k, (storage, velocity) in enumerate(starts):
            values = self._functions[f"{self._layout.name}_motion_{k}"](t, p.model)
            yield int(storage), int(velocity), np.array(values, dtype=float)

    def prescribe(self, p: Prepared, t: float, q: Array, v: Array) -> None:
        for storage, velocity, values in self._motions(p, t):
            width, dimension = self._widths[storage]
            q[storage : storage + width] = values[:width]
            v[velocity : velocity + dimension] = values[width : width + dimension]

    def prescribed_acceleration(self, p: Prepared, t: float) -> Array:
        a = np.zeros(self._layout.dimension)
        for storage, velocity, values in self._motions(p, t):
            width, dimension = self._widths[storage]
            a[velocity : velocity + dimension] = values[width + dimension :]
        return a

    def mass(self, p: Prepared, t: float, q: Array) -> Array:
        return self._values("mass", [len(e["mass"]["rows"]) for e in self._layout.elements], p, t, q)

    def force(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        g = np.zeros(self._layout.dimension)
        for index, places in enumerate(self._velocity_of):
            block = self._on_element(index, "force", p, t, q, v)
            if block is not None:
                g += np.bincount(places.ravel(), weights=block.ravel(), minlength=len(g))
        return g

    def energy(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        total: Array = np.zeros(2)
        for index in range(len(self._layout.elements)):
            block = self._on_element(index, "energy", p, t, q, v)
            if block is not None:
                total += block.sum(axis=1)
        return total

    def outputs(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        out = np.zeros(self._layout.outputs_size)
        for index, element in enumerate(self._layout.elements):
            block = self._on_element(index, "outputs", p, t, q, v)
            if block is not None:
                position = 0
                for output in element["outputs"]:
                    part = block[position : position + output["size"]].sum(axis=1)
                    out[output["position"] : output["position"] + output["size"]] += part
                    position += output["size"]
        return out

    def constraint(self, p: Prepared, t: float, q: Array) -> Array:
        return self._values("constraint", self._layout.element_rows, p, t, q)

    def jacobian(self, p: Prepared, t: float, q: Array) -> Array:
        return self._values("jacobian", [len(e["jacobian"]["rows"]) for e in self._layout.elements], p, t, q)

    def constraint_rate(self, p: Prepared, t: float, q: Array) -> Array:
        return self._values("constraint_rate", self._layout.element_rows, p, t, q)

    def curvature(self, p: Prepared, t: float, q: Array, v: Array) -> Array:
        return self._values("curvature", self._layout.element_rows, p, t, q, v)


__all__ = ["CKernels", "DenseAlgebra", "Kernels", "NumpyKernels", "Prepared", "build_problem", "problem_tables"]
