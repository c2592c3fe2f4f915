"""The N-fold pendulum in linear time, against the dense system of the survey and against many digits."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError, UnknownNameError
from symlie.models import pendulum_chain
from symlie.runtime.layout.layout import Array
from symlie.runtime.plot.panels import named_panels, panels
from tests.spaces.pendulum import REFERENCE
from tests.tolerances import (
    BOTH_FORMS,
    CHAIN_ENERGY,
    DENSE_SOLVE,
    FLOOR_FACTOR,
    FORMULATION_RATES,
    KERNEL,
    ORDER,
    SPACES_REFERENCE,
    TANGENT,
)

BACKENDS = ("c", "numpy")


@functools.cache
def chain(links: int, backend: str = "c") -> sl.System:
    """A chain of links of one metre and one kilogram."""
    return pendulum_chain.build(links=links).derive().compile(backend=backend)


def random_state(links: int) -> tuple[Array, Array, Array, Array]:
    """Directions, angular velocities, masses and lengths."""
    rng = np.random.default_rng(links)
    q, w = rng.normal(size=(2, links, 3))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    w -= q * np.sum(q * w, axis=1, keepdims=True)
    return q, w, rng.uniform(0.5, 2, links), rng.uniform(0.3, 1.5, links)


def dense_accelerations(q: Array, w: Array, m: Array, lengths: Array, g: float = 9.81) -> Array:
    """R(q) ω' = r. Source: [Celledoni2022], section 4."""
    n = len(q)
    carried = np.cumsum(m[::-1])[::-1]
    matrix, right = np.zeros((3 * n, 3 * n)), np.zeros((n, 3))
    for i in range(n):
        right[i] -= carried[i] * g * lengths[i] * np.cross(q[i], [0, 0, 1])
        for j in range(n):
            weight = carried[max(i, j)] * lengths[i] * lengths[j]
            block = np.eye(3) if i == j else np.dot(q[i], q[j]) * np.eye(3) - np.outer(q[j], q[i])
            matrix[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = weight * block
            if i != j:
                right[i] += weight * np.dot(w[j], w[j]) * np.cross(q[i], q[j])
    return np.asarray(np.linalg.solve(matrix, right.ravel()).reshape(n, 3))


def rates_of(system: sl.System, q: Array, w: Array) -> Array:
    """ω' of the chain, from its field."""
    stated = system.with_initial("links", directions=q, angular_velocities=w)
    state, kernels, p = stated.initial_state, stated.kernels, stated.prepared
    a, multipliers = stated.mechanics.index1(0.0, state.q, state.v)
    f = kernels.field(p, 0.0, state.q, a, multipliers, state.v)[stated.layout.node("links").velocity].reshape(-1, 6)
    return np.cross(f[:, :3], w) + np.cross(f[:, 3:], q)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("links", [1, 2, 3, 20, 100])
def test_tensions_match_the_dense_system(links: int, backend: str) -> None:
    q, w, m, lengths = random_state(links)
    system = chain(links, backend).with_parameters(masses=m, lengths=lengths)
    expected = dense_accelerations(q, w, m, lengths)
    assert np.abs(rates_of(system, q, w) - expected).max() < DENSE_SOLVE * np.abs(expected).max()


@pytest.mark.parametrize(
    ("case", "links", "length", "backend"),
    [
        ("pend_N2_T1", 2, 1.0, "c"),
        pytest.param("pend_N2_T1", 2, 1.0, "numpy", marks=pytest.mark.slow),
        ("pend_N2_T3", 2, 1.0, "c"),
        ("pend_N20_L1_T3", 20, 1.0, "c"),
        ("pend_N20_L5N_T1", 20, 0.25, "c"),
    ],
)
def test_chain_matches_the_reference(case: str, links: int, length: float, backend: str) -> None:
    known = REFERENCE[case]
    system = chain(links, backend).with_parameters(lengths=length)
    atol = 1e-13 if backend == "c" else 4e-13
    end = float(known["t_end"])
    solution = sl.solve(system, end, method="rkmk_dopri5", rtol=0, atol=atol, t_eval=[end])
    for name, label in (("directions", "q"), ("angular_velocities", "omega")):
        error = np.abs(solution.field("links", name)[-1] - np.array(known["final"][label], dtype=float)).max()
        assert error < FLOOR_FACTOR * known["float64_DOP853_rtol1e-13_error"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("links", "length", "exponent", "accepted", "rejected", "error"),
    [(2, 1.0, 1 / 4, 117, 17, 1.1e-5), (2, 1.0, 1 / 5, 119, 10, 1.0e-5), (20, 1.0, 1 / 4, 362, 5, 1.5e-5),
     (20, 0.25, 1 / 4, 795, 2, 6.8e-5)],
)  # fmt: skip
def test_adaptive_steps_match_the_published_results(
    links: int, length: float, exponent: float, accepted: int, rejected: int, error: float
) -> None:
    solution = sl.solve(
        chain(links).with_parameters(lengths=length), 3.0, method="rkmk_dopri5", rtol=0, atol=1e-6, h0=0.03,
        controller="celledoni2022", controller_options={"exponent": exponent},
    )  # fmt: skip
    assert (solution.statistics.accepted, solution.statistics.rejected) == (accepted, rejected)
    fine = sl.solve(chain(links).with_parameters(lengths=length), 3.0, method="rkmk_dopri5", rtol=0, atol=1e-12)
    node = solution.system.layout.node("links").storage
    assert np.linalg.norm((solution.q[-1] - fine.q[-1])[node]) < 1.05 * error


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_run_conserves_invariants(backend: str) -> None:
    q, w, m, lengths = random_state(3)
    system = chain(3, backend).with_parameters(masses=m, lengths=lengths)
    system = system.with_initial("links", directions=q, angular_velocities=w)
    solution = sl.solve(system, 1.0, method="rkmk_dopri5", rtol=0, atol=1e-10)
    directions, spins = solution.field("links", "directions"), solution.field("links", "angular_velocities")
    assert np.abs(np.linalg.norm(directions, axis=2) - 1).max() < TANGENT
    assert np.abs(np.sum(directions * spins, axis=2)).max() < TANGENT
    assert np.ptp(solution.outputs["energy"]) < CHAIN_ENERGY
    expected = np.cumsum(lengths[:, None] * directions, axis=1)
    assert np.abs(solution.outputs["positions"] - expected).max() < TANGENT
    tension = solution.named_multipliers()["tension"][:, :, 0]
    assert tension.shape == (len(solution.t), 3)
    printed = solution.to_json()
    assert list(printed["q"]) == ["links"] and printed["v"]["links"][0] == [[]] * 3


@pytest.mark.slow
@pytest.mark.parametrize(("method", "order"), [("rkmk_rk44", 4), ("rkmk_dopri5", 5), ("cf4", 4), ("cg3", 3)])
def test_spatial_chain_has_the_declared_orders(method: str, order: int) -> None:
    q, w, m, lengths = random_state(3)
    system = chain(3).with_parameters(masses=m, lengths=lengths)
    system = system.with_initial("links", directions=q, angular_velocities=w)
    node = system.layout.node("links").storage
    best = sl.solve(system, 0.5, method="rkmk_dopri5", rtol=0, atol=1e-13).q[-1]
    errors = [np.linalg.norm((sl.solve(system, 0.5, method=method, h=0.5 / n).q[-1] - best)[node]) for n in (80, 160)]
    assert np.log2(errors[0] / errors[1]) > order - ORDER


@pytest.mark.parametrize("backend", BACKENDS)
def test_multipliers_match_recorded_states(backend: str) -> None:
    for method in ("rkmk_dopri5", "cf4", "rkmk_rk44"):
        solution = sl.solve(chain(3, backend), 0.5, method=method, h=0.05)
        exact = solution.with_index1_multipliers().multipliers
        # The stage at the end of a step is evaluated before the return to the manifold.
        assert np.abs(solution.multipliers - exact).max() < KERNEL * np.abs(exact).max()


def test_code_size_is_independent_of_the_links() -> None:
    texts = []
    for links in (3, 30):
        from symlie.publish.sets import generated_files

        files = generated_files(pendulum_chain.build(links=links).derive())
        texts.append({name: text for name, text in files.items() if name != "manifest.json"})
    assert texts[0] == texts[1]


def momenta_of(q: Array, w: Array, m: Array, lengths: Array) -> Array:
    """m_i = L_i q_i × P_i, P_i the momentum of all masses from i on."""
    velocities = np.cumsum(lengths[:, None] * np.cross(w, q), axis=0)
    below = np.cumsum((m[:, None] * velocities)[::-1], axis=0)[::-1]
    return lengths[:, None] * np.cross(q, below)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_both_formulations_agree(backend: str) -> None:
    """With rejected steps, too, after which the first stage serves again."""
    q, w, m, lengths = random_state(4)
    first = chain(4, backend).with_initial("links", directions=q, angular_velocities=w)
    model = pendulum_chain.build(links=4, formulation="hamiltonian")
    second = model.derive().compile(backend=backend)
    second = second.with_initial("links", directions=q, momenta=momenta_of(q, w, m, lengths))
    runs = [
        sl.solve(
            s.with_parameters(masses=m, lengths=lengths), 0.5, method="rkmk_dopri5", rtol=0, atol=1e-9, h0=0.1,
            controller="celledoni2022", t_eval=[0.0, 0.25, 0.5],
        )
        for s in (first, second)
    ]  # fmt: skip
    assert all(run.statistics.rejected > 0 for run in runs)
    a, b = (run.outputs for run in runs)
    assert np.abs(a["positions"] - b["positions"]).max() < BOTH_FORMS
    assert np.abs(a["energy"] - b["energy"]).max() < FORMULATION_RATES
    assert np.ptp(b["energy"]) < FORMULATION_RATES
    end = runs[0].field("links", "directions")[-1], runs[0].field("links", "angular_velocities")[-1]
    apart = runs[1].field("links", "momenta")[-1] - momenta_of(*end, m, lengths)
    assert np.abs(apart).max() < FORMULATION_RATES


@pytest.mark.parametrize(("method", "order"), [("rkmk_rk44", 4), ("cf4", 4), ("ambient_rk4", 4)])
def test_momentum_formulation_has_the_declared_orders(method: str, order: int) -> None:
    system = pendulum_chain.build(links=3, formulation="hamiltonian").derive().compile()
    known = sl.solve(chain(3), 0.5, method="rkmk_dopri5", rtol=0, atol=1e-13).outputs["positions"][-1]
    errors = [
        np.abs(sl.solve(system, 0.5, method=method, h=0.5 / n).outputs["positions"][-1] - known).max() for n in (40, 80)
    ]
    assert np.log2(errors[0] / errors[1]) > order - ORDER


@pytest.mark.slow
def test_checkpoints_and_files_keep_element_parameters(tmp_path: Any) -> None:
    system = chain(3).with_parameters(masses=[1, 2, 3])
    solution = sl.solve(system, 0.2, method="rkmk_dopri5", h=0.05)
    solution.save(tmp_path / "chain.npz")
    loaded = sl.load_solution(tmp_path / "chain.npz", trust=True)
    assert np.array_equal(loaded.system.element_parameters[0], solution.system.element_parameters[0])
    assert np.array_equal(loaded(0.13).q, solution(0.13).q)
    assert np.array_equal(loaded.outputs["positions"], solution.outputs["positions"])
    solution.plot(tmp_path / "chain.png")


def test_acceleration_constraints_have_no_residual_panel() -> None:
    solution = sl.solve(chain(3), 0.1, method="rkmk_dopri5", h=0.05)
    assert [p.title for p in panels(solution)] == ["multipliers of tension, largest of 3", "energy, relative change"]
    with pytest.raises(UnknownNameError, match=r"draw energy, tension, snapshots\.$"):
        named_panels(solution, ["residuals"])


def test_invalid_dependent_nodes_are_reported() -> None:
    def stated(order: list[int], twice: bool = False, offset: str = "q") -> sl.Model:
        model = sl.Model("mistake")
        points, bobs = model.node_array("points", "R3", 3), model.node_array("bobs", sl.TS2, 2)
        points.fix(0)
        body = sl.ElementType("body", point="R3")
        body.kinetic_energy(body.point.x_dot.dot(body.point.x_dot) / 2)
        model.add(body, [points[1], points[2]])
        rod = sl.ElementType("rod", above="R3", below="R3", bob=sl.TS2)
        rod.field(rod.bob, Omega=rod.bob.omega)
        rod.dependent(rod.below, x=rod.above.x + getattr(rod.bob, offset))
        rod.acceleration_constraint("tension", rod.bob.q.dot(rod.below.v_dot - rod.above.v_dot))
        if offset == "omega":
            rod.field(rod.bob, U=rod.below.v_dot)
        model.add(rod, [(points[k], points[k + 1], bobs[k]) for k in order])
        if twice:
            pull = sl.ElementType("pull", bob=sl.TS2)
            pull.field(pull.bob, U=[0, 0, 1])
            model.add(pull, bobs)
        return model

    stated([0, 1]).derive()
    stated([1, 0]).derive()
    with pytest.raises(ModelError, match="must define the whole field"):
        stated([0, 1], twice=True).derive()
    with pytest.raises(ModelError, match="depends on accelerations"):
        stated([0, 1], offset="omega").derive().compile(backend="numpy")
    rod = sl.ElementType("rod", above="R3", below="R3", body=sl.SE3)
    for node, x, message in (
        (rod.body, rod.above.x, "needs R, x, and either all or none of Omega, U, not x"),
        (rod.below, [0, 0], "needs 3 components, not 2"),
        (rod.below, rod.below.x, "of t and of other nodes"),
        (rod.below, rod.above.x_dot, "of t and of other nodes"),
    ):
        with pytest.raises(ModelError, match=message):
            rod.dependent(node, x=x)
    rod.dependent(rod.below, x=rod.above.x + rod.body.x)
    with pytest.raises(ModelError, match="already dependent"):
        rod.dependent(rod.below, x=rod.above.x + rod.body.x)
    with pytest.raises(ModelError, match="does not depend on accelerations"):
        rod.acceleration_constraint("none", rod.below.x[0])
    with pytest.raises(ModelError, match="affine in the accelerations"):
        rod.acceleration_constraint("square", rod.below.v_dot[0] ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_dumbbell_with_a_dependent_mass_conserves_invariants(backend: str) -> None:
    """Single nodes, tables in the text: momenta and energy are constant, and the free mass is integrated."""
    model = sl.Model("dumbbell")
    m = model.parameter("masses", [1.5, 0.7], unit="kg")
    length = model.parameter("length", 0.8, unit="m")
    a, b, link = model.node("a", "R3"), model.node("b", "R3"), model.node("link", sl.TS2)
    q, omega = link.q, link.omega
    apart = b.v_dot - a.v_dot
    for mass, point in zip(m, (a, b), strict=True):
        model.kinetic_energy(mass * point.x_dot.dot(point.x_dot) / 2)
        model.potential_energy(mass * 9.81 * point.x[2])
    model.acceleration_constraint("tension", q.dot(apart) + length * omega.dot(omega))
    model.field(link, Omega=omega, U=q.cross(q.cross(apart)) / length)
    model.dependent(b, x=a.x + length * q)
    model.output(
        "spin", sum((mass * p.x.cross(p.x_dot) for mass, p in zip(m, (a, b), strict=True)), sl.vector(0, 0, 0))[2]
    )
    model.initial(a, x=[0.1, 0, 0], x_dot=[1, 2, 3])
    model.initial(link, q=[0.6, 0, 0.8], omega=[0.8, 5, -0.6])
    system = model.derive().compile(backend=backend)
    assert system.layout.is_fixed
    solution = sl.solve(system, 0.6, method="rkmk_dopri5", rtol=1e-11, atol=1e-11)
    for kept in ("energy", "spin"):
        assert np.ptp(solution.outputs[kept]) < SPACES_REFERENCE
    offset = solution.field("b", "x") - solution.field("a", "x")
    assert np.abs(offset - 0.8 * solution.field("link", "q")).max() < TANGENT
    center = (1.5 * solution.field("a", "x") + 0.7 * solution.field("b", "x")) / 2.2
    t = solution.t[:, None]
    rate = (1.5 * solution.field("a", "x_dot")[0] + 0.7 * solution.field("b", "x_dot")[0]) / 2.2
    parabola = center[0] + t * rate - 9.81 / 2 * t**2 * np.array([0, 0, 1])
    assert np.abs(center - parabola).max() < SPACES_REFERENCE
    # The tension turns the reduced mass.
    turned = np.sum(solution.field("link", "omega") ** 2, axis=1)
    tension = solution.named_multipliers()["tension"][:, 0]
    assert np.abs(tension - 0.8 * turned * 1.5 * 0.7 / 2.2).max() < KERNEL * tension.max()
    assert list(solution.to_json()["q"]) == ["a", "link"]
    with pytest.raises(ModelError, match="already dependent"):
        model.dependent(b, x=a.x + length * q)
