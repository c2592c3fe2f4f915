"""Newton matrices of whole systems: both backends, 40 digits, differences of forces, and where they come from."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpmath import mpf

import symlie as sl
from symlie.errors import FormatError
from symlie.models.systems import system_of_model
from symlie.publish.sets import generated_files, set_files
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.schur import DenseAlgebra
from symlie.runtime.system.loading import load_system
from symlie.runtime.system.system import System
from tests import tolerances
from tests.emit.building import GENERAL, equations_of
from tests.evaluation import Evaluation

MODELS = ("heavy_top_SE3", "heavy_top_S3", "chain", "polar", *GENERAL)
"""Constant and varying mass, with and without constraints, fixed and general topology."""


@functools.cache
def system_of(model: str, backend: str) -> System:
    """One of the models above."""
    return equations_of(model).compile(backend=backend)


def state_of(system: System) -> tuple[float, Array, Array, Array, Array]:
    """A time and random (q, v, a, λ)."""
    random = np.random.default_rng(3)
    layout = system.layout
    q, _ = system.own_initial()
    q = system.kernels.advance(q, random.uniform(-0.6, 0.6, layout.dimension))
    v, a = random.uniform(-1, 1, (2, layout.dimension))
    return 0.3, q, v, a, random.uniform(-2, 2, layout.rows)


def matrices(system: System) -> list[Array]:
    """K, C and H there, dense."""
    return [m.toarray() for m in system.newton_matrices(system.prepared, *state_of(system))]


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_backends_agree(model: str) -> None:
    compiled, interpreted = (matrices(system_of(model, backend)) for backend in ("c", "numpy"))
    for a, b in zip(compiled, interpreted, strict=True):
        assert np.abs(a - b).max(initial=0) <= tolerances.LIBRARY * np.abs(b).max(initial=0)
    assert all(np.abs(m).max() > 0 for m in compiled[:2])


@pytest.mark.parametrize("backend", ["c", "numpy"])
@pytest.mark.parametrize("model", MODELS)
def test_newton_matrices_match_differences_of_forces(model: str, backend: str) -> None:
    """K w and C w are rates of M(q) a + g + Bᵀ λ along q∘exp(ε w) and along v + ε w; H w is that of B v + b along q."""
    system = system_of(model, backend)
    kernels, algebra, p = system.kernels, DenseAlgebra(system.layout), system.prepared
    t, q, v, a, multipliers = state_of(system)

    def residual(q: Array, v: Array) -> Array:
        mass = algebra.mass_matrix(kernels.mass(p, t, q))
        return mass @ a + kernels.force(p, t, q, v) + algebra.pull(kernels.jacobian(p, t, q, v), multipliers)

    def hidden(q: Array) -> Array:
        return algebra.multiply(kernels.jacobian(p, t, q, v), v) + kernels.constraint_rate(p, t, q, v)

    w = np.random.default_rng(4).uniform(-1, 1, len(v))
    h = 1e-5
    moved = (residual(kernels.advance(q, h * w), v) - residual(kernels.advance(q, -h * w), v)) / (2 * h)
    faster = (residual(q, v + h * w) - residual(q, v - h * w)) / (2 * h)
    turned = (hidden(kernels.advance(q, h * w)) - hidden(kernels.advance(q, -h * w))) / (2 * h)
    for matrix, expected in zip(matrices(system), (moved, faster, turned), strict=True):
        scale = np.abs(matrix).max(initial=0)
        assert np.abs(matrix @ w - expected).max(initial=0) <= tolerances.NEWTON_DIFFERENCE * scale


@pytest.mark.parametrize("model", ["heavy_top_SE3", "polar", "spaghetti"])
def test_kernels_match_high_precision(model: str) -> None:
    """From the derived matrices to compiled values, for one instance of each element type."""
    equations, system = equations_of(model), system_of(model, "c")
    layout, stated = system.layout, equations.model
    t, q, v, a, multipliers = state_of(system)
    found = matrices(system)
    dense: list[Any] = [np.zeros(m.shape, dtype=object) for m in found]
    for index, derived in enumerate(equations.derived):
        statement, newton = derived.statement, derived.newton
        own = () if statement is stated else statement.parameters
        names = [s for p in (*stated.parameters, *own) for s in p.symbols]
        rows = system.element_parameters[index]
        evaluation = Evaluation(statement.program, [e for m in newton.matrices for r in m for e in r])
        for instance in range(layout.instance_counts[index]):
            place = layout.places[index][instance]
            first = layout.first_rows[index] + instance * layout.element_rows[index]
            numbers = [*system.parameters, *rows[instance if len(rows) > 1 else 0]]
            values = {statement.time: mpf(t)} | dict(zip(names, map(mpf, numbers), strict=True))
            for symbols, components in (
                ([s for n in statement.nodes for s in n.value.components], q[layout.stored_places[index][instance]]),
                ([s for n in statement.nodes for s in n.velocity.components], v[place]),
                (newton.acceleration, a[place] if newton.acceleration else []),
                (newton.multipliers, multipliers[first : first + layout.element_rows[index]]),
            ):
                values |= dict(zip(symbols, map(mpf, components), strict=True))
            entries = np.array(evaluation(values), dtype=object).reshape(-1, len(place))
            n = len(place)
            restricted = np.arange(first, first + layout.element_rows[index])
            for matrix, down, block in zip(
                dense, (place, place, restricted), np.split(entries, (n, 2 * n)), strict=True
            ):
                matrix[np.ix_(down, place)] += block
    for matrix, expected in zip(found, dense, strict=True):
        scale = max((abs(e) for e in expected.ravel()), default=0)
        errors = [abs(mpf(x) - e) for x, e in zip(matrix.ravel(), expected.ravel(), strict=True)]
        assert max(errors, default=0) <= tolerances.KERNEL * scale


def test_built_in_models_derive_newton_matrices_on_demand() -> None:
    """The files of a run have none; they are derived on first use, and shared by copies of a system."""
    system = system_of_model("heavy_top", {"group": "SE3"})
    assert not any("newton" in name for name in system.files)
    heavier = system.with_parameters(mass=16.0)
    assert heavier.newton_matrices is system.newton_matrices
    state = state_of(system)
    first, second = (s.newton_matrices(s.prepared, *state)[0].toarray() for s in (system, heavier))
    assert np.abs(first - second).max() > 1


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_generated_folders_contain_newton_matrices(backend: str, tmp_path: Path) -> None:
    folder = equations_of("heavy_top_SE3").generate(tmp_path / "top")
    loaded = sl.load(folder, backend=backend, trust=True)
    for a, b in zip(matrices(loaded), matrices(system_of("heavy_top_SE3", backend)), strict=True):
        assert np.array_equal(a, b)


def test_missing_or_other_newton_matrix_files_are_reported() -> None:
    """Beyond the checksums of folders: tables of another model, damaged ones, and none."""
    equations, name = equations_of("heavy_top_SE3"), "heavy_top_newton.json"
    files = generated_files(equations)
    others = set_files(equations_of("heavy_top_S3"), "newton")
    for given, message in (
        ({**files, **others}, rf"{name} does not belong to this manifest"),
        ({**files, **others, name: "{}"}, f"{name} is damaged"),
        (files, r"lack the set 'newton', Newton matrices; .*symlie generate heavy_top --sets newton"),
    ):
        with pytest.raises(FormatError, match=message):
            _ = load_system(given, backend="numpy").newton_matrices
