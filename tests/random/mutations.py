"""Random models with one mistake: each must be refused by a named error, wherever it is found."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import sympy

import symlie as sl
from symlie.modeling.node import Node
from tests.random import groups
from tests.random.generator import RandomModel, random_model

Mistake = Callable[[RandomModel, random.Random], sl.System | None]
"""Introduces a mistake; a returned function is run if the mistake only appears there."""


def _nodes(drawn: RandomModel) -> list[Node]:
    """Nodes of the first statement."""
    return drawn.parts[0].model.nodes


def _statement(drawn: RandomModel) -> Any:
    return drawn.parts[0].model


def _system(drawn: RandomModel) -> sl.System:
    return drawn.model.derive().compile(backend="numpy")


def _stranger(group: Any = "SE3") -> Node:
    """A node of another model."""
    return sl.Model("other").node("stranger", group)


def no_mass(drawn: RandomModel, _: random.Random) -> None:
    for part in drawn.parts:
        part.model.kinetic_terms.clear()


def node_without_mass(drawn: RandomModel, draw: random.Random) -> None:
    drawn.model.node("extra", groups.group(draw.choice(groups.FREQUENT)))


def vector_energy(drawn: RandomModel, draw: random.Random) -> None:
    _statement(drawn).kinetic_energy(sl.vector(1, draw.randint(1, 9)))


def cubic_energy(drawn: RandomModel, draw: random.Random) -> None:
    _statement(drawn).kinetic_energy(draw.choice(list(_nodes(drawn)[0].v)) ** draw.choice([3, 4, 5]))


def energy_with_a_root_of_velocities(drawn: RandomModel, _: random.Random) -> None:
    _statement(drawn).kinetic_energy(sl.sqrt(1 + _nodes(drawn)[0].v[0] ** 2))


def negative_energy(drawn: RandomModel, _: random.Random) -> sl.System:
    node = _nodes(drawn)[0]
    _statement(drawn).kinetic_energy(-1000 * node.v.dot(node.v))
    return _system(drawn)


def potential_of_velocity(drawn: RandomModel, _: random.Random) -> None:
    _statement(drawn).potential_energy(_nodes(drawn)[0].v[-1])


def unknown_symbol(drawn: RandomModel, draw: random.Random) -> None:
    unknown, node = sympy.Symbol("forgotten", real=True), _nodes(drawn)[0]
    statement = _statement(drawn)
    draw.choice(
        [
            lambda: statement.potential_energy(unknown),
            lambda: statement.output("where", unknown * node.v[0]),
            lambda: statement.event("when", unknown),
            lambda: statement.generalized_force(node, unknown * node.v),
            lambda: statement.dissipation(unknown * node.v[0] ** 2),
        ]
    )()


def symbol_of_another_model(drawn: RandomModel, draw: random.Random) -> None:
    other = _stranger()
    part = draw.choice([other.x[0], other.v[0], other.log()[1], (other.R * sl.vector(1, 2, 3))[0]])
    _statement(drawn).output("foreign", part)


def unknown_group(drawn: RandomModel, draw: random.Random) -> None:
    drawn.model.node("other", draw.choice(["SE4", "R0", "R-1", "so3", "SO3x", "", "R3 ", "R²", "S3sR2"]))


def no_group(drawn: RandomModel, draw: random.Random) -> None:
    drawn.model.node("other", draw.choice([None, 3, object()]))


def unknown_field(drawn: RandomModel, _: random.Random) -> None:
    _ = _nodes(drawn)[0].angle


def unusable_name(drawn: RandomModel, draw: random.Random) -> None:
    name = draw.choice(["x; rm", "π", "class", "", "a b", "a*/b", 'a"b', "a\nb", "9a", "a" * 101])
    statement = _statement(drawn)
    draw.choice(
        [
            lambda: statement.parameter(name, 1.0),
            lambda: statement.output(name, 1),
            lambda: statement.event(name, 1),
            lambda: statement.constraint(name, 1),
            lambda: drawn.model.node(name, "R1"),
            lambda: drawn.model.node_array(name, "R1", 2),
            lambda: sl.ElementType(name, node="R1"),
            lambda: sl.Model(name),
        ]
    )()


def reserved_name(drawn: RandomModel, draw: random.Random) -> None:
    sl.Model(draw.choice(["system", "solve", "interface", "symlie", "factorize"]))


def unusable_unit(drawn: RandomModel, draw: random.Random) -> None:
    unit: Any = draw.choice(["m */ #include <stdio.h> /*", "kg\nm", 3, None, "m\\", "x" * 200])
    _statement(drawn).parameter("length", 1.0, unit=unit)


def duplicate_name(drawn: RandomModel, draw: random.Random) -> None:
    statement, node = _statement(drawn), _nodes(drawn)[0]

    def twice(state: Callable[[], Any]) -> None:
        state()
        state()

    draw.choice(
        [
            lambda: twice(lambda: statement.parameter("same", 1.0)),
            lambda: twice(lambda: statement.output("same", 1)),
            lambda: twice(lambda: statement.event("same", node.v[0])),
            lambda: twice(lambda: statement.nonholonomic_constraint("same", node.v[0])),
            lambda: twice(lambda: drawn.model.node("same", "R1")),
            lambda: statement.parameter("stiffness", 2.0),
        ]
    )()


def time_as_parameter(drawn: RandomModel, _: random.Random) -> None:
    _statement(drawn).parameter("t", 1.0)


def parameter_that_is_no_number(drawn: RandomModel, draw: random.Random) -> None:
    value = draw.choice(["text", [[1], [1, 2]], sympy.Symbol("z"), 1j, np.zeros((2, 2, 2)), [], {}])
    _statement(drawn).parameter("wrong", value)


def parameter_not_a_number(drawn: RandomModel, draw: random.Random) -> sl.System:
    value = draw.choice([float("nan"), float("inf"), -float("inf")])
    drawn.model.parameter("undefined", [1.0, value])
    return _system(drawn)


def parameter_of_an_instance(drawn: RandomModel, _: random.Random) -> None:
    element = sl.ElementType("broken", node=_nodes(drawn)[0].group)
    weight = element.parameter("weight", 1.0)
    element.potential_energy(weight * element.node.storage[0])
    place = drawn.model.nodes[0] if drawn.model.nodes else drawn.model.arrays[0][0]
    drawn.model.add(element, [place], weight=float("nan"))


def set_to_nan(drawn: RandomModel, _: random.Random) -> None:
    drawn.model.parameter("spare", 1.0)
    _system(drawn).with_parameters(spare=float("nan"))


def set_unknown(drawn: RandomModel, _: random.Random) -> None:
    _system(drawn).with_parameters(nothing=1.0)


def constraint_of_velocity(drawn: RandomModel, draw: random.Random) -> None:
    _statement(drawn).constraint("moving", draw.choice(list(_nodes(drawn)[0].v)))


def constraint_of_nothing(drawn: RandomModel, draw: random.Random) -> None:
    _statement(drawn).constraint("nothing", draw.choice([1, [], sl.sin(drawn.model.t)]))


def nonlinear_in_velocity(drawn: RandomModel, draw: random.Random) -> None:
    v = _nodes(drawn)[0].v[0]
    _statement(drawn).nonholonomic_constraint("skidding", draw.choice([v**2, sl.sin(v), v * (1 + v), 1, v**3 - v]))


def redundant_constraint(drawn: RandomModel, draw: random.Random) -> sl.System:
    v, factor = _nodes(drawn)[0].v[0], draw.randint(1, 5)
    _statement(drawn).nonholonomic_constraint("twice", [v, factor * v])
    return _system(drawn)


def too_many_constraints(drawn: RandomModel, _: random.Random) -> sl.System:
    node = _nodes(drawn)[0]
    _statement(drawn).nonholonomic_constraint("held", [*node.v, sum(node.v)])
    return _system(drawn)


def inconsistent_start(drawn: RandomModel, _: random.Random) -> sl.System:
    node = _nodes(drawn)[0]
    _statement(drawn).constraint("away", node.storage[0] - node.storage[-1] * 2 - 17)
    return _system(drawn)


def inconsistent_velocity(drawn: RandomModel, _: random.Random) -> sl.System:
    node = _nodes(drawn)[0]
    _statement(drawn).nonholonomic_constraint("still", node.v[0] - 1)
    name = next(iter(drawn.nodes))
    fields = {f.name: np.zeros(f.size) for f in node.group.velocity_fields}
    return _system(drawn).with_initial(name, **fields)


def start_off_the_group(drawn: RandomModel, _: random.Random) -> sl.System:
    model = drawn.model
    node = model.node("off", "SO3")
    model.kinetic_energy(node.v.dot(node.v))
    model.initial(node, R=[[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    return _system(drawn)


def start_of_wrong_shape(drawn: RandomModel, _: random.Random) -> None:
    node = drawn.model.node("off", "SE3")
    drawn.model.initial(node, x=[1, 2])


def start_that_depends(drawn: RandomModel, draw: random.Random) -> None:
    node = drawn.model.node("off", "R2")
    drawn.model.initial(node, x=draw.choice([[drawn.model.t, 0], [node.x[0], 1], "ab", None, [float("nan"), 0]]))


def foreign_node(drawn: RandomModel, draw: random.Random) -> None:
    statement, other = _statement(drawn), _stranger()
    draw.choice(
        [
            lambda: statement.generalized_force(other, [1] * 6),
            lambda: statement.torque(sl.vector(1, 2, 3), on=other),
            lambda: drawn.model.initial(other, x=[1, 2, 3]),
            lambda: drawn.model.prescribe(other, R=sl.eye(3), x=[0, 0, 0]),
            lambda: statement.constraint_force(other),
        ]
    )()


def force_of_wrong_shape(drawn: RandomModel, _: random.Random) -> None:
    node = _nodes(drawn)[0]
    _statement(drawn).generalized_force(node, [1] * (node.group.dimension + 1))


def force_at_a_velocity(drawn: RandomModel, _: random.Random) -> None:
    node = _nodes(drawn)[0]
    _statement(drawn).force(node.v, at=node.v)


def force_that_is_no_expression(drawn: RandomModel, draw: random.Random) -> None:
    node = _nodes(drawn)[0]
    wrong = draw.choice([None, "f", float("nan"), sympy.I, node.v[0] > 0, sympy.oo, object()])
    _statement(drawn).generalized_force(node, [wrong] * node.group.dimension)


def function_without_code(drawn: RandomModel, draw: random.Random) -> None:
    x = _nodes(drawn)[0].storage[0]
    function = draw.choice([sympy.gamma, sympy.floor, sympy.Function("f"), sympy.erf, lambda e: sympy.Mod(e, 2)])
    _statement(drawn).output("special", function(x))


def multiplier_in_an_energy(drawn: RandomModel, _: random.Random) -> None:
    statement, node = _statement(drawn), _nodes(drawn)[0]
    multiplier = statement.nonholonomic_constraint("held", node.v[0])[0]
    statement.potential_energy(multiplier)


def rate_of_a_velocity(drawn: RandomModel, _: random.Random) -> None:
    _statement(drawn).rate(_nodes(drawn)[0].v[0])


def event_of_a_vector(drawn: RandomModel, _: random.Random) -> None:
    _statement(drawn).event("all", _nodes(drawn)[0].storage[:1] * 2)


def direction_of_an_event(drawn: RandomModel, _: random.Random) -> None:
    _statement(drawn).event("up", _nodes(drawn)[0].v[0], direction="upwards")


def reserved_output(drawn: RandomModel, draw: random.Random) -> None:
    _statement(drawn).output(draw.choice(["energy", "constraint_residual", "velocity_residual"]), 1)


def changed_after_derivation(drawn: RandomModel, draw: random.Random) -> None:
    equations = drawn.model.derive()
    statement, node = _statement(drawn), _nodes(drawn)[0]
    draw.choice(
        [
            lambda: statement.potential_energy(node.storage[0]),
            lambda: statement.output("late", 1),
            lambda: statement.parameter("late", 1.0),
            lambda: drawn.model.node("late", "R1"),
        ]
    )()
    equations.compile(backend="numpy")


def group_of_the_same_name(drawn: RandomModel, _: random.Random) -> None:
    double = sl.semidirect_product(sl.SO2, sl.real_space(2), lambda a: a.R * a.R, "SE2")
    drawn.model.node("first", "SE2")
    drawn.model.node("second", double)


def element_on_itself(drawn: RandomModel, _: random.Random) -> None:
    pair = sl.ElementType("pair", left="R1", right="R1")
    node = drawn.model.node("lonely", "R1")
    drawn.model.add(pair, [(node, node)])


def element_of_wrong_nodes(drawn: RandomModel, draw: random.Random) -> None:
    pair = sl.ElementType("pair", left="R7", right="R7")
    place: Any = drawn.model.nodes[0] if drawn.model.nodes else drawn.model.arrays[0][0]
    drawn.model.add(pair, draw.choice([[(place, place)], [(place,)], [place], 3, [_stranger("R7")] * 2]))


def method_without_constraints(drawn: RandomModel, draw: random.Random) -> None:
    _statement(drawn).nonholonomic_constraint("held", _nodes(drawn)[0].v[0])
    sl.solve(_system(drawn), 1.0, h=0.1, method=draw.choice(["rkmk_rk44", "rkmk_dopri5", "rkmk_euler"]))


def unknown_word(drawn: RandomModel, draw: random.Random) -> None:
    word: dict[str, Any] = draw.choice(
        [{"method": "euler"}, {"h": -1}, {"h": float("nan")}, {"h": "a"}, {"stabilize": "well"}, {"t_eval": [2, 1]},
         {"multipliers": "none"}, {"record_every": -1}, {"method": "rkmk_dopri5", "h": None, "rtol": -1},
         {"controller": "pid", "h": None}, {"t_eval": "abc"}, {"method": ["rkmk_dopri5"]}]
    )  # fmt: skip
    sl.solve(_system(drawn), 1.0, **{"h": 0.1, **word})


def unknown_backend(drawn: RandomModel, draw: random.Random) -> None:
    drawn.model.derive().compile(**draw.choice([{"backend": "fortran"}, {"backend": "numpy", "optimize": "fast"}]))


MISTAKES: dict[str, Mistake] = {
    name: function
    for name, function in sorted(globals().items())
    if isinstance(function, FunctionType) and function.__module__ == __name__ and name[0] != "_"
}
"""All mistakes by name."""


def make_mistake(name: str, seed: str) -> None:
    """Draw a model, make the mistake, and use the model as far as it goes.

    Raises
    ------
    SymlieError
        Always.
    """
    draw = random.Random(seed)
    drawn = random_model(draw)
    system = MISTAKES[name](drawn, draw)
    if system is None:
        system = _system(drawn)
    _ = system.initial_state
