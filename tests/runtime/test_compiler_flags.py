"""Compilers that lack flags, and compilers that build no shared libraries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import symlie as sl
from symlie.compile.compiler import accepted_flags, find_compiler
from symlie.errors import NoCompilerError


def _compiler_without(folder: Path, *flags: str) -> str:
    """Return a command that calls the real compiler, and fails where one of the flags is given."""
    script = folder / "compiler"
    cases = "".join(f"    {flag}) echo 'unknown argument: {flag}' >&2; exit 1 ;;\n" for flag in flags)
    real = find_compiler().command[0]
    script.write_text(f'#!/bin/sh\nfor word in "$@"; do case "$word" in\n{cases}esac; done\nexec {real} "$@"\n')
    script.chmod(0o755)
    return str(script)


@pytest.fixture
def select(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Select compilers with CC, with an empty cache."""
    find_compiler()
    monkeypatch.setenv("SYMLIE_CACHE", str(tmp_path / "cache"))
    yield monkeypatch
    find_compiler.cache_clear()
    accepted_flags.cache_clear()


def oscillator() -> sl.Equations:
    model = sl.Model("oscillator")
    q = model.node("q", "R1")
    model.kinetic_energy(q.x_dot[0] ** 2 / 2)
    model.potential_energy(q.x[0] ** 2 / 2)
    model.initial(q, x=[1], x_dot=[0])
    return model.derive()


@pytest.mark.slow
def test_compiler_without_speed_flags_gives_the_same_bits(tmp_path: Path, select: pytest.MonkeyPatch) -> None:
    equations = oscillator()
    expected = sl.solve(equations.compile(backend="c"), 1.0, h=0.1)
    select.setenv("CC", _compiler_without(tmp_path, "-march=native", "-fno-tree-slp-vectorize"))
    find_compiler.cache_clear()
    with pytest.warns(sl.SymlieWarning, match=r"does not accept .*-fno-tree-slp-vectorize.* may be slower"):
        system = equations.compile(backend="c")
        found = sl.solve(system, 1.0, h=0.1)
    assert system.backend == "c"
    assert found.q.tobytes() == expected.q.tobytes()


def test_flag_is_replaced_by_its_substitute(tmp_path: Path, select: pytest.MonkeyPatch) -> None:
    """Older clang for ARM has -mcpu=native instead of -march=native."""
    script = tmp_path / "compiler"
    real = find_compiler().command[0]
    script.write_text(
        '#!/bin/sh\nfor word in "$@"; do shift; case "$word" in\n    -march=native) exit 1 ;;\n    -mcpu=native) ;;\n'
        f'    *) set -- "$@" "$word" ;;\nesac; done\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    select.setenv("CC", str(script))
    find_compiler.cache_clear()
    flags = ("-std=c11", "-shared", "-fPIC", "-march=native")
    assert accepted_flags(find_compiler(), flags) == ("-std=c11", "-shared", "-fPIC", "-mcpu=native")


def test_compiler_without_position_independent_code_leads_to_numpy(tmp_path: Path, select: pytest.MonkeyPatch) -> None:
    """As clang for the interface of MSVC, whose libraries export nothing by default."""
    select.setenv("CC", _compiler_without(tmp_path, "-fPIC"))
    find_compiler.cache_clear()
    equations = oscillator()
    with pytest.raises(NoCompilerError, match=r"does not build shared libraries with .*-fPIC.*NumPy backend"):
        equations.compile(backend="c")
    with pytest.warns(sl.SymlieWarning, match="Continuing with NumPy"):
        assert equations.compile().backend == "numpy"


def test_error_in_the_source_is_reported_unchanged(tmp_path: Path, select: pytest.MonkeyPatch) -> None:
    from symlie.compile.compiler import flags, run_compiler
    from symlie.errors import CompilerError

    source = tmp_path / "bad.c"
    source.write_text("int f(void) { return undeclared_name; }\n")
    with pytest.raises(CompilerError, match="undeclared_name") as caught:
        run_compiler(source, tmp_path / "bad.so", flags("default"))
    assert not isinstance(caught.value, NoCompilerError)
