"""Boundary conditions of a continuum: free, clamped, joined to a node, prescribed, or closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symlie.elements.placement import BodyNode
from symlie.errors import ModelError
from symlie.modeling.model import Model
from symlie.modeling.node import Node
from symlie.modeling.node_array import NodeReference

ENDS = {"start": 0, "end": -1}
"""Ends by name, with the index of their node."""


@dataclass(frozen=True, eq=False)
class Held:
    """Boundary condition of an end."""

    how: str
    """``clamped``, ``joined``, ``prescribed`` or ``closed``."""
    node: BodyNode | None = None
    motion: Mapping[str, object] = field(default_factory=dict)


class Ends:
    """Boundary conditions of a continuum; ends without a condition are free."""

    def __init__(self, what: str) -> None:
        self._what = what
        self.held: dict[str, Held] = {}

    def known(self, end: object) -> str:
        """Return the name of an end; raise `ModelError` if it does not exist."""
        if not isinstance(end, str) or end not in ENDS:
            raise ModelError(f"The ends of {self._what} are 'start' and 'end', not {end!r}.")
        return end

    def hold(self, end: str, held: Held) -> None:
        """Set the boundary condition of an end; raise `ModelError` if it has one."""
        before = self.held.get(self.known(end))
        if before is not None:
            raise ModelError(
                f"The boundary condition at the {end} of {self._what} is defined twice: it is {before.how} already."
            )
        if held.how == "joined" and not isinstance(held.node, Node | NodeReference):
            raise ModelError(
                f"The {end} of {self._what} can be joined to a node only, not to {held.node!r}; the node of a body is "
                "body.node."
            )
        self.held[end] = held

    def how(self, end: str) -> str:
        """Return the kind of the boundary condition, or ``free``."""
        return self.held[end].how if end in self.held else "free"

    def node(self, end: str) -> BodyNode | None:
        """Return the node that an end is joined to, or None."""
        return self.held[end].node if end in self.held else None

    @property
    def is_closed(self) -> bool:
        """True if the end is joined to the start."""
        return any(h.how == "closed" for h in self.held.values())

    def is_free(self, end: str) -> bool:
        """Return whether an end has a natural boundary condition."""
        return end not in self.held or self.held[end].how in ("joined", "closed")

    def is_joined(self, end: str) -> bool:
        """Return whether an end is joined to a node of the model or to the other end."""
        return self.how(end) in ("joined", "closed")

    def apply(self, model: Model, end: str, node: BodyNode) -> None:
        """Fix the node of a clamped end, or prescribe the motion of a prescribed one."""
        held = self.held[end]
        if held.how == "prescribed":
            model.prescribe(node, **held.motion)
        elif held.how == "clamped" and isinstance(node, NodeReference):
            node.array.fix(node.index)
