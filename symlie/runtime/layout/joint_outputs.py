"""Outputs of joints by unit: coordinates and their rates."""

from __future__ import annotations

from collections.abc import Sequence

from symlie.runtime.layout.layout import Layout
from symlie.runtime.layout.slices import OutputPart

COORDINATES = ("rad", "m")
"""Units of joint coordinates."""

RATES = ("rad/s", "m/s")
"""Units of their rates."""


def joint_outputs(layout: Layout, units: Sequence[str]) -> list[str]:
    """Names of scalar joint outputs with given units, such as `COORDINATES`, in the order of the joints."""
    joints = {*layout.joints}
    sizes = {name: part.stop - part.start for name, (part, _) in layout.outputs.items()}
    return [
        name
        for name, (unit, parts) in layout.output_parts.items()
        if unit in units and sizes[name] == 1 and (owners := owners_of(layout, parts)) and owners <= joints
    ]


def owners_of(layout: Layout, parts: Sequence[OutputPart]) -> set[str]:
    """Named elements of an output."""
    stated = ((layout.instances[part.element].names, part.instances) for part in parts)
    return {names[k] for names, instances in stated if names for k in instances if names[k]}
