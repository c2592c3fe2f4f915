"""Table of a set of kernels: the model to which its code belongs, and the positions of its values."""

from __future__ import annotations

import json
from dataclasses import dataclass

from symlie.contract.manifest import Pattern
from symlie.contract.records import from_json, to_json


@dataclass(frozen=True)
class TypePatterns:
    """Positions of the stored values of each matrix of a set in an element type or a node type."""

    name: str
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class CentredSeries:
    """Expansion of a function about a point, valid up to ``upper``."""

    upper: float
    centre: float
    coefficients: tuple[float, ...]
    """Coefficients of the powers of z - centre."""


@dataclass(frozen=True)
class ScalarFunction:
    """Non-elementary function: c_{k,m} (``c``), g_m (``g``) or a_p (``a``), k, m, p from index and derivative, or a
    user-defined series (``s``) by its expansions."""

    family: str
    index: int = 0
    derivative: int = 0
    expansions: tuple[CentredSeries, ...] = ()


@dataclass(frozen=True)
class Composition:
    """Function of an argument of a jet."""

    argument: int
    function: ScalarFunction


@dataclass(frozen=True)
class JetLayout:
    """Storage layout of the jet of a node type or of an element type; see `symlie.ir.jets.derivation.Jet`."""

    name: str
    results: int
    kept: int
    factors: int
    late: int
    """Number of last factors that are incomplete until the inputs found later are known."""
    products: tuple[tuple[int, int], ...]
    """Factors of each product."""
    side_by_side: bool
    """True if C evaluates several nodes or instances at a time, one in each SIMD lane."""
    arguments: int = 0
    """Number of arguments of non-elementary functions."""
    compositions: tuple[Composition, ...] = ()
    """These functions, ordered by argument."""
    conditions: int = 0
    """Number of functions of time whose signs select branches."""
    vanishes: bool = False
    """True if all its coefficients of order one and higher are zero."""
    given: int = 0
    """Number of values passed to another jet in addition to the results."""
    taken: int = 0
    """Number of values received from another jet of the type."""
    new: int = 0
    """Number of last factors that vanish until the late inputs are known."""
    names: tuple[str, ...] = ()
    """Names of the factors: the name of an input, or a common name for equal values of all jets of a type."""
    unread: bool = False
    """True if no other coefficients depend on its dependent nodes, which are then evaluated only with states."""


@dataclass(frozen=True)
class SetTable:
    """Description of the files of a set."""

    model_interface_hash: str
    """Interface hash of the model to which these files belong."""
    interface_hash: str
    """Hash that the code of the set reports."""
    elements: tuple[TypePatterns, ...]
    """Element types with the set's matrices; node types with T for the set ``tangent``."""
    weights: tuple[float, ...] = ()
    """Weights, divided by h, of the loads at both ends of a step, for the set of a discrete Lagrangian."""
    jets: tuple[JetLayout, ...] = ()
    """Jets of the set ``jets``."""

    def text(self) -> str:
        """Return the table as JSON."""
        return json.dumps(to_json(SetTable, self)) + "\n"


def read_table(text: str) -> SetTable:
    """Return the table in a text; raise `ValueError` if the text is not a table."""
    return from_json(SetTable, json.loads(text))
