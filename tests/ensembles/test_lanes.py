"""Members in SIMD lanes are bit-identical to sequential ones, independent of other lanes."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.compile import compiler
from symlie.ensembles.motions import MotionTask
from symlie.ensembles.plan import EnsemblePlan
from symlie.ensembles.results import MemberStatus
from symlie.errors import ModelError
from symlie.models import flying_spaghetti, free_rigid_body, heavy_top, pendulum_chain, quadrotors
from symlie.runtime.system.system import System
from tests.ensembles.test_ensemble import same
from tests.modeling.test_element_inputs import chosen, with_tables
from tests.runtime.test_angles import guided
from tests.runtime.test_first_order_states import steered
from tests.runtime.test_left_the_model import pendulums
from tests.runtime.test_members import loop_over
from tests.runtime.test_nonlinear_velocities import perpendicular
from tests.runtime.test_types_that_do_not_move import BEFORE, pulled
from tests.systems import heavy_top_equations, heavy_top_system, swing_system

LANES = 4
NEWTON_COUNTS = (
    "steps", "rejected", "rhs_evaluations", "newton_iterations", "jacobians", "factorisations", "back_substitutions",
    "refreshes", "halvings", "rounding_floor", "most_newton_iterations", "slowest_entry", "steps_of_order_1",
    "steps_of_order_2", "steps_of_order_3", "steps_of_order_4", "steps_of_order_5",
)  # fmt: skip
COUNT = 11
"""Members that do not fill the lanes of their last steps."""


@functools.cache
def systems() -> dict[str, System]:
    """Models with a small topology and with a large one, with tables, on manifolds."""
    built = {
        "rod": flying_spaghetti.build(segments=3),
        "chain": pendulum_chain.build(links=4),
        "vehicles": quadrotors.build(control="tracking"),
        "body": free_rigid_body.build(),
        "angles": heavy_top.build(coordinates="euler_angles", form="angular_velocity"),
        "stored": heavy_top.build(group="SO3", coordinates="euler_angles", step="lie"),
        "driven": driven(),
        "net": net(7),
        "cotangent": heavy_top.build(formulation="TSO3"),
        "chosen": chosen(20),
    }
    tops = {group: heavy_top_system(group) for group in ("S3xR3", "SE3", "SO3")}
    found = {name: model.derive().compile(backend="c") for name, model in built.items()} | tops
    found["chosen"] = with_tables(found["chosen"])
    found["driven"] = found["driven"].with_input("pull", [0, 0.02], [1, 4], "hold")
    return found


def driven() -> sl.Model:
    """A body with an elastic and a viscoelastic coupling to a moving base, and an input that jumps."""
    model = sl.Model("driven")
    body, damper = model.node("body", "S3"), model.state("damper", 3)
    stiffness, pull = model.parameter("stiffness", 30.0), model.input("pull")
    model.kinetic_energy(body.Omega.dot(sl.diag(1, 2, 3) * body.Omega) / 2)
    apart = body.R * sl.vector(0.2, 0.3, 1) - sl.vector(sl.sin(9 * model.t), 0, sl.cos(7 * model.t))
    model.potential_energy(stiffness * apart.dot(apart) / 2)
    model.field(damper, -20 * damper.x + stiffness * body.Omega)
    model.generalized_force(body, Omega=sl.vector(pull, 0, 0) - damper.x)
    model.initial(body, Omega=[1, 2, 4])
    return model


def net(side: int) -> sl.Model:
    """Points on springs in a square, whose Newton matrix is eliminated in blocks."""
    model = sl.Model("net")
    points = model.node_array("points", "R3", side * side)
    points.initial(x=lambda k: [k % side, k // side, 0.05 * np.sin(k)], x_dot=[0, 0, 0.3])
    bead, spring = sl.ElementType("bead", point="R3"), sl.ElementType("spring", first="R3", second="R3")
    bead.kinetic_energy(bead.point.x_dot.dot(bead.point.x_dot) / 4)
    bead.potential_energy(4.9 * bead.point.x[2])
    apart = spring.second.x - spring.first.x
    spring.potential_energy(model.parameter("stiffness", 200.0) * (apart.dot(apart) - 0.9) ** 2 / 2)
    model.add(bead, [(points[k],) for k in range(side * side)])
    across = [(k, k + 1) for k in range(side * side) if (k + 1) % side]
    along = [(k, k + side) for k in range(side * (side - 1))]
    model.add(spring, [(points[i], points[j]) for i, j in across + along])
    for corner in (0, side - 1):
        points.fix(corner)
    return model


CONTINUES = {"newton": "modified", "newton_renewal": "continue"}

RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("S3xR3", "mass", {"method": "half_explicit_5", "h": 2.0**-9}),
    ("S3xR3", "mass", {"method": "half_explicit_5", "rtol": 1e-6}),
    ("SE3", "inertia", {"method": "half_explicit_3", "h": 2.0**-9, "stabilize": "baumgarte:10"}),
    ("rod", "bending_stiffness", {"method": "half_explicit_5", "h": 2.0**-10}),
    ("rod", "load_values", {"rtol": 1e-5}),
    ("chain", "gravity", {"method": "rkmk_dopri5", "h": 2.0**-8}),
    ("chain", "gravity", {"rtol": 1e-6}),
    ("vehicles", "load_mass", {"rtol": 1e-5}),
    ("body", "inertia", {"method": "rkmk_dopri5", "rtol": 1e-7}),
    ("angles", "mass", {"method": "half_explicit_5", "h": 2.0**-12}),
    ("stored", "mass", {"method": "rkmk_dopri5", "rtol": 1e-6}),
    ("body", "inertia", {"method": "rkmk4_two_commutators", "h": 2.0**-6}),
    ("body", "inertia", {"method": "cf32a", "rtol": 1e-6}),
    ("chain", "gravity", {"method": "cf4", "h": 2.0**-8}),
    ("stored", "mass", {"method": "cg5", "h": 2.0**-10}),
    ("S3xR3", "mass", {"method": "index1_dopri5", "rtol": 1e-6}),
    ("SE3", "inertia", {"method": "index1_dopri5", "h": 2.0**-9}),
    ("SO3", "mass", {"method": "abmk4", "h": 2.0**-9}),
    ("stored", "mass", {"method": "abmk2", "h": 2.0**-9}),
    ("S3xR3", "mass", {"method": "generalized_alpha", "h": 2.0**-9}),
    ("S3xR3", "mass", {"method": "generalized_alpha_index2", "rtol": 1e-5}),
    ("SE3", "inertia", {"method": "generalized_alpha", "rtol": 1e-5}),
    ("SE3", "inertia", {"method": "bdf2_increments_index2", "h": 2.0**-8}),
    ("SO3", "mass", {"method": "generalized_alpha", "rtol": 1e-5}),
    ("stored", "mass", {"method": "bdf2_increments", "h": 2.0**-8}),
    ("S3xR3", "mass", {"method": "bdf3", "h": 2.0**-9}),
    ("SE3", "inertia", {"method": "bdf5_index2", "h": 2.0**-9}),
    ("driven", "stiffness", {"method": "bdf2", "h": 2.0**-9}),
    ("S3xR3", "mass", {"method": "bdf", "rtol": 1e-4}),
    ("SO3", "mass", {"method": "bdf", "rtol": 1e-4, "method_options": {"newton": "modified"}}),
    ("S3xR3", "mass", {"method": "bdf4", "h": 2.0**-9, "method_options": {"newton": "modified"}}),
    ("SE3", "inertia", {"method": "generalized_alpha", "rtol": 1e-5, "method_options": {"newton": "modified"}}),
    ("S3xR3", "mass", {"method": "generalized_alpha_index2", "h": 2.0**-9, "method_options": CONTINUES}),
    ("rod", "bending_stiffness", {"method": "generalized_alpha", "h": 2.0**-9, "method_options": CONTINUES}),
    ("rod", "bending_stiffness", {"method": "rattlie", "h": 2.0**-9}),
    ("chosen", "strength", {"method": "half_explicit_4", "h": 2.0**-9}),
    ("chosen", "strength", {"method": "generalized_alpha", "h": 2.0**-9}),
    ("rod", "bending_stiffness", {"method": "variational_midpoint", "h": 2.0**-9}),
    ("net", "stiffness", {"method": "bdf2", "h": 2.0**-8, "method_options": {"newton": "modified"}}),
    ("net", "stiffness", {"method": "generalized_alpha", "rtol": 1e-4}),
    ("cotangent", "mgl", {"method": "symplectic_theta", "h": 2.0**-9}),
    ("cotangent", "mgl", {"method": "symplectic_theta", "h": 2.0**-6, "method_options": {"compose": "suzuki"}}),
    ("S3xR3", "mass", {"method": "rattlie", "h": 2.0**-8, "method_options": {"compose": "triple_jump"}}),
    ("S3xR3", "mass", {"method": "half_explicit_5", "rtol": 1e-5, "stabilize": "projection"}),
    ("rod", "bending_stiffness", {"rtol": 1e-5, "stabilize": "projection+velocity"}),
    ("S3xR3", "mass", {"method": "rattlie", "h": 2.0**-10}),
    ("SO3", "mass", {"method": "rattlie", "h": 2.0**-10, "method_options": {"newton": "full"}}),
    ("SE3", "inertia", {"method": "variational_midpoint", "h": 2.0**-10}),
    ("driven", "stiffness", {"method": "generalized_alpha", "rtol": 1e-5}),
    ("driven", "stiffness", {"method": "generalized_alpha_index2", "h": 2.0**-8, "record_every": 3}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameter", "words"), RUNS)
def test_lanes_are_bit_identical_to_members(name: str, parameter: str, words: dict[str, Any]) -> None:
    system = systems()[name]
    stated = system.parameters[system.layout.parameters[parameter][0]]
    values = stated * np.random.default_rng(1).uniform(0.8, 1.2, (COUNT, 1))
    run = {"parameters": {parameter: values}, "t_eval": [0.0, 0.03, 0.0625], **words}
    alone, lanes = (sl.ensemble(system, 0.0625, lanes=n, **run) for n in (1, LANES))
    assert (alone.arrays["status"] == MemberStatus.OK).all()
    assert same(alone, lanes)


@pytest.mark.parametrize(
    ("group", "words", "reached"),
    [
        ("SO3xR3", {"method": "generalized_alpha", "rtol": 1e-2, "h0": 0.1}, "halvings"),
        ("S3xR3", {"method": "rattlie", "h": 2.0**-10}, "rounding_floor"),
        (
            "SE3",
            {
                "method": "generalized_alpha",
                "h": 2.0**-7,
                "method_options": {"newton_rtol": 1e-16, "newton_atol": 1e-30},
            },
            "rounding_floor",
        ),
        ("S3xR3", {"method": "generalized_alpha", "h": 2.0**-8, "method_options": {"newton": "modified"}}, "refreshes"),
        ("S3xR3", {"method": "generalized_alpha_index2", "h": 2.0**-5, "method_options": CONTINUES}, "refreshes"),
        ("SO3xR3", {"method": "bdf", "rtol": 1e-3, "method_options": {"newton": "modified"}}, "refreshes"),
    ],
)
def test_newton_iterations_have_the_statistics_of_single_runs(group: str, words: dict[str, Any], reached: str) -> None:
    """Some members halve corrections, end iterations at the rounding, or reuse factors for longer."""
    systems = [heavy_top_system(group).with_parameters(mass=mass) for mass in np.geomspace(1.5, 150, COUNT)]
    alone, lanes = (loop_over(systems, 0.25, lanes=n, record_every=0, **words) for n in (1, LANES))
    assert len(set(alone.count(reached).tolist())) > 2
    for name in NEWTON_COUNTS:
        assert (alone.count(name) == lanes.count(name)).all()
    assert [alone.end(k).counters.slowest_step for k in range(COUNT)] == [
        lanes.end(k).counters.slowest_step for k in range(COUNT)
    ]
    assert lanes.q.tobytes() == alone.q.tobytes()


@pytest.mark.slow
def test_variational_steps_of_large_systems_run_in_lanes() -> None:
    rates = np.random.default_rng(1).normal(0, 1, (COUNT, 6, 3))
    run = {"initial": {"points": {"x_dot": rates}}, "method": "rattlie", "h": 2.0**-9, "record_every": 5}
    system, _ = pulled(BEFORE[0])
    assert not system.layout.is_fixed
    assert same(*(sl.ensemble(system, 0.1, lanes=n, **run) for n in (1, LANES)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        {"method": "generalized_alpha", "h": 2.0**-8, "method_options": {"newton": "modified"}},
        {"method": "bdf", "rtol": 1e-3},
        {"method": "variational_midpoint", "h": 2.0**-5, "method_options": {"compose": "triple_jump"}},
    ],
)
def test_implicit_steps_with_prescribed_nodes_run_in_lanes(words: dict[str, Any]) -> None:
    rates = np.random.default_rng(1).normal(0, 1, (COUNT, 6, 3))
    run = {"initial": {"points": {"x_dot": rates}}, "t_eval": [0.1, 0.25], **words}
    assert same(*(sl.ensemble(pulled(BEFORE[0])[0], 0.25, lanes=n, **run) for n in (1, LANES)))


@pytest.mark.parametrize("words", [{"method": "rkmk_dopri5", "h": 0.125}, {"method": "bdf2_increments", "h": 2.0**-6}])
def test_turns_of_prescribed_angles_are_counted_in_lanes(words: dict[str, Any]) -> None:
    rates = np.zeros((COUNT, 3, 1))
    rates[:, 2, 0] = np.linspace(10, 20, COUNT)
    run = {"initial": {"wheels": {"Omega": rates}}, "record": ["wheels"], **words}
    assert same(*(sl.ensemble(guided("c"), 1.0, lanes=n, **run) for n in (1, LANES)))


@pytest.mark.parametrize(
    "words",
    [
        {"method": "half_explicit_5", "rtol": 1e-6},
        {"method": "half_explicit_3", "h": 2.0**-6, "stabilize": "projection"},
        {"method": "bdf3_index2", "h": 2.0**-6},
    ],
)
def test_constraints_that_are_nonlinear_in_the_velocities_are_satisfied_in_lanes(words: dict[str, Any]) -> None:
    rates = np.column_stack([np.linspace(0.5, 2, COUNT), np.zeros(COUNT)])
    run = {"initial": {"a": {"x_dot": rates}}, "t_eval": [0.5, 1.0], **words}
    assert same(*(sl.ensemble(perpendicular("c"), 1.0, lanes=n, **run) for n in (1, LANES)))


@pytest.mark.parametrize(
    ("method", "has_end_loads"),
    [("rattlie", True), pytest.param("variational_midpoint", False, marks=pytest.mark.slow)],
)
def test_variational_steps_with_loads_of_velocities_run_in_lanes(method: str, has_end_loads: bool) -> None:
    """If the second stage has loads, weakly damped members solve it with the mass matrix, others with derivatives."""
    run = {"parameters": {"damping": np.geomspace(0.01, 30, COUNT)}, "method": method, "h": 2.0**-6}
    systems = [damped().with_parameters(damping=x) for x in run["parameters"]["damping"]]
    alone, lanes = (loop_over(systems, 0.5, lanes=n, method=method, h=2.0**-6) for n in (1, LANES))
    assert ({0} < set(alone.count("refreshes").tolist())) is has_end_loads
    for name in NEWTON_COUNTS:
        assert (alone.count(name) == lanes.count(name)).all()
    assert same(*(sl.ensemble(damped(), 0.5, lanes=n, **run) for n in (1, LANES)))


@functools.cache
def damped() -> System:
    """A body with damping that is nonlinear in the velocities, in a plane."""
    model = sl.Model("damped")
    body, damping = model.node("body", "SE3"), model.parameter("damping", 0.5)
    model.kinetic_energy(body.Omega.dot(sl.diag(1, 2, 3) * body.Omega) / 2 + body.v.dot(body.v))
    model.potential_energy(9.81 * body.x[2] + 10 * (body.x.dot(body.x) - 1) ** 2)
    model.generalized_force(body, Omega=-damping * body.Omega * (1 + body.Omega.dot(body.Omega)))
    model.constraint("plane", body.x[0] - 0.5)
    model.initial(body, x=[0.5, 0, 0], Omega=[1, 2, 4])
    return model.derive().compile(backend="c")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["generalized_alpha_index2", "bdf2_increments_index2"])
def test_first_order_states_that_read_multipliers_run_in_lanes(method: str) -> None:
    rates = np.array([[1, 2, s] for s in np.linspace(3, 9, COUNT)])
    run = {"initial": {"body": {"Omega": rates}}, "method": method, "h": 2.0**-7}
    assert same(*(sl.ensemble(steered(has_event=False), 0.25, lanes=n, **run) for n in (1, LANES)))


def test_members_whose_iterations_diverge_fail_individually() -> None:
    rates = np.array([[0, s, 20] for s in np.geomspace(0.1, 400, COUNT)])
    run = {"initial": {"top": {"Omega": rates}}, "method": "generalized_alpha_index2", "h": 0.02}
    alone, lanes = (sl.ensemble(heavy_top_system("SO3xR3"), 0.1, lanes=n, **run) for n in (1, LANES))
    assert {MemberStatus.OK, MemberStatus.FAILED} == set(alone.arrays["status"].tolist())
    assert same(alone, lanes)
    assert alone.arrays["sentence"].tolist() == lanes.arrays["sentence"].tolist()


@pytest.mark.parametrize("count", [1, LANES - 1, LANES, 2 * LANES + 1])
def test_results_are_independent_of_the_number_of_members(count: int) -> None:
    run = {"parameters": {"mass": np.linspace(10, 20, count)}, "rtol": 1e-5}
    assert same(*(sl.ensemble(heavy_top_system("S3xR3"), 0.05, lanes=n, **run) for n in (1, LANES)))


def test_rejected_steps_belong_to_their_members() -> None:
    """Members begin with a step that is far too long for some of them."""
    rates = np.array([[0, 0, s] for s in np.geomspace(0.1, 300, COUNT)])
    run = {"initial": {"top": {"Omega": rates}}, "rtol": 1e-7, "h0": 0.02}
    alone, lanes = (sl.ensemble(heavy_top_system("S3xR3"), 0.1, lanes=n, **run) for n in (1, LANES))
    assert len(set(alone.arrays["rejected"].tolist())) > 2
    assert same(alone, lanes)


@pytest.mark.parametrize("lanes", [2, 8, 16])
def test_each_number_of_lanes_has_the_bits_of_single_members(lanes: int) -> None:
    """Instructions for conditions of all lanes differ between registers."""
    run = {"parameters": {"mass": np.linspace(10, 20, 16)}, "method": "half_explicit_2", "h": 2.0**-6}
    assert same(*(sl.ensemble(heavy_top_system("S3xR3"), 0.1, lanes=n, **run) for n in (1, lanes)))


def test_lanes_handle_arguments_outside_the_polynomial() -> None:
    """Angles of some members leave the working interval of coefficient functions, z = 10, and of some the chart."""
    rates = np.array([[s, 0, 0.1] for s in (0.1, 2.0, 3.0, 3.5, 5.0, 6.0, 7.0, 0.2)])
    run = {"initial": {"body": {"momentum": rates}}, "h": 1.0, "method": "rkmk_rk44"}
    alone, lanes = (sl.ensemble(systems()["body"], 4.0, lanes=n, **run) for n in (1, LANES))
    assert {MemberStatus.OK, MemberStatus.FAILED} <= set(alone.arrays["status"].tolist())
    assert same(alone, lanes)
    assert alone.arrays["sentence"].tolist() == lanes.arrays["sentence"].tolist()


def test_links_outside_the_polynomial_are_handled() -> None:
    """Straight links without weight turn together; increments of some members leave the working interval, z = 10."""
    rates = np.array([[[0, s, 0]] * 4 for s in (0.1, 2.0, 3.0, 3.5, 5.0, 0.3, 0.2)])
    run = {"parameters": {"gravity": [0.0] * len(rates)}, "initial": {"links": {"angular_velocities": rates}}, "h": 1.0}
    run |= {"method": "rkmk_dopri5", "record_every": 0}
    alone, lanes = (sl.ensemble(systems()["chain"], 3.0, lanes=n, **run) for n in (1, LANES))
    assert (alone.arrays["status"] == MemberStatus.OK).all()
    assert same(alone, lanes)


@pytest.mark.slow
def test_late_failures_of_members_are_reported() -> None:
    """Solutions of x'' = growth x² have poles, at times that differ between members; some come to the end."""
    model = sl.Model("pole")
    growth, point = model.parameter("growth", 6.0), model.node("point", "R1")
    model.kinetic_energy(point.x_dot[0] ** 2 / 2)
    model.potential_energy(-growth * point.x[0] ** 3 / 3)
    model.initial(point, x=[1], x_dot=[2])
    system = model.derive().compile(backend="c")
    run = {"parameters": {"growth": np.linspace(0.5, 9, COUNT)}, "h": 2.0**-7, "record_every": 0}
    alone, lanes = (sl.ensemble(system, 1.5, method="rkmk_rk44", lanes=n, **run) for n in (1, LANES))
    assert {MemberStatus.OK, MemberStatus.FAILED} <= set(alone.arrays["status"].tolist())
    assert len(set(alone.arrays["steps"].tolist())) > LANES
    assert same(alone, lanes)
    assert alone.arrays["sentence"].tolist() == lanes.arrays["sentence"].tolist()


@pytest.mark.slow
def test_lanes_report_members_that_violate_constraints() -> None:
    """Light pendulums that carry heavy ones, with steps that are too long for the heaviest."""
    run = {"parameters": {"heavy": np.geomspace(1, 1e15, COUNT)}, "h": 0.01, "record_every": 0}
    system = pendulums().derive().compile(backend="c")
    alone, lanes = (sl.ensemble(system, 5.0, method="half_explicit_5", lanes=n, **run) for n in (1, LANES))
    assert {"", "ConstraintDriftError"} <= set(alone.arrays["exception"].tolist())
    assert same(alone, lanes)
    assert alone.arrays["sentence"].tolist() == lanes.arrays["sentence"].tolist()


def test_failed_member_does_not_affect_other_lanes() -> None:
    masses = np.full(COUNT, 15.0)
    masses[[2, 7]] = 1e300, np.nan
    run = {"parameters": {"mass": masses}, "h": 2.0**-9}
    alone, lanes = (sl.ensemble(heavy_top_system("S3xR3"), 0.05, lanes=n, **run) for n in (1, LANES))
    assert same(alone, lanes)
    assert alone.arrays["sentence"].tolist() == lanes.arrays["sentence"].tolist()


def test_outputs_are_recorded_at_every_step() -> None:
    run = {"parameters": {"mass": np.linspace(10, 20, COUNT)}, "h": 2.0**-9, "record": ["top", "energy"]}
    assert same(*(sl.ensemble(heavy_top_system("S3xR3"), 0.05, lanes=n, **run) for n in (1, LANES)))


@pytest.mark.parametrize("words", [{"record_every": 5}, {"record_every": 5, "t_eval": [0.03, 0.05]}])
def test_fixed_steps_between_records_are_bit_identical(words: dict[str, Any]) -> None:
    run = {"parameters": {"mass": np.linspace(10, 20, COUNT)}, "h": 2.0**-10, **words}
    assert same(*(sl.ensemble(heavy_top_system("S3xR3"), 0.05, lanes=n, **run) for n in (1, LANES)))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"lanes": 3}, "lanes must be 1, 2, 4, 8 or 16 members, or None, not 3"),
        ({"lanes": "many"}, "not 'many'"),
        ({"h": 1e-3, "member_seconds": 1.0}, "member_seconds limits the time of each"),
    ],
)
def test_unavailable_lanes_are_rejected(words: dict[str, Any], why: str) -> None:
    with pytest.raises(ModelError, match=why):
        sl.ensemble(heavy_top_system("S3xR3"), 0.01, parameters={"mass": [1.0, 2.0]}, **{"lanes": 4, **words})


def test_unsupported_models_are_rejected() -> None:
    with pytest.raises(ModelError, match="the model has events"):
        sl.ensemble(swing_system(), 0.01, parameters={"stiffness": [1.0, 2.0]}, h=1e-3, lanes=4)
    with pytest.raises(ModelError, match="members are integrated individually"):
        sl.ensemble(heavy_top_system("S3xR3", "numpy"), 0.01, parameters={"mass": [1.0, 2.0]}, h=1e-3, lanes=4)


def test_code_with_compiler_dependent_rounding_is_rejected() -> None:
    system = heavy_top_equations("S3xR3").compile(optimize="contract")
    with pytest.raises(ModelError, match="lets the compiler choose the fused operations"):
        sl.ensemble(system, 0.01, parameters={"mass": [1.0, 2.0]}, h=1e-3, lanes=4)


def test_lanes_are_used_for_large_ensembles(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[EnsemblePlan] = []
    monkeypatch.setattr("symlie.ensembles.ensemble.run_members", lambda plan, *a, **k: seen.append(plan))
    monkeypatch.setattr("symlie.ensembles.plan.vector_numbers", lambda optimize: 1)
    system = heavy_top_system("S3xR3")
    for count in (2, 20_000):
        sl.ensemble(system, 1.0, parameters={"mass": np.linspace(10, 20, count)}, h=1e-3)
    tasks = [plan.task for plan in seen]
    assert all(isinstance(task, MotionTask) for task in tasks)
    assert [task.lanes for task in tasks if isinstance(task, MotionTask)] == [1, None]


@pytest.mark.parametrize(
    ("macros", "numbers"),
    [
        (["#define __GNUC__ 12", "#define __AVX512DQ__ 1", "#define __AVX2__ 1"], 8),
        (["#define __GNUC__ 12", "#define __AVX2__ 1"], 4),
        (["#define __GNUC__ 12"], 1),
        (["#define __AVX2__ 1"], 1),
    ],
)
def test_vector_width_follows_from_compiler_macros(
    macros: list[str], numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "_macros", lambda flags: frozenset(macros))
    assert compiler.vector_numbers("default") == numbers
