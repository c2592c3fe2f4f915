"""Dependent nodes: layout of their kernel's results, and stages that need their configuration."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.contract.kernels import SYSTEM_KERNELS
from symlie.contract.manifest import NodeType
from symlie.ir.kernels import ElementTypeKernels, Kernel, ModelKernels, owners_read
from symlie.ir.sets import NodePlace


def dependent_view(
    nodes: Sequence[tuple[int, int]], kinds: Sequence[NodeType | NodePlace]
) -> dict[str, list[dict[str, int]] | int]:
    """Return dependent nodes with their references, and the offsets of configuration and velocity of each in the
    results of the kernel and among the weights of its gradient."""
    parts: list[dict[str, int]] = []
    offset = weight = 0
    for place, reference in nodes:
        storage, dimension = kinds[place].storage, kinds[place].dimension
        parts.append({"place": place, "reference": reference, "storage": storage, "dimension": dimension,
                      "offset": offset, "weight": weight})  # fmt: skip
        offset, weight = offset + storage + dimension, weight + 2 * dimension
    return {"dependents": parts, "dependent_values": offset, "dependent_weights": weight}


def stages_read_dependents(types: ModelKernels) -> bool:
    """Return whether a stage kernel may read a dependent node, by type: the nodes themselves depend on the topology."""
    dependent = {e.node_types[place] for e in types.element_types for place, _ in e.dependents.nodes}
    return any(
        not dependent.isdisjoint(types_read(types, e, k))
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
