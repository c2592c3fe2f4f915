"""Generated C and the templates as C: bits, warnings, sanitizers, and forbidden constructs."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pytest

import symlie as sl
from symlie.compile.compiler import BASE_FLAGS, OPTIMIZATIONS, Compiler, find_compiler, flags
from symlie.compile.library import Library
from symlie.errors import NoCompilerError
from symlie.runtime.integrate import compiled_method
from symlie.runtime.integrate.driver_library import driver_files
from symlie.runtime.kernels.c_tables import problem_tables
from symlie.runtime.linear.elimination import KINDS
from symlie.runtime.methods.library import method
from symlie.runtime.solution.solution import Solution
from symlie.runtime.system.system import System
from symlie.utilities.paths import template_folder
from tests.conftest import Programs
from tests.emit.building import GENERAL, MODELS, compiler_output, equations_of, sources, write
from tests.systems import CONSTRAINED, FREE

try:
    find_compiler()
except NoCompilerError as error:
    pytest.skip(str(error), allow_module_level=True)

STEPS = 50

WITH_CONSTRAINTS = ("half_explicit_2", "half_explicit_5")
WITHOUT_CONSTRAINTS = ("half_explicit_5", "rkmk_dopri5")


def methods_of(model: str) -> tuple[str, str]:
    """Two time loops of each model: with and without reuse of the last stage, or of both families."""
    return WITH_CONSTRAINTS if equations_of(model).emitted.rows else WITHOUT_CONSTRAINTS


def solution_of(system: System, method_name: str) -> Solution:
    """A few steps."""
    return sl.solve(system, STEPS * 2.0**-10, method=method_name, h=2.0**-10)


CASES = [
    *((f"heavy_top_{group}", "half_explicit_5") for group in CONSTRAINED),
    *((f"heavy_top_{group}", "rkmk_dopri5") for group in FREE),
    *((model, "half_explicit_5") for model in GENERAL),
    ("heavy_top_SO3xR3", "generalized_alpha"),
    ("spaghetti", "generalized_alpha_index2"),
]


QUICK = [
    ("heavy_top_SO3xR3", "half_explicit_5"),
    ("heavy_top_S3", "rkmk_dopri5"),
    ("spaghetti", "generalized_alpha_index2"),
]
"""One with constraints, one without, and one with Newton matrices."""


@pytest.mark.parametrize(
    ("model", "method_name"), [*QUICK, *(pytest.param(*c, marks=pytest.mark.slow) for c in CASES if c not in QUICK)]
)
@pytest.mark.parametrize("compiler", ["default", "tcc"])
def test_optimization_is_bit_identical(
    compiler: str, model: str, method_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, needs: Programs
) -> None:
    """The package builds libraries with the bits of plain code, and of the compiler of quick tests."""
    system = equations_of(model).compile(backend="c")
    default = solution_of(system, method_name)
    write(tmp_path, driver_files(system, method(method_name)))
    if compiler == "tcc":
        needs("tcc")
        monkeypatch.setattr("tests.emit.building.find_compiler", lambda: Compiler(("tcc",), "tcc"))
    compiler_output(tmp_path, [*flags("default"), "-O0", "-o", "plain.so", "driver.c", "-lm"])
    library = Library(tmp_path / "plain.so", system.layout.interface_hash)
    monkeypatch.setattr(compiled_method, "driver_library", lambda system, method: (library, 0.0))
    monkeypatch.setattr(compiled_method, "known_drivers", WeakKeyDictionary())
    plain = solution_of(system, method_name)
    assert plain.statistics.steps == default.statistics.steps == STEPS
    for name in ("t", "q", "v", "multipliers"):
        a, b = getattr(default, name), getattr(plain, name)
        assert np.all(np.isfinite(a)) and a.tobytes() == b.tobytes()


def test_compiler_flags_are_as_documented() -> None:
    """Never -ffast-math; contraction only on request."""
    assert not any("fast-math" in f or "Ofast" in f for o in OPTIMIZATIONS for f in flags(o))
    assert "-fno-tree-slp-vectorize" in BASE_FLAGS
    for name in OPTIMIZATIONS:
        assert ("-ffp-contract=off" in flags(name)) is (name != "contract")
        assert ("-march=native" in flags(name)) is (name != "portable")
        quick = flags(name, takes_steps=False)
        assert "-O2" in quick and "-O3" not in quick and set(quick) - {"-O2", "-ftree-vectorize"} <= set(flags(name))


MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "driver.c"

%(problem)s
static double q[] = {%(q)s}, v[] = {%(v)s}, lambda[] = {%(multipliers)s}, acceleration[%(dimension)d];
static double t_record[4], q_record[4 * %(storage)d], v_record[4 * %(dimension)d], lambda_record[4 * %(rows)d + 1];

int main(void)
{
    const double start[2] = {0, %(middle)s}, end[2] = {%(middle)s, %(end)s};
    const long long steps[2] = {40, 60};
    const unsigned char record_end[2] = {1, 1}, restarts[2] = {0, 0};
    symlie_state state = {.q = q, .v = v, .lambda = lambda, .acceleration = acceleration};
    const symlie_control control = {.fac_max = 1, .max_steps = 100};
    const symlie_plan plan = {.segments = 2, .start = start, .end = end, .steps = steps, .record_every = 50,
                              .record_end = record_end, .restarts = restarts, .budget = 7, .control = &control};
    symlie_record record = {.capacity = 4, .t = t_record, .q = q_record, .v = v_record, .lambda = lambda_record};
    int status;
    prepare();
    problem.workspace = malloc((size_t)symlie_workspace(&problem) * sizeof(double));
    do status = symlie_integrate(&problem, &state, &plan, &record);
    while (status == SYMLIE_BUDGET);
    printf("%%d %%lld %%lld\\n", status, state.steps, record.count);
    for (int k = 0; k < %(storage)d; k++) printf("%%a\\n", state.q[k]);
    for (int k = 0; k < %(dimension)d; k++) printf("%%a\\n", state.v[k]);
    for (int k = 0; k < %(rows)d; k++) printf("%%a\\n", state.lambda[k]);
    status = symlie_acceleration(&problem, 0, state.q, state.v, acceleration, state.lambda);
    free(problem.workspace);
    return status;
}
"""
"""Arrays of exactly the documented sizes, so that an access beyond them is seen."""


def numbers(values: Iterable[float]) -> str:
    """Numbers as C, hexadecimal so that they are exact; a zero if the list is empty."""
    return ", ".join(float(c).hex() for c in values) or "0"


def array(name: str, values: Any) -> str:
    """A table as C, with at least one entry."""
    flat = np.ravel(values)
    if flat.dtype.kind == "f":
        return f"static double {name}[] = {{{numbers(flat)}}};"
    kind = "long long" if flat.dtype == np.int64 else "int"
    return f"static {kind} {name}[] = {{{', '.join(map(str, flat)) or '0'}}};"


def problem_text(system: System) -> str:
    """The description of a system as C, and a function ``prepare`` that computes its parameters."""
    layout, tables = system.layout, problem_tables(system.layout, integrates=True)
    lines = [array("parameters", system.parameters), f"static double p[{layout.prepared_parameters + 1}];"]
    elements, pairs, calls = [], [], ["symlie_prepare(-1, parameters, parameters, p);"]
    for k, (element, rows) in enumerate(zip(layout.elements, system.element_parameters, strict=True)):
        width = element.prepared_parameters
        lines += [array(f"storage_of_{k}", tables.storage_of[k]), array(f"velocity_of_{k}", tables.velocity_of[k])]
        lines += [array(f"raw_{k}", rows), f"static double prepared_{k}[{max(len(rows) * width, 1)}];"]
        calls += [
            f"symlie_prepare({k}, p, raw_{k} + {i * rows.shape[1]}, prepared_{k} + {i * width});"
            for i in range(len(rows))
        ]
        stride = width if len(rows) > 1 else 0
        count = layout.instance_counts[k]
        elements.append(f"{{{count}, storage_of_{k}, velocity_of_{k}, prepared_{k}, {stride}}}")
    for k, (first, second, velocity, place) in enumerate(tables.pairs):
        lines += [array(f"first_{k}", first), array(f"second_{k}", second), array(f"place_{k}", place)]
        lines.append(array(f"shared_{k}", velocity))
        pairs.append(f"{{{len(first)}, first_{k}, second_{k}, shared_{k}, place_{k}}}")
    nodes = [f"{{{count}, {moving}}}" for count, moving in zip(tables.node_counts, tables.moving_counts, strict=True)]
    for name in ("mobility", "position", "joint_counts", "joints"):
        lines.append(array(name, getattr(tables, name)))
    for name in ("motion_storage", "motion_velocity"):
        lines.append(array(name, getattr(layout, name)))
    fields = {
        "p": "p", "elements": "elements", "nodes": "nodes", "storage": layout.storage,
        "dimension": layout.dimension, "rows": layout.rows, "mass_values": tables.mass_values,
        "jacobian_values": tables.jacobian_values, "motion_storage": "motion_storage",
        "motion_velocity": "motion_velocity", "mobility": "mobility", "bandwidth": tables.bandwidth,
        "position": "position", "pairs": "pairs", "joint_counts": "joint_counts", "joints": "joints",
        "moving_begin": tables.moving.start, "moving_end": tables.moving.stop,
        "integrates_velocities": int(tables.integrates_velocities),
    }  # fmt: skip
    lines += [
        f"static const symlie_nodes nodes[] = {{{', '.join(nodes)}}};",
        f"static const symlie_elements elements[] = {{{', '.join(elements)}}};",
        f"static const symlie_pairs pairs[] = {{{', '.join(pairs) or '{0, 0, 0, 0, 0}'}}};",
        f"static symlie_problem problem = {{{', '.join(f'.{k} = {x}' for k, x in fields.items())}}};",
        f"static void prepare(void) {{ {' '.join(calls)} }}",
    ]
    return "\n".join(lines)


def sanitized(folder: Path, text: dict[str, str]) -> list[str]:
    """Output of a main program built with the address and undefined behaviour sanitizers."""
    write(folder, text)
    arguments = ["-std=c11", "-O1", "-g0", "-ffp-contract=off", "-fsanitize=address,undefined",
                 "-fno-sanitize-recover=all", "-o", "program", "main.c", "-lm"]  # fmt: skip
    compiler_output(folder, arguments)
    result = subprocess.run([folder / "program"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[:4000]
    return result.stdout.split()


def sanitizers_work(folder: Path) -> bool:
    """True if the sanitizer libraries are installed."""
    write(folder, {"empty.c": "int main(void) { return 0; }\n"})
    command = [*find_compiler().command, "-fsanitize=address,undefined", "-o", "empty", "empty.c"]
    return subprocess.run(command, capture_output=True, cwd=folder, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("model", ["heavy_top_SE3", "heavy_top_S3", "chain", "polar", *GENERAL])
def test_sanitizers_report_nothing(model: str, tmp_path: Path) -> None:
    """100 steps in two segments, with a small budget and records, end at the bits that the package finds."""
    if not sanitizers_work(tmp_path):
        pytest.skip("the libraries of the compiler's sanitizers are not installed")
    system = equations_of(model).compile(backend="c")
    initial, method_name = system.initial_state, methods_of(model)[1]
    h = 2.0**-11
    layout = system.layout
    text: dict[str, object] = {"storage": layout.storage, "dimension": layout.dimension, "rows": layout.rows}
    text |= {"q": numbers(initial.q), "v": numbers(initial.v), "multipliers": numbers(initial.multipliers)}
    text |= {"middle": numbers([40 * h]), "end": numbers([100 * h]), "problem": problem_text(system)}
    lines = sanitized(tmp_path, {**sources(model, method_name), "main.c": MAIN % text})
    assert lines[:3] == ["0", "100", "3"]  # done; records at steps 40, 50 and 100
    solution = sl.solve(system, 100 * h, method=method_name, h=h, t_eval=[40 * h, 100 * h])
    expected = [*solution.q[-1], *solution.v[-1], *solution.multipliers[-1]]
    assert [float.fromhex(x) for x in lines[3:]] == expected


def test_sanitizers_detect_errors(tmp_path: Path) -> None:
    """A write past the end of an array does stop such a program."""
    if not sanitizers_work(tmp_path):
        pytest.skip("the libraries of the compiler's sanitizers are not installed")
    bad = "int main(int count, char **names) { (void)names; int x[2] = {0}; x[count + 1] = 1; return x[0]; }\n"
    with pytest.raises(AssertionError, match=r"AddressSanitizer|runtime error"):
        sanitized(tmp_path, {"main.c": bad})


FORBIDDEN = re.compile(
    r"\b(malloc|calloc|realloc|free|alloca|printf|fprintf|puts|putchar|exit|abort|longjmp|setjmp)\s*\("
)
MUTABLE_STATIC = re.compile(r"^\s*(?:\w+\s+)*static\b(?!\s+(?:inline\b|const\b))(?![^;{]*\()", re.MULTILINE)
"""A ``static`` that is neither constant nor a function."""


def text_of_everything() -> dict[str, str]:
    """All C text: templates, and generated text of each model with a time loop."""
    text = {
        str(p): p.read_text(encoding="utf-8")
        for p in sorted((template_folder() / "c").rglob("*.*"))
        if p.name not in ("selftest.c.jinja", "README.md.jinja")
    }
    for model in MODELS:
        text |= {f"{model} {name}": t for name, t in sources(model, methods_of(model)[0]).items()}
    return text


def test_generated_code_has_no_allocation_output_or_static_state() -> None:
    text = text_of_everything()
    assert len(text) > 50
    for name, content in text.items():
        code = re.sub(r"/\*.*?\*/|\{#.*?#\}", "", content, flags=re.DOTALL)
        assert not FORBIDDEN.search(code), name
        assert not MUTABLE_STATIC.search(code), name
    for wrong in ("static double state[3];", "  static int n = 0;", "SYMLIE_COLD static int n;"):
        assert MUTABLE_STATIC.search(wrong)
    for right in ("static const int ROWS[2] = {1, 2};", "static inline void f(int n)", "static void f(void)"):
        assert not MUTABLE_STATIC.search(right)
    assert FORBIDDEN.search("double *x = malloc(8);") and not FORBIDDEN.search("freely(3)")


ALLOWED_SYMBOLS = {
    "acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "fmax", "fmin", "log", "pow", "sin", "sincos", "sinh",
    "sqrt", "tan", "tanh", "memcpy", "memmove", "memset", "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_",
}  # fmt: skip
"""Functions that compiled code may call: the mathematical library, and those inserted by the compiler."""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nm") is None, reason="nm, which lists symbols, is not installed")
@pytest.mark.parametrize("model", ["heavy_top_SE3", "heavy_top_S3", "chain", "polar", *GENERAL])
def test_compiled_code_has_no_state_and_no_external_calls(model: str, tmp_path: Path) -> None:
    """No writable data; no calls but to the mathematical library; only ``symlie_`` is exported."""
    write(tmp_path, sources(model, methods_of(model)[0]))
    compile_flags = [f for f in flags("default") if f != "-shared"]
    compiler_output(tmp_path, [*compile_flags, "-c", "-o", "driver.o", "driver.c"])
    listing = subprocess.run(["nm", tmp_path / "driver.o"], capture_output=True, text=True, check=True).stdout
    symbols = [line.split()[-2:] for line in listing.splitlines()]
    assert not [s for kind, s in symbols if kind in "BbDdCGgSs"]
    assert {s for kind, s in symbols if kind == "U"} <= ALLOWED_SYMBOLS
    exported = {s for kind, s in symbols if kind in "TRW"}
    assert "symlie_integrate" in exported and all(s.startswith("symlie_") for s in exported)


def test_headers_of_one_library_define_different_functions() -> None:
    """Each algebra meets each elimination, where trees and rings of long rods are compiled."""
    folder = template_folder() / "c" / "linear"
    alternatives = [{f"{n}_algebra.h" for n in ("fixed", "structured", "saddle")}, {f"{k}.h" for k in KINDS}]
    alternatives.append({"saddle_algebra.h", "released_rows.h"})
    defined: dict[str, set[str]] = {}
    for path in folder.glob("*.h"):
        for name in re.findall(r"^(?:static|DENSE_ONCE) [^=;{]*?(\w+)\(", path.read_text(encoding="utf-8"), re.M):
            defined.setdefault(name, set()).add(path.name)
    assert len(defined) > 50
    several = {name: files for name, files in defined.items() if len(files) > 1}
    assert not {name: f for name, f in several.items() if not any(f <= a for a in alternatives)}
