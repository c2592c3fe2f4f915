"""A drawn model as data: nodes, numbers and texts, which symlie states and the oracle evaluates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.trajectories.groups import Group, group
from tests.trajectories.spaces import Space, known, space

Place = tuple[str, int]
"""A node by name, and its index if it is one of an array."""


def space_of(name: str) -> Group | Space:
    """The group or the manifold of a name."""
    return space(name) if known(name) else group(name)


@dataclass(frozen=True)
class Turning:
    """A prescribed motion: rotation by a sin(b t) + c t + d, translation by amplitude · sin(b t) + shift."""

    axis: tuple[float, float, float]
    a: float
    b: float
    c: float
    d: float
    amplitude: tuple[float, ...]
    shift: tuple[float, ...]


@dataclass
class Nodes:
    """A node, or an array of them, with initial values of each."""

    name: str
    space: str
    q: list[list[float]]
    v: list[list[float]]
    is_array: bool = False
    fixed: set[int] = field(default_factory=set)
    motions: dict[int, Turning] = field(default_factory=dict)
    placed: set[int] = field(default_factory=set)
    """Nodes that others place; their initial values follow."""


@dataclass
class Term:
    """One definition: kind, text and subject."""

    kind: str
    text: str
    name: str = ""
    """Of a constraint or an output; for forces, fields and placements, the local node."""
    other: str = ""
    """The point of a force; the reference of a placement."""


@dataclass
class Part:
    """A definition on local nodes, of the model or of an element type with its elements."""

    name: str
    locals: dict[str, str]
    """Local nodes with their groups."""
    instances: list[tuple[Place, ...]]
    terms: list[Term] = field(default_factory=list)
    parameters: dict[str, list[float]] = field(default_factory=dict)
    """One value for each instance."""


@dataclass(frozen=True)
class Table:
    """An input, or a piecewise linear function of the model."""

    name: str
    times: tuple[float, ...]
    values: tuple[float, ...]
    interpolation: str
    """``linear``, ``hold``, or ``stated`` for one that is linear and belongs to the model."""


@dataclass
class Drawn:
    """A random model as drawn data."""

    seed: str
    t_end: float
    nodes: list[Nodes]
    parts: list[Part]
    parameters: dict[str, float] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    categories: set[str] = field(default_factory=set)

    @property
    def times(self) -> list[float]:
        """When runs are compared."""
        return [self.t_end / 2, self.t_end]

    def rows(self, kinds: Sequence[str]) -> bool:
        """Return True with constraints of some kinds."""
        return any(t.kind in kinds for p in self.parts for t in p.terms)
