"""Bounds of whole matrices: they hold at every point, follow what changes, and are refused where they are not known."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("flint")

from symlie.certify import matrix_proof
from symlie.certify.enclosures import Enclosure, FunctionTable, NotProvableError, enclose
from symlie.certify.matrix_proof import prove_kernel
from symlie.derive.operators.group import group_operators
from symlie.groups.power_series import PowerSeries
from symlie.groups.standard import group_from_name
from symlie.ir.kernels import Kernel
from symlie.ir.straightline import Instruction, StraightLine

BAR = 8.0
DIGITS = 40


@functools.cache
def kernels(group: str) -> tuple[Kernel, ...]:
    """All operators of a group."""
    return group_operators(group_from_name(group)).kernels


def kernel(group: str, name: str) -> Kernel:
    """An operator of a group."""
    return next(k for k in kernels(group) if k.signature.name == name)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less work."""
    monkeypatch.setattr(matrix_proof, "ENOUGH", 20_000)
    monkeypatch.setattr(matrix_proof, "BUDGET", 20_000)


@pytest.mark.slow
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("group", "name", "least", "largest"),
    [
        ("SO3", "tangent_operator", 1.2, BAR),
        ("SO3", "tangent_operator_inverse", 0.5, 3.0),
        ("SO3", "exp", 2.4, 16.0),
    ],
)
def test_matrix_bounds_are_proved(group: str, name: str, least: float, largest: float) -> None:
    """Bounds are above the measured errors, by a small factor only."""
    assert least < prove_kernel(group_from_name(group), kernel(group, name), BAR) < largest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "name"),
    [("SE3", "tangent_operator_inverse"), ("S3sR3", "tangent_operator_inverse"), ("S3", "tangent_operator")],
)
def test_kernel_bounds_are_below_their_limits(group: str, name: str) -> None:
    assert prove_kernel(group_from_name(group), kernel(group, name), BAR) <= BAR


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_worse_kernel_has_a_larger_bound() -> None:
    """A number that is added and subtracted again costs digits, and the bound says so."""
    group, original = group_from_name("SO3"), kernel("SO3", "tangent_operator_inverse")
    body = original.body
    first = str(body.outputs[1])
    spoiled = (Instruction("up", "add", (first, 1000.0)), Instruction("down", "sub", ("up", 1000.0)))
    outputs = tuple("down" if p == first else p for p in body.outputs)
    worse = replace(original, body=StraightLine((*body.instructions, *spoiled), outputs, body.schemes))
    assert prove_kernel(group, worse, BAR) > 100 * prove_kernel(group, original, BAR)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tangent_operator", "exp"])
def test_enclosures_hold(name: str) -> None:
    """Exact values at random points lie in the enclosures of boxes around them, errors of doubles within bounds."""
    body, random = kernel("SE3", name).body, np.random.default_rng(3)
    points = random.uniform(-1.7, 1.7, (6, 6))
    width = random.uniform(0, 0.2, points.shape)
    inputs = {
        f"theta{k}": Enclosure.exact(points[:, k] - width[:, k], points[:, k] + width[:, k], 0 if k < 3 else 1)
        for k in range(6)
    }
    tables = {s.function: FunctionTable(s.function, "double") for s in body.schemes}
    outputs, z_error = enclose(body, inputs, tables, 2.0**-53)
    for i, theta in enumerate(points):
        series = PowerSeries(group_from_name("SE3"), theta, DIGITS)
        exact: Any = getattr(series, {"exp": "exponential"}.get(name, name))()
        flat = exact if name == "exp" else [c for row in exact for c in row]
        assert all(o.lower[i] <= float(v) <= o.upper[i] for o, v in zip(outputs, flat, strict=True))
    assert all(np.all(o.error >= 0) and np.all(o.error < 1e-14) for o in outputs) and np.all(z_error < 1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["c2", "c3_1", "g0", "c1_to_5_2"])
def test_function_tables_enclose_values_and_slopes(name: str) -> None:
    """Values and slopes lie in the ranges of intervals that hold their argument."""
    import mpmath

    from symlie.ir.primitives import evaluate

    table, random = FunctionTable(name, "double"), np.random.default_rng(4)
    z = random.uniform(0, 0.999 * table.end, 20)
    lower, upper = z - random.uniform(0, 0.3, 20), z + random.uniform(0, 0.3, 20)
    found = table(Enclosure.exact(lower, upper, 0), 1.0)
    base = name.partition("_to_")[0]
    for i, x in enumerate(map(float, z)):
        with mpmath.workdps(30):
            value, slope = evaluate(base, mpmath.mpf(x)), mpmath.diff(lambda t: evaluate(base, t), x)
        assert found.lower[i] <= float(value) <= found.upper[i]
        assert found.slope_lower[i] - 1e-12 <= float(slope) <= found.slope_upper[i] + 1e-12


@pytest.mark.parametrize(
    ("group", "name", "message"),
    [
        ("SE3", "log", "not linear"),
        ("SE3", "tangent_operator_derivative", "not linear"),
        ("SO2", "exp", "norms of operators of SO2"),
    ],
)
def test_unknown_operations_are_rejected(group: str, name: str, message: str) -> None:
    with pytest.raises(NotProvableError, match=message):
        prove_kernel(group_from_name(group), kernel(group, name), BAR)
