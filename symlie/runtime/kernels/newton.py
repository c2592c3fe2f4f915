"""Matrices of derivatives of a system, derived and compiled when first needed.

``tangents`` are the Newton matrices K = D_q(M a + g + Bᵀ λ), C = ∂g/∂v and H = D_q(B v + b); ``ports`` are derivatives
by inputs and of outputs.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from symlie.compile.cache import compiled_library
from symlie.compile.headers import KERNEL_HEADERS, included_headers
from symlie.compile.library import Library
from symlie.errors import FormatError
from symlie.runtime.kernels.c_tables import build_problem, problem_tables
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.layout import Array, Layout
from symlie.showing import Brief

Positions = tuple[NDArray[np.intp], NDArray[np.intp]]

MATRIX_KINDS = ("tangents", "ports")
"""Sets of matrices, by the end of the names of their files."""


class MatrixKernels(Protocol):
    """Stored values of the matrices of a set for all instances, from C or from NumPy."""

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> Sequence[Array]:
        """Values of each matrix, one instance after the other."""


@dataclass(frozen=True, eq=False, repr=False)
class LazyMatrices(Brief):
    """What it takes to get a set of matrices of a system; copies of a system share it."""

    kind: str
    layout: Layout
    files: Mapping[str, str]
    source: Callable[[str], Mapping[str, str]] | None
    """Derives and emits, where the files do not have them."""
    compiles: bool
    optimize: str

    @cached_property
    def matrices(self) -> SystemMatrices:
        """The matrices.

        Raises
        ------
        FormatError
            The generated folder was written without them, or they belong to another version of the model.
        """
        stem = f"{self.layout.name}_{self.kind}"
        files = self.files
        if f"{stem}.json" not in files:
            if self.source is None:
                what = "Newton matrices" if self.kind == "tangents" else "derivatives by inputs and of outputs"
                raise FormatError(
                    f"The generated files of '{self.layout.name}' lack {stem}.json, so they have no {what}; "
                    "generate the model again with 'symlie generate'."
                )
            files = self.source(self.kind)
        try:
            table = json.loads(files[f"{stem}.json"])
            belongs = table["model_interface_hash"] == self.layout.interface_hash
            positions = _positions(self.layout, table)
        except (KeyError, ValueError, IndexError, TypeError) as error:
            raise FormatError(f"{stem}.json is damaged ({error}); generate the model again.") from error
        if not belongs:
            raise FormatError(f"{stem}.json does not belong to this manifest.json; generate the model again.")
        kernels: MatrixKernels
        if self.compiles:
            kernels = _CompiledMatrices(self.layout, f"{stem}.c", files, table, self.optimize)
        else:
            kernels = _NumpyMatrices(self.layout, self.kind, files[f"{stem}.py"], table)
        return SystemMatrices(positions, kernels)


class SystemMatrices:
    """Matrices of a whole system, assembled from those of its elements."""

    def __init__(self, positions: Sequence[tuple[Positions, tuple[int, int]]], kernels: MatrixKernels) -> None:
        self._positions = positions
        self._kernels = kernels

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> tuple[Any, ...]:
        """Each matrix as a `scipy.sparse.csr_array`: K, C and H of the Newton matrices.

        Parameters
        ----------
        p
            Prepared parameters.
        t, q, v
            Time, in s, configuration and velocity.
        acceleration, multipliers
            a (dimension) and λ (rows) of M(q) a + g + Bᵀ λ.
        """
        from scipy.sparse import coo_array

        values = self._kernels(p, t, q, v, acceleration, multipliers)
        return tuple(
            coo_array((part, places), shape=shape).tocsr()
            for part, (places, shape) in zip(values, self._positions, strict=True)
        )


def _positions(layout: Layout, table: Mapping[str, Any]) -> list[tuple[Positions, tuple[int, int]]]:
    """Row and column of each stored value of each matrix, and its shape."""
    axes = _axes(layout)
    found = []
    for k, matrix in enumerate(table["matrices"]):
        rows, columns = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
        (height, down), (width, across) = axes[matrix["rows"]], axes[matrix["columns"]]
        for index, element in enumerate(table["elements"]):
            local = element["positions"][k]
            rows.append(down[index][:, local["rows"]].ravel().astype(np.intp))
            columns.append(across[index][:, local["columns"]].ravel().astype(np.intp))
        found.append(((np.concatenate(rows), np.concatenate(columns)), (height, width)))
    return found


def _axes(layout: Layout) -> dict[str, tuple[int, list[NDArray[Any]]]]:
    """For each kind of rows and columns its length, and by element type where each instance has its part."""
    counts = layout.instance_counts
    firsts = zip(layout.first_rows, layout.element_rows, counts, strict=True)
    rows = [first + width * np.arange(n)[:, None] + np.arange(width) for first, width, n in firsts]
    inputs = sum(size for size, _ in layout.inputs.values())
    outputs = [
        np.concatenate([np.arange(0), *(np.r_[layout.outputs[o.name][0]] for o in e.outputs)]).astype(np.intp)
        for e in layout.elements
    ]
    return {
        "velocities": (layout.dimension, list(layout.places)),
        "rows": (layout.rows, rows),
        "inputs": (inputs, [np.tile(np.arange(inputs), (n, 1)) for n in counts]),
        "outputs": (layout.outputs_size, [np.tile(o, (n, 1)) for o, n in zip(outputs, counts, strict=True)]),
    }


class _CompiledMatrices:
    def __init__(
        self, layout: Layout, name: str, files: Mapping[str, str], table: Mapping[str, Any], optimize: str
    ) -> None:
        sources = {name: files[name], **included_headers(KERNEL_HEADERS)}
        path, _ = compiled_library(sources, name, optimize)
        self._layout = layout
        self._library = Library(path, table["interface_hash"])
        self._tables = problem_tables(layout)
        elements = list(zip(table["elements"], layout.instance_counts, strict=True))
        matrices = range(len(table["matrices"]))
        self._sizes = [sum(n * len(e["positions"][k]["rows"]) for e, n in elements) for k in matrices]

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> Sequence[Array]:
        if id(self) not in p.cache:
            p.cache[id(self)] = build_problem(self._library, self._layout, self._tables, p)
        out = [np.zeros(size) for size in self._sizes]
        inputs = [np.ascontiguousarray(x, dtype=float) for x in (q, v, acceleration, multipliers)]
        pointer = self._library.pointer
        targets = [pointer(x) for x in out]
        table = self._library.ffi.new("double *[]", targets)
        self._library.call.symlie_tangents(p.cache[id(self)][0], t, *map(pointer, inputs), table)
        return out


class _NumpyMatrices:
    def __init__(self, layout: Layout, kind: str, source: str, table: Mapping[str, Any]) -> None:
        name = f"{layout.name}_{kind}.py"
        module = types.ModuleType(f"symlie_generated_{layout.name}_{kind}")
        exec(compile(source, name, "exec"), module.__dict__)
        if module.__dict__.get("INTERFACE_HASH") != table["interface_hash"]:
            raise FormatError(f"{name} does not belong to the generated files beside it; generate the model again.")
        self._functions: dict[str, Callable[..., tuple[Any, ...]]] = module.__dict__
        self._layout, self._kind, self._table = layout, kind, table

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> Sequence[Array]:
        layout = self._layout
        parts = [[np.zeros(0)] for _ in self._table["matrices"]]
        for index, element in enumerate(self._table["elements"]):
            kernel = self._functions.get(f"{element['name']}_{self._kind}")
            if kernel is None:
                continue
            count, rows, first = layout.instance_counts[index], layout.element_rows[index], layout.first_rows[index]
            place = layout.places[index].T
            own = multipliers[first : first + rows * count].reshape(count, rows).T
            inputs = (q[layout.stored_places[index].T], v[place], acceleration[place], own)
            with np.errstate(all="ignore"):  # A piece of a law that is not chosen may be infinite or NaN.
                components = kernel(np.float64(t), *inputs, p.model, p.elements[index].T)
            block = np.empty((len(components), count))
            for row, component in zip(block, components, strict=True):
                row[:] = component
            ends = np.cumsum([len(positions["rows"]) for positions in element["positions"]])
            for part, values in zip(parts, np.split(block, ends[:-1]), strict=True):
                part.append(values.T.ravel())
        return [np.concatenate(part) for part in parts]
