"""Specified initial coordinates of joints, which assembly preserves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.contract.manifest import JointRate
from symlie.runtime.layout.layout import Layout
from symlie.runtime.system.output_jacobian import output_columns

if TYPE_CHECKING:
    from symlie.runtime.system.values import SystemValues

GivenCoordinates = tuple[tuple[str, str], ...]
"""Pairs of joint and coordinate."""


def given_coordinates(system: SystemValues) -> GivenCoordinates:
    """Return the specified joint coordinates of a system, by default from its model."""
    found = system.given_coordinates
    return system.layout.manifest.given_coordinates if found is None else found


def with_coordinates(system: SystemValues, joint: str, names: list[str]) -> GivenCoordinates:
    """Return the specified joint coordinates of a system and further ones of a joint."""
    return tuple(dict.fromkeys([*given_coordinates(system), *((joint, name) for name in names)]))


def without_node(system: SystemValues, name: str) -> GivenCoordinates:
    """Return the specified joint coordinates except those that depend on a node whose pose is specified anew."""
    node = next((n for n in system.layout.nodes if n.name == name), None)
    moved = {(r.joint, r.coordinate) for r in kept_rates(system.layout, given_coordinates(system))
             if node is not None and any(node.velocity.start <= c < node.velocity.stop
                                         for c in output_columns(system.layout, r.joint, r.output))}  # fmt: skip
    return tuple(key for key in given_coordinates(system) if key not in moved)


def kept_rates(layout: Layout, given: GivenCoordinates) -> list[JointRate]:
    """Return the rates of specified coordinates if both the rate and the coordinate are outputs."""
    return [
        rate
        for rate in layout.manifest.joint_rates
        if (rate.joint, rate.coordinate) in given
        and rate.output in layout.outputs
        and f"{rate.joint}_{rate.coordinate}" in layout.outputs
    ]
