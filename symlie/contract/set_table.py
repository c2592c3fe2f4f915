"""The table of a set of kernels: to which model its code belongs, and where the values that it gives belong."""

from __future__ import annotations

import json
from dataclasses import dataclass

from symlie.contract.manifest import Pattern
from symlie.contract.records import from_json, to_json


@dataclass(frozen=True)
class TypePatterns:
    """Where the stored values of each matrix of a set belong in an element type, or in a node type."""

    name: str
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class CentredSeries:
    """A function about a point, which serves up to an end of arguments."""

    upper: float
    centre: float
    coefficients: tuple[float, ...]
    """Of powers of z - centre."""


@dataclass(frozen=True)
class ScalarFunction:
    """A function of one argument that is no elementary one.

    ``family`` is ``c`` (c_{k,m} with k = index, m = derivative), ``g`` (g_m, m = index), ``a`` (a_p, p = index), or
    ``s``, a stated series by its expansions; see `symlie.runtime.kernels.function_series`.
    """

    family: str
    index: int = 0
    derivative: int = 0
    expansions: tuple[CentredSeries, ...] = ()


@dataclass(frozen=True)
class Composition:
    """A function of an argument of a jet."""

    argument: int
    function: ScalarFunction


@dataclass(frozen=True)
class JetLayout:
    """What a jet of a node type or of an element type keeps; see `symlie.ir.jets.Jet`."""

    name: str
    results: int
    kept: int
    factors: int
    late: int
    """The last of the factors, which lack something of inputs that are found later."""
    products: tuple[tuple[int, int], ...]
    """The factors of each product."""
    side_by_side: bool
    """Whether C follows several nodes or instances at a time, one in each lane."""
    arguments: int = 0
    """Arguments of functions that are no elementary ones."""
    compositions: tuple[Composition, ...] = ()
    """These functions, one argument after the other."""
    conditions: int = 0
    """Functions of time whose signs choose pieces."""
    vanishes: bool = False
    """Whether all its coefficients are zero but those of order 0."""
    given: int = 0
    """Values that it gives to another jet beside its results."""
    taken: int = 0
    """Values that another jet of the type gives."""
    new: int = 0
    """The last of the late factors, of which nothing is known before."""
    names: tuple[str, ...] = ()
    """What factors are called: an input by its name, and equal values of all jets of a type alike."""
    unread: bool = False
    """Whether no order of others takes the nodes that it places, which are placed with states alone then."""


@dataclass(frozen=True)
class SetTable:
    """What is known of the files of a set."""

    model_interface_hash: str
    """That of the model's own files, to which these belong."""
    interface_hash: str
    """What the code of the set reports."""
    elements: tuple[TypePatterns, ...]
    """Element types with the set's matrices; node types with T, where the set is ``tangent``."""
    weights: tuple[float, ...] = ()
    """Weights over h of loads at both ends of a step, where the set is that of a discrete Lagrangian."""
    jets: tuple[JetLayout, ...] = ()
    """Those of the set ``jets``."""

    def text(self) -> str:
        """As JSON."""
        return json.dumps(to_json(SetTable, self)) + "\n"


def read_table(text: str) -> SetTable:
    """The table of a text.

    Raises
    ------
    ValueError
        The text is none.
    """
    return from_json(SetTable, json.loads(text))
