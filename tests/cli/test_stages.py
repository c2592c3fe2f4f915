"""Stages before a run: each one is announced when it starts and timed separately."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import symlie as sl
from symlie.typeset import display
from symlie.utilities import stages
from symlie.utilities.stages import stage, watched_stages
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]


def small_model(name: str) -> sl.Model:
    """A particle."""
    model = sl.Model(name)
    q = model.node("point", "R2")
    model.kinetic_energy(q.x_dot.dot(q.x_dot) / 2)
    return model


def test_stage_times_exclude_nested_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(stages, "time", SimpleNamespace(perf_counter=lambda: clock.now))
    with watched_stages() as outer, stage("emit", "a"):
        clock.now = 1.0
        with watched_stages() as inner, stage("derive", "b"):
            clock.now = 3.0
        clock.now = 7.0
    assert [outer.seconds[kind] for kind in ("derive", "emit", "compile")] == [2, 5, 0]
    assert [inner.seconds[kind] for kind in ("derive", "emit", "compile")] == [2, 0, 0]


def test_stages_are_listed_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are printed as lines on request; cached stages are not mentioned."""
    monkeypatch.setenv("SYMLIE_CACHE", str(tmp_path))
    equations = small_model("told").derive(progress=True)
    assert capsys.readouterr().err == "symlie: deriving told …\n"
    system = equations.compile(backend="c", progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "symlie: emitting told …" and lines[-1] == "symlie: compiling library.c …"
    assert min(system.timings.derive, system.timings.emit, system.timings.compile) > 0
    again = small_model("told").derive(progress=True).compile(backend="c", progress=True)
    assert capsys.readouterr().err == ""
    assert (again.timings.derive, again.timings.emit, again.timings.compile) == (0, 0, 0)


class AwaitedTimer(threading.Timer):
    """A timer whose end is awaited where it starts."""

    def start(self) -> None:
        super().start()
        self.join()


def test_long_stages_are_shown_on_terminals_and_in_notebooks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal they are shown while they run, then erased; in a notebook as lines, elsewhere not at all."""
    monkeypatch.setattr(stages, "PATIENCE", 0.0)
    monkeypatch.setattr(stages, "threading", SimpleNamespace(Timer=AwaitedTimer))

    def shown() -> str:
        with watched_stages(), stage("derive", "bicycle"):
            pass
        return capsys.readouterr().err

    monkeypatch.delitem(sys.modules, "ipykernel.kernelapp", raising=False)
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    assert shown() == "", "a program that starts notebooks"
    monkeypatch.setitem(sys.modules, "ipykernel.kernelapp", ModuleType("kernelapp"))
    assert shown() == "symlie: deriving bicycle …\n"
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True)
    assert shown() == "\r\033[Ksymlie: deriving bicycle …\r\033[K"


def test_compile_does_not_write_the_equations_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes longer than all else for some models; `generate` and `derive` write it."""

    def refused(*arguments: object, **named: object) -> str:
        raise AssertionError("nobody asked for the equations")

    monkeypatch.setenv("SYMLIE_CACHE", str(tmp_path))
    monkeypatch.setattr(display, "markdown", refused)
    monkeypatch.setattr(display, "latex", refused)
    equations = small_model("unread").derive()
    assert len(sl.solve(equations.compile(backend="numpy"), 0.1, h=0.1).t) == 2
    with pytest.raises(AssertionError, match="nobody asked"):
        equations.generate(tmp_path / "folder")


def test_command_line_prints_stages(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMLIE_CACHE", str(tmp_path))
    result = cli("run", "free_rigid_body", "--t-end", "0.1", "--h", "0.1", "--progress", "--backend", "numpy")
    told = [line for line in result.err.splitlines() if "…" in line]
    assert told[0] == "symlie: building free_rigid_body …"
    assert {"symlie: deriving free_rigid_body …", "symlie: emitting free_rigid_body …"} < set(told)
    assert "emitted in " in result.out
