"""Program, parameters, time and terms of a model or element type, with shared checks."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Self

import numpy as np
import sympy
from sympy import Add, Expr, Float, Integer, Rational, Symbol

from symlie.contract.manifest import Engagement
from symlie.errors import ModelError, SmoothnessError
from symlie.groups.analytic_functions import function_of_ad
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.groups.operations import Exponential
from symlie.groups.spectrum import AnalyticFunction
from symlie.ir.primitives import PiecewiseLinear, PiecewiseSlope, RunTimeInput, Select, smoothness
from symlie.ir.program import Euclidean, Program, Value, at_values, depends_on, needed_expressions
from symlie.ir.smoothness import defect_along
from symlie.ir.straightline import flatten
from symlie.modeling.expressions import components
from symlie.modeling.names import new_name, stem
from symlie.modeling.node import Node, column
from symlie.modeling.symbolic import Expression, SymbolicMatrix
from symlie.modeling.terms import (
    Activity,
    BodyTree,
    Constraint,
    Contact,
    DependentNode,
    Event,
    Friction,
    Output,
    Parameter,
    Reset,
    UnwrappedAngle,
)
from symlie.modeling.units import Certainty, UnitCheck, size_of
from symlie.modeling.values import given_space
from symlie.retired import NamesSuccessors
from symlie.utilities.showing import ListsPublicNames
from symlie.utilities.unit_names import UNITS, Unit, parse_units

TIME = Symbol("t", real=True)
"""Symbol of the time, in seconds."""


class Stated(ListsPublicNames, NamesSuccessors):
    """All terms defined on some nodes, with their parameters and the time."""

    INTERNAL = frozenset({
        "activities", "angles", "applied_forces", "contacts", "data_symbols", "dependents", "dissipated_terms",
        "energy_terms", "engagements", "fields", "generalized_forces", "kinetic_terms", "local_outputs",
        "potential_terms", "program", "resets", "slots", "time", "totals", "trees", "units",
    })  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name = stem("The model's", name)
        """Name of the model or element type."""
        self.program = Program(self.name)
        self.nodes: list[Node] = []
        """Nodes in the order of their definition."""
        self._own_nodes: dict[str, Node] = {}
        self._spaces_of_nodes: dict[ConfigurationSpace, None] = {}
        self.parameters: list[Parameter] = []
        """Parameters in the order of their definition."""
        self._parameter_names: set[str] = set()
        self.kinetic_terms: list[Expr] = []
        self.potential_terms: list[Expr] = []
        self.dissipated_terms: list[Expr] = []
        self.generalized_forces: list[tuple[Node, tuple[Expr, ...]]] = []
        self.applied_forces: list[tuple[Expr, Expr]] = []
        self.fields: list[tuple[Node, tuple[Expr, ...]]] = []
        self.energy_terms: list[Expr] = []
        self.dependents: list[DependentNode] = []
        self.trees: list[BodyTree] = []
        self.angles: list[UnwrappedAngle] = []
        self.activities: list[Activity] = []
        self.engagements: list[Engagement] = []
        self.contacts: list[Contact | Friction] = []
        self.constraints: list[Constraint] = []
        """Constraints in the order of their definition."""
        self.outputs: list[Output] = []
        """Outputs in the order of their definition."""
        self.totals: set[str] = set()
        """Names of outputs that are summed over the model."""
        self.local_outputs: list[Output] = []
        self.events: list[Event] = []
        """Events in the order of their definition."""
        self.resets: list[Reset] = []
        self._forces_of_all: str | None = None
        self._declared_velocities: set[Symbol] = set()
        self._declared_accelerations: set[Symbol] = set()
        self._undeclared: list[Node] = []
        self._multipliers: set[Symbol] = set()
        self._points: list[Node] = []
        self.time = TIME
        self._time = self.program.input("t", Euclidean(1), (TIME,))
        self.units = UnitCheck(name, self.program)
        self.units.declare([TIME], [Unit(UNITS["s"])], Certainty.FIELD)

    @property
    def is_empty(self) -> bool:
        """True if no terms are defined."""
        return not (
            *self.kinetic_terms, *self.potential_terms, *self.dissipated_terms, *self.energy_terms,
            *self.generalized_forces, *self.applied_forces, *self.fields, *self.dependents,
            *self.constraints, *self.outputs, *self.local_outputs, *self.events,
        )  # fmt: skip

    @property
    def data_symbols(self) -> list[Symbol]:
        """Symbols of the values of all parameters; of instances, followed by those of chosen inputs."""
        return [s for p in self.parameters for s in p.symbols]

    @property
    def kinetic(self) -> Expr:
        """Kinetic energy T, the sum of all terms."""
        return Add(*self.kinetic_terms)

    @property
    def potential(self) -> Expr:
        """Potential energy V, the sum of all terms."""
        return Add(*self.potential_terms)

    @property
    def dissipated(self) -> Expr:
        """Rayleigh dissipation function D, the sum of all terms."""
        return Add(*self.dissipated_terms)

    @property
    def energies(self) -> Expr:
        """Sum of the energies that are reported in addition to T and V."""
        return Add(*self.energy_terms)

    @property
    def t(self) -> Symbol:
        """Symbol of the time."""
        return self.time

    _parameter_prefix = ""

    def parameter(self, name: str, default: object, unit: str = "") -> Expression:
        """Declare a parameter, a run-time value unless `Equations.compile` freezes it.

        Parameters
        ----------
        name
            Identifier.
        default
            Default value: a number, a vector or a matrix.
        unit
            Unit of values in input and output, such as ``"kg m^2"``, ``"mm"`` or ``"deg"``, see `unit`; expressions use
            SI units. Sums are checked if the units of their terms are known. Several units, separated by commas, apply
            to parts of a vector of equal length.

        Returns
        -------
        Expr or SymbolicMatrix
            A scalar, or a column or matrix, in SI units.
        """
        new_name("Parameter", name, self._parameter_names, self.name)
        if name == str(self.time):
            raise ModelError(f"Parameter name '{name}' is reserved for the time; choose another name.")
        try:
            array = np.asarray(default, dtype=float)
        except (TypeError, ValueError) as error:
            raise ModelError(f"The default of parameter '{name}' must be numbers, not {default!r}.") from error
        if array.ndim > 2 or not array.size:
            raise ModelError(f"Parameter '{name}' must be a number, a vector or a matrix.")
        prefix = self._parameter_prefix
        symbols = tuple(
            Symbol(f"{prefix}{name}" if array.ndim == 0 else f"{prefix}{name}[{','.join(map(str, index))}]", real=True)
            for index in np.ndindex(array.shape)
        )
        units = parse_units(unit, array.size)
        if array.ndim < 2 or "," not in unit:  # the entries of a matrix may differ in unit
            self.units.declare(symbols, units, Certainty.STATED)
        self._parameter_names.add(name)
        self.parameters.append(Parameter(name, array.shape, tuple(map(float, array.ravel())), unit, symbols))
        in_si = [size_of(u) * symbol for u, symbol in zip(units, symbols, strict=True)]
        if array.ndim == 0:
            return in_si[0]
        shape = array.shape if array.ndim == 2 else (array.size, 1)
        return SymbolicMatrix(*shape, in_si)

    def function_of_ad(
        self, function: AnalyticFunction, group: LieGroup | str, theta: object, w: object
    ) -> SymbolicMatrix:
        """Return φ(ad θ) w for a function of `analytic_function`, for use in any expression.

        Parameters
        ----------
        function
            φ.
        group
            A standard or user-defined group whose ad has the eigenvalues 0 and ±iω (class A).
        theta, w
            Expressions with as many components as the group has dimensions.

        Returns
        -------
        SymbolicMatrix
            A column; NaN if ω is outside the domain of φ.

        Raises
        ------
        GroupError
            If the group is of class B.
        ModelError
            If the group is a homogeneous space, or if the number of components is wrong.
        """
        space = given_space(group)
        if not isinstance(space, LieGroup):
            raise ModelError(
                f"{space} is not a Lie group; ad is defined on the Lie algebra of a group, such as sl.SE3."
            )
        pair = [components(part) for part in (theta, w)]
        for what, part in zip(("argument", "operand"), pair, strict=True):
            if len(part) != space.dimension:
                raise ModelError(
                    f"The {what} of '{function.name}' of ad on {space} needs {space.dimension} components, "
                    f"not {len(part)}."
                )
        first, second = (self.program.vector(part) for part in pair)
        found = self.program.vector(function_of_ad(self.program, space, function, first, second))
        self.units.skip()
        return column(found)

    def _scalar(self, what: str, energy: object) -> Expr:
        parts = components(energy)
        if len(parts) != 1:
            raise ModelError(f"The {what} of '{self.name}' must be a scalar, but has {len(parts)} components.")
        self._without_multipliers(f"The {what}", parts)
        return parts[0]

    def with_program(self, program: Program) -> Self:
        """Return the statement in another program, which contains all statements of the present one.

        Parameters
        ----------
        program
            The program.
        """
        other = copy.copy(self)
        other.program = program
        return other

    def copy(self) -> Self:
        """Return a copy; additions to the copy do not change the original."""
        other = copy.copy(self)
        own = {k: v.copy() for k, v in vars(self).items() if isinstance(v, list | dict | set | Program)}
        other.__dict__.update(own)
        return other

    def _add_node(self, node: Node) -> None:
        self.units.declare_node(node)
        self.nodes.append(node)
        self._own_nodes[node.name] = node
        self._spaces_of_nodes[node.group] = None
        self._points += [] if node.group.velocity_dimension else [node]
        self._undeclared.append(node)

    @property
    def _velocities(self) -> set[Symbol]:
        """Symbols of the velocities of all nodes."""
        self._declare_motion()
        return self._declared_velocities

    @property
    def _accelerations(self) -> set[Symbol]:
        """Symbols of the accelerations of all nodes."""
        self._declare_motion()
        return self._declared_accelerations

    def _declare_motion(self) -> None:
        for node in self._undeclared:
            self._declared_velocities |= {s for s in node.velocity.components if isinstance(s, Symbol)}
            self._declared_accelerations |= {s for s in node.acceleration.components if isinstance(s, Symbol)}
        self._undeclared.clear()

    def _is_own(self, node: object) -> bool:
        return isinstance(node, Node) and self._own_nodes.get(node.name) is node

    def _own(self, node: object) -> Node:
        """Return a node of this statement; raise `ModelError` for any other object."""
        if isinstance(node, Node) and self._is_own(node):
            return node
        known = ", ".join(n.name for n in self.nodes) or "none"
        shown = f"Node '{node.name}'" if isinstance(node, Node) else repr(node)
        raise ModelError(f"{shown} does not belong to '{self.name}'; its nodes are: {known}.")

    def _check_smooth(self, what: str, expressions: Sequence[Expr], derivatives: int) -> None:
        """Raise `SmoothnessError` if tables or branches are not smooth enough for the given number of derivatives."""
        # A branch may have a jump in the last derivative, such as the acceleration of a drive, but no impulse.
        parts = needed_expressions(self.program, expressions)
        what = f"{what} of '{self.name}'"
        often = ("is not differentiated", "is differentiated once", "is differentiated twice")[derivatives]
        for table in {a for e in parts for a in e.atoms(PiecewiseLinear, PiecewiseSlope, RunTimeInput)}:
            if smoothness(table) >= derivatives:
                continue
            if isinstance(table, RunTimeInput):
                shown = str(table.args[1]).removeprefix("input[").split(",")[0]
                raise SmoothnessError(
                    f"{what} {often}, but depends on the table '{shown}', which has kinks or jumps; use smooth_table "
                    'with an order and ends that are smooth enough, or an input with interpolation="cubic".'
                )
            raise SmoothnessError(
                f"{what} {often}, but depends on a piecewise linear table, which has kinks; use smooth_table(name, "
                "times, values) instead of piecewise_linear."
            )
        if derivatives and any(e.has(Select) for e in parts):
            self._check_pieces(f"{what} {often}", expressions, parts, derivatives)

    def _check_pieces(self, what: str, expressions: Sequence[Expr], parts: Sequence[Expr], derivatives: int) -> None:
        """Raise `SmoothnessError` if branches do not join along a path on which time and all coordinates change."""
        values = {s: Float(x) for p in self.parameters for s, x in zip(p.symbols, p.default, strict=True)}
        path = Symbol("s", real=True)
        program, replaced = Program(), {**values, TIME: path}
        for number, node in enumerate(self.nodes):
            replaced |= self._node_along(program, node, path, number)
        replaced |= {a.before: Integer(0) for a in self.angles}
        try:
            moved = at_values(self.program, expressions, replaced, program)
            slots = {s: "slot" for e in expressions for s in e.free_symbols if str(s).startswith("input[")}
            line = flatten(program, moved, {path: "s", **slots})
        except ModelError:
            return  # An element type does not know the values of the model parameters it depends on.
        if (defect := defect_along(line, derivatives)) is None:
            return
        conditions = {s for e in parts for c in e.atoms(Select) for s in c.args[0].free_symbols}
        where = f"at t = {defect.at:.6g} s" if conditions <= {TIME, *values} else "where a condition changes its sign"
        kind = "a jump" if defect.derivative == 0 else f"a kink, by {abs(defect.jump):.3g} in the first derivative,"
        raise SmoothnessError(
            f"{what}, but its branches meet with {kind} {where}; join them with equal "
            f"values{' and slopes' if derivatives > 1 else ''}, or use smooth_table(name, points, values)."
        )

    def _node_along(self, program: Program, node: Node, path: Symbol, number: int) -> dict[Symbol, Expr]:
        """Return configuration, velocity and acceleration of a node along a path with rotations below half a turn."""
        turning = [f.name.startswith("Omega") for f in node.group.velocity_fields for _ in range(f.size)]
        # Weights between 3/4 and 5/4 differ between components and keep angles of rotation below 3 rad.
        weights = (1 + Rational((5 * number + 3 * k) % 7 - 3, 12) for k in range(len(turning)))
        given = [
            w * (Rational(7, 5) * sympy.sin(path) if turns else path + w)
            for w, turns in zip(weights, turning, strict=True)
        ]
        moving = {
            s: factor * e
            for value, factor in ((node.velocity, Rational(1, 3)), (node.acceleration, Rational(1, 5)))
            for s, e in zip(value.components, given, strict=True)
            if isinstance(s, Symbol)
        }
        if not isinstance(node.group, LieGroup):
            return moving
        theta = Value(program.vector(given), Euclidean(len(given)))
        stored = program.apply(Exponential(node.group), theta).components
        return moving | {s: e for s, e in zip(node.value.components, stored, strict=True) if isinstance(s, Symbol)}

    @property
    def moving_nodes(self) -> list[Node]:
        """Nodes that have a velocity."""
        return [n for n in self.nodes if n.group.velocity_dimension]

    def _without_points(self, what: str, expressions: Sequence[Expr], advice: str = "") -> None:
        for node in self._points:
            if depends_on(self.program, expressions, node.value.components):
                raise ModelError(
                    f"{what} of '{self.name}' depends on node '{node.name}' on {node.group}, whose rate is known only "
                    f"after its field is complete{advice}."
                )

    @property
    def multipliers(self) -> tuple[Symbol, ...]:
        """Symbols of λ, one for each constraint equation."""
        return tuple(m for c in self.constraints for m in c.multipliers)

    def _without_multipliers(self, what: str, expressions: Sequence[Expr]) -> None:
        if self.constraints and depends_on(self.program, expressions, self._multipliers):
            raise ModelError(
                f"{what} of '{self.name}' depends on multipliers, which are known only after the equations of motion "
                "are solved; use them in outputs and events, and friction(…) for Coulomb friction on a reaction."
            )

    def motion(self) -> list[tuple[Value, tuple[Expr, ...]]]:
        """Return the seeds of forward differentiation by time along the flow: q' = v, t' = 1."""
        seeds: list[tuple[Value, tuple[Expr, ...]]] = [(n.value, n.velocity.components) for n in self.moving_nodes]
        return [*seeds, (self._time, (Integer(1),))]
