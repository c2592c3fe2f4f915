"""Fields over the segments of a curve: local outputs of the elements between neighbouring nodes.

Vectors in the order of the velocity have the axes of the cross section in the middle of each segment,
q_k∘exp(θ/2), or inertial axes.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import NodeType
from symlie.errors import ModelError, UnknownNameError
from symlie.options import Axes
from symlie.rotations import rotation_form
from symlie.runtime.layout.classical_rotations import classical_rotation, rotations
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.layout.slices import CurveSlice
from symlie.runtime.solution.curve_states import interpolated
from symlie.runtime.solution.node_fields import named_field

if TYPE_CHECKING:
    from symlie.runtime.solution.solution import Solution

FRAMES = get_args(Axes)
"""Axes of fields over segments."""


@dataclass(frozen=True, eq=False)
class LocalField:
    """Position of a local output: its curve, name and unit, and `places` among all local outputs (segments,
    components)."""

    curve: CurveSlice
    name: str
    unit: str
    places: NDArray[np.int64]

    @property
    def middle(self) -> Array:
        """Arc lengths of the middles of the segments, in m."""
        return (self.curve.arc[1:] + self.curve.arc[:-1]) / 2


def local_fields(layout: Layout, curve: str) -> dict[str, LocalField]:
    """Return the fields over the segments of a curve by name; empty if the elements between its nodes have none."""
    if curve not in layout.curves:
        return {}
    part = layout.curves[curve]
    ends = part.storage[:, 0]
    segments = {(int(a), int(b)): k for k, (a, b) in enumerate(itertools.pairwise(ends))}
    found: dict[str, LocalField] = {}
    parts: dict[str, dict[int, tuple[str, NDArray[np.int64]]]] = {}
    for index, element in enumerate(layout.elements):
        if len(element.node_types) != 2 or not element.local_outputs:
            continue
        joined = [segments.get((int(a), int(b)), -1) for a, b in layout.storage_of[index]]
        first = 0
        for output in element.local_outputs:
            places = layout.local_output_places[index][:, first : first + output.size]
            here = {segment: (output.unit, row) for segment, row in zip(joined, places, strict=True) if segment >= 0}
            if len(here) == len(segments):
                found[output.name] = _local_field(part, output.name, here)
            parts[output.name] = here | parts.get(output.name, {})
            first += output.size
    # Ends of rods that are attached to their nodes at an angle have separate element types.
    rest = {n: here for n, here in parts.items() if n not in found and len(here) == len(segments)}
    sizes = {n: {len(row) for _, row in here.values()} for n, here in rest.items()}
    return found | {n: _local_field(part, n, here) for n, here in rest.items() if len(sizes[n]) == 1}


def _local_field(curve: CurveSlice, name: str, here: dict[int, tuple[str, NDArray[np.int64]]]) -> LocalField:
    """Return a field from its unit and its places by segment."""
    rows = [here[k] for k in range(len(here))]
    return LocalField(curve, name, rows[0][0], np.array([row for _, row in rows]))


def field_of(solution: Solution, name: str, field: str, frame: Axes) -> Array:
    """See `symlie.runtime.solution.solution.Solution.field`."""
    layout = solution.system.layout
    nodes = [f.name for n in layout.nodes if n.name == name for f in n.type.fields]
    over_segments = local_fields(layout, name) if field not in nodes else {}
    if field in over_segments:
        key = (name, field, frame)
        if key not in solution.known_fields:
            solution.known_fields[key] = _over_segments(solution, over_segments[field], frame)
        return solution.known_fields[key]
    if over_segments:
        known = ", ".join([*nodes, *over_segments])
        raise UnknownNameError(f"'{name}' has no field '{field}'; it has: {known}.")
    q, v = solution.configuration(name), solution.velocity(name)
    return named_field(layout.node(name).type, f"Node '{name}'", q, v, field)


def _over_segments(solution: Solution, field: LocalField, frame: Axes) -> Array:
    """Return the values of a field over segments, shape (times, segments, components)."""
    if frame not in FRAMES:
        raise ModelError(f"The frame of fields over segments must be {' or '.join(FRAMES)}, not {frame!r}.")
    values = _values(solution)[:, field.places]
    kind = field.curve.type
    if frame == "body":
        return values
    parts, size = _parts_in_space(kind)
    if field.places.shape[1] != size or not any(rotation_form(f.name, f.shape) for f in kind.storage_fields):
        raise ModelError(f"Field '{field.name}' of '{field.curve.name}' is not a vector in axes of a cross section.")
    rotations = _rotations(solution, field)
    turned = values.copy()
    for part in parts:
        if part.stop - part.start == rotations.shape[-1]:
            turned[..., part] = np.einsum("nkij,nkj->nki", rotations, values[..., part])
    return turned


def _parts_in_space(kind: NodeType) -> tuple[list[slice], int]:
    """Return the parts to rotate and the size of vectors in the order of the velocity, which contain ω instead of rates
    of ρ."""
    classical = classical_rotation(kind)
    if classical is not None:
        return [slice(0, 3), slice(3, 6)], 6
    return [f.part for f in kind.velocity_fields if f.name in ("Omega", "U", "x_dot")], kind.velocities


def _values(solution: Solution) -> Array:
    """Return all local outputs at the recorded states, shape (times, components)."""
    system = solution.system
    matrices, p = system.sets.matrices("local_outputs"), system.prepared
    at_rest = np.zeros(system.layout.dimension)
    states = zip(solution.t, solution.q, solution.v, solution.multipliers, strict=True)
    rows = [matrices(p, float(t), q, v, at_rest, m)[0].toarray().ravel() for t, q, v, m in states]
    return np.array(rows).reshape(len(solution.t), -1)


def _rotations(solution: Solution, field: LocalField) -> Array:
    """Return rotation matrices in the middle of the segments, shape (times, segments, n, n)."""
    q, _ = interpolated(solution.system, field.curve, solution.q, solution.v, field.middle)
    stored, form = next(
        (f, form) for f in field.curve.type.storage_fields if (form := rotation_form(f.name, f.shape)) is not None
    )
    part = q[..., stored.part]
    if form == "planar":
        c, s = part[..., 0], part[..., 1]
        return np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    if form == "matrix":
        return part.reshape(*part.shape[:2], 3, 3)
    turned = rotations(form, part.reshape(-1, part.shape[-1]))
    return np.asarray(turned.as_matrix()).reshape(*part.shape[:2], 3, 3)
