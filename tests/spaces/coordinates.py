"""Coordinates of rotations by one word, with a form or Lie group steps after a colon, as ``euler_angles:lie``."""

from __future__ import annotations

from typing import Any


def stored_by(word: str | None) -> dict[str, Any]:
    """Arguments of nodes, bodies and ready-made models; none leaves the coordinates to the group."""
    if word is None:
        return {}
    name, _, choice = word.partition(":")
    if not choice:
        return {"coordinates": name}
    return {"coordinates": name, **({"step": choice} if choice == "lie" else {"form": choice})}


ANGULAR_VELOCITY = [
    "euler_angles:angular_velocity",
    "euler_angles_zxz:angular_velocity",
    "rotation_vector:angular_velocity",
]
"""ω as unknowns."""

PARAMETER_RATES = [
    "euler_angles",
    "euler_angles_zxz",
    "euler_angles_yzx",
    "euler_parameters",
    "rotation_vector:parameter_rates",
]
"""ρ' as unknowns."""

ON_GROUP = ["euler_angles:lie", "euler_angles_zxz:lie", "quaternion", "rotation_vector"]
"""Other coordinates than matrices with steps on the group."""
