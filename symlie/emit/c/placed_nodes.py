"""Placed nodes: where offsets are, and which stages of a method need them where they belong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symlie.contract.kernels import SYSTEM_KERNELS
from symlie.contract.manifest import NodeType
from symlie.ir.kernels import ElementTypeKernels, Kernel, ModelKernels, owners_read


def placed_parts(placements: Iterable[tuple[int, int, int]]) -> list[dict[str, int]]:
    """Placed nodes with their references, and where the offset of each begins in the results of its element type.

    Parameters
    ----------
    placements
        Places of nodes, those of their references, and the dimension of each.
    """
    parts: list[dict[str, int]] = []
    offset = 0
    for place, reference, dimension in placements:
        parts.append({"place": place, "reference": reference, "dimension": dimension, "offset": offset})
        offset += 2 * dimension
    return parts


def located_parts(places: Sequence[tuple[int, NodeType]]) -> list[dict[str, int]]:
    """Located nodes, and where configuration and velocity of each begin in the results of their element type.

    Parameters
    ----------
    places
        Places of nodes with their types.
    """
    parts: list[dict[str, int]] = []
    offset = 0
    for place, kind in places:
        parts.append({"place": place, "storage": kind.storage, "dimension": kind.dimension, "offset": offset})
        offset += kind.storage + kind.dimension
    return parts


def stages_read_placed_nodes(types: ModelKernels) -> bool:
    """Whether a kernel of a stage may read the configuration or velocity of a placed node.

    Which nodes are placed is known with the topology alone; any node of the type of a placed one may be one.

    Parameters
    ----------
    types
        Kernels of a model.
    """
    placed = {e.node_types[k] for e in types.element_types for k in (*(place for place, _ in e.placements), *e.located)}
    return any(
        not placed.isdisjoint(types_read(types, e, k))
        for e in types.element_types
        for k in e.kernels
        if any(k.signature.name == f"{e.name}_{row.name}" and row.in_stages for row in SYSTEM_KERNELS)
    )


def types_read(types: ModelKernels, element: ElementTypeKernels, kernel: Kernel) -> set[str]:
    """Node types of an element whose configuration or velocity a kernel of it reads."""
    kinds = [types.node_type(name) for name in element.node_types]
    q = [t.name for t in kinds for _ in range(t.storage)]
    v = [t.name for t in kinds for _ in range(t.velocities)]
    return owners_read(kernel, {"q": q, "v": v})
