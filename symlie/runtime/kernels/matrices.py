"""Derivative matrices of a system.

The set ``newton`` contains the Newton matrices K = D_q(M a + g + Bᵀ λ), C = ∂g/∂v and H = D_q(B v + b); ``ports``
contains derivatives with respect to inputs and derivatives of outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symlie.compile.cache import compiled_library
from symlie.compile.headers import with_headers
from symlie.compile.library import Library
from symlie.contract.kernels import KERNELS
from symlie.contract.set_table import SetTable
from symlie.contract.sets import KernelSet
from symlie.runtime.kernels.c import c_states
from symlie.runtime.kernels.c_tables import ProblemTemplate, problem_tables
from symlie.runtime.kernels.numpy import Functions, on_element
from symlie.runtime.kernels.protocol import Prepared, States
from symlie.runtime.layout.layout import Array, Layout, Sparse
from symlie.runtime.layout.parameter_places import parameter_places
from symlie.runtime.linear.schur import Scattering

Positions = tuple[NDArray[np.intp], NDArray[np.intp]]


class MatrixKernels(Protocol):
    """Stored values of the matrices of a kernel set for all elements, from C or from NumPy."""

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> Sequence[Array]:
        """Values of each matrix, element by element."""

    def of_states(self, p: Prepared, states: States, acceleration: Array) -> Sequence[Array]:
        """Values of each matrix at states with a leading axis, shape (n, values)."""


class SystemMatrices:
    """Function that evaluates sparse matrices of a system, assembled from those of its elements.

    `System.newton_matrices` is an object of this class.

    Attributes
    ----------
    kernels
        Function that evaluates the stored entries of all elements.
    """

    def __init__(self, layout: Layout, chosen: KernelSet, table: SetTable, kernels: MatrixKernels) -> None:
        self._positions = matrix_positions(layout, chosen, table)
        self._rows: dict[tuple[int, bytes], Scattering] = {}
        self.kernels = kernels

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> tuple[Sparse, ...]:
        """Evaluate the matrices, for example the Newton matrices K = D_q(M a + g + Bᵀ λ), C = ∂g/∂v, H = D_q(B v + b).

        Parameters
        ----------
        p
            Values of the parameters and inputs, ``system.prepared``.
        t
            Time, in s.
        q, v
            Configuration, shape (storage,), and velocity, shape (dimension,).
        acceleration, multipliers
            a, shape (dimension,), and λ, shape (constraint equations,).

        Returns
        -------
        tuple of scipy.sparse.csr_array
            K and C, shape (dimension, dimension), and H, shape (constraint equations, dimension).
        """
        from scipy.sparse import coo_array

        values = self.kernels(p, t, q, v, acceleration, multipliers)
        return tuple(
            coo_array((part, places), shape=shape).tocsr()
            for part, (places, shape) in zip(values, self._positions, strict=True)
        )


def rows_of(matrices: SystemMatrices, matrix: int, chosen: NDArray[np.intp]) -> Scattering:
    """Return the places of the stored values of a matrix of a set, by its index, in some of its rows, by distinct
    indices, as a dense matrix."""
    key = (matrix, chosen.tobytes())
    if key not in matrices._rows:
        (rows, columns), (_, width) = matrices._positions[matrix]
        order = np.argsort(chosen, kind="stable")
        row = order[np.minimum(np.searchsorted(chosen[order], rows), len(chosen) - 1)]
        stored = np.flatnonzero(chosen[row] == rows)
        places = row[stored] * width + columns[stored]
        matrices._rows[key] = Scattering(stored, places, (len(chosen), width))
    return matrices._rows[key]


def matrix_positions(layout: Layout, chosen: KernelSet, table: SetTable) -> list[tuple[Positions, tuple[int, int]]]:
    """Row and column of each stored value, and the shape, for each matrix of a set."""
    axes = _axes(layout)
    found = []
    for k, matrix in enumerate(chosen.matrices):
        rows, columns = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
        (height, down), (width, across) = axes[matrix.rows], axes[matrix.columns]
        for index, element in enumerate(table.elements):
            local = element.patterns[k]
            rows.append(down[index][:, np.array(local.rows, dtype=np.intp)].ravel().astype(np.intp))
            columns.append(across[index][:, np.array(local.columns, dtype=np.intp)].ravel().astype(np.intp))
        found.append(((np.concatenate(rows), np.concatenate(columns)), (height, width)))
    return found


def _axes(layout: Layout) -> dict[str, tuple[int, list[NDArray[np.int64] | NDArray[np.intp]]]]:
    """Length of each kind of axis, and for each element type the indices of its elements along the axis."""
    counts = layout.instance_counts
    inputs = sum(size for size, _ in layout.inputs.values())
    axis, places = parameter_places(layout)
    return {
        "velocities": (layout.dimension, list(layout.places)),
        "components": (layout.dimension, list(layout.component_places)),
        "rows": (layout.rows, list(layout.row_places)),
        "inputs": (inputs, [_inputs_of(layout, k, inputs) for k in range(len(counts))]),
        "parameters": (axis, list(places)),
        "outputs": (layout.outputs_size, list(layout.output_places)),
        "local_outputs": (sum(p.size for p in layout.local_output_places), list(layout.local_output_places)),
        "one": (1, [np.zeros((n, 1), dtype=np.intp) for n in counts]),
    }


def _inputs_of(layout: Layout, index: int, inputs: int) -> NDArray[np.intp]:
    """Return the inputs that elements may read, shape (elements, inputs): all, followed by those that they choose."""
    count = layout.instance_counts[index]
    chosen = np.broadcast_to(layout.chosen_inputs[index], (count, layout.chosen_inputs[index].shape[1]))
    return np.hstack([np.tile(np.arange(inputs, dtype=np.intp), (count, 1)), chosen])


class CompiledMatrices:
    """Values from compiled code."""

    def __init__(
        self, layout: Layout, chosen: KernelSet, table: SetTable, files: Mapping[str, str], optimize: str
    ) -> None:
        header, source, *_ = chosen.files(layout.name)
        names = (header, source, f"{layout.name}.h")
        sources = with_headers({name: files[name] for name in names})
        sources["rows.c"] = _rows_source(chosen, source)
        path, _ = compiled_library(sources, "rows.c", optimize)
        self._layout = layout
        self._library = Library(path, table.interface_hash)
        self._function = getattr(self._library.call, f"symlie_{chosen.rows}")
        self._template = ProblemTemplate(self._library, layout, problem_tables(layout))
        elements = list(zip(table.elements, layout.instance_counts, strict=True))
        self._sizes = [sum(n * e.patterns[k].count for e, n in elements) for k in range(len(chosen.matrices))]

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> Sequence[Array]:
        if id(self) not in p.cache:
            p.cache[id(self)] = self._template.problem(p)
        out = [np.zeros(size) for size in self._sizes]
        inputs = [np.ascontiguousarray(x, dtype=float) for x in (q, v, acceleration, multipliers)]
        self._function(p.cache[id(self)][0], t, *map(self._library.pointer, (*inputs, *out)))
        return out

    def of_states(self, p: Prepared, states: States, acceleration: Array) -> Sequence[Array]:
        if id(self) not in p.cache:
            p.cache[id(self)] = self._template.problem(p)
        pointer, out = self._library.pointer, [np.zeros((len(states.t), size)) for size in self._sizes]
        results = self._library.ffi.new("symlie_scalar *[]", [pointer(values) for values in out])
        described, held = c_states(self._library, states)
        given = np.ascontiguousarray(acceleration, dtype=float)
        self._library.call.symlie_matrix_rows(p.cache[id(self)][0], described, pointer(given), results)
        del held
        return out


def _rows_source(chosen: KernelSet, source: str) -> str:
    """Return the source of a set with a loop over states."""
    results = [f"out[{k}] + i * VALUES_OF_{m.letter}" for k, m in enumerate(chosen.matrices)]
    state = ["q + i * STORAGE", "v + i * DIMENSION"]
    arguments = [
        "P",
        "states->t[i]",
        *(f"states->{x}" for x in state),
        "a + i * DIMENSION",
        "states->lambda + i * ROWS",
    ]
    return f"""#include "{source}"

void symlie_matrix_rows(const symlie_problem *P, const symlie_states *states, const symlie_scalar *a,
                        symlie_scalar *const *out)
{{
    for (long long i = 0; i < states->count; i++) symlie_{chosen.rows}({", ".join([*arguments, *results])});
}}
"""


class NumpyMatrices:
    """Values from a NumPy module."""

    def __init__(self, layout: Layout, chosen: KernelSet, table: SetTable, functions: Functions) -> None:
        self._layout, self._kernel, self._table, self._functions = layout, KERNELS[chosen.rows], table, functions

    def __call__(
        self, p: Prepared, t: float, q: Array, v: Array, acceleration: Array, multipliers: Array
    ) -> Sequence[Array]:
        parts = [[np.zeros(0)] for _ in self._kernel.result_names]
        for index, element in enumerate(self._table.elements):
            vectors = (q, v, acceleration, multipliers)
            block = on_element(self._functions, self._layout, index, self._kernel, p, t, *vectors)
            if block is None:
                continue
            ends = np.cumsum([pattern.count for pattern in element.patterns])
            for part, values in zip(parts, np.split(block, ends[:-1]), strict=True):
                part.append(values.T.ravel())
        return [np.concatenate(part) for part in parts]

    def of_states(self, p: Prepared, states: States, acceleration: Array) -> Sequence[Array]:
        count = len(states.t)
        parts = [[np.zeros((count, 0))] for _ in self._kernel.result_names]
        for index, element in enumerate(self._table.elements):
            vectors = (states.q, states.v, acceleration, states.multipliers)
            block = on_element(self._functions, self._layout, index, self._kernel, p, states.t, *vectors)
            if block is None:
                continue
            ends = np.cumsum([pattern.count for pattern in element.patterns])
            for part, values in zip(parts, np.split(block, ends[:-1]), strict=True):
                part.append(np.moveaxis(values, 0, -1).reshape(count, len(values) * values.shape[-1]))
        return [np.concatenate(part, axis=1) for part in parts]
