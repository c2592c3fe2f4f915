"""Newton matrices of a system: K = D_q(M a + g + Bᵀ λ) and C = ∂g/∂v, derived and compiled when first needed."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from symlie.compile.cache import compiled_library, included_headers
from symlie.compile.library import Library
from symlie.errors import FormatError
from symlie.runtime.kernels import Prepared
from symlie.runtime.layout import Array, Layout
from symlie.runtime.problem import build_problem, problem_tables
from symlie.showing import Brief

Positions = tuple[NDArray[np.intp], NDArray[np.intp]]


class TangentKernels(Protocol):
    """Stored values of K and C for all instances, from C or from NumPy."""

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> tuple[Array, Array]:
        """Values of K and C, one instance after the other."""


@dataclass(frozen=True, eq=False, repr=False)
class LazyTangents(Brief):
    """What it takes to get the Newton matrices of a system; copies of a system share it."""

    layout: Layout
    files: Mapping[str, str]
    source: Callable[[str], Mapping[str, str]] | None
    """Derives and emits, where the files do not have the Newton matrices."""
    compiles: bool
    optimize: str

    @cached_property
    def matrices(self) -> NewtonMatrices:
        """The Newton matrices.

        Raises
        ------
        FormatError
            The generated folder was written without them, or they belong to another version of the model.
        """
        stem = f"{self.layout.name}_tangents"
        files = self.files
        if f"{stem}.json" not in files:
            if self.source is None:
                raise FormatError(
                    f"The generated files of '{self.layout.name}' lack {stem}.json, so they have no Newton matrices; "
                    "generate the model again with 'symlie generate'."
                )
            files = self.source("tangents")
        try:
            table = json.loads(files[f"{stem}.json"])
            belongs = table["model_interface_hash"] == self.layout.interface_hash
        except (KeyError, ValueError) as error:
            raise FormatError(f"{stem}.json is damaged ({error}); generate the model again.") from error
        if not belongs:
            raise FormatError(f"{stem}.json does not belong to this manifest.json; generate the model again.")
        kernels: TangentKernels
        if self.compiles:
            kernels = _CompiledTangents(self.layout, files[f"{stem}.c"], table, self.optimize)
        else:
            kernels = _NumpyTangents(self.layout, files[f"{stem}.py"], table)
        return NewtonMatrices(self.layout, table, kernels)


class NewtonMatrices:
    """K and C of a whole system as sparse matrices (dimension × dimension)."""

    def __init__(self, layout: Layout, table: Mapping[str, Any], kernels: TangentKernels) -> None:
        self._dimension = layout.dimension
        self._kernels = kernels
        self._stiffness = _positions(layout, table, "stiffness")
        self._damping = _positions(layout, table, "damping")

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> tuple[Any, Any]:
        """K and C as `scipy.sparse.csr_array`.

        Parameters
        ----------
        p
            Prepared parameters.
        t, q, v
            Time, in s, configuration and velocity.
        acceleration, multipliers
            a (dimension) and λ (rows) of M(q) a + g + Bᵀ λ.
        """
        stiffness, damping = self._kernels(p, t, q, v, acceleration, multipliers)
        return self._assembled(stiffness, self._stiffness), self._assembled(damping, self._damping)

    def _assembled(self, values: Array, positions: Positions) -> Any:
        from scipy.sparse import coo_array

        return coo_array((values, positions), shape=(self._dimension, self._dimension)).tocsr()


def _positions(layout: Layout, table: Mapping[str, Any], which: str) -> Positions:
    """Row and column of each stored value."""
    rows, columns = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
    for element, place in zip(table["elements"], layout.places, strict=True):
        rows.append(place[:, element[which]["rows"]].ravel().astype(np.intp))
        columns.append(place[:, element[which]["columns"]].ravel().astype(np.intp))
    return np.concatenate(rows), np.concatenate(columns)


def _counts(layout: Layout, table: Mapping[str, Any]) -> tuple[int, int]:
    counts = [
        sum(n * len(e[which]["rows"]) for e, n in zip(table["elements"], layout.instance_counts, strict=True))
        for which in ("stiffness", "damping")
    ]
    return counts[0], counts[1]


class _CompiledTangents:
    def __init__(self, layout: Layout, source: str, table: Mapping[str, Any], optimize: str) -> None:
        name = f"{layout.name}_tangents.c"
        path, _ = compiled_library({name: source, **included_headers(("primitives.h", "interface.h"))}, name, optimize)
        self._layout = layout
        self._library = Library(path, table["interface_hash"])
        self._tables = problem_tables(layout)
        self._sizes = _counts(layout, table)

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> tuple[Array, Array]:
        if id(self) not in p.cache:
            p.cache[id(self)] = build_problem(self._library, self._layout, self._tables, p)
        out = [np.zeros(size) for size in self._sizes]
        inputs = [np.ascontiguousarray(x, dtype=float) for x in (q, v, acceleration, multipliers)]
        pointer = self._library.pointer
        self._library.call.symlie_tangents(p.cache[id(self)][0], t, *map(pointer, inputs), *map(pointer, out))
        return out[0], out[1]


class _NumpyTangents:
    def __init__(self, layout: Layout, source: str, table: Mapping[str, Any]) -> None:
        name = f"{layout.name}_tangents.py"
        module = types.ModuleType(f"symlie_generated_{layout.name}_tangents")
        exec(compile(source, name, "exec"), module.__dict__)
        if module.__dict__.get("INTERFACE_HASH") != table["interface_hash"]:
            raise FormatError(f"{name} does not belong to the generated files beside it; generate the model again.")
        self._functions: dict[str, Callable[..., tuple[Any, ...]]] = module.__dict__
        self._layout = layout
        self._table = table

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> tuple[Array, Array]:
        layout = self._layout
        stiffness, damping = [np.zeros(0)], [np.zeros(0)]
        for index, element in enumerate(self._table["elements"]):
            kernel = self._functions.get(f"{element['name']}_tangents")
            if kernel is None:
                continue
            count, rows, first = layout.instance_counts[index], layout.element_rows[index], layout.first_rows[index]
            place = layout.places[index].T
            own = multipliers[first : first + rows * count].reshape(count, rows).T
            inputs = (q[layout.stored_places[index].T], v[place], acceleration[place], own)
            components = kernel(t, *inputs, p.model, p.elements[index].T)
            block = np.empty((len(components), count))
            for row, component in zip(block, components, strict=True):
                row[:] = component
            split = len(element["stiffness"]["rows"])
            stiffness.append(block[:split].T.ravel())
            damping.append(block[split:].T.ravel())
        return np.concatenate(stiffness), np.concatenate(damping)
