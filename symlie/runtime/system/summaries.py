"""Summaries of systems, as one line and as tables for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.layout.layout import Layout
from symlie.runtime.layout.slices import NodeSlice
from symlie.utilities.showing import line, listed, table

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


def node_text(node: NodeSlice) -> str:
    """Return the name of a node or node array with its manifold."""
    return f"{node.name}{f'[{node.count}]' if node.is_array else ''} on {node.type.name}"


def system_line(system: System) -> str:
    """Return a one-line summary of a system."""
    layout = system.layout
    options = [f"{name}={value}" for name, value in layout.options.items()]
    parts = [layout.name, *options, system.backend, listed(map(node_text, layout.nodes), "nodes")]
    free = [name for name in layout.parameters if name not in layout.frozen]
    constants = [listed(layout.frozen, "constants")] if layout.frozen else []
    return line("System", [*parts, listed(free, "parameters"), *constants, f"{layout.rows} constraint equations"])


def system_html(system: System) -> str:
    """Return tables of the nodes, parameters and constraints of a system."""
    layout = system.layout
    nodes = [(node_text(n), n.type.storage, n.type.velocities) for n in layout.nodes]
    parameters = [
        (name, _values(system.parameters[position].reshape(shape)), unit, *_constant(layout, name))
        for name, (position, shape, unit) in layout.parameters.items()
    ]
    rows = [(name, np.size(part.rows)) for name, part in layout.constraints.items()]
    return (
        table(f"{layout.name}, {system.backend}", nodes, ("node", "stored components", "velocities"))
        + table("parameters", parameters, ("name", "value", "unit", *_constant(layout)))
        + table("constraints", rows, ("name", "rows"))
    )


def _constant(layout: Layout, name: str = "") -> tuple[str, ...]:
    """Return the column of frozen parameters, or none without such parameters."""
    return ("constant" * (name in layout.frozen),) if layout.frozen else ()


def _values(values: np.ndarray) -> str:
    return np.array2string(values, threshold=9, precision=6, separator=", ")
