"""Units of recorded quantities."""

from __future__ import annotations

from symlie.contract.manifest import NodeType
from symlie.rotations import rotation_form

_UNITS = {"R": "1", "p": "1", "x": "m", "x_dot": "m/s", "Omega": "rad/s", "U": "m/s"}
"""Units of the fields of moving bodies."""

_COORDINATES = ("x", "x_dot")
"""Fields of Rⁿ, which are lengths only if the body also rotates."""


def field_unit(node_type: NodeType, name: str) -> str:
    """Unit of a storage or velocity field of a node type; empty if only the model knows it.

    A number at the end of the name distinguishes equal factors of a product.
    """
    stem = name.rstrip("0123456789")
    turning = next((f.name for f in node_type.storage_fields if rotation_form(f.name, f.shape)), None)
    turns = turning is not None or any(f.name.rstrip("0123456789") == "Omega" for f in node_type.velocity_fields)
    if turning is not None and name in (turning, f"{turning}_dot") and stem not in _UNITS:
        return "rad" if name == turning else "1/s" if stem == "p_dot" else "rad/s"
    return "" if stem in _COORDINATES and not turns else _UNITS.get(stem, "")
