"""Instances with names: results under their names, and values that are parameters of the model."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.api import write_generated
from symlie.contract.manifest import Label, Manifest, read_manifest, text_of
from symlie.derive.equations import Equations
from symlie.errors import FormatError, ModelError, UnknownNameError
from symlie.modeling.element_type import add_instances
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.symbolic import Expression
from symlie.runtime.layout.layout import Layout
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.interruptions import interrupted

NAMES = ("left", "middle", "right")
MASSES, LENGTHS = (1.5, 2.0, 1.5), (1.0, 2.0, 3.0)
SPEEDS = (6.0, 8.0, 9.0)


def state_pendulum(s: Statement, q: Node, mass: Expression, length: Expression, names: dict[str, str]) -> None:
    """A mass on a rod that turns about the y axis of space, with names of its constraint, outputs and event."""
    s.kinetic_energy(mass * q.x_dot.dot(q.x_dot) / 2)
    s.potential_energy(9.81 * mass * q.x[2])
    forces = s.constraint(names["hinge"], [(q.x.dot(q.x) - length**2) / 2, q.x[1]])
    s.output(names["forces"], sl.vector(forces[0] * length, forces[1]), unit="N")
    s.output(names["height"], q.x[2], unit="m")
    s.event(names["level"], q.x[2], terminal=False)


def hinge() -> sl.ElementType:
    """The pendulum as element type; its constraint is called as the type."""
    element = sl.ElementType("hinge", body="R3")
    mass, length = element.parameter("mass", 1.0, unit="kg"), element.parameter("length", 1.0)
    state_pendulum(element, element.body, mass, length, {n: n for n in ("hinge", "forces", "height", "level")})
    return element


def with_bodies(model: sl.Model) -> list[Node]:
    nodes = [model.node(f"body_{name}", "R3") for name in NAMES]
    for node, length, speed in zip(nodes, LENGTHS, SPEEDS, strict=True):
        model.initial(node, x=[0, 0, -length], x_dot=[speed, 0, 0])
    return nodes


@functools.cache
def named() -> Equations:
    """Three pendulums with names, two of which take their mass from the model."""
    model = sl.Model("pendulums")
    mass = model.parameter("mass", 1.5, unit="kg")
    model.add(hinge(), with_bodies(model), names=NAMES, mass=[mass, 2.0, mass], length=LENGTHS)
    return model.derive()


@functools.cache
def by_hand() -> Equations:
    """The same, with each instance defined on the model."""
    model = sl.Model("pendulums_by_hand")
    for name, node, mass, length in zip(NAMES, with_bodies(model), MASSES, LENGTHS, strict=True):
        names = {n: f"{name}_{n}" for n in ("forces", "height", "level")} | {"hinge": name}
        m, at = model.parameter(f"{name}_mass", mass), model.parameter(f"{name}_length", length)
        state_pendulum(model, node, m, at, names)
    return model.derive()


@functools.cache
def in_array() -> Equations:
    """The same, on an array of nodes whose size is run-time data, with a fourth one without name between them."""
    model = sl.Model("pendulums_in_array")
    mass = model.parameter("mass", 1.5, unit="kg")
    nodes, element = model.node_array("bodies", sl.group_from_name("R3"), 4), hinge()
    lengths, speeds = ((*values[:1], 1.0, *values[1:]) for values in (LENGTHS, SPEEDS))
    nodes.initial(x=[[0, 0, -length] for length in lengths], x_dot=[[speed, 0, 0] for speed in speeds])
    model.add(element, [nodes[0]], names="left", mass=mass, length=LENGTHS[0])
    model.add(element, [nodes[1]])
    model.add(element, [nodes[2], nodes[3]], names=NAMES[1:], mass=[2.0, mass], length=LENGTHS[1:])
    return model.derive()


@functools.cache
def run(equations: Callable[[], Equations], backend: str) -> Solution:
    return sl.solve(equations().compile(backend=backend), 1.0, method="half_explicit_3", h=2**-6)


def observed_in_c(equations: Callable[[], Equations]) -> Solution:
    """The states of NumPy, whose outputs C computes."""
    return dataclasses.replace(run(equations, "numpy"), system=equations().compile(backend="c"))


def reported(solution: Solution) -> dict[str, np.ndarray]:
    """Everything that results have under the names of the three pendulums, and what every model has."""
    of_them = {f"{name}_{what}": solution.outputs[f"{name}_{what}"] for name in NAMES for what in ("forces", "height")}
    return of_them | {name: solution.named_multipliers()[name] for name in NAMES}


def happened(solution: Solution) -> list[tuple[str, int, float]]:
    return [(e.name, e.instance, round(e.t, 9)) for e in solution.events if e.name != "level"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "found", [lambda: run(named, "c"), lambda: run(named, "numpy"), lambda: run(in_array, "numpy")]
)
def test_results_are_named(found: Callable[[], Solution]) -> None:
    solution, expected = found(), run(by_hand, "numpy")
    assert happened(solution) == happened(expected)
    assert {name for name, *_ in happened(solution)} == {f"{name}_level" for name in NAMES}
    for name, values in reported(expected).items():
        close = tolerances.BACKENDS * np.abs(values).max()
        np.testing.assert_allclose(reported(solution)[name], values, rtol=0, atol=close)
    own = ["hinge"] if solution.system.layout.nodes[0].is_array else []
    assert list(solution.named_multipliers()) == [*own, *NAMES]
    assert len(solution.system.layout.events) == len(NAMES) + len(own)


def test_named_and_unnamed_elements_can_be_mixed() -> None:
    solution, in_c = run(in_array, "numpy"), observed_in_c(in_array)
    layout = solution.system.layout
    for name, values in solution.outputs.items():
        np.testing.assert_allclose(in_c.outputs[name], values, rtol=0, atol=tolerances.BACKENDS * np.abs(values).max())
    assert solution.named_multipliers()["hinge"].shape == (len(solution.t), 1, 2)
    assert layout.row_name(3) == "row 2 of constraint 'hinge' of element 'hinge', instance 1"
    assert layout.row_name(5) == "row 2 of constraint 'middle'"
    assert [(e.name, e.instance) for e in layout.events][:3] == [("left_level", 0), ("level", 1), ("middle_level", 0)]
    np.testing.assert_array_equal(solution.outputs["height"], solution.field("bodies", "x")[:, 1, 2])


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_bound_values_follow_the_model_parameter(backend: str) -> None:
    """Values bound to a parameter of the model follow it."""
    changed = run(named, backend).system.with_parameters(mass=3.0)
    np.testing.assert_array_equal(changed.element_parameters[-1][:, 0], [3.0, 2.0, 3.0])
    expected = run(by_hand, "numpy").system.with_parameters(left_mass=3.0, right_mass=3.0)
    solutions = [sl.solve(s, 0.5, method="half_explicit_3", h=2**-6) for s in (changed, expected)]
    for name, values in reported(solutions[1]).items():
        close = tolerances.BACKENDS * np.abs(values).max()
        np.testing.assert_allclose(reported(solutions[0])[name], values, rtol=0, atol=close)


def test_parameters_of_one_element_can_be_set() -> None:
    system = run(named, "c").system
    changed = system.with_parameters(**{"middle.mass": 5.0, "left.length": 4.0, "mass": 1.0})
    np.testing.assert_array_equal(changed.element_parameters[-1], [[1.0, 4.0], [5.0, 2.0], [1.0, 3.0]])
    with pytest.raises(
        ModelError, match=r"'left.mass' is the model parameter 'mass', which also determines other values"
    ):
        system.with_parameters(**{"left.mass": 2.0})
    with pytest.raises(ModelError, match=r"In some instances, parameter 'hinge.mass' is the model parameter 'mass'"):
        system.with_parameters(**{"hinge.mass": 2.0})
    with pytest.raises(UnknownNameError, match=r"'left' of 'pendulums' has no parameter 'width'; it has: mass, length"):
        system.with_parameters(**{"left.width": 2.0})


def test_value_used_by_one_element_has_two_names() -> None:
    """An instance's parameter that only it takes from the model may be set under either name."""
    model = sl.Model("single")
    length = model.parameter("reach", 3.0)
    model.add(hinge(), with_bodies(model), names=NAMES, length=[length, 1, 2])
    system = model.derive().compile(backend="numpy").with_parameters(**{"left.length": 4.0})
    np.testing.assert_array_equal(system.parameters, [4.0])
    np.testing.assert_array_equal(system.element_parameters[-1][:, 1], [4.0, 1.0, 2.0])


def saved(system: System, folder: Path) -> Solution:
    path = folder / "run.npz"
    sl.solve(system, 1.0, method="half_explicit_3", h=2**-6).save(path)
    return sl.load_solution(path, trust=True)


def resumed(system: System, folder: Path) -> Solution:
    path = folder / "run.checkpoint"
    interrupted(system, 1.0, 2, path, method="half_explicit_3", h=2**-6, checkpoint_seconds=0)
    return sl.resume(path, trust=True)


@pytest.mark.slow
@pytest.mark.parametrize("again", [saved, resumed])
def test_files_keep_element_names(tmp_path: Path, again: Callable[[System, Path], Solution]) -> None:
    system = run(named, "numpy").system.with_parameters(mass=2.5)
    whole, found = sl.solve(system, 1.0, method="half_explicit_3", h=2**-6), again(system, tmp_path)
    assert reported(found).keys() == reported(whole).keys()
    for name, values in reported(whole).items():
        np.testing.assert_array_equal(reported(found)[name], values)
    assert happened(found) == happened(whole)
    changed = found.system.with_parameters(mass=4.0)
    np.testing.assert_array_equal(changed.element_parameters[-1][:, 0], [4.0, 2.0, 4.0])


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_generated_folders_keep_element_names(tmp_path: Path, backend: str) -> None:
    write_generated(named(), tmp_path)
    solution = sl.solve(sl.load(tmp_path, backend=backend, trust=True), 1.0, method="half_explicit_3", h=2**-6)
    for name, values in reported(run(named, backend)).items():
        np.testing.assert_array_equal(reported(solution)[name], values)


def test_columns_and_state_space_use_element_names() -> None:
    solution = run(named, "c")
    columns = set(solution.to_dataframe().columns)
    assert {"left_height", "middle_forces[1]", "multipliers_right[0]"} <= columns


def labelled(labels: list[tuple[Label, ...]]) -> Layout:
    """Two instances of a type with a constraint of two rows, an output of two numbers and one, and an event."""
    model = sl.Model("parts")
    nodes = with_bodies(model)[:2]
    rows = tuple(((n.name, 0),) for n in nodes)
    element, n = hinge(), len(nodes)
    model.add(element, [])
    add_instances(model, element, rows, np.ones((n, 2)), np.full((n, 2), -1, dtype=np.int32), [()] * n)
    model.kinetic_energy(model.nodes[2].x_dot.dot(model.nodes[2].x_dot))
    # Users cannot define parts of one name, but statements that are cut into elements have them.
    manifest = run_of(model).manifest
    instances = tuple(
        dataclasses.replace(i, labels=tuple(labels)) if t.name == element.name else i
        for t, i in zip(manifest.element_types, manifest.instances, strict=True)
    )
    return Layout(dataclasses.replace(manifest, instances=instances))


def run_of(model: sl.Model) -> Layout:
    system = model.derive().compile(backend="numpy")
    return system.layout


def test_parts_with_equal_names_are_joined() -> None:
    """Parts of a constraint follow each other, parts of an output with one place are added up."""
    layout = labelled(
        [
            (Label("loop", 2), Label("sum", 0), Label("z"), Label("first")),
            (Label("loop", 0), Label("sum", 0), Label("z"), Label("second")),
        ]
    )
    assert list(layout.constraints) == ["loop"]
    np.testing.assert_array_equal(layout.constraints["loop"].rows, [[2, 3, 0, 1]])
    assert layout.row_names([0, 2]) == ["rows 3 and 1 of constraint 'loop'"]
    assert {name: part for name, (part, _) in layout.outputs.items()} == {"sum": slice(0, 2), "z": slice(2, 3)}
    assert [e.name for e in layout.events] == ["first", "second"]
    np.testing.assert_array_equal(layout.output_places[-1], [[0, 1, 2], [0, 1, 2]])


def refused(sentence: str, later: str = "", **arguments: Any) -> None:
    """The message explains the error of instances, or of statements after them."""
    model, element = sl.Model("mistaken"), hinge()
    grams, own = model.parameter("grams", 1500.0, unit="g"), model.parameter("own", 2.0, unit="kg")
    nodes = with_bodies(model)
    masses = {"in grams": grams, "twice": 2 * own}
    if "mass" in arguments:
        arguments["mass"] = masses.get(arguments["mass"], arguments["mass"])
    with pytest.raises(ModelError, match=sentence):
        model.add(element, nodes, **arguments)
        if later == "output":
            element.output("another", element.body.x)
        elif later == "left":
            model.constraint("left", [nodes[0].x[0]])
        elif later:
            model.output(later, nodes[0].x)
        model.derive()


def test_invalid_input_is_reported() -> None:
    refused(r"Instances of 'hinge' need one name each: 3, not 2\.", names=["a", "b"])
    refused(r"Instance 'a' is defined twice in 'mistaken'; rename one\.", names=["a", "b", "a"])
    refused(r"Instance name '1' is not usable", names=["a", "b", "1"])
    refused(
        r"'mass' of element 'hinge' must be numbers, or parameters of the model as they were declared, not 2\*own;",
        mass="twice",
    )
    refused(
        r"'mass' of element 'hinge' is given in 'kg', and the model's parameter 'grams' in 'g'; declare both",
        mass="in grams",
    )
    refused(r"'mass' of element 'hinge' must be numbers or parameters of the model, not 'heavy'", mass="heavy")
    refused(
        r"Element type 'hinge' received constraints, outputs or events after named instances",
        later="output",
        names=NAMES,
    )
    refused(r"Constraint 'left' is defined by 'mistaken' and by an instance of 'hinge', but", later="left", names=NAMES)
    refused(
        r"Output 'left_height' is defined by 'mistaken' and by an instance of 'hinge', but",
        later="left_height",
        names=NAMES,
    )


def test_inconsistent_labels_are_rejected() -> None:
    """A manifest whose labels or sources contradict the rest is damaged."""
    text = run(named, "numpy").system.files["manifest.json"]
    assert text_of(Manifest, read_manifest(text)) == text
    for key, value in (("labels", [[]]), ("labels", [[{"name": "a", "first": 0}]] * 3), ("sources", [[7, -1]] * 3)):
        content = json.loads(text)
        content["instances"][-1][key] = value
        with pytest.raises(FormatError, match="damaged"):
            Layout(read_manifest(json.dumps(content)))
