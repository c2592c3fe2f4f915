"""Continua compared with closed-form solutions: a string, a torsion bar, a planar cantilever, a closed circle."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import symlie as sl
from symlie.runtime.layout.layout import Array
from symlie.runtime.system.system import System
from tests import tolerances


def string(segments: int) -> System:
    """A string under the tension 10 N, of 0.01 kg/m and 1 m."""
    model = sl.Model("string")
    continuum = sl.Continuum(model, "string", "R3", length=1.0)
    continuum.kinetic_density(0.01 * continuum.v.dot(continuum.v) / 2)
    continuum.potential_density(100 * (continuum.w.norm() - 0.9) ** 2 / 2)
    continuum.clamp("start", "end")
    continuum.initial(x=lambda s: (s, 0, 0))
    continuum.discretize(segments)
    return model.derive().compile("numpy")


def torsion_bar(segments: int, held: tuple[str, ...]) -> System:
    """A bar of 2 m with the speed of waves 10 m/s."""
    model = sl.Model("torsion_bar")
    bar = sl.Continuum(model, "bar", sl.SO2, length=2.0)
    bar.kinetic_density(0.3 * bar.v.dot(bar.v) / 2)
    bar.potential_density(30 * bar.w.dot(bar.w) / 2)
    bar.clamp(*held)
    bar.discretize(segments)
    return model.derive().compile("numpy")


def frequencies(system: System) -> list[float]:
    """Angular frequencies of all modes, rising."""
    found = system.linearize()
    return sorted(2 * np.pi * found.frequencies[found.modes])


def test_string_has_the_frequencies_of_a_discrete_string() -> None:
    n, c = 16, np.sqrt(10 / 0.01)
    exact = np.repeat(2 * c * n * np.sin(np.arange(1, 4) * np.pi / (2 * n)), 2)
    np.testing.assert_allclose(frequencies(string(n))[:6], exact, rtol=tolerances.LINEAR_CONTINUUM)


@pytest.mark.parametrize(("held", "shift"), [(("start",), 0.5), (("start", "end"), 0.0)])
def test_torsion_bar_has_its_analytical_frequencies(held: tuple[str, ...], shift: float) -> None:
    n = 16
    waves = (np.arange(1, 6) - shift) * np.pi / 2.0
    exact = 2 * 10 * (n / 2.0) * np.sin(waves * 2.0 / (2 * n))
    found = frequencies(torsion_bar(n, held))[:5]
    np.testing.assert_allclose(found, exact, rtol=tolerances.LINEAR_CONTINUUM)
    coarse = frequencies(torsion_bar(n // 2, held))[0]
    assert np.isclose(np.log2((10 * waves[0] - coarse) / (10 * waves[0] - found[0])), 2, atol=tolerances.SPACE_ORDER)


def elastica(load: float) -> tuple[float, float]:
    """End of an inextensible cantilever of length and stiffness one under a force across, by shooting."""

    def rates(s: float, y: Array) -> list[float]:
        return [y[1], -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

    def end(curvature: float) -> Array:
        return solve_ivp(rates, (0, 1), [0, curvature, 0, 0], rtol=1e-11, atol=1e-12).y[:, -1]

    found = end(brentq(lambda k: end(k)[1], 0, 2 * load))
    return float(found[2]), float(found[3])


def cantilever(segments: int, load: float) -> Array:
    """End of a planar beam on SE(2) that neither shears nor stretches."""
    model = sl.Model("cantilever")
    beam = sl.Continuum(model, "beam", sl.SE2, length=1.0)
    beam.kinetic_density(beam.v.dot(beam.v) / 2)
    beam.potential_density(beam.w[0] ** 2 / 2)
    beam.constraint_density("stiff", [beam.w[1] - 1, beam.w[2]])
    beam.clamp("start")
    beam.initial(x=lambda s: (s, 0))
    beam.end_load("end", force=[0, load])
    beam.discretize(segments)
    return np.array(model.derive().compile("numpy").static_equilibrium().q).reshape(-1, 4)[-1, 2:]


@pytest.mark.slow
def test_planar_cantilever_bends_like_the_elastica() -> None:
    exact = np.array(elastica(5.0))
    errors = [np.abs(cantilever(n, 5.0) - exact).max() for n in (10, 20)]
    assert errors[1] < tolerances.CANTILEVER_GRID
    assert np.isclose(np.log2(errors[0] / errors[1]), 2, atol=tolerances.SPACE_ORDER)


@pytest.mark.parametrize("segments", [3, 4, 8])
def test_rod_rolls_up_to_a_circle_on_every_grid(segments: int) -> None:
    model = sl.Model("roll_up")
    rod = sl.CosseratRod(
        model, "rod", segments=segments, length=10.0, stiffness=[500, 500, 500, 1e4, 1e4, 1e4],
        inertia=[10, 10, 10, 1, 1, 1], position=lambda s: (s, 0, 0), orientation=(0.5**0.5, 0, 0.5**0.5, 0),
    )  # fmt: skip
    rod.clamp("start")
    rod.end_load("end", moment=[0, 2 * np.pi * 500 / 10, 0])
    angle = 2 * np.pi * np.arange(segments + 1) / segments
    r = 10 / (2 * np.pi)
    p = [np.array([np.cos(a / 2 + np.pi / 4), 0, np.sin(a / 2 + np.pi / 4), 0]) for a in angle]
    rod.nodes.initial(x=np.column_stack([r * np.sin(angle), 0 * angle, r * (np.cos(angle) - 1)]), p=p)
    system = model.derive().compile("numpy")
    state = system.initial_state
    force = system.kernels.force(system.prepared, 0.0, state.q, state.v)[system.layout.free]
    assert np.abs(force).max() < tolerances.ROLL_UP_RESIDUAL
