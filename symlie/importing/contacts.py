"""Contacts of geometries as contacts of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from symlie.importing.description import ContactData, Pose
from symlie.importing.frames import pose_of
from symlie.importing.pairs import BOX, CAPSULE, CYLINDER, PLANE, SPHERE, Pair, touching
from symlie.importing.reading import Reading

_OUTPUTS = ("", "_gap", "_normal", "_friction", "_state", "_touch", "_lift", "_stick", "_slip")
_CORNERS = ("", *(f"_corner_{k}{what}" for k, what in product(range(8), _OUTPUTS)))
"""Suffixes of the names that contacts take."""

_Shape = tuple[str, str, Pose, tuple[str, float | tuple[float, ...]]]
"""Suffix of the name, kind, frame relative to the geometry, and size of a shape on a plane."""


def contacts(reading: Reading) -> list[ContactData]:
    """Return the contacts of the file on request; list the geometries or pairs that are skipped."""
    pairs, m = touching(reading), reading.compiled
    if not reading.skipped.requested.contacts:
        touched = sorted({g for pair in pairs for g in (pair.first, pair.second)})
        if touched:
            reading.skipped.add("contacts", *(_name(reading, g) for g in touched))
        return []
    found = list[ContactData]()
    for pair in pairs:
        kinds = int(m.geom_type[pair.first]), int(m.geom_type[pair.second])
        shown = f"{_name(reading, pair.first)} and {_name(reading, pair.second)}"
        if kinds == (SPHERE, SPHERE):
            radii = tuple(float(m.geom_size[g][0]) for g in (pair.first, pair.second))
            found.append(_contact(reading, pair, "", "SphereSphereContact", Pose(), ("radii", radii)))
        elif kinds[0] == PLANE and kinds[1] in (SPHERE, CAPSULE, CYLINDER, BOX):
            shapes = _on_plane(kinds[1], [float(s) for s in m.geom_size[pair.second]])
            found += [_contact(reading, pair, *shape) for shape in shapes]
        else:
            reading.skipped.add("pairs", shown)
            continue
        if pair.is_soft:
            reading.skipped.add("softness", shown)
        if _has_surface(reading, pair):
            reading.skipped.add("surfaces", shown)
    return found


def _on_plane(kind: int, size: list[float]) -> Iterator[_Shape]:
    """Yield the shapes of a geometry that touch a plane."""
    ends = [(k, Pose(place=np.array([0.0, 0.0, side * size[1]]))) for k, side in enumerate((-1, 1))]
    if kind == SPHERE:
        yield "", "SpherePlaneContact", Pose(), ("radius", size[0])
    elif kind == CAPSULE:
        for k, end in ends:
            yield f"_end_{k}", "SpherePlaneContact", end, ("radius", size[0])
    elif kind == CYLINDER:
        for k, end in ends:
            yield f"_rim_{k}", "DiskPlaneContact", end, ("radius", size[0])
    else:
        yield "", "BoxPlaneContact", Pose(), ("size", tuple(2 * s for s in size))


def _contact(
    reading: Reading, pair: Pair, suffix: str, kind: str, local: Pose, lengths: tuple[str, float | tuple[float, ...]]
) -> ContactData:
    m, ids = reading.compiled, (pair.first, pair.second)
    sides = [reading.where[m.geom_bodyid[g]] for g in ids]
    first, second = (
        offset.then(pose_of(m.geom_pos[g], m.geom_quat[g])) for g, (_, offset) in zip(ids, sides, strict=True)
    )
    taken = _CORNERS if kind == "BoxPlaneContact" else _OUTPUTS
    name = reading.names.new(f"{_name(reading, ids[0])}_{_name(reading, ids[1])}{suffix}", "contact", taken, "_contact")
    friction = float(pair.friction[0]) if pair.dimension > 1 else 0.0
    return ContactData(name, kind, sides[0][0], sides[1][0], (first, second.then(local)), lengths, friction)


def _has_surface(reading: Reading, pair: Pair) -> bool:
    """Return whether a contact has moments of friction, two coefficients, adhesion, or a surface that moves."""
    laws = [getattr(reading.compiled, name, None) for name in ("geom_surfacevel", "geom_adhesion")]
    acts = any(law is not None and np.any(law[[pair.first, pair.second]]) for law in laws)
    used = pair.friction[: max(pair.dimension - 1, 0)]
    return bool(acts or np.any(used[2:]) or (len(used) > 1 and used[0] != used[1]))


def _name(reading: Reading, geometry: int) -> str:
    """Return the name of a geometry; without one, that of its body, numbered if the body has several."""
    m = reading.compiled
    b = int(m.geom_bodyid[geometry])
    body = (m.body(b).name or f"body{b}") if b else "ground"
    return m.geom(geometry).name or (body if m.body_geomnum[b] == 1 else f"{body}_geometry{geometry}")
