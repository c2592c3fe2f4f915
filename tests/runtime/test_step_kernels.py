"""Other local coordinates than exp, and steps on the stored components: orders, backends, files, failures."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpmath import mpf

import symlie as sl
from symlie.api import write_generated
from symlie.errors import FormatError, GroupError, InterruptedIntegrationError
from symlie.runtime.system.system import System
from tests import evaluation, tolerances
from tests.runtime.test_explicit_methods import TIMES, check_agreement, free_rod, observed, runs_of, shaken
from tests.runtime.test_orders import driven_body
from tests.spaces.pendulum import pendulum, pendulum_reference
from tests.systems import heavy_top_equations, heavy_top_system

MAPS = ("cayley", "second_kind")


@pytest.mark.slow
@pytest.mark.parametrize("coordinates", MAPS)
@pytest.mark.parametrize(("name", "k", "order"), [("rkmk_dopri5", 5, 5), ("rkmk_rk67", 2, 6)])
def test_methods_have_their_order_in_other_coordinates(name: str, k: int, order: int, coordinates: str) -> None:
    assert observed(name, k, map=coordinates) >= order - tolerances.ORDER


@pytest.mark.parametrize(("name", "k", "order"), [("ambient_rk4", 5, 4), ("ambient_dopri5", 5, 5)])
def test_methods_have_their_order_in_ambient_space(name: str, k: int, order: int) -> None:
    assert observed(name, k) >= order - tolerances.ORDER


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "order"),
    [
        ("rkmk_rk44", {"map": "cayley"}, 4),
        ("rkmk_rk44", {"map": "second_kind"}, 4),
        ("rkmk_rk44", {"commutators": 1}, 3),
        ("ambient_rk4", {}, 4),
    ],
)
def test_left_actions_are_supported(name: str, options: dict[str, Any], order: int) -> None:
    """A pendulum on TS², with the Euclidean group that acts on it from the left; both backends."""
    errors = []
    for steps in (40, 80):
        ends = [
            sl.solve(pendulum(b), 1.0, method=name, method_options=options, h=1 / steps).q[-1] for b in ("c", "numpy")
        ]
        assert np.abs(ends[0] - ends[1]).max() <= tolerances.BACKENDS
        errors.append(float(np.linalg.norm(ends[0] - pendulum_reference(1.0))))
    assert abs(math.log2(errors[0] / errors[1]) - order) <= tolerances.OBSERVED_ORDER


CASES: list[tuple[str, dict[str, Any]]] = [
    ("rkmk_dopri5", {"map": "cayley"}),
    ("rkmk_dopri5", {"map": "second_kind"}),
    ("ambient_dopri5", {}),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "build", "h"),
    [
        ("rkmk_dopri5", {"map": "cayley"}, shaken, 0.05),
        ("rkmk_dopri5", {"map": "second_kind"}, driven_body, 0.01),
        ("rkmk_dopri5", {"map": "second_kind"}, free_rod, 2e-5),
        ("ambient_dopri5", {}, free_rod, 2e-5),
    ],
)
def test_backends_agree(name: str, options: dict[str, Any], build: Callable[[str], System], h: float) -> None:
    """With prescribed motions, with one node, and with many nodes whose number is run-time data."""
    pair = build("c"), build("numpy")
    check_agreement(*runs_of(pair, 10 * h, method=name, h=h, method_options=options))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_adaptive_steps_meet_the_tolerance(name: str, options: dict[str, Any]) -> None:
    pair = driven_body("c"), driven_body("numpy")
    compiled, plain = runs_of(pair, TIMES[-1], method=name, method_options=options, rtol=1e-6, h0=1.0, trace=True)
    assert compiled.trace is not None and plain.trace is not None
    assert compiled.statistics.rejected > 0
    np.testing.assert_allclose(compiled.trace.h, plain.trace.h, rtol=tolerances.ADAPTIVE_STEPS)
    np.testing.assert_allclose(compiled.q, plain.q, rtol=0, atol=tolerances.ADAPTIVE_STATES)


def test_all_coordinates_converge_to_the_same_motion() -> None:
    system = shaken("c")
    options: list[dict[str, Any]] = [{"map": name} for name in ("exp", *MAPS)]
    ends = [
        sl.solve(system, 0.5, method="rkmk_dopri5", method_options=o, h=2.0**-8, record_every=0).q[-1] for o in options
    ]
    for end in ends[1:]:
        assert 0 < np.abs(end - ends[0]).max() <= tolerances.COORDINATES


def distance_from_the_sphere(method: str, h: float) -> float:
    """| |p| - 1 | of the quaternion at the end."""
    solution = sl.solve(driven_body(), 1.2, method=method, h=h, record_every=0)
    return abs(float(np.linalg.norm(solution.q[-1])) - 1)


def test_ambient_methods_leave_the_manifold() -> None:
    """The length of the quaternion drifts with the order of the method; on the group it stays."""
    errors = [distance_from_the_sphere("ambient_rk4", h) for h in (0.05, 0.025)]
    assert errors[1] > tolerances.ROUNDING_OF_LONG_RUNS and math.log2(errors[0] / errors[1]) >= 4 - tolerances.ORDER
    assert distance_from_the_sphere("rkmk_rk44", 0.05) <= tolerances.EPSILON


def test_unsupported_coordinates_are_rejected() -> None:
    free = heavy_top_system("S3sR3")
    with pytest.raises(GroupError, match=r"^The Cayley map of the matrices of S3sR3 does not stay in the group"):
        free.sets.files("cayley")
    model = sl.Model("body")
    q = model.node("body", sl.SO3rv)
    model.kinetic_energy(q.Omega.dot(q.Omega) / 2)
    with pytest.raises(GroupError, match=r"^Coordinates of the second kind of SO3rv are not elementary"):
        sl.solve(model.derive().compile(), 0.1, method="rkmk_rk44", h=0.01, method_options={"map": "second_kind"})


def test_folders_without_step_kernels_are_reported(tmp_path: Path) -> None:
    """Generated folders are unchanged; models have the kernels of a method."""
    system = sl.load(write_generated(heavy_top_equations("S3"), tmp_path / "top"), trust=True)
    assert system.sets.present == ("newton", "ports")
    with pytest.raises(
        FormatError,
        match=r"lack the set 'cayley', .* --sets newton,ports,cayley",
    ):
        sl.solve(system, 0.1, method="rkmk_rk44", h=0.01, method_options={"map": "cayley"})


@pytest.mark.slow
def test_solution_files_contain_step_kernels(tmp_path: Path) -> None:
    """Checkpoints and solutions continue without the model."""

    def stop(fraction: float) -> None:
        if fraction > 0.1:
            raise KeyboardInterrupt

    system: System = driven_body()
    run: dict[str, Any] = {"method": "rkmk_dopri5", "method_options": {"map": "cayley"}, "record_every": 0}
    with pytest.raises(InterruptedIntegrationError):
        sl.solve(system, 1.0, h=1e-6, progress=stop, checkpoint=tmp_path / "run", **run)
    whole = sl.solve(system, 1.0, h=1e-6, **run)
    resumed = sl.resume(tmp_path / "run", trust=True)
    assert resumed.q[-1].tobytes() == whole.q[-1].tobytes()
    resumed.save(tmp_path / "run.npz")
    again = sl.load_solution(tmp_path / "run.npz", trust=True)
    assert "cayley" in again.system.sets.present
    later = sl.solve(again.system, 1.1, start=again, h=1e-3, **run)
    assert later.status == "ok"


@pytest.mark.parametrize("group", ["S3", "SO3", "SE3", "S3sR3", "SO3xR3", "S3xR3"])
def test_products_of_increments_are_correct(group: str) -> None:
    """exp, products, inverses and logarithms of elements near to each other, on both sides of the end of the series."""
    system = heavy_top_system(group, backend="numpy")
    near, core = system.sets.nodes("increments"), system.mechanics.kernels
    random = np.random.default_rng(3)
    q = core.advance(system.layout.identity, random.normal(size=system.layout.dimension))
    for angle in (0.0, 1e-8, 0.1, 0.4, 0.5, 1.5, 2.5):
        turn = random.normal(size=system.layout.dimension)
        turn[:3] *= angle / np.linalg.norm(turn[:3])
        element = near.exponential(turn)
        there = near.compose(q, element)
        np.testing.assert_allclose(there, core.advance(q, turn), rtol=0, atol=tolerances.ROUNDING_OF_INCREMENTS)
        np.testing.assert_allclose(
            near.compose(near.inverse(q), there), element, rtol=0, atol=tolerances.ROUNDING_OF_INCREMENTS
        )
        np.testing.assert_allclose(near.increment(q, there), turn, rtol=0, atol=tolerances.ROUNDING_OF_INCREMENTS)


def test_angle_minus_sine_is_accurate() -> None:
    """By its definition, also near the end of its series, and where rounding makes the argument negative."""
    excess = heavy_top_system("SO3", backend="numpy").sets.functions("increments")["_angle_excess"]
    z = np.array([1e-9, 0.02, 0.0499, 0.0501, 0.3, 0.9, 0.999])
    expected = [float(evaluation.angle_excess(mpf(float(x)))) for x in z]
    np.testing.assert_allclose(excess(z), expected, rtol=tolerances.ROUNDING_OF_INCREMENTS)
    np.testing.assert_allclose(excess(np.array([-1e-16, 0.0])), 1 / 3, rtol=tolerances.ROUNDING_OF_INCREMENTS)
