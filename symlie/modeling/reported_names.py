"""Unique names of reported constraints, outputs and events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symlie.contract.manifest import Label
from symlie.errors import ModelError
from symlie.modeling.instances import quantities_of
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement
from symlie.modeling.terms import OUTPUTS_OF_EVERY_MODEL

_REPORTED = {"constraint": "multipliers", "output": "outputs", "event": "events"}
"""Kind of results that are reported by name, for each kind of quantity."""


@dataclass(frozen=True)
class _Reported:
    """Constraint, output or event with its reported name and the statement that defines it."""

    kind: str
    name: str
    owner: str
    total: tuple[int, str] | None = None
    """Number of components and unit of an output that is summed over the model; otherwise None."""


def check_reported_names(model: Model) -> None:
    """Raise `ModelError` if results of a model cannot be reported by unique names."""
    if not model.nodes and (stated := quantities_of(model)):
        raise ModelError(
            f"'{stated[0]}' of model '{model.name}' belongs to no node, since all nodes are in arrays; define it in "
            "an element type and add that to some of them."
        )
    found: dict[tuple[str, str], _Reported] = {}
    for part in _reported(model):
        if part.kind == "output" and part.name in OUTPUTS_OF_EVERY_MODEL:
            raise ModelError(
                f"Output '{part.name}' of {part.owner} exists already; every model has energy and the residuals."
            )
        key = part.kind, part.name
        before = found.setdefault(key, part)
        if before is not part and (part.total is None or part.total != before.total):
            raise ModelError(
                f"{part.kind.capitalize()} '{part.name}' is defined by {before.owner} and by {part.owner}, but "
                f"{_REPORTED[part.kind]} are reported by name; rename one."
            )


def _reported(model: Model) -> Iterator[_Reported]:
    for array in model.arrays:
        yield from (_Reported("output", name, f"node array '{array.name}'") for name, *_ in array.outputs)
    if model.nodes:
        yield from _parts(model, [()])
    for instances in model.instances:
        yield from _parts(instances.element, instances.labels)


def _parts(statement: Statement, labels: Sequence[Sequence[Label]]) -> Iterator[_Reported]:
    """Yield the quantities that the instances of a statement report; instances without labels share one name."""
    stated = [
        *(("constraint", c.name) for c in statement.constraints),
        *(("output", o.name) for o in statement.outputs),
        *(("event", e.name) for e in statement.events),
    ]
    for row in labels:
        if len(row) not in (0, len(stated)):
            raise ModelError(
                f"Element type '{statement.name}' received constraints, outputs or events after named instances were "
                "added; define them first."
            )
    totals = {o.name: (len(o.components), o.unit) for o in statement.outputs if o.name in statement.totals}
    for k, (kind, name) in enumerate(stated):
        if not all(labels):
            yield _Reported(kind, name, f"'{statement.name}'", totals.get(name) if kind == "output" else None)
        for label in (row[k] for row in labels if row):
            yield _Reported(kind, label.name, f"an instance of '{statement.name}'")
