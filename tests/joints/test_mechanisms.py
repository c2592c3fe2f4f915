"""Ready-made mechanisms of bodies and joints against solutions that are known to more digits."""

from __future__ import annotations

import functools
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import symlie as sl
from symlie.models import puma560, rotor, slider_crank
from symlie.runtime.system.system import System
from tests import tolerances

Array = NDArray[np.float64]
REFERENCE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data/mechanism_reference.json").read_text())
"""Solutions of reduced equations, extrapolated in 80-bit arithmetic; see the file."""


@functools.cache
def rotor_system(data: str, group: str) -> System:
    return rotor.build(data, group).derive().compile()


@functools.cache
def slider_crank_system() -> System:
    return slider_crank.build().derive().compile()


@pytest.mark.parametrize(
    ("data", "group"),
    [
        ("derived", "S3xR3"),
        *(
            pytest.param(data, group, marks=pytest.mark.slow)
            for data, group in itertools.product(("derived", "printed"), ("SO3xR3", "S3xR3", "SO3rvxR3"))
            if (data, group) != ("derived", "S3xR3")
        ),
    ],
)
def test_rotor_matches_the_paper(data: str, group: str) -> None:
    """10,000 turns and more lose nothing."""
    known = REFERENCE["rotor"][data]
    times = [float(t) for t in known]
    solution = sl.solve(rotor_system(data, group), times[-1], method="rkmk_rk67", h=1e-5, t_eval=times)
    errors = np.linalg.norm(solution.outputs["p1"] - np.array(list(known.values())), axis=1)
    assert np.max(errors) < tolerances.ROTOR


@pytest.mark.slow
def test_rotor_error_decreases_with_the_step_size() -> None:
    system = rotor_system("derived", "S3xR3")
    ends = [sl.solve(system, 4.0, method="rkmk_rk67", h=h, t_eval=[4.0]).outputs["p1"][0] for h in (1e-5, 5e-6)]
    assert np.linalg.norm(ends[0] - ends[1]) < tolerances.ROTOR


@pytest.mark.slow
@pytest.mark.parametrize("h", [5e-5, 2.5e-5, 1.25e-5, 6.25e-6, 3.125e-6])
def test_rotor_needs_few_newton_iterations(h: float) -> None:
    """To two decimals; rotation vectors take 2 in table 7 of [Holzinger2024], Exudyn up to 2.02."""
    system = rotor_system("derived", "SO3rvxR3")
    count = round(0.1 / h)
    solution = sl.solve(system, 0.1, h=h, method="generalized_alpha", record_every=count)
    assert round(solution.statistics.newton_iterations / count, 2) <= 2.02


def slider_crank_errors(method: str, exponent: int) -> Array:
    """Of the slider and of the crank angle, (times, 2)."""
    known = REFERENCE["slider_crank"]
    times = [float(t) for t in known]
    solution = sl.solve(slider_crank_system(), times[-1], method=method, h=2.0**-exponent, t_eval=times)
    names = ("slider", "crank_angle")
    errors = [[solution.outputs[n][i] - state[n] for n in names] for i, state in enumerate(known.values())]
    return np.array(errors)


def test_slider_crank_starts_with_its_energy() -> None:
    """Kinetic energy of three bodies, with the rod turning along and across its axis, and weights at heights."""
    system = slider_crank.build().derive().compile(backend="numpy")
    state = system.initial_state
    rod, omega = np.array([0.2, -0.1, -0.2]) / 0.3, np.array([1.92, -0.96, 0.48])
    along = rod @ omega
    moving = 0.12 * 0.24**2 + 1e-4 * 6**2 + 0.5 * (0.12**2 + 0.24**2) + 2.0 * 0.24**2
    turning = 4e-4 * along**2 + 4e-3 * (omega @ omega - along**2)
    found = system.kernels.energy(system.prepared, 0.0, state.q, state.v)
    assert found[0] == pytest.approx((moving + turning) / 2, rel=tolerances.BY_HAND)
    assert found[1] == pytest.approx(9.81 * (0.12 * 0.16 + 0.5 * 0.1), rel=tolerances.BY_HAND)


@pytest.mark.slow
def test_half_explicit_slider_crank_matches_the_reference() -> None:
    errors = {k: np.abs(slider_crank_errors("half_explicit_5", k)) for k in (9, 10, 11)}
    assert np.max(errors[11]) < tolerances.SLIDER_CRANK
    # Terms of sixth order still prevail.
    assert all(np.all(errors[a][-1] > 2**4.9 * errors[b][-1]) for a, b in itertools.pairwise(errors))


@pytest.mark.slow
def test_generalized_alpha_slider_crank_matches_the_reference() -> None:
    errors = {k: slider_crank_errors("generalized_alpha", k) for k in (11, 12)}
    orders = np.log2(errors[11] / errors[12])
    assert np.all(np.abs(orders - 2) < tolerances.ORDER_OF_SLIDER_CRANK)
    assert np.max(np.abs(4 * errors[12] - errors[11]) / 3) < tolerances.EXTRAPOLATED_SLIDER_CRANK


def test_shipped_references_are_reproduced() -> None:
    shipped = {}
    for module in (rotor, slider_crank, puma560):
        path = Path(str(module.__file__))
        states = json.loads(path.with_name(f"{path.stem}_reference.json").read_text())["states"]
        shipped[path.stem] = {float(t): state["outputs"] for t, state in states.items()}
    known = {
        "rotor": {float(t): {"p1": p1} for t, p1 in REFERENCE["rotor"]["derived"].items()},
        "slider_crank": {float(t): outputs for t, outputs in REFERENCE["slider_crank"].items()},
        "puma560": {float(t): outputs for t, outputs in REFERENCE["puma560"]["A"].items()},
    }
    assert shipped == known
