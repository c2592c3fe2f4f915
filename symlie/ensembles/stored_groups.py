"""Groups of recorded nodes in the index of a store, so that statistics on them need no code of the store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from symlie.contract.manifest import NodeType
from symlie.ensembles.store_index import INDEX, Quantity, StoreIndex
from symlie.reading import reading
from symlie.runtime.layout.layout import Layout


@dataclass(frozen=True)
class StoredGroup:
    """A node that was recorded as a whole, with the name of its group."""

    node: str
    group: str
    count: int
    """Nodes of an array; 0 for a single node."""
    type: str
    """The node type as JSON, which tells groups of one name apart."""

    def is_of(self, layout: Layout) -> bool:
        """Whether a layout has the same node on the same group."""
        return bool(self.type == _text(layout.node(self.node).type))


def _text(node_type: NodeType) -> str:
    return json.dumps(asdict(node_type))


def group_records(layout: Layout, quantities: Sequence[Quantity]) -> dict[str, object]:
    """Groups of all nodes whose configurations are recorded as a whole, as JSON has them.

    Parameters
    ----------
    layout
        Layout of the system.
    quantities
        The recorded quantities.
    """
    names = {q.name for q in quantities}
    whole = [n for n in layout.nodes if names >= {f"{n.name}.{f.name}" for f in n.type.storage_fields}]
    return {n.name: {"group": n.type.name, "count": n.count if n.is_array else 0, "type": _text(n.type)} for n in whole}


def stored_group(index: StoreIndex, node: str) -> StoredGroup | None:
    """The group of a node, or None if the index does not have it.

    Parameters
    ----------
    index
        The index of a store.
    node
        Name of the node.

    Raises
    ------
    FormatError
        The index is damaged.
    """
    with reading(INDEX):
        records = index.settings.get("groups", {})
        if not isinstance(records, Mapping):
            raise TypeError("it has no groups")
        if node not in records:
            return None
        match records[node]:
            case {"group": str(group), "count": int(count), "type": str(text)}:
                return StoredGroup(node, group, count, text)
        raise TypeError(f"the group of '{node}' is not complete")
