"""Mistakes in models raise errors when they are made or derived instead of giving wrong results silently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sympy

import symlie as sl
from symlie.errors import InconsistentInitialValuesError, ModelError, SingularMassMatrixError, SymlieError
from symlie.runtime.system.system import System


def point(group: Any = "R2") -> tuple[sl.Model, Any]:
    """A model with one node of unit mass."""
    model = sl.Model("refused")
    q = model.node("point", group)
    model.kinetic_energy(q.v.dot(q.v) / 2)
    return model, q


def system(model: sl.Model) -> System:
    """The model on the backend without a compiler."""
    return model.derive().compile(backend="numpy")


EXPRESSIONS: dict[str, tuple[Any, str]] = {
    "text": ("__import__('os')", "is not an expression; write it with the symbols"),
    "nothing": (None, "None is not an expression"),
    "not a number": (float("nan"), "not a finite real number"),
    "infinite": (sympy.oo, "not a finite real number"),
    "complex": (sympy.I, "not a finite real number"),
    "inequality": (sympy.Symbol("x", real=True) > 0, "is not an expression of numbers"),
    "function": (lambda x: x, "is not an expression of numbers"),
}


@pytest.mark.parametrize("case", EXPRESSIONS)
def test_invalid_expressions_are_rejected(case: str) -> None:
    """Text above all, which SymPy would execute."""
    wrong, sentence = EXPRESSIONS[case]
    model, q = point()
    for state in (
        lambda: model.potential_energy(wrong),
        lambda: model.generalized_force(q, [wrong, 0]),
        lambda: model.constraint("c", [wrong]),
        lambda: model.output("o", [wrong]),
        lambda: model.initial(q, x=[wrong, 0]),
        lambda: sl.vector(wrong, 0) if case in ("text", "nothing", "function") else model.potential_energy(wrong),
    ):
        with pytest.raises(ModelError, match=sentence):
            state()


def test_symbols_of_other_models_are_rejected() -> None:
    """Bound symbols of two statements differ, although both are numbered from one."""
    model, q = point("SE3")
    element = sl.ElementType("spring", node="SE3")
    assert element.node.log().free_symbols.isdisjoint(q.log().free_symbols)
    model.potential_energy(element.node.log()[0])
    with pytest.raises(ModelError, match=r"Unknown symbol 'log\.spring\.1\.0' in the potential energy of 'refused'"):
        model.derive()


def test_nodes_of_other_models_are_rejected() -> None:
    model, _ = point()
    _, other = point("SE3")
    for state in (
        lambda: model.generalized_force(other, [1] * 6),
        lambda: model.torque(sl.vector(1, 2, 3), on=other),
        lambda: model.initial(other, x=[1, 2, 3]),
        lambda: model.prescribe(other, R=sl.eye(3), x=[0, 0, 0]),
    ):
        with pytest.raises(ModelError, match="Node 'point' does not belong to 'refused'; its nodes are: point"):
            state()


@pytest.mark.parametrize(
    "change",
    [
        lambda m, q: m.potential_energy(q.x[0]),
        lambda m, q: m.output("late", q.x),
        lambda m, q: m.node("late", "R1"),
        lambda m, q: m.initial(q, x=[1, 1]),
    ],
)
def test_changing_a_model_after_derive_is_rejected(change: Callable[[sl.Model, Any], None]) -> None:
    model, q = point()
    equations = model.derive()
    change(model, q)
    with pytest.raises(ModelError, match=r"'refused' was changed after derive\(\)"):
        equations.compile(backend="numpy")


def test_changing_an_element_after_add_is_rejected() -> None:
    model, q = point()
    element = sl.ElementType("late", node="R2")
    model.add(element, [q])
    element.parameter("stiffness", 1.0)
    with pytest.raises(ModelError, match="'late' received parameters or inputs after it was added to 'refused'"):
        model.derive()


def test_groups_with_equal_names_are_rejected() -> None:
    """Kernels are called after groups, so one of the two would silently serve both."""
    double = sl.semidirect_product(sl.SO2, sl.real_space(2), lambda a: a.R * a.R, "SE2")
    model, _ = point("SE2")
    with pytest.raises(ModelError, match="Two different groups of 'refused' are called 'SE2'"):
        model.node("other", double)


def test_equal_products_are_one_group() -> None:
    model = sl.Model("mixed")
    model.node("name", "S3xR3")
    model.node("coordinates", "SO3xR3", coordinates="quaternion")
    model.node("factors", sl.direct_product(sl.S3, sl.real_space(3)))
    assert len(model.spaces) == 1


def test_rate_of_a_velocity_is_rejected() -> None:
    model, q = point()
    with pytest.raises(ModelError, match="the expression of a rate depends on velocities"):
        model.rate(q.v[0] ** 2)


@pytest.mark.parametrize("of_array", [False, True])
def test_negative_masses_are_rejected(of_array: bool) -> None:
    model = sl.Model("refused")
    mass = model.parameter("mass", 1.0)
    if of_array:
        element = sl.ElementType("body", node="R2")
        element.kinetic_energy(element.node.v.dot(element.node.v) * mass / 2)
        model.add(element, list(model.node_array("points", "R2", 3)))
    else:
        q = model.node("point", "R2")
        model.kinetic_energy(mass * q.v.dot(q.v) / 2)
    assert system(model).initial_state.v.any() == 0
    with pytest.raises(SingularMassMatrixError, match=r"negative for motions along velocity component \d of"):
        _ = system(model).with_parameters(mass=-1).initial_state


@pytest.mark.parametrize(("group", "fields"), [
    ("S3", {"p": [0, 0, 0, 0]}), ("SO2", {"p": [0, 0]}), ("SO3", {"R": [[1, 0, 0], [0, 1, 0], [0, 0, 0]]}),
    ("S3sR3", {"p": [0, 0, 0, 0], "x": [1, 2, 3]}),
])  # fmt: skip
def test_invalid_fixed_points_of_normalization_are_rejected(group: str, fields: dict[str, Any]) -> None:
    model, q = point(group)
    model.initial(q, **fields)
    with pytest.raises(ModelError, match=f"initial configuration of node 'point' is not in {group}"):
        _ = system(model).initial_state


def test_motions_that_leave_the_group_are_rejected() -> None:
    """At the start, or on the way to the end."""
    for motion, end in (([1, 0, 0, 0.1], 0.0), ([1, 0, 0, 0], 1.0)):
        model, q = point("S3")
        free = model.node("free", "R1")
        model.kinetic_energy(free.v[0] ** 2)
        model.prescribe(q, p=[c + k * model.t * end for k, c in enumerate(motion)])
        with pytest.raises(ModelError, match=f"prescribed motion at t = {end:g} of node 'point' is not in S3"):
            sl.solve(system(model), 1.0, h=0.1)


def test_unsorted_times_at_run_time_are_rejected() -> None:
    model, q = point()
    model.potential_energy(model.piecewise_linear("load", [0, 1], [1, 2]) * q.x[0])
    with pytest.raises(ModelError, match="times of parameter 'load_times' of 'refused' must increase"):
        _ = system(model).with_parameters(load_times=[1, 0]).initial_state


def test_arguments_of_wrong_type_are_rejected() -> None:
    model, q = point()
    element: Any = "spring"
    for state in (
        lambda: model.node("other", None),
        lambda: model.node_array("other", "R1", 2.5),
        lambda: model.node_array("other", "R1", 2)["a"],
        lambda: model.add(element, [q]),
        lambda: model.add(sl.ElementType("one", node="R2"), q),
        lambda: model.output("nothing", []),
        lambda: model.constraint("nothing", []),
        lambda: sl.solve(model, 1.0),
        lambda: sl.solve(system(model), "1"),
        lambda: sl.solve(system(model), 1.0, h="a"),
        lambda: sl.solve(system(model), 1.0, method=None),
        lambda: sl.solve(system(model), 1.0, rtol="a"),
    ):
        with pytest.raises(SymlieError):
            state()


def test_inconsistent_values_are_named() -> None:
    model, q = point()
    model.constraint("wall", q.x[0] - 1)
    with pytest.raises(InconsistentInitialValuesError, match="row 1 of constraint 'wall'"):
        _ = system(model).initial_state


def test_masses_coupling_prescribed_nodes_are_named() -> None:
    model, q = point()
    other, driver = model.node("other", "R2"), model.node("driver", "R2")
    model.kinetic_energy((other.v.dot(other.v) + driver.v.dot(driver.v)) / 2 + q.v.dot(other.v) / 4)
    model.prescribe(driver, x=[model.t, 0])
    with pytest.raises(ModelError, match=r"couples velocities of .* with prescribed nodes"):
        system(model)
