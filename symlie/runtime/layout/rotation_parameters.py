"""How near classical coordinates of rotations come to their singularity, from stored components alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from symlie.rotations import rotation_form
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.slices import NodeSlice


@dataclass(frozen=True)
class Regularity:
    """What vanishes where coordinates of a node are singular, and its rate."""

    node: str
    """Name of the node."""
    expression: str
    """What it is: ``cos(b)``, ``sin(b)`` or ``sin(φ/2)/(φ/2)``, b the second angle and φ the length of a vector."""
    value: Array
    """At each state, of the node of an array that is nearest."""
    rate: Array
    """Its rate, in 1/s."""


def regularities(layout: Layout, q: Array, v: Array) -> Iterator[Regularity]:
    """Of each node whose rotation is stored by three classical coordinates.

    Parameters
    ----------
    layout
        The model.
    q, v
        Configurations and velocities, shapes (states, storage) and (states, dimension).
    """
    for node in layout.nodes:
        found = _singular_field(node)
        if found is None:
            continue
        offset, form = found
        part = slice(offset, offset + 3)
        rho = q[:, node.storage].reshape(len(q), node.count, -1)[..., part]
        rho_dot = v[:, node.velocity].reshape(len(v), node.count, -1)[..., part]
        if form == "vector":
            expression, half = "sin(φ/2)/(φ/2)", np.linalg.norm(rho, axis=-1) / 2
            value = np.sinc(half / np.pi)
            slope = np.cos(half) - value
            turning = np.einsum("...i,...i", rho, rho_dot) / 4
            rate = slope * np.divide(turning, half**2, out=np.zeros_like(half), where=half > 0)
        else:
            is_proper = form[0] == form[2]
            expression, b, b_dot = "sin(b)" if is_proper else "cos(b)", rho[..., 1], rho_dot[..., 1]
            value = np.sin(b) if is_proper else np.cos(b)
            rate = (np.cos(b) if is_proper else -np.sin(b)) * b_dot
        nearest = np.abs(value).argmin(axis=1)[:, None]
        value, rate = (np.take_along_axis(x, nearest, axis=1)[:, 0] for x in (value, rate))
        yield Regularity(node.name, expression, value, rate)


def _singular_field(node: NodeSlice) -> tuple[int, str] | None:
    """Offset and form of three classical coordinates."""
    rates = {f.name for f in node.type.velocity_fields}
    for f in node.type.storage_fields:
        form = rotation_form(f.name, f.shape)
        if form is not None and f"{f.name}_dot" in rates and (form == "vector" or form.isupper()):
            return f.offset, form
    return None
