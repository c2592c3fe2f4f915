"""One statement in both topologies: on a node of the model, and as an element type on an array of nodes."""

from __future__ import annotations

from typing import Any

import symlie as sl

TOPOLOGIES = ("fixed", "general")


def stated(name: str, group: str, topology: str, count: int = 1) -> tuple[sl.Model, Any, Any]:
    """A model, the object that takes its energies and forces, and the node.

    In the general topology the model gets ``count`` nodes.
    """
    model = sl.Model(name)
    if topology == "fixed":
        return model, model, model.node("body", group)
    model.node_array("bodies", group, count)
    element = sl.ElementType("body", node=group)
    return model, element, element.node


def finished(model: sl.Model, statement: Any, **initial: Any) -> sl.Model:
    """The model with initial values, and with the element on its nodes."""
    if statement is model:
        model.initial(statement.nodes[0], **initial)
    else:
        (array,) = model.arrays
        array.initial(**initial)
        model.add(statement, array)
    return model
