"""Comments in exported C that lead from lines of kernels back to nodes, constraints and events of the model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from symlie.contract.manifest import ElementType
from symlie.export.plan import ExportPlan

_RESULT = re.compile(r"    (?P<array>\w+)\[(?P<place>\d+)\] \+?= ")
_KERNEL = re.compile(r"^static inline void (?P<name>\w+)\([^)]*\brestrict (?P<result>\w+)\)$")


def commented(text: str, plan: ExportPlan) -> str:
    """Return a translation unit with a comment before the results of kernels of elements, wherever their subject
    changes."""
    subjects = _subjects(plan)
    lines: list[str] = []
    known: Sequence[str] = ()
    result = last = ""
    for line in text.split("\n"):
        if found := _KERNEL.match(line):
            known, result, last = subjects.get(found["name"], ()), found["result"], ""
        elif line == "}":
            known = ()
        elif known and (stored := _RESULT.match(line)) and stored["array"] == result:
            place = int(stored["place"])
            subject = known[place] if place < len(known) else ""
            if subject and subject != last:
                lines.append(f"    /* {subject} */")
            last = subject
        lines.append(line)
    return "\n".join(lines)


def _subjects(plan: ExportPlan) -> Mapping[str, Sequence[str]]:
    """Return the subject of each result by kernel."""
    found: dict[str, Sequence[str]] = {}
    for k, element in enumerate(plan.layout.elements):
        fields, name = _fields(plan, k, element), element.name
        rows = [
            f"constraint {c.name}, equation {i}" if c.size > 1 else f"constraint {c.name}"
            for c in element.constraints
            for i in range(1, c.size + 1)
        ]
        found[f"{name}_force"] = [f"forces on {field}" for field in fields]
        found[f"{name}_mass"] = [f"mass of {fields[i]}" for i in element.mass.rows]
        found[f"{name}_constraint"] = rows
        found[f"{name}_curvature"] = rows
        found[f"{name}_jacobian"] = [rows[i] for i in element.jacobian.rows]
        found[f"{name}_events"] = [f"event {e.name}" for e in element.events]
    return found


def _fields(plan: ExportPlan, k: int, element: ElementType) -> list[str]:
    """Return node and field of each velocity component of an element; nodes of several elements are numbered."""
    layout = plan.layout
    types = {node.type.name: node.type for node in layout.nodes}
    places = layout.velocity_of[k]
    found = []
    for i, kind in enumerate(element.node_types):
        owners = [n for n in layout.nodes if len(places) == 1 and n.velocity.start <= places[0, i] < n.velocity.stop]
        owner = owners[0].name if owners and not owners[0].is_array else f"node {i + 1} of {element.name}"
        for field in types[kind].velocity_fields:
            found += [f"{owner}.{field.name}"] * (field.part.stop - field.part.start)
    return found
