"""The kernels of a whole system, from C or from NumPy: the same functions on the same arrays."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from symlie.compile.library import Library
from symlie.errors import FormatError
from symlie.runtime.layout import Array, Layout


class Kernels(Protocol):
    """Functions of a system; q (storage), v and u (dimension), p (prepared parameters) are vectors."""

    def prepare(self, parameters: Array) -> Array:
        """Parameters followed by the constants that depend on them alone; p of all other functions."""

    def initial(self, p: Array) -> tuple[Array, Array]:
        """Stated initial (q, v)."""

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

    def mass(self, p: Array, t: float, q: Array) -> Array:
        """M(q), matrix (dimension × dimension)."""

    def force(self, p: Array, t: float, q: Array, v: Array) -> Array:
        """g(t, q, v)."""

    def energy(self, p: Array, t: float, q: Array, v: Array) -> Array:
        """Kinetic and potential energy."""

    def outputs(self, p: Array, t: float, q: Array, v: Array) -> Array:
        """All named outputs, one after the other."""

    def constraint(self, p: Array, t: float, q: Array) -> Array:
        """Φ(t, q)."""

    def jacobian(self, p: Array, t: float, q: Array) -> Array:
        """B(t, q), matrix (rows × dimension)."""

    def constraint_rate(self, p: Array, t: float, q: Array) -> Array:
        """b(t, q) = ∂Φ/∂t."""

    def curvature(self, p: Array, t: float, q: Array, v: Array) -> Array:
        """Z(t, q, v)."""


class _Assembly:
    """Scatters stored values into dense matrices."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._mass = layout.assembled("mass")
        self._jacobian = layout.assembled("jacobian")

    @property
    def mass_count(self) -> int:
        return len(self._mass[0])

    @property
    def jacobian_count(self) -> int:
        return len(self._jacobian[0])

    def mass(self, values: Array) -> Array:
        rows, columns = self._mass
        matrix = np.zeros((self.layout.dimension, self.layout.dimension))
        np.add.at(matrix, (rows, columns), values)
        off = rows != columns
        np.add.at(matrix, (columns[off], rows[off]), values[off])
        return matrix

    def jacobian(self, values: Array) -> Array:
        matrix = np.zeros((self.layout.rows, self.layout.dimension))
        np.add.at(matrix, self._jacobian, values)
        return matrix


class CKernels:
    """Kernels of a compiled library."""

    def __init__(self, layout: Layout, library: Library) -> None:
        self._assembly = _Assembly(layout)
        self._layout = layout
        self._library = library

    def _call(self, name: str, size: int, *arguments: Any) -> Array:
        out = np.empty(size)
        pointer = self._library.pointer
        converted = [
            pointer(np.ascontiguousarray(a, dtype=float)) if isinstance(a, np.ndarray) else a for a in arguments
        ]
        getattr(self._library.call, f"symlie_{name}")(*converted, pointer(out))
        return out

    def prepare(self, parameters: Array) -> Array:
        return self._call("prepare", self._layout.prepared_parameters, parameters)

    def initial(self, p: Array) -> tuple[Array, Array]:
        q, v = np.empty(self._layout.storage), np.empty(self._layout.dimension)
        pointer = self._library.pointer
        self._library.call.symlie_initial(pointer(p), pointer(q), pointer(v))
        return q, v

    def advance(self, q: Array, u: Array) -> Array:
        return self._call("advance", self._layout.storage, q, u)

    def rate(self, u: Array, w: Array) -> Array:
        return self._call("rate", self._layout.dimension, u, w)

    def transport(self, u: Array, w: Array) -> Array:
        return self._call("transport", self._layout.dimension, u, w)

    def difference(self, q: Array, b: Array) -> Array:
        return self._call("difference", self._layout.dimension, q, b)

    def normalize(self, q: Array) -> Array:
        return self._call("normalize", self._layout.storage, q)

    def chart(self, u: Array) -> float:
        return float(self._library.call.symlie_chart(self._library.pointer(u)))

    def mass(self, p: Array, t: float, q: Array) -> Array:
        return self._assembly.mass(self._call("mass", self._assembly.mass_count, p, t, q))

    def force(self, p: Array, t: float, q: Array, v: Array) -> Array:
        return self._call("force", self._layout.dimension, p, t, q, v)

    def energy(self, p: Array, t: float, q: Array, v: Array) -> Array:
        return self._call("energy", 2, p, t, q, v)

    def outputs(self, p: Array, t: float, q: Array, v: Array) -> Array:
        return self._call("outputs", self._layout.outputs_size, p, t, q, v)

    def constraint(self, p: Array, t: float, q: Array) -> Array:
        return self._call("constraint", self._layout.rows, p, t, q)

    def jacobian(self, p: Array, t: float, q: Array) -> Array:
        return self._assembly.jacobian(self._call("jacobian", self._assembly.jacobian_count, p, t, q))

    def constraint_rate(self, p: Array, t: float, q: Array) -> Array:
        return self._call("constraint_rate", self._layout.rows, p, t, q)

    def curvature(self, p: Array, t: float, q: Array, v: Array) -> Array:
        return self._call("curvature", self._layout.rows, p, t, q, v)


class NumpyKernels:
    """Kernels of a generated NumPy module, evaluated for all instances of a type at once."""

    def __init__(self, layout: Layout, source: str) -> None:
        self._assembly = _Assembly(layout)
        self._layout = layout
        module = types.ModuleType(f"symlie_generated_{layout.name}")
        exec(compile(source, f"{layout.name}.py", "exec"), module.__dict__)
        if module.__dict__.get("INTERFACE_HASH") != layout.interface_hash:
            raise FormatError(f"{layout.name}.py does not belong to this manifest.json; generate the model again.")
        self._functions: dict[str, Callable[..., tuple[Any, ...]]] = module.__dict__
        self._node_groups = self._groups_of_nodes()
        self._element_indices = [self._indices(e) for e in layout.elements]

    def _groups_of_nodes(self) -> list[tuple[str, Any, Any]]:
        groups = []
        for name in dict.fromkeys(n.type["name"] for n in self._layout.nodes):
            nodes = [n for n in self._layout.nodes if n.type["name"] == name]
            storage = np.array([range(n.storage.start, n.storage.stop) for n in nodes]).T
            velocity = np.array([range(n.velocity.start, n.velocity.stop) for n in nodes]).T
            groups.append((name, storage, velocity))
        return groups

    def _indices(self, element: dict[str, Any]) -> tuple[Any, Any]:
        nodes = self._layout.nodes
        storage = [
            [k for n in i for k in range(nodes[n].storage.start, nodes[n].storage.stop)] for i in element["instances"]
        ]
        velocity = [
            [k for n in i for k in range(nodes[n].velocity.start, nodes[n].velocity.stop)] for i in element["instances"]
        ]
        return np.array(storage).T, np.array(velocity).T

    def _on_nodes(self, name: str, size: int, storage_out: bool, *arguments: tuple[Array, bool]) -> Array:
        out = np.empty(size)
        for kind, storage, velocity in self._node_groups:
            inputs = [a[storage] if is_storage else a[velocity] for a, is_storage in arguments]
            target = storage if storage_out else velocity
            for row, component in zip(target, self._functions[f"{kind}_{name}"](*inputs), strict=True):
                out[row] = component
        return out

    def _on_elements(self, name: str, arguments: Callable[[Any, Any], Sequence[Any]]) -> list[Array]:
        """Values of one kernel for each element type, as arrays (instances × components)."""
        results = []
        for element, (storage, velocity) in zip(self._layout.elements, self._element_indices, strict=True):
            kernel = self._functions.get(f"{element['name']}_{name}")
            count = len(element["instances"])
            components = kernel(*arguments(storage, velocity)) if kernel else ()
            block = np.empty((count, len(components)))
            for k, component in enumerate(components):
                block[:, k] = component
            results.append(block)
        return results

    def _values(self, name: str, p: Array, t: float, q: Array, v: Array | None = None) -> Array:
        blocks = self._on_elements(name, lambda s, d: (t, q[s], p) if v is None else (t, q[s], v[d], p))
        return np.concatenate([b.ravel() for b in blocks])

    def prepare(self, parameters: Array) -> Array:
        return np.array(self._functions[f"{self._layout.name}_prepare"](parameters), dtype=float)

    def initial(self, p: Array) -> tuple[Array, Array]:
        values = self._functions[f"{self._layout.name}_initial"](p)
        split = self._layout.storage
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

    def mass(self, p: Array, t: float, q: Array) -> Array:
        return self._assembly.mass(self._values("mass", p, t, q))

    def force(self, p: Array, t: float, q: Array, v: Array) -> Array:
        g = np.zeros(self._layout.dimension)
        blocks = self._on_elements("force", lambda s, d: (t, q[s], v[d], p))
        for block, (_, velocity) in zip(blocks, self._element_indices, strict=True):
            np.add.at(g, velocity.T, block)
        return g

    def energy(self, p: Array, t: float, q: Array, v: Array) -> Array:
        total: Array = np.zeros(2)
        for block in self._on_elements("energy", lambda s, d: (t, q[s], v[d], p)):
            total += block.sum(axis=0)
        return total

    def outputs(self, p: Array, t: float, q: Array, v: Array) -> Array:
        return self._values("outputs", p, t, q, v)

    def constraint(self, p: Array, t: float, q: Array) -> Array:
        return self._values("constraint", p, t, q)

    def jacobian(self, p: Array, t: float, q: Array) -> Array:
        return self._assembly.jacobian(self._values("jacobian", p, t, q))

    def constraint_rate(self, p: Array, t: float, q: Array) -> Array:
        if not any(e["has_constraint_rate"] for e in self._layout.elements):
            return np.zeros(self._layout.rows)
        blocks = []
        for element, block in zip(
            self._layout.elements, self._on_elements("constraint_rate", lambda s, d: (t, q[s], p)), strict=True
        ):
            size = sum(c["size"] for c in element["constraints"]) * len(element["instances"])
            blocks.append(block.ravel() if block.size else np.zeros(size))
        return np.concatenate(blocks)

    def curvature(self, p: Array, t: float, q: Array, v: Array) -> Array:
        return self._values("curvature", p, t, q, v)
