"""Coordinates of rotations by one word: ``euler_angles``, ``euler_angles:1`` with a form, or ``euler_angles:lie``."""

from __future__ import annotations

from typing import Any


def stored_by(word: str | None) -> dict[str, Any]:
    """Arguments of nodes, bodies and ready-made models; none leaves the coordinates to the group."""
    if word is None:
        return {}
    name, _, choice = word.partition(":")
    if not choice:
        return {"coordinates": name}
    return {"coordinates": name, **({"step": choice} if choice == "lie" else {"form": int(choice)})}


FORM_1 = ["euler_angles:1", "euler_angles_zxz:1", "rotation_vector:1"]
"""Form 1."""

FORM_2 = ["euler_angles", "euler_angles_zxz", "euler_angles_yzx", "euler_parameters", "rotation_vector:2"]
"""Form 2."""

ON_GROUP = ["euler_angles:lie", "euler_angles_zxz:lie", "quaternion", "rotation_vector"]
"""Other coordinates than matrices with steps on the group."""
