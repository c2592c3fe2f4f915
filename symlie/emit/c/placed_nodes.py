"""Dependent nodes: layout of their offsets, and stages that need their configuration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symlie.contract.kernels import SYSTEM_KERNELS
from symlie.contract.manifest import NodeType
from symlie.ir.kernels import ElementTypeKernels, Kernel, ModelKernels, owners_read
from symlie.ir.sets import NodePlace


def placed_parts(placements: Iterable[tuple[int, int, int]]) -> list[dict[str, int]]:
    """Return nodes with a constant pose relative to a reference node, with offsets in the results of
    the element type."""
    parts: list[dict[str, int]] = []
    offset = 0
    for place, reference, dimension in placements:
        parts.append({"place": place, "reference": reference, "dimension": dimension, "offset": offset})
        offset += 2 * dimension
    return parts


def located_parts(places: Sequence[tuple[int, NodeType | NodePlace]]) -> list[dict[str, int]]:
    """Return dependent nodes, with offsets of configuration and velocity in the results of the element type."""
    parts: list[dict[str, int]] = []
    offset = 0
    for place, kind in places:
        parts.append({"place": place, "storage": kind.storage, "dimension": kind.dimension, "offset": offset})
        offset += kind.storage + kind.dimension
    return parts


def stages_read_placed_nodes(types: ModelKernels) -> bool:
    """Return whether a stage kernel may read a dependent node, by type: the nodes themselves depend on the topology."""
    placed = {e.node_types[k] for e in types.element_types for k in (*(place for place, _ in e.placements), *e.located)}
    return any(
        not placed.isdisjoint(types_read(types, e, k))
        for e in types.element_types
        for k in e.kernels
        if any(k.signature.name == f"{e.name}_{row.name}" and row.in_stages for row in SYSTEM_KERNELS)
    )


def types_read(types: ModelKernels, element: ElementTypeKernels, kernel: Kernel) -> set[str]:
    """Return the node types of an element whose configuration or velocity a kernel reads."""
    kinds = [types.node_type(name) for name in element.node_types]
    q = [t.name for t in kinds for _ in range(t.storage)]
    v = [t.name for t in kinds for _ in range(t.velocities)]
    return owners_read(kernel, {"q": q, "v": v})
