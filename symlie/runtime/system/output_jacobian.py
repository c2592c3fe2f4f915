"""Outputs that are linear in the velocities, such as rates of joints, as sparse matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array, Layout, Sparse
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.system.mechanics import Mechanics


@dataclass(frozen=True, eq=False, repr=False)
class LinearOutputs(Brief):
    """Outputs y = A v + y₀.

    Attributes
    ----------
    names
        Name of the output of each component.
    matrix
        A, shape (components, dimension).
    offset
        y₀, shape (components,).
    """

    names: tuple[str, ...]
    matrix: Sparse
    offset: Array

    def values(self, v: Array) -> Array:
        """Return y of velocities."""
        return np.asarray(self.matrix @ v + self.offset)


def linear_outputs(mechanics: Mechanics, t: float, q: Array, names: Sequence[str]) -> LinearOutputs:
    """Return outputs as linear functions of the velocities, evaluated together for components that share no output."""
    from scipy.sparse import coo_array

    layout = mechanics.layout
    sizes = [layout.outputs[name][0].stop - layout.outputs[name][0].start for name in names]
    labels = tuple(name for name, size in zip(names, sizes, strict=True) for _ in range(size))
    if not labels:
        return LinearOutputs((), coo_array((0, layout.dimension)).tocsr(), np.zeros(0))
    owners = [output_columns(layout, "", name) for name, size in zip(names, sizes, strict=True) for _ in range(size)]
    colours = _colours(owners, layout.dimension)
    seeds = np.zeros((int(colours.max()) + 2, layout.dimension))
    seeds[colours[colours >= 0] + 1, np.flatnonzero(colours >= 0)] = 1.0
    found = velocity_outputs(mechanics, t, q, seeds, names)
    slopes = found[1:] - found[0]
    rows = np.repeat(np.arange(len(labels)), [len(columns) for columns in owners])
    columns = np.concatenate(owners)
    matrix = coo_array((slopes[colours[columns], rows], (rows, columns)), shape=(len(labels), layout.dimension))
    return LinearOutputs(labels, matrix.tocsr(), np.asarray(found[0]))


def velocity_outputs(mechanics: Mechanics, t: float, q: Array, seeds: Array, names: Sequence[str]) -> Array:
    """Return the outputs of velocities, shape (seeds, components); rates that are first-order states by their field,
    which is linear in the accelerations as they are in the velocities."""
    layout = mechanics.layout
    multipliers = np.zeros((len(seeds), layout.rows))
    observed = [name for name in names if name not in layout.state_rates]
    states = States(np.full(len(seeds), t), np.tile(q, (len(seeds), 1)), seeds, multipliers)
    found = mechanics.kernels.observe(mechanics.p, states, (), observed)["outputs"] if observed else seeds[:, :0]
    if len(observed) == len(names):
        return np.asarray(found)
    fields = np.array([mechanics.field(t, q, 0 * seed, seed, multipliers[0]) for seed in seeds])
    fields -= fields[0]
    parts, first = [], 0
    for name in names:
        size = layout.outputs[name][0].stop - layout.outputs[name][0].start
        if name in layout.state_rates:
            parts.append(fields[:, layout.state_rates[name][1]])
        else:
            parts.append(found[:, first : first + size])
            first += size
    return np.hstack(parts)


def output_columns(layout: Layout, joint: str, output: str) -> NDArray[np.intp]:
    """Return the velocity components on which an output may depend: those of the nodes of its elements, or of its
    joint."""
    node = next((n for n in layout.nodes if joint and n.name == joint and output not in layout.state_rates), None)
    if node is not None:
        return np.arange(node.velocity.start, node.velocity.stop)
    found = []
    for part in layout.output_parts[output][1]:
        starts = layout.velocity_of[part.element][part.instances]
        types = layout.elements[part.element].node_types
        widths = [next(t.dimension for t in layout.manifest.node_types if t.name == name) for name in types]
        found += [np.arange(s, s + w) for row in starts for s, w in zip(row, widths, strict=True)]
    return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.intp)


def open_rates(layout: Layout, given: NDArray[np.bool_]) -> list[str]:
    """Return the joint rates that are not determined by the velocities of nodes (mask ``given``), without those that
    are first-order states."""
    rates = [r for r in layout.manifest.joint_rates if r.output in layout.outputs and not r.state]
    held = given | ~layout.free
    return [r.output for r in rates if not held[output_columns(layout, r.joint, r.output)].all()]


def outboard_joints(layout: Layout) -> set[str]:
    """Return the names of joints that are nodes, as in minimal coordinates."""
    return {r.joint for r in layout.manifest.joint_rates} & {node.name for node in layout.nodes}


def _colours(owners: Sequence[NDArray[np.intp]], dimension: int) -> NDArray[np.intp]:
    """Return a colour for each component; components that share an output have different colours, components of no
    output have -1."""
    colours = np.full(dimension, -1)
    outputs: dict[int, list[int]] = {}
    for k, columns in enumerate(owners):
        for column in columns.tolist():
            outputs.setdefault(column, []).append(k)
    used: list[set[int]] = [set() for _ in owners]
    for column, of_outputs in outputs.items():
        taken = set().union(*(used[k] for k in of_outputs))
        colour = next(c for c in range(len(taken) + 1) if c not in taken)
        colours[column] = colour
        for k in of_outputs:
            used[k].add(colour)
    return colours
