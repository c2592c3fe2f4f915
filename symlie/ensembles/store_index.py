"""Index of a store of an ensemble: its contents and their file.

It contains the groups of nodes that are recorded as a whole, so statistics on them need no code from the store.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from symlie.contract.manifest import NodeType
from symlie.runtime.layout.layout import Layout
from symlie.utilities.reading import other_format, reading
from symlie.version import VERSION

FORMAT = 1
"""Version of the store format."""

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
"""Variable names in files of members that are not available for quantities."""


@dataclass(frozen=True)
class Quantity:
    """A recorded quantity or a parameter of members."""

    name: str
    unit: str = ""
    """Displayed unit; empty if unknown."""
    dimensions: Mapping[str, int] = field(default_factory=dict)
    """Names and lengths of the dimensions of a member's values; ``time`` is the dimension of the store's times."""
    long_name: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a member's values."""
        return tuple(self.dimensions.values())


@dataclass(frozen=True)
class StoreIndex:
    """Contents of a store, except numbers."""

    design: str
    """Hash of the members, except the values in the store."""
    system: str
    """Hash of the system."""
    members: int
    """Final number of members."""
    quantities: tuple[Quantity, ...]
    """Recorded quantities of each member."""
    parameters: tuple[Quantity, ...] = ()
    """Quantities that vary between members."""
    event_names: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    """Further data of the ensemble, as JSON."""
    version: str = VERSION
    """Version of symlie that created the store."""

    def stored_names(self) -> dict[tuple[str, str], str]:
        """Return names of variables in files, by ``"value"`` or ``"parameter"`` and the name of the quantity."""
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
        """Return the content of the file."""
        return json.dumps({"symlie_format": FORMAT, **asdict(self)}, indent=1) + "\n"


def read_index(folder: Path) -> StoreIndex:
    """Read the index of a store, or raise `FormatError` if it is damaged or has a different format."""
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
    """A node recorded as a whole, with the name of its group."""

    node: str
    group: str
    count: int
    """Number of nodes of an array; 0 for a single node."""
    type: str
    """Node type as JSON, which distinguishes groups with equal names."""

    def is_of(self, layout: Layout) -> bool:
        """Return whether a layout contains this node on the same group."""
        return bool(self.type == _text(layout.node(self.node).type))


def _text(node_type: NodeType) -> str:
    return json.dumps(asdict(node_type))


def group_records(layout: Layout, quantities: Sequence[Quantity]) -> dict[str, object]:
    """Return the groups of all nodes recorded as a whole, in JSON form."""
    names = {q.name for q in quantities}
    whole = [n for n in layout.nodes if names >= {f"{n.name}.{f.name}" for f in n.type.storage_fields}]
    return {n.name: {"group": n.type.name, "count": n.count if n.is_array else 0, "type": _text(n.type)} for n in whole}


def stored_group(index: StoreIndex, node: str) -> StoredGroup | None:
    """Return the group of a node, or None if the index does not contain it."""
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
