"""The cache is private to its user, bounded, and never aborts a run; errors of the compiler command are explained."""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import symlie as sl
from symlie.compile import cache, cache_folder, compiler
from symlie.compile.cache import compiled_library, publish_files, publish_text, published_files, published_text
from symlie.compile.cache_folder import entries, tidy, workplace
from symlie.compile.compiler import find_compiler
from symlie.compile.library import Library
from symlie.errors import CacheError, CompilerError, FormatError, NoCompilerError
from symlie.publish.folders import write_files
from symlie.warnings import SymlieWarning
from tests.systems import heavy_top_equations

try:
    find_compiler()
except NoCompilerError as error:
    pytest.skip(str(error), allow_module_level=True)

SOURCE = {"x.c": 'const char *symlie_interface_hash(void) { return "h"; }\n'}
"""The smallest library that can be loaded."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache that does not exist yet, below a folder that does not either."""
    path = tmp_path / "above" / "cache"
    monkeypatch.setenv("SYMLIE_CACHE", str(path))
    cache_folder.warn_once.cache_clear()
    yield path
    cache_folder.warn_once.cache_clear()


def library() -> Path:
    path, _ = compiled_library(SOURCE, "x.c", "portable")
    assert Library(path, "h").path == path
    return path


def fill() -> None:
    """One entry of each form."""
    library()
    publish_files("models", "key", {"a.c": "1", "manifest.json": "{}"})
    publish_text("sets", "list.json", "[]")


def test_cache_is_accessible_to_the_user_only(folder: Path) -> None:
    """Everything is accessible to the user alone, independently of the umask, including parent folders."""
    before = os.umask(0)
    try:
        fill()
    finally:
        os.umask(before)
    for path in (folder.parent, folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize("which", ["owner", "group", "others", "kind"])
def test_folders_of_other_users_are_not_used(which: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill()
    if which == "owner":
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    else:
        part = folder / "libraries" if which == "kind" else folder
        part.chmod(0o720 if which == "group" else 0o702)
    with pytest.warns(SymlieWarning, match=r"whose programs would be run.* A temporary one is used"):
        assert published_files("models", "key") is None
    other = library()
    assert folder not in other.parents
    assert compiled_library(SOURCE, "x.c", "portable") == (other, False)
    publish_text("sets", "other.json", "{}")
    assert published_text("sets", "other.json") == "{}"
    assert not (folder / "sets" / "other.json").exists()
    assert stat.S_IMODE(other.parent.parent.stat().st_mode) == 0o700


def test_cache_path_that_is_a_file_is_reported(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("")
    with pytest.warns(
        SymlieWarning, match=r"is not a folder; select another one with the environment variable SYMLIE_CACHE"
    ):
        fill()
    assert folder.read_text() == ""


def test_missing_cache_and_temporary_folders_are_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.parent.mkdir()
    folder.write_text("")
    cache_folder._temporary_folder.cache_clear()
    monkeypatch.setattr("tempfile.tempdir", str(folder / "nowhere"))
    with pytest.warns(SymlieWarning), pytest.raises(CacheError, match="Neither the cache folder"):
        publish_text("sets", "list.json", "[]")


def test_relative_cache_folder_is_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler runs in another folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMLIE_CACHE", "near")
    assert library().is_relative_to(tmp_path / "near")


@pytest.mark.skipif(sys.platform == "win32", reason="XDG_CACHE_HOME is a variable of Unix")
def test_cache_folder_follows_the_operating_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SYMLIE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "near"))
    assert library().is_relative_to(tmp_path / "near" / "symlie")


def test_user_without_home_is_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers may have neither HOME nor an entry in the user database."""

    def unknown(number: int) -> None:
        raise KeyError(number)

    for variable in ("SYMLIE_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    assert str(os.geteuid()) in cache_folder.cache_folder().name


@pytest.mark.slow
def test_full_disk_does_not_stop_a_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    equations = heavy_top_equations("S3")

    def full(path: Path, text: str) -> None:
        if folder in path.parents:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        path.write_text(text, encoding="utf-8")

    monkeypatch.setattr(cache, "write_private", full)
    with pytest.warns(SymlieWarning, match="No space left on device") as notices:
        system = equations.compile(backend="c")
        assert sl.solve(system, 0.01, h=1e-3).status == "ok"
    assert len({str(n.message) for n in notices}) == len(notices) == 2, "each is given once"
    assert not [p for p in folder.rglob("*") if p.is_file() or p.name.startswith("build-")]


def test_compiler_on_a_full_disk_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is reported as a failed compilation; errors of the code itself are not retried."""
    tried: list[Path] = []

    def compile_with_room(source: Path, output: Path, flags: tuple[str, ...]) -> None:
        tried.append(source)
        if folder in source.parents:
            raise CompilerError("ld: final link failed")
        compiler.run_compiler(source, output, flags)

    monkeypatch.setattr(cache, "run_compiler", compile_with_room)
    with pytest.raises(CompilerError, match="final link failed"):
        library()
    assert len(tried) == 1
    monkeypatch.setattr(cache, "_has_room", lambda root: False)
    with pytest.warns(SymlieWarning, match="no space left"):
        assert folder not in library().parents


def aged(path: Path, days: float) -> None:
    then = time.time() - days * 86_400
    os.utime(path, (then, then))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing grows older while a test lasts."""
    now = time.time()
    monkeypatch.setattr(cache_folder, "time", SimpleNamespace(time=lambda: now))


@pytest.mark.usefixtures("at_once")
def test_build_folders_of_killed_processes_are_removed(folder: Path) -> None:
    """Build folders of processes that were killed go after a day; those in use are not as old, and go when they end."""
    fill()
    dead, new = (folder / "libraries" / f"build-{name}" for name in ("dead", "new"))
    for path in (dead, new):
        path.mkdir()
        (path / "x.c").touch()
    aged(dead, 1.1)
    aged(new, 0.9)
    tidy(folder)
    assert not dead.exists() and new.exists()
    with workplace(folder, "models") as (place, _):
        tidy(folder)
        assert place.exists()
    assert not place.exists()


def test_entries_have_an_age_and_a_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(4):
        publish_text("sets", f"{k}.json", "x" * 1000)
        aged(folder / "sets" / f"{k}.json", 10 - k)
    aged(folder / "sets" / "0.json", 91)
    publish_files("models", "key", {"a.c": "1"})
    assert [e.path.name for e in entries(folder)] == ["1.json", "2.json", "3.json", "key"]
    assert published_text("sets", "1.json") is not None, "now used last but for today's"
    monkeypatch.setattr(cache_folder, "LARGEST", 2500)
    publish_text("sets", "4.json", "x" * 1000)
    tidy(folder)
    assert {e.path.name for e in entries(folder)} == {"1.json", "4.json", "key"}
    assert published_text("sets", "2.json") is None


def test_files_are_written_atomically(tmp_path: Path) -> None:
    """Half of the stand-alone operators are of no use."""
    (tmp_path / "b.c").mkdir()
    (tmp_path / "a.c").write_text("old")
    with pytest.raises(FormatError, match=r"b\.c cannot be written: Is a directory"):
        write_files({"b.c": "new", "a.c": "new"}, tmp_path)
    assert (tmp_path / "a.c").read_text() == "old"
    with pytest.raises(FormatError, match=r"a\.c/folder cannot be created: Not a directory"):
        write_files({"a.c": "new"}, tmp_path / "a.c" / "folder")
    with pytest.raises(FormatError, match=r"c\.c cannot be written: File name too long"):
        write_files({"a.c": "new", f"{'c' * 250}.c": "new"}, tmp_path)
    assert (tmp_path / "a.c").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.c", "b.c"]


Stated = Callable[[str], Path]


@pytest.fixture
def stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stated]:
    """Make a script the compiler named by CC."""

    def state(text: str) -> Path:
        script = tmp_path / "compiler"
        script.write_bytes(text.encode("latin-1"))
        script.chmod(0o700)
        monkeypatch.setenv("CC", str(script))
        find_compiler.cache_clear()
        return script

    yield state
    monkeypatch.undo()
    find_compiler.cache_clear()


REAL = find_compiler().command[0]
COMPILERS = {
    "no program": ("nothing that runs", "cannot be run .*is it a compiler"),
    "other letters": ("#!/bin/sh\nprintf 'un\xff known' >&2\nexit 1\n", r"failed \([\s\S]*known"),
    "silent": ("#!/bin/sh\nexit 3\n", "exit code 3"),
    "killed": ("#!/bin/sh\nkill -9 $$\n", "was terminated by SIGKILL, possibly because of insufficient memory"),
    "long-winded": ("#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8 9; do printf '%09999d\\n' 1 >&2; done\nexit 1\n", "failed"),
    "no result": ("#!/bin/sh\n", "wrote no library; is it a compiler"),
    "cut short": (
        f'#!/bin/sh\n"{REAL}" "$@" || exit 1\nwhile [ "$1" != -o ]; do shift; done\n'
        'head -c 100 "$2" > "$2.part"; mv "$2.part" "$2"\n',
        "cannot be loaded .* was removed, and the next run recompiles it",
    ),
}


@pytest.mark.parametrize("name", COMPILERS)
def test_failing_compilers_are_reported(name: str, stated: Stated, folder: Path) -> None:
    text, message = COMPILERS[name]
    stated(text)
    with pytest.raises(CompilerError, match=message) as caught:
        library()
    assert len(str(caught.value).splitlines()) < 6 and len(str(caught.value)) < 2000
    assert not entries(folder)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("/nonexistent -O0", "names the compiler '/nonexistent -O0', but"),
        ("'gcc", "not a valid shell command"),
        ("/etc", "names"),
    ],
)
def test_invalid_compiler_commands_are_rejected(
    command: str, message: str, stated: Stated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing compiler is not replaced by another one, nor by NumPy."""
    monkeypatch.setenv("CC", command)
    find_compiler.cache_clear()
    with pytest.raises(CompilerError, match=message):
        heavy_top_equations("S3").compile()


def test_compiler_commands_can_have_arguments(stated: Stated, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``ccache gcc`` and ``gcc -O0``."""
    script = stated('#!/bin/sh\nexec "$@"\n')
    found = []
    for command in (f"{script} {REAL}", f"'{script}'  {REAL} -O0", f" {REAL} -O0 "):
        monkeypatch.setenv("CC", command)
        find_compiler.cache_clear()
        found.append((library(), find_compiler().identity))
    assert len(set(found)) == 3
    monkeypatch.setenv("CC", " ")
    find_compiler.cache_clear()
    assert len(find_compiler().command) == 1


def test_missing_processor_description_is_read_from_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system does not describe the processor, the compiler is queried."""

    def nowhere(path: Path, **named: object) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_text", nowhere)
    features = compiler._native_features()
    assert "#define __STDC__ 1" in features
    one = compiler.processor_identity.__wrapped__()
    assert one == compiler.processor_identity.__wrapped__() and len(one) == 64
    monkeypatch.setattr(compiler, "_native_features", lambda: features + "#define __AVX9__ 1")
    assert compiler.processor_identity.__wrapped__() != one


def test_signals_are_named() -> None:
    assert compiler._signal_name(signal.SIGXFSZ) == "SIGXFSZ"
    assert compiler._signal_name(99) == "signal 99"
