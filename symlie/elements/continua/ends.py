"""What holds a continuum at its ends: nothing, a clamp, another node, a prescribed motion, its own beginning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symlie.elements.placement import BodyNode
from symlie.errors import ModelError
from symlie.modeling.model import Model
from symlie.modeling.node_array import NodeReference

ENDS = {"start": 0, "end": -1}
"""Ends by name, with the index of their node."""


@dataclass(frozen=True, eq=False)
class Held:
    """What holds an end."""

    how: str
    """``clamped``, ``joined``, ``prescribed`` or ``closed``."""
    node: BodyNode | None = None
    motion: Mapping[str, object] = field(default_factory=dict)


class Ends:
    """Boundary conditions of a continuum; an end that nothing is stated of is free."""

    def __init__(self, what: str) -> None:
        self._what = what
        self.held: dict[str, Held] = {}

    def known(self, end: object) -> str:
        """The name of an end, checked."""
        if not isinstance(end, str) or end not in ENDS:
            raise ModelError(f"The ends of {self._what} are 'start' and 'end', not {end!r}.")
        return end

    def hold(self, end: str, held: Held) -> None:
        """State what holds an end, once."""
        before = self.held.get(self.known(end))
        if before is not None:
            raise ModelError(
                f"The boundary condition at the {end} of {self._what} is stated twice: it is {before.how} already."
            )
        self.held[end] = held

    def how(self, end: str) -> str:
        """What holds an end, or ``free``."""
        return self.held[end].how if end in self.held else "free"

    def node(self, end: str) -> BodyNode | None:
        """The node that an end is joined to."""
        return self.held[end].node if end in self.held else None

    @property
    def is_closed(self) -> bool:
        """Whether the end is the start."""
        return any(h.how == "closed" for h in self.held.values())

    def is_free(self, end: str) -> bool:
        """Whether an end has a natural boundary condition."""
        return end not in self.held or self.held[end].how in ("joined", "closed")

    def is_joined(self, end: str) -> bool:
        """Whether an end is a node of another continuum, or the other end."""
        return self.how(end) in ("joined", "closed")

    def apply(self, model: Model, end: str, node: BodyNode) -> None:
        """Clamp or move the node of an end."""
        held = self.held[end]
        if held.how == "prescribed":
            model.prescribe(node, **held.motion)
        elif held.how == "clamped" and isinstance(node, NodeReference):
            node.array.fix(node.index)
