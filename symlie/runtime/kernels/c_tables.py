"""The description of a system that compiled code takes: tables of its topology and its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from symlie.compile.library import Library
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.linear.schur import BandedAlgebra, algebra_of


@dataclass(frozen=True, eq=False)
class ProblemTables:
    """Integer tables of a topology, as C takes them."""

    storage_of: list[Any]
    velocity_of: list[Any]
    node_counts: Any
    moving_counts: Any
    moving: slice
    integrates_velocities: bool
    mass_values: int
    jacobian_values: int
    mobility: Array
    bandwidth: int
    position: Any
    pairs: list[tuple[Any, Any, Any]]


def problem_tables(layout: Layout, integrates: bool = False) -> ProblemTables:
    """Tables of a layout; orders of elimination and shared nodes only where the C code eliminates by structure.

    Parameters
    ----------
    layout
        Layout of a system.
    integrates
        Leave out of increments what nothing integrates; otherwise increments move all nodes.
    """
    algebra = algebra_of(layout)
    structured = algebra if isinstance(algebra, BandedAlgebra) and layout.rows else None
    moving_counts, moving = _moving(layout) if integrates else (layout.node_counts, slice(0, layout.dimension))
    return ProblemTables(
        [np.ascontiguousarray(s) for s in layout.storage_of],
        [np.ascontiguousarray(s) for s in layout.velocity_of],
        layout.node_counts,
        moving_counts,
        moving,
        bool((layout.integrated & layout.has_velocity).any()),
        len(algebra.mass_rows),
        len(algebra.jacobian_rows),
        layout.free.astype(float),
        structured.bandwidth if structured else 0,
        structured.position if structured else np.zeros(1, dtype=np.int32),
        [_sharing(layout, structured, kind) for kind in layout.manifest["pairs"]] if structured else [],
    )


def _moving(layout: Layout) -> tuple[Any, slice]:
    """Nodes of each type, or 0 if methods integrate none of them, and components from the first such to the last."""
    components = np.flatnonzero(layout.moves)
    hull = slice(int(components[0]), int(components[-1]) + 1) if len(components) else slice(0, 0)
    return np.where(layout.moving_types, layout.node_counts, 0), hull


def _sharing(layout: Layout, algebra: BandedAlgebra, kind: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Instances of two element types whose given places are the same free node, and where their block of S begins."""
    names = [e["name"] for e in layout.elements]
    a = layout.members[names.index(kind["first"])][:, kind["first_place"]]
    b = layout.members[names.index(kind["second"])][:, kind["second_place"]]
    order = np.argsort(b, kind="stable")
    low, high = np.searchsorted(b[order], a), np.searchsorted(b[order], a, side="right")
    sizes = np.where(layout.fixed[a], 0, high - low)
    first = np.repeat(np.arange(len(a)), sizes)
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    second = order[np.repeat(low, sizes) + offsets]
    if (kind["first"], kind["first_place"]) == (kind["second"], kind["second_place"]):
        first, second = first[first != second], second[first != second]
    row, column = (
        algebra.position[layout.first_rows[names.index(name)] + layout.element_rows[names.index(name)] * instance]
        for name, instance in ((kind["first"], first), (kind["second"], second))
    )
    place = row.astype(np.int64) * (3 * algebra.bandwidth + 1) + column - row + algebra.bandwidth
    return first.astype(np.int32), second.astype(np.int32), place


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
    for k, (first, second, place) in enumerate(tables.pairs):
        pairs[k].count = len(first)
        pairs[k].first, pairs[k].second, pairs[k].place = held(first), held(second), held(place)
    nodes = ffi.new("symlie_nodes[]", len(tables.node_counts))
    for k, (count, moving) in enumerate(zip(tables.node_counts, tables.moving_counts, strict=True)):
        nodes[k].count, nodes[k].moving = count, moving
    problem = ffi.new("symlie_problem *")
    problem.p, problem.elements, problem.nodes = held(p.model), elements, nodes
    problem.moving_begin, problem.moving_end = tables.moving.start, tables.moving.stop
    problem.storage, problem.dimension, problem.rows = layout.storage, layout.dimension, layout.rows
    problem.motion_storage, problem.motion_velocity = held(layout.motion_storage), held(layout.motion_velocity)
    problem.mass_values, problem.jacobian_values = tables.mass_values, tables.jacobian_values
    problem.events = len(layout.events)
    problem.angles, problem.angle_place = len(layout.angles), held(layout.angles.table)
    problem.integrates_velocities = tables.integrates_velocities
    problem.mobility, problem.bandwidth = held(tables.mobility), tables.bandwidth
    problem.position, problem.pairs = held(tables.position), pairs
    kept += [elements, nodes, pairs]
    return problem, kept
