"""``symlie run --checkpoint`` and ``symlie resume``: killed runs end at the bits of those that were left alone."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import symlie as sl
from symlie.models.systems import system_of_model
from symlie.runtime.integrate.checkpoint_file import CheckpointFile, read_checkpoint
from tests.cli.conftest import Outcome, python
from tests.runtime.interruptions import content

Cli = Callable[..., Outcome]

MODEL = '''"""A pendulum."""
import symlie as sl
from pendulum_data import LENGTH

def build():
    model = sl.Model("pendulum")
    q = model.node("bob", "R3")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    model.potential_energy(9.81 * q.x[2])
    model.constraint("rod", q.x.dot(q.x) - LENGTH**2)
    model.event("bottom", q.x[0], terminal=False)
    model.initial(q, x=[LENGTH, 0, 0], x_dot=[0, 1, 0])
    return model
'''


INTERRUPTED = """
import signal, sys
from symlie.cli import main
from symlie.cli.output import Progress

def press(self, fraction):
    if fraction > 0.1:
        signal.raise_signal(signal.SIGINT)

Progress.of_run = press
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""
"""A command that presses Ctrl-C itself, after a tenth of its run."""


def exact(solution: dict[str, Any]) -> dict[str, Any]:
    """Output of ``--json`` without the elapsed time."""
    statistics = {k: v for k, v in solution["statistics"].items() if not k.endswith("_seconds")}
    return {**solution, "statistics": statistics}


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    """A model file that reads another one."""
    (tmp_path / "pendulum_data.py").write_text("LENGTH = 1.5")
    path = tmp_path / "pendulum.py"
    path.write_text(MODEL)
    return path


@pytest.mark.slow
def test_interrupted_run_can_be_resumed(cli: Cli, pendulum: Path, tmp_path: Path) -> None:
    """Ctrl-C, then resume: the same numbers, and the file that the run was to write."""
    run = ("run", str(pendulum), "--h", "1e-3", "--t-end", "0.3", "--backend", "numpy")
    expected = cli(*run, "--out", "expected.npz", "--json").json
    assert python("-c", INTERRUPTED, *run, "--out", "run.npz", "--checkpoint", "run.ckpt").code == 130
    interrupted = sl.load_solution(tmp_path / "run.npz", trust=True)
    assert interrupted.status == "InterruptedIntegrationError" and 0.03 < interrupted.t[-1] < 0.3
    (tmp_path / "run.npz").unlink()
    result = cli("resume", "run.ckpt", "--json", "--trust")
    assert result.code == 0
    assert exact(result.json) == exact(expected)
    loaded = [sl.load_solution(tmp_path / name, trust=True) for name in ("expected.npz", "run.npz")]
    assert content(loaded[0]) == content(loaded[1])
    table = cli("resume", "run.ckpt", "--out", "again.npz", "--trust")
    assert "t = 0.3 s" in table.out and "wrote again.npz" in table.out
    assert content(sl.load_solution(tmp_path / "again.npz", trust=True)) == content(loaded[0])


def test_changed_model_files_are_rejected(cli: Cli, pendulum: Path, tmp_path: Path) -> None:
    run = ("run", str(pendulum), "--h", "1e-2", "--t-end", "0.1", "--backend", "numpy", "--checkpoint", "run.ckpt")
    assert cli(*run).code == 0
    assert cli("resume", "run.ckpt", "--trust").code == 0
    for file in (pendulum, tmp_path / "pendulum_data.py"):
        old = file.read_text()
        file.write_text(old + "\n")
        result = cli("resume", "run.ckpt", "--trust")
        assert result.code == 1
        assert f"{file}, the source of its model, has changed" in result.err
        file.write_text(old)
    assert cli("resume", "run.ckpt", "--trust").code == 0


def test_invalid_input_is_reported(cli: Cli, tmp_path: Path) -> None:
    assert "cannot be read: No such file" in cli("resume", "none", "--trust").err
    (tmp_path / "x").write_text("x")
    assert "is not a checkpoint" in cli("resume", "x", "--json", "--trust").json["message"]
    top = ("run", "heavy_top", "--h", "1e-3", "--t-end", "0.01", "--backend", "numpy")
    assert "exists and is not a checkpoint" in cli(*top, "--checkpoint", "x").err
    assert "needs --checkpoint" in cli(*top, "--checkpoint-seconds", "1").err
    assert "must not be negative" in cli(*top, "--checkpoint", "y", "--checkpoint-seconds", "-1").err
    assert cli(*top, "--checkpoint", "y").code == 0
    assert "must end in .nc or .npz" in cli("resume", "y", "--out", "z.txt", "--trust").err
    read = read_checkpoint(tmp_path / "y")
    with CheckpointFile.create(tmp_path / "y", {**read.header, "notes": {"out": 5}}, read.state, read.records):
        pass
    assert "symlie: The checkpoint y is damaged (TypeError" in cli("resume", "y", "--trust").err


KILLS = 100
RODS = {
    "c": ("roll_up", "-o", "segments=16", "--h", "2e-6", "--t-end", "0.6", "--t-eval", "0.2,0.4,0.6"),
    "numpy": ("heavy_top", "-o", "group=SE3", "--rtol", "1e-9", "--t-end", "0.5", "--trace", "--out", "killed.npz"),
}
"""A compiled run with fixed steps and one in NumPy with adaptive steps, each of some seconds."""


def processor_time() -> float:
    """Of all processes that this one has started and that have ended, in s."""
    times = os.times()
    return times.children_user + times.children_system


def ended_after(seconds: float, *words: str) -> int:
    """Exit code of a command that ends when it has taken some processor time, like one that is killed."""
    return subprocess.run(
        [sys.executable, "-m", "symlie", *words],
        capture_output=True,
        preexec_fn=lambda: signal.setitimer(signal.ITIMER_PROF, seconds),
        check=False,
    ).returncode


@pytest.mark.slow
@pytest.mark.parametrize("backend", RODS)
def test_run_killed_at_any_time_can_be_resumed(cli: Cli, backend: str, tmp_path: Path) -> None:
    """A signal without a handler at random moments, also while checkpoints are written, which is most of the time."""
    moments = random.Random(20240501)
    checkpoint = tmp_path / "run.ckpt"
    words = ("run", *RODS[backend], "--backend", backend, "--checkpoint", str(checkpoint), "--checkpoint-seconds", "0")
    expected = exact(cli(*words, "--json").json)
    before = processor_time()
    assert exact(python("-m", "symlie", *words, "--json").json) == expected
    whole = processor_time() - before
    kills = resumed = 0
    while kills < KILLS // 2:
        checkpoint.unlink(missing_ok=True)
        command = words
        while kills < KILLS // 2:
            code = ended_after(moments.uniform(0.01, 0.5) * whole, *command)
            if code == 0:
                break
            assert code == -signal.SIGPROF
            if checkpoint.exists():
                kills += 1
                command = ("resume", str(checkpoint), "--trust", "--checkpoint-seconds", "0")
        result = cli("resume", str(checkpoint), "--json", "--trust")
        assert exact(result.json) == expected
        resumed += 1
    print(f"{backend}: {kills} kills, {resumed} runs, all equal")


@pytest.mark.slow
def test_simultaneous_first_runs_succeed(tmp_path: Path) -> None:
    """32 processes with one empty cache: the same result 32 times, and nothing but entries in the cache."""
    cache, words = (
        tmp_path / "cache",
        ("run", "heavy_top", "-o", "group=SE3", "--h", "2**-10", "--t-end", "0.1", "--json"),
    )
    environment = {**os.environ, "SYMLIE_CACHE": str(cache)}
    command = [sys.executable, "-m", "symlie", *words]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        for _ in range(32)
    ]
    found = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0] * 32, found
    results = [exact(Outcome(0, out, "").json) for out, _ in found]
    assert all(result == results[0] for result in results)
    assert all(not errors for _, errors in found)
    left = sorted(str(p.relative_to(cache)) for p in cache.rglob("*") if "build-" in p.name or p.name.startswith("."))
    assert not left
    alone = python("-m", "symlie", *words, SYMLIE_CACHE=str(tmp_path / "other"))
    assert exact(alone.json) == results[0]
    assert {p.relative_to(cache) for p in cache.rglob("*")} == {
        p.relative_to(tmp_path / "other") for p in (tmp_path / "other").rglob("*")
    }


def test_systems_from_model_files_record_their_sources(pendulum: Path) -> None:
    system = system_of_model(str(pendulum), {}, backend="numpy")
    assert {str(pendulum), str(pendulum.with_name("pendulum_data.py"))} <= set(system.sources)
