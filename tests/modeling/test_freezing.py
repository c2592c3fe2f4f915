"""Parameters as constants: selection, exact values, and rejected names."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import symlie as sl
from symlie.derive.equations import Equations, equations_of
from symlie.errors import ModelError, UnknownNameError
from symlie.modeling.canonical import canonical_text
from symlie.modeling.freezing import frozen_model, frozen_names
from symlie.modeling.model import Model
from symlie.publish.sets import generated_files
from tests import tolerances


@functools.cache
def springs() -> Model:
    """Masses on springs: one element type that takes a parameter of the model, one whose instances differ."""
    model = sl.Model("springs")
    stiffness = model.parameter("stiffness", 3.0)
    nodes = model.node_array("nodes", "R1", 3)
    mass = sl.ElementType("mass", node="R1")
    m = mass.parameter("m", 0.1)
    mass.kinetic_energy(m * mass.node.x_dot.dot(mass.node.x_dot) / 2)
    spring = sl.ElementType("spring", a="R1", b="R1")
    k, length, loss = (spring.parameter(*p) for p in (("k", 1.0), ("length", 1.0), ("loss", 0.25)))
    spring.potential_energy(k * (spring.b.x[0] - spring.a.x[0] - length) ** 2 / 2)
    spring.dissipation(loss * (spring.b.x_dot[0] - spring.a.x_dot[0]) ** 2 / 2)
    model.add(mass, nodes, names=["first", "second", "third"])
    model.add(spring, [(nodes[0], nodes[1]), (nodes[1], nodes[2])], k=stiffness, length=[1.0, 2.0])
    nodes.initial(x=[[0.0], [1.25], [3.0]])
    return model


@pytest.mark.parametrize(
    ("freeze", "expected"),
    [
        ("all", ("stiffness", "mass.m", "spring.k", "spring.loss")),
        ([], ()),
        ("stiffness", ("stiffness", "spring.k")),
        (["loss", "springs.stiffness"], ("stiffness", "spring.k", "spring.loss")),
        ("mass.m, spring.loss", ("mass.m", "spring.loss")),
    ],
)
def test_frozen_names_are_resolved(freeze: str | list[str], expected: tuple[str, ...]) -> None:
    """Data of instances from a frozen parameter are constants, too; ``"all"`` excludes data that differ."""
    assert frozen_names(springs(), freeze) == expected


@pytest.mark.parametrize(
    ("freeze", "error", "message"),
    [
        ("damping", UnknownNameError, r"no parameter 'damping' to freeze; it has: stiffness, mass\.m, spring\.k"),
        (["length"], ModelError, r"'spring\.length' of 'springs' differs between instances"),
        (
            ["k"],
            ModelError,
            r"'spring\.k' of 'springs' takes the value of 'stiffness' of the model; freeze that parameter, too",
        ),
        (["second.m"], ModelError, r"'second\.m' is the parameter of one instance"),
        ([1.0], ModelError, "Freeze parameters by their names"),
    ],
)
def test_unsupported_features_are_rejected(freeze: list[str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        frozen_names(springs(), freeze)


def test_parameters_that_differ_between_elements_are_not_frozen() -> None:
    equations = springs().derive()
    free, frozen = (equations.compile("numpy", freeze=f) for f in ((), "all"))
    runs = [sl.solve(s, 0.5, h=0.05) for s in (free, frozen)]
    assert np.allclose(runs[0].q, runs[1].q, rtol=0, atol=tolerances.FROZEN)
    longer = [s.with_parameters(**{"spring.length": [1.0, 1.5]}) for s in (free, frozen)]
    runs = [sl.solve(s, 0.5, h=0.05) for s in longer]
    assert np.allclose(runs[0].q, runs[1].q, rtol=0, atol=tolerances.FROZEN)


def oscillator(stiffness: float = 0.1, mass: float = 1.0, offset: float = 0.0, angle: float = 0.3) -> Equations:
    model = sl.Model("oscillator")
    k, m, x0 = model.parameter("stiffness", stiffness), model.parameter("mass", mass), model.parameter("offset", offset)
    phi = model.parameter("angle", angle, unit="deg")
    model.parameter("unused", 7.0)
    q = model.node("bob", "R2")
    model.kinetic_energy(m * q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(k * (q.x[0] - x0) ** 2 / 2 + sl.sin(phi) * q.x[1] + sl.sqrt(k) * q.x[0])
    model.initial(q, x=[1, 0])
    return equations_of(model)


def text(equations: Equations) -> str:
    return generated_files(equations)["oscillator.h"]


def force(header: str) -> str:
    """The function of the force."""
    return header.partition("void oscillator_force(")[2].partition("\n}")[0]


def test_values_are_exact() -> None:
    """Digits of doubles, units and functions of constants among them; ones and zeros vanish from the equations."""
    body = force(text(oscillator().with_constants("all")))
    assert f"{0.1!r}" in body and f"{math.sqrt(0.1)!r}" in body and f"{math.sin(math.radians(0.3))!r}" in body
    assert "p[" not in body and "sin" not in body and "sqrt" not in body
    least = 0.1 + 2**-56  # the next double
    assert f"{least!r}" in force(text(oscillator(least).with_constants("all")))


@pytest.mark.parametrize("name", ["springs", "wound"])
def test_parameters_used_in_initial_values_are_kept(name: str) -> None:
    """The frozen parameter occurs in initial values only."""
    model = springs() if name == "springs" else wound()
    frozen = frozen_model(model, frozen_names(model, "all"))
    kept = ("parameters", "initial_values")
    lines = canonical_text(frozen, with_topology=False).splitlines()
    assert any("Symbol('stiffness'" in line for line in lines)
    assert not any("Symbol('stiffness'" in line for line in lines if not line.startswith(kept))


def wound() -> Model:
    """A body on a hinge with a torsion spring, and one instance of every feature."""
    model = sl.Model("wound")
    k = model.parameter("stiffness", 0.3)
    q, filtered = model.node("body", "SO3xR3"), model.node("filtered", "R1")
    model.kinetic_energy((q.x_dot.dot(q.x_dot) + k * q.Omega.dot(q.Omega)) / 2)
    model.kinetic_energy(filtered.x_dot[0] ** 2 / 2)
    rows = model.constraint("hinge", [q.x[0] - k, q.x[1], q.x[2], q.R[0, 2], q.R[1, 2]])
    angle = model.unwrapped_angle(k * (q.R[1, 0] - q.R[0, 1]), k * (q.R[0, 0] + q.R[1, 1]), start=k)
    model.potential_energy(k * (angle - 20) ** 2 / 2)
    model.dissipation(k * q.Omega.dot(q.Omega) / 2)
    model.force(sl.vector(k, 0, 0), at=q.x + q.R * sl.vector(0, k, 0))
    model.torque(sl.vector(0, 0, k), on=q)
    model.nonholonomic_constraint("slides", filtered.x_dot[0] - k * q.Omega[2])
    model.output("turns", k * angle)
    model.event("loaded", rows[0] - k)
    model.initial(q, x=[k, 0, 0])
    return model


@pytest.mark.slow
def test_multiturn_angles_are_supported() -> None:
    equations = wound().derive()
    runs = [sl.solve(equations.compile("numpy", freeze=f), 0.2, h=0.02) for f in ((), "all")]
    assert np.allclose(runs[0].q, runs[1].q, rtol=0, atol=tolerances.FROZEN)


def test_some_parameters_are_not_frozen() -> None:
    body = force(text(oscillator().with_constants(["offset", "angle"])))
    assert "p[0]" in body and "p[2]" not in body


def test_without_constants_nothing_changes() -> None:
    assert generated_files(oscillator().with_constants([])) == generated_files(oscillator())
    once = oscillator().with_constants("all")
    assert once.with_constants("all") is once and once.with_symbols.frozen == ()


def test_model_texts_contain_frozen_values() -> None:
    """Caches tell values of constants apart, also of those that no formula has, and no others."""
    frozen = oscillator().with_constants(["stiffness", "unused"])
    others = [oscillator(), oscillator(0.2).with_constants(["stiffness", "unused"]), oscillator().with_constants("all"),
              oscillator().with_constants("stiffness")]  # fmt: skip
    texts = [e.canonical_text for e in (frozen, *others)]
    assert len(set(texts)) == len(texts)
    assert oscillator(mass=2.0).with_constants(["stiffness", "unused"]).canonical_text == frozen.canonical_text


def test_freezing_is_independent_of_previous_derivations() -> None:
    """Symbols are renumbered, so that the text depends on the model alone."""
    equations = oscillator()
    first = text(equations.with_constants("all"))
    _ = equations.derived, equations.derived[0].newton
    again = equations_of(equations.model).with_constants("all")
    assert generated_files(again)["oscillator.h"] == first
    assert again.canonical_text == equations.with_constants("all").canonical_text


def test_values_other_than_numbers_are_rejected() -> None:
    with pytest.raises(ModelError, match="'inverse' has an expression that is not a finite real number"):
        _ = inverse(0.0).with_constants("all").derived
    with pytest.raises(ModelError, match="'inverse' has an expression that is not a finite real number"):
        _ = inverse(-1.0).with_constants("all").derived
    assert inverse(4.0).with_constants("all").derived


def inverse(value: float) -> Equations:
    model = sl.Model("inverse")
    a = model.parameter("a", value)
    q = model.node("bob", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(q.x[0] ** 2 / sl.sqrt(a))
    return equations_of(model)


def test_functions_of_time_are_supported() -> None:
    """Their points stay where they are, and are constants all the same; so are motions and their derivatives."""
    model = sl.Model("driven")
    load = model.piecewise_linear("load", [0.0, 0.1, 0.3], [0.0, 2.0, 1.0])
    amplitude = model.parameter("amplitude", 0.3)
    q, base = model.node("bob", "R1"), model.node("base", "R1")
    model.kinetic_energy((q.x_dot[0] ** 2 + base.x_dot[0] ** 2) / 2)
    model.potential_energy((q.x[0] - base.x[0]) ** 2)
    model.generalized_force(q, [load])
    model.prescribe(base, x=[amplitude * sl.sin(3 * model.t)])
    equations = model.derive()
    free, frozen = (equations.compile("numpy", freeze=f) for f in ((), "all"))
    runs = [sl.solve(s, 0.4, h=0.03) for s in (free, frozen)]
    assert np.allclose(runs[0].q, runs[1].q, rtol=0, atol=tolerances.FROZEN)
    assert "p[6]" not in frozen.files["driven.h"].partition("driven_motion_0(")[2].partition("\n}")[0]
    with pytest.raises(sl.errors.FrozenParameterError, match="'load_values' of 'driven' is a compiled constant"):
        frozen.with_parameters(load_values=[0.0, 3.0, 1.0])


def test_parts_share_code() -> None:
    """A statement node by node is cut before parameters become constants."""
    model = sl.Model("row")
    masses = model.parameter("masses", [1.0 + 0.125 * k for k in range(13)])
    stiffness = model.parameter("stiffness", 3.0)
    nodes = [model.node(f"bob{k}", "R2") for k in range(13)]
    for k, q in enumerate(nodes):
        model.kinetic_energy(masses[k] * q.x_dot.dot(q.x_dot) / 2)
        model.potential_energy(stiffness * q.x.dot(q.x) / 2)
        model.initial(q, x=[1, k])
    free = equations_of(model)
    frozen = free.with_constants("all")
    assert [len(i.nodes) for i in frozen.elements.instances] == [len(i.nodes) for i in free.elements.instances] == [13]
    assert "e[0]" in generated_files(frozen)["row.h"]
    runs = [sl.solve(e.compile("numpy"), 0.2, h=0.02) for e in (free, frozen)]
    assert np.allclose(runs[0].q, runs[1].q, rtol=0, atol=tolerances.FROZEN)
    with pytest.raises(sl.errors.FrozenParameterError, match="'masses'"):
        frozen.compile("numpy").with_parameters(masses=[2.0] * 13)
