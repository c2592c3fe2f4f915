"""Solutions read from files: complete content, or a named error."""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

import symlie as sl
from symlie.errors import FormatError
from symlie.runtime.layout.layout import Layout
from symlie.runtime.solution.formats import save_solution
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.variables import SYSTEM, TRACE, packed, solution_attributes, unpacked
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.interruptions import content
from tests.runtime.test_events import ball, pendulum
from tests.systems import chain_system, heavy_top_system, spaghetti_system

SUFFIXES = (".nc", ".npz")
RUNS: dict[str, tuple[Callable[[str], System], float, dict[str, Any]]] = {
    "constraints": (chain_system, 0.01, {"h": 1e-3, "t_eval": [0.005, 0.01]}),
    "trace": (functools.partial(heavy_top_system, "SE3"), 0.01, {"rtol": 1e-4, "trace": True}),
    "iterations": (
        functools.partial(heavy_top_system, "SO3xR3"),
        0.01,
        {"method": "generalized_alpha", "h": 1e-3, "trace": True},
    ),
    "events": (pendulum, 2.0, {"rtol": 1e-5, "controller": "holzinger2024"}),
    "terminal event": (ball, 5.0, {"h": 0.02}),
    "arrays": (spaghetti_system, 0.005, {"h": 1e-3, "multipliers": "index1"}),
}


@functools.cache
def solution_of(name: str, backend: str = "numpy") -> Solution:
    build, end, options = RUNS[name]
    return sl.solve(build(backend), end, **options)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", RUNS)
def test_round_trip_is_complete(name: str, suffix: str, tmp_path: Path) -> None:
    if suffix == ".nc":
        pytest.importorskip("netCDF4")
    solution, path = dataclasses.replace(solution_of(name), warnings=("Λ is large.",)), tmp_path / f"x{suffix}"
    solution.save(path)
    loaded = sl.load_solution(path, trust=True)
    assert content(loaded) == content(solution)
    assert {k: v.tobytes() for k, v in loaded.outputs.items()} == {k: v.tobytes() for k, v in solution.outputs.items()}
    assert loaded.statistics == solution.statistics
    assert loaded.status == solution.status == ("event" if name == "terminal event" else "ok")
    json_of = loaded.to_json()
    assert json.dumps(json_of) == json.dumps(solution.to_json())
    middle = float(solution.t[:2].mean() if len(solution.t) > solution.statistics.steps else solution.t[0])
    assert loaded(middle).q.tobytes() == solution(middle).q.tobytes()
    second = tmp_path / f"y{suffix}"
    loaded.save(second)
    assert content(sl.load_solution(second, trust=True)) == content(solution), (
        "a loaded solution is saved like any other"
    )


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_runs_continue_from_files(backend: str, tmp_path: Path) -> None:
    system = heavy_top_system("SE3", backend).with_parameters(mass=17.0)
    solution = sl.solve(system, 0.01, rtol=1e-5)
    path = tmp_path / "top.npz"
    solution.save(path)
    loaded = sl.load_solution(path, trust=True)
    assert loaded.system.backend == backend
    expected, found = (sl.solve(s.system, 0.02, rtol=1e-5, start=s) for s in (solution, loaded))
    assert content(found) == content(expected)
    # The loaded system is another object with the same parameters; the original one uses it, too.
    mixed = sl.solve(system, 0.02, rtol=1e-5, start=loaded)
    np.testing.assert_allclose(mixed.q[-1], expected.q[-1], rtol=0, atol=tolerances.BACKENDS)
    assert sl.load_solution(path, backend="numpy", trust=True).system.backend == "numpy"


def test_settings_and_versions_are_attributes() -> None:
    attributes = solution_attributes(solution_of("events"))
    assert attributes["controller"] == "holzinger2024"
    assert attributes["rtol"] == "1e-05"
    assert attributes["stabilize"] == "none"
    assert attributes["optimize"] == "default"
    assert attributes["backend"] == "numpy"
    assert "h" not in attributes
    assert json.loads(attributes["settings"])["t_span"] == [0.0, 2.0]
    assert {"symlie", "NumPy"} <= set(json.loads(attributes["versions"]))
    assert attributes["model_hash"] != solution_attributes(solution_of("trace"))["model_hash"]


def test_xarray_reads_events_and_steps(tmp_path: Path) -> None:
    for name, variable in (("events", "event_t"), ("trace", "trace_h")):
        solution_of(name).save(tmp_path / f"{name}.nc")
        with xarray.open_dataset(tmp_path / f"{name}.nc", group="symlie") as data:
            assert data[variable].attrs["units"] == "s"
            assert data[variable].size > 0


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """A NumPy archive with other entries."""
    with np.load(path) as file:
        entries = {name: file[name] for name in file.files}
    change(entries)
    np.savez(path, **entries)


def with_attribute(name: str, value: str) -> Callable[[dict[str, Any]], None]:
    def change(entries: dict[str, Any]) -> None:
        entries["attributes"] = np.array(json.dumps({**json.loads(entries["attributes"].item()), name: value}))

    return change


def with_record(**parts: Any) -> Callable[[dict[str, Any]], None]:
    def change(entries: dict[str, Any]) -> None:
        entries[SYSTEM] = packed({**unpacked(entries[SYSTEM]), **parts})

    return change


def without(name: str) -> Callable[[dict[str, Any]], None]:
    def change(entries: dict[str, Any]) -> None:
        described = json.loads(entries["variables"].item())
        del described[name], entries[name]
        entries["variables"] = np.array(json.dumps(described))

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_attribute("symlie_format", "99"), "has format 99, written by symlie .* reads format 4"),
        (with_attribute("model_hash", "0"), "not the one it was saved with"),
        (with_attribute("statistics", "{"), "damaged"),
        (with_record(interface_hash="0"), "does not belong to its manifest"),
        (with_record(files={}), "damaged"),
        (with_record(parameters=[1.0]), "damaged"),
        (without("top_R"), "is damaged .*configuration top R"),
        (without(f"{TRACE}h"), "damaged"),
        (without(SYSTEM), "damaged"),
        (lambda entries: entries.update({SYSTEM: entries[SYSTEM][:-9]}), "damaged"),
        (lambda entries: entries.pop("attributes"), "not a solution of symlie"),
    ],
)
def test_damaged_files_are_named(change: Callable[[dict[str, Any]], None], message: str, tmp_path: Path) -> None:
    path = tmp_path / "top.npz"
    solution_of("trace").save(path)
    changed(path, change)
    with pytest.raises(FormatError, match=message):
        sl.load_solution(path, trust=True)


def test_another_manifest_format_is_rejected(tmp_path: Path) -> None:
    """Code of another version of the generator."""
    path = tmp_path / "top.npz"
    solution = solution_of("trace")
    layout = copy.copy(solution.system.layout)
    layout.manifest = dataclasses.replace(layout.manifest, format=-1)
    save_solution(dataclasses.replace(solution, system=dataclasses.replace(solution.system, layout=layout)), path)
    with pytest.raises(FormatError, match="format -1"):
        sl.load_solution(path, trust=True)
    assert isinstance(solution.system.layout, Layout)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_truncated_or_changed_files_are_rejected(suffix: str, tmp_path: Path) -> None:
    """No cut and no change of a byte in the data gives another solution."""
    if suffix == ".nc":
        pytest.importorskip("netCDF4")
    solution, path = solution_of("trace"), tmp_path / f"top{suffix}"
    solution.save(path)
    data = path.read_bytes()
    for end in (0, 7, 100, len(data) // 2, len(data) - 30):
        path.write_bytes(data[:end])
        with pytest.raises(FormatError):
            sl.load_solution(path, trust=True)
    place = data.index(solution.t.tobytes()[8:]) + 3
    path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    with pytest.raises(FormatError):
        sl.load_solution(path, trust=True)
    path.write_text("something else")
    with pytest.raises(FormatError, match="not a solution"):
        sl.load_solution(path, trust=True)
    with pytest.raises(FormatError, match="does not exist"):
        sl.load_solution(tmp_path / f"none{suffix}", trust=True)
