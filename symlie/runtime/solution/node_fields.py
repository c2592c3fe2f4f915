"""Named fields of nodes, as parts of their configurations and velocities."""

from __future__ import annotations

from symlie.contract.manifest import NodeType
from symlie.errors import UnknownNameError
from symlie.runtime.layout.layout import Array


def named_field(kind: NodeType, owner: str, q: Array, v: Array, name: str) -> Array:
    """A named field, shape (…, *field shape).

    Parameters
    ----------
    kind
        Type of the nodes.
    owner
        What the nodes are called, for the message.
    q, v
        Configurations (…, storage) and velocities (…, dimension).
    name
        Name of the field.

    Raises
    ------
    UnknownNameError
        There is none; the message lists those there are.
    """
    for fields, values in ((kind.storage_fields, q), (kind.velocity_fields, v)):
        for found in fields:
            if found.name == name:
                block = values[..., found.part]
                return block.reshape(*block.shape[:-1], *found.shape)
    raise UnknownNameError(f"{owner} has no field '{name}'; it has: {', '.join(f.name for f in kind.fields)}.")
