"""Content of the file of a solution: variables over time with their metadata.

Fields of nodes are called ``NODE_FIELD``, unwrapped angles ``NODE_angle``, multipliers ``multipliers_CONSTRAINT``,
outputs by their names; the attribute ``kind`` distinguishes these. Arrays of nodes have the nodes as second dimension
``NODE_node``, outputs that are a field of nodes ``OUTPUT_node``, multipliers of repeated elements their elements as
``ELEMENT_instance``. Vectors of equal length share the dimension ``component_N``, matrices ``row_N`` and ``column_N``.
Fields over segments that were computed before are called ``CURVE_FIELD``, with the segments as second dimension
``CURVE_segment``.

The group ``symlie`` contains everything else: auxiliary integrator state, attempted steps, events, the end of the
integration, from which it can be continued, and the system with its generated code, as compressed JSON in bytes.
"""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symlie.runtime.layout.quantities import field_unit
from symlie.runtime.solution.local_fields import local_fields
from symlie.runtime.solution.provenance import identity
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.trace import TRACE_COLUMNS
from symlie.runtime.system.record import model_hash, system_record
from symlie.version import VERSION

FORMAT = 4
"""Version of the content of these files."""

GROUP = "symlie/"
"""Prefix of the names of variables in the group."""

SYSTEM = f"{GROUP}system"
"""Variable with the system."""

END = f"{GROUP}end_"
"""Prefix of the variables of the end of an integration."""

TRACE = f"{GROUP}trace_"
"""Prefix of the variables of attempted steps."""

CARRIED = f"{GROUP}carried"
"""Auxiliary integrator state at the recorded times."""

UNWRAPPED = f"{GROUP}unwrapped"
"""Unwrapped angles defined by the model, at the recorded times."""

EVENT = f"{GROUP}event"
"""Events; variables with the times and states of events have this prefix and an underscore."""

EVENT_STATE = ("q", "v", "multipliers", "carried", "own")
"""Parts of the state at an event."""

_AXES: dict[int, tuple[str, ...]] = {0: (), 1: ("component",), 2: ("row", "column")}
"""Names of the dimensions of a number, a vector and a matrix, before their lengths."""

_RESERVED = ("time", "attributes", "variables", "file", "allow_pickle")
"""Reserved names: entries of every file, and arguments of `numpy.savez`."""

_SETTINGS = ("h", "rtol", "atol", "controller", "stabilize", "multipliers")
"""Arguments of `solve` stored as separate attributes, in addition to the JSON text of all of them."""


@dataclass(frozen=True)
class Variable:
    """Quantity over time with its metadata."""

    name: str
    dimensions: tuple[str, ...]
    values: np.ndarray
    attributes: Mapping[str, object]


def solution_variables(solution: Solution) -> list[Variable]:
    """Return all recorded quantities: time, fields of all nodes, multipliers, energy, residuals, outputs."""
    layout = solution.system.layout
    variables = [Variable("time", ("time",), solution.t, {"units": "s", "kind": "time"})]
    taken = set(_RESERVED)

    def add(name: str, values: np.ndarray, unit: str, repeated: tuple[str, ...] = (), **attributes: str) -> None:
        if name in taken:
            name = f"{attributes['kind']}_{name}"
        taken.add(name)
        leading = ("time", *repeated)
        shape = values.shape[len(leading) :]
        axes = tuple(f"{axis}_{size}" for axis, size in zip(_AXES[len(shape)], shape, strict=True))
        units = {"units": unit} if unit else {}
        variables.append(Variable(name, (*leading, *axes), values, {**attributes, **units}))

    for node in layout.nodes:
        nodes = (f"{node.name}_node",) if node.is_array else ()
        for kind, fields in (("configuration", node.type.storage_fields), ("velocity", node.type.velocity_fields)):
            for label in (field.name for field in fields):
                unit = field_unit(node, label)
                add(
                    f"{node.name}_{label}",
                    solution.field(node.name, label),
                    unit,
                    nodes,
                    kind=kind,
                    node=node.name,
                    field=label,
                )
        for angle in node.type.angles:
            stored = angle.field
            name = f"{node.name}_angle" if len(node.type.angles) == 1 else f"{node.name}_angle_{stored}"
            add(name, solution.angle(node.name, stored), "rad", nodes, kind="angle", node=node.name, field=stored)
    undetermined = solution.undetermined
    for constraint, values in solution.named_multipliers().items():
        part = layout.constraints[constraint]
        instances = (f"{part.element}_instance",) if part.is_array else ()
        about = {"kind": "multipliers", "constraint": constraint, **_uniqueness(constraint in undetermined.constraints)}
        add(f"multipliers_{constraint}", values, "", instances, **about)
    for (curve, label, frame), values in solution.known_fields.items():
        if frame == "body":
            unit, segments = local_fields(layout, curve)[label].unit, (f"{curve}_segment",)
            add(f"{curve}_{label}", values, unit, segments, kind="segments", curve=curve, field=label)
    units = {name: unit for name, (_, unit) in layout.outputs.items()} | {"energy": "J"}
    units |= {name: unit for name, (_, _, unit) in layout.node_outputs.items()}
    for output, values in solution.outputs.items():
        nodes = (f"{output}_node",) if output in layout.node_outputs else ()
        about = {"kind": "output", "output": output, **_uniqueness(output in undetermined.outputs)}
        add(output, values, units.get(output, ""), nodes, **about)
    return variables


def _uniqueness(is_undetermined: bool) -> dict[str, str]:
    """Return the attribute that marks values as undetermined because of redundant constraint equations."""
    return {"undetermined": "yes"} if is_undetermined else {}


def group_variables(solution: Solution) -> list[Variable]:
    """Return the other variables of the group: attempted steps, events, the end, and the system."""
    record = packed(system_record(solution.system))
    return [
        *_carried_variables(solution),
        *_trace_variables(solution),
        *_event_variables(solution),
        *_end_variables(solution),
        Variable(SYSTEM, ("byte",), record, {"kind": "system"}),
    ]


def _carried_variables(solution: Solution) -> list[Variable]:
    layout = solution.system.layout
    parts = {
        CARRIED: ("carried", solution.carried),
        UNWRAPPED: ("unwrapped", solution.q[:, layout.unwrapped]),
    }
    return [Variable(name, ("record", kind), x, {"kind": kind}) for name, (kind, x) in parts.items() if x.shape[1]]


def _trace_variables(solution: Solution) -> list[Variable]:
    if solution.trace is None:
        return []
    return [
        Variable(TRACE + name, ("tried",), values.astype(float), {"units": TRACE_COLUMNS[name][0], "kind": "trace"})
        for name, values in solution.trace.columns.items()
    ]


def _event_variables(solution: Solution) -> list[Variable]:
    known = solution.system.layout.events
    if not known:
        return []
    sizes = [part.shape[1] for part in (solution.q, solution.v, solution.multipliers, solution.carried)]
    sizes.append(max((len(e.own) for e in solution.events), default=0))
    names = json.dumps([[e.name, e.element, e.instance] for e in known])
    index = {(e.name, e.instance): k for k, e in enumerate(known)}
    rows = [[index[e.name, e.instance], e.t, *e.q, *e.v, *e.multipliers, *e.carried, *e.own] for e in solution.events]
    values = np.array(rows, dtype=float).reshape(len(rows), 2 + sum(sizes))
    columns = np.split(values[:, 1:], np.cumsum((1, *sizes)), axis=1)[:6]
    common = {"kind": "event"}
    return [
        Variable(EVENT, ("happened",), values[:, 0], {**common, "events": names}),
        Variable(f"{EVENT}_t", ("happened",), columns[0][:, 0], {**common, "units": "s"}),
        *(
            Variable(f"{EVENT}_{name}", ("happened", f"state_{name}"), column, common)
            for name, column in zip(EVENT_STATE, columns[1:], strict=True)
            if column.shape[1]
        ),
    ]


def _end_variables(solution: Solution) -> list[Variable]:
    if solution.end is None:
        return []
    end = dataclasses.asdict(solution.end)
    return [
        Variable(END + name, (f"end_{name}_component",), np.atleast_1d(value), {"kind": "end"})
        for name, value in end.items()
        if value is not None and np.size(value)
    ]


def packed(record: Mapping[str, object]) -> NDArray[np.uint8]:
    """Return JSON as compressed bytes; `unpacked` is the inverse."""
    return np.frombuffer(zlib.compress(json.dumps(record).encode(), 6), dtype=np.uint8)


def unpacked(data: object) -> dict[str, Any]:
    """Return the data of `packed` bytes; damaged bytes raise zlib.error or ValueError."""
    record: dict[str, Any] = json.loads(zlib.decompress(np.asarray(data, dtype=np.uint8).tobytes()))
    return record


def solution_attributes(solution: Solution) -> dict[str, str]:
    """Return the attributes that describe the origin of a solution; objects are JSON texts."""
    system = solution.system
    parameters = {
        name: system.parameters[position].reshape(shape).tolist()
        for name, (position, shape, _) in system.layout.parameters.items()
    }
    return {
        "symlie_format": str(FORMAT),
        "title": f"{system.name}, {solution.method}",
        "model": system.name,
        "options": json.dumps(system.layout.options),
        "method": solution.method,
        "status": solution.status,
        # Files of older versions use this name as well.
        "notices": json.dumps(solution.warnings),
        "backend": system.backend,
        "optimize": system.optimize,
        "settings": json.dumps(dict(solution.settings)),
        **{name: str(solution.settings[name]) for name in _SETTINGS if solution.settings.get(name) is not None},
        "symlie_version": VERSION,
        "versions": json.dumps(identity()),
        "interface_hash": system.layout.interface_hash,
        "model_hash": model_hash(system),
        "parameters": json.dumps(parameters),
        "statistics": json.dumps(dataclasses.asdict(solution.statistics)),
    }
