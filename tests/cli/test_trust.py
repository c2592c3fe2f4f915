"""Files of unknown origin: code in them runs only with consent, in the Python interface and on the command line."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.compile.checksums import with_checksums
from symlie.errors import CodeNotLoadedError, SymlieError
from symlie.publish.folders import write_files
from tests.cli.conftest import Outcome

Cli = Callable[..., Outcome]
H, END = 0.05, 0.2


def top(name: str = "trap_top") -> sl.System:
    model = sl.Model(name)
    body = model.node("body", sl.SE3)
    axis = model.parameter("axis", 3.0)
    model.kinetic_energy(body.Omega.dot(sl.diag(1, 2, axis) * body.Omega) / 2 + body.U.dot(body.U))
    model.initial(body, Omega=[0.1, 2, 0.1])
    return model.derive().compile(backend="numpy")


class Trap:
    """Code that leaves a file where it runs."""

    def __init__(self, folder: Path) -> None:
        self.mark = folder / "executed"
        self.text = f"open({str(self.mark)!r}, 'w').close()\n"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return exec, (self.text,)

    def in_code_of(self, system: sl.System) -> sl.System:
        """The system with the trap in its Python file."""
        name = f"{system.name}.py"
        return dataclasses.replace(system, files={**system.files, name: self.text + system.files[name]})

    def has_run(self) -> bool:
        found = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return found


def with_trap(kind: str, folder: Path, trap: Trap) -> Path:
    """A file of a kind that holds the trap."""
    system = trap.in_code_of(top())
    if kind in ("solution.npz", "solution.nc"):
        solved = sl.solve(top(), END, h=H)
        solved.__dict__["system"] = system
        solved.save(folder / kind)
    elif kind == "checkpoint":
        sl.solve(system, END, h=H, checkpoint=folder / kind)
    elif kind == "folder":
        write_files(with_checksums({k: v for k, v in system.files.items() if k != "checksums.txt"}), folder / kind)
    else:
        record = None if kind == "store" else ["body"]
        values = np.linspace(1, 2, 4)
        sl.ensemble(top(), END, parameters={"axis": values}, h=H, record_every=0, record=record, store=folder / kind)
        (folder / kind / "task.pickle").write_bytes(pickle.dumps(trap))
    trap.has_run()
    return folder / kind


USES: dict[str, tuple[str, Callable[..., Any]]] = {
    "load_solution npz": ("solution.npz", lambda path, **trust: sl.load_solution(path, backend="numpy", **trust)),
    "load_solution nc": ("solution.nc", lambda path, **trust: sl.load_solution(path, backend="numpy", **trust)),
    "resume": ("checkpoint", sl.resume),
    "load": ("folder", lambda path, **trust: sl.load(path, backend="numpy", **trust)),
    "member": ("store", lambda path, **trust: sl.open_ensemble(path, **trust).member(0)),
    "view of a member": ("store", lambda path, **trust: sl.open_ensemble(path, **trust).view(0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("use", USES)
def test_code_in_files_requires_consent(use: str, tmp_path: Path) -> None:
    kind, action = USES[use]
    trap = Trap(tmp_path)
    path = with_trap(kind, tmp_path, trap)
    for trust in ({}, {"trust": False}, {"trust": 1}, {"trust": "no"}):
        with contextlib.suppress(CodeNotLoadedError):
            action(path, **trust)
        assert not trap.has_run(), trust
    with contextlib.suppress(SymlieError, TypeError):
        action(path, trust=True)
    assert trap.has_run(), "the trap works"


COMMANDS = {
    "solution.npz": [("view", "solution.npz")],
    "solution.nc": [("view", "solution.nc")],
    "checkpoint": [("resume", "checkpoint")],
    "folder": [("verify", "folder")],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMMANDS)
def test_commands_require_consent_for_code_in_files(kind: str, cli: Cli, tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    with_trap(kind, tmp_path, trap)
    for words in COMMANDS[kind]:
        refused = cli(*words)
        assert not trap.has_run()
        assert refused.code == 0 or "--trust" in refused.err
        cli(*words, "--trust")
        assert trap.has_run() or kind == "folder", "verify reads C alone"


def test_sweeps_require_consent_for_the_model_file(cli: Cli, tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    words = ("--over", "mass=1,2", "--h", "0.001", "--t-end", "0.002", "--backend", "numpy", "--out", "runs")
    assert cli("sweep", "heavy_top", *words, "--json").code == 0
    (tmp_path / "evil.py").write_text(trap.text)
    command = tmp_path / "runs" / "sweep.json"
    content = json.loads(command.read_text())
    content["words"][content["words"].index("heavy_top")] = "evil.py"
    command.write_text(json.dumps(content))
    for words in (("resume", "runs"), ("sweep", "--status", "runs")):
        found = cli(*words)
        assert not trap.has_run(), words
    assert "--trust" in cli("resume", "runs").err and found.code == 0
    cli("resume", "runs", "--trust")
    assert trap.has_run()


@pytest.mark.slow
def test_reading_store_results_requires_no_consent(tmp_path: Path) -> None:
    """Arrays, statistics on groups and failures of a store run no code, and equal those of the ensemble in memory."""
    trap = Trap(tmp_path)
    words: dict[str, Any] = {"parameters": {"axis": np.linspace(1, 2, 4)}, "h": H, "record_every": 0}
    whole = sl.ensemble(top(), END, **words, record=["body", "energy"])
    sl.ensemble(top(), END, **words, record=["body", "energy"], store=tmp_path / "runs")
    (tmp_path / "runs" / "task.pickle").write_bytes(pickle.dumps(trap))
    found = sl.open_ensemble(tmp_path / "runs")
    assert repr(found) == repr(whole) and found._repr_html_() and not found.failed and not found.remarks
    assert found.dataset.drop_vars("cpu_seconds").equals(whole.dataset.drop_vars("cpu_seconds"))
    mine, theirs = found.on_group("body"), whole.on_group("body")
    assert mine.deviations.tobytes() == theirs.deviations.tobytes() and mine.std.tobytes() == theirs.std.tobytes()
    assert all(mine.mean[name].tobytes() == theirs.mean[name].tobytes() for name in theirs.mean)
    assert not trap.has_run()


GROUPS: dict[str, dict[str, Any]] = {
    "SO3xR3": {}, "S3xR3": {}, "S3sR3": {}, "SE2": {}, "R3": {}, "SO2xR2": {},
    "SO3xR3 zxz": {"coordinates": "euler_angles_zxz", "step": "lie"},
    "SO3xR3 rotation_vector": {"coordinates": "rotation_vector"},
    "SO3xR3 with angular velocities": {"coordinates": "euler_angles", "form": "angular_velocity"},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", GROUPS)
def test_store_groups_are_read_without_code(case: str, tmp_path: Path) -> None:
    model = sl.Model("group")
    body = model.node("body", case.partition(" ")[0], **GROUPS[case])
    model.kinetic_energy(model.parameter("m", 1.0) * body.v.dot(body.v) / 2)
    model.initial(body, **{body.group.velocity_fields[-1].name: np.ones(body.group.velocity_fields[-1].size)})
    system = model.derive().compile(backend="numpy")
    words: dict[str, Any] = {"parameters": {"m": [1.0, 2.0]}, "h": H, "record_every": 0, "record": ["body"]}
    whole = sl.ensemble(system, END, **words)
    sl.ensemble(system, END, **words, store=tmp_path / "runs")
    (tmp_path / "runs" / "task.pickle").unlink()
    found, expected = (e.on_group("body") for e in (sl.open_ensemble(tmp_path / "runs"), whole))
    assert found.deviations.tobytes() == expected.deviations.tobytes()


def test_custom_groups_require_consent(tmp_path: Path) -> None:
    """The name of a standard group on another one is found out."""
    system = top()
    sl.ensemble(system, END, parameters={"axis": [1.0]}, h=H, record_every=0, record=["body"], store=tmp_path / "runs")
    index = tmp_path / "runs" / "index.json"
    content = json.loads(index.read_text())
    for change in ({"group": "mine"}, {"group": "SO3xR3"}, {"type": "{}"}, {"group": "TS2"}, {"group": "R" + "9" * 9}):
        content["settings"]["groups"]["body"] = content["settings"]["groups"]["body"] | change
        index.write_text(json.dumps(content))
        with pytest.raises(CodeNotLoadedError, match="trust=True"):
            sl.open_ensemble(tmp_path / "runs").on_group("body")
    assert sl.open_ensemble(tmp_path / "runs", trust=True).on_group("body").deviations.shape[::2] == (1, 6)
