"""Names of the values of exported programs, for headers and pages."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.contract.constants import Status
from symlie.export.names import distinct
from symlie.export.parameters import Parameter, assignments
from symlie.export.plan import ExportPlan
from symlie.export.structures import c_array
from symlie.runtime.integrate.loop_state import Counters
from symlie.runtime.layout.layout import Layout

EVENT_LOG = 16
"""Events of one call that a state keeps."""

_MEANINGS = {
    Status.DONE: ("OK", "done"),
    Status.NOT_FINITE: ("NOT_FINITE", "a value is not finite; use shorter steps"),
    Status.SINGULAR: ("SINGULAR", "the equations are singular"),
    Status.OUTSIDE_CHART: ("OUTSIDE_CHART", "a rotation of a step exceeds a turn; use shorter steps"),
    Status.EVENT: ("EVENT", "an event ended the run"),
    Status.STEP_UNDERFLOW: ("STEP_UNDERFLOW", "the steps became too short"),
    Status.NOT_CONVERGED: ("NOT_CONVERGED", "Newton's method did not converge; use shorter steps"),
    Status.INDEFINITE_MASS: ("INDEFINITE_MASS", "the mass matrix is not positive definite"),
    Status.CONSTRAINT_DRIFT: ("CONSTRAINT_DRIFT", "the constraints drift or contradict each other"),
    Status.EVENT_NOT_A_NUMBER: ("EVENT_NOT_A_NUMBER", "an event function is not a number"),
    Status.TOO_MANY_STEPS: ("TOO_MANY_STEPS", "too many steps"),
    Status.TURNED_TOO_FAR: ("TURNED_TOO_FAR", "an unwrapped angle turned too far; use shorter steps"),
    Status.CHATTERING: ("CHATTERING", "a force chatters"),
    Status.DIVERGING: ("DIVERGING", "the series of a step diverges"),
    Status.ACCUMULATION: ("ACCUMULATION", "changes at events accumulate, which ended the run"),
    Status.NO_CONTACT_MODE: ("NO_CONTACT_MODE", "no combination of open, sliding and sticking contacts is consistent"),
    Status.TOO_MANY_IMPACTS: ("TOO_MANY_IMPACTS", "too many impacts of contacts"),
    Status.CONTACT_PARADOX: ("CONTACT_PARADOX", "friction of a contact is so large that no force is consistent"),
    Status.INCONSISTENT_RESET: ("INCONSISTENT_RESET", "a reset at an event violates the constraints"),
}

OWN_STATUSES = (
    ("INCONSISTENT", 32, "initial values violate the constraints for these parameters; export the system with them"),
    ("BAD_ARGUMENT", 33, "a time or step size is invalid, or bytes are not those of a state"),
    (
        "CONSTANT_CHANGED",
        34,
        "a parameter that is a compiled constant was changed; export the system with its value",
    ),
)
"""Statuses besides those of the time loop."""


def statuses() -> list[tuple[str, int, str]]:
    """Return name, number and meaning of all statuses."""
    return [(name, int(number), meaning) for number, (name, meaning) in _MEANINGS.items()] + list(OWN_STATUSES)


def counters() -> list[dict[str, str]]:
    """Return the statistics of a state by name and type."""
    return [
        {"name": f.name, "kind": "real" if f.type == "float" else "long long"} for f in dataclasses.fields(Counters)
    ]


class OutputPlace(NamedTuple):
    """An output, and the index of its first value among all outputs."""

    name: str
    identifier: str
    first: int
    size: int
    unit: str

    @property
    def comment(self) -> str:
        """Description in a header."""
        return ", ".join(filter(None, [self.name, f"{self.size} values" if self.size > 1 else "", self.unit]))


class EventFunction(NamedTuple):
    """An event function."""

    name: str
    identifier: str
    is_terminal: bool

    @property
    def comment(self) -> str:
        """Description in a header."""
        return "ends the run" if self.is_terminal else "does not end the run"


class ElementPlace(NamedTuple):
    """Sizes and places of the parameters of an element type."""

    number: int
    rows: int
    rows_given: int
    width: int
    prepared: int
    first_given: int
    taken: str
    """Definition of the indices of parameters of the model that replace parameters of elements, or an empty text."""


def outputs(layout: Layout) -> list[OutputPlace]:
    """Return the outputs with the place of their first value."""
    labels = distinct(layout.outputs)
    return [
        OutputPlace(name, label, part.start, part.stop - part.start, unit)
        for label, (name, (part, unit)) in zip(labels, layout.outputs.items(), strict=True)
    ]


def events(layout: Layout) -> list[EventFunction]:
    """Return the event functions."""
    shared = Counter(e.name for e in layout.events)
    names = [f"{e.name}[{e.instance}]" if shared[e.name] > 1 else e.name for e in layout.events]
    owners = zip(names, distinct(names), layout.events, strict=True)
    return [EventFunction(name, label, bool(event.is_terminal)) for name, label, event in owners]


def parameter_fields(plan: ExportPlan) -> list[dict[str, object]]:
    """Return the fields of the structure of parameters."""
    return [
        {
            "identifier": p.identifier,
            "dimensions": "".join(f"[{n}]" for n in p.shape),
            "comment": ", ".join(filter(None, [p.name, p.unit, "a constant of the equations" * p.is_constant])),
            "value": _initialiser(p),
            "runs": assignments(p),
        }
        for p in plan.parameters.parameters
    ]


def _initialiser(parameter: Parameter) -> str:
    values = parameter.values.reshape(parameter.shape)

    def text(part: NDArray[np.float64]) -> str:
        if part.ndim == 0:
            return repr(float(part))
        return "{" + ", ".join(text(x) for x in part) + "}"

    return text(values)


def element_places(plan: ExportPlan) -> list[ElementPlace]:
    """Return the sizes and places of the parameters of all element types."""
    found = []
    values = zip(
        plan.system.element_parameters, plan.system.prepared.elements, plan.layout.parameter_sources, strict=True
    )
    for k, (own, rows, sources) in enumerate(values):
        places = None if sources is None else np.broadcast_to(sources, own.shape).astype(np.int32)
        taken = "" if places is None else c_array(f"taken_by_element_{k}", places)
        first = plan.parameters.first_of_elements[k]
        found.append(ElementPlace(k, len(rows), len(own), own.shape[1], rows.shape[1], first, taken))
    return found


def node_comment(layout: Layout, kind: str) -> str:
    """Return where the fields of each node are in q (``storage``) or v (``velocity``)."""
    parts = []
    for node in layout.nodes:
        part: slice = getattr(node, kind)
        if part.stop > part.start:
            names = node.type.storage_fields if kind == "storage" else node.type.velocity_fields
            label = "/".join(f.name for f in names)
            parts.append(f"{node.name} {label} from {part.start}")
    return "; ".join(parts[:6]) + ("; …" if len(parts) > 6 else "")


def constraint_comment(layout: Layout) -> str:
    """Return the equations of each constraint."""
    spans = [
        f"{name} {min(part.rows.ravel())}" for name, part in list(layout.constraints.items())[:6] if part.rows.size
    ]
    return f": {'; '.join(spans)}" if spans else ""


def sizes(plan: ExportPlan) -> Mapping[str, int]:
    """Return the sizes of all arrays."""
    layout, tables = plan.layout, plan.tables
    steps, workspace = plan.workspace
    return {
        "storage": layout.storage,
        "dimension": layout.dimension,
        "rows": layout.rows,
        "outputs": layout.outputs_size,
        "events": len(layout.events),
        "log": EVENT_LOG,
        "carried": layout.carried_size,
        "own": plan.method.own_size(layout),
        "given": len(plan.parameters.values),
        "parameters": len(layout.parameter_defaults),
        "prepared": layout.prepared_parameters,
        "slots": len(tables.slots),
        "p": layout.prepared_parameters + len(tables.packed),
        "event_rows": plan.event_rows,
        "scratch_begin": steps,
        "workspace": workspace,
    }
