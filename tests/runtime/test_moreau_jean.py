"""Time stepping of Moreau and Jean: order, momentum, energy, penetration, bits and bad input."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlie as sl
from symlie.errors import UnsupportedMethodError
from symlie.runtime.system.system import System
from tests import tolerances
from tests.runtime.heaps import column, gaps
from tests.runtime.interruptions import content, interrupted, resumed_in_pieces
from tests.runtime.test_contacts import BACKENDS, ball_model, block_on_spring, bouncing, rod_pendulum, rolling, thrown
from tests.systems import heavy_top_system

G = 9.81
HEIGHT = 0.0612555656574994
"""Height of the bouncing ball after 1 s."""


def stepped(system: System, end: float, steps: int, **options: Any) -> sl.Solution:
    return sl.solve(system, end, method="moreau_jean", h=end / steps, **options)


@pytest.mark.filterwarnings("ignore:The last configuration:symlie.SymlieWarning")
def test_bouncing_ball_converges_to_the_closed_form() -> None:
    errors = [abs(stepped(bouncing("c"), 1.0, 75 * 2**k).q[-1, 0] - HEIGHT) for k in range(9)]
    assert -np.polyfit(range(9), np.log2(errors), 1)[0] >= tolerances.MOREAU_SLOPE


@pytest.mark.filterwarnings("ignore:The last configuration:symlie.SymlieWarning")
def test_rod_has_order_one_before_its_impact() -> None:
    a, b, c = (stepped(rod_pendulum("c"), 0.3, 200 * 2**k).q[-1, 2] for k in range(3))
    assert abs(math.log2((a - b) / (b - c)) - 1) <= tolerances.MOREAU_ORDER


def test_ball_slides_then_rolls_with_the_exact_momentum() -> None:
    solution = stepped(rolling("c"), 0.5, 50)
    assert np.abs(solution.v[-1, 3:] - [4 / 7, 0.3, 0]).max() <= tolerances.IMPACT
    assert solution.outputs["floor_state"][[1, -1]].tolist() == [1, 2]
    assert np.abs(solution.outputs["floor_normal"][1:] - G).max() <= tolerances.CONTACT


def test_energy_of_a_bouncing_ball_rises_by_the_last_rebound_only() -> None:
    """A step that ends a rebound of the speed u < g h with a closed contact adds u (g h - u)/2 ≤ (g h)²/8."""
    h = 2.0 / 400
    solution = stepped(bouncing("c"), 2.0, 400)
    rises = np.diff(solution.outputs["energy"])
    assert rises.max() <= (G * h) ** 2 / 8 + tolerances.IMPACT
    assert (rises > tolerances.IMPACT).sum() <= 1
    assert gaps(solution).min() < -100 * tolerances.HEAP_PENETRATION


def test_columns_rest() -> None:
    solution = sl.solve(column(10), 0.02, method="moreau_jean", h=1e-3)
    assert np.abs(solution.v).max() <= tolerances.IMPACT
    assert abs(np.sort(-solution.multipliers[-1])[-1] - 10 * G) <= 10 * G * tolerances.IMPACT


@pytest.mark.parametrize("make", [bouncing, rod_pendulum, rolling, thrown, block_on_spring])
@pytest.mark.filterwarnings("ignore:The last configuration:symlie.SymlieWarning")
def test_backends_agree(make: Any) -> None:
    a, b = (stepped(make(backend), 1.0, 100) for backend in BACKENDS)
    assert np.abs(a.q - b.q).max() <= tolerances.CONTACT and np.abs(a.v - b.v).max() <= tolerances.CONTACT
    assert len(a.impacts) == len(b.impacts) and not a.events


@pytest.mark.filterwarnings("ignore:The last configuration:symlie.SymlieWarning")
def test_interrupted_runs_resume_with_equal_bits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = thrown("c")
    monkeypatch.setattr("symlie.runtime.integrate.run.RETURN_SECONDS", 1e-9)
    path = tmp_path / "run.checkpoint"
    whole = sl.solve(system, 1.0, method="moreau_jean", h=5e-3)
    interrupted(system, 1.0, 4, path, method="moreau_jean", h=5e-3)
    assert content(resumed_in_pieces(path, 29)) == content(whole)


def test_systems_without_contacts_and_first_order_states_are_refused() -> None:
    with pytest.raises(UnsupportedMethodError, match="it has no contacts; use half_explicit_5"):
        sl.solve(heavy_top_system("SO3", "numpy"), 0.1, method="moreau_jean", h=0.01)
    model = ball_model()
    model.field(model.state("filtered", 1), [0.0])
    with pytest.raises(UnsupportedMethodError, match="it has first-order states"):
        stepped(model.derive().compile(backend="numpy"), 0.1, 10)
