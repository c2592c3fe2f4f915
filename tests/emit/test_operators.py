"""Stand-alone operators: their self-tests pass without symlie, fail for every mutation, and they are accurate."""

from __future__ import annotations

import functools
import json
import random
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cffi
import numpy as np
import pytest
from mpmath import mp, mpf, norm

from symlie.api import operator_files
from symlie.compile.compiler import find_compiler
from symlie.derive.operators.group import group_operators
from symlie.errors import UnknownNameError
from symlie.groups.power_series import PowerSeries
from symlie.groups.standard import group_from_name
from tests import tolerances
from tests.emit.building import write
from tests.groups.samples import sample

PEDANTIC = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-O1")
ACCURATE_DIGITS = 40
FAILED = 1


@functools.cache
def files_of(group: str, target: str = "c", real: str = "double") -> Mapping[str, str]:
    """Stand-alone files of a group under the prefix ``op``."""
    return operator_files(group_from_name(group), target, prefix="op", real=real)


def run_c(folder: Path, files: Mapping[str, str], *flags: str) -> subprocess.CompletedProcess[str]:
    """Compile pedantically and run the self-test."""
    write(folder, files)
    sources = [name for name in files if name.endswith(".c")]
    command = [*find_compiler().command, *PEDANTIC, *flags, *sources, "-lm", "-o", "selftest"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return subprocess.run([folder / "selftest"], capture_output=True, text=True, check=False)


def run_numpy(folder: Path, files: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the self-test in a Python that has neither symlie nor SymPy."""
    write(folder, files)
    code = (
        "import sys, runpy; sys.modules.update(symlie=None, sympy=None, mpmath=None); sys.path.insert(0, '.'); "
        "runpy.run_module('op_selftest', run_name='__main__')"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@functools.cache
def module_of(group: str, real: str = "double") -> dict[str, Any]:
    """Names of the NumPy module of a group."""
    scope: dict[str, Any] = {}
    exec(compile(files_of(group, "numpy", real)["op.py"], "op.py", "exec"), scope)
    return scope


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "real"),
    [("SE3", "double"), ("S3sR3", "double"), ("SO3rvxSO2", "double"), ("SE2", "float"), ("R2", "float")],
)
def test_c_operators_are_correct(group: str, real: str, tmp_path: Path) -> None:
    files = files_of(group, "c", real)
    assert list(files) == ["op.h", "op.c", "op_selftest.c", "README.md", "certificate.json"]
    assert set(re.findall(r"#include (.*)", files["op.c"])) == {'"op.h"', "<math.h>"}
    result = run_c(tmp_path, files)
    assert result.returncode == 0, result.stdout
    assert re.fullmatch(r"op: \d+ checks, 0 failed\n", result.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(("group", "real"), [("SE3", "double"), ("SO3rvxSO2", "double"), ("SE2", "float")])
def test_numpy_operators_are_correct(group: str, real: str, tmp_path: Path) -> None:
    result = run_numpy(tmp_path, files_of(group, "numpy", real))
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.fullmatch(r"op: \d+ checks, 0 failed\n", result.stdout)


@pytest.mark.slow
def test_contraction_is_allowed(tmp_path: Path) -> None:
    result = run_c(tmp_path, files_of("SE3"), "-O3", "-march=native", "-ffp-contract=fast")
    assert result.returncode == 0, result.stdout


def test_float_operators_use_only_single_precision(tmp_path: Path) -> None:
    files = files_of("SE2", "c", "float")
    assert "double" not in files["op.c"] + files["op.h"].split("*/", 1)[1]
    assert run_c(tmp_path, files).returncode == 0


def changed_coefficient(text: str, function: str, index: int, factor: float) -> str:
    """A generated file in which one coefficient of a polynomial is multiplied by a factor; the constant has index 0."""
    number = r"\d+\.\d*(?:e[+-]\d+)?"
    if f"_{function.upper()}_PART_1" in text:
        start = text.index("(", text.index(f"_{function.upper()}_PART_1")) + 1
        matches = list(re.finditer(number, text[start : text.index("def ", start)]))
    else:
        start = text.index("return", text.index(f"_{function}_beyond(z);"))
        start = text.index("return", start)
        matches = list(re.finditer(number, text[start : text.index("\n", start)]))[::-1]
    match = matches[index]
    place = slice(start + match.start(), start + match.end())
    return text[: place.start] + repr(float(match[0]) * factor) + text[place.stop :]


@pytest.mark.slow
@pytest.mark.parametrize("function", ["c2", "c3_1"])
@pytest.mark.parametrize("index", [0, 2, 5])
def test_changed_coefficients_are_detected(function: str, index: int, tmp_path: Path) -> None:
    files = dict(files_of("SE3", "numpy"))
    files["op.py"] = changed_coefficient(files["op.py"], function, index, 1 + 1e-9)
    assert files["op.py"] != files_of("SE3", "numpy")["op.py"]
    result = run_numpy(tmp_path, files)
    assert result.returncode == FAILED, result.stderr
    assert f"op: {function} at z = " in result.stdout


def test_changed_coefficients_are_detected_in_c(tmp_path: Path) -> None:
    files = dict(files_of("SE3"))
    files["op.c"] = changed_coefficient(files["op.c"], "c3", 1, 1 + 1e-9)
    result = run_c(tmp_path, files)
    assert result.returncode == FAILED
    assert "op: c3 at z = " in result.stdout
    assert "tangent_operator at angle 3.14" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("function", ["exp", "log", "adjoint", "tangent_operator_inverse_derivative"])
def test_changed_signs_are_detected(function: str, tmp_path: Path) -> None:
    files = dict(files_of("SE3", "numpy"))
    head, tail = files["op.py"].split(f"def op_{function}(")
    files["op.py"] = f"{head}def op_{function}({tail.replace(' - ', ' + ', 1)}"
    assert run_numpy(tmp_path, files).returncode == FAILED


def test_prototypes_match_the_header() -> None:
    header = files_of("SE3")["op.h"]
    for prototype in (
        "void op_exp(const double theta[6], double q[12]);",
        "void op_log(const double q[12], double theta[6]);",
        "void op_adjoint(const double q[12], double A[36]);",
        "void op_tangent_operator(const double theta[6], double T[36]);",
        "void op_tangent_operator_inverse(const double theta[6], double T[36]);",
        "void op_tangent_operator_derivative(const double theta[6], const double w[6], double D[36]);",
        "void op_tangent_operator_inverse_derivative(const double theta[6], const double w[6], double D[36]);",
        "double op_c2(double z);",
        "double op_c2_1(double z);",
        "double op_g0(double z);",
    ):
        assert prototype in header


@pytest.mark.slow
def test_columns_share_their_operations() -> None:
    """The whole matrix T of SE(3) costs less than one product T w, 117 operations; so much may be lost by no change."""
    operations = {k.signature.name: k.body.operation_count for k in group_operators(group_from_name("SE3")).kernels}
    assert operations["tangent_operator"] <= 104
    assert operations["tangent_operator_inverse"] <= 96
    assert operations["tangent_operator_derivative"] <= 386
    assert operations["tangent_operator_inverse_derivative"] <= 303


def test_outputs_may_overwrite_inputs(tmp_path: Path) -> None:
    write(tmp_path, files_of("SE3"))
    command = [*find_compiler().command, *PEDANTIC, "-shared", "-fPIC", "op.c", "-lm", "-o", "op.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    ffi = cffi.FFI()
    ffi.cdef("void op_exp(const double *, double *);")
    ffi.cdef("void op_tangent_operator_derivative(const double *, const double *, double *);")
    library = ffi.dlopen(str(tmp_path / "op.so"))
    theta, w = np.linspace(0.3, 1.3, 6), np.linspace(-1, 1, 6)
    buffer = np.concatenate([theta, np.zeros(30)])
    library.op_exp(*[ffi.from_buffer("double[]", buffer)] * 2)
    assert np.allclose(buffer[:12], module_of("SE3")["op_exp"](theta), rtol=0, atol=tolerances.LIBRARY)
    expected, separate = np.concatenate([w, np.zeros(30)]), np.zeros(36)
    arguments = [ffi.from_buffer("double[]", a) for a in (theta, expected, separate)]
    library.op_tangent_operator_derivative(*arguments)
    library.op_tangent_operator_derivative(arguments[0], arguments[1], arguments[1])
    assert np.array_equal(expected, separate)


@pytest.mark.slow
@pytest.mark.parametrize("real", ["double", "float"])
def test_arrays_are_bit_identical_to_single_values(real: str, tmp_path: Path) -> None:
    """In loops that are vectorised and not, in the working interval, beyond it, and at the pole."""
    files = files_of("SE3", "c", real)
    write(tmp_path, files)
    kind = np.float64 if real == "double" else np.float32
    inside = np.concatenate([[0.0, 10.0], 10.0 ** np.linspace(-20, 0.999, 61)]).astype(kind)
    beyond = np.concatenate([inside[:9], [12.0, 39.0, 40.0, 500.0, np.nan, 1.0]]).astype(kind)
    ffi = cffi.FFI()
    names = re.findall(r"\b(op_[cg][\d_]+)\(", files["op.h"])
    assert len(names) == 10
    for name in names:
        ffi.cdef(f"{real} {name}({real}); void {name}_array(size_t, const {real} *, {real} *);")
    for level in ("-O0", "-O3"):
        command = [
            *find_compiler().command,
            *PEDANTIC[:-1],
            level,
            "-shared",
            "-fPIC",
            "op.c",
            "-lm",
            "-o",
            f"{level}.so",
        ]
        subprocess.run(command, cwd=tmp_path, check=True)
        library = ffi.dlopen(str(tmp_path / f"{level}.so"))
        for name, z in ((n, z) for n in names for z in (inside, beyond, inside[:1], inside[:0])):
            values = np.full_like(z, -1)
            array, single = getattr(library, f"{name}_array"), getattr(library, name)
            array(len(z), ffi.from_buffer(f"{real}[]", z), ffi.from_buffer(f"{real}[]", values))
            assert np.array_equal(values, np.array([single(float(x)) for x in z], dtype=kind), equal_nan=True)


def test_leading_axes_are_preserved() -> None:
    module = module_of("SE2")
    theta, w = np.linspace(-4, 4, 30).reshape(5, 2, 3), np.array([0.1, 0.2, 0.3])
    D = module["op_tangent_operator_derivative"](theta, w)
    assert D.shape == (5, 2, 3, 3)
    assert np.array_equal(D[3, 1], module["op_tangent_operator_derivative"](theta[3, 1], w))
    assert module["op_exp"](theta).shape == (5, 2, 4)
    assert module["op_tangent_operator"]([0, 0, 0]).tolist() == np.eye(3).tolist()
    with pytest.raises(ValueError, match=r"theta needs 3 components .* \(2,\)"):
        module["op_exp"]([1.0, 2.0])
    assert module_of("SE2", "float")["op_exp"](theta).dtype == np.float32


def test_nan_is_propagated() -> None:
    module = module_of("SE3")
    theta = np.array([np.nan, 0, 0, 0, 0, 0])
    for name in ("exp", "tangent_operator", "tangent_operator_inverse"):
        assert np.isnan(module[f"op_{name}"](theta)).any()


def relative_error(value: np.ndarray, expected: list[Any]) -> float:
    """Relative error in the Frobenius norm."""
    flat = [c for row in expected for c in row] if isinstance(expected[0], list) else expected
    return float(norm([mpf(float(a)) - b for a, b in zip(np.ravel(value), flat, strict=True)]) / norm(flat))


def worst_errors(group: str, count: int) -> dict[str, float]:
    """Largest relative errors at random θ: angles up to π, half of them log-uniform, and translations up to 10."""
    module, definition, generator = module_of(group), group_from_name(group), random.Random(count)
    worst: dict[str, float] = {}
    for k in range(count):
        angle = np.pi * (generator.random() if k % 2 else 10 ** (-8 * generator.random()))
        axis = np.array([generator.gauss(0, 1) for _ in range(3)])
        other = np.array([generator.gauss(0, 1) for _ in range(definition.dimension - 3)])
        length = 10 ** generator.uniform(-3, 1) / max(float(np.linalg.norm(other)), 1e-300)
        theta = np.concatenate([axis * angle / np.linalg.norm(axis), other * length])
        w = np.array([generator.gauss(0, 1) for _ in theta])
        series = PowerSeries(definition, theta, ACCURATE_DIGITS)
        q = module["op_exp"](theta)
        pairs = {
            "exp": (q, series.exponential()),
            "adjoint": (module["op_adjoint"](q), series.adjoint()),
            "log": (module["op_log"](q), series.theta),
            "tangent_operator": (module["op_tangent_operator"](theta), series.tangent_operator()),
            "tangent_operator_inverse": (
                module["op_tangent_operator_inverse"](theta),
                series.tangent_operator_inverse(),
            ),
            "tangent_operator_derivative": (
                module["op_tangent_operator_derivative"](theta, w),
                series.tangent_operator_derivative(w),
            ),
            "tangent_operator_inverse_derivative": (
                module["op_tangent_operator_inverse_derivative"](theta, w),
                series.tangent_operator_inverse_derivative(w),
            ),
        }
        with mp.workdps(ACCURATE_DIGITS):
            for name, (value, expected) in pairs.items():
                worst[name] = max(worst.get(name, 0.0), relative_error(value, expected))
    return worst


def check_accuracy(group: str, count: int) -> None:
    """Judge `worst_errors`."""
    for name, error in worst_errors(group, count).items():
        assert error <= (tolerances.OPERATOR_DERIVATIVE if "derivative" in name else tolerances.OPERATOR), name


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SO3", "SE3", "S3sR3"])
def test_operators_are_accurate(group: str) -> None:
    check_accuracy(group, 8)


@pytest.mark.slow
@pytest.mark.parametrize("group", ["SO3", "SE3", "S3sR3"])
def test_operators_are_accurate_at_many_points(group: str) -> None:
    check_accuracy(group, 300)


@pytest.mark.parametrize("name", [pytest.param("SE2_3", marks=pytest.mark.slow), "Heisenberg"])
def test_operators_of_custom_groups_are_correct(name: str, tmp_path: Path) -> None:
    result = run_numpy(tmp_path, operator_files(sample(name), "numpy", prefix="op"))
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "fortran"}, "use one of: c, numpy"),
        ({"real": "half"}, "use one of: double, float"),
        ({"prefix": "my-group"}, "use letters, digits"),
        ({"prefix": "numpy"}, "cannot be a prefix of files"),
        ({"prefix": "1st"}, "cannot be a prefix of files"),
        ({"prefix": "lambda"}, "cannot be a prefix of files"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        operator_files(group_from_name("R1"), **{"target": "c", "prefix": "op", **options})


@pytest.mark.parametrize(("target", "real"), [("c", "double"), ("numpy", "double"), ("c", "float")])
def test_certificates_are_written(target: str, real: str, tmp_path: Path) -> None:
    files = files_of("SO3", target, real)
    content = json.loads(files["certificate.json"])
    names = set(re.findall(r"op_([cg]\d(?:_\d)?)\(", files["op.h" if target == "c" else "op.py"]))
    assert {e["name"] for e in content["functions"]} == names
    assert {e["status"] for e in content["functions"]} == {"proved"}
    assert {e["precision"] for e in content["functions"]} == {real}
    assert content["versions"].keys() == {"symlie", "python-flint", "sympy", "compiler"}
    assert "certificate.json" in files["README.md"]
