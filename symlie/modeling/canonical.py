"""Canonical text of everything that the kernels of a model depend on: equal texts give equal kernels.

The text covers every attribute of the model, of its element types and of their spaces, including attributes added to
these classes later, with all digits of numbers; objects without a canonical form have no text. The exceptions are
listed by name and are run-time data: numbers of nodes and instances, connectivity, values and sources of parameters,
names of instances (only their presence matters) and initial numbers. The topology of a small model is part of the
generated code and therefore of the text.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Mapping
from types import NoneType
from typing import Any

import sympy
from sympy import Basic, Expr, MatrixBase, Symbol

from symlie.groups.group import LieGroup, storage_symbols
from symlie.groups.homogeneous import ConfigurationSpace, HomogeneousSpace
from symlie.ir.program import Program, needed_statements
from symlie.modeling.declarations import Stated
from symlie.modeling.element_type import ElementInstances
from symlie.modeling.model import Model
from symlie.modeling.node import Node
from symlie.modeling.node_array import NodeArray
from symlie.modeling.terms import Parameter, SmoothTable

_NOT_OF_KERNELS = (
    "program", "units", "ground", "joints", "_forces_of_all", "_declared_velocities", "_declared_accelerations",
    "_undeclared", "_multipliers",
    "_points", "curves", "shapes", "_own_nodes", "_spaces_of_nodes", "_parameter_names", "_instance_names",
    "joint_rates", "conditions", "bases", "totals", "compliances", "given_coordinates",
)  # fmt: skip
"""Attributes of statements that kernels do not depend on; the program counts as far as other attributes need it."""


_VALUES: Mapping[type, tuple[str, ...]] = {Parameter: ("default",), SmoothTable: ("points", "values")}
"""Fields that are run-time data."""


class NoTextError(TypeError):
    """Part of a model has no canonical text."""


def canonical_text(model: Model, *, with_topology: bool) -> str:
    """Return the canonical text of a model and its element types; raise `NoTextError` if a part, such as a function,
    has none."""
    speller = _Speller(with_topology)
    lines = [line for s in (model, *(i.element for i in model.instances)) for line in speller.statement(s)]
    return "\n".join([*lines, *speller.definitions()])


def _type_name(value: object) -> str:
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


class _Speller:
    """Writer of canonical text that collects the spaces and expressions it encounters."""

    def __init__(self, with_topology: bool) -> None:
        self._with_topology = with_topology
        self._spaces: dict[ConfigurationSpace, str] = {}
        self._expressions: list[Expr] = []
        self._symbols: dict[Basic, str] = {}

    def statement(self, statement: Stated) -> list[str]:
        """Return lines for all attributes and for the program statements that they need."""
        self._expressions = []
        stated = {name: value for name, value in sorted(vars(statement).items()) if name not in _NOT_OF_KERNELS}
        if isinstance(statement, Model) and statement.is_empty and not self._with_topology:
            # Nodes without terms of the model count like arrays, and their numerical initial values are run-time data.
            stated["nodes"] = dict.fromkeys(n.group for n in statement.nodes)
            values = itertools.chain.from_iterable(statement.initial_values.values())
            stated["initial_values"] = [v for v in values if any(c.free_symbols for c in v.components)]
        lines = [f"{name} {self.text(value)}" for name, value in stated.items()]
        # Derivation appends program statements, so include only those that the terms need.
        needed = [self.text(line) for line in needed_statements(statement.program, self._expressions)]
        return [f"statement {statement.name}", *lines, *needed]

    def definitions(self) -> list[str]:
        """Return a line for each space encountered and for its factors."""
        lines: list[str] = []
        while len(lines) < len(self._spaces):
            space = list(self._spaces)[len(lines)]
            lines.append(f"{self._spaces[space]} = {self.text(_definition(space))}")
        return lines

    def text(self, value: object) -> str:
        """Return the full text of a value."""
        if isinstance(value, NoneType | bool | int | float | str):
            return repr(value)
        if isinstance(value, Expr):
            self._expressions.append(value)
        if isinstance(value, Basic):
            return self._expression(value)
        if isinstance(value, MatrixBase):
            return self.text((value.shape, list(value)))
        if isinstance(value, Mapping):
            return self.text(list(value.items()))
        if isinstance(value, list | tuple):
            items = [self.text(v) for v in value]
            # Only the distinct spaces of node arrays matter.
            unique = dict.fromkeys(items) if all(isinstance(v, NodeArray) for v in value) else items
            return f"({', '.join(unique)})"
        return self._object(value)

    def _object(self, value: object) -> str:
        if isinstance(value, LieGroup | HomogeneousSpace):
            return self._spaces.setdefault(value, f"space {len(self._spaces)}")
        if isinstance(value, Program):
            return self.text(value.statements)
        if isinstance(value, Node):
            return f"node({value.name}, {self.text(value.group)})"
        if isinstance(value, NodeArray):
            return f"array({self.text(value.group)})"
        if isinstance(value, ElementInstances):
            labelled = ", labelled" if any(value.labels) else ""
            return f"instances({value.element.name}, {self.text(value.nodes) if self._with_topology else ''}{labelled})"
        if dataclasses.is_dataclass(value):
            left_out = _VALUES.get(type(value), ())
            fields = [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value) if f.name not in left_out]
            return f"{_type_name(value)}{self.text(fields)}"
        raise NoTextError(f"{value!r} has no canonical text.")

    def _expression(self, value: Basic) -> str:
        """Return the heads and arguments of an expression, because printing rounds numbers and hides the grouping of
        terms."""
        if not value.args:
            if isinstance(value, Symbol):
                return self._symbols.get(value) or self._symbols.setdefault(value, str(sympy.srepr(value)))
            return str(sympy.srepr(value))
        return f"{_type_name(value)}({', '.join(map(self._expression, value.args))})"


@functools.cache
def _definition(space: ConfigurationSpace) -> dict[str, object]:
    """Return all attributes of a space, with each function replaced by its result for symbols."""
    program = Program()
    y = storage_symbols(space)
    other = storage_symbols(space, "other")
    arguments: dict[str, tuple[object, ...]] = dict.fromkeys(("relations", "normalize", "rotation"), (y,))
    if isinstance(space, LieGroup):
        arguments |= {
            "compose": (y, other),
            "inverse": (y,),
            "between_form": (y, other),
            "rotation_logarithm": (program, y),
            "near_logarithm": (program, y),
        }
    else:
        arguments |= {
            "action": (storage_symbols(space.group, "g"), y),
            "hamiltonian": (y, other),
            "lift": (y, other),
            "theta_step": (program, y, sympy.symbols(f"theta:{space.dimension}"), Symbol("theta")),
        }
    attributes: dict[str, Any] = {f.name: getattr(space, f.name) for f in dataclasses.fields(space)}
    for name, values in arguments.items():
        function = attributes[name]
        attributes[name] = function if function is None else function(*values)
    return {**attributes, "program": program}
