"""Redundant constraints on request: the motion equals the motion without them, and multipliers have minimal norm."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import (
    ConstraintDriftError,
    InconsistentInitialValuesError,
    InterruptedIntegrationError,
    NotConvergedError,
    RedundantConstraintsError,
    SymlieError,
    UnknownNameError,
)
from symlie.runtime.integrate import run as execution
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.dependent_rows import dependent_rows
from symlie.runtime.system.system import System
from symlie.warnings import SymlieWarning
from tests import tolerances
from tests.runtime.interruptions import Stop, content

BACKENDS = ("c", "numpy")
IMPLICIT = ("generalized_alpha", "generalized_alpha_index2")
METHODS = ("half_explicit_5", *IMPLICIT)
VARIATIONAL = ("rattlie", "variational_midpoint")

# Each run warns about redundant constraints; the tests read `Solution.warnings`.
pytestmark = pytest.mark.filterwarnings("ignore::symlie.warnings.SymlieWarning")


def minimal(system: System, t_end: float, **options: Any) -> sl.Solution:
    """A run with multipliers of minimal norm."""
    return sl.solve(system, t_end, redundant="minimal_norm", **options)


@functools.cache
def plane(backend: str, of_velocity: bool = False, sees: bool = False) -> System:
    """A particle on z = 0 under a force along x and -z; a second row may be the first one, or contradict it.

    A first-order state may add up the multiplier of the first row.
    """
    model = sl.Model("plane")
    q = model.node("q", "R3")
    scale, turn = model.parameter("scale", 1.0), model.parameter("turn", 0.5, unit="s")
    away, towards, c0, c1, c2, late = (
        model.parameter(name, 0.0) for name in ("away", "towards", "c0", "c1", "c2", "late")
    )
    t, after = model.t, sl.Max(model.t - turn, 0)
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.generalized_force(q, x_dot=[1, 0, -1])
    z, y = (q.x_dot[2], q.x_dot[1]) if of_velocity else (q.x[2], q.x[1])
    tilted = (away * after + towards * sl.Max(turn - t, 0)) * y
    second = scale * z + tilted - c0 - c1 * t - c2 * t**2 / 2 - late * after**2
    state = model.nonholonomic_constraint if of_velocity else model.constraint
    first = state("first", z)
    state("second", second)
    if sees:
        model.field(model.state("seen", 1), [first[0]])
    model.event("half", q.x[0] - 1 / 8, terminal=False)
    model.initial(q, x=[0, 0, 0], x_dot=[0, 0, 0])
    return model.derive().compile(backend=backend)


@functools.cache
def pendulums(backend: str, doubled: bool) -> System:
    """Two bodies in the plane that hang from each other; each pin is defined twice, the second time in other units."""
    model = sl.Model("pendulums" if doubled else "plain_pendulums")
    upper, lower = (model.node(name, sl.SE2) for name in ("upper", "lower"))
    for body, inertia in ((upper, 0.4), (lower, 0.3)):
        model.kinetic_energy((body.U.dot(body.U) + inertia * body.Omega[0] ** 2) / 2)
        model.potential_energy(9.81 * body.x[1])
    pivot = upper.x + upper.R * sl.vector(-0.5, 0)
    pin = upper.x + upper.R * sl.vector(0.5, 0) - lower.x - lower.R * sl.vector(-0.5, 0)
    model.constraint("pivot", pivot)
    model.constraint("pin", pin)
    if doubled:
        model.constraint("pin_again", 10 * pin)
        model.constraint("pivot_again", [pivot[0] + pivot[1] + pin[0]])
    model.initial(upper, x=[0.5, 0], Omega=[1])
    model.initial(lower, x=[1.5, 0], Omega=[-2])
    return model.derive().compile(backend=backend)


@functools.cache
def cable(backend: str, doubled: bool) -> System:
    """Beads on links of constant length; some links are there twice."""
    links = 12
    model, space = sl.Model("cable" if doubled else "plain_cable"), sl.group_from_name("R3")
    beads = model.node_array("beads", space, links + 1)
    beads.initial(x=np.outer(np.arange(links + 1), [0.8, 0, -0.6]))
    beads.fix(0)
    link = sl.ElementType("link", left=space, right=space)
    link.kinetic_energy(link.right.x_dot.dot(link.right.x_dot) / 2)
    link.potential_energy(9.81 * link.right.x[2])
    apart = link.right.x - link.left.x
    link.constraint("length", (apart.dot(apart) - 1) / 2)
    model.add(link, [(beads[k], beads[k + 1]) for k in range(links)])
    if doubled:
        again = sl.ElementType("again", left=space, right=space)
        apart = again.right.x - again.left.x
        again.constraint("length_again", 2 * (apart.dot(apart) - 1))
        model.add(again, [(beads[k], beads[k + 1]) for k in (2, 7, 8)])
    return model.derive().compile(backend=backend)


SYSTEMS = {"fixed": pendulums, "large": cable}


def combinations(run: sl.Solution) -> list[Array]:
    """An orthonormal basis of what vanishes of Bᵀ at each recorded state."""
    mechanics, found = run.system.mechanics, []
    for t, q, v in zip(run.t, run.q, run.v, strict=True):
        jacobian = mechanics.algebra.sparse_jacobian(mechanics.jacobian(t, q, v)).toarray() * mechanics.layout.free
        left, values, _ = np.linalg.svd(jacobian)
        values = np.append(values, np.zeros(len(left) - len(values)))
        found.append(left[:, values < 1e-6 * values[0]])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", SYSTEMS)
@pytest.mark.parametrize("name", [*METHODS, *VARIATIONAL])
def test_motion_equals_motion_without_redundant_constraints(name: str, kind: str) -> None:
    """In both backends, with λ orthogonal to the null space of Bᵀ, independently of the units of constraints."""
    options: dict[str, Any] = {"method": name, "h": 1 / 128}
    if name in IMPLICIT:
        options["method_options"] = {"newton_rtol": 0, "newton_atol": 0, "start": "plain"}
    first, second = (minimal(SYSTEMS[kind](backend, True), 0.125, **options) for backend in BACKENDS)
    plain = sl.solve(SYSTEMS[kind]("c", False), 0.125, **options)
    size = np.abs(plain.v).max()
    np.testing.assert_allclose(first.q, plain.q, rtol=0, atol=tolerances.WITHOUT_REDUNDANT_ROWS)
    np.testing.assert_allclose(first.v, plain.v, rtol=0, atol=tolerances.RATES_WITHOUT_REDUNDANT_ROWS * size)
    np.testing.assert_allclose(second.q, first.q, rtol=0, atol=tolerances.IMPLICIT_BACKENDS)
    for run in (first, second):
        across = [np.abs(y.T @ x).max() for y, x in zip(combinations(run), run.multipliers, strict=True)]
        assert max(across) <= tolerances.ACROSS_NULL_SPACE * np.abs(run.multipliers).max()
        assert (
            run.statistics.max_constraint_residual
            <= 20 * plain.statistics.max_constraint_residual + tolerances.ROUNDING_OF_LONG_RUNS
        )
    forces, others = (r.constraint_force(r.system.layout.nodes[0].name) for r in (first, plain))
    close = tolerances.FORCES_WITHOUT_REDUNDANT_ROWS * np.abs(others).max()
    np.testing.assert_allclose(forces, others, rtol=0, atol=close)


def bricard(is_whole: bool) -> System:
    """Bricard linkage with thirty constraint equations of rank 29, or without the last equation."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    centres = (corners + np.roll(corners, -1, axis=0)) / 2
    model = sl.Model("bricard")
    bars = model.node_array("bars", sl.SE3, 6)
    bars.initial(x=centres)
    bars.fix(5)
    bar = sl.ElementType("bar", node=sl.SE3)
    bar.kinetic_energy((bar.node.U.dot(bar.node.U) + bar.node.Omega.dot(bar.node.Omega) / 12) / 2)
    bar.potential_energy(9.81 * bar.node.x[2])
    model.add(bar, bars)
    along = np.eye(3)[[1, 2, 0, 1, 2, 0]]
    for name, hinges, count in (("hinge", range(6), 2),) if is_whole else (("hinge", range(5), 2), ("last", [5], 1)):
        hinge = sl.ElementType(name, left=sl.SE3, right=sl.SE3)
        left, right = (hinge.parameter(f"{name}_{side}", [0, 0, 0]) for side in ("left", "right"))
        axis, *across = (hinge.parameter(f"{name}_axis{k}", [0, 0, 1]) for k in range(3))
        hinge.constraint(f"{name}_pin", hinge.left.x + hinge.left.R * left - hinge.right.x - hinge.right.R * right)
        rows = [(hinge.left.R * axis).dot(hinge.right.R * x) for x in across[:count]]
        hinge.constraint(f"{name}_direction", rows)
        places = {"left": corners - np.roll(centres, 1, axis=0), "right": corners - centres}
        places |= {f"axis{k}": np.roll(along, k, axis=1) for k in range(3)}
        known = {f"{name}_{key}": values[list(hinges)] for key, values in places.items()}
        model.add(hinge, [(bars[k - 1 if k else 5], bars[k]) for k in hinges], **known)
    return model.derive().compile()


@pytest.mark.slow
def test_bricard_linkage_has_minimal_norm_reactions() -> None:
    """|Φ|, order of the energy, motion without one row, λ across the null space of Bᵀ; Newton's method to rounding."""
    whole, less = bricard(True), bricard(False)
    for name in METHODS:
        options: dict[str, Any] = {"method": name}
        if name in IMPLICIT:
            options["method_options"] = {"newton_rtol": 0, "newton_atol": 0, "start": "plain"}
        drifts = []
        for h in (1 / 128, 1 / 256):
            run = minimal(whole, 1, h=h, **options)
            energy = run.outputs["energy"]
            drifts.append(np.abs(energy - energy[0]).max())
        assert run.statistics.max_constraint_residual <= 1e-12
        order = np.log2(drifts[0] / drifts[1])
        assert abs(order - 2) < 0.05 if name in IMPLICIT else order > 4.5
        plain = sl.solve(less, 1, h=1 / 256, **options)
        np.testing.assert_allclose(run.q, plain.q, rtol=0, atol=tolerances.WITHOUT_REDUNDANT_ROWS)
        across = [np.abs(y.T @ x).max() for y, x in zip(combinations(run), run.multipliers, strict=True)]
        assert max(across) <= 1e-10
    few = minimal(whole, 1, h=1 / 256, method="generalized_alpha").statistics
    assert few.newton_iterations < 2.5 * few.steps


@pytest.mark.parametrize("name", ["half_explicit_4", "half_explicit_5"])
def test_half_explicit_methods_keep_their_orders(name: str) -> None:
    """Inner stages are off Φ = 0, where rows that depend on each other on it are independent."""
    system = pendulums("c", True)
    exact = sl.solve(pendulums("c", False), 0.5, h=1 / 1024, method="half_explicit_5", record_every=0)
    errors = []
    for steps in (32, 64, 128):
        run = minimal(system, 0.5, h=1 / steps, method=name, record_every=0)
        errors.append([np.abs(getattr(run, part)[-1] - getattr(exact, part)[-1]).max() for part in ("q", "v")])
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders > int(name[-1]) - 0.35), orders


def test_adaptive_steps_and_projection_are_supported() -> None:
    """Also with a tolerance that leaves much of Φ."""
    plain = sl.solve(pendulums("c", False), 0.5, rtol=1e-11, record_every=0)
    for options, close in (
        ({"rtol": 1e-3}, tolerances.LOOSE_RUNS),
        ({"rtol": 1e-9, "stabilize": "projection+velocity"}, tolerances.PINNED_TWICE),
    ):
        run = minimal(pendulums("c", True), 0.5, record_every=0, **options)
        np.testing.assert_allclose(run.q[-1], plain.q[-1], rtol=0, atol=close)
        assert len(run.warnings) == 1
    assert run.statistics.max_constraint_residual <= tolerances.ROUNDING_OF_LONG_RUNS
    assert run.statistics.max_velocity_residual <= tolerances.PROJECTED_VELOCITY


def test_rank_and_smallest_set_are_reported_once() -> None:
    with pytest.warns(SymlieWarning) as warned:
        run = minimal(pendulums("c", True), 0.1, h=1 / 128)
    assert [str(w.message) for w in warned] == list(run.warnings)
    (notice,) = run.warnings
    assert notice.startswith("The 7 constraint equations of 'pendulums' have rank 4: row ")
    assert notice.endswith(
        "depend on each other. Multipliers are of minimal norm (docs/statement.md#redundant-constraints)."
    )
    assert "of constraint 'pin', row" in notice and "of constraint 'pin_again' depend" in notice


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", METHODS)
def test_rank_change_is_reported(name: str, backend: str) -> None:
    """The second row turns away from the first one, or towards it."""
    run = minimal(plane(backend).with_parameters(away=1.0), 1, h=1 / 32, method=name)
    assert "have rank 1: row 1 of constraint 'first', row 1 of constraint 'second' depend" in run.warnings[0]
    assert run.warnings[1:] == (
        "At t = 0.53125 s the rank has changed. The 2 constraint equations of 'plane' have rank 2.",
    )
    np.testing.assert_allclose(run.multipliers[0], [-0.5, -0.5], rtol=0, atol=tolerances.BACKENDS)
    np.testing.assert_allclose(run.multipliers[-1], [-1, 0], rtol=0, atol=tolerances.NEAR_DEPENDENCE)
    run = minimal(plane(backend).with_parameters(towards=1.0), 1, h=1 / 32, method=name)
    assert len(run.warnings) == 1 and run.warnings[0].startswith("At t = 0.5 s the rank has changed. The 2 constraint")
    np.testing.assert_allclose(run.multipliers[-1], [-0.5, -0.5], rtol=0, atol=tolerances.NEAR_DEPENDENCE)
    np.testing.assert_allclose(run.q[-1, :3], [0.5, 0, 0], rtol=0, atol=tolerances.NEAR_DEPENDENCE)


CONTRADICTIONS: dict[str, tuple[dict[str, float], bool, type[SymlieError], str]] = {
    "positions": ({"c0": 1.0}, False, InconsistentInitialValuesError, "violates row 1 of constraint 'second'"),
    "rates": ({"c1": 1.0}, False, InconsistentInitialValuesError, "violate the time derivative of row 1"),
    "accelerations": (
        {"c2": 1.0},
        False,
        RedundantConstraintsError,
        "contradict each other at t = 0: row 1 of constraint 'first' requires accelerations that differ by",
    ),
    "later positions": (
        {"late": 1e-3},
        False,
        ConstraintDriftError,
        "Φ = .*, which contradicts other constraint equations",
    ),
    "velocities": ({"c0": 1.0}, True, InconsistentInitialValuesError, "violate row 1 of constraint 'second'"),
    "later velocities": (
        {"late": 1.0},
        True,
        ConstraintDriftError,
        "B v . b = .*, which contradicts other constraint equations",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_contradictory_constraints_are_rejected(case: str, backend: str) -> None:
    values, of_velocity, kind, sentence = CONTRADICTIONS[case]
    system = plane(backend, of_velocity).with_parameters(**values)
    with pytest.raises(kind, match=sentence):
        minimal(system, 1, h=1 / 32)
    implicit = NotConvergedError if kind is ConstraintDriftError else kind
    for name in IMPLICIT if backend == "c" else ():
        with pytest.raises(implicit, match=r"row 1 of constraint '(first|second)'"):
            minimal(system, 1, h=1 / 32, method=name)


def test_error_names_the_remedy() -> None:
    with pytest.raises(RedundantConstraintsError, match=r"free a node, or integrate with redundant='minimal_norm'\."):
        sl.solve(pendulums("c", True), 0.1, h=1 / 128)
    with pytest.raises(
        RedundantConstraintsError, match=r"free a node, or take system.with_redundant\('minimal_norm'\)\."
    ):
        pendulums("c", True).static_equilibrium()
    both = pendulums("c", True).with_redundant("minimal_norm")
    with pytest.raises(RedundantConstraintsError, match=r"equations, or free a node\."):
        both.monodromy(1.0)
    with pytest.raises(UnknownNameError, match="Unknown redundant 'maximal'; use one of: error, minimal_norm"):
        sl.solve(pendulums("c", True), 0.1, h=1 / 128, redundant="maximal")


def test_run_stores_a_minimal_norm_system() -> None:
    """Initial values, multipliers of recorded states and between them, outputs, and files."""
    run = minimal(pendulums("c", True), 0.25, h=1 / 128)
    assert run.system is pendulums("c", True).with_redundant("minimal_norm")
    np.testing.assert_array_equal(run.system.initial_state.multipliers, run.multipliers[0])
    between = run(0.1234)
    assert isinstance(between, sl.StateAt)
    (y,) = combinations(minimal(pendulums("c", True), 0.1234, h=1 / 128, record_every=0))[-1:]
    assert np.abs(y.T @ between.multipliers).max() <= tolerances.BETWEEN_STEPS
    again = run.with_index1_multipliers()
    np.testing.assert_allclose(again.multipliers, run.multipliers, rtol=0, atol=tolerances.BETWEEN_STEPS)


@pytest.mark.parametrize("name", METHODS)
def test_resumed_and_continued_runs_are_bit_identical(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notices too, of a rank that changed before the interruption."""
    monkeypatch.setattr(execution, "RETURN_SECONDS", 0.0)
    system = plane("c").with_parameters(away=1.0, turn=0.125)
    options: dict[str, Any] = {"method": name, "h": 1 / 64, "redundant": "minimal_norm"}
    expected, path = sl.solve(system, 1, **options), tmp_path / "run"
    with pytest.raises(InterruptedIntegrationError):
        sl.solve(system, 1, **options, progress=Stop(20), checkpoint=path)
    resumed = sl.resume(path, checkpoint_seconds=0, trust=True)
    assert content(resumed) == content(expected)
    assert resumed.warnings == expected.warnings and len(expected.warnings) == 2
    assert resumed.system.redundant == "minimal_norm"
    first = sl.solve(system, 0.5, **options)
    first.save(tmp_path / "first.npz")
    for start in (first, sl.load_solution(tmp_path / "first.npz", trust=True)):
        assert sl.solve(start.system, 1, **options, start=start).q[-1].tobytes() == expected.q[-1].tobytes()
        np.testing.assert_array_equal(
            sl.solve(start.system, 1, h=1 / 64, method=name, start=start).multipliers[-1], expected.multipliers[-1]
        )


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_multipliers_at_events_have_minimal_norm(backend: str) -> None:
    """The second row is twice the first one; a state adds up the multiplier of the first."""
    for name in METHODS:
        (event,) = minimal(plane(backend).with_parameters(scale=2.0), 1, h=1 / 8, method=name).events
        np.testing.assert_allclose(event.multipliers, [-0.2, -0.4], rtol=0, atol=tolerances.MINIMAL_MULTIPLIERS)
    run = minimal(plane(backend, sees=True).with_parameters(scale=2.0), 1, h=1 / 8)
    np.testing.assert_allclose(run.field("seen", "x")[-1], [-0.2], rtol=0, atol=tolerances.MINIMAL_MULTIPLIERS)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_massless_velocities_with_redundant_constraints_are_supported(name: str) -> None:
    """A massless slider that two equal rows tie to a particle."""
    model = sl.Model("massless")
    q = model.node("q", "R2")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(2 * q.x[0] ** 2)
    model.constraint("tie", q.x[1] - 3 * q.x[0])
    model.constraint("again", 3 * q.x[0] - q.x[1])
    model.initial(q, x=[0.1, 0.3], x_dot=[0, 0])
    equations = model.derive()
    for backend in BACKENDS:
        run = minimal(equations.compile(backend=backend), 1, h=1 / 64, method=name)
        exact = 0.1 * np.cos(2 * run.t)
        np.testing.assert_allclose(run.q[:, 0], exact, rtol=0, atol=tolerances.MASSLESS_AND_TWICE)
        np.testing.assert_allclose(run.q[:, 1], 3 * run.q[:, 0], rtol=0, atol=tolerances.MINIMAL_MULTIPLIERS)


def test_null_spaces_of_random_matrices_are_exact() -> None:
    """Their number, that they vanish, and that what is kept is as independent as all rows are."""
    random = np.random.default_rng(3)
    for _ in range(60):
        rows, dependent = int(random.integers(4, 30)), int(random.integers(0, 4))
        dependent = min(dependent, rows - 1)
        free = random.normal(size=(rows - dependent, 40))
        B = np.vstack([free, random.normal(size=(dependent, rows - dependent)) @ free])[random.permutation(rows)]
        B *= 10.0 ** random.uniform(-2, 2, (rows, 1))
        scale = 1 / np.linalg.norm(B, axis=1)
        unit = scale[:, None] * B
        gram = unit @ unit.T + 1e-10 * np.eye(rows)
        compliance = 10.0 ** random.uniform(-3, 0, rows)
        found = dependent_rows(functools.partial(np.linalg.solve, gram), scale, min(rows, dependent + 3), compliance)
        assert found.count == dependent == found.is_aside.sum()
        np.testing.assert_allclose(found.combinations.T @ B, 0, rtol=0, atol=tolerances.RESIDUAL * np.abs(B).max())
        values = np.linalg.svd(unit, compute_uv=False)[: rows - dependent]
        kept = np.linalg.svd(unit[~found.is_aside], compute_uv=False)
        assert kept[-1] > values[-1] / (4 * rows)
        forces = random.normal(size=rows)
        shared = found.minimal(forces)
        np.testing.assert_allclose(B.T @ (shared - forces), 0, rtol=0, atol=tolerances.RESIDUAL * np.abs(B).max())
        elastic = found.combinations.T @ (compliance * shared)
        np.testing.assert_allclose(elastic, 0, rtol=0, atol=tolerances.RESIDUAL * np.abs(shared).max())
        assert found.undetermined.size == 0
