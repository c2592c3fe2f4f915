"""Positions of the nodes of a model in the state vectors."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symlie.contract.manifest import ElementType, Instances, Manifest, NodeType
from symlie.runtime.layout.slices import NodeSlice


class NodePlaces:
    """Nodes and elements of a manifest, and positions of nodes in configurations and velocities."""

    manifest: Manifest

    @property
    def elements(self) -> tuple[ElementType, ...]:
        """Element types."""
        return self.manifest.element_types

    @cached_property
    def instances(self) -> list[Instances]:
        """Elements of each type."""
        by_name = {i.element: i for i in self.manifest.instances}
        return [by_name[e.name] for e in self.elements]

    @cached_property
    def members(self) -> list[NDArray[np.int64]]:
        """For each element type the nodes of each element, shape (elements, local nodes)."""
        pairs = zip(self.elements, self.instances, strict=True)
        return [i.nodes.astype(np.int64).reshape(-1, len(e.node_types)) for e, i in pairs]

    @cached_property
    def instance_counts(self) -> list[int]:
        """Number of elements of each type."""
        return [len(m) for m in self.members]

    @cached_property
    def node_types(self) -> dict[str, NodeType]:
        """Node types by name."""
        return {t.name: t for t in self.manifest.node_types}

    @cached_property
    def type_of_node(self) -> list[NodeType]:
        """The type of each node."""
        return [self.node_types[n.type] for n in self.manifest.nodes for _ in range(n.count)]

    @cached_property
    def dependent(self) -> NDArray[np.bool_]:
        """Flags of dependent nodes, shape (nodes,)."""
        found = np.zeros(len(self.type_of_node), dtype=bool)
        for element, members in zip(self.elements, self.members, strict=True):
            found[members[:, [place for place, _ in element.dependents.nodes]]] = True
        return found

    @cached_property
    def starts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First component of each node in configurations and in velocities, each of shape (nodes + 1,)."""
        sizes = [(t.storage, t.dimension) for t in self.type_of_node]
        storage, velocity = np.concatenate([[(0, 0)], np.cumsum(sizes, axis=0)]).T.astype(np.int64)
        return storage, velocity

    @cached_property
    def nodes(self) -> list[NodeSlice]:
        """Named nodes and arrays of nodes, in the order of the state vectors."""
        found, first = [], 0
        for node in self.manifest.nodes:
            end = first + node.count
            kind, dependent = self.node_types[node.type], self.dependent[first:end]
            fixed = np.zeros(node.count, dtype=bool)
            fixed[list(node.fixed)] = True
            given = np.tile(np.array(node.velocity_given, dtype=bool), node.count)
            given |= np.repeat(fixed | dependent, kind.dimension)
            storage, velocity = (slice(int(s[first]), int(s[end])) for s in self.starts)
            found.append(
                NodeSlice(
                    node.name, kind, node.count, node.is_array, storage, velocity, fixed, dependent, given, node.unit
                )
            )
            first = end
        return found

    @cached_property
    def state_rates(self) -> dict[str, tuple[slice, slice]]:
        """Joint rates that are first-order states, by output: components of configurations and of local
        coordinates."""
        found, nodes = {}, {n.name: n for n in self.nodes}
        for rate in self.manifest.joint_rates:
            if rate.state:
                node = nodes[rate.joint]
                field = next(f for f in node.type.storage_fields if f.name == rate.state)
                first, shift = node.storage.start, node.velocity.stop - node.storage.stop
                here = slice(first + field.part.start, first + field.part.stop)
                found[rate.output] = here, slice(here.start + shift, here.stop + shift)  # rates are the last fields
        return found

    @cached_property
    def node_storage(self) -> int:
        """Number of storage components of all nodes; the unwrapped angles of all elements follow them."""
        return int(self.starts[0][-1])

    @cached_property
    def dimension(self) -> int:
        """Length of the velocities of all nodes."""
        return int(self.starts[1][-1])

    @cached_property
    def storage_of(self) -> list[NDArray[np.int32]]:
        """For each element type the first storage component of each node, shape (elements, local nodes)."""
        return [self.starts[0][m].astype(np.int32) for m in self.members]

    @cached_property
    def velocity_of(self) -> list[NDArray[np.int32]]:
        """For each element type the first velocity component of each node, shape (elements, local nodes)."""
        return [self.starts[1][m].astype(np.int32) for m in self.members]

    @cached_property
    def node_counts(self) -> NDArray[np.int64]:
        """Number of nodes of each type."""
        counts = dict.fromkeys(self.node_types, 0)
        for node in self.manifest.nodes:
            counts[node.type] += node.count
        return np.array(list(counts.values()), dtype=np.int64)

    @cached_property
    def computed_initially(self) -> tuple[int, int]:
        """Components of configurations and velocities whose initial values a kernel computes."""
        computed = [s.type for s, n in zip(self.nodes, self.manifest.nodes, strict=True) if not n.has_numbers]
        return sum(k.storage for k in computed), sum(k.dimension for k in computed)

    @cached_property
    def driven(self) -> NDArray[np.int64]:
        """Node of each prescribed motion."""
        return np.array(self.manifest.motions, dtype=np.int64)

    @cached_property
    def motion_storage(self) -> NDArray[np.int32]:
        """First storage component of the node of each prescribed motion."""
        return self.starts[0][self.driven].astype(np.int32)

    @cached_property
    def motion_velocity(self) -> NDArray[np.int32]:
        """First velocity component of the node of each prescribed motion."""
        return self.starts[1][self.driven].astype(np.int32)

    @cached_property
    def fixed(self) -> NDArray[np.bool_]:
        """Flags of fixed and prescribed nodes, shape (nodes,)."""
        found = np.concatenate([n.fixed for n in self.nodes])
        found[self.driven] = True
        return found

    @cached_property
    def has_velocity(self) -> NDArray[np.bool_]:
        """Flags of components of nodes with a velocity, shape (dimension,)."""
        return self._by_component(np.array([t.velocities > 0 for t in self.type_of_node]))

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """Flags of velocity components that can move, shape (dimension,)."""
        return self._by_component(~self.fixed) & self.has_velocity

    @cached_property
    def bases(self) -> NDArray[np.intp]:
        """Number of the velocity field of a floating base that contains each component, or -1, shape (dimension,)."""
        found, count = np.full(self.dimension, -1), 0
        nodes = {n.name: n for n in self.nodes}
        for name, index in self.manifest.bases:
            kind, first = nodes[name].type, nodes[name].velocity.start
            for field in kind.velocity_fields:
                found[first + index * kind.dimension :][field.part] = count
                count += 1
        return found

    @cached_property
    def sought(self) -> NDArray[np.bool_]:
        """Mask of unknowns of implicit steps: components that can move, and all components of first-order states."""
        return self.free | ~self.has_velocity

    @cached_property
    def integrated(self) -> NDArray[np.bool_]:
        """Flags of components of local coordinates that methods integrate, shape (dimension,)."""
        return self._by_component(~self.fixed & ~self.dependent)

    @cached_property
    def dependent_components(self) -> NDArray[np.intp]:
        """Velocity components of dependent nodes that can move."""
        return np.flatnonzero(self.free & ~self.integrated)

    @cached_property
    def node_of_component(self) -> NDArray[np.intp]:
        """Number of the node of each component of local coordinates, shape (dimension,)."""
        return np.repeat(np.arange(len(self.type_of_node)), np.diff(self.starts[1]))

    def _by_component(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.repeat(flags, np.diff(self.starts[1]))
