"""What systems say of themselves, in one line and as tables for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.slices import NodeSlice
from symlie.showing import line, listed, table

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


def node_text(node: NodeSlice) -> str:
    """A node or an array of nodes with what it is on."""
    return f"{node.name}{f'[{node.count}]' if node.is_array else ''} on {node.type.name}"


def system_line(system: System) -> str:
    """A system in one line."""
    layout = system.layout
    options = [f"{name}={value}" for name, value in layout.options.items()]
    parts = [layout.name, *options, system.backend, listed(map(node_text, layout.nodes), "nodes")]
    return line("System", [*parts, listed(layout.parameters, "parameters"), f"{layout.rows} constraint rows"])


def system_html(system: System) -> str:
    """Nodes, parameters and constraints of a system."""
    layout = system.layout
    nodes = [(node_text(n), n.type.storage, n.type.velocities) for n in layout.nodes]
    parameters = [
        (name, _values(system.parameters[position].reshape(shape)), unit)
        for name, (position, shape, unit) in layout.parameters.items()
    ]
    rows = [(name, np.size(part.rows)) for name, part in layout.constraints.items()]
    return (
        table(f"{layout.name}, {system.backend}", nodes, ("node", "stored components", "velocities"))
        + table("parameters", parameters, ("name", "value", "unit"))
        + table("constraints", rows, ("name", "rows"))
    )


def _values(values: np.ndarray) -> str:
    return np.array2string(values, threshold=9, precision=6, separator=", ")
