"""Canonical texts: equal for equal models, and different after any change."""

from __future__ import annotations

import copy
import dataclasses
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sympy
from sympy import Expr, MatrixBase

import symlie as sl
from symlie.derive.equations import equations_of
from symlie.groups.group import LieGroup, NearLogarithm
from symlie.groups.homogeneous import HomogeneousSpace
from symlie.ir.program import Application, Assignment, needed_statements
from symlie.modeling.canonical import canonical_text
from symlie.modeling.declarations import Stated
from symlie.modeling.element_type import ElementInstances
from symlie.modeling.inventory import terms_of
from symlie.modeling.node import Node
from symlie.modeling.node_array import NodeArray
from symlie.models.registry import build_model, model_names
from symlie.publish.sets import _emitted_core
from tests.random.generator import random_model

SEEDS = range(4)


def text(model: sl.Model) -> str:
    return canonical_text(model, with_topology=True)


def changed(value: Any) -> Iterator[Any]:
    """Copies of a value, each with one number, name, expression or entry changed by as little as possible."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1
    elif isinstance(value, str):
        yield f"{value}_"
    elif isinstance(value, Expr):
        yield from changed_expression(value)
    elif isinstance(value, MatrixBase):
        entries = list(value)
        for others in changed(entries):
            if len(others) == len(entries):
                yield value.__class__(*value.shape, others)
    elif isinstance(value, NearLogarithm):
        for k, item in enumerate(value):
            for other in changed(item):
                yield NearLogarithm(*value[:k], other, *value[k + 1 :])
    elif isinstance(value, list | tuple):
        for k, item in enumerate(value):
            yield type(value)([*value[:k], *value[k + 1 :]])
            for other in changed(item):
                yield type(value)([*value[:k], other, *value[k + 1 :]])
    elif dataclasses.is_dataclass(value) and not isinstance(value, LieGroup | HomogeneousSpace | type):
        for field in dataclasses.fields(value):
            if field.name not in RUN_TIME:
                for other in changed(getattr(value, field.name)):
                    yield dataclasses.replace(value, **{field.name: other})


RUN_TIME = ("default", "parameters", "sources", "names", "labels", "element")
"""Fields of parameters and instances that kernels do not depend on, and element types, which are changed themselves."""


def changed_expression(value: Expr) -> Iterator[Expr]:
    """An expression with another term, and with the last bit of one of its numbers changed."""
    yield value + sympy.Symbol("t", real=True)
    for number in sorted(value.atoms(sympy.Float, sympy.Integer, sympy.Rational), key=str)[:2]:
        yield value.xreplace({number: sympy.Float(float(number) * (1 + 2**-52))})


def changed_statements(statement: Stated) -> Iterator[Callable[[], None]]:
    """Functions that change one thing in a copy of a statement's attributes."""
    for name, value in vars(statement).items():
        if isinstance(value, Node | NodeArray) or name in ("program", "units", "_forces_of_all", "nodes", "arrays"):
            continue
        for other in changed(value):
            yield lambda name=name, other=other: setattr(statement, name, other)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_text_changes_with_every_part_of_a_model(seed: int) -> None:
    """Anything that is changed in a statement, in the lines of its program or in a node shows in the text."""
    draw = random.Random(seed)
    model = random_model(random.Random(seed)).model
    before = text(model)
    assert before == text(random_model(random.Random(seed)).model)
    for statement in (model, *(i.element for i in model.instances)):
        attributes = dict(vars(statement))
        mutations = list(changed_statements(statement))
        for mutation in draw.sample(mutations, min(len(mutations), 40)):
            mutation()
            new = {k: v for k, v in vars(statement).items() if v is not attributes[k]}
            assert text(model) != before, new
            vars(statement).update(attributes)
        assert text(model) == before


@pytest.mark.slow
def test_program_lines_are_canonical() -> None:
    assert sum(map(checked_lines, SEEDS)) > 20


def checked_lines(seed: int) -> int:
    """Number of lines of a random model's programs that show in its text."""
    model = random_model(random.Random(seed)).model
    before, count = text(model), 0
    for statement in (model, *(i.element for i in model.instances)):
        lines = statement.program.statements
        stated = [e for _, expressions in terms_of(statement) for e in expressions]
        needed = needed_statements(statement.program, stated)
        count += len(needed[:20])
        for line in needed[:20]:
            place = next(k for k, other in enumerate(lines) if other is line)
            if isinstance(line, Assignment):
                others = [Assignment(line.symbol, e) for e in changed_expression(line.expression)]
            else:
                first = line.arguments[0]
                components = (2 * first.components[0], *first.components[1:])
                arguments = (dataclasses.replace(first, components=components), *line.arguments[1:])
                others = [Application(line.operation, arguments, line.result)]
            for other in others:
                lines[place] = other
                assert text(model) != before, line
            lines[place] = line
    assert text(model) == before
    return count


SPACES = {
    "group": sl.SE3,
    "product": sl.group_from_name("SO3xR3"),
    "coordinates": sl.group_from_name("SO3rv"),
    "sphere": sl.S2,
    "bundle": sl.TS2,
    "dual": sl.dual_space(sl.SE3),
    "cotangent": sl.cotangent_space(sl.SO3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPACES)
def test_space_definitions_are_part_of_the_text(name: str) -> None:
    """Every attribute of a space counts; functions by their values."""
    space = SPACES[name]

    def text_on(space: Any) -> str:
        model = sl.Model("one")
        model.node("body", space)
        return text(model)

    before = text_on(space)
    assert text_on(copy.copy(space)) == before
    for field in dataclasses.fields(space):
        value = getattr(space, field.name)
        if callable(value) and not isinstance(value, LieGroup):
            others: list[Any] = [lambda *a, value=value: _with_another_part(value(*a))]
        elif isinstance(value, LieGroup):
            others = [dataclasses.replace(value, name=f"{value.name}_")]
        else:
            others = [o for o in changed(value) if not isinstance(value, tuple) or len(o) == len(value)]
        for other in others[:1]:
            assert text_on(dataclasses.replace(space, **{field.name: other})) != before, field.name


def _with_another_part(value: Any) -> Any:
    return next(changed(value), None) if value else (sympy.Integer(1),)


def test_kernels_are_independent_of_run_time_data() -> None:
    """Of a small model the values of parameters, of a rod all numbers: the same text, and the same generated code."""
    models = [build_model("heavy_top", {"group": "SE3"}).model for _ in range(2)]
    models[1].parameters[0] = dataclasses.replace(models[1].parameters[0], default=(3.0,))
    assert text(models[0]) == text(models[1])
    emitted = [_emitted_core(equations_of(m)) for m in models]
    assert emitted[0] == emitted[1]
    rods = [build_model("roll_up", {"segments": n}).model for n in (4, 7)]
    texts = [[canonical_text(m, with_topology=flag) for m in rods] for flag in (False, True)]
    assert texts[0][0] == texts[0][1]
    assert texts[1][0] != texts[1][1]
    assert isinstance(rods[0].instances[0], ElementInstances)


def test_last_digit_changes_the_text() -> None:
    def weighing(m: float) -> str:
        model = sl.Model("body")
        q = model.node("body", "R1")
        model.kinetic_energy(m * q.x_dot[0] ** 2)
        return text(model)

    assert weighing(0.1) != weighing(0.1 + 2**-56)


@pytest.mark.filterwarnings("ignore:The inertia of body:symlie.warnings.SymlieWarning")
@pytest.mark.parametrize("name", model_names())
def test_built_in_models_have_a_text(name: str) -> None:
    assert equations_of(build_model(name, {}).model).canonical_text


def test_models_with_function_attributes_have_no_text() -> None:
    model = sl.Model("body")
    model.kinetic_energy(model.node("body", "R1").x_dot[0] ** 2)
    vars(model)["added_later"] = print
    assert equations_of(model).canonical_text is None
    assert model.derive().compile(backend="numpy").name == "body"
