"""A canonical text of what a model's kernels depend on: equal texts give equal kernels.

The text is complete by construction: it spells every attribute of the model, of its element types and of their spaces,
those that are added to these classes later included, with all digits of numbers; what it can not spell has no text.
Named exceptions are run-time data: numbers of nodes and instances, connectivity, values of parameters and where they
come from, names of instances and initial numbers; unless the model is small, so that its tables of numbers are
part of the generated code. Of names it counts whether there are any.
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
    "program", "units", "ground", "joints", "_forces_of_all", "_velocities", "_accelerations", "_multipliers",
    "_points", "curves", "shapes", "_own_nodes", "_parameter_names", "_instance_names",
    "joint_rates", "conditions", "totals", "compliances", "given_coordinates",
)  # fmt: skip
"""Attributes of statements that kernels do not depend on; of the program only what other attributes need counts."""


_VALUES: Mapping[type, tuple[str, ...]] = {Parameter: ("default",), SmoothTable: ("points", "values")}
"""Fields that are run-time data."""


class NoTextError(TypeError):
    """Something was stated that has no canonical text."""


def canonical_text(model: Model, *, with_topology: bool) -> str:
    """Text of the statements of a model and its element types.

    Parameters
    ----------
    model
        The model.
    with_topology
        Whether numbers of nodes and instances and their connectivity are part of it.

    Raises
    ------
    NoTextError
        The model holds something that has none, such as a function.
    """
    speller = _Speller(with_topology)
    lines = [line for s in (model, *(i.element for i in model.instances)) for line in speller.statement(s)]
    return "\n".join([*lines, *speller.definitions()])


def _type_name(value: object) -> str:
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


class _Speller:
    """Spells values, and remembers the spaces and expressions that it met."""

    def __init__(self, with_topology: bool) -> None:
        self._with_topology = with_topology
        self._spaces: dict[ConfigurationSpace, str] = {}
        self._expressions: list[Expr] = []
        self._symbols: dict[Basic, str] = {}

    def statement(self, statement: Stated) -> list[str]:
        """Lines for all attributes, and for the statements of the program that they need."""
        self._expressions = []
        stated = {name: value for name, value in sorted(vars(statement).items()) if name not in _NOT_OF_KERNELS}
        if isinstance(statement, Model) and statement.is_empty and not self._with_topology:
            # Nodes that nothing is stated on are what instances are on, as arrays are, and numbers are their start.
            stated["nodes"] = dict.fromkeys(n.group for n in statement.nodes)
            values = itertools.chain.from_iterable(statement.initial_values.values())
            stated["initial_values"] = [v for v in values if any(c.free_symbols for c in v.components)]
        lines = [f"{name} {self.text(value)}" for name, value in stated.items()]
        # Derivation appends statements to the program, so only what the statement itself needs counts.
        needed = [self.text(line) for line in needed_statements(statement.program, self._expressions)]
        return [f"statement {statement.name}", *lines, *needed]

    def definitions(self) -> list[str]:
        """Lines for all spaces that were met, and for those that they consist of."""
        lines: list[str] = []
        while len(lines) < len(self._spaces):
            space = list(self._spaces)[len(lines)]
            lines.append(f"{self._spaces[space]} = {self.text(_definition(space))}")
        return lines

    def text(self, value: object) -> str:
        """A value in full."""
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
            # Of node arrays only the spaces count, each once.
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
        """An expression with its heads and arguments; printing rounds numbers, and hides how terms are grouped."""
        if not value.args:
            if isinstance(value, Symbol):
                return self._symbols.get(value) or self._symbols.setdefault(value, str(sympy.srepr(value)))
            return str(sympy.srepr(value))
        return f"{_type_name(value)}({', '.join(map(self._expression, value.args))})"


@functools.cache
def _definition(space: ConfigurationSpace) -> dict[str, object]:
    """All attributes of a space; functions by what they give for symbols."""
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
