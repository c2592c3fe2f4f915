"""Runs that start from other quantities than their states, which the model turns into fields."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, UnknownNameError
from symlie.models import pendulum_chain
from symlie.models.systems import system_of_model
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.record import recorded_system, system_record
from tests.spaces.test_chain import momenta_of, random_state
from tests.tolerances import BOTH_FORMS, SPACES


def started(links: int, formulation: str, backend: str = "c") -> sl.System:
    """A chain of unequal links with random directions and angular velocities."""
    q, w, m, lengths = random_state(links)
    system = pendulum_chain.build(links=links, formulation=formulation).derive().compile(backend=backend)
    system = system.with_initial("links", directions=q, angular_velocities=w)
    return system.with_parameters(masses=m, lengths=lengths)


def momenta(system: sl.System) -> Array:
    state = system.initial_state
    return state.q[system.layout.node("links").storage].reshape(-1, 6)[:, 3:]


@pytest.mark.parametrize(
    ("links", "backend"),
    [(1, "c"), (3, "c"), (7, "c"), (1, "numpy")]
    + [pytest.param(n, "numpy", marks=pytest.mark.slow) for n in (3, 7)],
)  # fmt: skip
def test_both_forms_agree_from_equal_initial_values(links: int, backend: str) -> None:
    by_velocities, by_momenta = (
        sl.solve(
            started(links, formulation, backend), 1.0, method="rkmk_dopri5", rtol=0, atol=1e-11, t_eval=[0, 0.5, 1.0]
        )
        for formulation in ("lagrangian", "hamiltonian")
    )
    a, b = by_velocities.outputs, by_momenta.outputs
    assert np.abs(a["positions"] - b["positions"]).max() < BOTH_FORMS
    assert np.abs(a["energy"] - b["energy"]).max() < BOTH_FORMS * np.abs(a["energy"]).max()
    _, _, m, lengths = random_state(links)
    states = (by_velocities.field("links", name) for name in ("directions", "angular_velocities"))
    for q, w, found in zip(*states, by_momenta.field("links", "momenta"), strict=True):
        expected = momenta_of(q, w, m, lengths)
        assert np.abs(found - expected).max() < BOTH_FORMS * np.abs(expected).max()


def test_parameters_affect_initial_values_in_any_order() -> None:
    _, w, m, lengths = random_state(3)
    later = started(3, "hamiltonian")
    q = random_state(3)[0]
    expected = momenta_of(q, w, m, lengths)
    assert np.abs(momenta(later) - expected).max() < SPACES * np.abs(expected).max()
    heavier = later.with_parameters(masses=2 * m)
    assert np.abs(momenta(heavier) - 2 * expected).max() < SPACES * np.abs(expected).max()
    slower = later.with_initial("links", angular_velocities=w / 2)
    assert np.abs(momenta(slower) - expected / 2).max() < SPACES * np.abs(expected).max()


def test_directions_are_normalised_first() -> None:
    """Stated directions are rounded onto the manifold."""
    system = pendulum_chain.build(links=2, formulation="hamiltonian").derive().compile(backend="numpy")
    exact, rounded = (
        system.with_initial("links", directions=[0.6 * x, 0, 0.8 * x], angular_velocities=[0, 1, 0])
        for x in (1.0, 1 + 1e-7)
    )
    assert np.abs(momenta(exact) - momenta(rounded)).max() < SPACES


def test_files_store_computed_values(tmp_path: Path) -> None:
    system = started(3, "hamiltonian")
    expected = momenta(system)
    again = recorded_system(json.loads(json.dumps(system_record(system))))
    assert np.array_equal(momenta(again), expected)
    whole = sl.solve(system, 0.2, method="rkmk_rk44", h=0.01, checkpoint=tmp_path / "run.checkpoint")
    assert sl.resume(tmp_path / "run.checkpoint", trust=True).q.tobytes() == whole.q.tobytes()
    whole.save(tmp_path / "run.npz")
    loaded = sl.load_solution(tmp_path / "run.npz", trust=True).system
    assert sl.solve(loaded, 0.2, method="rkmk_rk44", h=0.01).q.tobytes() == whole.q.tobytes()
    moved = system.with_configuration(whole.q[-1]).initial_state
    assert np.abs(moved.q - whole.q[-1]).max() < SPACES
    folder = pendulum_chain.build(links=3, formulation="hamiltonian").derive().generate(tmp_path / "chain")
    with pytest.raises(UnknownNameError, match=r"it has: directions, momenta\. Other quantities require the model"):
        sl.load(folder, backend="numpy", trust=True).with_initial("links", angular_velocities=[0, 1, 0])


def test_cached_models_have_their_quantities() -> None:
    for _ in range(2):
        system = system_of_model("pendulum_chain", {"links": 3, "formulation": "hamiltonian"}, backend="numpy")
        system = system.with_initial("links", angular_velocities=[0, 2, 0])
        assert momenta(system)[:, 1] == pytest.approx([12, 10, 6])


def test_invalid_initial_values_are_reported() -> None:
    system = pendulum_chain.build(links=3, formulation="hamiltonian").derive().compile(backend="numpy")
    both = "cannot start from both momenta and angular_velocities"
    with pytest.raises(ModelError, match=both):
        system.with_initial("links", momenta=[0, 1, 0], angular_velocities=[0, 1, 0])
    with pytest.raises(ModelError, match=both):
        system.with_initial("links", momenta=[0, 1, 0]).with_initial("links", angular_velocities=[0, 1, 0])
    with pytest.raises(ModelError, match="cannot start from both angular_velocities and momenta"):
        system.with_initial("links", angular_velocities=[0, 1, 0]).with_initial("links", momenta=[0, 1, 0])
    with pytest.raises(UnknownNameError, match="it has: directions, momenta, angular_velocities"):
        system.with_initial("links", spins=[0, 1, 0])
    with pytest.raises(ModelError, match="needs 3 × 3 or 3 components"):
        system.with_initial("links", angular_velocities=[0, 1])
    with pytest.raises(ModelError, match=r"link 0 has the component 0\.707 along its direction"):
        _ = system.with_initial("links", angular_velocities=[1, 1, 0]).initial_state
    with pytest.raises(ModelError, match="not in momentum_link"):
        _ = system.with_initial("links", directions=[0, 0, 2], angular_velocities=[0, 1, 0]).initial_state


def bodies(function: Callable[..., Any], name: str = "momentum", field: str = "Omega", **options: Any) -> sl.Model:
    """Two rigid bodies with a momentum in space."""
    model = sl.Model("bodies")
    scale = model.parameter("scale", [[2.0, 0, 0], [0, 2.0, 0], [0, 0, 2.0]])
    array = model.node_array("bodies", sl.SO3, 2)
    array.initial(R=[[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    body = sl.ElementType("body", node=sl.SO3)
    J = body.parameter("inertia", [1, 2, 4])
    body.kinetic_energy(body.node.Omega.dot(sl.diag(J) * body.node.Omega) / 2)
    body.potential_energy(scale[0, 0])
    model.add(body, array)
    array.initial_quantity(name, field, function, **options)
    return model


def test_velocities_can_follow_from_quantities_of_another_size() -> None:
    def omega(momentum: Array, R: Array, inertia: Array, scale: Array) -> Array:
        assert (momentum.shape, R.shape, inertia.shape, scale.shape) == ((2, 2), (2, 9), (2, 3), (3, 3))
        in_space = np.column_stack([momentum, np.ones(2)]) @ scale
        return np.einsum("nij,ni->nj", R.reshape(-1, 3, 3), in_space) / inertia

    system = bodies(omega, size=2).derive().compile(backend="numpy")
    system = system.with_parameters(inertia=[[1, 2, 4], [2, 2, 2]]).with_initial("bodies", momentum=[[3, 4], [5, 6]])
    assert system.initial_state.v == pytest.approx([8, -3, 0.5, 6, -5, 1])
    assert system.stated_state().given.all()
    assert system.assembled().initial_state.v == pytest.approx([8, -3, 0.5, 6, -5, 1])


def test_quantities_follow_each_other() -> None:
    """Independent of the order in which they are defined and given."""
    model = bodies(lambda momentum, R: np.einsum("nij,ni->nj", R.reshape(-1, 3, 3), momentum))
    (array,) = model.arrays
    array.initial_quantity(
        "turned", "R", lambda turned: [np.roll(np.eye(3), int(k), axis=0).ravel() for (k,) in turned], 1
    )
    system = model.derive().compile(backend="numpy").with_initial("bodies", momentum=[1, 2, 3], turned=[[1], [2]])
    assert system.initial_state.v == pytest.approx([2, 3, 1, 3, 1, 2])
    model = bodies(lambda momentum, R: momentum)
    (array,) = model.arrays
    array.initial_quantity("turned", "R", lambda turned, Omega: turned)
    system = model.derive().compile(backend="numpy").with_initial("bodies", momentum=[1, 2, 3], turned=np.eye(3))
    with pytest.raises(ModelError, match=r"Each of bodies\.momentum and bodies\.turned requires a field"):
        _ = system.initial_state


def test_functions_may_modify_their_arguments() -> None:
    def omega(momentum: Array, R: Array, inertia: Array, scale: Array) -> Array:
        for argument in (R, inertia, scale):
            argument *= 2
        momentum /= inertia
        return momentum

    system = bodies(omega).derive().compile(backend="numpy").with_initial("bodies", momentum=[1, 2, 4])
    assert system.initial_state.v == pytest.approx([0.5] * 6)
    assert np.array_equal(system.parameters, 2 * np.eye(3).ravel())
    assert np.array_equal(system.element_parameters[0], [[1, 2, 4]])
    assert np.array_equal(system.initial_values["bodies", "momentum"], [[1, 2, 4]])


def test_failing_functions_are_named() -> None:
    for function, message in (
        (lambda momentum: momentum[5], "bodies.Omega that 'bodies' computes from momentum cannot be computed: Index"),
        (lambda momentum: momentum[:, :2], "needs 2 × 3 or 3 components, not 4"),
        (lambda momentum: momentum / 0.0, "not finite"),
    ):
        system = bodies(function).derive().compile(backend="numpy").with_initial("bodies", momentum=[1, 2, 3])
        with pytest.raises(ModelError, match=message), np.errstate(all="ignore"):
            _ = system.initial_state


def test_invalid_definitions_are_reported() -> None:
    for name, field, function, message in (
        ("momentum", "omega", lambda momentum: momentum, "no field 'omega' to compute; it has: R, Omega"),
        ("R", "Omega", lambda R: R, "already has an initial quantity 'R'"),
        ("a b", "Omega", lambda R: R, "not usable"),
        ("momentum", "Omega", 3, "needs a Python function"),
        ("momentum", "Omega", lambda spin: spin, "needs named arguments, such as momentum"),
        ("momentum", "Omega", lambda momentum, *rest: momentum, "needs named arguments"),
    ):
        with pytest.raises(ModelError, match=message):
            bodies(function, name, field)
    with pytest.raises(ModelError, match="needs at least one component, not 0"):
        bodies(lambda momentum: momentum, size=0)
    with pytest.raises(ModelError, match="has the unknown argument 'mass'; use one of: momentum, R, scale, inertia"):
        bodies(lambda momentum, mass: momentum).derive()
    with pytest.raises(ModelError, match="has the unknown argument 'Omega'"):
        bodies(lambda momentum, Omega: momentum).derive()
    model = bodies(lambda x: x, "x")
    model.node_array("points", "R3", 1)
    with pytest.raises(ModelError, match="'x' of 'bodies' is a field of R3, too"):
        model.derive()
    model = bodies(lambda momentum: momentum)
    equations = model.derive()
    model.arrays[0].initial_quantity("spin", "Omega", lambda spin: spin)
    with pytest.raises(ModelError, match="changed after"):
        equations.compile(backend="numpy")
