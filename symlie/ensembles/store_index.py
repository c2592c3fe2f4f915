"""What is in a store of an ensemble, and the file that says so.

It has the groups of nodes that are recorded as a whole, so that statistics on them need no code of the store.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from symlie.contract.manifest import NodeType
from symlie.reading import other_format, reading
from symlie.runtime.layout.layout import Layout
from symlie.version import VERSION

FORMAT = 1
"""Version of what is in a store."""

INDEX = "index.json"

RESERVED = (
    "member",
    "time",
    "status",
    "sentence",
    "exception",
    "steps",
    "rejected",
    "end_time",
    "cpu_seconds",
    "event",
)
"""Names in files of members that no quantity has."""


@dataclass(frozen=True)
class Quantity:
    """What is recorded of each member, or given to it."""

    name: str
    unit: str = ""
    """As users read it; empty if it is not known."""
    dimensions: Mapping[str, int] = field(default_factory=dict)
    """Names and lengths of the dimensions of a member's values; ``time`` is that of the store's times."""
    long_name: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a member's values."""
        return tuple(self.dimensions.values())


@dataclass(frozen=True)
class StoreIndex:
    """What a store holds, apart from numbers."""

    design: str
    """Hash of what the members are, apart from the values that are in the store."""
    system: str
    """Hash of the system."""
    members: int
    """How many there will be."""
    quantities: tuple[Quantity, ...]
    """What is recorded of each member."""
    parameters: tuple[Quantity, ...] = ()
    """What differs from member to member."""
    event_names: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    """Whatever else is to be known of the ensemble, as JSON."""
    version: str = VERSION
    """Of symlie, which began the store."""

    def stored_names(self) -> dict[tuple[str, str], str]:
        """Names of variables in files, by ``"value"`` or ``"parameter"`` and the name of the quantity."""
        parts = {"parameter": self.parameters, "value": self.quantities}
        taken = {*RESERVED, *(d for part in parts.values() for q in part for d in q.dimensions)}
        names = {}
        for kind, quantities in parts.items():
            for quantity in quantities:
                name = f"{kind}_{quantity.name}" if quantity.name in taken else quantity.name
                names[kind, quantity.name] = name
                taken.add(name)
        return names

    def as_text(self) -> str:
        """The content of the file."""
        return json.dumps({"symlie_format": FORMAT, **asdict(self)}, indent=1) + "\n"


def read_index(folder: Path) -> StoreIndex:
    """The index of a store.

    Raises
    ------
    FormatError
        It is damaged, or of another format.
    """
    path = folder / INDEX
    with reading(path):
        content = json.loads(path.read_text(encoding="utf-8"))
        found, version = content.pop("symlie_format"), content["version"]
    if found != FORMAT:
        raise other_format(path, found, FORMAT, version, "read it with that version, or give another folder")
    with reading(path):
        content |= {name: tuple(map(_quantity, content[name])) for name in ("quantities", "parameters")}
        index = StoreIndex(**content | {"event_names": tuple(map(str, content["event_names"]))})
        if not (isinstance(index.members, int) and isinstance(index.settings, dict)):
            raise TypeError("it has no number of members or no settings")
        return index


def _quantity(stated: Mapping[str, object]) -> Quantity:
    match stated:
        case {"name": str(name), "unit": str(unit), "dimensions": dict(dimensions), "long_name": str(long_name)}:
            return Quantity(name, unit, {str(d): int(size) for d, size in dimensions.items()}, long_name)
    raise TypeError("a quantity is not complete")


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
