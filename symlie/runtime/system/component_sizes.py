"""Characteristic sizes of velocity components, which make rotations and displacements comparable in any units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import NodeType
from symlie.runtime.layout.layout import Array, Layout, Sparse

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

PROBE = 1e-6
"""Relative perturbation of stored coordinates that measures their size, and rotation angle that identifies angles."""

ROUNDING = 4 * np.finfo(float).eps
"""Round-off of a force relative to stiffness times coordinate, and of a constraint relative to B times coordinate."""


@dataclass(frozen=True)
class ComponentSizes:
    """Sizes of the free velocity components: ``length`` is 1 for angles, otherwise the spread of the nodes and at least
    the radius of gyration; ``magnitude`` is the size of the stored coordinates, to which rounding is relative."""

    length: Array
    magnitude: Array
    node: NDArray[np.intp]
    """Node of each component."""

    def largest(self, step: Array) -> float:
        """Return the largest component of a step, relative to the lengths."""
        return float(np.abs(step / self.length).max(initial=0))

    def norm(self, step: Array) -> float:
        """Return the Euclidean norm of a step, relative to the lengths."""
        return float(np.linalg.norm(step / self.length))

    def force_scale(self, stiffness: Sparse, damping: Sparse, v: Array, jacobian: Sparse, multipliers: Array) -> Array:
        """Return the size of the forces summed in each component, from |K| q, |C| v and |B|ᵀ|λ| of its node."""
        acting = abs(stiffness) @ self.magnitude + abs(damping) @ np.abs(v) + abs(jacobian).T @ np.abs(multipliers)
        largest = np.zeros(int(self.node.max(initial=0)) + 1)
        np.maximum.at(largest, self.node, acting * self.length)
        return np.asarray(largest[self.node] / self.length)

    def constraint_scale(self, jacobian: Sparse) -> Array:
        """Return |B| q, the size of the coordinates that each constraint equation compares."""
        return np.asarray(abs(jacobian) @ self.magnitude)


@dataclass(frozen=True)
class _Field:
    """Velocity components of one field, for all nodes of one type."""

    components: NDArray[np.intp]
    is_angle: bool


class _Nodes:
    """Nodes of a system by type."""

    def __init__(self, system: System) -> None:
        self.system, self.layout = system, system.layout
        self.by_type: dict[str, list[int]] = {}
        for k, node in enumerate(self.layout.nodes):
            self.by_type.setdefault(node.type.name, []).append(k)

    def types(self) -> Iterator[tuple[NodeType, NDArray[np.intp], NDArray[np.intp]]]:
        """Yield types with the storage (nodes × storage) and velocity components (nodes × dimension) of their nodes."""
        for slices in self.by_type.values():
            nodes = [self.layout.nodes[k] for k in slices]
            kind = nodes[0].type
            storage = np.concatenate([np.arange(n.storage.start, n.storage.stop) for n in nodes])
            velocity = np.concatenate([np.arange(n.velocity.start, n.velocity.stop) for n in nodes])
            yield kind, storage.reshape(-1, kind.storage), velocity.reshape(-1, kind.dimension)

    def fields(self, q: Array) -> Iterator[_Field]:
        """Yield the fields of all types."""
        for kind, _, velocity in self.types():
            for part in (f.part for f in kind.velocity_fields):
                unit = np.zeros(self.layout.dimension)
                unit[velocity[0, part]] = PROBE
                yield _Field(velocity[:, part].ravel(), self.system.kernels.chart(q, unit) > 0)

    @cached_property
    def first_of_type(self) -> NDArray[np.intp]:
        """For each stored number, its index in the first node of the same type."""
        index = np.arange(self.layout.storage)
        for _, storage, _ in self.types():
            index[storage] = storage[0]
        return index


def component_sizes(system: System, q: Array, mass: Array) -> ComponentSizes:
    """Return the sizes of the free velocity components at q, with the diagonal of M, shape (dimension,)."""
    layout, kernels, nodes = system.layout, system.kernels, _Nodes(system)
    signs = np.where(np.random.default_rng(0).random(layout.storage) < 0.5, -1.0, 1.0)
    with np.errstate(all="ignore"):
        nudged = kernels.normalize(q * (1 + PROBE * signs))
        magnitudes = np.abs(np.nan_to_num(kernels.difference(q, nudged), posinf=0, neginf=0)) / PROBE
        spread = np.abs(np.nan_to_num(kernels.difference(q[nodes.first_of_type], q), posinf=0, neginf=0))
    length, magnitude = np.ones(layout.dimension), np.ones(layout.dimension)
    fields = list(nodes.fields(q))
    angles = [f.components for f in fields if f.is_angle]
    inertia = float(np.mean(mass[np.concatenate(angles)])) if angles else 0.0
    for field in fields:
        if field.is_angle:
            continue
        here = field.components
        weight, size = float(np.mean(mass[here])), float(magnitudes[here].max(initial=0))
        gyration = inertia / weight if weight > 0 else 0.0
        found = float(np.sqrt(np.mean(spread[here] ** 2) + gyration))
        length[here] = found if found > 0 else size if size > 0 else 1.0
        magnitude[here] = max(size, found) if max(size, found) > 0 else 1.0
    free = np.flatnonzero(layout.free)
    return ComponentSizes(length[free], magnitude[free], _node_of(layout)[free])


def _node_of(layout: Layout) -> NDArray[np.intp]:
    sizes = np.concatenate([np.full(n.count, n.type.dimension, dtype=np.intp) for n in layout.nodes])
    return np.repeat(np.arange(len(sizes)), sizes)
