"""Checkpoints: interrupted runs continue bit-identically, or a named error explains why not."""

from __future__ import annotations

import dataclasses
import functools
import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import symlie as sl
from symlie.errors import (
    CheckpointError,
    FormatError,
    InterruptedIntegrationError,
    ModelError,
    NoCompilerError,
    NotFiniteError,
)
from symlie.models import roll_up
from symlie.runtime.integrate.checkpoint import checkpoint_notes
from symlie.runtime.integrate.checkpoint_file import FORMAT, CheckpointFile, read_checkpoint
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.solution import provenance as identity
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.record import recorded_system, system_record
from symlie.runtime.system.system import System
from symlie.utilities.interruption import DeferredInterrupt
from tests.runtime.interruptions import content, interrupted, resumed_in_pieces
from tests.runtime.test_angles import wheels
from tests.runtime.test_events import ball, pendulum
from tests.runtime.test_first_order_states import steered
from tests.runtime.test_rank_loss import in_line_crank
from tests.runtime.test_singular_mass import rod
from tests.runtime.test_taylor_pieces import system_of as in_pieces
from tests.runtime.test_unwrapped_angles import hinges
from tests.systems import chain_system, heavy_top_system, large_system, polar_system, spaghetti_system

BACKENDS = ("c", "numpy")


@functools.cache
def rolled_up(backend: str) -> System:
    """A rod of two segments."""
    return roll_up.build(segments=2).derive().compile(backend=backend)


RUNS: dict[str, tuple[Callable[[str], System], float, dict[str, Any]]] = {
    "fixed": (chain_system, 0.03, {"h": 1e-3, "method": "half_explicit_3"}),
    "adaptive": (functools.partial(heavy_top_system, "SE3"), 0.05, {"rtol": 1e-4, "trace": True}),
    "rejected steps": (functools.partial(heavy_top_system, "S3"), 0.05, {"rtol": 1e-6, "h0": 0.02, "trace": True,
                                                                         "method": "rkmk_dopri5"}),
    "general mass": (polar_system, 0.5, {"rtol": 1e-6, "method": "rkmk_bs32", "t_eval": [0.1, 0.25, 0.5]}),
    "events": (pendulum, 2.0, {"rtol": 1e-5, "stabilize": "projection"}),
    "terminal event": (ball, 5.0, {"h": 0.02}),
    "turns": (wheels, 0.15, {"rtol": 1e-6, "t_eval": [0.05, 0.15]}),
    "angles over turns": (hinges, 0.3, {"rtol": 1e-6, "t_eval": [0.1, 0.3], "trace": True}),
    "element parameters": (spaghetti_system, 0.02, {"h": 1e-3, "multipliers": "index1", "record_every": 3}),
    "banded elimination": (large_system, 0.01, {"h": 1e-3, "record_every": 0}),
    "first-order states": (steered, 0.1, {"rtol": 1e-6, "trace": True, "stabilize": "projection"}),
    "singular mass": (rod, 0.4, {"rtol": 1e-7, "h0": 0.1, "trace": True}),
    "first-order states, implicit": (steered, 0.1, {"rtol": 1e-4, "method": "generalized_alpha",
                                                    "method_options": {"newton": "modified"}}),
    "series": (chain_system, 1.0, {"rtol": 1e-7, "method": "taylor", "trace": True}),
    "series of functions": (rolled_up, 0.1, {"rtol": 1e-9, "method": "taylor", "trace": True}),
    "series of one order": (polar_system, 0.5, {"h": 0.05, "method": "taylor", "method_options": {"order": 9}}),
    "series in pieces": (functools.partial(in_pieces, "Max"), 60.0, {"rtol": 1e-8, "method": "taylor", "trace": True}),
    "series in pieces, of one length": (functools.partial(in_pieces, "friction"), 20.0, {"h": 0.5, "method": "taylor"}),
    "singular configuration": (in_line_crank, 3.5, {"rtol": 1e-4, "trace": True}),
    "comparator": (chain_system, 0.1, {"rtol": 1e-7, "method": "index1_dopri5", "stabilize": "projection+velocity"}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", RUNS)
def test_resumed_runs_are_bit_identical(name: str, backend: str, tmp_path: Path) -> None:
    """Also when they are interrupted again and again, and from checkpoints that are a few steps old."""
    build, end, options = RUNS[name]
    system, path = build(backend), tmp_path / "run.checkpoint"
    expected = sl.solve(system, end, **options)
    assert interrupted(system, end, 2, path, **options).t[-1] < expected.t[-1]
    resumed = resumed_in_pieces(path, 4)
    assert content(resumed) == content(expected)
    assert content(sl.resume(path, trust=True)) == content(expected), "a finished run gives its solution"
    assert resumed.system.backend == backend
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.slow
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("backend", BACKENDS)
def test_run_with_unlimited_step_size_can_be_resumed(backend: str, tmp_path: Path) -> None:
    """Series of a polynomial motion allow steps of any length."""
    model = sl.Model("stone")
    stone = model.node("stone", "R1")
    model.kinetic_energy(stone.x_dot[0] ** 2 / 2)
    model.potential_energy(9.81 * stone.x[0])
    model.initial(stone, x=[0], x_dot=[1])
    system, path = model.derive().compile(backend=backend), tmp_path / "run.checkpoint"
    options: dict[str, Any] = {"method": "taylor", "rtol": 1e-8, "t_eval": [0.25 * k for k in range(1, 9)]}
    expected = sl.solve(system, 2.0, **options)
    interrupted(system, 2.0, 2, path, **options)
    assert content(sl.resume(path, trust=True)) == content(expected)


@pytest.mark.parametrize("backend", BACKENDS)
def test_changed_systems_are_rejected_and_continued_solutions_accepted(backend: str, tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    system = heavy_top_system("SE3", backend).with_parameters(mass=20.0).with_initial("top", Omega=[0.1, 100, 0.2])
    first = sl.solve(system, 0.01, rtol=1e-5)
    expected = sl.solve(system, 0.02, rtol=1e-5, start=first)
    interrupted(system, 0.02, 1, path, rtol=1e-5, start=first, checkpoint_notes={"a": [1]})
    assert checkpoint_notes(path) == {"a": [1]}
    resumed = sl.resume(path, trust=True)
    assert content(resumed) == content(expected)
    assert resumed.outputs["energy"].tobytes() == expected.outputs["energy"].tobytes()
    again = sl.solve(resumed.system, 0.03, rtol=1e-5, start=resumed)
    assert again.q.tobytes() == sl.solve(system, 0.03, rtol=1e-5, start=expected).q.tobytes()


def test_failure_is_reproduced_from_checkpoint(tmp_path: Path) -> None:
    """A checkpoint of a run that failed leads to the same failure."""
    path = tmp_path / "run.checkpoint"
    model = sl.Model("runaway")
    x = model.node("x", "R1")
    model.kinetic_energy(x.x_dot[0] ** 2 / 2)
    model.potential_energy(-(x.x[0] ** 4))
    model.initial(x, x=[1], x_dot=[1])
    system = model.derive().compile(backend="numpy")
    found = []
    for attempt in (lambda: sl.solve(system, 9.0, h=0.1, checkpoint=path), lambda: sl.resume(path, trust=True)):
        with pytest.raises(NotFiniteError) as caught:
            attempt()
        assert caught.value.solution is not None
        found.append((str(caught.value), content(caught.value.solution)))
    assert found[0] == found[1]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C as in a terminal, also where the parent ignores it, as nohup and cron do."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("backend", BACKENDS)
def test_ctrl_c_waits_for_the_end_of_a_step(backend: str, tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    system = heavy_top_system("S3", backend)
    run: dict[str, Any] = {"method": "rkmk_rk44", "h": 2.0**-11}

    def started(fraction: float) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(InterruptedIntegrationError) as caught:
        sl.solve(system, 1e5, **run, record_every=0, progress=started, checkpoint=path, checkpoint_seconds=1e9)
    assert caught.value.solution is not None
    # The checkpoint is that of the moment of the interruption.
    steps = int.from_bytes(read_checkpoint(path).state[16:24], "little")
    assert steps == caught.value.solution.statistics.steps > 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_deferred_interrupt_is_raised_at_the_check() -> None:
    with DeferredInterrupt() as interrupt:
        interrupt.check()
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interrupt.check()
        interrupt.check()
    with pytest.raises(KeyboardInterrupt), DeferredInterrupt():
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), DeferredInterrupt():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the second one is raised at once")
    seen: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with DeferredInterrupt():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert seen == [signal.SIGINT], "a handler of the program stays in place"


def small(tmp_path: Path) -> tuple[Path, Solution]:
    """A checkpoint of a short run that was interrupted, and the solution of the whole run."""
    path, system = tmp_path / "run.checkpoint", heavy_top_system("S3", "numpy")
    run: dict[str, Any] = {"method": "rkmk_rk44", "h": 1e-3}
    interrupted(system, 0.02, 2, path, **run)
    return path, sl.solve(system, 0.02, **run)


def rewritten(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """A checkpoint with another header."""
    found = read_checkpoint(path)
    change(found.header)
    with CheckpointFile.create(path, found.header, found.state, found.records):
        pass


@pytest.mark.usefixtures("often")
def test_checkpoints_of_another_environment_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, expected = small(tmp_path)
    for name in ("symlie", "NumPy", "the processor"):
        with monkeypatch.context() as patch:
            here = {**identity.identity(), name: "another one"}
            patch.setattr("symlie.runtime.integrate.checkpoint.identity", lambda here=here: here)
            with pytest.raises(FormatError, match=f"{name} was .* and is another one now"):
                sl.resume(path, trust=True)
    rewritten(path, lambda h: h.update(library="0123"))
    with pytest.raises(FormatError, match=r"the compiled code .* was 0123 and is none now"):
        sl.resume(path, trust=True)
    rewritten(path, lambda h: h.update(library="none"))
    rewritten(path, lambda h: h["system"].update(interface_hash="0"))
    with pytest.raises(FormatError, match="does not belong to its manifest"):
        sl.resume(path, trust=True)
    path, expected = small(tmp_path)
    assert content(sl.resume(path, trust=True)) == content(expected)


@pytest.mark.usefixtures("often")
def test_compiled_run_does_not_resume_without_compiler(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    path = tmp_path / "run.checkpoint"
    interrupted(heavy_top_system("SE3", "c"), 0.02, 1, path, h=0.001)
    request.getfixturevalue("no_compiler")
    with pytest.raises(NoCompilerError, match="No C compiler was found"):
        sl.resume(path, trust=True)


@pytest.mark.usefixtures("often")
def test_changed_model_files_are_rejected(tmp_path: Path) -> None:
    path, expected = small(tmp_path)
    source = tmp_path / "top.py"
    source.write_text("before")
    known = {str(source): identity.file_digest(source)}
    rewritten(path, lambda h: h["system"].update(sources=known))
    source.write_text("after")
    with pytest.raises(FormatError, match=r"top\.py, the source of its model, has changed"):
        sl.resume(path, trust=True)
    source.unlink()
    with pytest.raises(FormatError, match="has changed"):
        sl.resume(path, trust=True)
    source.write_text("before")
    assert content(sl.resume(path, trust=True)) == content(expected)


@pytest.mark.usefixtures("often")
def test_method_histories_of_another_size_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.ckpt"
    sl.solve(polar_system("numpy"), 0.1, method="bdf", rtol=1e-4, checkpoint=path)
    own_size = ProgrammedMethod.own_size
    monkeypatch.setattr(ProgrammedMethod, "own_size", lambda method, layout: own_size(method, layout) - 2)
    with pytest.raises(FormatError, match=r"A state in the checkpoint has \d+ bytes, but the method has states of \d+"):
        sl.resume(path, trust=True)


def test_checkpoint_is_locked_by_its_run(tmp_path: Path) -> None:
    path, _ = small(tmp_path)
    file, _ = CheckpointFile.reopen(path)
    with file:
        with pytest.raises(FormatError, match="in use by another run"):
            sl.resume(path, trust=True)
        with pytest.raises(FormatError, match="in use by another run"):
            small(tmp_path)
    sl.resume(path, trust=True)


def test_foreign_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text("precious")
    for attempt in (lambda: small_run(path), lambda: sl.resume(path, trust=True)):
        with pytest.raises(FormatError, match="not a checkpoint"):
            attempt()
    assert path.read_text() == "precious"
    for attempt in (lambda: small_run(tmp_path / "none" / "x"), lambda: sl.resume(tmp_path / "x", trust=True)):
        with pytest.raises(FormatError, match="No such file"):
            attempt()
    path.write_bytes(b"symlie checkpoint 99\n")
    with pytest.raises(FormatError, match=f"format 99, written by .* reads format {FORMAT}"):
        sl.resume(path, trust=True)
    for seconds in (-1.0, float("nan")):
        with pytest.raises(ModelError, match="must not be negative"):
            small_run(tmp_path / "x", checkpoint_seconds=seconds)
        with pytest.raises(ModelError, match="must not be negative"):
            sl.resume(path, checkpoint_seconds=seconds, trust=True)
    assert [p.name for p in tmp_path.iterdir()] == ["model.py"]


def small_run(path: Path, **options: Any) -> Solution:
    return sl.solve(heavy_top_system("S3", "numpy"), 1e-3, method="rkmk_rk44", h=1e-3, checkpoint=path, **options)


def test_full_disk_ends_the_run_with_its_solution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Any) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "x"
    small_run(path)
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr("symlie.runtime.integrate.checkpoint_file._flush", full)
        with pytest.raises(FormatError, match="No space left"):
            small_run(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["x"]

    def fill(fraction: float) -> None:
        monkeypatch.setattr("symlie.runtime.integrate.checkpoint_file._flush", full)

    with pytest.raises(CheckpointError, match=r"No space left.*the solution so far is attached") as caught:
        small_run(path, progress=fill)
    assert caught.value.solution is not None and len(caught.value.solution.t) == 2


STATES = (b"state number 1", b"state number 2", b"state number 3")
RECORDS = (b"first ", b"second, longer ", b"")


def written(path: Path, states: int) -> bytes:
    """A file after some states."""
    with CheckpointFile.create(path, {"a": 1}, STATES[0], RECORDS[0]) as file:
        for k in range(1, states):
            file.append(STATES[k], RECORDS[k])
    return path.read_bytes()


@pytest.mark.parametrize("states", [1, 2, 3])
def test_damage_is_detected_or_harmless(states: int, tmp_path: Path) -> None:
    """After any changed byte or truncation a file yields one of its states with its records, or an error."""
    path = tmp_path / "x"
    data = written(path, states)
    whole = [(STATES[k], b"".join(RECORDS[: k + 1])) for k in range(states)]
    found = read_checkpoint(path)
    assert (found.state, found.records) == whole[-1] and found.header == {"a": 1}
    damaged = [data[:k] + bytes([data[k] ^ bit]) + data[k + 1 :] for k in range(len(data)) for bit in (1, 128)]
    refused = 0
    for changed in damaged + [data[:k] for k in range(len(data))]:
        path.write_bytes(changed)
        try:
            found = read_checkpoint(path)
        except FormatError:
            refused += 1
        else:
            assert (found.state, found.records) in whole[-2:] and found.header == {"a": 1}
    assert refused > len(data)


def test_killed_append_preserves_previous_state(tmp_path: Path) -> None:
    """Any part of an append may have reached the disk, in the order in which it is written."""
    path = tmp_path / "x"
    before, after = written(path, 2), written(path, 3)
    changed = [k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    for k in changed:
        path.write_bytes(after[:k] + before[k:])
        assert read_checkpoint(path).state == STATES[1]
    longer = before + b"half of the next records"
    path.write_bytes(longer)
    file, found = CheckpointFile.reopen(path)
    with file:
        assert found.state == STATES[1]
        file.append(STATES[2], b"the next")
    found = read_checkpoint(path)
    assert (found.state, found.records) == (STATES[2], RECORDS[0] + RECORDS[1] + b"the next")


RECORDED = {"layout", "files", "backend", "optimize", "parameters", "element_parameters", "initial_values", "inputs",
            "timings", "sources", "redundant", "given_coordinates"}  # fmt: skip
REBUILT = {"kernels", "algebra", "sets"}
RESOLVED = {"quantity_source", "joint_source", "branch_check"}
"""Functions of the model; what they compute is recorded as initial values."""
REPORTS = {"assembly"}
"""How initial values were found; they are recorded themselves."""


def test_checkpoint_covers_all_fields_of_a_system() -> None:
    assert {f.name for f in dataclasses.fields(System)} == RECORDED | REBUILT | RESOLVED | REPORTS


def test_systems_are_restored_from_their_record() -> None:
    model = sl.Model("driven")
    x = model.node("x", "R1")
    model.kinetic_energy(x.x_dot[0] ** 2 / 2)
    model.generalized_force(x, [model.input("u")])
    system = model.derive().compile(backend="numpy").with_input("u", [0, 1, 2], [0, 5, 1], "hold")
    system = system.with_initial("x", x=[2.0])
    again = recorded_system(json.loads(json.dumps(system_record(system))))
    found, expected = (sl.solve(s, 3.0, h=0.1, method="rkmk_rk44") for s in (again, system))
    assert found.q.tobytes() == expected.q.tobytes()
    assert found.q[0, 0] == 2.0
