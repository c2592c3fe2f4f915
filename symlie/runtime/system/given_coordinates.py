"""Coordinates of joints that initial values were given of, which assembly keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.contract.manifest import JointRate
from symlie.runtime.layout.layout import Layout
from symlie.runtime.system.output_jacobian import output_columns

if TYPE_CHECKING:
    from symlie.runtime.system.values import SystemValues

GivenCoordinates = tuple[tuple[str, str], ...]
"""Joints and their coordinates."""


def given_coordinates(system: SystemValues) -> GivenCoordinates:
    """Those of a system: of the model, if nothing else was given since."""
    found = system.given_coordinates
    return system.layout.manifest.given_coordinates if found is None else found


def with_coordinates(system: SystemValues, joint: str, names: list[str]) -> GivenCoordinates:
    """Those of a system with further ones of a joint."""
    return tuple(dict.fromkeys([*given_coordinates(system), *((joint, name) for name in names)]))


def without_node(system: SystemValues, name: str) -> GivenCoordinates:
    """Those of a system but for joints of a node whose pose is given anew."""
    node = next((n for n in system.layout.nodes if n.name == name), None)
    moved = {(r.joint, r.coordinate) for r in kept_rates(system.layout, given_coordinates(system))
             if node is not None and any(node.velocity.start <= c < node.velocity.stop
                                         for c in output_columns(system.layout, r.joint, r.output))}  # fmt: skip
    return tuple(key for key in given_coordinates(system) if key not in moved)


def kept_rates(layout: Layout, given: GivenCoordinates) -> list[JointRate]:
    """Rates of given coordinates, where both are outputs."""
    return [
        rate
        for rate in layout.manifest.joint_rates
        if (rate.joint, rate.coordinate) in given
        and rate.output in layout.outputs
        and f"{rate.joint}_{rate.coordinate}" in layout.outputs
    ]
