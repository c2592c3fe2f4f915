"""Lines of model files for contacts, and for stops of joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symlie.errors import ModelError
from symlie.importing.description import HINGE, Description, JointData
from symlie.importing.texts import marker, number, vector


def contact_lines(robot: Description) -> Iterator[str]:
    """Yield the lines of contacts, which share a coefficient of restitution."""
    if robot.contacts:
        yield ""
        yield 'restitution = model.parameter("restitution", 0.0)'
    for contact in robot.contacts:
        word, length = contact.lengths
        yield f"sl.{contact.kind}("
        yield "    model,"
        yield f'    "{contact.name}",'
        for link, frame in zip((contact.first, contact.second), contact.frames, strict=True):
            yield f"    {marker(robot, link, frame.place, frame.turn[:, 2], frame.turn[:, 0])},"
        yield f"    {word}={vector(length) if isinstance(length, tuple) else number(length)},"
        if contact.friction:
            yield f"    friction={number(contact.friction)},"
        yield "    restitution=restitution,"
        yield ")"


def stop_lines(robot: Description, joint: JointData, owner: str, value: str, start: object) -> Iterator[str]:
    """Yield the lines of the stops of a joint on the model of bodies, or on its coordinate in minimal coordinates."""
    name, (lower, upper) = joint.name, robot.limits[joint.name]
    if owner == "model":
        if is_beyond_a_turn(joint, start):
            raise ModelError(
                f"Joint '{name}' with stops starts at {start} rad; with coordinates='bodies', angles start between -π "
                "and π."
            )
        limits = f"({number(lower)}, {number(upper)})"
        yield f'sl.JointStops(model, "{name}", {name}, {limits}, restitution=stop_restitution)'
        return
    unit = "rad" if joint.kind == HINGE else "m"
    for side, limit, gap in (("lower", lower, "{value} - {limit}"), ("upper", upper, "{limit} - {value}")):
        label = f"{name}_{side}"
        yield f'{label} = {owner}.parameter("{label}", {number(limit)}, unit="{unit}")'
        shown = gap.format(value=value, limit=label)
        yield f'{owner}.contact("{label}", {shown}, restitution=stop_restitution)'


def is_beyond_a_turn(joint: JointData, start: object) -> bool:
    """Return whether an initial angle is not the one that poses determine."""
    return joint.kind == HINGE and isinstance(start, int | float) and abs(start) > np.pi
