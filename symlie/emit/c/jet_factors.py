"""Location of the factors of a batched jet: in the series of the state, or in arrays of the jet.

The first-level caches hold the series of a system of a few nodes once, but no copy of it for each jet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from symlie.contract.set_table import JetLayout
from symlie.ir.sets import ElementTypeSet, NodeTypeSet

OWN = "own"
"""Name of the arrays of the jet."""


@dataclass(frozen=True)
class Rows:
    """Arrays of Taylor coefficients: name, address of order 0 and stride between orders."""

    name: str
    first: str
    stride: str


@dataclass(frozen=True)
class JetFactors:
    """Location of the factors of a jet."""

    places: tuple[tuple[Rows, int], ...]
    """Array and index of each factor."""
    own: tuple[int, ...]
    """Factors in arrays of the jet, in order."""

    @property
    def read(self) -> tuple[Rows, ...]:
        """Arrays of the series that contain factors."""
        return tuple(rows for rows in self.rows_of(range(len(self.places))) if rows.name != OWN)

    def rows_of(self, factors: Iterable[int]) -> tuple[Rows, ...]:
        """Return the arrays that contain the given factors."""
        return tuple(dict.fromkeys(self.places[k][0] for k in factors))


def factors_of_motion(jet: JetLayout) -> JetFactors:
    """Return the location of the factors of a prescribed motion: arrays of the jet."""
    return _factors(jet, [])


def factors_of_node(jet: JetLayout, node: NodeTypeSet, beside: bool) -> JetFactors:
    """Return the location of the factors of q' = S(q) w of a node type; `beside` selects the batched layout."""
    q = Rows("q_0", f"J->q + s + {node.storage} * n", "STORAGE")
    w = Rows("v_0", f"J->v + d + {node.dimension} * n", "DIMENSION")
    return _factors(jet, [] if beside else [("q", 0, node.storage, q), ("w", 0, node.dimension, w)])


def factors_of_element(jet: JetLayout, element: ElementTypeSet, beside: bool) -> JetFactors:
    """Return the location of the factors of a jet of an element type; `beside` selects the batched layout."""
    return _factors(jet, [] if beside else list(_rows_of(element)))


_Part = tuple[str, int, int, Rows]
"""Part of an input: name, offset, size and array."""


def _rows_of(element: ElementTypeSet) -> Iterator[_Part]:
    stored = moved = 0
    for k, node in enumerate(element.places):
        q = Rows(f"q_{k}", f"J->q + STORAGE_OF_{element.name}(instance, {k})", "STORAGE")
        v = Rows(f"v_{k}", f"J->v + VELOCITY_OF_{element.name}(instance, {k})", "DIMENSION")
        yield "q", stored, node.storage, q
        yield "v", moved, node.velocities, v
        stored, moved = stored + node.storage, moved + node.velocities


def _factors(jet: JetLayout, parts: Sequence[_Part]) -> JetFactors:
    known = {f"{name}[{begin + m}]": (rows, m) for name, begin, size, rows in parts for m in range(size)}
    own = tuple(k for k, name in enumerate(jet.names) if name not in known)
    rows = Rows(OWN, "left", str(len(own)))
    return JetFactors(tuple(known.get(name) or (rows, own.index(k)) for k, name in enumerate(jet.names)), own)
