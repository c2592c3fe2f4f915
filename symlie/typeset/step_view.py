"""A step of a variational integrator, for one statement, with the names of the display.

The derived quantities are shown: y = ∂L_d/∂θ, D_{q_n}L_d and D_{q_{n+1}}L_d at fixed θ, p = ∂T/∂v, the loads l, and
constraints without Φ as L_d samples them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from sympy import Expr, Symbol

from symlie.contract.discrete import DiscreteLagrangian
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.discrete.momenta import VariationalStep, derive_variational
from symlie.errors import ModelError
from symlie.groups.group import LieGroup
from symlie.ir.program import Vector
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.terms import Input, Parameter, SmoothTable
from symlie.typeset.notation import PARAMETER, VELOCITY, Letter, field_letter, index_of
from symlie.typeset.term_rows import labelled
from symlie.typeset.view import Row, StatementView

INCREMENT = r"\theta"
"""Letter of log(q_n⁻¹∘q_{n+1})."""


@dataclass(frozen=True)
class Section:
    """Equations with a title and a text."""

    title: str
    text: str
    rows: list[Row]


@dataclass(frozen=True)
class StepPart:
    """Part of a vector over all nodes that belongs to a field of a velocity."""

    superscript: str
    field: str
    start: int
    stop: int

    def letter(self, stem: str, at: str = "") -> Letter:
        """Return the letter of the field in a vector with this stem."""
        return Letter(stem, self.superscript, index_of(at, self.field))


class StepView(StatementView):
    """Step of a statement from (t, q, v) with the index n to n + 1, with the names of the display."""

    letters: ClassVar[str] = "abkrsu"
    element, logarithm, vector = "g", r"\vartheta", "w"

    def __init__(
        self,
        derived: DerivedStatement,
        discrete: DiscreteLagrangian,
        parameters: Sequence[Parameter],
        inputs: Sequence[Input | SmoothTable],
    ) -> None:
        _check(derived.statement)
        self.step: VariationalStep = derive_variational(derived, discrete)
        self.step_parts: list[StepPart] = []
        self._increments: list[tuple[Letter, Vector]] = []
        self._ends = iter(self.step.end)
        self._load = self.step.load if any(discrete.ends) else ()
        self._samples: dict[Vector, tuple[Node, str]] = {}
        for part, places in self.step.between.items():
            at = f"n+{part}"
            self._samples |= {q: (node, at) for node, q in zip(derived.statement.nodes, places, strict=True)}
        moved = replace(derived, statement=derived.statement.with_program(self.step.program))
        super().__init__(moved, parameters, inputs, at="n")

    def _name_node(self, node: Node) -> None:
        self.notation.name(self.step.step_size, "h", PARAMETER)
        super()._name_node(node)
        superscript, fields = self.superscript(node), node.group.velocity_fields
        end = tuple(itertools.islice(self._ends, node.group.storage_dimension))
        self.name_element(Letter("q", superscript, "n+1"), superscript, node.group, end, "n+1")
        whole: list[Symbol] = []
        for field, velocity in zip(fields, self.velocity_parts[-len(fields) :], strict=True):
            label = str(field_letter(field)) if len(fields) > 1 else ""
            part = StepPart(superscript, label, velocity.start, velocity.stop)
            theta, letter = self.step.increment[part.start : part.stop], part.letter(INCREMENT)
            self.notation.name_vector(theta, letter, VELOCITY)
            self.forms.add(str(letter), theta)
            self._increments.append((letter, theta))
            self.step_parts.append(part)
            whole += theta
        self.forms.add(str(Letter(INCREMENT, superscript)), whole)

    def _name_result(self, group: LieGroup, storage: Vector) -> Letter:
        if storage not in self._samples:
            return super()._name_result(group, storage)
        node, at = self._samples[storage]
        superscript = self.superscript(node)
        name = Letter("q", superscript, at)
        self.name_element(name, superscript, group, storage, at)
        return name

    def _factors(self) -> Iterator[tuple[Letter, Sequence[Expr]]]:
        yield from super()._factors()
        yield from self._increments

    def _vectors(self) -> Iterator[tuple[Vector, Letter]]:
        return iter(())

    def _shown(self) -> list[Expr]:
        step = self.step
        return [*step.momentum, *self._load, *step.by_increment, *step.by_start, *step.by_end, *step.rolling]

    def part_rows(self, stem: str, vector: Vector, at: str = "") -> list[Row]:
        """Typeset the nonzero parts of a vector over all nodes."""
        parts = [(p, vector[p.start : p.stop]) for p in self.step_parts]
        return [self.vector_row(str(p.letter(stem, at)), part) for p, part in parts if any(c != 0 for c in part)]

    def sections(self) -> list[Section]:
        """Return all equations by section."""
        step = self.step
        derivatives = [
            *self.part_rows("y", step.by_increment),
            *self.part_rows("d", step.by_start, "n"),
            *self.part_rows("d", step.by_end, "n+1"),
        ]
        rolling = [
            self.vector_row(rf"\rho_{{{label}}}" if label else r"\rho", step.rolling[part])
            for constraint, label, part in labelled(self)
            if constraint.level == 1
        ]
        at_ends = r"At $t_{n}$; the terms at $t_{n+1}$ have the same form. Terms that are not shown are zero."
        sections = [
            Section("Statements", "", self.definitions),
            Section("Derivatives of the discrete Lagrangian", "Terms that are not shown are zero.", derivatives),
            Section("Constraint equations without Φ", "", rolling),
            Section("Momenta", at_ends, self.part_rows("p", step.momentum, "n")),
            Section("Loads", at_ends, self.part_rows("l", self._load, "n") if self._load else []),
        ]
        return [section for section in sections if section.rows]


def _check(statement: Statement) -> None:
    what = ""
    if statement.dependents:
        what = "dependent nodes"
    elif any(c.level == 2 for c in statement.constraints):
        what = "acceleration-level constraints"
    elif not all(c.is_affine for c in statement.constraints):
        what = "constraints that are nonlinear in the velocities"
    if what:
        raise ModelError(
            f"'{statement.name}' has {what}, which variational methods do not support; show its equations without a "
            "discrete Lagrangian."
        )
