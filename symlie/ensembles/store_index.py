"""What is in a store of an ensemble, and the file that says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from symlie.reading import other_format, reading
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
