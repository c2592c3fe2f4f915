"""Derivatives of functional mock-up units, compared with differences."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symlie as sl
from symlie.runtime.system.system import System
from tests import tolerances
from tests.export.test_fmu import TARGETS, VERSIONS, fast_compilation
from tests.export.units import Instance

fmi1 = pytest.importorskip("fmpy.fmi1", reason="units are tested in FMPy, which is not installed")
pytestmark = pytest.mark.export

__all__ = ["fast_compilation"]

STEP = 2.0**-16
"""Relative to states, inputs and parameters of size one."""


def pushed_top() -> System:
    """A top on a rod with a changing length, pushed by an input."""
    model = sl.Model("pushed")
    mass, length = model.parameter("mass", 2.0), model.parameter("length", 0.5)
    push = model.input("push", 2)
    top = model.node("top", "SE3")
    model.kinetic_energy((mass * top.U.dot(top.U) + 0.1 * top.Omega.dot(top.Omega) + 0.2 * top.Omega[2] ** 2) / 2)
    model.force(sl.vector(push[0], push[1], -9.81 * mass), top.x)
    pivot = sl.vector(0, 0, 0.1 * sl.sin(3 * model.t))
    model.constraint("tip", top.x - top.R @ sl.vector(0, 0, length) - pivot)
    model.output("height", top.x[2] + top.Omega[0] * model.t)
    model.output("squares", [top.x[0] ** 2, push[0] * top.x[1]])
    model.event("low", top.x[2] - 0.1, terminal=False)
    model.initial(top, x=[0, 0, 0.5], Omega=[1, 2, 9])
    return model.derive().compile(backend="c")


@pytest.fixture(scope="module")
def system() -> System:
    """The pushed top."""
    return pushed_top()


@pytest.fixture(scope="module")
def units(system: System, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Path]]:
    folder = tmp_path_factory.mktemp("derivatives")
    yield {v: system.export(TARGETS[v], folder / f"pushed{v}.fmu", h=2.0**-8, kind="both") for v in VERSIONS}


@pytest.fixture(scope="module")
def rotating_units(system: System, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Path]]:
    """Units whose states rotate with the top."""
    folder = tmp_path_factory.mktemp("rotating")
    told: dict[str, Any] = {"h": 2.0**-8, "kind": "both", "states": "corotating"}
    yield {v: system.export(TARGETS[v], folder / f"pushed{v}.fmu", **told) for v in VERSIONS}


def begun(file: Path) -> Instance:
    """An instance for model exchange in continuous time, with an input that was set."""
    one = Instance(file, exchanges=True).begin()
    for name in [n for n in one.references if n.startswith("push")]:
        one.set(name, [0.3] if one.is_second else [0.3, 0.3])
    if one.is_second:
        one.unit.enterContinuousTimeMode()
    else:
        one.unit.updateDiscreteStates()
        one.unit.enterContinuousTimeMode()
    return one


def names_of(one: Instance) -> tuple[list[str], list[str]]:
    """Variables with derivatives, and those by which they are differentiated."""
    names = list(one.references)
    states = [v.name for v in one.described.modelVariables if v.nominal is not None]
    known = [n for n in names if n.startswith("push") or n in ("time", "mass", "length", *states)]
    outputs = [v.name for v in one.described.modelVariables if v.causality == "output"]
    return [n for n in names if n.startswith(("der(", "low")) or n in outputs], known


def moved(one: Instance, known: list[str], values: NDArray[np.float64], unknown: list[str]) -> NDArray[np.float64]:
    """Values of unknown variables for values of the known ones."""
    states, others, begin = [], [], 0
    for name in known:
        size = 1 if one.is_second else one.size([name])
        part = values[begin : begin + size]
        if name == "time":
            one.unit.setTime(part[0])
        elif name.startswith("top."):
            states.extend(part)
        else:
            others.append((name, part))
        begin += size
    for name, part in others:
        one.set(name, part)
    one.unit.setContinuousStates((fmi1.c_double * len(states))(*states), len(states))
    return one.get(unknown)


@pytest.mark.parametrize("kind", ["units", "rotating_units"])
@pytest.mark.parametrize("version", VERSIONS)
def test_directional_derivatives_are_those_of_the_unit(kind: str, version: int, request: pytest.FixtureRequest) -> None:
    """Also in directions that leave the group, because other programs differentiate by each stored component."""
    one = begun(request.getfixturevalue(kind)[version])
    one.unit.setTime(0.1)
    unknown, known = names_of(one)
    values = one.get(known)
    generator = np.random.default_rng(0)
    for _ in range(3):
        seed = generator.uniform(-1, 1, values.size)
        ends = [moved(one, known, values + STEP * k * seed, unknown) for k in (-2, -1, 1, 2)]
        expected = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12 * STEP)
        moved(one, known, values, unknown)
        found = one.derivatives(unknown, known, seed)
        np.testing.assert_allclose(
            found, expected, rtol=0, atol=tolerances.DERIVATIVES_OF_UNITS * np.abs(expected).max()
        )


@pytest.mark.parametrize("kind", ["units", "rotating_units"])
def test_adjoint_derivatives_are_transposed(kind: str, request: pytest.FixtureRequest) -> None:
    one = begun(request.getfixturevalue(kind)[3])
    one.unit.setTime(0.1)
    unknown, known = names_of(one)
    generator = np.random.default_rng(1)
    dx, dz = generator.uniform(-1, 1, one.size(known)), generator.uniform(-1, 1, one.size(unknown))
    references = [[one.references[name] for name in names] for names in (unknown, known)]
    adjoint = np.array(one.unit.getAdjointDerivative(*references, list(dz), one.size(known)))
    forward = one.derivatives(unknown, known, dx)
    assert abs(adjoint @ dx - forward @ dz) <= tolerances.EXPORTED_TERMS * np.abs(forward).max() * dz.size


@pytest.mark.parametrize("kind", ["units", "rotating_units"])
@pytest.mark.parametrize("version", VERSIONS)
def test_outputs_have_derivatives_by_time(kind: str, version: int, request: pytest.FixtureRequest) -> None:
    """They are the slopes of the outputs along the motion, and of the multipliers."""
    one = Instance(request.getfixturevalue(kind)[version]).begin()
    names = ["height", *[n for n in one.references if n.startswith("tip.lambda")]]
    h, slopes, values = 2.0**-8, [], []
    for k in range(5):
        values.append(one.get(names))
        references = [one.references[n] for n in names]
        get = one.unit.getRealOutputDerivatives if one.is_second else one.unit.getOutputDerivatives
        slopes.append(np.array(get(references, [1] * len(names))))
        one.step(k * h, h)
    expected = (8 * (values[3] - values[1]) - (values[4] - values[0])) / (12 * h)
    # The difference quotient has an error of order h^4 in the oscillations of the top, whose rate is 9 rad/s.
    np.testing.assert_allclose(slopes[2], expected, rtol=0, atol=(20 * h) ** 4 * np.abs(expected).max())


@pytest.mark.parametrize("version", VERSIONS)
def test_other_derivatives_are_refused(units: dict[int, Path], version: int) -> None:
    one = begun(units[version])
    with pytest.raises(fmi1.FMICallException, match="status 3"):
        one.derivatives(["height"], ["step_size"], np.ones(1))
    assert one.messages[-1].startswith("derivatives are those of rates, multipliers, outputs")


def test_sources_with_rotating_states_compile_without_warnings(rotating_units: dict[int, Path], tmp_path: Path) -> None:
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-c", "fmu.c"]
    for version, file in rotating_units.items():
        with zipfile.ZipFile(file) as archive:
            archive.extractall(tmp_path / str(version))
        subprocess.run(["gcc", *flags], cwd=tmp_path / str(version) / "sources", check=True)
