"""Check of the masses of moving links."""

from __future__ import annotations

from pathlib import Path

from symlie.errors import FormatError
from symlie.importing.description import GROUND, Description


def check_masses(robot: Description, path: Path) -> None:
    """Raise `FormatError` if a moving link has no mass, and no link outboard of it has mass either."""
    masses = [link.mass for link in robot.links]
    for joint in reversed(robot.joints):
        if joint.parent != GROUND:
            masses[joint.parent] += masses[joint.child]
    light = next((link for link, mass in zip(robot.links, masses, strict=True) if not mass > 0), None)
    if light is not None:
        raise FormatError(
            f"The moving link '{light.name}' of {path} has the mass {light.mass:g} kg; give it a positive mass, or fix "
            "it to another link."
        )
