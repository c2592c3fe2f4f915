"""Systems and solutions that travel: the same bits, one loaded system for all, and named refusals."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import json
import multiprocessing
import pickle
import platform
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie import errors
from symlie.errors import (
    CodeNotLoadedError,
    FormatError,
    ModelError,
    NoCompilerError,
    OutsideChartError,
    SymlieError,
    UnknownNameError,
)
from symlie.models import flying_spaghetti, pendulum_chain
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system import pickling
from symlie.runtime.system.record import recorded_system, system_record
from symlie.runtime.system.system import System
from symlie.runtime.system.values import OF_CODE, OF_MODEL
from symlie.version import VERSION
from tests.runtime.interruptions import content
from tests.runtime.test_angles import wheels
from tests.runtime.test_events import pendulum
from tests.runtime.test_first_order_states import steered
from tests.systems import chain_system, heavy_top_system, spaghetti_system


def driven(backend: str) -> System:
    """A point driven by two tables, one held and one linear."""
    model = sl.Model("driven")
    x = model.node("x", "R1")
    model.kinetic_energy(x.x_dot[0] ** 2 / 2)
    model.generalized_force(x, [model.input("u") + model.input("w") * x.x[0]])
    system = model.derive().compile(backend=backend).with_initial("x", x=[2.0])
    return system.with_input("u", [0, 0.1, 0.2], [0, 5, 1], "hold").with_input("w", [0, 0.3], [1, -1])


@functools.cache
def hanging() -> System:
    """A rod on a hinge."""
    model = sl.Model("hanging")
    rod = sl.RigidBody(model, "rod", 1.0, [1, 1, 1], position=[0, 0, -1])
    sl.RevoluteJoint(model, "hinge", model.ground, rod, at=[0, 0, 0], axis=[0, 1, 0])
    return model.derive().compile(backend="numpy")


@functools.cache
def spinning() -> System:
    """Two bodies that start from momenta."""
    model = sl.Model("spinning")
    array = model.node_array("bodies", sl.SO3, 2)
    body = sl.ElementType("body", node=sl.SO3)
    J = body.parameter("inertia", [1, 2, 4])
    body.kinetic_energy(body.node.Omega.dot(sl.diag(J) * body.node.Omega) / 2)
    model.add(body, array)
    array.initial_quantity("momentum", "Omega", lambda momentum, inertia: momentum / inertia)
    return model.derive().compile(backend="numpy").with_initial("bodies", momentum=[[1, 2, 3], [3, 2, 1]])


RUNS: dict[str, tuple[Callable[[], System], float, dict[str, Any]]] = {
    "heavy top": (functools.partial(heavy_top_system, "SE3"), 0.02, {"rtol": 1e-5, "trace": True}),
    "heavy top, numpy": (functools.partial(heavy_top_system, "SE3", "numpy"), 0.02, {"rtol": 1e-4, "trace": True}),
    "element parameters": (spaghetti_system, 0.005, {"h": 1e-3, "multipliers": "index1"}),
    "chain": (functools.partial(chain_system, "numpy"), 0.01, {"h": 1e-3, "method": "index1_dopri5"}),
    "inputs": (functools.partial(driven, "numpy"), 0.3, {"rtol": 1e-5}),
    "events": (functools.partial(pendulum, "numpy"), 1.0, {"rtol": 1e-4, "stabilize": "projection"}),
    "turns": (functools.partial(wheels, "numpy"), 0.2, {"rtol": 1e-4, "t_eval": [0.1, 0.2]}),
    "first-order states": (functools.partial(steered, "numpy"), 0.1, {"rtol": 1e-4}),
    "joint": (lambda: hanging().with_initial("hinge", angle=0.3, rate=1.0), 0.1, {"rtol": 1e-5}),
    "quantities": (spinning, 0.1, {"rtol": 1e-5}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _nothing_loaded() -> Iterator[None]:
    """A process that has unpickled nothing yet."""
    pickling._loaded.cache_clear()
    yield
    pickling._loaded.cache_clear()


def sent(thing: Any) -> Any:
    """Return the unpickled object."""
    return pickle.loads(pickle.dumps(thing))


def drawn(system: System, seed: int) -> System:
    """The system with all its parameters changed a little."""
    factors = 1 + 0.01 * np.random.default_rng(seed).standard_normal(len(system.parameters))
    parts = system.layout.parameters
    values = {name: (system.parameters * factors)[part].reshape(shape) for name, (part, shape, _) in parts.items()}
    return system.with_parameters(**values)


@functools.cache
def solution_of(name: str) -> Solution:
    build, end, options = RUNS[name]
    return sl.solve(drawn(build(), 1), end, **options)


def assert_equal(found: Solution, expected: Solution) -> None:
    """All records and all derived quantities are equal, bit by bit."""
    assert content(found) == content(expected)
    assert {k: v.tobytes() for k, v in found.outputs.items()} == {k: v.tobytes() for k, v in expected.outputs.items()}


@pytest.mark.slow
@pytest.mark.parametrize("through", [sent, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", RUNS)
def test_unpickled_systems_are_bit_identical(name: str, through: Callable[[Any], Any]) -> None:
    _, end, options = RUNS[name]
    expected = solution_of(name)
    system = through(expected.system)
    again = sl.solve(system, end, **options)
    assert system.backend == expected.system.backend and system is not expected.system
    assert_equal(again, expected)
    solution = through(expected)
    assert_equal(solution, expected)
    assert solution.statistics == expected.statistics and solution.warnings == expected.warnings
    longer = [sl.solve(s.system, end + 0.005, h=0.0025, start=s) for s in (solution, expected)]
    assert longer[0].q.tobytes() == longer[1].q.tobytes()


def test_unpickled_systems_share_loaded_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    system, loaded = heavy_top_system("SE3"), 0

    def counted(**record: Any) -> System:
        nonlocal loaded
        loaded += 1
        return load(**record)

    load = pickling.system_of_code
    monkeypatch.setattr(pickling, "system_of_code", counted)
    drawings = [pickle.dumps(drawn(system, k)) for k in range(16)]
    ready = threading.Barrier(8)

    def receive(first: int) -> list[System]:
        ready.wait(timeout=60)
        return [pickle.loads(data) for data in drawings[first::8]]

    with ThreadPoolExecutor(8) as threads:
        found = [s for part in threads.map(receive, range(8)) for s in part]
    assert loaded == 1
    for name in OF_CODE:
        assert len({id(getattr(s, name)) for s in found}) == 1 or name in ("backend", "optimize")
    assert len({s.parameters.tobytes() for s in found}) == 16
    assert sent(found[0]).kernels is found[0].kernels
    again = sent(sl.solve(found[3], 0.01, h=1e-3))
    assert again.system.kernels is found[0].kernels and again.system.sets is found[0].sets
    assert sent(heavy_top_system("SE3", "numpy")).kernels is not found[0].kernels and loaded == 2


def test_few_models_remain_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = sent(driven("numpy")).kernels
    assert sent(driven("numpy")).kernels is kept
    assert pickling._loaded.cache_info().maxsize == pickling.MOST_LOADED < 100


def test_equal_systems_have_equal_pickles() -> None:
    """So that what goes by the hash of a pickle finds them again."""
    system = heavy_top_system("SE3", "numpy")
    assert pickle.dumps(drawn(system, 1)) == pickle.dumps(drawn(system, 1)) != pickle.dumps(drawn(system, 2))


def test_requested_fields_are_pickled() -> None:
    solution = solution_of("element parameters")
    strain = solution.field("rod", "strain")
    found = sent(solution)
    assert found.known_fields["rod", "strain", "body"].tobytes() == strain.tobytes()
    assert found.field("rod", "section_force").tobytes() == solution.field("rod", "section_force").tobytes()


def test_pickle_contains_each_text_once() -> None:
    system = heavy_top_system("SE3")
    one = len(pickle.dumps(system))
    assert one < 60_000
    many = [drawn(system, k) for k in range(20)]
    assert len(pickle.dumps(many)) < one + 20 * 1000
    solution = sl.solve(system, 0.005, h=1e-3)
    both = pickle.loads(pickle.dumps((system, solution, sent(system))))
    assert both[0] is both[1].system and both[2].kernels is both[0].kernels


def test_pickles_are_small() -> None:
    for system in (flying_spaghetti.build(segments=64), pendulum_chain.build(links=64)):
        assert len(pickle.dumps(system.derive().compile(backend="numpy"))) < 60_000


def test_later_pickles_add_kernels() -> None:
    """What was derived before a system was pickled is there; a later pickle brings it to systems that are."""
    system = heavy_top_system("S3xR3", "numpy")
    fresh = dataclasses.replace(system, sets=dataclasses.replace(system.sets, _files={}, _matrices={}))
    first = sent(fresh)
    with pytest.raises(FormatError, match="lack the set 'newton'"):
        _ = first.newton_matrices
    _ = fresh.newton_matrices
    second = sent(fresh)
    assert second.sets is first.sets
    run: dict[str, Any] = {"method": "generalized_alpha", "h": 1e-3}
    expected = sl.solve(system, 0.005, **run)
    for found in (first, second, sent(first)):
        assert_equal(sl.solve(found, 0.005, **run), expected)


def test_copies_are_independent() -> None:
    system = driven("numpy")
    table = system.inputs["u"].values.copy()
    copied, alike = copy.deepcopy(system), copy.copy(system)
    assert all(getattr(copied, name) is getattr(system, name) for name in OF_CODE)
    for array in (copied.initial_values["x", "x"], copied.inputs["u"].values):
        array += 1
    assert system.initial_values["x", "x"][0] == 2 and np.array_equal(system.inputs["u"].values, table)
    assert alike.inputs["u"].values is system.inputs["u"].values and alike.with_initial("x", x=[1.0]) is not alike
    top = copy.deepcopy(heavy_top_system("SE3", "numpy"))
    top.parameters[:] = 0
    assert heavy_top_system("SE3", "numpy").parameters[0] == 15
    solution = solution_of("events")
    kept, energy, other = content(solution), solution.outputs["energy"].copy(), copy.deepcopy(solution)
    for array in (other.q, other.events[0].q, other.outputs["energy"]):
        array += 1
    assert content(solution) == kept and np.array_equal(solution.outputs["energy"], energy)
    systems = copy.deepcopy([system, system])
    assert systems[0] is systems[1] is not system


RETURNED: dict[str, Callable[[], Any]] = {
    "equilibrium": lambda: heavy_top_system("SE3").static_equilibrium(),
    "linearization": lambda: heavy_top_system("SE3").linearize(),
    "mobility": lambda: heavy_top_system("SE3").mobility(),
    "assembly": lambda: hanging().with_initial("rod", x=[0, 0, -1.1]).assembled().assembly,
    "assembled": lambda: hanging().with_initial("rod", x=[0, 0, -1.1]).assembled(),
    "state": lambda: solution_of("heavy top")(0.01),
    "curve": lambda: solution_of("element parameters").at("rod", 1.0, 0.002),
    "interpolated": lambda: solution_of("heavy top")([0.001, 0.01]),
    "trace": lambda: solution_of("heavy top").trace,
    "event": lambda: solution_of("events").events[0],
    "statistics": lambda: solution_of("heavy top").statistics,
    "initial state": lambda: heavy_top_system("SE3").initial_state,
    "input": lambda: driven("numpy").inputs["u"],
}


def numbers(thing: Any, depth: int = 4) -> list[bytes]:
    """All numbers in a result."""
    if isinstance(thing, np.ndarray | float | int | np.generic):
        return [np.asarray(thing).tobytes()]
    parts = thing if isinstance(thing, tuple | list) else thing.values() if isinstance(thing, dict) else None
    if parts is None and depth and type(thing).__module__.startswith(("symlie", "scipy")):
        parts = [getattr(thing, name) for name in sorted(vars(thing)) if name != "system"]
    return [] if parts is None else [data for part in parts for data in numbers(part, depth - 1)]


@pytest.mark.parametrize("through", [sent, copy.deepcopy, copy.copy])
@pytest.mark.parametrize("name", RETURNED)
def test_results_can_be_pickled(name: str, through: Callable[[Any], Any]) -> None:
    thing = RETURNED[name]()
    again = through(thing)
    assert type(again) is type(thing) and repr(again) == repr(thing)
    expected = thing.initial_state if isinstance(thing, System) else thing
    assert numbers(again.initial_state if isinstance(thing, System) else again) == numbers(expected) != []


@pytest.mark.parametrize(
    "kind", [k for k in vars(errors).values() if inspect.isclass(k) and issubclass(k, SymlieError)]
)
def test_errors_can_be_pickled(kind: type[SymlieError]) -> None:
    for through in (sent, copy.copy, copy.deepcopy):
        found = through(kind("What is wrong; what to do."))
        assert type(found) is kind and str(found) == "What is wrong; what to do."
        assert vars(found) == vars(kind("")) or (kind is errors.EquilibriumError and np.isnan(found.residual))


def test_unpickled_error_contains_its_solution() -> None:
    with pytest.raises(OutsideChartError) as caught:
        sl.solve(heavy_top_system("SE3"), 1.0, method="half_explicit_5", h=0.05)
    found = sent(caught.value)
    assert str(found) == str(caught.value) and found.solution.status == "OutsideChartError"
    assert_equal(found.solution, caught.value.solution)


# ---------------------------------------------------------------------------------------------------------------------
# What is left of the model, and what is refused


def said(attempt: Callable[[System], object], system: System) -> str:
    """The refusal of a system."""
    with pytest.raises(SymlieError) as caught:
        attempt(system)
    return f"{type(caught.value).__name__}: {caught.value}"


REFUSED: dict[str, tuple[Callable[[], System], Callable[[System], object]]] = {
    "quantity": (spinning, lambda s: s.with_initial("bodies", momentum=[1, 2, 3])),
    "joint": (hanging, lambda s: s.with_initial("hinge", angle=0.1)),
    "set": (lambda: drawn(hanging(), 0), lambda s: s.newton_matrices),
    "parameter": (hanging, lambda s: s.with_parameters(nonsense=1)),
    "redundant": (hanging, lambda s: s.with_redundant("nonsense")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_pickles_and_files_reject_the_same_input(name: str) -> None:
    build, attempt = REFUSED[name]
    from_file = recorded_system(json.loads(json.dumps(system_record(build()))))
    assert said(attempt, sent(build())) == said(attempt, from_file)


def test_unpickled_systems_remain_usable() -> None:
    system = sent(spinning())
    turned = system.with_initial("bodies", Omega=[0, 1, 0]).with_parameters(inertia=[[1, 2, 4], [2, 2, 2]])
    assert turned.initial_state.v.tolist() == [0, 1, 0, 0, 1, 0]
    assert system.initial_state.v.tobytes() == spinning().initial_state.v.tobytes()
    assert sent(driven("numpy")).with_input("u", [0, 1], [0, 1]).inputs["u"].interpolation == "linear"


def test_mirrored_joints_are_rejected_when_unpickled() -> None:
    """The model has checked its initial values before they left it; of others it knows nothing there."""
    mirrored = hanging().with_initial("rod", rotation=sl.rotation(axis=[1, 0, 0], angle=np.pi), x=[0, 0, 1])
    for found in (sent(mirrored), sent(sent(mirrored)), copy.deepcopy(mirrored)):
        for _ in range(2):
            with pytest.raises(ModelError, match="on the mirrored branch of joint 'hinge'"):
                sl.solve(found, 0.1, h=0.1)
        straight = found.with_initial("rod", rotation=sl.rotation(axis=[1, 0, 0], angle=0), x=[0, 0, -1])
        assert sl.solve(straight, 0.1, h=0.1).status == "ok"
    assert sent(hanging().with_initial("hinge", angle=0.1)).branch_check is None


def test_untrusted_code_remains_unloaded(tmp_path: Path) -> None:
    expected = solution_of("events")
    expected.save(tmp_path / "x.npz")
    found = sent(sl.load_solution(tmp_path / "x.npz", trust=False))
    assert_equal(found, expected)
    with pytest.raises(CodeNotLoadedError):
        sl.solve(found.system, 0.1, h=0.1)
    assert sl.solve(sent(expected.system), 0.1, h=0.1).status == "ok"


def test_worker_without_compiler_is_supported(request: pytest.FixtureRequest) -> None:
    pickles = [pickle.dumps(thing) for thing in (heavy_top_system("SE3"), solution_of("heavy top"))]
    request.getfixturevalue("no_compiler")
    for data in pickles:
        for _ in range(2):
            with pytest.raises(NoCompilerError, match=f"No C compiler was found on {platform.node()}; install one"):
                pickle.loads(data)
    assert sent(heavy_top_system("SE3", "numpy")).backend == "numpy"


def test_pickles_of_another_version_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a system", "a solution"):
        thing = solution_of("events") if name == "a solution" else driven("numpy")
        with monkeypatch.context() as patch:
            patch.setattr(pickling, "VERSION", "0.1.7")
            data = pickle.dumps(thing)
        with pytest.raises(
            FormatError, match=f"of a system was written by symlie 0.1.7; this is symlie {VERSION}, which"
        ):
            pickle.loads(data)
    with pytest.raises(FormatError, match=f"a solution was written by symlie 0.1.7; this is symlie {VERSION}, which"):
        pickling.opened("a solution", "0.1.7", 0, b"")


def test_damage_is_detected() -> None:
    """For every changed byte of the contents and every truncation."""
    for thing in (driven("numpy"), solution_of("events")):
        function, (shared, version, checksum, data) = thing.__reduce__()
        code = shared if isinstance(thing, System) else thing.system.__reduce__()[1][0]
        opened = [(function, (shared,), checksum, data), (code.__reduce__()[0], (), *code.__reduce__()[1][1:])]
        for build, before, known, content_ in opened:
            places = range(0, len(content_), 1 + len(content_) // 200)
            changed = [content_[:k] + bytes([content_[k] ^ 1]) + content_[k + 1 :] for k in places]
            for other in [*changed, *(content_[:k] for k in places)]:
                with pytest.raises(FormatError, match="is damaged; send it again"):
                    build(*before, version, known, other)
            for wrong in ("text", None):
                with pytest.raises(FormatError, match="damaged"):
                    build(*before, version, known, wrong)


def test_pickle_covers_all_fields_of_a_system() -> None:
    names = {f.name for f in dataclasses.fields(System)}
    assert names > {*OF_CODE, *OF_MODEL}
    travelling = names - {*OF_CODE, *OF_MODEL}
    _, (_, *sealed) = driven("numpy").__reduce__()
    assert pickling.opened("a system", *sealed).keys() == travelling | {"branch_check"}


def workers_of_their_own() -> ProcessPoolExecutor:
    """Spawned as on every system, so nothing is inherited."""
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


@pytest.mark.slow
def test_worker_processes_return_solutions() -> None:
    system = driven("numpy")
    systems = [system.with_initial("x", x=[float(k)]) for k in range(2)]
    with workers_of_their_own() as workers:
        tasks = [workers.submit(sl.solve, s, 0.3, rtol=1e-5) for s in systems]
        found = [task.result(timeout=120) for task in tasks]
        refused = workers.submit(sl.solve, system, 0.3, h=-1.0)
        assert isinstance(refused.exception(timeout=120), ModelError)
        unknown = workers.submit(sl.solve, system, 0.3, h=0.1, method="nonsense")
        assert isinstance(unknown.exception(timeout=120), UnknownNameError)
    for solution, own in zip(found, systems, strict=True):
        assert_equal(solution, sl.solve(own, 0.3, rtol=1e-5))


@pytest.mark.slow
def test_worker_processes_run_all_tasks() -> None:
    with workers_of_their_own() as workers:
        tasks = {
            name: workers.submit(sl.solve, solution_of(name).system, end, **run) for name, (_, end, run) in RUNS.items()
        }
        for name, task in tasks.items():
            assert_equal(task.result(timeout=300), solution_of(name))
