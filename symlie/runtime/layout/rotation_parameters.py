"""Distance of rotation parameters from their singularity, computed from stored components only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from symlie.rotations import rotation_form
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.slices import NodeSlice


@dataclass(frozen=True)
class Regularity:
    """Quantity that vanishes at the coordinate singularity of a node, and its rate."""

    node: str
    """Name of the node."""
    expression: str
    """``cos(b)``, ``sin(b)`` or ``sin(φ/2)/(φ/2)``, with the second angle b or the length φ of a vector."""
    value: Array
    """Value at each state, for the closest node of an array."""
    rate: Array
    """Its rate, in 1/s."""


def regularities(layout: Layout, q: Array, v: Array) -> Iterator[Regularity]:
    """Regularity of each node with three rotation parameters, from q (states, storage) and v (states, dimension)."""
    for node in layout.nodes:
        has_spin = layout.is_stepped_in_storage(node.type.name)
        found = _singular_field(node, has_spin=has_spin)
        if found is None:
            continue
        offset, form = found
        part = slice(offset, offset + 3)
        rho = q[:, node.storage].reshape(len(q), node.count, -1)[..., part]
        turning = v[:, node.velocity].reshape(len(v), node.count, -1)[..., part]  # ω or ρ'
        if form == "vector":
            expression, half = "sin(φ/2)/(φ/2)", np.linalg.norm(rho, axis=-1) / 2
            value = np.sinc(half / np.pi)
            slope = np.cos(half) - value
            # ρ·ρ' = ρ·ω
            lengthening = np.einsum("...i,...i", rho, turning) / 4
            rate = slope * np.divide(lengthening, half**2, out=np.zeros_like(half), where=half > 0)
        else:
            is_proper = form[0] == form[2]
            expression, b = "sin(b)" if is_proper else "cos(b)", rho[..., 1]
            b_dot = _second_rate(form, rho, turning) if has_spin else turning[..., 1]
            value = np.sin(b) if is_proper else np.cos(b)
            rate = (np.cos(b) if is_proper else -np.sin(b)) * b_dot
        nearest = np.abs(value).argmin(axis=1)[:, None]
        value, rate = (np.take_along_axis(x, nearest, axis=1)[:, 0] for x in (value, rate))
        yield Regularity(node.name, expression, value, rate)


def _second_rate(axes: str, angles: Array, spin: Array) -> Array:
    """b' = (R_k(c)ᵀ e_j)·ω, which holds since the axis of b is perpendicular to the axes of a and c."""
    j, k = ("XYZ".index(axis) for axis in axes[1:])
    sign, other = (1 if (j - k) % 3 == 1 else -1), 3 - j - k
    c = angles[..., 2]
    return np.asarray(np.cos(c) * spin[..., j] - sign * np.sin(c) * spin[..., other])


def _singular_field(node: NodeSlice, *, has_spin: bool) -> tuple[int, str] | None:
    """Offset and kind of three rotation parameters that are integrated."""
    rates = {f.name for f in node.type.velocity_fields}
    for f in node.type.storage_fields:
        form = rotation_form(f.name, f.shape)
        is_stepped = has_spin or f"{f.name}_dot" in rates
        if form is not None and is_stepped and (form == "vector" or form.isupper()):
            return f.offset, form
    return None
