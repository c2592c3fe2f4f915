"""Selection of drawn states: all of a few, the significant ones of many, none with NaN."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import symlie as sl
from symlie.runtime.solution.solution import Solution
from symlie.utilities.encoding import decoded
from symlie.view.frames import MOST_FRAMES, chosen_states, largest_error
from symlie.view.poses import Track, tracks
from tests import tolerances
from tests.systems import heavy_top_system
from tests.view.models import ball, everything_moving


def drawn(solution: Solution) -> dict[str, object]:
    found: dict[str, object] = solution.view().scene["solutions"][0]
    return found


def test_few_states_are_drawn_at_their_times() -> None:
    solution = sl.solve(ball(), 1.0, t_eval=[0, 0.1, 0.15, 0.7, 1.0])
    found = drawn(solution)
    assert decoded(found["times"]).tolist() == solution.t.tolist()
    assert found["notes"] == []


def test_single_state_can_be_drawn() -> None:
    found = drawn(sl.solve(ball(), 1.0, h=0.1, t_eval=[1.0]))
    assert decoded(found["times"]).tolist() == [1.0]


def spiral(t: np.ndarray) -> Track:
    """A point that turns, for a moment quickly, and a rotation that goes with it."""
    phase = 10 * np.arctan(100 * (t - 2))
    x = np.stack([np.cos(phase), np.sin(phase), t], axis=1)
    rate = 1000 / (1 + 1e4 * (t - 2) ** 2)
    u = np.stack([-rate * np.sin(phase), rate * np.cos(phase), np.ones_like(t)], axis=1)
    turned = np.stack([np.cos(phase / 2), 0 * t, 0 * t, np.sin(phase / 2)], axis=1)
    return Track("p", "p", None, x, turned, u, rate, False)


def test_many_states_are_thinned_within_the_error_limit() -> None:
    t = np.linspace(0, 4, 40_001)
    track = spiral(t)
    chosen = chosen_states(t, [track], [1.2345])
    assert MOST_FRAMES / 2 < len(chosen) <= MOST_FRAMES
    assert chosen[0] == 0 and chosen[-1] == len(t) - 1 and 12345 in chosen
    moved, turned = largest_error(t, [track], chosen)
    assert moved <= tolerances.SEEN_THINNED * 4 and turned <= tolerances.SEEN_THINNED
    # Evenly spread, as many states would be worse where the motion is quick.
    even = np.unique(np.linspace(0, len(t) - 1, len(chosen)).astype(int))
    assert max(largest_error(t, [track], even)) > 2 * max(moved, turned)


def test_reported_error_equals_the_error_of_omitted_states() -> None:
    t = np.linspace(0, 1, 4)
    x = np.array([[0.0, 0, 0], [1, 0, 0], [2, 3, 0], [3, 0, 0]])
    track = Track("p", "p", None, x, None, None, None, False)
    assert largest_error(t, [track], np.array([0, 1, 3])) == (3.0, 0.0)


def test_page_reports_omitted_states() -> None:
    solution = sl.solve(heavy_top_system("SE3"), 1.0, h=2.0**-12)
    view = solution.view()
    (only,) = view.drawn
    assert only.frames <= MOST_FRAMES < len(solution.t)
    assert f"of {len(solution.t):,} states" in only.notes[0]


def test_solution_is_drawn_up_to_the_first_nan() -> None:
    solution = sl.solve(ball(), 1.0, h=0.1)
    q = solution.q.copy()
    q[6, 1] = np.nan
    found = drawn(dataclasses.replace(solution, q=q))
    assert len(decoded(found["times"])) == 6
    assert found["ends_early_at"] == solution.t[6]
    assert "not a number from t = 0.6 s on" in found["notes"][0]


@pytest.mark.slow
def test_long_taylor_steps_are_subdivided() -> None:
    solution = sl.solve(ball(), 4.0, method="taylor")
    assert len(decoded(drawn(solution)["times"])) > 4 * len(solution.t)


def test_wide_steps_are_reported() -> None:
    few = sl.solve(heavy_top_system("SE3"), 0.1, h=1e-3, t_eval=[0.0, 0.1])
    assert "turn by up to" in drawn(few)["notes"][0]


def test_velocities_predict_positions() -> None:
    for track in tracks(everything_moving()):
        if track.velocities is not None and track.has_position:
            slope = np.gradient(track.positions, everything_moving().t, axis=0)[1:-1]
            assert np.abs(slope - track.velocities[1:-1]).max() < tolerances.STRAIGHT_MOTION, track.name
