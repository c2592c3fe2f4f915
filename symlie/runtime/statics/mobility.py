"""Mobility of mechanisms: the rank of the constraints, redundant equations, and free motions.

The velocities that satisfy the constraints at a configuration q are the null space of B. Positions may change along
the null space of the holonomic constraints; nonholonomic constraints, such as rolling, restrict velocities further.
Equations with a vanishing combination are redundant; combinations without common equations are independent of each
other.

Acceleration-level constraints B v' + Z = 0 do not restrict velocities, except those that determine dependent nodes: the
velocities of dependent nodes are functions of states with the same accelerations, so they lie in the null space of B.
A dependent node without such constraints, such as a marker, adds no degree of freedom.

The position is singular if the rank of the holonomic constraints is smaller than at nearby configurations, or if a
velocity that satisfies them leads to no nearby configuration.

`symlie.runtime.linear.redundancy` defines the rank. Source: [Haug1989], chapters 3 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symlie.errors import InconsistentInitialValuesError
from symlie.runtime.layout.joint_outputs import RATES, joint_outputs
from symlie.runtime.layout.layout import Array, Layout, Sparse
from symlie.runtime.linear.redundancy import MOST_DEPENDENCIES, connected, vanishing_of_rows
from symlie.runtime.linear.unknowns import Indices
from symlie.runtime.statics.assembly.configurations import closed
from symlie.runtime.statics.first_order import null_space
from symlie.runtime.statics.residual import Statics
from symlie.runtime.system.output_jacobian import velocity_outputs
from symlie.runtime.system.state_rates import GivenRates, determining_rows, with_completed_rates
from symlie.utilities.showing import Brief

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

MOST_VELOCITIES = 600
"""Largest number of velocities for which motions and singular positions are searched, with dense matrices."""

STEP = 0.02
"""Length of steps to nearby configurations, in rad and m."""

DIRECTIONS = 3
"""Number of directions of such steps; each is taken forward and backward."""

KEPT = 0.5
"""Fraction of a step that remains after projection onto the constraints, below which the step leads to no nearby
configuration."""

SMALL = 1e-9
"""Rate, relative to the largest one, below which a joint does not take part in a motion."""

MOST_SHOWN = 3
"""Number of bodies whose velocities are listed if no joint coordinate describes a motion."""


@dataclass(frozen=True)
class RedundantJoints:
    """Set of joints whose constraint equations are linearly dependent, from `Mobility.redundant`."""

    joints: tuple[str, ...]
    """Names of the joints, or of constraints that belong to no joint."""
    rows: int
    """Number of redundant equations of the set."""


@dataclass(frozen=True, eq=False, repr=False)
class Motion(Brief):
    """Basis vector of the velocities that satisfy all constraints, from `Mobility.motions`."""

    rates: dict[str, float]
    """Rates of joints by output name, in rad/s and m/s; the independent one is first and equals one. Empty if no joint
    coordinate describes the motion."""
    velocities: dict[str, Array]
    """Velocities of the moving nodes by name, shape (dimension,), or (count, dimension) for arrays."""

    def __str__(self) -> str:
        if not self.rates:
            shown = list(self.velocities.items())[:MOST_SHOWN]
            more = f", and {len(self.velocities) - len(shown)} more" if len(shown) < len(self.velocities) else ""
            return ", ".join(f"{name}: v = {np.array2string(v, precision=3)}" for name, v in shown) + more
        return ", ".join(f"{name} = {rate:.4g}" for name, rate in self.rates.items())


@dataclass(frozen=True, eq=False, repr=False)
class Mobility(Brief):
    """Degrees of freedom of a system at a configuration, from `System.mobility`; ``str`` gives a summary.

    Source: [Haug1989], chapters 3 and 4.
    """

    bodies: int
    """Number of nodes with velocities, except fixed nodes; prescribed and dependent nodes are included. In minimal
    coordinates without dependent nodes, each node of a joint represents its outboard body."""
    joints: int
    """Number of named elements with constraints, such as joints; without these, the number of constraints."""
    velocities: int
    """Number of velocity components, except those of fixed and prescribed nodes; for dependent nodes, the number of
    independent velocities that their definition permits."""
    position_rows: int
    """Number of holonomic constraint equations."""
    position_rank: int
    """Rank of the holonomic constraint equations."""
    velocity_rows: int
    """Number of constraint equations of velocities: nonholonomic ones, and time derivatives of holonomic ones."""
    velocity_rank: int
    """Rank of the constraint equations of velocities."""
    redundant: tuple[RedundantJoints, ...]
    """Sets of joints with linearly dependent equations."""
    is_complete: bool
    """True if all redundant equations were counted; otherwise the ranks are upper bounds."""
    motions: tuple[Motion, ...] | None
    """Basis of the velocities that satisfy all constraints; None for more than 600 velocity components."""
    singular: str
    """Description of a singular position. Empty for a regular position, and if the position was not examined: for more
    than 600 velocity components, dependent nodes that are not bodies of joints, or violated constraints."""

    @cached_property
    def degrees_of_freedom(self) -> int:
        """Number of independent velocities."""
        return self.velocities - self.velocity_rank

    @cached_property
    def position_degrees_of_freedom(self) -> int:
        """Number of independent position changes; nonholonomic constraints admit fewer velocities."""
        return self.velocities - self.position_rank

    @cached_property
    def line(self) -> str:
        """Summary on one line, without the motions."""
        own = self.velocity_rows - self.position_rows
        equations = _counted(self.position_rows, "constraint equation", "constraint equations")
        rank = f"{equations} of rank {self.position_rank}"
        if own:
            rank = f"{rank} on positions, {self.velocity_rows} of rank {self.velocity_rank} on velocities"
        freedom = _counted(self.degrees_of_freedom, "degree", "degrees") + " of freedom"
        if self.position_degrees_of_freedom != self.degrees_of_freedom:
            freedom += f" ({self.position_degrees_of_freedom} of positions)"
        bodies = f"{_counted(self.bodies, 'body', 'bodies')}, {_counted(self.joints, 'joint', 'joints')}"
        parts = [f"{bodies}, {rank}, {freedom if self.is_complete else f'at least {freedom}'}"]
        parts += [f"{r.rows} redundant among {listed_joints(r.joints)}" for r in self.redundant]
        return "; ".join([*parts, *([self.singular] if self.singular else [])])

    def to_json(self) -> dict[str, object]:
        """Return all data except the motions in JSON form."""
        stated = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("redundant", "motions")}
        return {
            **stated,
            "degrees_of_freedom": self.degrees_of_freedom,
            "position_degrees_of_freedom": self.position_degrees_of_freedom,
            "redundant": [{"joints": list(r.joints), "rows": r.rows} for r in self.redundant],
        }

    def __str__(self) -> str:
        motions = [f"  motion {k + 1}: {motion}" for k, motion in enumerate(self.motions or ())]
        return "\n".join([self.line, *motions])


def listed_joints(names: tuple[str, ...], most: int = 6) -> str:
    """Return the names of joints as text, shortened for long lists."""
    shown = [f"'{name}'" for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def mobility(system: System, q: Array | None = None, t: float = 0.0) -> Mobility:
    """See `symlie.runtime.system.system.System.mobility`."""
    layout, mechanics = system.layout, system.mechanics
    here = system.stated_state().q.copy() if q is None else np.array(q, dtype=float)
    mechanics.prescribe(t, here, np.zeros(layout.dimension))
    here = mechanics.with_start_angles(t, here)
    jacobian = _jacobian(system, here, t)
    free, determines = _dependence(layout, jacobian)
    whole = jacobian[:, free]
    of_positions = np.flatnonzero(layout.holonomic | determines)
    of_velocities = np.flatnonzero(layout.of_velocities | determines)
    redundant = _redundant(system, whole, of_velocities)
    too_many = sum(r.rows for r in redundant)
    too_many_positions = vanishing_of_rows(whole[of_positions]).shape[1]
    rank, position_rank = len(of_velocities) - too_many, len(of_positions) - too_many_positions
    of_dependent = np.flatnonzero(determines)
    dependent_rank = len(of_dependent) - vanishing_of_rows(whole[of_dependent]).shape[1]
    motions: tuple[Motion, ...] | None = None
    singular = ""
    if len(free) <= MOST_VELOCITIES:
        motions = _motions(system, here, t, free, null_space(whole[of_velocities].toarray(), rank))
        is_moved_by_joints = len(free) == int(layout.free.sum()) and (bool(layout.state_rates) or not determines.any())
        if layout.holonomic.any() and is_moved_by_joints:
            singular = _singular_position(system, here, t, of_positions, position_rank)
    return Mobility(
        bodies=sum(int((~n.fixed).sum()) for n in layout.nodes if n.type.velocities),
        joints=len(layout.joints) or len(layout.constraints),
        velocities=len(free) - dependent_rank,
        position_rows=len(of_positions) - len(of_dependent),
        position_rank=position_rank - dependent_rank,
        velocity_rows=len(of_velocities) - len(of_dependent),
        velocity_rank=rank - dependent_rank,
        redundant=redundant,
        is_complete=max(too_many, too_many_positions) < MOST_DEPENDENCIES,
        motions=motions,
        singular=singular,
    )


def _dependence(layout: Layout, jacobian: Sparse) -> tuple[Indices, NDArray[np.bool_]]:
    """Return the velocity components that count, and a mask of the acceleration-level constraint equations that
    determine dependent nodes; dependent nodes without such equations do not count."""
    dependent = layout.free & ~layout.integrated
    determines, pattern = determining_rows(layout, jacobian), abs(jacobian)
    node = np.repeat(np.arange(len(layout.dependent)), np.diff(layout.starts[1]))
    is_determined = np.isin(node, node[pattern.T @ determines.astype(float) > 0])
    return np.flatnonzero(layout.free & (~dependent | is_determined)), determines


def _jacobian(system: System, q: Array, t: float) -> Sparse:
    values = system.mechanics.jacobian(t, q, system.stated_state().v) if system.layout.rows else np.zeros(0)
    return system.algebra.sparse_jacobian(values)


def _redundant(system: System, jacobian: Sparse, rows: Indices) -> tuple[RedundantJoints, ...]:
    """Return the joints with redundant equations, with one entry per set of joints."""
    vanishing, owner = vanishing_of_rows(jacobian[rows]), _owners(system)
    found: dict[tuple[str, ...], int] = {}
    for part in connected(vanishing) if vanishing.shape[1] else ():
        involved = rows[np.any(part != 0, axis=1)]
        joints = tuple(dict.fromkeys(owner[int(row)] for row in involved))
        found[joints] = found.get(joints, 0) + part.shape[1]
    return tuple(RedundantJoints(joints, many) for joints, many in found.items())


def _owners(system: System) -> dict[int, str]:
    """Return the joint of each constraint equation, or its constraint if it belongs to no joint, with the index in an
    array."""
    constraints = {
        int(row): f"{name}[{part.instances[k]}]" if part.is_array else name
        for name, part in system.layout.constraints.items()
        for k, rows in enumerate(part.rows)
        for row in rows
    }
    return constraints | system.layout.joint_of_row


def _motions(system: System, q: Array, t: float, free: Indices, basis: Array) -> tuple[Motion, ...]:
    """Return a basis of motions, each described by an independent joint rate where one exists, otherwise by bodies."""
    layout, count = system.layout, basis.shape[1]
    if not count:
        return ()
    whole = np.zeros((count + 1, layout.dimension))
    whole[1:, free] = basis.T
    scalars = [r.output for r in layout.manifest.joint_rates if r.coordinate and r.output in layout.outputs]
    names = list(dict.fromkeys([*joint_outputs(layout, RATES), *scalars]))
    observed = velocity_outputs(system.mechanics, t, q, whole, names)
    rates = np.asarray(observed[1:] - observed[0]).T  # joints × motions
    chosen: list[int] = []
    combined = np.eye(count)
    for k in range(count):  # elimination; the pivot is the first joint with more than half of the largest rate
        left = rates @ combined
        size = np.abs(left[:, k:]).max(axis=1, initial=0.0)
        if not len(size) or size.max() <= SMALL * max(1.0, np.abs(rates).max()):
            break
        row = int(np.argmax(size > size.max() / 2))
        column = k + int(np.argmax(np.abs(left[row, k:])))
        combined[:, [k, column]] = combined[:, [column, k]]
        combined[:, k] /= (rates @ combined)[row, k]
        others = np.arange(count) != k
        combined[:, others] -= np.outer(combined[:, k], (rates @ combined)[row, others])
        chosen.append(row)
    shapes, moving = rates @ combined, (basis @ combined).T
    motions = []
    for k in range(count):
        found: dict[str, float] = {}
        if k < len(chosen):
            order = [chosen[k], *np.flatnonzero(np.abs(shapes[:, k]) > SMALL * np.abs(shapes[:, k]).max()).tolist()]
            found = {names[j]: float(shapes[j, k]) for j in dict.fromkeys(order)}
        v = np.zeros(layout.dimension)
        v[free] = moving[k]
        parts = {n.name: n.by_node(v[None], velocity=True)[0] for n in layout.nodes if n.type.velocities}
        motions.append(Motion(found, {n: p for n, p in parts.items() if np.abs(p).max(initial=0) > SMALL}))
    return tuple(motions)


class _Positions(Statics):
    """Positions of a system whose first-order states are at most joint coordinates and rates, which move bodies, and
    states that do not affect positions."""

    def __init__(self, system: System, t: float, rows: Indices) -> None:
        layout = system.layout
        super().__init__(system, t, np.isin(np.arange(layout.rows), rows))
        self._rates = GivenRates(tuple(layout.state_rates), {}, np.zeros(layout.dimension, dtype=bool))
        self._steps = layout.integrated & layout.has_velocity
        for node in (layout.node(r.joint) for r in layout.manifest.joint_rates if r.state):
            self._steps[node.velocity] = True
        for _, rates in layout.state_rates.values():
            self._steps[rates] = False

    @staticmethod
    def _check_states(system: System) -> None:
        """Accept first-order states, which have no forces here."""

    def moved(self, q: Array, step: Array) -> Array:
        """Return the configuration after a step along velocities of all bodies; rates of joints do not change."""
        m, system = self.mechanics, self.system
        if not system.layout.state_rates:
            return super().moved(q, step)
        at, v = with_completed_rates(m, self.t, q, self.spread(step), self._rates)
        rates = m.rate(self.t, at, v, np.zeros(len(v)), np.zeros(system.layout.rows))
        moved = system.kernels.normalize(system.kernels.advance(q, np.where(self._steps, rates, 0.0)))
        m.prescribe(self.t, moved, np.zeros(len(v)))
        return m.with_angles(self.t, moved)

    def turned(self, q: Array, step: Array) -> float:
        """Return zero: joint coordinates have no largest step."""
        return 0.0 if self.system.layout.state_rates else super().turned(q, step)


def _singular_position(system: System, q: Array, t: float, rows: Indices, rank: int) -> str:
    """Return a sentence if the rank of constraint equations is larger nearby or if motions lead to no nearby
    configuration, otherwise an empty string."""
    statics = _Positions(system, t, rows)
    if rank == len(statics.free) or np.abs(statics.constraint(q)).max(initial=0.0) > STEP**2:
        return ""
    basis = null_space(statics.jacobian(q).toarray(), rank)
    draw = np.random.default_rng(0)
    nearby = rank
    is_held = False
    for _ in range(DIRECTIONS):
        direction = basis @ draw.standard_normal(basis.shape[1])
        for step in (STEP, -STEP):
            moved = statics.moved(q, step * direction / np.linalg.norm(direction))
            try:
                there, _ = closed(statics, moved)
            except InconsistentInitialValuesError:
                is_held = True
                continue
            along = basis.T @ system.mechanics.apart(q, there)[statics.free]
            if np.linalg.norm(along) < KEPT * STEP:
                is_held = True
                continue
            nearby = max(nearby, len(statics.rows) - vanishing_of_rows(statics.jacobian(there)).shape[1])
    if nearby > rank:
        return f"the position is singular: nearby the rank is {nearby}"
    if is_held:
        return "the position is singular: velocities that satisfy the constraints lead to no nearby position"
    return ""
