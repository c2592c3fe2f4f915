"""Changes of the state and of the constraints at events: resets, releases and engagements."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr

from symlie.errors import ModelError, UnknownNameError
from symlie.groups.group import Field, LieGroup
from symlie.ir.program import Vector, depends_on
from symlie.modeling.expressions import components
from symlie.modeling.fields import FieldStatement
from symlie.modeling.node import Node
from symlie.modeling.terms import Reset


class SwitchStatement(FieldStatement):
    """Resets of the state at events."""

    def reset(self, event: str, node: Node, **fields: object) -> None:
        """Replace components of the state of a node when an event occurs, such as the velocity after an impact.

        The run continues after the event with the new values, unless the event is stated as terminal. Events at the
        same time are treated together: all new values are expressions of the state before the reset. The new state must
        satisfy the constraints that are in force; constraints transmit no impulse. Simulations apply resets as `solve`
        does. `Solution` contains both states at the time of the event, and the state after it is the one at this time.

        Parameters
        ----------
        event
            Name of an event of this statement; in an element type, the event of the same instance.
        node
            The node.
        **fields
            New values by name of a velocity field (``x_dot``, ``Omega``, ``U``), or of a stored field without
            relations between its components, such as ``x``: expressions of t, q, v and λ at the event and of
            parameters, with the number of components of the field, in SI units.

        Raises
        ------
        UnknownNameError
            If the event does not exist.
        ModelError
            If the node or the field does not belong to this statement, if the field has another number of components,
            or if two resets of one event replace the same component.
        """
        if event not in (known := [e.name for e in self.events]):
            raise UnknownNameError(
                f"'{self.name}' has no event '{event}' for a reset; it has: {', '.join(known) or 'none'}."
            )
        stated = {f.name: (f, parts) for f, parts in _replaceable(self._own(node))}
        if not fields:
            raise ModelError(f"The reset of node '{node.name}' at '{event}' has no fields; use: {', '.join(stated)}.")
        for name, value in fields.items():
            what = f"The reset of {node.name}.{name} at event '{event}'"
            if name not in stated:
                raise ModelError(f"{what} is not possible; fields of the node with resets: {', '.join(stated)}.")
            field, parts = stated[name]
            given = components(value)
            if len(given) != field.size:
                raise ModelError(f"{what} needs {field.size} components, not {len(given)}.")
            self._add_reset(what, event, parts[field.offset : field.offset + field.size], given)

    def _add_reset(self, what: str, event: str, parts: Sequence[Expr], values: Sequence[Expr]) -> None:
        if depends_on(self.program, values, self._accelerations):
            raise ModelError(f"{what} depends on accelerations; it must be an expression of t, q, v and λ.")
        if {s for r in self.resets if r.event == event for s in r.components} & set(parts):
            raise ModelError(f"{what} is defined twice.")
        for part, value in zip(parts, values, strict=True):
            if (known := self.units.of(part)) is None:
                self.units.of(value)
            else:
                self.units.check(what, value, known.dimension)
        self.resets.append(Reset(event, tuple(parts), self.program.vector(list(values))))


def _replaceable(node: Node) -> list[tuple[Field, Vector]]:
    """Return the fields of a node whose components may take any values, with the symbols of all components."""
    space = node.group
    velocities = [(f, node.velocity.components) for f in space.velocity_fields if space.velocity_dimension]
    if isinstance(space, LieGroup):
        free = [f for f in space.storage_fields if all(c == 0 for c in space.identity[f.offset : f.offset + f.size])]
    else:
        free = list(space.storage_fields) if not space.relations(node.storage) else []
    return [*velocities, *((f, node.storage) for f in free)]
