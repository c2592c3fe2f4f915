"""Methods that support a model, the default method, and advice in messages."""

from __future__ import annotations

from typing import Any

import pytest

import symlie as sl
from symlie.errors import ModelError, UnsupportedMethodError
from symlie.runtime.integrate.choice import default_method
from symlie.runtime.integrate.monitors.findings import remedy_of_stiffness
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.methods.registry import FAMILIES
from symlie.runtime.methods.rkmk import MOST_COMMUTATORS
from tests.systems import heavy_top_system

STATE = sl.translation_space(sl.real_space(1))
IMPLICIT = tuple(
    n for n in method_names() if method(n).family in ("generalized_alpha", "bdf", "bdf_variable", "bdf_increments")
)


def pendulum_with_state() -> sl.System:
    """A pendulum, and a field on R1."""
    model = sl.Model("driven_pendulum")
    bob, z = model.node("bob", "R2"), model.node("z", STATE)
    model.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
    model.potential_energy(9.81 * bob.x[1])
    model.constraint("rod", bob.x.dot(bob.x) - 1)
    model.vector_field(z, x=[-z.x[0]])
    model.initial(bob, x=[1, 0], x_dot=[0, 0])
    model.initial(z, x=[1])
    return model.derive().compile(backend="numpy")


def test_every_method_supports_a_system_or_gives_a_reason() -> None:
    system = heavy_top_system("SE3", "numpy")
    choice = sl.method_choice(system)
    assert isinstance(choice, sl.MethodChoice)
    assert choice.default == default_method(system.layout) == "half_explicit_5"
    assert choice.default in choice.taken
    assert "with or without constraints" in choice.reason
    assert set(choice.taken) | choice.refusals.keys() == set(method_names())
    assert not set(choice.taken) & choice.refusals.keys()
    assert {"generalized_alpha", "generalized_alpha_index2", "index1_dopri5"} <= set(choice.taken)
    assert choice.refusals["rkmk_dopri5"].endswith("use half_explicit_2, …, half_explicit_5.")
    assert repr(choice).startswith("MethodChoice(heavy_top; default half_explicit_5; takes half_explicit_2, ")
    for name, sentence in choice.refusals.items():
        with pytest.raises(UnsupportedMethodError) as caught:
            sl.solve(system, 0.01, h=0.01, method=name)
        assert str(caught.value) == sentence


def test_argument_must_be_a_system() -> None:
    name: Any = "heavy_top"
    with pytest.raises(ModelError, match=r"^A str is not a system; use the result of model\.derive\(\)\.compile\(\)"):
        sl.method_choice(name)


def test_suggested_alternatives_are_supported() -> None:
    """Fields with constraints: explicit methods are refused, and half-explicit ones support both."""
    choice = sl.method_choice(pendulum_with_state())
    assert set(choice.taken) == {*(f"half_explicit_{k}" for k in (2, 3, 4, 5)), *IMPLICIT, "index1_dopri5", "taylor"}
    assert choice.default == "half_explicit_5"
    assert all("half_explicit_5" in sentence or "index1_dopri5" in sentence for sentence in choice.refusals.values())


def with_dependent_node() -> sl.System:
    """A node without velocity that determines another one, together with a constraint."""
    model = sl.Model("placed")
    bob, z, mark = (model.node(n, g) for n, g in (("bob", "R2"), ("z", STATE), ("mark", "R2")))
    model.kinetic_energy((bob.x_dot.dot(bob.x_dot) + mark.x_dot.dot(mark.x_dot)) / 2)
    model.constraint("rod", bob.x.dot(bob.x) - 1)
    model.vector_field(z, x=[-z.x[0]])
    model.dependent(mark, x=bob.x + sl.vector(z.x[0], 0))
    model.initial(bob, x=[1, 0], x_dot=[0, 0])
    return model.derive().compile(backend="numpy")


def test_dependent_nodes_with_fields_are_supported() -> None:
    choice = sl.method_choice(with_dependent_node())
    assert set(choice.taken) == {*IMPLICIT, "index1_dopri5"}
    assert all("index1_dopri5" in sentence for sentence in choice.refusals.values())
    assert choice.default == "index1_dopri5"
    assert "it has dependent nodes and first-order states" in choice.refusals["half_explicit_5"]


def test_remedies_for_stiffness_depend_on_the_model() -> None:
    assert "Use method='generalized_alpha', which is implicit, with a step size h" in remedy_of_stiffness(
        heavy_top_system("SE3", "numpy").layout
    )
    assert "method='generalized_alpha'" in remedy_of_stiffness(pendulum_with_state().layout)
    assert "method='generalized_alpha'" in remedy_of_stiffness(with_dependent_node().layout)


def test_limitations_name_unsupported_features() -> None:
    for family in FAMILIES.values():
        is_selective = family.refusal is not Method.refusal
        takes_fixed_steps = family.refusal_of_adaptive_steps is not Method.refusal_of_adaptive_steps
        assert (is_selective or takes_fixed_steps) == bool(family.refused), family.family
    assert method("rkmk_dopri5").limits == ["constraints of configurations and velocities", "manifolds with a frame"]
    assert "adaptive steps, which need an error estimate" in method("abmk3").limits
    assert "Baumgarte's term" in method("index1_dopri5").limits


def test_options_list_their_values() -> None:
    """All values are listed, and all listed values are accepted."""
    for name in ("rkmk_rk44", "symplectic_theta", "generalized_alpha"):
        found = method(name)
        assert found.options.keys() == found.option_values.keys()
        for option, default in found.options.items():
            words = [word for word in found.option_values[option].split(" | ") if word.replace("_", "").isalpha()]
            assert not words or str(default).lower() == words[0], option
            for word in words:
                found.with_options({option: word})
    with pytest.raises(ModelError, match="but it must be None or, for the family rkmk, a number of commutators from 0"):
        method("rkmk_rk44").with_options({"commutators": MOST_COMMUTATORS + 1})
