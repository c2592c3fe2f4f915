"""Systems: backends, compilers, caches and generated folders; reuse of builds, and errors."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.api import write_generated
from symlie.compile import cache, cache_folder
from symlie.compile.compiler import Compiler, find_compiler, flags, run_compiler
from symlie.compile.library import Library
from symlie.contract.manifest import FORMAT
from symlie.derive import dynamics
from symlie.errors import (
    CompilerError,
    FormatError,
    NoCompilerError,
    SymlieError,
    UnknownNameError,
)
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system import loading
from symlie.runtime.system.system import System
from tests import tolerances
from tests.systems import heavy_top_equations, heavy_top_system, polar_equations

H = 2.0**-11


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of this test alone."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SYMLIE_CACHE", str(folder))
    return folder


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that the compiler was run on."""
    names: list[str] = []

    def counted(source: Path, output: Path, compiler_flags: tuple[str, ...]) -> None:
        names.append(source.name)
        run_compiler(source, output, compiler_flags)

    monkeypatch.setattr(cache, "run_compiler", counted)
    return names


def run(system: System, **options: Any) -> Solution:
    """A few steps."""
    name = "half_explicit_5" if system.layout.rows else "rkmk_rk44"
    return sl.solve(system, 4 * H, **{"method": name, "h": H, **options})


# ---------------------------------------------------------------------------------------------------------------------
# What is done once


@pytest.mark.slow
def test_each_text_is_compiled_once(empty_cache: Path, compilations: list[str]) -> None:
    equations = heavy_top_equations("S3")
    system = equations.compile(backend="c")
    assert compilations == ["library.c"] and system.timings.compile > 0
    first = run(system)
    assert compilations == ["library.c", "driver.c"] and first.statistics.compile_seconds > system.timings.compile
    again = run(equations.compile(backend="c"))
    assert len(compilations) == 2 and again.statistics.compile_seconds == 0
    assert again.q.tobytes() == first.q.tobytes()
    run(system, method="rkmk_euler")
    assert compilations[2:] == ["driver.c"]
    run(equations.compile(backend="c", optimize="portable"))
    assert compilations[3:] == ["library.c", "driver.c"]
    libraries = sorted((empty_cache / "libraries").iterdir())
    assert len(libraries) == 5 and all(p.suffix == ".so" for p in libraries)


@pytest.mark.slow
def test_parameters_and_initial_values_are_data(
    empty_cache: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changed copies neither derive nor compile, and leave the original as it was."""
    system = heavy_top_equations("SE3").compile(backend="c")
    before = run(system)
    count = len(compilations)

    def refuse(*arguments: Any) -> None:
        raise AssertionError("derived again")

    monkeypatch.setattr(dynamics, "derive_dynamics", refuse)
    monkeypatch.setattr(sl.Model, "derive", refuse)
    heavier = system.with_parameters(mass=20.0)
    turned = heavier.with_initial("top", Omega=[0, 100, 1])
    results = [run(s) for s in (system, heavier, turned)]
    assert len(compilations) == count
    assert results[0].q.tobytes() == before.q.tobytes()
    assert heavier.parameters[0] == 20 and system.parameters[0] == 15
    assert results[1].multipliers[0, 1] > 1.1 * before.multipliers[0, 1]
    assert results[2].v[0, :3].tolist() == [0, 100, 1] and results[1].v[0, :3].tolist() == [0, 150, -4.61538]
    energies = [r.outputs["energy"][0] for r in results]
    assert len(set(energies)) == 3
    with pytest.raises(AssertionError, match="derived again"):
        sl.Model("other").derive()


def test_numpy_systems_never_compile(compilations: list[str]) -> None:
    solution = run(heavy_top_equations("SO3").compile(backend="numpy"))
    assert compilations == [] and solution.statistics.compile_seconds == 0


# ---------------------------------------------------------------------------------------------------------------------
# Compilers and backends


@pytest.mark.usefixtures("no_compiler")
def test_compiler_of_the_package_ziglang_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "ziglang"
    folder.mkdir()
    (folder / "__init__.py").touch()
    zig = folder / "zig"
    zig.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    zig.chmod(0o755)
    monkeypatch.syspath_prepend(tmp_path)
    found = find_compiler()
    assert found.command == (str(zig), "cc") and str(zig) in found.identity


@pytest.mark.usefixtures("no_compiler")
def test_missing_compiler_is_reported() -> None:
    equations = heavy_top_equations("S3")
    with pytest.raises(NoCompilerError, match=f"No C compiler was found on {platform.node()}; install one") as caught:
        equations.compile(backend="c")
    assert isinstance(caught.value, CompilerError)
    with pytest.warns(sl.SymlieWarning, match=r"^No C compiler was found.* slower\.$") as given:
        system = equations.compile()
    assert len(given) == 1 and given[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert system.backend == "numpy" and run(system).status == "ok"
        assert run(system.with_parameters(mass=20.0)).status == "ok"
        assert equations.compile(backend="numpy").backend == "numpy"


def test_environment_variable_selects_the_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = find_compiler().command
    script = tmp_path / "mycc"
    script.write_text(f'#!/bin/sh\nexec "{real[0]}" "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    find_compiler.cache_clear()
    try:
        assert find_compiler().command == (str(script),)
        assert find_compiler().identity.startswith(str(script))
        monkeypatch.setenv("CC", f"'{script}' -O0 {real[0]}")
        find_compiler.cache_clear()
        assert find_compiler().command == (str(script), "-O0", real[0])
        assert real[0] in find_compiler().identity and "-O0" in find_compiler().identity
        script.unlink()
        find_compiler.cache_clear()
        with pytest.raises(CompilerError, match=r"CC names the compiler .*mycc.* but this program does not exist"):
            heavy_top_equations("S3").compile()
    finally:
        find_compiler.cache_clear()


def test_compiler_errors_show_the_first_lines(tmp_path: Path) -> None:
    source = tmp_path / "bad.c"
    source.write_text("int f(void) { return undeclared_name; }\n")
    with pytest.raises(CompilerError, match=r"The C compiler failed \(.*\):[\s\S]*bad\.c[\s\S]*undeclared_name"):
        run_compiler(source, tmp_path / "bad.so", flags("default"))


def test_failed_compilation_leaves_no_files(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: Path, output: Path, compiler_flags: tuple[str, ...]) -> None:
        output.write_text("half a library")
        raise CompilerError("failed on purpose")

    equations = heavy_top_equations("S3")
    with monkeypatch.context() as patch:
        patch.setattr(cache, "run_compiler", fail)
        with pytest.raises(CompilerError, match="failed on purpose"):
            equations.compile(backend="c")
    assert list((empty_cache / "libraries").iterdir()) == []
    assert run(equations.compile(backend="c")).status == "ok"


@pytest.mark.slow
def test_compiler_is_part_of_the_key(empty_cache: Path, compilations: list[str], monkeypatch: Any) -> None:
    equations = heavy_top_equations("S3")
    equations.compile(backend="c")
    real = find_compiler()
    monkeypatch.setattr(cache, "find_compiler", lambda: Compiler(real.command, real.identity + " updated"))
    equations.compile(backend="c")
    assert compilations == ["library.c", "library.c"]
    monkeypatch.setattr(cache, "processor_identity", lambda: "another processor")
    equations.compile(backend="c")
    equations.compile(backend="c", optimize="portable")
    monkeypatch.setattr(cache, "processor_identity", lambda: "a third processor")
    equations.compile(backend="c", optimize="portable")
    assert len(compilations) == 4


@pytest.mark.slow
@pytest.mark.parametrize("optimize", ["default", "contract", "portable"])
def test_optimization_levels_agree(optimize: str) -> None:
    expected = run(heavy_top_system("SE3"))
    found = run(heavy_top_equations("SE3").compile(backend="c", optimize=optimize))
    scale = float(np.abs(expected.v).max())
    assert float(np.abs(found.v - expected.v).max()) <= tolerances.BACKENDS * scale
    assert (found.v.tobytes() == expected.v.tobytes()) or optimize != "default"


def test_unknown_options_are_reported() -> None:
    equations = heavy_top_equations("S3")
    with pytest.raises(UnknownNameError, match="Unknown backend 'fortran'; use one of: auto, c, numpy"):
        equations.compile(backend="fortran")
    with pytest.raises(UnknownNameError, match="Unknown optimize 'fast'; use one of: default, contract, portable"):
        equations.compile(backend="c", optimize="fast")


# ---------------------------------------------------------------------------------------------------------------------
# Damaged files


def damaged(library: Path, content: bytes) -> None:
    """Replace a library by other bytes; a new file, because the old one may be mapped."""
    library.unlink()
    library.write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", b"not a library", b"\x7fELF" + bytes(60)], ids=["empty", "text", "header"])
def test_corrupt_libraries_are_replaced(content: bytes, empty_cache: Path) -> None:
    equations = heavy_top_equations("S3")
    equations.compile(backend="c")
    (library,) = (empty_cache / "libraries").iterdir()
    damaged(library, content)
    try:
        system = equations.compile(backend="c")
    except CompilerError as error:
        assert str(library) in str(error) and "was removed" in str(error)
        system = equations.compile(backend="c")
    assert run(system).status == "ok"


def test_library_of_another_model_is_rejected(empty_cache: Path) -> None:
    """A library that is not what the manifest says is refused by its hash, before anything is called."""
    first = polar_equations()
    first.compile(backend="c")
    (library,) = (empty_cache / "libraries").iterdir()
    with pytest.raises(
        FormatError, match=r"has interface [0-9a-f]{16}, but the manifest has 0123; generate the model again"
    ):
        Library(library, "0123")


def test_library_without_the_interface_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "other.c").write_text("int other(void) { return 1; }\n")
    run_compiler(tmp_path / "other.c", tmp_path / "other.so", flags("default"))
    with pytest.raises(CompilerError, match=r"other\.so cannot be loaded"):
        Library(tmp_path / "other.so", "0123")


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated folder."""
    return write_generated(heavy_top_equations("S3xR3"), tmp_path_factory.mktemp("generated") / "top")


@pytest.fixture
def folder(generated: Path, tmp_path: Path) -> Path:
    """A copy of it that may be damaged."""
    return Path(shutil.copytree(generated, tmp_path / "top"))


def edited(folder: Path, edit: Callable[[dict[str, Any]], Any]) -> None:
    """Change the manifest."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    edit(manifest)
    path.write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_generated_folders_run(generated: Path, backend: str) -> None:
    loaded, compiled = run(sl.load(generated, backend=backend, trust=True)), run(heavy_top_system("S3xR3", backend))
    for a, b in ((loaded.q, compiled.q), (loaded.v, compiled.v), (loaded.multipliers, compiled.multipliers)):
        assert a.tobytes() == b.tobytes()
    assert sorted(p.name for p in generated.iterdir()) == [
        "certificate.json", "checksums.txt", "equations.md", "heavy_top.c", "heavy_top.h", "heavy_top.py",
        "heavy_top_newton.c", "heavy_top_newton.h", "heavy_top_newton.json", "heavy_top_newton.py",
        "heavy_top_ports.c", "heavy_top_ports.h", "heavy_top_ports.json", "heavy_top_ports.py", "manifest.json",
    ]  # fmt: skip


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_mismatched_hashes_are_rejected(folder: Path, backend: str) -> None:
    edited(folder, lambda m: m.update(interface_hash="0" * 16))
    with pytest.raises(FormatError, match="generate the model again"):
        sl.load(folder, backend=backend, trust=True)


@pytest.mark.parametrize("version", [FORMAT + 1, FORMAT - 1, None, str(FORMAT)])
def test_other_formats_are_rejected(folder: Path, version: Any) -> None:
    edited(folder, lambda m: m.update(format=version))
    with pytest.raises(
        FormatError, match=f"manifest has format {version!r}, written by symlie .* reads format {FORMAT}"
    ):
        sl.load(folder, trust=True)


def test_folders_without_manifest_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"has no manifest\.json; it is not a folder written by"):
        sl.load(tmp_path, trust=True)
    with pytest.raises(FormatError, match=r"has no manifest\.json"):
        sl.load(tmp_path / "missing", trust=True)


@pytest.mark.parametrize("text", ["", "{", "not json", "\x00"])
def test_invalid_json_manifests_are_rejected(folder: Path, text: str) -> None:
    (folder / "manifest.json").write_text(text)
    with pytest.raises(FormatError, match=r"manifest\.json is damaged"):
        sl.load(folder, trust=True)


MISSING_PARTS = ("nodes", "node_types", "element_types", "parameters", "interface_hash", "model", "options")


@pytest.mark.parametrize("part", [*MISSING_PARTS, "a list", "a wrong node type"])
def test_incomplete_manifests_are_rejected(folder: Path, part: str) -> None:
    if part == "a list":
        (folder / "manifest.json").write_text("[1, 2]")
    elif part == "a wrong node type":
        edited(folder, lambda m: m["nodes"][0].update(type="SE4"))
    else:
        edited(folder, lambda m: m.pop(part))
    with pytest.raises(FormatError, match=r"generate|damaged"):
        sl.load(folder, trust=True)


@pytest.mark.parametrize(("backend", "name"), [("numpy", "heavy_top.py"), ("c", "heavy_top.c"), ("c", "heavy_top.h")])
def test_incomplete_folders_are_rejected(folder: Path, backend: str, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(SymlieError, match=name.replace(".", r"\.")):
        sl.load(folder, backend=backend, trust=True)


def test_foreign_numpy_modules_are_rejected(folder: Path) -> None:
    (folder / "heavy_top.py").write_text("x = 1\n")
    with pytest.raises(FormatError, match=r"heavy_top\.py was changed after its generation"):
        sl.load(folder, backend="numpy", trust=True)


def test_clearing_the_cache_keeps_other_files(empty_cache: Path) -> None:
    heavy_top_equations("S3").compile(backend="c")
    other = empty_cache / "notes.txt"
    other.write_text("keep me")
    found = cache_folder.entries(empty_cache)
    assert len(found) == 2 and sum(e.files for e in found) == 2  # a set of kernels, and the library
    assert sum(e.size for e in found) > 1000
    cache_folder.clear_cache()
    assert not cache_folder.entries(empty_cache) and other.read_text() == "keep me"
    cache_folder.clear_cache()


def test_two_processes_publish_the_same_entry(empty_cache: Path) -> None:
    first = empty_cache / "models" / "key"
    for _ in range(2):
        cache.publish_files("models", "key", {"manifest.json": "{}", "a.c": "1"})
    assert cache.published_files("models", "key") == {"manifest.json": "{}", "a.c": "1"}
    assert sorted(p.name for p in (empty_cache / "models").iterdir()) == ["key"]
    (first / "manifest.json").unlink()
    assert cache.published_files("models", "key") is None
    cache.publish_files("models", "key", {"manifest.json": "{}", "b.c": "2"})
    assert (first / "b.c").read_text() == "2" and not (first / "a.c").exists()


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", None], ids=["empty", "truncated", "binary", "changed"])
def test_damaged_cache_entries_are_ignored(damage: bytes | None, empty_cache: Path) -> None:
    folder = empty_cache / "models" / "key"
    cache.publish_files("models", "key", {"manifest.json": '{"a": 1}', "a.c": "1"})
    cache.publish_text("models", "list.json", "[]")
    listed = empty_cache / "models" / "list.json"
    for path in (folder / "manifest.json", folder / "a.c", folder / "checksums.txt", listed):
        content = path.read_bytes()
        path.write_bytes(content[:-1] + b"2" if damage is None else damage)
        if path == listed:
            assert cache.published_text("models", "list.json") is None
        else:
            assert cache.published_files("models", "key") is None
        path.write_bytes(content)
    assert cache.published_files("models", "key") == {"manifest.json": '{"a": 1}', "a.c": "1"}
    assert cache.published_text("models", "list.json") == "[]"


@pytest.mark.parametrize("name", ["heavy_top.c", "heavy_top.h", "heavy_top.py", "manifest.json", "checksums.txt"])
def test_damaged_generated_folders_are_rejected(name: str, folder: Path) -> None:
    """Cut in half, edited, removed: refused before anything is compiled or executed."""
    path = folder / name
    text = path.read_text(encoding="utf-8")
    for damaged_text in (text[: len(text) // 2], text.replace("0", "1", 1)):
        path.write_text(damaged_text, encoding="utf-8")
        with pytest.raises(FormatError, match=r"was changed after its generation|damaged|has format"):
            sl.load(folder, trust=True)
    path.unlink()
    with pytest.raises(FormatError, match=r"was changed after its generation|has no manifest"):
        sl.load(folder, trust=True)


def test_compiler_without_output_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symlie.compile.compiler.find_compiler", lambda: Compiler(("true",), "true"))
    with pytest.raises(CompilerError, match="The C compiler true wrote no library"):
        run_compiler(tmp_path / "a.c", tmp_path / "a.so", ("-shared",))


def test_backends_are_listed() -> None:
    assert loading.BACKENDS == ("auto", "c", "numpy")
    result = subprocess.run([*find_compiler().command, "--version"], capture_output=True, check=False)
    assert result.returncode == 0
    assert heavy_top_equations("S3").compile().backend == "c"
