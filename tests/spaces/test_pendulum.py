"""A spherical pendulum on TS²: orders, the sign of dexp⁻¹ for actions from the left, and everything around a run."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.errors import GroupError, ModelError, UnknownFieldError, UnsupportedMethodError
from tests.spaces.pendulum import pendulum, pendulum_model, pendulum_reference
from tests.tolerances import BACKENDS_OF_SPACES, ORDER, SPACES_REFERENCE, TANGENT

BACKENDS = ("c", "numpy")
ORDERS = {"lie_euler_heun": 2, "rkmk_kutta3": 3, "cg3": 3, "rkmk_rk44": 4, "cf4": 4, "rkmk_dopri5": 5}
ORDERS |= {"rkmk4_two_commutators": 4, "cf32a": 3}


def errors(system: sl.System, method: str, steps: tuple[int, ...], t: float = 1.0) -> list[float]:
    """Errors at t for numbers of steps."""
    ends = [sl.solve(system, t, method=method, h=t / n).q[-1] for n in steps]
    return [float(np.linalg.norm(q - pendulum_reference(t))) for q in ends]


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("method", ORDERS)
def test_methods_have_their_order(method: str, backend: str) -> None:
    error = errors(pendulum(backend), method, (20, 40, 80))
    assert math.log2(error[1] / error[2]) > ORDERS[method] - ORDER
    assert math.log2(error[0] / error[1]) > ORDERS[method] - ORDER


@pytest.mark.slow
def test_wrong_sign_of_the_action_gives_order_two() -> None:
    wrong = dataclasses.replace(sl.TS2, name="wrong_TS2", is_left=False)
    error = errors(pendulum_model(wrong).derive().compile(backend="numpy"), "rkmk_rk44", (20, 40, 80))
    assert abs(math.log2(error[1] / error[2]) - 2) < ORDER


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_adaptive_steps_meet_the_reference_and_stay_on_the_manifold(backend: str) -> None:
    solution = sl.solve(pendulum(backend), 2.0, method="rkmk_dopri5", rtol=1e-12, atol=1e-12)
    assert np.abs(solution.q[-1] - pendulum_reference(2.0)).max() < SPACES_REFERENCE
    q, omega = solution.field("bob", "q"), solution.field("bob", "omega")
    assert np.abs(np.linalg.norm(q, axis=1) - 1).max() < TANGENT
    assert np.abs(np.sum(q * omega, axis=1)).max() < TANGENT
    energy = solution.outputs["energy"]
    assert np.abs(energy - energy[0]).max() < SPACES_REFERENCE
    assert np.abs(solution.outputs["height"] - 1.3 * q[:, 2]).max() == 0


def test_backends_agree() -> None:
    compiled, plain = (sl.solve(pendulum(b), 1.0, method="rkmk_dopri5", h=0.05) for b in BACKENDS)
    assert np.abs(compiled.q - plain.q).max() < BACKENDS_OF_SPACES


@pytest.mark.parametrize("backend", BACKENDS)
def test_dense_output_equals_a_step_of_the_method(backend: str) -> None:
    solution = sl.solve(pendulum(backend), 1.0, method="rkmk_rk44", h=0.1)
    short = sl.solve(pendulum(backend), 0.13, method="rkmk_rk44", t_eval=[0.1, 0.13], h=0.1)
    assert np.abs(solution(0.13).q - short.q[-1]).max() < BACKENDS_OF_SPACES
    assert np.abs(np.linalg.norm(solution(0.77).field("bob", "q")) - 1) < TANGENT


@pytest.mark.slow
def test_array_moves_like_single_nodes() -> None:
    model = sl.Model("several")
    pendulums = model.node_array("bobs", sl.TS2, 30)
    element = sl.ElementType("pull", bob=sl.TS2)
    length = element.parameter("length", 1.0, unit="m")
    bob = element.bob
    element.vector_field(bob, q=bob.omega.cross(bob.q), omega=-9.81 / length * bob.q.cross(sl.vector(0, 0, 1)))
    element.energy(bob.omega.dot(bob.omega) * length / 2 + 9.81 * bob.q[2])
    lengths = np.linspace(0.5, 2.0, 30)
    model.add(element, pendulums, length=lengths[:, None])
    pendulums.initial(q=[0.6, 0, 0.8], omega=[0, 1, 0])
    ends = {}
    for backend in BACKENDS:
        system = model.derive().compile(backend=backend)
        ends[backend] = sl.solve(system, 1.0, method="rkmk_dopri5", h=0.02)
    assert np.abs(ends["c"].q - ends["numpy"].q).max() < BACKENDS_OF_SPACES
    alone = pendulum("c").with_parameters(length=float(lengths[7]), field=0.0)
    single = sl.solve(alone.with_initial("bob", q=[0.6, 0, 0.8], omega=[0, 1, 0]), 1.0, method="rkmk_dopri5", h=0.02)
    assert np.abs(ends["c"].configuration("bobs")[-1, 7] - single.q[-1]).max() < BACKENDS_OF_SPACES


@pytest.mark.slow
def test_body_with_a_spin_is_supported() -> None:
    """A node with velocity and one without, coupled in both directions: the energy of both is constant."""
    model = sl.Model("spin_on_spring")
    x, spin = model.node("mass", "R3"), model.node("spin", sl.S2)
    coupling = x.x.dot(spin.q)
    model.kinetic_energy(x.x_dot.dot(x.x_dot) / 2)
    model.potential_energy(x.x.dot(x.x) / 2 + coupling)
    model.field(spin, x.x)
    model.initial(x, x=[0.5, 0.2, -0.3], x_dot=[0, 1, 0])
    model.initial(spin, q=[0, 0.6, 0.8])
    for backend in BACKENDS:
        system = model.derive().compile(backend=backend)
        solution = sl.solve(system, 2.0, method="rkmk_dopri5", rtol=1e-11, atol=1e-11)
        energy = solution.outputs["energy"]
        assert np.abs(energy - energy[0]).max() < SPACES_REFERENCE
        assert solution.velocity("mass").shape[1] == 3 and solution.velocity("spin").shape[1] == 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".npz", ".nc"])
def test_files_and_figures_are_written(ending: str, tmp_path: Path) -> None:
    solution = sl.solve(pendulum("numpy"), 0.5, method="rkmk_dopri5", h=0.05)
    solution.save(tmp_path / f"run{ending}")
    loaded = sl.load_solution(tmp_path / f"run{ending}", trust=True)
    assert np.array_equal(loaded.q, solution.q) and np.array_equal(loaded(0.33).q, solution(0.33).q)
    solution.plot(tmp_path / "run.png")
    printed = solution.to_json()
    assert printed["v"]["bob"] == [[]] * len(solution.t) and len(printed["q"]["bob"][0]) == 6


def test_generated_folder_runs(tmp_path: Path) -> None:
    folder = pendulum_model().derive().generate(tmp_path / "pendulum")
    loaded = sl.solve(sl.load(folder, backend="numpy", trust=True), 0.5, method="rkmk_dopri5", h=0.05)
    assert np.abs(loaded.q - sl.solve(pendulum("numpy"), 0.5, method="rkmk_dopri5", h=0.05).q).max() == 0
    text = (folder / "equations.md").read_text()
    assert r"\dot q &= f_{\Omega} \times q" in text and "algebra-valued field" in text


def test_convergence_measures_stored_components() -> None:
    rows = list(sl.convergence(pendulum("c"), 0.5, ["rkmk_rk44"], [0.05, 0.025]))
    assert rows[-1].error.v is None and rows[-1].order.q is not None and rows[-1].order.q > 4 - ORDER


def test_features_that_need_velocities_are_rejected() -> None:
    system = pendulum("c")
    with pytest.raises(UnsupportedMethodError, match="first-order states"):
        sl.solve(system, 1.0, method="abmk3", h=0.1)
    for action in (system.static_equilibrium, system.linearize, system.assembled):
        with pytest.raises(ModelError, match="first-order states"):
            action()
    model = sl.Model("refused")
    bob, body = model.node("bob", "TS2"), model.node("body", sl.SO3)
    with pytest.raises(UnknownFieldError, match="has no velocity: its motion"):
        _ = bob.v
    with pytest.raises(ModelError, match="cannot be composed"):
        bob.inverse()
    with pytest.raises(ModelError, match="has no velocity on which a force could act"):
        model.generalized_force(bob, [0] * 6)
    with pytest.raises(ModelError, match="rate is known only after"):
        model.constraint("height", bob.q[2])
    with pytest.raises(ModelError, match="rate is known only after"):
        model.kinetic_energy(bob.q[2] * body.Omega.dot(body.Omega))
    with pytest.raises(ModelError, match="has a velocity"):
        model.field(body, [0, 0, 0])
    with pytest.raises(ModelError, match="needs 6 components"):
        model.field(bob, [0, 0, 0])
    with pytest.raises(ModelError, match="no part 'x'"):
        model.field(bob, x=[0, 0, 0])
    with pytest.raises(ModelError, match="Hamiltonian alone"):
        model.hamiltonian(bob.q[0])
    with pytest.raises(ModelError, match="none of its nodes"):
        model.hamiltonian(1.0)
    with pytest.raises(GroupError, match="leaves TS2"):
        model.vector_field(bob, q=bob.q)
    with pytest.raises(ModelError, match="cannot be prescribed"):
        model.prescribe(bob, q=[0, 0, 1], omega=[0, 0, 0])
    with pytest.raises(ModelError, match="cannot be clamped"):
        model.node_array("bobs", sl.TS2, 3).fix(0)
    model.kinetic_energy(body.Omega.dot(body.Omega))
    with pytest.raises(ModelError, match="no equation of motion"):
        model.derive()


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_adaptive_steps_of_chains_measure_the_distance_of_points(backend: str) -> None:
    solution = sl.solve(pendulum(backend), 1.0, method="cf43", rtol=0, atol=1e-8)
    error = float(np.linalg.norm(solution.q[-1] - pendulum_reference(1.0)))
    assert 1e-9 < error < 1e-6
    assert solution.statistics.steps < 1000
