"""Two names in one model, of all pairs of kinds: rejected, or both give correct results everywhere."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

import symlie as sl
from symlie.errors import ModelError
from symlie.runtime.solution.data_tables import columns
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.variables import solution_variables
from tests.tolerances import ROUNDING_OF_LONG_RUNS

END = 0.5
Check = Callable[[Solution], None]


def same(found: ArrayLike, expected: ArrayLike) -> None:
    np.testing.assert_allclose(np.asarray(found, dtype=float), expected, rtol=0, atol=ROUNDING_OF_LONG_RUNS)


def moving(model: sl.Model, name: str, space: str = "R1", speed: float = 2.0) -> sl.Node:
    """A free node at 1 + speed t."""
    node = model.node(name, space)
    model.kinetic_energy(node.x_dot[0] ** 2 / 2)
    model.initial(node, x=[1.0], x_dot=[speed])
    return node


def parameter(model: sl.Model, name: str, number: int) -> Check:
    model.parameter(name, 2.5 + number)
    return lambda s: same(value_of(s, name), 2.5 + number)


def value_of(solution: Solution, name: str) -> np.ndarray:
    position, _, _ = solution.system.layout.parameters[name]
    return solution.system.parameters[position]


def table(model: sl.Model, name: str, number: int) -> Check:
    model.piecewise_linear(name, [0.0, 1.0], [1.0, 3.0 + number])
    return lambda s: same(value_of(s, f"{name}_values"), [1, 3 + number])


def input_(model: sl.Model, name: str, number: int) -> Check:
    u = model.input(name)
    model.output(f"of_input_{number}", u + number)
    return lambda s: same(s.outputs[f"of_input_{number}"], number)


def node(model: sl.Model, name: str, number: int) -> Check:
    moving(model, name, speed=2.0 + number)
    return lambda s: same(s.field(name, "x")[-1], [1 + (2 + number) * END])


def array(model: sl.Model, name: str, number: int) -> Check:
    nodes = model.node_array(name, "R1", 2)
    element = sl.ElementType(f"mass_of_array_{number}", q="R1")
    element.kinetic_energy(element.q.x_dot[0] ** 2 / 2)
    model.add(element, [nodes[0], nodes[1]])
    nodes.initial(x=[[1.0], [2.0]], x_dot=[[1.0 + number], [0.0]])
    nodes.output(f"of_array_{number}", "x")
    return lambda s: same(s.field(name, "x")[-1], [[1 + (1 + number) * END], [2]])


def array_output(model: sl.Model, name: str, number: int) -> Check:
    nodes = model.node_array(f"reporting_{number}", "R1", 2)
    element = sl.ElementType(f"mass_reporting_{number}", q="R1")
    element.kinetic_energy(element.q.x_dot[0] ** 2 / 2)
    model.add(element, [nodes[0], nodes[1]])
    nodes.initial(x=[[4.0 + number], [2.0]], x_dot=[[0.0], [0.0]])
    nodes.output(name, "x")
    return lambda s: same(s.outputs[name][-1], [[4 + number], [2]])


def constraint(model: sl.Model, name: str, number: int) -> Check:
    held = moving(model, f"held_{number}", speed=0.0)
    model.potential_energy(-(3.0 + number) * held.x[0])
    model.constraint(name, [held.x[0] - 1])
    return lambda s: same(np.abs(s.named_multipliers()[name][-1]).ravel(), [3 + number])


def output(model: sl.Model, name: str, number: int) -> Check:
    model.output(name, 11.0 + number + 0 * model.t)
    return lambda s: same(s.outputs[name], 11 + number)


def event(model: sl.Model, name: str, number: int) -> Check:
    at = 0.1 * (number + 1)
    model.event(name, model.t - at, terminal=False)
    return lambda s: same([e.t for e in s.events if e.name == name], [at])


def curve(model: sl.Model, name: str, number: int) -> Check:
    ends = [moving(model, f"end_{number}_{k}") for k in range(2)]
    model.curve(name, ends, [0.0, 1.0 + number])
    return lambda s: same(s.system.layout.curves[name].arc[-1], 1 + number)


def element_type(model: sl.Model, name: str, number: int) -> Check:
    element = sl.ElementType(name, q="R1")
    element.output(f"{name}_value", 7.0 + number + 0 * element.t)
    model.add(element, [model.nodes[0]])
    return lambda s: same(s.outputs[f"{name}_value"], 7 + number)


def instance(model: sl.Model, name: str, number: int) -> Check:
    element = sl.ElementType(f"kind_{number}", q="R1")
    element.output("value", 5.0 + number + 0 * element.t)
    model.add(element, [model.nodes[0]], names=name)
    return lambda s: same(s.outputs[f"{name}_value"], 5 + number)


def body(model: sl.Model, name: str, number: int) -> Check:
    sl.RigidBody(model, name, mass=1, inertia=[1, 1, 1], position=[9.0 + number, 0, 0])
    return lambda s: same(s.field(name, "x")[-1], [9 + number, 0, 0])


def joint(model: sl.Model, name: str, number: int) -> Check:
    wheel = sl.RigidBody(model, f"wheel_{number}", mass=1, inertia=[1, 1, 1], position=[0, 0, 0])
    sl.RevoluteJoint(model, name, model.ground, wheel, at=[0, 0, 0], axis=[0, 0, 1])
    model.initial(wheel, Omega=[0, 0, 1.0 + number])
    return lambda s: same(s.outputs[f"{name}_angle"][-1], (1 + number) * END)


def spring(model: sl.Model, name: str, number: int) -> Check:
    ends = [sl.RigidBody(model, f"mass_{number}_{k}", mass=1, inertia=[1] * 3, position=[k, 0, 0]) for k in range(2)]
    sl.Spring(model, name, *ends, stiffness=4.0 + number, at=[[0, 0, 0], [1, 0, 0]])
    return lambda s: same(s.outputs[f"{name}_length"][-1], 1)


KINDS: dict[str, Callable[[sl.Model, str, int], Check]] = {
    "parameter": parameter, "table": table, "input": input_, "node": node, "array": array,
    "array output": array_output, "constraint": constraint, "output": output, "event": event, "curve": curve,
    "element type": element_type, "instance": instance, "body": body, "joint": joint, "spring": spring,
}  # fmt: skip

ENDINGS = ("", "", "", "_angle", "_value", "_length", "_x", "_0", "_times", "_R", "_force")
"""Suffixes of the common name in one of the two, as in results of joints, springs and fields."""

REFUSED = {k: {k} for k in KINDS} | {
    "node": {"node", "array", "body"}, "array": {"node", "array", "body"}, "body": {"node", "array", "body"},
}  # fmt: skip
"""Pairs of kinds that can never have the same name."""


def outcome(first: str, second: str, ending: str, folder: Path) -> str:
    """Outcome of a model with two names; asserts that every accepted result is correct."""
    model = sl.Model("pair")
    moving(model, "first_node")
    try:
        checks = [KINDS[first](model, "it", 0), KINDS[second](model, f"it{ending}", 1)]
        system = model.derive().compile(backend="numpy")
    except ModelError as error:
        assert "it" in str(error)
        return "refused"
    solution = sl.solve(system, END, h=0.05)
    variables = solution_variables(solution)
    assert len({v.name for v in variables}) == len(variables), "each variable of a file has its own name"
    components = sum(int(np.prod(v.values.shape[1:])) for v in variables)
    assert len(columns(variables)) == components, "each column of a table has its own name"
    solution.save(folder / "pair.npz")
    for found in solution, sl.load_solution(folder / "pair.npz", trust=True):
        for check in checks:
            check(found)
    return "accepted"


def cases(count: int, seed: int) -> list[tuple[str, str, str]]:
    draw = random.Random(seed)
    return [(draw.choice([*KINDS]), draw.choice([*KINDS]), draw.choice(ENDINGS)) for _ in range(count)]


def check_all(pairs: list[tuple[str, str, str]], folder: Path) -> None:
    for first, second, ending in pairs:
        found = outcome(first, second, ending, folder)
        if not ending and second in REFUSED[first]:
            assert found == "refused", (first, second)


def test_duplicate_names_of_one_type_are_rejected(tmp_path: Path) -> None:
    check_all([(kind, kind, "") for kind in KINDS], tmp_path)


@pytest.mark.slow
def test_equal_names_of_different_types_are_independent(tmp_path: Path) -> None:
    check_all(cases(20, seed=1), tmp_path)


@pytest.mark.slow
def test_equal_names_of_all_type_pairs_are_independent(tmp_path: Path) -> None:
    pairs = itertools.combinations_with_replacement(KINDS, 2)
    check_all([(*pair, "") for pair in pairs] + cases(150, seed=2), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("owner", "ending"),
    [("joint", "_angle"), ("spring", "_length"), ("element type", "_value"), ("instance", "_value")],
)
def test_outputs_named_like_element_outputs_are_rejected(owner: str, ending: str, tmp_path: Path) -> None:
    assert outcome(owner, "output", ending, tmp_path) == "refused"
    assert outcome(owner, "array output", ending, tmp_path) == "refused"


def momenta(units: tuple[str, str], *, total: bool) -> sl.Model:
    """Two kinds of bodies that define one output."""
    model = sl.Model("momenta")
    for k, unit in enumerate(units):
        nodes = model.node_array(f"nodes{k}", "R1", 2)
        nodes.initial(x=1.0, x_dot=k + 1.0)
        body = sl.ElementType(f"body{k}", node="R1")
        body.kinetic_energy(body.node.x_dot[0] ** 2 / 2)
        body.output("momentum", body.node.x_dot[0], unit=unit, total=total)
        model.add(body, nodes)
    return model


def test_totals_are_summed() -> None:
    solution = sl.solve(momenta(("kg m/s", "kg m/s"), total=True).derive().compile(backend="numpy"), 0.1, h=0.1)
    np.testing.assert_allclose(solution.outputs["momentum"].ravel(), 2 * 1.0 + 2 * 2.0)


@pytest.mark.parametrize(("units", "total"), [(("kg m/s", "kg m/s"), False), (("kg m/s", "g m/s"), True)])
def test_other_duplicate_outputs_are_rejected(units: tuple[str, str], total: bool) -> None:
    with pytest.raises(ModelError, match="Output 'momentum' is defined by 'body0' and by 'body1'"):
        momenta(units, total=total).derive()
