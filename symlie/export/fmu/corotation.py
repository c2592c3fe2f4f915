"""Parts of the state that can rotate with bodies in model exchange."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from symlie.contract.manifest import NodeType
from symlie.rotations import rotation_form
from symlie.runtime.layout.layout import Layout

_DIGITS = "0123456789"


@dataclass(frozen=True)
class Corotation:
    """A rotation of a node, and its velocities in body axes.

    Attributes
    ----------
    storage, size
        Index of the first stored component in a configuration, and number of components: 4, a unit quaternion, or 9, a
        matrix.
    velocity, vectors
        Index of the angular velocity in a velocity, and number of vectors in body axes from there.
    """

    storage: int
    size: int
    velocity: int
    vectors: int


def corotations(layout: Layout) -> list[Corotation]:
    """Return the rotations of integrated nodes that are stored as unit quaternions or matrices."""
    found = []
    for node in layout.nodes:
        if not layout.integrated[node.velocity].any():
            continue
        for part in _of_type(node.type):
            for k in range(node.count):
                storage = node.storage.start + k * node.type.storage + part.storage
                velocity = node.velocity.start + k * node.type.dimension + part.velocity
                found.append(Corotation(storage, part.size, velocity, part.vectors))
    return found


def _of_type(kind: NodeType) -> Iterator[Corotation]:
    """Yield the rotations of a node type; each rotation has an angular velocity, in the order of both."""
    forms = [(form, f.part) for f in kind.storage_fields if (form := rotation_form(f.name, f.shape)) is not None]
    names = [f.name.rstrip(_DIGITS) if f.shape == (3,) else "" for f in kind.velocity_fields] if kind.velocities else []
    spins = [k for k, name in enumerate(names) if name == "Omega"]
    for (form, part), k in zip(forms, spins, strict=False):
        if form in ("matrix", "quaternion"):
            others = itertools.takewhile(lambda name: name == "U", names[k + 1 :])
            vectors = 1 + len(list(others))
            yield Corotation(part.start, part.stop - part.start, kind.velocity_fields[k].offset, vectors)
