"""Files with valid checksums and invalid content give a named error or the same numbers."""

from __future__ import annotations

import dataclasses
import functools
import json
import random
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.certify.certificate import check_file
from symlie.compile.cache import compiled_library
from symlie.compile.checksums import with_checksums
from symlie.errors import CodeNotLoadedError, FormatError, SymlieError
from symlie.runtime.integrate.checkpoint import checkpoint_notes
from symlie.runtime.integrate.checkpoint_file import CheckpointFile, read_checkpoint
from symlie.runtime.methods.chosen import own_method
from symlie.runtime.solution import formats as files
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.variables import END, SYSTEM, packed, unpacked
from tests.runtime.interruptions import content
from tests.runtime.test_events import pendulum
from tests.runtime.test_solution_files import changed, with_record
from tests.systems import chain_system, heavy_top_equations, heavy_top_system, spaghetti_system

QUICK = 30
"""Changes of each file in the default suite."""


def replacements(value: Any) -> Iterator[Any]:
    """Values of wrong types, signs and sizes to substitute for another one."""
    yield from (None, [], [value], {}, "x", -1, 1e300, float("nan"), True, [[[]]])
    if isinstance(value, list) and value:
        yield value[:-1]
        yield [*value, value[-1]]


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Keys that lead to each part of a JSON value, the first of each list."""
    if at:
        yield at
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, part in items:
        yield from places(part, (*at, key))


def changed_values(value: Any) -> list[Callable[[], Any]]:
    """Functions that give copies of a JSON value with one part dropped or replaced."""

    def copy_with(at: tuple[Any, ...], other: Any, *, drop: bool) -> Any:
        copied = json.loads(json.dumps(value))
        parent = functools.reduce(lambda part, key: part[key], at[:-1], copied)
        if drop:
            del parent[at[-1]]
        else:
            parent[at[-1]] = other
        return copied

    found = []
    for at in places(value):
        found.append(functools.partial(copy_with, at, None, drop=True))
        old = functools.reduce(lambda part, key: part[key], at, value)
        found += [functools.partial(copy_with, at, other, drop=False) for other in replacements(old)]
    return found


Chosen = Callable[..., list[Any]]


@pytest.fixture(params=[pytest.param(True, marks=pytest.mark.slow, id="all"), pytest.param(False, id="some")])
def chosen(request: pytest.FixtureRequest) -> Chosen:
    """All changes in the nightly suite, some in the default one."""

    def choose(changes: list[Any], quick: int = QUICK) -> list[Any]:
        return changes if request.param else random.Random(1).sample(changes, min(quick, len(changes)))

    return choose


def named_or_equal(read: Callable[[], Any], expected: Any) -> None:
    """Reading gives a named error with a short message, or the original content."""
    try:
        found = read()
    except SymlieError as error:
        assert 0 < len(str(error).splitlines()) < 6
        assert len(str(error)) < 800
    else:
        assert expected is None or found == expected


@functools.cache
def solution() -> Solution:
    """With events, tried steps, constraints and an end."""
    return sl.solve(pendulum("numpy"), 0.5, rtol=1e-3, trace=True)


def numbers(loaded: Solution) -> list[bytes]:
    """Numbers that plots and tables show."""
    return [loaded.t.tobytes(), loaded.q.tobytes(), loaded.v.tobytes(), loaded.multipliers.tobytes()]


@pytest.mark.slow
@pytest.mark.parametrize("part", ["record", "attributes", "variables"])
def test_crafted_solutions_are_rejected(part: str, chosen: Chosen, tmp_path: Path) -> None:
    path, original = tmp_path / "x.npz", tmp_path / "original.npz"
    solution().save(original)
    with np.load(original) as file:
        entries = {name: file[name] for name in file.files}
    stated = unpacked(entries[SYSTEM]) if part == "record" else json.loads(entries[part].item())
    for change in chosen(changed_values(stated)):
        value = change()
        other = {SYSTEM: packed(value)} if part == "record" else {part: np.array(json.dumps(value))}
        np.savez(path, **{**entries, **other})
        named_or_equal(lambda: numbers(sl.load_solution(path, trust=False)), numbers(solution()))


def test_crafted_arrays_are_rejected(chosen: Chosen, tmp_path: Path) -> None:
    path, original = tmp_path / "x.npz", tmp_path / "original.npz"
    solution().save(original)
    with np.load(original) as file:
        entries = {name: file[name] for name in file.files if name != SYSTEM}
        system = file[SYSTEM]
    ways: list[Callable[[Any], Any]] = [
        lambda a: a[:-1],
        lambda a: np.concatenate([a, a]),
        lambda a: a[..., None],
        lambda a: a[:0],
        lambda a: a * np.nan,
        lambda a: -a,
        lambda a: a.astype(str),
        lambda a: a.astype(complex),
        lambda a: np.zeros(()),
    ]
    numeric = [name for name, a in entries.items() if a.dtype.kind == "f"]
    for name, way in chosen([(name, way) for name in numeric for way in ways]):
        np.savez(path, **{**entries, SYSTEM: system, name: way(entries[name])})
        try:
            loaded = sl.load_solution(path, trust=False)
        except FormatError:
            continue
        assert np.all(np.isfinite(loaded.t)) and np.all(np.diff(loaded.t) >= 0)
        assert len(loaded.t) == len(loaded.q) == len(loaded.v) == len(loaded.multipliers)
        assert all(len(values) == len(loaded.t) for values in loaded.outputs.values())
        assert all(np.all(np.isfinite(values)) for values in (loaded.q, loaded.v, loaded.multipliers))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("time", lambda a: a * np.nan),
        ("time", lambda a: a[::-1]),
        ("bob_x", lambda a: a * np.nan),
        ("energy", lambda a: a[:-1]),
        ("multipliers_rod", lambda a: a * np.nan),
        (f"{END}h", lambda a: -a - 1),
        (f"{END}q", lambda a: a[:-1]),
    ],
)
def test_impossible_numbers_are_rejected(name: str, change: Callable[[Any], Any], tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    solution().save(path)
    changed(path, lambda entries: entries.update({name: change(entries[name])}))
    with pytest.raises(FormatError, match="is damaged"):
        sl.load_solution(path, trust=True)


def test_deeply_nested_files_are_rejected(tmp_path: Path) -> None:
    """A file that is nested too deeply to be read is damaged."""
    brackets = "[" * 100_000
    (tmp_path / "manifest.json").write_text(brackets)
    with pytest.raises(FormatError, match="is damaged; generate"):
        sl.load(tmp_path, trust=True)
    path = tmp_path / "x.npz"
    solution().save(path)
    changed(path, lambda entries: entries.update(attributes=np.array(brackets)))
    with pytest.raises(FormatError, match="not a solution"):
        sl.load_solution(path, trust=True)
    (tmp_path / "certificate.json").write_text(brackets)
    with pytest.raises(FormatError, match="is not a certificate"):
        check_file(tmp_path / "certificate.json")


@pytest.mark.slow
def test_crafted_checkpoints_are_rejected(chosen: Chosen, tmp_path: Path) -> None:
    """The header is changed, with all checksums right."""
    path = tmp_path / "run.checkpoint"
    system = chain_system("numpy")
    expected = sl.solve(system, 0.003, h=1e-3, checkpoint=path, checkpoint_notes={"a": [1]})
    read = read_checkpoint(path)
    for change in chosen([c for c in changed_values(read.header) if c.args[0][:2] != ("system", "files")]):
        CheckpointFile.create(path, change(), read.state, read.records).__exit__(None, None, None)
        named_or_equal(lambda: content(sl.resume(path, trust=True))["statistics"], content(expected)["statistics"])
        named_or_equal(lambda: isinstance(checkpoint_notes(path), dict), True)


def test_crafted_checkpoint_states_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    sl.solve(chain_system("numpy"), 0.003, h=1e-3, checkpoint=path)
    read = read_checkpoint(path)
    nan = np.frombuffer(read.state, "u1").copy()
    nan[-64:] = 255
    for state, records in [
        (read.state[:-8], read.records),
        (read.state + bytes(8), read.records),
        (nan.tobytes(), read.records),
        (read.state, read.records[:-3]),
        (read.state, b"x" + read.records[1:]),
        (read.state, read.records[:1] + b"\xff" * 8 + read.records[9:]),
        (read.state, read.records + read.records),
    ]:
        CheckpointFile.create(path, read.header, state, records).__exit__(None, None, None)
        with pytest.raises(FormatError, match=r"The checkpoint .* is damaged|A state in the checkpoint has \d+ bytes"):
            sl.resume(path, trust=True)


def test_crafted_folders_are_rejected(chosen: Chosen, tmp_path: Path) -> None:
    folder = heavy_top_equations("S3").generate(tmp_path / "top")
    kept = {p.name: p.read_text(encoding="utf-8") for p in folder.iterdir() if p.name != "checksums.txt"}
    for change in chosen(changed_values(json.loads(kept["manifest.json"]))):
        text = json.dumps(change())
        for name, part in with_checksums({**kept, "manifest.json": text}).items():
            if name in ("manifest.json", "checksums.txt"):
                (folder / name).write_text(part, encoding="utf-8")
        named_or_equal(lambda: sl.load(folder, backend="numpy", trust=True).layout.name, None)


TABLEAU = """
name = "ralston"
family = "rkmk"
A = [[], ["2/3"]]
b = ["1/4", "3/4"]
c = ["0", "2/3"]
b_hat = ["1", "0"]
order = 2
"""


def test_crafted_tableaux_are_rejected(chosen: Chosen, tmp_path: Path) -> None:
    entry = tomllib.loads(TABLEAU)
    entry["a"] = entry.pop("A")
    name = entry.pop("name")
    for change in chosen(changed_values(entry)):
        changed_entry = change()
        named_or_equal(lambda entry=changed_entry: own_method(name, entry).name, name)


PATHS = ("../escaped.h", "/tmp/escaped.h", "a/b.h", "..\\b.h", "..", "", "a\0.h", "a\n.h")


@pytest.mark.parametrize("name", PATHS)
def test_names_in_files_are_not_used_as_paths(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMLIE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "top.npz"
    solution().save(path)
    changed(path, with_record(files={**solution().system.files, name: "x"}))
    for run_code in (True, False):
        with pytest.raises(FormatError, match="is not the name of a generated file"):
            sl.load_solution(path, trust=run_code)
    with pytest.raises(FormatError, match="is not the name of a generated file"):
        compiled_library({"x.c": "", name: "x"}, "x.c", "portable")
    assert not list(tmp_path.rglob("*escaped*"))


TRAPS = {".c": "#error compiled", ".h": "#error compiled", ".py": "raise SystemExit('executed')"}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".npz", ".nc"])
@pytest.mark.parametrize(
    "build", [pendulum, functools.partial(heavy_top_system, "SE3"), spaghetti_system], ids=["events", "top", "rod"]
)
def test_files_without_code_need_no_trust(build: Callable[[str], sl.System], suffix: str, tmp_path: Path) -> None:
    """A file whose code is a trap gives its data, outputs and plots, and can be saved; all else names the remedy."""
    pytest.importorskip("netCDF4")
    solved = sl.solve(build("numpy"), 0.004, h=1e-3, trace=True)
    texts = {
        name: TRAPS.get(Path(name).suffix, text) if name != "manifest.json" else text
        for name, text in solved.system.files.items()
    }
    trapped = dataclasses.replace(solved, system=dataclasses.replace(solved.system, files=texts))
    trapped.__dict__["outputs"] = solved.outputs
    path, again = tmp_path / f"x{suffix}", tmp_path / f"y{suffix}"
    files.save_solution(trapped, path)
    loaded = sl.load_solution(path, trust=False)
    assert content(loaded) == content(solved)
    assert {k: v.tobytes() for k, v in loaded.outputs.items()} == {k: v.tobytes() for k, v in solved.outputs.items()}
    node = loaded.system.layout.nodes[0]
    field = node.type.storage_fields[0].name
    assert loaded.field(node.name, field).tobytes() == solved.field(node.name, field).tobytes()
    assert loaded.named_multipliers().keys() == solved.named_multipliers().keys()
    loaded.plot(tmp_path / "x.png")
    loaded.plot_steps(tmp_path / "steps.png")
    assert json.dumps(loaded.to_json()) == json.dumps(solved.to_json())
    loaded.save(again)
    assert content(sl.load_solution(again, trust=False)) == content(solved)
    needs_code: list[Callable[[], Any]] = [
        lambda: loaded(0.0015),
        lambda: sl.solve(loaded.system, 0.01, h=1e-3, start=loaded),
        lambda: sl.solve(loaded.system, 0.01, h=1e-3),
        lambda: loaded.system.initial_state,
        lambda: loaded.system.newton_matrices,
        lambda: loaded.constraint_force(node.name),
        lambda: loaded.with_index1_multipliers(),
    ]
    for use in needs_code:
        with pytest.raises(CodeNotLoadedError, match="trust=True"):
            use()
