"""All emitted C is free of warnings, under gcc and clang, and refuses to be compiled without NaN."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from symlie.compile.compiler import find_compiler, flags, run_compiler
from symlie.compile.headers import with_headers
from symlie.contract.constants import constants_header
from symlie.contract.manifest import Manifest, read_manifest
from symlie.derive.equations import Equations
from symlie.elements.joints.located_bodies import located_model
from symlie.elements.joints.minimal import joint_tree
from symlie.errors import CompilerError
from symlie.models.registry import build_model
from symlie.publish.sets import generated_files, set_files
from symlie.runtime.integrate.driver_library import adjoint_files, driver_files, lanes_files
from symlie.runtime.kernels.c_library import library_files
from symlie.runtime.linear.elimination import KINDS
from symlie.runtime.methods.family import Method
from symlie.runtime.methods.library import method, method_names
from symlie.runtime.methods.programs.method import ProgrammedMethod
from symlie.runtime.system.system import System
from tests.emit.building import GENERAL, MODELS, equations_of, write
from tests.emit.test_operators import files_of
from tests.joints.test_located_bodies import LONG, chain
from tests.runtime.heaps import column
from tests.runtime.test_contacts import thrown
from tests.runtime.test_first_order_states import drives, steered
from tests.runtime.test_minimal_norm import SYSTEMS
from tests.runtime.test_singular_mass import hanging_system, rod

WITHOUT_SERIES = ("spaghetti",)
"""Models that method taylor refuses by a function of theirs."""

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
if not COMPILERS:
    pytest.skip("the warnings are those of gcc and clang, and neither is installed", allow_module_level=True)

WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Wconversion", "-Wdouble-promotion", "-Werror")

READY_MADE: dict[str, tuple[str, dict[str, Any]]] = {
    "cotangent bundle": ("heavy_top", {"formulation": "TSO3"}),
    "Hamiltonian chain": ("pendulum_chain", {"links": 3, "formulation": "hamiltonian"}),
    "free_rigid_body": ("free_rigid_body", {}),
    "quadrotors": ("quadrotors", {}),
}
"""Models without velocities, with fields, with dependent nodes, with rows of accelerations."""


def checked(compiler: str, folder: Path, text: Mapping[str, str], main: str, *options: str) -> None:
    """Compile a file and let warnings fail."""
    write(folder, text)
    standard = () if any(o.startswith("-std") for o in options) else ("-std=c11",)
    command = [compiler, *standard, *WARNINGS, *(options or ("-fsyntax-only",)), main]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stderr[:4000]}"


@functools.cache
def equations_named(name: str) -> Equations:
    if name not in READY_MADE:
        return equations_of(name)
    model, options = READY_MADE[name]
    return build_model(model, options).derive()


@functools.cache
def kernels_of(name: str) -> tuple[str, dict[str, str], Manifest]:
    """Name, C text and manifest of a model."""
    equations = equations_named(name)
    files = generated_files(equations)
    text = {n: t for n, t in files.items() if n.endswith((".c", ".h"))}
    return equations.model.name, with_headers(text), read_manifest(files["manifest.json"])


def methods_of(system: System, name: str) -> Iterator[Method]:
    """A method of each family and each kind of coordinates that the model can have."""
    kinds = {(method(n).family, method(n).kernel_set, n.endswith("index2")): n for n in method_names()}
    for chosen in map(method, kinds.values()):
        if chosen.refusal(system.layout) is None and not (chosen.is_polynomial and name in WITHOUT_SERIES):
            yield chosen
        if chosen.family == "generalized_alpha" and chosen.refusal(system.layout) is None:
            yield chosen.with_options({"newton": "modified", "start": "plain"})


def time_loops(name: str) -> Iterator[dict[str, str]]:
    """C text of the time loops of these methods."""
    system = equations_named(name).compile(backend="numpy")
    for chosen in methods_of(system, name):
        yield driver_files(system, chosen)


ADJOINTS = ("heavy_top_S3", "heavy_top_SE3", "polar", "chain", "large", "quadrotors")
"""Models whose adjoints are compiled."""

REPEATED = ("heavy_top_SO3", "heavy_top_SO3xR3", "heavy_top_S3xR3", "heavy_top_S3sR3", "large")
"""Models whose statements are those of others on other groups, or in larger numbers."""


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in REPEATED else n for n in (*MODELS, *READY_MADE)]
)
def test_models_compile_without_warnings(compiler: str, name: str, part: int, tmp_path: Path) -> None:
    """Kernels with known states; in parts, Newton matrices, ports, and a third of the time loops each."""
    model, text, manifest = kernels_of(name)
    algebra = "fixed_algebra.h" if manifest.fixed_topology else "structured_algebra.h"
    checked(compiler, tmp_path, library_files(text, model, algebra), "library.c")
    if any(t.velocities for t in manifest.node_types) and name not in READY_MADE:
        for kind in ("newton", "ports")[part : part + 1]:
            matrices = set_files(equations_named(name), kind)
            checked(compiler, tmp_path, text | matrices, f"{model}_{kind}.c")
    system = equations_named(name).compile(backend="numpy")
    methods = list(methods_of(system, name))
    assert len(methods) >= 2
    for chosen in methods[part::3]:
        checked(compiler, tmp_path, driver_files(system, chosen), "driver.c")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", ["rattlie", "moreau_jean"])
def test_time_stepping_compiles_without_warnings(compiler: str, name: str, tmp_path: Path) -> None:
    """Contacts of a fixed topology, and of element types."""
    for part, system in (("fixed", thrown("numpy")), ("types", column(4))):
        (tmp_path / part).mkdir()
        checked(compiler, tmp_path / part, driver_files(system, method(name)), "driver.c")


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", [*MODELS, "quadrotors", "cotangent bundle"])
def test_lanes_compile_without_warnings(compiler: str, name: str, tmp_path: Path) -> None:
    """SIMD lanes, in registers that every processor has."""
    system = equations_named(name).compile(backend="numpy")
    known = [
        method(n)
        for n in ("half_explicit_5", "rkmk_dopri5", "symplectic_theta", "rattlie", "variational_midpoint", "bdf")
    ]
    known += [method(n).with_options({"newton": "modified"}) for n in ("generalized_alpha", "bdf3_index2", "bdf")]
    methods = [m for m in known if m.refusal(system.layout) is None and not system.layout.has_nonlinear_rows]
    if name in ("heavy_top_S3", "heavy_top_SE3", "polar"):
        methods.append(method("taylor"))
    for chosen in methods if system.mechanics.saddle_algebra is None else ():
        checked(compiler, tmp_path, lanes_files(system, chosen, 2), "lanes.c")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in (*REPEATED, "quadrotors") else n for n in ADJOINTS]
)
def test_adjoints_compile_without_warnings(compiler: str, name: str, tmp_path: Path) -> None:
    system = equations_named(name).compile(backend="numpy")
    names = "half_explicit_5", "index1_dopri5", "rkmk_rk44", "cf4", "bdf3", "bdf", "rattlie", "variational_midpoint"
    composed = method("rattlie").with_options({"compose": "suzuki"})
    for chosen in (*map(method, names), composed):
        if chosen.refusal(system.layout) is None:
            assert isinstance(chosen, ProgrammedMethod)
            is_projected = chosen.name in ("index1_dopri5", "bdf3")
            checked(compiler, tmp_path, adjoint_files(system, chosen, is_projected=is_projected), "adjoint.c")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "name", ["heavy_top_S3", *(pytest.param(n, marks=pytest.mark.slow) for n in ("heavy_top_S3sR3", "polar", *GENERAL))]
)
def test_optimized_code_compiles_without_warnings(compiler: str, name: str, tmp_path: Path) -> None:
    """Flow analysis finds more."""
    for loop in list(time_loops(name))[:1]:
        checked(compiler, tmp_path, loop, "driver.c", "-std=c11", "-O2", "-c", "-o", "driver.o")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("group", "real"),
    [pytest.param("SE3", "double", marks=pytest.mark.slow), ("SO3rvxSO2", "double"), ("SE2", "float")],
)
def test_operators_compile_without_warnings(compiler: str, group: str, real: str, tmp_path: Path) -> None:
    files = files_of(group, "c", real)
    for main in ("op.c", "op_selftest.c"):
        checked(compiler, tmp_path, files, main, "-std=c99", "-O1", "-c", "-o", "op.o")
        for flag in FAST:
            command = [compiler, "-std=c99", flag, "-fsyntax-only", main]
            result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
            assert result.returncode and "compile without -ffast-math" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kind", KINDS)
def test_eliminations_compile_without_warnings(compiler: str, kind: str, tmp_path: Path) -> None:
    prototype = "void use(const int *T, symlie_real *v, symlie_real *x, int *lost)"
    includes = [f'#include "{name}"' for name in ("primitives.h", "constants.h", f"{kind}.h")]
    use = [
        "const elimination E = read_elimination(T);",
        "clear_matrix(&E, v);",
        "*lost = factorise_matrix(&E, v, lost);",
        "solve_factorised(&E, v, x);",
    ]
    main = "\n".join(["#define ELIMINATION_SIZE 9", *includes, f"{prototype};", prototype, "{", *use, "}", ""])
    files = with_headers({"main.c": main, **constants_header()})
    checked(compiler, tmp_path, files, "main.c", "-std=c11", "-O2", "-c", "-o", "main.o")


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("is_fixed", [True, False])
def test_singular_mass_matrices_compile_without_warnings(compiler: str, is_fixed: bool, tmp_path: Path) -> None:
    """Time loops that eliminate saddle point matrices as a whole."""
    system = rod("numpy") if is_fixed else hanging_system(121, "numpy", branches=3)
    for name in ("half_explicit_5", "index1_dopri5", "generalized_alpha", "generalized_alpha_index2"):
        files = driver_files(system, method(name))
        assert "saddle_algebra.h" in files
        checked(compiler, tmp_path, files, "driver.c")


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kind", SYSTEMS)
def test_redundant_constraints_compile_without_warnings(compiler: str, kind: str, tmp_path: Path) -> None:
    """Time loops and adjoint steps in which rows may depend on each other."""
    system = SYSTEMS[kind]("numpy", True).with_redundant("minimal_norm")
    for chosen in map(method, ("half_explicit_5", "index1_dopri5", "generalized_alpha", "generalized_alpha_index2")):
        files = driver_files(system, chosen)
        assert "PROBES 6" in files["saddle_tables.h"]
        checked(compiler, tmp_path, files, "driver.c")
        assert isinstance(chosen, ProgrammedMethod)
        checked(compiler, tmp_path, adjoint_files(system, chosen), "adjoint.c")


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("build", [steered, drives])
def test_first_order_states_compile_without_warnings(
    compiler: str, build: Callable[[str], System], tmp_path: Path
) -> None:
    """First-order nodes and constraints, in models of fixed topology and in others."""
    system = build("numpy")
    for name in ("half_explicit_5", "generalized_alpha", "generalized_alpha_index2"):
        checked(compiler, tmp_path, driver_files(system, method(name)), "driver.c")


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("count", [3, LONG])
def test_dependent_nodes_compile_without_warnings(compiler: str, count: int, tmp_path: Path) -> None:
    """Bodies of chains in minimal coordinates, of fixed topology and of others."""
    model = chain(count)
    system = located_model(model, joint_tree(model)).derive().compile(backend="numpy")
    for name in ("rkmk_dopri5", "generalized_alpha", "taylor"):
        checked(compiler, tmp_path, driver_files(system, method(name)), "driver.c")


FAST = ("-ffast-math", "-Ofast", "-ffinite-math-only")

LOSSY = {
    "-fsingle-precision-constant": "remove -fsingle-precision-constant from",
    "-funsafe-math-optimizations": "remove -funsafe-math-optimizations",
    "-fassociative-math -fno-signed-zeros -fno-trapping-math": "-fassociative-math and",
    "-freciprocal-math": "and -freciprocal-math from",
}
"""Flags that lose digits without another sign, and a part of the message about each."""


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("flag", LOSSY)
def test_inaccurate_compiler_flags_are_rejected(
    compiler: str, flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results had 7 digits, and status "ok"; clang ignores the first flag."""
    name, text, _ = kernels_of("heavy_top_S3")
    write(tmp_path, text)
    monkeypatch.setenv("CC", f"{compiler} {flag}")
    find_compiler.cache_clear()
    try:
        if "clang" in compiler and "constant" in flag:
            run_compiler(tmp_path / f"{name}.c", tmp_path / "library.so", flags("portable"))
        else:
            with pytest.raises(CompilerError, match=LOSSY[flag]):
                run_compiler(tmp_path / f"{name}.c", tmp_path / "library.so", flags("portable"))
    finally:
        monkeypatch.undo()
        find_compiler.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("flag", ["-fsingle-precision-constant", "-funsafe-math-optimizations"])
def test_operators_reject_inaccurate_compiler_flags(compiler: str, flag: str, tmp_path: Path) -> None:
    write(tmp_path, files_of("SE3", "c", "double"))
    command = [compiler, "-std=c99", flag, "-fsyntax-only", "op.c"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert result.returncode or "clang" in compiler


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("flag", FAST)
def test_flags_without_nan_support_are_rejected(
    compiler: str, flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NaN was a result with status "ok"."""
    (loop, *_) = time_loops("heavy_top_S3")
    name, text, _ = kernels_of("heavy_top_S3")
    write(tmp_path, loop | text | set_files(equations_named("heavy_top_S3"), "newton"))
    for main in (f"{name}.c", f"{name}_newton.c", "driver.c"):
        command = [compiler, "-std=c11", flag, "-fsyntax-only", main]
        result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert result.returncode and "symlie needs NaN and infinity" in result.stderr
    program = tmp_path / "fast"
    program.write_text(f'#!/bin/sh\nexec {compiler} "$@" {flag}\n')
    os.chmod(program, 0o700)
    monkeypatch.setenv("CC", str(program))
    find_compiler.cache_clear()
    try:
        with pytest.raises(CompilerError, match=r"remove -ffast-math, .* from the environment variable CC"):
            run_compiler(tmp_path / f"{name}.c", tmp_path / "library.so", flags("portable"))
    finally:
        monkeypatch.undo()
        find_compiler.cache_clear()
