"""Random matrices [M* Bᵀ; B 0] and [M* Bᵀ M*Bᵀ; B 0 0; B 0 BBᵀ] on graphs: nodes with components of velocities, edges
with rows of constraints."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csc_array

from symlie.compile.compiler import flags, run_compiler
from symlie.compile.headers import with_headers
from symlie.contract.constants import Status, constants_header
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.elimination import EliminationStructure
from symlie.runtime.linear.unknowns import Indices, Unknowns

Edges = list[tuple[int, int]]


def chain(nodes: int) -> Edges:
    """Nodes in a row."""
    return [(k, k + 1) for k in range(nodes - 1)]


def ring(nodes: int) -> Edges:
    """Nodes in a circle."""
    return [*chain(nodes), (nodes - 1, 0)]


def star(branches: int, length: int) -> Edges:
    """Branches that begin at node 0."""
    ends = [
        (0 if i == 0 else 1 + b * length + i - 1, 1 + b * length + i) for b in range(branches) for i in range(length)
    ]
    return sorted(ends)


def tree(nodes: int) -> Edges:
    """Each node with the two following nodes."""
    return [((k - 1) // 2, k) for k in range(1, nodes)]


def grid(side: int) -> Edges:
    """Squares of nodes."""
    across = [(side * i + j, side * i + j + 1) for i in range(side) for j in range(side - 1)]
    return [*across, *((side * i + j, side * (i + 1) + j) for i in range(side - 1) for j in range(side))]


@dataclass(frozen=True)
class Saddle:
    """A matrix in natural order: components of nodes, equations λ of edges, equations η of edges."""

    unknowns: Unknowns
    rows: Indices
    columns: Indices
    entries: Array

    @property
    def matrix(self) -> Any:
        """The matrix, sparse."""
        return csc_array(coo_array((self.entries, (self.rows, self.columns)), shape=(self.unknowns.size,) * 2))

    def stored(self, structure: EliminationStructure) -> Array:
        """The entries where a structure has them."""
        places = structure.places(self.rows, self.columns)
        return np.bincount(places, self.entries, structure.values)

    def residual(self, x: Array, right: Array) -> float:
        """Of a solution, relative to the products that it is summed from."""
        sizes = abs(self.matrix) @ np.abs(x) + np.abs(right)
        return float(np.max(np.abs(self.matrix @ x - right)) / np.max(sizes))


def saddle(
    edges: Edges,
    seed: int = 0,
    dimension: int = 6,
    rows: int = 2,
    stabilised: bool = False,
    massless: Sequence[int] = (),
    anchors: Sequence[int] = (),
    stiffness: float = 0.0,
) -> Saddle:
    """A random matrix.

    Parameters
    ----------
    edges
        Pairs of nodes.
    seed
        Of the random numbers.
    dimension
        Components of each node.
    rows
        Rows of each edge.
    stabilised
        Whether edges have rows η besides λ.
    massless
        Nodes whose first component has no mass.
    anchors
        Nodes with a separate row.
    stiffness
        Of springs between the nodes of each edge.
    """
    random = np.random.default_rng(seed)
    nodes = 1 + max([0, *(n for e in edges for n in e)])
    n = nodes * dimension
    mass = random.uniform(-1, 1, (nodes, dimension, dimension))
    mass = mass @ mass.transpose(0, 2, 1) + np.eye(dimension)
    for node in massless:
        mass[node, 0, :] = mass[node, :, 0] = 0
    pieces = [(k, k, block) for k, block in enumerate(mass)]
    for a, b in edges:
        coupling = random.uniform(-0.2, 0.2, (2, dimension, dimension))
        for node, side in ((a, 1), (b, 0)):
            if node in massless:
                coupling[0, 0 if side else slice(None), slice(None) if side else 0] = 0
                coupling[1, slice(None) if side else 0, 0 if side else slice(None)] = 0
        pieces += [(a, b, coupling[0]), (b, a, coupling[1])]
        if stiffness:
            turned = -stiffness * np.linalg.qr(random.uniform(-1, 1, (dimension, dimension)))[0]
            pieces += [(k, k, stiffness * np.eye(dimension)) for k in (a, b)] + [(a, b, turned), (b, a, turned.T)]
    own = np.arange(dimension)
    upper = coo_array(
        (
            np.concatenate([block.ravel() for *_, block in pieces]),
            (
                np.concatenate([np.repeat(i * dimension + own, dimension) for i, *_ in pieces]),
                np.concatenate([np.tile(j * dimension + own, dimension) for _, j, _ in pieces]),
            ),
        ),
        shape=(n, n),
    ).tocsr()
    acts = [(a, b) for a, b in edges] if rows else []
    counts = [rows] * len(acts) + [1] * len(anchors)
    supports = [np.concatenate([a * dimension + own, b * dimension + own]) for a, b in acts]
    supports += [a * dimension + own for a in anchors]
    element = np.repeat(np.arange(len(counts)), counts).astype(np.intp)
    i = np.concatenate([np.full(len(supports[e]), r) for r, e in enumerate(element)] or [np.zeros(0, int)])
    j = np.concatenate([supports[e] for e in element] or [np.zeros(0, int)])
    B = coo_array((random.uniform(-1, 1, len(i)), (i, j)), shape=(len(element), n)).tocsr()
    group = np.concatenate([np.repeat(np.arange(nodes), dimension), nodes + element])
    blocks = [[upper, B.T], [B, None]]
    coupled = [*((k, k) for k in range(nodes)), *edges]
    if stabilised:
        diagonal = coo_array((upper.diagonal(), (np.arange(n), np.arange(n))), shape=(n, n))
        blocks = [[upper, B.T, diagonal @ B.T], [B, None, None], [B, None, B @ B.T]]
        group = np.concatenate([group, nodes + element])
        touched: list[list[int]] = [[] for _ in range(nodes)]
        for e, support in enumerate(supports):
            for node in sorted(set((support // dimension).tolist())):
                touched[node].append(nodes + e)
        coupled += [(a, b) for others in touched for a in others for b in others]
    from scipy.sparse import block_array

    whole = block_array(blocks).tocoo()
    acts_on = np.stack([i + n, j], axis=1)
    unknowns = Unknowns(
        group.astype(np.intp),
        np.array(coupled, dtype=np.intp),
        acts_on.astype(np.intp),
        np.array([k * dimension for k in massless], dtype=np.intp),
    )
    return Saddle(unknowns, whole.coords[0].astype(np.intp), whole.coords[1].astype(np.intp), whole.data)


class Compiled:
    """The header of a kind of structure, compiled.

    Parameters
    ----------
    kind
        Its name.
    constants
        What it must find defined.
    """

    def __init__(self, kind: str, **constants: int) -> None:
        import cffi

        self._ffi = cffi.FFI()
        prototypes = [
            "int factorise(const int *tables, double *values, int *lost)",
            "void solve(const int *tables, double *values, double *x)",
            "void clear(const int *tables, double *values)",
        ]
        self._ffi.cdef(";\n".join(prototypes) + ";")
        read = "{ const elimination E = read_elimination(tables);"
        bodies = [
            f"{read} return factorise_matrix(&E, (symlie_real *)values, lost); }}",
            f"{read} solve_factorised(&E, (symlie_real *)values, (symlie_real *)x); }}",
            f"{read} clear_matrix(&E, (symlie_real *)values); }}",
        ]
        included = ["primitives.h", "constants.h", f"{kind}.h"]
        if "SYMLIE_LANES" not in constants:
            prototypes.append("void solve_with_transpose(const int *tables, double *values, double *x)")
            bodies.append(f"{read} solve_transposed(&E, values, x); }}")
            self._ffi.cdef(f"{prototypes[-1]};")
            included.append("transposed_factors.h")
        text = [
            *(f"#define {name} {value}" for name, value in constants.items()),
            *(f'#include "{name}"' for name in included),
            *(f"{p}\n{b}" for p, b in zip(prototypes, bodies, strict=True)),
        ]
        files = with_headers({"kind.c": "\n".join(text) + "\n", **constants_header()})
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, content in files.items():
                (folder / file).write_text(content, encoding="utf-8")
            run_compiler(folder / "kind.c", folder / "kind.so", flags("default"))
            self._library = self._ffi.dlopen(str(folder / "kind.so"))

    def _array(self, array: Any) -> Any:
        kind = "int[]" if array.dtype == np.int32 else "double[]"
        return self._ffi.from_buffer(kind, array)

    def factorise(self, structure: EliminationStructure, values: Array) -> tuple[Status, int]:
        """Status, and the unknown that it is about."""
        lost = np.full(1, -1, dtype=np.int32)
        status = self._library.factorise(*map(self._array, (structure.tables, values, lost)))
        return Status(status), int(lost[0])

    def solve(self, structure: EliminationStructure, values: Array, right: Array) -> Array:
        """The solution with factors."""
        x = right.copy()
        self.solve_in_place(structure, values, x)
        return x

    def solve_in_place(self, structure: EliminationStructure, values: Array, x: Array) -> None:
        """Replace a right-hand side by the solution."""
        self._library.solve(*map(self._array, (structure.tables, values, x)))

    def solve_transposed(self, structure: EliminationStructure, values: Array, right: Array) -> Array:
        """The solution of the transposed system with the same factors."""
        x = right.copy()
        self._library.solve_with_transpose(*map(self._array, (structure.tables, values, x)))
        return x

    def clear(self, structure: EliminationStructure, values: Array) -> None:
        """Begin a new matrix."""
        self._library.clear(*map(self._array, (structure.tables, values)))


@functools.cache
def compiled(kind: str, **constants: int) -> Compiled:
    """A header, compiled once."""
    return Compiled(kind, **constants)
