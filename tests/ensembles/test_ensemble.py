"""Ensembles: members bit-identical to `solve`, isolated failures, and resumed stores."""

from __future__ import annotations

import concurrent.futures
import functools
import multiprocessing
import os
import pickle
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.ensembles import motions
from symlie.ensembles.motions import MotionTask
from symlie.ensembles.results import MemberResults, MemberStatus
from symlie.ensembles.tasks import run_chunk
from symlie.errors import (
    ExecutorError,
    FormatError,
    InterruptedEnsembleError,
    MemberFailedError,
    ModelError,
    SymlieError,
    UnknownNameError,
)
from symlie.models import flying_spaghetti, pendulum_chain, quadrotors
from symlie.runtime.kernels.c import OrdinaryStarts
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.ordinary_start import ordinary_starts
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import heavy_top_system, swing_system

COUNT = 12
TIMES = [0.0, 0.02, 0.05]


def drawn(seed: int = 0) -> tuple[Array, Array]:
    """Masses and rates of members."""
    random = np.random.default_rng(seed)
    return random.uniform(10, 20, COUNT), random.normal(0, 30, (COUNT, 3))


def tops(system: System | None = None, **words: Any) -> sl.Ensemble:
    """An ensemble of heavy tops."""
    masses, rates = drawn()
    run = {"parameters": {"mass": masses}, "initial": {"top": {"Omega": rates}}, "h": 1e-3, "t_eval": TIMES}
    return sl.ensemble(system or heavy_top_system("SO3xR3"), 0.05, **{**run, **words})


@functools.cache
def other_systems() -> dict[str, System]:
    """Models with a small topology and with a large one, and on a manifold."""
    built = {
        "rod": flying_spaghetti.build(segments=4),
        "chain": pendulum_chain.build(links=24),
        "vehicles": quadrotors.build(control="tracking"),
    }
    return {name: model.derive().compile(backend="c") for name, model in built.items()}


def same(one: sl.Ensemble, other: sl.Ensemble) -> bool:
    """True if all arrays except times are bit-identical."""
    names = [name for name in one.arrays if name not in ("cpu_seconds", "sentence", "exception")]
    assert list(one.arrays) == list(other.arrays)
    return all(one.arrays[name].tobytes() == other.arrays[name].tobytes() for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("words", [{"h": 1e-3}, {"h": None, "rtol": 1e-6}, {"method": "generalized_alpha"}])
def test_members_are_bit_identical_to_solve(words: dict[str, Any]) -> None:
    system, (masses, rates) = heavy_top_system("SO3xR3"), drawn()
    result = tops(record=["energy", "center_of_mass", "top.R", "top", "multipliers_fixed_point"], **words)
    run: dict[str, Any] = {"h": 1e-3, "t_eval": TIMES} | words
    for k in range(COUNT):
        alone = sl.solve(system.with_parameters(mass=masses[k]).with_initial("top", Omega=rates[k]), 0.05, **run)
        for name in ("energy", "center_of_mass"):
            assert result.arrays[name][k].tobytes() == alone.outputs[name].tobytes()
        for field in ("R", "x", "Omega", "x_dot"):
            assert result.arrays[f"top.{field}"][k].tobytes() == alone.field("top", field).tobytes()
        found = result.arrays["multipliers_fixed_point"][k]
        assert found.tobytes() == alone.named_multipliers()["fixed_point"].tobytes()
        assert result.arrays["steps"][k] == alone.statistics.steps
        assert result.member(k).q.tobytes() == alone.q.tobytes()


FACTORS = np.array([1.0, 0.9, 1.2])


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("rod", "bending_stiffness"),
        ("rod", "load_times"),
        ("chain", "gravity"),
        ("chain", "body.masses"),
        ("vehicles", "load_mass"),
        ("vehicles", "inertia"),
    ],
)
def test_other_models_are_bit_identical_to_solve(name: str, parameter: str) -> None:
    """Large topologies, parameters of elements, times at which steps must end, nodes on manifolds."""
    system = other_systems()[name]
    if parameter in system.layout.parameters:
        stated = system.parameters[system.layout.parameters[parameter][0]]
        values = stated * FACTORS[:, None]
    else:
        values = 0.1 * np.array([np.arange(1.0, 25), np.full(24, 1.0), np.full(24, 2.0)])
    record = None if name == "chain" else [*system.layout.outputs, *(["rod.strain", "rod"] if name == "rod" else [])]
    result = sl.ensemble(system, 0.01, parameters={parameter: values}, h=1e-3, t_eval=[0.005, 0.01], record=record)
    assert (result.arrays["status"] == MemberStatus.OK).all()
    for k, value in enumerate(values):
        changed = system.with_parameters(**{parameter: value if value.size > 1 else value.item()})
        alone = sl.solve(changed, 0.01, h=1e-3, t_eval=[0.005, 0.01])
        for quantity in result.quantities:
            found = result.arrays[quantity.name][k]
            node, _, field = quantity.name.partition(".")
            expected = alone.field(node, field) if field else alone.outputs[quantity.name]
            assert found.tobytes() == expected.tobytes(), quantity.name


def test_shared_load_times_apply_to_all_members() -> None:
    """They differ from the times of the system that members are created from."""
    system = other_systems()["rod"]
    times = system.parameters[system.layout.parameters["load_times"][0]] / 500
    result = sl.ensemble(system, 0.01, parameters={"load_times": [times] * 2}, h=1e-3, t_eval=[0.01])
    alone = sl.solve(system.with_parameters(load_times=times), 0.01, h=1e-3, t_eval=[0.01])
    assert result.arrays["steps"].tolist() == [alone.statistics.steps] * 2
    assert result.arrays["energy"][1].tobytes() == alone.outputs["energy"].tobytes()


@pytest.mark.slow
def test_numpy_backend_agrees() -> None:
    compiled, plain = tops(), tops(heavy_top_system("SO3xR3", "numpy"))
    for name in ("energy", "center_of_mass"):
        scale = np.abs(compiled.arrays[name]).max()
        np.testing.assert_allclose(plain.arrays[name], compiled.arrays[name], rtol=0, atol=tolerances.BACKENDS * scale)


def test_initial_values_of_free_nodes_are_completed_in_the_time_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """All members at once, not each by the full check of its initial values."""
    counts = []

    def counted(system: System, *arguments: Any) -> OrdinaryStarts:
        found = ordinary_starts(system, *arguments)
        counts.append(int(found.is_ordinary.sum()))
        return found

    monkeypatch.setattr(motions, "ordinary_starts", counted)
    assert np.all(tops(workers=1).arrays["status"] == MemberStatus.OK)
    assert sum(counts) == COUNT


def test_results_are_independent_of_executor_chunks_and_order(monkeypatch: pytest.MonkeyPatch) -> None:
    from symlie.ensembles import dispatch

    reference = tops(workers=1)
    assert same(reference, tops(workers=3))
    monkeypatch.setattr(dispatch, "FIRST_CHUNK", 1)
    monkeypatch.setattr(dispatch, "LARGEST_CHUNK", 1)
    assert same(reference, tops(workers=2))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert same(reference, tops(executor=pool))
    with pytest.raises(ExecutorError, match="accepts no work"):
        tops(executor=pool)


@pytest.mark.slow
def test_processes_are_bit_identical() -> None:
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert same(tops(), tops(executor=pool))
        assert same(tops(rtol=1e-5, h=None), tops(executor=pool, rtol=1e-5, h=None))


def test_grid_has_all_combinations() -> None:
    masses, levers = [10.0, 15.0, 20.0], np.array([[0, 1.0, 0], [0, 1.1, 0]])
    result = sl.ensemble(
        heavy_top_system("S3"), 0.01, parameters={"mass": masses, "lever": levers}, combine="grid", h=1e-3
    )
    dataset = result.dataset
    assert dict(dataset.sizes) | {"mass": 3, "lever": 2, "time": 11} == dict(dataset.sizes)
    alone = sl.solve(heavy_top_system("S3").with_parameters(mass=15.0, lever=levers[1]), 0.01, h=1e-3)
    assert np.array_equal(dataset["energy"].sel(mass=15.0)[1], alone.outputs["energy"])
    assert dataset["status"].attrs["flag_meanings"].split()[0] == "ok"


def test_failures_do_not_affect_other_members(tmp_path: Path) -> None:
    """A value that is not finite, an impossible start, a run that fails, and one that takes too long."""
    masses, rates = drawn()
    masses[[1, 4]] = np.nan, -1.0
    rates[7] = 1e7
    for words in ({}, {"store": tmp_path / "store"}):
        result = tops(parameters={"mass": masses}, initial={"top": {"Omega": rates}}, **words)
        assert [m.member for m in result.failed] == [1, 4, 7]
        assert [m.kind for m in result.failed][:2] == ["ModelError", "SingularMassMatrixError"]
        for member in result.failed:
            with pytest.raises(SymlieError) as caught:
                result.member(member.member)
            assert str(caught.value) == member.sentence
        others = [k for k in range(COUNT) if k not in (1, 4, 7)]
        assert np.array_equal(result.arrays["energy"][others], tops().arrays["energy"][others])
        assert np.isnan(result.arrays["energy"][[1, 4]]).all()
        assert "1: ModelError" in repr(result.failed)
    with pytest.raises(MemberFailedError, match=r"Member [147] failed"):
        tops(parameters={"mass": masses}, on_failure="raise")
    late = sl.ensemble(heavy_top_system("S3"), 1e3, parameters={"mass": [10.0, 20.0]}, h=1e-4, member_seconds=0.05,
                       record_every=0)  # fmt: skip
    assert late.arrays["status"].tolist() == [MemberStatus.TIME_LIMIT] * 2


def test_events_form_a_separate_table() -> None:
    system = swing_system()
    times = np.linspace(0, 2, 9)
    result = sl.ensemble(system, 2.0, parameters={"stiffness": [100.0, 900.0]}, rtol=1e-8, t_eval=times, record=["bob"])
    alone = [sl.solve(system.with_parameters(stiffness=k), 2.0, rtol=1e-8, t_eval=times) for k in (100.0, 900.0)]
    assert result.arrays["status"].tolist() == [MemberStatus.OK, MemberStatus.EVENT]
    found = result.results
    for k, solution in enumerate(alone):
        mine = found.event_member == k
        assert found.event_time[mine].tolist() == [e.t for e in solution.events]
        assert [found.event_names[i] for i in found.event_index[mine]] == [e.name for e in solution.events]
        here = np.isin(times, solution.t)
        assert np.array_equal(result.arrays["bob.x"][k][here], solution.field("bob", "x")[np.isin(solution.t, times)])
        assert np.isnan(result.arrays["bob.x"][k][~here]).all()
    assert result.arrays["end_time"][1] == alone[1].t[-1] < 2.0


@pytest.mark.slow
def test_members_can_have_different_input_tables() -> None:
    model = sl.Model("cart")
    q = model.node("cart", "R1")
    u = model.input("u", unit="N")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.force(sl.vector(u), q.x)
    model.initial(q, x=[0], x_dot=[0])
    system = model.derive().compile(backend="c")
    tables = [([0.0, 1.0], [k, 2.0 * k]) for k in (1.0, 2.0)] + [([0.0, 0.25, 1.0], [3.0, 0.0, 1.0], "hold")]
    result = sl.ensemble(system, 1.0, inputs={"u": tables}, h=0.1, record_every=0, record=["cart"])
    for k, table in enumerate(tables):
        alone = sl.solve(system.with_input("u", *table), 1.0, h=0.1, record_every=0)
        assert result.arrays["cart.x"][k].tobytes() == alone.field("cart", "x").tobytes()


def test_stores_resume_and_reject_other_ensembles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, reference = tmp_path / "runs", tops()
    begun: list[int] = []

    def interrupt(done: int, of: int) -> None:
        begun.append(done)
        raise KeyboardInterrupt

    with pytest.raises(InterruptedEnsembleError, match="call it again with store=") as caught:
        tops(store=folder, workers=1, progress=interrupt)
    partial = caught.value.result
    assert isinstance(partial, sl.Ensemble) and begun[0] <= (partial.arrays["steps"] > 0).sum() < COUNT + 1
    seen: list[tuple[int, int]] = []
    whole = tops(store=folder, progress=lambda done, of: seen.append((done, of)))
    assert same(reference, whole) and seen[-1:] in ([(COUNT, COUNT)], [])
    assert same(reference, tops(store=folder))
    masses, _ = drawn(1)
    for words, what in (
        ({"parameters": {"mass": masses}}, "values of mass"),
        ({"h": 5e-4}, "design"),
        ({"record": ["energy"]}, "quantities"),
        ({"system": heavy_top_system("SO3xR3").with_parameters(lever=[0, 2.0, 0])}, "design"),
    ):
        with pytest.raises(FormatError, match=what):
            tops(store=folder, **words)


@pytest.mark.slow
def test_store_is_self_contained(tmp_path: Path) -> None:
    """Without the system that it was made with; also after a change of its folder, and where members failed."""
    masses, _ = drawn()
    masses[3] = -1.0
    whole = tops(parameters={"mass": masses})
    tops(parameters={"mass": masses}, store=tmp_path / "runs")
    (tmp_path / "runs").rename(tmp_path / "moved")
    found = sl.open_ensemble(tmp_path / "moved", trust=True)
    assert same(whole, found) and repr(found) == repr(whole) == "Ensemble(heavy_top; 11 ok; 1 failed)"
    assert found.failed[0] == whole.failed[0]
    assert found.dataset.drop_vars("cpu_seconds").equals(whole.dataset.drop_vars("cpu_seconds"))
    assert found.member(5).q.tobytes() == whole.member(5).q.tobytes()
    with pytest.raises(SymlieError, match="mass"):
        found.member(3)
    assert same(found, pickle.loads(pickle.dumps(found)))
    task = tmp_path / "moved" / "task.pickle"
    content = bytearray(task.read_bytes())
    content[len(content) // 2] ^= 1
    for damaged in (bytes(content), content[:100], b"x"):
        task.write_bytes(damaged)
        with pytest.raises(FormatError, match="damaged"):
            sl.open_ensemble(tmp_path / "moved", trust=True).member(5)
    task.unlink()
    again = sl.open_ensemble(tmp_path / "moved")
    assert same(whole, again)
    with pytest.raises(FormatError, match=r"no task\.pickle"):
        again.member(5)
    with pytest.raises(FormatError, match="is not a store"):
        sl.open_ensemble(tmp_path)


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    tops(progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("heavy_top: 100% after") and lines[-1].endswith("12 of 12 members")
    tops()
    assert capsys.readouterr().err == ""


def deadly_chunk(task: MotionTask) -> MemberResults:
    """Member 5 kills whoever integrates it."""
    if (task.design.parameters == drawn()[0][5]).any():
        os.kill(os.getpid(), signal.SIGKILL)
    return run_chunk(task)


@pytest.mark.slow
def test_killed_worker_is_replaced_and_its_member_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from symlie.ensembles import sealed_chunk

    expected = tops().arrays["energy"]
    monkeypatch.setattr(sealed_chunk, "run_chunk", deadly_chunk)
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        result = tops(executor=pool)
    assert [(m.member, m.kind) for m in result.failed] == [(5, "WorkerLostError")]
    assert result.arrays["status"][5] == MemberStatus.FAILED
    others = [k for k in range(COUNT) if k != 5]
    assert np.array_equal(result.arrays["energy"][others], expected[others])


@pytest.mark.parametrize(
    ("words", "error", "sentence"),
    [
        ({"parameters": {"weight": np.ones(COUNT)}}, UnknownNameError, "has no parameter 'weight'"),
        ({"parameters": {"mass": 3.0}}, ModelError, "'mass' must be one for each member"),
        (
            {"parameters": {"mass": [1.0, 2.0], "gravity": [[0, 0, 1.0]]}},
            ModelError,
            "mass 2, gravity 1, initial",
        ),
        ({"parameters": {"lever": np.ones((COUNT, 2))}}, ModelError, "'lever' needs 3 components"),
        ({"parameters": {"mass": ["a", "b"]}}, ModelError, "must be numbers"),
        ({"parameters": {}, "initial": None}, ModelError, "needs values of parameters"),
        ({"parameters": {"mass": []}, "initial": None}, ModelError, "needs values of parameters"),
        ({"initial": {"tip": {"Omega": np.zeros((COUNT, 3))}}}, UnknownNameError, "tip"),
        ({"initial": {"top": {"spin": np.zeros((COUNT, 3))}}}, UnknownNameError, "has no field 'spin'"),
        ({"initial": {"top": {"Omega": np.zeros((COUNT, 2))}}}, ModelError, "needs 3 components"),
        ({"inputs": {"u": [([0], [1])] * COUNT}}, UnknownNameError, "no input 'u'"),
        ({"record": ["energie"]}, UnknownNameError, "no quantity 'energie'"),
        ({"record": ["energy"], "h": None, "t_eval": None}, ModelError, "requires t_eval"),
        ({"combine": "product"}, UnknownNameError, "Unknown combine"),
        ({"on_failure": "stop"}, ModelError, "on_failure must be"),
        ({"executor": "threads"}, ExecutorError, "not str"),
        ({"method": "half_explicit_6"}, UnknownNameError, "half_explicit_6"),
    ],
)
def test_invalid_input_is_reported(words: dict[str, Any], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        tops(**words)


def test_large_grids_need_a_store() -> None:
    values = np.linspace(1, 2, 3200)
    with pytest.raises(ModelError, match="do not fit into memory"):
        tops(parameters={"mass": values, "heavy_top.mass": values}, initial=None, combine="grid")


def test_stores_of_failed_members_keep_quantity_shapes(tmp_path: Path) -> None:
    system = heavy_top_system("SO3xR3", "numpy")
    found = sl.ensemble(system, 0.2, parameters={"mass": [1.0, 2.0]}, h=0.1, store=tmp_path / "runs")
    assert len(found.failed) == 2 and found.arrays["center_of_mass"].shape == (2, 3, 3)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_members_with_unwrapped_angles_have_outputs(backend: str) -> None:
    model = sl.Model("pendulum")
    rod = sl.RigidBody(model, "rod", 1.0, [0.1, 0.1, 0.1], position=[0, 0, -0.5])
    sl.RevoluteJoint(model, "pivot", model.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    model.gravity([0, 0, -9.81])
    system = model.derive().compile(backend=backend)
    gravity = [[0, 0, -9.0], [1.0, 0, -9.8]]
    members = sl.ensemble(system, 0.1, parameters={"gravity": gravity}, workers=1, h=0.05)
    alone = sl.solve(system.with_parameters(gravity=gravity[1]), 0.1, h=0.05)
    assert members.member(1).outputs["pivot_angle"][-1] == alone.outputs["pivot_angle"][-1]
