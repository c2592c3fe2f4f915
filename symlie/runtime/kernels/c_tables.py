"""C structure of a system: tables of its topology, and its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from symlie.compile.library import Library, Pointer
from symlie.contract.dependents import runs
from symlie.contract.manifest import ConstrainedPlace, block_sizes, constrained_places
from symlie.runtime.kernels.c_structures import Member, StructureRows, Structures, in_memory
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.open_layout import OpenLayout
from symlie.runtime.linear.schur import BandedAlgebra, algebra_of

Integers = NDArray[np.int32]
LongIntegers = NDArray[np.int64]

Sharing = tuple[Integers, Integers, Integers, LongIntegers]
"""For pairs of elements with a common node, the starts of the blocks in B, in B M⁻¹, of the node in v, and in S."""


@dataclass(frozen=True, eq=False)
class ProblemTables:
    """Integer tables of a topology for C."""

    storage_of: list[Integers]
    velocity_of: list[Integers]
    node_counts: LongIntegers
    moving_counts: LongIntegers
    moving: slice
    integrates_velocities: bool
    mass_values: int
    jacobian_values: int
    mobility: Array
    bandwidth: int
    position: Integers
    pairs: list[Sharing]
    joint_counts: Integers
    joints: Integers
    """Constrained element nodes of each node: start of the block in B, first row, number of rows; shape (count, 3)."""
    iteration: Integers = field(default_factory=lambda: np.zeros(1, dtype=np.int32))
    """Tables of the matrix of implicit steps."""


def problem_tables(layout: Layout, integrates: bool = False) -> ProblemTables:
    """Tables of a layout, with elimination orders and shared nodes only if the C code eliminates by structure.

    With `integrates`, increments omit components that are not integrated; otherwise they move all nodes.
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
        _pairs(layout, structured) if structured else [],
        *(_joints(layout) if structured else (np.zeros(1, dtype=np.int32), np.zeros((1, 3), dtype=np.int32))),
    )


def with_open_tables(tables: ProblemTables, layout: Layout, of_open: OpenLayout) -> ProblemTables:
    """Tables with the elimination order and shared nodes of a model without the elements of its contacts."""
    if layout.is_fixed:
        return tables
    known, reduced = problem_tables(of_open.layout), of_open.layout
    sizes = block_sizes(constrained_places(layout.manifest.node_types, layout.elements))
    kept = block_sizes(constrained_places(reduced.manifest.node_types, reduced.elements))
    none = np.zeros(0, dtype=np.int32)
    pairs = [known.pairs[kept.index(k)] if k in kept else (none, none, none, none.astype(np.int64)) for k in sizes]
    return replace(
        tables, bandwidth=known.bandwidth, position=known.position, pairs=pairs, joint_counts=known.joint_counts,
        joints=known.joints,
    )  # fmt: skip


def _moving(layout: Layout) -> tuple[LongIntegers, slice]:
    """Number of integrated nodes of each type, or 0 if none is integrated, and the range of integrated components."""
    components = np.flatnonzero(layout.moves)
    hull = slice(int(components[0]), int(components[-1]) + 1) if len(components) else slice(0, 0)
    return np.where(layout.moving_types, layout.node_counts, 0), hull


def _pairs(layout: Layout, algebra: BandedAlgebra) -> list[Sharing]:
    """Elements that share a free node, by block size, in the order of the blocks in S."""
    places = constrained_places(layout.manifest.node_types, layout.elements)
    kinds = [(a, b) for a in places for b in places if a.node_type == b.node_type]
    found = []
    for size in block_sizes(places):
        parts = [_sharing(layout, algebra, *k) for k in kinds if (k[0].rows, k[1].rows, k[0].dimension) == size]
        first, second, velocity, place = (np.concatenate(values) for values in zip(*parts, strict=True))
        order = np.argsort(place, kind="stable")
        found.append((first[order], second[order], velocity[order], place[order]))
    return found


def _joints(layout: Layout) -> tuple[Integers, Integers]:
    """Number of constrained element nodes of each node with velocities, and their list, node by node."""
    nodes, joints = [], []
    for place in constrained_places(layout.manifest.node_types, layout.elements):
        instances = np.arange(layout.instance_counts[place.element])
        rows = layout.first_rows[place.element] + place.rows * instances
        nodes.append(layout.velocity_of[place.element][:, place.place])
        joints.append(np.stack([_blocks(layout, place, instances), rows, np.full_like(rows, place.rows)], axis=1))
    dimensions = np.repeat([t.dimension for t in layout.manifest.node_types], layout.node_counts)
    has_velocity = np.repeat([t.velocities > 0 for t in layout.manifest.node_types], layout.node_counts)
    begin = np.cumsum(dimensions) - dimensions
    node = np.concatenate(nodes)
    counts = np.bincount(np.searchsorted(begin, node), minlength=len(begin))[has_velocity]
    order = np.argsort(node, kind="stable")
    return counts.astype(np.int32), np.ascontiguousarray(np.concatenate(joints)[order], dtype=np.int32)


def _sharing(layout: Layout, algebra: BandedAlgebra, one: ConstrainedPlace, other: ConstrainedPlace) -> Sharing:
    """Pairs of elements of two types whose given local nodes coincide in a free node."""
    a, b = (layout.members[place.element][:, place.place] for place in (one, other))
    order = np.argsort(b, kind="stable")
    low, high = np.searchsorted(b[order], a), np.searchsorted(b[order], a, side="right")
    sizes = np.where(layout.fixed[a], 0, high - low)
    first = np.repeat(np.arange(len(a)), sizes)
    offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    second = order[np.repeat(low, sizes) + offsets]
    if one == other:
        first, second = first[first != second], second[first != second]
    row, column = (
        algebra.position[layout.first_rows[place.element] + place.rows * instance].astype(np.int64)
        for place, instance in ((one, first), (other, second))
    )
    position = row * (3 * algebra.bandwidth + 1) + column - row + algebra.bandwidth
    velocity = layout.velocity_of[one.element][first, one.place].astype(np.int32)
    return _blocks(layout, one, first), _blocks(layout, other, second), velocity, position


def _blocks(layout: Layout, place: ConstrainedPlace, instances: NDArray[np.intp]) -> Integers:
    """Starts of the blocks of elements in B."""
    sizes = [e.jacobian.count for e in layout.elements]
    begin = sum(n * size for n, size in zip(layout.instance_counts[: place.element], sizes, strict=False))
    return (begin + sizes[place.element] * instances + place.offset).astype(np.int32)


def problem_structure(layout: Layout, tables: ProblemTables, p: Prepared) -> Structures:
    """A system as ``symlie_problem``, without workspace."""
    elements: list[Mapping[str, Member]] = [
        {
            "count": layout.instance_counts[k],
            "storage_of": tables.storage_of[k],
            "velocity_of": tables.velocity_of[k],
            "parameters": rows,
            "stride": rows.shape[1] if len(rows) > 1 else 0,
        }
        for k, rows in enumerate(p.elements)
    ]
    pairs: list[Mapping[str, Member]] = [
        {"count": len(first), "first": first, "second": second, "velocity": velocity, "place": k}
        for first, second, velocity, k in tables.pairs
    ]
    dependent = runs(layout.dependents)
    counts = zip(tables.node_counts, tables.moving_counts, strict=True)
    problem: Mapping[str, Member] = {
        "p": p.model,
        "elements": Structures("symlie_elements", tuple(elements)),
        "nodes": Structures("symlie_nodes", tuple({"count": n, "moving": moving} for n, moving in counts)),
        "storage": layout.storage,
        "dimension": layout.dimension,
        "rows": layout.rows,
        "mass_values": tables.mass_values,
        "jacobian_values": tables.jacobian_values,
        "events": len(layout.events),
        "angles": len(layout.angles),
        "angle_place": layout.angles.table,
        "motion_storage": layout.motion_storage,
        "motion_velocity": layout.motion_velocity,
        "dependent_runs": len(dependent),
        "dependent_run": np.array(dependent, dtype=np.int32).reshape(-1, 3),
        "moving_begin": tables.moving.start,
        "moving_end": tables.moving.stop,
        "integrates_velocities": tables.integrates_velocities,
        "mobility": tables.mobility,
        "bandwidth": tables.bandwidth,
        "position": tables.position,
        "pairs": Structures("symlie_pairs", tuple(pairs)),
        "joint_counts": tables.joint_counts,
        "joints": tables.joints,
        "iteration": tables.iteration,
        # C++ requires the order of the structure.
        **_output_tables(layout),
        "changes": len(layout.changes),
        "change": layout.changes,
        "contact": layout.contacts,
        "contact_event": layout.contact_of_event,
    }
    return Structures("symlie_problem", (problem,))


def _output_tables(layout: Layout) -> dict[str, Member]:
    """Contributions to each named output, if elements have individual outputs."""
    if not layout.has_outputs_of_instances:
        return {}
    first_kernels = np.cumsum([0, *(len(e.outputs) for e in layout.elements)])
    named = [parts for _, parts in layout.output_parts.values()]
    summed = [[(p, instance) for p in parts for instance in p.instances.tolist()] for parts in named]
    rows = [(first_kernels[p.element] + p.output, k, p.first) for parts in summed for p, k in parts]
    return {
        "output_begin": np.cumsum([0, *map(len, summed)]).astype(np.int64),
        "output_size": np.array([part.stop - part.start for part, _ in layout.outputs.values()], dtype=np.int32),
        "output_part": np.array(rows, dtype=np.int32).reshape(-1, 3),
    }


class ProblemTemplate:
    """C structure of a topology, which serves as a template for systems with parameters."""

    def __init__(self, library: Library, layout: Layout, tables: ProblemTables) -> None:
        nothing = Prepared(np.zeros(1), tuple(np.zeros((1, 1)) for _ in layout.elements))
        self._library, self._ffi, self._pointer = library, library.ffi, library.pointer
        self._count = len(layout.elements)
        self._problem, self._kept = in_memory(library, problem_structure(layout, tables, nothing))

    def problem(self, p: Prepared) -> tuple[Pointer, list[object]]:
        """C structure of one or several systems, and the objects that own its memory."""
        return self._several(p) if p.model.ndim > 1 else self._one(p)

    def _one(self, p: Prepared) -> tuple[Pointer, list[object]]:
        ffi, pointer = self._ffi, self._pointer
        elements = ffi.new("symlie_elements[]", max(self._count, 1))
        ffi.memmove(elements, self._problem.elements, ffi.sizeof("symlie_elements") * self._count)
        kept: list[object] = [elements, self._kept]
        for k, rows in enumerate(p.elements):
            held = np.ascontiguousarray(rows) if rows.size else np.zeros((len(rows), 1))
            elements[k].parameters = pointer(held)
            elements[k].stride = rows.shape[1] if len(rows) > 1 else 0
            kept.append(held)
        problem = ffi.new("symlie_problem *", self._problem[0])
        model = p.model if p.model.size else np.zeros(1)
        problem.p, problem.elements = pointer(model), elements
        kept.append(model)
        return problem, kept

    def _several(self, p: Prepared) -> tuple[Pointer, list[object]]:
        count, each = len(p.model), self._count
        problems = StructureRows(self._library, "symlie_problem", count, self._problem)
        problems.point("p", p.model if p.model.size else np.zeros((count, 1)))
        elements = [
            StructureRows(self._library, "symlie_elements", count, self._problem.elements + k) for k in range(each)
        ]
        for rows, values in zip(elements, p.elements, strict=True):
            rows.point("parameters", values if values.size else np.zeros((count, 1)))
            rows.set("stride", np.full(count, values.shape[2] if values.shape[1] > 1 else 0, dtype=np.int64))
        together = StructureRows.interleaved(elements)
        problems.point_to("elements", together, each)
        return problems.pointer, [problems, elements, together, self._kept]
