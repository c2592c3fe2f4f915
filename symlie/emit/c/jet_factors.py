"""Where the factors of a jet are, of members side by side: in the series of the state, or in rows of the jet's own.

The caches nearest to processors hold the rows of a system of a few nodes once, but not once more for each jet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from symlie.contract.set_table import JetLayout
from symlie.ir.sets import ElementTypeSet, NodeTypeSet

OWN = "own"
"""What rows of the jet are called."""


@dataclass(frozen=True)
class Rows:
    """Rows of orders: what they are called, where that of order 0 is, and how far they are apart."""

    name: str
    first: str
    stride: str


@dataclass(frozen=True)
class JetFactors:
    """Where the factors of a jet are.

    Attributes
    ----------
    places
        Of each factor its rows and its place in them.
    own
        Factors in rows of the jet, in their order.
    """

    places: tuple[tuple[Rows, int], ...]
    own: tuple[int, ...]

    @property
    def read(self) -> tuple[Rows, ...]:
        """Rows of the series that factors are in."""
        return tuple(rows for rows in self.rows_of(range(len(self.places))) if rows.name != OWN)

    def rows_of(self, factors: Iterable[int]) -> tuple[Rows, ...]:
        """Rows that some factors are in.

        Parameters
        ----------
        factors
            Their numbers.
        """
        return tuple(dict.fromkeys(self.places[k][0] for k in factors))


def factors_of_motion(jet: JetLayout) -> JetFactors:
    """Where those of a prescribed motion are: in rows of the jet.

    Parameters
    ----------
    jet
        The jet of the motion.
    """
    return _factors(jet, [])


def factors_of_node(jet: JetLayout, node: NodeTypeSet, beside: bool) -> JetFactors:
    """Where those of the rates of a node type are.

    Parameters
    ----------
    jet, node
        The jet of q' = S(q) w, and the node type.
    beside
        Whether vectors of orders have their nodes side by side.
    """
    q = Rows("q_0", f"J->q + s + {node.storage} * n", "STORAGE")
    w = Rows("v_0", f"J->v + d + {node.dimension} * n", "DIMENSION")
    return _factors(jet, [] if beside else [("q", 0, node.storage, q), ("w", 0, node.dimension, w)])


def factors_of_element(jet: JetLayout, element: ElementTypeSet, beside: bool) -> JetFactors:
    """Where those of a jet of an element type are.

    Parameters
    ----------
    jet, element
        The jet and the element type.
    beside
        Whether vectors of orders have their nodes side by side.
    """
    return _factors(jet, [] if beside else list(_rows_of(element)))


_Part = tuple[str, int, int, Rows]
"""A part of an input, where it begins and how long it is, with the rows that it is in."""


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
