"""``symlie list joints``: types of joints, contacts and couplings."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class JointKind:
    """A joint type in a list."""

    name: str
    summary: str
    coordinates: tuple[str, ...]


def joint_kinds() -> list[JointKind]:
    """Return all joint types, sorted by name."""
    import symlie
    from symlie.elements.joints.couplings import Coupling
    from symlie.elements.joints.joint import Joint
    from symlie.elements.joints.motions import MovingJoint

    base_classes = (Joint, MovingJoint)
    kinds = []
    for name in sorted(n for n in dir(symlie) if n.endswith(("Joint", "Contact"))):
        found = getattr(symlie, name)
        if isinstance(found, type) and issubclass(found, Joint | Coupling) and found not in base_classes:
            rows = getattr(found, "space", None)
            summary = re.split(r": | of d = ", (inspect.getdoc(found) or "").partition("\n\n")[0])[0]
            coordinates = tuple(c.name for c in rows.coordinates) if rows is not None else ()
            kinds.append(JointKind(name, " ".join(summary.split()).rstrip("."), coordinates))
    return kinds
