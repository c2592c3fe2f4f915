"""Units of recorded quantities."""

from __future__ import annotations

from symlie.rotations import rotation_form
from symlie.runtime.layout.slices import NodeSlice

_UNITS = {"R": "1", "p": "1", "x": "m", "x_dot": "m/s", "Omega": "rad/s", "U": "m/s"}
"""Units of the fields of moving bodies."""

_COORDINATES = ("x", "x_dot")
"""Fields of Rⁿ, which are lengths only if the body also rotates."""


def rate_unit(unit: str) -> str:
    """Unit of the time derivative of a quantity with this unit; empty if it is unknown."""
    return f"{unit}/s" if unit not in ("", "1") else unit and "1/s"


def field_unit(node: NodeSlice, name: str) -> str:
    """Unit of a storage or velocity field of a node; empty if it is unknown.

    A number at the end of the name distinguishes equal factors of a product.
    """
    node_type = node.type
    stem = name.rstrip("0123456789")
    turning = next((f.name for f in node_type.storage_fields if rotation_form(f.name, f.shape)), None)
    turns = turning is not None or any(f.name.rstrip("0123456789") == "Omega" for f in node_type.velocity_fields)
    if turning is not None and name in (turning, f"{turning}_dot") and stem not in _UNITS:
        return "rad" if name == turning else "1/s" if stem == "p_dot" else "rad/s"
    if stem in _COORDINATES and not turns:
        return node.unit if stem == "x" else rate_unit(node.unit)
    return _UNITS.get(stem, "")
