"""Operators of groups without closed forms: short loops over matrices, accurate up to the edge of the logarithm."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cffi
import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from sympy import Matrix, zeros

import symlie as sl
from symlie.api import operator_files
from symlie.certify.certificate import check_file
from symlie.certify.checker.arithmetic import CertificateError
from symlie.certify.checker.series import STATUS, check_series
from symlie.certify.loops import loop_entries
from symlie.derive.operators.group import group_operators
from symlie.groups.group import LieGroup, direct_product
from symlie.groups.power_series import PowerSeries
from tests import tolerances
from tests.emit.building import write
from tests.emit.test_operators import PEDANTIC, find_compiler, run_c, run_numpy, subprocess
from tests.groups.samples import SAMPLES, sample, turn, unit

Array = NDArray[np.floating]

LARGEST_SOURCE = 100_000
"""Bytes of a source; unrolled loops took 2 MB on SL(3)."""

DIGITS = 40


def _special_linear_of_space() -> LieGroup:
    """SL(3), homographies of the plane."""
    off = [unit(3, i, j) for i in range(3) for j in range(3) if i != j]
    return sl.matrix_group("SL3", [*off, unit(3, 0, 0) - unit(3, 1, 1), unit(3, 1, 1) - unit(3, 2, 2)])


def _as_real(real: Matrix, imaginary: Matrix) -> Matrix:
    """A complex matrix as a real one of twice the size."""
    return Matrix([[real, -imaginary], [imaginary, real]])


def _special_unitary() -> LieGroup:
    """SU(3) by real matrices."""
    none = zeros(3, 3)
    pairs = [(0, 1), (0, 2), (1, 2)]
    skew = [_as_real(unit(3, i, j) - unit(3, j, i), none) for i, j in pairs]
    symmetric = [_as_real(none, unit(3, i, j) + unit(3, j, i)) for i, j in pairs]
    diagonal = [_as_real(none, unit(3, i, i) - unit(3, i + 1, i + 1)) for i in range(2)]
    return sl.matrix_group("SU3", [*skew, *symmetric, *diagonal])


def _spin() -> LieGroup:
    """SU(2) by real matrices, of which the logarithm alone has no closed form."""
    units = [_as_real(zeros(2, 2), Matrix([[0, 1], [1, 0]])), _as_real(turn(2, 0, 1), zeros(2, 2))]
    return sl.matrix_group("SU2", [*units, _as_real(zeros(2, 2), Matrix([[1, 0], [0, -1]]))])


def _poses_of_four_dimensions() -> LieGroup:
    """SE(4)."""
    turns = [turn(5, i, j) for i in range(4) for j in range(i)]
    return sl.matrix_group("SE4", [*turns, *[unit(5, i, 4) for i in range(4)]])


FACTORIES: dict[str, Callable[[], LieGroup]] = {
    "SL3": _special_linear_of_space,
    "SU3": _special_unitary,
    "SU2": _spin,
    "SE4": _poses_of_four_dimensions,
    "AffineLinexSE2": lambda: direct_product(sample("AffineLine"), sl.SE2),
    "SL2xSO3": lambda: direct_product(sample("SL2"), sl.SO3),
    "Sim3xSL2": lambda: direct_product(sample("Sim3"), sample("SL2")),
}


@functools.cache
def group(name: str) -> LieGroup:
    return FACTORIES[name]() if name in FACTORIES else sample(name)


@functools.cache
def files_of(name: str, target: str = "c", real: str = "double") -> Mapping[str, str]:
    return operator_files(group(name), target, prefix="op", real=real)


@functools.cache
def module_of(name: str) -> dict[str, Any]:
    """Names of the NumPy module of a group."""
    scope: dict[str, Any] = {}
    exec(compile(files_of(name, "numpy")["op.py"], "op.py", "exec"), scope)
    return scope


@pytest.mark.parametrize(
    "name",
    [
        *("AffineLine", "SU2", "AffineLinexSE2"),
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("SL2xSO3", "SL3", "SE4", "SU3", "Sim3xSL2")),
    ],
)
def test_operators_are_short_and_pass_their_self_test(name: str, tmp_path: Path) -> None:
    files = files_of(name)
    assert len(files["op.c"].encode()) <= LARGEST_SOURCE
    result = run_c(tmp_path, files, "-O2")
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    "name", ["AffineLine", *(pytest.param(n, marks=pytest.mark.slow) for n in ("SO4", "SL2xSO3", "SL3"))]
)
def test_operators_in_numpy_pass_their_self_test(name: str, tmp_path: Path) -> None:
    files = files_of(name, "numpy")
    assert len(files["op.py"].encode()) <= LARGEST_SOURCE
    result = run_numpy(tmp_path, files)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("target", ["c", "numpy"])
def test_operators_of_single_precision_pass_their_self_test(target: str, tmp_path: Path) -> None:
    files = files_of("SL2", target, "float")
    result = (run_c if target == "c" else run_numpy)(tmp_path, files)
    assert result.returncode == 0, result.stdout + result.stderr
    assert target == "numpy" or "double" not in files["op.c"]


def amplification(tangent: list[list[Any]], inverse: list[list[Any]]) -> float:
    """|T| |T⁻¹|/n."""
    sizes = [float(np.linalg.norm(np.array(rows, dtype=float))) for rows in (tangent, inverse)]
    return max(1.0, sizes[0] * sizes[1] / len(tangent))


def error(value: Array, expected: list[Any]) -> float:
    """Relative error in the Frobenius norm."""
    flat = [c for row in expected for c in row] if isinstance(expected[0], list) else expected
    with mpmath.workdps(DIGITS):
        difference = [mpmath.mpf(float(a)) - b for a, b in zip(np.ravel(value), flat, strict=True)]
        return float(mpmath.norm(difference) / mpmath.norm(flat))


def check_accuracy(name: str, seed: int) -> None:
    """All operators at a random θ of a norm up to 3 against series; exp and log of matrices against mpmath."""
    module, definition, generator = module_of(name), group(name), np.random.default_rng(seed)
    theta, w = generator.uniform(-1, 1, definition.dimension), generator.uniform(-1, 1, definition.dimension)
    basis = np.array(definition.basis.tolist(), dtype=float)
    n = math.isqrt(len(basis))
    theta *= 10 ** generator.uniform(-3, math.log10(3)) / np.linalg.norm((basis @ theta).reshape(n, n), 2)
    series = PowerSeries(definition, theta, DIGITS)
    exact = series.exponential()
    scale = amplification(series.tangent_operator(), series.tangent_operator_inverse())
    pairs = {
        "exp": (module["op_exp"](theta), exact),
        "tangent_operator": (module["op_tangent_operator"](theta), series.tangent_operator()),
        "tangent_operator_inverse": (module["op_tangent_operator_inverse"](theta), series.tangent_operator_inverse()),
        "derivative": (module["op_tangent_operator_derivative"](theta, w), series.tangent_operator_derivative(w)),
        "inverse_derivative": (
            module["op_tangent_operator_inverse_derivative"](theta, w),
            series.tangent_operator_inverse_derivative(w),
        ),
    }
    for operator, (value, expected) in pairs.items():
        assert error(value, expected) <= tolerances.LOOPS * scale, operator
    with mpmath.workdps(DIGITS):
        matrix = mpmath.matrix([exact[n * i : n * i + n] for i in range(n)])
        algebra = mpmath.matrix((basis @ theta).reshape(n, n).tolist())
        assert mpmath.norm(mpmath.expm(algebra, method="taylor") - matrix) <= tolerances.LOOPS * mpmath.norm(matrix)
        principal = mpmath.logm(matrix)
        expected_log = np.linalg.lstsq(basis, np.array([float(mpmath.re(c)) for c in principal]), rcond=None)[0]
    found = module["op_log"](np.array(exact, dtype=float))
    size = float(np.linalg.norm(np.array(exact, dtype=float)))
    assert np.max(np.abs(found - expected_log)) <= tolerances.LOOPS * scale * max(1.0, size**2), "log"


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", ["SL2", "SO4", pytest.param("SL3", marks=pytest.mark.slow)])
def test_operators_are_short_and_accurate(name: str, seed: int) -> None:
    assert len(files_of(name, "numpy")["op.py"].encode()) <= LARGEST_SOURCE
    check_accuracy(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SL2", "SL3", "SO4", "SU3"])
@pytest.mark.parametrize("seed", range(100, 200))
def test_operators_are_accurate_at_many_points(name: str, seed: int) -> None:
    check_accuracy(name, seed)


def turned(angle: float, other: float, seed: int) -> Array:
    """θ of a rotation in R⁴ by two angles in random planes."""
    planes, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(4, 4)))
    generator = np.zeros((4, 4))
    generator[0, 1], generator[2, 3] = angle, other
    matrix = planes @ (generator - generator.T) @ planes.T
    basis = np.array(group("SO4").basis.tolist(), dtype=float)
    return np.linalg.lstsq(basis, matrix.ravel(), rcond=None)[0]


@pytest.mark.parametrize("seed", range(4))
def test_logarithm_beyond_the_cut_locus_is_the_principal_one(seed: int) -> None:
    module = module_of("SO4")
    q = module["op_exp"](turned(4.0, 0.3 * seed, seed))
    found = module["op_log"](q)
    nearest = turned(4.0 - 2 * math.pi, 0.3 * seed, seed)
    assert np.max(np.abs(found - nearest)) <= tolerances.LOOPED_LOGARITHM


@pytest.mark.slow
def test_logarithm_is_nan_if_the_principal_one_is_outside_the_algebra() -> None:
    """Angles 2.4, 2.4 and -4.8 of SU(3): the principal ones add up to 2π."""
    module = module_of("SU3")
    assert np.allclose(module["op_log"](module["op_exp"](np.eye(8)[6] * 1.2)), np.eye(8)[6] * 1.2)
    assert np.isnan(module["op_log"](module["op_exp"](2.4 * np.eye(8)[6] + 4.8 * np.eye(8)[7]))).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("distance", [0.09, 1e-3, 1e-6, 1e-9, 1e-12])
def test_logarithm_is_accurate_next_to_rotations_by_pi(distance: float, seed: int) -> None:
    theta = turned(math.pi - distance, 0.3 * seed, seed)
    q = np.array(PowerSeries(group("SO4"), theta, DIGITS).exponential(), dtype=float)
    assert np.max(np.abs(module_of("SO4")["op_log"](q) - theta)) <= tolerances.LOOPED_LOGARITHM


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-6])
def test_logarithm_near_a_pole_has_the_condition_error(distance: float) -> None:
    theta = np.array([0.3, 1.0, -1.2]) * (math.pi - distance) / math.sqrt(1.2 - 0.3**2)
    q = np.array(PowerSeries(group("SL2"), theta, DIGITS).exponential(), dtype=float)
    lost = np.max(np.abs(module_of("SL2")["op_log"](q) - theta))
    assert lost <= tolerances.LOOPED_LOGARITHM * 4 / distance


@pytest.mark.parametrize(
    ("name", "matrix"),
    [
        ("SL2", [[-2.0, 0.0], [0.0, -0.5]]),
        ("SL2", [[-1.0, 1.0], [0.0, -1.0]]),
        pytest.param("SL3", [[-3.0, 1.0, 0.0], [0.0, -0.5, 0.0], [0.0, 0.0, 2 / 3]], marks=pytest.mark.slow),
        ("SO4", np.diag([-1.0, -1.0, 1.0, 1.0]).tolist()),
        ("SL2", [[math.nan, 0.0], [0.0, 1.0]]),
    ],
)
def test_logarithm_is_nan_without_a_principal_one(name: str, matrix: list[list[float]]) -> None:
    assert np.isnan(module_of(name)["op_log"](np.ravel(matrix))).all()


@pytest.mark.parametrize("name", ["SU2", *(pytest.param(n, marks=pytest.mark.slow) for n in ("SL3", "SO4"))])
def test_logarithms_agree_in_c_numpy_and_arrays(name: str, tmp_path: Path) -> None:
    write(tmp_path, files_of(name))
    command = [*find_compiler().command, *PEDANTIC, "-O2", "-shared", "-fPIC", "op.c", "-lm", "-o", "op.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    n, m = group(name).dimension, group(name).storage_dimension
    ffi = cffi.FFI()
    sizes = {"exp": m, "log": n, "adjoint": n * n}
    shapes = {"tangent_operator": 1, "tangent_operator_inverse": 1}
    shapes |= {f"{k}_derivative": 2 for k in shapes}
    for operator in (*sizes, *shapes):
        ffi.cdef(f"void op_{operator}({'const double *, ' * shapes.get(operator, 1)} double *);")
    library, module = ffi.dlopen(str(tmp_path / "op.so")), module_of(name)

    def in_c(operator: str, *inputs: Array) -> Array:
        result = np.zeros(sizes.get(operator, n * n))
        arrays = [np.ascontiguousarray(x) for x in (*inputs, result)]
        getattr(library, f"op_{operator}")(*(ffi.from_buffer("double[]", a) for a in arrays))
        return arrays[-1]

    generator = np.random.default_rng(7)
    theta, w = generator.uniform(-1, 1, (2, 5, n)), generator.uniform(-1, 1, (2, 5, n))
    theta *= np.array([1e-9, 0.1, 1.0, 2.0, 3.0])[:, None]
    q = module["op_exp"](theta)
    inverse = module["op_tangent_operator_inverse"](theta)
    scale = np.linalg.norm(module["op_tangent_operator"](theta), axis=(-2, -1)) * np.linalg.norm(inverse, axis=(-2, -1))
    for operator in (*sizes, *shapes):
        inputs = (q,) if operator in ("log", "adjoint") else (theta, w)[: shapes.get(operator, 1)]
        values = module[f"op_{operator}"](*inputs)
        for i in np.ndindex(theta.shape[:-1]):
            single = module[f"op_{operator}"](*(x[i] for x in inputs))
            allowed = tolerances.LOOPS_IN_C * scale[i] / n * max(1.0, float(np.linalg.norm(q[i])) ** 2)
            for other in (single, in_c(operator, *(x[i] for x in inputs)).reshape(values[i].shape)):
                assert np.allclose(values[i], other, rtol=0, atol=allowed * np.linalg.norm(values[i])), operator


def test_read_me_shows_the_matrix_and_the_domain_of_the_logarithm() -> None:
    triangular = sl.matrix_group("Triangular", [unit(3, 0, 1), unit(3, 0, 2), unit(3, 0, 0) - unit(3, 1, 1)])
    text = operator_files(triangular, "c", prefix="op")
    domains = {"README.md": "zero or a negative real number", "op.h": "a zero or negative real eigenvalue"}
    for name, domain in domains.items():
        assert "[ q[0]   q[1]   q[2]   ]" in text[name]
        assert "[ 0      q[3]   0      ]" in text[name]
        assert "[ 0      0      1      ]" in text[name]
        assert domain in text[name]
    assert "principal logarithm" in text["README.md"] and "NaN" in text["README.md"]


def test_certificates_bound_operator_loops(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(files_of("AffineLine")["certificate.json"], encoding="utf-8")
    assert check_file(path) == {"scaled_phi1": STATUS, "artanh": STATUS}
    for entry in loop_entries(group_operators(group("SL2"))):
        assert entry["truncation_eps"] < 0.5
        for change in ({"degree": int(str(entry["degree"])) - 2}, {"norm": "2"}, {"truncation_eps": 1e-9}):
            with pytest.raises(CertificateError):
                check_series({**entry, **change})


@pytest.mark.parametrize(
    "name", ["SE2", "Heisenberg", *(pytest.param(n, marks=pytest.mark.slow) for n in ("SE3", "SE23"))]
)
def test_groups_in_closed_form_have_no_loops(name: str) -> None:
    assert not group_operators(sample(name) if name in SAMPLES else sl.group_from_name(name)).has_series


@pytest.mark.slow
def test_groups_with_closed_exponentials_have_no_kernel_of_the_logarithm() -> None:
    kernels = [k.signature.name for k in group_operators(group("SU2")).kernels]
    assert kernels[:3] == ["exp", "adjoint", "tangent_operator"]
    assert "log" not in kernels
