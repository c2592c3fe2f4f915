"""Names of a derived statement in the display: nodes, parameters, and the definitions that keep a name."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import sympy
from sympy import Expr, Symbol

from symlie.derive.derived_statement import DerivedStatement
from symlie.groups.group import LieGroup
from symlie.groups.homogeneous import ConfigurationSpace
from symlie.groups.operations import Compose, Difference, Exponential, Inverse, Logarithm
from symlie.groups.rotation import Rotate, rotation_size
from symlie.ir.program import Application, Assignment, Vector
from symlie.modeling.element_type import ElementType
from symlie.modeling.node import Node
from symlie.modeling.terms import Input, Parameter, SmoothTable
from symlie.typeset.definitions import Definition, statement_list
from symlie.typeset.notation import (
    LET,
    PARAMETER,
    STORAGE,
    VELOCITY,
    Letter,
    Notation,
    Rotation,
    field_letter,
    index_of,
    letter,
    rotation_entries,
    word,
)
from symlie.typeset.vector_forms import VectorForms


@dataclass(frozen=True)
class Row:
    """``left = right = …`` in an aligned block; every right side is equal to the left side."""

    left: str
    right: tuple[str, ...]


@dataclass(frozen=True)
class VelocityPart:
    """Named part of the velocities of a statement."""

    letter: Letter
    start: int
    stop: int


class StatementView:
    """Derived statement with the names of the display; ``at`` is the index of the grid point of t, q and v, if any."""

    letters: ClassVar[str] = "abdfkrsu"
    """Letters for unnamed vectors; numbered letters follow when they are used up."""
    element, logarithm, vector = "h", r"\theta", "y"
    """Letters of group elements, of logarithms and of those vectors, which are numbered."""

    def __init__(
        self,
        derived: DerivedStatement,
        parameters: Sequence[Parameter],
        inputs: Sequence[Input | SmoothTable] = (),
        *,
        newton: bool = False,
        at: str = "",
    ) -> None:
        self.derived, self.at = derived, at
        self.newton = derived.newton if newton else None
        self.notation = Notation()
        self.forms = VectorForms(self.notation)
        self.rotations: dict[Vector, Rotation] = {}
        self._elements: dict[Vector, str] = {}
        self._counts: dict[str, int] = {}
        self._letters = iter([c for c in self.letters if c not in {p.name for p in parameters}])
        self.velocity_parts: list[VelocityPart] = []
        self.notation.name(derived.statement.time, str(Letter("t", "", at)), STORAGE)
        for entry in inputs:
            self.notation.name(entry.slots[0], word(entry.name), PARAMETER)
        for own in derived.statement.inputs if isinstance(derived.statement, ElementType) else ():
            self.notation.name(own.choice[0], word(own.name), PARAMETER)
        for parameter in parameters:
            self._name_parameter(parameter)
        for node in derived.statement.nodes:
            self._name_node(node)
        self._name_multipliers()
        self._name_products(parameters)
        vectors: dict[Vector, Letter] = {}
        for components, name in self._vectors():
            vectors.setdefault(components, name)
        self._list = statement_list(
            derived.statement.program,
            self._shown(),
            vectors,
            frozenset(s for p in parameters for s in p.symbols),
        )
        self.definitions = [self._define(d, vectors.get(d.symbols)) for d in self._list.definitions]
        self._rights = {row.left: row.right[0] for row in self.definitions}

    def superscript(self, node: Node) -> str:
        """Return the name of a node as a superscript, empty for a single node."""
        return word(node.name.rpartition(".")[2]) if len(self.derived.statement.nodes) > 1 else ""

    def written(self, expressions: Sequence[Expr], *, collect: bool = True) -> Vector:
        """Return expressions in the symbols that have names."""
        return self._list.written(expressions, collect=collect)

    def vector_row(self, left: str, expressions: Sequence[Expr]) -> Row:
        """Return a row that shows a vector in vector form, if it has one, and in components."""
        components = self.written(expressions)
        if len(components) == 1:
            return Row(left, (self.forms.scalar(components[0]),))
        if all(c == 0 for c in components):
            return Row(left, ("0",))
        for rotation in self.rotations.values():
            if components in (rotation.entries, rotation.formulas):
                return Row(left, (str(rotation.letter),))
        form = self.forms.vector(components)
        column = self.notation.column(components)
        if form is None:
            return Row(left, (column,))
        if form in self._rights:
            return Row(left, (form, self._rights[form]))
        has_products = r"\times" in form or r"\operatorname" in form
        return Row(left, (form, column) if has_products else (form,))

    def scalar_row(self, left: str, expression: Expr) -> Row:
        """Return an equation that shows a scalar, as dot products if possible."""
        (written,) = self.written([expression], collect=False)
        return Row(left, (self.forms.scalar(written),))

    def _name_parameter(self, parameter: Parameter) -> None:
        name = letter(parameter.name)
        self.notation.name_vector(parameter.symbols, name, PARAMETER, parameter.shape)
        if len(parameter.shape) == 1:
            self.forms.add(str(name), parameter.symbols)

    def _name_node(self, node: Node) -> None:
        superscript = self.superscript(node)
        storage, velocity = node.value.components, node.velocity.components
        self.name_element(Letter("q", superscript, self.at), superscript, node.group, storage, self.at)
        self.notation.name_fields(velocity, node.group.velocity_fields, VELOCITY, superscript, self.at)
        start = self.velocity_parts[-1].stop if self.velocity_parts else 0
        for field in node.group.velocity_fields:
            name = field_letter(field, superscript, self.at)
            self.forms.add(str(name), velocity[field.offset : field.offset + field.size])
            self._name_rate(name, node.acceleration.components[field.offset : field.offset + field.size])
            self.velocity_parts.append(VelocityPart(name, start + field.offset, start + field.offset + field.size))

    def name_element(
        self, name: Letter, superscript: str, group: ConfigurationSpace, storage: Vector, at: str = ""
    ) -> None:
        """Name a group element, its fields and its rotation matrices."""
        self._elements[storage] = str(name)
        self.notation.name_fields(storage, group.storage_fields, STORAGE, superscript, at)
        for field in group.storage_fields:
            if len(field.shape) == 1:
                part = storage[field.offset : field.offset + field.size]
                self.forms.add(str(field_letter(field, superscript, at)), part)
        for number, (factor, offset, _) in enumerate(group.simple_factors if isinstance(group, LieGroup) else (), 1):
            part = storage[offset : offset + factor.storage_dimension]
            if isinstance(group, LieGroup) and group.factors:
                self._elements[part] = str(Letter(name.stem, superscript, f"{name.index}({number})"))
            if factor.rotation is None:
                continue
            name_of_matrix = Letter("R", superscript, index_of(at, "" if group.rotation else str(number)))
            formulas = tuple(sympy.expand(e) for e in factor.rotation(part))
            rotation = Rotation(name_of_matrix, rotation_entries(factor, part), formulas)
            n = rotation_size(factor)
            self.notation.name_vector(rotation.entries, rotation.letter, STORAGE, (n, n))
            self.forms.add_rotation(rotation)
            self.rotations[part] = self.rotations[storage] = rotation

    def _name_multipliers(self) -> None:
        constraints, first = self.derived.statement.constraints, 0
        for constraint in constraints:
            name = Letter(r"\lambda", word(constraint.name) if len(constraints) > 1 else "")
            last = first + len(constraint.rows)
            # The Newton matrices contain λ explicitly, with separate symbols.
            for symbols in (constraint.multipliers, self.newton.multipliers[first:last] if self.newton else ()):
                self.notation.name_vector(symbols, name, VELOCITY)
                if symbols:
                    self.forms.add(str(name), symbols)
            first = last
        for part in self.velocity_parts if self.newton and self.newton.acceleration else ():
            self._name_rate(part.letter, self.newton.acceleration[part.start : part.stop] if self.newton else ())

    def _name_rate(self, of: Letter, symbols: Sequence[Symbol] | Vector) -> None:
        """Name the rate of a velocity by its letter with a dot."""
        dotted = of.stem.replace(r"\dot", r"\ddot") if of.stem.startswith(r"\dot") else rf"\dot{{{of.stem}}}"
        name = Letter(dotted, of.superscript, of.index)
        self.notation.name_vector(symbols, name, VELOCITY)
        self.forms.add(str(name), symbols)

    def _name_products(self, parameters: Sequence[Parameter]) -> None:
        for parameter in parameters:
            name, symbols = str(letter(parameter.name)), parameter.symbols
            for part, u in self._factors():
                if parameter.shape == (len(u),) and len(u) > 1:
                    components = [a * b for a, b in zip(symbols, u, strict=True)]
                    self.forms.add_product(rf"\operatorname{{diag}}\left({name}\right) {part}", components)
                elif parameter.shape == (len(u), len(u)):
                    rows = [symbols[i * len(u) : (i + 1) * len(u)] for i in range(len(u))]
                    components = [sum(a * b for a, b in zip(row, u, strict=True)) for row in rows]
                    self.forms.add_product(f"{name} {part}", components)

    def _factors(self) -> Iterator[tuple[Letter, Sequence[Expr]]]:
        """Return the vectors that matrices of parameters multiply."""
        velocities = [s for n in self.derived.statement.nodes for s in n.velocity.components]
        for part in self.velocity_parts:
            yield part.letter, velocities[part.start : part.stop]

    def _vectors(self) -> Iterator[tuple[Vector, Letter]]:
        """Return values with a meaning in the derivation: momenta, entries of M, rates of the constraints."""
        statement, dynamics, constraints = self.derived.statement, self.derived.dynamics, self.derived.constraints
        bound = {s.expression: s.symbol for s in statement.program.statements if isinstance(s, Assignment)}
        for part in self.velocity_parts:
            momentum = tuple(bound.get(p, p) for p in dynamics.momentum[part.start : part.stop])
            index = str(Letter(part.letter.stem, "", part.letter.index))
            yield momentum, Letter(r"\pi", part.letter.superscript, index)
        for i, row in enumerate(dynamics.mass):
            for j, entry in enumerate(row[: i + 1]):
                yield (entry,), Letter(f"M_{{{j + 1}{i + 1}}}" if len(row) < 10 else f"M_{{{j + 1},{i + 1}}}")
        ends = [0, *itertools.accumulate(len(c.rows) for c in statement.constraints)]
        for constraint, (a, b) in zip(statement.constraints, itertools.pairwise(ends), strict=True):
            yield constraints.hidden[a:b], Letter("w", word(constraint.name) if len(ends) > 2 else "")

    def _shown(self) -> list[Expr]:
        statement, dynamics, constraints = self.derived.statement, self.derived.dynamics, self.derived.constraints
        shown = [
            *(entry for row in dynamics.mass for entry in row),
            *dynamics.force,
            *constraints.position,
            *(entry for row in constraints.jacobian for entry in row),
            *constraints.rate,
            *constraints.hidden,
            *constraints.curvature,
            *(statement.kinetic, statement.potential, statement.dissipated, statement.energies),
            *(c for _, f in statement.fields for c in f),
            *(c for d in statement.dependents for c in (*d.configuration, *(d.velocity or ()))),
            *(c for output in statement.outputs for c in output.components),
            *(event.expression for event in statement.events),
        ]
        if self.newton is not None:
            shown += [entry for matrix in self.newton.matrices for row in matrix for entry in row]
        return shown

    def _fresh(self, stem: str) -> Letter:
        self._counts[stem] = self._counts.get(stem, 0) + 1
        return Letter(stem, "", str(self._counts[stem]))

    def _free_letter(self) -> Letter:
        single = next(self._letters, None)
        return Letter(single) if single is not None else self._fresh(self.vector)

    def _define(self, definition: Definition, known: Letter | None) -> Row:
        symbols = definition.symbols
        if definition.application is not None:
            return self._define_application(definition, definition.application)
        if len(symbols) == 1:
            name = known or self._fresh("z" if symbols[0].name.startswith("z.") else r"\sigma")
            self.notation.name(symbols[0], str(name), LET)
            return Row(str(name), (self.forms.scalar(definition.expressions[0]),))
        name = known or self._free_letter()
        form = self.forms.vector(definition.expressions)
        self._name_let(symbols, name)
        return Row(str(name), (form or self.notation.column(definition.expressions),))

    def _name_let(self, symbols: Sequence[Symbol], name: Letter) -> None:
        self.notation.name_vector(symbols, name, LET)
        self.forms.add(str(name), symbols)

    def _define_application(self, definition: Definition, application: Application) -> Row:
        operation, result = application.operation, application.result.components
        right = self._application(application, definition.arguments)
        if isinstance(application.result.space, LieGroup):
            name = self._name_result(application.result.space, result)
        else:
            is_log = isinstance(operation, Logarithm | Difference)
            name = self._fresh(self.logarithm) if is_log else self._free_letter()
            self._name_let(definition.symbols, name)
        return Row(str(name), (right,))

    def _name_result(self, group: LieGroup, storage: Vector) -> Letter:
        """Name the group element that an operation returns."""
        name = self._fresh(self.element)
        self.name_element(name, str(name), group, storage)
        return name

    def _application(self, application: Application, arguments: Sequence[Vector]) -> str:
        operation = application.operation
        if isinstance(operation, Rotate):
            rotation = self.rotations.get(arguments[0])
            constant = rf"R\left({self.forms.operand(arguments[0])}\right)" + (r"^\top" if operation.transpose else "")
            left = constant if rotation is None else rotation.latex(transpose=operation.transpose)
            return self.forms.operand(arguments[1], left)
        shown = [self._elements.get(a) or self.forms.operand(a) for a in arguments]
        if isinstance(operation, Inverse):
            return self._inverse(shown[0])
        if isinstance(operation, Compose):
            return rf"{shown[0]} \circ {shown[1]}"
        if isinstance(operation, Difference):
            return rf"\log\left({self._inverse(shown[0])} \circ {shown[1]}\right)"
        shown = [self._elements.get(a) or self.forms.vector(a) or self.forms.operand(a) for a in arguments]
        function = rf"\{operation.name}" if isinstance(operation, Exponential | Logarithm) else word(operation.name)
        return rf"{function}\left({', '.join(shown)}\right)"

    @staticmethod
    def _inverse(element: str) -> str:
        return rf"\left({element}\right)^{{-1}}" if "^" in element else f"{element}^{{-1}}"
