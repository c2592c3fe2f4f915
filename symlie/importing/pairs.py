"""Pairs of geometries that can touch, as MuJoCo selects them, with their friction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from symlie.importing.description import Array
from symlie.importing.reading import Reading

PLANE, FIELD, SPHERE, CAPSULE, CYLINDER, BOX = 0, 1, 2, 3, 5, 6
"""Numbers of types of geometries in the compiler."""

_RIGID = {
    "solref": (0.02, 1.0),
    "solimp": (0.9, 0.95, 0.001, 0.5, 2.0),
    "solreffriction": (0.0, 0.0),
    "margin": (0.0,),
    "gap": (0.0,),
}
"""Default softness of contacts."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two geometries that can touch; the number of the type of the first one is not larger."""

    first: int
    second: int
    dimension: int
    """Number of components of the contact force and moment: 1, 3, 4 or 6."""
    friction: Array
    """Coefficients along two tangents, about the normal, and of rolling."""
    is_soft: bool
    """True if the file states a stiffness, damping or margin."""


def touching(reading: Reading) -> list[Pair]:
    """Return the pairs of the file, and the pairs of geometries of different bodies that its masks permit."""
    m = reading.compiled
    if reading.is_off("CONTACT"):
        return []
    stated = {}
    for k in range(m.npair):
        ids = int(m.pair_geom1[k]), int(m.pair_geom2[k])
        a, b = _sorted(reading, *ids)
        stated[a, b] = Pair(a, b, int(m.pair_dim[k]), np.array(m.pair_friction[k]), is_soft(reading, "pair", k))
    found = [pair for pair in stated.values() if _link(reading, pair.first) != _link(reading, pair.second)]
    found += [_mixed(reading, a, b) for a, b in _permitted(reading) if (a, b) not in stated]
    return sorted(found, key=lambda pair: (pair.first, pair.second))


def is_soft(reading: Reading, what: str, k: int, of: str = "") -> bool:
    """Return whether the file states a softness of a geometry, pair or joint that differs from the default."""
    for name, default in _RIGID.items():
        values = getattr(reading.compiled, f"{what}_{name}{of}", None)
        if values is not None and np.any(np.ravel(values[k]) != default):
            return True
    return False


def _link(reading: Reading, geometry: int) -> int:
    link, _ = reading.where[int(reading.compiled.geom_bodyid[geometry])]
    return link


def _sorted(reading: Reading, a: int, b: int) -> tuple[int, int]:
    types = reading.compiled.geom_type
    return (b, a) if types[a] > types[b] else (a, b)


def _permitted(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield the pairs that masks, exclusions and the tree permit."""
    m = reading.compiled
    body = np.asarray(m.geom_bodyid, dtype=int)
    welded = np.asarray(m.body_weldid, dtype=int)
    above = welded[np.asarray(m.body_parentid, dtype=int)[welded]]
    types, affinity, shapes = (np.asarray(a) for a in (m.geom_contype, m.geom_conaffinity, m.geom_type))
    excluded = {frozenset((int(s) >> 16, int(s) & 0xFFFF)) for s in m.exclude_signature}
    filters_parents = not reading.is_off("FILTERPARENT")
    for a in range(m.ngeom):
        masks = (types[a] & affinity) | (types & affinity[a])
        for b in (int(k) for k in np.flatnonzero(masks) if k > a):
            first, second = body[a], body[b]
            one, other = welded[first], welded[second]
            is_neighbour = one and other and (above[one] == other or above[other] == one)
            if one == other or (filters_parents and is_neighbour) or frozenset((int(first), int(second))) in excluded:
                continue
            if shapes[a] > FIELD or shapes[b] > FIELD:  # planes and height fields do not touch each other
                yield _sorted(reading, a, b)


def _mixed(reading: Reading, a: int, b: int) -> Pair:
    """Return a pair with the friction of the geometry of the higher priority, or the larger friction."""
    m = reading.compiled
    chosen = [a, b]
    if m.geom_priority[a] != m.geom_priority[b]:
        chosen = [a if m.geom_priority[a] > m.geom_priority[b] else b]
    dimension = max(int(m.geom_condim[g]) for g in chosen)
    slide, turn, roll = np.max([m.geom_friction[g] for g in chosen], axis=0)
    stated = any(is_soft(reading, "geom", g) for g in (a, b))
    return Pair(a, b, dimension, np.array([slide, slide, turn, roll, roll]), stated)
