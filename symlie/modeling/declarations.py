"""What a statement consists of: its program, parameters, time, and all that is stated, with checks they share."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Self

import numpy as np
from sympy import Add, Expr, Integer, Symbol

from symlie.errors import ModelError
from symlie.groups.analytic_functions import function_of_ad
from symlie.groups.group import LieGroup
from symlie.groups.spectrum import AnalyticFunction
from symlie.ir.primitives import RunTimeInput, RunTimeInputSlope
from symlie.ir.program import Assignment, Euclidean, Program, Value, depends_on, needed_statements
from symlie.modeling.expressions import components
from symlie.modeling.names import new_name, stem
from symlie.modeling.node import Node, column
from symlie.modeling.symbolic import Expression, SymbolicMatrix
from symlie.modeling.terms import BodyTree, Constraint, Event, Location, Output, Parameter, Placement, UnwrappedAngle
from symlie.modeling.units import Certainty, UnitCheck, size_of
from symlie.modeling.values import given_space
from symlie.unit_names import UNITS, Unit, parse_units

TIME = Symbol("t", real=True)
"""The time, in seconds."""


class Stated:
    """Everything that was stated on some nodes, and the parameters and the time that it may use."""

    def __init__(self, name: str) -> None:
        self.name = stem("The model's", name)
        self.program = Program(self.name)
        self.nodes: list[Node] = []
        self._own_nodes: dict[str, Node] = {}
        self.parameters: list[Parameter] = []
        self._parameter_names: set[str] = set()
        self.kinetic_terms: list[Expr] = []
        self.potential_terms: list[Expr] = []
        self.dissipated_terms: list[Expr] = []
        self.generalized_forces: list[tuple[Node, tuple[Expr, ...]]] = []
        self.applied_forces: list[tuple[Expr, Expr]] = []
        self.fields: list[tuple[Node, tuple[Expr, ...]]] = []
        self.energy_terms: list[Expr] = []
        self.placements: list[Placement] = []
        self.locations: list[Location] = []
        self.trees: list[BodyTree] = []
        self.angles: list[UnwrappedAngle] = []
        self.constraints: list[Constraint] = []
        self.outputs: list[Output] = []
        self.local_outputs: list[Output] = []
        self.events: list[Event] = []
        self._forces_of_all: str | None = None
        self._velocities: set[Symbol] = set()
        self._accelerations: set[Symbol] = set()
        self._multipliers: set[Symbol] = set()
        self._points: list[Node] = []
        self.time = TIME
        self._time = self.program.input("t", Euclidean(1), (TIME,))
        self.units = UnitCheck(name, self.program)
        self.units.declare([TIME], [Unit(UNITS["s"])], Certainty.FIELD)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is stated on the nodes."""
        return not (
            *self.kinetic_terms, *self.potential_terms, *self.dissipated_terms, *self.energy_terms,
            *self.generalized_forces, *self.applied_forces, *self.fields, *self.placements, *self.locations,
            *self.constraints, *self.outputs, *self.local_outputs, *self.events,
        )  # fmt: skip

    @property
    def kinetic(self) -> Expr:
        """T, the sum of all kinetic energies."""
        return Add(*self.kinetic_terms)

    @property
    def potential(self) -> Expr:
        """V, the sum of all potential energies."""
        return Add(*self.potential_terms)

    @property
    def dissipated(self) -> Expr:
        """D, the sum of all dissipation functions."""
        return Add(*self.dissipated_terms)

    @property
    def energies(self) -> Expr:
        """The sum of all energies that are reported without T and V."""
        return Add(*self.energy_terms)

    @property
    def t(self) -> Symbol:
        """The time, a symbol."""
        return self.time

    _parameter_prefix = ""

    def parameter(self, name: str, default: object, unit: str = "") -> Expression:
        """Declare a parameter: a run-time input, unless `Equations.compile` is told to freeze it.

        Parameters
        ----------
        name
            Identifier.
        default
            Default value: a number, a vector or a matrix.
        unit
            Unit that values are given and shown in, such as ``"kg m^2"``, ``"mm"`` or ``"deg"``, see `unit`; formulas
            see SI units. Sums are checked where the units of their terms are known. Several units, separated by commas,
            belong to parts of a vector of equal length.

        Returns
        -------
        Expr or SymbolicMatrix
            A scalar, or a column or matrix, in SI units.
        """
        new_name("Parameter", name, self._parameter_names, self.name)
        if name == str(self.time):
            raise ModelError(f"Parameter name '{name}' means the time; choose another name.")
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
        if array.ndim < 2 or "," not in unit:  # of a matrix, parts have no single unit
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
        """φ(ad θ) w for a function of `analytic_function`, to be used in any expression.

        Parameters
        ----------
        function
            φ.
        group
            A group, standard or defined by the user, whose ad has the eigenvalues 0 and ±iω (class A).
        theta, w
            Expressions with as many components as the group has dimensions.

        Returns
        -------
        SymbolicMatrix
            A column; NaN where ω is beyond the domain of φ.

        Raises
        ------
        GroupError
            The group is of class B.
        ModelError
            The group is a homogeneous space, or the components are of another number.
        """
        space = given_space(group)
        if not isinstance(space, LieGroup):
            raise ModelError(f"{space} is no Lie group; ad belongs to the algebra of a group, such as sl.SE3.")
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
        """The statement in another program, which holds all of its own.

        Parameters
        ----------
        program
            The program.
        """
        other = copy.copy(self)
        other.program = program
        return other

    def copy(self) -> Self:
        """Another statement of the same terms, to which more can be added without a change of this one."""
        other = copy.copy(self)
        own = {k: v.copy() for k, v in vars(self).items() if isinstance(v, list | dict | set | Program)}
        other.__dict__.update(own)
        return other

    def _add_node(self, node: Node, unit: str = "") -> None:
        self.units.declare_node(node, unit)
        self.nodes.append(node)
        self._own_nodes[node.name] = node
        self._points += [] if node.group.velocity_dimension else [node]
        self._velocities |= {s for s in node.velocity.components if isinstance(s, Symbol)}
        self._accelerations |= {s for s in node.acceleration.components if isinstance(s, Symbol)}

    def _is_own(self, node: object) -> bool:
        return isinstance(node, Node) and self._own_nodes.get(node.name) is node

    def _own(self, node: object) -> Node:
        """Check that a node belongs to this statement."""
        if isinstance(node, Node) and self._is_own(node):
            return node
        known = ", ".join(n.name for n in self.nodes) or "none"
        shown = f"Node '{node.name}'" if isinstance(node, Node) else repr(node)
        raise ModelError(f"{shown} does not belong to '{self.name}', whose own nodes are: {known}.")

    def _without_inputs(self, what: str, expressions: Sequence[Expr]) -> None:
        needed = [s.expression for s in needed_statements(self.program, expressions) if isinstance(s, Assignment)]
        if any(e.has(RunTimeInput, RunTimeInputSlope) for e in (*needed, *expressions)):
            raise ModelError(
                f"{what} of '{self.name}' depends on a run-time input, whose table has kinks or jumps; use inputs in "
                "forces, energies of position, outputs and events."
            )

    @property
    def moving_nodes(self) -> list[Node]:
        """The nodes with a velocity of their own."""
        return [n for n in self.nodes if n.group.velocity_dimension]

    def _without_points(self, what: str, expressions: Sequence[Expr], advice: str = "") -> None:
        for node in self._points:
            if depends_on(self.program, expressions, node.value.components):
                raise ModelError(
                    f"{what} of '{self.name}' depends on node '{node.name}' on {node.group}, whose rate is known "
                    f"only once its field is complete{advice}."
                )

    @property
    def multipliers(self) -> tuple[Symbol, ...]:
        """The symbols of λ, by constraint row."""
        return tuple(m for c in self.constraints for m in c.multipliers)

    def _without_multipliers(self, what: str, expressions: Sequence[Expr]) -> None:
        if self.constraints and depends_on(self.program, expressions, self._multipliers):
            raise ModelError(
                f"{what} of '{self.name}' depends on multipliers, which are known only once the equations of motion "
                "are solved; use them in outputs and events."
            )

    def motion(self) -> list[tuple[Value, tuple[Expr, ...]]]:
        """Seeds of forward differentiation along the motion: q' = v, t' = 1."""
        seeds: list[tuple[Value, tuple[Expr, ...]]] = [(n.value, n.velocity.components) for n in self.moving_nodes]
        return [*seeds, (self._time, (Integer(1),))]
