"""`solve`: both backends, times, records, multipliers, reuse of stages, plans."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symlie as sl
from symlie.contract.constants import TIME_RESOLUTION
from symlie.errors import ModelError, UnknownNameError, UnsupportedMethodError
from symlie.runtime.integrate import c_loop as drive
from symlie.runtime.integrate import compiled_method
from symlie.runtime.integrate import driver_library as driver_module
from symlie.runtime.integrate.c_loop import CompiledIntegration, counters_of, put_counters
from symlie.runtime.integrate.compiled_method import CompiledMethod
from symlie.runtime.integrate.driver_library import driver_source
from symlie.runtime.integrate.loop_state import Counters, LoopState
from symlie.runtime.integrate.request import Request, requested
from symlie.runtime.integrate.run_options import RunOptions
from symlie.runtime.integrate.segments import GRID_TOLERANCE, LARGEST_STEPS, step_plan
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.schur import DenseAlgebra
from symlie.runtime.methods.controllers import FIXED_STEPS
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.methods.stepper import State, Stepper
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.start import start_of
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import (
    CONSTRAINED,
    FREE,
    HEAVY_TOPS,
    chain_system,
    heavy_top_system,
    large_system,
    polar_system,
    spaghetti_system,
    swing_system,
)

H = 2.0**-11
RKMK = tuple(n for n in method_names() if method(n).family == "rkmk")
HALF_EXPLICIT = tuple(n for n in method_names() if method(n).family == "half_explicit")


def close(found: Array, expected: Array, tolerance: float) -> None:
    """Compare relative to the largest entry."""
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    assert found.shape == expected.shape
    assert float(np.abs(found - expected).max(initial=0)) <= tolerance * scale


def check_backends(c: System, numpy: System, name: str, steps: int = 20) -> None:
    """The compiled loop against the one written like the papers."""
    assert (c.backend, numpy.backend) == ("c", "numpy")
    first, second = (sl.solve(s, steps * H, method=name, h=H) for s in (c, numpy))
    assert np.array_equal(first.t, second.t) and len(first.t) == steps + 1
    close(first.q, second.q, tolerances.BACKENDS)
    close(first.v, second.v, tolerances.BACKENDS)
    close(first.multipliers, second.multipliers, tolerances.BACKENDS)
    for key in ("steps", "accepted", "rejected", "rhs_evaluations"):
        assert getattr(first.statistics, key) == getattr(second.statistics, key)
    for key in ("max_constraint_residual", "max_velocity_residual"):
        a, b = getattr(first.statistics, key), getattr(second.statistics, key)
        assert abs(a - b) <= tolerances.BACKENDS


@pytest.mark.slow
@pytest.mark.parametrize("name", HALF_EXPLICIT)
@pytest.mark.parametrize("group", CONSTRAINED)
def test_backends_agree_with_constraints(group: str, name: str) -> None:
    check_backends(heavy_top_system(group), heavy_top_system(group, "numpy"), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", RKMK + HALF_EXPLICIT)
@pytest.mark.parametrize("group", FREE)
def test_backends_agree_without_constraints(group: str, name: str) -> None:
    check_backends(heavy_top_system(group), heavy_top_system(group, "numpy"), name)


@pytest.mark.slow
@pytest.mark.parametrize("build", [chain_system, polar_system, large_system, spaghetti_system])
@pytest.mark.parametrize("name", ["half_explicit_2", "half_explicit_5"])
def test_backends_agree_on_other_models(name: str, build: Callable[..., System]) -> None:
    """Several nodes of different types, moving constraints, varying mass, elimination by structure, elements."""
    check_backends(build(), build("numpy"), name, steps=8)


@pytest.mark.parametrize("group", CONSTRAINED)
def test_backends_have_the_same_initial_state(group: str) -> None:
    first, second = heavy_top_system(group).initial_state, heavy_top_system(group, "numpy").initial_state
    assert np.array_equal(first.q, second.q)
    close(first.v, second.v, tolerances.EPSILON)
    close(first.multipliers, second.multipliers, tolerances.LIBRARY)


# ---------------------------------------------------------------------------------------------------------------------
# Reuse of the last stage


def without_reuse(method: Method, *rest: Any) -> Mapping[str, str]:
    """`driver_source` of a method that evaluates its first stage anew in every step."""
    source = driver_source(method, *rest)
    text = source["step.h"].replace("acceleration_is_valid = 1", "acceleration_is_valid = 0")
    assert text != source["step.h"]
    return {**source, "step.h": text}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["half_explicit_4", "half_explicit_5"])
@pytest.mark.parametrize("group", ["SO3xR3", "S3sR3", "S3"])
def test_reusing_the_last_stage_changes_only_rounding(group: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system, steps = heavy_top_system(group), 200
    reused = sl.solve(system, steps * H, method=name, h=H)
    monkeypatch.setattr(driver_module, "driver_source", without_reuse)
    monkeypatch.setattr(compiled_method, "known_drivers", WeakKeyDictionary())
    anew = sl.solve(system, steps * H, method=name, h=H)
    close(reused.q, anew.q, tolerances.BACKENDS)
    close(reused.v, anew.v, tolerances.BACKENDS)
    close(reused.multipliers, anew.multipliers, tolerances.LATE_MULTIPLIERS)
    stages = method(name).tableau.stages
    assert anew.statistics.rhs_evaluations == steps * stages
    assert reused.statistics.rhs_evaluations == steps * (stages - 1) + 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["half_explicit_2", "half_explicit_3", "rkmk_dopri5"])
def test_evaluations_are_counted(name: str) -> None:
    """Without reuse each stage counts; stages of zero weight are not evaluated at all."""
    stages = {"half_explicit_2": 2, "half_explicit_3": 3, "rkmk_dopri5": 6}[name]
    for backend in ("c", "numpy"):
        solution = sl.solve(heavy_top_system("S3", backend), 10 * H, method=name, h=H)
        assert solution.statistics.rhs_evaluations == 10 * stages


# ---------------------------------------------------------------------------------------------------------------------
# Multipliers


@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("group", CONSTRAINED)
def test_index1_multipliers_do_not_change_states(group: str, backend: str) -> None:
    system = heavy_top_system(group, backend)
    stage = sl.solve(system, 10 * H, method="half_explicit_3", h=H)
    index1 = sl.solve(system, 10 * H, method="half_explicit_3", h=H, multipliers="index1")
    for a, b in ((stage.t, index1.t), (stage.q, index1.q), (stage.v, index1.v)):
        assert a.tobytes() == b.tobytes()
    assert not np.allclose(stage.multipliers[1:], index1.multipliers[1:], rtol=1e-6, atol=0)
    k, p, algebra = system.kernels, system.prepared, system.algebra
    assert isinstance(algebra, DenseAlgebra)
    for t, q, v, multipliers in zip(index1.t, index1.q, index1.v, index1.multipliers, strict=True):
        acceleration, found = system.mechanics.index1(t, q, v)
        B = algebra.jacobian_matrix(k.jacobian(p, t, q, v))
        residual = algebra.mass_matrix(k.mass(p, t, q)) @ acceleration + k.force(p, t, q, v) + B.T @ multipliers
        hidden = B @ acceleration + k.curvature(p, t, q, v)
        largest = max(float(np.abs(x).max()) for x in (k.force(p, t, q, v), acceleration, multipliers))
        assert (
            float(np.abs(np.concatenate([residual, hidden, found - multipliers])).max())
            <= tolerances.RESIDUAL * largest
        )


def test_multipliers_without_constraints_are_empty() -> None:
    for kind in ("stage", "index1"):
        solution = sl.solve(heavy_top_system("S3"), 4 * H, method="rkmk_rk44", h=H, multipliers=kind)
        assert solution.multipliers.shape == (5, 0) and solution.named_multipliers() == {}


# ---------------------------------------------------------------------------------------------------------------------
# Times and records


def solutions_at(times: list[float], h: float, backend: str, **options: object) -> Solution:
    """The free top with a method of order five."""
    return sl.solve(heavy_top_system("S3", backend), 0.05, method="rkmk_dopri5", h=h, t_eval=times, **options)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize(
    "times",
    [
        [0.05],
        [0.0, 0.05],
        [1e-3, 2e-3, 0.05],
        [math.pi / 100],
        [1e-7, 0.02, 0.02 + 1e-9, 0.049999],
        [0.0],
        [0.0108, 0.0482],
    ],
)
def test_stop_times_are_exact(times: list[float], backend: str) -> None:
    solution = solutions_at(times, H, backend)
    assert solution.t.tolist() == times
    assert solution.q.shape == (len(times), 4) and solution.v.shape == (len(times), 3)
    for t, q, v in zip(solution.t, solution.q, solution.v, strict=True):
        if t == 0:
            assert np.array_equal(q, [1, 0, 0, 0]) and np.array_equal(v, [0, 150, -4.61538])
            continue
        direct = sl.solve(heavy_top_system("S3"), float(t), method="rkmk_rk67", h=H / 4, t_eval=[float(t)])
        close(q, direct.q[-1], tolerances.OFF_GRID)
        close(v, direct.v[-1], tolerances.OFF_GRID)


def test_end_times_that_steps_miss_by_rounding_are_exact() -> None:
    """The last of the times above is not reached by multiples of its step in doubles."""
    plan = step_plan(0.0, 0.05, H, [0.0108, 0.0482])
    a, b, steps = plan.start[1], plan.end[1], plan.steps[1]
    assert b == 0.0482 and a + steps * ((b - a) / steps) != b


def test_steps_are_shortened_only_before_stop_times() -> None:
    solution = solutions_at([0.01, 0.02], 1e-3, "c")
    assert solution.statistics.steps == 50
    assert solutions_at([0.0105, 0.02], 1e-3, "c").statistics.steps == 11 + 10 + 30


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_recording_times_are_respected(backend: str) -> None:
    system = heavy_top_system("S3", backend)

    def times(**options: object) -> list[float]:
        return list(sl.solve(system, 10 * H, method="rkmk_rk44", h=H, **options).t / H)

    assert times() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert times(record_every=3) == [0, 3, 6, 9, 10]
    assert times(record_every=5) == [0, 5, 10]
    assert times(record_every=100) == [0, 10]
    assert times(record_every=0) == [0, 10]
    assert times(t_eval=[]) == []


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_empty_solutions_have_outputs(backend: str) -> None:
    solution = sl.solve(heavy_top_system("S3", backend), 2 * H, method="rkmk_rk44", h=H, t_eval=[])
    assert solution.outputs["rotation"].shape == (0, 9) and solution.outputs["energy"].shape == (0,)
    assert solution.to_json()["t"] == []


def test_long_solutions_outgrow_the_record_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    system = heavy_top_system("SE3")
    expected = sl.solve(system, 500 * H, h=H)
    monkeypatch.setattr(drive, "RECORD_BYTES", 7 * 8 * (1 + 12 + 6 + 3))
    found = sl.solve(system, 500 * H, h=H)
    for a, b in (
        (found.t, expected.t),
        (found.q, expected.q),
        (found.v, expected.v),
        (found.multipliers, expected.multipliers),
    ):
        assert a.tobytes() == b.tobytes()
    assert len(found.t) == 501


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_start_time_is_used(backend: str) -> None:
    """A system with explicit time integrated in two parts equals one integration."""
    system = chain_system(backend)
    whole = sl.solve(system, 20 * H, h=H)
    state = whole.q[10], whole.v[10]
    second = system
    for node in system.layout.nodes:
        fields = {}
        for stored, values in (
            (node.type.storage_fields, state[0][node.storage]),
            (node.type.velocity_fields, state[1][node.velocity]),
        ):
            fields |= {field.name: values[field.part] for field in stored}
        second = second.with_initial(node.name, **fields)
    rest = sl.solve(second, (10 * H, 20 * H), h=H)
    assert rest.t[0] == 10 * H and rest.t[-1] == 20 * H
    close(rest.q[-1], whole.q[-1], tolerances.RESTART)
    close(rest.v[-1], whole.v[-1], tolerances.RESTART)


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_progress_ends_at_one(backend: str) -> None:
    seen: list[float] = []
    sl.solve(heavy_top_system("SE3", backend), 30 * H, h=H, progress=seen.append)
    assert seen[-1] == 1.0 and all(0 <= a <= b for a, b in itertools.pairwise(seen))


def test_compiled_loop_returns_after_its_budget() -> None:
    """A loop that is continued every few steps ends at the same bits."""
    system = heavy_top_system("S3sR3")
    plan = step_plan(0.0, 100 * H, H, None)
    begin = LoopState(0.0, start_of(system, 0.0))
    loops = [
        CompiledIntegration(system, method("half_explicit_5"), plan, FIXED_STEPS, begin, record_every=0)
        for _ in range(2)
    ]
    assert loops[0].advance(1000) == drive.Status.DONE
    calls = 1
    while loops[1].advance(7) == drive.Status.BUDGET:
        calls += 1
    assert calls == math.ceil(100 / 7)
    assert loops[0].q.tobytes() == loops[1].q.tobytes() and loops[0].v.tobytes() == loops[1].v.tobytes()
    assert loops[1].state.steps == 100 and loops[1].state.t == 100 * H


@pytest.mark.parametrize(("build", "steps"), [(lambda: heavy_top_system("S3sR3"), 42), (large_system, 6)])
def test_first_call_is_short(build: Callable[[], System], steps: int) -> None:
    """As long as nothing is known of the time of a step, small systems make many, and large ones few."""
    seen: list[float] = []
    sl.solve(build(), 1000 * H, h=H, record_every=0, progress=seen.append)
    assert seen[0] == pytest.approx(steps / 1000)


def test_one_step_matches_the_paper() -> None:
    """RKMK with the midpoint weights of Heun, written out for the top on SO(3)."""
    system = heavy_top_system("SO3", "numpy")
    k, p = system.kernels, system.prepared
    q, v = system.initial_state.q, system.initial_state.v
    algebra = system.algebra
    assert isinstance(algebra, DenseAlgebra)

    def acceleration(q: Array, v: Array) -> Array:
        mass = algebra.mass_matrix(k.mass(p, 0.0, q))
        return np.asarray(np.linalg.solve(mass, -k.force(p, 0.0, q, v)), dtype=float)

    first = acceleration(q, v)
    moved, faster = k.advance(q, H * v), v + H * first
    second = acceleration(moved, faster)
    state = State(0.0, q.copy(), v.copy(), np.zeros(0))
    trial = Stepper(system, method("lie_euler_heun"), FIXED_STEPS).step(state, H)
    close(trial.q, k.advance(q, H * (v + faster) / 2), tolerances.LIBRARY)
    close(trial.v, v + H * (first + second) / 2, tolerances.LIBRARY)
    assert method("lie_euler_heun").options["commutators"] == 0


# ---------------------------------------------------------------------------------------------------------------------
# Plans


@given(
    t0=st.floats(-10, 10),
    length=st.floats(1e-3, 10),
    h=st.floats(1e-3, 20),
    fractions=st.lists(st.floats(0.01, 1), max_size=4, unique=True),
)
def test_plans_cover_the_interval(t0: float, length: float, h: float, fractions: list[float]) -> None:
    t_end = t0 + length
    times = sorted({min(t0 + f * length, t_end) for f in fractions})
    plan = step_plan(t0, t_end, h, times)
    assert plan.start[0] == t0 and plan.end[-1] == t_end
    assert plan.start[1:] == plan.end[:-1]
    assert [t for t, recorded in zip(plan.end, plan.record_end, strict=True) if recorded] == times
    for a, b, steps in zip(plan.start, plan.end, plan.steps, strict=True):
        assert steps >= 1 and (b - a) / steps <= h * (1 + 2 * GRID_TOLERANCE)
        assert steps == 1 or (b - a) / (steps - 1) > h
    assert plan.total_steps == sum(plan.steps)


def test_steps_within_rounding_of_the_grid() -> None:
    assert step_plan(0.0, 0.3, 0.1, None).steps == (3,)  # 0.3/0.1 is 2.9999999999999996
    assert step_plan(0.0, 1.0, 1 / 3, None).steps == (3,)
    assert step_plan(0.0, 1.0, 0.3, None).steps == (4,)
    assert step_plan(0.0, 1.0, 5.0, None).steps == (1,)


BAD_PLANS = {
    "no step": ((0, 1), 0.0, None, r"step size must be positive, not 0"),
    "negative step": ((0, 1), -0.1, None, r"step size must be positive, not -0\.1"),
    "NaN step": ((0, 1), math.nan, None, r"step size must be positive, not nan"),
    "infinite step": ((0, 1), math.inf, None, r"step size must be positive, not inf"),
    "tiny step": ((0, 1e10), 1e-10, None, r"A step of 1e-10 s is below the resolution of times near 1e\+10"),
    "backwards": ((1, 0), 0.1, None, r"end time 0\.0 must be after the start 1\.0"),
    "empty": ((1, 1), 0.1, None, r"end time 1\.0 must be after the start 1\.0"),
    "NaN end": ((0, math.nan), 0.1, None, r"end time nan must be after"),
    "NaN start": ((math.nan, 1), 0.1, None, r"end time 1\.0 must be after the start nan"),
    "infinite end": ((0, math.inf), 0.1, None, r"end time inf must be after"),
    "times out of order": ((0, 1), 0.1, [0.5, 0.4], r"output times must increase and lie between 0\.0 and 1\.0"),
    "time twice": ((0, 1), 0.1, [0.5, 0.5], r"output times must increase"),
    "time before": ((0, 1), 0.1, [-0.5, 0.5], r"output times must increase and lie between"),
    "time after": ((0, 1), 0.1, [0.5, 1.5], r"output times must increase and lie between"),
    "NaN time": ((0, 1), 0.1, [0.5, math.nan], r"output times must increase and lie between"),
    "only a NaN time": ((0, 1), 0.1, [math.nan], r"output times must increase and lie between"),
    "three times": ((0, 1, 2), 0.1, None, r"time interval must be t_end or \(t0, t_end\), not \(0, 1, 2\)"),
}


@pytest.mark.parametrize("case", BAD_PLANS)
def test_invalid_plans_are_rejected(case: str) -> None:
    span, h, times, sentence = BAD_PLANS[case]
    with pytest.raises(ModelError, match=sentence):
        sl.solve(heavy_top_system("S3"), span, method="rkmk_rk44", h=h, t_eval=times)


def test_plan_supports_the_largest_number_of_steps() -> None:
    assert step_plan(-1.0, 1.0, TIME_RESOLUTION, None).total_steps == LARGEST_STEPS


@pytest.mark.parametrize("span", [2 * H, np.float64(2 * H), (0, 2 * H), np.array([0, 2 * H])])
def test_intervals_may_be_given_in_several_ways(span: object) -> None:
    solution = sl.solve(heavy_top_system("S3"), span, method="rkmk_rk44", h=H)
    assert solution.t.tolist() == [0, H, 2 * H]


@pytest.mark.parametrize("every", [-1, 2.5, "2"])
def test_invalid_record_options_are_rejected(every: object) -> None:
    with pytest.raises(ModelError, match="record_every must be a whole number of steps"):
        sl.solve(heavy_top_system("S3"), 0.01, method="rkmk_rk44", h=H, record_every=every)


# ---------------------------------------------------------------------------------------------------------------------
# Names


@pytest.mark.parametrize("name", RKMK)
def test_methods_without_constraints_reject_constrained_systems(name: str) -> None:
    with pytest.raises(UnsupportedMethodError, match=f"'{name}' integrates systems without constraints.*half_explicit"):
        sl.solve(heavy_top_system("SE3"), 0.01, method=name, h=H)


def test_unknown_names_are_listed() -> None:
    with pytest.raises(UnknownNameError, match=r"Unknown method 'half_explicit_6'. Did you mean 'half_explicit_\d'"):
        sl.solve(heavy_top_system("SE3"), 0.01, method="half_explicit_6", h=H)
    with pytest.raises(UnknownNameError, match="Unknown multipliers 'index2'; use stage or index1"):
        sl.solve(heavy_top_system("SE3"), 0.01, h=H, multipliers="index2")
    solution = sl.solve(heavy_top_system("SE3"), 2 * H, h=H)
    with pytest.raises(UnknownNameError, match="has no node 'bottom'; it has: top"):
        solution.configuration("bottom")
    with pytest.raises(UnknownNameError, match="Node 'top' has no field 'p'; it has: R, x, Omega, U"):
        solution.field("top", "p")


# ---------------------------------------------------------------------------------------------------------------------
# What a solution says of itself


@pytest.mark.parametrize("group", HEAVY_TOPS)
def test_solution_parts_are_complete(group: str) -> None:
    system = heavy_top_system(group)
    name = "half_explicit_5" if group in CONSTRAINED else "rkmk_dopri5"
    solution = sl.solve(system, 4 * H, method=name, h=H)
    assert solution.status == "ok" and solution.method == name
    assert solution.configuration("top") is not None
    assert np.array_equal(solution.configuration("top"), solution.q)
    assert np.array_equal(solution.velocity("top"), solution.v)
    assert np.array_equal(solution.field("top", "Omega"), solution.v[:, :3])
    outputs = solution.outputs
    expected = {"energy", "center_of_mass", "rotation"}
    if group in CONSTRAINED:
        expected |= {"constraint_residual", "velocity_residual"}
        assert list(solution.named_multipliers()) == ["fixed_point"]
        assert np.array_equal(solution.named_multipliers()["fixed_point"], solution.multipliers)
        assert np.array_equal(solution.field("top", "x"), outputs["center_of_mass"])
        largest = outputs["constraint_residual"].max()
        assert solution.statistics.max_constraint_residual == pytest.approx(largest, abs=tolerances.EPSILON)
    assert set(outputs) == expected
    assert outputs["rotation"].shape == (5, 9) and outputs["energy"].shape == (5,)
    record = solution.to_json()
    assert record["v"]["top"] == solution.v.tolist() and record["status"] == "ok"
    assert record["statistics"]["steps"] == 4 and record["backend"] == "c"


def test_equal_options_are_checked_once(tmp_path: Path) -> None:
    """Numbers that are equal but of other types or signs are other words, and files may change in between."""
    system = heavy_top_system("SE3")
    other = system.with_parameters(mass=12.0)
    assert asked(system) is asked(other) is not asked(system, h=2 * H)
    assert asked(system) is not asked(system.with_redundant("minimal_norm"))
    assert asked(system, h=1) is not asked(system, h=1.0)
    assert math.copysign(1.0, asked(system, (0.0, 1)).t0) > math.copysign(1.0, asked(system, (-0.0, 1)).t0)
    for _ in range(2):
        with pytest.raises(UnknownNameError, match="Unknown multipliers 'none'"):
            asked(system, multipliers="none")
    tolerance = np.full(6, 1e-6)
    assert asked(system, h=None, rtol=tolerance) is not asked(system, h=None, rtol=tolerance)
    path = tmp_path / "euler.toml"
    for name in ("one", "other"):
        path.write_text(f'name = "{name}"\nfamily = "rkmk"\nA = [[]]\nb = [1]\nc = [0]\n')
        assert asked(swing_system(), method=str(path)).method.name == name


def asked(system: System, span: float | tuple[float, float] = 1.0, **words: object) -> Request:
    """Arguments of `solve`."""
    return requested(system, span, RunOptions.of({"h": H, **words}))


def test_solutions_do_not_share_settings() -> None:
    system = heavy_top_system("SE3")
    one, two = (sl.solve(system, H, h=H) for _ in range(2))
    assert one.settings == two.settings and one.settings is not two.settings


def test_counters_match_their_names() -> None:
    library = CompiledMethod(heavy_top_system("SE3"), method("half_explicit_5"), FIXED_STEPS).library
    state = library.ffi.new("symlie_state *")
    stated = Counters(*(k + 0.5 if f.type == "float" else k for k, f in enumerate(dataclasses.fields(Counters))))
    put_counters(library, state, stated)
    assert vars(stated) == {name: getattr(state, name) for name in vars(stated)}
    assert counters_of(library, state) == stated
