"""Few long steps of Taylor series: states between them, in figures and in files, against many short steps."""

from __future__ import annotations

import functools
import math
from pathlib import Path

import numpy as np
import pytest

import symlie as sl
from symlie.errors import ModelError
from symlie.runtime.integrate.dense import densely
from symlie.runtime.layout.layout import Array
from symlie.runtime.plot.figures import plot_solution
from tests import tolerances
from tests.runtime.test_taylor import swinging
from tests.systems import heavy_top_system

SPIN = 150.0
"""Angular velocity of the heavy top, in rad/s."""

PANELS = ["center_of_mass", "rotation", "top.x", "top.Omega"]
"""What is drawn of it."""


@functools.cache
def top(rtol: float, group: str = "S3xR3") -> sl.Solution:
    """Half a second of the fast top."""
    return sl.solve(heavy_top_system(group), 0.5, method="taylor", rtol=rtol, atol=rtol)


def test_thousand_times_are_evaluated() -> None:
    """A solution of few states is known at all times, as accurately as at its steps."""
    found = top(1e-10)
    times = np.sort(np.random.default_rng(1).uniform(0, 0.5, 1000))
    exact = sl.solve(found.system, 0.5, method="taylor", rtol=1e-14, atol=1e-14, t_eval=times)
    ends = sl.solve(found.system, 0.5, method="taylor", rtol=1e-14, atol=1e-14, t_eval=found.t)
    between = found(times)
    for name, size in (("q", 1.0), ("v", SPIN)):
        of_steps = np.abs(getattr(found, name) - getattr(ends, name)).max()
        error = np.abs(getattr(between, name) - getattr(exact, name)).max()
        assert error <= 10 * max(of_steps, size * tolerances.SERIES_FLOOR)
    assert len(found.t) < 30


def test_figure_times_are_chosen() -> None:
    """Figures show 24 times a turn or more, and times of events."""
    found = densely(top(1e-10, "S3"))
    exact = sl.solve(found.system, 0.5, method="taylor", rtol=1e-13, t_eval=found.t)
    assert np.diff(found.t).max() * SPIN < 2 * math.pi / 24
    assert np.abs(found.q - exact.q).max() <= tolerances.SERIES_OF_MODELS
    short = sl.solve(found.system, 0.5, h=1e-3)
    assert densely(short) is short


def test_high_orders_have_enough_figure_points() -> None:
    """Steps of the highest order with a loose tolerance are the longest."""
    run = sl.solve(heavy_top_system("S3"), 0.5, method="taylor", method_options={"order": 60}, rtol=1e-3)
    assert np.diff(densely(run).t).max() * SPIN < 2 * math.pi / 24


def curves(solution: sl.Solution) -> list[tuple[Array, Array]]:
    """Points of all lines of a figure, relative to the ranges of its axes."""
    figure = plot_solution(solution, None, PANELS)
    found = []
    for axes in figure.axes:
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        for line in axes.get_lines():
            x, y = (np.asarray(part, dtype=float) for part in line.get_data())
            if len(x) > 2:
                found.append(((x - left) / (right - left), (y - low) / (high - low)))
    return found


@pytest.mark.slow
def test_figures_of_two_methods_are_indistinguishable() -> None:
    """The largest distance of curves is far less than the width of a line."""
    system = heavy_top_system("S3xR3")
    taylor = sl.solve(system, 0.1, method="taylor", rtol=1e-10, atol=1e-10)
    other = sl.solve(system, 0.1, method="rkmk_dopri5" if not system.layout.rows else "half_explicit_5", rtol=1e-8)
    first, second = curves(taylor), curves(other)
    assert len(first) == len(second) >= 10
    for (x, y), (u, w) in zip(first, second, strict=True):
        assert np.abs(np.interp(u, x, y) - w).max() <= tolerances.DRAWN_LINES


@pytest.mark.parametrize("backend", ["c", pytest.param("numpy", marks=pytest.mark.slow)])
def test_unwrapped_angles_are_evaluated(backend: str) -> None:
    """The angle of a decelerating wheel is followed also within steps of more than half a turn."""
    model = sl.Model("wheel")
    wheel = sl.RigidBody(model, "wheel", 2.0, [0.1, 0.2, 0.3], "S3xR3", angular_velocity=[0, 0, 50.0])
    axle = sl.RevoluteJoint(model, "axle", model.ground, wheel, at=[0, 0, 0], axis=[0, 0, 1])
    axle.torque(-0.3 * axle.rate)
    solution = sl.solve(model.derive().compile(backend=backend), 2.0, method="taylor", rtol=1e-10)
    assert np.diff(solution.outputs["axle_angle"].ravel()).max() > 1.4 * math.pi
    times = np.linspace(0, 2, 400)
    found = solution(times).outputs["axle_angle"].ravel()
    assert np.abs(found - 50 * (1 - np.exp(-times))).max() <= tolerances.SERIES


def test_sparse_records_are_not_refined() -> None:
    """With fewer states than steps nothing is evaluated between steps, as with other methods."""
    system = heavy_top_system("S3")
    for options in ({"record_every": 0}, {"t_eval": [0.25, 0.5]}):
        found = sl.solve(system, 0.5, method="taylor", rtol=1e-10, **options)
        assert densely(found) is found
        with pytest.raises(ModelError, match="too few for dense output"):
            found(0.3)


def test_events_are_drawn() -> None:
    """Times of events are among the times of a figure, as times of steps are."""
    found = sl.solve(swinging(), 12.0, method="taylor", rtol=1e-12)
    drawn = densely(found)
    assert {e.t for e in found.events} | set(found.t) <= set(drawn.t)
    assert np.abs(drawn.q[:, 0] - np.cos(drawn.t)).max() <= tolerances.SERIES


def test_files_preserve_dense_output(tmp_path: Path) -> None:
    """A solution that was read is evaluated as the one that was written."""
    found = sl.solve(swinging(), 12.0, method="taylor", rtol=1e-12)
    found.save(tmp_path / "run.npz")
    loaded = sl.load_solution(tmp_path / "run.npz", trust=True)
    assert np.array_equal(loaded.t, found.t)
    times = np.linspace(0, 12, 50)
    assert np.array_equal(loaded(times).q, found(times).q)
