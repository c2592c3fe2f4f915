"""Names under which results are reported: constraints and events have their own, outputs of one name are added up."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symlie.contract.manifest import Label
from symlie.errors import ModelError
from symlie.modeling.instances import quantities_of
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement
from symlie.modeling.terms import OUTPUTS_OF_EVERY_MODEL


@dataclass(frozen=True)
class _Reported:
    """Components of a constraint, an output or an event that results report under a name."""

    kind: str
    name: str
    first: int
    size: int
    level: int
    statement: str
    is_label: bool
    """Whether the name is that of an instance, and not the one in the statement."""

    @property
    def owner(self) -> str:
        """What states it, for messages."""
        return f"an instance of '{self.statement}'" if self.is_label else f"'{self.statement}'"


def check_reported_names(model: Model) -> None:
    """Check that results of a model can be reported by name.

    Raises
    ------
    ModelError
        Something is stated on a model without nodes of its own; labels do not fit to their element type; two
        constraints or two events have one name; outputs of one name differ in size.
    """
    if not model.nodes and (stated := quantities_of(model)):
        raise ModelError(
            f"'{stated[0]}' of model '{model.name}' belongs to no node, since all nodes are in arrays; state it on an "
            "element type and add that to some of them."
        )
    of_nodes: dict[str, str] = {}
    for array in model.arrays:
        for name, *_ in array.outputs:
            if name in (*of_nodes, *OUTPUTS_OF_EVERY_MODEL):
                raise ModelError(f"Output '{name}' exists already; rename the one of node array '{array.name}'.")
            of_nodes[name] = array.name
    found: dict[tuple[str, str], list[_Reported]] = {}
    for part in _reported(model):
        found.setdefault((part.kind, part.name), []).append(part)
    for (kind, _), parts in found.items():
        if kind == "output":
            _check_output(of_nodes, parts)
        else:
            _check_own(parts)


def _reported(model: Model) -> Iterator[_Reported]:
    if model.nodes:
        yield from _parts(model, [()])
    for instances in model.instances:
        yield from _parts(instances.element, instances.labels)


def _parts(statement: Statement, labels: Sequence[Sequence[Label]]) -> Iterator[_Reported]:
    """What the instances of a statement report, those without labels together."""
    stated = [
        *(("constraint", c.name, len(c.rows), c.level) for c in statement.constraints),
        *(("output", o.name, len(o.components), 0) for o in statement.outputs),
        *(("event", e.name, 1, 0) for e in statement.events),
    ]
    for row in labels:
        if len(row) not in (0, len(stated)):
            raise ModelError(
                f"Element type '{statement.name}' got constraints, outputs or events after instances with names were "
                "added; state them before."
            )
    for k, (kind, name, size, level) in enumerate(stated):
        if not all(labels):
            yield _Reported(kind, name, 0, size, level, statement.name, False)
        for label in (row[k] for row in labels if row):
            yield _Reported(kind, label.name, label.first, size, level, statement.name, True)


def _check_own(parts: Sequence[_Reported]) -> None:
    """Check that no other constraint or event has this name, and that parts of instances follow each other."""
    kind, name = parts[0].kind, parts[0].name
    ordered = sorted(parts, key=lambda part: part.first)
    starts = itertools.accumulate((part.size for part in ordered[:-1]), initial=0)
    is_one = [part.first for part in ordered] == [*starts] and len({part.level for part in parts}) == 1
    if len(parts) == 1 or (kind == "constraint" and is_one and all(p.is_label for p in parts)):
        return
    reported = "multipliers" if kind == "constraint" else "events"
    raise ModelError(
        f"{kind.capitalize()} '{name}' is stated by {parts[0].owner} and by {parts[1].owner}, but {reported} are "
        "reported by name; rename one."
    )


def _check_output(of_nodes: Mapping[str, str], parts: Sequence[_Reported]) -> None:
    """Check that an output can be added up, and that no output of all nodes of an array has its name."""
    name, owner = parts[0].name, parts[0].owner
    if name in OUTPUTS_OF_EVERY_MODEL:
        raise ModelError(f"Output '{name}' of {owner} exists already; every model has energy and the residuals.")
    if name in of_nodes:
        raise ModelError(
            f"Output '{name}' is stated by node array '{of_nodes[name]}' and by {owner}, but outputs are reported by "
            "name; rename one."
        )
    sizes = {part.first: part for part in reversed(parts)}
    for part in parts:
        other = sizes[part.first]
        if other.size != part.size:
            raise ModelError(
                f"Output '{name}' has {other.size} components in {other.owner} and {part.size} in {part.owner}, but "
                "outputs of one name are added up; rename one."
            )
